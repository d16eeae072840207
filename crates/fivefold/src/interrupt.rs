//! Ctrl-C: the first asks the running jobs to stop at their next step, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::screen::tell;

/// The exit code of a program that was stopped by Ctrl-C: 128 + SIGINT.
pub(crate) const EXIT_CODE: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);

/// Starts to watch for Ctrl-C and gives the flag that it raises.
pub(crate) fn watch() -> &'static AtomicBool {
    let installed = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_CODE));
        }
        tell("\nstopping: running jobs end at their next step; Ctrl-C again ends at once");
    });
    if let Err(error) = installed {
        tell(format_args!("note: Ctrl-C will end the program at once ({error})"));
    }
    &STOP
}

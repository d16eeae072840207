//! SIGINT (Ctrl-C) and SIGTERM: the first asks the running jobs to stop at their next step, the second ends the program at
//! once. Where a step takes longer than [`GRACE`] after the first, as that of a ranker that never asks, the program ends all the
//! same: nothing that it was writing is taken for whole by the next run. SIGHUP is left alone, since `nohup` is there to ignore it.
//! SIGXFSZ becomes the error of the write that it is about.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use crate::screen::tell;

/// Raised by the first signal.
static STOP: AtomicBool = AtomicBool::new(false);
/// Which it was.
static SIGNAL: AtomicU8 = AtomicU8::new(SIGINT);
const SIGINT: u8 = 2;
/// Whether what goes on looks at the flag often enough to end by itself.
static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);
/// What the running jobs have to come to their next step.
const GRACE: Duration = Duration::from_millis(1500);

/// The exit code of a program that was stopped: 128 + the signal, as shells have it.
pub(crate) fn exit_code() -> u8 {
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// From here on no ranker is at work, and what is looks at the flag: it ends by itself after a signal, or is too far to stop.
pub(crate) fn ends_by_itself() {
    ENDS_BY_ITSELF.store(true, Ordering::Relaxed);
}

/// Starts to watch for signals and gives the flag that they raise.
pub(crate) fn watch() -> &'static AtomicBool {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        if let Err(error) = install() {
            tell(format_args!("note: Ctrl-C will end the program at once ({error})"));
        }
    });
    &STOP
}

/// Lets a write beyond the limit on the size of files (`ulimit -f`) fail, so that it is told with the file, instead of ending the program
/// by SIGXFSZ. Programs that a run starts are not affected: a handler ends where another program begins.
pub(crate) fn take_file_limits_for_errors() {
    #[cfg(unix)]
    {
        let signal = nix::sys::signal::Signal::SIGXFSZ as i32;
        // Where it cannot be, all is as it was without it.
        let _ = signal_hook::flag::register(signal, std::sync::Arc::new(AtomicBool::new(false)));
    }
}

#[cfg(unix)]
fn install() -> std::io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let watcher = std::thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || signals.forever().for_each(|signal| stop(u8::try_from(signal).unwrap_or_default())))?;
    Ok(())
}

#[cfg(not(unix))]
fn install() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| stop(SIGINT))
}

fn stop(signal: u8) {
    SIGNAL.store(signal, Ordering::Relaxed);
    if STOP.swap(true, Ordering::Relaxed) {
        std::process::exit(i32::from(exit_code()));
    }
    tell("\nstopping: running jobs end at their next step; the same signal again ends at once");
    // If there is no thread for it, a second signal still ends the program.
    let _ = std::thread::Builder::new().name("grace".to_owned()).spawn(|| {
        std::thread::sleep(GRACE);
        if ENDS_BY_ITSELF.load(Ordering::Relaxed) {
            return;
        }
        tell("ended within a step that took too long; of a run all that was finished is kept, and the same command goes on from there");
        std::process::exit(i32::from(exit_code()));
    });
}

//! A panic is a bug. The message says so, names the place and tells how to report the bug. The exit
//! code is 70 (sysexits' "internal error").

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

use crate::screen::tell;

/// The exit code of a bug.
const SOFTWARE_ERROR: u8 = 70;

/// Runs the program. A panic ends the program with a message that can be reported, if the panic
/// occurs on this thread or is passed on to this thread.
pub(crate) fn guard(program: impl FnOnce() -> u8) -> u8 {
    panic::set_hook(Box::new(report));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|_| {
        tell(format_args!(
            "\nThe program {name} or one of its rankers has a bug; you made no mistake.\n\
             Please report it with the command line, the lines above and the version ({name} {version}).",
            name = env!("CARGO_PKG_NAME"),
            version = env!("CARGO_PKG_VERSION"),
        ));
        SOFTWARE_ERROR
    })
}

fn report(panic: &PanicHookInfo<'_>) {
    let message = panic.payload_as_str().unwrap_or("no message");
    match panic.location() {
        Some(place) => tell(format_args!("bug: {message}\n  at {place}")),
        None => tell(format_args!("bug: {message}")),
    }
    let backtrace = Backtrace::capture();
    match backtrace.status() {
        BacktraceStatus::Captured => tell(backtrace),
        _ => tell("  RUST_BACKTRACE=1 shows how the program got there"),
    }
}

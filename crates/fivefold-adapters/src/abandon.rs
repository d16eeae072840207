//! A call into a library that cannot be interrupted, which is abandoned when the fit is cancelled.
//!
//! The call runs on a thread of its own, which the caller's thread watches. If the fit is
//! cancelled, the call's thread goes on until the call or the process ends; after a cancelled
//! training, the process ends at once. The thread frees its memory then.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fivefold_core::{FitContext, FitError};

/// The time between two checks for a cancelled fit.
const PAUSE: Duration = Duration::from_millis(20);

/// Returns the result of `work`, or [`FitError::Cancelled`] as soon as the fit is cancelled.
pub(crate) fn unless_cancelled<T: Send + 'static>(
    cx: &FitContext<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, FitError> {
    cx.check()?;
    let (give, take) = channel();
    let thread = std::thread::Builder::new().name("foreign fit".to_owned()).spawn(move || {
        // If the fit was cancelled, nobody receives the result.
        let _ = give.send(work());
    });
    let thread = thread.map_err(|error| FitError::Other(format!("the system gives no thread: {error}")))?;
    loop {
        match take.recv_timeout(PAUSE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => cx.check()?,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(FitError::Other("the thread of the fit ended without a result".to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use fivefold_core::Seed;

    use super::*;

    #[test]
    fn a_call_that_never_ends_is_given_up() {
        let ((begin, begun), flag) = (channel(), AtomicBool::new(false));
        let stop = &flag;
        std::thread::scope(|scope| {
            scope.spawn(move || {
                begun.recv().unwrap();
                stop.store(true, Ordering::Relaxed);
            });
            let cx = FitContext::new(Seed::new(1)).with_cancellation(stop);
            let end = unless_cancelled(&cx, move || {
                begin.send(()).unwrap();
                loop {
                    std::thread::park();
                }
            });
            assert!(matches!(end, Err::<(), _>(FitError::Cancelled)));
        });
    }

    #[test]
    fn results_and_panics_come_through() {
        let cx = FitContext::new(Seed::new(1));
        assert_eq!(unless_cancelled(&cx, || 3).unwrap(), 3);
        let panicking = || unless_cancelled(&cx, || -> u8 { panic!("within") });
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panicking));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"within"));
    }
}

//! Work beside Python: in threads of its own, without Python's lock, and stopped by Ctrl-C.
//!
//! All work that may use rayon goes through [`in_threads`]. rayon's global pool must never be begun: a
//! fork would inherit it without its threads, and the child would wait for them for ever.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two questions whether a signal came.
const PAUSE: Duration = Duration::from_millis(20);

/// Does some work with a number of threads (0: one for each processor). The flag is raised when a
/// signal handler of Python raises an exception, such as KeyboardInterrupt; the work should then end
/// soon, and the exception is the result.
///
/// # Errors
/// The exception of the handler, or RuntimeError if the work panicked or has no thread.
pub(crate) fn in_threads<T: Send>(
    py: Python<'_>,
    threads: usize,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("the system gives no threads: {error}")))?;
    let stop = AtomicBool::new(false);
    let (ended, waiting) = (AtomicBool::new(false), std::thread::current());
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _at_end = AtEnd { ended: &ended, waiting };
            pool.install(|| work(&stop))
        });
        let mut raised = None;
        while !ended.load(Ordering::Acquire) {
            py.detach(|| std::thread::park_timeout(PAUSE));
            if let Err(exception) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(exception);
            }
        }
        let done = worker.join().map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            PyRuntimeError::new_err(format!("a bug of fivefold: {}", text.unwrap_or_default()))
        });
        raised.map_or(done, Err)
    })
}

/// Wakes the thread that waits when the work ends, also by a panic.
struct AtEnd<'a> {
    ended: &'a AtomicBool,
    waiting: Thread,
}

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        self.waiting.unpark();
    }
}

//! SIGINT (Ctrl-C) and SIGTERM. The first signal asks the running jobs to stop at their next step;
//! a second signal ends the program at once. The program also ends if a step takes longer than
//! [`GRACE`] after the first signal, for example in a ranker that never asks whether to stop. To
//! end there is safe, because the next run never takes a half-written file for a whole file.
//!
//! SIGHUP is left alone, so that `nohup` can ignore it. SIGXFSZ becomes an error of the write that
//! exceeded the limit.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::time::Duration;

use crate::cluster::in_allocation;
use crate::screen::tell;

/// Raised by the first signal.
static STOP: AtomicBool = AtomicBool::new(false);
/// The latest signal.
static SIGNAL: AtomicU8 = AtomicU8::new(SIGINT);
const SIGINT: u8 = 2;
/// Whether the running code checks [`STOP`] often enough to end by itself.
static ENDS_BY_ITSELF: AtomicBool = AtomicBool::new(false);
/// The time that the running jobs have to reach their next step.
const GRACE: Duration = Duration::from_millis(1500);

/// What a signal stops, as far as the user sees it.
pub(crate) trait Stoppable: Send + Sync {
    /// Shows a line.
    fn line(&self, text: &str);
    /// Removes all that would be left behind on the terminal, and says what is kept.
    fn last_words(&self) -> String;
}

/// The work that a signal stops.
static WORK: Mutex<Option<Arc<dyn Stoppable>>> = Mutex::new(None);

/// Names the work that a signal stops from here on.
pub(crate) fn stops(work: Arc<dyn Stoppable>) {
    if let Ok(mut of_now) = WORK.lock() {
        *of_now = Some(work);
    }
}

fn work() -> Option<Arc<dyn Stoppable>> {
    WORK.lock().ok()?.clone()
}

/// Ends the program within a step.
fn end_now(why: &str) -> ! {
    let words = work().map(|work| work.last_words());
    for text in [Some(why.to_owned()).filter(|why| !why.is_empty()), words].into_iter().flatten() {
        tell(text);
    }
    std::process::exit(i32::from(exit_code()))
}

/// The exit code that asks a scheduler to begin a task again: EX_TEMPFAIL of sysexits.h.
pub(crate) const TRY_AGAIN: u8 = 75;

/// The exit code of a program that was stopped: 128 + the signal, as shells have it. Within an
/// allocation, the scheduler stops programs, so they ask to be begun again.
pub(crate) fn exit_code() -> u8 {
    if in_allocation() {
        return TRY_AGAIN;
    }
    128 + SIGNAL.load(Ordering::Relaxed)
}

/// Declares that no ranker runs from here on. The code that still runs checks the flag and ends by
/// itself after a signal, or it is too close to its end to be stopped.
pub(crate) fn ends_by_itself() {
    ENDS_BY_ITSELF.store(true, Ordering::Relaxed);
}

/// Starts to watch for signals, and returns the flag that a signal raises.
pub(crate) fn watch() -> &'static AtomicBool {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        if let Err(error) = install() {
            tell(format_args!("note: Ctrl-C will end the program at once ({error})"));
        }
    });
    &STOP
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) fail with an error that names the
/// file. Without this function, SIGXFSZ would end the program. Programs that a run starts are not
/// affected, because a started program does not inherit signal handlers.
pub(crate) fn take_file_limits_for_errors() {
    #[cfg(unix)]
    {
        let signal = nix::sys::signal::Signal::SIGXFSZ as i32;
        // If the handler cannot be registered, SIGXFSZ ends the program as before.
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
        end_now("");
    }
    let stopping = "stopping: running jobs end at their next step; the same signal again ends at once";
    match work() {
        Some(work) => work.line(stopping),
        None => tell(format_args!("\n{stopping}")),
    }
    // If the thread cannot be started, a second signal still ends the program.
    let _ = std::thread::Builder::new().name("grace".to_owned()).spawn(|| {
        std::thread::sleep(GRACE);
        if ENDS_BY_ITSELF.load(Ordering::Relaxed) {
            return;
        }
        end_now("ended within a step that took too long");
    });
}

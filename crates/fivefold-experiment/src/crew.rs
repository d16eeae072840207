//! The threads of a run, and the CPU time of each job.
//!
//! A thread does one job after another. A thread that has no job to begin helps a job at work, until
//! that job ends. Each fit has a rayon pool of its own, with a seat for each thread of the run: the
//! first seat is taken when the fit begins, and each helper takes a seat. So a thread that waits
//! within a fit never takes up work of another job, and the time of a fit is the CPU time of the
//! threads in its seats. In one pool for all jobs, a short fit could wait for hours, because the
//! thread that waits for a part of the fit had taken up another fit.
//!
//! A seat that nobody takes has no thread. So a ranker may use rayon, but not `rayon::broadcast`,
//! which waits for the thread of every seat.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use crate::schedule::{Next, Turn};

/// Adds up the CPU time of the threads that work for a job. On systems that do not tell the CPU time
/// of a thread, the time on the clock takes its place.
#[derive(Debug, Default)]
pub(crate) struct Meter(AtomicU64);

impl Meter {
    /// Does some work on this thread, and adds its CPU time.
    pub(crate) fn measure<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Adds the time also if the work panics.
        struct Since<'m>(&'m Meter, Option<Duration>, Instant);
        impl Drop for Since<'_> {
            fn drop(&mut self) {
                let Since(meter, cpu, clock) = self;
                let cpu = cpu.zip(thread_time()).map(|(from, to)| to.saturating_sub(from));
                meter.add(cpu.unwrap_or_else(|| clock.elapsed()));
            }
        }
        let _since = Since(self, thread_time(), Instant::now());
        work()
    }

    /// Adds the time of another process.
    pub(crate) fn add(&self, time: Duration) {
        self.0.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The time so far.
    pub(crate) fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// The CPU time of this thread. `None` if the system does not tell.
fn thread_time() -> Option<Duration> {
    #[cfg(target_os = "linux")]
    return usage(nix::sys::resource::UsageWho::RUSAGE_THREAD);
    #[cfg(not(target_os = "linux"))]
    None
}

/// The CPU time of this process with all its threads. `None` if the system does not tell.
pub(crate) fn own_time() -> Option<Duration> {
    #[cfg(unix)]
    return usage(nix::sys::resource::UsageWho::RUSAGE_SELF);
    #[cfg(not(unix))]
    None
}

/// The CPU time of the processes that this process started and that have ended. `None` if the system
/// does not tell.
pub(crate) fn time_of_children() -> Option<Duration> {
    #[cfg(unix)]
    return usage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN);
    #[cfg(not(unix))]
    None
}

#[cfg(unix)]
fn usage(whose: nix::sys::resource::UsageWho) -> Option<Duration> {
    use nix::sys::time::TimeValLike as _;
    let usage = nix::sys::resource::getrusage(whose).ok()?;
    let spent = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    u64::try_from(spent).ok().map(Duration::from_micros)
}

/// The threads of a run, as far as they share the work.
pub(crate) struct Crew {
    threads: usize,
    state: Mutex<State>,
    /// A job has ended, a fit has free seats, or a helper has left a fit.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs at work.
    jobs: usize,
    fits: Vec<Fit>,
    /// The number of the next fit.
    next: usize,
}

/// A fit at work.
struct Fit {
    number: usize,
    /// The seats that nobody has taken.
    seats: Vec<ThreadBuilder>,
    helpers: usize,
    meter: Arc<Meter>,
}

/// What a thread of the run does next.
pub(crate) enum Task<'c> {
    /// A job, at work until [`AtWork`] is dropped. Its turn must end before.
    Job(AtWork<'c>, Turn<'c>),
    /// A seat in a fit.
    Help(Seat<'c>),
}

/// A job at work.
pub(crate) struct AtWork<'c>(&'c Crew);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.lock().jobs -= 1;
        self.0.changed.notify_all();
    }
}

/// A seat in the fit with this number.
pub(crate) struct Seat<'c> {
    crew: &'c Crew,
    fit: usize,
    seat: ThreadBuilder,
    meter: Arc<Meter>,
}

impl Seat<'_> {
    /// Works in the fit until the fit ends.
    pub(crate) fn work(self) {
        let Seat { crew, fit, seat, meter } = self;
        meter.measure(|| seat.run());
        let mut state = crew.lock();
        if let Some(fit) = state.fits.iter_mut().find(|other| other.number == fit) {
            fit.helpers -= 1;
        }
        crew.changed.notify_all();
    }
}

impl Crew {
    /// A crew of some threads, each of which calls [`Crew::next`] again and again.
    pub(crate) fn new(threads: usize) -> Self {
        Crew { threads, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Waits for something to do. `job` looks for a job that may begin. `None` if no job is left or
    /// at work.
    pub(crate) fn next<'c>(&'c self, job: impl Fn() -> Next<'c>) -> Option<Task<'c>> {
        let mut state = self.lock();
        loop {
            let next = job();
            if let Next::Turn(turn) = next {
                state.jobs += 1;
                return Some(Task::Job(AtWork(self), turn));
            }
            let open = state.fits.iter_mut().filter(|fit| !fit.seats.is_empty());
            if let Some(fit) = open.min_by_key(|fit| fit.helpers)
                && let Some(seat) = fit.seats.pop()
            {
                fit.helpers += 1;
                return Some(Task::Help(Seat { crew: self, fit: fit.number, seat, meter: Arc::clone(&fit.meter) }));
            }
            if matches!(next, Next::End) && state.jobs == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does a fit in a pool of its own, and adds its CPU time to `meter`.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(crate) fn fit<T: Send>(&self, meter: &Arc<Meter>, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let mut seats = Vec::with_capacity(self.threads);
        let builder = ThreadPoolBuilder::new().num_threads(self.threads).spawn_handler(|seat| {
            seats.push(seat);
            Ok(())
        });
        let pool = builder.build().map_err(io::Error::other)?;
        let own = seats.swap_remove(0);
        std::thread::scope(|scope| {
            // Dropped at the end, also if the work panics: the threads of the pool then end.
            let open = OpenFit { crew: self, number: self.open(seats, meter), pool: Some(pool) };
            std::thread::Builder::new().spawn_scoped(scope, || meter.measure(|| own.run()))?;
            let done = open.pool.as_ref().map(|pool| pool.install(work));
            drop(open);
            done.ok_or_else(|| io::Error::other("the pool has ended"))
        })
    }

    /// Offers seats. Returns the number of the fit.
    fn open(&self, seats: Vec<ThreadBuilder>, meter: &Arc<Meter>) -> usize {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.fits.push(Fit { number, seats, helpers: 0, meter: Arc::clone(meter) });
        self.changed.notify_all();
        number
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fit that offers seats.
struct OpenFit<'c> {
    crew: &'c Crew,
    number: usize,
    pool: Option<ThreadPool>,
}

impl Drop for OpenFit<'_> {
    /// Withdraws the seats, ends the pool, and waits for the helpers, whose time counts too.
    fn drop(&mut self) {
        let is_own = |fit: &Fit| fit.number == self.number;
        let mut state = self.crew.lock();
        let seats = state.fits.iter_mut().find(|fit| is_own(fit)).map(|fit| std::mem::take(&mut fit.seats));
        drop(state);
        drop((seats, self.pool.take()));
        state = self.crew.lock();
        while state.fits.iter().any(|fit| is_own(fit) && fit.helpers > 0) {
            state = self.crew.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.fits.retain(|fit| !is_own(fit));
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use rayon::prelude::*;

    use super::*;
    use crate::schedule::{Need, Schedule};

    /// Work that takes about as long on every thread.
    fn work(rounds: u64) -> u64 {
        (0..rounds * 10_000).fold(1, |sum: u64, i| black_box(sum.wrapping_mul(6_364_136_223_846_793_005) ^ i))
    }

    /// Does jobs on some threads, and returns the CPU time of each job. A job has parts of some
    /// rounds, which may run in parallel.
    fn run(threads: usize, jobs: &[(usize, u64)]) -> Vec<Duration> {
        let schedule = Schedule::new(vec![Need { own: 0, shared: (0, 0) }; jobs.len()], 0, None);
        let crew = Crew::new(threads);
        let meters: Vec<Arc<Meter>> = jobs.iter().map(|_| Arc::default()).collect();
        let worker = || {
            while let Some(task) = crew.next(|| schedule.next(|| false)) {
                match task {
                    Task::Help(seat) => seat.work(),
                    Task::Job(_at_work, turn) => {
                        let (parts, rounds) = jobs[turn.index];
                        let sum = crew.fit(&meters[turn.index], || {
                            assert_eq!(rayon::current_num_threads(), threads);
                            (0..parts).into_par_iter().with_max_len(1).map(|_| work(rounds) & 1).sum::<u64>()
                        });
                        assert!(sum.unwrap() <= parts as u64);
                    }
                }
            }
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
        meters.iter().map(|meter| meter.total()).collect()
    }

    /// Each short job has parts that another thread may take up. In one pool for all jobs, a thread
    /// that waits for such a part may take up a part of a long job.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_short_job_beside_long_ones_has_its_own_time_alone() {
        let before = own_time().unwrap();
        let mut jobs = vec![(8, 400), (8, 400)];
        jobs.extend([(8, 5); 40]);
        let times = run(3, &jobs);
        let spent = own_time().unwrap() - before;
        let (long, short) = times.split_at(2);
        let (least, most) = (long.iter().min().unwrap(), short.iter().max().unwrap());
        assert!(*most * 10 < *least, "{times:?}");
        assert!(times.iter().sum::<Duration>() <= spent, "{times:?} of {spent:?}");
        // The two long jobs have the same work.
        assert!(*least * 3 > *long.iter().max().unwrap(), "{long:?}");
    }

    /// A job that is left alone has all threads.
    #[test]
    fn threads_without_a_job_help_the_last_one() {
        let crew = Crew::new(3);
        let schedule = Schedule::new(vec![Need { own: 0, shared: (0, 0) }], 0, None);
        let barrier = std::sync::Barrier::new(3);
        let worker = || {
            while let Some(task) = crew.next(|| schedule.next(|| false)) {
                match task {
                    Task::Help(seat) => seat.work(),
                    Task::Job(..) => {
                        // Each part waits for the other two, so three threads must work.
                        let parts = || {
                            (0..3).into_par_iter().with_max_len(1).for_each(|_| {
                                barrier.wait();
                            })
                        };
                        crew.fit(&Arc::default(), parts).unwrap();
                    }
                }
            }
        };
        std::thread::scope(|scope| (0..3).for_each(|_| drop(scope.spawn(worker))));
    }

    #[test]
    fn a_fit_that_panics_ends_its_threads() {
        let crew = Crew::new(2);
        let fit = std::panic::AssertUnwindSafe(|| crew.fit(&Arc::default(), || panic!("no")));
        let panic: Result<io::Result<()>, _> = std::panic::catch_unwind(fit);
        assert!(panic.is_err() && crew.lock().fits.is_empty());
    }
}

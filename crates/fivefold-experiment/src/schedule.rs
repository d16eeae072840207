//! Decides which job starts when. Jobs start in the order of the plan, as many at a time as the
//! threads and the memory allow.
//!
//! A job needs memory for its fit beside the data (`Ranker::fit_bytes`), for its scores, and for
//! the normalised copy of its collection if no other job holds this copy yet. A job starts when
//! this memory fits into the budget beside the memory in use. Until then all later jobs wait too,
//! so the order stays the order of the plan.
//!
//! A job that is larger than the whole budget is refused before it begins. If a job does not fit
//! only because later jobs still need copies of other collections, the job waits until no other job
//! runs, and then starts beyond the budget.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The memory that a job needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Need {
    /// Bytes that the job alone uses while it runs.
    pub(crate) own: u64,
    /// The copy that the job shares with other jobs: its number and its bytes. The bytes are in use
    /// from the first of these jobs to the last.
    pub(crate) shared: (usize, u64),
}

/// Jobs that wait for their turn.
pub(crate) struct Schedule {
    needs: Vec<Need>,
    /// Bytes in use all the time.
    always: u64,
    /// The most bytes that may be in use. `None`: no limit.
    budget: Option<u64>,
    state: Mutex<State>,
}

struct State {
    next: usize,
    running: usize,
    used: u64,
    /// For each shared copy, the number of jobs that have not ended, and whether the copy exists.
    shared: Vec<(usize, bool)>,
}

/// The next job of a schedule.
pub(crate) enum Next<'a> {
    /// The job whose turn it is.
    Turn(Turn<'a>),
    /// No job can start before another job has ended.
    Wait,
    /// No job is left.
    End,
}

/// The turn of a job. The turn ends when this value is dropped.
pub(crate) struct Turn<'a> {
    schedule: &'a Schedule,
    /// Index of the job.
    pub(crate) index: usize,
    /// The bytes in use with this job, if they exceed the budget.
    pub(crate) beyond: Option<u64>,
    /// The bytes that the job needs together with the bytes in use all the time. `None` if the sum
    /// fits. If the sum exceeds the budget, the job must not run.
    pub(crate) refused: Option<u64>,
}

impl Schedule {
    /// A schedule of jobs with these needs. `used` bytes are in use all the time.
    pub(crate) fn new(needs: Vec<Need>, used: u64, budget: Option<u64>) -> Self {
        let mut shared = vec![(0, false); needs.iter().map(|need| need.shared.0 + 1).max().unwrap_or(0)];
        needs.iter().for_each(|need| shared[need.shared.0].0 += 1);
        let state = Mutex::new(State { next: 0, running: 0, used, shared });
        Schedule { needs, always: used, budget, state }
    }

    /// Starts the next job, if it may start now. No job is left if `stop` returns true.
    pub(crate) fn next(&self, stop: impl Fn() -> bool) -> Next<'_> {
        let mut state = self.lock();
        let index = state.next;
        let Some(need) = self.needs.get(index).filter(|_| !stop()) else { return Next::End };
        let (shared, bytes) = need.shared;
        let is_too_much = |&all: &u64| self.budget.is_some_and(|limit| all > limit);
        let alone = self.always.saturating_add(need.own).saturating_add(bytes);
        if let Some(refused) = Some(alone).filter(is_too_much) {
            state.next += 1;
            return Next::Turn(Turn { schedule: self, index, beyond: None, refused: Some(refused) });
        }
        let added = need.own + if state.shared[shared].1 { 0 } else { bytes };
        let beyond = Some(state.used.saturating_add(added)).filter(is_too_much);
        if beyond.is_some() && state.running > 0 {
            return Next::Wait;
        }
        state.next += 1;
        state.running += 1;
        state.used = state.used.saturating_add(added);
        state.shared[shared].1 = true;
        Next::Turn(Turn { schedule: self, index, beyond, refused: None })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn<'_> {
    /// The bytes that the job needs, its share of a copy included.
    pub(crate) fn bytes(&self) -> u64 {
        let Need { own, shared: (_, copy) } = self.schedule.needs[self.index];
        own.saturating_add(copy)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let need = &self.schedule.needs[self.index];
        let mut state = self.schedule.lock();
        if self.refused.is_none() {
            state.running -= 1;
            state.used = state.used.saturating_sub(need.own);
        }
        let (users, there) = &mut state.shared[need.shared.0];
        *users -= 1;
        if *users == 0 && std::mem::take(there) {
            state.used = state.used.saturating_sub(need.shared.1);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    use fivefold_core::Seed;

    use super::*;

    fn turn(schedule: &Schedule) -> Turn<'_> {
        let Next::Turn(turn) = schedule.next(|| false) else { panic!("no turn") };
        turn
    }

    fn alone(own: u64) -> Need {
        Need { own, shared: (0, 0) }
    }

    /// Runs all jobs on some threads. Returns the most bytes in use, the most jobs at a time, and
    /// the refused jobs.
    fn run(schedule: &Schedule, threads: usize) -> (u64, usize, Vec<usize>) {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let (running, most_running) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let refused = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    loop {
                        let turn = match schedule.next(|| false) {
                            Next::Turn(turn) => turn,
                            Next::Wait => {
                                std::thread::yield_now();
                                continue;
                            }
                            Next::End => return,
                        };
                        let own = schedule.needs[turn.index].own;
                        assert_eq!(turn.beyond, None);
                        if turn.refused.is_some() {
                            refused.lock().unwrap().push(turn.index);
                            continue;
                        }
                        most.fetch_max(now.fetch_add(own, Ordering::SeqCst) + own, Ordering::SeqCst);
                        most_running.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        (0..20).for_each(|_| std::thread::yield_now());
                        running.fetch_sub(1, Ordering::SeqCst);
                        now.fetch_sub(own, Ordering::SeqCst);
                    }
                });
            }
        });
        (most.into_inner(), most_running.into_inner(), refused.into_inner().unwrap())
    }

    #[test]
    fn jobs_never_need_more_than_the_budget_at_a_time_and_large_ones_are_refused() {
        for seed in 0..20 {
            let mut rng = Seed::new(seed).rng();
            let needs: Vec<Need> = (0..60).map(|_| alone(rng.below(120))).collect();
            let large: Vec<usize> = (0..60).filter(|&job| needs[job].own > 90).collect();
            let schedule = Schedule::new(needs, 10, Some(100));
            let (most, _, mut refused) = run(&schedule, 8);
            assert!(most <= 90, "{most}");
            refused.sort_unstable();
            assert_eq!(refused, large);
            assert_eq!(schedule.lock().used, 10);
        }
    }

    #[test]
    fn a_job_that_fits_but_for_the_copies_of_others_runs_alone() {
        let shared = |own, which| Need { own, shared: (which, 50) };
        // The second job and its own copy would fit. But the copy of the first job must stay,
        // because the third job needs it.
        let schedule = Schedule::new(vec![shared(10, 0), shared(20, 1), shared(10, 0), shared(60, 1)], 0, Some(100));
        let first = turn(&schedule);
        assert_eq!((first.beyond, first.refused), (None, None));
        drop(first);
        let second = turn(&schedule);
        assert_eq!((second.beyond, second.refused), (Some(120), None));
        drop(second);
        drop(turn(&schedule));
        let fourth = turn(&schedule);
        assert_eq!((fourth.beyond, fourth.refused), (None, Some(110)));
        drop(fourth);
        assert_eq!(schedule.lock().used, 0);
    }

    #[test]
    fn without_a_budget_all_threads_work() {
        let schedule = Schedule::new(vec![alone(u64::MAX / 2); 3], 10, None);
        let turns: Vec<Turn<'_>> = (0..3).map(|_| turn(&schedule)).collect();
        assert_eq!(turns.iter().map(|turn| turn.index).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(turns.iter().all(|turn| turn.beyond.is_none()) && matches!(schedule.next(|| false), Next::End));
    }

    #[test]
    fn what_jobs_share_counts_once_while_one_of_them_is_to_come() {
        let shared = |own, which| Need { own, shared: (which, 50) };
        let schedule = Schedule::new(vec![shared(10, 0), shared(20, 0), shared(5, 1), shared(5, 1)], 0, Some(100));
        let used = || schedule.lock().used;
        let first = turn(&schedule);
        assert_eq!(used(), 60);
        let second = turn(&schedule);
        assert_eq!(used(), 80);
        drop(first);
        assert_eq!(used(), 70);
        drop(second); // the last user of the first copy
        assert_eq!(used(), 0);
        drop(turn(&schedule));
        assert_eq!(used(), 50);
        drop(turn(&schedule));
        assert_eq!(used(), 0);
    }

    #[test]
    fn a_job_waits_for_the_end_of_another_and_a_stop_comes_first() {
        let schedule = Schedule::new(vec![alone(60), alone(60)], 0, Some(100));
        let first = turn(&schedule);
        assert!(matches!(schedule.next(|| false), Next::Wait));
        assert!(matches!(schedule.next(|| true), Next::End));
        drop(first);
        assert_eq!(turn(&schedule).index, 1);
    }
}

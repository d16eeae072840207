//! Threads that share many short tasks, one after the other. To hand a part of a task over costs a
//! fraction of a microsecond, where a task of rayon's pool costs up to two.
//!
//! Each member has a number in memory that says which part it may take. A member looks at its number
//! again and again, but only for [`IDLE`] looks: then it leaves, and its thread serves other work of
//! the pool. The leader does each part that nobody took, so no member is ever needed. It waits for
//! parts that were taken, and for nothing else.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::{hint, thread};

/// The most members of a team.
pub(super) const MOST: usize = 4;

/// How often a member looks for work before it leaves: some 50 microseconds.
const IDLE: usize = 1 << 11;

/// How often the leader looks whether a part is done before it lets other threads of the system run.
const PATIENCE: usize = 1 << 10;

/// The states of a part, in the lowest bits of a seat. The task is in the others.
const DONE: usize = 0;
const OFFERED: usize = 1;
const TAKEN: usize = 2;
const STATES: usize = 4;

/// The state of a seat after the last task.
const OVER: usize = usize::MAX;

/// The part of one member: the number of the task, and the state. In cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Seat(AtomicUsize);

impl Seat {
    fn offer(&self, task: usize) {
        self.0.store(task * STATES + OFFERED, Ordering::Release);
    }

    /// Whether the caller may work on the part that was offered. What the leader wrote before is
    /// then visible.
    fn take(&self, task: usize) -> bool {
        let (offered, taken) = (task * STATES + OFFERED, task * STATES + TAKEN);
        self.0.compare_exchange(offered, taken, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn await_done(&self, task: usize) {
        let mut looks = 0;
        while self.0.load(Ordering::Acquire) != task * STATES + DONE {
            looks += 1;
            if looks < PATIENCE { hint::spin_loop() } else { thread::yield_now() }
        }
    }
}

/// Says that a part is done, even if it panicked: rayon passes the panic on.
struct Doing<'s> {
    seat: &'s Seat,
    task: usize,
}

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        self.seat.0.store(self.task * STATES + DONE, Ordering::Release);
    }
}

/// A team at work.
pub(super) struct Team<'w> {
    /// Of all members but the leader.
    seats: Vec<Seat>,
    work: &'w (dyn Fn(usize, usize) + Sync),
}

impl Team<'_> {
    /// Calls `lead` while other threads of the pool are ready for the tasks that it shares. `work` is
    /// given the number of a task and the number of the part, which is below `members`.
    pub(super) fn run<R>(members: usize, work: &(dyn Fn(usize, usize) + Sync), lead: impl FnOnce(&Team<'_>) -> R) -> R {
        let seats = (1..members).map(|_| Seat::default()).collect();
        let team = Team { seats, work };
        rayon::in_place_scope(|scope| {
            let _end = End(&team);
            let team = &team;
            for number in 0..team.seats.len() {
                scope.spawn(move |_| team.follow(number));
            }
            lead(team)
        })
    }

    /// Does all parts of a task.
    pub(super) fn share(&self, task: usize) {
        self.seats.iter().for_each(|seat| seat.offer(task));
        (self.work)(task, 0);
        for (number, seat) in self.seats.iter().enumerate() {
            if seat.take(task) {
                (self.work)(task, number + 1);
            } else {
                seat.await_done(task);
            }
        }
    }

    /// Does the parts of a member until it finds none for a while.
    fn follow(&self, number: usize) {
        let seat = &self.seats[number];
        let mut looks = 0;
        while looks < IDLE {
            let state = seat.0.load(Ordering::Relaxed);
            if state == OVER {
                return;
            }
            let task = state / STATES;
            if state % STATES == OFFERED && seat.take(task) {
                let _doing = Doing { seat, task };
                (self.work)(task, number + 1);
                looks = 0;
            } else {
                looks += 1;
                hint::spin_loop();
            }
        }
    }
}

/// Ends a team, even if its leader panics.
struct End<'t, 'w>(&'t Team<'w>);

impl Drop for End<'_, '_> {
    fn drop(&mut self) {
        self.0.seats.iter().for_each(|seat| seat.0.store(OVER, Ordering::Release));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    /// Each part of each task is done once, and before the next task begins; also if members come
    /// late, or never.
    #[test]
    fn each_part_is_done_once_and_in_time() {
        for (threads, members) in [(1, 1), (1, 3), (2, 2), (3, 2), (2, 4)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let done = Mutex::new(Vec::new());
            let work = |task: usize, part: usize| {
                if (task + part).is_multiple_of(97) {
                    thread::sleep(Duration::from_micros(300));
                }
                done.lock().unwrap().push((task, part));
            };
            let lead = |team: &Team<'_>| {
                for task in 0..500 {
                    if task == 250 {
                        // The members leave.
                        thread::sleep(Duration::from_millis(5));
                    }
                    team.share(task);
                    assert_eq!(done.lock().unwrap().len(), (task + 1) * members);
                }
                "led"
            };
            assert_eq!(pool.install(|| Team::run(members, &work, lead)), "led");
            let mut done = done.into_inner().unwrap();
            done.sort_unstable();
            let expected: Vec<_> = (0..500).flat_map(|task| (0..members).map(move |part| (task, part))).collect();
            assert_eq!(done, expected, "{threads} threads, {members} members");
        }
    }

    #[test]
    fn a_panic_ends_the_team() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for fatal in [0, 1] {
            let work = |task: usize, part: usize| assert!((task, part) != (40, fatal), "part {part} is fatal");
            let lead = |team: &Team<'_>| (0..100).for_each(|task| team.share(task));
            let run = || pool.install(|| Team::run(2, &work, lead));
            let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(panic.downcast_ref::<String>(), Some(&format!("part {fatal} is fatal")));
        }
    }
}

//! Estimates how long the remaining jobs will take.
//!
//! The expected time of a job is its size times a rate, in seconds per unit of size. The rate is
//! the average over the finished jobs of the same ranker on the same data set. If there are no such
//! jobs, the rate is over the finished jobs of the same ranker, else over all finished jobs. The
//! time that a running job has already taken is subtracted. The sum is divided by the average
//! number of jobs that ran at the same time so far. There is no estimate before the first job has
//! ended.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fivefold_experiment::{Job, Plan};

/// The times of the jobs of a run so far.
pub(crate) struct Estimate {
    started: Instant,
    open: BTreeMap<String, Task>,
    running: BTreeMap<String, (Task, Instant)>,
    /// Seconds and size of the finished jobs, by data set and ranker.
    finished: BTreeMap<(usize, usize), (f64, f64)>,
}

/// A job, as the estimate sees it.
#[derive(Debug, Clone, Copy)]
struct Task {
    dataset: usize,
    ranker: usize,
    /// The number of values that the job learns from.
    size: f64,
}

impl Estimate {
    /// Starts an estimate for these jobs at the time `now`.
    pub(crate) fn new<'j>(plan: &Plan<'_>, jobs: impl Iterator<Item = &'j Job>, now: Instant) -> Self {
        let task = |job: &Job| Task { dataset: job.dataset, ranker: job.ranker, size: plan.size(job) as f64 };
        Estimate::of(jobs.map(|job| (job.id.clone(), task(job))).collect(), now)
    }

    fn of(open: BTreeMap<String, Task>, started: Instant) -> Self {
        Estimate { started, open, running: BTreeMap::new(), finished: BTreeMap::new() }
    }

    /// Notes that a job begins.
    pub(crate) fn start(&mut self, job: &str, now: Instant) {
        if let Some((job, task)) = self.open.remove_entry(job) {
            self.running.insert(job, (task, now));
        }
    }

    /// Notes that a job has ended.
    pub(crate) fn finish(&mut self, job: &str, now: Instant) {
        if let Some((task, since)) = self.running.remove(job) {
            let (seconds, size) = self.finished.entry((task.dataset, task.ranker)).or_default();
            *seconds += now.duration_since(since).as_secs_f64();
            *size += task.size;
        }
    }

    /// The time until all jobs have ended; `None` before the first job has ended.
    pub(crate) fn remaining(&self, now: Instant) -> Option<Duration> {
        let (all_seconds, all_size) = self.sum(|_| true);
        let elapsed = now.duration_since(self.started).as_secs_f64();
        if self.finished.is_empty() || elapsed <= 0.0 {
            return None;
        }
        let rate = |(seconds, size): (f64, f64)| (size > 0.0).then_some(seconds / size);
        let overall = rate((all_seconds, all_size)).unwrap_or(0.0);
        let of_ranker: BTreeMap<usize, f64> = self
            .finished
            .keys()
            .filter_map(|&(_, ranker)| Some((ranker, rate(self.sum(|(_, other)| other == ranker))?)))
            .collect();
        let expected = |task: &Task| {
            let own = self.finished.get(&(task.dataset, task.ranker)).and_then(|&of| rate(of));
            task.size * own.or_else(|| of_ranker.get(&task.ranker).copied()).unwrap_or(overall)
        };
        let since = |begun: &Instant| now.duration_since(*begun).as_secs_f64();
        let open: f64 = self.open.values().map(expected).sum();
        let running: f64 = self.running.values().map(|(task, begun)| (expected(task) - since(begun)).max(0.0)).sum();
        let spent: f64 = all_seconds + self.running.values().map(|(_, begun)| since(begun)).sum::<f64>();
        let at_a_time = (spent / elapsed).clamp(1.0, (self.open.len() + self.running.len()).max(1) as f64);
        Some(Duration::from_secs_f64((open + running) / at_a_time))
    }

    fn sum(&self, wanted: impl Fn((usize, usize)) -> bool) -> (f64, f64) {
        let chosen = self.finished.iter().filter(|(key, _)| wanted(**key)).map(|(_, of)| of);
        chosen.fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    }
}

/// A duration to two figures of its largest units: `45s`, `12m`, `3h 20m`, `2d 4h`.
pub(crate) fn about(duration: Duration) -> String {
    let seconds = duration.as_secs_f64().round() as u64;
    match seconds {
        0..=99 => format!("{seconds}s"),
        100..=5_999 => format!("{}m", (seconds + 30) / 60),
        6_000..=172_799 => format!("{}h {}m", seconds / 3600, seconds % 3600 / 60),
        _ => format!("{}d {}h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(dataset: usize, ranker: usize, size: f64) -> Task {
        Task { dataset, ranker, size }
    }

    /// Two jobs run at a time. The jobs take 3 seconds and 1 second on data of size 1. The
    /// remaining jobs are on data of size 10.
    #[test]
    fn the_time_that_is_left_is_that_of_the_jobs_that_are_left() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let mut jobs = BTreeMap::new();
        for fold in 0..4 {
            jobs.insert(format!("small/slow{fold}"), task(0, 0, 1.0));
            jobs.insert(format!("small/fast{fold}"), task(0, 1, 1.0));
            jobs.insert(format!("large/slow{fold}"), task(1, 0, 10.0));
        }
        let mut estimate = Estimate::of(jobs, start);
        estimate.start("small/slow0", at(0.0));
        estimate.start("small/fast0", at(0.0));
        assert_eq!(estimate.remaining(at(0.5)), None);
        estimate.finish("small/fast0", at(1.0));
        estimate.start("small/fast1", at(1.0));
        estimate.finish("small/fast1", at(2.0));
        estimate.start("small/fast2", at(2.0));
        estimate.finish("small/slow0", at(3.0));
        estimate.finish("small/fast2", at(3.0));
        // Remaining work, on two threads: 3 x 3 s + 1 s on the small set, and 4 x 30 s on the large
        // set.
        let left = estimate.remaining(at(3.0)).unwrap().as_secs_f64();
        assert!((left - (9.0 + 1.0 + 120.0) / 2.0).abs() < 1e-6, "{left}");
        // A third of a job is done.
        estimate.start("small/slow1", at(3.0));
        estimate.start("small/slow2", at(3.0));
        let left = estimate.remaining(at(4.0)).unwrap().as_secs_f64();
        assert!((left - (2.0 + 2.0 + 3.0 + 1.0 + 120.0) / 2.0).abs() < 1e-6, "{left}");
    }

    #[test]
    fn the_last_job_has_no_company() {
        let start = Instant::now();
        let at = |seconds: f64| start + Duration::from_secs_f64(seconds);
        let jobs = ["a", "b", "c"].map(|id| (id.to_owned(), task(0, 0, 1.0)));
        let mut estimate = Estimate::of(jobs.into(), start);
        for job in ["a", "b"] {
            estimate.start(job, at(0.0));
        }
        for job in ["a", "b"] {
            estimate.finish(job, at(10.0));
        }
        estimate.start("c", at(10.0));
        assert_eq!(estimate.remaining(at(12.0)), Some(Duration::from_secs(8)));
        // A job that takes longer than expected counts as about to end.
        assert_eq!(estimate.remaining(at(25.0)), Some(Duration::ZERO));
        estimate.finish("c", at(26.0));
        assert_eq!(estimate.remaining(at(26.0)), Some(Duration::ZERO));
    }

    #[test]
    fn times_are_short_words() {
        for (seconds, words) in
            [(0, "0s"), (99, "99s"), (100, "2m"), (5_999, "100m"), (6_000, "1h 40m"), (180_000, "2d 2h")]
        {
            assert_eq!(about(Duration::from_secs(seconds)), words);
        }
    }
}

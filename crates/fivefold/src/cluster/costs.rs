//! Estimates the seconds of CPU time that a job takes.
//!
//! 1. The time of the job itself, when it was done before.
//! 2. The highest rate (seconds per value of the training part) of the same ranker on the same data
//!    set, times the size. Candidates of a search differ in cost, so the highest rate counts.
//! 3. The time of the same ranker on the data set of the nearest size, times the ratio of sizes to
//!    the power of the *growth*: the slope of log seconds over log size where a ranker was measured
//!    on two data sets, else 1.1.
//!
//! If a ranker was never measured, there is no estimate: a pilot measures one fold first.

use std::collections::BTreeMap;

use fivefold_experiment::{Job, Plan};

/// Growth of a ranker that was measured on one data set only. Trees and linear models grow by about
/// 1, and the caches of the processor add a little.
const GROWTH: f64 = 1.1;

/// Seconds per value that no built-in ranker exceeds with usual parameters. Only a job that was
/// never measured is guessed so.
const RATE: f64 = 1e-5;

/// A job, as an estimate sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sized {
    pub(crate) id: String,
    pub(crate) dataset: usize,
    pub(crate) ranker: usize,
    /// The number of values that the job learns from.
    pub(crate) size: f64,
}

impl Sized {
    pub(crate) fn of(plan: &Plan<'_>, job: &Job) -> Self {
        Sized { id: job.id.clone(), dataset: job.dataset, ranker: job.ranker, size: plan.size(job) as f64 }
    }

    /// A guess from the size alone, for jobs of a pilot.
    pub(crate) fn guess(&self) -> f64 {
        self.size * RATE
    }
}

/// The estimated seconds of each job. `None` if its ranker was never measured.
pub(crate) fn estimate(jobs: &[Sized], measured: &BTreeMap<String, f64>) -> Vec<Option<f64>> {
    let mut of_rankers: BTreeMap<usize, BTreeMap<usize, Measured>> = BTreeMap::new();
    for job in jobs {
        if let Some(&seconds) = measured.get(&job.id) {
            of_rankers.entry(job.ranker).or_default().entry(job.dataset).or_default().add(job.size, seconds);
        }
    }
    let of_job = |job: &Sized| {
        if let Some(&seconds) = measured.get(&job.id) {
            return Some(seconds);
        }
        let datasets = of_rankers.get(&job.ranker)?;
        match datasets.get(&job.dataset) {
            Some(own) => Some(own.rate * job.size),
            None => elsewhere(datasets.values(), job.size),
        }
    };
    jobs.iter().map(of_job).collect()
}

/// What was measured of a ranker on a data set: the highest rate, and the largest job.
#[derive(Debug, Default)]
struct Measured {
    rate: f64,
    size: f64,
    seconds: f64,
}

impl Measured {
    fn add(&mut self, size: f64, seconds: f64) {
        if size > 0.0 {
            self.rate = self.rate.max(seconds / size);
        }
        if size >= self.size {
            self.size = size;
        }
        self.seconds = self.seconds.max(seconds);
    }
}

/// The seconds of a job of this size, from jobs of its ranker on other data sets.
fn elsewhere<'m>(datasets: impl Iterator<Item = &'m Measured> + Clone, size: f64) -> Option<f64> {
    let usable = datasets.filter(|measured| measured.size > 0.0);
    let far = |measured: &&Measured| libm::log(size / measured.size).abs();
    let nearest = usable.clone().min_by(|a, b| far(a).total_cmp(&far(b)))?;
    let smallest = usable.clone().min_by(|a, b| a.size.total_cmp(&b.size))?;
    let largest = usable.max_by(|a, b| a.size.total_cmp(&b.size))?;
    let slope = libm::log(largest.seconds / smallest.seconds) / libm::log(largest.size / smallest.size);
    let growth = if slope.is_finite() { slope.clamp(0.5, 2.0) } else { GROWTH };
    Some(nearest.seconds * libm::pow(size / nearest.size, growth))
}

/// The jobs that a pilot measures: the first job of each ranker on each data set, among the jobs
/// without an estimate.
pub(crate) fn pilot(jobs: &[Sized], estimates: &[Option<f64>]) -> Vec<usize> {
    let mut seen = std::collections::BTreeSet::new();
    let unknown = jobs.iter().zip(estimates).enumerate().filter(|(_, (_, estimate))| estimate.is_none());
    unknown.filter(|(_, (job, _))| seen.insert((job.dataset, job.ranker))).map(|(place, _)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(id: &str, dataset: usize, ranker: usize, size: f64) -> Sized {
        Sized { id: id.to_owned(), dataset, ranker, size }
    }

    #[test]
    fn a_time_of_the_job_itself_counts_before_times_of_others() {
        let jobs = [job("a1", 0, 0, 100.0), job("a2", 0, 0, 200.0), job("b", 0, 1, 100.0)];
        let measured = BTreeMap::from([("a1".to_owned(), 3.0)]);
        assert_eq!(estimate(&jobs, &measured), [Some(3.0), Some(6.0), None]);
        assert_eq!(estimate(&jobs, &BTreeMap::new()), [None; 3]);
    }

    #[test]
    fn the_dearest_candidate_measured_stands_for_those_to_come() {
        let jobs = [job("few", 0, 0, 10.0), job("many", 0, 0, 10.0), job("next", 0, 0, 10.0)];
        let measured = BTreeMap::from([("few".to_owned(), 1.0), ("many".to_owned(), 8.0)]);
        assert_eq!(estimate(&jobs, &measured)[2], Some(8.0));
    }

    /// Seconds that grow with the square of the size are predicted for a third size.
    #[test]
    fn growth_is_measured_between_data_sets() {
        let jobs = [job("s", 0, 0, 10.0), job("m", 1, 0, 100.0), job("l", 2, 0, 1000.0)];
        let measured = BTreeMap::from([("s".to_owned(), 1.0), ("m".to_owned(), 100.0)]);
        let large = estimate(&jobs, &measured)[2].unwrap();
        assert!((large - 10_000.0).abs() < 1e-6, "{large}");
        let one = BTreeMap::from([("m".to_owned(), 100.0)]);
        let large = estimate(&jobs, &one)[2].unwrap();
        assert!((large - 100.0 * libm::pow(10.0, GROWTH)).abs() < 1e-6, "{large}");
    }

    #[test]
    fn a_pilot_measures_one_fold_of_each_ranker_that_is_unknown() {
        let jobs = [job("a1", 0, 0, 1.0), job("b1", 0, 1, 1.0), job("a2", 0, 0, 1.0), job("b2", 0, 1, 1.0)];
        assert_eq!(pilot(&jobs, &[None; 4]), [0, 1]);
        assert_eq!(pilot(&jobs, &[Some(1.0), None, Some(1.0), None]), [1]);
    }
}

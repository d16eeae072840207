//! The observer of a run, which is told about each event.

use crate::plan::{Job, Plan};
use crate::reuse::Reuse;

/// How a job ended.
///
/// ```
/// use fivefold_experiment::JobEnd;
///
/// let end = JobEnd::Failed("the fit broke down".to_owned());
/// assert_eq!(end.failure(), Some("the fit broke down"));
/// assert_eq!(JobEnd::Done.failure(), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobEnd {
    /// The scores are in the folder.
    Done,
    /// The job has no scores, for this reason.
    Failed(String),
    /// The job was cancelled and wrote nothing.
    Cancelled,
    /// The job's process was killed from outside, and the job wrote nothing
    /// ([`killed_fails`](crate::RunOptions::killed_fails)).
    Killed,
}

impl JobEnd {
    /// Why the job failed. `None` if it did not fail.
    pub fn failure(&self) -> Option<&str> {
        match self {
            JobEnd::Failed(error) => Some(error),
            JobEnd::Done | JobEnd::Cancelled | JobEnd::Killed => None,
        }
    }
}

/// An observer of a run. Several threads call its functions.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use fivefold_experiment::{Job, JobEnd, Observer, RunOptions, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// #[derive(Default)]
/// struct Ended(AtomicUsize);
///
/// impl Observer for Ended {
///     fn finished(&self, _job: &Job, end: &JobEnd) {
///         self.0.fetch_add(usize::from(*end == JobEnd::Done), Ordering::Relaxed);
///     }
/// }
///
/// // `small` gives an experiment of one ranker on five folds.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let ended = Ended::default();
/// run(&experiment, &registry, &RunOptions { observer: &ended, ..RunOptions::new(folder.path().join("results")) })?;
/// assert_eq!(ended.0.into_inner(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Sync {
    /// The jobs are known, and for each job whether its result can be reused. All other jobs will
    /// be done.
    fn planned(&self, plan: &Plan<'_>, reuse: &[Reuse]) {
        let _ = (plan, reuse);
    }
    /// A job begins that takes more memory than the budget. With the data the job needs `needed`
    /// bytes, because jobs to come still use normalised copies. The job runs alone.
    fn beyond_memory(&self, job: &Job, needed: u64, budget: u64) {
        let _ = (job, needed, budget);
    }
    /// A job begins.
    fn started(&self, job: &Job) {
        let _ = job;
    }
    /// `done` of `total` steps of a job's fit are done.
    fn step(&self, job: &Job, done: u64, total: u64) {
        let _ = (job, done, total);
    }
    /// A job ended.
    fn finished(&self, job: &Job, end: &JobEnd) {
        let _ = (job, end);
    }
    /// All jobs have ended, and the evaluation begins.
    fn evaluating(&self) {}
    /// A warning that the user should see at once. The run goes on.
    fn warning(&self, text: &str) {
        let _ = text;
    }
}

/// An observer that does nothing.
pub(crate) struct Silent;

impl Observer for Silent {}

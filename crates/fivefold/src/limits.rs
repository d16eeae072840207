//! `--job-time-limit`, `--job-memory-limit` and `--isolate`: limits on the time and memory of each
//! job.

use std::time::Duration;

use fivefold_experiment::worker::Worker;
use fivefold_results::Experiment;
use fivefold_results::config::{Bytes, JobLimits, TimeLimit};

use crate::problem::Problem;

/// What each job may take.
#[derive(clap::Args)]
pub(crate) struct LimitArgs {
    /// Stop a job that runs longer than this time, such as 90s, 10m or 2h. The job counts as
    /// FAILED; other jobs go on. Overrides `time_limit` of the experiment
    #[arg(long, value_name = "TIME")]
    job_time_limit: Option<TimeLimit>,
    /// Stop a job that uses more memory than this size, such as 4GiB, data included. Overrides
    /// `memory_limit` of the experiment
    #[arg(long, value_name = "SIZE")]
    job_memory_limit: Option<Bytes>,
    /// Do each fit in a process of its own, so that a crash is a FAILED job; a limit implies
    /// --isolate
    #[arg(long)]
    isolate: bool,
    /// Keep a checkpoint of a fit every so often, such as 30s or 10m. A fit that is stopped keeps one,
    /// too, and the next run goes on from there. Rankers without rounds keep none
    #[arg(long, value_name = "TIME", default_value = "3m")]
    checkpoint_every: TimeLimit,
    /// Do as on a system that cannot confine a `command`: for tests
    #[arg(long, hide = true)]
    unconfined: bool,
}

impl LimitArgs {
    /// The time between two checkpoints of a fit.
    pub(crate) fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every.duration()
    }

    /// Returns the experiment with these limits, and the worker program that enforces the limits.
    pub(crate) fn apply(&self, experiment: Experiment) -> miette::Result<(Experiment, Worker)> {
        let limits = JobLimits {
            time: self.job_time_limit,
            memory: self.job_memory_limit,
            isolate: self.isolate.then_some(true),
        };
        let worker = Worker::this_program()
            .map_err(|error| Problem::new(format!("cannot tell where this program is: {error}")))?;
        let worker = if self.unconfined { worker.unconfining() } else { worker };
        Ok((experiment.with_limits(limits), worker))
    }
}

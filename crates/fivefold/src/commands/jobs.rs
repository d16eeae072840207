//! `fivefold jobs`: the jobs of an experiment, and the state of their results.

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_experiment::job::bytes_alone;
use fivefold_experiment::{Job, JobFilter, JobState, Plan, job_states};
use fivefold_results::log::RunLog;
use fivefold_results::store::Store;
use serde::Serialize;

use crate::cluster::costs::{Sized, estimate};
use crate::exit::Exit;
use crate::experiment::ExperimentArgs;
use crate::format::JsonArgs;
use crate::screen::{Screen, tell};

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold jobs quickstart
  fivefold jobs mq2008.toml --only Ridge
  fivefold jobs mq2008.toml --json | jq -r '.[] | select(.state != \"done\") | .id'

Stages: a job of stage 1 (a fusion, a tuned ranker) needs the results of jobs of stage 0, and comes after them.
Candidates of a search are DATASET/foldK/RANKER/SETTING, where SETTING is a part of a hash.
States: done, failed (will be tried again), open (not done yet, or done with other inputs).")]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Only these jobs: DATASET/foldK/RANKER with `*`, or the name of a data set, fold or ranker
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    only: Vec<String>,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Serialize)]
struct JobLine<'a> {
    id: &'a str,
    stage: usize,
    state: JobState,
    key: &'a str,
    /// Estimated seconds of CPU time. `None` if no job of the ranker was ever measured here.
    seconds: Option<f64>,
    /// Estimated bytes of a process that does this job alone, data included.
    bytes: u64,
}

impl<'a> JobLine<'a> {
    fn new(plan: &Plan<'_>, job: &'a Job, state: JobState, seconds: Option<f64>, registry: &Registry) -> Self {
        let bytes = bytes_alone(plan, job, registry);
        JobLine { id: &job.id, stage: job.stage, state, key: &job.key, seconds, bytes }
    }
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let experiment = self.experiment.load(registry)?;
        let plan = Plan::new(&experiment, &JobFilter::patterns(self.only.iter().map(String::as_str)))?;
        for remark in plan.remarks() {
            tell(format_args!("note: {remark}"));
        }
        for note in plan.cache_notes() {
            tell(format_args!("note: {note}"));
        }
        let states = job_states(&plan, self.experiment.out(&experiment.name))?;
        let jobs = plan.jobs.iter().zip(states);
        if self.json.asked() {
            let seconds = seconds(&plan, self.experiment.out(&experiment.name));
            let lines: Vec<JobLine<'_>> = jobs
                .zip(seconds)
                .map(|((job, state), seconds)| JobLine::new(&plan, job, state, seconds, registry))
                .collect();
            screen.json(&lines)?;
        } else {
            // Most experiments have one stage, which goes without saying.
            let staged = plan.jobs.iter().any(|job| job.stage > 0);
            let stage = |job: &Job| staged.then(|| format!("stage {}", job.stage));
            let row = |(job, state): (&Job, JobState)| {
                [Some(word(state).to_owned()), stage(job), Some(job.id.clone())].into_iter().flatten().collect()
            };
            screen.columns(&[], jobs.map(row));
        }
        Ok(Exit::Done)
    }
}

/// The estimated seconds of each job, from times of the results folder.
fn seconds(plan: &Plan<'_>, folder: PathBuf) -> Vec<Option<f64>> {
    let sized: Vec<Sized> = plan.jobs.iter().map(|job| Sized::of(plan, job)).collect();
    estimate(&sized, &RunLog::so_far(&Store::new(folder)).jobs)
}

fn word(state: JobState) -> &'static str {
    match state {
        JobState::Done => "done",
        JobState::Failed => "failed",
        JobState::Open => "open",
    }
}

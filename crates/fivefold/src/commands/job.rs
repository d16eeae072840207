//! `fivefold job`: runs some jobs of an experiment. So several processes or machines can share a
//! results folder.

use std::sync::Arc;

use fivefold_core::Registry;
use fivefold_experiment::{self as experiment, JobFilter, RunOptions};
use fivefold_results::lock::LockMode;
use fivefold_results::manifest::FORMAT;

use crate::cluster::in_allocation;
use crate::commands::task::wait_for;
use crate::exit::Exit;
use crate::experiment::ExperimentArgs;
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::outputs::ReplaceArgs;
use crate::problem;
use crate::run_bars::RunBars;
use crate::screen::Screen;
use crate::threads::ThreadArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold job mq2008.toml mq2008/fold1/Ridge
  fivefold jobs mq2008.toml --json | jq -r '.[].id' | xargs -n1 -P4 fivefold job mq2008.toml
  fivefold job mq2008.toml mq2008/fold1/Ridge mq2008/fold2/Ridge     read the data once for both
  fivefold run mq2008.toml                  evaluate afterwards, when all jobs are done")]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// The ids of jobs, as `fivefold jobs` prints them. Jobs of a later stage come after the jobs that
    /// they need
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    replace: ReplaceArgs,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let text = self.experiment.text()?;
        let claim = text.claim(self.replace);
        let (experiment, worker) = self.limits.apply(text.experiment(registry)?)?;
        let folder = self.experiment.out(&experiment.name);
        claim.judge(&folder, FORMAT, &experiment.name).map_err(problem::report)?;
        let bars = Arc::new(RunBars::new(&folder.display().to_string()));
        interrupt::stops(bars.clone());
        let Some(lock) = wait_for(&folder, LockMode::Shared)? else { return Ok(Exit::TryAgain) };
        let options = RunOptions {
            threads: self.threads.threads,
            only: JobFilter::jobs(self.ids.iter().map(String::as_str)),
            observer: &*bars,
            cancel: Some(interrupt::watch()),
            checkpoint_every: self.limits.checkpoint_every(),
            lock: Some(&lock),
            claim: Some(&claim),
            worker: Some(&worker),
            killed_fails: !in_allocation(),
            ..RunOptions::new(folder)
        };
        let outcome = experiment::run(&experiment, registry, &options);
        bars.finish();
        let outcome = outcome?;
        let (word, end) = match &outcome {
            experiment::RunOutcome { killed, .. } if !killed.is_empty() => ("killed", Exit::Killed),
            experiment::RunOutcome { cancelled: true, .. } => ("cancelled", Exit::Interrupted),
            experiment::RunOutcome { failed, .. } if !failed.is_empty() => ("failed", Exit::Failed),
            experiment::RunOutcome { done: 0, .. } => ("reused", Exit::Done),
            _ => ("done", Exit::Done),
        };
        screen.line(format_args!("{word} {}", self.ids.join(" ")));
        Ok(end)
    }
}

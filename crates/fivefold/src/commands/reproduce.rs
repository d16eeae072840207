//! `fivefold reproduce`: compares a run with a paper's printed tables, and tests the paper's
//! conclusions on the run.

use std::sync::Arc;

use fivefold_core::Registry;
use fivefold_experiment::RunOptions;
use fivefold_report::{Templates, write_report};
use fivefold_results::Results;
use fivefold_results::lock::{FolderLock, LockMode};
use fivefold_results::manifest::FORMAT;
use fivefold_studies::replay::reproduce;

use crate::exit::Exit;
use crate::experiment::ExperimentArgs;
use crate::format::FormatArgs;
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::outputs::ReplaceArgs;
use crate::problem;
use crate::published::{Published, SHIPPED};
use crate::run_bars::RunBars;
use crate::screen::Screen;
use crate::threads::ThreadArgs;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold reproduce paper                                   run the experiment (or what is left of it), then compare
  fivefold reproduce runs/mq2008 --map MQ2008=mq2007         a results folder; another collection stands for the paper's
  fivefold reproduce runs/mine --against published.toml --cells --format csv > cells.csv

Data sets are matched by label, methods by label or kind. --map OURS=THEIRS matches a data set or method that has \
another name in the paper. A conclusion that does not hold \
is a result, not a failure: the exit code stays 0. `fivefold book published-tables` says how each verdict is reached.")]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    /// Printed scores and derived tables: a TOML file that has scores and tables, or a folder with
    /// scores.toml and derived.toml
    #[arg(long, value_name = "PUBLISHED", default_value = SHIPPED)]
    against: String,
    /// Our name of a data set or method, and the paper's
    #[arg(long, value_name = "OURS=THEIRS", num_args = 1.., value_parser = mapping)]
    map: Vec<(String, String)>,
    /// Print every cell, too
    #[arg(long)]
    cells: bool,
    #[command(flatten)]
    format: FormatArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    replace: ReplaceArgs,
}

fn mapping(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((ours, theirs)) if !ours.is_empty() && !theirs.is_empty() => Ok((ours.to_owned(), theirs.to_owned())),
        _ => Err("write OURS=THEIRS".to_owned()),
    }
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        // The printed tables are read first, so that a mistake in the tables is found before hours
        // of training.
        let published = Published::read(&self.against)?;
        let results = match self.experiment.results_folder() {
            Some(folder) => Results::load(&folder).map_err(problem::report)?,
            None => match self.run_experiment(registry)? {
                Ok(results) => results,
                Err(outcome) => return Ok(outcome),
            },
        };
        let found = reproduce(&results, published.scores(), published.derived(), &self.map)
            .map_err(|error| published.reproduce_problem(error))?;
        self.format.form().print(&found.tables(self.cells), screen)?;
        Ok(Exit::Done)
    }

    /// Runs the remaining jobs of the experiment. The inner error is the exit of a run that was
    /// stopped before it had results.
    fn run_experiment(&self, registry: &Registry) -> miette::Result<Result<Results, Exit>> {
        let text = self.experiment.text()?;
        let claim = text.claim(self.replace);
        let (experiment, worker) = self.limits.apply(text.experiment(registry)?)?;
        let folder = self.experiment.out(&experiment.name);
        claim.judge(&folder, FORMAT, &experiment.name).map_err(problem::report)?;
        let cancel = interrupt::watch();
        let lock = FolderLock::take(&folder, LockMode::Alone).map_err(problem::report)?;
        let memory = fivefold_data::memory::memory_budget();
        let bars = Arc::new(RunBars::new(&folder.display().to_string()).within(memory));
        interrupt::stops(bars.clone());
        let options = RunOptions {
            threads: self.threads.threads,
            memory,
            observer: &*bars,
            cancel: Some(cancel),
            checkpoint_every: self.limits.checkpoint_every(),
            lock: Some(&lock),
            claim: Some(&claim),
            worker: Some(&worker),
            ..RunOptions::new(folder.clone())
        };
        let outcome = fivefold_experiment::run(&experiment, registry, &options);
        bars.finish();
        let Some(results) = outcome?.results else { return Ok(Err(Exit::Interrupted)) };
        write_report(&results, &folder, &Templates::default()).map_err(problem::report)?;
        Ok(Ok(results))
    }
}

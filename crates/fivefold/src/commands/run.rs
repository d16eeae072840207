//! `fivefold run`: an experiment from its file to its tables.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fivefold_analysis::Table;
use fivefold_analysis::tables::QuerySetFact;
use fivefold_base::words::{counted, which};
use fivefold_core::Registry;
use fivefold_experiment::reuse::{CacheReport, EvaluationState, Reuse, explain_cache};
use fivefold_experiment::run::check_plan;
use fivefold_experiment::{self as experiment, JobFilter, Plan, RunError, RunOptions};
use fivefold_report::Templates;
use fivefold_report::folder::{Written, check_index, write_report_unless};
use fivefold_results::Results;
use fivefold_results::lock::LockMode;
use fivefold_results::manifest::FORMAT;
use serde::Serialize;

use crate::commands::task::wait_for;
use crate::exit::Exit;
use crate::experiment::ExperimentArgs;
use crate::format::{JsonArgs, VALUES_IN_FOLDER};
use crate::interrupt;
use crate::limits::LimitArgs;
use crate::outputs::ReplaceArgs;
use crate::problem::{self, Problem};
use crate::reasons::{evaluation_text, jobs_text};
use crate::run_bars::{RunBars, stopped};
use crate::screen::{Screen, tell};
use crate::study;
use crate::table_choice::TableArgs;
use crate::threads::ThreadArgs;

#[derive(clap::Args)]
#[group(id = VALUES_IN_FOLDER)]
#[command(after_help = "Examples:
  fivefold run quickstart                        synthetic data, every table, about a minute
  fivefold run my.toml --out runs/my --threads 4
  fivefold run paper --memory 6GiB --cache /scratch/letor
  fivefold run my.toml --only Ridge 'mq2008/fold1/*'
  fivefold run my.toml --only-evaluate           trains nothing; evaluates the jobs that are done
  fivefold run my.toml --explain-cache           what would be done again, and why; does nothing
  FIVEFOLD_DATA=~/letor fivefold run mq2008      a real collection; see `fivefold datasets`

A job (data set x fold x ranker) whose result is in the folder is not done again, unless an input of the job changed. \
After Ctrl-C or a crash, the next `run` goes on from the finished jobs. A failed job stands as FAILED in the tables \
and makes the exit code 1 (a failed candidate of a search does not: the search goes on); the next `run` tries it again. The result hash covers every value of every query; `fivefold \
verify` derives it again.")]
pub(crate) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    replace: ReplaceArgs,
    /// Do only these jobs, and no tables: DATASET/foldK/RANKER with `*`, or the name of a data set,
    /// fold or ranker
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    only: Vec<String>,
    /// Do no job, but evaluate what is there: a method with a missing job stands as FAILED. Missing
    /// jobs are listed, and make the exit code 1
    #[arg(long, conflicts_with_all = ["only", "explain_cache"])]
    only_evaluate: bool,
    /// Do nothing, but print for each job whether its result is reused or why the job would be done
    /// again. Also print the changes of the evaluation, and the reasons that would stop the run at
    /// once
    #[arg(long)]
    explain_cache: bool,
    /// If standard error is not a terminal, print the progress and the estimated remaining time
    /// every so many seconds; 0: never
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    progress: u64,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    json: JsonArgs,
    /// Begin the jobs in an order drawn from this seed: for tests of determinism
    #[arg(long, value_name = "SEED", hide = true)]
    shuffle_jobs: Option<u64>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    experiment: &'a str,
    folder: String,
    jobs: usize,
    reused: usize,
    done: usize,
    failed: Vec<FailedJob<'a>>,
    /// Jobs that are candidates of a search for parameters, and how many of them failed.
    candidates: usize,
    failed_candidates: usize,
    cancelled: bool,
    /// Hash over every value of every query; none where the run was partial.
    result: Option<&'a str>,
    /// Leak guards that were overridden, as every table says.
    stamps: Vec<String>,
    /// What the letters and words of the page rest on.
    significance: Significance<'a>,
    /// Ids of the tables in the folder; empty where the run was partial.
    tables: Vec<String>,
    /// The query sets of the tables, and those that were left out; empty where the run was partial.
    query_sets: &'a [QuerySetFact],
}

/// The test of the page, which the paper's tables do not use.
#[derive(Serialize)]
struct Significance<'a> {
    test: &'a str,
    correction: &'a str,
    alpha: f64,
}

/// What `--explain-cache --json` prints.
#[derive(Serialize)]
struct Explained<'a> {
    experiment: &'a str,
    folder: String,
    /// What would stop the run before its first job.
    stopped: Option<String>,
    jobs: Vec<ExplainedJob<'a>>,
    evaluation: &'a EvaluationState,
}

#[derive(Serialize)]
struct ExplainedJob<'a> {
    id: &'a str,
    #[serde(flatten)]
    reuse: &'a Reuse,
}

#[derive(Serialize)]
struct FailedJob<'a> {
    id: &'a str,
    error: &'a str,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let text = self.experiment.text()?;
        let claim = text.claim(self.replace);
        if let Some((file, folders)) = text.study()? {
            if !self.only.is_empty() {
                return Err(Problem::new("a study has no jobs, so that --only means nothing").into());
            }
            if self.only_evaluate {
                return Err(Problem::new("a study has no jobs, so that --only-evaluate means nothing").into());
            }
            let out = self.experiment.out(&file.name);
            let run = study::StudyRun {
                folders,
                out: Some(out),
                threads: self.threads.threads,
                json: self.json.asked(),
                tables: self.tables,
                claim,
            };
            return if self.explain_cache { run.explain_cache(&file, screen) } else { run.run(&file, screen) };
        }
        let (experiment, worker) = self.limits.apply(text.experiment(registry)?)?;
        let folder = self.experiment.out(&experiment.name);
        let only = JobFilter::patterns(self.only.iter().map(String::as_str));
        if self.explain_cache {
            let plan = Plan::new(&experiment, &only)?;
            let report = explain_cache(&plan, &folder)?;
            let checked = check_plan(&plan);
            self.explain(&plan, &report, &checked, &folder.display().to_string(), screen)?;
            screen.flush();
            for warning in checked? {
                tell(format_args!("warning: {warning}"));
            }
            return Ok(Exit::Done);
        }
        // Before anything is made that a signal might leave behind.
        let cancel = interrupt::watch();
        // What is in a folder that a run has made is not somebody else's.
        claim.judge(&folder, FORMAT, &experiment.name).map_err(problem::report)?;
        let ours = ["manifest.json", "jobs"].iter().all(|name| folder.join(name).exists()) || self.replace.replace;
        if !ours {
            check_index(&folder).map_err(problem::report)?;
        }
        let Some(lock) = wait_for(&folder, LockMode::Alone)? else { return Ok(Exit::TryAgain) };
        let memory = fivefold_data::memory::memory_budget();
        let shown = folder.display().to_string();
        let bars = Arc::new(RunBars::new(&shown).within(memory).every(Duration::from_secs(self.progress)));
        interrupt::stops(bars.clone());
        let options = RunOptions {
            threads: self.threads.threads,
            memory,
            only,
            only_evaluate: self.only_evaluate,
            order_seed: self.shuffle_jobs,
            observer: &*bars,
            cancel: Some(cancel),
            checkpoint_every: self.limits.checkpoint_every(),
            lock: Some(&lock),
            claim: Some(&claim),
            worker: Some(&worker),
            ..RunOptions::new(folder.clone())
        };
        let outcome = experiment::run(&experiment, registry, &options);
        bars.finish();
        let mut outcome = outcome?;
        interrupt::ends_by_itself();

        let stopped = || cancel.load(Ordering::Relaxed);
        let mut report = Written::default();
        if let Some(results) = &outcome.results {
            if ours {
                study::report_damage(&folder)?;
            }
            match write_report_unless(results, &folder, &Templates::default(), stopped).map_err(problem::report)? {
                Some(written) => {
                    report = written;
                    if stopped() {
                        tell("too late to stop: all work is done");
                    }
                }
                None => {
                    outcome.cancelled = true;
                    outcome.results = None;
                }
            }
        }
        if self.json.asked() {
            screen.json(&Summary {
                experiment: &experiment.name,
                folder: folder.display().to_string(),
                jobs: outcome.jobs,
                reused: outcome.reused,
                done: outcome.done,
                failed: outcome.failed.iter().map(|(id, error)| FailedJob { id, error }).collect(),
                candidates: outcome.candidates,
                failed_candidates: outcome.failed_candidates,
                cancelled: outcome.cancelled,
                result: outcome.results.as_ref().map(|results| results.manifest.result.as_str()),
                stamps: outcome.results.as_ref().map(Results::stamps).unwrap_or_default(),
                significance: Significance {
                    test: &experiment.tables.test,
                    correction: &experiment.tables.correction,
                    alpha: experiment.tables.alpha,
                },
                tables: report.tables.iter().map(|table| table.id.clone()).collect(),
                query_sets: &report.query_sets,
            })?;
        } else {
            self.show(&experiment.name, &outcome, &report, screen)?;
        }
        screen.flush();
        tell(ending(&outcome, &report.tables, &folder.display().to_string(), self.only_evaluate));
        Ok(match &outcome {
            experiment::RunOutcome { cancelled: true, .. } => Exit::Interrupted,
            experiment::RunOutcome { failed, .. } if !failed.is_empty() => Exit::Failed,
            _ => Exit::Done,
        })
    }

    /// Shows the overview, and the tables that were asked for.
    fn show(
        &self,
        name: &str,
        outcome: &experiment::RunOutcome,
        report: &Written,
        screen: &mut Screen,
    ) -> miette::Result<()> {
        let chosen = self.tables.choose(&report.tables)?;
        if let Some(overview) = &report.overview {
            let failed = outcome.failed.len();
            let candidates = match outcome.candidates {
                0 => String::new(),
                count => format!("; {} of searches, {} failed", counted(count, "candidate"), outcome.failed_candidates),
            };
            screen.line(format_args!(
                "{name}: {}; {}, {failed} failed{candidates}",
                overview.facts(),
                counted(outcome.jobs - outcome.candidates, "job")
            ));
            screen.overview(overview);
        }
        let shown = if chosen.is_empty() { of_design(&report.tables) } else { chosen };
        if !shown.is_empty() {
            screen.line("");
            screen.tables(&shown);
        }
        Ok(())
    }

    /// Says what a run would do.
    fn explain(
        &self,
        plan: &Plan<'_>,
        report: &CacheReport,
        checked: &Result<Vec<String>, RunError>,
        folder: &str,
        screen: &mut Screen,
    ) -> miette::Result<()> {
        let name = &plan.experiment.name;
        if self.json.asked() {
            let jobs = plan.jobs.iter().zip(&report.jobs).map(|(job, reuse)| ExplainedJob { id: &job.id, reuse });
            screen.json(&Explained {
                experiment: name,
                folder: folder.to_owned(),
                stopped: checked.as_ref().err().map(ToString::to_string),
                jobs: jobs.collect(),
                evaluation: &report.evaluation,
            })?;
            return Ok(());
        }
        let to_do = report.jobs.iter().filter(|reuse| **reuse != Reuse::Reused).count();
        let jobs = counted(report.jobs.len(), "job");
        screen.line(format_args!("{name}: {jobs}, {} reused, {to_do} to do, in {folder}", report.jobs.len() - to_do));
        screen.text(jobs_text(plan, &report.jobs));
        if self.only.is_empty() {
            screen.line(evaluation_text(&report.evaluation, to_do));
        }
        if checked.is_err() {
            screen.line("the run would do nothing of this plan: the run would stop before its first job");
        }
        Ok(())
    }
}

/// The tables for which a designed experiment is made, as they are shown without `--tables`: those that
/// have rows. An ablation is shown under its first measure.
fn of_design(tables: &[Table]) -> Vec<Table> {
    const ABLATION: &str = "table-ablation-";
    const SHOWN: [&str; 3] = ["table-crossings-", ABLATION, "selection-gain"];
    let is_shown = |table: &&Table| SHOWN.iter().any(|beginning| table.id.starts_with(beginning));
    let of_first_measure = |table: &Table| {
        let mut table = table.clone();
        let first = table.rows.first().map(|row| row[0].clone());
        let all = table.rows.len();
        if table.id.starts_with(ABLATION) {
            table.rows.retain(|row| row.first() == first.as_ref());
        }
        // The overview has the conventions already.
        table.notes.truncate(1);
        if table.rows.len() < all {
            table.notes.push(format!("other measures: --tables {}", table.id));
        }
        table
    };
    tables.iter().filter(is_shown).filter(|table| !table.rows.is_empty()).map(of_first_measure).collect()
}

/// The last line.
fn ending(outcome: &experiment::RunOutcome, tables: &[Table], folder: &str, only_evaluate: bool) -> String {
    let failed = match outcome.failed.len() {
        0 => String::new(),
        count => format!(
            " {count} of {} {}: {} cells say FAILED.",
            counted(outcome.jobs - outcome.candidates, "job"),
            if only_evaluate { which(count, "has no result", "have no result") } else { "failed" },
            which(count, "its", "their")
        ),
    };
    match &outcome.results {
        Some(results) => {
            let result = &results.manifest.result;
            format!(
                "{failed} {folder}/report.html has figures and all values; all {}: fivefold report {folder}\nresult hash: {result}",
                counted(tables.len(), "table")
            )
            .trim_start()
            .to_owned()
        }
        None if outcome.cancelled => {
            let kept = outcome.reused + outcome.done;
            stopped(kept, Some(outcome.jobs), folder)
        }
        None => format!("{failed} Scores are in {folder}; a run without --only evaluates the scores.")
            .trim_start()
            .to_owned(),
    }
}

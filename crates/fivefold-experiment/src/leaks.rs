//! Leak guards of an experiment: what would let a ranker or a measure see what is tested stops the run, unless it is allowed.
//!
//! The guards on collections are [`fivefold_data::leaks`]; two more need the experiment: files that a `command` is given, and equal
//! scores where rows are sorted by grade. Nothing of this alters a job, so none is in its key; it is in the manifest, and a guard
//! that was overridden is stamped on every table.

use std::fs;
use std::path::{Path, PathBuf};

use fivefold_data::leaks::{Finding, Guard, SortedRows};
use fivefold_data::{Collection, read_scores};
use fivefold_metrics::{Scores, Ties};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::config::{CommandLine, Experiment, Method};
use crate::plan::Plan;
use crate::run::RunError;
use crate::store::Store;

/// What every stamp begins with.
pub const STAMP: &str = "GUARD OVERRIDDEN";

/// What a guard found about a data set of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardFact {
    /// Label of the data set.
    pub dataset: String,
    /// What was found. If it stops a run, this one overrode the guard.
    #[serde(flatten)]
    pub finding: Finding,
}

impl GuardFact {
    /// The line that stands under every table; `None` for a warning.
    pub fn stamp(&self) -> Option<String> {
        let Finding { guard, what, stops } = &self.finding;
        stops.then(|| format!("{STAMP}: {guard} on {}: {what}", self.dataset))
    }
}

/// The stamps of a run.
pub fn stamps(facts: &[GuardFact]) -> Vec<String> {
    facts.iter().filter_map(GuardFact::stamp).collect()
}

/// The guards of one run.
pub(crate) struct Guards<'e> {
    experiment: &'e Experiment,
    /// What was found and does not stop the run.
    pub(crate) facts: Vec<GuardFact>,
    /// What the user should know before the jobs begin.
    pub(crate) warnings: Vec<String>,
}

impl<'e> Guards<'e> {
    /// Judges all that is known before the first job.
    ///
    /// # Errors
    /// Names everything on which a guard stops the run.
    pub(crate) fn check(plan: &Plan<'e>) -> Result<Self, RunError> {
        let mut guards = Guards { experiment: plan.experiment, facts: Vec::new(), warnings: Vec::new() };
        let mut stopped = Vec::new();
        for (index, collection) in plan.collections.iter().enumerate() {
            let Some(collection) = collection else { continue };
            let mut findings = collection.leaks();
            findings.extend(guards.test_files(plan, index, collection));
            guards.judge(index, findings, &mut stopped);
            guards.announce_ties(index, collection);
        }
        guards.refuse(stopped)?;
        let found = guards.facts.iter();
        let lines = found.map(|fact| fact.stamp().unwrap_or_else(|| format!("{}: {}", fact.dataset, fact.finding)));
        guards.warnings.splice(0..0, lines);
        Ok(guards)
    }

    /// Judges equal scores, once all jobs have ended; `failed[i]` says how job `i` did.
    ///
    /// # Errors
    /// As [`Guards::check`]; the scores stay where they are.
    pub(crate) fn check_scores(&mut self, plan: &Plan<'_>, store: &Store, failed: &[bool]) -> Result<(), RunError> {
        let mut stopped = Vec::new();
        for (index, collection) in plan.collections.iter().enumerate() {
            let Some(collection) = collection else { continue };
            let Some(sorted) = self.sorted_rows(collection) else { continue };
            let mut ties = Vec::new();
            for (job, _) in plan.jobs.iter().zip(failed).filter(|(job, failed)| job.dataset == index && !**failed) {
                let test = &collection.folds[job.fold].test;
                let scores = read_scores(&store.path(&job.scores_file()), test.documents())?;
                let tied = self.tied(test, &scores);
                if let Some(first) = tied.first() {
                    ties.push((job.id.as_str(), tied.len(), test.query(*first).id().to_owned()));
                }
            }
            let Some((job, _, query)) = ties.first() else { continue };
            let what = format!(
                "{}, and scores of documents of different grades are equal, which `ties = \"input\"` ranks by row: {} queries of {} jobs, the \
                 first `{query}` of {job}",
                in_words(&sorted),
                ties.iter().map(|(_, queries, _)| queries).sum::<usize>(),
                ties.len(),
            );
            self.judge(index, vec![Finding::stop(Guard::LabelSortedTies, what)], &mut stopped);
        }
        self.refuse(stopped)
    }

    /// Overrides that overrode nothing, a line each, once all guards have been asked.
    pub(crate) fn needless(&self, plan: &Plan<'_>) -> Vec<String> {
        let used = |guard: Guard, label: Option<&str>| {
            let of_dataset = |fact: &&GuardFact| label.is_none_or(|label| fact.dataset == label);
            self.facts.iter().filter(of_dataset).any(|fact| fact.finding.stops && fact.finding.guard == guard)
        };
        let everywhere = self.experiment.guards.allow.iter().filter(|guard| !used(**guard, None));
        let everywhere = everywhere.map(|guard| format!("`{guard}` of `[guards]` overrides nothing; take it out"));
        // Of a collection that was not opened nothing is known.
        let opened = self.experiment.datasets.iter().zip(&plan.collections).filter(|(_, opened)| opened.is_some());
        let own = opened.flat_map(|(dataset, _)| {
            let needless = dataset.allow.iter().filter(|guard| !used(**guard, Some(&dataset.label)));
            needless.map(|guard| format!("`{guard}` of data set {} overrides nothing; take it out", dataset.label))
        });
        everywhere.chain(own).collect()
    }

    /// Keeps what is a warning or allowed; the rest goes to `stopped`.
    fn judge(&mut self, index: usize, findings: Vec<Finding>, stopped: &mut Vec<(usize, Finding)>) {
        let dataset = &self.experiment.datasets[index];
        for finding in findings {
            let allowed =
                self.experiment.guards.allow.iter().chain(&dataset.allow).any(|&guard| guard == finding.guard);
            if finding.stops && !allowed {
                stopped.push((index, finding));
            } else {
                self.facts.push(GuardFact { dataset: dataset.label.clone(), finding });
            }
        }
    }

    fn refuse(&self, stopped: Vec<(usize, Finding)>) -> Result<(), RunError> {
        let Some((index, first)) = stopped.first() else { return Ok(()) };
        let lines = stopped.iter().map(|(index, finding)| {
            format!("  {} of data set {}: {}", finding.guard, self.experiment.datasets[*index].label, finding.what)
        });
        let message = format!("stopped by leak guards\n{}", lines.collect::<Vec<_>>().join("\n"));
        let help = format!(
            "mend the data or the settings; or write `allow = [\"{}\"]` in this [[dataset]] (or in [guards], for all data sets): every table \
             will say that the guard was overridden",
            first.guard
        );
        Err(self.experiment.dataset_error_with_help(*index, &message, &help).into())
    }

    /// Programs that are given files of the test part, with the grades in them.
    fn test_files(&self, plan: &Plan<'_>, index: usize, collection: &Collection) -> Vec<Finding> {
        let test_files: Vec<PathBuf> = collection.test_files().filter_map(|file| fs::canonicalize(file).ok()).collect();
        let of_ranker = |ranker: usize| {
            let config = &self.experiment.rankers[ranker];
            let Method::Command(command) = &config.method else { return None };
            let (given, file) = given_file(command, plan, &test_files)?;
            let what = format!("ranker {} is given `{given}`, which holds {}", config.label, file.display());
            Some(Finding::stop(Guard::TestFile, what))
        };
        let mut rankers: Vec<usize> =
            plan.jobs.iter().filter(|job| job.dataset == index).map(|job| job.ranker).collect();
        rankers.sort_unstable();
        rankers.dedup();
        rankers.into_iter().filter_map(of_ranker).collect()
    }

    /// The sorted rows of a collection, if equal scores would be ranked by them.
    fn sorted_rows(&self, collection: &Collection) -> Option<SortedRows> {
        let by_row = self.experiment.evaluation.conventions.ties == Ties::Input;
        by_row.then(|| collection.sorted_rows()).filter(SortedRows::by_label)
    }

    /// Scores are not known yet, but that any equal ones will stop the evaluation is better said before hours of training.
    fn announce_ties(&mut self, index: usize, collection: &Collection) {
        let Some(sorted) = self.sorted_rows(collection) else { return };
        self.warnings.push(format!(
            "{}: {}; with `ties = \"input\"`, equal scores will stop the evaluation ({})",
            self.experiment.datasets[index].label,
            in_words(&sorted),
            Guard::LabelSortedTies
        ));
    }

    /// The queries in which documents of different grades have equal scores, as the evaluation compares them.
    fn tied(&self, test: &fivefold_core::Dataset, scores: &[f64]) -> Vec<usize> {
        let bounds = test.bounds();
        let compared = |score: f64| match self.experiment.evaluation.conventions.scores {
            Scores::F64 => score,
            Scores::F32 => f64::from(score as f32),
        };
        let tied = |&query: &usize| {
            let of_query = &scores[bounds[query]..bounds[query + 1]];
            let mut ranked: Vec<(f64, u8)> =
                of_query.iter().map(|&score| compared(score)).zip(test.query(query).grades().iter().copied()).collect();
            ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
            ranked.chunk_by(|(a, _), (b, _)| a == b).any(|tie| tie.iter().any(|(_, grade)| *grade != tie[0].1))
        };
        (0..test.len()).into_par_iter().filter(tied).collect()
    }
}

fn in_words(sorted: &SortedRows) -> String {
    let SortedRows { comparable, best_first, worst_first, .. } = *sorted;
    let (count, direction) = if best_first >= worst_first { (best_first, "highest") } else { (worst_first, "lowest") };
    format!("rows are sorted by grade, the {direction} first, in {count} of {comparable} queries with several grades")
}

/// What a command is given that is, holds or copies one of the files, and that file.
fn given_file<'f>(command: &CommandLine, plan: &Plan<'_>, files: &'f [PathBuf]) -> Option<(String, &'f PathBuf)> {
    let listed = command.files.iter().find_map(|given| {
        let path = plan.find(given);
        let found = holds(&path, files).or_else(|| files.iter().find(|file| same_content(&path, file)))?;
        Some((given.clone(), found))
    });
    // Relative paths lead to the program's own folder, where there is nothing but what is listed.
    listed.or_else(|| {
        command.argv.iter().find_map(|argument| {
            let path = Path::new(argument.rsplit_once('=').map_or(argument.as_str(), |(_, value)| value));
            Some((argument.clone(), path.is_absolute().then(|| holds(path, files)).flatten()?))
        })
    })
}

/// The file that is at or below the path.
fn holds<'f>(path: &Path, files: &'f [PathBuf]) -> Option<&'f PathBuf> {
    let path = fs::canonicalize(path).ok()?;
    files.iter().find(|file| file.starts_with(&path))
}

fn same_content(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).ok().map(|meta| meta.len());
    length(one).is_some() && length(one) == length(other) && fs::read(one).ok() == fs::read(other).ok()
}

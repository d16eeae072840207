//! Leak guards of an experiment. The run stops if a ranker or a measure could see the test queries,
//! unless the experiment overrides the guard.
//!
//! The guards on collections are in [`fivefold_data::leaks`]. Two more guards need the experiment:
//! files that a `command` is given, and equal scores if rows are sorted by grade. No guard alters a
//! job, so no key holds a guard. The findings are in the manifest, and an overridden guard is
//! stamped on every table.

mod test_files;

use fivefold_core::Dataset;
use fivefold_data::Collection;
use fivefold_data::leaks::{Finding, Guard, SortedRows};
use fivefold_data::scores::read_own_scores;
use fivefold_metrics::conventions::Scores;
use fivefold_metrics::{Conventions, Ties};
use fivefold_results::config::{Experiment, ScoreSource};
use fivefold_results::guard_facts::GuardFact;
use fivefold_results::store::Store;
use rayon::prelude::*;

use crate::error::RunError;
use crate::plan::{Job, Plan};
use test_files::TestFiles;

/// The guards of one run.
pub(crate) struct Guards<'e> {
    experiment: &'e Experiment,
    /// The findings that do not stop the run.
    pub(crate) facts: Vec<GuardFact>,
    /// The warnings before the jobs begin.
    pub(crate) warnings: Vec<String>,
}

impl<'e> Guards<'e> {
    /// Judges everything that is known before the first job.
    ///
    /// # Errors
    /// The error names every finding that stops the run.
    pub(crate) fn check(plan: &Plan<'e>) -> Result<Self, RunError> {
        let mut guards = Guards { experiment: plan.experiment, facts: Vec::new(), warnings: Vec::new() };
        let mut stopped = Vec::new();
        for (index, collection) in plan.collections.iter().enumerate() {
            let Some(collection) = collection else { continue };
            // The guards read all features.
            let checked = collection.check(&[&collection.all]);
            checked.map_err(|bad| plan.experiment.dataset_error(index, &bad.to_string()))?;
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

    /// Judges equal scores, after all jobs have ended. `failed[i]` says whether job `i` failed.
    ///
    /// # Errors
    /// As [`Guards::check`]. The scores stay in the folder.
    pub(crate) fn check_scores(&mut self, plan: &Plan<'_>, store: &Store, failed: &[bool]) -> Result<(), RunError> {
        let mut stopped = Vec::new();
        for (index, collection) in plan.collections.iter().enumerate() {
            let Some(collection) = collection else { continue };
            let is_own = |job: &Job| job.dataset == index && job.candidate.is_none();
            let done = plan.jobs.iter().zip(failed).filter(|(job, failed)| is_own(job) && !**failed);
            let scores = done.map(|(job, _)| -> Result<_, RunError> {
                let test = &collection.folds[job.fold].test;
                Ok((
                    job.id.clone(),
                    test.clone(),
                    read_own_scores(&store.own_path(&job.scores_file())?, test.documents())?,
                ))
            });
            let conventions = &self.experiment.evaluation.conventions;
            let finding = label_sorted_ties(conventions, &collection.sorted_rows(), scores)?;
            self.judge(index, finding.into_iter().collect(), &mut stopped);
        }
        self.refuse(stopped)
    }

    /// The overrides that had no effect, a line each. Call this function after all guards.
    pub(crate) fn needless(&self, plan: &Plan<'_>) -> Vec<String> {
        let used = |guard: Guard, label: Option<&str>| {
            let of_dataset = |fact: &&GuardFact| label.is_none_or(|label| fact.dataset == label);
            self.facts.iter().filter(of_dataset).any(|fact| fact.finding.stops && fact.finding.guard == guard)
        };
        let everywhere = self.experiment.guards.allow.iter().filter(|guard| !used(**guard, None));
        let everywhere =
            everywhere.map(|guard| format!("`{guard}` of `[guards]` overrides nothing: leave it out of `allow`"));
        // Collections that were not opened are left out, because nothing is known about their
        // content.
        let opened = self.experiment.datasets.iter().zip(&plan.collections).filter(|(_, opened)| opened.is_some());
        let own = opened.flat_map(|(dataset, _)| {
            let needless = dataset.allow.iter().filter(|guard| !used(**guard, Some(&dataset.label)));
            needless.map(|guard| {
                format!("`{guard}` of data set {} overrides nothing: leave it out of `allow`", dataset.label)
            })
        });
        everywhere.chain(own).collect()
    }

    /// Keeps the findings that are warnings or are overridden. All other findings go to `stopped`.
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

    /// The findings about programs that are given files of the test part, which hold the grades.
    fn test_files(&self, plan: &Plan<'_>, index: usize, collection: &Collection) -> Vec<Finding> {
        let test_files = TestFiles::of(collection);
        let of_ranker = |ranker: usize| {
            let config = &self.experiment.rankers[ranker];
            let ScoreSource::Command(command) = &config.source else { return None };
            if let Some((given, reason)) = test_files::unseen(command, plan) {
                let what = format!("ranker {} is given `{given}`, which may contain anything: {reason}", config.label);
                return Some(Finding::stop(Guard::TestFile, what));
            }
            let (given, file) = test_files.given_to(command, plan)?;
            let what = format!("ranker {} is given `{given}`, which holds {}", config.label, file.display());
            Some(Finding::stop(Guard::TestFile, what))
        };
        let mut rankers: Vec<usize> =
            plan.jobs.iter().filter(|job| job.dataset == index).map(|job| job.ranker).collect();
        rankers.sort_unstable();
        rankers.dedup();
        rankers.into_iter().filter_map(of_ranker).collect()
    }

    /// Warns before the training that equal scores would stop the evaluation. No scores are known
    /// yet.
    fn announce_ties(&mut self, index: usize, collection: &Collection) {
        if self.experiment.evaluation.conventions.ties != Ties::Input {
            return;
        }
        let sorted = collection.sorted_rows();
        if !sorted.by_label() {
            return;
        }
        self.warnings.push(format!(
            "{}: {sorted}; with `ties = \"input\"`, equal scores will stop the evaluation ({})",
            self.experiment.datasets[index].label,
            Guard::LabelSortedTies
        ));
    }
}

/// Judges equal scores if rows are sorted by grade. `scores` holds a name, a test part and its
/// scores for each list. `None` if ties are not ranked by row, if rows are not sorted, or if no
/// scores are equal.
///
/// # Errors
/// The errors in `scores`.
pub fn label_sorted_ties<E>(
    conventions: &Conventions,
    sorted: &SortedRows,
    scores: impl IntoIterator<Item = Result<(String, Dataset, Vec<f64>), E>>,
) -> Result<Option<Finding>, E> {
    if conventions.ties != Ties::Input || !sorted.by_label() {
        return Ok(None);
    }
    let (mut queries, mut of, mut first) = (0, 0, None);
    for scores in scores {
        let (name, test, scores) = scores?;
        let tied = tied_queries(&test, &scores, conventions.scores);
        let Some(&query) = tied.first() else { continue };
        queries += tied.len();
        of += 1;
        first.get_or_insert_with(|| format!("`{}` of {name}", test.query(query).id()));
    }
    Ok(first.map(|first| {
        let what = format!(
            "{sorted}, and documents of different grades have equal scores, which `ties = \"input\"` ranks by row: \
                {queries} queries in {of} lists of scores, the first {first}"
        );
        Finding::stop(Guard::LabelSortedTies, what)
    }))
}

/// The queries in which documents of different grades have equal scores. Scores are compared as in
/// the evaluation.
fn tied_queries(test: &Dataset, scores: &[f64], precision: Scores) -> Vec<usize> {
    let bounds = test.bounds();
    let compared = |score: f64| match precision {
        Scores::F64 => score,
        Scores::F32 => f64::from(score as f32),
    };
    let tied = |&query: &usize| {
        let of_query = scores[bounds[query]..bounds[query + 1]].iter().map(|&score| compared(score));
        let mut ranked: Vec<(f64, u8)> = of_query.zip(test.query(query).grades().iter().copied()).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranked.chunk_by(|(a, _), (b, _)| a == b).any(|tie| tie.iter().any(|(_, grade)| *grade != tie[0].1))
    };
    (0..test.len()).into_par_iter().filter(tied).collect()
}

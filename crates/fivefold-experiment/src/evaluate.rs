//! Turns scores into values: every measure of every ranker on every test query, over all documents
//! and over the halves.
//!
//! Scores are read from the results folder, whichever run wrote them. A query is judged once for
//! all rankers. The sample of queries and the halves of documents are drawn here, from the
//! experiment's seed, so no job depends on them. Queries are evaluated in parallel and put together
//! in order.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_analysis::design::SeedValues;
use fivefold_analysis::evaluation::{DatasetValues, Evaluation, QueryInfo};
use fivefold_core::{Dataset, JudgedQuery, Seed};
use fivefold_data::Collection;
use fivefold_metrics::{Evaluator, Judged, MeasureError, Scratch, StandardErrors, Ties};
use fivefold_results::config::{Experiment, RankerConfig};
use fivefold_results::store::Store;
use rayon::prelude::*;

use crate::error::RunError;
use crate::kept::Kept;
use crate::plan::{Job, Plan};

/// The values of a plan.
pub(crate) struct OfPlan {
    pub(crate) evaluation: Evaluation,
    /// The values of the single repeats, if rankers are repeated.
    pub(crate) seeds: Vec<SeedValues>,
    /// The standard errors of drawn values on each data set.
    pub(crate) errors: Vec<Vec<StandardErrors>>,
}

/// Evaluates a plan whose jobs have all ended. `failed[i]` says whether job `i` failed. Scores
/// count only if they have the hash that the run remembers in `kept`.
pub(crate) fn evaluate(
    plan: &Plan<'_>,
    store: &Store,
    kept: &Kept,
    failed: &[bool],
    cancel: Option<&AtomicBool>,
) -> Result<OfPlan, RunError> {
    let experiment = plan.experiment;
    let mut datasets = Vec::with_capacity(experiment.datasets.len());
    let (mut seeds, mut errors) = (Vec::new(), Vec::new());
    for (index, collection) in plan.collections.iter().enumerate() {
        let Some(collection) = collection else { continue };
        // Candidates of a search have no scores of the test part.
        let is_own = |job: &Job| job.dataset == index && job.candidate.is_none();
        let jobs = plan.jobs.iter().zip(failed).filter(|(job, _)| is_own(job));
        let mut failed = vec![false; experiment.rankers.len()];
        let mut scores = RepeatScores::new(experiment);
        for (job, job_failed) in jobs {
            failed[job.ranker] |= job_failed;
            if !job_failed {
                let documents = collection.folds[job.fold].test.documents();
                scores.add(job.ranker, job.repeat, kept.scores(store, job, documents)?);
            }
        }
        let found = evaluate_repeats(experiment, index, collection, &scores, &failed, cancel)?;
        datasets.push(found.values);
        seeds.extend(found.seeds);
        errors.push(found.errors);
    }
    let measures = experiment.evaluation.measures.clone();
    Ok(OfPlan { evaluation: Evaluation { measures, datasets }, seeds, errors })
}

/// The scores of a data set's rankers: `[repeat][ranker][fold]`.
pub(crate) struct RepeatScores(Vec<Vec<Vec<Vec<f64>>>>);

impl RepeatScores {
    pub(crate) fn new(experiment: &Experiment) -> Self {
        let repeats = (0..experiment.rankers.len()).map(|ranker| experiment.repeats_of(ranker)).max();
        RepeatScores(vec![vec![Vec::new(); experiment.rankers.len()]; repeats.unwrap_or(1)])
    }

    /// Adds the scores of a ranker on the next fold.
    pub(crate) fn add(&mut self, ranker: usize, repeat: usize, scores: Vec<f64>) {
        self.0[repeat][ranker].push(scores);
    }

    /// Whether a ranker has scores on `folds` folds, in each of its repeats.
    pub(crate) fn is_complete(&self, ranker: usize, repeats: usize, folds: usize) -> bool {
        self.0.iter().take(repeats).all(|scores| scores[ranker].len() == folds)
    }
}

/// The values of a data set.
pub(crate) struct OfDataset {
    pub(crate) values: DatasetValues,
    /// The values of the single repeats, if rankers are repeated.
    pub(crate) seeds: Option<SeedValues>,
    /// The standard errors of drawn values.
    pub(crate) errors: Vec<StandardErrors>,
}

/// Evaluates each repeat of a data set, and takes the mean of each value over the repeats. A ranker
/// with one repeat has its values in each repeat, and no mean is taken.
pub(crate) fn evaluate_repeats(
    experiment: &Experiment,
    index: usize,
    collection: &Collection,
    scores: &RepeatScores,
    failed: &[bool],
    cancel: Option<&AtomicBool>,
) -> Result<OfDataset, RunError> {
    let repeated: Vec<bool> = (0..failed.len()).map(|ranker| experiment.repeats_of(ranker) > 1).collect();
    let values =
        |scores: &[Vec<Vec<f64>>]| evaluate_dataset(experiment, index, collection, scores, failed.to_vec(), cancel);
    let (mut mean, mut errors) = values(&scores.0[0])?;
    if scores.0.len() == 1 {
        return Ok(OfDataset { values: mean, seeds: None, errors });
    }
    let mut of_seeds = SeedValues { repeated, values: vec![mean.all.clone()] };
    for later in &scores.0[1..] {
        // Scores of a ranker without repeats are those of the first repeat.
        let both = later.iter().zip(&scores.0[0]).enumerate();
        let scores: Vec<Vec<Vec<f64>>> = both
            .map(|(ranker, (own, first))| if of_seeds.repeated[ranker] { own.clone() } else { first.clone() })
            .collect();
        let (next, of_next) = values(&scores)?;
        errors = StandardErrors::highest(errors, of_next);
        let sums = [&mut mean.all, &mut mean.left, &mut mean.right].into_iter();
        for (sum, next) in sums.zip([&next.all, &next.left, &next.right]) {
            add_repeated(sum, next, &of_seeds.repeated);
        }
        of_seeds.values.push(next.all);
    }
    let repeats = of_seeds.values.len() as f64;
    for sum in [&mut mean.all, &mut mean.left, &mut mean.right] {
        each_repeated(sum, &of_seeds.repeated, |value, _| *value /= repeats);
    }
    Ok(OfDataset { values: mean, seeds: Some(of_seeds), errors })
}

/// Adds the values of repeated rankers.
fn add_repeated(sum: &mut [f64], next: &[f64], repeated: &[bool]) {
    each_repeated(sum, repeated, |value, place| *value += next[place]);
}

/// Changes the values of repeated rankers. The change gets the place of the value.
fn each_repeated(values: &mut [f64], repeated: &[bool], change: impl Fn(&mut f64, usize)) {
    let of_ranker = values.len() / repeated.len().max(1);
    for (place, value) in values.iter_mut().enumerate() {
        if repeated[place / of_ranker.max(1)] {
            change(value, place);
        }
    }
}

/// Evaluates a data set. `scores[ranker][fold]` holds the scores of a ranker that did not fail.
/// Also returns the standard errors of drawn values.
pub(crate) fn evaluate_dataset(
    experiment: &Experiment,
    index: usize,
    collection: &Collection,
    scores: &[Vec<Vec<f64>>],
    failed: Vec<bool>,
    cancel: Option<&AtomicBool>,
) -> Result<(DatasetValues, Vec<StandardErrors>), RunError> {
    let config = &experiment.datasets[index];
    let seed = experiment.root_seed().derive(&config.label);
    let place = |source| RunError::Measure { dataset: config.label.clone(), source };
    let evaluator = evaluator(experiment, index, collection)?;
    let queries = sample(collection, config.queries, seed.derive("sample"));
    let task = Task { evaluator: &evaluator, scores, failed: &failed, halves: experiment.query_sets.halves, seed };
    let evaluated: Vec<QueryValues> = queries
        .par_iter()
        .map_init(Scratch::default, |scratch, query| {
            if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(RunError::Cancelled);
            }
            task.evaluate(query, scratch).map_err(place)
        })
        .collect::<Result<_, RunError>>()?;
    let threshold = experiment.evaluation.conventions.threshold;
    let values = DatasetValues {
        name: config.label.clone(),
        rankers: experiment.rankers.iter().map(|ranker| ranker.label.clone()).collect(),
        queries: queries.iter().map(|query| query.info(threshold)).collect(),
        all: by_ranker(&evaluated, failed.len(), evaluator.names().len(), |values| &values.all),
        left: by_ranker(&evaluated, failed.len(), evaluator.names().len(), |values| &values.left),
        right: by_ranker(&evaluated, failed.len(), evaluator.names().len(), |values| &values.right),
        expected: evaluated.iter().flat_map(|values| values.expected.iter().copied()).collect(),
        failed,
    };
    Ok((values, evaluator.standard_errors()))
}

fn evaluator(experiment: &Experiment, index: usize, collection: &Collection) -> Result<Evaluator, RunError> {
    let evaluation = &experiment.evaluation;
    let label = &experiment.datasets[index].label;
    let seed = experiment.tie_seed(index);
    Evaluator::new(&evaluation.measures, &evaluation.conventions, collection.max_grade, seed)
        .map(Evaluator::with_expected)
        .map_err(|source| RunError::Measure { dataset: label.clone(), source })
}

/// Checks that every measure can be computed on the test queries. The check comes before the jobs,
/// which may take hours.
pub(crate) fn check_measures(plan: &Plan<'_>) -> Result<(), RunError> {
    for (index, collection) in plan.collections.iter().enumerate() {
        let Some(collection) = collection else { continue };
        evaluator(plan.experiment, index, collection)?;
        for measure in plan.experiment.rankers.iter().filter_map(RankerConfig::chosen_by) {
            let conventions = &plan.experiment.evaluation.conventions;
            let measure = std::slice::from_ref(measure);
            Evaluator::new(measure, conventions, collection.max_grade, plan.experiment.root_seed()).map_err(
                |source| RunError::Measure { dataset: plan.experiment.datasets[index].label.clone(), source },
            )?;
        }
        let ids = |test: &Dataset| test.queries().all(|q| (0..q.len()).all(|row| q.view().doc_id(row).is_some()));
        let by_id = plan.experiment.evaluation.conventions.ties == Ties::DocId;
        if by_id && !collection.folds.iter().all(|fold| ids(&fold.test)) {
            let message = "`ties = \"docid\"` needs document ids, but the documents of the collection have no ids; use `average` or `input`";
            return Err(plan.experiment.dataset_error(index, message).into());
        }
    }
    Ok(())
}

/// A test query and the place of its scores.
struct TestQuery<'a> {
    fold: usize,
    number: usize,
    judged: JudgedQuery<'a>,
    first: usize,
}

impl TestQuery<'_> {
    /// The query's scores, from the scores of a ranker on all folds.
    fn scores<'s>(&self, of_ranker: &'s [Vec<f64>]) -> &'s [f64] {
        &of_ranker[self.fold][self.first..self.first + self.judged.len()]
    }

    fn info(&self, threshold: u8) -> QueryInfo {
        let at_least = |grade: u8| self.judged.grades().iter().filter(|&&g| g >= grade).count();
        QueryInfo {
            fold: self.number,
            id: self.judged.id().to_owned(),
            documents: self.judged.len(),
            relevant: at_least(threshold),
            graded2: at_least(2),
        }
    }
}

/// The test queries of all folds, or a seeded sample of them, in order.
fn sample(collection: &Collection, count: Option<usize>, seed: Seed) -> Vec<TestQuery<'_>> {
    let mut queries = Vec::new();
    for (fold, part) in collection.folds.iter().enumerate() {
        let test: &Dataset = &part.test;
        let mut first = 0;
        for judged in test.queries() {
            queries.push(TestQuery { fold, number: part.number, judged, first });
            first += judged.len();
        }
    }
    match count {
        Some(count) if count < queries.len() => {
            let chosen = seed.rng().sample(queries.len(), count);
            let mut chosen = chosen.into_iter().peekable();
            let mut index = 0;
            queries.retain(|_| {
                let keep = chosen.next_if_eq(&index).is_some();
                index += 1;
                keep
            });
            queries
        }
        _ => queries,
    }
}

/// The values of a query: `[ranker * measures + measure]`, and E/U for each measure.
struct QueryValues {
    all: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    expected: Vec<f64>,
}

struct Task<'a> {
    evaluator: &'a Evaluator,
    scores: &'a [Vec<Vec<f64>>],
    failed: &'a [bool],
    halves: bool,
    seed: Seed,
}

impl Task<'_> {
    fn evaluate(&self, query: &TestQuery<'_>, scratch: &mut Scratch) -> Result<QueryValues, MeasureError> {
        let judged = query.judged;
        let judgement = self.evaluator.judge_query(&judged)?;
        let expected =
            (0..self.evaluator.names().len()).map(|column| self.evaluator.expected_share(&judgement, column)).collect();
        let all = self.values(&judgement, scratch, |ranker| query.scores(&self.scores[ranker]).into())?;
        let (left, right) = if self.halves {
            let (left, right) = halves(query.judged.len(), self.seed.derive("halves").derive(query.judged.id()));
            (self.half(query, &left, scratch)?, self.half(query, &right, scratch)?)
        } else {
            (Vec::new(), Vec::new())
        };
        Ok(QueryValues { all, left, right, expected })
    }

    /// The values of every ranker over the documents in `rows`.
    fn half(&self, query: &TestQuery<'_>, rows: &[usize], scratch: &mut Scratch) -> Result<Vec<f64>, MeasureError> {
        let judged = query.judged;
        if rows.is_empty() {
            return Ok(vec![f64::NAN; self.failed.len() * self.evaluator.names().len()]);
        }
        let judgement = self.evaluator.judge_documents(&judged, rows)?;
        let of_rows = |ranker: usize| {
            let all = query.scores(&self.scores[ranker]);
            rows.iter().map(|&row| all[row]).collect()
        };
        self.values(&judgement, scratch, of_rows)
    }

    /// The values of every ranker that did not fail. `scores` returns a ranker's scores of the
    /// judged documents.
    fn values<'s>(
        &self,
        judgement: &Judged,
        scratch: &mut Scratch,
        scores: impl Fn(usize) -> Cow<'s, [f64]>,
    ) -> Result<Vec<f64>, MeasureError> {
        let width = self.evaluator.names().len();
        let mut values = vec![f64::NAN; self.failed.len() * width];
        for (ranker, out) in values.chunks_exact_mut(width).enumerate().filter(|(ranker, _)| !self.failed[*ranker]) {
            self.evaluator.evaluate(judgement, &scores(ranker), scratch, out)?;
        }
        Ok(values)
    }
}

/// A seeded split of n documents: floor(n/2) documents go left, the others right. Both halves keep
/// the order of the file.
fn halves(documents: usize, seed: Seed) -> (Vec<usize>, Vec<usize>) {
    let left = seed.rng().sample(documents, documents / 2);
    let right = (0..documents).filter(|row| left.binary_search(row).is_err()).collect();
    (left, right)
}

/// Rearranges the arrays of queries into an array of the data set:
/// `[(ranker * queries + query) * measures + measure]`.
fn by_ranker<'v>(
    evaluated: &'v [QueryValues],
    rankers: usize,
    measures: usize,
    pick: impl Fn(&'v QueryValues) -> &'v Vec<f64>,
) -> Vec<f64> {
    if evaluated.iter().all(|values| pick(values).is_empty()) {
        return Vec::new();
    }
    let mut values = Vec::with_capacity(rankers * evaluated.len() * measures);
    for ranker in 0..rankers {
        for query in evaluated {
            values.extend_from_slice(&pick(query)[ranker * measures..(ranker + 1) * measures]);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_disjoint_complete_and_seeded() {
        for documents in 0..8 {
            let (left, right) = halves(documents, Seed::new(3));
            assert_eq!(left.len(), documents / 2);
            let mut both = [left, right].concat();
            both.sort_unstable();
            assert_eq!(both, (0..documents).collect::<Vec<_>>());
        }
        assert_eq!(halves(20, Seed::new(3)), halves(20, Seed::new(3)));
        assert_ne!(halves(20, Seed::new(3)), halves(20, Seed::new(4)));
    }

    #[test]
    fn values_are_put_together_by_ranker() {
        let query = |base: f64| QueryValues {
            all: (0..4).map(|i| base + f64::from(i)).collect(),
            left: Vec::new(),
            right: Vec::new(),
            expected: Vec::new(),
        };
        let evaluated = [query(0.0), query(10.0)];
        assert_eq!(by_ranker(&evaluated, 2, 2, |v| &v.all), [0.0, 1.0, 10.0, 11.0, 2.0, 3.0, 12.0, 13.0]);
        assert!(by_ranker(&evaluated, 2, 2, |v| &v.left).is_empty());
    }
}

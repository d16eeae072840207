//! All values of a study: means and spreads over trials, for each measure, ranker and number of
//! documents.
//!
//! Trials (and queries of real data) are measured in parallel and folded in order, so the result
//! does not depend on the number of threads. Cost: each measure walks a ranking, for trials x sizes
//! x rankers rankings.

use std::sync::atomic::{AtomicU64, Ordering};

use fivefold_base::words::counted;
use fivefold_metrics::{Evaluator, mean};
use fivefold_stats::Moments;
use rayon::prelude::*;

use super::growing::Stream;
use super::population::Population;
use crate::study::{StudyContext, StudyError};
use crate::systems::{RankedQuery, RankedSystems, ScoredList};

/// The numbers of documents, and the number of trials.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) documents: usize,
    pub(super) step: usize,
    pub(super) trials: usize,
}

impl Grid {
    /// The numbers of documents, in rising order.
    pub(super) fn sizes(&self) -> Vec<usize> {
        (1..=self.documents / self.step).map(|index| index * self.step).collect()
    }
}

/// The values of a study.
#[derive(Debug, Clone)]
pub(super) struct Curves {
    /// Names of the rankers.
    pub(super) rankers: Vec<String>,
    /// Numbers of documents.
    pub(super) sizes: Vec<usize>,
    /// `curves[measure][ranker][size]`.
    pub(super) curves: Vec<Vec<Vec<Spread>>>,
    /// Number of undefined values of each measure, over all trials, sizes and rankers.
    pub(super) undefined: Vec<usize>,
    /// The measured trials and documents, in words.
    pub(super) about: String,
}

/// Mean and spread over trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// The mean of the values; NaN if no value counts.
    pub(super) mean: f64,
    /// The sample standard deviation of the values; 0 for a single value.
    pub(super) deviation: f64,
}

impl Curves {
    /// The simulation: a stream of documents for each trial.
    pub(super) fn of_simulation(
        population: &Population,
        angles: &[f64],
        grid: &Grid,
        evaluator: &Evaluator,
        cx: &StudyContext<'_>,
    ) -> Result<Self, StudyError> {
        let stream = |trial: u64| population.draw(grid.documents, angles, cx.seed().derive_index("trial", trial));
        let trials: Vec<u64> = (0..grid.trials as u64).collect();
        let values = measure(&trials, grid, evaluator, cx, |&trial| Ok(stream(trial)))?;
        let about = format!("{} of {}", counted(grid.trials, "trial"), counted(grid.documents, "drawn document"));
        let rankers = angles.iter().map(f64::to_string).collect();
        Ok(Self::new(rankers, grid, evaluator, values.into_iter().map(|values| vec![values]).collect(), about))
    }

    /// Real data: in each trial, every query with enough documents gives a stream.
    pub(super) fn of_systems(
        systems: &RankedSystems,
        grid: &Grid,
        evaluator: &Evaluator,
        cx: &StudyContext<'_>,
    ) -> Result<Self, StudyError> {
        let queries: Vec<&RankedQuery> =
            systems.queries.iter().filter(|query| query.grades.len() >= grid.documents).collect();
        if queries.is_empty() {
            let most = systems.queries.iter().map(|query| query.grades.len()).max().unwrap_or(0);
            let what =
                format!("no query has {} documents; the longest has {most}: set `documents` lower", grid.documents);
            return Err(StudyError::Input(what));
        }
        let tasks: Vec<(u64, &RankedQuery)> =
            (0..grid.trials as u64).flat_map(|trial| queries.iter().map(move |&query| (trial, query))).collect();
        let stream = |&(trial, query): &(u64, &RankedQuery)| {
            let mut order: Vec<usize> = (0..query.grades.len()).collect();
            cx.seed().derive_index("trial", trial).derive(&query.id).rng().shuffle(&mut order);
            order.truncate(grid.documents);
            subsample(systems, query, &order)
        };
        let values = measure(&tasks, grid, evaluator, cx, stream)?;
        let trials = values.chunks(queries.len()).map(<[Vec<f64>]>::to_vec).collect();
        let about = format!(
            "{} with at least {} documents of {}; {} of their documents",
            counted(queries.len(), "query"),
            grid.documents,
            systems.queries.len(),
            counted(grid.trials, "random order")
        );
        Ok(Self::new(systems.names.clone(), grid, evaluator, trials, about))
    }

    /// Curves from the values (sizes x rankers x measures) of each query of each trial.
    fn new(
        rankers: Vec<String>,
        grid: &Grid,
        evaluator: &Evaluator,
        trials: Vec<Vec<Vec<f64>>>,
        about: String,
    ) -> Self {
        let sizes = grid.sizes();
        let (measures, policy) = (evaluator.names().len(), evaluator.conventions().undefined);
        let mut undefined = vec![0; measures];
        let mut spread = |measure: usize, ranker: usize, size: usize| {
            let place = (size * rankers.len() + ranker) * measures + measure;
            let of_trial = |queries: &Vec<Vec<f64>>| {
                let values: Vec<f64> = queries.iter().map(|values| values[place]).collect();
                let mean = mean(&values, policy);
                undefined[measure] += mean.undefined;
                mean.value
            };
            let values: Vec<f64> = trials.iter().map(of_trial).filter(|value| !value.is_nan()).collect();
            let moments = Moments::of(&values);
            let mean = if values.is_empty() { f64::NAN } else { moments.mean };
            Spread { mean, deviation: moments.variance().unwrap_or(0.0).sqrt() }
        };
        let mut of_ranker = |measure, ranker| (0..sizes.len()).map(|size| spread(measure, ranker, size)).collect();
        let curves = (0..measures)
            .map(|measure| (0..rankers.len()).map(|ranker| of_ranker(measure, ranker)).collect())
            .collect();
        Curves { rankers, sizes, curves, undefined, about }
    }

    /// The means of one measure, a list for each ranker.
    pub(super) fn means(&self, measure: usize) -> Vec<Vec<f64>> {
        self.curves[measure].iter().map(|curve| curve.iter().map(|spread| spread.mean).collect()).collect()
    }

    /// Mean and deviation of one measure over all documents, for each ranker.
    pub(super) fn last(&self, measure: usize) -> impl Iterator<Item = Spread> {
        self.curves[measure].iter().filter_map(|curve| curve.last().copied())
    }
}

/// The values (sizes x rankers x measures) of the stream of each task, in the order of the tasks.
fn measure<T: Sync>(
    tasks: &[T],
    grid: &Grid,
    evaluator: &Evaluator,
    cx: &StudyContext<'_>,
    stream: impl Fn(&T) -> Result<Stream, StudyError> + Sync,
) -> Result<Vec<Vec<f64>>, StudyError> {
    let sizes = grid.sizes();
    let total = (tasks.len() * sizes.len()) as u64;
    let done = AtomicU64::new(0);
    let step = || cx.step(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    tasks.par_iter().map(|task| stream(task)?.values(evaluator, &sizes, &step)).collect()
}

/// The documents of a query in this order, with the scores of every system.
fn subsample(systems: &RankedSystems, query: &RankedQuery, order: &[usize]) -> Result<Stream, StudyError> {
    let of_system = |(name, list): (&String, &Option<ScoredList>)| {
        let mut scores = vec![None; query.grades.len()];
        let list = list.iter().flat_map(|list| list.documents.iter().zip(&list.scores));
        list.for_each(|(&document, &score)| {
            if let Some(slot) = scores.get_mut(document as usize) {
                *slot = Some(score);
            }
        });
        order.iter().map(|&document| scores[document]).collect::<Option<Vec<f64>>>().ok_or_else(|| {
            let what = "lacks a score of some judged documents; every system must rank all of them here";
            StudyError::Input(format!("query {}: {name} {what}", query.id))
        })
    };
    let scores = systems.names.iter().zip(&query.lists).map(of_system).collect::<Result<_, _>>()?;
    let grades = order.iter().map(|&document| query.grades[document]).collect();
    Ok(Stream { id: query.id.clone(), grades, scores })
}

//! Score tables: means with intervals, the best one marked, and a letter for every method that a method beats.

use fivefold_experiment::Evaluation;
use fivefold_experiment::tables::Comparison;
use serde::Serialize;

use super::wording::{letter, list, means};

/// The scores of one version of a measure on one data set.
#[derive(Serialize)]
pub(super) struct ScoreTable {
    caption: String,
    cutoffs: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    letter: String,
    method: String,
    cells: Vec<ScoreCell>,
}

#[derive(Serialize)]
struct ScoreCell {
    mean: String,
    /// The mean in full, to sort by.
    sort: String,
    /// Half of the interval; empty where there is none.
    interval: String,
    best: bool,
    /// Letters of the methods that this one beats, and their names.
    beats: String,
    beaten: String,
}

pub(super) fn scores(evaluation: &Evaluation, comparisons: &[Comparison], alpha: f64) -> Vec<ScoreTable> {
    comparisons.iter().map(|comparison| table(evaluation, comparison, alpha)).collect()
}

fn table(evaluation: &Evaluation, comparison: &Comparison, alpha: f64) -> ScoreTable {
    let data = &evaluation.datasets[comparison.dataset];
    let cell = |method: usize, cutoff: usize| {
        let column = means(comparison, cutoff);
        let best = column.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let beaten = beaten(comparison, &column, method, cutoff, alpha);
        let names: Vec<&str> = beaten.iter().map(|&other| data.rankers[comparison.methods[other]].as_str()).collect();
        let interval = &comparison.means[method][cutoff].1;
        ScoreCell {
            mean: column[method].map_or_else(|| "undefined".to_owned(), |mean| format!("{mean:.4}")),
            sort: column[method].map(|mean| mean.to_string()).unwrap_or_default(),
            interval: interval.map(|i| format!("{:.4}", (i.high - i.low) / 2.0)).unwrap_or_default(),
            best: column[method] == Some(best),
            beats: beaten.iter().map(|&other| letter(comparison.methods[other])).collect::<Vec<_>>().join(" "),
            beaten: list(&names),
        }
    };
    let row = |(method, &ranker): (usize, &usize)| Row {
        letter: letter(ranker),
        method: data.rankers[ranker].clone(),
        cells: (0..comparison.cutoffs.len()).map(|cutoff| cell(method, cutoff)).collect(),
    };
    ScoreTable {
        caption: format!("{} on {}", comparison.measure, data.name),
        cutoffs: comparison.cutoffs.clone(),
        rows: comparison.methods.iter().enumerate().map(row).collect(),
    }
}

/// The methods with a lower mean from which this one differs significantly.
pub(super) fn beaten(
    comparison: &Comparison,
    means: &[Option<f64>],
    method: usize,
    cutoff: usize,
    alpha: f64,
) -> Vec<usize> {
    let significant = |other: &usize| comparison.p(method, *other, cutoff).is_some_and(|p| p < alpha);
    (0..means.len()).filter(|&other| means[method] > means[other]).filter(significant).collect()
}

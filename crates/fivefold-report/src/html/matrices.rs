//! Square tables with coloured cells: p-values of pairs of methods, Kendall's tau of pairs of measures.

use fivefold_experiment::Evaluation;
use fivefold_experiment::p_value::{p_in_short, p_in_words};
use fivefold_experiment::tables::Comparison;
use fivefold_stats::{StatsError, kendall_tau_b};
use serde::Serialize;

use super::wording::means;
use crate::error::ReportError;

/// A square table.
#[derive(Serialize)]
pub(super) struct Matrix {
    caption: String,
    columns: Vec<String>,
    rows: Vec<MatrixRow>,
}

#[derive(Serialize)]
struct MatrixRow {
    label: String,
    cells: Vec<MatrixCell>,
}

#[derive(Default, Serialize)]
struct MatrixCell {
    text: String,
    /// Classes of the style sheet: `u1` to `u3` and `d1` to `d3`, the higher the deeper the colour.
    class: String,
    /// What a pointer that rests on the cell is told.
    title: String,
}

impl Matrix {
    fn new(caption: String, labels: &[String], cell: impl Fn(usize, usize) -> MatrixCell) -> Self {
        let row = |(i, label): (usize, &String)| MatrixRow {
            label: label.clone(),
            cells: (0..labels.len()).map(|j| if i == j { diagonal() } else { cell(i, j) }).collect(),
        };
        Matrix { caption, columns: labels.to_vec(), rows: labels.iter().enumerate().map(row).collect() }
    }
}

fn diagonal() -> MatrixCell {
    MatrixCell { text: "–".to_owned(), class: "same".to_owned(), title: String::new() }
}

/// p-values of all pairs of methods, a matrix for every measure at its main cutoff.
pub(super) fn pairs(evaluation: &Evaluation, comparisons: &[Comparison], alpha: f64) -> Vec<Matrix> {
    comparisons
        .iter()
        .filter(|comparison| comparison.methods.len() > 1)
        .map(|c| of_pairs(evaluation, c, alpha))
        .collect()
}

fn of_pairs(evaluation: &Evaluation, comparison: &Comparison, alpha: f64) -> Matrix {
    let data = &evaluation.datasets[comparison.dataset];
    let labels: Vec<String> = comparison.methods.iter().map(|&method| data.rankers[method].clone()).collect();
    let cutoff = comparison.main_cutoff();
    let column = means(comparison, cutoff);
    Matrix::new(format!("{} on {}", comparison.measure_at(cutoff), data.name), &labels, |row, other| {
        let (Some(p), Some(a), Some(b)) = (comparison.p(row, other, cutoff), column[row], column[other]) else {
            return MatrixCell { text: "n/a".to_owned(), ..MatrixCell::default() };
        };
        // Two levels below the first, a factor of ten and of a hundred.
        let depth = [alpha, alpha / 10.0, alpha / 100.0].iter().filter(|&&level| p < level).count();
        let (class, mark) = if a >= b { ("u", "▲") } else { ("d", "▼") };
        MatrixCell {
            text: if depth > 0 { format!("{mark} {}", p_in_short(p)) } else { p_in_short(p) },
            class: if depth > 0 { format!("{class}{depth}") } else { String::new() },
            title: format!("{} {a:.4}, {} {b:.4}, {}", labels[row], labels[other], p_in_words(p)),
        }
    })
}

/// Kendall's tau-b between all measures of a data set, by the methods' means over the cutoffs.
pub(super) fn taus(evaluation: &Evaluation, comparisons: &[Comparison]) -> Result<Vec<Matrix>, ReportError> {
    let mut matrices = Vec::new();
    for (dataset, data) in evaluation.datasets.iter().enumerate() {
        let own: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.dataset == dataset).collect();
        if own.len() < 2 || own[0].methods.len() < 2 {
            continue;
        }
        let labels: Vec<String> = own.iter().map(|comparison| comparison.measure.clone()).collect();
        let scores: Vec<Option<Vec<f64>>> = own.iter().map(|comparison| over_cutoffs(comparison)).collect();
        let mut tau = vec![None; own.len() * own.len()];
        for (i, a) in scores.iter().enumerate() {
            for (j, b) in scores.iter().enumerate() {
                let (Some(a), Some(b)) = (a, b) else { continue };
                tau[i * own.len() + j] = match kendall_tau_b(a, b) {
                    Ok(tau) => tau,
                    Err(StatsError::TooFew { .. }) => None,
                    Err(error) => {
                        return Err(ReportError::Malformed { id: "tau".to_owned(), message: error.to_string() });
                    }
                };
            }
        }
        let caption = format!("{}, {} methods", data.name, own[0].methods.len());
        matrices.push(Matrix::new(caption, &labels, |row, column| {
            let Some(tau) = tau[row * own.len() + column] else {
                return MatrixCell { text: "n/a".to_owned(), ..MatrixCell::default() };
            };
            let depth = [0.5, 0.8, 0.95].iter().filter(|&&level| tau.abs() >= level).count();
            let class = if tau < 0.0 { "d" } else { "u" };
            MatrixCell {
                text: format!("{tau:.3}"),
                class: if depth > 0 { format!("{class}{depth}") } else { String::new() },
                title: format!("{} and {}", labels[row], labels[column]),
            }
        }));
    }
    Ok(matrices)
}

/// Each method's mean over the cutoffs; `None` if one has no value somewhere.
fn over_cutoffs(comparison: &Comparison) -> Option<Vec<f64>> {
    let of_method = |cells: &Vec<(fivefold_metrics::Mean, _)>| {
        let sum: f64 = cells.iter().map(|(mean, _)| mean.value).sum();
        Some(sum / cells.len() as f64).filter(|mean| !mean.is_nan())
    };
    comparison.means.iter().map(of_method).collect()
}

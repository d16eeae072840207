//! Square tables with coloured cells: p-values of pairs of methods, and Kendall's tau of pairs of
//! measures.

use fivefold_analysis::Compared;
use fivefold_analysis::compared::SystemMean;
use fivefold_analysis::p_value::{p_in_short, p_in_words};
use fivefold_analysis::page::PageDataset;
use fivefold_base::words::counted;
use serde::Serialize;

use super::wording::on;
use crate::error::ReportError;
use crate::overview::tau_of_orders;

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
    /// Class of the style sheet: `u1` to `u3` and `d1` to `d3`. A higher number is a deeper colour.
    class: String,
    /// The text that is shown when a pointer rests on the cell.
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

/// p-values of all pairs of the shown systems, best first, a matrix for every measure at its main
/// cutoff. No matrix if only pairs with a baseline were tested, because letters tell these results.
pub(super) fn pairs(dataset: &PageDataset, alpha: f64) -> Vec<Matrix> {
    let several = dataset.compared.iter().filter(|compared| compared.systems.len() > 1 && dataset.baseline.is_none());
    several.map(|compared| of_pairs(dataset, &compared.among(&dataset.shown), alpha)).collect()
}

fn of_pairs(dataset: &PageDataset, compared: &Compared, alpha: f64) -> Matrix {
    let cutoff = compared.main_cutoff();
    let (column, better) = (compared.column(cutoff), compared.better(cutoff));
    let order = compared.order(cutoff);
    let labels: Vec<String> = order.iter().map(|&place| dataset.systems[compared.systems[place]].clone()).collect();
    Matrix::new(on(&compared.measure_at(cutoff), &dataset.name), &labels, |row, other| {
        let (row, other) = (order[row], order[other]);
        let (Some(p), Some(a), Some(b)) = (compared.p(row, other, cutoff), column[row], column[other]) else {
            return MatrixCell { text: "n/a".to_owned(), ..MatrixCell::default() };
        };
        // Two levels below the first, a factor of ten and of a hundred.
        let depth = [alpha, alpha / 10.0, alpha / 100.0].iter().filter(|&&level| p < level).count();
        let (class, mark) = if better(row, other).is_ge() { ("u", "▲") } else { ("d", "▼") };
        MatrixCell {
            text: if depth > 0 { format!("{mark} {}", p_in_short(p, alpha)) } else { p_in_short(p, alpha) },
            class: if depth > 0 { format!("{class}{depth}") } else { String::new() },
            title: format!("{a:.4}, {b:.4}, {}", p_in_words(p)),
        }
    })
}

/// Kendall's tau-b between all measures of a data set. The systems are ordered by their means over
/// the cutoffs.
pub(super) fn taus(dataset: &PageDataset, noun: &str) -> Result<Option<Matrix>, ReportError> {
    let own = &dataset.compared;
    if own.len() < 2 || own[0].systems.len() < 2 {
        return Ok(None);
    }
    let labels: Vec<String> = own.iter().map(|compared| compared.measure.clone()).collect();
    let tau = tau_of_measures(own)?;
    let systems = counted(own[0].systems.len(), noun);
    let caption = if dataset.name.is_empty() { systems } else { format!("{}, {systems}", dataset.name) };
    Ok(Some(Matrix::new(caption, &labels, |row, column| {
        let Some(tau) = tau[row][column] else {
            let title = format!("undefined: there is no order, because all {noun}s tie or a {noun} has no value");
            return MatrixCell { text: "n/a".to_owned(), title, ..MatrixCell::default() };
        };
        let depth = [0.5, 0.8, 0.95].iter().filter(|&&level| tau.abs() >= level).count();
        let class = if tau < 0.0 { "d" } else { "u" };
        MatrixCell {
            text: format!("{tau:.3}"),
            class: if depth > 0 { format!("{class}{depth}") } else { String::new() },
            title: format!("{} and {}", labels[row], labels[column]),
        }
    })))
}

/// Kendall's tau-b of every two measures. `None` if a measure gives no order.
pub(super) fn tau_of_measures(own: &[Compared]) -> Result<Vec<Vec<Option<f64>>>, ReportError> {
    let scores: Vec<Option<Vec<f64>>> = own.iter().map(over_cutoffs).collect();
    let of = |a: &Option<Vec<f64>>, b: &Option<Vec<f64>>| tau_of_orders(a.as_deref(), b.as_deref());
    scores.iter().map(|a| scores.iter().map(|b| of(a, b)).collect()).collect()
}

/// Each system's mean over the cutoffs. `None` if a system has no value at a cutoff.
pub(super) fn over_cutoffs(compared: &Compared) -> Option<Vec<f64>> {
    let of_system = |means: &Vec<SystemMean>| {
        let sum: Option<f64> = means.iter().map(|mean| mean.mean).sum();
        Some(sum? / means.len() as f64)
    };
    compared.means.iter().map(of_system).collect()
}

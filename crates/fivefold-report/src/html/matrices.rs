//! Square tables with coloured cells: p-values of pairs of methods, and the agreement of pairs of
//! measures.

use fivefold_analysis::Compared;
use fivefold_analysis::p_value::{p_in_short, p_in_words};
use fivefold_analysis::page::PageDataset;
use fivefold_base::words::counted;
use serde::Serialize;

use super::wording::on;
use crate::overview::MeasureAgreement;

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

/// How the measures of a data set agree at their main cutoffs: Kendall's tau-b of the orders above
/// the diagonal, and below it the pairs of systems that are significant under one measure alone.
pub(super) fn agreement(own: &MeasureAgreement, noun: &str) -> Matrix {
    let labels: Vec<String> = own.measures.iter().map(|measure| measure.whole.clone()).collect();
    let pairs = format!("{} of {noun}s", counted(own.pairs, "pair"));
    let caption = if own.dataset.is_empty() { pairs } else { format!("{}, {pairs}", own.dataset) };
    Matrix::new(caption, &labels, |row, column| {
        let title = format!("{} and {}", labels[row], labels[column]);
        if column > row { of_orders(own.taus[row][column], title) } else { of_conflicts(own, row, column, title) }
    })
}

fn of_orders(tau: Option<f64>, title: String) -> MatrixCell {
    let Some(tau) = tau else {
        return MatrixCell { text: "n/a".to_owned(), title: format!("{title}: no order"), ..MatrixCell::default() };
    };
    let depth = [0.5, 0.8, 0.95].iter().filter(|&&level| tau.abs() >= level).count();
    let class = if tau < 0.0 { "d" } else { "u" };
    let class = if depth > 0 { format!("{class}{depth}") } else { String::new() };
    MatrixCell { text: format!("{tau:.3}"), class, title: format!("tau of {title}") }
}

fn of_conflicts(own: &MeasureAgreement, row: usize, column: usize, title: String) -> MatrixCell {
    let count = own.conflicts[row][column];
    let share = count as f64 / own.pairs.max(1) as f64;
    let depth = [0.0, 0.1, 0.25].iter().filter(|&&level| share > level).count();
    let class = if depth > 0 { format!("d{depth}") } else { String::new() };
    MatrixCell { text: count.to_string(), class, title: format!("conflicting pairs of {title}") }
}

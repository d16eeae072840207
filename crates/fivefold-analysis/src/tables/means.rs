//! Means and tests over the queries of a selection.

use fivefold_metrics::mean::by_fold;
use fivefold_metrics::{Conventions, Mean, mean_over_folds, settle};
use fivefold_stats::{StatsError, paired_t};

use super::query_set::Selection;
use crate::evaluation::DatasetValues;

/// The values of one method over the queries of a selection, `[column][query]`; NaN if undefined.
pub(super) fn gather(
    data: &DatasetValues,
    measures: usize,
    selection: &Selection,
    ranker: usize,
    columns: &[usize],
) -> Vec<Vec<f64>> {
    let values = data.values(selection.documents);
    let mut gathered = vec![Vec::with_capacity(selection.queries.len()); columns.len()];
    // The loop goes row by row, because the values are in this order in memory.
    for query in &selection.queries {
        let row = &values[(ranker * data.queries.len() + query) * measures..][..measures];
        for (out, &column) in gathered.iter_mut().zip(columns) {
            out.push(row[column]);
        }
    }
    gathered
}

/// The mean of some queries (in file order), over queries or over folds, as the conventions say.
pub(super) fn collection_mean(
    data: &DatasetValues,
    selection: &Selection,
    values: &[f64],
    conventions: &Conventions,
) -> Mean {
    let folds: Vec<usize> = selection.queries.iter().map(|&query| data.queries[query].fold).collect();
    mean_over_folds(&by_fold(&folds, values), conventions.fold_mean, conventions.undefined)
}

/// The p-value of every pair of methods at every column: `[(pair, column)]`, pairs in the order
/// (0,1), (0,2), ..; `None` if the two methods share fewer than two queries with a value.
///
/// # Errors
/// An infinite value.
pub(super) fn p_values(
    data: &DatasetValues,
    measures: usize,
    selection: &Selection,
    rankers: &[usize],
    columns: &[usize],
    conventions: &Conventions,
) -> Result<Vec<Option<f64>>, StatsError> {
    let policy = conventions.undefined;
    let pairs = rankers.len() * rankers.len().saturating_sub(1) / 2;
    let mut p_values = vec![None; pairs * columns.len()];
    let mut both = (Vec::new(), Vec::new());
    // `[ranker][column][query]`
    let mut of_ranker: Vec<Vec<Vec<f64>>> =
        rankers.iter().map(|&ranker| gather(data, measures, selection, ranker, columns)).collect();
    for value in of_ranker.iter_mut().flatten().flatten() {
        *value = settle(*value, policy).unwrap_or(f64::NAN);
    }
    for c in 0..columns.len() {
        let of_column: Vec<&[f64]> = of_ranker.iter().map(|columns| columns[c].as_slice()).collect();
        let complete = of_column.iter().all(|values| values.iter().all(|value| !value.is_nan()));
        let mut pair = 0;
        for (i, a) in of_column.iter().enumerate() {
            for b in &of_column[i + 1..] {
                let test = if complete {
                    paired_t(a, b)
                } else {
                    keep_defined(a, b, &mut both);
                    paired_t(&both.0, &both.1)
                };
                p_values[pair * columns.len() + c] = match test {
                    Ok(test) => Some(test.p),
                    Err(StatsError::TooFew { .. }) => None,
                    Err(error) => return Err(error),
                };
                pair += 1;
            }
        }
    }
    Ok(p_values)
}

/// The pairs in which both values are defined.
fn keep_defined(a: &[f64], b: &[f64], both: &mut (Vec<f64>, Vec<f64>)) {
    both.0.clear();
    both.1.clear();
    for (&a, &b) in a.iter().zip(b).filter(|(a, b)| !a.is_nan() && !b.is_nan()) {
        both.0.push(a);
        both.1.push(b);
    }
}

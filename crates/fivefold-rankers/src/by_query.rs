//! Work on the queries of a data set in parallel. Results have places of their own and are added in
//! the order of queries, so they are the same for any number of threads.

use fivefold_core::FitError;
use fivefold_metrics::{MeasureError, Objective, Scratch};
use rayon::prelude::*;

/// The least number of queries of a task, so that a task pays.
pub(crate) const LEAST: usize = 8;

/// Cuts values of documents into values of queries, where each document has `each` values.
pub(crate) fn cut<T>(mut values: &mut [T], each: usize, documents: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    documents.map(|count| values.split_off_mut(..count * each).unwrap_or_default()).collect()
}

/// As [`Objective::mean`]; `scores` must have a score for each document.
pub(crate) fn mean(objective: &Objective, scores: &[f64]) -> Result<f64, FitError> {
    let value = |scratch: &mut Scratch, query| objective.value(query, &scores[objective.rows(query)], scratch);
    let queries = (0..objective.len()).into_par_iter().with_min_len(LEAST);
    let values: Vec<_> = queries.map_init(Scratch::default, value).collect();
    let values: Vec<f64> = values.into_iter().collect::<Result<_, _>>().map_err(score_error)?;
    Ok(objective.average(&values))
}

/// The error of a fit whose scores the measure refuses.
pub(crate) fn score_error(error: MeasureError) -> FitError {
    FitError::Numeric(error.to_string())
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use fivefold_metrics::{DIALECTS, MeasureSpec};

    use super::*;
    use crate::test_data::signal_in_order;

    #[test]
    fn means_are_those_of_plain_loops() {
        let data = signal_in_order(30, 4);
        let rows = data.queries().flat_map(|query| query.view().rows());
        let found: Vec<f64> = rows.map(|row| f64::from(row[1]) - f64::from(row[0])).collect();
        let measure: MeasureSpec = "ndcg@3".parse().unwrap();
        let objective = Objective::new(&measure, &DIALECTS[0].conventions(), &data, Seed::new(1)).unwrap();
        assert_eq!(mean(&objective, &found).unwrap(), objective.mean(&found, &mut Scratch::default()).unwrap());
        let mut wrong = found;
        wrong[7] = f64::NAN;
        let refused = objective.mean(&wrong, &mut Scratch::default()).unwrap_err();
        assert_eq!(mean(&objective, &wrong).unwrap_err().to_string(), score_error(refused).to_string());
    }
}

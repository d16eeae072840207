//! Means over queries and folds, with the number of undefined values always beside them.

use crate::conventions::{FoldMean, Undefined};

/// A mean over queries.
///
/// ```
/// use fivefold_metrics::{Mean, Undefined, mean};
///
/// let found = mean(&[0.5, 1.0, f64::NAN], Undefined::Skip);
/// assert_eq!(found, Mean { value: 0.75, queries: 2, undefined: 1 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean; NaN if no query counts.
    pub value: f64,
    /// How many queries count: all queries, or under `skip` all queries with a defined value.
    pub queries: usize,
    /// How many values are undefined, under every policy.
    pub undefined: usize,
}

/// The number with which a value (NaN: undefined) counts in a mean; `None` if the query is left
/// out.
///
/// ```
/// use fivefold_metrics::{Undefined, settle};
///
/// assert_eq!(settle(f64::NAN, Undefined::Zero), Some(0.0));
/// assert_eq!(settle(f64::NAN, Undefined::Skip), None);
/// assert_eq!(settle(0.5, Undefined::Skip), Some(0.5));
/// ```
#[inline]
pub fn settle(value: f64, policy: Undefined) -> Option<f64> {
    match policy {
        _ if !value.is_nan() => Some(value),
        Undefined::Zero => Some(0.0),
        Undefined::One => Some(1.0),
        Undefined::Skip => None,
    }
}

/// The mean of values (NaN: undefined), summed in their order.
///
/// ```
/// use fivefold_metrics::{Undefined, mean};
///
/// // The undefined value counts as 0, and is counted beside the mean.
/// let found = mean(&[0.5, 1.0, f64::NAN], Undefined::Zero);
/// assert_eq!((found.value, found.queries, found.undefined), (0.5, 3, 1));
/// ```
pub fn mean(values: &[f64], policy: Undefined) -> Mean {
    let (mut sum, mut queries, mut undefined) = (0.0, 0, 0);
    for &value in values {
        undefined += usize::from(value.is_nan());
        if let Some(counted) = settle(value, policy) {
            sum += counted;
            queries += 1;
        }
    }
    Mean { value: sum / queries as f64, queries, undefined }
}

/// The floor of a geometric mean in trec_eval.
pub const GEOMETRIC_FLOOR: f64 = 1e-5;

/// A geometric mean over queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeometricMean {
    /// The mean; NaN if no query has a value.
    pub value: f64,
    /// How many queries count.
    pub queries: usize,
    /// How many values were below the floor and count as the floor.
    pub floored: usize,
}

/// The geometric mean of values, exp(mean ln max(value, floor)), as trec_eval's `gm_map`. A query
/// without a value (NaN) is left out.
///
/// ```
/// use fivefold_metrics::mean::{GEOMETRIC_FLOOR, geometric_mean};
///
/// let found = geometric_mean(&[0.5, 0.25, 0.0], GEOMETRIC_FLOOR);
/// assert!((found.value - 0.01077217).abs() < 5e-9);
/// assert_eq!((found.queries, found.floored), (3, 1));
/// ```
pub fn geometric_mean(values: &[f64], floor: f64) -> GeometricMean {
    let (mut sum, mut queries, mut floored) = (0.0, 0, 0);
    for &value in values.iter().filter(|value| !value.is_nan()) {
        sum += libm::log(value.max(floor));
        queries += 1;
        floored += usize::from(value < floor);
    }
    GeometricMean { value: libm::exp(sum / queries as f64), queries, floored }
}

/// The value of a collection, from the values of the test queries of each fold. Under `folds` and
/// `skip`, a fold without a defined value is left out.
///
/// ```
/// use fivefold_metrics::{FoldMean, Undefined, mean_over_folds};
///
/// // No query of the second fold has a value.
/// let folds: [&[f64]; 2] = [&[0.5, 1.0], &[f64::NAN]];
/// assert_eq!(mean_over_folds(&folds, FoldMean::Folds, Undefined::Skip).value, 0.75);
/// assert_eq!(mean_over_folds(&folds, FoldMean::Folds, Undefined::Zero).value, 0.375);
/// ```
pub fn mean_over_folds(folds: &[&[f64]], how: FoldMean, policy: Undefined) -> Mean {
    let means: Vec<Mean> = folds.iter().map(|values| mean(values, policy)).collect();
    let queries = means.iter().map(|m| m.queries).sum();
    let undefined = means.iter().map(|m| m.undefined).sum();
    let value = match how {
        // The sum is over the values, not over the fold means, so it has the same bits however the
        // folds are cut.
        FoldMean::Queries => mean(&folds.concat(), policy).value,
        FoldMean::Folds => {
            let values: Vec<f64> = means.iter().filter(|m| m.queries > 0).map(|m| m.value).collect();
            mean(&values, policy).value
        }
    };
    Mean { value, queries, undefined }
}

/// Cuts the values of all queries into folds. `folds` has the fold of each query; queries of a fold
/// stand together.
pub fn by_fold<'v>(folds: &[usize], values: &'v [f64]) -> Vec<&'v [f64]> {
    let mut rest = values;
    let own = |fold: &[usize]| {
        let (own, after) = rest.split_at(fold.len());
        rest = after;
        own
    };
    folds.chunk_by(|one, other| one == other).map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undefined_values_are_counted_under_every_policy() {
        let values = [1.0, f64::NAN];
        assert_eq!(mean(&values, Undefined::Zero), Mean { value: 0.5, queries: 2, undefined: 1 });
        assert_eq!(mean(&values, Undefined::One), Mean { value: 1.0, queries: 2, undefined: 1 });
        assert_eq!(mean(&values, Undefined::Skip), Mean { value: 1.0, queries: 1, undefined: 1 });
        assert!(mean(&[f64::NAN], Undefined::Skip).value.is_nan());
        assert!(mean(&[], Undefined::Zero).value.is_nan());
    }

    #[test]
    fn folds_weigh_the_same_or_by_their_queries() {
        let folds: [&[f64]; 3] = [&[1.0, 1.0, 1.0], &[0.0], &[f64::NAN]];
        assert_eq!(mean_over_folds(&folds, FoldMean::Queries, Undefined::Zero).value, 0.6);
        assert_eq!(mean_over_folds(&folds, FoldMean::Queries, Undefined::Skip).value, 0.75);
        assert_eq!(mean_over_folds(&folds, FoldMean::Folds, Undefined::Zero).value, 1.0 / 3.0);
        let skipped = mean_over_folds(&folds, FoldMean::Folds, Undefined::Skip);
        assert_eq!(skipped, Mean { value: 0.5, queries: 4, undefined: 1 });
    }
}

//! Standardised scores: the numbers behind the study `standardise`, on plain slices.
//!
//! z = (value - mean of the query) / standard deviation of the query (n - 1), over the
//! standardising systems; the score is the normal distribution function of z (Webber, Moffat &
//! Zobel, SIGIR 2008).

use crate::error::StatsError;
use crate::matrix::{Matrix, mean, mean_and_deviation};
use crate::normal;
use crate::two_sample::{Variances, two_sample_t_test};

/// Mean and standard deviation of one query's values; `None` if the query has no factors, because
/// its values are all equal or one of them is undefined.
///
/// ```
/// use fivefold_stats::standardise::factors;
///
/// assert_eq!(factors(&[1.0, 2.0, 3.0]), Some((2.0, 1.0)));
/// assert_eq!(factors(&[2.0, 2.0, 2.0]), None);
/// ```
pub fn factors(values: &[f64]) -> Option<(f64, f64)> {
    let (mean, sd) = mean_and_deviation(values);
    (mean.is_finite() && sd.is_finite() && sd > 0.0).then_some((mean, sd))
}

/// The mean standardised score of every system under the factors of the systems in
/// `standardising`, and the number of queries without factors.
///
/// ```
/// use fivefold_stats::{matrix::Matrix, standardise::standardised_means};
///
/// // Both systems are equal on the second query, which is left out.
/// let matrix = Matrix { queries: 2, values: vec![0.2, 0.5, 0.4, 0.5] };
/// let (means, without) = standardised_means(&matrix, &[0, 1]);
/// assert!(means[0] < 0.25 && (means[0] + means[1] - 1.0).abs() < 1e-15 && without == 1);
/// ```
pub fn standardised_means(matrix: &Matrix, standardising: &[usize]) -> (Vec<f64>, usize) {
    let mut sums = vec![0.0; matrix.systems()];
    let mut with = 0usize;
    let mut own = Vec::with_capacity(standardising.len());
    for query in 0..matrix.queries {
        own.clear();
        own.extend(standardising.iter().map(|&system| matrix.system(system)[query]));
        let Some((mean, sd)) = factors(&own) else { continue };
        with += 1;
        for (sum, value) in sums.iter_mut().zip(matrix.values.iter().skip(query).step_by(matrix.queries)) {
            *sum += normal::below((value - mean) / sd);
        }
    }
    (sums.into_iter().map(|sum| sum / with as f64).collect(), matrix.queries - with)
}

/// How far every system is from itself on two halves of the queries: dRMSE, and the share of
/// systems that a two-sided two-sample t-test (Student's, pooled variances) finds different from
/// themselves at the level `alpha`.
///
/// dRMSE = 2 RMSE / (sd of the systems' means on the first half + sd on the second).
///
/// # Errors
/// Fewer than two queries in a half, or a value that is not finite.
pub fn compare_halves(
    matrix: &Matrix,
    first: &[usize],
    second: &[usize],
    alpha: f64,
) -> Result<(f64, f64), StatsError> {
    let (first, second) = (matrix.select(first), matrix.select(second));
    let (means_first, means_second) = (first.means(), second.means());
    let squares: Vec<f64> = means_first.iter().zip(&means_second).map(|(c, d)| (c - d) * (c - d)).collect();
    let spread = |means: &[f64]| mean_and_deviation(means).1;
    let drmse = 2.0 * mean(&squares).sqrt() / (spread(&means_first) + spread(&means_second));
    let mut different = 0usize;
    for system in 0..matrix.systems() {
        let test = two_sample_t_test(first.system(system), second.system(system), Variances::Pooled)?;
        different += usize::from(test.p < alpha);
    }
    Ok((drmse, different as f64 / matrix.systems() as f64))
}

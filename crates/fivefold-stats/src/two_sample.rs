//! Two-sided t-test of two independent samples, for values of different queries.
//!
//! - [`Variances::Pooled`] (Student): t = (mean a - mean b) / sqrt(s^2 (1/n + 1/m)) with the pooled
//!   s^2 and n + m - 2 degrees of freedom.
//! - [`Variances::Welch`]: t = (mean a - mean b) / sqrt(va/n + vb/m), with degrees of freedom after
//!   Welch (1947) and Satterthwaite.
//!
//! If neither sample has a spread, equal means give t = 0 and p = 1, and different means give an
//! infinite t and p = 0. Cost: one pass.

use fivefold_base::rounding::gap;

use crate::distribution::student_two_sided;
use crate::error::{StatsError, all_finite};
use crate::moments::Moments;

/// The assumption about the variances of the two samples.
///
/// ```
/// use fivefold_stats::{Variances, two_sample_t_test};
///
/// // Samples of one size and one variance: Welch finds the degrees of freedom of the pooled test.
/// let (a, b) = ([1.0, 2.0, 3.0], [2.0, 3.0, 4.0]);
/// let [pooled, welch] = [Variances::Pooled, Variances::Welch].map(|variances| two_sample_t_test(&a, &b, variances));
/// assert!((pooled?.degrees - welch?.degrees).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Variances {
    /// The variances are equal.
    Pooled,
    /// The variances may differ.
    Welch,
}

/// The outcome of a two-sample t-test.
///
/// ```
/// use fivefold_stats::{Variances, two_sample_t_test};
///
/// let found = two_sample_t_test(&[2.0, 4.0], &[1.0, 3.0, 2.0], Variances::Pooled)?;
/// assert_eq!((found.difference, found.degrees), (1.0, 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TwoSampleT {
    /// Mean of the first sample minus mean of the second.
    pub difference: f64,
    /// The statistic.
    pub t: f64,
    /// Degrees of freedom, not an integer under Welch.
    pub degrees: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Tests whether two independent samples have the same mean.
///
/// ```
/// use fivefold_stats::{Variances, two_sample_t_test};
///
/// // Variance 1 in both: t = -1 / sqrt(1/3 + 1/3).
/// let found = two_sample_t_test(&[1.0, 2.0, 3.0], &[2.0, 3.0, 4.0], Variances::Pooled)?;
/// assert!((found.t + 1.5f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::TooFew`] if a sample has fewer than two values; [`StatsError::NotFinite`].
pub fn two_sample_t_test(a: &[f64], b: &[f64], variances: Variances) -> Result<TwoSampleT, StatsError> {
    all_finite(a)?;
    all_finite(b)?;
    let (first, second) = (Moments::of(a), Moments::of(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let (Some(va), Some(vb)) = (first.variance(), second.variance()) else {
        return Err(StatsError::TooFew { found: a.len().min(b.len()), needed: 2 });
    };
    let difference = gap(first.mean, second.mean);
    let (squared_error, degrees) = match variances {
        Variances::Pooled => {
            let degrees = n + m - 2.0;
            ((first.squared_deviations + second.squared_deviations) / degrees * (1.0 / n + 1.0 / m), degrees)
        }
        Variances::Welch => {
            let (ea, eb) = (va / n, vb / m);
            (ea + eb, (ea + eb) * (ea + eb) / (ea * ea / (n - 1.0) + eb * eb / (m - 1.0)))
        }
    };
    if !squared_error.is_finite() {
        return Err(StatsError::NotFinite { position: 0, value: squared_error });
    }
    if squared_error == 0.0 {
        let (t, p) = if difference == 0.0 { (0.0, 1.0) } else { (f64::INFINITY.copysign(difference), 0.0) };
        return Ok(TwoSampleT { difference, t, degrees: n + m - 2.0, p });
    }
    let t = difference / squared_error.sqrt();
    Ok(TwoSampleT { difference, t, degrees, p: student_two_sided(t, degrees) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        for variances in [Variances::Pooled, Variances::Welch] {
            let same = two_sample_t_test(&[0.5; 3], &[0.5; 4], variances).unwrap();
            assert_eq!((same.t, same.p), (0.0, 1.0));
            let apart = two_sample_t_test(&[0.25; 3], &[0.5; 4], variances).unwrap();
            assert_eq!((apart.t, apart.p), (f64::NEG_INFINITY, 0.0));
            let few = two_sample_t_test(&[1.0], &[1.0, 2.0], variances).unwrap_err();
            assert_eq!(few, StatsError::TooFew { found: 1, needed: 2 });
            assert!(two_sample_t_test(&[1.0, f64::NAN], &[1.0, 2.0], variances).is_err());
        }
    }
}

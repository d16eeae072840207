//! Williams' test: are two correlations with the same third variable equal?
//!
//! Two metrics have the correlations r12 and r13 with people, and r23 with each other, over n items:
//!
//! `t = (r12 - r13) sqrt((n - 1)(1 + r23) / (2 (n - 1) / (n - 3) |R| + m^2 (1 - r23)^3))`
//!
//! with `|R| = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23`, `m = (r12 + r13) / 2`, and n - 3 degrees
//! of freedom (Williams 1959; Steiger 1980, Eq. 7; recommended for metrics by Graham & Baldwin
//! 2014). The theory is about Pearson's r of independent normal items. Evaluations also use the
//! test for Spearman's rho. Cost: none.

use crate::distribution::student_two_sided;
use crate::error::StatsError;

/// The outcome of Williams' test.
///
/// ```
/// use fivefold_stats::williams;
///
/// let found = williams(0.4, 0.5, 0.1, 103)?.unwrap();
/// assert_eq!(found.degrees, 100.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Williams {
    /// The statistic; above 0 if the first correlation is the higher one.
    pub t: f64,
    /// Degrees of freedom, n - 3.
    pub degrees: f64,
    /// Two-sided p-value.
    pub p: f64,
}

/// Tests whether `first` and `second`, the correlations of two metrics with the same ratings, are
/// equal. `between` is the correlation of the metrics with each other over the same `items` items.
/// `None` for fewer than four items, and if the two metrics are one up to a line.
///
/// ```
/// use fivefold_stats::williams;
///
/// // The example of psych::r.test in R: t = -.89, p < .37.
/// let found = williams(0.4, 0.5, 0.1, 103)?.unwrap();
/// assert!((found.t + 0.89).abs() < 0.005 && (found.p - 0.37).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::OutOfRange`] for a correlation outside [-1, 1].
pub fn williams(first: f64, second: f64, between: f64, items: usize) -> Result<Option<Williams>, StatsError> {
    for (what, value) in [
        ("the first correlation", first),
        ("the second correlation", second),
        ("the correlation of the two metrics", between),
    ] {
        if !(-1.0..=1.0).contains(&value) {
            return Err(StatsError::OutOfRange { what, value, range: "from -1 to 1" });
        }
    }
    if items < 4 {
        return Ok(None);
    }
    let n = items as f64;
    // Rounding can bring the determinant below 0.
    let determinant = 1.0 - first * first - second * second - between * between + 2.0 * first * second * between;
    let determinant = determinant.max(0.0);
    let mean = (first + second) / 2.0;
    let apart = 1.0 - between;
    let spread = 2.0 * (n - 1.0) / (n - 3.0) * determinant + mean * mean * apart * apart * apart;
    if spread < SMALLEST_SPREAD {
        return Ok(None);
    }
    let t = (first - second) * ((n - 1.0) * (1.0 + between) / spread).sqrt();
    let degrees = n - 3.0;
    Ok(Some(Williams { t, degrees, p: student_two_sided(t, degrees) }))
}

/// Below this spread, the determinant of three correlations is nothing but rounding.
const SMALLEST_SPREAD: f64 = 1e-14;

#[cfg(test)]
mod tests {
    use super::*;

    /// numpy 2 and scipy 1.17, with the determinant of the matrix of correlations:
    ///
    /// ```python
    /// def williams(a, b, c, n):
    ///     R = np.linalg.det(np.array([[1, a, b], [a, 1, c], [b, c, 1]]))
    ///     t = (a - b) * np.sqrt((n-1)*(1+c) / (2*(n-1)/(n-3)*R + (a+b)**2/4 * (1-c)**3))
    ///     return t, 2 * stats.t.sf(abs(t), n - 3)
    /// for args in [(.4, .5, .1, 103), (.706, .619, .98, 12), (-.2, .3, -.5, 20), (.9, .1, .3, 4)]: print(williams(*args))
    /// ```
    /// nlpstats 0.0.1 (`williams_test`) and psych::r.test have the same formula.
    #[test]
    fn agrees_with_numpy() {
        for (a, b, c, n, t, p) in CASES {
            let found = williams(a, b, c, n).unwrap().unwrap();
            assert!((found.t - t).abs() < 1e-10 * t.abs() && (found.p - p).abs() < 1e-10, "{found:?} {t} {p}");
            let swapped = williams(b, a, c, n).unwrap().unwrap();
            assert!((swapped.t + found.t).abs() < 1e-10 && (swapped.p - found.p).abs() < 1e-10);
        }
    }

    const CASES: [(f64, f64, f64, usize, f64, f64); 4] = [
        (0.4, 0.5, 0.1, 103, -0.8912799047605414, 0.3749185174912553),
        (0.706, 0.619, 0.98, 12, 2.152774823195451, 0.059766181610822935),
        (-0.2, 0.3, -0.5, 20, -1.2465450105391056, 0.22946788514530583),
        (0.9, 0.1, 0.3, 4, 1.621129240928567, 0.35187250288509647),
    ];

    #[test]
    fn metrics_that_are_one_have_no_test() {
        assert_eq!(williams(0.5, 0.5, 1.0, 12).unwrap(), None);
        assert_eq!(williams(0.5, 0.4, 0.9, 3).unwrap(), None);
        assert_eq!(williams(0.5, 0.5, 0.9, 12).unwrap().unwrap().p, 1.0);
        assert!(williams(1.1, 0.5, 0.9, 12).unwrap_err().to_string().contains("from -1 to 1"));
        assert!(williams(0.5, f64::NAN, 0.9, 12).is_err());
    }
}

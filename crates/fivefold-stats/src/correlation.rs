//! Pearson's r, Spearman's rho and Kendall's tau-b under one name, for two parallel lists.
//!
//! - r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2).
//! - rho is r of the ranks (Spearman 1904). Equal numbers have the mean of their ranks.
//! - tau-b: see [`kendall`](crate::kendall).
//!
//! Numbers that differ by rounding alone are equal. A list whose numbers are all equal has no
//! coefficient. Cost: n for r, n log n for rho, n^2 / 2 for tau-b.

use std::fmt;

use fivefold_base::rounding::levels;

use crate::error::{StatsError, all_finite, same_length};
use crate::kendall::kendall_tau_b;

/// A coefficient of correlation.
///
/// ```
/// use fivefold_stats::Coefficient;
///
/// // The last point is far off the line, but in the right order.
/// let (x, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 40.0]);
/// assert_eq!(Coefficient::Spearman.of(&x, &y)?, Some(1.0));
/// assert!(Coefficient::Pearson.of(&x, &y)?.is_some_and(|r| r < 0.9));
/// assert_eq!(Coefficient::named("kendall"), Some(Coefficient::Kendall));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coefficient {
    /// Kendall's tau-b.
    Kendall,
    /// Spearman's rho.
    Spearman,
    /// Pearson's r.
    Pearson,
}

impl Coefficient {
    /// All coefficients.
    pub const ALL: [Coefficient; 3] = [Coefficient::Kendall, Coefficient::Spearman, Coefficient::Pearson];

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Coefficient::Kendall => "kendall",
            Coefficient::Spearman => "spearman",
            Coefficient::Pearson => "pearson",
        }
    }

    /// The name with the sign of the number, for tables.
    pub fn title(self) -> &'static str {
        match self {
            Coefficient::Kendall => "Kendall's tau-b",
            Coefficient::Spearman => "Spearman's rho",
            Coefficient::Pearson => "Pearson's r",
        }
    }

    /// The coefficient with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|coefficient| coefficient.name() == name)
    }

    /// The coefficient of two parallel lists; `None` if a list is constant or has fewer than two
    /// items.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
    pub fn of(self, first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
        match self {
            Coefficient::Kendall => kendall_tau_b(first, second),
            Coefficient::Spearman => spearman(first, second),
            Coefficient::Pearson => pearson(first, second),
        }
    }
}

impl fmt::Display for Coefficient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Pearson's r of two parallel lists. `None` if a list is constant or has fewer than two items.
///
/// ```
/// use fivefold_stats::pearson;
///
/// // Deviations -1, 0, 1 and -1, 1, 0: 1 / 2.
/// let r = pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0])?;
/// assert!((r.unwrap() - 0.5).abs() < 1e-15);
/// assert_eq!(pearson(&[1.0, 2.0], &[3.0, 3.0])?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn pearson(first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
    same_length(first.len(), second.len())?;
    all_finite(first)?;
    all_finite(second)?;
    if constant(first) || constant(second) {
        return Ok(None);
    }
    Ok(product_moment(first, second))
}

/// Spearman's rho of two parallel lists. `None` if a list is constant or has fewer than two items.
///
/// ```
/// use fivefold_stats::spearman;
///
/// // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: 4.5 / sqrt(4.5 x 5).
/// let rho = spearman(&[1.0, 5.0, 5.0, 9.0], &[0.1, 0.2, 0.3, 0.4])?;
/// assert!((rho.unwrap() - 0.9f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn spearman(first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
    same_length(first.len(), second.len())?;
    all_finite(first)?;
    all_finite(second)?;
    Ok(product_moment(&mean_ranks(first), &mean_ranks(second)))
}

/// Whether all numbers are equal up to rounding.
pub(crate) fn constant(list: &[f64]) -> bool {
    levels(list).windows(2).all(|pair| pair[0] == pair[1])
}

/// The rank of each number from 1, the lowest first. Numbers that are equal up to rounding have the
/// mean of their ranks.
pub(crate) fn mean_ranks(list: &[f64]) -> Vec<f64> {
    let levels = levels(list);
    let mut order: Vec<usize> = (0..list.len()).collect();
    order.sort_by(|&a, &b| levels[a].total_cmp(&levels[b]));
    let mut ranks = vec![0.0; list.len()];
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| levels[a] == levels[b]) {
        let rank = before as f64 + (group.len() + 1) as f64 / 2.0;
        group.iter().for_each(|&place| ranks[place] = rank);
        before += group.len();
    }
    ranks
}

/// r without checks; `None` without a spread.
fn product_moment(first: &[f64], second: &[f64]) -> Option<f64> {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    let (mean_first, mean_second) = (mean(first), mean(second));
    let (mut both, mut squares_first, mut squares_second) = (0.0, 0.0, 0.0);
    for (&x, &y) in first.iter().zip(second) {
        let (x, y) = (x - mean_first, y - mean_second);
        both += x * y;
        squares_first += x * x;
        squares_second += y * y;
    }
    ratio(both, squares_first, squares_second)
}

/// `both / sqrt(first second)` within [-1, 1]; `None` if a spread is 0 or not finite.
pub(crate) fn ratio(both: f64, first: f64, second: f64) -> Option<f64> {
    let spread = (first * second).sqrt();
    (spread > 0.0 && spread.is_finite()).then(|| (both / spread).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 8] = [0.3, 0.1, 0.3, 0.9, 0.2, 0.25, 0.4, 0.1];
    const Y: [f64; 8] = [3.0, 1.0, 2.0, 5.0, 2.0, 4.0, 2.0, 1.5];

    // scipy 1.17: stats.pearsonr(x, y).statistic; stats.spearmanr(x, y).statistic
    #[test]
    fn agrees_with_scipy() {
        assert!((pearson(&X, &Y).unwrap().unwrap() - 0.7922403055537847).abs() < 1e-15);
        assert!((spearman(&X, &Y).unwrap().unwrap() - 0.7284505775290724).abs() < 1e-15);
    }

    #[test]
    fn a_line_is_one_and_a_constant_has_none() {
        for coefficient in Coefficient::ALL {
            assert_eq!(coefficient.of(&X, &X).unwrap(), Some(1.0), "{coefficient}");
            let negative = X.map(|x| -x);
            assert_eq!(coefficient.of(&X, &negative).unwrap(), Some(-1.0), "{coefficient}");
            // Sums of the same terms in two orders are one number.
            let rounded = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6];
            assert_eq!(coefficient.of(&rounded, &[1.0, 2.0, 3.0]).unwrap(), None, "{coefficient}");
            assert_eq!(coefficient.of(&[1.0], &[2.0]).unwrap(), None, "{coefficient}");
            assert_eq!(coefficient.of(&[], &[]).unwrap(), None, "{coefficient}");
            assert!(coefficient.of(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
            assert!(coefficient.of(&[1.0], &[1.0, 2.0]).is_err());
            assert_eq!(Coefficient::named(coefficient.name()), Some(coefficient));
        }
    }
}

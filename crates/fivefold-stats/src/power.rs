//! The power of the paired two-sided t-test, and the number of queries that a difference needs.
//!
//! With a true effect d_z (difference / deviation of the differences) and n queries, t follows the
//! noncentral t distribution with n - 1 degrees of freedom and noncentrality d_z sqrt(n). The power
//! is the mass of both tails: P(T > c) + P(T < -c) = mean over s of Phi(delta - c s) + Phi(-delta -
//! c s), s = sqrt(chi-square_v / v). Quadrature gives the mean over s, without a normal
//! approximation. The differences are assumed to be normal. For bounded measures and many queries
//! this assumption matters little. Sakai ("Topic set size design", IRJ 19, 2016) uses the same
//! quantity.

use crate::distribution::student_quantile;
use crate::error::{StatsError, check_share};
use crate::normal;
use crate::quadrature::mean_over_deviation;

/// The most queries that the search tries.
const MOST: usize = 1 << 30;

/// The probability that the test finds a true effect `dz`, with this many queries.
///
/// ```
/// use fivefold_stats::paired_t_power;
///
/// // Cohen (1988): an effect of half a deviation is found on 34 queries with probability .8.
/// assert!(paired_t_power(0.5, 33, 0.05)? < 0.8);
/// assert!(paired_t_power(0.5, 34, 0.05)? > 0.8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two queries; [`StatsError::OutOfRange`] for alpha or an
/// effect that is not finite.
pub fn paired_t_power(dz: f64, queries: usize, alpha: f64) -> Result<f64, StatsError> {
    check_share("alpha", alpha)?;
    if !dz.is_finite() {
        return Err(StatsError::OutOfRange { what: "the effect size", value: dz, range: "finite" });
    }
    if queries < 2 {
        return Err(StatsError::TooFew { found: queries, needed: 2 });
    }
    let degrees = (queries - 1) as f64;
    let critical = student_quantile(1.0 - alpha, degrees);
    let shift = dz.abs() * (queries as f64).sqrt();
    let outside = |s: f64| normal::below(shift - critical * s) + normal::below(-shift - critical * s);
    Ok(mean_over_deviation(degrees, outside).clamp(0.0, 1.0))
}

/// The fewest queries with which the test finds a true mean `difference` with probability `power`,
/// if the differences have this standard deviation. `None` if the difference is 0 or needs more
/// than 2^30 queries.
///
/// ```
/// use fivefold_stats::queries_needed;
///
/// // A mean difference of .05 where the differences have a deviation of .1.
/// assert_eq!(queries_needed(0.05, 0.1, 0.05, 0.8)?, Some(34));
/// assert_eq!(queries_needed(0.0, 0.1, 0.05, 0.8)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::OutOfRange`] for alpha, power, or a deviation that is not positive and finite.
pub fn queries_needed(difference: f64, deviation: f64, alpha: f64, power: f64) -> Result<Option<usize>, StatsError> {
    check_share("the power", power)?;
    if !(deviation > 0.0 && deviation.is_finite()) {
        let what = "the standard deviation of the differences";
        return Err(StatsError::OutOfRange { what, value: deviation, range: "positive and finite" });
    }
    let dz = difference / deviation;
    let enough = |queries| paired_t_power(dz, queries, alpha).map(|found| found >= power);
    if dz == 0.0 {
        return Ok(None);
    }
    let mut high = 2;
    while !enough(high)? {
        high *= 2;
        if high > MOST {
            return Ok(None);
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if enough(middle)? {
            high = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_effect_is_found_with_probability_alpha() {
        for queries in [2, 10, 1000] {
            assert!((paired_t_power(0.0, queries, 0.05).unwrap() - 0.05).abs() < 1e-9);
        }
    }

    #[test]
    fn the_fewest_queries_are_enough_and_one_less_is_not() {
        for (difference, deviation, power) in [(0.02, 0.2, 0.8), (1.0, 1.0, 0.9), (-0.5, 0.1, 0.8), (0.001, 0.3, 0.95)]
        {
            let queries = queries_needed(difference, deviation, 0.05, power).unwrap().unwrap();
            assert!(paired_t_power(difference / deviation, queries, 0.05).unwrap() >= power);
            assert!(queries == 2 || paired_t_power(difference / deviation, queries - 1, 0.05).unwrap() < power);
        }
        assert_eq!(queries_needed(0.0, 0.2, 0.05, 0.8), Ok(None));
        assert!(queries_needed(0.1, 0.0, 0.05, 0.8).is_err() && queries_needed(0.1, 0.2, 0.05, 1.0).is_err());
    }
}

//! The standard normal distribution to the last digits, also far out in its tails.
//!
//! Phi(z) = erfc(-z / sqrt 2) / 2, with `erfc` from the crate `libm`. This code of FreeBSD has an
//! error below one unit in the last place, and gives the same bits on every processor. The division
//! by sqrt 2 keeps its remainder, because in the tails an error of one bit in the argument costs
//! z^2 bits of the result. The relative error is below 1e-15 up to z = 25, and below 2e-15 up to
//! z = 37.5, where the result underflows. A test compares with values of 900 digits.

use std::f64::consts::FRAC_1_SQRT_2;

/// 1 / sqrt 2 minus `FRAC_1_SQRT_2`.
const REST: f64 = -4.833646656726457e-17;
/// 2 / sqrt pi.
const SLOPE: f64 = std::f64::consts::FRAC_2_SQRT_PI;

/// P(Z >= z) for a standard normal Z; NaN of NaN.
///
/// ```
/// assert_eq!(fivefold_stats::normal::above(1.96), 0.024997895148220435);
/// ```
pub fn above(z: f64) -> f64 {
    let x = z * FRAC_1_SQRT_2;
    let tail = libm::erfc(x);
    // The rounding error of the product, and of the constant.
    let rest = libm::fma(z, FRAC_1_SQRT_2, -x) + z * REST;
    let change = if rest.is_finite() { SLOPE * libm::exp(-x * x) * rest } else { 0.0 };
    0.5 * (tail - change)
}

/// P(Z <= z).
pub fn below(z: f64) -> f64 {
    above(-z)
}

/// The density at x.
///
/// ```
/// assert_eq!(fivefold_stats::normal::density(0.0), 0.3989422804014327);
/// ```
pub fn density(x: f64) -> f64 {
    libm::exp(-x * x / 2.0) / (2.0 * std::f64::consts::PI).sqrt()
}

/// The weighted sum of the densities of N(mean, 1) at x.
///
/// ```
/// assert_eq!(fivefold_stats::normal::density_of_mixture(1.0, &[0.5, 0.5], &[1.0, 1.0]), 0.3989422804014327);
/// ```
pub fn density_of_mixture(x: f64, weights: &[f64], means: &[f64]) -> f64 {
    weights.iter().zip(means).map(|(weight, mean)| weight * density(x - mean)).sum()
}

/// The weighted sum of P(X >= x) of X ~ N(mean, 1).
///
/// ```
/// assert_eq!(fivefold_stats::normal::above_of_mixture(1.0, &[0.5, 0.25], &[1.0, 1.0]), 0.375);
/// ```
pub fn above_of_mixture(x: f64, weights: &[f64], means: &[f64]) -> f64 {
    weights.iter().zip(means).map(|(weight, mean)| weight * above(x - mean)).sum()
}

/// P(|Z| >= |z|), the p-value of a two-sided test.
pub fn two_sided(z: f64) -> f64 {
    2.0 * above(z.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// z, P(Z >= z), P(Z <= z): the series of Phi in Python's `decimal` with 900 digits. (scipy's
    /// `norm.sf(5.5)` is off by 2e-15.)
    const EXACT: [(f64, f64, f64); 22] = [
        (0.0, 0.5, 0.5),
        (1e-300, 0.5, 0.5),
        (1e-09, 0.49999999960105773, 0.5000000003989423),
        (0.1, 0.460172162722971, 0.539827837277029),
        (0.5, 0.3085375387259869, 0.6914624612740131),
        (0.84, 0.20045419326044966, 0.7995458067395503),
        (1.0, 0.15865525393145705, 0.8413447460685429),
        (1.2, 0.11506967022170828, 0.8849303297782917),
        (1.5, 0.06680720126885807, 0.9331927987311419),
        (1.7677669529663689, 0.03854993587177088, 0.9614500641282291),
        (1.96, 0.024997895148220435, 0.9750021048517795),
        (2.5, 0.006209665325776135, 0.9937903346742238),
        (3.0, 0.0013498980316300946, 0.9986501019683699),
        (4.0, 3.1671241833119924e-05, 0.9999683287581669),
        (5.5, 1.8989562465887718e-08, 0.9999999810104375),
        (7.1, 6.237844463331591e-13, 0.9999999999993762),
        (8.3, 5.205569744890254e-17, 1.0),
        (9.9, 2.081375219493206e-23, 1.0),
        (12.34, 2.7577941516989773e-35, 1.0),
        (17.0, 4.1059962020989065e-65, 1.0),
        (25.0, 3.056696706382561e-138, 1.0),
        (37.5, 4.605353009581955e-308, 1.0),
    ];

    #[test]
    fn the_tails_keep_their_digits() {
        for (z, upper, lower) in EXACT {
            let most = if z > 25.0 { 2e-15 } else { 1e-15 };
            assert!((above(z) / upper - 1.0).abs() <= most, "{z}: {} for {upper}", above(z));
            assert!((below(z) - lower).abs() <= 2.3e-16, "{z}: {} for {lower}", below(z));
            assert_eq!((below(-z), two_sided(-z)), (above(z), 2.0 * above(z)));
        }
        assert_eq!((above(f64::INFINITY), above(f64::NEG_INFINITY), above(40.0)), (0.0, 1.0, 0.0));
        assert!(above(f64::NAN).is_nan() && two_sided(f64::NAN).is_nan());
    }
}

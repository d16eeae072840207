//! Tail probabilities and quantiles that the tests need, by name.
//!
//! All tails are taken as tails, never as 1 - cdf, so that small p-values keep their digits.

use statrs::function::beta::{beta_reg, inv_beta_reg};
use statrs::function::erf::erfc;
use statrs::function::gamma::gamma_ur;

/// P(|T| >= |t|) for Student's t: I_x(v/2, 1/2) with x = v / (v + t^2).
pub(crate) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t))
}

/// The q with P(|T| <= q) = `confidence`.
pub(crate) fn student_quantile(confidence: f64, degrees: f64) -> f64 {
    let x = inv_beta_reg(degrees / 2.0, 0.5, 1.0 - confidence);
    (degrees * (1.0 - x) / x).sqrt()
}

/// P(Z <= z) for the standard normal.
pub(crate) fn normal_below(z: f64) -> f64 {
    0.5 * erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(|Z| >= |z|).
pub(crate) fn normal_two_sided(z: f64) -> f64 {
    erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
}

/// P(X >= x) for chi-square.
pub(crate) fn chi_square_above(x: f64, degrees: f64) -> f64 {
    if x <= 0.0 { 1.0 } else { gamma_ur(degrees / 2.0, x / 2.0) }
}

/// P(X >= x) for Fisher's F.
pub(crate) fn f_above(x: f64, numerator: f64, denominator: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else {
        beta_reg(denominator / 2.0, numerator / 2.0, denominator / (denominator + numerator * x))
    }
}

/// P(X <= k) for n fair coins: the sum of its terms, which are exact up to n = 50; I_{1/2}(n - k, k + 1) where 2^-n is no
/// number.
pub(crate) fn coins_at_most(k: usize, n: usize) -> f64 {
    if k >= n {
        return 1.0;
    }
    if n > 1000 {
        return beta_reg((n - k) as f64, k as f64 + 1.0, 0.5);
    }
    let mut term = 2f64.powi(-(n as i32));
    let mut sum = term;
    for i in 0..k {
        term = term * (n - i) as f64 / (i + 1) as f64;
        sum += term;
    }
    sum
}

//! Tail probabilities and quantiles that the tests need. The normal distribution has a module of
//! its own, [`normal`](crate::normal).
//!
//! Every tail is computed as a tail, never as 1 - cdf, so that small p-values keep their digits.

use std::cell::Cell;

use statrs::function::beta::beta_reg;
use statrs::function::gamma::{gamma_ur, ln_gamma};

/// P(|T| >= |t|) for Student's t: I_x(v/2, 1/2) with x = v / (v + t^2).
pub(crate) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t))
}

thread_local! {
    /// The last quantile and what was asked. All comparisons of a family ask for the same, and a
    /// quantile takes a tenth of a millisecond.
    static LAST_QUANTILE: Cell<[f64; 3]> = const { Cell::new([f64::NAN; 3]) };
}

/// The q with P(|T| <= q) = `confidence`.
pub(crate) fn student_quantile(confidence: f64, degrees: f64) -> f64 {
    LAST_QUANTILE.with(|last| match last.get() {
        [of, by, quantile] if of == confidence && by == degrees => quantile,
        _ => {
            let quantile = quantile_by_newton(confidence, degrees);
            last.set([confidence, degrees, quantile]);
            quantile
        }
    })
}

/// The quantile by Newton's method from 0. The tail falls and is convex, so every step stays below q
/// and no step overshoots. (The inverse of the beta function in `statrs` does not end for some degrees
/// of freedom.)
fn quantile_by_newton(confidence: f64, degrees: f64) -> f64 {
    let half = (degrees + 1.0) / 2.0;
    let scale = libm::exp(ln_gamma(half) - ln_gamma(degrees / 2.0)) / (degrees * std::f64::consts::PI).sqrt();
    let mut q = 0.0;
    for _ in 0..MOST_STEPS {
        let density = scale * libm::exp(-half * libm::log1p(q * q / degrees));
        let step = (student_two_sided(q, degrees) - (1.0 - confidence)) / (2.0 * density);
        if step.abs() <= f64::EPSILON * q {
            break;
        }
        q += step;
    }
    q
}

/// More steps than any quantile takes. Most take about 10 steps; one degree of freedom and the
/// highest confidence take 60.
const MOST_STEPS: usize = 200;

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

/// P(X <= k) for n fair coins: the sum of its terms, which are exact up to n = 50. Above n = 1000,
/// where 2^-n nears underflow, the result is I_{1/2}(n - k, k + 1).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn student_quantiles_end_and_invert_the_tail_for_any_degrees() {
        // scipy.stats.t.ppf(.975, [1, 5, 783])
        for (degrees, quantile) in [(1.0, 12.70620474), (5.0, 2.57058184), (783.0, 1.96299831)] {
            let found = student_quantile(0.95, degrees);
            assert!((found / quantile - 1.0).abs() < 1e-8, "{degrees}: {found}");
        }
        for degrees in 1..4000u32 {
            for confidence in [0.5, 0.8, 0.9, 0.95, 0.99, 0.999] {
                let tail = student_two_sided(student_quantile(confidence, f64::from(degrees)), f64::from(degrees));
                assert!((tail / (1.0 - confidence) - 1.0).abs() < 1e-9, "{degrees} {confidence}: {tail}");
            }
        }
    }
}

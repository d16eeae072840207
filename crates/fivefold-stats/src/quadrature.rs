//! Numerical integrals of smooth functions: composite 16-point Gauss-Legendre.

use std::f64::consts::PI;

const POINTS: usize = 16;
/// Panels for a mean over the deviation.
const PANELS: usize = 16;

/// The integral of `f` from `low` to `high` by this many panels.
pub(crate) fn integral(low: f64, high: f64, panels: usize, f: impl Fn(f64) -> f64) -> f64 {
    let rule = gauss_legendre();
    let half = (high - low) / (2 * panels) as f64;
    let panel = |panel: usize| {
        let middle = low + half * (2 * panel + 1) as f64;
        rule.iter().map(|(x, weight)| weight * f(middle + half * x)).sum::<f64>()
    };
    half * (0..panels).map(panel).sum::<f64>()
}

/// The mean of `f(s)` for s = sqrt(chi-square / degrees), the sample deviation of standard normal
/// numbers.
///
/// The density s^(v-1) exp(-v s^2 / 2) is divided by its own integral. Outside 1 - 7 / sqrt(v) ..
/// 1 + 9 / sqrt(v), the density is below e^-40 of its maximum. The integral is over the cube root
/// of s: for few degrees of freedom the critical values are large, and only the s close to 0
/// matter.
pub(crate) fn mean_over_deviation(degrees: f64, f: impl Fn(f64) -> f64) -> f64 {
    let spread = 1.0 / degrees.sqrt();
    let (low, high) = (libm::cbrt((1.0 - 7.0 * spread).max(0.0)), libm::cbrt(1.0 + 9.0 * spread));
    let density = |s: f64| libm::exp((degrees - 1.0) * libm::log(s) - degrees * (s * s - 1.0) / 2.0);
    let over_root = |f: &dyn Fn(f64) -> f64| integral(low, high, PANELS, |u| u * u * density(u * u * u) * f(u * u * u));
    over_root(&f) / over_root(&|_| 1.0)
}

/// Nodes in (-1, 1) and weights: the roots of the Legendre polynomial, by Newton's method.
fn gauss_legendre() -> [(f64, f64); POINTS] {
    std::array::from_fn(|i| {
        let mut x = libm::cos(PI * (i as f64 + 0.75) / (POINTS as f64 + 0.5));
        let mut slope = 1.0;
        for _ in 0..8 {
            let (mut before, mut value) = (1.0, x);
            for k in 2..=POINTS {
                let k = k as f64;
                (before, value) = (value, ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k);
            }
            slope = POINTS as f64 * (x * value - before) / (x * x - 1.0);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_integrals() {
        // Exact for polynomials up to degree 31.
        assert!((integral(-1.0, 1.0, 1, |x| x.powi(30)) - 2.0 / 31.0).abs() < 1e-15);
        assert!((integral(0.0, PI, 2, libm::sin) - 2.0).abs() < 1e-14);
        // E[s^2] = 1 whatever the degrees; E|Z| = sqrt(2 / pi).
        for degrees in [1.0, 2.0, 5.0, 99.0, 1e6] {
            assert!((mean_over_deviation(degrees, |s| s * s) - 1.0).abs() < 1e-12, "{degrees}");
        }
        assert!((mean_over_deviation(1.0, |s| s) - (2.0 / PI).sqrt()).abs() < 1e-12);
    }
}

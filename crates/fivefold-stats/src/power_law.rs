//! A power law through a learning curve: y = limit - scale n^(-exponent).
//!
//! The fit is by least squares. For each exponent, limit and scale follow from a straight line through
//! the points (n^(-exponent), y), so only the exponent is searched for: first on a grid of ratios, then
//! by golden sections. The interval of the limit is that of the profile: it holds each limit for which
//! the best curve has a sum of squares of at most
//!
//! ```text
//! SSE (1 + t^2 / (points - 3))
//! ```
//!
//! with Student's quantile t for points - 3 degrees of freedom (Bates & Watts, "Nonlinear Regression
//! Analysis and Its Applications", 1988, section 6.1).
//!
//! A curve does not fit if there are fewer than five sizes, if the values do not rise, if the exponent
//! lies at an end of its range, or if an end of the interval of the limit is farther from the limit than
//! twice the range of the values. Cost: some ten thousand sums over the points.

use crate::distribution::student_quantile;

/// A power law that was fitted. See [`power_law`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct PowerLaw {
    /// The value that the curve approaches.
    pub limit: f64,
    /// The distance from the limit at n = 1.
    pub scale: f64,
    /// How fast the distance falls.
    pub exponent: f64,
    /// The ends of the interval of the limit.
    pub limit_ends: (f64, f64),
    /// The standard deviation of the points about the curve.
    pub deviation: f64,
}

impl PowerLaw {
    /// The value of the curve at `n`.
    pub fn at(&self, n: f64) -> f64 {
        self.limit - self.scale * libm::pow(n, -self.exponent)
    }
}

/// The fewest points of a fit: three numbers are fitted, and two degrees of freedom are left.
const FEWEST: usize = 5;
/// The range of exponents.
const EXPONENTS: (f64, f64) = (0.02, 8.0);
/// Exponents of the first search.
const GRID: usize = 200;
/// Steps of golden sections, and of the search for an end of the interval.
const STEPS: usize = 60;
/// The farthest end of the interval from the limit, in ranges of the values.
const FARTHEST: f64 = 2.0;

/// Fits a power law to values at some sizes, which are above 0. The error says why no curve fits.
///
/// ```
/// use fivefold_stats::power_law;
///
/// let sizes = [50.0, 100.0, 200.0, 400.0, 800.0, 1600.0];
/// let values = sizes.map(|n: f64| 0.5 - 0.8 / n.sqrt());
/// let law = power_law(&sizes, &values, 0.95)?;
/// assert!((law.limit - 0.5).abs() < 1e-6 && (law.exponent - 0.5).abs() < 1e-4);
/// // Two points make no curve.
/// assert!(power_law(&sizes[..2], &values[..2], 0.95).is_err());
/// # Ok::<(), &str>(())
/// ```
///
/// # Errors
/// Why no curve fits, in words.
pub fn power_law(sizes: &[f64], values: &[f64], confidence: f64) -> Result<PowerLaw, &'static str> {
    let points: Vec<(f64, f64)> = sizes.iter().copied().zip(values.iter().copied()).collect();
    if points.len() < FEWEST || sizes.len() != values.len() {
        return Err("fewer than five sizes have a value");
    }
    if points.iter().any(|(size, value)| *size <= 0.0 || !value.is_finite()) {
        return Err("a size or a value is not a number");
    }
    let exponent = best_exponent(|exponent| line(&points, exponent).squares);
    let Line { limit, slope, squares } = line(&points, exponent);
    if slope >= 0.0 {
        return Err("the values do not rise with the size");
    }
    if exponent <= EXPONENTS.0 * 1.01 || exponent >= EXPONENTS.1 * 0.99 {
        return Err("the points lie on no bent curve");
    }
    let degrees = (points.len() - 3) as f64;
    let quantile = student_quantile(confidence, degrees);
    let most = squares * (1.0 + quantile * quantile / degrees) + f64::EPSILON;
    let within = |limit: f64| {
        let of = |exponent| squares_with_limit(&points, limit, exponent);
        of(best_exponent(of)) <= most
    };
    let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &y| (y.min(low), y.max(high)));
    let end = |sign: f64| end_of(limit, limit + sign * FARTHEST * (ends.1 - ends.0), within);
    let (Some(low), Some(high)) = (end(-1.0), end(1.0)) else {
        return Err("the points do not tell where the curve ends");
    };
    let deviation = (squares / degrees).sqrt();
    Ok(PowerLaw { limit, scale: -slope, exponent, limit_ends: (low, high), deviation })
}

/// y = limit + slope n^(-exponent).
struct Line {
    limit: f64,
    slope: f64,
    squares: f64,
}

/// The least squares line for an exponent.
fn line(points: &[(f64, f64)], exponent: f64) -> Line {
    let count = points.len() as f64;
    let x = |size: f64| libm::pow(size, -exponent);
    let mean_x = points.iter().map(|(size, _)| x(*size)).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, value)| value).sum::<f64>() / count;
    let (mut xx, mut xy) = (0.0, 0.0);
    for (size, value) in points {
        let dx = x(*size) - mean_x;
        xx += dx * dx;
        xy += dx * (value - mean_y);
    }
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    let limit = mean_y - slope * mean_x;
    let squares = points.iter().map(|(size, value)| square(value - limit - slope * x(*size))).sum();
    Line { limit, slope, squares }
}

/// The sum of squares of the best curve with this limit and exponent.
fn squares_with_limit(points: &[(f64, f64)], limit: f64, exponent: f64) -> f64 {
    let (mut xx, mut xy) = (0.0, 0.0);
    for (size, value) in points {
        let x = libm::pow(*size, -exponent);
        xx += x * x;
        xy += x * (value - limit);
    }
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    points.iter().map(|(size, value)| square(value - limit - slope * libm::pow(*size, -exponent))).sum()
}

fn square(x: f64) -> f64 {
    x * x
}

/// The exponent with the least sum of squares.
fn best_exponent(squares: impl Fn(f64) -> f64) -> f64 {
    let (low, high) = (libm::log(EXPONENTS.0), libm::log(EXPONENTS.1));
    let at = |place: usize| low + (high - low) * place as f64 / (GRID - 1) as f64;
    let value = |logarithm: f64| squares(libm::exp(logarithm));
    let found: Vec<f64> = (0..GRID).map(|place| value(at(place))).collect();
    let best = (0..GRID).min_by(|&one, &other| found[one].total_cmp(&found[other])).unwrap_or(0);
    let (mut low, mut high) = (at(best.saturating_sub(1)), at((best + 1).min(GRID - 1)));
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    for _ in 0..STEPS {
        let (one, other) = (high - ratio * (high - low), low + ratio * (high - low));
        if value(one) <= value(other) { high = other } else { low = one }
    }
    libm::exp(f64::midpoint(low, high))
}

/// The last number between `inside` and `far` that is within. `None` if `far` is within too.
fn end_of(inside: f64, far: f64, within: impl Fn(f64) -> bool) -> Option<f64> {
    // The steps away from the curve double, so that a second valley far away is not taken.
    let mut step = (far - inside) * libm::ldexp(1.0, -30);
    let mut last = inside;
    while within(last + step) {
        last += step;
        step *= 2.0;
        if (last - inside).abs() >= (far - inside).abs() {
            return None;
        }
    }
    let (mut inner, mut outer) = (last, last + step);
    for _ in 0..STEPS {
        let middle = f64::midpoint(inner, outer);
        if within(middle) { inner = middle } else { outer = middle }
    }
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: [f64; 6] = [60.0, 120.0, 180.0, 300.0, 420.0, 600.0];
    const VALUES: [f64; 6] = [0.412, 0.431, 0.4405, 0.4475, 0.4519, 0.4552];

    /// The values are of scipy:
    ///
    /// ```python
    /// import numpy as np
    /// from scipy.optimize import least_squares
    /// n = np.array([60, 120, 180, 300, 420, 600.]); y = np.array([.412, .431, .4405, .4475, .4519, .4552])
    /// f = least_squares(lambda p: p[0] - p[1] * n ** -p[2] - y, [.46, 1, .7], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    /// print(f.x, 2 * f.cost)
    /// ```
    #[test]
    fn the_fit_is_that_of_scipy() {
        let law = power_law(&SIZES, &VALUES, 0.95).unwrap();
        let (limit, scale, exponent) = (0.470_051_958_150_611_7, 0.665_222_043_557_204_7, 0.595_241_254_606_196_3);
        let squares = 8.714_859_480_953_067e-7_f64;
        assert!((law.limit - limit).abs() < 1e-6, "{law:?}");
        assert!((law.scale - scale).abs() < 1e-4 && (law.exponent - exponent).abs() < 1e-5, "{law:?}");
        assert!((law.deviation - (squares / 3.0).sqrt()).abs() < 1e-8);
        assert!((law.at(600.0) - VALUES[5]).abs() < 0.002);
    }

    /// At an end of the interval, the best curve has the sum of squares that the formula allows.
    #[test]
    fn the_interval_ends_where_the_profile_says() {
        let law = power_law(&SIZES, &VALUES, 0.95).unwrap();
        let points: Vec<(f64, f64)> = SIZES.into_iter().zip(VALUES).collect();
        let least = law.deviation * law.deviation * 3.0;
        let t = student_quantile(0.95, 3.0);
        for end in [law.limit_ends.0, law.limit_ends.1] {
            // A search that shares nothing with the fit: a fine grid.
            let profile = (0..20_000)
                .map(|step| squares_with_limit(&points, end, 0.02 + f64::from(step) * 4e-4))
                .fold(f64::INFINITY, f64::min);
            assert!((profile / (least * (1.0 + t * t / 3.0)) - 1.0).abs() < 1e-3, "{law:?}");
        }
        assert!(law.limit_ends.0 < law.limit && law.limit < law.limit_ends.1);
    }

    #[test]
    fn curves_that_do_not_fit_are_named() {
        let of = |values: [f64; 6]| power_law(&SIZES, &values, 0.95);
        assert_eq!(of([0.4, 0.39, 0.38, 0.37, 0.36, 0.35]), Err("the values do not rise with the size"));
        assert!(of([0.4, 0.42, 0.4, 0.42, 0.4, 0.42]).is_err());
        assert!(of(SIZES.map(|n| n / 1000.0)).is_err());
        assert!(power_law(&SIZES[..4], &VALUES[..4], 0.95).is_err());
    }
}

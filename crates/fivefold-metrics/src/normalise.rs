//! Upper-expected (UE) normalisation, the same for every measure.
//!
//! A is the value of a ranking, U its upper bound, and E the value expected of a random order:
//! - V1 = (A/U) (A/(A+E)), and 0 if A = 0; the ideal order has U/(U+E), a random order about
//!   E/(2U);
//! - V2 = (A-E)/(U-E) if A >= E, else (A-E)/E: 1 = perfect, 0 = random, -1 = nothing relevant.
//!
//! Source: Feng & Karmaker, IPM 2023, Eqs. 5 and 6. Under averaged ties, A is the averaged A. V1
//! and V2 are undefined if U and E are equal, since then no order is better than another.

use fivefold_base::rounding::equal;
use fivefold_base::ue::slopes;
pub use fivefold_base::ue::{differ, v1, v2};

use crate::spec::Version;

/// The numbers that turn A at one cutoff of one query into the value of any version.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    /// A = sum of contributions / `denominator`.
    pub(crate) denominator: f64,
    /// Original value = A / `normaliser`; NaN if it is undefined.
    pub(crate) normaliser: f64,
    /// U.
    pub(crate) upper: f64,
    /// E.
    pub(crate) expected: f64,
    /// The standard error of E; 0 if E is exact.
    pub(crate) expected_error: f64,
    /// Whether V1 and V2 are defined.
    pub(crate) ue: bool,
}

impl Bounds {
    /// E, divided as the original value is.
    pub(crate) fn value_of_expected(&self) -> f64 {
        self.expected / self.normaliser
    }

    /// The standard error of the value of `version`, if the sum has the standard error `sum_error`:
    /// the errors of A and E, each times the slope of the value, as if they were drawn apart.
    #[inline]
    pub(crate) fn error(&self, version: Version, sum: f64, sum_error: f64) -> f64 {
        let needs_expected = version != Version::Original && self.ue;
        if sum_error == 0.0 && (self.expected_error == 0.0 || !needs_expected) {
            return 0.0;
        }
        let (a, a_error) = (sum / self.denominator, sum_error / self.denominator);
        let [by_a, by_e] = match version {
            Version::Original => return a_error / self.normaliser,
            _ if !self.ue => return 0.0,
            version => slopes(version, a, self.upper, self.expected),
        };
        libm::hypot(by_a * a_error, by_e * self.expected_error)
    }

    /// The value of `version`; NaN if it is undefined.
    #[inline]
    pub(crate) fn value(&self, version: Version, sum: f64) -> f64 {
        let a = sum / self.denominator;
        // Sums over ties can exceed the bound in their last bits.
        let bounded = || if a > self.upper && equal(a, self.upper) { self.upper } else { a };
        match version {
            Version::Original => a / self.normaliser,
            _ if !self.ue => f64::NAN,
            Version::V1 => v1(bounded(), self.upper, self.expected),
            Version::V2 => v2(bounded(), self.upper, self.expected),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The change of the value when A or E changes by a small step is the error for this step.
    #[test]
    fn errors_are_those_of_small_changes() {
        let bounds = |expected: f64, expected_error: f64| {
            let (denominator, normaliser, upper, ue) = (2.0, 4.0, 3.0, true);
            Bounds { denominator, normaliser, upper, expected, expected_error, ue }
        };
        let step = 1e-6;
        for version in [Version::Original, Version::V1, Version::V2] {
            for sum in [1.0, 4.0] {
                let value = |sum: f64, e: f64| bounds(e, 0.0).value(version, sum);
                let by_sum = (value(sum + step, 1.0) - value(sum, 1.0)).abs();
                let by_e = (value(sum, 1.0 + step) - value(sum, 1.0)).abs();
                assert!((bounds(1.0, 0.0).error(version, sum, step) - by_sum).abs() < 1e-11, "{version} {sum}");
                assert!((bounds(1.0, step).error(version, sum, 0.0) - by_e).abs() < 1e-11, "{version} {sum}");
                let both = bounds(1.0, step).error(version, sum, step);
                assert!((both - libm::hypot(by_sum, by_e)).abs() < 1e-11, "{version} {sum}");
            }
        }
        assert_eq!(bounds(1.0, 0.5).error(Version::Original, 1.0, 0.0), 0.0);
        assert_eq!(Bounds { ue: false, ..bounds(1.0, 0.5) }.error(Version::V2, 1.0, 0.5), 0.0);
    }
}

//! The limit of a measure as the number of documents grows without bound.
//!
//! For a sum of gain x discount with D(i) = i^-a, 0 < a < 1, Corollary 11 of He, Wang, Chen & Liu
//! gives the limit of A/U:
//!
//! (1-a) Int sum_i G(i) g_f(s,i) P_f(s)^-a ds / sum_i G(i) (P(Y>=i)^(1-a) - P(Y>=i+1)^(1-a)),
//!
//! where g_f(s,i) is the density of score s with grade i, and P_f(s) the probability of a score of
//! at least s. The numerator is the limit of A and the denominator the limit of U, each divided by
//! S(n) = sum_{i<=n} D(i). The limit of E / S(n) is the mean gain. So V1 and V2 have limits too, by
//! their formulas.
//!
//! Under a logarithmic discount the formula holds with a = 0: A, U and E are the same. A/U goes to
//! 1 for every ranker, and V1 to 1/2. The numerator and the denominator of V2 both vanish beside
//! S(n), so V2 has no limit here.
//!
//! The integral is a trapezoidal sum over s. The integrand is smooth and falls off at both ends, so
//! the sum converges faster than any power of the step. The part above the upper end s matters if a
//! is near 1. This part is P_f(s)^(1-a) times the mean gain at s.

use fivefold_metrics::Version;
use fivefold_metrics::normalise::{v1, v2};
use fivefold_stats::normal;

use super::discount::DiscountFamily;

/// The integral reaches this number of standard deviations beyond the means.
const REACH: f64 = 30.0;
const STEPS: u32 = 60_000;

/// The population as one ranker scores it.
pub(super) struct Scored<'a> {
    /// The share of each grade.
    pub(super) shares: &'a [f64],
    /// The mean score of each grade; the standard deviation is 1.
    pub(super) means: &'a [f64],
    /// The gain of each grade.
    pub(super) gains: &'a [f64],
}

/// The limit of a version of a measure with this discount; `None` if no theorem here gives a limit.
pub(super) fn limit(family: DiscountFamily, version: Version, scored: &Scored<'_>) -> Option<f64> {
    let (a, logarithmic) = match family {
        DiscountFamily::Power(a) if a > 0.0 && a < 1.0 => (a, false),
        DiscountFamily::Log2 | DiscountFamily::Letor => (0.0, true),
        _ => return None,
    };
    let expected = scored.expected();
    let upper = scored.upper(a);
    let value = if logarithmic { upper } else { scored.value(a) };
    match version {
        _ if upper <= 0.0 => None,
        Version::Original => Some(value / upper),
        Version::V1 => Some(v1(value, upper, expected)),
        Version::V2 if logarithmic => None,
        Version::V2 => Some(v2(value, upper, expected)),
    }
}

impl Scored<'_> {
    /// The limit of E / S(n): the mean gain.
    fn expected(&self) -> f64 {
        self.shares.iter().zip(self.gains).map(|(share, gain)| share * gain).sum()
    }

    /// The limit of U / S(n).
    fn upper(&self, a: f64) -> f64 {
        let at_least = |grade: usize| libm::pow(self.shares[grade..].iter().sum(), 1.0 - a);
        // Above the highest grade, the sum is empty, and 0 to a power above 0 is 0.
        (0..self.shares.len()).map(|grade| self.gains[grade] * (at_least(grade) - at_least(grade + 1))).sum()
    }

    /// The limit of A / S(n).
    fn value(&self, a: f64) -> f64 {
        let lowest = self.means.iter().copied().fold(f64::INFINITY, f64::min) - REACH;
        let highest = self.means.iter().copied().fold(f64::NEG_INFINITY, f64::max) + REACH;
        let step = (highest - lowest) / f64::from(STEPS);
        // The products of gain and share of sum_i G(i) g_f(s,i).
        let weights: Vec<f64> = self.gains.iter().zip(self.shares).map(|(gain, share)| gain * share).collect();
        let gain_density = |s: f64| normal::density_of_mixture(s, &weights, self.means);
        // P_f(s).
        let above = |s: f64| normal::above_of_mixture(s, self.shares, self.means);
        let integrand = |s: f64| (1.0 - a) * gain_density(s) * libm::pow(above(s), -a);
        let sum: f64 = (0..STEPS).map(|index| integrand(lowest + (f64::from(index) + 0.5) * step)).sum();
        let density = normal::density_of_mixture(highest, self.shares, self.means);
        let beyond = libm::pow(above(highest), 1.0 - a) * gain_density(highest) / density;
        sum * step + beyond
    }
}

#[cfg(test)]
mod tests {
    use super::super::population::Population;
    use super::*;

    fn limit_at(angle: f64, a: f64, version: Version) -> f64 {
        let population = Population::default();
        let means = population.score_means(angle);
        let scored = Scored { shares: &population.shares, means: &means, gains: &[0.0, 1.0, 3.0] };
        limit(DiscountFamily::Power(a), version, &scored).unwrap()
    }

    /// The limits of the twelve rankers, computed elsewhere by numerical integration.
    #[test]
    fn the_twelve_limits() {
        let expected = [0.7344, 0.7749, 0.7822, 0.7555, 0.6952, 0.6170, 0.5535, 0.5203, 0.5159, 0.5392, 0.5919, 0.6660];
        for (index, expected) in (0..12).zip(expected) {
            let angle = 30.0 * f64::from(index);
            let found = limit_at(angle, 0.5, Version::Original);
            assert!((found - expected).abs() <= 0.00005, "{angle}: {found}, not {expected}");
        }
    }

    /// Values of scipy 1.16's adaptive quadrature:
    /// ```python
    /// P = lambda s: sum(p * norm.sf(s - m) for p, m in zip(shares, means))
    /// A = quad(lambda s: (1-a) * sum(g * p * norm.pdf(s-m) for ...) * P(s)**-a, -10, 35, limit=2000, points=...)[0]
    /// ```
    #[test]
    fn other_exponents_and_versions() {
        let cases = [
            (0.1, [0.945388651756, 0.479827026190, 0.339789100080, -0.028830377056]),
            (0.3, [0.851842271866, 0.447679792461, 0.358519571849, -0.099202187539]),
            (0.8, [0.754145632763, 0.459021904774, 0.522732709100, -0.458167095386]),
            (0.9, [0.798708270765, 0.514735846679, 0.640141831331, -0.632667770667]),
        ];
        for (a, expected) in cases {
            let versions = [(60.0, Version::Original), (60.0, Version::V1), (60.0, Version::V2), (240.0, Version::V2)];
            for ((angle, version), expected) in versions.into_iter().zip(expected) {
                let found = limit_at(angle, a, version);
                assert!((found - expected).abs() < 1e-7, "{a} {angle} {version}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn logarithmic_discounts_go_to_one_and_summable_ones_nowhere() {
        let scored = Scored { shares: &[0.5, 0.5], means: &[0.0, 1.0], gains: &[0.0, 1.0] };
        let log = |version| limit(DiscountFamily::Log2, version, &scored);
        assert_eq!([Version::Original, Version::V1, Version::V2].map(log), [Some(1.0), Some(0.5), None]);
        for family in [
            DiscountFamily::Power(1.0),
            DiscountFamily::Power(2.0),
            DiscountFamily::Geometric(0.8),
            DiscountFamily::Cut(10),
        ] {
            assert_eq!(limit(family, Version::Original, &scored), None);
        }
        // As a falls to 0, the limit approaches the limit of the logarithm.
        let near = limit(DiscountFamily::Power(1e-6), Version::Original, &scored).unwrap();
        assert!((near - 1.0).abs() < 1e-5, "{near}");
    }
}

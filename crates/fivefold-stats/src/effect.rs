//! Effect sizes of a paired comparison. An effect size says how large a difference is, not how
//! certain.
//!
//! - Cohen's d_z = mean(d) / sd(d), with the sample standard deviation (Cohen 1988, sec. 2.3.5).
//! - Hedges' g = J d_z with the exact J = Gamma(v/2) / (sqrt(v/2) Gamma((v-1)/2)), v = n - 1
//!   (Hedges 1981). The factor J removes the bias of small samples.
//! - Superiority = (queries with a > b, plus half the queries with a = b) / n, the paired
//!   common-language effect size (McGraw & Wong 1992, with ties as Vargha & Delaney 2000). 0.5
//!   means no difference.
//! - Cliff's delta = (pairs (i, j) with a_i > b_j, minus pairs with a_i < b_j) / n^2 (Cliff 1993).
//!   Cliff's delta compares the two distributions and ignores the pairing.
//!
//! Cost: n; n log n for Cliff's delta, or n for each pair of systems that are [`Sorted`] once.

use fivefold_base::rounding::{ROUNDING, gap};
use statrs::function::gamma::ln_gamma;

use crate::error::{StatsError, Undefined, all_finite, same_length};
use crate::moments::Moments;

/// Cohen's d_z of differences.
///
/// # Errors
/// Fewer than two queries, or no spread (all differences are equal, for example all 0).
pub fn cohens_dz(moments: &Moments) -> Result<f64, Undefined> {
    let variance = moments.variance().ok_or(Undefined::TooFewQueries { found: moments.count, needed: 2 })?;
    if variance == 0.0 { Err(Undefined::NoSpread) } else { Ok(moments.mean / variance.sqrt()) }
}

/// Hedges' g of differences.
///
/// # Errors
/// Fewer than three queries, or no spread.
pub fn hedges_g(moments: &Moments) -> Result<f64, Undefined> {
    if moments.count < 3 {
        return Err(Undefined::TooFewQueries { found: moments.count, needed: 3 });
    }
    let half = (moments.count - 1) as f64 / 2.0;
    let correction = libm::exp(ln_gamma(half) - ln_gamma(half - 0.5)) / half.sqrt();
    Ok(correction * cohens_dz(moments)?)
}

/// The share of queries on which `a` is better than `b`; a tie counts half.
///
/// # Errors
/// [`StatsError::LengthMismatch`], [`StatsError::NotFinite`], [`StatsError::TooFew`] without a
/// query.
pub fn superiority(a: &[f64], b: &[f64]) -> Result<f64, StatsError> {
    let n = check(a, b)?;
    let gaps = a.iter().zip(b).map(|(&a, &b)| gap(a, b));
    let twice: usize = gaps.map(|gap| 2 * usize::from(gap > 0.0) + usize::from(gap == 0.0)).sum();
    Ok(twice as f64 / (2 * n) as f64)
}

/// Cliff's delta of `a` over `b`, in [-1, 1].
///
/// # Errors
/// [`StatsError::LengthMismatch`], [`StatsError::NotFinite`], [`StatsError::TooFew`] without a
/// query.
pub fn cliffs_delta(a: &[f64], b: &[f64]) -> Result<f64, StatsError> {
    Sorted::of(a)?.cliffs_delta(&Sorted::of(b)?)
}

/// The values of a system from the lowest to the highest. Of many systems, each is sorted once for
/// all its comparisons.
///
/// ```
/// use fivefold_stats::effect::Sorted;
///
/// let [one, other] = [Sorted::of(&[3.0, 1.0])?, Sorted::of(&[2.0, 3.0])?];
/// assert_eq!(one.cliffs_delta(&other)?, -0.25);
/// # Ok::<(), fivefold_stats::StatsError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sorted(Vec<f64>);

impl Sorted {
    /// Sorts values.
    ///
    /// # Errors
    /// [`StatsError::NotFinite`].
    pub fn of(values: &[f64]) -> Result<Self, StatsError> {
        all_finite(values)?;
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Sorted(sorted))
    }

    /// [`cliffs_delta`] of these values over others. Cost: n.
    ///
    /// # Errors
    /// [`StatsError::LengthMismatch`], [`StatsError::TooFew`] without a query.
    pub fn cliffs_delta(&self, other: &Sorted) -> Result<f64, StatsError> {
        let (Sorted(a), Sorted(b)) = (self, other);
        let n = same_length(a.len(), b.len())?;
        let ends = [a.first(), a.last(), b.first(), b.last()];
        let largest = ends.into_iter().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let most = ROUNDING * largest;
        let (mut of_a, mut of_b, mut dominance) = (0, 0, 0);
        // Level by level, as `levels` groups both lists together: numbers that rounding parts tie.
        while let Some(lowest) = lowest(a.get(of_a), b.get(of_b)) {
            let in_level = |rest: &[f64]| rest.iter().take_while(|&&value| value - lowest <= most).count();
            let (more_a, more_b) = (in_level(&a[of_a..]), in_level(&b[of_b..]));
            let (below, above) = (of_b, n - of_b - more_b);
            dominance += more_a as i64 * (below as i64 - above as i64);
            (of_a, of_b) = (of_a + more_a, of_b + more_b);
        }
        match n {
            0 => Err(StatsError::TooFew { found: 0, needed: 1 }),
            _ => Ok(dominance as f64 / (n as f64 * n as f64)),
        }
    }
}

/// The lower of two numbers that may be missing.
fn lowest(one: Option<&f64>, other: Option<&f64>) -> Option<f64> {
    match (one, other) {
        (Some(&one), Some(&other)) => Some(one.min(other)),
        (one, other) => one.or(other).copied(),
    }
}

fn check(a: &[f64], b: &[f64]) -> Result<usize, StatsError> {
    let n = same_length(a.len(), b.len())?;
    all_finite(a)?;
    all_finite(b)?;
    if n == 0 { Err(StatsError::TooFew { found: 0, needed: 1 }) } else { Ok(n) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Differences 1, 2, 3, 6: mean 3, variance 14/3.
        let moments = Moments::of_differences(&[1.0, 2.0, 3.0, 6.0], &[0.0; 4]);
        let dz = 3.0 / (14.0f64 / 3.0).sqrt();
        assert!((cohens_dz(&moments).unwrap() - dz).abs() < 1e-15);
        // v = 3: J = Gamma(1.5) / (sqrt(1.5) Gamma(1)) = (sqrt(pi) / 2) / sqrt(1.5).
        let correction = std::f64::consts::PI.sqrt() / 2.0 / 1.5f64.sqrt();
        assert!((hedges_g(&moments).unwrap() - dz * correction).abs() < 1e-14);
        assert_eq!(superiority(&[1.0, 0.0, 2.0, 2.0], &[0.0, 1.0, 2.0, 1.0]), Ok(2.5 / 4.0));
        // For (1, 3) against (2, 3), there is one win, 3>2, and there are two losses, 1<2 and 1<3.
        assert_eq!(cliffs_delta(&[1.0, 3.0], &[2.0, 3.0]), Ok(-0.25));
    }

    /// By its definition, over all pairs of values that [`levels`](fivefold_base::rounding::levels) has
    /// made equal where rounding alone parts them.
    #[test]
    fn cliffs_delta_counts_all_pairs() {
        let mut rng = fivefold_base::Seed::new(7).rng();
        for trial in 0..300 {
            let queries = 1 + trial % 25;
            let mut values = |_| -> Vec<f64> {
                let tenth = |_| {
                    let steps = (rng.next_u64() % 9) as i32 - 4;
                    (0..steps.abs()).map(|_| 0.1).sum::<f64>() * f64::from(steps.signum())
                };
                (0..queries).map(tenth).collect()
            };
            let [a, b] = [0, 1].map(&mut values);
            let levels = fivefold_base::rounding::levels(&[&a[..], &b].concat());
            let (of_a, of_b) = levels.split_at(queries);
            let pairs = of_a.iter().flat_map(|a| of_b.iter().map(move |b| i32::from(a > b) - i32::from(a < b)));
            let expected = f64::from(pairs.sum::<i32>()) / (queries * queries) as f64;
            assert_eq!(cliffs_delta(&a, &b), Ok(expected), "{a:?} {b:?}");
        }
    }

    #[test]
    fn what_does_not_exist_says_why() {
        let none = Moments::of_differences(&[0.5; 5], &[0.5; 5]);
        assert_eq!((cohens_dz(&none), hedges_g(&none)), (Err(Undefined::NoSpread), Err(Undefined::NoSpread)));
        let two = Moments::of_differences(&[0.5, 1.0], &[0.0; 2]);
        assert_eq!(hedges_g(&two), Err(Undefined::TooFewQueries { found: 2, needed: 3 }));
        assert!(superiority(&[], &[]).is_err() && cliffs_delta(&[1.0], &[f64::NAN]).is_err());
    }
}

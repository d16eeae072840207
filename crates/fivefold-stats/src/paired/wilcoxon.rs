//! `wilcoxon` and `wilcoxon-pratt`: the signed-rank test, in two treatments of differences of 0.
//!
//! The differences are ranked by absolute value, and ties take their mean rank. The statistic is
//! the smaller of two rank sums: of the positive differences and of the negative differences. The
//! test asks whether the differences are symmetric about 0, not whether their mean is 0.
//!
//! - `wilcoxon` drops differences of 0 before the ranking, as by default in scipy
//!   (`zero_method = "wilcox"`).
//! - `wilcoxon-pratt` (Pratt 1959) ranks all differences, and then drops the ranks of those of 0,
//!   as in scipy with `zero_method = "pratt"`. So z differences of 0 raise every other rank by z.
//!   Then the ranks differ less from each other, and the test comes nearer to the sign test.
//! - Differences that differ by the rounding of their values alone tie, as in exact arithmetic:
//!   .3 - .1 and .2 - 0, or .9995 - .9994 and .9985 - .9984. R and scipy rank them by their last
//!   bits.
//! - Up to 50 differences: exact, p = 2 P(T <= t) under random signs, by counting the subsets of
//!   ranks with each sum. Doubled ranks are integers, so p is exact for ties too. (For ties R uses
//!   the normal approximation, and so does scipy above 13 queries.)
//! - Above: normal approximation, variance n (n+1) (2n+1) / 24 - sum over ties of (t^3 - t) / 48,
//!   without continuity correction, as in scipy. For Pratt's ranks, n counts all queries, and
//!   z (z+1) (2z+1) / 24 is subtracted for the z ranks that are dropped (Cureton 1967).
//! - With more than 1,000 queries, Pratt's p is the normal approximation in any case, because the
//!   count of subsets grows with the rank sums.
//! - No difference at all: statistic 0, p = 1.
//!
//! Cost: n log n for each comparison; 50^3 if exact.

use fivefold_base::rounding::{Difference, level_sizes};

use crate::error::StatsError;
use crate::family::Family;
use crate::normal;
use crate::outcome::{Outcome, PValueMethod, Significance, TestRun};
use crate::paired::Test;
use crate::resample::TestOptions;

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "wilcoxon",
    title: "Wilcoxon's signed-rank test",
    summary: "Wilcoxon signed-rank test; differences of 0 dropped; exact up to 50 differences",
    source: "Wilcoxon, \"Individual comparisons by ranking methods\", Biometrics 1, 1945",
    draws: false,
    corrects_itself: false,
    of_the_paper: false,
    own_intervals: false,
    run: |family, options| run(family, options, Zeros::Dropped),
};

/// The entry of Pratt's form in the list of tests.
pub const PRATT: Test = Test {
    name: "wilcoxon-pratt",
    title: "Wilcoxon's signed-rank test with Pratt's ranks",
    summary: "Wilcoxon signed-rank test; differences of 0 are ranked, then dropped; exact up to 50 differences",
    source: "Pratt, \"Remarks on zeros and ties in the Wilcoxon signed rank procedures\", JASA 54, 1959",
    run: |family, options| run(family, options, Zeros::Ranked),
    ..TEST
};

/// The most differences for which p is exact, as in scipy.
const EXACT: usize = 50;
/// The highest rank for which p is exact.
const HIGHEST_EXACT: usize = 1_000;

/// What becomes of differences of 0.
#[derive(Clone, Copy, PartialEq)]
enum Zeros {
    /// They are dropped before the ranking.
    Dropped,
    /// They take the lowest ranks, which are dropped then (Pratt).
    Ranked,
}

fn run(family: &Family<'_>, options: &TestOptions, zeros: Zeros) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let outcome = |&comparison| {
        let differences: Vec<Difference> = family.rounded_differences(comparison).filter(|d| d.value != 0.0).collect();
        let ranked = if zeros == Zeros::Ranked { family.queries() - differences.len() } else { 0 };
        let test = Ok(signed_rank(differences, ranked));
        Outcome::new(family, comparison, &family.moments(comparison), confidence, test)
    };
    Ok(TestRun {
        outcomes: family.comparisons().iter().map(outcome).collect(),
        max_t: None,
        corrected: TEST.corrects_itself,
    })
}

/// The test of differences, all of which are other than 0. Below them stand this many ranks of
/// differences of 0.
fn signed_rank(mut differences: Vec<Difference>, zeros: usize) -> Significance {
    let (count, used) = (differences.len(), differences.len() + zeros);
    differences.sort_unstable_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
    let sizes = level_sizes(&differences);
    // Twice a rank sum is an integer, also with ties.
    let (mut positive, mut all, mut tie_term) = (0u64, 0u64, 0.0);
    let mut twice_ranks = Vec::with_capacity(count);
    for tied in sizes.chunk_by(|a, b| a == b) {
        let tied = &differences[twice_ranks.len()..twice_ranks.len() + tied.len()];
        let size = tied.len() as u64;
        // Ranks r+1..r+size have the mean r + (size + 1) / 2.
        let twice_rank = 2 * (zeros + twice_ranks.len()) as u64 + size + 1;
        twice_ranks.extend(tied.iter().map(|_| twice_rank));
        positive += twice_rank * tied.iter().filter(|d| d.value > 0.0).count() as u64;
        all += twice_rank * size;
        tie_term += (size as f64).powi(3) - size as f64;
    }
    let twice_smaller = positive.min(all - positive);
    let statistic = twice_smaller as f64 / 2.0;
    let favours = positive.cmp(&(all - positive));
    if count <= EXACT && (zeros == 0 || used <= HIGHEST_EXACT) {
        let p = exact(&twice_ranks, all as usize, twice_smaller as usize);
        return Significance { statistic, p, method: PValueMethod::Exact, used, favours };
    }
    // Sums of the ranks and of their squares, of all ranks without those of differences of 0.
    let without_zeros = |sum: fn(f64) -> f64| sum(used as f64) - sum(zeros as f64);
    let ranks = without_zeros(|n| n * (n + 1.0));
    let variance = (without_zeros(|n| n * (n + 1.0) * (2.0 * n + 1.0)) - tie_term / 2.0) / 24.0;
    let z = (statistic - ranks / 4.0) / variance.sqrt();
    Significance { statistic, p: normal::two_sided(z), method: PValueMethod::Normal, used, favours }
}

/// min(1, 2 P(S <= s)) for the sum S of a random subset of the ranks. Counts up to 2^50 are exact
/// in `f64`.
fn exact(twice_ranks: &[u64], all: usize, smaller: usize) -> f64 {
    let mut ways = vec![0.0; all + 1];
    ways[0] = 1.0;
    let mut reach = 0;
    for &rank in twice_ranks {
        let rank = rank as usize;
        reach += rank;
        for sum in (rank..=reach).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let below: f64 = ways[..=smaller].iter().sum();
    (2.0 * below / 2f64.powi(twice_ranks.len() as i32)).min(1.0)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;

    /// In tenths: 2 and -2 tie, although 3 - 1 and 2 - 0 do not tie in floating point; 1 + 2 and 3
    /// do not differ.
    #[test]
    fn what_rounding_parts_ties() {
        let (a, b) = ([0.3, 0.0, 0.1 + 0.2, 0.4], [0.1, 0.2, 0.3, 0.1]);
        assert!(a[0] - b[0] != b[1] && a[2] != b[2]);
        let found =
            TEST.run(&Family::of_pair(&a, &b).unwrap(), &TestOptions::default()).unwrap().outcomes[0].test.unwrap();
        let whole =
            TEST.run(&Family::of_pair(&[2.0, -2.0, 0.0, 3.0], &[0.0; 4]).unwrap(), &TestOptions::default()).unwrap();
        assert_eq!(found, whole.outcomes[0].test.unwrap());
        assert_eq!((found.used, found.statistic, found.favours), (3, 1.5, Ordering::Greater));
    }

    /// The definition: every assignment of signs, for data with and without ties.
    #[test]
    fn exact_p_is_that_of_all_signs() {
        let all = [vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![1.0, 1.0, 2.0, 2.0, 2.0, 7.0], vec![3.0; 4], vec![2.0]];
        for (magnitudes, zeros) in all.iter().flat_map(|magnitudes| [0, 1, 5].map(|zeros| (magnitudes, zeros))) {
            let n = magnitudes.len();
            let signed = |signs: usize| -> Vec<Difference> {
                let of = |(i, m): (usize, &f64)| if signs >> i & 1 == 1 { *m } else { -*m };
                magnitudes.iter().enumerate().map(of).map(|value| Difference::of(value, 0.0)).collect()
            };
            let statistics: Vec<f64> = (0..1 << n).map(|signs| signed_rank(signed(signs), zeros).statistic).collect();
            for (signs, statistic) in statistics.iter().enumerate() {
                let as_small = statistics.iter().filter(|s| *s <= statistic).count() as f64 / statistics.len() as f64;
                let p = signed_rank(signed(signs), zeros).p;
                assert!((p - as_small.min(1.0)).abs() < 1e-12, "{magnitudes:?} {zeros} {signs:b}: {p} for {as_small}");
            }
        }
    }

    fn pratt(differences: &[f64]) -> Significance {
        PRATT.of_pair(differences, &vec![0.0; differences.len()]).unwrap().test.unwrap()
    }

    /// scipy 1.17:
    /// ```python
    /// d = [0, 0, 0, 1, 2, -1, 3, 4, 0, -2, 5, 2]
    /// wilcoxon(d, zero_method="pratt", method=PermutationMethod(n_resamples=np.inf))
    /// i = np.arange(120); d = (7 * i) % 11 - (5 * i) % 13
    /// wilcoxon(d, zero_method="pratt", method="approx")
    /// ```
    #[test]
    fn pratt_agrees_with_scipy() {
        let found = pratt(&[0.0, 0.0, 0.0, 1.0, 2.0, -1.0, 3.0, 4.0, 0.0, -2.0, 5.0, 2.0]);
        assert_eq!((found.statistic, found.p, found.method, found.used), (13.5, 0.125, PValueMethod::Exact, 12));
        let differences: Vec<f64> = (0..120).map(|i| f64::from((7 * i) % 11 - (5 * i) % 13)).collect();
        let found = pratt(&differences);
        assert_eq!((found.statistic, found.method, found.used), (2831.0, PValueMethod::Normal, 120));
        assert!((found.p / 0.044_456_429_564_198_55 - 1.0).abs() < 1e-9, "{}", found.p);
    }

    /// Without differences of 0 both tests are the same.
    #[test]
    fn pratt_is_wilcoxon_without_differences_of_0() {
        let mut differences: Vec<f64> = (0..60).map(|i| f64::from(i * 7 % 23) - 8.5).collect();
        let of = |test: &Test, d: &[f64]| test.of_pair(d, &vec![0.0; d.len()]).unwrap().test.unwrap();
        assert_eq!(pratt(&differences), of(&TEST, &differences));
        differences.extend([0.0; 30]);
        assert_ne!(pratt(&differences).p, of(&TEST, &differences).p);
    }

    /// Many differences of 0 cost neither time nor memory: above 1,000 queries p is the normal
    /// approximation, which is near.
    #[test]
    fn pratt_with_many_differences_of_0_is_approximated() {
        let with = |zeros: usize| {
            let differences: Vec<f64> =
                (1..=40).map(|i| if i % 3 == 0 { -f64::from(i) } else { f64::from(i) }).collect();
            pratt(&[differences, vec![0.0; zeros]].concat())
        };
        let (exact, normal) = (with(960), with(961));
        assert_eq!((exact.method, normal.method), (PValueMethod::Exact, PValueMethod::Normal));
        assert!((exact.p - normal.p).abs() < 0.02, "{} {}", exact.p, normal.p);
        assert_eq!(with(2_000_000).method, PValueMethod::Normal);
    }
}

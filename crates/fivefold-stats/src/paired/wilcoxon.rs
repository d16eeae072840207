//! `wilcoxon`: the signed-rank test.
//!
//! Differences of 0 are dropped, as by default in scipy (`zero_method = "wilcox"`). The other
//! differences are ranked by absolute value, and ties take their mean rank. The statistic is the
//! smaller of two rank sums: of the positive differences and of the negative differences. The test
//! asks whether the differences are symmetric about 0, not whether their mean is 0.
//!
//! - Differences that differ by the rounding of their values alone tie, as in exact arithmetic:
//!   .3 - .1 and .2 - 0, or .9995 - .9994 and .9985 - .9984. R and scipy rank them by their last
//!   bits.
//! - Up to 50 differences: exact, p = 2 P(T <= t) under random signs, by counting the subsets of
//!   ranks with each sum. Doubled ranks are integers, so p is exact for ties too. (For ties R uses
//!   the normal approximation, and so does scipy above 13 queries.)
//! - Above: normal approximation, variance n (n+1) (2n+1) / 24 - sum over ties of (t^3 - t) / 48,
//!   without continuity correction, as in scipy.
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
    run,
};

/// The most differences for which p is exact, as in scipy.
const EXACT: usize = 50;

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let outcome = |&comparison| {
        let differences = family.rounded_differences(comparison).filter(|d| d.value != 0.0).collect();
        let test = Ok(signed_rank(differences));
        Outcome::new(family, comparison, &family.moments(comparison), confidence, test)
    };
    Ok(TestRun {
        outcomes: family.comparisons().iter().map(outcome).collect(),
        max_t: None,
        corrected: TEST.corrects_itself,
    })
}

/// The test of differences, all of which are other than 0.
fn signed_rank(mut differences: Vec<Difference>) -> Significance {
    let used = differences.len();
    differences.sort_unstable_by(|a, b| a.value.abs().total_cmp(&b.value.abs()));
    let sizes = level_sizes(&differences);
    // Twice a rank sum is an integer, also with ties.
    let (mut positive, mut all, mut tie_term) = (0u64, 0u64, 0.0);
    let mut twice_ranks = Vec::with_capacity(used);
    for tied in sizes.chunk_by(|a, b| a == b) {
        let tied = &differences[twice_ranks.len()..twice_ranks.len() + tied.len()];
        let size = tied.len() as u64;
        // Ranks r+1..r+size have the mean r + (size + 1) / 2.
        let twice_rank = 2 * twice_ranks.len() as u64 + size + 1;
        twice_ranks.extend(tied.iter().map(|_| twice_rank));
        positive += twice_rank * tied.iter().filter(|d| d.value > 0.0).count() as u64;
        all += twice_rank * size;
        tie_term += (size as f64).powi(3) - size as f64;
    }
    let twice_smaller = positive.min(all - positive);
    let statistic = twice_smaller as f64 / 2.0;
    let favours = positive.cmp(&(all - positive));
    if used <= EXACT {
        let p = exact(&twice_ranks, all as usize, twice_smaller as usize);
        return Significance { statistic, p, method: PValueMethod::Exact, used, favours };
    }
    let n = used as f64;
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - tie_term / 2.0) / 24.0;
    let z = (statistic - n * (n + 1.0) / 4.0) / variance.sqrt();
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
        let found = run(&Family::of_pair(&a, &b).unwrap(), &TestOptions::default()).unwrap().outcomes[0].test.unwrap();
        let whole = run(&Family::of_pair(&[2.0, -2.0, 0.0, 3.0], &[0.0; 4]).unwrap(), &TestOptions::default()).unwrap();
        assert_eq!(found, whole.outcomes[0].test.unwrap());
        assert_eq!((found.used, found.statistic, found.favours), (3, 1.5, Ordering::Greater));
    }

    /// The definition: every assignment of signs, for data with and without ties.
    #[test]
    fn exact_p_is_that_of_all_signs() {
        for magnitudes in [vec![1.0, 2.0, 3.0, 4.0, 5.0], vec![1.0, 1.0, 2.0, 2.0, 2.0, 7.0], vec![3.0; 4], vec![2.0]] {
            let n = magnitudes.len();
            let signed = |signs: usize| -> Vec<Difference> {
                let of = |(i, m): (usize, &f64)| if signs >> i & 1 == 1 { *m } else { -*m };
                magnitudes.iter().enumerate().map(of).map(|value| Difference::of(value, 0.0)).collect()
            };
            let statistics: Vec<f64> = (0..1 << n).map(|signs| signed_rank(signed(signs)).statistic).collect();
            for (signs, statistic) in statistics.iter().enumerate() {
                let as_small = statistics.iter().filter(|s| *s <= statistic).count() as f64 / statistics.len() as f64;
                let p = signed_rank(signed(signs)).p;
                assert!((p - as_small.min(1.0)).abs() < 1e-12, "{magnitudes:?} {signs:b}: {p} for {as_small}");
            }
        }
    }
}

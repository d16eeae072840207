//! `sign`: the exact sign test.
//!
//! Of the m queries whose difference is not 0, k are positive. Under the null hypothesis k is
//! binomial (m, 1/2), so p = min(1, 2 P(K <= min(k, m - k))). The test ignores the size of the
//! differences and so has little power. The statistic is k; m = 0 gives p = 1. Cost: n.

use crate::distribution::coins_at_most;
use crate::error::StatsError;
use crate::family::Family;
use crate::outcome::{Outcome, PValueMethod, Significance, TestRun};
use crate::paired::Test;
use crate::resample::TestOptions;

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "sign",
    title: "sign test",
    summary: "exact sign test; differences of 0 dropped",
    source: "Arbuthnott, Philosophical Transactions 27, 1710; Dixon & Mood, \"The statistical sign test\", JASA 41, 1946",
    draws: false,
    corrects_itself: false,
    of_the_paper: false,
    own_intervals: false,
    run,
};

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let outcome = |&comparison| {
        let (mut positive, mut used) = (0, 0);
        for difference in family.differences(comparison) {
            positive += usize::from(difference > 0.0);
            used += usize::from(difference != 0.0);
        }
        let p = (2.0 * coins_at_most(positive.min(used - positive), used)).min(1.0);
        let favours = positive.cmp(&(used - positive));
        let test = Ok(Significance { statistic: positive as f64, p, method: PValueMethod::Exact, used, favours });
        Outcome::new(family, comparison, &family.moments(comparison), confidence, test)
    };
    Ok(TestRun {
        outcomes: family.comparisons().iter().map(outcome).collect(),
        max_t: None,
        corrected: TEST.corrects_itself,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_is_a_sum_of_binomial_coefficients() {
        let choose = |n: u64, k: u64| (0..k).fold(1.0, |c, i| c * (n - i) as f64 / (i + 1) as f64);
        for n in 0..12usize {
            for k in 0..=n {
                let a: Vec<f64> = (0..n + 2)
                    .map(|i| {
                        if i < k {
                            1.0
                        } else if i < n {
                            -1.0
                        } else {
                            0.0
                        }
                    })
                    .collect();
                let zeros = vec![0.0; n + 2];
                let run = run(&Family::of_pair(&a, &zeros).unwrap(), &TestOptions::default()).unwrap();
                let found = run.outcomes[0].test.unwrap();
                let tail: f64 = (0..=k.min(n - k)).map(|i| choose(n as u64, i as u64)).sum();
                let p = (2.0 * tail / 2f64.powi(n as i32)).min(1.0);
                assert_eq!((found.used, found.statistic, found.favours), (n, k as f64, k.cmp(&(n - k))));
                assert!((found.p - p).abs() < 1e-13, "{k} of {n}: {} for {p}", found.p);
            }
        }
    }
}

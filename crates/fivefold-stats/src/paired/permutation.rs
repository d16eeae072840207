//! `permutation`: the paired randomisation test by sign flips.
//!
//! If two systems were the same, each query's difference could as well have the other sign. The
//! test asks how often random signs give a mean difference at least as large, in either direction,
//! as the observed mean (Fisher 1935). Smucker, Allan & Carterette (CIKM 2007) recommend the test
//! for retrieval. The test assumes no distribution of the differences.
//!
//! - Exact: at most 20 queries on which the two systems of a comparison differ (for max-T: on which
//!   any systems of the family differ). The test tries all 2^n sign vectors of these queries, and
//!   p = hits / 2^n. A difference of 0 has no sign.
//! - Otherwise: B random sign vectors, p = (1 + hits) / (1 + B), which is never 0 (Phipson & Smyth
//!   2010).
//!
//! Sums are compared as integers with a tolerance (see `resample::fixed`), since equal sums of
//! floating-point numbers rarely come out equal. All comparisons share the signs, so max-T needs no
//! draws of its own. The statistic of max-T is t, which under sign flips grows with |sum d| /
//! sqrt(sum d^2). The reported statistic is the mean difference.
//!
//! Cost: B n / 8 look-ups for eight columns; 140 comparisons (8 systems x 5 cutoffs) need 35
//! columns, the differences of seven systems to the first at each cutoff.

use crate::error::StatsError;
use crate::family::{Comparison, Family};
use crate::outcome::{MaxT, Outcome, PValueMethod, Significance, TestRun, by_mean};
use crate::paired::Test;
use crate::resample::fixed::Fixed;
use crate::resample::tally::{Coverage, Tally};
use crate::resample::weighted::{Columns, Weights, weighted_sums};
use crate::resample::{TestOptions, batches};

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "permutation",
    title: "paired permutation test",
    summary: "sign-flip randomisation test of the mean difference; exact up to 20 queries that differ",
    source: "Fisher, \"The design of experiments\", 1935; Smucker, Allan & Carterette, CIKM 2007",
    draws: true,
    corrects_itself: false,
    of_the_paper: false,
    own_intervals: false,
    run,
};

/// The most queries with a difference for which the test tries all sign vectors.
const EXACT: usize = 20;

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let (confidence, draws) = (options.checked_confidence()?, options.checked_draws()?);
    let mut fixed = Fixed::of(family)?;
    let parted = fixed.parted();
    let (draws, coverage, joint_method) = if parted.len() <= EXACT {
        // On queries where all systems are equal, the sign does not matter. The last sign is fixed,
        // because the other half of the sign vectors mirrors this half.
        fixed = fixed.only(&parted);
        (1 << parted.len().saturating_sub(1), Coverage::Complete, PValueMethod::Exact)
    } else {
        (draws, Coverage::Sample, PValueMethod::Draws(draws))
    };
    let queries = fixed.queries();
    let flips = Flips::new(family, &fixed);
    let mut tally = Tally::new(flips.observed());
    let seed = options.seed.derive("permutation");
    let (mut sums, mut statistics) = (Vec::new(), Vec::new());
    for batch in batches(draws) {
        let mut weights = Weights::<1>::new(batch.len(), queries);
        for (row, draw) in batch.clone().enumerate() {
            match coverage {
                Coverage::Complete => weights.set(row, |_| [draw as u64]),
                Coverage::Sample => {
                    let mut rng = seed.derive_index("draw", draw as u64).rng();
                    weights.set(row, |_| [rng.next_u64()]);
                }
            }
        }
        let drawn = weighted_sums(&flips.columns, &weights);
        for row in 0..batch.len() {
            drawn.of_draw(row, &mut sums);
            flips.statistics(&sums, &mut statistics);
            tally.count(&statistics);
        }
    }
    let mut max_t = tally.max_t(coverage);
    let mut outcomes = Vec::with_capacity(max_t.len());
    for ((&comparison, drawn), joint) in family.comparisons().iter().zip(tally.p_values(coverage)).zip(&mut max_t) {
        let moments = family.moments(comparison);
        let (p, method) = match (joint_method, few_differences(family, &fixed, comparison)) {
            (PValueMethod::Draws(_), Some(few)) => {
                (exact(few, fixed.tolerance(comparison.group, &moments)), PValueMethod::Exact)
            }
            (method, _) => (drawn, method),
        };
        // A corrected p-value is never below the uncorrected one.
        *joint = joint.max(p);
        let test =
            Ok(Significance { statistic: moments.mean, p, method, used: family.queries(), favours: by_mean(&moments) });
        outcomes.push(Outcome::new(family, comparison, &moments, confidence, test));
    }
    Ok(TestRun {
        outcomes,
        max_t: Some(MaxT { p_values: max_t, method: joint_method }),
        corrected: TEST.corrects_itself,
    })
}

/// The differences of a comparison that are not 0, if they are few enough to try all their signs.
fn few_differences(family: &Family<'_>, fixed: &Fixed, comparison: Comparison) -> Option<Vec<i64>> {
    let parted = || family.differences(comparison).enumerate().filter(|(_, difference)| *difference != 0.0);
    let few = fixed.queries() == family.queries() && parted().count() <= EXACT;
    few.then(|| {
        let whole: Vec<i64> = fixed.differences(comparison).collect();
        parted().map(|(query, _)| whole[query]).collect()
    })
}

/// The share of sign vectors with a sum at least as large as the observed sum, in either direction.
/// The first sign is fixed, because the other half of the vectors mirrors this half.
fn exact(mut differences: Vec<i64>, tolerance: i64) -> f64 {
    let mut sum: i64 = differences.iter().sum();
    let as_large = sum.abs() - tolerance;
    let Some(flipped) = differences.get_mut(1..) else { return 1.0 };
    let vectors = 1u64 << flipped.len();
    let mut hits = 1;
    // In Gray's order, each sign vector differs from the previous vector in one sign.
    for vector in 1..vectors {
        let difference = &mut flipped[vector.trailing_zeros() as usize];
        sum -= 2 * *difference;
        *difference = -*difference;
        hits += u64::from(sum.abs() >= as_large);
    }
    hits as f64 / vectors as f64
}

/// The columns to sum under random signs, and how the sums give the statistics.
struct Flips {
    columns: Columns,
    pairs: Vec<Pair>,
}

/// A comparison in terms of columns.
struct Pair {
    /// Columns of the two systems; `None` for the system that is 0 everywhere.
    first: Option<usize>,
    second: Option<usize>,
    /// Sum of the differences.
    sum: i64,
    /// Largest amount by which an equal sum can come out smaller.
    tolerance: u64,
    /// Root of the sum of the squared differences.
    scale: f64,
}

impl Flips {
    fn new(family: &Family<'_>, fixed: &Fixed) -> Flips {
        let mut columns = Columns::new(fixed.queries());
        let numbers = fixed.push_systems(&mut columns);
        let pair = |&comparison: &crate::Comparison| Pair {
            first: numbers[comparison.group][comparison.first],
            second: numbers[comparison.group][comparison.second],
            sum: fixed.differences(comparison).sum(),
            tolerance: fixed.tolerance(comparison.group, &family.moments(comparison)).unsigned_abs(),
            scale: fixed.differences(comparison).map(|d| d as f64 * d as f64).sum::<f64>().sqrt(),
        };
        Flips { pairs: family.comparisons().iter().map(pair).collect(), columns }
    }

    fn observed(&self) -> Vec<f64> {
        self.pairs.iter().map(|pair| pair.statistic(pair.sum.unsigned_abs())).collect()
    }

    /// The statistics from the sums over the queries whose sign is positive: S = 2 S+ - (all).
    fn statistics(&self, sums: &[i64], out: &mut Vec<f64>) {
        let of = |column: Option<usize>| column.map_or(0, |column| sums[column]);
        out.clear();
        out.extend(self.pairs.iter().map(|pair| {
            let flipped = 2 * (of(pair.first) - of(pair.second)) - pair.sum;
            pair.statistic(flipped.unsigned_abs() + pair.tolerance)
        }));
    }
}

impl Pair {
    fn statistic(&self, sum: u64) -> f64 {
        if self.scale == 0.0 { 0.0 } else { sum as f64 / self.scale }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resample::TestOptions;

    fn p(differences: &[f64], draws: usize) -> f64 {
        let zeros = vec![0.0; differences.len()];
        let options = TestOptions { draws, ..TestOptions::default() };
        run(&Family::of_pair(differences, &zeros).unwrap(), &options).unwrap().outcomes[0].test.unwrap().p
    }

    #[test]
    fn known_answers() {
        assert_eq!(p(&[0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0], 1000), 0.125);
        let ten: Vec<f64> = (1..=10).map(|i| f64::from(i) / 7.0).collect();
        assert_eq!(p(&ten, 1000), 2.0 / 1024.0);
        assert_eq!(p(&[1.0; 30], 999), 0.001);
        assert_eq!(p(&[0.3], 1000), 1.0);
    }

    /// Sums that are equal in real arithmetic but differ in floating point: .1 + .2 and .3.
    #[test]
    fn equal_sums_count_as_equal() {
        // |.1 + .2 - .3| = 0 is the smallest possible sum, and every other is at least as large.
        assert_eq!(p(&[0.1, 0.2, -0.3], 1000), 1.0);
        // In tenths, 10 of 16 sign vectors reach |1 + 1 - 2 - 3| = 3. In steps of 2^-40 of the
        // largest value, only 8 reach it.
        assert_eq!(p(&[0.1, 0.1, -0.2, -0.3], 1000), 0.625);
        // 1.1, 2.2, 3.3: |1.1 + 2.2 + 3.3| is reached by 2 of 8 signs, |1.1 - 2.2 + 3.3| = 2.2
        // by 6.
        assert_eq!(p(&[1.1, 2.2, 3.3], 1000), 0.25);
        assert_eq!(p(&[1.1, -2.2, 3.3], 1000), 0.75);
    }

    /// Zeros have no sign: with zeros, the same sign vectors are counted in another order.
    #[test]
    fn differences_of_zero_leave_the_test_exact() {
        let ten: Vec<f64> = (1..=10).map(|i| f64::from(i) / 7.0).collect();
        for data in [&ten[..], &[0.1, 0.1, -0.2, -0.3], &[1.1, -2.2, 3.3], &[0.5; 4], &[0.3], &[]] {
            let padded = [data, &[0.0; 30]].concat();
            let expected = if data.is_empty() { 1.0 } else { p(data, 1) };
            assert_eq!(p(&padded, 99), expected, "{data:?}");
        }
        let family = [[0.0; 30].as_slice(), &[ten.as_slice(), &[0.0; 20]].concat(), &[1.0; 30]].map(<[f64]>::to_vec);
        let family: Vec<&[f64]> = family.iter().map(Vec::as_slice).collect();
        let found = run(&Family::of_systems(&family).unwrap(), &TestOptions::default()).unwrap();
        let methods: Vec<PValueMethod> = found.outcomes.iter().map(|outcome| outcome.test.unwrap().method).collect();
        assert_eq!(methods, [PValueMethod::Exact, PValueMethod::Draws(1000), PValueMethod::Draws(1000)]);
        assert!(found.max_t.unwrap().p_values[0] >= 2.0 / 1024.0);
    }

    /// Of 200 queries, 12 differ: max-T is counted as if the other queries did not exist. If too
    /// many queries differ in any comparison, the joint p-values are drawn, although each
    /// comparison alone is exact.
    #[test]
    fn max_t_goes_by_the_queries_that_differ() {
        let value = |system: i32, query: i32| f64::from((query * (5 + 2 * system) + system) % 13 * system);
        let made = |padding: usize| -> Vec<Vec<f64>> {
            let own =
                |system| (1..=12).map(|query| value(system, query)).chain(std::iter::repeat_n(0.5, padding)).collect();
            (0..3).map(own).collect()
        };
        let found = |systems: &[Vec<f64>]| {
            let slices: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
            run(&Family::of_systems(&slices).unwrap(), &TestOptions::default()).unwrap()
        };
        let (alone, padded) = (found(&made(0)), found(&made(188)));
        assert_eq!(alone.max_t, padded.max_t);
        assert_eq!(alone.p_values(), padded.p_values());
        assert!(alone.max_t.unwrap().method == PValueMethod::Exact);
        let mut apart = vec![vec![0.0; 40]; 3];
        (0..15).for_each(|query| apart[1][query] = f64::from(query as u32 % 4) + 0.5);
        (20..35).for_each(|query| apart[2][query] = f64::from(query as u32 % 3) - 0.8);
        let joint = found(&apart);
        assert_eq!(joint.max_t.as_ref().unwrap().method, PValueMethod::Draws(1000));
        assert_eq!(joint.outcomes[0].test.unwrap().method, PValueMethod::Exact);
    }

    /// The sampled p lies near the exact share of sign vectors, counted by their sums.
    #[test]
    fn draws_agree_with_the_exact_distribution() {
        let data: Vec<i32> = (0..40).map(|i| i * 7 % 11 - 4).filter(|&d| d != 0).collect();
        assert!(data.len() > EXACT);
        let mut shares = std::collections::BTreeMap::from([(0i32, 1.0)]);
        for d in &data {
            let mut next = std::collections::BTreeMap::new();
            for (sum, share) in shares {
                *next.entry(sum + d).or_insert(0.0) += share / 2.0;
                *next.entry(sum - d).or_insert(0.0) += share / 2.0;
            }
            shares = next;
        }
        let observed: i32 = data.iter().sum();
        let exact: f64 = shares.iter().filter(|(sum, _)| sum.abs() >= observed.abs()).map(|(_, share)| share).sum();
        let tenths: Vec<f64> = data.iter().map(|&d| f64::from(d) / 10.0).collect();
        let draws = 40_000;
        let sampled = p(&tenths, draws);
        let error = (exact * (1.0 - exact) / draws as f64).sqrt();
        assert!(
            exact > 0.01 && exact < 0.99 && (sampled - exact).abs() < 4.0 * error,
            "{sampled} for {exact} +- {error}"
        );
    }

    /// max-T from all sign vectors, by its definition on t statistics.
    #[test]
    fn max_t_is_that_of_t_statistics() {
        let systems =
            [[0.3, 0.5, 0.1, 0.9, 0.4, 0.7], [0.2, 0.4, 0.05, 0.5, 0.1, 0.2], [0.9, 0.4, 0.8, 0.9, 0.6, 0.95]];
        let family = Family::of_systems(&[&systems[0], &systems[1], &systems[2]]).unwrap();
        let t = |signs: usize| -> Vec<f64> {
            let of = |&comparison: &crate::Comparison| {
                let signed: Vec<f64> = family
                    .differences(comparison)
                    .enumerate()
                    .map(|(i, d)| if signs >> i & 1 == 1 { d } else { -d })
                    .collect();
                crate::paired_t(&signed, &[0.0; 6]).unwrap().t.abs()
            };
            family.comparisons().iter().map(of).collect()
        };
        let observed = t(0b11_1111);
        let mut order = [0, 1, 2];
        order.sort_by(|&a, &b| observed[b].total_cmp(&observed[a]));
        let mut adjusted = [0.0; 3];
        let mut before = 0.0f64;
        for (rank, &j) in order.iter().enumerate() {
            let hits = (0..64).filter(|&signs| {
                let drawn = t(signs);
                order[rank..].iter().map(|&k| drawn[k]).fold(0.0, f64::max) >= observed[j] - 1e-9
            });
            before = before.max(hits.count() as f64 / 64.0);
            adjusted[j] = before;
        }
        assert_eq!(run(&family, &TestOptions::default()).unwrap().max_t.unwrap().p_values, adjusted);
        assert!(adjusted.iter().any(|&p| p < 0.3) && adjusted[0] != adjusted[1]);
    }
}

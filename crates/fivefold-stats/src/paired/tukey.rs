//! `tukey-hsd`: the randomised paired Tukey HSD test ("honestly significant difference").
//!
//! Under the null hypothesis all systems of a group are the same, so each query's values could
//! stand under the systems in any order. A draw gives every query a random order and notes the
//! range (largest - smallest) of the systems' means. The p-value of a pair is the share of draws
//! whose range is at least the pair's difference: p = (1 + hits) / (1 + B). The sources divide the
//! hits by B (Carterette, TOIS 30, 2012, Fig. 5; Sakai's Discpower). The test corrects for all
//! pairs of the group at once, so a further correction is refused.
//!
//! - All systems of the group take part, even if only some pairs are compared.
//! - The interval is simultaneous: difference -+ the range that at most 1 - confidence of the draws
//!   exceed.
//! - All groups share the orders. Up to 8 systems, an order comes from a table of all m! orders;
//!   above, from a shuffle.
//! - The statistic is the mean difference. max-T needs another null hypothesis and is not offered.
//!
//! Cost: B n m additions for each group.

use fivefold_base::{Rng, Seed};

use crate::error::{StatsError, Undefined};
use crate::family::Family;
use crate::outcome::{Interval, Outcome, PValueMethod, Significance, TestRun, by_mean};
use crate::paired::Test;
use crate::resample::fixed::Fixed;
use crate::resample::{TestOptions, quantile_place, two_below};

/// The entry in the list of tests.
pub const TEST: Test = Test {
    name: "tukey-hsd",
    title: "randomised paired Tukey HSD test",
    summary: "randomised paired Tukey HSD over all systems; corrects for all pairs of a measure",
    source: "Carterette, \"Multiple testing in statistical analysis of systems-based information retrieval \
             experiments\", TOIS 30, 2012; Sakai, \"Metrics, statistics, tests\", 2014",
    draws: true,
    corrects_itself: true,
    of_the_paper: false,
    own_intervals: true,
    run,
};

/// The most systems whose orders come from a table.
const MOST: usize = 8;
/// Pairs of queries whose sums stay in the cache while all draws pass over them.
const PAIRS: usize = 32;

fn run(family: &Family<'_>, options: &TestOptions) -> Result<TestRun, StatsError> {
    let confidence = options.checked_confidence()?;
    let draws = options.checked_draws()?;
    let queries = family.queries();
    let fixed = Fixed::of(family)?;
    let ranges = ranges(&fixed, family, draws, options.seed.derive("tukey-hsd"));
    let outcome = |&comparison: &crate::Comparison| {
        let moments = family.moments(comparison);
        let ranges = &ranges[comparison.group];
        let tolerance = fixed.tolerance_of_group(comparison.group);
        let observed = fixed.differences(comparison).sum::<i64>().abs() - tolerance;
        let hits = draws - ranges.partition_point(|&range| range < observed);
        let p = (1 + hits) as f64 / (1 + draws) as f64;
        let (method, favours) = (PValueMethod::Draws(draws), by_mean(&moments));
        let test = Ok(Significance { statistic: moments.mean, p, method, used: queries, favours });
        let mut outcome = Outcome::new(family, comparison, &moments, confidence, test);
        outcome.interval = match quantile_place(confidence, draws).map(|place| ranges[place]) {
            None => Err(Undefined::TooFewDraws { draws }),
            Some(range) => {
                let half = range as f64 * fixed.units[comparison.group] / queries as f64;
                let (low, high) = (moments.mean - half, moments.mean + half);
                Ok(Interval { low, high, confidence, method: "randomised Tukey HSD (simultaneous)" })
            }
        };
        outcome
    };
    Ok(TestRun {
        outcomes: family.comparisons().iter().map(outcome).collect(),
        max_t: None,
        corrected: TEST.corrects_itself,
    })
}

/// The ranges of the systems' sums in every draw, sorted, `[group][draw]`.
fn ranges(fixed: &Fixed, family: &Family<'_>, draws: usize, seed: Seed) -> Vec<Vec<i64>> {
    let systems = family.systems();
    let rngs = (0..draws).map(|draw| seed.derive_index("draw", draw as u64).rng());
    let mut ranges: Vec<Vec<i64>> =
        if systems <= MOST { by_table(fixed, systems, rngs.collect()) } else { by_shuffling(fixed, systems, rngs) };
    ranges.iter_mut().for_each(|ranges| ranges.sort_unstable());
    ranges
}

/// For up to eight systems. An order is a word of eight bytes from a table. Two queries are added
/// together: each pair of queries has 64 sums of a value of the first and a value of the second.
fn by_table(fixed: &Fixed, systems: usize, mut rngs: Vec<Rng>) -> Vec<Vec<i64>> {
    let table = all_orders(systems);
    let groups = fixed.values.len();
    let queries = fixed.values.first().and_then(|group| group.first()).map_or(0, Vec::len);
    // `[draw][group]`
    let mut sums = vec![[0i64; MOST]; rngs.len() * groups];
    let mut pairs: Vec<[[i64; MOST * MOST]; PAIRS]> = vec![[[0; MOST * MOST]; PAIRS]; groups];
    for block in (0..queries).step_by(2 * PAIRS) {
        let used = (queries - block).div_ceil(2).min(PAIRS);
        for (pairs, values) in pairs.iter_mut().zip(&fixed.values) {
            for (number, pair) in pairs.iter_mut().enumerate() {
                // Missing systems and queries count as 0.
                let value = |system: usize, query: usize| *values.get(system).and_then(|v| v.get(query)).unwrap_or(&0);
                let query = block + 2 * number;
                for (place, sum) in pair.iter_mut().enumerate() {
                    *sum = value(place % MOST, query) + value(place / MOST, query + 1);
                }
            }
        }
        for (rng, sums) in rngs.iter_mut().zip(sums.chunks_mut(groups)) {
            let mut orders = [0; PAIRS];
            for order in &mut orders[..used] {
                let (first, second) = two_below(rng, table.len() as u32);
                // The number of a pair's sum is first + 8 second, and no byte overflows.
                *order = table[first] | table[second] << 3;
            }
            for (sums, pairs) in sums.iter_mut().zip(&pairs) {
                for (order, pair) in orders[..used].iter().zip(pairs) {
                    for (sum, place) in sums.iter_mut().zip(order.to_le_bytes()) {
                        // The mask tells the compiler that the index is in range.
                        *sum += pair[usize::from(place & 63)];
                    }
                }
            }
        }
    }
    let of_group = |group| sums.iter().skip(group).step_by(groups).map(|sums| range(&sums[..systems])).collect();
    (0..groups).map(of_group).collect()
}

/// For any number of systems: shuffles the order of every query.
fn by_shuffling(fixed: &Fixed, systems: usize, rngs: impl Iterator<Item = Rng>) -> Vec<Vec<i64>> {
    let groups = &fixed.values;
    let queries = groups.first().and_then(|group| group.first()).map_or(0, Vec::len);
    let mut ranges = vec![Vec::new(); groups.len()];
    let mut order: Vec<usize> = (0..systems).collect();
    let mut sums = vec![vec![0i64; systems]; groups.len()];
    for mut rng in rngs {
        sums.iter_mut().for_each(|sums| sums.fill(0));
        for query in 0..queries {
            rng.shuffle(&mut order);
            for (sums, values) in sums.iter_mut().zip(groups) {
                for (values, &place) in values.iter().zip(&order) {
                    sums[place] += values[query];
                }
            }
        }
        for (ranges, sums) in ranges.iter_mut().zip(&sums) {
            ranges.push(range(sums));
        }
    }
    ranges
}

fn range(sums: &[i64]) -> i64 {
    let ends = sums.iter().fold((i64::MAX, i64::MIN), |(low, high), &sum| (low.min(sum), high.max(sum)));
    ends.1.saturating_sub(ends.0).max(0)
}

/// All orders of `systems` things. Byte i of a word is the thing at place i; places beyond
/// `systems` stay as they are.
fn all_orders(systems: usize) -> Vec<u64> {
    let mut orders = vec![[0u8, 1, 2, 3, 4, 5, 6, 7]];
    for last in 1..systems {
        let exchanged = |order: &[u8; MOST]| {
            let order = *order;
            (0..=last).map(move |other| {
                let mut order = order;
                order.swap(last, other);
                order
            })
        };
        orders = orders.iter().flat_map(exchanged).collect();
    }
    orders.into_iter().map(u64::from_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_holds_every_order_once() {
        for (systems, count) in [(1, 1), (2, 2), (3, 6), (4, 24), (8, 40_320)] {
            let mut orders = all_orders(systems);
            orders.sort_unstable();
            orders.dedup();
            assert_eq!(orders.len(), count);
            for order in orders {
                let mut bytes = order.to_le_bytes();
                assert!(bytes[systems..].iter().zip(systems..).all(|(&b, i)| usize::from(b) == i));
                bytes.sort_unstable();
                assert_eq!(bytes, [0, 1, 2, 3, 4, 5, 6, 7]);
            }
        }
    }

    /// The table and the shuffle agree with each other and with all 6^4 orders.
    #[test]
    fn both_ways_agree_with_all_orders() {
        let systems = [[0.3, 0.5, 0.1, 0.9, 0.2], [0.2, 0.6, 0.0, 0.5, 0.1], [0.5, 0.7, 0.2, 0.95, 0.6]];
        let family = Family::of_systems(&[&systems[0], &systems[1], &systems[2]]).unwrap();
        let fixed = Fixed::of(&family).unwrap();
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let mut all = Vec::new();
        for mut number in 0..6usize.pow(5) {
            let mut sums = [0.0; 3];
            let values: Vec<[f64; 3]> = (0..5).map(|query| systems.map(|values| values[query])).collect();
            for values in values {
                for (sum, system) in sums.iter_mut().zip(orders[number % 6]) {
                    *sum += values[system];
                }
                number /= 6;
            }
            all.push(sums.iter().copied().fold(f64::MIN, f64::max) - sums.iter().copied().fold(f64::MAX, f64::min));
        }
        let draws = 40_000;
        let rngs = || (0..draws).map(|draw| Seed::new(draw).rng());
        for drawn in [by_table(&fixed, 3, rngs().collect()), by_shuffling(&fixed, 3, rngs())] {
            for threshold in [0.325, 0.725, 1.025, 1.325, 1.625] {
                let exact = all.iter().filter(|&&range| range >= threshold).count() as f64 / all.len() as f64;
                let hits = drawn[0].iter().filter(|&&range| range as f64 * fixed.units[0] >= threshold).count();
                let found = hits as f64 / draws as f64;
                let error = (exact * (1.0 - exact) / draws as f64).sqrt();
                assert!((found - exact).abs() <= 4.0 * error + 1e-12, "{found} for {exact} at {threshold}");
            }
        }
    }

    /// Two systems: the range after an exchange equals the difference after a sign flip, so p is
    /// the permutation test's.
    #[test]
    fn two_systems_are_a_permutation_test() {
        let a: Vec<f64> = (0..12).map(|i| f64::from(i * 7 % 11) / 10.0).collect();
        let b: Vec<f64> = (0..12).map(|i| f64::from(i * 5 % 13) / 20.0).collect();
        let family = Family::of_pair(&a, &b).unwrap();
        let exact = crate::paired::permutation::TEST.run(&family, &TestOptions::default()).unwrap();
        let exact = exact.outcomes[0].test.unwrap().p;
        let draws = 40_000;
        let found = run(&family, &TestOptions { draws, ..TestOptions::default() }).unwrap().outcomes[0].test.unwrap().p;
        assert!((found - exact).abs() < 4.0 * (exact * (1.0 - exact) / draws as f64).sqrt(), "{found} for {exact}");
    }

    #[test]
    fn groups_of_nine_systems_are_shuffled() {
        let systems: Vec<Vec<f64>> = (0..9)
            .map(|s| (0..40).map(|q| f64::from((s * 7 + q * 5) % 13) + f64::from(s / 8) * 9.0).collect())
            .collect();
        let systems: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
        let family = Family::of_groups(vec![systems.clone(), systems]).unwrap();
        let run = run(&family, &TestOptions { draws: 300, ..TestOptions::default() }).unwrap();
        // Only the ninth system differs significantly from the others. Both groups are the same.
        for (outcome, twin) in run.outcomes.iter().zip(&run.outcomes[36..]) {
            let p = outcome.test.unwrap().p;
            assert_eq!(p < 0.05, outcome.comparison.second == 8, "{outcome:?}");
            assert_eq!(p, twin.test.unwrap().p);
        }
    }
}

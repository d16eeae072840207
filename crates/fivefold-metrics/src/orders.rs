//! The mean of a value over all orders of the documents that tie, for measures of a whole ranking.
//!
//! Some measures have an exact mean of their own
//! ([`Measure::mean_of_whole`](crate::measure::Measure)). Otherwise, if there are at most 1000
//! different orders of the grades, the mean is over all of them, and exact. If there are more, it
//! is over 1000 random orders; the seed comes from the evaluator's seed and the query's id, so
//! every ranker meets the same orders. Cost: the value of a ranking, for each order.

use fivefold_base::{Rng, Seed};

use crate::measure::Ranked;

/// Number of random orders, and the most orders that are all taken.
pub(crate) const ORDERS: usize = 1000;

/// A mean over orders, with its standard error; 0 if the mean is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OverOrders {
    pub(crate) mean: f64,
    pub(crate) error: f64,
}

/// The mean of `value` over the orders of the tied documents of a ranking. `exact` gives the mean,
/// if there is a faster way to it than to take the orders one by one.
pub(crate) fn over_orders(
    ranked: &Ranked<'_>,
    seed: Seed,
    exact: impl FnOnce() -> Option<f64>,
    mut value: impl FnMut(&Ranked<'_>) -> f64,
) -> OverOrders {
    let (mut grades, mut groups) = (Vec::with_capacity(ranked.positions()), Vec::new());
    for group in ranked.groups(ranked.positions()) {
        grades.extend_from_slice(group.grades);
        if group.grades.first() != group.grades.last() {
            groups.push(group.start..grades.len());
        }
    }
    let singles: Vec<u32> = (1..=grades.len() as u32).collect();
    let mut value = |grades: &[u8]| value(&Ranked::new(grades, &singles, ranked.query()));
    if groups.is_empty() {
        return OverOrders { mean: value(&grades), error: 0.0 };
    }
    if let Some(mean) = exact() {
        return OverOrders { mean, error: 0.0 };
    }
    let different: f64 = groups.iter().map(|group| arrangements(&grades[group.clone()])).product();
    if different > ORDERS as f64 {
        return over_random_orders(&mut grades, &groups, seed.rng(), value);
    }
    groups.iter().for_each(|group| grades[group.clone()].sort_unstable());
    let (mut sum, mut orders) = (0.0, 0.0);
    loop {
        sum += value(&grades);
        orders += 1.0;
        // The next order of the first group that has one; groups before it begin again.
        if !groups.iter().any(|group| next_arrangement(&mut grades[group.clone()])) {
            return OverOrders { mean: sum / orders, error: 0.0 };
        }
    }
}

fn over_random_orders(
    grades: &mut [u8],
    groups: &[std::ops::Range<usize>],
    mut rng: Rng,
    mut value: impl FnMut(&[u8]) -> f64,
) -> OverOrders {
    let mut values = Vec::with_capacity(ORDERS);
    for _ in 0..ORDERS {
        groups.iter().for_each(|group| rng.shuffle(&mut grades[group.clone()]));
        values.push(value(grades));
    }
    let count = ORDERS as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    OverOrders { mean, error: (squares / (count - 1.0) / count).sqrt() }
}

/// How many different orders grades have, which stand in falling order.
fn arrangements(falling: &[u8]) -> f64 {
    let (mut count, mut placed) = (1.0, 0.0);
    for equal in falling.chunk_by(|one, other| one == other) {
        for place in 1..=equal.len() {
            placed += 1.0;
            count *= placed / place as f64;
        }
    }
    count.round()
}

/// Moves to the next order of the grades. After the last order, moves to the first (rising), and
/// returns false.
fn next_arrangement(grades: &mut [u8]) -> bool {
    let Some(rise) = (1..grades.len()).rev().find(|&place| grades[place - 1] < grades[place]) else {
        grades.reverse();
        return false;
    };
    let higher = (rise..grades.len()).rev().find(|&place| grades[place] > grades[rise - 1]).unwrap_or(rise);
    grades.swap(rise - 1, higher);
    grades[rise..].reverse();
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::QueryGrades;

    /// The precision at rank 2 of one relevant document among ties: 1/2 in 2 of n orders.
    fn found(n: usize) -> OverOrders {
        let grades: Vec<u8> = (0..n).map(|place| u8::from(place == 0)).collect();
        let (query, ends) = (QueryGrades::new(&grades), [n as u32]);
        let top = |ranked: &Ranked<'_>| ranked.groups(2).filter(|group| group.grades == [1]).count() as f64 / 2.0;
        over_orders(&Ranked::new(&grades, &ends, &query), Seed::new(1), || None, top)
    }

    #[test]
    fn few_orders_are_all_taken() {
        assert_eq!(found(8), OverOrders { mean: 0.125, error: 0.0 });
        assert_eq!(found(1000).error, 0.0);
        let mut grades = [0, 0, 1, 2];
        let orders = std::iter::from_fn(|| next_arrangement(&mut grades).then_some(())).count() + 1;
        assert_eq!((orders, arrangements(&[2, 1, 0, 0]), grades), (12, 12.0, [0, 0, 1, 2]));
    }

    #[test]
    fn many_orders_are_drawn_and_the_error_is_that_of_the_mean() {
        // Two relevant documents of 60: the first place is relevant in 1 of 30 orders.
        let grades: Vec<u8> = (0..60).map(|place| u8::from(place < 2)).collect();
        let (query, ends) = (QueryGrades::new(&grades), [60]);
        let first = |ranked: &Ranked<'_>| ranked.groups(1).map(|group| f64::from(group.grades[0])).sum();
        let found = over_orders(&Ranked::new(&grades, &ends, &query), Seed::new(1), || None, first);
        let expected = (29.0 / 900.0 / 1000.0_f64).sqrt();
        assert!((found.error / expected - 1.0).abs() < 0.3, "{found:?}");
        assert!((found.mean - 1.0 / 30.0).abs() < 4.0 * expected, "{found:?}");
    }
}

//! Average ranks, the Friedman test, Iman and Davenport's F, and Nemenyi's critical difference. A
//! critical-difference diagram shows these numbers (Demsar, JMLR 7, 2006).
//!
//! Systems are ranked within each query (or data set). Rank 1 is best and has the highest value;
//! ties take their mean rank. Values that differ by rounding alone tie. With N queries, k systems
//! and rank sums R_j:
//! - chi-square = (12 / (N k (k+1)) sum R_j^2 - 3 N (k+1)) / (1 - sum (t^3 - t) / (N k (k^2 - 1)))
//!   with k - 1 degrees of freedom. The second sum is over the sizes t of ties (Friedman 1937; the
//!   correction as in scipy and R).
//! - F = (N-1) chi-square / (N (k-1) - chi-square) with k - 1 and (k-1)(N-1) degrees of freedom
//!   (Iman & Davenport 1980).
//! - critical difference = q / sqrt(2) sqrt(k (k+1) / (6 N)), where q is the upper alpha point of
//!   the studentised range (Nemenyi 1963). Two systems differ if their average ranks are further
//!   apart than the critical difference.
//!
//! The p-value is exact if the orders can be counted (Friedman 1937; Conover, "Practical
//! nonparametric statistics", 1999, 5.8). Otherwise it is the p-value of F. Under the null
//! hypothesis, the ranks of each query, ties included, stand under the systems in any order.
//! `exact` counts the orders whose sum of R_j^2 is at least as large as the observed sum:
//! - two systems, any number of queries: the sign test;
//! - queries that all agree, any number: p = (1/k!)^(N-1);
//! - all other data: up to 300,000 steps, if so many suffice. Without ties these steps suffice for
//!   66 queries of three systems, 16 of four, 6 of five, 3 of six, and 2 of seven or eight.
//!
//! Cost: N k log k; up to 300,000 steps (6 ms) for an exact p-value, and far fewer to see that so
//! many do not suffice.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use fivefold_base::rounding::{ROUNDING, levels};

use crate::distribution::{chi_square_above, coins_at_most, f_above};
use crate::error::{StatsError, all_finite, same_length};
use crate::studentised_range::studentised_range_quantile;

/// The result of the Friedman test.
///
/// ```
/// use fivefold_stats::friedman;
///
/// // On three queries the first of two systems is better twice.
/// let found = friedman(&[&[0.5, 0.7, 0.2], &[0.4, 0.6, 0.3]])?;
/// assert_eq!(found.queries, 3);
/// assert_eq!(found.average_ranks, [4.0 / 3.0, 5.0 / 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Friedman {
    /// Average rank of each system; 1 is best.
    pub average_ranks: Vec<f64>,
    /// Number of queries (or data sets).
    pub queries: usize,
    /// Friedman's chi-square, corrected for ties; 0 if all systems tie on every query.
    pub chi_square: f64,
    /// The p-value of chi-square by its distribution, an approximation for many queries.
    pub chi_square_p: f64,
    /// Iman and Davenport's F; infinite if all queries give the same order.
    pub f: f64,
    /// The p-value of F by its distribution, an approximation for many queries.
    pub f_p: f64,
    /// The p-value to report: the exact p-value, or else the p-value of F.
    pub p: f64,
    /// How `p` was found.
    pub method: FriedmanMethod,
}

/// How a p-value of the Friedman test was found.
///
/// ```
/// use fivefold_stats::{FriedmanMethod, friedman};
///
/// // Few enough orders to count them all: with two systems it is the sign test, here of three queries of four.
/// let found = friedman(&[&[0.5, 0.7, 0.2, 0.9], &[0.4, 0.6, 0.3, 0.8]])?;
/// assert_eq!((found.method, found.p), (FriedmanMethod::Exact, 0.625));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FriedmanMethod {
    /// All orders of the ranks were counted.
    Exact,
    /// By Iman and Davenport's F.
    F,
}

impl fmt::Display for FriedmanMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FriedmanMethod::Exact => "exact",
            FriedmanMethod::F => "by Iman and Davenport's F",
        })
    }
}

/// The most steps that an exact p-value may take.
const MOST_STEPS: u64 = 300_000;

/// Ranks the systems, `[system][query]`, and tests whether all are alike.
///
/// ```
/// use fivefold_stats::friedman;
///
/// // Three queries that all order three systems alike: one of 3! x 3! equal outcomes.
/// let found = friedman(&[&[0.9, 0.8, 0.7], &[0.5, 0.6, 0.4], &[0.1, 0.2, 0.3]])?;
/// assert_eq!(found.average_ranks, [1.0, 2.0, 3.0]);
/// assert!((found.p - 1.0 / 36.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two systems or two queries;
/// [`StatsError::LengthMismatch`]; [`StatsError::NotFinite`].
pub fn friedman(systems: &[&[f64]]) -> Result<Friedman, StatsError> {
    let (k, queries) = (systems.len(), systems.first().map_or(0, |values| values.len()));
    if k < 2 || queries < 2 {
        return Err(StatsError::TooFew { found: k.min(queries), needed: 2 });
    }
    for values in systems {
        same_length(queries, values.len())?;
        all_finite(values)?;
    }
    let mut rank_sums = vec![0.0; k];
    let mut ties = 0.0;
    // Twice a rank is an integer, also with ties.
    let mut twice_ranks = Vec::with_capacity(queries);
    let mut order: Vec<usize> = (0..k).collect();
    for query in 0..queries {
        let mut of_query = vec![0; k];
        let row = levels(&systems.iter().map(|values| values[query]).collect::<Vec<_>>());
        order.sort_unstable_by(|&a, &b| row[b].total_cmp(&row[a]));
        let mut before = 0;
        for tied in order.chunk_by(|&a, &b| row[a] == row[b]) {
            let size = tied.len() as f64;
            let rank = before as f64 + (size + 1.0) / 2.0;
            for &system in tied {
                rank_sums[system] += rank;
                of_query[system] = (2 * before + tied.len() + 1) as u64;
            }
            ties += size.powi(3) - size;
            before += tied.len();
        }
        twice_ranks.push(of_query);
    }
    let (n, m) = (queries as f64, k as f64);
    let share_untied = 1.0 - ties / (n * m * (m * m - 1.0));
    let squares: f64 = rank_sums.iter().map(|sum| sum * sum).sum();
    let raw = 12.0 / (n * m * (m + 1.0)) * squares - 3.0 * n * (m + 1.0);
    let chi_square = if share_untied <= 0.0 { 0.0 } else { (raw / share_untied).max(0.0) };
    let rest = n * (m - 1.0) - chi_square;
    // If all queries agree, chi-square is at its maximum, except for rounding.
    let f = if rest <= ROUNDING * n * m { f64::INFINITY } else { (n - 1.0) * chi_square / rest };
    let f_p = if f.is_infinite() { 0.0 } else { f_above(f, m - 1.0, (m - 1.0) * (n - 1.0)) };
    let (p, method) = match exact(&twice_ranks) {
        Some(p) => (p, FriedmanMethod::Exact),
        None => (f_p, FriedmanMethod::F),
    };
    Ok(Friedman {
        average_ranks: rank_sums.iter().map(|sum| sum / n).collect(),
        queries,
        chi_square,
        chi_square_p: chi_square_above(chi_square, m - 1.0),
        f,
        f_p,
        p,
        method,
    })
}

/// The exact p-value from `[query][system]`: the share of all orders of the ranks within each query
/// whose sum of squared rank sums is at least the observed sum. `None` if there are too many orders
/// to count.
fn exact(twice_ranks: &[Vec<u64>]) -> Option<f64> {
    // A query on which all systems tie has no effect.
    let rows: Vec<&Vec<u64>> = twice_ranks.iter().filter(|row| row.iter().any(|rank| *rank != row[0])).collect();
    let Some(&first) = rows.first() else { return Some(1.0) };
    if let [_, _] = first.as_slice() {
        let better = rows.iter().filter(|row| row[0] < row[1]).count();
        return Some((2.0 * coins_at_most(better.min(rows.len() - better), rows.len())).min(1.0));
    }
    if rows.iter().all(|row| *row == first) {
        return Some(Orders::of(first).count.recip().powi(rows.len() as i32 - 1));
    }
    let sums: Vec<u64> = (0..first.len()).map(|system| rows.iter().map(|row| row[system]).sum()).collect();
    let observed = squares(&sums);
    // The order of one query can be fixed. The query with the most orders comes first, since that
    // saves the most steps.
    let mut rows: Vec<Orders> = rows.into_iter().map(|row| Orders::of(row)).collect();
    rows.sort_by(|a, b| b.count.total_cmp(&a.count));
    // A list of rank sums is one number if it fits.
    let most: u64 = rows.iter().filter_map(|orders| orders.row.last()).sum();
    let bits = u64::BITS - most.leading_zeros();
    if bits as usize * first.len() <= u128::BITS as usize {
        let pack = |sums: &[u64]| sums.iter().fold(0u128, |packed, sum| packed << bits | u128::from(*sum));
        let unpack = |packed: &u128, sums: &mut [u64]| {
            let mut rest = *packed;
            for sum in sums.iter_mut().rev() {
                *sum = rest as u64 & ((1 << bits) - 1);
                rest >>= bits;
            }
        };
        share_of_extremes(&rows, observed, pack, unpack)
    } else {
        share_of_extremes(&rows, observed, <[u64]>::to_vec, |list, sums| sums.copy_from_slice(list))
    }
}

/// All orders of the ranks of a query.
struct Orders {
    /// The first order: rising ranks.
    row: Vec<u64>,
    count: f64,
}

impl Orders {
    /// The count is a product of binomial coefficients, since factorials of more than 170 are infinite.
    fn of(ranks: &[u64]) -> Self {
        let mut row = ranks.to_vec();
        row.sort_unstable();
        let (mut count, mut placed) = (1.0, 0.0);
        for tied in row.chunk_by(|a, b| a == b) {
            for number in 1..=tied.len() {
                placed += 1.0;
                count = count * placed / number as f64;
            }
        }
        Orders { row, count }
    }
}

/// The share of all orders within the `rows` whose sum of squared rank sums is at least
/// `observed`. `None` after too many steps. A key stands for a sorted list of rank sums: `pack` makes
/// it, and `unpack` writes the list. Keys are in the order of their lists.
fn share_of_extremes<K: Hash + Ord>(
    rows: &[Orders],
    observed: u64,
    pack: impl Fn(&[u64]) -> K,
    unpack: impl Fn(&K, &mut [u64]),
) -> Option<f64> {
    let (first, rest) = rows.split_first()?;
    // The share of each list. Sums are sorted, because under the null hypothesis the systems are
    // alike. Lists are sorted, so that their shares are always added in the same order.
    let mut shares = vec![(pack(&first.row), 1.0)];
    let (mut before, mut sums) = (vec![0; first.row.len()], vec![0; first.row.len()]);
    let (mut steps, mut found) = (0.0, 0.0);
    let mut left: f64 = rest.iter().map(|orders| orders.count).sum();
    for (number, Orders { row, count: orders }) in rest.iter().enumerate() {
        // With each row there are at least as many lists as before: sorted sums that differ
        // still differ when the same sorted row is added to each. So each order that is left takes
        // so many steps.
        let lists = shares.len() as f64;
        if steps + lists * left > MOST_STEPS as f64 {
            return None;
        }
        steps += orders * lists;
        left -= orders;
        let is_last = number + 1 == rest.len();
        let mut row = row.clone();
        let mut next: HashMap<K, f64, BuildHasherDefault<OfSums>> = HashMap::default();
        loop {
            for (key, share) in &shares {
                unpack(key, &mut before);
                for ((sum, before), rank) in sums.iter_mut().zip(&before).zip(&row) {
                    *sum = before + rank;
                }
                if !is_last {
                    sums.sort_unstable();
                    *next.entry(pack(&sums)).or_insert(0.0) += share / orders;
                } else if squares(&sums) >= observed {
                    found += share / orders;
                }
            }
            if !to_next_order(&mut row) {
                break;
            }
        }
        shares = next.into_iter().collect();
        shares.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    }
    Some(f64::min(found, 1.0))
}

/// A quick hash of rank sums, which are our own numbers: nobody can make them collide on purpose.
#[derive(Default)]
struct OfSums(u64);

impl Hasher for OfSums {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            // Both halves of the product are kept: the map takes its place from low bits and a tag from high ones.
            let product = u128::from(self.0 ^ u64::from_le_bytes(word)) * 0x9E37_79B9_7F4A_7C15;
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The sum of the squares of rank sums.
fn squares(sums: &[u64]) -> u64 {
    sums.iter().map(|sum| sum * sum).sum()
}

/// Moves to the next order in lexicographic order. Returns false after the last order.
fn to_next_order(numbers: &mut [u64]) -> bool {
    let Some(rise) = numbers.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let above = numbers.iter().rposition(|number| *number > numbers[rise]).unwrap_or(rise);
    numbers.swap(rise, above);
    numbers[rise + 1..].reverse();
    true
}

/// Nemenyi's critical difference of average ranks.
///
/// ```
/// use fivefold_stats::critical_difference;
///
/// // Demsar (2006), sec. 3.2.2: 4 classifiers on 14 data sets.
/// assert!((critical_difference(4, 14, 0.05)? - 1.25).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two systems or no query; [`StatsError::OutOfRange`] for
/// alpha.
pub fn critical_difference(systems: usize, queries: usize, alpha: f64) -> Result<f64, StatsError> {
    if systems < 2 || queries < 1 {
        return Err(StatsError::TooFew { found: systems.min(queries), needed: if systems < 2 { 2 } else { 1 } });
    }
    crate::error::check_share("alpha", alpha)?;
    let (k, n) = (systems as f64, queries as f64);
    let q = studentised_range_quantile(1.0 - alpha, systems, None) / 2f64.sqrt();
    Ok(q * (k * (k + 1.0) / (6.0 * n)).sqrt())
}

/// The bars of a critical-difference diagram: the longest runs of at least two systems, best first,
/// whose average ranks lie within `critical_difference`. The items of a bar are positions in
/// `average_ranks`.
///
/// ```
/// use fivefold_stats::cliques;
///
/// // Ranks of systems 0, 1 and 2; two that differ by less than 1 are not told apart.
/// assert_eq!(cliques(&[1.0, 1.5, 2.75], 1.0), [vec![0, 1]]);
/// ```
pub fn cliques(average_ranks: &[f64], critical_difference: f64) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..average_ranks.len()).collect();
    order.sort_by(|&a, &b| average_ranks[a].total_cmp(&average_ranks[b]));
    let mut found: Vec<Vec<usize>> = Vec::new();
    let mut reached = 0;
    for first in 0..order.len() {
        let within = |&&other: &&usize| average_ranks[other] - average_ranks[order[first]] <= critical_difference;
        let run = order[first..].iter().take_while(within).count();
        if run > 1 && first + run > reached {
            reached = first + run;
            found.push(order[first..reached].to_vec());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// .1 + .2 and .3 differ in the last bit, and must have the same rank.
    #[test]
    fn what_rounding_parts_is_tied() {
        let found = friedman(&[&[0.1 + 0.2, 0.5], &[0.3, 0.25]]).unwrap();
        assert_eq!(found.average_ranks, [1.25, 1.75]);
    }

    #[test]
    fn demsars_critical_difference() {
        // Demsar 2006, Table 5(a): q for k = 4 at .05 is 2.569; his example with 14 data sets has
        // CD 1.25.
        assert!((critical_difference(4, 14, 0.05).unwrap() - 1.25).abs() < 0.005);
        assert!((critical_difference(5, 30, 0.1).unwrap() - 2.459 * (30.0f64 / 180.0).sqrt()).abs() < 5e-4);
        assert!(critical_difference(4, 14, 5.0).is_err() && critical_difference(1, 14, 0.05).is_err());
    }

    #[test]
    fn extremes() {
        // First all queries have the same order, then no query has an order.
        let agree = friedman(&[&[3.0, 3.0, 3.0], &[2.0, 2.0, 2.0], &[1.0, 1.0, 1.0]]).unwrap();
        assert_eq!(agree.average_ranks, [1.0, 2.0, 3.0]);
        assert_eq!((agree.chi_square, agree.f, agree.f_p), (6.0, f64::INFINITY, 0.0));
        let tied = friedman(&[&[1.0, 2.0], &[1.0, 2.0]]).unwrap();
        assert_eq!((tied.average_ranks, tied.chi_square, tied.chi_square_p, tied.f_p), (vec![1.5, 1.5], 0.0, 1.0, 1.0));
        assert!(friedman(&[&[1.0, 2.0]]).is_err() && friedman(&[&[1.0], &[2.0]]).is_err());
    }

    #[test]
    fn cliques_are_the_longest_runs() {
        let ranks = [3.0, 1.0, 1.5, 5.0, 2.2];
        assert_eq!(cliques(&ranks, 1.25), [vec![1, 2, 4], vec![4, 0]]);
        assert_eq!(cliques(&ranks, 10.0), [vec![1, 2, 4, 0, 3]]);
        assert!(cliques(&ranks, 0.1).is_empty());
    }

    fn table(rows: &[&[f64]]) -> Friedman {
        let systems: Vec<Vec<f64>> = (0..rows[0].len()).map(|k| rows.iter().map(|row| row[k]).collect()).collect();
        friedman(&systems.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap()
    }

    /// pingouin #143 and #144, mlr3benchmark #34: with two systems, the test is a sign test. If all
    /// rankings agree, p = (1/k!)^(n-1) (Conover 1999), not the 0 of an infinite F.
    #[test]
    fn perfect_agreement_has_its_exact_p() {
        let five = table(&[&[0.1, 0.2], &[0.3, 0.5], &[0.2, 0.25], &[0.4, 0.9], &[0.15, 0.3]]);
        assert_eq!((five.p, five.method, five.f), (2.0 / 32.0, FriedmanMethod::Exact, f64::INFINITY));
        let two = table(&[&[0.1, 0.2, 0.4], &[0.2, 0.25, 0.3]]);
        assert_eq!((two.p, two.method), (1.0 / 6.0, FriedmanMethod::Exact));
        let many = vec![&[0.1, 0.2, 0.3, 0.4][..]; 100];
        assert!((table(&many).p / 24f64.powi(-99) - 1.0).abs() < 1e-12 && table(&many).f_p == 0.0);
        // Two systems tie. So there are three orders, and one of them has the largest sums.
        assert_eq!(table(&[&[0.3, 0.1, 0.1], &[0.3, 0.1, 0.1], &[0.3, 0.1, 0.1]]).p, 1.0 / 9.0);
        assert_eq!(table(&[&[0.5; 3], &[0.5; 3]]).p, 1.0);
    }

    /// Siegel, "Nonparametric statistics for the behavioral sciences", 1956, Table N: systems,
    /// queries, chi-square, p.
    #[test]
    fn exact_p_values_are_those_of_the_printed_tables() {
        let rows = |orders: &[[f64; 3]]| table(&orders.iter().map(|row| &row[..]).collect::<Vec<_>>());
        let (up, swapped, other) = ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [2.0, 1.0, 3.0]);
        for (found, chi_square, p) in [
            (rows(&[up, up, swapped]), 4.667, 0.194),
            (rows(&[up, up, up, swapped]), 6.5, 0.042),
            (rows(&[up, up, up, up, swapped]), 8.4, 0.0085),
            (rows(&[up, up, up, swapped, other]), 6.4, 0.039),
            (table(&[&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 4.0, 3.0]]), 5.4, 0.167),
            (table(&[&[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 3.0, 4.0], &[1.0, 2.0, 4.0, 3.0]]), 8.2, 0.017),
        ] {
            assert!((found.chi_square - chi_square).abs() < 6e-4 && found.method == FriedmanMethod::Exact, "{found:?}");
            assert!((found.p - p).abs() < 6e-4, "{found:?} for {p}");
        }
    }

    /// The definition: every order of every query, with no shortcut.
    #[test]
    fn exact_p_is_that_of_all_orders() {
        let mut rng = fivefold_base::Seed::new(143).rng();
        for (k, queries) in [(2, 7), (3, 2), (3, 3), (3, 5), (4, 2), (4, 3), (5, 2)] {
            for grades in [2, 3, 50] {
                let systems: Vec<Vec<f64>> =
                    (0..k).map(|_| (0..queries).map(|_| (rng.next_u64() % grades) as f64 / 10.0).collect()).collect();
                let test =
                    |systems: &[Vec<f64>]| friedman(&systems.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
                let observed = test(&systems);
                let mut orders = vec![vec![0; k]];
                orders[0].iter_mut().enumerate().for_each(|(place, system)| *system = place as u64);
                while let Some(mut next) = orders.last().cloned() {
                    if !to_next_order(&mut next) {
                        break;
                    }
                    orders.push(next);
                }
                let all = orders.len().pow(queries as u32);
                let mut hits = 0;
                for mut number in 0..all {
                    let mut turned = systems.clone();
                    for query in 0..queries {
                        for (system, &from) in orders[number % orders.len()].iter().enumerate() {
                            turned[system][query] = systems[from as usize][query];
                        }
                        number /= orders.len();
                    }
                    // The sum of squares of mean ranks, from the definition.
                    let ranks = |systems: &[Vec<f64>]| -> f64 {
                        let rank = |system: usize, query: usize| -> f64 {
                            let own = systems[system][query];
                            let above = systems.iter().filter(|other| other[query] > own).count() as f64;
                            let tied = systems.iter().filter(|other| other[query] == own).count() as f64;
                            above + (tied + 1.0) / 2.0
                        };
                        (0..k).map(|system| (0..queries).map(|query| rank(system, query)).sum::<f64>().powi(2)).sum()
                    };
                    hits += usize::from(ranks(&turned) >= ranks(&systems));
                }
                let expected = hits as f64 / all as f64;
                assert_eq!(observed.method, FriedmanMethod::Exact);
                assert!((observed.p - expected).abs() < 1e-12, "{systems:?}: {} for {expected}", observed.p);
            }
        }
    }

    /// Two queries set one system above k - 1 equal systems, and the third sets it and one more above the
    /// rest. No other order has so large a sum of squares: p = 1/k x 2/k. Rank sums of thirty systems do
    /// not fit in one number.
    #[test]
    fn many_systems_with_few_orders_are_counted() {
        for k in [5, 10, 30, 200] {
            let above = |first: usize| (0..k).map(|system| f64::from(u8::from(system < first))).collect::<Vec<_>>();
            let found = table(&[&above(1), &above(1), &above(2)]);
            assert_eq!(found.method, FriedmanMethod::Exact);
            assert!((found.p - 2.0 / (k * k) as f64).abs() < 1e-12, "{k}: {}", found.p);
        }
    }

    /// Of 200 systems, 180 tie on one query. The orders of the other queries are more than any
    /// number.
    #[test]
    fn orders_without_number_are_not_counted() {
        let mut rows: Vec<Vec<f64>> =
            (0..3).map(|query| (0..200).map(|k| f64::from(k * (query + 1) % 211)).collect()).collect();
        rows[1][20..].fill(500.0);
        let found = table(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(found.method, FriedmanMethod::F);
        let count = |ranks: &[u64]| Orders::of(ranks).count;
        assert!(count(&(0..200).collect::<Vec<u64>>()).is_infinite() && count(&[1; 200]) == 1.0);
        assert_eq!((count(&[2, 1, 2, 3, 1]), count(&[4, 1, 3, 2])), (30.0, 24.0));
    }

    /// Checks the numbers of queries in `fivefold book reference/statistics` up to which p is exact without ties,
    /// and that F takes over without a jump.
    #[test]
    fn tables_that_are_counted_out() {
        let made = |k: usize, queries: usize| {
            let mut rng = fivefold_base::Seed::new(34).rng();
            let rows: Vec<Vec<f64>> =
                (0..queries).map(|_| (0..k).map(|system| rng.uniform() + 0.05 * system as f64).collect()).collect();
            table(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
        };
        for (k, most) in [(3, 66), (4, 16), (5, 6), (6, 3), (7, 2), (8, 2)] {
            let (exact, by_f) = (made(k, most), made(k, most + 1));
            assert_eq!((exact.method, by_f.method), (FriedmanMethod::Exact, FriedmanMethod::F), "{k} systems");
            assert!((exact.p - exact.f_p).abs() < 0.3 / most as f64, "{k} systems: {exact:?}");
        }
        assert_eq!(made(2, 3_000).method, FriedmanMethod::Exact);
    }
}

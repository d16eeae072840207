//! Rank-biased overlap of two rankings, which need not have the same documents.
//!
//! With X_d common documents of the first d of both, lengths s <= l, and a user who goes on with
//! probability p,
//! - RBO_ext = ((1-p)/p) (sum_{d<=l} X_d p^d/d + sum_{s<d<=l} X_s (d-s) p^d/(s d)) + ((X_l - X_s)/l +
//!   X_s/s) p^l: the agreement so far is taken to go on behind the lists;
//! - RBO_min = ((1-p)/p) (sum_{d<=s} (X_d - X_s) p^d/d - X_s ln(1-p)): no further document is common.
//!
//! Ties: X_d is the mean over the orders of the tied documents, in both rankings alike. A document of
//! a group of s documents behind a others is in the first d with probability (d-a)/s.
//!
//! E is the value of two random orders of the same documents, X_d = common min(d,s) d/(s l). U is
//! that of two rankings with the common documents first, in one order. V1 and V2 follow as for any
//! measure. Source: Webber, Moffat & Zobel, TOIS 2010. Cost: the documents, and for each common
//! document the size of its larger tie group.

use std::collections::HashMap;
use std::hash::Hash;

use crate::normalise::{differ, v1, v2};

/// A ranking in which documents may tie: groups from the top.
pub type Groups<D> = Vec<Vec<D>>;

/// The overlap of two rankings.
///
/// ```
/// use fivefold_metrics::rbo::Overlap;
///
/// let (one, other) = (["a", "b", "c"].map(|d| vec![d]), ["b", "a", "d"].map(|d| vec![d]));
/// let overlap = Overlap::new(&one, &other).unwrap();
/// let values = overlap.values(0.9);
/// assert!(values.least < values.extrapolated && values.extrapolated < values.upper);
/// // An empty ranking has no overlap.
/// assert!(Overlap::<&str>::new(&one, &[]).is_none());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap<D> {
    /// X_d, d from 1.
    common: Vec<f64>,
    lengths: [usize; 2],
    documents: std::marker::PhantomData<D>,
}

/// The values of an overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rbo {
    /// RBO_ext.
    pub extrapolated: f64,
    /// RBO_min.
    pub least: f64,
    /// U of RBO_ext.
    pub upper: f64,
    /// E of RBO_ext.
    pub expected: f64,
}

impl Rbo {
    /// V1 and V2 of RBO_ext; NaN if U and E are equal.
    pub fn normalised(&self) -> [f64; 2] {
        let Rbo { extrapolated: a, upper: u, expected: e, .. } = *self;
        if differ(u, e) { [v1(a, u, e), v2(a, u, e)] } else { [f64::NAN; 2] }
    }
}

impl<D: Eq + Hash> Overlap<D> {
    /// Counts the common documents at each depth; `None` if a ranking is empty.
    pub fn new(one: &[Vec<D>], other: &[Vec<D>]) -> Option<Self> {
        let places = |groups: &[Vec<D>]| -> Vec<(usize, usize)> {
            let mut start = 0;
            let place = |group: &Vec<D>| {
                start += group.len();
                (start - group.len(), group.len())
            };
            groups.iter().map(place).collect()
        };
        let (first, second) = (places(one), places(other));
        let length = |places: &[(usize, usize)]| places.last().map_or(0, |(start, size)| start + size);
        let lengths = [length(&first), length(&second)];
        let (shorter, longer) = (lengths[0].min(lengths[1]), lengths[0].max(lengths[1]));
        if shorter == 0 {
            return None;
        }
        let known =
            one.iter().zip(&first).flat_map(|(group, &place)| group.iter().map(move |document| (document, place)));
        let known: HashMap<&D, (usize, usize)> = known.collect();
        // From `whole[d]` on, a document counts in full; `parts[d]` adds what counts at d alone.
        let (mut whole, mut parts) = (vec![0.0; longer + 1], vec![0.0; longer + 1]);
        for (group, &(start, size)) in other.iter().zip(&second) {
            for &(start_of_known, size_of_known) in group.iter().filter_map(|document| known.get(document)) {
                let share = |d: usize, start: usize, size: usize| (d - start).min(size) as f64 / size as f64;
                let (from, end) = (start.max(start_of_known) + 1, (start + size).max(start_of_known + size_of_known));
                whole[end] += 1.0;
                for (d, part) in (from..).zip(&mut parts[from..end]) {
                    *part += share(d, start, size) * share(d, start_of_known, size_of_known);
                }
            }
        }
        let mut sum = 0.0;
        let at = |d: usize| {
            sum += whole[d];
            sum + parts[d]
        };
        let common = (1..=longer).map(at).collect();
        Some(Overlap { common, lengths: [shorter, longer], documents: std::marker::PhantomData })
    }

    /// The values for a user who goes on with probability `p`, above 0 and below 1.
    pub fn values(&self, p: f64) -> Rbo {
        let [shorter, longer] = self.lengths;
        let common = self.common[longer - 1];
        let random = |d: usize| common * d.min(shorter) as f64 * d as f64 / (shorter as f64 * longer as f64);
        let best = |d: usize| (d as f64).min(common);
        let of = |at: &dyn Fn(usize) -> f64| extrapolated((1..=longer).map(at).collect(), shorter, p);
        Rbo {
            extrapolated: extrapolated(self.common.clone(), shorter, p),
            least: least(&self.common[..shorter], p),
            upper: of(&best),
            expected: of(&random),
        }
    }
}

/// RBO_ext of X_1, X_2, ...
fn extrapolated(common: Vec<f64>, shorter: usize, p: f64) -> f64 {
    let (longer, at_shorter) = (common.len(), common[shorter - 1]);
    let (mut sum, mut power) = (0.0, 1.0);
    for (d, common) in (1..).zip(&common) {
        power *= p;
        sum += common * power / d as f64;
        if d > shorter {
            sum += at_shorter * (d - shorter) as f64 * power / (shorter as f64 * d as f64);
        }
    }
    let at_longer = common[longer - 1];
    (1.0 - p) / p * sum + ((at_longer - at_shorter) / longer as f64 + at_shorter / shorter as f64) * power
}

/// RBO_min of X_1, ..., X_s.
fn least(common: &[f64], p: f64) -> f64 {
    let last = common.last().copied().unwrap_or(0.0);
    let (mut sum, mut power) = (0.0, 1.0);
    for (d, common) in (1..).zip(common) {
        power *= p;
        sum += (common - last) * power / f64::from(d);
    }
    (1.0 - p) / p * (sum - last * libm::log(1.0 - p))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a{bc}d`: groups in braces.
    fn groups(text: &str) -> Groups<char> {
        let (mut groups, mut open): (Groups<char>, bool) = (Vec::new(), false);
        for letter in text.chars() {
            match letter {
                '{' => {
                    open = true;
                    groups.push(Vec::new());
                }
                '}' => open = false,
                letter if open => groups.last_mut().unwrap().push(letter),
                letter => groups.push(vec![letter]),
            }
        }
        groups
    }

    fn values(one: &str, other: &str, p: f64) -> Rbo {
        Overlap::new(&groups(one), &groups(other)).unwrap().values(p)
    }

    /// All orders of the groups.
    fn orders(groups: &Groups<char>) -> Vec<Groups<char>> {
        fn permutations(letters: &[char]) -> Vec<Vec<char>> {
            if letters.is_empty() {
                return vec![Vec::new()];
            }
            let first = |place: usize| {
                let mut rest = letters.to_vec();
                let letter = rest.remove(place);
                permutations(&rest).into_iter().map(move |order| [vec![letter], order].concat())
            };
            (0..letters.len()).flat_map(first).collect()
        }
        groups.iter().fold(vec![Vec::new()], |orders, group| {
            let of_group = permutations(group);
            let longer = |order: &Groups<char>| {
                let order = order.clone();
                of_group
                    .iter()
                    .map(move |own| order.iter().cloned().chain(own.iter().map(|&d| vec![d])).collect())
                    .collect::<Vec<_>>()
            };
            orders.iter().flat_map(longer).collect()
        })
    }

    /// The first two and the ties by the Python package rbo 0.1.3 (`RankingSimilarity(...).rbo_ext(p)`);
    /// RBO_min by the formula.
    #[test]
    fn check_values() {
        for (one, other, p, ext, least) in [
            ("abcdefg", "bacdfge", 0.9, 0.8770365, Some(0.6441755)),
            ("abcd", "bdxaey", 0.8, 0.5066667, Some(0.3617451)),
            ("{ab}c{de}", "b{ac}{ef}", 0.9, 0.782_611_25, None),
            ("{abcd}", "{abcd}", 0.9, 0.85975, None),
        ] {
            for values in [values(one, other, p), values(other, one, p)] {
                assert!((values.extrapolated - ext).abs() < 5e-8, "{one} {other}: {values:?}");
                assert!(least.is_none_or(|least| (values.least - least).abs() < 5e-8), "{one} {other}: {values:?}");
            }
        }
        let same = values("abc", "abc", 0.7);
        assert!((same.extrapolated - 1.0).abs() < 1e-15 && (same.upper - 1.0).abs() < 1e-15);
    }

    #[test]
    fn ties_expected_values_and_upper_bounds_are_those_of_all_orders() {
        for (one, other) in [("{ab}c{de}", "b{ac}{ef}"), ("{abcd}", "{xab}"), ("a{bc}", "{cdab}e"), ("a", "{ba}c")] {
            for p in [0.9, 0.5] {
                let mean = |one: &Groups<char>, other: &Groups<char>| {
                    let values: Vec<f64> = orders(one)
                        .iter()
                        .flat_map(|one| orders(other).into_iter().map(move |other| (one.clone(), other)))
                        .map(|(one, other)| Overlap::new(&one, &other).unwrap().values(p).extrapolated)
                        .collect();
                    let highest = values.iter().copied().fold(0.0, f64::max);
                    (values.iter().sum::<f64>() / values.len() as f64, highest)
                };
                let found = values(one, other, p);
                let (tied, _) = mean(&groups(one), &groups(other));
                assert!((found.extrapolated - tied).abs() < 1e-14, "{one} {other}: {found:?}, not {tied}");
                let all = |text: &str| vec![groups(text).concat()];
                let (expected, highest) = mean(&all(one), &all(other));
                assert!((found.expected - expected).abs() < 1e-12, "{one} {other}: {found:?}, not {expected}");
                assert!((found.upper - highest).abs() < 1e-14, "{one} {other}: {found:?}, not {highest}");
            }
        }
    }
}

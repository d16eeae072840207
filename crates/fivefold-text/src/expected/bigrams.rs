//! E of ROUGE-2's matches: the sum over the reference's different bigrams ab of E[min(X, r)], where
//! r counts the bigram in the reference and X in the random summary.
//!
//! - `unigram`: the m draws run through the states (count up to r, whether the last token was a).
//!   Costs O(m r) a bigram.
//! - `sample`, a = b: given K tokens a, X is hypergeometric: the places of the a's that follow an a.
//!   P(X = x) = C(K-1, K-x-1) C(m-K+1, K-x) / C(m, K), which is K - 1 successes among m in K draws.
//! - `sample`, a != b: given x tokens a and y tokens b in random order, the b's that stand right
//!   after an a are y draws of the m places' predecessors, of which x are a: hypergeometric again.
//!   Costs O(c(a) c(b) r). Inclusion and exclusion would give the same by terms that cancel; here all
//!   terms are positive.

use super::chance::{LogFactorials, min_of_hypergeometric};
use super::{Drawing, Source};
use crate::ngrams::Grams;

/// Chances below are left out: their sum is far below rounding.
const NEGLIGIBLE: f64 = 1e-20;

/// E of the matches of random summaries of increasing lengths. The source has at least one token.
pub(crate) fn matches(
    drawing: Drawing,
    reference: &Grams,
    source: &Source,
    lengths: &[usize],
    logs: &LogFactorials,
) -> Vec<f64> {
    let mut sums = vec![0.0; lengths.len()];
    let population = source.tokens.len();
    for (a, b, r) in reference.bigrams() {
        let count = |token: u32| source.counts[token as usize] as usize;
        let (in_source, r) = ([count(a), count(b)], r as usize);
        if in_source.contains(&0) {
            continue;
        }
        match drawing {
            Drawing::Unigram => {
                let p = in_source.map(|count| count as f64 / population as f64);
                independent(p, a == b, r, lengths, &mut sums);
            }
            Drawing::Sample => {
                let of = |&m: &usize| match a == b {
                    true => twice_the_same(population, in_source[0], m, r, logs),
                    false => two_different(population, in_source, m, r, logs),
                };
                sums.iter_mut().zip(lengths).for_each(|(sum, m)| *sum += of(m));
            }
        }
    }
    sums
}

/// Adds E[min(X, r)] of a bigram in m independent draws, for each length m.
fn independent([p_a, p_b]: [f64; 2], same: bool, r: usize, lengths: &[usize], sums: &mut [f64]) {
    // chances[k] = chance of k bigrams so far: [last token is not a, last token is a].
    let mut chances = vec![[0.0; 2]; r];
    chances[0] = [1.0, 0.0];
    let mut drawn = 0;
    for (sum, &m) in sums.iter_mut().zip(lengths) {
        for _ in drawn..m {
            // What the next lower count gives to this one.
            let mut from_below = 0.0;
            for state in &mut chances {
                let [other, a] = *state;
                let (completed, next) = match same {
                    true => (a * p_a, [(other + a) * (1.0 - p_a), other * p_a + from_below]),
                    false => {
                        let rest = (1.0 - p_a - p_b).max(0.0);
                        (a * p_b, [other * (1.0 - p_a) + a * rest + from_below, (other + a) * p_a])
                    }
                };
                (*state, from_below) = (next, completed);
            }
        }
        drawn = drawn.max(m);
        let short: f64 = chances.iter().enumerate().map(|(k, [other, a])| (r - k) as f64 * (other + a)).sum();
        *sum += (r as f64 - short).max(0.0);
    }
}

/// E[min(X, r)] of the bigram aa, where `m` of `population` tokens are drawn, of which `in_source` are a.
fn twice_the_same(population: usize, in_source: usize, m: usize, r: usize, logs: &LogFactorials) -> f64 {
    let lowest = (m + in_source).saturating_sub(population);
    let of = |k: usize| {
        let chance = logs.hypergeometric(population, in_source, m, k);
        if chance < NEGLIGIBLE { 0.0 } else { chance * min_of_hypergeometric(m, k - 1, k, r, logs) }
    };
    (lowest.max(2)..=in_source.min(m)).map(of).sum()
}

/// E[min(X, r)] of the bigram ab, where `m` of `population` tokens are drawn, of which `in_source`
/// are a and b.
fn two_different(population: usize, in_source: [usize; 2], m: usize, r: usize, logs: &LogFactorials) -> f64 {
    let [a, b] = in_source;
    let mut sum = 0.0;
    for x in (m + a).saturating_sub(population).max(1)..=a.min(m) {
        let chance_x = logs.hypergeometric(population, a, m, x);
        if chance_x < NEGLIGIBLE {
            continue;
        }
        let (others, left) = (population - a, m - x);
        for y in (left + b).saturating_sub(others).max(1)..=b.min(left) {
            let chance = chance_x * logs.hypergeometric(others, b, left, y);
            if chance >= NEGLIGIBLE {
                sum += chance * min_of_hypergeometric(m, x, y, r, logs);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of exact fractions, computed apart: m, tokens of the source, those that are a, those
    /// that are b (0: the bigram is aa), r, E.
    #[test]
    fn one_bigram_of_long_texts() {
        let logs = LogFactorials::up_to(700);
        for (m, population, a, b, r, sample, unigram) in [
            (60, 370, 40, 20, 1, 0.297110, Some(0.293763)),
            (60, 370, 40, 20, 3, 0.345458, Some(0.344414)),
            (60, 370, 40, 0, 1, 0.471030, Some(0.468815)),
            (60, 370, 40, 0, 2, 0.624606, Some(0.629601)),
            (4, 9, 3, 2, 1, 0.246032, None),
            // Where inclusion and exclusion gives -1251.
            (300, 600, 200, 200, 5, 5.0, None),
        ] {
            let found = match b {
                0 => twice_the_same(population, a, m, r, &logs),
                b => two_different(population, [a, b], m, r, &logs),
            };
            assert!((found - sample).abs() < 6e-7, "{m} {population} {a} {b} {r}: {found} {sample}");
            if let Some(unigram) = unigram {
                let (p, mut sums) = ([a, b.max(a * usize::from(b == 0))], [0.0]);
                let p = p.map(|count| count as f64 / population as f64);
                independent(p, b == 0, r, &[m], &mut sums);
                assert!((sums[0] - unigram).abs() < 6e-7, "{sums:?} {unigram}");
            }
        }
    }

    /// For r = 1 and a != b, the chance of no bigram is a_i = a_(i-1) - p_a p_b a_(i-2).
    #[test]
    fn one_match_follows_a_recurrence() {
        let (p, lengths) = ([0.2, 0.3], [0, 1, 2, 5, 40]);
        let mut sums = [0.0; 5];
        independent(p, false, 1, &lengths, &mut sums);
        let mut none = vec![1.0, 1.0];
        for i in 2..=40 {
            none.push(none[i - 1] - p[0] * p[1] * none[i - 2]);
        }
        for (found, &m) in sums.iter().zip(&lengths) {
            assert!((found - (1.0 - none[m])).abs() < 1e-15, "{m}");
        }
    }
}

//! The weights of document pairs, as a number for each document.
//!
//! The pair of x1 (better) and x0 (worse) weighs exp(H(x0) - H(x1)), a product of a factor for each
//! document. The potential of document d is pi(d) = sum over worse x0 of D(x0, d) - sum over
//! better x1 of D(d, x1). Two passes over the grades of a query, with the sums of the factors of
//! lower and of higher grades, give all potentials. The cost is O(documents) for any number of
//! grades, and the result is exact. (Freund et al. do so for two grades only; for more grades they
//! keep a weight a pair.)

use std::ops::Range;

use fivefold_core::Dataset;

use crate::exponentials::exponentiate;
use crate::wide::{self, Loop, Vector};

/// Bounds the exponents of the factors, so that no product of two factors can overflow. Boosting
/// keeps the exponent of a pair below the logarithm of the number of pairs. Only documents without
/// a common pair can be further apart.
const LARGEST_EXPONENT: f64 = 300.0;

/// The quotients of a number and each of some numbers, as a loop.
struct Quotients<'a> {
    number: f64,
    divisors: &'a [f64],
    quotients: &'a mut [f64],
}

impl Loop for Quotients<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Quotients { number, divisors, quotients } = self;
        quotients.iter_mut().zip(divisors).for_each(|(quotient, divisor)| *quotient = number / divisor);
    }
}

/// The documents of all queries with at least two grades, by query, then by rising grade.
pub(super) struct Pairs<'a> {
    rows: Vec<&'a [f32]>,
    /// For each query, the first document of each grade, and at the end the end of the last grade.
    queries: Vec<Vec<usize>>,
    /// Scratch: exp(H(d) - centre).
    factors: Vec<f64>,
    /// Scratch: the inverse factors of a grade.
    inverses: Vec<f64>,
}

impl<'a> Pairs<'a> {
    /// The documents of `data` that belong to a pair.
    pub fn new(data: &'a Dataset) -> Self {
        let (mut rows, mut queries) = (Vec::new(), Vec::new());
        for query in data.queries() {
            let (view, grades) = (query.view(), query.grades());
            let mut order: Vec<usize> = (0..grades.len()).collect();
            order.sort_by_key(|&document| grades[document]);
            let levels = order.chunk_by(|&a, &b| grades[a] == grades[b]);
            let mut bounds = vec![rows.len()];
            bounds.extend(levels.scan(rows.len(), |end, level| {
                *end += level.len();
                Some(*end)
            }));
            if bounds.len() > 2 {
                rows.extend(order.iter().map(|&document| view.row(document)));
                queries.push(bounds);
            }
        }
        let factors = vec![0.0; rows.len()];
        let longest = queries.iter().map(|bounds: &Vec<usize>| bounds[bounds.len() - 1] - bounds[0]).max();
        let inverses = vec![0.0; longest.unwrap_or(0)];
        Pairs { rows, queries, factors, inverses }
    }

    /// The features of each document.
    pub fn rows(&self) -> &[&'a [f32]] {
        &self.rows
    }

    /// Writes each document's potential at the scores H, and returns the sum of the weights of all
    /// pairs. In the unit of both numbers, a pair of documents with equal scores weighs 1.
    pub fn potentials(&mut self, scores: &[f64], potentials: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for bounds in &self.queries {
            let documents = bounds[0]..bounds[bounds.len() - 1];
            let scores = &scores[documents.clone()];
            let (low, high) =
                scores.iter().fold((f64::MAX, f64::MIN), |(low, high), &score| (low.min(score), high.max(score)));
            let centre = low / 2.0 + high / 2.0;
            let factors = &mut self.factors[documents];
            for (factor, score) in factors.iter_mut().zip(scores) {
                *factor = (score - centre).clamp(-LARGEST_EXPONENT, LARGEST_EXPONENT);
            }
            exponentiate(factors);
            let first = bounds[0];
            let factors_of = |grade: &Range<usize>| &factors[grade.start - first..grade.end - first];
            let grades = || bounds.windows(2).map(|pair| Range { start: pair[0], end: pair[1] });
            // Nothing is worse than the lowest grade, and nothing better than the highest.
            let mut worse = 0.0;
            for grade in grades() {
                let (factors, potentials) = (factors_of(&grade), &mut potentials[grade]);
                if worse == 0.0 {
                    potentials.fill(0.0);
                } else {
                    wide::run(Quotients { number: worse, divisors: factors, quotients: potentials });
                    potentials.iter().for_each(|potential| total += potential);
                }
                worse += factors.iter().fold(0.0, |sum, factor| sum + factor);
            }
            let mut better = 0.0;
            for grade in grades().rev() {
                let factors = factors_of(&grade);
                for (potential, factor) in potentials[grade.clone()].iter_mut().zip(factors) {
                    *potential -= better * factor;
                }
                if grade.start > first {
                    let inverses = &mut self.inverses[..factors.len()];
                    wide::run(Quotients { number: 1.0, divisors: factors, quotients: inverses });
                    better += inverses.iter().fold(0.0, |sum, inverse| sum + inverse);
                }
            }
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    #[test]
    fn potentials_are_sums_over_pairs() {
        let data = signal_in_order(8, 3);
        let mut pairs = Pairs::new(&data);
        let mut rng = Seed::new(4).rng();
        let scores: Vec<f64> = pairs.rows().iter().map(|_| 3.0 * rng.normal()).collect();
        let (mut expected, mut expected_total) = (vec![0.0; scores.len()], 0.0);
        for bounds in &pairs.queries {
            let grade = |document: usize| bounds.iter().filter(|&&start| start <= document).count();
            let documents = bounds[0]..bounds[bounds.len() - 1];
            for (a, b) in documents.clone().flat_map(|a| documents.clone().map(move |b| (a, b))) {
                if grade(a) > grade(b) {
                    let weight = libm::exp(scores[b] - scores[a]);
                    expected[a] += weight;
                    expected[b] -= weight;
                    expected_total += weight;
                }
            }
        }
        let mut found = vec![f64::NAN; scores.len()];
        let total = pairs.potentials(&scores, &mut found);
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12 * expected_total;
        assert!(near(total, expected_total), "{total} {expected_total}");
        assert!(found.iter().zip(&expected).all(|(&f, &e)| near(f, e)), "{found:?} {expected:?}");
        assert!(pairs.queries.iter().any(|bounds| bounds.len() == 4), "a query with three grades");
    }

    #[test]
    fn queries_without_pairs_are_left_out() {
        let data = rows(&[&[(1, &[1.0]), (1, &[2.0])], &[(2, &[3.0]), (0, &[4.0]), (2, &[5.0])], &[(0, &[6.0])]]);
        let mut pairs = Pairs::new(&data);
        assert_eq!(pairs.rows(), [&[4.0f32][..], &[3.0], &[5.0]]);
        let mut found = [0.0; 3];
        assert_eq!(pairs.potentials(&[0.0; 3], &mut found), 2.0);
        assert_eq!(found, [-2.0, 1.0, 1.0]);
    }

    #[test]
    fn scores_far_apart_stay_finite() {
        let data = rows(&[&[(0, &[1.0]), (1, &[1.0]), (2, &[1.0])]]);
        let mut found = [0.0; 3];
        for scores in [[0.0, 1e4, -1e4], [-1e300, 0.0, 1e300], [1e4; 3]] {
            let total = Pairs::new(&data).potentials(&scores, &mut found);
            assert!(total.is_finite() && found.iter().all(|p| p.is_finite()), "{total} {found:?}");
        }
    }
}

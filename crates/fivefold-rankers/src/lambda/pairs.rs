//! The lambda gradients of a document's pairs with all documents ranked below it, in the vectors of
//! the processor.
//!
//! Cost of a pair: a division, and two numbers that are read and written again.

use crate::wide::{self, DOUBLES, Double, Loop, Vector};

/// A document and all documents ranked below it. `changes` has the change of the measure for the
/// exchange with each lower document. If a change is below 0, the upper document is better.
#[derive(Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub exponentials: &'a [f64],
    pub scores: &'a [f64],
    pub changes: &'a [f64],
    pub by_distance: bool,
}

/// Adds the pairs of the first document of `ranked` to gradients and hessians; returns the sum of
/// the absolute lambdas. `first` and `second` begin with this document.
pub(super) fn add_pairs(ranked: Ranked<'_>, first: &mut [f64], second: &mut [f64]) -> f64 {
    wide::run(Pairs { ranked, first, second })
}

struct Pairs<'a> {
    ranked: Ranked<'a>,
    first: &'a mut [f64],
    second: &'a mut [f64],
}

impl Loop for Pairs<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(self) -> f64 {
        // A loop each, so that no pair asks.
        if self.ranked.by_distance { self.add::<V::Double, true>() } else { self.add::<V::Double, false>() }
    }
}

impl Pairs<'_> {
    #[inline(always)]
    fn add<V: Double, const BY_DISTANCE: bool>(self) -> f64 {
        let Pairs { ranked: Ranked { exponentials, scores, changes, .. }, first, second } = self;
        let [top, others @ ..] = exponentials else { return 0.0 };
        let [here, scores @ ..] = scores else { return 0.0 };
        let [of_first, first @ ..] = first else { return 0.0 };
        let [of_second, second @ ..] = second else { return 0.0 };
        let (others, rest_others) = others.as_chunks();
        let (scores, rest_scores) = scores.as_chunks();
        let (changes, rest_changes) = changes.as_chunks();
        let (first, rest_first) = first.as_chunks_mut();
        let (second, rest_second) = second.as_chunks_mut();
        let upper = Upper::<V, BY_DISTANCE> { exponential: V::splat(*top), score: V::splat(*here) };
        let zero = V::splat(0.0);
        let (mut lambda_sum, mut absolute_sum, mut hessian_sum) = (zero, zero, zero);
        for ((((others, scores), changes), first), second) in
            others.iter().zip(scores).zip(changes).zip(first).zip(second)
        {
            let (lambdas, hessians) = upper.pairs(others, scores, changes);
            *first = V::load(first).minus(lambdas).values();
            *second = V::load(second).plus(hessians).values();
            lambda_sum = lambda_sum.plus(lambdas);
            absolute_sum = absolute_sum.plus(lambdas.absolute());
            hessian_sum = hessian_sum.plus(hessians);
        }
        // The pairs that do not fill a vector.
        let count = rest_others.len();
        let filled = |rest: &[f64]| -> [f64; DOUBLES] { std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0.0)) };
        let (lambdas, hessians) = upper.pairs(&filled(rest_others), &filled(rest_scores), &filled(rest_changes));
        let (lambdas, hessians) = (&lambdas.values()[..count], &hessians.values()[..count]);
        let (mut lambda, mut absolute, mut hessian) = (0.0, 0.0, 0.0);
        for ((added, more), (first, second)) in lambdas.iter().zip(hessians).zip(rest_first.iter_mut().zip(rest_second))
        {
            *first -= added;
            *second += more;
            lambda += added;
            absolute += added.abs();
            hessian += more;
        }
        *of_first += fold(lambda_sum.values()) + lambda;
        *of_second += fold(hessian_sum.values()) + hessian;
        fold(absolute_sum.values()) + absolute
    }
}

/// The upper document of pairs.
struct Upper<V, const BY_DISTANCE: bool> {
    exponential: V,
    score: V,
}

impl<V: Double, const BY_DISTANCE: bool> Upper<V, BY_DISTANCE> {
    /// For each pair: the number that the upper gradient gains and the lower gradient loses, and
    /// the number that both hessians gain.
    #[inline(always)]
    fn pairs(&self, others: &[f64; DOUBLES], scores: &[f64; DOUBLES], changes: &[f64; DOUBLES]) -> (V, V) {
        let (top, other, change) = (self.exponential, V::load(others), V::load(changes));
        let sum = top.plus(other);
        let distance = if BY_DISTANCE { V::splat(0.01).plus(self.score.minus(V::load(scores))) } else { V::splat(1.0) };
        // A single division gives 1 / (sum^2 distance), and 1 / (sum distance) follows from it.
        let inverse = V::splat(1.0).over(sum.times(sum).times(distance));
        let worse = change.if_negative(other, top);
        let lambda = change.times(worse).times(sum.times(inverse));
        (lambda, change.absolute().times(top.times(other).times(inverse)))
    }
}

/// The sum of four parts of a sum.
#[inline(always)]
fn fold(parts: [f64; DOUBLES]) -> f64 {
    (parts[0] + parts[1]) + (parts[2] + parts[3])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same bits with and without AVX2, and sums that are those of the pairs.
    #[test]
    fn any_processor_gives_the_same_bits() {
        let mut rng = fivefold_core::Seed::new(8).rng();
        for documents in [1, 2, 4, 5, 6, 8, 9, 120, 1001] {
            let mut scores: Vec<f64> = (0..documents).map(|_| rng.normal()).collect();
            scores.sort_by(|a, b| b.total_cmp(a));
            let exponentials: Vec<f64> = scores.iter().map(|&score| libm::exp(score)).collect();
            let changes: Vec<f64> = (1..documents).map(|_| rng.normal()).collect();
            for by_distance in [false, true] {
                let ranked = Ranked { exponentials: &exponentials, scores: &scores, changes: &changes, by_distance };
                let mut out = [(); 2].map(|()| (vec![0.25; documents], vec![0.5; documents]));
                let [plain, wide] = &mut out;
                let total = wide::run_plainly(Pairs { ranked, first: &mut plain.0, second: &mut plain.1 });
                assert_eq!(total.to_bits(), add_pairs(ranked, &mut wide.0, &mut wide.1).to_bits());
                assert_eq!(plain, wide, "{documents}");
                let gained = 0.25 * documents as f64 - plain.0.iter().sum::<f64>();
                assert!(gained.abs() < 1e-9, "{documents}: {gained}");
                let lost: f64 = plain.0[1..].iter().map(|gradient| (gradient - 0.25).abs()).sum();
                assert!((lost - total).abs() <= 1e-9 * total, "{documents}: {lost} {total}");
            }
        }
    }
}

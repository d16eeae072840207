//! The lambda gradients of the top documents' pairs with all documents ranked below them, in the
//! vectors of the processor.
//!
//! Cost of a pair: a division, and two numbers that are read and written again.

use std::ops::Range;

use crate::wide::{self, DOUBLES, Double, Loop, Vector};

/// A ranking: numbers by position, and how the exchange of two documents changes the measure.
#[derive(Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub exponentials: &'a [f64],
    pub scores: &'a [f64],
    pub changes: Changes<'a>,
    pub by_distance: bool,
}

/// The change of the measure for the exchange of a top document with each lower document. If a
/// change is below 0, the upper document is better.
#[derive(Clone, Copy)]
pub(super) enum Changes<'a> {
    /// The changes of one top document.
    Given(&'a [f64]),
    /// The change of positions i < j is (gain j - gain i) (discount i - discount j) unit.
    Products { gains: &'a [f64], discounts: &'a [f64], unit: f64 },
}

/// Adds the pairs of the documents at the positions `tops` to gradients and hessians. Returns
/// `total`, to which the sum of the absolute lambdas of each top document was added. If changes are
/// given, there is one top document.
pub(super) fn add_pairs(
    ranked: Ranked<'_>,
    tops: Range<usize>,
    total: f64,
    first: &mut [f64],
    second: &mut [f64],
) -> f64 {
    wide::run(Pairs { ranked, tops, total, first, second })
}

struct Pairs<'a> {
    ranked: Ranked<'a>,
    tops: Range<usize>,
    total: f64,
    first: &'a mut [f64],
    second: &'a mut [f64],
}

impl Loop for Pairs<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Vector>(self) -> f64 {
        // A loop each, so that no pair asks.
        match (self.ranked.by_distance, self.ranked.changes) {
            (false, Changes::Given(_)) => self.add::<V::Double, false, false>(),
            (true, Changes::Given(_)) => self.add::<V::Double, true, false>(),
            (false, Changes::Products { .. }) => self.add::<V::Double, false, true>(),
            (true, Changes::Products { .. }) => self.add::<V::Double, true, true>(),
        }
    }
}

impl Pairs<'_> {
    #[inline(always)]
    fn add<V: Double, const BY_DISTANCE: bool, const PRODUCTS: bool>(self) -> f64 {
        let Pairs { ranked: Ranked { exponentials, scores, changes, .. }, tops, mut total, first, second } = self;
        for top in tops {
            // Without products, the second factors are not used.
            let (factors, [gain, discount, unit]) = match changes {
                Changes::Given(changes) => ([changes; 2], [0.0; 3]),
                Changes::Products { gains, discounts, unit } => {
                    ([&gains[top + 1..], &discounts[top + 1..]], [gains[top], discounts[top], unit])
                }
            };
            let upper = Upper::<V, BY_DISTANCE, PRODUCTS> {
                exponential: V::splat(exponentials[top]),
                score: V::splat(scores[top]),
                gain: V::splat(gain),
                discount: V::splat(discount),
                unit: V::splat(unit),
            };
            total +=
                upper.add(&exponentials[top + 1..], &scores[top + 1..], factors, &mut first[top..], &mut second[top..]);
        }
        total
    }
}

/// The upper document of pairs.
struct Upper<V, const BY_DISTANCE: bool, const PRODUCTS: bool> {
    exponential: V,
    score: V,
    gain: V,
    discount: V,
    unit: V,
}

impl<V: Double, const BY_DISTANCE: bool, const PRODUCTS: bool> Upper<V, BY_DISTANCE, PRODUCTS> {
    /// Adds the pairs with all lower documents; returns the sum of the absolute lambdas. `first` and
    /// `second` begin with the upper document.
    #[inline(always)]
    fn add(
        &self,
        others: &[f64],
        scores: &[f64],
        [one, other]: [&[f64]; 2],
        first: &mut [f64],
        second: &mut [f64],
    ) -> f64 {
        let [of_first, first @ ..] = first else { return 0.0 };
        let [of_second, second @ ..] = second else { return 0.0 };
        let (others, rest_others) = others.as_chunks();
        let (scores, rest_scores) = scores.as_chunks();
        let ((one, rest_one), (other, rest_other)) = (one.as_chunks(), other.as_chunks());
        let (first, rest_first) = first.as_chunks_mut();
        let (second, rest_second) = second.as_chunks_mut();
        let zero = V::splat(0.0);
        let (mut lambda_sum, mut absolute_sum, mut hessian_sum) = (zero, zero, zero);
        for (((((others, scores), one), other), first), second) in
            others.iter().zip(scores).zip(one).zip(other).zip(first).zip(second)
        {
            let (lambdas, hessians) = self.pairs(others, scores, [one, other]);
            *first = V::load(first).minus(lambdas).values();
            *second = V::load(second).plus(hessians).values();
            lambda_sum = lambda_sum.plus(lambdas);
            absolute_sum = absolute_sum.plus(lambdas.absolute());
            hessian_sum = hessian_sum.plus(hessians);
        }
        // The pairs that do not fill a vector.
        let count = rest_others.len();
        let filled = |rest: &[f64]| -> [f64; DOUBLES] { std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0.0)) };
        let (lambdas, hessians) =
            self.pairs(&filled(rest_others), &filled(rest_scores), [&filled(rest_one), &filled(rest_other)]);
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

    /// For each pair: the number that the upper gradient gains and the lower gradient loses, and
    /// the number that both hessians gain.
    #[inline(always)]
    fn pairs(&self, others: &[f64; DOUBLES], scores: &[f64; DOUBLES], [one, other]: [&[f64; DOUBLES]; 2]) -> (V, V) {
        let change = if PRODUCTS {
            V::load(one).minus(self.gain).times(self.discount.minus(V::load(other))).times(self.unit)
        } else {
            V::load(one)
        };
        let (top, other) = (self.exponential, V::load(others));
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
            let [changes, gains, discounts] =
                [(); 3].map(|()| (0..documents).map(|_| rng.normal()).collect::<Vec<f64>>());
            let given = Changes::Given(&changes[1..]);
            let products = Changes::Products { gains: &gains, discounts: &discounts, unit: 0.7 };
            for (changes, by_distance) in [given, products].into_iter().flat_map(|one| [(one, false), (one, true)]) {
                let ranked = Ranked { exponentials: &exponentials, scores: &scores, changes, by_distance };
                let mut out = [(); 2].map(|()| (vec![0.25; documents], vec![0.5; documents]));
                let [plain, wide] = &mut out;
                let pairs = Pairs { ranked, tops: 0..1, total: 0.0, first: &mut plain.0, second: &mut plain.1 };
                let total = wide::run_plainly(pairs);
                assert_eq!(total.to_bits(), add_pairs(ranked, 0..1, 0.0, &mut wide.0, &mut wide.1).to_bits());
                assert_eq!(plain, wide, "{documents}");
                let gained = 0.25 * documents as f64 - plain.0.iter().sum::<f64>();
                assert!(gained.abs() < 1e-9, "{documents}: {gained}");
                let lost: f64 = plain.0[1..].iter().map(|gradient| (gradient - 0.25).abs()).sum();
                assert!((lost - total).abs() <= 1e-9 * total, "{documents}: {lost} {total}");
            }
            // Products give the bits of their changes, one top document after the other.
            let mut out = [(); 2].map(|()| (vec![0.0; documents], vec![0.0; documents]));
            let [given, product] = &mut out;
            let ranked = Ranked { exponentials: &exponentials, scores: &scores, changes: products, by_distance: true };
            let tops = 0..documents.min(30);
            let total = add_pairs(ranked, tops.clone(), 0.5, &mut product.0, &mut product.1);
            let one_by_one = tops.fold(0.5, |total, top| {
                let changes: Vec<f64> = (top + 1..documents)
                    .map(|later| (gains[later] - gains[top]) * (discounts[top] - discounts[later]) * 0.7)
                    .collect();
                let ranked = Ranked { changes: Changes::Given(&changes), ..ranked };
                add_pairs(ranked, top..top + 1, total, &mut given.0, &mut given.1)
            });
            assert_eq!((total.to_bits(), &*product), (one_by_one.to_bits(), &*given));
        }
    }
}

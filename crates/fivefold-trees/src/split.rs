//! The best cut of one feature, from its histogram.
//!
//! A node with gradient sum G and hessian sum H has the score G^2 / (H + l2). The score is twice
//! the fall of the second-order loss if the node's documents step by the Newton value -G / (H +
//! l2). A cut gains score(left) + score(right) - score(node), as in LightGBM and Chen & Guestrin,
//! KDD 2016, Eq. 7. Missing values go to the side where they gain more. If the node has no missing
//! value, missing values go to the side with more documents. A cut between "present" and "missing"
//! is tried too. Of equal gains, the lower feature wins, then the lower cut, then missing values
//! to the right.
//!
//! Most features of a node have no cut above the best cut of the features before. A loop without
//! branches finds this out, with the vectors of the processor: it makes the first test of the
//! search for each cut. Only a feature with a cut that passes is searched, and only for cuts above
//! the best cut so far.
//!
//! Each side must have `min_documents` documents, counted or estimated ([`LeafDocuments`]). The
//! estimate is LightGBM's (`FindBestThresholdSequentially` in its feature_histogram.hpp). In a node
//! of n documents, a bin with hessian h has round(h n / H) documents. The right side has the sum
//! over its bins, and the left side the rest of n. If missing values go right, the left side has
//! the sum over its bins, and the right side the rest. A document whose gradient is settled has a
//! small hessian and hardly counts. So a leaf may be smaller where the order is still open.

use serde::{Deserialize, Serialize};

use crate::cells::{Sum, Units};
use crate::wide::{self, Loop};

/// A gain below this share of the children's scores is rounding noise.
const NOISE: f64 = 1e-12;

/// A dividend below this share of score and divisor has a rounded quotient that is not above the
/// score.
const SURELY_BELOW: f64 = 1.0 - 1.0 / (1u64 << 50) as f64;

/// Bins that are tested together.
const TOGETHER: usize = 8;

/// How the documents on a side of a cut are counted for the least number of documents of a leaf.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, LeafDocuments, Rows};
///
/// // Of all hessians the first two documents have a tenth, which is not one document of three.
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0]], 1), 255);
/// let gradients = Gradients { first: &[-1.0, -1.0, 9.0], second: Some(&[1.0, 1.0, 18.0]), copies: None };
/// for (leaf_documents, leaves) in [(LeafDocuments::Counted, 2), (LeafDocuments::ByHessian, 1)] {
///     let growth = Growth { leaves: 2, min_documents: 1, leaf_documents, ..Growth::default() };
///     assert_eq!(Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0)?.values().len(), leaves);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeafDocuments {
    /// Counted exactly.
    Counted,
    /// Estimated from the side's share of the node's hessians, as in LightGBM.
    ByHessian,
}

/// Limits of a cut, and the damping of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limits {
    pub min_documents: u32,
    pub leaf_documents: LeafDocuments,
    pub min_hessian: f64,
    pub min_gain: f64,
    pub l2: f64,
}

/// A cut that keeps the limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cut<S> {
    /// Fall of the second-order loss, times two, in units of the loss.
    pub gain: f64,
    /// The score of both sides, in units of cells.
    pub score: f64,
    pub feature: u32,
    /// The highest bin that goes left.
    pub bin: u8,
    pub missing_left: bool,
    /// The sum of the left side.
    pub left: S,
}

/// The limits in units of cells, so that the inner loop scales nothing. All scales are powers of
/// two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan<S: Sum> {
    fields: S::Fields,
    min_documents: i64,
    leaf_documents: LeafDocuments,
    min_hessian: f64,
    min_gain: f64,
    l2: f64,
    /// The value of a unit of G^2 / H.
    unit: f64,
}

impl<S: Sum> Scan<S> {
    pub fn new(limits: &Limits, units: Units, fields: S::Fields) -> Self {
        let unit = units.gradient * (units.gradient / units.hessian);
        Scan {
            fields,
            min_documents: i64::from(limits.min_documents.max(1)),
            leaf_documents: limits.leaf_documents,
            min_hessian: limits.min_hessian / units.hessian,
            min_gain: limits.min_gain,
            l2: limits.l2 / units.hessian,
            unit,
        }
    }

    /// The better of `best` and the cuts of a feature in a node with sum `total`. `cells` are the
    /// sums of rising bins of present values, and `bin_of` gives the bin of a cell. A bin without a
    /// cell has no documents. `missing` is the sum of the documents with a missing value.
    pub fn better(
        &self,
        best: Option<Cut<S>>,
        number: u32,
        (cells, missing): (&[S], S),
        bin_of: impl Fn(usize) -> u8,
        total: S,
    ) -> Option<Cut<S>> {
        // A cut gains only if its score is above that of the node.
        let score = best.map_or(f64::NEG_INFINITY, |best| best.score).max(self.score(total));
        if missing.count(self.fields) == 0 {
            let (fields, l2) = (self.fields, self.l2);
            if !wide::run(AnyAbove { cells, fields, l2, total, score }) {
                return best;
            }
        }
        let found = self.best((cells, missing), total, score);
        best_of([best, found.and_then(|found| self.cut(number, &found, bin_of, missing, total))])
    }

    /// The score of a node.
    fn score(&self, total: S) -> f64 {
        (total.gradient(self.fields) as f64).powi(2) / (total.hessian(self.fields) as f64 + self.l2)
    }

    /// The cut of a feature that keeps the limits and has the highest score, in a node with sum
    /// `total`; `None` if no score is above `score`.
    fn best(&self, (cells, missing): (&[S], S), total: S, score: f64) -> Option<Best<S>> {
        let fields = self.fields;
        match self.leaf_documents {
            LeafDocuments::Counted => {
                let present = i64::from(total.minus(missing).count(fields));
                let counted = |place: usize| i64::from(cells[place].count(fields));
                self.best_by((cells, missing), total, (counted, present), score)
            }
            LeafDocuments::ByHessian => {
                let factor = f64::from(total.count(fields)) / total.hessian(fields) as f64;
                let mut documents = [0u32; 256];
                let mut present = 0;
                for (documents, cell) in documents.iter_mut().zip(cells) {
                    let estimated = (cell.hessian(fields) as f64 * factor + 0.5) as i64;
                    // An estimate is at most the number of documents of a tree.
                    *documents = estimated as u32;
                    present += estimated;
                }
                let estimated = |place: usize| i64::from(documents[place & 255]);
                self.best_by((cells, missing), total, (estimated, present), score)
            }
        }
    }

    /// The best cut, with `documents_of` as the number of documents of a cell and `present` as its
    /// sum over all cells.
    #[inline(always)]
    fn best_by(
        &self,
        (cells, missing): (&[S], S),
        total: S,
        (documents_of, present): (impl Fn(usize) -> i64, i64),
        score: f64,
    ) -> Option<Best<S>> {
        let fields = self.fields;
        let any_missing = missing.count(fields) > 0;
        let all = i64::from(total.count(fields));
        let mut best = Best { score, place: 0, missing_left: false, left: S::default() };
        let (mut left, mut below) = (S::default(), 0);
        for (place, &cell) in cells.iter().enumerate() {
            if cell.count(fields) == 0 {
                continue;
            }
            left.add(cell);
            below += documents_of(place);
            let above = present - below;
            if any_missing {
                if self.enough(below, all - below) {
                    self.consider(left, total, place, false, &mut best);
                }
                if self.enough(all - above, above) {
                    let mut with_missing = left;
                    with_missing.add(missing);
                    self.consider(with_missing, total, place, true, &mut best);
                }
            } else if self.enough(all - above, above) {
                self.consider(left, total, place, false, &mut best);
            }
        }
        (best.score > score).then_some(best)
    }

    /// A cut with its gain; `None` if the gain is too small.
    fn cut(&self, number: u32, best: &Best<S>, bin_of: impl Fn(usize) -> u8, missing: S, total: S) -> Option<Cut<S>> {
        let gain = (best.score - self.score(total)) * self.unit;
        if !(gain > self.min_gain && gain > NOISE * best.score * self.unit) {
            return None;
        }
        let &Best { score, place, left, .. } = best;
        let count = |sum: S| sum.count(self.fields);
        let missing_left = if count(missing) > 0 { best.missing_left } else { count(left) >= count(total.minus(left)) };
        Some(Cut { gain, score, feature: number, bin: bin_of(place), missing_left, left })
    }

    #[inline(always)]
    fn enough(&self, left: i64, right: i64) -> bool {
        left.min(right) >= self.min_documents
    }

    #[inline(always)]
    fn consider(&self, left: S, total: S, place: usize, missing_left: bool, best: &mut Best<S>) {
        let (fields, right) = (self.fields, total.minus(left));
        let (left_hessian, right_hessian) = (left.hessian(fields) as f64, right.hessian(fields) as f64);
        if left_hessian.min(right_hessian) < self.min_hessian {
            return;
        }
        let (hl, hr) = (left_hessian + self.l2, right_hessian + self.l2);
        let (gl, gr) = (left.gradient(fields) as f64, right.gradient(fields) as f64);
        // gl^2 / hl + gr^2 / hr with one division; not a number (0 / 0) never wins.
        let (dividend, divisor) = (gl * gl * hr + gr * gr * hl, hl * hr);
        // Most scores are lower by so much that the rounded quotient is not above the best.
        if dividend < best.score * divisor * SURELY_BELOW {
            return;
        }
        let score = dividend / divisor;
        if score > best.score && score.is_finite() {
            *best = Best { score, place, missing_left, left };
        }
    }
}

/// Whether a cut of a feature without missing values may have a score above `score`.
struct AnyAbove<'a, S: Sum> {
    /// The cells of the bins, rising.
    cells: &'a [S],
    fields: S::Fields,
    l2: f64,
    total: S,
    score: f64,
}

impl<S: Sum> Loop for AnyAbove<'_, S> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut left = S::default();
        let (chunks, rest) = self.cells.as_chunks::<TOGETHER>();
        for cells in chunks {
            if self.any(&mut left, cells) {
                return true;
            }
        }
        let mut last = [S::default(); TOGETHER];
        last[..rest.len()].copy_from_slice(rest);
        self.any(&mut left, &last)
    }
}

impl<S: Sum> AnyAbove<'_, S> {
    /// Tests the cuts after some bins; `left` is the sum of the bins before.
    #[inline(always)]
    fn any(&self, left: &mut S, cells: &[S; TOGETHER]) -> bool {
        // A loop: a quickly made program would call the closure of `map` for each cell.
        let mut lefts = [S::default(); TOGETHER];
        for (sum, cell) in lefts.iter_mut().zip(cells) {
            left.add(*cell);
            *sum = *left;
        }
        let mut any = false;
        for left in lefts {
            let right = self.total.minus(left);
            let (hl, hr) = (left.real_hessian(self.fields) + self.l2, right.real_hessian(self.fields) + self.l2);
            let (gl, gr) = (left.real_gradient(self.fields), right.real_gradient(self.fields));
            // The same numbers as in `consider`. A side without documents gives 0 > 0, and what is
            // not a number is not above.
            any |= gl * gl * hr + gr * gr * hl > self.score * (hl * hr) * SURELY_BELOW;
        }
        any
    }
}

struct Best<S> {
    score: f64,
    /// The place of the highest cell that goes left.
    place: usize,
    missing_left: bool,
    left: S,
}

/// The cut that gains most; of equal gains, the first cut.
pub(crate) fn best_of<S: Copy>(cuts: impl IntoIterator<Item = Option<Cut<S>>>) -> Option<Cut<S>> {
    let mut best: Option<Cut<S>> = None;
    for cut in cuts.into_iter().flatten() {
        if best.is_none_or(|best| cut.gain > best.gain) {
            best = Some(cut);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::MISSING;
    use crate::cells::{Cell, Gradients, Scaled};
    use crate::words::Word;

    /// Whole numbers below `below`, drawn one after the other (xorshift).
    fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed * 2 + 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 20) % below
        }
    }

    /// Derivatives of rows, and the bins of features: constant, of few bins, of many, and with
    /// missing values.
    fn made(seed: u64, rows: usize) -> (Vec<f64>, Vec<f64>, Vec<Vec<usize>>) {
        let mut draw = draws(seed);
        let first: Vec<f64> = (0..rows).map(|_| draw(2001) as f64 - 1000.0).collect();
        let second = (0..rows).map(|_| draw(if seed.is_multiple_of(2) { 2 } else { 500 }) as f64).collect();
        let bins = [1, 2, 3, 8, 9, 200, 255].repeat(3).into_iter().enumerate().map(|(number, bins)| {
            // Some features follow the derivatives.
            let bin = |row: usize, drawn: u64| match number % 4 {
                1 => ((first[row] as i64 + 1000) as u64 * (bins - 1) / 2000 + drawn) % bins,
                _ => drawn * drawn % bins,
            };
            let mut of = |row| {
                let drawn = draw(bins);
                if number % 5 == 4 && draw(4) == 0 { usize::from(MISSING) } else { bin(row, drawn) as usize }
            };
            (0..rows).map(&mut of).collect()
        });
        let bins = bins.collect();
        (first, second, bins)
    }

    /// Searches every feature in full, and compares the best cut with that of features that are
    /// tested first. Returns how many features the test left out.
    fn compare<S: Sum>(scan: &Scan<S>, cells: &[S], features: &[Vec<usize>], total: S) -> usize {
        let (mut full, mut tested, mut left_out) = (None, None, 0);
        for (number, bins) in (0..).zip(features) {
            let mut histogram = [S::default(); 256];
            bins.iter().zip(cells).for_each(|(&bin, &cell)| histogram[bin].add(cell));
            let used = 1 + bins.iter().filter(|&&bin| bin < 255).max().unwrap_or(&0);
            let score = tested.map_or(0.0, |best: Cut<S>| best.score);
            let any = || AnyAbove { cells: &histogram[..used], fields: scan.fields, l2: scan.l2, total, score };
            assert_eq!(wide::run(any()), any().run());
            left_out += usize::from(!any().run());
            let (cells, missing) = (&histogram[..used], histogram[usize::from(MISSING)]);
            let best = scan.best((cells, missing), total, f64::NEG_INFINITY);
            full = best_of([full, best.and_then(|best| scan.cut(number, &best, |bin| bin as u8, missing, total))]);
            let before = tested;
            tested = scan.better(before, number, (cells, missing), |bin| bin as u8, total);
            assert_eq!(tested, full);
            // Bins without documents may be left out.
            let filled: Vec<usize> = (0..used).filter(|&bin| cells[bin].count(scan.fields) > 0).collect();
            let cells: Vec<S> = filled.iter().map(|&bin| cells[bin]).collect();
            assert_eq!(scan.better(before, number, (&cells, missing), |place| filled[place] as u8, total), full);
        }
        left_out
    }

    #[test]
    fn the_test_of_features_leaves_out_none_that_wins() {
        let mut left_out = [0; 2];
        for seed in 0..60 {
            let (first, second, features) = made(seed, [2, 5, 40, 300, 2000][seed as usize % 5]);
            let limits = Limits {
                min_documents: [1, 20][seed as usize / 2 % 2],
                leaf_documents: [LeafDocuments::Counted, LeafDocuments::ByHessian][seed as usize / 4 % 2],
                min_hessian: [0.0, 1e-3][seed as usize / 8 % 2],
                min_gain: 0.0,
                l2: [0.0, 3.0][seed as usize / 16 % 2],
            };
            let gradients = Gradients { first: &first, second: Some(&second), copies: None };
            let mut cells: Vec<Cell> = Vec::new();
            let (units, total) = gradients.to_cells(first.len(), &mut cells).unwrap();
            left_out[0] += compare(&Scan::new(&limits, units, ()), &cells, &features, total);
            let mut words: Vec<Word> = Vec::new();
            let sums = gradients.checked_sums(first.len()).unwrap();
            let Scaled { units, fields, total } = gradients.to_words(&sums, seed, &mut words).unwrap();
            left_out[1] += compare(&Scan::new(&limits, units, fields), &words, &features, total);
        }
        assert!(left_out.iter().all(|&count| count > 200), "{left_out:?}");
    }
}

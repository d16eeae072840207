//! Symmetric positive (semi-)definite systems from the rows of a data set, for ridge regression and
//! Newton steps.
//!
//! Documents are summed in blocks of queries. The number of blocks does not depend on the number of
//! threads, and blocks are summed in order, so the result is the same for any number of threads.
//! At most as many blocks are in memory as threads are at work. [`solve`] is a Cholesky
//! factorisation after scaling the diagonal to 1. A column that depends linearly on earlier
//! columns is left out, as in R's `lm`: its unknown is 0.
//!
//! With more features than documents, [`products_of_documents`] gives the documents x documents
//! matrix of the dual form. The same solutions follow from it in less time and memory.
//!
//! Cost: O(documents * size^2) and O(size^3 / 3).

use std::ops::Range;

use fivefold_core::{Dataset, FitContext, FitError, JudgedQuery};
use rayon::prelude::*;

use crate::aligned::Aligned;
use crate::wide::{self, Double, LANES, LongLoop, Vector, stride};

/// Number of blocks into which queries are divided.
const BLOCKS: usize = 64;

/// Number of features whose values are in memory as `f64` at once.
pub(crate) const FEATURES_AT_ONCE: usize = 256;

/// Number of documents between two checks for a cancelled fit.
const DOCUMENTS_BETWEEN_CHECKS: usize = 64;

/// Documents that are added to the sums of [`gram`] in one pass.
const DOCUMENTS: usize = 8;

/// Number of sums in memory at once, beside the total.
pub(crate) fn sums_at_once(data: &Dataset) -> usize {
    data.len().min(BLOCKS).min(rayon::current_num_threads())
}

/// Sums `add(query number, query, sum)` over all queries into `len` numbers.
pub(crate) fn sum_over_queries<F>(data: &Dataset, len: usize, add: F) -> Result<Vec<f64>, FitError>
where
    F: Fn(usize, &JudgedQuery<'_>, &mut [f64]) -> Result<(), FitError> + Sync,
{
    let block = data.len().div_ceil(BLOCKS).max(1);
    let blocks = data.len().div_ceil(block);
    let mut total = vec![0.0; len];
    let mut sums = Vec::new();
    sums.resize_with(sums_at_once(data).min(blocks), Aligned::default);
    let at_once = sums.len().max(1);
    for first in (0..blocks).step_by(at_once) {
        let wave = &mut sums[..(blocks - first).min(at_once)];
        wave.par_iter_mut().enumerate().try_for_each(|(b, sum)| {
            sum.reset(len);
            let b = first + b;
            (b * block..((b + 1) * block).min(data.len())).try_for_each(|number| add(number, &data.query(number), sum))
        })?;
        for sum in &*wave {
            total.iter_mut().zip(&**sum).for_each(|(t, s)| *t += s);
        }
    }
    Ok(total)
}

/// Sums `weight * v v^T` over all documents, where `fill(query number, query, row, v)` writes v and
/// returns the weight. The lower triangle of a row-major `size` x `size` matrix is filled.
pub(crate) fn gram<F>(data: &Dataset, size: usize, cx: &FitContext<'_>, fill: F) -> Result<Vec<f64>, FitError>
where
    F: Fn(usize, &JudgedQuery<'_>, usize, &mut [f64]) -> f64 + Sync,
{
    let stride = stride(size);
    let mut sums = sum_over_queries(data, size * stride, |number, query, sum| {
        let mut vs = Aligned::zeros(DOCUMENTS * stride);
        for first in (0..query.len()).step_by(DOCUMENTS) {
            if first % DOCUMENTS_BETWEEN_CHECKS == 0 {
                cx.check()?;
            }
            // Documents that do not exist have weights and numbers of 0, which alter no sum.
            let mut weights = [0.0; DOCUMENTS];
            for (place, v) in vs.chunks_exact_mut(stride).enumerate() {
                if first + place < query.len() {
                    weights[place] = fill(number, query, first + place, &mut v[..size]);
                } else {
                    v.fill(0.0);
                }
            }
            add_outers(sum, &vs, weights, query.len() - first);
        }
        Ok(())
    })?;
    // Without what fills up the rows.
    (1..size).for_each(|i| sums.copy_within(i * stride..i * stride + size, i * size));
    sums.truncate(size * size);
    Ok(sums)
}

/// The product of the features of every two documents: the lower triangle of a row-major documents
/// x documents matrix. `fill(query number, query, row, features, v)` writes the values of some
/// features of a document.
pub(crate) fn products_of_documents<F>(data: &Dataset, cx: &FitContext<'_>, fill: F) -> Result<Vec<f64>, FitError>
where
    F: Fn(usize, &JudgedQuery<'_>, usize, Range<usize>, &mut [f64]),
{
    let (documents, width) = (data.documents(), data.width());
    let mut products = vec![0.0; documents * documents];
    let mut block = vec![0.0; documents * width.min(FEATURES_AT_ONCE)];
    for first in (0..width).step_by(FEATURES_AT_ONCE) {
        let features = first..width.min(first + FEATURES_AT_ONCE);
        let mut rows = block.chunks_exact_mut(features.len());
        for (number, query) in data.queries().enumerate() {
            for (row, v) in (0..query.len()).zip(&mut rows) {
                fill(number, &query, row, features.clone(), v);
            }
        }
        let block = &block[..documents * features.len()];
        products.par_chunks_mut(documents).enumerate().try_for_each(|(i, sums)| {
            cx.check()?;
            let own = &block[i * features.len()..(i + 1) * features.len()];
            for (sum, other) in sums[..=i].iter_mut().zip(block.chunks_exact(features.len())) {
                *sum += own.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
            }
            Ok(())
        })?;
    }
    Ok(products)
}

/// Adds `weight * v v^T` of each of some documents in turn; from document `documents` on, all
/// weights are 0.
fn add_outers(sum: &mut [f64], vs: &[f64], weights: [f64; DOCUMENTS], documents: usize) {
    if vs.iter().fold(true, |finite, x| finite & x.is_finite()) {
        wide::run_long(Outers { sum, vs, weights, documents });
    } else {
        vs.chunks_exact(vs.len() / DOCUMENTS).zip(weights).for_each(|(v, weight)| add_outer(sum, v, weight));
    }
}

/// [`add_outers`] of finite numbers as a loop. Each sum of the lower triangle is that of
/// [`add_outer`] for one document after the other: the products with 0 that are left out there
/// alter no sum, since none is -0. The rest of the last vector of a row is filled as well.
struct Outers<'a> {
    sum: &'a mut [f64],
    vs: &'a [f64],
    weights: [f64; DOCUMENTS],
    documents: usize,
}

impl LongLoop for Outers<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, const D: usize, V: Vector<N, D>>(mut self) {
        // Two rows share the loads of eight documents, or of four in the fewer registers.
        if N > LANES && self.documents > DOCUMENTS / 2 {
            self.add::<D, V::Double, DOCUMENTS>(0);
        } else {
            self.add::<D, V::Double, { DOCUMENTS / 2 }>(0);
            if self.documents > DOCUMENTS / 2 {
                self.add::<D, V::Double, { DOCUMENTS / 2 }>(DOCUMENTS / 2);
            }
        }
    }
}

impl Outers<'_> {
    /// Adds G documents from `first` on.
    #[inline(always)]
    fn add<const D: usize, V: Double<D>, const G: usize>(&mut self, first: usize) {
        let stride = self.vs.len() / DOCUMENTS;
        let mut rows = [&self.vs[..0]; G];
        rows.iter_mut().zip(self.vs.chunks_exact(stride).skip(first)).for_each(|(row, v)| *row = v);
        let mut weights = [0.0; G];
        weights.copy_from_slice(&self.weights[first..first + G]);
        let mut pairs = self.sum.chunks_exact_mut(2 * stride);
        let mut i = 0;
        for pair in &mut pairs {
            let (one, other) = pair.split_at_mut(stride);
            add_rows::<D, V, G, 2>(rows, weights, i, [one, other]);
            i += 2;
        }
        if let Some(row) = pairs.into_remainder().get_mut(..stride) {
            add_rows::<D, V, G, 1>(rows, weights, i, [row]);
        }
    }
}

/// Adds G documents to T rows of sums, of which the first is row `i`.
#[inline(always)]
fn add_rows<const D: usize, V: Double<D>, const G: usize, const T: usize>(
    documents: [&[f64]; G],
    weights: [f64; G],
    i: usize,
    sums: [&mut [f64]; T],
) {
    let count = (i + T).div_ceil(D);
    let mut factors = [[V::splat(0.0); G]; T];
    let mut vectors: [&[[f64; D]]; G] = [&[]; G];
    for g in 0..G {
        for t in 0..T {
            factors[t][g] = V::splat(weights[g] * documents[g][i + t]);
        }
        vectors[g] = &documents[g].as_chunks().0[..count];
    }
    let rows: [&mut [[f64; D]]; T] = sums.map(|row| &mut row.as_chunks_mut().0[..count]);
    for place in 0..count {
        let mut sums = [V::splat(0.0); T];
        for t in 0..T {
            sums[t] = V::load(&rows[t][place]);
        }
        for g in 0..G {
            let v = V::load(&vectors[g][place]);
            for t in 0..T {
                sums[t] = sums[t].plus(factors[t][g].times(v));
            }
        }
        for t in 0..T {
            rows[t][place] = sums[t].values();
        }
    }
}

fn add_outer(sum: &mut [f64], v: &[f64], weight: f64) {
    for (i, row) in sum.chunks_exact_mut(v.len()).enumerate() {
        let factor = weight * v[i];
        if factor != 0.0 {
            row[..=i].iter_mut().zip(v).for_each(|(s, x)| *s += factor * x);
        }
    }
}

/// Solves A x = b in place of `b`; see [`Factored::new`].
pub(crate) fn solve(a: &mut [f64], b: &mut [f64], tolerance: f64, cx: &FitContext<'_>) -> Result<(), FitError> {
    let factored = Factored::new(a, tolerance, cx)?;
    factored.solve(b);
    Ok(())
}

/// A factored matrix A.
pub(crate) struct Factored<M> {
    /// The lower triangle of the factor of the scaled matrix.
    factor: M,
    /// What scales the diagonal of A to 1.
    scale: Vec<f64>,
}

impl<M: AsRef<[f64]> + AsMut<[f64]>> Factored<M> {
    /// Factors the matrix whose lower triangle `a` holds. If the pivot of a column is at most
    /// `tolerance`, after scaling A's diagonal to 1, the column depends on earlier columns up to
    /// rounding, and its unknown is 0.
    pub(crate) fn new(mut matrix: M, tolerance: f64, cx: &FitContext<'_>) -> Result<Self, FitError> {
        let a = matrix.as_mut();
        let size = a.len().isqrt();
        let scale: Vec<f64> = (0..size)
            .map(|i| {
                let diagonal = a[i * size + i];
                if diagonal > 0.0 { 1.0 / diagonal.sqrt() } else { 0.0 }
            })
            .collect();
        for i in 0..size {
            for j in 0..=i {
                a[i * size + j] *= scale[i] * scale[j];
            }
        }
        for j in 0..size {
            cx.check()?;
            let (above, below) = a.split_at_mut((j + 1) * size);
            let pivot_row = &mut above[j * size..];
            let pivot = pivot_row[j] - pivot_row[..j].iter().map(|l| l * l).sum::<f64>();
            let kept = pivot > tolerance;
            let root = if kept { pivot.sqrt() } else { f64::INFINITY };
            pivot_row[j] = root;
            for row in below.chunks_exact_mut(size) {
                let product: f64 = row[..j].iter().zip(&pivot_row[..j]).map(|(x, y)| x * y).sum();
                row[j] = if kept { (row[j] - product) / root } else { 0.0 };
            }
        }
        Ok(Factored { factor: matrix, scale })
    }

    /// Solves A x = b in place of `b`.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let (a, size) = (self.factor.as_ref(), b.len());
        b.iter_mut().zip(&self.scale).for_each(|(b, s)| *b *= s);
        // An infinite root makes the unknown of a left-out column exactly 0 in both substitutions.
        for i in 0..size {
            let product: f64 = a[i * size..i * size + i].iter().zip(&b[..i]).map(|(l, x)| l * x).sum();
            b[i] = (b[i] - product) / a[i * size + i];
        }
        for i in (0..size).rev() {
            b[i] /= a[i * size + i];
            let value = b[i];
            for j in 0..i {
                b[j] -= a[i * size + j] * value;
            }
        }
        b.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::rows;
    use crate::wide::Program;

    #[test]
    fn solves_and_leaves_out_dependent_columns() {
        // [[4, 2], [2, 3]] x = [8, 7] has the solution [1.25, 1.5].
        let mut b = [8.0, 7.0];
        solve(&mut [4.0, 0.0, 2.0, 3.0], &mut b, 1e-12, &FitContext::new(Seed::new(1))).unwrap();
        assert!((b[0] - 1.25).abs() < 1e-15 && (b[1] - 1.5).abs() < 1e-15, "{b:?}");
        // The second column is twice the first, the third is zero.
        let mut b = [3.0, 6.0, 0.0];
        let cx = FitContext::new(Seed::new(1));
        solve(&mut [1.0, 0.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 0.0], &mut b, 1e-12, &cx).unwrap();
        assert_eq!(b, [3.0, 0.0, 0.0]);
    }

    /// Documents side by side have the bits of documents one after the other, on any processor.
    #[test]
    fn sums_of_outer_products_have_the_bits_of_single_documents() {
        let mut rng = Seed::new(2).rng();
        for size in [1, 2, 3, 8, 9, 46, 137] {
            let stride = stride(size);
            let mut sums = [(); 5].map(|()| vec![0.0; size * stride]);
            for documents in 1..=DOCUMENTS {
                let mut vs: Vec<f64> = (0..DOCUMENTS * stride).map(|_| rng.normal()).collect();
                vs.iter_mut().step_by(3).for_each(|x| *x = 0.0);
                let mut weights = [(); DOCUMENTS].map(|()| rng.uniform());
                (weights[1], weights[3]) = (0.0, 1e-300);
                vs[documents * stride..].fill(0.0);
                weights[documents..].fill(0.0);
                let [single, together, programs @ ..] = &mut sums;
                vs.chunks_exact(stride).zip(weights).for_each(|(v, weight)| add_outer(single, v, weight));
                add_outers(together, &vs, weights, documents);
                for (most, sum) in [Program::Plain, Program::Avx2, Program::Avx512].into_iter().zip(programs) {
                    wide::run_at_most(most, Outers { sum, vs: &vs, weights, documents });
                }
            }
            let lower = |sum: Vec<f64>| -> Vec<u64> {
                let rows = sum.chunks_exact(stride).enumerate();
                rows.flat_map(|(i, row)| row[..=i].iter().map(|number| number.to_bits()).collect::<Vec<_>>()).collect()
            };
            let [single, others @ ..] = sums.map(lower);
            assert_eq!(others, [(); 4].map(|()| single.clone()), "{size}");
        }
    }

    #[test]
    fn sums_weighted_outer_products() {
        let data = rows(&[&[(0, &[1.0, 2.0]), (1, &[3.0, 0.0])], &[(2, &[0.0, 1.0])]]);
        let cx = FitContext::new(Seed::new(1));
        let sum = gram(&data, 2, &cx, |number, query, row, v| {
            v.iter_mut().zip(query.row(row)).for_each(|(v, &x)| *v = f64::from(x));
            1.0 + number as f64
        });
        let sum = sum.unwrap();
        assert_eq!([sum[0], sum[2], sum[3]], [10.0, 2.0, 6.0]);
    }
}

//! Fixed-point gradients: a document's gradient, hessian and count in 16 bytes that add up exactly.
//!
//! Sums of integers do not depend on their order. So a histogram has the same bits for any number
//! of threads, and the larger of two siblings is *exactly* the parent minus the smaller. A cell is
//! two 64-bit lanes, added with one instruction:
//! - lane 0: the gradient in units of 2^-a,
//! - lane 1: the hessian in units of 2^-b in the upper 40 bits, the number of documents in the
//!   lower `COUNT_BITS`.
//!
//! a and b are the largest integers for which `sum |g| 2^a <= 2^61` and `sum h 2^b <= 2^38`, so no
//! sum of a subset overflows. Error bounds, with n documents in a node and N in the tree's sample:
//! - A gradient is cut off to a whole unit. So a node's G is wrong by less than n 2^-60 sum|g|, far
//!   below the rounding error of an f64 sum.
//! - A hessian is rounded to a whole unit. So a node's H is wrong by at most n 2^-38 sum h. If the
//!   node's documents are average, the relative error is at most N 2^-38 (1e-5 for 3.8 million
//!   documents).
//! - A constant hessian of 1 is exact, and powers of two make the scaling exact.
//!
//! LightGBM sums f32 gradients in f64 (in a fixed order per thread count) or quantises to 2-5 bits
//! with random rounding.

use std::ops::Range;

use rayon::prelude::*;

/// Documents whose cells are made together.
pub(crate) const BLOCK: usize = 1 << 14;

/// Bits of the document count: up to 16,777,215 documents (with multiplicity).
pub(crate) const COUNT_BITS: u32 = 24;

const GRADIENT_BITS: i32 = 61;
const HESSIAN_BITS: i32 = 38;

/// Gradient, hessian and count of one document, or their sums over some documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct Cell {
    gradient: i64,
    /// Hessian in the upper bits, count in the lower bits.
    weight: i64,
}

/// Sums of gradients, hessians and documents, packed in a few whole numbers that add up exactly.
pub(crate) trait Sum: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync {
    /// Where the sums stand in the numbers.
    type Fields: Copy + Default + Send + Sync;

    fn add(&mut self, other: Self);
    /// Takes away the sums of a part, exactly.
    fn subtract(&mut self, other: Self);
    /// In units.
    fn gradient(self, fields: Self::Fields) -> i64;
    /// In units.
    fn hessian(self, fields: Self::Fields) -> i64;
    /// The number of documents.
    fn count(self, fields: Self::Fields) -> u32;
    /// [`gradient`](Self::gradient) as `f64`.
    fn real_gradient(self, fields: Self::Fields) -> f64;
    /// [`hessian`](Self::hessian) as `f64`.
    fn real_hessian(self, fields: Self::Fields) -> f64;

    /// The sums without those of a part.
    #[inline(always)]
    fn minus(mut self, other: Self) -> Self {
        self.subtract(other);
        self
    }
}

/// What a tree is grown from, beside the cell of each row.
pub(crate) struct Scaled<S: Sum> {
    pub units: Units,
    pub fields: S::Fields,
    /// The sum over all rows.
    pub total: S,
}

/// The sums over the documents of a leaf.
pub(crate) struct LeafSums {
    pub gradient: f64,
    pub hessian: f64,
    pub documents: u32,
}

impl LeafSums {
    pub fn new(total: Cell, units: Units) -> Self {
        LeafSums {
            gradient: total.gradient(()) as f64 * units.gradient,
            hessian: total.hessian(()) as f64 * units.hessian,
            documents: total.count(()),
        }
    }
}

impl Sum for Cell {
    type Fields = ();

    #[inline(always)]
    fn add(&mut self, other: Cell) {
        self.gradient = self.gradient.wrapping_add(other.gradient);
        self.weight = self.weight.wrapping_add(other.weight);
    }

    #[inline(always)]
    fn subtract(&mut self, other: Cell) {
        self.gradient = self.gradient.wrapping_sub(other.gradient);
        self.weight = self.weight.wrapping_sub(other.weight);
    }

    #[inline(always)]
    fn gradient(self, (): ()) -> i64 {
        self.gradient
    }

    #[inline(always)]
    fn hessian(self, (): ()) -> i64 {
        self.weight >> COUNT_BITS
    }

    #[inline(always)]
    fn count(self, (): ()) -> u32 {
        (self.weight & ((1 << COUNT_BITS) - 1)) as u32
    }

    #[inline(always)]
    fn real_gradient(self, (): ()) -> f64 {
        self.gradient as f64
    }

    #[inline(always)]
    fn real_hessian(self, (): ()) -> f64 {
        self.hessian(()) as f64
    }
}

/// The values of one unit of a cell's gradient and hessian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Units {
    pub gradient: f64,
    pub hessian: f64,
}

/// The numbers of units a value.
#[derive(Clone, Copy)]
struct Scales {
    gradient: f64,
    hessian: f64,
}

impl Scales {
    fn new(sums: &Sums) -> Self {
        Scales {
            gradient: power_of_two_scale(sums.gradient, GRADIENT_BITS),
            hessian: power_of_two_scale(sums.hessian, HESSIAN_BITS),
        }
    }

    /// The cell of a document with this gradient, hessian and multiplicity.
    #[inline(always)]
    fn cell(&self, (gradient, hessian, copies): (f64, f64, u32)) -> Cell {
        let copies = i64::from(copies);
        let hessian = (hessian * self.hessian + 0.5) as i64;
        Cell { gradient: (gradient * self.gradient) as i64 * copies, weight: (hessian * copies) << COUNT_BITS | copies }
    }

    fn units(&self) -> Units {
        Units { gradient: self.gradient.recip(), hessian: self.hessian.recip() }
    }
}

/// Why no tree can be grown from gradients.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, GrowError, Grower, Growth, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0]], 1), 255);
/// let gradients = Gradients { first: &[0.5, f64::NAN], second: None, copies: None };
/// let error = Grower::new(&matrix, Growth::default()).grow(gradients, None, &mut |_| 0).unwrap_err();
/// assert!(matches!(error, GrowError::Gradient { row: 1, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GrowError {
    /// A gradient or hessian that is not finite or makes the sum infinite, or a hessian below
    /// zero.
    #[error(
        "document {} has gradient {gradient} and hessian {hessian}; a gradient must be finite, and a hessian finite and at least 0",
        row + 1
    )]
    Gradient {
        /// Row number from 0.
        row: usize,
        /// Its gradient.
        gradient: f64,
        /// Its hessian.
        hessian: f64,
    },
    /// More documents than the fixed-point sums can count.
    #[error("{documents} documents are too many: a tree can count {}", (1u32 << COUNT_BITS) - 1)]
    TooManyDocuments {
        /// Documents, with multiplicity.
        documents: u64,
    },
    /// So many documents that a quantised gradient would be rounded to a few units.
    #[error(
        "{documents} documents are too many for quantised gradients, which serve up to {}; use exact gradients",
        crate::words::MOST_DOCUMENTS
    )]
    TooManyForWords {
        /// Documents, with multiplicity.
        documents: u64,
    },
    /// Arrays of different lengths.
    #[error("{what}: {found} values for {documents} documents")]
    Length {
        /// Which array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// Documents in the matrix.
        documents: usize,
    },
}

/// The derivatives of the loss at the current scores, for each document. A tree is grown from
/// them.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0]], 1), 255);
/// // The second document stands in the sample twice, the third does not.
/// let gradients = Gradients { first: &[-1.0, -4.0, 9.0], second: None, copies: Some(&[1, 2, 0]) };
/// let tree = Grower::new(&matrix, Growth { leaves: 1, ..Growth::default() }).grow(gradients, None, &mut |_| 0)?;
/// assert_eq!((tree.values(), tree.documents()), (&[3.0][..], Some(&[3][..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Gradients<'a> {
    /// First derivative of the loss; the tree steps against it.
    pub first: &'a [f64],
    /// Second derivative, not below 0; `None` if it is 1 for every document (squared loss).
    pub second: Option<&'a [f64]>,
    /// How often the sample holds each document; `None`: once. 0 leaves a document out.
    pub copies: Option<&'a [u32]>,
}

impl Gradients<'_> {
    #[inline(always)]
    pub(crate) fn of(&self, row: usize) -> (f64, f64, u32) {
        (self.first[row], self.second.map_or(1.0, |h| h[row]), self.copies.map_or(1, |w| w[row]))
    }

    /// Writes a cell for each row into `cells`. A document outside the sample gets a zero cell.
    pub(crate) fn to_cells(self, rows: usize, cells: &mut Vec<Cell>) -> Result<(Units, Cell), GrowError> {
        let scales = Scales::new(&self.checked_sums(rows)?);
        cells.resize(rows, Cell::default());
        let fill = |(number, block): (usize, &mut [Cell])| {
            let mut total = Cell::default();
            for (row, cell) in (number * BLOCK..).zip(block) {
                *cell = scales.cell(self.of(row));
                total.add(*cell);
            }
            total
        };
        let totals: Vec<Cell> = cells.par_chunks_mut(BLOCK).enumerate().map(fill).collect();
        let mut total = Cell::default();
        totals.into_iter().for_each(|part| total.add(part));
        Ok((scales.units(), total))
    }

    /// The sums over all rows.
    pub(crate) fn checked_sums(&self, rows: usize) -> Result<Sums, GrowError> {
        let lengths = [
            ("gradients", Some(self.first.len())),
            ("hessians", self.second.map(<[f64]>::len)),
            ("copies", self.copies.map(<[u32]>::len)),
        ];
        for (what, found) in lengths {
            if let Some(found) = found.filter(|&found| found != rows) {
                return Err(GrowError::Length { what, found, documents: rows });
            }
        }
        let sums = self.sums_of_blocks(rows).map_or_else(|| self.sums(0..rows), Ok)?;
        if sums.documents >= 1 << COUNT_BITS {
            return Err(GrowError::TooManyDocuments { documents: sums.documents });
        }
        Ok(sums)
    }

    /// The sums over the rows of each leaf, as exact as those of cells.
    pub(crate) fn sums_of_leaves(&self, all: &Sums, leaves: &[&[u32]]) -> Vec<LeafSums> {
        let scales = Scales::new(all);
        let sums = |rows: &&[u32]| {
            let mut total = Cell::default();
            rows.iter().for_each(|&row| total.add(scales.cell(self.of(row as usize))));
            LeafSums::new(total, scales.units())
        };
        leaves.par_iter().map(sums).collect()
    }

    /// The sums over all rows; `None` if a value is wrong. Blocks are summed in parallel, then
    /// added in order, so the sums do not depend on the number of threads.
    fn sums_of_blocks(&self, rows: usize) -> Option<Sums> {
        let blocks: Vec<usize> = (0..rows).step_by(BLOCK).collect();
        let parts: Option<Vec<Sums>> =
            blocks.par_iter().map(|&start| self.sums(start..rows.min(start + BLOCK)).ok()).collect();
        let mut all = Sums::default();
        for part in parts? {
            all.gradient += part.gradient;
            all.hessian += part.hessian;
            all.documents += part.documents;
        }
        (all.gradient + all.hessian).is_finite().then_some(all)
    }

    /// The sums over some rows. The error names the first row with a wrong value.
    fn sums(&self, rows: Range<usize>) -> Result<Sums, GrowError> {
        let mut sums = Sums::default();
        for row in rows {
            let (gradient, hessian, copies) = self.of(row);
            sums.gradient += gradient.abs() * f64::from(copies);
            sums.hessian += hessian * f64::from(copies);
            if !(sums.gradient + sums.hessian).is_finite() || hessian < 0.0 {
                return Err(GrowError::Gradient { row, gradient, hessian });
            }
            sums.documents += u64::from(copies);
        }
        Ok(sums)
    }
}

/// Sums over some documents, counted with multiplicity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sums {
    /// Sum of the absolute gradients.
    pub gradient: f64,
    pub hessian: f64,
    pub documents: u64,
}

/// The largest power of two p with `sum` p <= 2^bits, but at most 2^1000; 1 for a sum of 0. (Sums
/// below 1e-283 lose precision.)
pub(crate) fn power_of_two_scale(sum: f64, bits: i32) -> f64 {
    if sum == 0.0 {
        return 1.0;
    }
    // The biased exponent e of a normal number says 2^(e-1023) <= sum < 2^(e-1022).
    let exponent = ((sum.to_bits() >> 52) & 0x7ff) as i32 - 1022;
    2f64.powi((bits - exponent).min(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(first: &[f64], second: Option<&[f64]>, copies: Option<&[u32]>) -> (Vec<Cell>, Units, Cell) {
        let mut cells = Vec::new();
        let (units, total) = Gradients { first, second, copies }.to_cells(first.len(), &mut cells).unwrap();
        (cells, units, total)
    }

    #[test]
    fn error_is_within_the_stated_bound() {
        let first: Vec<f64> = (0..1000).map(|i| libm::sin(f64::from(i) * 0.731) * 10f64.powi(i % 9 - 4)).collect();
        let second: Vec<f64> = first.iter().map(|g| g.abs() * 1e-3 + 1e-7).collect();
        let (cells, units, total) = cells(&first, Some(&second), None);
        let sum_abs: f64 = first.iter().map(|g| g.abs()).sum();
        let sum_h: f64 = second.iter().sum();
        for ((cell, g), h) in cells.iter().zip(&first).zip(&second) {
            assert!((cell.gradient(()) as f64 * units.gradient - g).abs() <= sum_abs * 2f64.powi(-60));
            assert!((cell.hessian(()) as f64 * units.hessian - h).abs() <= sum_h * 2f64.powi(-38));
            assert_eq!(cell.count(()), 1);
        }
        assert_eq!(total.count(()), 1000);
        assert!((total.hessian(()) as f64 * units.hessian - sum_h).abs() <= 1000.0 * sum_h * 2f64.powi(-38));
    }

    #[test]
    fn constant_hessian_is_exact_and_counts_copies() {
        let (cells, units, total) = cells(&[0.5, -0.25, 3.0], None, Some(&[2, 0, 1]));
        assert_eq!(cells.iter().map(|c| c.count(())).collect::<Vec<_>>(), [2, 0, 1]);
        assert_eq!(total.hessian(()) as f64 * units.hessian, 3.0);
        assert_eq!(total.gradient(()) as f64 * units.gradient, 4.0);
    }

    #[test]
    fn the_largest_sums_do_not_overflow() {
        for size in [1e-286, 1e-30, 1.0, 1e30, 1e300] {
            let first = vec![-size; 1 << 12];
            let (_, units, total) = cells(&first, Some(&vec![size; 1 << 12]), None);
            let expected = size * 4096.0;
            assert!((total.gradient(()) as f64 * units.gradient / -expected - 1.0).abs() < 1e-9);
            assert!((total.hessian(()) as f64 * units.hessian / expected - 1.0).abs() < 1e-6);
            assert_eq!(total.count(()), 1 << 12);
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let refused = |first: &[f64], second: &[f64]| {
            Gradients { first, second: Some(second), copies: None }.to_cells(2, &mut Vec::new()).unwrap_err()
        };
        assert!(matches!(refused(&[0.0, f64::NAN], &[1.0, 1.0]), GrowError::Gradient { row: 1, .. }));
        assert!(matches!(refused(&[0.0, 1.0], &[-1.0, 1.0]), GrowError::Gradient { row: 0, .. }));
        assert!(matches!(refused(&[0.0, 1.0], &[1.0]), GrowError::Length { what: "hessians", found: 1, .. }));
        let copies = [1u32 << 23; 2];
        let many = Gradients { first: &[0.0; 2], second: None, copies: Some(&copies) };
        assert!(matches!(many.to_cells(2, &mut Vec::new()), Err(GrowError::TooManyDocuments { .. })));
    }
}

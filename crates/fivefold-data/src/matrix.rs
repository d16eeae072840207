//! A dense matrix that grows by rows, before its width is known.

use std::collections::TryReserveError;
use std::ops::Range;

static ZEROS: [f32; 1024] = [0.0; 1024];

/// Row-major `f32` rows, each `stride` places apart. The first `width` places of a row are in use;
/// the others are 0.
///
/// The stride is at most an eighth larger than the width. So if the lines of a file grow longer and
/// longer, the matrix is re-laid a logarithmic number of times. A dense file shows its width in the
/// first line, and is never re-laid.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matrix {
    values: Vec<f32>,
    stride: usize,
    width: usize,
    rows: usize,
}

impl Matrix {
    /// An empty matrix whose rows will probably be `width` wide.
    pub(crate) fn with_width(width: usize) -> Self {
        Matrix { stride: width, width, ..Matrix::default() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Forgets the rows and the width, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
        (self.stride, self.width, self.rows) = (0, 0, 0);
    }

    /// Forgets the rows from `rows` on.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.rows = rows;
        self.values.truncate(rows * self.stride);
    }

    /// Adds a row of zeros.
    #[inline]
    pub(crate) fn push_row(&mut self) {
        self.rows += 1;
        // Copies zeros: without optimisation, `resize` takes ten times as long.
        let mut left = self.rows * self.stride - self.values.len();
        while left > 0 {
            let zeros = &ZEROS[..left.min(ZEROS.len())];
            self.values.extend_from_slice(zeros);
            left -= zeros.len();
        }
    }

    /// The bytes of the matrix with rows of this width.
    pub(crate) fn bytes_with(&self, width: usize) -> usize {
        self.rows.saturating_mul(self.stride.max(width)).saturating_mul(size_of::<f32>())
    }

    /// Makes room for more rows of up to `width` places. The reserved rows can then be added
    /// without an error of memory.
    pub(crate) fn reserve(&mut self, rows: usize, width: usize) -> Result<(), TryReserveError> {
        let stride = if width > self.stride { self.wider(width) } else { self.stride };
        let needed = self.rows.saturating_add(rows).saturating_mul(stride).saturating_sub(self.values.len());
        // Reserve more than needed, if the memory is there.
        self.values.try_reserve(needed).or_else(|_| self.values.try_reserve_exact(needed))
    }

    /// Gives back the reserved memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.values.shrink_to_fit();
    }

    /// Writes a value into the last row, which must exist.
    #[inline]
    pub(crate) fn set(&mut self, column: usize, value: f32) {
        if column >= self.stride {
            self.restride(column + 1);
        }
        let start = self.values.len() - self.stride;
        self.values[start + column] = value;
    }

    /// Notes that columns below `width` are in use.
    #[inline]
    pub(crate) fn use_width(&mut self, width: usize) {
        self.width = self.width.max(width);
    }

    /// The values of a range of rows, [`stride`](Self::stride) values a row.
    pub(crate) fn range(&self, rows: Range<usize>) -> &[f32] {
        &self.values[rows.start * self.stride..rows.end * self.stride]
    }

    pub(crate) fn range_mut(&mut self, rows: Range<usize>) -> &mut [f32] {
        &mut self.values[rows.start * self.stride..rows.end * self.stride]
    }

    /// Number of columns in use.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Adds rows of another matrix.
    pub(crate) fn append(&mut self, other: &Matrix, rows: Range<usize>) {
        self.use_width(other.width);
        if self.width > self.stride {
            self.restride(self.width);
        }
        if self.stride == other.stride {
            self.values.extend_from_slice(other.range(rows.clone()));
            self.rows += rows.len();
            return;
        }
        let shared = self.stride.min(other.stride);
        for row in rows {
            let start = self.values.len();
            self.push_row();
            self.values[start..start + shared].copy_from_slice(&other.range(row..row + 1)[..shared]);
        }
    }

    /// Re-lays all rows, in place and from the last to the first, so that `width` values fit.
    #[cold]
    fn restride(&mut self, width: usize) {
        let (old, new) = (self.stride, self.wider(width));
        self.values.resize(self.rows * new, 0.0);
        for row in (0..self.rows).rev() {
            self.values.copy_within(row * old..(row + 1) * old, row * new);
            self.values[row * new + old..(row + 1) * new].fill(0.0);
        }
        self.stride = new;
    }

    /// The new stride for rows that no longer fit.
    fn wider(&self, width: usize) -> usize {
        if self.stride == 0 { width } else { width.max(self.stride + self.stride / 8) }
    }

    /// The values, with rows of exactly `width` places, and this width.
    pub(crate) fn finish(mut self) -> (Vec<f32>, usize) {
        if self.stride > self.width {
            for row in 0..self.rows {
                self.values.copy_within(row * self.stride..row * self.stride + self.width, row * self.width);
            }
            self.values.truncate(self.rows * self.width);
        }
        self.shrink();
        (self.values, self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_values_while_the_width_grows() {
        let mut matrix = Matrix::default();
        let mut expected: Vec<Vec<f32>> = Vec::new();
        for row in 0..40usize {
            matrix.push_row();
            let mut values = vec![0.0; 40];
            for column in (0..=row).step_by(3) {
                matrix.set(column, (row * 100 + column + 1) as f32);
                matrix.use_width(column + 1);
                values[column] = (row * 100 + column + 1) as f32;
            }
            expected.push(values);
        }
        let mut joined = Matrix::with_width(2);
        joined.append(&matrix, 0..10);
        joined.append(&matrix, 10..40);
        for matrix in [matrix, joined] {
            let (values, width) = matrix.finish();
            assert_eq!((width, values.len()), (40, 40 * 40));
            let rows: Vec<Vec<f32>> = values.chunks(width).map(<[f32]>::to_vec).collect();
            assert_eq!(rows, expected);
        }
    }

    #[test]
    fn a_wide_matrix_takes_narrow_rows() {
        let mut narrow = Matrix::default();
        narrow.push_row();
        narrow.set(0, 5.0);
        narrow.use_width(1);
        let mut wide = Matrix::with_width(3);
        wide.append(&narrow, 0..1);
        assert_eq!(wide.finish(), (vec![5.0, 0.0, 0.0], 3));
    }

    #[test]
    fn rows_without_features_are_counted() {
        let mut matrix = Matrix::default();
        matrix.push_row();
        matrix.push_row();
        matrix.set(0, 1.0);
        matrix.use_width(1);
        assert_eq!(matrix.finish(), (vec![0.0, 1.0], 1));
    }
}

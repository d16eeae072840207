//! Facts about each feature after one pass: range, missing values, and a hash of its column.
//!
//! The hash is a sum over rows. Each term mixes the value and the row number, so blocks can be
//! hashed in parallel and added in any order.

/// The numbers of one feature. A 0 is not counted, and neither is a row that leaves the feature out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    least: f32,
    most: f32,
    missing: u64,
    /// Rows with a value other than 0.
    others: u64,
    hash: u128,
}

/// The numbers of all features, over some rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    rows: u64,
}

const EMPTY: Column = Column { least: f32::INFINITY, most: f32::NEG_INFINITY, missing: 0, others: 0, hash: 0 };

/// The hash of rows in which every value is missing.
pub(super) const ALL_MISSING: u128 = u128::MAX;

/// Values of a row that are passed over at once if all are 0.
const ZEROS: [f32; 64] = [0.0; 64];

impl Columns {
    /// Adds a row, and returns the hash of its values. `row` identifies the row in its file.
    /// Features beyond the row's width are 0.
    pub(super) fn add(&mut self, row: u64, values: &[f32]) -> u128 {
        self.widen(values.len());
        self.rows += 1;
        let mut hash = 0u128;
        let mut missing = 0;
        let parts = self.columns.chunks_mut(ZEROS.len()).zip(values.chunks(ZEROS.len()));
        for (first, (columns, values)) in (1u64..).step_by(ZEROS.len()).zip(parts) {
            let bytes = bytemuck::cast_slice::<f32, u8>;
            if bytes(values) == bytes(&ZEROS[..values.len()]) {
                continue;
            }
            for (column, (place, &value)) in columns.iter_mut().zip((first..).zip(values)) {
                let bits = if value.is_nan() {
                    column.missing += 1;
                    missing += 1;
                    u64::MAX
                } else if value != 0.0 {
                    column.others += 1;
                    column.least = column.least.min(value);
                    column.most = column.most.max(value);
                    u64::from(value.to_bits())
                } else {
                    continue;
                };
                column.hash = column.hash.wrapping_add(mixed(bits, row));
                hash = hash.wrapping_add(mixed(bits, place));
            }
        }
        if missing > 0 && missing == values.len() { ALL_MISSING } else { hash }
    }

    /// Adds the numbers of other rows.
    pub(super) fn merge(&mut self, other: Columns) {
        self.widen(other.columns.len());
        self.rows += other.rows;
        for (column, other) in self.columns.iter_mut().zip(&other.columns) {
            column.least = column.least.min(other.least);
            column.most = column.most.max(other.most);
            column.missing += other.missing;
            column.others += other.others;
            column.hash = column.hash.wrapping_add(other.hash);
        }
    }

    /// Number of features.
    pub(super) fn width(&self) -> usize {
        self.columns.len()
    }

    /// Number of missing values.
    pub(super) fn missing(&self) -> u64 {
        self.columns.iter().map(|column| column.missing).sum()
    }

    /// Features with missing values, counted from 0.
    pub(super) fn with_missing(&self) -> Vec<usize> {
        self.places(|column| column.missing > 0)
    }

    /// Features with the same value in every row, counted from 0.
    pub(super) fn constant(&self) -> Vec<usize> {
        self.places(|column| self.is_constant(column))
    }

    fn is_constant(&self, column: &Column) -> bool {
        let Column { mut least, mut most, missing, others, .. } = *column;
        if others + missing < self.rows {
            (least, most) = (least.min(0.0), most.max(0.0));
        }
        missing == self.rows || (missing == 0 && least >= most)
    }

    /// Groups of features that are equal in every row, without constant features; counted from 0.
    pub(super) fn duplicates(&self) -> Vec<Vec<usize>> {
        let mut order = self.places(|column| !self.is_constant(column));
        order.sort_by_key(|&place| (self.columns[place].hash, place));
        let same = |a: &usize, b: &usize| self.columns[*a].hash == self.columns[*b].hash;
        let mut groups: Vec<Vec<usize>> =
            order.chunk_by(same).filter(|group| group.len() > 1).map(<[usize]>::to_vec).collect();
        groups.sort();
        groups
    }

    fn places(&self, wanted: impl Fn(&Column) -> bool) -> Vec<usize> {
        (0..self.columns.len()).filter(|&place| wanted(&self.columns[place])).collect()
    }

    fn widen(&mut self, width: usize) {
        if width > self.columns.len() {
            self.columns.resize(width, EMPTY);
        }
    }
}

/// Mixes a value and a place into 128 bits, with the finaliser of SplitMix64 (Steele, Lea & Flood,
/// OOPSLA 2014) on two streams.
fn mixed(bits: u64, place: u64) -> u128 {
    let one = finalised(bits ^ finalised(place.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let two = finalised(one ^ bits.rotate_left(32) ^ 0xd1b5_4a32_d192_ed03);
    u128::from(one) << 64 | u128::from(two)
}

fn finalised(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_compared_over_all_rows() {
        let nan = f32::NAN;
        let rows: [&[f32]; 3] =
            [&[1.0, 2.0, 5.0, 1.0, nan, 0.0], &[0.5, 2.0, -0.0, 0.5, nan, nan], &[3.0, 2.0, 0.0, 3.0, nan, 0.0, 4.0]];
        let mut whole = Columns::default();
        let mut parts = Columns::default();
        for (row, values) in (0..).zip(rows) {
            whole.add(row, values);
            let mut one = Columns::default();
            one.add(row, values);
            parts.merge(one);
        }
        for columns in [whole, parts] {
            assert_eq!((columns.width(), columns.missing()), (7, 4));
            assert_eq!(columns.constant(), [1, 4]);
            assert_eq!(columns.duplicates(), [[0, 3]]);
            assert_eq!(columns.with_missing(), [4, 5]);
        }
    }

    /// Rows of many widths, sparse and dense, against all values written out.
    #[test]
    fn columns_are_those_of_the_whole_matrix() {
        let (rows, width) = (7, 200);
        let value = |row: usize, column: usize| match (column % 7, row % 3) {
            (0, _) => 0.0,
            (1, _) => 2.5,
            (2, 0) | (3, _) => -0.0,
            (4, 1) => f32::NAN,
            (5, _) => f32::NAN,
            (_, _) => (row * column % 5) as f32 - 1.0,
        };
        let mut columns = Columns::default();
        let widths = [1, 64, 65, 200, 130, 0, 199];
        let mut written = vec![vec![0.0; width]; rows];
        for (row, written) in written.iter_mut().enumerate() {
            (0..widths[row]).for_each(|column| written[column] = value(row, column));
            let hash = columns.add(row as u64, &written[..widths[row]]);
            assert!(widths[row] == 0 || hash == Columns::default().add(0, written), "{row}");
        }
        let of = |column: usize| written.iter().map(|row| row[column]).collect::<Vec<f32>>();
        let missing = |column: usize| of(column).iter().filter(|value| value.is_nan()).count();
        let is_constant = |column: &usize| {
            let first = of(*column)[0];
            missing(*column) == rows || of(*column).iter().all(|value| *value == first)
        };
        assert_eq!(columns.width(), width);
        assert_eq!(columns.constant(), (0..width).filter(is_constant).collect::<Vec<_>>());
        assert_eq!(columns.with_missing(), (0..width).filter(|&column| missing(column) > 0).collect::<Vec<_>>());
        assert_eq!(columns.missing(), (0..width).map(missing).sum::<usize>() as u64);
    }

    #[test]
    fn rows_are_equal_whatever_their_width_and_sign_of_zero() {
        let hash = |values: &[f32]| Columns::default().add(7, values);
        assert_eq!(hash(&[0.0, 1.5, 0.0]), hash(&[-0.0, 1.5]));
        assert_ne!(hash(&[1.5, 0.0]), hash(&[0.0, 1.5]));
        assert_ne!(hash(&[1.5, 2.5]), hash(&[2.5, 1.5]));
        assert_eq!(hash(&[f32::NAN, f32::NAN]), ALL_MISSING);
        assert_ne!(hash(&[f32::NAN, 0.0]), ALL_MISSING);
    }
}

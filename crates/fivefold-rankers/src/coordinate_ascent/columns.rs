//! The features of all documents, one feature after the other.
//!
//! A visit of a coordinate reads one feature. In the rows of the data set, each of its values lies in a
//! cache line of its own.

use fivefold_core::Dataset;

/// Documents whose rows are read before others, so that the rows stay in the nearest caches.
const BLOCK: usize = 64;

/// A copy of the features.
pub(super) struct Columns {
    values: Vec<f32>,
    documents: usize,
}

impl Columns {
    pub(super) fn new(data: &Dataset) -> Self {
        let (documents, width) = (data.documents(), data.width());
        let mut values = vec![0.0; documents * width];
        let rows: Vec<&[f32]> = data.queries().flat_map(|query| query.view().rows()).collect();
        for (block, rows) in rows.chunks(BLOCK).enumerate() {
            for feature in 0..width {
                let column = &mut values[feature * documents + block * BLOCK..];
                column.iter_mut().zip(rows).for_each(|(place, row)| *place = row[feature]);
            }
        }
        Columns { values, documents }
    }

    /// Fills in the values of a feature, one a document.
    pub(super) fn fill(&self, feature: usize, column: &mut [f64]) {
        let values = &self.values[feature * self.documents..(feature + 1) * self.documents];
        column.iter_mut().zip(values).for_each(|(place, &value)| *place = f64::from(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::signal_in_order;

    #[test]
    fn a_column_has_the_values_of_its_feature() {
        let data = signal_in_order(20, 8);
        assert!(data.documents() > BLOCK);
        let columns = Columns::new(&data);
        for feature in 0..data.width() {
            let mut column = vec![f64::NAN; data.documents()];
            columns.fill(feature, &mut column);
            let rows = data.queries().flat_map(|query| query.view().rows());
            assert!(rows.zip(&column).all(|(row, &value)| f64::from(row[feature]) == value));
        }
    }
}

//! A model that sees some features of a document only.

use crate::QueryView;
use crate::ranker::ValueCodes;
use crate::registry::DynModel;

/// A model of some features, which scores documents with all features.
pub(crate) struct OfColumns {
    /// The columns that the model sees, from 0.
    columns: Vec<usize>,
    /// Features of a document.
    width: usize,
    /// The model, which scores documents that have these features alone.
    model: Box<dyn DynModel>,
}

impl OfColumns {
    /// Wraps a model. All `columns` must be below `width`.
    pub(crate) fn new(columns: Vec<usize>, width: usize, model: Box<dyn DynModel>) -> Self {
        OfColumns { columns, width, model }
    }
}

impl DynModel for OfColumns {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let seen: Vec<f32> = query.rows().flat_map(|row| self.columns.iter().map(|&column| row[column])).collect();
        self.model.score(query.with_features(&seen, self.columns.len()), out);
    }

    fn features(&self) -> Option<usize> {
        Some(self.width)
    }

    /// Features that the model does not see have the importance 0.
    fn importance(&self) -> Option<Vec<f64>> {
        let of_seen = self.model.importance()?;
        let mut importance = vec![0.0; self.width];
        self.columns.iter().zip(of_seen).for_each(|(&column, own)| importance[column] = own);
        Some(importance)
    }

    fn codes(&self) -> Option<&dyn ValueCodes> {
        None
    }

    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        self.model.to_json()
    }
}

//! Small data sets for tests.

use std::sync::Arc;

use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, Grades};

/// A document: grade and features.
type Document<'a> = (u8, &'a [f32]);

/// A data set from query ids and documents.
pub(crate) fn dataset(queries: &[(&str, &[Document<'_>])]) -> Dataset {
    let documents = || queries.iter().flat_map(|(_, documents)| documents.iter());
    let mut query_ids = IdTable::default();
    let mut bounds = vec![0];
    for (id, documents) in queries {
        query_ids.push(id);
        bounds.push(bounds[bounds.len() - 1] + documents.len());
    }
    DatasetBuilder {
        features: Arc::new(documents().flat_map(|(_, features)| features.iter().copied()).collect::<Vec<f32>>()),
        width: documents().next().map_or(0, |(_, features)| features.len()),
        grades: Grades::new(documents().map(|(grade, _)| *grade).collect(), None).unwrap(),
        bounds,
        query_ids,
        doc_ids: IdTable::default(),
    }
    .build()
    .unwrap()
}

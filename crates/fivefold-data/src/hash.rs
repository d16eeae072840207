//! The hash of a data set's content, for cache keys and model headers.
//!
//! The hash covers width, highest grade, and the queries in order: for each query its id, grades,
//! document ids and the bits of its features. The hash does not cover file names, comments, or how
//! numbers were written. Cost: one pass, in parallel over queries (blake3 with vector instructions
//! reads several gigabytes a second).

use fivefold_core::{Dataset, JudgedQuery};
use rayon::prelude::*;

/// The blake3 hash, in hexadecimal, of a data set's content.
pub fn data_hash(data: &Dataset) -> String {
    combine(data, &query_hashes(data))
}

/// The hash of each query, in order.
pub(crate) fn query_hashes(data: &Dataset) -> Vec<blake3::Hash> {
    (0..data.len()).into_par_iter().map(|index| query_hash(&data.query(index))).collect()
}

/// The hash of a data set from the hashes of its queries.
pub(crate) fn combine(data: &Dataset, queries: &[blake3::Hash]) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(data.width() as u64).to_le_bytes());
    hasher.update(&[data.max_grade()]);
    for hash in queries {
        hasher.update(hash.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// The hashes of the parts of a fold, each equal to [`data_hash`] of the part.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartHashes {
    /// Hash of the training part.
    pub train: String,
    /// Hash of the validation part, if there is a validation part.
    pub validation: Option<String>,
    /// Hash of the test part.
    pub test: String,
}

fn query_hash(query: &JudgedQuery<'_>) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let sized = |text: &[u8], hasher: &mut blake3::Hasher| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text);
    };
    sized(query.id().as_bytes(), &mut hasher);
    sized(query.grades(), &mut hasher);
    let doc_ids = (0..query.len()).filter_map(|row| query.doc_id(row));
    hasher.update(&(doc_ids.clone().count() as u64).to_le_bytes());
    doc_ids.for_each(|id| sized(id.as_bytes(), &mut hasher));
    if cfg!(target_endian = "little") {
        hasher.update(bytemuck::cast_slice(query.features()));
    } else {
        for value in query.features() {
            hasher.update(&value.to_bits().to_le_bytes());
        }
    }
    hasher.finalize()
}

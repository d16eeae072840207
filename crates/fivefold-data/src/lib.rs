//! LETOR/SVMlight reading, layouts, folds, normalisers and made collections.

mod hash;
pub mod letor;
mod matrix;
mod scores;
mod store;

pub use hash::data_hash;
pub use letor::{Missing, Part, ReadError, ReadErrorKind, ReadOptions, read_letor, write_letor};
pub use scores::{ScoreError, read_scores};

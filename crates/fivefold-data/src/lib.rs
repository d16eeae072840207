#![doc = include_str!("../README.md")]

pub mod cache;
pub mod collection;
pub mod columns;
pub mod descriptor;
pub mod digits;
pub mod error;
pub mod features;
mod groups;
pub mod hash;
pub mod input;
pub mod layout;
pub mod leaks;
pub mod letor;
pub mod lint;
mod matrix;
pub mod memory;
pub mod normalise;
pub mod packed;
pub mod per_query;
mod query_store;
pub mod ratings;
pub mod scores;
pub mod source;
pub mod synthetic;
#[cfg(test)]
mod testing;
mod text;
pub mod texts;
pub mod trec;

pub use cache::{BadBlock, Cache};
pub use collection::{Collection, Fold, dealt};
pub use descriptor::{Descriptor, descriptor, descriptors};
pub use error::DataError;
pub use features::{FeatureChoice, FeatureNames};
pub use layout::{LAYOUTS, Layout};
pub use letor::{Missing, Part, ReadError, ReadErrorKind, ReadOptions, read_letor, write_letor};
pub use normalise::{Fitted, NormaliseError, Normaliser, NormaliserMethod, Over};
pub use scores::{ScoreError, read_scores};
pub use source::{Source, SyntheticSource, open};

//! What every crate of fivefold uses, and nothing that knows of rankers, files or settings.
//!
//! Reading order: [`dataset`] (queries, documents, grades), [`seed`] (where randomness comes from), [`rounding`] (which numbers
//! are equal), [`words`] (counts, lists and near names in sentences), [`printable`] (text of others on a terminal).

pub mod dataset;
pub mod printable;
pub mod rounding;
pub mod seed;
pub mod words;

pub use dataset::{Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use seed::{Rng, Seed};

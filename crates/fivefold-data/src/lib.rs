#![doc = include_str!("../README.md")]

pub mod cache;
pub mod collection;
pub mod descriptor;
mod digits;
pub mod error;
mod groups;
pub mod hash;
pub mod input;
pub mod layout;
pub mod leaks;
pub mod letor;
pub mod lint;
mod matrix;
mod memory;
pub mod normalise;
mod packed;
pub mod per_query;
pub mod scores;
pub mod source;
mod store;
pub mod synthetic;
#[cfg(test)]
mod testing;
mod text;
pub mod trec;

pub use cache::{Cache, CacheUse};
pub use collection::{Collection, Fold};
pub use descriptor::{Checked, Descriptor, descriptor, descriptors};
pub use digits::{Collapsed, collapsed_remark};
pub use error::{DataError, Place};
pub use hash::{PartHashes, data_hash};
pub use layout::{LAYOUTS, Layout};
pub use letor::{
    Coding, Missing, Part, ReadError, ReadErrorKind, ReadOptions, read_letor, read_letor_coded, write_letor,
    write_letor_ungraded,
};
pub use memory::{memory_budget, memory_left, set_memory_budget};
pub use normalise::{Fitted, Method, NormaliseError, Normaliser, Over};
pub use packed::{content_hashes, exists, file_on_disk};
pub use scores::{ScoreError, read_own_scores, read_scores};
pub use source::{Source, SyntheticSource, open, open_cached};

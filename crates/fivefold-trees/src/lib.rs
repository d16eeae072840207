#![doc = include_str!("../README.md")]

pub mod bins;
pub mod cells;
pub mod codes;
mod direct;
pub mod ensemble;
pub mod grow;
mod growing;
mod histogram;
mod masks;
pub mod prefetch;
mod scorer;
mod split;
pub mod tree;
mod wide;
mod words;

pub use bins::{BinnedMatrix, MAX_BINS, Rows, Spacing};
pub use cells::{Gradients, GrowError};
pub use ensemble::{Ensemble, add_tree_scores};
pub use grow::{Draw, Grower, Growth, Precision};
pub use split::LeafDocuments;
pub use tree::{Node, Tree, TreeError};

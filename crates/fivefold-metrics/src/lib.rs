#![doc = include_str!("../README.md")]

pub mod attribution;
pub mod conventions;
pub mod dialect;
pub mod diversity;
pub mod entry;
mod error;
pub mod evaluator;
pub mod explain;
pub mod growing;
pub mod mean;
pub mod measure;
pub mod measures;
pub mod normalise;
pub mod objective;
pub mod one_query;
mod order;
mod orders;
pub mod rbo;
pub mod residual;
pub mod spec;
pub mod spelling;

pub use conventions::{Conventions, FoldMean, Overrides, Ties, Undefined};
pub use dialect::{DIALECTS, Dialect, dialect};
pub use entry::MeasureEntry;
pub use error::MeasureError;
pub use evaluator::{Evaluator, Judged, Scratch, StandardErrors};
pub use explain::Explanation;
pub use fivefold_base::{Assessment, Seed, Version};
pub use mean::{Mean, mean, mean_over_folds, settle};
pub use measures::{DIVERSITY_MEASURES, MEASURES, all_measures};
pub use objective::Objective;
pub use one_query::{average_precision, ndcg, precision, reciprocal_rank, value};
pub use spec::MeasureSpec;

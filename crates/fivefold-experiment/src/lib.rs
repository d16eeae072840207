//! From an experiment file to a results folder: plan, jobs, cache, evaluation and tables.

pub mod evaluation;
pub mod replay;
pub mod table;
pub mod tables;

pub use evaluation::{DatasetValues, DocumentSet, Evaluation, QueryInfo};
pub use table::{Cell, Table};

#![doc = include_str!("../README.md")]

pub mod chart;
pub mod compared;
pub mod design;
pub mod diagram;
pub mod difference_test;
pub mod evaluation;
pub mod ids;
pub mod p_value;
pub mod page;
pub mod table;
pub mod tables;
pub mod trec_eval;

pub use chart::Chart;
pub use compared::Compared;
pub use diagram::Diagram;
pub use difference_test::{DifferenceTest, HowFound};
pub use evaluation::{DatasetValues, DocumentSet, Evaluation, QueryInfo};
pub use ids::{number_equal, slug};
pub use page::PageData;
pub use table::{Cell, Table};

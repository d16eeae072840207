//! From the values of queries to all that is told of them: tables, charts, comparisons and pages as plain data. Nothing here reads
//! or writes files, knows settings, or draws.
//!
//! Reading order: [`evaluation`] (the values of a run), [`table`], [`chart`] and [`diagram`] (the forms of what is computed from
//! them), [`tables`] (the paper's tables), [`compared`] and [`difference_test`] (systems compared in pairs), [`page`] (all that a
//! page shows).

pub mod chart;
pub mod compared;
pub mod diagram;
pub mod difference_test;
pub mod evaluation;
pub mod ids;
pub mod p_value;
pub mod page;
pub mod table;
pub mod tables;

pub use chart::Chart;
pub use compared::Compared;
pub use diagram::Diagram;
pub use difference_test::{DifferenceTest, HowFound};
pub use evaluation::{DatasetValues, DocumentSet, Evaluation, QueryInfo};
pub use ids::{number_equal, slug};
pub use page::PageData;
pub use table::{Cell, Table};

#![doc = include_str!("../README.md")]

mod cell;
mod chart;
pub mod check;
mod critical_difference;
mod csv;
mod diagram;
mod error;
mod figure;
pub mod folder;
mod histogram;
mod html;
mod intervals;
mod latex;
pub mod markdown;
mod names;
mod overview;
mod p_values;
mod page;
mod run_charts;
#[cfg(test)]
mod samples;
mod terminal;
pub mod times;

pub use chart::chart_figure;
pub use csv::csv;
pub use diagram::diagram_figure;
pub use error::ReportError;
pub use figure::Figure;
pub use folder::{Report, write_report};
pub use html::{PageHead, Templates};
pub use latex::latex;
pub use markdown::markdown;
pub use overview::Overview;
pub use terminal::{Style, print_tables};

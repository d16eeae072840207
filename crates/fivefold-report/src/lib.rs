#![doc = include_str!("../README.md")]

mod cell;
mod chart;
mod check;
mod critical_difference;
mod csv;
mod diagram;
mod error;
mod figure;
mod folder;
mod histogram;
mod html;
mod intervals;
mod latex;
mod markdown;
mod names;
mod overview;
mod p_values;
mod page;
mod run_charts;
#[cfg(test)]
mod samples;
mod terminal;

pub use chart::chart_figure;
pub use check::{FileChecks, check_files, check_report};
pub use csv::csv;
pub use diagram::diagram_figure;
pub use error::ReportError;
pub use figure::Figure;
pub use folder::{Report, Written, check_index, discard_damaged_index, read_tables, write_report, write_report_unless};
pub use html::{PageHead, Templates};
pub use latex::latex;
pub use markdown::{markdown, markdown_list};
pub use overview::Overview;
pub use terminal::{Style, print_tables};

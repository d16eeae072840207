//! Terminal, Markdown, LaTeX, CSV and SVG output from a results folder.
//!
//! [`write_report`] fills a folder from [`Results`](fivefold_results::Results) alone: the data is not needed any more. A [`Report`]
//! is the same of a study.
//! [`print_tables`] shows tables on the terminal; [`csv()`], [`markdown()`] and [`latex()`] give one table in one form,
//! [`chart_figure`] and [`diagram_figure`] draw. All
//! forms print a cell by the same words; each escapes them its own way.

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
mod p_values;
mod page;
mod run_charts;
#[cfg(test)]
mod samples;
mod terminal;

pub use chart::chart_figure;
pub use check::{Compared, check_files, check_report};
pub use csv::csv;
pub use diagram::diagram_figure;
pub use error::ReportError;
pub use figure::Figure;
pub use folder::{Report, check_index, discard_damaged_index, read_tables, write_report, write_report_unless};
pub use html::{PageHead, Templates};
pub use latex::latex;
pub use markdown::{markdown, markdown_list};
pub use terminal::{Style, print_tables};

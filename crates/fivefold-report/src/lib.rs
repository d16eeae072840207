//! Terminal, Markdown, LaTeX, CSV and SVG output from a results folder.
//!
//! [`write_report`] fills a folder from [`Results`](fivefold_experiment::Results) alone: the data is not needed any more.
//! [`print_tables`] shows tables on the terminal; [`csv()`], [`markdown()`] and [`latex()`] give one table in one form,
//! [`chart_figure`] draws a chart. All
//! forms print a cell by the same words; each escapes them its own way.

mod cell;
mod chart;
mod critical_difference;
mod csv;
mod error;
mod figure;
mod folder;
mod histogram;
mod html;
mod latex;
mod markdown;
mod page;
mod run_charts;
#[cfg(test)]
mod samples;
mod terminal;

pub use chart::chart_figure;
pub use csv::csv;
pub use error::ReportError;
pub use figure::Figure;
pub use folder::{read_tables, write_files, write_report};
pub use html::Templates;
pub use latex::latex;
pub use markdown::markdown;
pub use terminal::{Style, print_tables};

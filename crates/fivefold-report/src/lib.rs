//! Terminal, Markdown, LaTeX, CSV and SVG output from a results folder.

mod cell;
mod csv;
mod error;
mod folder;
mod histogram;
mod latex;
mod markdown;
#[cfg(test)]
mod samples;
mod terminal;

pub use csv::csv;
pub use error::ReportError;
pub use folder::write_files;
pub use histogram::{Histogram, Series};
pub use latex::latex;
pub use markdown::markdown;
pub use terminal::{Style, print_tables};

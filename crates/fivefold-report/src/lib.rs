//! Terminal, Markdown, LaTeX, CSV and SVG output from a results folder.

mod cell;
mod csv;
mod error;
mod figure;
mod folder;
mod histogram;
mod latex;
mod markdown;
#[cfg(test)]
mod samples;
mod terminal;

pub use csv::csv;
pub use error::ReportError;
pub use figure::Figure;
pub use folder::{write_files, write_report};
pub use latex::latex;
pub use markdown::markdown;
pub use terminal::{Style, print_tables};

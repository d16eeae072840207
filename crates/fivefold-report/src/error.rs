//! What can go wrong when a report is written.

use fivefold_analysis::tables::TablesError;
use fivefold_results::store::StoreError;

/// A report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file cannot be read, written or removed, or is not what a report writes.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tables cannot be computed.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// A template of the page cannot be read or filled in.
    #[error("the page's template: {0}")]
    Template(String),
    /// A table or figure cannot be shown as it is: an error in the code that made it.
    #[error("{id}: {message}")]
    Malformed {
        /// Id of the table or figure.
        id: String,
        /// What is wrong with it.
        message: String,
    },
}

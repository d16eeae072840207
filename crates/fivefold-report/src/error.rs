//! What can go wrong when a report is written.

use std::path::PathBuf;

/// A report could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file system refused.
    #[error("{path}: cannot {action}: {source}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What was tried: `create`, `write`, `read`, `remove`.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// The list of an earlier report's files is not one of ours.
    #[error("{path}: not the table file of a report ({message}); move it away and run the report again")]
    Index {
        /// The file.
        path: PathBuf,
        /// What the parser found, with line and column.
        message: String,
    },
    /// A table or figure cannot be shown as it is: an error in the code that made it.
    #[error("{id}: {message}")]
    Malformed {
        /// Id of the table or figure.
        id: String,
        /// What is wrong with it.
        message: String,
    },
}

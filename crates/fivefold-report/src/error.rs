//! The errors of a report.

use fivefold_analysis::tables::TablesError;
use fivefold_results::store::StoreError;

/// Why a report cannot be made.
///
/// ```
/// use fivefold_report::{ReportError, Templates};
///
/// let error = Templates::overridden("no-such-folder".as_ref()).unwrap_err();
/// assert!(matches!(&error, ReportError::Template(_)));
/// assert!(error.to_string().contains("cannot read no-such-folder"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file cannot be read, written or removed, or its content is not as a report writes it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tables cannot be computed.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// A template of the page cannot be read or filled in.
    #[error("the page's template: {0}")]
    Template(String),
    /// A table or figure cannot be shown. The error is in the code that made the table or figure.
    #[error("{id}: {message}")]
    Malformed {
        /// Id of the table or figure.
        id: String,
        /// The fault in the table or figure.
        message: String,
    },
}

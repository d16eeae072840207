//! The error of this crate.

use std::fmt;
use std::path::Path;

/// What is wrong, and what to do about it.
///
/// ```
/// use fivefold_bertscore::Model;
///
/// let error = Model::load("no-such-folder".as_ref()).unwrap_err();
/// assert!(error.to_string().contains("no-such-folder"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BertScoreError {
    problem: String,
    help: Option<String>,
}

impl BertScoreError {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        BertScoreError { problem: problem.into(), help: None }
    }

    pub(crate) fn file(what: &str, path: &Path, error: impl fmt::Display) -> Self {
        BertScoreError::new(format!("cannot {what} {}: {error}", path.display()))
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What to do, if that is known.
    pub fn advice(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for BertScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl std::error::Error for BertScoreError {}

/// A fault within the library of tensors, which no input should cause.
impl From<candle_core::Error> for BertScoreError {
    fn from(error: candle_core::Error) -> Self {
        BertScoreError::new(format!("the model cannot be computed: {error}"))
    }
}

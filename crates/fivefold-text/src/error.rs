//! Errors of a text measure's name and of texts.

use fivefold_base::ue::UnknownVersion;
use fivefold_base::words::{counted, nearest};

/// Why a measure of texts cannot be named or computed.
///
/// ```
/// use fivefold_text::{TextError, TextMeasure};
///
/// let error = "rouge1(vlaue=recall)".parse::<TextMeasure>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown parameter of `rouge1` `vlaue`; did you mean `value`?");
/// assert!(matches!("rougeLsum".parse::<TextMeasure>(), Err(TextError::NotComputed { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A name that is not known.
    #[error("unknown {what} `{name}`; {help}")]
    Unknown {
        /// The kind of name: "text measure", "parameter of `rouge1`", ...
        what: String,
        /// The name found.
        name: String,
        /// The nearest name, or all known names.
        help: String,
    },
    /// Text that is not `name[.v1|.v2][(parameter=value, ...)]`.
    #[error("`{text}` is not a text measure: {problem}; write it as in `rouge1`, `rougeL.v2(references=mean)`")]
    Syntax {
        /// The whole text.
        text: String,
        /// The problem.
        problem: String,
    },
    /// A value that the parameter cannot take.
    #[error("`{param}` of `{measure}` must be {must_be}, not `{value}`")]
    Value {
        /// The measure's name.
        measure: String,
        /// The parameter.
        param: &'static str,
        /// The value found.
        value: String,
        /// The values that it can take.
        must_be: &'static str,
    },
    /// A known metric of texts that is not computed here.
    #[error("`{name}` is not computed here: {reason}")]
    NotComputed {
        /// The name as written.
        name: String,
        /// What the metric is, and what to use.
        reason: &'static str,
    },
    /// Parameters that exclude each other.
    #[error("`{measure}` does not exist: {problem}")]
    Combination {
        /// The measure as written.
        measure: String,
        /// The problem, and what to do.
        problem: &'static str,
    },
    /// A document without references.
    #[error("document {document} has no reference; a text measure compares with at least one")]
    NoReferences {
        /// The document's id.
        document: String,
    },
    /// A document without a source, for a measure that needs one.
    #[error("document {document} has no source, but `{measure}` needs one: {remedy}")]
    NoSource {
        /// The document's id.
        document: String,
        /// The measure.
        measure: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A number of candidates that is not the number of systems.
    #[error(
        "document {document} has {} for {}; give a summary that is missing as such",
        counted(*candidates, "candidate"), counted(*systems, "system")
    )]
    Candidates {
        /// The document's id.
        document: String,
        /// The number of candidates found.
        candidates: usize,
        /// The number of systems.
        systems: usize,
    },
    /// Two documents or two systems of one name.
    #[error("two {what}s have the id `{id}`; ids must differ")]
    Duplicate {
        /// "document" or "system".
        what: &'static str,
        /// The id.
        id: String,
    },
    /// Summaries of other documents are needed, but there is one document.
    #[error("`{measure}` needs summaries of other documents, but there is one document; use `model=unigram`")]
    OneDocument {
        /// The measure.
        measure: String,
    },
}

impl TextError {
    /// The error for `name`, with the nearest of the known names, or with all of them.
    pub(crate) fn unknown<'a>(
        what: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let help = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known names: {}", known.into_iter().collect::<Vec<_>>().join(", ")),
        };
        TextError::Unknown { what: what.into(), name: name.to_owned(), help }
    }
}

impl From<UnknownVersion> for TextError {
    fn from(error: UnknownVersion) -> Self {
        TextError::Unknown { what: "version".to_owned(), help: error.help(), name: error.name }
    }
}

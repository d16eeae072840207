//! The reasons why rankings cannot be fused.

use fivefold_base::words::nearest;

/// The reason why rankings cannot be fused.
///
/// ```
/// use fivefold_fusion::{FusionError, method};
///
/// let error = method("rff").unwrap_err();
/// assert!(matches!(error, FusionError::Unknown { .. }));
/// assert!(error.to_string().contains("did you mean `rrf`?"));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FusionError {
    /// A name that no method or normaliser has.
    #[error("there is no {kind} `{name}`; {hint}there are {known}")]
    Unknown {
        /// Method or normaliser.
        kind: &'static str,
        /// The name.
        name: String,
        /// `did you mean X? `, or nothing.
        hint: String,
        /// All names.
        known: String,
    },
    /// A score that is not a finite number.
    #[error("document {document} has the score {score}; a score must be a finite number")]
    Score {
        /// The document.
        document: usize,
        /// The score.
        score: f64,
    },
    /// A document that stands twice in a ranking.
    #[error("document {0} stands twice in a ranking")]
    Twice(usize),
    /// A document that is not one of the candidates.
    #[error("document {document} is not one of the {candidates} candidates, which are numbered from 0")]
    Candidate {
        /// The document.
        document: usize,
        /// Number of candidates.
        candidates: usize,
    },
    /// A parameter that the method does not have.
    #[error("`{name}` has no effect on {method}; it belongs to {owners}")]
    NoParameter {
        /// The method.
        method: &'static str,
        /// The parameter.
        name: &'static str,
        /// The methods that have the parameter.
        owners: String,
    },
    /// A value that the parameter cannot have.
    #[error("`{name}` is {value}; it must lie between {lowest} and {highest}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
        /// The lowest value.
        lowest: f64,
        /// The highest value.
        highest: f64,
    },
    /// A normaliser for a method of ranks.
    #[error("{method} uses ranks: a normaliser of scores has no effect; leave the normaliser out")]
    NotNormalised {
        /// The method.
        method: &'static str,
    },
    /// Not as many weights as systems, or a weight that is negative or not finite.
    #[error("{0}")]
    Weights(String),
    /// Scores that the normaliser cannot take.
    #[error("the normaliser {normaliser} {what}")]
    Normaliser {
        /// The normaliser.
        normaliser: &'static str,
        /// What is wrong, and what to do.
        what: &'static str,
    },
}

impl FusionError {
    pub(crate) fn unknown(kind: &'static str, name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known: Vec<&str> = known.collect();
        let near = nearest(name, known.iter().copied());
        let hint = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        FusionError::Unknown { kind, name: name.to_owned(), hint, known: known.join(", ") }
    }
}

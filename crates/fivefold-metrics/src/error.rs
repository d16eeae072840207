//! Errors of a measure's name, of a query or of scores.

use fivefold_base::ue::UnknownVersion;
use fivefold_base::words::counted;
use fivefold_base::words::nearest;

/// Why a measure cannot be named, built or computed.
///
/// ```
/// use fivefold_metrics::{MeasureError, value};
///
/// // Two scores for three documents; a score that cannot be ranked.
/// assert!(matches!(value("ndcg@10", &[2, 0, 1], &[0.9, 0.1]), Err(MeasureError::Count { .. })));
/// assert!(matches!(value("ndcg@10", &[2, 0], &[0.9, f64::NAN]), Err(MeasureError::NotFinite { row: 1, .. })));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// A name that is not registered.
    #[error("unknown {what} `{name}`; {help}")]
    Unknown {
        /// The kind of name: "measure", "parameter of `ndcg`", ...
        what: String,
        /// The name found.
        name: String,
        /// The nearest name, or all known names.
        help: String,
    },
    /// Text that is not `name[.v1|.v2][(parameter=value, ...)][@cutoff]`.
    #[error("`{text}` is not a measure: {problem}; write it as in `ndcg@10`, `ap.v2(denominator=cutoff)@5`")]
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
        measure: &'static str,
        /// The parameter.
        param: &'static str,
        /// The value found.
        value: String,
        /// The values that it can take.
        must_be: String,
    },
    /// A cutoff that is given but not allowed, or needed but missing.
    #[error("`{measure}` {problem}")]
    Cutoff {
        /// The measure as written.
        measure: String,
        /// The problem.
        problem: &'static str,
    },
    /// A version that the measure does not have.
    #[error("`{measure}` does not exist: {reason}; use `{base}`")]
    NoUe {
        /// The measure as written.
        measure: String,
        /// The same measure without the version.
        base: String,
        /// Why there is neither V1 nor V2.
        reason: &'static str,
    },
    /// A measure of subtopics, where there are none.
    #[error("`{measure}` needs subtopics: use it with `eval --qrels`, with qrels whose second column is a subtopic")]
    Subtopics {
        /// The measure as written.
        measure: String,
    },
    /// An ordinary measure among measures of subtopics.
    #[error("`{measure}` does not look at subtopics; ask for it in a call of its own")]
    NoSubtopics {
        /// The measure as written.
        measure: String,
    },
    /// A grade above the collection's highest.
    #[error("query {query}: document {} has grade {grade}, but the collection's highest grade is {highest}", row + 1)]
    Grade {
        /// The query's id.
        query: String,
        /// Its document, from 0.
        row: usize,
        /// The document's grade.
        grade: u8,
        /// The highest grade possible.
        highest: u8,
    },
    /// A number of scores or ids that does not fit the query.
    #[error("query {query}: {} for {}", counted(*found, what), counted(*expected, "document"))]
    Count {
        /// The query's id.
        query: String,
        /// "score" or "document id".
        what: &'static str,
        /// The number found.
        found: usize,
        /// The number expected.
        expected: usize,
    },
    /// A score that cannot be ranked.
    #[error("query {query}: the score of document {} is {score}; scores must be finite numbers", row + 1)]
    NotFinite {
        /// The query's id.
        query: String,
        /// Its document, from 0.
        row: usize,
        /// The score.
        score: f64,
    },
    /// Ties are broken by document id, but the query has no document ids.
    #[error("query {query}: ties `{ties}` needs document ids, but the documents have no ids; use `average` or `input`")]
    NoDocumentIds {
        /// The query's id.
        query: String,
        /// The tie policy.
        ties: &'static str,
    },
    /// Ties are broken by document id, but two document ids are equal.
    #[error(
        "query {query}: two documents have the id `{id}`, so ties `{ties}` cannot order them; use `average` or `input`"
    )]
    DuplicateDocumentId {
        /// The query's id.
        query: String,
        /// The id.
        id: String,
        /// The tie policy.
        ties: &'static str,
    },
    /// A run retrieved more judged documents of a grade than the pool has.
    #[error(
        "topic {query}: more documents of one grade were retrieved than judged; give a document that was not judged as \
         `None` or `Assessment::Unjudged`"
    )]
    NotInPool {
        /// The topic's id.
        query: String,
    },
    /// A query that was judged by another evaluator.
    #[error("query {query} was judged by another evaluator; judge it with the evaluator that evaluates it")]
    ForeignJudgement {
        /// The query's id.
        query: String,
    },
}

impl MeasureError {
    /// The error for `name`, with the nearest of the known names.
    pub(crate) fn unknown<'a>(
        what: impl Into<String>,
        name: &str,
        known: impl IntoIterator<Item = &'a str> + Clone,
    ) -> Self {
        let help = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let all: Vec<&str> = known.into_iter().collect();
                if all.is_empty() {
                    "no name is known here".to_owned()
                } else {
                    format!("known names: {}", all.join(", "))
                }
            }
        };
        MeasureError::Unknown { what: what.into(), name: name.to_owned(), help }
    }
}

impl From<UnknownVersion> for MeasureError {
    fn from(error: UnknownVersion) -> Self {
        MeasureError::Unknown { what: "version".to_owned(), help: error.help(), name: error.name }
    }
}

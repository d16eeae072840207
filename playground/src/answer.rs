//! From a question to its answer, both as JSON.

use fivefold_metrics::{DIALECTS, Explanation, MeasureError, dialect};
use serde::{Deserialize, Serialize};

use crate::list::{HIGHEST_GRADE, explain, query};
use crate::question::Question;
use crate::{dialects, random, table, ties};

/// What the page can ask.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Ask {
    /// What there is to choose from: `{"choices": null}`.
    Choices,
    /// A random order of this many documents: `{"order": {"documents": 8, "number": 1}}`.
    Order {
        /// Number of documents.
        documents: usize,
        /// The number of the order.
        number: u64,
    },
    /// All values of a list of documents: `{"values": {"documents": [...], ...}}`.
    Values(Question),
}

/// What there is to choose from.
#[derive(Debug, Serialize)]
struct Choices {
    measures: [&'static str; 6],
    dialects: Vec<&'static str>,
    highest_grade: u8,
}

/// All values of a list of documents.
#[derive(Debug, Serialize)]
struct Values {
    /// The conventions in force, in a line.
    conventions: String,
    measures: Vec<table::Row>,
    /// The measure of the question, as printed.
    chosen: String,
    explained: Explanation,
    ties: Vec<ties::Rule>,
    dialects: Vec<dialects::Row>,
    random: random::Random,
}

/// What went wrong, for the page to show.
#[derive(Debug, Serialize)]
struct Failure {
    error: String,
}

/// The answer to a question. A question that cannot be answered has the answer `{"error": "..."}`.
///
/// ```
/// let answer = fivefold_playground::answer::answer(br#"{"order": {"documents": 3, "number": 1}}"#);
/// assert_eq!(serde_json::from_str::<Vec<usize>>(&answer)?.len(), 3);
/// assert!(fivefold_playground::answer::answer(b"{}").starts_with(r#"{"error":"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn answer(question: &[u8]) -> String {
    let asked = serde_json::from_slice(question).map_err(|error| error.to_string());
    let text = asked.and_then(|ask| match ask {
        Ask::Choices => written(&Choices {
            measures: table::MEASURES,
            dialects: DIALECTS.iter().map(|dialect| dialect.name).collect(),
            highest_grade: HIGHEST_GRADE,
        }),
        Ask::Order { documents, number } => written(&random::order(documents, number)),
        Ask::Values(question) => values(&question).map_err(|error| error.to_string()).and_then(|own| written(&own)),
    });
    match text {
        Ok(text) => text,
        Err(error) => written(&Failure { error }).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}")),
    }
}

fn written(answer: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(answer).map_err(|error| error.to_string())
}

fn values(question: &Question) -> Result<Values, MeasureError> {
    let named = dialect(&question.dialect)?;
    let (conventions, query, spec) = (named.conventions(), query(question), question.chosen()?);
    Ok(Values {
        conventions: named.summary.to_owned(),
        measures: table::rows(question, &conventions, &query)?,
        chosen: spec.to_string(),
        explained: explain(&spec, &conventions, &query)?,
        ties: ties::rules(&spec, &conventions, &query)?,
        dialects: dialects::rows(&spec, &conventions, &query)?,
        random: random::orders(&spec, &conventions, &query)?,
    })
}

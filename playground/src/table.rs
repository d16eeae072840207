//! The table of measures: for each measure A, E, U, and the value in each version.

use fivefold_metrics::attribution::ScoredQuery;
use fivefold_metrics::{Conventions, Explanation, MeasureError, MeasureSpec, Version};
use serde::Serialize;

use crate::list::{evaluator, explain};
use crate::question::Question;

/// The measures of the table.
pub const MEASURES: [&str; 6] = ["ndcg", "ap", "err", "rbp", "p", "rr"];

/// One measure.
#[derive(Debug, Serialize)]
pub struct Row {
    /// Its name with the cutoff.
    pub measure: String,
    /// The measure in a line.
    pub summary: &'static str,
    /// The formula in plain text.
    pub formula: &'static str,
    /// The value of the ranking before any normalisation (of `ndcg`: DCG).
    pub a: Option<f64>,
    /// The mean of A over all orders, or the number that a convention puts in its place.
    pub e: Option<f64>,
    /// A of the ideal order, or the number that a convention puts in its place.
    pub u: Option<f64>,
    /// The value in each version, in the order of [`Version::ALL`].
    pub values: Vec<Value>,
}

/// A value in one version.
#[derive(Debug, Serialize)]
pub struct Value {
    /// The value; `None` if it is undefined.
    pub value: Option<f64>,
    /// Why the value is undefined, 0 by convention, or negative, and how ties count.
    pub remarks: Vec<String>,
}

/// All rows.
///
/// # Errors
/// If the query has a grade or a score that no measure takes.
pub fn rows(question: &Question, conventions: &Conventions, query: &ScoredQuery<'_>) -> Result<Vec<Row>, MeasureError> {
    MEASURES.iter().map(|measure| row(&question.spec(measure, Version::Original)?, conventions, query)).collect()
}

fn row(spec: &MeasureSpec, conventions: &Conventions, query: &ScoredQuery<'_>) -> Result<Row, MeasureError> {
    let explained = Version::ALL
        .iter()
        .map(|&version| explain(&spec.with_version(version), conventions, query))
        .collect::<Result<Vec<Explanation>, MeasureError>>()?;
    // E and U of `explain` are printed numbers; the evaluator has the numbers themselves.
    let evaluator = evaluator(&[spec.with_version(Version::V2)], conventions)?;
    let judged = query.judge(&evaluator)?;
    Ok(Row {
        measure: spec.to_string(),
        summary: spec.entry().summary,
        formula: spec.entry().formula,
        a: explained[0].steps.iter().find(|step| step.what == "A").and_then(|step| step.value),
        e: evaluator.expected(&judged, 0),
        u: evaluator.upper(&judged, 0),
        values: explained.into_iter().map(|own| Value { value: own.value, remarks: own.remarks }).collect(),
    })
}

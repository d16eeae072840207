//! The list of documents, as `fivefold-metrics` takes it.

use std::borrow::Cow;

use fivefold_metrics::attribution::ScoredQuery;
use fivefold_metrics::{Assessment, Conventions, Evaluator, Explanation, MeasureError, MeasureSpec, Scratch, Seed};

use crate::question::Question;

/// The highest grade of the collection that the list belongs to.
pub const HIGHEST_GRADE: u8 = 4;

/// The id of the one query.
const QUERY: &str = "1";

/// The seed of the program's commands. It orders documents of equal score if ties are shuffled.
pub fn seed() -> Seed {
    Seed::new(0)
}

/// The documents as one query of a run, whose judged documents are the pool.
pub fn query(question: &Question) -> ScoredQuery<'_> {
    let documents = &question.documents;
    let all_judged = documents.iter().all(|document| document.grade.is_some());
    ScoredQuery {
        fold: 0,
        id: QUERY,
        assessments: documents.iter().map(|document| Assessment::from(document.grade)).collect(),
        doc_ids: Some(documents.iter().map(|document| document.id.as_str()).collect()),
        scores: Cow::Owned(documents.iter().map(|document| document.score).collect()),
        pool: (!all_judged).then(|| documents.iter().filter_map(|document| document.grade).collect()),
        missing: false,
    }
}

/// An evaluator of measures under these conventions.
///
/// # Errors
/// As [`Evaluator::new`].
pub fn evaluator(specs: &[MeasureSpec], conventions: &Conventions) -> Result<Evaluator, MeasureError> {
    Evaluator::new(specs, conventions, HIGHEST_GRADE, seed())
}

/// The arithmetic of one measure for the query.
///
/// # Errors
/// As [`Evaluator::new`] and [`Evaluator::explain`].
pub fn explain(
    spec: &MeasureSpec,
    conventions: &Conventions,
    query: &ScoredQuery<'_>,
) -> Result<Explanation, MeasureError> {
    let evaluator = evaluator(std::slice::from_ref(spec), conventions)?;
    evaluator.explain(&query.judge(&evaluator)?, &query.scores, 0)
}

/// The value of one measure for the query; `None` if it is undefined.
///
/// # Errors
/// As [`Evaluator::new`] and [`Evaluator::evaluate`].
pub fn value(
    spec: &MeasureSpec,
    conventions: &Conventions,
    query: &ScoredQuery<'_>,
) -> Result<Option<f64>, MeasureError> {
    let evaluator = evaluator(std::slice::from_ref(spec), conventions)?;
    let mut value = [f64::NAN];
    evaluator.evaluate(&query.judge(&evaluator)?, &query.scores, &mut Scratch::default(), &mut value)?;
    Ok(defined(value[0]))
}

/// NaN stands for an undefined value within `fivefold-metrics`; JSON has no NaN.
pub fn defined(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

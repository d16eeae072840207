//! The value of one query by one function call.
//!
//! Every function takes the grades and the scores of a query's documents, in the same order. The
//! dialect is `paper`: gain 2^grade - 1, discount 1/log2(rank + 1), mean over the orders of
//! documents that tie. The result is `None`, not 0, if the value is undefined, for example without
//! a relevant document. Cost: a sort. For many queries or cutoffs, or for other conventions, use
//! an [`Evaluator`], which sorts once for all measures and cutoffs.

use fivefold_base::Seed;

use crate::dialect::DIALECTS;
use crate::error::MeasureError;
use crate::evaluator::{Evaluator, Scratch};
use crate::spec::MeasureSpec;

/// nDCG at a cutoff.
///
/// ```
/// use fivefold_metrics::ndcg;
///
/// assert_eq!(ndcg(&[2, 0, 1], &[0.9, 0.1, 0.5], 10)?, Some(1.0));
/// // The two first documents tie: the mean of both orders.
/// let tied = ndcg(&[1, 0, 0], &[0.5, 0.5, 0.1], 10)?.unwrap();
/// assert!((tied - (1.0 + 1.0 / 3f64.log2()) / 2.0).abs() < 1e-15);
/// // Nothing relevant: no value.
/// assert_eq!(ndcg(&[0, 0], &[0.5, 0.1], 10)?, None);
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
///
/// # Errors
/// A score that is not finite, a grade above 30, or not one score a document.
pub fn ndcg(grades: &[u8], scores: &[f64], cutoff: usize) -> Result<Option<f64>, MeasureError> {
    value(&format!("ndcg@{cutoff}"), grades, scores)
}

/// Average precision of the whole list, divided by the number of relevant documents (grade 1 and
/// higher).
///
/// ```
/// use fivefold_metrics::average_precision;
///
/// assert_eq!(average_precision(&[0, 1, 1], &[0.9, 0.5, 0.1])?, Some((1.0 / 2.0 + 2.0 / 3.0) / 2.0));
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
///
/// # Errors
/// As [`ndcg`].
pub fn average_precision(grades: &[u8], scores: &[f64]) -> Result<Option<f64>, MeasureError> {
    value("ap(denominator=relevant)", grades, scores)
}

/// Precision at a cutoff.
///
/// ```
/// use fivefold_metrics::precision;
///
/// assert_eq!(precision(&[0, 1, 1, 0], &[0.9, 0.5, 0.4, 0.1], 2)?, Some(0.5));
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
///
/// # Errors
/// As [`ndcg`].
pub fn precision(grades: &[u8], scores: &[f64], cutoff: usize) -> Result<Option<f64>, MeasureError> {
    value(&format!("p@{cutoff}"), grades, scores)
}

/// One over the rank of the first relevant document.
///
/// ```
/// use fivefold_metrics::reciprocal_rank;
///
/// assert_eq!(reciprocal_rank(&[0, 2, 1], &[0.9, 0.5, 0.1])?, Some(0.5));
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
///
/// # Errors
/// As [`ndcg`].
pub fn reciprocal_rank(grades: &[u8], scores: &[f64]) -> Result<Option<f64>, MeasureError> {
    value("rr", grades, scores)
}

/// Any measure by its name, in any version: `ndcg.v2@10`, `err(max_grade=4)@20`, `rbp(p=0.8)`.
///
/// ```
/// use fivefold_metrics::value;
///
/// // V2 is 1 for the ideal order, and 0 for an order that tells nothing.
/// assert_eq!(value("ndcg.v2@10", &[2, 0, 1], &[0.9, 0.1, 0.5])?, Some(1.0));
/// assert_eq!(value("ndcg.v2@10", &[2, 0, 1], &[0.5, 0.5, 0.5])?, Some(0.0));
/// # Ok::<(), fivefold_metrics::MeasureError>(())
/// ```
///
/// # Errors
/// As [`ndcg`]. Also a name that no measure has.
pub fn value(measure: &str, grades: &[u8], scores: &[f64]) -> Result<Option<f64>, MeasureError> {
    let spec: MeasureSpec = measure.parse()?;
    let highest = grades.iter().copied().max().unwrap_or(0);
    let evaluator = Evaluator::new(&[spec], &DIALECTS[0].conventions(), highest, Seed::new(0))?;
    let mut values = [0.0];
    let query = evaluator.judge("1", grades, None)?;
    evaluator.evaluate(&query, scores, &mut Scratch::default(), &mut values)?;
    Ok(Some(values[0]).filter(|value| !value.is_nan()))
}

//! The scores of a model and their text. Jobs of an experiment and saved models use the same code.

use std::fmt::Write as _;

use fivefold_core::ranker::ValueCodes;
use fivefold_core::registry::DynModel;
use fivefold_core::{Dataset, QueryView};

/// A score that is infinite or not a number.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the model gives document {document} of query {query} the score {score}; scores must be finite")]
#[non_exhaustive]
pub struct NotFinite {
    /// The document's number in its query, from 1.
    pub document: usize,
    /// The query's id.
    pub query: String,
    /// The score.
    pub score: f64,
}

/// Returns the score of each document, in order.
///
/// # Errors
/// [`NotFinite`] for the first score that is not finite.
pub fn score(model: &dyn DynModel, data: &Dataset) -> Result<Vec<f64>, NotFinite> {
    score_by(|query, out| model.score(query, out), data)
}

/// Returns scores as [`score`] does, from a data set that holds the model's codes in place of
/// values.
///
/// # Errors
/// As [`score`].
pub fn score_codes(codes: &dyn ValueCodes, data: &Dataset) -> Result<Vec<f64>, NotFinite> {
    score_by(|query, out| codes.score_codes(query, out), data)
}

fn score_by(score: impl Fn(QueryView<'_>, &mut [f64]), data: &Dataset) -> Result<Vec<f64>, NotFinite> {
    let mut scores = vec![f64::NAN; data.documents()];
    let mut rest = scores.as_mut_slice();
    for query in data.queries() {
        let (own, after) = rest.split_at_mut(query.len());
        score(query.view(), own);
        if let Some((row, &score)) = own.iter().enumerate().find(|(_, score)| !score.is_finite()) {
            return Err(NotFinite { document: row + 1, query: query.id().to_owned(), score });
        }
        rest = after;
    }
    Ok(scores)
}

/// The text of a score file: a score on each line, as the shortest decimal that reads back to the
/// same bits.
pub fn scores_text(scores: &[f64]) -> String {
    let mut text = String::with_capacity(scores.len() * 20);
    for score in scores {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{score:?}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_of_a_score_comes_back() {
        let scores = [0.1 + 0.2, -0.0, 1e-300, f64::MAX, f64::from_bits(1), 7.0];
        let read: Vec<u64> = scores_text(&scores).lines().map(|line| line.parse::<f64>().unwrap().to_bits()).collect();
        assert_eq!(read, scores.map(f64::to_bits));
    }
}

//! The random summaries whose score is E, the expected value of a document.
//!
//! A random summary has as many tokens as the reference (k), between the special tokens:
//!
//! - `random`: k draws from the tokens of the source, each token as often as it stands there. E is
//!   the mean score of several such texts; its standard error is known.
//! - `b2w` (Algorithm 1 of Feng's dissertation, 2023): the document's vector is the mean of the
//!   hidden states of its source, special tokens included. Each distinct other token of the source has
//!   the cosine of its last occurrence with that vector. The k most similar tokens, best first, are the
//!   text. The text is drawn by no chance, so E is no expectation. The algorithm's own line sorts in
//!   increasing order, but its words say most similar.
//! - `w2b`: the k least similar tokens, the least similar first.
//! - `mismatch`: the summaries of the same system about the other documents. No source is needed.

use std::collections::HashMap;

use fivefold_base::Seed;

use crate::error::BertScoreError;
use crate::model::Model;

/// Which random summary gives E.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expected {
    /// Draws from the source.
    #[default]
    Random,
    /// The tokens that are most similar to the source.
    B2w,
    /// The tokens that are least similar to the source.
    W2b,
    /// Summaries of other documents.
    Mismatch,
    /// No E.
    None,
}

impl Expected {
    /// All kinds.
    pub const ALL: [Expected; 5] = [Expected::Random, Expected::B2w, Expected::W2b, Expected::Mismatch, Expected::None];

    /// The name on the command line.
    ///
    /// ```
    /// use fivefold_bertscore::Expected;
    ///
    /// assert_eq!(Expected::ALL.map(Expected::name), ["random", "b2w", "w2b", "mismatch", "none"]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Expected::Random => "random",
            Expected::B2w => "b2w",
            Expected::W2b => "w2b",
            Expected::Mismatch => "mismatch",
            Expected::None => "none",
        }
    }

    /// Whether E needs the source of each document.
    pub fn needs_source(self) -> bool {
        matches!(self, Expected::Random | Expected::B2w | Expected::W2b)
    }
}

/// Ids of `draws` texts of `length` tokens, drawn from the tokens of a source. No text if there is
/// nothing to draw from.
pub(crate) fn drawn(model: &Model, source: &[u32], length: usize, draws: usize, seed: Seed) -> Vec<Vec<u32>> {
    if source.is_empty() || length == 0 {
        return Vec::new();
    }
    let mut rng = seed.rng();
    let mut text = || -> Vec<u32> { (0..length).map(|_| source[rng.index(source.len())]).collect() };
    (0..draws).map(|_| model.between(&text())).collect()
}

/// The distinct tokens of a source in the order of their similarity to the source.
#[derive(Debug)]
pub(crate) struct BySimilarity {
    /// In the order of their first occurrence, each with its cosine.
    tokens: Vec<(u32, f64)>,
}

impl BySimilarity {
    /// `source` has the special tokens at its ends, as [`Model::tokens`] gives it.
    pub(crate) fn new(model: &Model, source: &[u32], layer: Option<usize>) -> Result<Self, BertScoreError> {
        let hidden = model.hidden(&[source], layer)?;
        let hidden = hidden.first().map_or(&[][..], Vec::as_slice);
        let mut document = vec![0.0; model.config().hidden_size];
        for state in hidden {
            document.iter_mut().zip(state).for_each(|(sum, number)| *sum += f64::from(*number));
        }
        let mut tokens: Vec<(u32, f64)> = Vec::new();
        let mut places = HashMap::new();
        // The special tokens take part in the mean, but are no tokens to choose.
        for (id, state) in source.iter().zip(hidden).skip(1).take(source.len().saturating_sub(2)) {
            let cosine = cosine(state, &document);
            let place = *places.entry(*id).or_insert(tokens.len());
            match tokens.get_mut(place) {
                Some(token) => token.1 = cosine,
                None => tokens.push((*id, cosine)),
            }
        }
        Ok(BySimilarity { tokens })
    }

    /// How many distinct tokens there are.
    pub(crate) fn count(&self) -> usize {
        self.tokens.len()
    }

    /// The ids of the first `length` tokens, the most similar first, or the least similar. Tokens
    /// with the same cosine keep the order of the source.
    pub(crate) fn first(&self, length: usize, most: bool) -> Vec<u32> {
        let mut tokens = self.tokens.clone();
        tokens.sort_by(|a, b| if most { b.1.total_cmp(&a.1) } else { a.1.total_cmp(&b.1) });
        tokens.iter().take(length).map(|token| token.0).collect()
    }
}

fn cosine(state: &[f32], document: &[f64]) -> f64 {
    let (mut product, mut own, mut other) = (0.0, 0.0, 0.0);
    for (a, b) in state.iter().zip(document) {
        let a = f64::from(*a);
        product += a * b;
        own += a * a;
        other += b * b;
    }
    product / (own * other).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_ordered_by_similarity() {
        let tokens = BySimilarity { tokens: vec![(7, 0.5), (3, 0.9), (4, 0.5), (1, -0.2)] };
        assert_eq!(tokens.first(3, true), [3, 7, 4]);
        assert_eq!(tokens.first(9, false), [1, 7, 4, 3]);
        assert_eq!(tokens.count(), 4);
    }

    #[test]
    fn cosines_by_hand() {
        assert!((cosine(&[3.0, 4.0], &[4.0, 3.0]) - 0.96).abs() < 1e-15);
    }
}

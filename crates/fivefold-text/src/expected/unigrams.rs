//! E of ROUGE-1's matches: the sum over the reference's tokens of E[min(X, r)], where r counts the
//! token in the reference and X in the random summary. X is binomial under `unigram` and
//! hypergeometric under `sample`. Costs O(n).

use super::chance::{LogFactorials, min_of_binomial, min_of_hypergeometric};
use super::{Drawing, Source};
use crate::slots::Local;

/// E of the matches of a random summary of `m` tokens. The source has at least one token.
pub(crate) fn matches(drawing: Drawing, reference: &Local, source: &Source, m: usize, logs: &LogFactorials) -> f64 {
    let population = source.tokens.len();
    let types = reference.counts.iter().zip(&source.counts).skip(1);
    let of = types.filter(|&(_, &in_source)| in_source > 0).map(|(&r, &in_source)| {
        let (r, in_source) = (r as usize, in_source as usize);
        match drawing {
            Drawing::Unigram => min_of_binomial(m, in_source as f64 / population as f64, r, logs),
            Drawing::Sample => min_of_hypergeometric(population, in_source, m, r, logs),
        }
    });
    of.sum()
}

//! E of the matches of a random summary with one reference.
//!
//! A random summary has m tokens: independent draws from the source's tokens (`unigram`), or tokens
//! of the source without replacement, in random order (`sample`). P, R and F1 are linear in the
//! matches M once m is given, so that E of M gives E of all three:
//! - ROUGE-1 and ROUGE-2: closed forms for both models ([`unigrams`], [`bigrams`]);
//! - ROUGE-L: exact for `unigram` if the reference has at most 16 tokens that the source has
//!   ([`sequence`]);
//! - all others: the mean of seeded random summaries, with its standard error ([`draws`]).

pub(crate) mod bigrams;
pub(crate) mod chance;
pub(crate) mod draws;
pub(crate) mod sequence;
pub(crate) mod unigrams;

use fivefold_base::Seed;

use crate::lcs::Lcs;
use crate::ngrams::{Grams, Matcher};
use crate::settings::Metric;
use crate::slots::Local;
use chance::LogFactorials;

/// How the tokens of a random summary are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Drawing {
    /// With replacement.
    Unigram,
    /// Without replacement.
    Sample,
}

impl Drawing {
    /// The length of a random summary: `sample` has no more tokens than the source.
    pub(crate) fn length(self, asked: usize, source: usize) -> usize {
        match self {
            Drawing::Unigram => asked,
            Drawing::Sample => asked.min(source),
        }
    }
}

/// A source as a reference sees it.
pub(crate) struct Source {
    /// Its tokens, in the reference's numbers.
    pub(crate) tokens: Vec<u32>,
    /// How often each of the reference's tokens appears; place 0: all tokens that the reference has
    /// not.
    pub(crate) counts: Vec<u32>,
}

impl Source {
    pub(crate) fn new(tokens: impl Iterator<Item = u32>, reference: &Local) -> Self {
        let tokens: Vec<u32> = tokens.collect();
        let mut counts = vec![0; reference.counts.len()];
        tokens.iter().for_each(|&token| counts[token as usize] += 1);
        Source { tokens, counts }
    }
}

/// A mean, and its standard error; 0 if the mean is exact.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Mean {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

/// The matches of a reference by one metric.
pub(crate) enum AnyMatcher {
    Grams(Grams),
    Lcs(Lcs),
}

impl AnyMatcher {
    pub(crate) fn new(metric: Metric, reference: &Local) -> Self {
        match metric {
            Metric::Grams(order) => AnyMatcher::Grams(Grams::new(order, reference)),
            Metric::Lcs => AnyMatcher::Lcs(Lcs::new(reference)),
        }
    }

    /// Matches of a text.
    pub(crate) fn of(&mut self, text: impl Iterator<Item = u32>) -> u32 {
        match self {
            AnyMatcher::Grams(grams) => grams.of(text),
            AnyMatcher::Lcs(lcs) => lcs.of(text),
        }
    }
}

/// Random summaries to take the mean of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random {
    pub(crate) drawing: Drawing,
    /// Summaries to draw, if there is no closed form.
    pub(crate) draws: u32,
    pub(crate) seed: Seed,
}

/// E of the matches with a reference, for each length of a random summary. Lengths increase, and are
/// at most the source's length for `sample`.
pub(crate) fn expected(
    matcher: &mut AnyMatcher,
    reference: &Local,
    source: &Source,
    lengths: &[usize],
    random: Random,
    logs: &LogFactorials,
) -> Vec<Mean> {
    let exact = |value: f64| Mean { value, error: 0.0 };
    let drawing = random.drawing;
    if source.tokens.is_empty() || reference.tokens.is_empty() {
        return vec![Mean::default(); lengths.len()];
    }
    match matcher {
        AnyMatcher::Grams(grams) => match grams.order() {
            1 => lengths.iter().map(|&m| exact(unigrams::matches(drawing, reference, source, m, logs))).collect(),
            2 => bigrams::matches(drawing, grams, source, lengths, logs).into_iter().map(exact).collect(),
            _ => draws::matches(grams, source, lengths, random),
        },
        AnyMatcher::Lcs(lcs) => {
            let known = (drawing == Drawing::Unigram).then(|| sequence::matches(reference, source, lengths)).flatten();
            match known {
                Some(known) => known.into_iter().map(exact).collect(),
                None => draws::matches(lcs, source, lengths, random),
            }
        }
    }
}

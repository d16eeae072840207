//! The mean of seeded random summaries, where E has no closed form.
//!
//! A shorter summary is the beginning of a longer one, so that one set of draws serves all lengths.
//! Matches are whole numbers, and so are their sums: the order of summation does not matter.

use fivefold_base::Rng;

use super::{AnyMatcher, Drawing, Mean, Random, Source};
use crate::ngrams::Matcher;

/// Draws random summaries as places in the source.
struct Summaries {
    drawing: Drawing,
    rng: Rng,
    /// For `sample`: the source's places, in the order of the last draw.
    places: Vec<u32>,
}

impl Summaries {
    fn new(random: Random, tokens: usize) -> Self {
        let places = (0..tokens as u32).collect();
        Summaries { drawing: random.drawing, rng: random.seed.rng(), places }
    }

    /// The next place of the summary's token `at`.
    #[inline]
    fn next(&mut self, at: usize) -> usize {
        let tokens = self.places.len();
        match self.drawing {
            Drawing::Unigram => self.rng.index(tokens),
            Drawing::Sample => {
                let other = at + self.rng.index(tokens - at);
                self.places.swap(at, other);
                self.places[at] as usize
            }
        }
    }
}

/// The mean matches of random summaries with one reference, for increasing lengths.
pub(crate) fn matches(matcher: &mut impl Matcher, source: &Source, lengths: &[usize], random: Random) -> Vec<Mean> {
    let mut summaries = Summaries::new(random, source.tokens.len());
    let mut sums = vec![[0_u64; 2]; lengths.len()];
    for _ in 0..random.draws {
        matcher.start();
        let mut at = 0;
        for (sum, &m) in sums.iter_mut().zip(lengths) {
            while at < m {
                let place = summaries.next(at);
                matcher.push(source.tokens[place]);
                at += 1;
            }
            let matches = u64::from(matcher.matches());
            sum[0] += matches;
            sum[1] += matches * matches;
        }
    }
    let draws = f64::from(random.draws);
    let mean = |[sum, squares]: [u64; 2]| {
        let value = sum as f64 / draws;
        let variance = (squares as f64 - sum as f64 * value).max(0.0) / (draws - 1.0);
        Mean { value, error: (variance / draws).sqrt() }
    };
    sums.into_iter().map(mean).collect()
}

/// Random summaries that several references share, as places in the source: each has `longest`
/// tokens, and stands after the one before.
pub(crate) fn places(random: Random, tokens: usize, longest: usize) -> Vec<u32> {
    let mut summaries = Summaries::new(random, tokens);
    let mut all = Vec::with_capacity(random.draws as usize * longest);
    for _ in 0..random.draws {
        all.extend((0..longest).map(|at| summaries.next(at) as u32));
    }
    all
}

/// The matches of each summary of [`places`] with one reference, for increasing lengths:
/// `[summary][length]`.
pub(crate) fn matches_of_places(
    matcher: &mut AnyMatcher,
    source: &Source,
    places: &[u32],
    lengths: &[usize],
) -> Vec<u32> {
    match matcher {
        AnyMatcher::Grams(grams) => each(grams, source, places, lengths),
        AnyMatcher::Lcs(lcs) => each(lcs, source, places, lengths),
    }
}

fn each(matcher: &mut impl Matcher, source: &Source, places: &[u32], lengths: &[usize]) -> Vec<u32> {
    let mut found = Vec::new();
    let longest = lengths.last().copied().unwrap_or(0);
    for summary in places.chunks_exact(longest.max(1)) {
        matcher.start();
        let mut at = 0;
        for &m in lengths {
            summary[at..m].iter().for_each(|&place| matcher.push(source.tokens[place as usize]));
            at = m;
            found.push(matcher.matches());
        }
    }
    found
}

/// The mean of values, and its standard error.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> Mean {
    let count = values.len() as f64;
    let value = values.clone().sum::<f64>() / count;
    let variance = values.map(|one| (one - value) * (one - value)).sum::<f64>() / (count - 1.0);
    Mean { value, error: (variance / count).sqrt() }
}

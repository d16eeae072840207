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
    let mut sums = vec![[0_u64; 2]; lengths.len()];
    draw(matcher, source, lengths, random, |place, matches| {
        let matches = u64::from(matches);
        sums[place][0] += matches;
        sums[place][1] += matches * matches;
    });
    let draws = f64::from(random.draws);
    let mean = |[sum, squares]: [u64; 2]| {
        let value = sum as f64 / draws;
        let variance = (squares as f64 - sum as f64 * value).max(0.0) / (draws - 1.0);
        Mean { value, error: (variance / draws).sqrt() }
    };
    sums.into_iter().map(mean).collect()
}

/// The matches of each random summary with one reference, for increasing lengths:
/// `[summary][length]`. The same seed gives the same summaries to other references of the document.
pub(crate) fn matches_of_each(
    matcher: &mut AnyMatcher,
    source: &Source,
    lengths: &[usize],
    random: Random,
) -> Vec<u32> {
    let mut found = Vec::with_capacity(random.draws as usize * lengths.len());
    match matcher {
        AnyMatcher::Grams(grams) => draw(grams, source, lengths, random, |_, matches| found.push(matches)),
        AnyMatcher::Lcs(lcs) => draw(lcs, source, lengths, random, |_, matches| found.push(matches)),
    }
    found
}

/// Calls `each` with the matches of each random summary at each length, summary by summary.
fn draw(
    matcher: &mut impl Matcher,
    source: &Source,
    lengths: &[usize],
    random: Random,
    mut each: impl FnMut(usize, u32),
) {
    let mut summaries = Summaries::new(random, source.tokens.len());
    for _ in 0..random.draws {
        matcher.start();
        let mut at = 0;
        for (place, &m) in lengths.iter().enumerate() {
            while at < m {
                let next = summaries.next(at);
                matcher.push(source.tokens[next]);
                at += 1;
            }
            each(place, matcher.matches());
        }
    }
}

/// The mean of values, and its standard error.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64> + Clone) -> Mean {
    let count = values.len() as f64;
    let value = values.clone().sum::<f64>() / count;
    let variance = values.map(|one| (one - value) * (one - value)).sum::<f64>() / (count - 1.0);
    Mean { value, error: (variance / count).sqrt() }
}

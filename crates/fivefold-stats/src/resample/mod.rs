//! The parts that the resampling tests share: draws for a whole family at once, exact and fast.
//!
//! A draw gives every query a small weight: 0 or 1 for a sign, the number of times drawn for a
//! bootstrap. A test needs the weighted sums of many columns. Three ideas make these sums cheap:
//!
//! - [`fixed`]: values become integers, so that sums are exact, and the same in any order and with
//!   any instruction set. Differences of two systems then follow from the sums of single systems,
//!   so 8 columns serve 28 pairs.
//! - [`weighted`]: weights are bit planes, and sums are table look-ups of eight queries and eight
//!   columns at once (the method of four Russians).
//! - [`tally`]: each draw is counted for every comparison alone, and for the step-down maximum
//!   (max-T).
//!
//! Every draw has its own generator, whose seed is derived from the draw's number. So the result
//! depends on the seed alone.

pub(crate) mod fixed;
pub(crate) mod tally;
pub(crate) mod weighted;

use fivefold_base::Seed;

use crate::error::{StatsError, check_share};

/// Settings of a test.
///
/// ```
/// use fivefold_stats::{Family, TestOptions, test};
///
/// let family = Family::of_pair(&[0.5, 0.75, 0.75], &[0.25, 0.25, 0.5])?;
/// let options = TestOptions { confidence: 0.99, ..TestOptions::default() };
/// let wide = test("t")?.run(&family, &options)?.outcomes[0].interval?;
/// let usual = test("t")?.run(&family, &TestOptions::default())?.outcomes[0].interval?;
/// assert!(wide.low < usual.low && usual.high < wide.high);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestOptions {
    /// Number of random draws of the resampling tests (B).
    pub draws: usize,
    /// The seed of the draws.
    pub seed: Seed,
    /// Confidence of the intervals.
    pub confidence: f64,
}

impl Default for TestOptions {
    /// 1,000 draws (as Sakai 2006), seed 1, 95 %.
    fn default() -> Self {
        TestOptions { draws: 1_000, seed: Seed::new(1), confidence: 0.95 }
    }
}

/// The most draws of a test. A test holds a number or the state of a generator for each draw.
///
/// ```
/// use fivefold_stats::{Family, MOST_DRAWS, StatsError, TestOptions, test};
///
/// let options = TestOptions { draws: MOST_DRAWS + 1, ..TestOptions::default() };
/// let error = test("bootstrap")?.run(&Family::of_pair(&[0.5, 0.7], &[0.4, 0.3])?, &options);
/// assert!(matches!(error, Err(StatsError::OutOfRange { what: "the number of draws", .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const MOST_DRAWS: usize = 10_000_000;

impl TestOptions {
    /// Refuses a confidence outside (0, 1).
    pub(crate) fn checked_confidence(&self) -> Result<f64, StatsError> {
        check_share("the confidence", self.confidence)?;
        Ok(self.confidence)
    }

    /// Refuses zero draws, and more than [`MOST_DRAWS`].
    pub(crate) fn checked_draws(&self) -> Result<usize, StatsError> {
        if (1..=MOST_DRAWS).contains(&self.draws) {
            return Ok(self.draws);
        }
        let range = "from 1 to 10000000";
        Err(StatsError::OutOfRange { what: "the number of draws", value: self.draws as f64, range })
    }
}

/// Draws whose weights and sums are in memory together.
pub(crate) const BATCH: usize = 1024;

/// The batches of `draws` draws, as ranges of draw numbers.
pub(crate) fn batches(draws: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..draws).step_by(BATCH).map(move |first| first..draws.min(first + BATCH))
}

/// The place, in increasing order, of a quantile of `draws` drawn statistics: the smallest that at
/// most 1 - `confidence` of the draws exceed, the observed statistic counted as a draw. `None` if
/// there are too few draws.
pub(crate) fn quantile_place(confidence: f64, draws: usize) -> Option<usize> {
    // The 1e-9 keeps .95 x 1000 from becoming 951 by rounding.
    let place = (confidence * (draws + 1) as f64 - 1e-9).ceil() as usize;
    place.checked_sub(1).filter(|&place| place < draws)
}

/// Two independent uniform numbers below `bound` from one random number, without bias. The method
/// is two multiply-shifts in a row, with a rejection about once in 2^64 / bound^2
/// (Brackett-Rozinsky & Lemire 2024).
pub(crate) fn two_below(rng: &mut fivefold_base::Rng, bound: u32) -> (usize, usize) {
    let wide = u64::from(bound);
    loop {
        let first = u128::from(rng.next_u64()) * u128::from(wide);
        let second = u128::from(first as u64) * u128::from(wide);
        let rest = second as u64;
        if rest >= wide * wide || rest >= (wide * wide).wrapping_neg() % (wide * wide) {
            return ((first >> 64) as usize, (second >> 64) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_are_uniform_and_independent() {
        let mut rng = Seed::new(3).rng();
        let mut counts = [0u32; 36];
        let n = 360_000;
        for _ in 0..n {
            let (a, b) = two_below(&mut rng, 6);
            counts[6 * a + b] += 1;
        }
        let expected = f64::from(n) / 36.0;
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(chi2 < 66.6, "chi-square with 35 degrees of freedom, 0.1 % point 66.6: {chi2}");
        assert_eq!(two_below(&mut rng, 1), (0, 0));
    }

    #[test]
    fn the_95th_of_99_draws_is_the_quantile() {
        assert_eq!(quantile_place(0.95, 99), Some(94));
        assert_eq!(quantile_place(0.95, 999), Some(949));
        assert_eq!((quantile_place(0.95, 19), quantile_place(0.95, 18)), (Some(18), None));
    }

    #[test]
    fn batches_cover_all_draws() {
        assert_eq!(batches(2500).collect::<Vec<_>>(), [0..1024, 1024..2048, 2048..2500]);
        assert!(batches(1024).eq(std::iter::once(0..1024)) && batches(0).next().is_none());
    }
}

//! Concordant, discordant and tied pairs of two score lists over the same items: the counts behind
//! Kendall's tau and the swap rate.
//!
//! Two scores tie if they differ by rounding alone: by no more than 1e-12 of the largest score of
//! their list. Cost: all pairs, n (n-1) / 2. The lists hold rankers, rarely more than a few
//! hundred.

use fivefold_base::rounding::levels;

use crate::error::{StatsError, all_finite, same_length};

/// How the pairs of items stand in two orders.
///
/// ```
/// use fivefold_stats::count_pairs;
///
/// let counts = count_pairs(&[3.0, 2.0, 1.0], &[3.0, 1.0, 2.0])?;
/// assert_eq!((counts.pairs, counts.concordant, counts.discordant), (3, 2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PairCounts {
    /// Pairs in the same order in both lists.
    pub concordant: usize,
    /// Pairs in opposite orders.
    pub discordant: usize,
    /// Pairs that tie in the first list, and perhaps in the second.
    pub tied_first: usize,
    /// Pairs that tie in the second list, and perhaps in the first.
    pub tied_second: usize,
    /// All pairs, n (n-1) / 2.
    pub pairs: usize,
}

/// Counts the pairs of two parallel score lists.
///
/// ```
/// use fivefold_stats::count_pairs;
///
/// // The first two items tie in the first list only.
/// let counts = count_pairs(&[0.5, 0.5, 0.1], &[0.9, 0.8, 0.7])?;
/// assert_eq!((counts.tied_first, counts.tied_second, counts.concordant), (1, 0, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn count_pairs(first: &[f64], second: &[f64]) -> Result<PairCounts, StatsError> {
    let n = same_length(first.len(), second.len())?;
    all_finite(first)?;
    all_finite(second)?;
    let mut counts = PairCounts::default();
    let (first, second) = (levels(first), levels(second));
    for i in 0..n {
        for j in i + 1..n {
            let (in_first, in_second) = (first[i].total_cmp(&first[j]), second[i].total_cmp(&second[j]));
            counts.pairs += 1;
            counts.tied_first += usize::from(in_first.is_eq());
            counts.tied_second += usize::from(in_second.is_eq());
            if in_first.is_ne() && in_second.is_ne() {
                if in_first == in_second {
                    counts.concordant += 1;
                } else {
                    counts.discordant += 1;
                }
            }
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        // Pairs of (1, 2), (2, 1), (2, 3), (2, 3): 01 discordant, 02 03 concordant, 12 13 tied in
        // the first, 23 in both.
        let counts = count_pairs(&[1.0, 2.0, 2.0, 2.0], &[2.0, 1.0, 3.0, 3.0]).unwrap();
        assert_eq!(counts, PairCounts { concordant: 2, discordant: 1, tied_first: 3, tied_second: 1, pairs: 6 });
        assert_eq!(count_pairs(&[], &[]).unwrap(), PairCounts::default());
        assert_eq!(count_pairs(&[0.0], &[5.0]).unwrap().pairs, 0);
        // The difference of two numbers that are not equal is never 0 (gradual underflow).
        assert_eq!(count_pairs(&[f64::MIN_POSITIVE, 0.0], &[5e-324, 0.0]).unwrap().concordant, 1);
    }

    #[test]
    fn rounding_parts_no_pair() {
        let sums = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1];
        assert_ne!(sums[0], sums[1]);
        let counts = count_pairs(&sums, &[1.0, 2.0]).unwrap();
        assert_eq!(counts, PairCounts { tied_first: 1, pairs: 1, ..PairCounts::default() });
    }

    #[test]
    fn refuses_nan() {
        let error = count_pairs(&[1.0, 2.0], &[0.0, f64::NAN]).unwrap_err();
        assert!(matches!(error, StatsError::NotFinite { position: 1, .. }));
        assert!(error.to_string().starts_with("value 2 of the list is NaN"));
    }
}

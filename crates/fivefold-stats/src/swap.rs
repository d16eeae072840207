//! Swap rate between two orders: the share of pairs of items that stand in opposite orders.
//!
//! `swap = D / P`, with D discordant pairs among P = n (n-1) / 2 (Feng & Karmaker 2023, sec. 5;
//! .107 = 3/28 for eight methods). A pair that ties in a list is no swap but counts in P. Sakai's
//! swap method, which splits the queries into random halves, is in
//! [`swap_method`](mod@crate::swap_method).

use crate::error::StatsError;
use crate::order::count_pairs;

/// The swap rate of two parallel score lists; `None` for fewer than two items.
///
/// ```
/// use fivefold_stats::swap_rate;
///
/// // One of three pairs is swapped.
/// assert_eq!(swap_rate(&[0.9, 0.5, 0.1], &[0.5, 0.9, 0.1])?, Some(1.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn swap_rate(first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
    let counts = count_pairs(first, second)?;
    Ok((counts.pairs > 0).then(|| counts.discordant as f64 / counts.pairs as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_share_of_discordant_pairs() {
        let first = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        let second = [1.0, 2.0, 3.0, 4.0, 8.0, 5.0, 6.0, 7.0];
        assert_eq!(swap_rate(&first, &second).unwrap(), Some(3.0 / 28.0));
        assert_eq!(swap_rate(&first, &first).unwrap(), Some(0.0));
        // Of three pairs, one is tied in the first list, one is swapped and one is kept.
        assert_eq!(swap_rate(&[1.0, 1.0, 2.0], &[3.0, 1.0, 2.0]).unwrap(), Some(1.0 / 3.0));
        assert_eq!(swap_rate(&[1.0], &[1.0]).unwrap(), None);
    }
}

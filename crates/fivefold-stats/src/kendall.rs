//! Kendall's tau-b between two orders of the same items.
//!
//! `tau_b = (C - D) / sqrt((P - T1)(P - T2))` over P = n (n-1) / 2 pairs: C are concordant, D
//! discordant, T1 tied in the first list and T2 tied in the second (Kendall 1945). Without ties,
//! tau-b is `1 - 2 D / P`. Cost: n^2 / 2.

use crate::error::StatsError;
use crate::order::count_pairs;

/// Tau-b of two parallel score lists. `None` if a list has no order (all scores tie, or fewer than
/// two items).
///
/// ```
/// use fivefold_stats::kendall_tau_b;
///
/// // One of three pairs is in the other order: (2 - 1) / 3.
/// assert_eq!(kendall_tau_b(&[0.9, 0.5, 0.1], &[0.5, 0.9, 0.1])?, Some(1.0 / 3.0));
/// assert_eq!(kendall_tau_b(&[0.9, 0.5], &[0.2, 0.2])?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn kendall_tau_b(first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
    let counts = count_pairs(first, second)?;
    let (untied_first, untied_second) = (counts.pairs - counts.tied_first, counts.pairs - counts.tied_second);
    if untied_first == 0 || untied_second == 0 {
        return Ok(None);
    }
    let difference = counts.concordant as f64 - counts.discordant as f64;
    // A single square root of the product gives exactly 1 for equal orders, with or without ties.
    Ok(Some(difference / (untied_first as f64 * untied_second as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // scipy 1.17: from scipy import stats; stats.kendalltau(x, y).statistic
    #[test]
    fn agrees_with_scipy() {
        let cases: [(&[f64], &[f64], f64); 4] = [
            (&[1.0, 0.0, 0.0], &[0.0, 0.0, 1.0], -0.5),
            (&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 3.0, 5.0, 4.0], 0.8),
            (&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0], -0.4714045207910316),
            (&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0], &[1.0, 2.0, 1.0, 3.0, 3.0, 2.0, 4.0, 5.0], 0.6940220937885673),
        ];
        for (first, second, tau) in cases {
            assert!((kendall_tau_b(first, second).unwrap().unwrap() - tau).abs() < 1e-15);
        }
    }

    #[test]
    fn equal_orders_give_exactly_one_and_no_order_gives_none() {
        let scores = [0.3, 0.1, 0.3, 0.9, 0.2, 0.2];
        assert_eq!(kendall_tau_b(&scores, &scores).unwrap(), Some(1.0));
        let reversed: Vec<f64> = scores.iter().map(|s| -s).collect();
        assert_eq!(kendall_tau_b(&scores, &reversed).unwrap(), Some(-1.0));
        assert_eq!(kendall_tau_b(&[1.0, 1.0], &[1.0, 2.0]).unwrap(), None);
        assert_eq!(kendall_tau_b(&[1.0, 2.0], &[3.0, 3.0]).unwrap(), None);
        assert_eq!(kendall_tau_b(&[1.0], &[1.0]).unwrap(), None);
    }
}

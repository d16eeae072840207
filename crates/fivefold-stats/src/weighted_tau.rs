//! Weighted tau: Kendall's tau in which the weight of a pair depends on the ranks of its items.
//!
//! tau = <x, y> / sqrt(<x, x> <y, y>), where <x, y> = sum over pairs of sgn(x_i - x_j) sgn(y_i -
//! y_j) w_ij. The weight of the pair (i, j) is w_ij = 1/(r_i + 1) + 1/(r_j + 1), where rank r = 0
//! is best: additive hyperbolic (Vigna, WWW 2015). The ranks can come from the first list (the
//! second breaks ties) or from the second (the first breaks ties). No list is the true order, so
//! the result is the mean of the two values, as by default in `scipy.stats.weightedtau`. Cost: N^2.

use fivefold_base::rounding::levels;

use crate::error::{StatsError, all_finite, same_length};

/// Weighted tau of two parallel score lists, high is best. `None` if either list has no order (all
/// scores tie, or fewer than two items).
///
/// ```
/// use fivefold_stats::weighted_tau;
///
/// // An exchange at the top costs more than one at the end.
/// let order = [0.9, 0.5, 0.3, 0.1];
/// let top = weighted_tau(&order, &[0.5, 0.9, 0.3, 0.1])?;
/// let end = weighted_tau(&order, &[0.9, 0.5, 0.1, 0.3])?;
/// assert!(top < end && end < Some(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn weighted_tau(first: &[f64], second: &[f64]) -> Result<Option<f64>, StatsError> {
    same_length(first.len(), second.len())?;
    all_finite(first)?;
    all_finite(second)?;
    let (first, second) = (&levels(first)[..], &levels(second)[..]);
    let by_first = with_ranks(first, second, &ranks(first, second));
    let by_second = with_ranks(first, second, &ranks(second, first));
    Ok(by_first.zip(by_second).map(|(a, b)| (a + b) / 2.0))
}

/// Ranks from 0 by decreasing value; the other list breaks ties.
fn ranks(values: &[f64], others: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(others[b].total_cmp(&others[a])));
    let mut ranks = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, &item)| ranks[item] = rank);
    ranks
}

fn with_ranks(first: &[f64], second: &[f64], ranks: &[usize]) -> Option<f64> {
    let weight = |item: usize| 1.0 / (ranks[item] + 1) as f64;
    let sign = |a: f64, b: f64| f64::from(i8::from(a > b) - i8::from(a < b));
    let (mut product, mut in_first, mut in_second) = (0.0, 0.0, 0.0);
    for i in 0..first.len() {
        for j in i + 1..first.len() {
            let w = weight(i) + weight(j);
            let (x, y) = (sign(first[i], first[j]), sign(second[i], second[j]));
            product += x * y * w;
            in_first += x * x * w;
            in_second += y * y * w;
        }
    }
    (in_first > 0.0 && in_second > 0.0).then(|| product / (in_first * in_second).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes() {
        let scores = [0.3, 0.1, 0.3, 0.9, 0.2];
        assert!((weighted_tau(&scores, &scores).unwrap().unwrap() - 1.0).abs() < 1e-15);
        let reversed = scores.map(|score| -score);
        assert!((weighted_tau(&scores, &reversed).unwrap().unwrap() + 1.0).abs() < 1e-15);
        assert_eq!(weighted_tau(&[1.0, 1.0], &[1.0, 2.0]), Ok(None));
        assert_eq!(weighted_tau(&[], &[]), Ok(None));
    }

    /// Two items: one pair, whatever its weight. Three items, by hand: x = 3 2 1, y = 3 1 2, the
    /// same ranks except for the last two items.
    #[test]
    fn by_hand() {
        assert_eq!(weighted_tau(&[2.0, 1.0], &[1.0, 2.0]).unwrap(), Some(-1.0));
        // Weights 1, 1/2, 1/3: pairs 3/2, 4/3, 5/6; the last is discordant: (3/2 + 4/3 - 5/6) /
        // (11/3) = 6/11.
        let found = weighted_tau(&[3.0, 2.0, 1.0], &[3.0, 1.0, 2.0]).unwrap().unwrap();
        assert!((found - 6.0 / 11.0).abs() < 1e-15, "{found}");
    }
}

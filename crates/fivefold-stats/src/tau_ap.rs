//! tau-AP: a rank correlation in which the top of the order counts most.
//!
//! `tau_AP = 2 / (N-1) sum_{i=2..N} C(i) / (i-1) - 1`. C(i) counts the items above rank i that the
//! reference order, too, puts above the item at rank i (Yilmaz, Aslam & Robertson, SIGIR 2008). The
//! value is not symmetric, so the reference is an argument of its own.
//!
//! With ties, in either list, the value is the mean over all orders of the tied items (tau_AP,a of
//! Urbano & Marrero, ICTIR 2017), in closed form. In a group of t items after a others, each place
//! has the group's mean of concordant items above it. A pair within the group, or tied in the
//! reference, counts half. Cost: N^2.

use fivefold_base::rounding::levels;

use crate::error::{StatsError, all_finite, same_length};

/// tau-AP of the order of `scores` against the order of `reference`, high to low. `None` if either
/// list has no order (all scores tie, or fewer than two items).
///
/// ```
/// use fivefold_stats::tau_ap;
///
/// // The first two of three items are exchanged: C = 0, 2, so 2 / 2 x (0 / 1 + 2 / 2) - 1.
/// assert_eq!(tau_ap(&[0.9, 0.8, 0.1], &[0.8, 0.9, 0.1])?, Some(0.0));
/// // The last two: 2 / 2 x (1 / 1 + 1 / 2) - 1.
/// assert_eq!(tau_ap(&[0.9, 0.8, 0.1], &[0.9, 0.1, 0.8])?, Some(0.5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] and [`StatsError::NotFinite`].
pub fn tau_ap(scores: &[f64], reference: &[f64]) -> Result<Option<f64>, StatsError> {
    let n = same_length(scores.len(), reference.len())?;
    all_finite(scores)?;
    all_finite(reference)?;
    let (scores, reference) = (&levels(scores)[..], &levels(reference)[..]);
    let tied = |values: &[f64]| values.windows(2).all(|pair| pair[0] == pair[1]);
    if tied(scores) || tied(reference) {
        return Ok(None);
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let mut sum = 0.0;
    let mut above = 0;
    for group in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let agreement = |&item: &usize| -> f64 {
            let with = |&other: &usize| match reference[other].total_cmp(&reference[item]) {
                _ if reference[other] == reference[item] => 0.5,
                std::cmp::Ordering::Greater => 1.0,
                _ => 0.0,
            };
            order[..above].iter().map(with).sum()
        };
        let mean = group.iter().map(agreement).sum::<f64>() / group.len() as f64;
        for before in 0..group.len() {
            let place = above + before;
            if place > 0 {
                sum += (mean + before as f64 / 2.0) / place as f64;
            }
        }
        above += group.len();
    }
    Ok(Some(2.0 * sum / (n - 1) as f64 - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition for orders without ties: the ranks of the items in the order, best first.
    fn definition(order: &[usize], rank_in_reference: &[usize]) -> f64 {
        let n = order.len();
        let share = |i: usize| {
            let above = order[..i].iter().filter(|&&o| rank_in_reference[o] < rank_in_reference[order[i]]).count();
            above as f64 / i as f64
        };
        2.0 * (1..n).map(share).sum::<f64>() / (n - 1) as f64 - 1.0
    }

    fn orders(items: Vec<usize>) -> Vec<Vec<usize>> {
        if items.is_empty() {
            return vec![Vec::new()];
        }
        let first = |i: usize| {
            let mut rest = items.clone();
            let item = rest.remove(i);
            orders(rest).into_iter().map(move |rest| [vec![item], rest].concat())
        };
        (0..items.len()).flat_map(first).collect()
    }

    /// All orders that sort the values from high to low.
    fn sorted_orders(values: &[f64]) -> Vec<Vec<usize>> {
        let all = orders((0..values.len()).collect());
        all.into_iter().filter(|o| o.windows(2).all(|w| values[w[0]] >= values[w[1]])).collect()
    }

    #[test]
    fn ties_are_the_mean_over_all_their_orders() {
        let lists = [
            [5.0, 4.0, 3.0, 2.0, 1.0],
            [1.0, 2.0, 3.0, 4.0, 5.0],
            [2.0, 2.0, 1.0, 5.0, 1.0],
            [3.0, 1.0, 1.0, 1.0, 2.0],
            [0.0, 0.0, 0.0, 0.0, 1.0],
        ];
        for scores in &lists {
            for reference in &lists {
                let (mut sum, mut count) = (0.0, 0.0);
                for order in sorted_orders(scores) {
                    for by_reference in sorted_orders(reference) {
                        let mut rank = [0; 5];
                        by_reference.iter().enumerate().for_each(|(place, &item)| rank[item] = place);
                        sum += definition(&order, &rank);
                        count += 1.0;
                    }
                }
                let found = tau_ap(scores, reference).unwrap().unwrap();
                assert!((found - sum / count).abs() < 1e-12, "{scores:?} {reference:?}: {found} for {}", sum / count);
            }
        }
    }

    #[test]
    fn errors_at_the_top_cost_more_and_the_reference_matters() {
        let reference = [4.0, 3.0, 2.0, 1.0];
        // By hand: order b a c d: C/(i-1) = 0, 1, 1; order a b d c: 1, 1, 2/3.
        let close = |found: Result<Option<f64>, StatsError>, expected: f64| {
            assert!((found.unwrap().unwrap() - expected).abs() < 1e-15);
        };
        close(tau_ap(&[3.0, 4.0, 2.0, 1.0], &reference), 2.0 / 3.0 * 2.0 - 1.0);
        close(tau_ap(&[4.0, 3.0, 1.0, 2.0], &reference), 2.0 / 3.0 * (2.0 + 2.0 / 3.0) - 1.0);
        let (a, b) = ([4.0, 1.0, 3.0, 2.0], [3.0, 4.0, 2.0, 1.0]);
        assert_ne!(tau_ap(&a, &b), tau_ap(&b, &a));
        assert_eq!(tau_ap(&[1.0, 1.0], &[1.0, 2.0]), Ok(None));
        assert_eq!(tau_ap(&[1.0], &[1.0]), Ok(None));
        assert!(tau_ap(&[1.0], &[1.0, 2.0]).is_err());
    }
}

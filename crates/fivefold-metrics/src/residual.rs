//! The sums of the study `residual`: what a ranking adds to rankings that the user has seen.
//!
//! Positions count from 0. `seen[position]` is the probability that the user sees a position; 0 at
//! the positions beyond. `gains[document]` is the gain that is left of a judged document; a
//! document without a judgement has no gain. The formulas are in the study.

/// Takes from the gains what the user has seen in a ranking, best document first.
///
/// ```
/// let mut gains = [1.0, 3.0];
/// fivefold_metrics::residual::see(&mut gains, &[1, 7], &[0.5, 0.25]);
/// assert_eq!(gains, [1.0, 1.5]);
/// ```
pub fn see(gains: &mut [f64], ranking: &[u32], seen: &[f64]) {
    for (&document, seen) in ranking.iter().zip(seen) {
        if let Some(gain) = gains.get_mut(document as usize) {
            *gain *= 1.0 - seen;
        }
    }
}

/// The gain of a ranking: the sum of gain x seen.
///
/// ```
/// assert_eq!(fivefold_metrics::residual::gain(&[1.0, 3.0], &[1, 7, 0], &[1.0, 0.5, 0.25]), 3.25);
/// ```
pub fn gain(gains: &[f64], ranking: &[u32], seen: &[f64]) -> f64 {
    let gain_of = |document: u32| gains.get(document as usize).copied().unwrap_or(0.0);
    ranking.iter().zip(seen).map(|(&document, seen)| gain_of(document) * seen).sum()
}

/// The gain of the ideal ranking: all judged documents by falling gain.
///
/// ```
/// assert_eq!(fivefold_metrics::residual::ideal_gain(&[1.0, 0.0, 3.0], &[1.0, 0.5]), 3.5);
/// ```
pub fn ideal_gain(gains: &[f64], seen: &[f64]) -> f64 {
    let mut left: Vec<f64> = gains.iter().copied().filter(|&gain| gain > 0.0).collect();
    left.sort_unstable_by(|a, b| b.total_cmp(a));
    left.iter().zip(seen).map(|(gain, seen)| gain * seen).sum()
}

//! The range in which a statistic of printed scores can lie. Scores were cut off (towards 0) or
//! rounded when they were printed. Let u be the unit of the last printed digit. If scores were cut
//! off, the true value of a printed score `s` was in `[s, s + u)`, or in `(s - u, s]` if negative.
//! If scores were rounded, it was in `[s - u/2, s + u/2]`. A mean of such scores has the same
//! range.

use fivefold_stats::{PadDenominator, pad};

/// The most that floating point adds to a difference of decimals.
pub(super) const FLOAT_SLACK: f64 = 1e-9;

/// The lowest and the highest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub low: f64,
    pub high: f64,
}

/// Scores of the methods, and the unit of their last printed digit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printed<'a> {
    pub scores: &'a [f64],
    pub unit: f64,
}

impl Printed<'_> {
    /// The sign of the difference of two scores; `None` if the printed digits do not decide it.
    fn order(&self, a: usize, b: usize) -> Option<bool> {
        let difference = self.scores[a] - self.scores[b];
        (difference.abs() > self.unit - FLOAT_SLACK).then_some(difference > 0.0)
    }
}

/// The fewest and the most pairs of methods in opposite orders. Each pair is judged alone, although
/// three methods cannot each stand above the next. So the numbers are bounds.
pub(super) fn discordant(first: Printed<'_>, second: Printed<'_>) -> (usize, usize) {
    let (mut sure, mut possible) = (0, 0);
    for a in 0..first.scores.len() {
        for b in a + 1..first.scores.len() {
            match (first.order(a, b), second.order(a, b)) {
                (Some(one), Some(other)) => sure += usize::from(one != other),
                _ => possible += 1,
            }
        }
    }
    (sure, sure + possible)
}

/// The range of PAD by the signed maximum. `None` if a denominator can be 0, since PAD then can be
/// any number.
pub(super) fn of_pad(printed: Printed<'_>) -> Option<Bounds> {
    let Printed { scores, unit } = printed;
    let cut = |score: &f64| {
        let below = if *score > 0.0 { 0.0 } else { unit };
        let above = if *score < 0.0 { 0.0 } else { unit };
        (score - below, score + above)
    };
    let rounded = |score: &f64| (score - unit / 2.0, score + unit / 2.0);
    let mut bounds: Option<Bounds> = None;
    for ends in [scores.iter().map(cut).collect::<Vec<_>>(), scores.iter().map(rounded).collect()] {
        let pole = |(a, b): (&(f64, f64), &(f64, f64))| a.0.max(b.0) <= 0.0 && a.1.max(b.1) >= 0.0;
        if ends.iter().enumerate().any(|(at, a)| ends[at + 1..].iter().any(|b| pole((a, b)))) {
            return None;
        }
        let (low, high) = (extreme(scores, &ends, -1.0)?, extreme(scores, &ends, 1.0)?);
        bounds = Some(bounds.map_or(Bounds { low, high }, |b| Bounds { low: b.low.min(low), high: b.high.max(high) }));
    }
    bounds
}

/// The highest PAD (times `sign`) within the ends of the scores, to a thousandth of a point. The
/// search starts at the printed scores, at all low ends and at all high ends.
fn extreme(scores: &[f64], ends: &[(f64, f64)], sign: f64) -> Option<f64> {
    let (low, high): (Vec<f64>, Vec<f64>) = ends.iter().copied().unzip();
    let found: Option<Vec<f64>> =
        [scores, &low, &high].map(|start| climb(start.to_vec(), ends, sign)).into_iter().collect();
    Some(sign * found?.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// Moves one score at a time until no move helps. A score moves to its ends, and to the other
/// scores, at which PAD has a corner.
fn climb(mut own: Vec<f64>, ends: &[(f64, f64)], sign: f64) -> Option<f64> {
    let value = |scores: &[f64]| Some(sign * pad(scores, PadDenominator::Signed).ok()?.percent?);
    let mut best = value(&own)?;
    loop {
        let before = best;
        for at in 0..own.len() {
            let (low, high) = ends[at];
            let candidates: Vec<f64> =
                own.iter().copied().chain([low, high]).filter(|v| (low..=high).contains(v)).collect();
            for candidate in candidates {
                let kept = std::mem::replace(&mut own[at], candidate);
                match value(&own) {
                    Some(found) if found > best => best = found,
                    _ => own[at] = kept,
                }
            }
        }
        if best <= before {
            return Some(best);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(scores: &[f64], unit: f64) -> Printed<'_> {
        Printed { scores, unit }
    }

    #[test]
    fn close_scores_leave_their_order_open() {
        let (first, second) = ([0.411, 0.4115, 0.3], [0.42, 0.41, 0.43]);
        // The order of pair 01 is open in the first list. The pairs 02 and 12 have opposite orders
        // in the two lists.
        assert_eq!(discordant(printed(&first, 0.001), printed(&second, 0.01)), (2, 3));
        assert_eq!(discordant(printed(&first, 0.0001), printed(&second, 0.001)), (3, 3));
        // The printed scores differ by a whole unit. So the true scores are in this order, whether
        // they were cut off or rounded.
        assert_eq!(discordant(printed(&[0.1, 0.2], 0.1), printed(&[0.2, 0.1], 0.1)), (1, 1));
    }

    /// Compares with every point of a grid, for cut-off and for rounded scores.
    #[test]
    fn bounds_of_pad_hold_all_scores_that_print_so() {
        for scores in [[0.011, 0.012, 0.011], [0.3, 0.5, 0.4], [0.002, 0.9, 0.0021]] {
            let unit = 0.001;
            let bounds = of_pad(printed(&scores, unit)).unwrap();
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for start in [0.0, -unit / 2.0] {
                let step = |of: u32, at: usize| scores[at] + start + unit * f64::from(of) / 20.0;
                for point in 0..21 * 21 * 21 {
                    let own = [step(point % 21, 0), step(point / 21 % 21, 1), step(point / 441, 2)];
                    let found = pad(&own, PadDenominator::Signed).unwrap().percent.unwrap();
                    (low, high) = (low.min(found), high.max(found));
                }
            }
            assert!(bounds.low <= low + 1e-3 && bounds.high >= high - 1e-3, "{bounds:?} for {low} to {high}");
            assert!(bounds.low >= low - 0.02 && bounds.high <= high + 0.02, "{bounds:?} for {low} to {high}");
        }
        // .2001, .3001 and -.0119, cut off.
        let cut = of_pad(printed(&[0.2, 0.3, -0.011], 0.001)).unwrap();
        let own = pad(&[0.2001, 0.3001, -0.0119], PadDenominator::Signed).unwrap().percent.unwrap();
        assert!(cut.low <= own && own <= cut.high, "{cut:?} {own}");
        // If the maximum can be 0, PAD can have any value.
        assert_eq!(of_pad(printed(&[-0.2, 0.0004, -0.1], 0.001)), None);
        assert!(of_pad(printed(&[-0.2, -0.3, -0.1], 0.001)).is_some());
    }
}

//! Whether two evaluations lead to the same conclusions.
//!
//! Both evaluations are of the same systems. Each gives a mean for each system and a p-value for
//! each pair. A pair falls into one of six classes (Moffat, Scholer & Thomas, ADCS 2012):
//! - active: both evaluations find the pair significant; mixed: a single evaluation does; passive:
//!   neither does;
//! - disagreement: the two tests favour opposite systems; agreement: any other case.
//!
//! The test says which system it favours, which need not be the system with the higher mean. A test
//! that favours neither system contradicts nothing. Cost: all pairs.

use std::cmp::Ordering;

use fivefold_base::rounding::{highest, levels};

use crate::error::{StatsError, all_finite, same_length};

/// The conclusions of one evaluation.
///
/// ```
/// use std::cmp::Ordering::{Equal, Greater};
///
/// use fivefold_stats::{Conclusions, agreement};
///
/// // Three systems are three pairs: (0, 1), (0, 2), (1, 2). The test of the last one is undefined.
/// let found = Conclusions {
///     means: &[0.5, 0.4, 0.4],
///     p_values: &[Some(0.01), Some(0.2), None],
///     favours: &[Greater, Greater, Equal],
/// };
/// let with_itself = agreement(found, found, 0.05)?;
/// assert_eq!((with_itself.active_agreements, with_itself.passive_agreements), (1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Conclusions<'a> {
    /// Mean of each system.
    pub means: &'a [f64],
    /// p-value of each pair, corrected or not. The pairs stand in the order (0, 1), (0, 2), .., (1,
    /// 2), ... `None` if the test is undefined; such a pair is not significant.
    pub p_values: &'a [Option<f64>],
    /// Which system of each pair the test favours: `Greater` for the first system.
    pub favours: &'a [Ordering],
}

/// How the conclusions of two evaluations agree.
///
/// ```
/// use std::cmp::Ordering::Greater;
///
/// use fivefold_stats::{Conclusions, agreement};
///
/// let one = Conclusions { means: &[0.5, 0.4], p_values: &[Some(0.01)], favours: &[Greater] };
/// let other = Conclusions { p_values: &[Some(0.2)], ..one };
/// let found = agreement(one, other, 0.05)?;
/// assert!(found.same_winner && found.same_order && !found.same_significant);
/// assert_eq!(found.mixed_agreements, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Agreement {
    /// Whether the same systems have the highest mean.
    pub same_winner: bool,
    /// Whether every pair stands in the same order of means, ties included.
    pub same_order: bool,
    /// Whether the same pairs are significant.
    pub same_significant: bool,
    /// Pairs that are significant in both evaluations, without a contradiction.
    pub active_agreements: usize,
    /// Pairs that are significant in both evaluations, for opposite systems.
    pub active_disagreements: usize,
    /// Pairs that are significant in a single evaluation, without a contradiction.
    pub mixed_agreements: usize,
    /// Pairs that are significant in a single evaluation, while the other evaluation favours the
    /// opposite system.
    pub mixed_disagreements: usize,
    /// Pairs that are significant in neither evaluation, without a contradiction.
    pub passive_agreements: usize,
    /// Pairs that are significant in neither evaluation, where the tests favour opposite systems.
    pub passive_disagreements: usize,
}

/// Compares the conclusions of two evaluations at a level alpha.
///
/// ```
/// use std::cmp::Ordering::{Greater, Less};
///
/// use fivefold_stats::{Conclusions, agreement};
///
/// let one = Conclusions { means: &[0.5, 0.4], p_values: &[Some(0.01)], favours: &[Greater] };
/// let other = Conclusions { means: &[0.3, 0.4], p_values: &[Some(0.03)], favours: &[Less] };
/// // Both find the pair significant, in opposite order.
/// assert_eq!(agreement(one, other, 0.05)?.active_disagreements, 1);
/// // At a lower level only the first does.
/// assert_eq!(agreement(one, other, 0.02)?.mixed_disagreements, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`] if the evaluations differ in their number of systems or pairs;
/// [`StatsError::NotFinite`]; [`StatsError::TooFew`] without a system.
pub fn agreement(first: Conclusions<'_>, second: Conclusions<'_>, alpha: f64) -> Result<Agreement, StatsError> {
    let systems = same_length(first.means.len(), second.means.len())?;
    if systems == 0 {
        return Err(StatsError::TooFew { found: 0, needed: 1 });
    }
    let pairs = systems * (systems - 1) / 2;
    for evaluation in [first, second] {
        all_finite(evaluation.means)?;
        same_length(pairs, evaluation.p_values.len())?;
        same_length(pairs, evaluation.favours.len())?;
    }
    let mut found = Agreement { same_winner: highest(first.means) == highest(second.means), ..Agreement::default() };
    (found.same_order, found.same_significant) = (true, true);
    let mut pair = 0;
    let levels = [first, second].map(|evaluation| levels(evaluation.means));
    for i in 0..systems {
        for j in i + 1..systems {
            let [one, two] = [first, second]
                .map(|evaluation| (evaluation.favours[pair], evaluation.p_values[pair].is_some_and(|p| p < alpha)));
            pair += 1;
            let [by_first, by_second] = [0, 1].map(|at: usize| levels[at][i].total_cmp(&levels[at][j]));
            found.same_order &= by_first == by_second;
            found.same_significant &= one.1 == two.1;
            let opposite = one.0 != two.0 && one.0.is_ne() && two.0.is_ne();
            let class = match (one.1 as usize + two.1 as usize, opposite) {
                (2, false) => &mut found.active_agreements,
                (2, true) => &mut found.active_disagreements,
                (1, false) => &mut found.mixed_agreements,
                (1, true) => &mut found.mixed_disagreements,
                (_, false) => &mut found.passive_agreements,
                (_, true) => &mut found.passive_disagreements,
            };
            *class += 1;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::*;

    #[test]
    fn pairs_are_classed_by_hand() {
        // Pairs 01 02 03 12 13 23.
        let first = Conclusions {
            means: &[4.0, 3.0, 2.0, 2.0],
            favours: &[Greater, Greater, Greater, Greater, Greater, Equal],
            p_values: &[Some(0.01), Some(0.01), Some(0.2), Some(0.3), None, Some(1.0)],
        };
        let second = Conclusions {
            means: &[3.0, 4.0, 2.5, 3.5],
            favours: &[Less, Greater, Less, Greater, Greater, Less],
            p_values: &[Some(0.01), Some(0.04), Some(0.01), Some(0.01), Some(0.9), Some(0.2)],
        };
        let found = agreement(first, second, 0.05).unwrap();
        let expected = Agreement {
            active_disagreements: 1, // 01
            active_agreements: 1,    // 02
            mixed_disagreements: 1,  // 03
            mixed_agreements: 1,     // 12
            passive_agreements: 2,   // 13, and 23 which ties in the first
            ..Agreement::default()
        };
        assert_eq!(found, expected);
        let same = agreement(first, first, 0.05).unwrap();
        assert!(same.same_winner && same.same_order && same.same_significant);
        assert_eq!((same.active_agreements, same.passive_agreements), (2, 4));
        assert!(agreement(first, Conclusions { means: &[1.0], p_values: &[], favours: &[] }, 0.05).is_err());
        assert!(agreement(first, Conclusions { p_values: &[], ..first }, 0.05).is_err());
        assert!(agreement(first, Conclusions { favours: &[], ..first }, 0.05).is_err());
    }
}

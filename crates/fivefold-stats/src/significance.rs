//! Discriminative power of a measure, and conflicts of two measures.
//!
//! Input is the p-value of every comparison, which is a pair of methods at a cutoff. `None` marks a
//! comparison that could not be tested; such a comparison is not significant. A comparison is
//! significant if p < alpha.
//!
//! - Discriminative power: number of significant comparisons (Sakai, SIGIR 2006; Feng & Karmaker
//!   2023, Table 9).
//! - Conflicts: comparisons that are significant under exactly one of two measures (Feng & Karmaker
//!   2023, Table 8). Their number is at least the difference of the two powers, and has the same
//!   parity. By this rule [`check_conflicts`] finds printed numbers that cannot be right.
//! - Achieved significance levels: all p-values in order, drawn as a curve. The lower the curve,
//!   the more systems a measure tells apart (Sakai, SIGIR 2006, Fig. 3).

use fivefold_base::words::counted;

use crate::error::{StatsError, same_length};

/// Number of comparisons with p < alpha.
///
/// ```
/// use fivefold_stats::discriminative_power;
///
/// // Below the level, not at it; an undefined comparison is not significant.
/// assert_eq!(discriminative_power(&[Some(0.01), Some(0.05), None], 0.05), 1);
/// ```
pub fn discriminative_power(p_values: &[Option<f64>], alpha: f64) -> usize {
    p_values.iter().filter(|p| significant(p, alpha)).count()
}

/// Number of comparisons with p < alpha under one measure and not under the other.
///
/// ```
/// use fivefold_stats::conflicts;
///
/// let (first, second) = ([Some(0.01), Some(0.2), None], [Some(0.03), Some(0.04), Some(0.5)]);
/// assert_eq!(conflicts(&first, &second, 0.05)?, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::LengthMismatch`].
pub fn conflicts(first: &[Option<f64>], second: &[Option<f64>], alpha: f64) -> Result<usize, StatsError> {
    same_length(first.len(), second.len())?;
    Ok(first.iter().zip(second).filter(|(a, b)| significant(a, alpha) != significant(b, alpha)).count())
}

/// The reason why printed powers and conflicts cannot belong together.
///
/// ```
/// use fivefold_stats::{ConflictFlaw, check_conflicts};
///
/// // 9 and 5 significant comparisons differ in 4 at the least.
/// let flaw = check_conflicts(9, 5, 3, 20).unwrap_err();
/// assert_eq!(flaw, ConflictFlaw::TooFew { conflicts: 3, least: 4 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConflictFlaw {
    /// A power that exceeds the number of comparisons.
    #[error("{} of only {comparisons}", counted(*power, "significant comparison"))]
    Power {
        /// The printed power.
        power: usize,
        /// The number of comparisons.
        comparisons: usize,
    },
    /// Fewer conflicts than the difference of the powers.
    #[error("{}, but the discriminative powers alone differ by {least}", counted(*conflicts, "conflict"))]
    TooFew {
        /// The printed conflicts.
        conflicts: usize,
        /// The difference of the powers.
        least: usize,
    },
    /// More conflicts than the powers allow.
    #[error("{}, but the discriminative powers allow at most {most}", counted(*conflicts, "conflict"))]
    TooMany {
        /// The printed conflicts.
        conflicts: usize,
        /// The most conflicts that the powers allow.
        most: usize,
    },
    /// An odd number of conflicts if the sum of the powers is even, or an even number if it is odd.
    #[error(
        "the number of conflicts, {conflicts}, is {}, but the difference of the discriminative powers, {least}, is {}",
        parity(*conflicts),
        parity(*least)
    )]
    Parity {
        /// The printed conflicts.
        conflicts: usize,
        /// The difference of the powers.
        least: usize,
    },
}

fn parity(number: usize) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

/// Checks whether two discriminative powers and a number of conflicts can belong together. If c
/// comparisons are significant under both measures, conflicts = first + second - 2 c.
///
/// ```
/// use fivefold_stats::check_conflicts;
///
/// // One conflict more changes the difference of the two powers by one, so that its parity is known.
/// assert!(check_conflicts(9, 5, 6, 20).is_ok());
/// assert!(check_conflicts(9, 5, 7, 20).is_err());
/// ```
///
/// # Errors
/// The reason why the numbers cannot belong together.
pub fn check_conflicts(first: usize, second: usize, conflicts: usize, comparisons: usize) -> Result<(), ConflictFlaw> {
    let power = first.max(second);
    if power > comparisons {
        return Err(ConflictFlaw::Power { power, comparisons });
    }
    let least = first.abs_diff(second);
    let most = (first + second).min(2 * comparisons - first - second);
    if conflicts < least {
        Err(ConflictFlaw::TooFew { conflicts, least })
    } else if conflicts > most {
        Err(ConflictFlaw::TooMany { conflicts, most })
    } else if (conflicts - least) % 2 == 1 {
        Err(ConflictFlaw::Parity { conflicts, least })
    } else {
        Ok(())
    }
}

/// The achieved significance levels of all comparisons, from the highest to the lowest.
///
/// ```
/// use fivefold_stats::asl_curve;
///
/// let curve = asl_curve(&[Some(0.25), None, Some(0.5)]);
/// assert_eq!((curve.p_values, curve.undefined), (vec![0.5, 0.25], 1));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AslCurve {
    /// The p-values, decreasing.
    pub p_values: Vec<f64>,
    /// Number of comparisons without a p-value, which are left out.
    pub undefined: usize,
}

/// Sorts the p-values of all comparisons into a curve.
///
/// ```
/// use fivefold_stats::asl_curve;
///
/// assert_eq!(asl_curve(&[Some(0.01), Some(0.9), Some(0.2)]).p_values, [0.9, 0.2, 0.01]);
/// ```
pub fn asl_curve(p_values: &[Option<f64>]) -> AslCurve {
    let mut defined: Vec<f64> = p_values.iter().flatten().copied().collect();
    defined.sort_by(|a, b| b.total_cmp(a));
    AslCurve { undefined: p_values.len() - defined.len(), p_values: defined }
}

fn significant(p: &Option<f64>, alpha: f64) -> bool {
    p.is_some_and(|p| p < alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        let first = [Some(0.01), Some(0.05), Some(0.2), None, Some(0.0)];
        let second = [Some(0.049), Some(0.01), Some(0.9), Some(0.01), Some(1.0)];
        assert_eq!(discriminative_power(&first, 0.05), 2);
        assert_eq!(discriminative_power(&second, 0.05), 3);
        assert_eq!(conflicts(&first, &second, 0.05), Ok(3));
        assert_eq!(conflicts(&first, &first, 0.05), Ok(0));
        assert!(conflicts(&first, &second[..4], 0.05).is_err());
    }

    /// Every way in which two measures can find up to five comparisons significant.
    #[test]
    fn possible_numbers_are_those_that_occur() {
        for comparisons in 0..=5usize {
            let mut occur = std::collections::BTreeSet::new();
            for a in 0..1u32 << comparisons {
                for b in 0..1u32 << comparisons {
                    occur.insert((a.count_ones() as usize, b.count_ones() as usize, (a ^ b).count_ones() as usize));
                }
            }
            for first in 0..=comparisons + 1 {
                for second in 0..=comparisons + 1 {
                    for conflicts in 0..=2 * comparisons + 2 {
                        let possible = check_conflicts(first, second, conflicts, comparisons).is_ok();
                        assert_eq!(
                            possible,
                            occur.contains(&(first, second, conflicts)),
                            "{first} {second} {conflicts}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn curves_fall_and_count_what_they_leave_out() {
        let curve = asl_curve(&[Some(0.2), None, Some(0.9), Some(0.01)]);
        assert_eq!(curve, AslCurve { p_values: vec![0.9, 0.2, 0.01], undefined: 1 });
    }
}

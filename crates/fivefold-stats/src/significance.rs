//! Discriminative power and conflicts: what a measure can tell apart, and where two measures disagree.
//!
//! Input is the p-value of every comparison (a pair of methods at a cutoff); `None` marks a comparison that could not be
//! tested, which is then not significant. A comparison is significant when p < alpha.
//!
//! - Discriminative power: number of significant comparisons (Sakai, SIGIR 2006; Feng & Karmaker 2023, Table 9).
//! - Conflicts: comparisons that are significant under exactly one of two measures (Feng & Karmaker 2023, Table 8), so
//!   at least the difference of the two powers, and of the same parity.

use crate::error::{StatsError, same_length};

/// Number of comparisons with p < alpha.
pub fn discriminative_power(p_values: &[Option<f64>], alpha: f64) -> usize {
    p_values.iter().filter(|p| significant(p, alpha)).count()
}

/// Number of comparisons with p < alpha under one measure and not under the other.
///
/// # Errors
/// [`StatsError::LengthMismatch`].
pub fn conflicts(first: &[Option<f64>], second: &[Option<f64>], alpha: f64) -> Result<usize, StatsError> {
    same_length(first.len(), second.len())?;
    Ok(first.iter().zip(second).filter(|(a, b)| significant(a, alpha) != significant(b, alpha)).count())
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
}

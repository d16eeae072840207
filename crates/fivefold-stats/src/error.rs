//! What makes a statistic refuse its input.

/// Why a statistic has no value for its input.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// The two slices are not parallel.
    #[error(
        "the two lists have different lengths, {first} and {second}: they must hold the same items in the same order"
    )]
    LengthMismatch {
        /// Length of the first list.
        first: usize,
        /// Length of the second list.
        second: usize,
    },
    /// Fewer items than the statistic needs.
    #[error("{found} items, but at least {needed} are needed")]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many there must be.
        needed: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "value {value} at position {position} is not finite: drop or replace undefined values before the statistic"
    )]
    NotFinite {
        /// Position in the slice, from 0.
        position: usize,
        /// What stands there.
        value: f64,
    },
}

/// The common length of two parallel slices.
pub(crate) fn same_length(first: usize, second: usize) -> Result<usize, StatsError> {
    if first == second { Ok(first) } else { Err(StatsError::LengthMismatch { first, second }) }
}

/// Refuses NaN and infinities.
pub(crate) fn all_finite(values: &[f64]) -> Result<(), StatsError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(position) => Err(StatsError::NotFinite { position, value: values[position] }),
        None => Ok(()),
    }
}

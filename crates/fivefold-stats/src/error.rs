//! The errors of this crate: wrong input, unknown names, and numbers that do not exist.

use fivefold_base::words::{counted, which};

/// Why a statistic has no value for its input.
///
/// ```
/// use fivefold_stats::{StatsError, paired_t};
///
/// assert_eq!(paired_t(&[0.5, 0.7], &[0.4]), Err(StatsError::LengthMismatch { first: 2, second: 1 }));
/// assert_eq!(paired_t(&[0.5], &[0.4]), Err(StatsError::TooFew { found: 1, needed: 2 }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// The two slices are not parallel.
    #[error(
        "the two lists have different lengths, {first} and {second}: give the values of the same items in the same order"
    )]
    LengthMismatch {
        /// Length of the first list.
        first: usize,
        /// Length of the second list.
        second: usize,
    },
    /// Fewer items than the statistic needs.
    #[error("{}, but at least {needed} are needed", counted(*found, "item"))]
    TooFew {
        /// Number of items.
        found: usize,
        /// Number of items that the statistic needs.
        needed: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "value {} of the list is {value}, which is not finite: drop or replace undefined values before the statistic",
        position + 1
    )]
    NotFinite {
        /// Position in the slice, from 0.
        position: usize,
        /// The value.
        value: f64,
    },
    /// More queries than the fixed-point sums of the resampling tests can hold.
    #[error("{found} queries, but at most {most} can be resampled: draw a sample of the queries first")]
    TooMany {
        /// Number of queries.
        found: usize,
        /// The most queries that are allowed.
        most: usize,
    },
    /// A setting outside its range.
    #[error("{what} is {value}, but must be {range}")]
    OutOfRange {
        /// The setting.
        what: &'static str,
        /// The value of the setting.
        value: f64,
        /// The allowed range.
        range: &'static str,
    },
    /// max-T was asked for, but the test does not draw for all comparisons together.
    #[error("the correction maxt needs joint draws over all comparisons: take the test permutation or bootstrap")]
    NeedsJointDraws,
    /// A correction was asked for, but the test corrects its p-values itself.
    #[error(
        "the test already corrects its p-values for all pairs of systems, so no further correction is allowed: take the \
         correction none, or another test"
    )]
    CorrectedAlready,
}

/// Refuses a probability that is not inside (0, 1).
pub(crate) fn check_share(what: &'static str, value: f64) -> Result<(), StatsError> {
    let inside = value > 0.0 && value < 1.0;
    if inside { Ok(()) } else { Err(StatsError::OutOfRange { what, value, range: "between 0 and 1" }) }
}

/// A name that the list of tests or corrections does not have.
///
/// ```
/// use fivefold_stats::test;
///
/// let error = test("wilcoxn").unwrap_err();
/// assert_eq!((error.kind, error.name.as_str()), ("test", "wilcoxn"));
/// assert_eq!(error.hint, "; did you mean \"wilcoxon\"?");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {name:?}{hint} (there are {known})")]
#[non_exhaustive]
pub struct UnknownName {
    /// "test" or "correction".
    pub kind: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The nearest name, as a question; empty if no name is near.
    pub hint: String,
    /// All names.
    pub known: String,
}

impl UnknownName {
    pub(crate) fn new(kind: &'static str, name: &str, known: &[&'static str]) -> UnknownName {
        let nearest = fivefold_base::words::nearest(name, known.iter().copied());
        let hint = nearest.map(|nearest| format!("; did you mean {nearest:?}?")).unwrap_or_default();
        UnknownName { kind, name: name.to_owned(), hint, known: known.join(", ") }
    }
}

/// Why a number does not exist, although the data are valid.
///
/// ```
/// use fivefold_stats::{Undefined, test};
///
/// // One system is better by the same amount on each query: there is no spread to measure the amount by.
/// let outcome = test("t")?.of_pair(&[0.75, 0.5], &[0.5, 0.25])?;
/// assert_eq!(outcome.effect, Err(Undefined::NoSpread));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Undefined {
    /// Fewer queries than the number needs.
    #[error("{}, {needed} needed", counted(*found, "query"))]
    TooFewQueries {
        /// Number of queries.
        found: usize,
        /// Number of queries that are needed.
        needed: usize,
    },
    /// All differences are equal, so there is no spread to measure the mean by.
    #[error("all differences are equal")]
    NoSpread,
    /// The quantile lies beyond the draws.
    #[error("{} {} too few for this confidence", counted(*draws, "draw"), which(*draws, "is", "are"))]
    TooFewDraws {
        /// Number of draws.
        draws: usize,
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

//! Rankers from linfa and smartcore, written as an outside author would write them: they see fivefold-core only.
//!
//! [`RANKERS`] lists them. Array types of the libraries stay inside the files.

mod abandon;
pub mod linfa_logistic;
pub mod smartcore_forest;

use fivefold_core::RankerEntry;
#[cfg(test)]
use fivefold_core::conformance::data as test_data;

/// The adapted rankers, in the order in which they are listed; `tests/golden_models.txt` holds each `VERSION` to its models.
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::by_version::<linfa_logistic::LinfaLogistic>(),
    RankerEntry::by_version::<smartcore_forest::SmartcoreForest>(),
];

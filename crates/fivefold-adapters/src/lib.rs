//! Rankers from linfa and smartcore, written as an outside author would write rankers: the crate
//! uses fivefold-core only.
//!
//! [`RANKERS`] lists the rankers. Array types of the libraries stay private to each module.

mod abandon;
pub mod linfa_logistic;
pub mod smartcore_forest;

use fivefold_core::RankerEntry;
#[cfg(test)]
use fivefold_core::conformance::data as test_data;

/// The adapted rankers, in the order of lists. `tests/golden_models.txt` fixes the models of each
/// `VERSION`.
///
/// ```
/// use fivefold_adapters::RANKERS;
///
/// let names: Vec<&str> = RANKERS.iter().map(|entry| entry.name).collect();
/// assert_eq!(names, ["linfa-logistic", "smartcore-forest"]);
/// ```
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::by_version::<linfa_logistic::LinfaLogistic>(),
    RankerEntry::by_version::<smartcore_forest::SmartcoreForest>(),
];

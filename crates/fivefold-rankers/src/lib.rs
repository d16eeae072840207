#![doc = include_str!("../README.md")]

pub mod adarank;
mod aligned;
mod best_round;
mod boosting;
mod by_query;
pub mod coordinate_ascent;
pub mod exchange;
mod exponentials;
pub mod export;
pub mod feature;
pub mod l2_logistic;
mod lambda;
pub mod lambdamart;
pub mod lambdarank;
pub mod linear;
pub mod linear_model;
pub mod listnet;
pub mod mart;
mod memory;
pub mod network;
pub mod network_model;
mod normal_equations;
mod patience;
pub mod random;
pub mod random_forest;
pub mod rank_svm;
pub mod rankboost;
pub mod ranknet;
pub mod ties;
pub mod tree_model;
mod validation;
mod wide;

pub use adarank::AdaRank;
pub use coordinate_ascent::CoordinateAscent;
pub use feature::Feature;
pub use fivefold_core::{Dataset, FitContext, FitError, Model, Ranker, Seed};
pub use l2_logistic::L2Logistic;
pub use lambdamart::LambdaMart;
pub use lambdarank::LambdaRank;
pub use linear::Linear;
pub use listnet::ListNet;
pub use mart::Mart;
pub use random::Random;
pub use random_forest::RandomForest;
pub use rank_svm::RankSvm;
pub use rankboost::RankBoost;
pub use ranknet::RankNet;

use fivefold_core::RankerEntry;
#[cfg(test)]
use fivefold_core::conformance::data as test_data;

/// The built-in rankers, in the order of lists. `tests/libraries/tests/golden_models.txt` fixes the
/// models of each `VERSION`.
///
/// ```
/// use fivefold_core::Registry;
/// use fivefold_rankers::RANKERS;
///
/// assert_eq!(RANKERS.len(), 14);
/// let registry = Registry::new(&[RANKERS]);
/// assert!(registry.find("lambdamart").is_some() && registry.find("lambdamrt").is_none());
/// ```
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::by_version::<feature::Feature>(),
    RankerEntry::by_version::<random::Random>(),
    RankerEntry::by_version::<linear::Linear>(),
    RankerEntry::by_version::<l2_logistic::L2Logistic>(),
    RankerEntry::by_version::<rank_svm::RankSvm>(),
    RankerEntry::by_version::<coordinate_ascent::CoordinateAscent>(),
    RankerEntry::by_version::<rankboost::RankBoost>(),
    RankerEntry::by_version::<adarank::AdaRank>(),
    RankerEntry::by_version::<mart::Mart>(),
    RankerEntry::by_version::<lambdamart::LambdaMart>(),
    RankerEntry::by_version::<random_forest::RandomForest>(),
    RankerEntry::by_version::<ranknet::RankNet>(),
    RankerEntry::by_version::<listnet::ListNet>(),
    RankerEntry::by_version::<lambdarank::LambdaRank>(),
];

//! The built-in rankers, one file each.
//!
//! [`RANKERS`] lists them; a new ranker is a file and a line there. `tests/contract.rs` holds what all of them must do.

pub mod adarank;
mod best_round;
mod boosting;
pub mod coordinate_ascent;
pub mod exchange;
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
pub mod rankboost;
pub mod ranknet;
pub mod ties;
pub mod tree_model;
mod validation;

use fivefold_core::RankerEntry;
#[cfg(test)]
use fivefold_core::conformance::data as test_data;

/// The built-in rankers, in the order in which they are listed; `tests/golden_models.txt` holds each `VERSION` to its models.
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::by_version::<feature::Feature>(),
    RankerEntry::by_version::<random::Random>(),
    RankerEntry::by_version::<linear::Linear>(),
    RankerEntry::by_version::<l2_logistic::L2Logistic>(),
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

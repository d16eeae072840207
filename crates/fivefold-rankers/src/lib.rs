//! The built-in rankers, one file each.
//!
//! [`RANKERS`] lists them; a new ranker is a file and a line there. `tests/contract.rs` holds what all of them must do.

pub mod adarank;
mod best_round;
mod boosting;
pub mod coordinate_ascent;
pub mod exchange;
pub mod feature;
pub mod l2_logistic;
mod lambda;
pub mod lambdamart;
pub mod lambdarank;
pub mod linear;
pub mod linear_model;
pub mod listnet;
pub mod mart;
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

use fivefold_core::RankerEntry;
#[cfg(test)]
use fivefold_core::conformance::data as test_data;

/// The built-in rankers, in the order in which they are listed.
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::of::<feature::Feature>(),
    RankerEntry::of::<random::Random>(),
    RankerEntry::of::<linear::Linear>(),
    RankerEntry::of::<l2_logistic::L2Logistic>(),
    RankerEntry::of::<coordinate_ascent::CoordinateAscent>(),
    RankerEntry::of::<rankboost::RankBoost>(),
    RankerEntry::of::<adarank::AdaRank>(),
    RankerEntry::of::<mart::Mart>(),
    RankerEntry::of::<lambdamart::LambdaMart>(),
    RankerEntry::of::<random_forest::RandomForest>(),
    RankerEntry::of::<ranknet::RankNet>(),
    RankerEntry::of::<listnet::ListNet>(),
    RankerEntry::of::<lambdarank::LambdaRank>(),
];

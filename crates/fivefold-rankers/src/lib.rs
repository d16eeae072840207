//! The built-in rankers, one file each.
//!
//! [`RANKERS`] lists them; a new ranker is a file and a line there. `tests/contract.rs` holds what all of them must do.

pub mod coordinate_ascent;
pub mod feature;
pub mod l2_logistic;
pub mod linear;
pub mod linear_model;
mod normal_equations;
pub mod random;
#[cfg(test)]
#[path = "../tests/contract/data.rs"]
mod test_data;

use fivefold_core::RankerEntry;

/// The built-in rankers, in the order in which they are listed.
pub const RANKERS: &[RankerEntry] = &[
    RankerEntry::of::<feature::Feature>(),
    RankerEntry::of::<random::Random>(),
    RankerEntry::of::<linear::Linear>(),
    RankerEntry::of::<l2_logistic::L2Logistic>(),
    RankerEntry::of::<coordinate_ascent::CoordinateAscent>(),
];

//! The tests of the crate from outside, in one binary.
#![allow(clippy::unwrap_used)] // a test

mod common;
mod eleven_programs;
mod frame;
mod is_a_better;
mod measures_by_hand;
mod read_a_paper;
mod three_losses;
mod tune_and_ablate;

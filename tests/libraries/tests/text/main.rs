//! Tests of ROUGE.
#![allow(clippy::unwrap_used)] // a test

mod check_values;
mod common;
mod enumeration;
mod invariants;
mod rouge_score;
mod summeval;

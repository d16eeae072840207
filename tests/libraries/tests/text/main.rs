//! Tests of ROUGE.
#![allow(clippy::unwrap_used)] // a test

mod check_values;
mod common;
mod enumeration;
mod properties;
mod rouge_score;
mod summeval;

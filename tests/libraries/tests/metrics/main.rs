//! Tests of the measures.
#![allow(clippy::unwrap_used)] // a test

mod check_values;
mod common;
mod dialects;
mod diversity;
mod enumeration;
mod exact_means;
mod exchanges;
mod explain;
mod invariants;
mod negative;
mod pools;
mod rankings;
mod real_data;
mod whole;

//! Compares the memory of fits, by a counting allocator, with the estimates of `fit_bytes`. The
//! test has a binary of its own, so that no other test allocates at the same time.
//!
//! The adapted libraries do not document their memory.

use fivefold_core::conformance::{Case, check_memory};

fivefold_core::counting_allocator!();

const fn case(name: &'static str, params: &'static str) -> Case {
    Case { name, params, changes: &[], refused: &[], learns: true }
}

const CASES: &[Case] = &[case("linfa-logistic", ""), case("smartcore-forest", "trees = 6")];

#[test]
fn every_adapted_ranker_needs_the_memory_that_it_says() {
    check_memory(fivefold_adapters::RANKERS, CASES, peak_of);
}

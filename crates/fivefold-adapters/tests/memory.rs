//! What fits need, by a counting allocator, against what they were said to need. One test in a binary of its own, so that nothing else
//! allocates meanwhile.
//!
//! The adapted libraries say nothing of their memory.

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

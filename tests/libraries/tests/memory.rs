//! Compares the memory of fits, by a counting allocator, with the estimates of `fit_bytes`. The
//! test has a binary of its own, so that no other test allocates at the same time.
//!
//! catboost/catboost #535: a loss unexpectedly needs 40 times the memory of another loss.

use fivefold_core::conformance::{Case, check_memory};
use fivefold_rankers::RANKERS;

fivefold_core::counting_allocator!();

const fn case(name: &'static str, params: &'static str) -> Case {
    Case { name, params, changes: &[], refused: &[], learns: true }
}

/// Rankers whose defaults take too long, or need another amount of memory with other parameters.
/// All other rankers are tested with their defaults.
const CASES: &[Case] = &[
    case("feature", "feature = 1"),
    case("linear", ""),
    case("linear", "centre = 'query'"),
    case("coordinate-ascent", "passes = 1"),
    case("coordinate-ascent", "passes = 1\nsearch = 'step'"),
    case("rankboost", "rounds = 20"),
    case("rankboost", "rounds = 20\nthresholds = 10\nspacing = 'widths'\nearly_stopping = 5"),
    case("adarank", "rounds = 20"),
    case("mart", "trees = 20"),
    case("lambdamart", "trees = 20"),
    case("lambdamart", "trees = 20\npreset = 'lightgbm'"),
    case("random-forest", "bags = 8"),
    case("random-forest", "bags = 8\ninner = 'lambdamart'"),
    case("ranknet", "epochs = 3"),
    case("listnet", "epochs = 3"),
    case("lambdarank", "epochs = 3"),
];

#[test]
fn every_ranker_needs_the_memory_that_it_says() {
    let has_case = |name: &str| CASES.iter().any(|case| case.name == name);
    let by_default = RANKERS.iter().filter(|entry| !has_case(entry.name)).map(|entry| case(entry.name, ""));
    let cases: Vec<Case> = CASES.iter().copied().chain(by_default).collect();
    check_memory(RANKERS, &cases, peak_of);
}

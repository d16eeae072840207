//! The contract of every adapted ranker, which is the contract of built-in rankers.

use std::path::Path;

use fivefold_core::conformance::{Case, check, check_golden};

const CASES: &[Case] = &[
    Case {
        name: "linfa-logistic",
        params: "",
        changes: &[
            ("alpha", "0.5", true),
            ("threshold", "2", true),
            ("intercept", "false", true),
            ("max_iterations", "2", true),
            ("tolerance", "1.0", true),
        ],
        refused: &[("alpha", "-1.0"), ("threshold", "0"), ("max_iterations", "0"), ("tolerance", "0.0")],
        learns: true,
    },
    Case {
        name: "smartcore-forest",
        params: "trees = 20",
        changes: &[("trees", "21", true), ("max_depth", "2", true), ("min_leaf", "9", true), ("features", "5", true)],
        refused: &[("trees", "0"), ("max_depth", "0"), ("min_leaf", "0"), ("features", "0")],
        learns: true,
    },
];

#[test]
fn every_adapted_ranker_keeps_the_contract() {
    check(fivefold_adapters::RANKERS, CASES);
}

/// The key of a job names an adapted ranker by its VERSION, so `golden_models.txt` fixes the models
/// of each version.
#[test]
fn no_model_changes_without_its_version() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_models.txt");
    check_golden(fivefold_adapters::RANKERS, CASES, Path::new(file));
}

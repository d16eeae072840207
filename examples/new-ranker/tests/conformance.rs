//! Tests that the ranker keeps the rules of all rankers, and that `experiment.toml` can be run.

use std::process::Command;

use example_ranker::ExampleRanker;
use fivefold_core::RankerEntry;
use fivefold_core::conformance::{Case, check};

/// `changes` has another value for each parameter, and whether this value alters the scores.
/// `refused` has values that must be refused.
const CASE: Case = Case {
    name: "example-ranker",
    params: "epochs = 10",
    changes: &[("epochs", "2", true), ("rate", "0.5", true)],
    refused: &[("epochs", "0"), ("rate", "0.0"), ("rate", "nan")],
    learns: true,
};

#[test]
fn it_keeps_the_rules_of_all_rankers() {
    check(&[RankerEntry::of::<ExampleRanker>()], &[CASE]);
}

#[test]
fn the_experiment_can_be_run() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let mut program = Command::new(env!("CARGO_BIN_EXE_example-ranker"));
    let output = program.args(["jobs", "experiment.toml"]).current_dir(folder).output().expect("the program was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("ExampleRanker"));
}

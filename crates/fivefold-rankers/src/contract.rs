//! The contract of every built-in ranker, tested with the cases of each ranker's tests.

use std::path::Path;

use fivefold_core::RankerEntry;
use fivefold_core::conformance::{Case, check, check_golden, violations};

use crate::lambdamart::LambdaMart;
use crate::lambdamart::tests::changes;
use crate::{CASES, RANKERS};

#[test]
fn every_ranker_keeps_the_contract() {
    check(RANKERS, &CASES.concat());
}

/// The key of a job names a built-in ranker by its VERSION, so `golden_models.txt` fixes the models
/// of each version.
#[test]
fn no_model_changes_without_its_version() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_models.txt");
    check_golden(RANKERS, &CASES.concat(), Path::new(file));
}

/// With `ties = "input"` a model depends on the order of rows, as documented, and the rule about
/// order finds it.
#[test]
fn ties_in_file_order_break_the_rule_about_order() {
    const CHANGES: &[(&str, &str, bool)] = &{
        let mut changes = changes("false", "'widths'", "'by-hessian'", true);
        changes[4] = ("ties", "'drawn'", true);
        changes
    };
    let params = "ties = 'input'\nleaves = 8\ntrees = 30";
    let case = Case { name: "lambdamart", params, changes: CHANGES, refused: &[], learns: true };
    let found = violations(&[RankerEntry::of::<LambdaMart>()], &[case]);
    let rules: Vec<&str> = found.iter().map(|violation| violation.rule.name).collect();
    assert_eq!(rules, ["training order"], "{found:#?}");
}

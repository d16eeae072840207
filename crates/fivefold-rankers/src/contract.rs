//! What every built-in ranker must do, tried by the cases in the tests of each.

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

/// Built-in rankers are known by their VERSION in the keys of jobs: see `golden_models.txt`.
#[test]
fn no_model_changes_without_its_version() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_models.txt");
    check_golden(RANKERS, &CASES.concat(), Path::new(file));
}

/// What `ties = "input"` is documented to do is what the rule about order finds.
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

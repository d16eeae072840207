//! What every built-in ranker must do.

use std::path::Path;

use fivefold_core::RankerEntry;
use fivefold_core::conformance::{Case, check, check_golden, violations};
use fivefold_rankers::lambdamart::LambdaMart;

const CASES: &[Case] = &[
    Case {
        name: "feature",
        params: "feature = 1",
        changes: &[("feature", "2", true), ("negate", "true", true)],
        refused: &[("feature", "0")],
        learns: false,
    },
    Case { name: "random", params: "", changes: &[], refused: &[], learns: false },
    Case {
        name: "linear",
        params: "",
        changes: &[("lambda", "0.5", true), ("centre", "'query'", true)],
        refused: &[("lambda", "-1.0"), ("lambda", "nan")],
        learns: true,
    },
    Case {
        name: "l2-logistic",
        params: "",
        changes: &[
            ("c", "0.5", true),
            ("threshold", "2", true),
            ("penalize_bias", "true", true),
            ("tolerance", "0.1", true),
            ("max_iterations", "1", true),
        ],
        refused: &[("c", "0.0"), ("threshold", "0"), ("tolerance", "1.0"), ("max_iterations", "0")],
        learns: true,
    },
    Case {
        name: "coordinate-ascent",
        params: "objective = 'ndcg@3'\nrestarts = 3",
        changes: &[
            ("objective", "'ap.v2@3'", true),
            ("search", "'step'", true),
            ("restarts", "30", true),
            ("tolerance", "0.5", true),
            ("passes", "1", true),
            ("step", "0.2", false),
            ("steps", "3", false),
        ],
        refused: &[
            ("objective", "'ndgc@10'"),
            ("restarts", "0"),
            ("tolerance", "-0.1"),
            ("passes", "0"),
            ("step", "0.0"),
            ("steps", "61"),
        ],
        learns: true,
    },
    Case {
        name: "coordinate-ascent",
        // Only weights below .002 take steps of a share of themselves; many restarts meet some.
        params: "search = 'step'\nobjective = 'err'\nrestarts = 20",
        changes: &[
            ("objective", "'err.v1'", true),
            ("search", "'exact'", true),
            ("restarts", "1", true),
            ("tolerance", "0.5", true),
            ("passes", "1", true),
            ("step", "0.4", true),
            ("steps", "3", true),
        ],
        refused: &[],
        learns: true,
    },
    Case {
        name: "rankboost",
        params: "thresholds = 20\nearly_stopping = 50",
        changes: &[
            ("rounds", "5", true),
            ("thresholds", "3", true),
            ("spacing", "'widths'", true),
            ("negative", "true", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap'", true),
        ],
        refused: &[("rounds", "0"), ("thresholds", "255"), ("stop_measure", "'ndgc'")],
        learns: true,
    },
    Case {
        name: "adarank",
        // One of few objectives here whose fall ends training early.
        params: "objective = 'err'\nmax_picks = 5",
        changes: &[
            ("objective", "'ap.v2@3'", true),
            ("rounds", "2", true),
            ("tolerance", "1e-6", true),
            ("max_picks", "4", true),
            ("negative", "false", true),
            ("accumulate", "true", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap'", true),
        ],
        refused: &[
            ("objective", "'ndgc@10'"),
            ("rounds", "0"),
            ("tolerance", "0.0"),
            ("max_picks", "0"),
            ("stop_measure", "'ndgc'"),
        ],
        learns: true,
    },
    Case {
        name: "mart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8",
        changes: MART,
        refused: &[
            ("trees", "0"),
            ("learning_rate", "0.0"),
            ("stop_measure", "'ndgc'"),
            ("leaves", "1"),
            ("min_documents", "0"),
            ("l2", "-1.0"),
            ("bins", "256"),
            ("features", "0.0"),
            ("queries", "1.5"),
        ],
        learns: true,
    },
    // The seed has no effect where nothing is drawn.
    Case { name: "mart", params: "trees = 30\nleaves = 8", changes: MART, refused: &[], learns: true },
    Case {
        name: "mart",
        params: "preset = 'ranklib'\nspacing = 'quantiles'",
        changes: MART,
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8\nmin_hessian = 0.01",
        changes: &lambdamart("false", "'widths'", "'by-hessian'", true),
        refused: &[("objective", "'ndcg@0'"), ("sigma", "0.0"), ("min_hessian", "-1.0"), ("leaves", "1")],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "",
        changes: &lambdamart("false", "'widths'", "'by-hessian'", true),
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "preset = 'ranklib'",
        changes: &lambdamart("true", "'quantiles'", "'by-hessian'", true),
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "preset = 'lightgbm'",
        changes: &lambdamart("false", "'widths'", "'counted'", false),
        refused: &[],
        learns: true,
    },
    Case {
        name: "random-forest",
        params: "bags = 20\ntrees = 2\nleaves = 10",
        changes: &[
            ("bags", "5", true),
            ("trees", "1", true),
            ("inner", "'lambdamart'", true),
            ("objective", "'ap'", false),
            ("learning_rate", "0.5", true),
            ("features", "0.6", true),
            ("queries", "0.5", true),
            ("leaves", "4", true),
            ("min_documents", "40", true),
            ("leaf_documents", "'by-hessian'", false),
            ("bins", "4", true),
            ("spacing", "'widths'", true),
        ],
        refused: &[("bags", "0"), ("objective", "''"), ("features", "0.0"), ("queries", "2.0"), ("trees", "0")],
        learns: true,
    },
    Case {
        name: "random-forest",
        params: "bags = 20\ninner = 'lambdamart'\nleaves = 10",
        changes: &[
            ("bags", "5", true),
            ("trees", "2", true),
            ("inner", "'mart'", true),
            ("objective", "'ap'", true),
            ("learning_rate", "0.5", true),
            ("features", "0.6", true),
            ("queries", "0.5", true),
            ("leaves", "4", true),
            ("min_documents", "40", true),
            ("leaf_documents", "'by-hessian'", true),
            ("bins", "4", true),
            ("spacing", "'widths'", true),
        ],
        refused: &[],
        learns: true,
    },
    Case {
        name: "ranknet",
        params: "epochs = 20",
        changes: &[
            ("level", "false", true),
            ("hidden", "[5, 3]", true),
            ("activation", "'tanh'", true),
            ("standardise", "false", true),
            ("epochs", "2", true),
            ("batch", "3", true),
            ("optimiser", "'sgd'", true),
            ("learning_rate", "0.02", true),
            ("l2", "0.5", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap@1'", true),
        ],
        refused: &[
            ("hidden", "[0]"),
            ("epochs", "0"),
            ("batch", "0"),
            ("learning_rate", "0.0"),
            ("l2", "-1.0"),
            ("stop_measure", "'ndgc'"),
        ],
        learns: true,
    },
    Case {
        name: "listnet",
        params: "epochs = 20\nhidden = [4]",
        changes: &[
            ("sharpness", "2.0", true),
            ("hidden", "[5, 3]", true),
            ("activation", "'tanh'", true),
            ("standardise", "false", true),
            ("epochs", "2", true),
            ("batch", "3", true),
            ("optimiser", "'sgd'", true),
            ("learning_rate", "0.02", true),
            ("l2", "0.5", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap@1'", true),
        ],
        refused: &[
            ("sharpness", "0.0"),
            ("hidden", "[0]"),
            ("epochs", "0"),
            ("batch", "0"),
            ("learning_rate", "0.0"),
            ("l2", "-1.0"),
            ("stop_measure", "'ndgc'"),
        ],
        learns: true,
    },
    Case {
        name: "lambdarank",
        params: "epochs = 20",
        changes: &[
            ("objective", "'ap.v2@5'", true),
            ("truncation", "2", true),
            ("normalise", "true", true),
            ("hidden", "[5, 3]", true),
            ("activation", "'tanh'", true),
            ("standardise", "false", true),
            ("epochs", "2", true),
            ("batch", "3", true),
            ("optimiser", "'sgd'", true),
            ("learning_rate", "0.02", true),
            ("l2", "0.5", true),
            ("early_stopping", "0", true),
            ("stop_measure", "'ap@1'", true),
        ],
        refused: &[
            ("objective", "'ndcg@0'"),
            ("hidden", "[0]"),
            ("epochs", "0"),
            ("batch", "0"),
            ("learning_rate", "0.0"),
            ("l2", "-1.0"),
            ("stop_measure", "'ndgc'"),
        ],
        learns: true,
    },
];

/// The changes of MART's cases.
const MART: &[(&str, &str, bool)] = &[
    ("trees", "3", true),
    ("learning_rate", "0.5", true),
    ("early_stopping", "1", true),
    ("stop_measure", "'ap@1'", true),
    ("leaves", "4", true),
    ("depth", "2", true),
    ("min_documents", "40", true),
    ("l2", "5.0", true),
    ("bins", "4", true),
    ("spacing", "'widths'", true),
    ("features", "0.5", true),
    ("queries", "0.5", true),
];

/// The changes of LambdaMART's cases: `normalise`, `spacing` and `leaf_documents` to other values, and whether the case stops early.
const fn lambdamart(
    normalise: &'static str,
    spacing: &'static str,
    leaf_documents: &'static str,
    stops: bool,
) -> [(&'static str, &'static str, bool); 19] {
    [
        ("objective", "'ap.v2@5'", true),
        ("truncation", "3", true),
        ("sigma", "2.0", true),
        ("normalise", normalise, true),
        ("ties", "'input'", true),
        ("trees", "1", true),
        ("learning_rate", "0.5", true),
        ("early_stopping", if stops { "0" } else { "1" }, true),
        ("stop_measure", "'p@6'", stops),
        ("leaves", "4", true),
        ("depth", "2", true),
        ("min_documents", "40", true),
        ("leaf_documents", leaf_documents, true),
        ("min_hessian", "2.0", true),
        ("l2", "5.0", true),
        ("bins", "4", true),
        ("spacing", spacing, true),
        ("features", "0.5", true),
        ("queries", "0.5", true),
    ]
}

#[test]
fn every_ranker_keeps_the_contract() {
    check(fivefold_rankers::RANKERS, CASES);
}

/// Built-in rankers are known by their VERSION in the keys of jobs: see `golden_models.txt`.
#[test]
fn no_model_changes_without_its_version() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_models.txt");
    check_golden(fivefold_rankers::RANKERS, CASES, Path::new(file));
}

/// What `ties = "input"` is documented to do is what the rule about order finds.
#[test]
fn ties_in_file_order_break_the_rule_about_order() {
    const CHANGES: &[(&str, &str, bool)] = &{
        let mut changes = lambdamart("false", "'widths'", "'by-hessian'", true);
        changes[4] = ("ties", "'drawn'", true);
        changes
    };
    let params = "ties = 'input'\nleaves = 8\ntrees = 30";
    let case = Case { name: "lambdamart", params, changes: CHANGES, refused: &[], learns: true };
    let found = violations(&[RankerEntry::of::<LambdaMart>()], &[case]);
    let rules: Vec<&str> = found.iter().map(|violation| violation.rule.name).collect();
    assert_eq!(rules, ["training order"], "{found:#?}");
}

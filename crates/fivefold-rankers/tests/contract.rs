//! What every built-in ranker must do.
#![allow(clippy::unwrap_used)]

#[path = "contract/mod.rs"]
mod contract;

use contract::Case;

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
        name: "mart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8",
        changes: &[
            ("trees", "3", true),
            ("learning_rate", "0.5", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap@1'", true),
            ("leaves", "4", true),
            ("depth", "2", true),
            ("min_documents", "40", true),
            ("l2", "5.0", true),
            ("bins", "4", true),
            ("features", "0.5", true),
            ("queries", "0.5", true),
        ],
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
    Case {
        name: "lambdamart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8\nmin_hessian = 0.01",
        changes: &[
            ("objective", "'ap.v2@5'", true),
            ("truncation", "3", true),
            ("sigma", "2.0", true),
            ("normalise", "false", true),
            ("trees", "3", true),
            ("learning_rate", "0.5", true),
            ("early_stopping", "1", true),
            ("stop_measure", "'ap@1'", true),
            ("leaves", "4", true),
            ("depth", "2", true),
            ("min_documents", "40", true),
            ("min_hessian", "2.0", true),
            ("l2", "5.0", true),
            ("bins", "4", true),
            ("features", "0.5", true),
            ("queries", "0.5", true),
        ],
        refused: &[("objective", "'ndcg@0'"), ("sigma", "0.0"), ("min_hessian", "-1.0"), ("leaves", "1")],
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
            ("bins", "4", true),
        ],
        refused: &[("bags", "0"), ("objective", "''"), ("features", "0.0"), ("queries", "2.0"), ("trees", "0")],
        learns: true,
    },
];

#[test]
fn every_ranker_keeps_the_contract() {
    contract::check(fivefold_rankers::RANKERS, CASES);
}

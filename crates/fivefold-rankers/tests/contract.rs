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
        params: "",
        changes: &[
            ("objective", "'ap.v2@3'", true),
            ("search", "'step'", true),
            ("restarts", "12", true),
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
        params: "search = 'step'",
        changes: &[
            ("objective", "'err.v1'", true),
            ("search", "'exact'", true),
            ("restarts", "12", true),
            ("tolerance", "0.5", true),
            ("passes", "1", true),
            ("step", "0.2", true),
            ("steps", "3", true),
        ],
        refused: &[],
        learns: true,
    },
];

#[test]
fn every_ranker_keeps_the_contract() {
    contract::check(fivefold_rankers::RANKERS, CASES);
}

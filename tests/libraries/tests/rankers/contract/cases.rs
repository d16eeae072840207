//! The cases of the contract: for each built-in ranker parameters that suit small data, and another
//! value of each parameter.

use fivefold_core::conformance::Case;

/// The cases of all built-in rankers.
pub const CASES: &[&[Case]] = &[
    FEATURE,
    RANDOM,
    LINEAR,
    L2_LOGISTIC,
    RANK_SVM,
    COORDINATE_ASCENT,
    RANKBOOST,
    ADARANK,
    MART,
    LAMBDAMART,
    RANDOM_FOREST,
    RANKNET,
    LISTNET,
    LAMBDARANK,
];

const FEATURE: &[Case] = &[Case {
    name: "feature",
    params: "feature = 1",
    changes: &[("feature", "2", true), ("negate", "true", true)],
    refused: &[("feature", "0")],
    learns: false,
}];

const RANDOM: &[Case] = &[Case { name: "random", params: "", changes: &[], refused: &[], learns: false }];

const LINEAR: &[Case] = &[Case {
    name: "linear",
    params: "",
    changes: &[("lambda", "0.5", true), ("centre", "'query'", true)],
    refused: &[("lambda", "-1.0"), ("lambda", "nan")],
    learns: true,
}];

const L2_LOGISTIC: &[Case] = &[Case {
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
}];

const RANK_SVM: &[Case] = &[Case {
    name: "ranksvm",
    params: "",
    changes: &[("c", "0.5", true), ("tolerance", "0.1", true), ("max_iterations", "1", true)],
    refused: &[("c", "0.0"), ("c", "nan"), ("tolerance", "1.0"), ("max_iterations", "0")],
    learns: true,
}];

const COORDINATE_ASCENT: &[Case] = &[
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
            ("objective", "'set_recall'"),
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
        // Only a weight below .002 takes steps of a share of the weight. With some restarts,
        // such weights occur.
        params: "search = 'step'\nobjective = 'err'\nrestarts = 6",
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
];

const RANKBOOST: &[Case] = &[Case {
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
}];

const ADARANK: &[Case] = &[Case {
    name: "adarank",
    // With this objective, training ends early because the value falls.
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
}];

/// Rankers of trees with their defaults and presets, whose cases above have fewer trees.
pub const AS_SHIPPED: &[Case] = &[
    as_shipped("mart", ""),
    as_shipped("mart", "preset = 'ranklib'"),
    as_shipped("lambdamart", ""),
    as_shipped("lambdamart", "preset = 'ranklib'"),
    as_shipped("lambdamart", "preset = 'lightgbm'"),
    as_shipped("lambdamart", "gradients = 'quantised'"),
];

const fn as_shipped(name: &'static str, params: &'static str) -> Case {
    Case { name, params, changes: &[], refused: &[], learns: true }
}

const MART: &[Case] = &[
    Case {
        name: "mart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8",
        changes: MART_CHANGES,
        refused: &[
            ("trees", "0"),
            ("learning_rate", "0.0"),
            ("stop_measure", "'ndgc'"),
            ("stop_measure", "'judged@10'"),
            ("leaves", "1"),
            ("min_documents", "0"),
            ("l2", "-1.0"),
            ("bins", "256"),
            ("features", "0.0"),
            ("queries", "1.5"),
        ],
        learns: true,
    },
    // Without draws the seed has no effect.
    Case { name: "mart", params: "trees = 30\nleaves = 8", changes: MART_CHANGES, refused: &[], learns: true },
    Case {
        name: "mart",
        params: "preset = 'ranklib'\nspacing = 'quantiles'\ntrees = 60\nearly_stopping = 10",
        changes: MART_CHANGES,
        refused: &[],
        learns: true,
    },
];

/// The changes of MART's cases.
const MART_CHANGES: &[(&str, &str, bool)] = &[
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

const LAMBDAMART: &[Case] = &[
    Case {
        name: "lambdamart",
        params: "trees = 30\nleaves = 8\nqueries = 0.8\nmin_hessian = 0.01",
        changes: &changes("false", "'widths'", "'by-hessian'", ("'quantised'", false), true),
        refused: &[("objective", "'ndcg@0'"), ("sigma", "0.0"), ("min_hessian", "-1.0"), ("leaves", "1")],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "trees = 60\nearly_stopping = 10",
        changes: &changes("false", "'widths'", "'by-hessian'", ("'quantised'", false), true),
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "preset = 'ranklib'\ntrees = 60\nearly_stopping = 10",
        changes: &changes("true", "'quantiles'", "'by-hessian'", ("'quantised'", false), true),
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "gradients = 'quantised'\ntrees = 60\nearly_stopping = 10",
        changes: &changes("false", "'widths'", "'by-hessian'", ("'exact'", false), true),
        refused: &[],
        learns: true,
    },
    Case {
        name: "lambdamart",
        params: "preset = 'lightgbm'\ntrees = 60",
        changes: &changes("false", "'widths'", "'counted'", ("'quantised'", true), false),
        refused: &[],
        learns: true,
    },
];

/// The changes of LambdaMART's cases: other values of `normalise`, `spacing`, `leaf_documents` and
/// `gradients` (and whether it alters the cuts of the few documents), and whether the case stops
/// early.
pub const fn changes(
    normalise: &'static str,
    spacing: &'static str,
    leaf_documents: &'static str,
    (gradients, alters): (&'static str, bool),
    stops: bool,
) -> [(&'static str, &'static str, bool); 20] {
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
        ("gradients", gradients, alters),
        ("features", "0.5", true),
        ("queries", "0.5", true),
    ]
}

const RANDOM_FOREST: &[Case] = &[
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
];

const RANKNET: &[Case] = &[Case {
    name: "ranknet",
    params: "epochs = 20",
    changes: &[
        ("normalise_by_pairs", "false", true),
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
}];

const LISTNET: &[Case] = &[Case {
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
}];

const LAMBDARANK: &[Case] = &[Case {
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
}];

//! LightGBM's models and the scores that it gives. The fixtures are from LightGBM 4.7.0, by
//!
//! ```text
//! rng = np.random.default_rng(7)
//! X = rng.integers(-2, 3, (400, 4)) / 2
//! X[rng.random(X.shape) < .2] = np.nan
//! y = (np.nan_to_num(X[:, 0]) == 0) * 1. + (X[:, 1] == .5) * 2. + np.isnan(X[:, 2]) * .5 + X[:, 3:].max(1, initial=0)
//! y = np.nan_to_num(y); grades = np.clip(y.round(), 0, 4)
//! common = dict(num_leaves=6, min_data_in_leaf=10, min_data_in_bin=1, verbose=-1, deterministic=True, seed=1, num_threads=1)
//! kinds = dict(nan=dict(objective="lambdarank"), zero=dict(objective="regression", zero_as_missing=True),
//!              none=dict(objective="binary", use_missing=False),
//!              forest=dict(objective="regression", boosting="rf", bagging_freq=1, bagging_fraction=.5))
//! probe = [[0, 0, 0, 0], [np.nan] * 4, [1e-35, -1e-35, 1.1e-35, -1.1e-35], [.5] * 4, [-1, -.5, 1, .75], [-.5, np.nan, -1, 1]]
//! probe = np.array(probe + [list(row) for row in X[:6]], dtype=np.float32)
//! for kind, special in kinds.items():
//!     data = lgb.Dataset(X, (y > 1) if kind == "none" else grades, group=[20] * 20 if kind == "nan" else None)
//!     model = lgb.train({**common, **special}, data, 3)    # model_to_string() up to "end of trees"; predict(probe, raw_score=kind != "forest")
//! ```

use fivefold_core::Model;
use fivefold_rankers::exchange::{Format, ImportedModel};

use crate::{numbers, read, scores};

const FEATURES: &str = include_str!("fixtures/lightgbm.features.txt");
const NAN: &str = include_str!("fixtures/lightgbm-nan.model.txt");
const ZERO: &str = include_str!("fixtures/lightgbm-zero.model.txt");
const NONE: &str = include_str!("fixtures/lightgbm-none.model.txt");
const FOREST: &str = include_str!("fixtures/lightgbm-forest.model.txt");

#[test]
fn models_score_as_in_lightgbm_whatever_is_missing() {
    let rows: Vec<f32> = numbers(FEATURES);
    let kinds = [
        (NAN, include_str!("fixtures/lightgbm-nan.scores.txt"), "lambdamart", "error", 0.0),
        (ZERO, include_str!("fixtures/lightgbm-zero.scores.txt"), "mart", "zero", 0.0),
        (NONE, include_str!("fixtures/lightgbm-none.scores.txt"), "mart", "zero", 0.0),
        // LightGBM divides the sum, here each leaf is divided.
        (FOREST, include_str!("fixtures/lightgbm-forest.scores.txt"), "random-forest", "error", 1e-15),
    ];
    for (text, theirs, ranker, missing, tolerance) in kinds {
        let model = read("lightgbm", text, None).unwrap();
        assert_eq!((model.ranker, model.missing, model.features), (ranker, missing, 4));
        let ours = scores(&model, &rows);
        let theirs: Vec<f64> = numbers(theirs);
        assert_eq!(ours.len(), theirs.len());
        let worst = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst <= tolerance, "{ranker}: {worst:e}\n{ours:?}\n{theirs:?}");
    }
}

#[test]
fn zero_as_missing_takes_nodes_apart_without_changing_gains() {
    let ImportedModel::Trees(model) = read("lightgbm", ZERO, None).unwrap().model else { panic!("no trees") };
    assert!(model.trees().iter().any(|tree| tree.values().len() > 6), "the fixture has nodes that must be taken apart");
    let mut gains = vec![0.0; 4];
    let lines = |key: &'static str| ZERO.lines().filter_map(move |line| line.strip_prefix(key));
    for (features, values) in lines("split_feature=").zip(lines("split_gain=")) {
        for (feature, gain) in numbers::<usize>(features).into_iter().zip(numbers::<f64>(values)) {
            gains[feature] += gain;
        }
    }
    for (ours, theirs) in model.importance().unwrap().iter().zip(&gains) {
        assert!((ours - theirs).abs() < 1e-9, "{ours} {theirs}");
    }
}

/// A tree of which each zero-as-missing node needs three cuts doubles at each.
#[test]
fn zero_as_missing_cannot_grow_without_bound() {
    let chain = |length: usize| {
        let all = |value: &str| vec![value; length].join(" ");
        let left: Vec<String> = (1..length).map(|node| node.to_string()).chain(["-1".to_owned()]).collect();
        let right: Vec<String> = (2..length + 2).map(|leaf| format!("-{leaf}")).collect();
        let values: Vec<String> = (0..=length).map(|leaf| leaf.to_string()).collect();
        format!(
            "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nmax_feature_idx=0\n\nTree=0\nnum_leaves={}\n\
             split_feature={}\nsplit_gain={}\nthreshold={}\ndecision_type={}\nleft_child={}\nright_child={}\nleaf_value={}\n\n\
             end of trees\n",
            length + 1,
            all("0"),
            all("1"),
            all("2"),
            all("4"),
            left.join(" "),
            right.join(" "),
            values.join(" ")
        )
    };
    assert!(read("lightgbm", &chain(5), None).is_ok());
    let error = read("lightgbm", &chain(40), None).unwrap_err().to_string();
    assert!(error.contains("more than 65536 leaves; train without zero_as_missing"), "{error}");
}

/// LightGBM 4.7.0 gives the rows of `lightgbm.features.txt` the scores of `written.scores.txt`:
/// `lgb.Booster(model_file="written.model.txt").predict(np.loadtxt("lightgbm.features.txt", dtype=np.float32), raw_score=True)`.
#[test]
fn lightgbm_reads_what_is_written() {
    let model = read("lightgbm", ZERO, None).unwrap();
    let ImportedModel::Trees(trees) = &model.model else { panic!("no trees") };
    let written = Format::find("lightgbm").unwrap().write(trees, "lambdamart", 0);
    assert_eq!(written, include_str!("fixtures/written.model.txt"));
    let rows: Vec<f32> = numbers(FEATURES);
    assert_eq!(scores(&model, &rows), numbers::<f64>(include_str!("fixtures/written.scores.txt")));
}

//! LightGBM's models, and LightGBM's scores of them. The fixtures are from LightGBM 4.7.0, by
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
use fivefold_rankers::exchange::{AS_TRAINED, ImportedModel};
use fivefold_rankers::export::Exported;

use super::{numbers, read, scores, scores_of_text, try_written, written};

const FEATURES: &str = include_str!("fixtures/lightgbm.features.txt");
const NAN: &str = include_str!("fixtures/lightgbm-nan.model.txt");
const ZERO: &str = include_str!("fixtures/lightgbm-zero.model.txt");
const NONE: &str = include_str!("fixtures/lightgbm-none.model.txt");
const FOREST: &str = include_str!("fixtures/lightgbm-forest.model.txt");

#[test]
fn models_score_as_in_lightgbm_whatever_is_missing() {
    let rows: Vec<f32> = numbers(FEATURES);
    let kinds = [
        (NAN, include_str!("fixtures/lightgbm-nan.scores.txt"), "lambdamart", 0.0),
        (ZERO, include_str!("fixtures/lightgbm-zero.scores.txt"), "mart", 0.0),
        (NONE, include_str!("fixtures/lightgbm-none.scores.txt"), "mart", 0.0),
        // LightGBM divides the sum of the trees; here each leaf is divided.
        (FOREST, include_str!("fixtures/lightgbm-forest.scores.txt"), "random-forest", 1e-15),
    ];
    for (text, theirs, ranker, tolerance) in kinds {
        let model = read("lightgbm", text, None).unwrap();
        assert_eq!((model.ranker, model.missing, model.features), (ranker, AS_TRAINED, 4));
        let ours = scores(&model, &rows);
        let theirs: Vec<f64> = numbers(theirs);
        assert_eq!(ours.len(), theirs.len());
        let worst = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst <= tolerance, "{ranker}: {worst:e}\n{ours:?}\n{theirs:?}");
    }
}

/// The largest difference between two lists of scores.
fn worst(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    ours.iter().zip(theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// uxlfoundation/scikit-learn-intelex #3351, dmlc/treelite #115: values at the midpoints of
/// training values. LightGBM 4.7.0 was trained on numbers with one decimal, and predicts rows with
/// two decimals. 9 rows fall into another leaf if they are rounded to `f32` first:
///
/// ```text
/// rng = np.random.default_rng(11); X = rng.integers(-20, 21, (600, 3)) / 10
/// y = np.clip((X[:, 0] > .1) * 1 + (X[:, 1] > -.3) + (X[:, 2] * 3) % 2, 0, 4).round().astype(int)
/// lgb.train(dict(objective="lambdarank", num_leaves=15, min_data_in_leaf=5, min_data_in_bin=1), lgb.Dataset(X, y, group=[20] * 30), 4)
/// rows: rng.integers(-200, 201) / 100, and each threshold as a number of two decimals; predict(rows as f64, raw_score=True)
/// ```
#[test]
fn values_at_midpoints_go_left_treelite_115() {
    let model = read("lightgbm", include_str!("fixtures/decimals.model.txt"), None).unwrap();
    let theirs: Vec<f64> = numbers(include_str!("fixtures/decimals.scores.txt"));
    let text = include_str!("fixtures/decimals.data.txt");
    assert_eq!(scores_of_text(&model, text), theirs);
    // The fixture is useful, since `f32` does not tell these values apart.
    let row =
        |line: &str| line.split(' ').skip(2).map(|pair| pair.split_once(':').unwrap().1.parse().unwrap()).collect();
    let rows: Vec<f32> = text.lines().flat_map(row as fn(&str) -> Vec<f32>).collect();
    assert_eq!(scores(&model, &rows).iter().zip(&theirs).filter(|(a, b)| a != b).count(), 9);
}

/// dmlc/treelite #98, #95: times with more digits than `f32` holds. LightGBM 4.7.0 gives 0 and 1.
#[test]
fn times_are_told_apart_treelite_98() {
    let text = stump("1609459231", 2, "1");
    let model = read("lightgbm", &text, None).unwrap();
    assert_eq!(scores_of_text(&model, "0 qid:1 1:1609459201\n1 qid:1 1:1609459261\n"), [0.0, 1.0]);
}

/// microsoft/LightGBM #2738, #6139: the training chooses the side of NaN. LightGBM 4.7.0 gives 1
/// and 0; with `use_missing=false`, NaN counts as 0.
#[test]
fn nan_goes_where_the_training_sent_it_lightgbm_2738() {
    let data = "0 qid:1 1:nan\n1 qid:1 1:0.1\n1 qid:1 1:NULL\n0 qid:1 1:9\n";
    let model = |decision| read("lightgbm", &stump("0.15000000000000002", decision, "1"), None).unwrap();
    assert_eq!(scores_of_text(&model(8), data), [1.0, 0.0, 1.0, 1.0]);
    assert_eq!(scores_of_text(&model(10), data), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(scores_of_text(&model(0), data), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(scores_of_text(&model(4), data), [1.0, 0.0, 1.0, 1.0]);
}

/// microsoft/LightGBM #2933: labels of 1e25 give `split_gain=inf`, which scores do not need.
#[test]
fn gains_that_are_not_finite_are_not_known_lightgbm_2933() {
    for gain in ["inf", "nan", "-inf"] {
        let model = read("lightgbm", &stump("0.5", 2, gain), None).unwrap();
        assert_eq!(scores(&model, &[0.0, 1.0]), [0.0, 1.0]);
        let ImportedModel::Trees(trees) = &model.model else { panic!("no trees") };
        assert_eq!(trees.importance(), None);
    }
    let without = stump("0.5", 2, "1").replace("split_gain=1\n", "");
    assert_eq!(scores(&read("lightgbm", &without, None).unwrap(), &[0.0, 1.0]), [0.0, 1.0]);
}

fn stump(threshold: &str, decision: u8, gain: &str) -> String {
    format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=0\nobjective=regression\n\n\
         Tree=0\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain={gain}\nthreshold={threshold}\ndecision_type={decision}\n\
         left_child=-1\nright_child=-2\nleaf_value=0 1\nis_linear=0\nshrinkage=1\n\n\nend of trees\n"
    )
}

/// LightGBM 4.7.0 with categories in two of three features. Rows hold NaN, and negative, fractional
/// and very large categories:
///
/// ```text
/// rng = np.random.default_rng(5)
/// X = np.column_stack([rng.integers(0, 70, 800), rng.integers(-3, 4, 800) / 2, rng.integers(0, 5, 800)]).astype(float)
/// X[rng.random(X.shape) < .08] = np.nan
/// y = np.isin(X[:, 0], [0, 3, 8, 33, 64, 69]) * 2 + np.isin(X[:, 2], [0, 4]) + np.nan_to_num(X[:, 1]) * .5
/// lgb.train(dict(objective="regression", num_leaves=8, min_data_in_leaf=5, min_data_per_group=3, cat_smooth=1, cat_l2=1,
///                max_cat_to_onehot=2), lgb.Dataset(X, y, categorical_feature=[0, 2]), 4)
/// ```
#[test]
fn sets_of_categories_score_as_in_lightgbm() {
    let model = read("lightgbm", include_str!("fixtures/categories.model.txt"), None).unwrap();
    let theirs: Vec<f64> = numbers(include_str!("fixtures/categories.scores.txt"));
    assert_eq!(scores_of_text(&model, include_str!("fixtures/categories.data.txt")), theirs);
    // With one threshold a node, the scores of `f32` values are the same.
    let ImportedModel::Trees(trees) = &model.model else { panic!("no trees") };
    let rows: Vec<f32> = (0..300).map(|place| (place * 7 % 150) as f32 / 2.0 - 3.0).collect();
    for format in ["lightgbm", "ranklib"] {
        let first = u32::from(format == "ranklib");
        let text = written(format, &Exported::Trees(trees.clone()), model.ranker, first);
        let again = read(format, &text, Some(3)).unwrap();
        let difference = worst(&scores(&again, &rows), &scores(&model, &rows));
        assert!(difference == 0.0, "{format}: {difference:e}");
    }
}

/// Models and scores of LightGBM 2.0.10 (which states no version), 2.2.3 (v2) and 2.3.1:
///
/// ```text
/// rng = np.random.default_rng(3)
/// X = np.column_stack([rng.integers(-9, 10, 600) / 10, rng.integers(0, 40, 600), rng.integers(-4, 5, 600) / 2]).astype(float)
/// X[rng.random(X.shape) < .1] = np.nan
/// y = np.nan_to_num(X[:, 0]) * 3 + np.isin(X[:, 1], [1, 5, 7, 33, 38]) * 2. + rng.random(600)
/// params = dict(objective="lambdarank", num_leaves=7, min_data_in_leaf=5, min_data_in_bin=1, min_data_per_group=3, cat_smooth=1)
/// lgb.train(params, lgb.Dataset(X, np.clip(y.round(), 0, 4), group=[20] * 30, categorical_feature=[1]), 4)
/// ```
#[test]
fn models_of_older_versions_score_as_there() {
    let data = include_str!("fixtures/lightgbm-2.data.txt");
    for (version, model, theirs) in [
        ("2.0", include_str!("fixtures/lightgbm-2.0.model.txt"), include_str!("fixtures/lightgbm-2.0.scores.txt")),
        ("2.2", include_str!("fixtures/lightgbm-2.2.model.txt"), include_str!("fixtures/lightgbm-2.2.scores.txt")),
        ("2.3", include_str!("fixtures/lightgbm-2.3.model.txt"), include_str!("fixtures/lightgbm-2.3.scores.txt")),
    ] {
        let model = read("lightgbm", model, None).unwrap();
        assert_eq!((model.ranker, model.features), ("lambdamart", 3));
        assert_eq!(scores_of_text(&model, data), numbers::<f64>(theirs), "{version}");
    }
}

#[test]
fn gains_are_those_of_the_file() {
    let ImportedModel::Trees(model) = read("lightgbm", ZERO, None).unwrap().model else { panic!("no trees") };
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

/// A node with zero as the missing value needs three cuts. A tree of such nodes doubles at each
/// node, in a format with one threshold a node.
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
    let written = |length: usize| {
        let model = read("lightgbm", &chain(length), None).unwrap();
        // 0 goes right at the first node, to leaf 1.
        assert_eq!(scores(&model, &[0.0, 1.0, 3.0]), [1.0, 0.0, 1.0]);
        let ImportedModel::Trees(trees) = &model.model else { panic!("no trees") };
        try_written("ranklib", &Exported::Trees(trees.clone()), model.ranker, 1)
    };
    assert!(written(5).is_ok());
    let error = written(40).unwrap_err().why;
    assert!(error.contains("the tree has more than 65536 leaves"), "{error}");
}

/// LightGBM 4.7.0 gives the rows of `lightgbm.features.txt` the scores of `written.scores.txt`:
/// `lgb.Booster(model_file="written.model.txt").predict(np.loadtxt("lightgbm.features.txt",
/// dtype=np.float32), raw_score=True)`.
#[test]
fn lightgbm_reads_what_is_written() {
    let model = read("lightgbm", ZERO, None).unwrap();
    let ImportedModel::Trees(trees) = model.model.clone() else { panic!("no trees") };
    let text = written("lightgbm", &Exported::Trees(trees), "lambdamart", 0);
    assert_eq!(text, include_str!("fixtures/written.model.txt"));
    let rows: Vec<f32> = numbers(FEATURES);
    assert_eq!(scores(&model, &rows), numbers::<f64>(include_str!("fixtures/written.scores.txt")));
}

/// The counts in LightGBM's trees are written as they were read, since `pred_contrib` needs them.
#[test]
fn counts_and_hessians_come_back() {
    for (text, ranker) in [(NAN, "lambdamart"), (FOREST, "random-forest")] {
        let ImportedModel::Trees(trees) = read("lightgbm", text, None).unwrap().model else { panic!("no trees") };
        let again = written("lightgbm", &Exported::Trees(trees), ranker, 0);
        for key in ["leaf_count=", "leaf_weight=", "internal_count=", "internal_weight=", "internal_value="] {
            let lines = |text: &str| -> Vec<f64> {
                text.lines().filter_map(|line| line.strip_prefix(key)).flat_map(numbers).collect()
            };
            let (ours, theirs) = (lines(&again), lines(text));
            assert!(!ours.is_empty() && ours.len() == theirs.len(), "{key}");
            for (ours, theirs) in ours.iter().zip(&theirs) {
                // LightGBM writes sums and means of nodes with six digits. Here a forest's values
                // are divided by the number of trees.
                let scale = if key == "internal_value=" && ranker == "random-forest" { 3.0 } else { 1.0 };
                assert!((ours * scale - theirs).abs() <= 1e-5 * theirs.abs().max(1e-2), "{key} {ours} {theirs}");
            }
        }
    }
    // If zero is the missing value, nodes become chains and leaves stand twice, so there are no
    // counts.
    let ImportedModel::Trees(trees) = read("lightgbm", ZERO, None).unwrap().model else { panic!("no trees") };
    assert!(!written("lightgbm", &Exported::Trees(trees), "mart", 0).contains("leaf_count="));
}

/// Missing or invalid counts alter no score, and are dropped.
#[test]
fn a_model_without_counts_is_read() {
    let without: String =
        NAN.lines().filter(|line| !line.starts_with("leaf_count")).flat_map(|line| [line, "\n"]).collect();
    let negative = NAN.replace("leaf_count=129", "leaf_count=-129");
    let rows: Vec<f32> = numbers(FEATURES);
    let expected = scores(&read("lightgbm", NAN, None).unwrap(), &rows);
    for text in [without, negative] {
        let model = read("lightgbm", &text, None).unwrap();
        assert_eq!(scores(&model, &rows), expected);
        let ImportedModel::Trees(trees) = model.model else { panic!("no trees") };
        assert_eq!(trees.trees()[0].documents(), None);
    }
}

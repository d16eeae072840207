//! Models in the files of other programs score as our models do. The rules of each program are in
//! `engines`.
#![allow(clippy::unwrap_used)]

mod engines;

use std::path::PathBuf;

use fivefold_core::conformance::data::signal_in_order;
use fivefold_core::{Dataset, FitContext, Model, QueryView, Ranker, Seed};
use fivefold_data::{Fitted, Normaliser, NormaliserMethod, Over, Source, open};
use fivefold_rankers::coordinate_ascent::CoordinateAscent;
use fivefold_rankers::exchange::{Columns, Format, ImportedModel};
use fivefold_rankers::export::{
    Context, Exported, Formula, Normalised, Refusal, SOURCES, Scaling, TARGETS, Target, Written,
};
use fivefold_rankers::feature::Feature;
use fivefold_rankers::lambdamart::LambdaMart;
use fivefold_rankers::linear::Linear;
use fivefold_rankers::mart::Mart;
use fivefold_rankers::random_forest::RandomForest;
use fivefold_rankers::rankboost::RankBoost;
use fivefold_rankers::tree_model::TreeModel;
use fivefold_trees::{Node, Tree};
use serde_json::Value;

use engines::Engine;

const ENGINES: &[(&str, Engine)] =
    &[("solr", engines::solr), ("elasticsearch", engines::plugin), ("opensearch", engines::plugin)];

/// The normalisers that a file can hold, on which the rankers are trained.
const METHODS: [NormaliserMethod; 4] =
    [NormaliserMethod::None, NormaliserMethod::MinMax, NormaliserMethod::ZScore, NormaliserMethod::LogZScore];

fn exported<R: Ranker>(ranker: &R, train: &Dataset) -> Exported {
    let model = ranker.fit(train, &FitContext::new(Seed::new(3))).unwrap();
    let source = SOURCES.iter().find(|source| source.ranker == R::NAME).unwrap();
    (source.read)(serde_json::to_value(&model).unwrap()).unwrap()
}

fn formula(method: NormaliserMethod) -> Option<Formula> {
    Some(match method {
        NormaliserMethod::None => return None,
        NormaliserMethod::MinMax => Formula::MinMax,
        NormaliserMethod::ZScore => Formula::ZScore,
        NormaliserMethod::LogZScore => Formula::LogZScore,
    })
}

fn write(target: &str, model: &Exported, ranker: &str, fitted: &Fitted, features: usize) -> Result<Written, Refusal> {
    let target = Target::find(target).unwrap();
    let context = Context { ranker, name: "m", first: target.first_feature, features, names: None, missing: "error" };
    let scales: Vec<(f64, f64)> = fitted.scales().collect();
    let value = |feature: usize, value: f32| fitted.value(feature, value);
    let normalised = match formula(fitted.method()) {
        Some(formula) => Normalised::ByTraining(Scaling { formula, scales: &scales, value: &value }),
        None => Normalised::No,
    };
    target.write(model, &context, normalised)
}

fn text(written: &Written) -> &str {
    std::str::from_utf8(&written.bytes).unwrap()
}

/// Our scores of rows of raw features.
fn ours(model: &dyn Model, fitted: &Fitted, rows: &[f32], width: usize) -> Vec<f64> {
    let normalised: Vec<f32> = match fitted.method() {
        NormaliserMethod::None => rows.to_vec(),
        _ => rows.iter().enumerate().map(|(place, &value)| fitted.value(place % width, value)).collect(),
    };
    let mut scores = vec![f64::NAN; rows.len() / width];
    model.score(QueryView::new("q", &normalised, width, scores.len()), &mut scores);
    scores
}

fn model_of(model: &Exported) -> &dyn Model {
    match model {
        Exported::Trees(model) => model,
        Exported::Linear(model) => model,
    }
}

/// About 200 rows of `test`. For trees also values at and beside 60 of their thresholds.
fn rows(test: &Dataset, model: &Exported) -> Vec<f32> {
    let width = test.width();
    let step = test.documents().div_ceil(200);
    let mut rows: Vec<f32> =
        test.queries().flat_map(|query| query.view().rows()).step_by(step).flatten().copied().collect();
    if let Exported::Trees(trees) = model {
        let nodes: Vec<Node> = trees.trees().iter().flat_map(Tree::nodes).collect();
        for node in nodes.iter().step_by(nodes.len().div_ceil(60)) {
            for value in [node.threshold, node.threshold.next_up(), node.threshold.next_down()] {
                let mut row = test.query(0).view().features()[..width].to_vec();
                row[node.feature as usize] = value;
                rows.extend(row);
            }
        }
    }
    rows
}

/// Every engine finds the same leaves as our trees, and adds them up to about our score.
fn check<R: Ranker>(ranker: &R, train: &Dataset, test: &Dataset) {
    for method in METHODS {
        let fitted = Normaliser { method, over: Over::Train }.fit(train).unwrap();
        let model = exported(ranker, &fitted.apply(train).unwrap());
        let (width, rows) = (test.width(), rows(test, &model));
        let ours = ours(model_of(&model), &fitted, &rows, width);
        for (target, engine) in ENGINES {
            let what = format!("{} {method:?} {target}", R::NAME);
            let written = match write(target, &model, R::NAME, &fitted, width) {
                Ok(written) => written,
                Err(refusal) => {
                    assert!(
                        method == NormaliserMethod::LogZScore && matches!(model, Exported::Linear(_)),
                        "{what}: {refusal}"
                    );
                    continue;
                }
            };
            let json: Value = serde_json::from_str(text(&written)).unwrap();
            let unmet = written.notes.iter().any(|note| note.contains("cannot meet"));
            let mut other_ways = 0;
            for (row, &ours) in rows.chunks(width).zip(&ours) {
                let score = engine(&json, &|name| row[name.parse::<usize>().unwrap() - 1]);
                let tolerance = 2e-6 * ours.abs().max(1.0);
                match &model {
                    Exported::Trees(_) if score.exact != ours => other_ways += 1,
                    Exported::Trees(_) => {
                        assert!((f64::from(score.engine) - ours).abs() < tolerance, "{what}: {score:?} {ours}")
                    }
                    Exported::Linear(linear) => {
                        let size: f64 = linear.weights.iter().map(|weight| weight.abs()).sum::<f64>().max(1.0);
                        let ours = ours - linear.intercept;
                        assert!((f64::from(score.engine) - ours).abs() < 1e-5 * size, "{what}: {score:?} {ours}");
                        assert!((score.exact - ours).abs() < 1e-5 * size, "{what}: {score:?} {ours}");
                    }
                }
            }
            // Solr's note counts the thresholds that Solr cannot have. Only values beside these
            // thresholds go another way.
            assert!(
                other_ways == 0 || (unmet && other_ways * 100 < ours.len()),
                "{what}: {other_ways} of {}",
                ours.len()
            );
        }
        // Formats that we can read give the same scores, bit for bit, on raw features.
        for format in ["ranklib", "lightgbm"].map(|name| Format::find(name).unwrap()) {
            let Exported::Trees(_) = model else { continue };
            let written = write(format.name, &model, R::NAME, &fitted, width).unwrap();
            let columns = Columns { first: format.first_feature, features: Some(width) };
            let ImportedModel::Trees(again) = format.read(text(&written), columns).unwrap().model else { panic!() };
            let mut scores = vec![f64::NAN; ours.len()];
            again.score(QueryView::new("q", &rows, width, ours.len()), &mut scores);
            assert_eq!(scores, ours, "{} {method:?} {}", R::NAME, format.name);
        }
    }
}

/// Each threshold of a model is tried on a row of its own, so the time grows with the square of
/// `trees`.
fn check_all(train: &Dataset, test: &Dataset, trees: usize) {
    check(&LambdaMart { trees, ..LambdaMart::default() }, train, test);
    check(&Mart { trees, ..Mart::default() }, train, test);
    check(&RandomForest { bags: trees.div_ceil(3), ..RandomForest::default() }, train, test);
    check(&RankBoost { rounds: trees, ..RankBoost::default() }, train, test);
    check(&Linear::default(), train, test);
    check(&Feature { feature: Some(2), negate: true }, train, test);
}

#[test]
fn engines_score_as_we_do_on_made_data() {
    check_all(&signal_in_order(40, 1), &signal_in_order(20, 2), 6);
}

#[test]
fn engines_score_as_we_do_on_mq2008() {
    let Some(folder) = std::env::var_os("FIVEFOLD_DATA") else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return;
    };
    let source = Source { name: Some("mq2008".to_owned()), ..Source::default() };
    let fold = open(&source, &[PathBuf::from(folder)]).unwrap().folds.remove(0);
    check_all(&fold.train, &fold.test, 20);
}

/// RankLib's linear text, as its `LinearRegRank` and `CoorAscent` read it: entries
/// `feature:weight`, 0 for the intercept.
#[test]
fn linear_models_go_to_ranklib() {
    let (train, test) = (signal_in_order(40, 1), signal_in_order(20, 2));
    for method in [NormaliserMethod::None, NormaliserMethod::MinMax, NormaliserMethod::ZScore] {
        let fitted = Normaliser { method, over: Over::Train }.fit(&train).unwrap();
        let normalised = fitted.apply(&train).unwrap();
        let ascent = CoordinateAscent::default();
        for (ranker, model, head) in [
            (Linear::NAME, exported(&Linear::default(), &normalised), "## Linear Regression\n0:"),
            (CoordinateAscent::NAME, exported(&ascent, &normalised), "## "),
        ] {
            let written = write("ranklib", &model, ranker, &fitted, train.width()).unwrap();
            assert!(text(&written).starts_with(head), "{}", text(&written));
            let entries = text(&written).lines().find(|line| !line.starts_with('#')).unwrap();
            let entries: Vec<(usize, f64)> = entries
                .split(' ')
                .map(|entry| entry.split_once(':').unwrap())
                .map(|(feature, weight)| (feature.parse().unwrap(), weight.parse().unwrap()))
                .collect();
            let rows = rows(&test, &model);
            let ours = ours(model_of(&model), &fitted, &rows, train.width());
            for (row, ours) in rows.chunks(train.width()).zip(ours) {
                let score: f64 = entries
                    .iter()
                    .map(|&(feature, weight)| if feature == 0 { weight } else { weight * f64::from(row[feature - 1]) })
                    .sum();
                assert!((score - ours).abs() < 1e-6, "{ranker} {method:?}: {score} {ours}");
            }
        }
    }
}

fn named(features: usize, names: &[String]) -> Context<'_> {
    Context { ranker: "mart", name: "m", first: 1, features, names: Some(names), missing: "error" }
}

#[test]
fn names_of_features_take_the_place_of_numbers() {
    let model = exported(&Mart { trees: 2, ..Mart::default() }, &signal_in_order(40, 1));
    let Exported::Trees(trees) = &model else { panic!() };
    let names: Vec<String> = (1..=trees.features()).map(|number| format!("a \"{number}\"")).collect();
    let features = trees.features();
    for target in TARGETS {
        let written = target.write(&model, &named(features, &names), Normalised::No);
        if !target.names {
            assert!(written.unwrap_err().why.contains("have numbers, not names"));
            continue;
        }
        let written = written.unwrap();
        assert!(
            text(&written).contains(if target.name == "lightgbm" { "a_\"2\"" } else { "\"2\\" }),
            "{}",
            target.name
        );
        let why = |names: &[String]| target.write(&model, &named(features, names), Normalised::No).unwrap_err().why;
        assert!(why(&names[1..]).contains("names"), "{}", why(&names[1..]));
        let twice = vec!["x".to_owned(); names.len()];
        assert_eq!(why(&twice), "two features are called `x`");
    }
}

#[test]
fn what_a_program_cannot_say_is_refused_with_a_reason() {
    let train = signal_in_order(40, 1);
    let width = train.width();
    let linear = exported(&Linear::default(), &train);
    let plain = Fitted::default();
    let refusal = write("lightgbm", &linear, "linear", &plain, width).unwrap_err();
    assert_eq!(refusal.why, "lightgbm has no linear models");
    assert!(refusal.help.contains("solr") && refusal.help.contains("onnx"), "{}", refusal.help);
    let logarithm = Normaliser { method: NormaliserMethod::LogZScore, over: Over::Train }.fit(&train).unwrap();
    for (target, taken) in
        [("solr", false), ("elasticsearch", false), ("opensearch", false), ("ranklib", false), ("onnx", true)]
    {
        let written = write(target, &linear, "linear", &logarithm, width);
        assert_eq!(written.is_ok(), taken, "{target}");
        assert!(
            written.err().is_none_or(|refusal| refusal.why.contains("no logarithm") && refusal.help.contains("onnx"))
        );
    }
    let trees = exported(&Mart { trees: 2, ..Mart::default() }, &train);
    for target in TARGETS {
        let context =
            Context { ranker: "mart", name: "m", first: 1, features: width, names: None, missing: "query-min" };
        match target.write(&trees, &context, Normalised::ByQuery) {
            Ok(written) => {
                assert!(["ranklib", "lightgbm", "onnx"].contains(&target.name), "{}", target.name);
                assert!(written.notes.iter().any(|note| note.contains("normalise them before")), "{:?}", written.notes);
                assert!(
                    written.notes.iter().any(|note| note.contains("least value of its query")),
                    "{:?}",
                    written.notes
                );
            }
            Err(refusal) => {
                assert!(refusal.why.contains("sees one document at a time"), "{refusal}");
                assert!(refusal.help.contains("METHOD:train"), "{}", refusal.help);
            }
        }
    }
}

/// A chain of 2,000 nodes, which recursion could not write.
#[test]
fn trees_of_any_depth_are_written() {
    let length = 2_000;
    let node = |i: i32| Node {
        feature: 0,
        threshold: i as f32,
        missing_left: true,
        left: !i,
        right: if i + 1 < length { i + 1 } else { !length },
        gain: 1.0,
    };
    let nodes: Vec<Node> = (0..length).map(node).collect();
    let tree = Tree::new(&nodes, (0..=length).map(f64::from).collect()).unwrap();
    let model = Exported::Trees(TreeModel::new(1, 0.0, vec![tree]).unwrap());
    for target in TARGETS {
        let written = write(target.name, &model, "mart", &Fitted::default(), 1).unwrap();
        assert!(written.bytes.len() > length as usize);
    }
}

/// Trees from training have counts of documents, and so has LightGBM's text. A file of an older
/// version has no counts.
#[test]
fn counts_of_training_are_written_for_lightgbm() {
    let train = signal_in_order(40, 1);
    let has_pairs = |grades: &[u8]| grades.iter().any(|grade| *grade != grades[0]);
    let in_pairs = train.queries().filter(|query| has_pairs(query.grades())).map(|query| query.len()).sum::<usize>();
    for (ranker, model) in [
        ("mart", exported(&Mart { trees: 3, ..Mart::default() }, &train)),
        ("lambdamart", exported(&LambdaMart { trees: 3, ..LambdaMart::default() }, &train)),
        ("random-forest", exported(&RandomForest { bags: 3, ..RandomForest::default() }, &train)),
        ("rankboost", exported(&RankBoost { rounds: 3, ..RankBoost::default() }, &train)),
    ] {
        let written = write("lightgbm", &model, ranker, &Fitted::default(), train.width()).unwrap();
        assert_eq!(written.notes, Vec::<String>::new());
        let lines = |key: &str| -> Vec<Vec<f64>> {
            let lines = text(&written).lines().filter_map(|line| line.strip_prefix(key));
            lines.map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect()).collect()
        };
        let (leaves, nodes) = (lines("leaf_count="), lines("internal_count="));
        assert_eq!((leaves.len(), nodes.len()), (3, 3));
        for (leaves, nodes) in leaves.iter().zip(&nodes) {
            assert_eq!(leaves.iter().sum::<f64>(), nodes[0], "{ranker}");
            // A bag has as many queries as the data, some of them several times, and all queries
            // here have equally many documents. RankBoost learns from queries of several grades
            // only.
            assert_eq!(nodes[0] as usize, if ranker == "rankboost" { in_pairs } else { train.documents() }, "{ranker}");
        }
        let (weights, sums) = (lines("leaf_weight="), lines("internal_weight="));
        for (weights, sums) in weights.iter().zip(&sums) {
            assert!((weights.iter().sum::<f64>() - sums[0]).abs() < 1e-9 * sums[0], "{ranker}");
        }
        let Exported::Trees(trees) = &model else { panic!() };
        let old: Vec<Tree> = trees
            .trees()
            .iter()
            .map(|tree| Tree::new(&tree.nodes().collect::<Vec<_>>(), tree.values().to_vec()).unwrap())
            .collect();
        let old = Exported::Trees(TreeModel::new(trees.features(), trees.base(), old).unwrap());
        let written = write("lightgbm", &old, ranker, &Fitted::default(), train.width()).unwrap();
        assert!(
            written.notes[0].starts_with("3 of 3 trees have no counts of training documents"),
            "{:?}",
            written.notes
        );
        assert!(!text(&written).contains("leaf_count"));
    }
}

//! Tests `export`: other programs must give the scores of fivefold's models. LightGBM and
//! onnxruntime run in these tests. The tests of `fivefold-rankers` score models for Solr,
//! Elasticsearch and OpenSearch by the rules of these engines.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{directory, fivefold, python, real_data, stderr, stdout};

/// A Python program that prints scores and contributions of the rows of `rows.txt` as JSON, by
/// LightGBM or onnxruntime, for each model that is named. Python reads the decimals. One process does
/// all models, because the import of a library takes longer than its scores.
const SCORE: &str = r#"
import json, sys
import numpy as np
rows = np.loadtxt("rows.txt", ndmin=2)
program, files = sys.argv[1], sys.argv[2:]
found = []
if program == "lightgbm":
    # LightGBM takes these packages if they are there, and does the same without them: half of its start.
    sys.modules.update(dict.fromkeys(["pandas", "sklearn"]))
    import lightgbm
    for file in files:
        model = lightgbm.Booster(model_file=file)
        contributions = model.predict(rows, raw_score=True, pred_contrib=True).tolist()
        found.append({"scores": model.predict(rows, raw_score=True).tolist(), "contributions": contributions})
if program == "onnx":
    import onnxruntime
    for file in files:
        session = onnxruntime.InferenceSession(file)
        (scores,) = session.run(["scores"], {"features": rows.astype(np.float32)})
        assert scores.shape == (len(rows), 1) and scores.dtype == np.float64
        found.append({"scores": scores[:, 0].tolist()})
print(json.dumps(found))
"#;

/// What another program finds for `rows.txt`, for each of these models.
fn score(python: &str, at: &Path, program: &str, models: &[String]) -> Vec<Value> {
    let output = Command::new(python).current_dir(at).args(["-c", SCORE, program]).args(models).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found.len(), models.len());
    found
}

/// What another program finds for `rows.txt` with one model.
fn score_one(python: &str, at: &Path, program: &str, model: &str) -> Value {
    score(python, at, program, &[model.to_owned()]).remove(0)
}

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The scores of `fivefold score`.
fn ours(at: &Path, data: &str) -> Vec<f64> {
    stdout(at, &format!("score --model model.json --data {data}")).lines().map(|line| line.parse().unwrap()).collect()
}

/// Returns LETOR text, and its features alone. There are `queries` queries with 10 documents each,
/// and 5 features of `decimals` decimals.
fn made(seed: u64, queries: usize, decimals: usize) -> (String, String) {
    let mut state = seed;
    let mut uniform = || {
        // Knuth's generator; only its upper bits are used.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let (mut text, mut rows) = (String::new(), String::new());
    for query in 0..queries {
        for _ in 0..10 {
            let values: Vec<f64> =
                (0..5).map(|feature| (uniform() - 0.3) * [1.0, 3.0, 40.0, 0.1, 1.0][feature]).collect();
            let signal = values[0] + values[1] * 0.5 + values[2] / 40.0 + uniform() * 0.5;
            let values: Vec<String> = values.iter().map(|value| format!("{value:.decimals$}")).collect();
            let pairs: Vec<String> = values.iter().zip(1..).map(|(value, id)| format!("{id}:{value}")).collect();
            text.push_str(&format!("{} qid:{query} {}\n", (signal * 1.5).clamp(0.0, 4.0) as u8, pairs.join(" ")));
            rows.push_str(&format!("{}\n", values.join(" ")));
        }
    }
    (text, rows)
}

/// The rankers whose models are trees.
const TREES: [(&str, &str); 4] = [
    ("lambdamart", "--param trees=30"),
    ("mart", "--param trees=30"),
    ("random-forest", "--param bags=20"),
    ("rankboost", "--param rounds=30"),
];

/// shap/shap #3094, LightGBM #5962: contributions are not numbers if a model has no counts. The
/// training data have one decimal and the test data two. So some test values lie halfway between
/// training values (scikit-learn-intelex #3351, dmlc/treelite #115).
#[test]
fn lightgbm_scores_as_we_do_and_shares_scores_out() {
    let Some(python) = python("lightgbm, numpy") else { return };
    let ((train, _), (test, rows)) = (made(1, 60, 1), made(2, 60, 2));
    let folder = directory(&[("train.txt", &train), ("test.txt", &test), ("rows.txt", &rows)]);
    let at = folder.path();
    let (mut models, mut own) = (Vec::new(), Vec::new());
    for normaliser in ["none", "z-score:train", "log-z-score:train"] {
        for (ranker, options) in TREES {
            let model = format!("{ranker} {normaliser}.txt").replace([' ', ':'], "-");
            stdout(
                at,
                &format!("train --ranker {ranker} {options} --normalise {normaliser} --train train.txt -o model.json"),
            );
            stdout(at, &format!("export model.json --format lightgbm -o {model}"));
            own.push(ours(at, "test.txt"));
            models.push(model);
        }
    }
    for ((model, theirs), ours) in models.iter().zip(score(&python, at, "lightgbm", &models)).zip(own) {
        let scores = numbers(&theirs["scores"]);
        assert!(ours.iter().any(|score| *score != ours[0]));
        assert_eq!(scores, ours, "{model}");
        let mut worst = 0.0f64;
        for (contributions, score) in theirs["contributions"].as_array().unwrap().iter().zip(&scores) {
            let contributions = numbers(contributions);
            assert!(contributions.iter().all(|value| value.is_finite()), "{model}: {contributions:?}");
            worst = worst.max((contributions.iter().sum::<f64>() - score).abs());
        }
        println!("{model}: contributions differ from the score by {worst:e}");
        assert!(worst <= 1e-9, "{model}: {worst:e}");
    }
}

/// Two documents, as in shap/shap #3094: the first tree contains the base.
#[test]
fn contributions_of_one_cut_are_finite() {
    let Some(python) = python("lightgbm, numpy") else { return };
    let folder = directory(&[("train.txt", "1 qid:1 1:1\n0 qid:1 1:0\n"), ("rows.txt", "1\n0\n")]);
    let at = folder.path();
    stdout(at, "train --ranker mart --param min_documents=1 --param trees=1 --train train.txt -o model.json");
    assert_eq!(stderr(at, "export model.json --format lightgbm -o model.txt", 0), "");
    let theirs = score_one(&python, at, "lightgbm", "model.txt");
    assert_eq!(numbers(&theirs["scores"]), [0.525, 0.475]);
    // The mean score is .5, and the only feature moves the score by .025.
    for (found, expected) in theirs["contributions"].as_array().unwrap().iter().zip([[0.025, 0.5], [-0.025, 0.5]]) {
        for (found, expected) in numbers(found).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{theirs}");
        }
    }
}

#[test]
fn onnxruntime_scores_as_we_do() {
    let linear = [("linear", ""), ("coordinate-ascent", ""), ("feature", "--param feature=2")];
    onnxruntime_scores(&[&TREES[..], &linear].concat());
}

/// Checks that onnxruntime gives the same scores as fivefold, for models of these rankers with
/// these options.
pub fn onnxruntime_scores(rankers: &[(&str, &str)]) {
    let Some(python) = python("onnxruntime, numpy") else { return };
    let ((train, _), (test, rows)) = (made(3, 60, 3), made(4, 60, 4));
    let folder = directory(&[("train.txt", &train), ("test.txt", &test), ("rows.txt", &rows)]);
    let at = folder.path();
    let (mut models, mut own) = (Vec::new(), Vec::new());
    for normaliser in ["none", "min-max:train", "z-score:train", "log-z-score:train"] {
        for (ranker, options) in rankers {
            let model = format!("{ranker} {normaliser}.onnx").replace([' ', ':'], "-");
            stdout(
                at,
                &format!("train --ranker {ranker} {options} --normalise {normaliser} --train train.txt -o model.json"),
            );
            stdout(at, &format!("export model.json --format onnx -o {model}"));
            // Single precision rounds normalised features of linear models, and logarithms differ
            // in their last bits.
            let tolerance =
                if normaliser.starts_with("log") && !TREES.contains(&(*ranker, *options)) { 1e-6 } else { 1e-12 };
            own.push((ours(at, "test.txt"), tolerance));
            models.push(model);
        }
    }
    for ((model, theirs), (ours, tolerance)) in models.iter().zip(score(&python, at, "onnx", &models)).zip(own) {
        let theirs = numbers(&theirs["scores"]);
        assert_eq!(theirs.len(), ours.len());
        let worst = ours.iter().zip(&theirs).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max);
        println!("{model}: scores differ by {worst:e}");
        assert!(worst <= tolerance, "{model}: {worst:e}");
    }
}

/// LightGBM and onnxruntime give the scores of fivefold on a published collection too.
#[test]
fn lightgbm_and_onnxruntime_score_mq2008_as_we_do() {
    let Some(python) = python("lightgbm, numpy, onnxruntime") else { return };
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let at = folder.path();
    let [train, test] = ["S1.txt", "S5.txt"].map(|part| data.join("mq2008").join(part));
    let text = std::fs::read_to_string(&test).unwrap();
    let row = |line: &str| {
        let values = line.split('#').next().unwrap_or_default().split_whitespace().skip(2);
        values.map(|pair| pair.split(':').nth(1).unwrap_or_default()).collect::<Vec<_>>().join(" ")
    };
    std::fs::write(at.join("rows.txt"), text.lines().map(|line| row(line) + "\n").collect::<String>()).unwrap();
    let succeeds = |arguments: &[&str]| {
        let output = fivefold(at).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let (train, test) = (train.to_str().unwrap(), test.to_str().unwrap());
    succeeds(&["train", "--ranker", "lambdamart", "--param", "trees=100", "--train", train, "-o", "model.json"]);
    let ours: Vec<f64> = succeeds(&["score", "--model", "model.json", "--data", test])
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    stdout(at, "export model.json --format lightgbm -o model.txt");
    stdout(at, "export model.json --format onnx -o model.onnx --replace");
    let theirs = score_one(&python, at, "lightgbm", "model.txt");
    assert_eq!(numbers(&theirs["scores"]), ours);
    let sum = |contributions: &Value| numbers(contributions).iter().sum::<f64>();
    let far = theirs["contributions"].as_array().unwrap().iter().zip(&ours).find(|(all, score)| {
        let off = (sum(all) - **score).abs();
        off.is_nan() || off > 1e-9
    });
    assert!(far.is_none(), "{far:?}");
    let worst = numbers(&score_one(&python, at, "onnx", "model.onnx")["scores"])
        .iter()
        .zip(&ours)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(worst <= 1e-12, "{worst:e}");
}

#[test]
fn what_an_engine_cannot_say_is_told() {
    let (train, _) = made(5, 20, 2);
    let folder =
        directory(&[("train.txt", &train), ("names.txt", "bm25\nlength\nclicks\nage\nprice\n"), ("two.txt", "a\n\n")]);
    let at = folder.path();
    stdout(at, "train --ranker mart --param trees=2 --train train.txt -o model.json");
    let text = stdout(at, "export model.json --format solr --feature-names names.txt --name shop");
    assert!(text.contains("\"name\":\"shop\"") && text.contains("\"feature\":\"bm25\""), "{text}");
    let text = stdout(at, "export model.json --format opensearch");
    assert!(text.contains("\"name\": \"model\"") && text.contains("\"model/xgboost+json\""), "{text}");
    assert!(
        stderr(at, "export model.json --format solr --feature-names two.txt", 2)
            .contains("two.txt:2: the line is empty")
    );
    assert!(
        stderr(at, "export model.json --format onnx", 2).contains("onnx is not text and cannot go to standard output")
    );
    stdout(at, "train --ranker mart --param trees=2 --normalise min-max --train train.txt -o model.json");
    let message = stderr(at, "export model.json --format elasticsearch -o out.json", 2);
    assert!(message.contains("sees one document at a time") && message.contains("METHOD:train"), "{message}");
    stdout(at, "train --ranker linear --normalise z-score:train --train train.txt -o model.json");
    let message = stderr(at, "export model.json --format solr -o out.json", 0);
    assert!(message.contains("the intercept") && message.contains("rankings are the same"), "{message}");
    assert!(
        std::fs::read_to_string(at.join("out.json")).unwrap().contains("org.apache.solr.ltr.norm.StandardNormalizer")
    );
    refuse_to_export(at, "ranknet");
}

/// Checks that a model of this ranker, trained on `train.txt` in the folder `at`, cannot be
/// exported.
pub fn refuse_to_export(at: &Path, ranker: &str) {
    stdout(at, &format!("train --ranker {ranker} --train train.txt -o model.json"));
    let message = stderr(at, "export model.json --format solr -o out.json", 2);
    assert!(message.contains(&format!("models of `{ranker}` have no counterpart")), "{message}");
    assert!(message.contains("lambdamart, mart"), "{message}");
}

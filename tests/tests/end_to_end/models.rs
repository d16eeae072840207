//! Tests `train` and `score`: the settings that a model file keeps, and the ways in which a fit can
//! end.

use std::path::Path;

use insta::assert_snapshot;

use crate::harness::{directory, json, run, stderr, stdout};

/// The second feature is the grade, on another scale for each query. So only a normaliser over each
/// query makes the queries alike.
const TRAIN: &str = "2 qid:1 1:5 2:300\n1 qid:1 1:5 2:200\n0 qid:1 1:5 2:100\n\
                     2 qid:2 1:1 2:.3\n1 qid:2 1:1 2:.2\n0 qid:2 1:1 2:.1\n";

fn scores(folder: &Path, arguments: &str) -> Vec<f64> {
    stdout(folder, arguments).lines().map(|line| line.parse().unwrap()).collect()
}

#[test]
fn a_model_scores_with_the_normaliser_it_was_trained_with() {
    let folder =
        directory(&[("train.txt", TRAIN), ("test.txt", "0 qid:9 1:7 2:7e6\n0 qid:9 1:7 2:8e6\n0 qid:9 1:7 2:9e6\n")]);
    let at = folder.path();
    stdout(at, "train --ranker linear --normalise min-max --train train.txt -o m.json");
    let per_query = scores(at, "score --model m.json --data test.txt");
    // Min-max turns training and test queries into 0, .5, 1. So the test query gets the scores of a
    // training query.
    assert_eq!(
        per_query,
        scores(at, "score --model m.json --data train.txt")[..3].iter().rev().copied().collect::<Vec<_>>()
    );
    stdout(at, "train --ranker linear --train train.txt -o raw.json");
    let raw = scores(at, "score --model raw.json --data test.txt");
    assert!(raw[0] > 100.0 && per_query.iter().all(|score| score.abs() < 10.0), "{raw:?} {per_query:?}");
}

#[test]
fn a_model_treats_missing_values_as_its_training_did() {
    let folder = directory(&[("train.txt", TRAIN), ("test.txt", "0 qid:9 1:NULL 2:1\n0 qid:9 1:4 2:1\n")]);
    let at = folder.path();
    stdout(at, "train --ranker feature --param feature=1 --missing query-min --train train.txt -o min.json");
    assert_eq!(scores(at, "score --model min.json --data test.txt"), [4.0, 4.0]);
    stdout(at, "train --ranker feature --param feature=1 --missing zero --train train.txt -o zero.json");
    assert_eq!(scores(at, "score --model zero.json --data test.txt"), [0.0, 4.0]);
    stdout(at, "train --ranker feature --param feature=1 --train train.txt -o strict.json");
    let message = stderr(at, "score --model strict.json --data test.txt", 2);
    assert!(message.contains("test.txt:1:") && message.contains("feature 1 is missing (`NULL`)"), "{message}");
}

#[test]
fn data_of_another_width_are_refused() {
    let folder = directory(&[("train.txt", TRAIN), ("wide.txt", "0 qid:1 3:1\n"), ("narrow.txt", "0 qid:1 1:2\n")]);
    let at = folder.path();
    stdout(at, "train --ranker linear --train train.txt -o m.json");
    assert!(
        stderr(at, "score --model m.json --data wide.txt", 2).contains("2 features a document, but the data have 3")
    );
    assert!(stderr(at, "score --model m.json --data wide.txt --pad", 2).contains("but the data have 3"));
    assert!(stderr(at, "score --model m.json --data narrow.txt", 2).contains("--pad"));
    assert_eq!(scores(at, "score --model m.json --data narrow.txt --pad").len(), 1);
}

/// The lines of query 1 are scattered. Scores are written and read in the order of the lines.
#[test]
fn scores_keep_the_order_of_the_file_where_queries_are_regrouped() {
    let scattered = "1 qid:1 1:3\n0 qid:2 1:8\n0 qid:1 1:2\n1 qid:2 1:9\n";
    let folder = directory(&[("train.txt", TRAIN), ("test.txt", scattered)]);
    let at = folder.path();
    stdout(at, "train --ranker feature --param feature=1 --train train.txt -o m.json");
    stdout(at, "score --model m.json --data test.txt --regroup --pad -o s.txt");
    assert_eq!(std::fs::read_to_string(at.join("s.txt")).unwrap(), "3.0\n8.0\n2.0\n9.0\n");
    let output = json(at, "eval --data test.txt --regroup --scores s.txt --measures p@1 --json --per-query");
    assert_eq!((&output["values"][0]["value"], &output["values"][1]["value"]), (&1.0.into(), &1.0.into()));
    assert!(stderr(at, "score --model m.json --data test.txt --pad", 2).contains("--regroup"));
}

#[test]
fn parameters_come_from_options_or_from_a_file() {
    let folder = directory(&[("train.txt", TRAIN), ("p.toml", "lambda = 2.5\n")]);
    let at = folder.path();
    stdout(at, "train --ranker linear --param lambda=2.5 --train train.txt -o option.json");
    stdout(at, "train --ranker linear --params p.toml --train train.txt -o file.json");
    stdout(at, "train --ranker linear --train train.txt -o default.json");
    let read = |name: &str| std::fs::read_to_string(at.join(name)).unwrap();
    assert_eq!(read("option.json"), read("file.json"));
    assert_ne!(read("option.json"), read("default.json"));
}

#[test]
fn wrong_parameters_are_underlined() {
    let folder =
        directory(&[("train.txt", TRAIN), ("p.toml", "# ridge\nlambda = \"much\"\n"), ("q.toml", "lambda =\n")]);
    let errors = ["--param lamda=1", "--param lambda=-1", "--param lambda", "--params p.toml", "--params q.toml"];
    let shown: Vec<String> = errors
        .iter()
        .map(|error| {
            format!(
                "$ {error}\n{}",
                stderr(folder.path(), &format!("train --ranker linear --train train.txt -o m {error}"), 2)
            )
        })
        .collect();
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_fit_that_fails_is_a_failure_and_leaves_no_model() {
    let folder = directory(&[("train.txt", TRAIN)]);
    let message = stderr(folder.path(), "train --ranker broken --train train.txt -o m.json", 1);
    assert!(message.contains("no model was made: the fit broke down: broken on purpose"), "{message}");
    assert!(!folder.path().join("m.json").exists());
}

#[test]
fn a_panic_is_a_bug_that_can_be_reported() {
    let folder = directory(&[("train.txt", TRAIN)]);
    let output = run(folder.path(), "train --ranker broken --param panics=true --train train.txt -o m.json");
    assert_eq!(output.status.code(), Some(70));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("bug: broken on purpose\n  at tests/src/main.rs:"), "{message}");
    assert!(message.contains("has a bug") && message.contains("Please report"), "{message}");
}

//! `explain`: a value worked out by hand, a model's shares that add up to its scores, errors.

use insta::assert_snapshot;

use crate::harness::{directory, json, stderr, stdout};

fn query() -> tempfile::TempDir {
    directory(&[
        (
            "test.txt",
            "0 qid:7 1:1 2:0 #docid = a\n1 qid:7 1:2 2:0 #docid = b\n2 qid:7 1:3 2:1 #docid = c\n\
             0 qid:8 1:1 2:0 #docid = a\n0 qid:8 1:2 2:5 #docid = b\n",
        ),
        ("s.txt", "3\n2\n1\n5\n5\n"),
    ])
}

#[test]
fn a_value_is_told_step_by_step() {
    let folder = query();
    assert_snapshot!(stdout(folder.path(), "explain test.txt s.txt --query 7 --measure ndcg.v2@2"));
    assert_snapshot!(stdout(folder.path(), "explain test.txt s.txt --query 8 --measure ap --format md"));
}

/// The last step is the value that `eval` prints.
#[test]
fn what_is_told_is_what_eval_counts() {
    let folder = query();
    for measure in ["ndcg@2", "ndcg.v1@3", "ap", "ap.v2@2", "err", "rr", "p@2", "rbp", "meanndcg", "neru"] {
        for dialect in ["paper", "letor4", "trec_eval", "ranklib", "catboost"] {
            let common = format!("--dialect {dialect}");
            let told = json(
                folder.path(),
                &format!("explain test.txt s.txt --query 7 --measure {measure} {common} --format json"),
            );
            let counted = json(
                folder.path(),
                &format!("eval --data test.txt --scores s.txt --measures {measure} {common} --per-query --json"),
            );
            assert_eq!(told[2]["rows"][3][3]["number"]["value"], counted["values"][0]["value"], "{measure} {dialect}");
        }
    }
}

#[test]
fn shares_of_features_add_up_to_the_score() {
    let data: String = (0..400)
        .map(|i| format!("{} qid:{} 1:{} 2:{} 3:{}\n", (i * 7 % 5) / 2, i / 40, i * 7 % 5, i * 3 % 11, i * 5 % 4))
        .collect();
    let folder = directory(&[("train.txt", data.as_str())]);
    for (ranker, params) in [("mart", "trees=5"), ("linear", "lambda=1")] {
        stdout(folder.path(), &format!("train --ranker {ranker} --param {params} --train train.txt -o {ranker}.json"));
        let scores = stdout(folder.path(), &format!("score --model {ranker}.json --data train.txt"));
        for document in [1, 4, 10] {
            let arguments =
                format!("explain {ranker}.json --data train.txt --query 2 --document {document} --format json");
            let told = json(folder.path(), &arguments);
            let rows = told[0]["rows"].as_array().unwrap();
            let sum = rows.last().unwrap()[4]["number"]["value"].as_f64().unwrap();
            let score: f64 = scores.lines().nth(79 + document).unwrap().parse().unwrap();
            assert!((sum - score).abs() < 1e-9, "{ranker} {document}: {sum} {score}");
        }
    }
    assert!(
        stdout(folder.path(), "explain mart.json --data train.txt --query 2")
            .contains("way through the first 3 of 5 trees")
    );
}

#[test]
fn mistakes_are_explained() {
    let folder = query();
    assert_snapshot!(stderr(folder.path(), "explain test.txt s.txt --query 9 --measure ndcg", 2));
    assert!(stderr(folder.path(), "explain test.txt s.txt --query 7", 2).contains("--measure"));
    assert!(stderr(folder.path(), "explain model.json --query 7", 2).contains("--data"));
    assert!(stderr(folder.path(), "explain no.json --data test.txt --query 7", 2).contains("no.json"));
}

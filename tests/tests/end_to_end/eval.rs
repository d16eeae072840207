//! Tests `eval`: numbers worked out by hand, forms of output, errors.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{directory, json as run_json, stderr, stdout};

/// Two queries with the grades [1,0,1] and [0,0,0], ranked ideally.
fn two_queries() -> tempfile::TempDir {
    directory(&[
        ("test.txt", "1 qid:a 1:3\n0 qid:a 1:1\n1 qid:a 1:2\n0 qid:b 1:3\n0 qid:b 1:2\n0 qid:b 1:1\n"),
        ("ideal.txt", "3\n1\n2\n3\n2\n1\n"),
        ("constant.txt", "# all the same\n0\n0\n0\n\n0\n0\n0\n"),
    ])
}

fn mean(folder: &Path, options: &str) -> (f64, u64, u64) {
    let output = run_json(folder, &format!("eval --data test.txt --scores ideal.txt --json {options}"));
    let [mean] = output["means"].as_array().unwrap().as_slice() else { panic!("{output}") };
    (mean["mean"].as_f64().unwrap(), mean["queries"].as_u64().unwrap(), mean["undefined"].as_u64().unwrap())
}

#[test]
fn undefined_queries_count_as_told_and_are_counted() {
    let folder = two_queries();
    let ndcg = |policy: &str| mean(folder.path(), &format!("--measures ndcg --undefined {policy}"));
    assert_eq!(ndcg("zero"), (0.5, 2, 1));
    assert_eq!(ndcg("one"), (1.0, 2, 1));
    assert_eq!(ndcg("skip"), (1.0, 1, 1));
}

/// definitions of AP@2 with three relevant documents and two hits; ERR by highest grade; ties.
#[test]
fn conventions_reach_the_measures() {
    let folder = directory(&[
        ("ap.txt", "1 qid:a 1:0\n1 qid:a 1:0\n1 qid:a 1:0\n0 qid:a 1:0\n"),
        ("err.txt", "1 qid:a 1:0\n0 qid:a 1:0\n0 qid:a 1:0\n"),
        ("tied.txt", "10 qid:a 1:0\n0 qid:a 1:0\n0 qid:a 1:0\n1 qid:a 1:0\n5 qid:a 1:0\n"),
        ("three.txt", "3\n2\n1\n"),
        ("four.txt", "4\n3\n2\n1\n"),
        ("equal.txt", "0\n0\n0\n0\n0\n"),
    ]);
    let mean = |arguments: &str| {
        let output = run_json(folder.path(), &format!("eval --json {arguments}"));
        output["means"][0]["mean"].as_f64().unwrap()
    };
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 5e-7, "{value} {expected}");
    near(mean("--data ap.txt --scores four.txt --measures ap@2 --ap-denominator relevant"), 2.0 / 3.0);
    near(mean("--data ap.txt --scores four.txt --measures ap@2 --ap-denominator min"), 1.0);
    for (grade, expected) in [(4, 0.0625), (2, 0.25), (1, 0.5)] {
        near(mean(&format!("--data err.txt --scores three.txt --measures err --max-grade {grade}")), expected);
    }
    for (ties, expected) in [("average", 0.690979), ("pessimistic", 0.477633), ("input", 0.905548)] {
        near(
            mean(&format!("--data tied.txt --scores equal.txt --measures ndcg --gain linear --ties {ties}")),
            expected,
        );
    }
}

#[test]
fn systems_stand_side_by_side_with_the_conventions_below() {
    let folder = two_queries();
    let arguments =
        "eval --data test.txt --scores ideal.txt constant=constant.txt --measures ndcg@2,ndcg.v2@2,ap --per-query";
    assert_snapshot!(stdout(folder.path(), arguments));
}

#[test]
fn folds_are_averaged_as_the_dialect_says() {
    let folder = directory(&[
        ("1.txt", "1 qid:a 1:0\n0 qid:a 1:0\n"),
        ("2.txt", "1 qid:b 1:0\n0 qid:b 1:0\n1 qid:c 1:0\n0 qid:c 1:0\n"),
        ("s1.txt", "1\n2\n"),
        ("s2.txt", "2\n1\n2\n1\n"),
    ]);
    let p1 = |options: &str| {
        let common = "eval --scores s=s{fold}.txt --measures p@1 --json --per-fold";
        let output = run_json(folder.path(), &format!("{common} {options}"));
        output["means"].as_array().unwrap().iter().map(|row| row["mean"].as_f64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(p1("--data 1.txt 2.txt"), [0.0, 1.0, 2.0 / 3.0]);
    assert_eq!(p1("--data {fold}.txt --folds 2 --dialect letor4"), [0.0, 1.0, 0.5]);
}

#[test]
fn a_label_is_told_from_a_path_that_holds_its_sign() {
    let folder = two_queries();
    std::fs::create_dir(folder.path().join("x")).unwrap();
    std::fs::copy(folder.path().join("ideal.txt"), folder.path().join("x/c=1.txt")).unwrap();
    let arguments = "eval --data test.txt --measures rr --format csv --scores x/c=1.txt B=x/c=1.txt";
    assert!(stdout(folder.path(), arguments).contains("measure,x/c=1.txt,B,queries"));
}

/// The values depend only on grades and scores, so missing features such as `NULL` in LETOR's lists
/// do no harm.
#[test]
fn missing_features_do_no_harm() {
    let folder = directory(&[("test.txt", "1 qid:a 1:NULL 2:3\n0 qid:a 1:2 2:NULL\n"), ("s.txt", "1\n2\n")]);
    let output = run_json(folder.path(), "eval --data test.txt --scores s.txt --measures rr --json");
    assert_eq!(output["means"][0]["mean"], 0.5);
    stdout(folder.path(), "explain test.txt s.txt --query a --measure rr");
    stdout(folder.path(), "diff s.txt s.txt --data test.txt");
}

#[test]
fn csv_and_json_hold_full_numbers() {
    let folder = two_queries();
    let csv = stdout(folder.path(), "eval --data test.txt --scores s=constant.txt --measures ndcg --format csv");
    let json = run_json(folder.path(), "eval --data test.txt --scores s=constant.txt --measures ndcg --json");
    let value = &json["means"][0]["mean"];
    assert_eq!(csv.lines().filter(|line| !line.starts_with('#')).nth(1).unwrap(), format!("ndcg,{value},2,1"));
    assert_eq!(json["conventions"]["ties"], json!("average"));
    let values = run_json(folder.path(), "eval --data test.txt --scores ideal.txt --measures ndcg --json --per-query");
    assert_eq!((&values["values"][0]["value"], &values["values"][1]["value"]), (&json!(1.0), &Value::Null));
}

#[test]
fn mistakes_are_explained() {
    let folder = two_queries();
    std::fs::write(folder.path().join("short.txt"), "1\n2\n").unwrap();
    std::fs::write(folder.path().join("broken.txt"), "1 qid:a 1:0\n1 qid:a 2:x\n").unwrap();
    let errors = [
        "--data test.txt --scores short.txt",
        "--data test.txt test.txt --scores ideal.txt",
        "--data test.txt --scores ideal.txt ideal.txt",
        "--data test.txt --scores ideal.txt --measures hits@10",
        "--data broken.txt --scores ideal.txt",
        "--data test.txt --scores ideal.txt --ties docid",
    ];
    let shown: Vec<String> = errors
        .iter()
        .map(|error| format!("$ {error}\n{}", stderr(folder.path(), &format!("eval {error}"), 2)))
        .collect();
    assert_snapshot!(shown.join("\n"));
}

/// Names of trec_eval and ranx give the values of our names, and a note says so.
#[test]
fn names_of_other_programs_are_understood() {
    let folder = two_queries();
    let table = |measures: &str| {
        stdout(folder.path(), &format!("eval --data test.txt --scores ideal.txt --format csv --measures {measures}"))
    };
    let ours = table("ap,p@1,ndcg(gain=linear)@2,rr,recall@1");
    assert_eq!(table("map,P_1,ndcg_cut_2,recip_rank,R@1"), ours);
    let note = stderr(folder.path(), "eval --data test.txt --scores ideal.txt --measures map", 0);
    assert_eq!(note.trim(), "note: `map` is read as `ap` (trec_eval)");
}

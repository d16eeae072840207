//! Tests `explain`: a value worked out by hand, shares of features that add up to a score, errors.

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

/// Two of three documents are relevant, and all scores tie. With one threshold, A is 2 x 2/3. The
/// mean over the three orders 11, 101, 011 is (2 + 5/3 + 7/6)/3. For a file in the worst order, the
/// sentence says that the ranking is worse than a random order.
#[test]
fn a_negative_value_is_laid_to_the_convention_that_makes_it() {
    let folder = directory(&[
        ("t.txt", "1 qid:1 1:1\n1 qid:1 1:2\n0 qid:1 1:3\n"),
        ("c.txt", "1\n1\n1\n"),
        ("w.txt", "1\n1\n2\n"),
    ]);
    let told = |arguments: &str| {
        let shown = stdout(folder.path(), &format!("explain t.txt {arguments} --query 1 --measure ap.v2"));
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let tied = told("c.txt --dialect sklearn");
    assert!(
        tied.contains(
            "negative by convention, with A below E = 1.611111: all documents tie, so no order is worse than another; each position of documents that tie takes the precision at the end of its group, which counts as one threshold \
             (ap_ties: threshold); the mean over their orders would make A 1.611111"
        ),
        "{tied}"
    );
    assert!(told("w.txt --dialect sklearn").contains(", the ranking is worse than a random order is on average"));
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

/// Qrels and a run with two topics. The first topic has a repeated judgement, a negative grade, an
/// unjudged document, scores that tie only as 32-bit floats, and a relevant document that was not
/// retrieved. The run lacks the second topic.
fn topics() -> tempfile::TempDir {
    directory(&[
        ("qrels.txt", "101 0 a 1\n101 0 b 0\n101 0 c 2\n101 0 d -1\n101 0 c 2\n102 0 a 1\n"),
        ("run.txt", "101 Q0 x 1 3 t\n101 Q0 a 2 2 t\n101 Q0 b 3 2.0000000001 t\n101 Q0 d 4 1 t\n9 Q0 a 1 1 t\n"),
    ])
}

#[test]
fn a_value_of_a_run_is_told_with_what_is_not_judged() {
    let folder = topics();
    let explain = |rest: &str| {
        stdout(
            folder.path(),
            &format!("explain --qrels qrels.txt --run run.txt --duplicates last --dialect trec_eval {rest}"),
        )
    };
    assert_snapshot!(explain("--query 101 --measure ndcg@3"));
    assert!(explain("--query 102 --measure ap").contains("the topic is not in the run; means leave the topic out"));
}

/// The last step is the value that `eval` prints. Other tests compare the values of `eval` with
/// those of trec_eval.
#[test]
fn what_is_told_of_a_run_is_what_eval_counts() {
    let folder = topics();
    for measure in ["ndcg@2", "ndcg", "ap", "ap.v2", "err@3", "rr", "p@2"] {
        for dialect in ["paper", "trec_eval", "gdeval", "ranx"] {
            let common = format!("--qrels qrels.txt --duplicates last --dialect {dialect}");
            let told = json(
                folder.path(),
                &format!("explain --run run.txt --query 101 --measure {measure} {common} --format json"),
            );
            let counted =
                json(folder.path(), &format!("eval --runs run.txt --measures {measure} {common} --per-query --json"));
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
    let folder = topics();
    let says = |arguments: &str, words: &str| {
        let message = stderr(folder.path(), &format!("explain --qrels qrels.txt {arguments}"), 2);
        assert!(message.contains(words), "{arguments}\n{message}");
    };
    says("--query 101", "give --run FILE --measure NAME");
    says("--query 101 --measure ap", "--qrels FILE --run FILE");
    says("--query 101 --measure ap --run run.txt", "qrels.txt:5: document `c` of topic `101` stands on line 3 already");
    says("--query 103 --measure ap --run run.txt --duplicates first", "no query `103`");
    says("run.txt run.txt --query 101 --measure ap --duplicates first", "two sources of grades");
}

//! `diff`: rules worked out by hand, exit codes, results folders.

use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{directory, run, stderr, stdout};

/// A query with its only relevant document at rank 2, one of ties, one without a relevant document, one shorter than the cutoff.
fn queries() -> tempfile::TempDir {
    directory(&[
        (
            "test.txt",
            "0 qid:late 1:0 #docid = a\n2 qid:late 1:0 #docid = b\n0 qid:late 1:0 #docid = c\n\
             1 qid:tied 1:0 #docid = a\n0 qid:tied 1:0 #docid = b\n0 qid:tied 1:0 #docid = c\n\
             0 qid:none 1:0 #docid = a\n0 qid:none 1:0 #docid = b\n0 qid:none 1:0 #docid = c\n\
             1 qid:short 1:0 #docid = a\n0 qid:short 1:0 #docid = b\n",
        ),
        ("s.txt", "3\n2\n1\n1\n1\n1\n3\n2\n1\n2\n1\n"),
        ("other.txt", "2\n3\n1\n1\n1\n1\n3\n2\n1\n2\n1.00000000001\n"),
    ])
}

/// The output as JSON; the exit code says whether something differs.
fn difference(folder: &Path, arguments: &str, code: i32) -> Value {
    let output = run(folder, &format!("diff {arguments} --json"));
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn two_dialects_differ_by_their_rules() {
    let folder = queries();
    let output = run(folder.path(), "diff letor4 lightgbm --data test.txt --scores s.txt --measures ndcg@3,ap");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

/// letor4: 1, 1, 0, 0; trec_eval: 1/log2(3), then 1/log2(4) since c, b stand before a, 0, 1. Rules: discount on `late`, ties on
/// `tied`, the short list on `short`; gain cancels, as one grade alone has a gain.
#[test]
fn shares_of_the_rules_by_hand() {
    let folder = queries();
    let found = difference(folder.path(), "letor4 trec_eval --data test.txt --scores s.txt --measures ndcg@3", 1);
    let value = |cell: &Value| cell["number"]["value"].as_f64().unwrap();
    let rows = found[1]["rows"].as_array().unwrap();
    let share = |rule: &str| value(&rows.iter().find(|row| row[1]["text"] == rule).unwrap()[5]);
    let discount = (1.0 / 3f64.log2() - 1.0) / 4.0;
    // With ties by id the document stands third: letor discounts it by 1/log2(3), log2 by 1/2. Half of what both rules do together
    // on that query belongs to each.
    let (ties, both) = (1.0 / 3f64.log2() - 1.0, 0.5 - 1.0);
    let of_discount = (both - ties) / 2.0;
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    near(share("discount"), discount + of_discount / 4.0);
    near(share("ties"), (ties + (both - 0.0)) / 2.0 / 4.0);
    near(share("short_list"), 0.25);
    near(share("gain"), 0.0);
    assert_eq!(found[2]["rows"].as_array().unwrap().len(), 3);
}

#[test]
fn equal_dialects_and_files_end_with_0() {
    let folder = queries();
    difference(folder.path(), "letor4 letor4 --data test.txt --scores s.txt", 0);
    difference(folder.path(), "s.txt s.txt --data test.txt", 0);
}

#[test]
fn two_score_files_part_at_a_rank() {
    let folder = queries();
    let output = run(folder.path(), "diff s.txt other.txt --data test.txt --measures ndcg@3,p@1");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(output.stdout).unwrap());
}

#[test]
fn results_folders_differ_in_settings_and_values() {
    let folder = directory(&[(
        "e.toml",
        "name = 'e'\nseed = 1\n[[dataset]]\nlabel = 'made'\nmade = { shape = 'mq2007', queries = 25 }\n\
         [[ranker]]\nlabel = 'R'\nkind = 'linear'\nparams = { lambda = 1.0 }\n\
         [evaluation]\nmeasures = ['ndcg']\ncutoffs = [5]\n",
    )]);
    stdout(folder.path(), "run e.toml --out one");
    let text = std::fs::read_to_string(folder.path().join("e.toml")).unwrap();
    std::fs::write(folder.path().join("e.toml"), text.replace("lambda = 1.0", "lambda = 1000000.0")).unwrap();
    stdout(folder.path(), "run e.toml --out two");
    difference(folder.path(), "one one", 0);
    let found = difference(folder.path(), "one two", 1);
    let settings = found[0]["rows"].as_array().unwrap();
    assert!(settings.iter().any(|row| row[0]["text"].as_str().unwrap().ends_with("lambda")), "{settings:?}");
    assert!(!found[1]["rows"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_neither_is_named() {
    let folder = queries();
    assert_snapshot!(stderr(folder.path(), "diff letor trec_eval --data test.txt --scores s.txt", 2));
    assert!(stderr(folder.path(), "diff letor4 trec_eval --data test.txt", 2).contains("--scores"));
    assert!(stderr(folder.path(), "diff s.txt other.txt", 2).contains("--data"));
}

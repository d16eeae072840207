//! Tests `eval` and `lint` on TREC runs: the expected outputs of trec_eval's own tests, counts,
//! screens.

use std::collections::HashMap;
use std::path::Path;

use insta::assert_snapshot;
use serde_json::Value;

use crate::harness::{directory, fivefold, json, real_data, run, stderr, stdout};

/// The fivefold name of a measure of trec_eval.
fn our_name(measure: &str) -> Option<String> {
    let at = |prefix: &str, name: &str| measure.strip_prefix(prefix).map(|k| format!("{name}@{k}"));
    match measure {
        "map" => Some("ap".to_owned()),
        "ndcg" => Some("ndcg".to_owned()),
        "recip_rank" => Some("rr".to_owned()),
        _ => at("map_cut_", "ap").or_else(|| at("ndcg_cut_", "ndcg")).or_else(|| at("P_", "p")),
    }
}

/// Compares every value that both programs have, to the four decimals of trec_eval. Returns the
/// number of values.
fn compare(folder: &Path, qrels: &str, run: &str, expected: &str, options: &[&str]) -> usize {
    let text = std::fs::read_to_string(folder.join(expected)).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    let mut measures: Vec<String> = rows.iter().filter_map(|row| our_name(row[0])).collect();
    measures.sort();
    measures.dedup();
    let output = fivefold(folder)
        .args(["eval", "--qrels", qrels, "--runs", run, "--dialect", "trec_eval", "--json", "--per-query"])
        .args(["--measures", &measures.join(",")])
        .args(options)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found: HashMap<(&str, &str), f64> = HashMap::new();
    for row in output["means"].as_array().unwrap() {
        found.insert((row["measure"].as_str().unwrap(), "all"), row["mean"].as_f64().unwrap());
    }
    for row in output["values"].as_array().unwrap() {
        // An undefined value is 0 in trec_eval.
        let value = row["value"].as_f64().unwrap_or(0.0);
        found.insert((row["measure"].as_str().unwrap(), row["query"].as_str().unwrap()), value);
    }
    let mut compared = 0;
    for row in &rows {
        let Some(measure) = our_name(row[0]) else { continue };
        let (value, expected): (f64, f64) = (found[&(measure.as_str(), row[1])], row[2].parse().unwrap());
        assert!((value - expected).abs() <= 0.50001e-4, "{expected} of {row:?}: {value}");
        compared += 1;
    }
    compared
}

/// The files of trec_eval's own tests, by the rules of its Makefile.
#[test]
fn trec_eval_s_own_tests_are_met() {
    let Some(data) = real_data() else { return };
    let folder = data.join("trec/trec_eval/test");
    let of = |qrels: &str, run: &str, expected: &str, options: &[&str]| compare(&folder, qrels, run, expected, options);
    assert_eq!(of("qrels.test", "results.test", "out.test", &[]), 11);
    assert_eq!(of("qrels.test", "results.test", "out.test.a", &[]), 30);
    assert_eq!(of("qrels.test", "results.test", "out.test.aq", &[]), 120);
    // With `-c`, a topic that the run lacks scores 0. trec_eval prints no line for such a topic.
    assert_eq!(of("qrels.test", "results.trunc", "out.test.aqc", &["--missing-topics", "zero"]), 120);
    assert_eq!(of("qrels.rel_level", "results.test", "out.test.aql", &["--threshold", "2"]), 120);
    assert_eq!(of("qrels.comment.test", "results.comment.test", "out.comment.test", &[]), 11);
    assert_eq!(of("qrels.test.with-comments", "results.test", "out.test", &[]), 11);
}

/// A mean is the mean of the values that are shown for its queries. A query that the mean leaves
/// out shows `left out` and no value.
#[test]
fn the_values_of_queries_are_those_of_the_mean_in_every_dialect() {
    let folder = small();
    let dialects = json(folder.path(), "dialects --json");
    let names: Vec<&str> =
        dialects.as_array().unwrap().iter().map(|dialect| dialect["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 11, "{names:?}");
    let mut leaving_out = Vec::new();
    for name in names {
        let eval = format!("eval --qrels qrels --runs run other --dialect {name} --measures ap,ndcg@3 --per-query");
        let found = json(folder.path(), &format!("{eval} --json"));
        let undefined = match found["conventions"]["undefined"].as_str().unwrap() {
            "zero" => Some(0.0),
            "one" => Some(1.0),
            _ => None,
        };
        let values = found["values"].as_array().unwrap();
        for mean in found["means"].as_array().unwrap() {
            let own = values.iter().filter(|row| row["system"] == mean["system"] && row["measure"] == mean["measure"]);
            let counted = own.filter(|row| row["left_out"] != true);
            let values: Vec<f64> = counted.filter_map(|row| row["value"].as_f64().or(undefined)).collect();
            assert_eq!(mean["queries"], values.len(), "{name}: {mean}");
            let expected = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean["mean"].as_f64().unwrap() - expected).abs() < 1e-12, "{name}: {mean}");
        }
        // `run` lacks topic 3, and `other` lacks no topic. So the row shows a value beside
        // `left out`, or two values.
        let shown = stdout(folder.path(), &eval);
        let row = shown.lines().find(|line| line.starts_with("ap ") && line.contains(" 3 ")).unwrap();
        if row.contains("left out") {
            assert!(row.split_whitespace().collect::<Vec<_>>().ends_with(&["1.0000", "0", "to", "1", "0"]), "{row}");
            leaving_out.push(name);
            // As values per query, they are the values of a system that lacks a query.
            std::fs::write(folder.path().join("values.csv"), stdout(folder.path(), &format!("{eval} --format csv")))
                .unwrap();
            let message = stderr(folder.path(), "compare values.csv", 2);
            assert!(message.contains("`run` has no value of ap for query `3`"), "{message}");
        }
    }
    assert_eq!(leaving_out, ["trec_eval", "gdeval"]);
}

fn small() -> tempfile::TempDir {
    directory(&[
        ("qrels", "# judged\n1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 x -1\n3 0 a 1\n"),
        (
            "run",
            "1 Q0 a 1 3 mine\n1 Q0 z 2 2 mine\n1 Q0 c 3 1 mine\n2 Q0 x 1 2 mine\n2 Q0 a 2 1 mine\n9 Q0 a 1 1 mine\n",
        ),
        ("other", "1 Q0 c 1 3 other\n1 Q0 a 2 3 other\n2 Q0 a 2 1 other\n3 Q0 a 1 1 other\n"),
    ])
}

/// AP of `run`: (1 + 2/3)/2 on topic 1, 1/2 on topic 2, missing on topic 3. AP of `other`: 1, 1, 1.
#[test]
fn missing_topics_count_as_told() {
    let folder = small();
    let mean = |options: &str| {
        let output =
            json(folder.path(), &format!("eval --qrels qrels --runs run other --measures ap --json {options}"));
        let of =
            |row: usize| (output["means"][row]["mean"].as_f64().unwrap(), output["means"][row]["queries"].as_u64());
        [of(0), of(1)]
    };
    let of_topics = [5.0 / 6.0, 0.5];
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    let [(zero, queries), (other, _)] = mean("");
    near(zero, (of_topics[0] + of_topics[1]) / 3.0);
    near(other, 1.0);
    assert_eq!(queries, Some(3));
    let [(skip, queries), _] = mean("--dialect trec_eval");
    near(skip, (of_topics[0] + of_topics[1]) / 2.0);
    assert_eq!(queries, Some(2));
}

#[test]
fn what_runs_lack_is_counted_under_the_table() {
    let folder = small();
    let text = stdout(
        folder.path(),
        "eval --qrels qrels --runs run other --measures ap,ndcg@3,ndcg.v2@3 --dialect trec_eval --per-query",
    );
    assert_snapshot!(text);
}

#[test]
fn ties_are_broken_by_document_id_as_trec_eval_does() {
    let folder = small();
    let rr = |ties: &str| {
        let output = json(
            folder.path(),
            &format!("eval --qrels qrels --runs other --measures ndcg@1 --json --per-query --ties {ties}"),
        );
        output["values"][0]["value"].as_f64().unwrap()
    };
    // The document c is before a: under exp2, its gain is 1 of 3.
    assert!((rr("docid") - 1.0 / 3.0).abs() < 1e-12 && (rr("optimistic") - 1.0).abs() < 1e-12);
}

#[test]
fn requests_about_runs_that_cannot_be_done() {
    let folder = small();
    assert!(stderr(folder.path(), "eval --qrels qrels", 2).contains("--runs"));
    assert!(stderr(folder.path(), "eval --runs run", 2).contains("--qrels"));
    assert!(stderr(folder.path(), "eval --qrels qrels --runs run run", 2).contains("two files are labelled `run`"));
    assert!(
        stderr(folder.path(), "eval --qrels run --runs run", 2)
            .contains("run:1: found 6 fields where there should be 4")
    );
    std::fs::write(folder.path().join("twice"), "1 Q0 a 1 1 x\n1 Q0 a 2 1 x\n").unwrap();
    assert!(stderr(folder.path(), "eval --qrels qrels --runs twice", 2).contains("stands on line 1 already"));
    stdout(folder.path(), "eval --qrels qrels --runs twice --duplicates first");
}

#[test]
fn lint_shows_problems_and_facts() {
    let train = "2 qid:1 1:1 2:5 3:1 4:NULL # a\n1 qid:1 1:2 2:5 3:2 4:7 # b\n0 qid:1 1:3 2:5 3:3 4:1 # c\n0 qid:2 1:1 2:5 3:1 # d\n";
    let test = "1 qid:7 1:1 2:5 3:1 # d\nx qid:7 1:1\n1 qid:7 1:2 1:5 # e\n0 qid:2 1:4 2:5 3:4 # d\n";
    let folder = directory(&[
        ("train.txt", train),
        ("test.txt", test),
        ("scores.txt", "1\n1\n-2\n"),
        ("qrels", "# judged\n1 0 a 2\n1 0 b 0\n2 0 c 0\n"),
        ("run", "1 Q0 a 1 1 mine\n1 Q0 b 2 2 mine\n"),
    ]);
    let output = run(folder.path(), "lint train.txt test.txt");
    assert_eq!(output.status.code(), Some(1));
    assert_snapshot!("lint_letor", String::from_utf8(output.stdout).unwrap());
    assert_snapshot!("lint_others", stdout(folder.path(), "lint scores.txt qrels run"));
    let output = run(folder.path(), "lint test.txt --max-problems 1 --json");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["problems"]["count"]), (Some(1), &Value::from(2)));
    assert_eq!(report["problems"]["listed"][0]["line"], 2);
    assert!(stderr(folder.path(), "lint nowhere", 2).contains("nowhere: cannot be read"));
    std::fs::write(folder.path().join("odd"), "a b\n").unwrap();
    assert!(stderr(folder.path(), "lint odd", 2).contains("the kind of the file is not clear"));
    // The other files are reported nevertheless.
    let output = run(folder.path(), "lint odd scores.txt");
    assert!(String::from_utf8(output.stdout).unwrap().contains("different scores  2"), "the report on scores.txt");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("1 of 2 paths is not linted: odd: the kind of the file is not clear")
    );
    assert_eq!(output.status.code(), Some(2));
    let report = run(folder.path(), "lint odd nowhere scores.txt --json").stdout;
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!((report["not_linted"].as_array().unwrap().len(), &report["scores"][0]["scores"]), (2, &Value::from(3)));
}

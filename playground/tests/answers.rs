//! Answers of the library, natively. The tests of the workspace above compare the page's answers
//! with those of `fivefold-metrics` in a browser.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use fivefold_playground::answer::answer;
use serde_json::{Value, json};

fn values(documents: Value, measure: &str, version: &str, cutoff: Option<u32>) -> Value {
    let question = json!({ "values": {
        "documents": documents, "dialect": "paper", "measure": measure, "version": version, "cutoff": cutoff } });
    serde_json::from_str(&answer(question.to_string().as_bytes())).unwrap()
}

fn list(documents: &[(Option<u8>, f64)]) -> Value {
    let ids = "ABCDEFGH".chars();
    ids.zip(documents)
        .map(|(id, (grade, score))| json!({ "id": id.to_string(), "grade": grade, "score": score }))
        .collect()
}

/// Grades 1 0: DCG = 1 for the order 1 0, and 1/log2(3) for the other order.
#[test]
fn the_table_has_the_numbers_of_the_formula() {
    let answer = values(list(&[(Some(0), 2.0), (Some(1), 1.0)]), "ndcg", "original", None);
    let ndcg = &answer["measures"][0];
    let second = 1.0 / libm::log2(3.0);
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-12;
    assert!(close(&ndcg["a"], second) && close(&ndcg["u"], 1.0) && close(&ndcg["e"], (1.0 + second) / 2.0), "{ndcg}");
    let e = (1.0 + second) / 2.0;
    assert!(close(&ndcg["values"][0]["value"], second), "{ndcg}");
    assert!(close(&ndcg["values"][1]["value"], second * second / (second + e)), "{ndcg}");
    assert!(close(&ndcg["values"][2]["value"], (second - e) / e), "{ndcg}");
    assert!(close(&answer["random"]["exact"], e), "{answer}");
    let [mean, error] = ["mean", "standard_error"].map(|key| answer["random"][key].as_f64().unwrap());
    assert!((mean - e).abs() < 4.0 * error, "{answer}");
}

#[test]
fn an_undefined_value_is_null_with_its_reason() {
    let answer = values(list(&[(Some(0), 2.0), (Some(0), 1.0)]), "ndcg", "original", Some(5));
    let ndcg = &answer["measures"][0]["values"];
    for version in 0..3 {
        assert_eq!(ndcg[version]["value"], Value::Null);
        assert!(ndcg[version]["remarks"].to_string().contains("there is nothing to find"), "{ndcg}");
    }
    // The mean of random orders of no value is no value.
    assert_eq!((&answer["random"]["mean"], &answer["random"]["exact"]), (&Value::Null, &Value::Null));
    // LightGBM counts it as 1 in a mean, and still has no value.
    let lightgbm = answer["dialects"].as_array().unwrap().iter().find(|row| row["name"] == "lightgbm").unwrap();
    assert_eq!((&lightgbm["value"], &lightgbm["undefined"]), (&Value::Null, &json!("one")));
}

/// B and C tie at ranks 2 and 3, and C is relevant: reciprocal rank 1/2 or 1/3.
#[test]
fn ties_have_an_order_and_a_value_by_each_rule() {
    let answer = values(list(&[(Some(0), 3.0), (Some(0), 2.0), (Some(1), 2.0)]), "rr", "original", None);
    let of = |word: &str| answer["ties"].as_array().unwrap().iter().find(|rule| rule["ties"] == word).unwrap();
    assert_eq!(of("average")["order"], json!([[0], [1, 2]]));
    assert_eq!((&of("average")["in_force"], &of("input")["in_force"]), (&json!(true), &json!(false)));
    assert_eq!(of("average")["value"], json!((1.0 / 2.0 + 1.0 / 3.0) / 2.0));
    for (word, order, value) in [
        ("input", [0, 1, 2], 3.0),
        ("pessimistic", [0, 1, 2], 3.0),
        ("optimistic", [0, 2, 1], 2.0),
        ("docid", [0, 2, 1], 2.0),
    ] {
        assert_eq!(of(word)["order"], json!(order.map(|row| [row])), "{word}");
        assert_eq!(of(word)["value"], json!(1.0 / value), "{word}");
    }
}

/// trec_eval takes the grade as the gain.
#[test]
fn dialects_name_the_rule_that_differs() {
    let answer = values(list(&[(Some(1), 3.0), (Some(3), 2.0), (Some(0), 1.0)]), "ndcg", "original", Some(3));
    let trec_eval = answer["dialects"].as_array().unwrap().iter().find(|row| row["name"] == "trec_eval").unwrap();
    assert_eq!(trec_eval["rules"], json!([{ "rule": "gain", "ours": "exp2", "theirs": "linear" }]));
    let log = libm::log2(3.0);
    let expected = (1.0 + 3.0 / log) / (3.0 + 1.0 / log);
    assert!((trec_eval["value"].as_f64().unwrap() - expected).abs() < 1e-12);
    assert_eq!(answer["dialects"][0]["rules"], json!([]));
}

/// The second of two documents was not judged: no dialect of ours removes it.
#[test]
fn an_unjudged_document_keeps_its_rank() {
    let answer = values(list(&[(None, 2.0), (Some(2), 1.0)]), "rr", "original", None);
    assert_eq!(answer["measures"][5]["values"][0]["value"], json!(0.5));
}

#[test]
fn a_wrong_question_is_answered_by_an_error() {
    let error =
        |question: &str| serde_json::from_str::<Value>(&answer(question.as_bytes())).unwrap()["error"].to_string();
    assert!(error("").contains("EOF"));
    assert!(error(r#"{"value": 1}"#).contains("unknown variant"));
    assert!(values(list(&[(Some(1), 1.0)]), "ndgc", "v1", None)["error"].to_string().contains("did you mean `ndcg`"));
    assert!(values(list(&[(Some(5), 1.0)]), "ndcg", "v1", None)["error"].to_string().contains("highest grade is 4"));
    assert!(values(list(&[(Some(1), 1.0)]), "ndcg", "v1", Some(0))["error"].to_string().contains("cutoff"));
}

#[test]
fn a_random_order_has_each_row_once_and_choices_are_listed() {
    let order = |number: u64| -> Vec<usize> {
        let question = json!({ "order": { "documents": 8, "number": number } });
        serde_json::from_str(&answer(question.to_string().as_bytes())).unwrap()
    };
    let choices: Value = serde_json::from_str(&answer(br#"{"choices": null}"#)).unwrap();
    assert_eq!((&choices["dialects"][0], &choices["highest_grade"]), (&json!("paper"), &json!(4)));
    let mut rows = order(1);
    assert_eq!(rows, order(1));
    assert_ne!(rows, order(2));
    rows.sort();
    assert_eq!(rows, Vec::from_iter(0..8));
}

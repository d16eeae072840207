//! Measures of whole rankings, and nERR, on made runs: values of cwl_eval and of a plain script
//! (`whole.py`).
#![allow(clippy::unwrap_used)] // a test

use fivefold_metrics::Scratch;
use serde_json::Value;

use crate::common::{evaluator, exact, falling};

#[test]
fn the_values_of_cwl_eval_and_of_the_formula() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects/whole.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    let names: Vec<&str> = fixture["measures"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let evaluator = evaluator(&names, &exact(), 4);
    let mut compared = 0;
    for case in fixture["cases"].as_array().unwrap() {
        let grade = |grade: &Value| grade.as_u64().map(|grade| grade as u8);
        let pool: Vec<u8> = case["pool"].as_array().unwrap().iter().filter_map(grade).collect();
        let run: Vec<Option<u8>> = case["run"].as_array().unwrap().iter().map(grade).collect();
        let judged = evaluator.judge_pool("q", &pool, &run, None).unwrap();
        let mut values = vec![0.0; names.len()];
        evaluator.evaluate(&judged, &falling(run.len()), &mut Scratch::default(), &mut values).unwrap();
        for ((name, found), theirs) in names.iter().zip(values).zip(case["values"].as_array().unwrap()) {
            match theirs.as_f64() {
                Some(theirs) => assert!((found - theirs).abs() < 1e-12, "{name}: {found}, not {theirs}, for {case}"),
                None => assert!(found.is_nan(), "{name}: {found} for {case}"),
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 120 * 26);
}

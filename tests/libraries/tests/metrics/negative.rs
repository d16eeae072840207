//! Documents that were not judged: negative grades as trec_eval reads them (`negative.py`), and
//! removed documents.
#![allow(clippy::unwrap_used)] // a test

use std::cmp::Reverse;

use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::{Assessment, Conventions, Evaluator, MEASURES, MeasureSpec, Scratch, spelling};
use serde_json::Value;

use crate::common::textbook::{settings, spec, takes, versions};
use crate::common::{conventions, exact, tied_scores};

fn assessment(grade: &Value) -> Assessment {
    match grade.as_i64() {
        None => Assessment::Unjudged,
        Some(grade) if grade < 0 => Assessment::Pooled,
        Some(grade) => Assessment::Judged(grade as u8),
    }
}

/// Values of the dialect trec_eval for a topic of the fixture; an undefined value counts 0 there.
fn ours(names: &[&str], case: &Value) -> Vec<f64> {
    let unjudged = if case["judged_only"] == true { Unjudged::Removed } else { Unjudged::NotRelevant };
    let threshold = case["level"].as_u64().unwrap() as u8;
    let rules = Conventions { unjudged, threshold, ..conventions("trec_eval") };
    let specs: Vec<MeasureSpec> = names.iter().map(|name| spelling::read(name, &rules).unwrap().spec).collect();
    let evaluator = Evaluator::new(&specs, &rules, 3, fivefold_base::Seed::new(1)).unwrap();
    let pool: Vec<u8> = (case["pool"].as_array().unwrap().iter())
        .filter(|grade| grade.as_i64().unwrap() >= 0)
        .map(|grade| grade.as_u64().unwrap() as u8)
        .collect();
    let run: Vec<Assessment> = case["run"].as_array().unwrap().iter().map(assessment).collect();
    let ids: Vec<String> = (0..run.len()).map(|place| place.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let judged = evaluator.judge_pool("q", &pool, &run, Some(&ids)).unwrap();
    let scores: Vec<f64> = (0..run.len()).map(|place| -(place as f64)).collect();
    let mut values = vec![0.0; names.len()];
    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut values).unwrap();
    values.into_iter().map(|value| if value.is_nan() { 0.0 } else { value }).collect()
}

#[test]
fn negative_grades_are_those_of_documents_that_were_not_judged() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dialects/negative.json");
    let fixture: Value = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    let names: Vec<&str> = fixture["measures"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let mut compared = 0;
    for case in fixture["cases"].as_array().unwrap() {
        for ((name, found), theirs) in names.iter().zip(ours(&names, case)).zip(case["values"].as_array().unwrap()) {
            // Null: trec_eval divides 0 by 0 for an empty list.
            let Some(theirs) = theirs.as_f64() else { continue };
            assert!((found - theirs).abs() < 1e-12, "{name}: {found}, not {theirs}, for {case}");
            compared += 1;
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// The retrieved documents of made topics, and the grades of the pool.
const TOPICS: &[(&[u8], &[Assessment])] = {
    use Assessment::{Judged, Pooled, Unjudged};
    &[
        (&[2, 1, 0, 0, 1], &[Unjudged, Judged(2), Pooled, Judged(0), Judged(1)]),
        (&[2, 1], &[Judged(1), Unjudged, Unjudged, Judged(2)]),
        (&[1, 0, 0], &[Pooled, Judged(0), Unjudged, Judged(0)]),
        (&[2, 1], &[Unjudged, Pooled]),
        (&[1, 2, 1], &[Judged(1), Judged(2)]),
    ]
};

/// Removing the documents that were not judged from the run gives the same value as the convention
/// that removes them: for all measures with all parameters, and ties in every pattern.
#[test]
fn a_run_without_its_unjudged_documents_has_the_same_values() {
    let removing = Conventions { unjudged: Unjudged::Removed, ..exact() };
    let mut compared = 0;
    for entry in MEASURES {
        for (params, cutoff) in settings(entry).iter().flat_map(|params| [None, Some(2), Some(4)].map(|k| (params, k)))
        {
            if !takes(entry.cutoffs, cutoff) {
                continue;
            }
            let specs: Vec<_> = versions(entry).iter().map(|version| spec(entry, params, cutoff, version)).collect();
            let [by_rule, by_hand] = [&removing, &exact()]
                .map(|rules| Evaluator::new(&specs, rules, 2, fivefold_base::Seed::new(1)).unwrap());
            for (pool, run) in TOPICS {
                for scores in tied_scores(run.len()) {
                    let kept: Vec<usize> = (0..run.len()).filter(|&row| run[row].is_judged()).collect();
                    let kept_run: Vec<Assessment> = kept.iter().map(|&row| run[row]).collect();
                    let kept_scores: Vec<f64> = kept.iter().map(|&row| scores[row]).collect();
                    let values = |evaluator: &Evaluator, run: &[Assessment], scores: &[f64]| {
                        let judged = evaluator.judge_pool("q", pool, run, None).unwrap();
                        let mut values = vec![0.0; specs.len()];
                        evaluator.evaluate(&judged, scores, &mut Scratch::default(), &mut values).unwrap();
                        values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
                    };
                    let [rule, hand] = [values(&by_rule, run, &scores), values(&by_hand, &kept_run, &kept_scores)];
                    assert_eq!(rule, hand, "{} of {run:?} with {scores:?}", specs[0]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 5000, "{compared}");
}

/// The same for rankings without ties from [`Evaluator::originals`].
#[test]
fn originals_of_a_run_without_its_unjudged_documents_are_the_same() {
    let removing = Conventions { unjudged: Unjudged::Removed, ..exact() };
    let is_default = |cutoffs| if takes(cutoffs, None) { None } else { Some(3) };
    let specs: Vec<MeasureSpec> =
        MEASURES.iter().map(|entry| spec(entry, &[], is_default(entry.cutoffs), "")).collect();
    let [by_rule, by_hand] =
        [&removing, &exact()].map(|rules| Evaluator::new(&specs, rules, 2, fivefold_base::Seed::new(1)).unwrap());
    for (pool, run) in TOPICS {
        let mut order: Vec<usize> = (0..run.len()).collect();
        order.sort_by_key(|&row| Reverse(row * 7 % 5));
        let ranking: Vec<Assessment> = order.into_iter().map(|row| run[row]).collect();
        let kept: Vec<Assessment> = ranking.iter().copied().filter(|document| document.is_judged()).collect();
        let values = |evaluator: &Evaluator, ranking: &[Assessment]| {
            let mut values = vec![0.0; specs.len()];
            let pool = evaluator.pool("q", pool).unwrap();
            evaluator.originals(&pool, ranking, &mut Scratch::default(), &mut values).unwrap();
            values.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        assert_eq!(values(&by_rule, &ranking), values(&by_hand, &kept), "{ranking:?}");
    }
}

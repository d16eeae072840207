//! Runs that retrieved some of a topic's documents: every measure, with all parameters, is compared
//! with its definition on every order of the retrieved documents. U and the number of relevant
//! documents count all judged documents. E is the mean over the orders of the retrieved
//! documents.
#![allow(clippy::unwrap_used)] // a test

use crate::common::textbook::{Textbook, settings, spec, takes, versions};
use crate::common::{close, evaluator, exact, firsts, orders, tied_scores};
use fivefold_metrics::{Assessment, MEASURES, MeasureEntry, MeasureError, Scratch};

/// A document that is not in the qrels, and one that has a negative grade there.
const UNJUDGED: i8 = -2;
const POOLED: i8 = -1;

/// Grades of all judged documents, and grades of the retrieved documents.
const TOPICS: &[(&[u8], &[i8])] = &[
    (&[2, 1, 0, 0, 1], &[0, 2, 0]),
    (&[2, 1, 0], &[1, UNJUDGED, 0, UNJUDGED, 2]),
    (&[2, 0, 1, 0, 1, 1], &[POOLED, 2, 0, UNJUDGED, 1]),
    (&[1, 0, 1, 2], &[1, POOLED, POOLED, 1, 0]),
    (&[1, 2, 1, 1], &[1, 2]),
    (&[1, 2, 1], &[1, UNJUDGED, 2]),
    (&[2, 2, 1], &[UNJUDGED, POOLED]),
    (&[0, 0], &[0, 0, UNJUDGED]),
    (&[1], &[1]),
    (&[1, 0], &[]),
    (&[0], &[]),
];
const CUTOFFS: &[Option<usize>] = &[None, Some(1), Some(2), Some(4), Some(7)];
const MAX_GRADE: u8 = 2;
const TOLERANCE: f64 = 1e-12;

#[test]
fn every_measure_on_every_order_of_what_was_retrieved() {
    let mut checked = 0;
    for entry in MEASURES {
        for params in settings(entry) {
            for &cutoff in CUTOFFS.iter().filter(|cutoff| takes(entry.cutoffs, **cutoff)) {
                for (judged, retrieved) in TOPICS {
                    let of = |&grade: &i8| match grade {
                        UNJUDGED => Assessment::Unjudged,
                        POOLED => Assessment::Pooled,
                        grade => Assessment::Judged(grade as u8),
                    };
                    let retrieved: Vec<Assessment> = retrieved.iter().map(of).collect();
                    check(entry, &params, cutoff, judged, &retrieved);
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 250, "{checked}");
}

fn check(
    entry: &MeasureEntry,
    params: &[(&'static str, &'static str)],
    k: Option<usize>,
    judged: &[u8],
    retrieved: &[Assessment],
) {
    let specs: Vec<_> = versions(entry).iter().map(|version| spec(entry, params, k, version)).collect();
    let evaluator = fivefold_metrics::Evaluator::new(&specs, &exact(), MAX_GRADE, fivefold_base::Seed::new(1)).unwrap();
    let topic = evaluator.judge_pool("t", judged, retrieved, None).unwrap();
    let book = Textbook { name: entry.name, params, k };
    let n = retrieved.len();
    let context = |what: &str| format!("{what} of {} on {retrieved:?} of {judged:?}", specs[0]);

    let raw = |order: &[usize]| {
        let ranked: Vec<Assessment> = order.iter().map(|&row| retrieved[row]).collect();
        // An empty list has the value 0, also if the definition divides by the length of the list.
        if n == 0 && entry.name != "utility" { 0.0 } else { book.of_run(&ranked, judged) }
    };
    let grades: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
    let orders = orders(n);
    let firsts = firsts(&orders, retrieved);
    let mut raws: Vec<f64> = Vec::with_capacity(orders.len());
    for (place, order) in orders.iter().enumerate() {
        raws.push(if firsts[place] == place { raw(order) } else { raws[firsts[place]] });
    }
    let is = |param, word| params.contains(&(param, word));
    let depth = k.unwrap_or(n).min(n);
    let best = match is("denominator", "list") {
        // As many relevant documents as fit above the cutoff, with the denominator of the run.
        true => book.relevant(&Textbook::ideal(judged)[..k.unwrap().min(judged.len())]) / depth.max(1) as f64,
        // Pairs are made of retrieved documents only.
        false if ["auc", "pairacc"].contains(&entry.name) => book.pairs(&grades),
        false => book.raw(&book.best_order(judged), judged),
    };
    let u = if is("upper", "cutoff") { k.unwrap_or(judged.len()) as f64 } else { best };
    let e = match is("expected", "independent") {
        true => depth as f64 * (book.relevant(&grades) / n.max(1) as f64).powi(2),
        false => raws.iter().sum::<f64>() / raws.len() as f64,
    };
    let has_ue = entry.no_ue.is_none();
    if has_ue {
        assert!(close(evaluator.upper(&topic, 0).unwrap(), u, TOLERANCE), "{}", context("U"));
        assert!(close(evaluator.expected(&topic, 0).unwrap(), e, TOLERANCE), "{}", context("E"));
    }

    let mean = raws.iter().sum::<f64>() / raws.len() as f64;
    let defined = has_ue && best - mean > 1e-12 * best && u - e > 1e-12 * u;
    for (place, (order, &a)) in orders.iter().zip(&raws).enumerate() {
        if firsts[place] != place {
            continue;
        }
        let mut scores = vec![0.0; n];
        order.iter().enumerate().for_each(|(place, &row)| scores[row] = -(place as f64));
        let mut found = vec![0.0; specs.len()];
        evaluator.evaluate(&topic, &scores, &mut Scratch::default(), &mut found).unwrap();
        let v1 = if a == 0.0 { 0.0 } else { a / u * (a / (a + e)) };
        let v2 = if a >= e - 1e-14 { (a - e) / (u - e) } else { (a - e) / e };
        let ue = |value: f64| if defined { value } else { f64::NAN };
        for (found, expected) in found.into_iter().zip([book.original(&grades, judged, a, best), ue(v1), ue(v2)]) {
            assert!(close(found, expected, TOLERANCE), "{}: {found}, not {expected}", context("value"));
        }
    }
    if is("ties", "threshold") {
        return;
    }
    for scores in tied_scores(n) {
        let fits = |order: &Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        let over: Vec<f64> = orders.iter().zip(&raws).filter(|(order, _)| fits(order)).map(|(_, &a)| a).collect();
        let a = over.iter().sum::<f64>() / over.len() as f64;
        let mut found = vec![0.0; specs.len()];
        evaluator.evaluate(&topic, &scores, &mut Scratch::default(), &mut found).unwrap();
        let expected = book.original(&grades, judged, a, best);
        assert!(close(found[0], expected, TOLERANCE), "{}: {}, not {expected}", context("ties"), found[0]);
    }
}

/// If a run retrieves exactly the pool, `judge_pool` and `judge` give the same values to the last
/// bit.
#[test]
fn a_run_that_retrieved_the_pool_is_judged_as_a_query_is() {
    let names =
        ["ndcg", "ndcg.v1@3", "ndcg.v2", "ap.v2", "ap.v1@2", "p@3", "rr", "err.v2", "rbp.v1", "meanndcg.v2", "sp@4"];
    let rules = crate::common::conventions("paper");
    let evaluator = evaluator(&names, &rules, 3);
    let (grades, scores) = ([0, 3, 1, 0, 2, 1], [0.5, 0.5, 1.5, -1.0, 0.5, 0.25]);
    let values = |judged| {
        let mut out = vec![0.0; names.len()];
        evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut out).unwrap();
        out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    let pool = evaluator.judge_pool("t", &[3, 2, 1, 1, 0, 0], &grades, None).unwrap();
    assert_eq!(values(pool), values(evaluator.judge("t", &grades, None).unwrap()));
}

/// By hand: of three relevant documents two are retrieved, at ranks 1 and 4.
#[test]
fn the_number_of_relevant_documents_is_that_of_the_pool() {
    let evaluator = evaluator(&["ap", "ndcg(gain=linear)", "p@5", "rr"], &exact(), 1);
    let topic = evaluator.judge_pool("t", &[1, 1, 1, 0], &[Some(1), Some(0), None, Some(1)], None).unwrap();
    let mut found = [0.0; 4];
    evaluator.evaluate(&topic, &[4.0, 3.0, 2.0, 1.0], &mut Scratch::default(), &mut found).unwrap();
    let ndcg = (1.0 + 1.0 / libm::log2(5.0)) / (1.0 + 1.0 / libm::log2(3.0) + 0.5);
    for (found, expected) in found.into_iter().zip([(1.0 + 0.5) / 3.0, ndcg, 0.4, 1.0]) {
        crate::common::assert_close(found, expected, TOLERANCE);
    }
}

#[test]
fn what_no_pool_can_hold_is_refused() {
    let evaluator = evaluator(&["ap"], &exact(), 2);
    let error = evaluator.judge_pool("t", &[1, 0], &[1, 1], None).unwrap_err();
    assert!(matches!(error, MeasureError::NotInPool { .. }), "{error}");
    assert!(evaluator.judge_pool("t", &[1, 0], &[2], None).is_err());
    assert!(evaluator.judge_pool("t", &[3], &[None], None).is_err());
}

/// The pool has one relevant document. The run retrieves it first, then two unjudged documents. By
/// hand: NDCG@i is 1 at every i in the best order, and E is the mean over the three places of the
/// relevant document.
#[test]
fn meanndcg_is_normalised_where_more_was_retrieved_than_judged() {
    let names = ["meanndcg", "meanndcg.v1", "meanndcg.v2"];
    let evaluator = evaluator(&names, &exact(), 1);
    let judged = evaluator.judge_pool("1", &[1], &[Some(1), None, None], None).unwrap();
    let mut out = [0.0; 3];
    evaluator.evaluate(&judged, &[3.0, 2.0, 1.0], &mut Scratch::default(), &mut out).unwrap();
    let (second, third) = (1.0 / libm::log2(3.0), 1.0 / 2.0);
    let expected = (1.0 + (2.0 * second) / 3.0 + third / 3.0) / 3.0;
    assert!((evaluator.expected(&judged, 0).unwrap() - expected).abs() < 1e-12 && (expected - 0.5291).abs() < 5e-5);
    assert_eq!((out[0], out[2]), (1.0, 1.0));
    assert!((out[1] - 1.0 / (1.0 + expected)).abs() < 1e-12 && (out[1] - 0.654).abs() < 5e-4);
}

//! Compares every registered measure, with all parameters and several cutoffs, with its definition
//! on every order of small queries. Checked are the value of each order, U (the maximum), E (the
//! mean), ties (the mean over the orders of the tied documents), and V1 and V2 (by formula).
#![allow(clippy::unwrap_used)] // a test

use crate::common::textbook::{Textbook, settings, spec, takes, versions};
use crate::common::{assert_close, close, evaluator, exact, firsts, orders, tied_scores};
use fivefold_metrics::{Evaluator, Judged, MEASURES, MeasureEntry, Scratch};

const QUERIES: &[&[u8]] = &[
    &[2, 1, 0],
    &[0, 2, 0, 1],
    &[1, 1, 0, 0, 2],
    &[0, 0, 1, 2, 1],
    &[0, 0, 0],
    &[2, 2],
    &[1, 2],
    &[1],
    &[0],
    &[2, 0, 0, 0],
];
const CUTOFFS: &[Option<usize>] = &[None, Some(1), Some(2), Some(3), Some(5), Some(7)];
const MAX_GRADE: u8 = 2;
const TOLERANCE: f64 = 1e-12;

/// The values of all versions; NaN for a version that the measure does not have.
fn evaluate(evaluator: &Evaluator, judged: &Judged, scores: &[f64]) -> [f64; 3] {
    let mut values = vec![0.0; evaluator.names().len()];
    evaluator.evaluate(judged, scores, &mut Scratch::default(), &mut values).unwrap();
    let mut out = [f64::NAN; 3];
    out[..values.len()].copy_from_slice(&values);
    out
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn every_measure_on_every_order() {
    let mut checked = 0;
    for entry in MEASURES {
        for params in settings(entry) {
            for &cutoff in CUTOFFS {
                if takes(entry.cutoffs, cutoff) {
                    QUERIES.iter().for_each(|grades| check(entry, &params, cutoff, grades));
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 300, "{checked}");
}

fn check(entry: &MeasureEntry, params: &[(&'static str, &'static str)], cutoff: Option<usize>, grades: &[u8]) {
    let specs: Vec<_> = versions(entry).iter().map(|version| spec(entry, params, cutoff, version)).collect();
    let evaluator = Evaluator::new(&specs, &exact(), MAX_GRADE, fivefold_base::Seed::new(1)).unwrap();
    let judged = evaluator.judge("q", grades, None).unwrap();
    let book = Textbook { name: entry.name, params, k: cutoff };
    let n = grades.len();
    let context = |what: &str| format!("{what} of {} on {grades:?}", specs[0]);

    let orders = orders(n);
    let ranked = |order: &[usize]| order.iter().map(|&row| grades[row]).collect::<Vec<u8>>();
    let firsts = firsts(&orders, grades);
    let mut raw: Vec<f64> = Vec::with_capacity(orders.len());
    for (place, order) in orders.iter().enumerate() {
        raw.push(if firsts[place] == place { book.raw(&ranked(order), grades) } else { raw[firsts[place]] });
    }
    let (best, random) = (raw.iter().copied().fold(0.0, f64::max), mean(&raw));
    let by_convention = |param, word| params.contains(&(param, word));
    let u = if by_convention("upper", "cutoff") { cutoff.unwrap_or(n) as f64 } else { best };
    let e = if by_convention("expected", "independent") {
        cutoff.unwrap_or(n).min(n) as f64 * (book.relevant(grades) / n as f64).powi(2)
    } else {
        random
    };
    let has_ue = entry.no_ue.is_none();
    let bounds = [evaluator.upper(&judged, 0), evaluator.expected(&judged, 0)];
    if has_ue {
        assert!(close(bounds[0].unwrap(), u, TOLERANCE), "{}", context("U"));
        assert!(close(bounds[1].unwrap(), e, TOLERANCE), "{}", context("E"));
    } else {
        assert_eq!(bounds, [None; 2], "{}", context("U and E"));
    }

    let defined = has_ue && best - random > 1e-12 * best && u - e > 1e-12 * u;
    let check_value = |scores: &[f64], a: f64, what: &str| -> [f64; 3] {
        let found = evaluate(&evaluator, &judged, scores);
        let v1 = if a == 0.0 { 0.0 } else { a / u * (a / (a + e)) };
        let v2 = if a >= e - 1e-14 { (a - e) / (u - e) } else { (a - e) / e };
        let ue = |value: f64| if defined { value } else { f64::NAN };
        let expected = [book.original(grades, grades, a, best), ue(v1), ue(v2)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(close(*found, expected, TOLERANCE), "{}: {found}, not {expected}", context(what));
        }
        found
    };

    for (place, (order, &a)) in orders.iter().zip(&raw).enumerate() {
        if firsts[place] != place {
            continue;
        }
        let mut scores = vec![0.0; n];
        order.iter().enumerate().for_each(|(place, &row)| scores[row] = -(place as f64));
        check_value(&scores, a, "value");
    }
    for scores in tied_scores(n) {
        let fits = |order: &Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        if by_convention("ties", "threshold") {
            // Any of the orders will do, since the order within a group does not matter.
            let order = orders.iter().find(|order| fits(order)).unwrap();
            let last = |&place: &usize| place == n || scores[order[place - 1]] > scores[order[place]];
            let ends: Vec<usize> = (1..=n).filter(last).collect();
            check_value(&scores, book.raw_by_thresholds(&ranked(order), &ends), "value with ties");
            continue;
        }
        let over: Vec<f64> = orders.iter().zip(&raw).filter(|(order, _)| fits(order)).map(|(_, &a)| a).collect();
        check_value(&scores, mean(&over), "value with ties");
    }

    // The fixed points of UE normalisation. They are exact where both sides are the same sum.
    let thresholds = by_convention("ties", "threshold");
    let exempt = by_convention("upper", "cutoff") || by_convention("expected", "independent") || thresholds;
    if defined && !exempt {
        let [_, v1, v2] = evaluate(&evaluator, &judged, &vec![0.5; n]);
        let (u, e) = (evaluator.upper(&judged, 0).unwrap(), evaluator.expected(&judged, 0).unwrap());
        assert_eq!((v1, v2), (e / (2.0 * u), 0.0), "{}", context("constant scorer"));
        let ideal: Vec<f64> = grades.iter().map(|&y| book.worth(y)).collect();
        let [_, v1, v2] = evaluate(&evaluator, &judged, &ideal);
        assert_close(v1, u / (u + e), TOLERANCE);
        assert_close(v2, 1.0, TOLERANCE);
    }
}

#[test]
fn measures_are_listed_once_and_described() {
    for (index, entry) in MEASURES.iter().enumerate() {
        assert!(MEASURES[..index].iter().all(|other| other.name != entry.name), "{}", entry.name);
        assert!(!entry.summary.is_empty() && !entry.formula.is_empty() && !entry.source.is_empty());
        for param in entry.params {
            // A default is itself a value that can be written.
            let default = (param.default)(&exact(), MAX_GRADE);
            assert_eq!((param.canonical)(&default).as_deref(), Some(default.as_str()), "{}", param.name);
        }
    }
    assert_eq!(
        evaluator(&["ndcg@5", "ndcg.v2@10", "rr"], &exact(), 2).describe(),
        [
            "ndcg: gain=exp2, discount=log2, short_list=cut",
            "rr: threshold=1",
            "ties: average; undefined values: zero; mean over: queries",
        ]
    );
}

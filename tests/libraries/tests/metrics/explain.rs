//! The explanation of a value leads to the same value as the evaluation, for every measure with its
//! parameters, cutoffs, versions and ties. One query is worked out by hand.
#![allow(clippy::unwrap_used)] // a test

use crate::common::textbook::{settings, spec, takes, versions};
use crate::common::{assert_close, close, conventions, evaluator, exact, orders};
use fivefold_base::Seed;
use fivefold_metrics::{Evaluator, MEASURES, Scratch};

#[test]
fn factors_sums_and_steps_lead_to_the_value() {
    let (grades, mut seen) = ([1u8, 0, 2, 0, 1, 0, 0], 0);
    for scores in [[7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0]] {
        for entry in MEASURES {
            for params in settings(entry) {
                for cutoff in [None, Some(1), Some(3), Some(9)].into_iter().filter(|&k| takes(entry.cutoffs, k)) {
                    let of_version = |version: &&str| spec(entry, &params, cutoff, version);
                    let specs: Vec<_> = versions(entry).iter().map(of_version).collect();
                    let evaluator = Evaluator::new(&specs, &exact(), 2, Seed::new(1)).unwrap();
                    let judged = evaluator.judge("q", &grades, None).unwrap();
                    let mut values = vec![0.0; specs.len()];
                    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut values).unwrap();
                    for (column, value) in values.into_iter().enumerate() {
                        let told = evaluator.explain(&judged, &scores, column).unwrap();
                        assert!(close(told.value.unwrap_or(f64::NAN), value, 0.0), "{}", specs[column]);
                        assert_eq!(told.steps.last().unwrap().value, told.value);
                        match entry.no_ue {
                            None => {
                                assert_eq!(told.steps[1].value, evaluator.upper(&judged, column));
                                assert_eq!(told.steps[2].value, evaluator.expected(&judged, column));
                            }
                            Some(_) => assert_eq!(told.steps.len(), 2),
                        }
                        let mut rows: Vec<usize> = told.ranking.iter().map(|place| place.row).collect();
                        assert!(told.ranking.iter().all(|place| grades[place.row] == place.grade));
                        assert!(rows.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]));
                        rows.sort_unstable();
                        assert_eq!(rows, [0, 1, 2, 3, 4, 5, 6]);
                        for place in told.ranking.iter().take(told.positions) {
                            if let Some([one, other]) = place.factors {
                                assert_close(one * other, place.contribution.unwrap(), 1e-12);
                            }
                        }
                        assert!(told.ranking[told.positions..].iter().all(|place| place.contribution.is_none()));
                        seen += 1;
                    }
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// The mean contribution of each position equals the mean over all orders of the documents, also if
/// a tie is one threshold.
#[test]
fn means_of_positions_are_those_of_all_orders() {
    let (grades, mut differing) = ([1u8, 0, 2, 0], 0);
    let orders = orders(grades.len());
    for entry in MEASURES {
        for params in settings(entry) {
            for cutoff in [None, Some(3)].into_iter().filter(|&k| takes(entry.cutoffs, k)) {
                let spec = spec(entry, &params, cutoff, "");
                let evaluator = Evaluator::new(std::slice::from_ref(&spec), &exact(), 2, Seed::new(1)).unwrap();
                let judged = evaluator.judge("q", &grades, None).unwrap();
                let told = |scores: &[f64]| evaluator.explain(&judged, scores, 0).unwrap();
                let positions = told(&[0.0; 4]).positions;
                if told(&[0.0; 4]).whole {
                    // No position has a value of its own.
                    assert!(told(&[0.0; 4]).bounds.is_empty(), "{spec}");
                    continue;
                }
                let mut means = vec![0.0; positions];
                for order in &orders {
                    let scores: Vec<f64> = order.iter().map(|&place| place as f64).collect();
                    for (mean, place) in means.iter_mut().zip(&told(&scores).ranking) {
                        *mean += place.contribution.unwrap() / orders.len() as f64;
                    }
                }
                let tied = told(&[0.0; 4]);
                for (rank, mean) in means.into_iter().enumerate() {
                    assert_close(tied.bounds[rank].expected, mean, 1e-12);
                    differing += usize::from(!close(tied.ranking[rank].contribution.unwrap(), mean, 1e-12));
                }
            }
        }
    }
    assert!(differing > 0, "no convention takes a tie for one threshold");
}

/// Grades 0, 1, 2 in this order: DCG = 1/log2(3) + 3/2, ideal 3 + 1/log2(3), expected (4/3)(1 +
/// 1/log2(3) + 1/2).
#[test]
fn one_query_by_hand() {
    let evaluator = evaluator(&["ndcg.v2@3", "ndcg@3"], &exact(), 2);
    let judged = evaluator.judge("q", &[0, 1, 2], None).unwrap();
    let told = evaluator.explain(&judged, &[3.0, 2.0, 1.0], 0).unwrap();
    assert_eq!(told.factors, Some(["gain", "discount"]));
    assert_eq!(told.ranking[2].factors, Some([3.0, 0.5]));
    assert_eq!(
        told.ranking.iter().map(|place| place.contribution.unwrap()).collect::<Vec<_>>(),
        [0.0, 1.0 / libm::log2(3.0), 1.5]
    );
    assert_eq!(told.bounds.iter().map(|bound| bound.grade.unwrap()).collect::<Vec<_>>(), [2, 1, 0]);
    let [a, u, e, v2] = [0, 1, 2, 3].map(|step: usize| told.steps[step].value.unwrap());
    assert_close(a, 2.130930, 5e-7);
    assert_close(u, 3.630930, 5e-7);
    assert_close(e, 2.841240, 5e-7);
    assert_close(v2, -0.25, 1e-6);
    assert_eq!(told.steps[3].numbers, "(2.13093-2.84124)/2.84124");
    assert!(told.remarks[0].starts_with("negative"), "{:?}", told.remarks);
    assert_eq!(evaluator.explain(&judged, &[3.0, 2.0, 1.0], 1).unwrap().steps[3].numbers, "2.13093 / 3.63093");
}

#[test]
fn undefined_values_say_why() {
    let remark = |grades: &[u8], name: &str, dialect: &str| {
        let evaluator = evaluator(&[name], &conventions(dialect), 2);
        let judged = evaluator.judge("q", grades, None).unwrap();
        let scores: Vec<f64> = (0..grades.len()).map(|i| i as f64).collect();
        let told = evaluator.explain(&judged, &scores, 0).unwrap();
        (told.value, told.remarks.join("; "))
    };
    let (value, why) = remark(&[0, 0], "ndcg@2", "paper");
    assert!(
        value.is_none() && why.starts_with("undefined: there is nothing to find, because no judged document"),
        "{why}"
    );
    let (value, why) = remark(&[1, 1], "ndcg.v2@2", "paper");
    assert!(value.is_none() && why.contains("no order of the documents is better"), "{why}");
    let (value, why) = remark(&[1, 0], "ndcg@5", "letor4");
    assert!(value == Some(0.0) && why.contains("beyond the list of 2 documents"), "{why}");
    assert!(why.contains("0 by convention: the cutoff is beyond the list (short_list: zero)"), "{why}");
    assert!(remark(&[1], "ap@5", "letor4").1.contains("beyond the list of 1 document"));
    assert!(!remark(&[1], "ap@5", "letor4").1.contains("1 documents"));
    for (name, dialect, convention) in [
        ("ap", "catboost", "(no_relevant: zero)"),
        ("ap@1", "catboost", "(no_relevant: zero)"),
        ("rr", "catboost", "(no_relevant: zero)"),
        ("err@5", "paper", "(err_no_relevant: zero)"),
    ] {
        let (value, why) = remark(&[0, 0], name, dialect);
        assert_eq!(value, Some(0.0));
        assert!(why.contains("0 by convention: no judged document is relevant") && why.contains(convention), "{why}");
        let (_, why) = remark(&[1, 0], name, dialect);
        assert!(!why.contains("by convention"), "{why}");
    }
    let (value, why) = remark(&[0, 0], "rr", "ranx");
    assert!(value.is_none() && !why.contains("by convention"), "{why}");
}

/// Two of three documents are relevant, and all tie: as one threshold, each position contributes
/// 2/3 of 2/3.
#[test]
fn what_a_tie_takes_is_said() {
    let of = |dialect: &str| {
        let evaluator = evaluator(&["ap"], &conventions(dialect), 1);
        let judged = evaluator.judge("q", &[1, 0, 1], None).unwrap();
        evaluator.explain(&judged, &[0.0; 3], 0).unwrap()
    };
    let (sklearn, paper) = (of("sklearn"), of("paper"));
    assert!(sklearn.remarks.join(";").contains("which counts as one threshold (ap_ties: threshold)"));
    assert!(!sklearn.remarks.join(";").contains("mean over the orders"));
    assert!(paper.remarks.join(";").contains("each position of a group takes the mean over the orders of its group"));
    assert_close(sklearn.ranking[0].contribution.unwrap(), 4.0 / 9.0, 1e-12);
    let formulas: Vec<&str> = sklearn.steps.iter().map(|step| step.formula.as_str()).collect();
    assert!(formulas[2].starts_with("the same sum, mean over all orders"), "{formulas:?}");
}

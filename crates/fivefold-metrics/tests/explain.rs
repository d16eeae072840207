//! The arithmetic that is shown is the arithmetic that is counted, for every measure, with its parameters, cutoffs, versions and ties;
//! and one query worked out by hand.
#![allow(clippy::unwrap_used)] // a test

mod common;

use common::textbook::{settings, spec, takes};
use common::{assert_close, close, conventions, evaluator, exact};
use fivefold_core::Seed;
use fivefold_metrics::{Evaluator, MEASURES, Scratch};

#[test]
fn factors_sums_and_steps_lead_to_the_value() {
    let (grades, mut seen) = ([1u8, 0, 2, 0, 1, 0, 0], 0);
    for scores in [[7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], [1.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.0]] {
        for entry in MEASURES {
            for params in settings(entry) {
                for cutoff in [None, Some(1), Some(3), Some(9)].into_iter().filter(|&k| takes(entry.cutoffs, k)) {
                    let specs = ["", ".v1", ".v2"].map(|version| spec(entry, &params, cutoff, version));
                    let evaluator = Evaluator::new(&specs, &exact(), 2, Seed::new(1)).unwrap();
                    let judged = evaluator.judge("q", &grades, None).unwrap();
                    let mut values = [0.0; 3];
                    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut values).unwrap();
                    for (column, value) in values.into_iter().enumerate() {
                        let told = evaluator.explain(&judged, &scores, column).unwrap();
                        assert!(close(told.value.unwrap_or(f64::NAN), value, 0.0), "{}", specs[column]);
                        assert_eq!(told.steps[3].value, told.value);
                        assert_eq!(told.steps[1].value, evaluator.upper(&judged, column));
                        assert_eq!(told.steps[2].value, evaluator.expected(&judged, column));
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

/// Grades 0, 1, 2 in this order: DCG = 1/log2(3) + 3/2, ideal 3 + 1/log2(3), expected (4/3)(1 + 1/log2(3) + 1/2).
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
    assert!(value.is_none() && why.starts_with("undefined: no judged document"), "{why}");
    let (value, why) = remark(&[1, 1], "ndcg.v2@2", "paper");
    assert!(value.is_none() && why.contains("no order of the documents is better"), "{why}");
    let (value, why) = remark(&[1, 0], "ndcg@5", "letor4");
    assert!(value == Some(0.0) && why.contains("beyond the list of 2"), "{why}");
}

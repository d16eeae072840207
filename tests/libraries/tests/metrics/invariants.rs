//! Properties of values that hold for every query and every scorer, and values of long lists.
#![allow(clippy::unwrap_used)] // a test

use crate::common::textbook::versions;
use crate::common::{assert_close, conventions, evaluator, exact, values};
use fivefold_base::Seed;
use fivefold_metrics::{Evaluator, MEASURES, Scratch, Ties};
use proptest::prelude::*;

/// Every measure in every version, at `cutoff` if the measure takes a cutoff.
fn all_names(cutoff: usize) -> Vec<String> {
    let with_cutoff = |name: &str| {
        let at = format!("{name}@{cutoff}");
        if at.parse::<fivefold_metrics::MeasureSpec>().is_ok() { at } else { name.to_owned() }
    };
    let named = |entry: &'static fivefold_metrics::MeasureEntry| {
        versions(entry).iter().map(|version| format!("{}{version}", entry.name))
    };
    MEASURES.iter().flat_map(named).map(|name| with_cutoff(&name)).collect()
}

/// Grades and scores of a query. There are few different scores, so that many documents tie.
fn query() -> impl Strategy<Value = (Vec<u8>, Vec<f64>)> {
    (1usize..30).prop_flat_map(|n| {
        (prop::collection::vec(0u8..=4, n), prop::collection::vec((-6i32..6).prop_map(|s| f64::from(s) / 3.0), n))
    })
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn ranges((grades, scores) in query(), cutoff in 1usize..12) {
        let names = all_names(cutoff);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for (name, value) in names.iter().zip(values(&names, &exact(), 4, &grades, &scores)) {
            let within = |low: f64, high: f64| value.is_nan() || (low - 1e-12..=high + 1e-12).contains(&value);
            match name {
                _ if name.contains(".v1") => prop_assert!(within(0.0, 1.0), "{name} {value}"),
                _ if name.contains(".v2") => prop_assert!(within(-1.0, 1.0), "{name} {value}"),
                _ if *name == "utility" => prop_assert!(value.is_finite()),
                _ if ["dcg", "sp", "neru"].iter().any(|raw| name.starts_with(raw)) => prop_assert!(value >= 0.0),
                _ => prop_assert!(within(0.0, 1.0), "{name} {value}"),
            }
        }
    }

    /// V2 is between -1 and 1, and V1 between 0 and 1, exactly to the last bit. The bounds hold for
    /// every dialect, max_grade and ties, and for runs that retrieve fewer or more documents than
    /// were judged.
    #[test]
    fn normalised_values_keep_their_bounds(
        (grades, scores) in query(),
        cutoff in 1usize..12,
        unjudged in 0usize..5,
        kept in 0usize..30,
        dialect in 0usize..fivefold_metrics::DIALECTS.len(),
    ) {
        let mut names = all_names(cutoff);
        names.retain(|name| name.contains(".v"));
        names.extend(["v1", "v2"].map(|version| format!("err.{version}(max_grade=30)@{cutoff}")));
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut conventions = fivefold_metrics::DIALECTS[dialect].conventions();
        // There are no document ids here.
        if conventions.ties == Ties::DocId {
            conventions.ties = Ties::Average;
        }
        let evaluator = evaluator(&names, &conventions, 4);
        let kept = kept.min(grades.len());
        let judged = grades[..kept].iter().copied().map(Some);
        let retrieved: Vec<Option<u8>> = judged.chain(std::iter::repeat_n(None, unjudged)).collect();
        let run_scores: Vec<f64> = scores[..kept].iter().copied().chain((0..unjudged).map(|i| (i % 2) as f64)).collect();
        let judged = [
            (evaluator.judge("q", &grades, None).unwrap(), &scores),
            (evaluator.judge_pool("q", &grades, &retrieved, None).unwrap(), &run_scores),
        ];
        for (judged, scores) in &judged {
            let mut out = vec![0.0; names.len()];
            evaluator.evaluate(judged, scores, &mut Scratch::default(), &mut out).unwrap();
            for (name, value) in names.iter().zip(out) {
                let low = if name.contains(".v2") { -1.0 } else { 0.0 };
                // Neither E of the paper's sum of precision nor scikit-learn's threshold is a mean
                // over orders.
                prop_assert!(value.is_nan() || (low..=1.0).contains(&value), "{name} {value} {grades:?} {scores:?}");
            }
        }
    }

    #[test]
    fn order_of_rows_has_no_effect_on_a_single_bit((grades, scores) in query(), seed: u64) {
        let names = all_names(5);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut order: Vec<usize> = (0..grades.len()).collect();
        Seed::new(seed).rng().shuffle(&mut order);
        let moved_grades: Vec<u8> = order.iter().map(|&row| grades[row]).collect();
        let moved_scores: Vec<f64> = order.iter().map(|&row| scores[row]).collect();
        let before = values(&names, &exact(), 4, &grades, &scores);
        prop_assert_eq!(bits(&before), bits(&values(&names, &exact(), 4, &moved_grades, &moved_scores)));
    }

    #[test]
    fn only_the_order_of_scores_counts((grades, scores) in query()) {
        let stretched: Vec<f64> = scores.iter().map(|score| libm::exp(*score) * 1e-3 - 7.0).collect();
        for ties in [Ties::Average, Ties::Input, Ties::Pessimistic] {
            let rules = fivefold_metrics::Conventions { ties, ..exact() };
            let names = ["ndcg@5", "ap", "err.v2", "rr.v1@3"];
            let before = values(&names, &rules, 4, &grades, &scores);
            prop_assert_eq!(bits(&before), bits(&values(&names, &rules, 4, &grades, &stretched)));
        }
    }

    #[test]
    fn a_column_does_not_depend_on_the_others((grades, scores) in query()) {
        let all = ["ap.v2@5", "ndcg@10", "ndcg@1", "ndcg.v1@5", "err@5", "ndcg@5", "rbp", "ap", "ndcg"];
        for conventions in [conventions("paper"), conventions("letor4"), exact()] {
            let together = values(&all, &conventions, 4, &grades, &scores);
            for (name, value) in all.iter().zip(together) {
                prop_assert_eq!(value.to_bits(), values(&[*name], &conventions, 4, &grades, &scores)[0].to_bits());
            }
        }
    }

    #[test]
    fn a_better_document_further_up_never_lowers_a_value((grades, _) in query(), low in 0usize..29, high in 0usize..29) {
        let (high, low) = (high.min(low) % grades.len(), high.max(low) % grades.len());
        prop_assume!(high < low && grades[high] < grades[low]);
        let names = all_names(7);
        // The Q-measure does not have this property, as its own test shows. Nor has BPM: with
        // the grades 0 1 0 1 4 the user stops at rank 5 with the gain 1.5, with 0 1 0 3 1 at rank 4
        // with the gain 1.
        let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.starts_with("q") && !name.starts_with("bpm")).collect();
        let scores = crate::common::falling(grades.len());
        let mut swapped = grades.clone();
        swapped.swap(high, low);
        let before = values(&names, &exact(), 4, &grades, &scores);
        let after = values(&names, &exact(), 4, &swapped, &scores);
        for ((name, before), after) in names.iter().zip(before).zip(after) {
            prop_assert!(before.is_nan() && after.is_nan() || after >= before - 1e-12, "{name}: {before} to {after}");
        }
    }

    #[test]
    fn tie_policies_bracket_the_average((grades, scores) in query()) {
        let names = ["ndcg@5", "ap", "rr", "err", "rbp", "neru", "p@4", "meanndcg"];
        let under = |ties| values(&names, &fivefold_metrics::Conventions { ties, ..exact() }, 4, &grades, &scores);
        let (low, mid, high) = (under(Ties::Pessimistic), under(Ties::Average), under(Ties::Optimistic));
        for i in 0..names.len() {
            let inside = low[i] <= mid[i] + 1e-12 && mid[i] <= high[i] + 1e-12;
            prop_assert!(inside || mid[i].is_nan(), "{}: {} {} {}", names[i], low[i], mid[i], high[i]);
        }
    }
}

#[test]
fn the_same_cutoff_has_the_same_bits_in_any_list() {
    let (grades, scores): (Vec<u8>, Vec<f64>) = (0..40).map(|i| ((i * 7 % 5) as u8, f64::from(i * 13 % 17))).unzip();
    let at5 = |names: &[&str]| {
        let place = names.iter().position(|name| *name == "ndcg@5").unwrap();
        values(names, &exact(), 4, &grades, &scores)[place].to_bits()
    };
    assert_eq!(at5(&["ndcg@5"]), at5(&["ndcg@1", "ndcg@5"]));
    assert_eq!(at5(&["ndcg@5"]), at5(&["ndcg@10", "ndcg@1", "ndcg@5"]));
}

/// The logarithms of the coefficients of the product of two polynomials, from the logarithms of
/// their coefficients.
fn ln_product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let coefficient = |k: usize| {
        let terms = || (k.saturating_sub(b.len() - 1)..=k.min(a.len() - 1)).map(|i| a[i] + b[k - i]);
        let greatest = terms().fold(f64::NEG_INFINITY, f64::max);
        greatest + libm::log(terms().map(|term| libm::exp(term - greatest)).sum())
    };
    (0..a.len() + b.len() - 1).map(coefficient).collect()
}

/// 10,000 documents, all tied: ERR and RR are compared with their definitions by binomials,
/// computed in logarithms.
#[test]
fn long_lists_neither_overflow_nor_lose_digits() {
    let n = 10_000;
    let grades: Vec<u8> = (0..n).map(|i| if i % 10 == 0 { (i / 10 % 5) as u8 } else { 0 }).collect();
    let found = values(&["err", "rr", "err@10", "rr@10"], &exact(), 4, &grades, &vec![0.0; n]);
    assert!(found.iter().all(|value| value.is_finite()));

    let mut ln_factorial = vec![0.0];
    (1..=n).for_each(|i| ln_factorial.push(ln_factorial[i - 1] + libm::log(i as f64)));
    let ln_choose = |n: usize, k: usize| ln_factorial[n] - ln_factorial[k] - ln_factorial[n - k];

    // sum_r (1/r) C(n-r, Np-1) / C(n, Np)
    let relevant = grades.iter().filter(|&&grade| grade > 0).count();
    let rr = |depth: usize| -> f64 {
        let first_at = |r: usize| libm::exp(ln_choose(n - r, relevant - 1) - ln_choose(n, relevant));
        (1..=depth.min(n + 1 - relevant)).map(|r| first_at(r) / r as f64).sum()
    };
    assert_close(found[1], rr(n), 1e-9);
    assert_close(found[3], rr(10), 1e-9);

    // sum_r (1/r) (e_{r-1}/C(n,r-1) - e_r/C(n,r)); prod_i (1 + q_i x) has the coefficients e_j.
    let mut ln_e = vec![0.0];
    for grade in (0..=4).rev() {
        let count = grades.iter().filter(|&&other| other == grade).count();
        let pass = 1.0 - f64::from((1u32 << grade) - 1) / 16.0;
        let power: Vec<f64> = (0..=count).map(|j| ln_choose(count, j) + j as f64 * libm::log(pass)).collect();
        ln_e = ln_product(&ln_e, &power);
    }
    let passed = |j: usize| libm::exp(ln_e[j] - ln_choose(n, j));
    let err = |depth: usize| -> f64 { (1..=depth).map(|r| (passed(r - 1) - passed(r)) / r as f64).sum() };
    assert_close(found[0], err(n), 1e-9);
    assert_close(found[2], err(10), 1e-9);
}

#[test]
fn what_does_not_fit_is_an_error_and_never_a_panic() {
    let rules = exact();
    let evaluator: Evaluator = evaluator(&["ndcg@5", "err"], &rules, 2);
    let judged = evaluator.judge("7:1", &[0, 2], None).unwrap();
    let run = |scores: &[f64], judged| {
        let mut out = [0.0; 2];
        evaluator.evaluate(judged, scores, &mut Scratch::default(), &mut out).unwrap_err().to_string()
    };
    assert_eq!(
        run(&[1.0, f64::NAN], &judged),
        "query 7:1: the score of document 2 is NaN; scores must be finite numbers"
    );
    assert!(run(&[f64::INFINITY, 1.0], &judged).contains("document 1 is inf"));
    assert_eq!(run(&[1.0], &judged), "query 7:1: 1 score for 2 documents");
    let other = crate::common::evaluator(&["ndcg@6", "err"], &rules, 2).judge("8", &[0, 2], None).unwrap();
    assert!(run(&[1.0, 2.0], &other).contains("was judged by another evaluator"));
    assert_eq!(
        evaluator.judge("9", &[0, 3], None).unwrap_err().to_string(),
        "query 9: document 2 has grade 3, but the collection's highest grade is 2"
    );
    // Conventions from a file are checked as parameters in a name are.
    let rules = fivefold_metrics::Conventions { threshold: 0, ..exact() };
    let Err(error) = Evaluator::new(&crate::common::specs(&["ap"]), &rules, 2, Seed::new(1)) else {
        panic!("no error")
    };
    assert_eq!(error.to_string(), "`threshold` of `ap` must be a grade from 1 to 30, not `0`");
    // Grades that no collection can have.
    assert!(crate::common::evaluator(&["err", "ndcg"], &exact(), 255).judge("q", &[31], None).is_err());
}

#[test]
fn a_collection_without_relevant_documents_can_be_evaluated() {
    let found = values(&["err", "p@1", "rbp", "dcg", "ndcg"], &exact(), 0, &[0, 0], &[1.0, 2.0]);
    assert_eq!(found[..4], [0.0; 4]);
    assert!(found[4].is_nan());
}

#[test]
fn evaluators_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Evaluator>();
    shared::<fivefold_metrics::Judged>();
    shared::<fivefold_metrics::Objective>();
}

/// Exact rationals by Python's `fractions`, over all orders, under max_grade 30, where a
/// probability to stop is about 1e-9. Of the grades 3 3 1 the first two documents tie; of the
/// grades 3 1 0 2 the last three documents tie.
#[test]
fn err_keeps_its_digits_under_a_high_gmax() {
    let names = ["err(max_grade=30)", "err.v1(max_grade=30)", "err.v2(max_grade=30)"];
    for (grades, scores, expected) in
        [(&[3, 3, 1][..], &[3.0, 3.0, 1.0][..], ERR_331), (&[3, 1, 0, 2], &[2.0, 1.0, 1.0, 1.0], ERR_3102)]
    {
        for ((name, value), expected) in names.iter().zip(values(&names, &exact(), 3, grades, scores)).zip(expected) {
            assert!((value / expected - 1.0).abs() < 1e-14, "{name} of {grades:?}: {value:e} for {expected:e}");
        }
    }
}
const ERR_331: [f64; 3] = [1.0089327866369633e-08, 0.5416666666621394, 1.0];
const ERR_3102: [f64; 3] = [7.864501731704582e-09, 0.5695567904392768, 0.8747203586608315];

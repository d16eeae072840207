//! Single values with a known result: from definitions by hand, from papers, and from other
//! programs.
#![allow(clippy::unwrap_used)] // a test

use crate::common::{assert_close, conventions, evaluator, exact, falling, values};
use fivefold_metrics::{Conventions, Evaluator, FoldMean, Scratch, Ties, Undefined, mean, mean_over_folds};

/// Check values are printed with six decimals.
const PRINTED: f64 = 5e-7;

/// The value of a ranking in which all documents tie: E of the original measure.
fn expected(name: &str, grades: &[u8]) -> f64 {
    let highest = grades.iter().copied().max().unwrap();
    values(&[name], &exact(), highest, grades, &vec![1.0; grades.len()])[0]
}

#[test]
fn expected_values_of_the_definitions() {
    assert_close(expected("ndcg", &[2, 1, 0]), 0.782510, PRINTED);
    assert_close(expected("ndcg(gain=linear)", &[2, 1, 0]), 0.809953, PRINTED);
    assert_close(expected("ap", &[1, 1, 0, 0]), 0.680556, PRINTED);
    assert_close(expected("ap", &[1, 0, 0, 0, 0]), 0.456667, PRINTED);
    assert_close(expected("ap", &[1, 1, 1, 0, 0, 0]), 0.645, PRINTED);
    assert_close(expected("ap(denominator=relevant)@2", &[1, 1, 1, 0]), 0.458333, PRINTED);
    assert_close(expected("ap(denominator=min)@2", &[1, 1, 1, 0]), 0.6875, PRINTED);
    assert_close(expected("rr", &[1, 1, 0, 0]), 0.722222, PRINTED);
    assert_close(expected("err", &[2, 1, 0]), 0.538194, PRINTED);
    assert_close(values(&["err"], &exact(), 2, &[2, 1, 0], &falling(3))[0], 0.78125, 1e-15);
}

/// Check values of measures on three rankings: name, then value and expected value of the query L
/// and of the run P, and the value of the ranking with ties T. NaN: no check value.
const CHECKS: &[(&str, [f64; 2], [f64; 2], f64)] = &[
    ("recall@3", [0.6666667, 0.5], [0.25, 0.25], 0.5555556),
    ("success@2", [1.0, 0.8], [1.0, 0.6], 1.0),
    ("rprec", [0.6666667, 0.5], [0.25, 0.3333333], 0.5555556),
    ("f@3", [0.6666667, 0.5], [0.2857143, 0.2857143], 0.5555556),
    ("q", [0.7195767, 0.6744753], [0.2386364, 0.2497159], 0.6531966),
    ("q(beta=10)", [0.7411837, 0.7315367], [0.2480769, 0.2474679], 0.6732415),
    ("q(denominator=min)@2", [0.3333333, 0.3577778], [f64::NAN; 2], f64::NAN),
    ("nerr", [0.5607843, 0.5222059], [0.4548720, 0.4272373], 0.4428105),
    ("nerr@3", [0.5490196, 0.4375817], [0.4417178, 0.3427403], 0.3398693),
    ("bing", [0.7103099, 0.6404016], [0.2654016, 0.2948459], 0.6487982),
    ("pfound(max_grade=4)", [0.5698756, 0.5319753], [0.4902508, 0.4486760], 0.5279266),
    ("sdcg@3", [0.4692787, 0.3333333], [0.2960819, 0.25], 0.3086598),
    ("bpref", [0.6666667, 0.5], [0.4166667, 0.3333333], 0.6111111),
    ("infap", [0.7555556, 0.6450005], [0.2250000, 0.2633337], 0.6703712),
    ("judged@3", [1.0, 1.0], [0.6666667, f64::NAN], 1.0),
    ("unj@10", [0.0, 0.0], [0.2, f64::NAN], 0.0),
    ("rbp_resid", [0.0, 0.0], [0.704341, f64::NAN], 0.0),
    ("iprec", [0.6666667, 0.6733333], [0.4, 0.4733333], 0.6722222),
    ("iprec(x=0)", [1.0, 0.7891667], [0.5, 0.6311111], 0.8361111),
    ("iprec11", [0.7696970, 0.6934091], [0.2454545, 0.3012121], 0.7257576),
    ("inst", [0.3759509, 0.3367238], [0.2275086, f64::NAN], f64::NAN),
    ("inst(T=2)", [0.2829745, f64::NAN], [0.1962580, f64::NAN], f64::NAN),
    ("nerr8@3", [0.5, 0.4491468], [0.5, f64::NAN], f64::NAN),
    ("nerr9@3", [0.4705882, 0.4073852], [0.3333333, f64::NAN], f64::NAN),
    ("bpm@3", [0.5, 0.45], [0.5, f64::NAN], f64::NAN),
    ("set_p", [0.5, 0.5], [0.3333333, f64::NAN], 0.5),
    ("set_recall", [1.0, 1.0], [0.5, f64::NAN], 1.0),
    ("set_f", [0.6666667, 0.6666667], [0.4, f64::NAN], 0.6666667),
    ("set_ap", [0.5, 0.5], [0.1666667, f64::NAN], 0.5),
    ("utility", [0.0, 0.0], [-2.0, f64::NAN], 0.0),
    ("compat", [0.5446992, 0.5225384], [0.3226981, 0.2954594], 0.5381036),
    ("compat(p=0.8)", [0.4614877, 0.4591291], [0.2899832, 0.2657875], 0.4526912),
    ("auc", [0.6666667, 0.5], [0.5, 0.5], 0.6111111),
    ("pairacc", [0.6363636, 0.5], [0.5555556, 0.5], 0.5454545),
    ("insq", [0.3127470, f64::NAN], [0.1941188, f64::NAN], f64::NAN),
];

#[test]
fn check_values_of_further_measures() {
    let check = |found: f64, expected: f64, what: &str| {
        assert!(expected.is_nan() || (found - expected).abs() <= PRINTED, "{what}: {found}, not {expected}");
    };
    for (name, on_query, on_run, with_ties) in CHECKS {
        let evaluator = evaluator(&[name], &exact(), 2);
        let value = |judged: &fivefold_metrics::Judged, scores: &[f64]| {
            let mut out = [f64::NAN];
            evaluator.evaluate(judged, scores, &mut Scratch::default(), &mut out).unwrap();
            out[0]
        };
        let query = evaluator.judge("L", &[1, 0, 2, 0, 1, 0], None).unwrap();
        check(value(&query, &falling(6)), on_query[0], &format!("{name} of L"));
        check(value(&query, &[0.0; 6]), on_query[1], &format!("E of {name} of L"));
        let retrieved = [None, Some(2), Some(0), None, Some(1), Some(0)];
        let run = evaluator.judge_pool("P", &[2, 2, 1, 1, 0, 0, 0], &retrieved, None).unwrap();
        check(value(&run, &falling(6)), on_run[0], &format!("{name} of P"));
        check(value(&run, &[0.0; 6]), on_run[1], &format!("E of {name} of P"));
        let tied = evaluator.judge("T", &[1, 0, 2, 0, 1, 0], None).unwrap();
        check(value(&tied, &[3.0, 3.0, 2.0, 2.0, 2.0, 1.0]), *with_ties, &format!("{name} of T"));
    }
}

/// Check values of a run with a document that is in the pool and was not judged, and one that is
/// not in the qrels.
#[test]
fn check_values_with_a_pool_that_was_judged_in_part() {
    use fivefold_metrics::Assessment::{Judged, Pooled, Unjudged};
    let run = [Judged(2), Judged(0), Pooled, Judged(1), Judged(0), Unjudged, Judged(1)];
    for (name, value, mean) in
        [("infap", 0.53125, 0.4745536), ("bpref", 0.5, 0.5), ("unj@5", 0.2, f64::NAN), ("judged@5", 1.0, f64::NAN)]
    {
        let evaluator = evaluator(&[name], &exact(), 2);
        let topic = evaluator.judge_pool("I", &[2, 0, 1, 0, 1, 1, 0], &run, None).unwrap();
        for (scores, expected) in [(falling(7), value), (vec![0.0; 7], mean)] {
            let mut found = [f64::NAN];
            evaluator.evaluate(&topic, &scores, &mut Scratch::default(), &mut found).unwrap();
            // The program's values have eps = 1e-5; the printed value has none.
            assert!(expected.is_nan() || (found[0] - expected).abs() <= 5e-6, "{name}: {}, not {expected}", found[0]);
        }
    }
}

/// Upper bounds that are not 1, of L and of P.
#[test]
fn upper_bounds_of_further_measures() {
    for (name, on_query, on_run) in [
        ("sdcg@3", 0.7346394, 0.8826803),
        ("pfound(max_grade=4)", 0.6739844, 0.7864434),
        ("insq", 0.5230423, 0.6403764),
        ("inst", 0.7895717, 0.9431182),
        ("inst(T=2)", 0.4678395, 0.6617017),
        ("f@3", 1.0, 0.8571429),
        ("recall@3", 1.0, 0.75),
    ] {
        let best = |grades: &[u8]| values(&[name], &exact(), 2, grades, &falling(grades.len()))[0];
        assert_close(best(&[2, 1, 1, 0, 0, 0]), on_query, PRINTED);
        assert_close(best(&[2, 2, 1, 1, 0, 0, 0]), on_run, PRINTED);
    }
}

#[test]
fn undefined_queries_under_each_policy() {
    let queries: [&[u8]; 2] = [&[1, 0, 1], &[0, 0, 0]];
    let ndcg = queries.map(|grades| {
        let ideal: Vec<f64> = grades.iter().map(|&grade| f64::from(grade)).collect();
        values(&["ndcg"], &exact(), 1, grades, &ideal)[0]
    });
    for (policy, value, counted) in [(Undefined::Zero, 0.5, 2), (Undefined::One, 1.0, 2), (Undefined::Skip, 1.0, 1)] {
        let found = mean(&ndcg, policy);
        assert_eq!((found.value, found.queries, found.undefined), (value, counted, 1), "{policy}");
    }
}

#[test]
fn which_queries_are_undefined_for_which_version() {
    let names = ["ndcg@2", "ap@2", "rr@2", "p@2", "err@2", "ndcg.v1@2", "ndcg.v2@2", "ap.v2@2", "p.v1@2", "p.v2@3"];
    let undefined = |grades: &[u8], conventions: &Conventions| -> Vec<&str> {
        let found = values(&names, conventions, 2, grades, &falling(grades.len()));
        names.into_iter().zip(found).filter(|(_, value)| value.is_nan()).map(|(name, _)| name).collect()
    };
    let ue = ["ndcg.v1@2", "ndcg.v2@2", "ap.v2@2", "p.v1@2", "p.v2@3"];
    for conventions in [exact(), conventions("paper")] {
        // Without a relevant document, with one grade only, with one document, or with a cutoff at
        // the end of the list.
        assert_eq!(undefined(&[0, 0, 0], &conventions), [&["ndcg@2", "ap@2", "rr@2"][..], &ue].concat());
        assert_eq!(undefined(&[1, 1, 1], &conventions), ue);
        assert_eq!(undefined(&[2], &conventions), ue);
        assert_eq!(undefined(&[0, 1, 0], &conventions), ["p.v2@3"]);
        assert_eq!(undefined(&[0, 1, 0, 0], &conventions), Vec::<&str>::new());
    }
}

#[test]
fn a_query_without_documents_has_no_ndcg() {
    let found = values(&["ndcg@5", "ap", "rr", "meanndcg", "ndcg.v2@5", "dcg@5", "err"], &exact(), 2, &[], &[]);
    assert!(found[..5].iter().all(|value| value.is_nan()), "{found:?}");
    assert_eq!(found[5..], [0.0, 0.0]);
}

#[test]
fn average_precision_at_a_cutoff_by_denominator() {
    // R = 3, two hits in the top two.
    let names = ["ap(denominator=relevant)@2", "ap(denominator=min)@2", "ap(denominator=cutoff)@4"];
    let found = values(&names, &exact(), 1, &[1, 1, 0, 0, 1], &falling(5));
    assert_close(found[0], 0.6667, 5e-5);
    assert_eq!(found[1..], [1.0, 0.5]);
    let names = ["ap.v2(denominator=relevant)@2", "ap.v2(denominator=min)@2", "ap.v2(denominator=cutoff)@2"];
    let found = values(&names, &exact(), 1, &[1, 0, 0, 0, 1], &falling(5));
    assert!(found.iter().all(|value| value.to_bits() == found[0].to_bits()), "a denominator cancels out: {found:?}");
}

#[test]
fn err_depends_on_the_highest_grade() {
    for (max_grade, value) in [(4, 0.0625), (2, 0.25), (1, 0.5)] {
        assert_eq!(values(&["err"], &exact(), max_grade, &[1, 0, 0], &falling(3)), [value]);
        assert_eq!(values(&[&format!("err(max_grade={max_grade})")], &exact(), 1, &[1, 0, 0], &falling(3)), [value]);
    }
    let specs = crate::common::specs(&["err(max_grade=1)"]);
    let Err(error) = Evaluator::new(&specs, &exact(), 2, fivefold_base::Seed::new(1)) else { panic!("no error") };
    assert_eq!(error.to_string(), "`max_grade` of `err` must be at least the collection's highest grade 2, not `1`");
}

#[test]
fn tie_policies_on_equal_scores() {
    let at = |ties| {
        let conventions = Conventions { ties, ..exact() };
        values(&["ndcg(gain=linear)"], &conventions, 10, &[10, 0, 0, 1, 5], &[0.1; 5])[0]
    };
    assert_close(at(Ties::Average), 0.690979, PRINTED);
    assert_close(at(Ties::Pessimistic), 0.477633, PRINTED);
    assert_close(at(Ties::Input), 0.905548, PRINTED);
    assert_close(at(Ties::Optimistic), 1.0, 1e-15);
}

#[test]
fn letor_discount_and_short_lists() {
    assert_close(values(&["ndcg@2"], &conventions("letor4"), 1, &[0, 1], &falling(2))[0], 1.0, 1e-15);
    assert_close(values(&["ndcg@2"], &exact(), 1, &[0, 1], &falling(2))[0], 0.630930, PRINTED);
    let found = values(&["ndcg@3", "p@4", "ap"], &conventions("letor4"), 1, &[1, 0], &falling(2));
    assert_eq!(found, [0.0, 0.25, 1.0]);
    assert_eq!(values(&["ndcg@3"], &exact(), 1, &[1, 0], &falling(2)), [1.0]);
    let folds: [&[f64]; 2] = [&[1.0, 1.0, 1.0], &[0.0]];
    let letor4 = conventions("letor4");
    assert_eq!(letor4.fold_mean, FoldMean::Folds);
    assert_eq!(mean_over_folds(&folds, letor4.fold_mean, letor4.undefined).value, 0.5);
}

#[test]
fn bounds_of_the_papers_sum_of_precision() {
    // n = 4, Np = 2, k = 3: U = k, E = K p^2 = 3/4; exact: 1/2 (1 + 2/3 + 5/9).
    let paper = evaluator(&["ap.v2@3", "ap.v2(upper=ideal,expected=exact)@3"], &conventions("paper"), 1);
    let judged = paper.judge("q", &[1, 0, 1, 0], None).unwrap();
    assert_eq!((paper.upper(&judged, 0), paper.expected(&judged, 0)), (Some(3.0), Some(0.75)));
    assert_eq!(paper.upper(&judged, 1), Some(2.0));
    assert_close(paper.expected(&judged, 1).unwrap(), 0.5 * (1.0 + 2.0 / 3.0 + 5.0 / 9.0), 1e-15);
    assert_eq!(paper.expected_share(&judged, 0), 0.25);
    let mut out = [0.0; 2];
    paper.evaluate(&judged, &falling(4), &mut Scratch::default(), &mut out).unwrap();
    // A = 1 + 2/3.
    assert_close(out[0], (5.0 / 3.0 - 0.75) / (3.0 - 0.75), 1e-15);
    assert!(paper.expected_share(&paper.judge("none", &[0, 0], None).unwrap(), 0).is_nan());
}

/// E of a measure of whole rankings is drawn, so only those who need it ask for it.
#[test]
fn the_original_of_a_measure_of_whole_rankings_has_e_on_request() {
    let share = |evaluator: Evaluator| {
        let judged = evaluator.judge("q", &[1, 0, 0, 1], None).unwrap();
        evaluator.expected_share(&judged, 0)
    };
    let of = |name: &str| evaluator(&[name], &conventions("paper"), 1);
    assert!(share(of("iprec(x=0.5)")).is_nan());
    let asked = share(of("iprec(x=0.5)").with_expected());
    assert_eq!(asked, share(of("iprec.v2(x=0.5)")));
    // The highest precision at a recall of at least 1/2, by the ranks of the two relevant documents:
    // {1,2}, {1,3}, {1,4}: 1; {2,3}: 2/3; {2,4} and {3,4}: 1/2.
    assert_close(asked, (3.0 + 2.0 / 3.0 + 0.5 + 0.5) / 6.0, 1e-12);
}

/// From scikit-learn 1.9.1, whose `ignore_ties=False` averages over ties, with linear gain:
/// ```text
/// g = [[3,0,1,2,0,1,0,2]]; s = [[.5,.5,.5,.2,.9,.2,.2,.2]]
/// for k in (1, 3, 5, None): print(ndcg_score(g, s, k=k), dcg_score(g, s, k=k))
/// ```
#[test]
fn scikit_learn_on_tied_scores() {
    let (grades, scores) = ([3, 0, 1, 2, 0, 1, 0, 2], [0.5, 0.5, 0.5, 0.2, 0.9, 0.2, 0.2, 0.2]);
    for (k, ndcg, dcg) in SKLEARN {
        let cutoff = k.map_or(String::new(), |k| format!("@{k}"));
        let names = [format!("ndcg(gain=linear){cutoff}"), format!("dcg(gain=linear){cutoff}")];
        let found = values(&[&names[0], &names[1]], &exact(), 3, &grades, &scores);
        assert_close(found[0], *ndcg, 1e-14);
        assert_close(found[1], *dcg, 1e-14);
    }
}

/// From pytrec_eval-terrier 0.5.11 (trec_eval 9, ties by document id, falling):
/// ```text
/// qrel = {'q': {f'd{i}': g for i, g in enumerate([1,0,2,0,1,0,0,1,0,0])}}
/// run = {'q': {f'd{i}': s for i, s in enumerate([.3,.7,.7,.1,.3,.3,.9,.1,.1,.5])}}
/// pytrec_eval.RelevanceEvaluator(qrel, {'map','map_cut.5','recip_rank','P.5,20','ndcg','ndcg_cut.5'}).evaluate(run)
/// ```
#[test]
fn trec_eval_on_tied_scores() {
    let grades = [1, 0, 2, 0, 1, 0, 0, 1, 0, 0];
    let scores = [0.3, 0.7, 0.7, 0.1, 0.3, 0.3, 0.9, 0.1, 0.1, 0.5];
    let ids: Vec<String> = (0..10).map(|i| format!("d{i}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let names: Vec<&str> = TREC_EVAL.iter().map(|(name, _)| *name).collect();
    let evaluator = evaluator(&names, &Conventions { ties: Ties::DocId, ..exact() }, 2);
    let judged = evaluator.judge("q", &grades, Some(&ids)).unwrap();
    let mut out = vec![0.0; names.len()];
    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut out).unwrap();
    for ((name, expected), found) in TREC_EVAL.iter().zip(out) {
        assert!(crate::common::close(found, *expected, 1e-14), "{name}: {found}, not {expected}");
    }
}

const SKLEARN: &[(Option<usize>, f64, f64)] = &[
    (Some(1), 0.0, 0.0),
    (Some(3), 0.2865728999507324, 1.5079063380952764),
    (Some(5), 0.4220338280266378, 2.565707757902977),
    (None, 0.6286757739345014, 3.821964504436833),
];

const TREC_EVAL: &[(&str, f64)] = &[
    ("ap", 0.42658730158730157),
    ("ap(denominator=relevant)@5", 0.125),
    ("rr", 0.5),
    ("p@5", 0.2),
    ("p@20", 0.2),
    ("ndcg(gain=linear)", 0.6324197078952322),
    ("ndcg(gain=linear)@5", 0.35429505586207044),
];

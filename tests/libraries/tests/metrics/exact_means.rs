//! Exact means over the orders of ties, for measures of whole rankings: compared with the mean over
//! all orders of queries whose orders are too many to be taken one by one in the program. (The
//! value of a single order is compared with its definition in `enumeration.rs`.)
#![allow(clippy::unwrap_used)] // a test

use fivefold_metrics::{Assessment, Evaluator, Scratch};

use crate::common::{assert_close, evaluator, exact};

/// All different orders of the grades.
fn arrangements(grades: &[u8]) -> Vec<Vec<u8>> {
    let mut kinds = grades.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let of_first = |first: u8| {
        let mut rest = grades.to_vec();
        rest.remove(rest.iter().position(|&grade| grade == first).unwrap());
        arrangements(&rest).into_iter().map(move |tail| [vec![first], tail].concat())
    };
    if grades.is_empty() { vec![vec![]] } else { kinds.into_iter().flat_map(of_first).collect() }
}

/// All different orders of a ranking whose ties have these grades.
fn rankings(ties: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut all = vec![vec![]];
    for tie in ties {
        let own = arrangements(tie);
        let with = |above: &Vec<u8>| own.iter().map(|below| [above.as_slice(), below].concat()).collect::<Vec<_>>();
        all = all.iter().flat_map(with).collect();
    }
    all
}

/// The mean of a measure over rankings without ties.
fn mean(evaluator: &Evaluator, rankings: &[Vec<u8>]) -> f64 {
    let pool = evaluator.pool("q", &rankings[0]).unwrap();
    let value = |ranking: &Vec<u8>| {
        let ranking: Vec<Assessment> = ranking.iter().copied().map(Assessment::Judged).collect();
        let mut value = [0.0];
        evaluator.originals(&pool, &ranking, &mut Scratch::default(), &mut value).unwrap();
        value[0]
    };
    rankings.iter().map(value).sum::<f64>() / rankings.len() as f64
}

/// A and E of a ranking with ties, with their standard errors.
fn values(evaluator: &Evaluator, ties: &[&[u8]]) -> [[f64; 2]; 2] {
    let scores: Vec<f64> =
        (0..).zip(ties).flat_map(|(place, tie)| tie.iter().map(move |_| -f64::from(place))).collect();
    let judged = evaluator.judge("q", &ties.concat(), None).unwrap();
    let mut value = [0.0];
    evaluator.evaluate(&judged, &scores, &mut Scratch::default(), &mut value).unwrap();
    let a_error = evaluator.standard_errors().first().map_or(0.0, |errors| errors.value);
    [[value[0], a_error], [evaluator.expected(&judged, 0).unwrap(), evaluator.expected_error(&judged, 0)]]
}

fn check(measures: &[&str], highest: u8, rankings_with_ties: &[&[&[u8]]]) {
    for name in measures {
        let evaluator = evaluator(&[name], &exact(), highest).with_expected();
        for ties in rankings_with_ties {
            let [[a, a_error], [e, e_error]] = values(&evaluator, ties);
            let all = arrangements(&ties.concat());
            assert!(all.len() > 1000, "{}", all.len());
            assert_close(e, mean(&evaluator, &all), 1e-12);
            assert_close(a, mean(&evaluator, &rankings(ties)), 1e-12);
            assert_eq!((a_error, e_error), (0.0, 0.0), "{name} {ties:?}");
        }
    }
}

#[test]
fn measures_of_binary_relevance() {
    let measures = [
        "iprec(x=0)",
        "iprec(x=0.3)",
        "iprec(x=1,rounding=v10)",
        "iprec11",
        "nerr8@3",
        "nerr8@20",
        "nerr9@4",
        "nerr10",
        "nerr11",
        "bpm@4",
        "bpm(T=3)@20",
    ];
    let one_tie: &[&[u8]] = &[&[1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1]];
    let several: &[&[u8]] = &[&[0], &[1, 0, 0, 1, 0, 0], &[1], &[0, 0, 1, 0, 0], &[1]];
    let late: &[&[u8]] = &[&[0, 0, 0], &[0], &[0, 1, 0, 0, 1, 1, 0, 1, 0], &[0]];
    check(&measures, 1, &[one_tie, several, late]);
}

#[test]
fn measures_of_graded_relevance() {
    let measures = ["bpm@4", "bpm(T=2.4)@6", "bpm(T=1000)@30", "iprec(x=0.5,threshold=2)"];
    let one_tie: &[&[u8]] = &[&[3, 0, 1, 0, 2, 0, 0, 1, 0]];
    let several: &[&[u8]] = &[&[1, 0], &[3, 0, 2, 0, 1], &[2], &[0, 1]];
    check(&measures, 3, &[one_tie, several]);
    // The first tie with a document of full gain has one other grade, so the user stops in it.
    let certain: &[&[u8]] = &[&[2], &[3, 1, 1, 3, 1, 1], &[2, 1, 0, 0, 3, 1]];
    for name in ["nerr8@4", "nerr9@20", "nerr10", "nerr11(T=2)"] {
        let evaluator = evaluator(&[name], &exact(), 3).with_expected();
        let [[a, error], _] = values(&evaluator, certain);
        assert_close(a, mean(&evaluator, &rankings(certain)), 1e-12);
        assert_eq!(error, 0.0, "{name}");
    }
}

/// The value of the definitions: 30 documents, 8 of them relevant; simulated: .3933 (standard error
/// .0010).
#[test]
fn interpolated_precision_of_a_long_list() {
    let grades: Vec<u8> = (0..30).map(|place| u8::from(place < 8)).collect();
    let evaluator = evaluator(&["iprec(x=0.3)"], &exact(), 1).with_expected();
    let [_, [e, error]] = values(&evaluator, &[&grades]);
    assert_close(e, 0.393_905_8, 5e-8);
    assert_eq!(error, 0.0);
}

/// Beyond the reach of the exact mean, random orders are taken. Their mean is near the exact mean
/// of the same query without one of its documents.
#[test]
fn random_orders_follow_where_the_exact_mean_ends() {
    let of = |documents: usize| {
        let grades: Vec<u8> = (0..documents).map(|place| u8::from(place < 40)).collect();
        values(&evaluator(&["iprec"], &exact(), 1).with_expected(), &[&grades])[1]
    };
    let ([exact, none], [drawn, error]) = (of(173), of(174));
    assert!(none == 0.0 && error > 0.0 && (drawn - exact).abs() < 4.0 * error + 0.002, "{exact} {drawn} {error}");
}

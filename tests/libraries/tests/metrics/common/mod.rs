//! Shared by the tests: evaluation in one call, and a minimal reader of LETOR text that keeps `f64`
//! values.
#![allow(dead_code)] // each test uses a part

pub mod textbook;

use std::path::{Path, PathBuf};

use fivefold_base::Seed;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, Scratch, dialect};

pub fn specs(names: &[&str]) -> Vec<MeasureSpec> {
    names.iter().map(|name| name.parse().unwrap_or_else(|e| panic!("{name}: {e}"))).collect()
}

pub fn conventions(name: &str) -> Conventions {
    dialect(name).unwrap().conventions()
}

/// The paper's conventions, but with the exact bounds of the sum of precision.
pub fn exact() -> Conventions {
    let mut exact = conventions("paper");
    exact.sp_upper = fivefold_metrics::conventions::SpUpper::Ideal;
    exact.sp_expected = fivefold_metrics::conventions::SpExpected::Exact;
    exact
}

pub fn evaluator(names: &[&str], conventions: &Conventions, max_grade: u8) -> Evaluator {
    Evaluator::new(&specs(names), conventions, max_grade, Seed::new(1)).unwrap()
}

/// Values of some measures on one query.
pub fn values(names: &[&str], conventions: &Conventions, max_grade: u8, grades: &[u8], scores: &[f64]) -> Vec<f64> {
    let evaluator = evaluator(names, conventions, max_grade);
    let judged = evaluator.judge("q", grades, None).unwrap();
    let mut out = vec![0.0; names.len()];
    evaluator.evaluate(&judged, scores, &mut Scratch::default(), &mut out).unwrap();
    out
}

/// Scores that rank documents in their order.
pub fn falling(n: usize) -> Vec<f64> {
    (0..n).map(|i| -(i as f64)).collect()
}

/// All orders of `0..n`.
pub fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for item in 0..n {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut longer = order.clone();
                    longer.insert(place, item);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Of each order, the place of the first order in which the items stand alike: both have one value.
pub fn firsts<T: PartialEq + Copy>(orders: &[Vec<usize>], items: &[T]) -> Vec<usize> {
    let mut known: Vec<(Vec<T>, usize)> = Vec::new();
    let first = |(place, order): (usize, &Vec<usize>)| {
        let ranked: Vec<T> = order.iter().map(|&item| items[item]).collect();
        let found = known.iter().find(|(known, _)| *known == ranked).map(|(_, first)| *first);
        found.unwrap_or_else(|| {
            known.push((ranked, place));
            place
        })
    };
    orders.iter().enumerate().map(first).collect()
}

/// Scores with ties, for at most five documents: all equal, in pairs, one document above or below
/// all others, and mixed.
pub fn tied_scores(n: usize) -> Vec<Vec<f64>> {
    let pattern = |f: fn(usize, usize) -> usize| (0..n).map(|i| f(i, n) as f64).collect();
    vec![
        pattern(|_, _| 1),
        pattern(|i, _| i / 2),
        pattern(|i, _| usize::from(i == 0)),
        pattern(|i, n| usize::from(i + 1 < n)),
        pattern(|i, _| i % 2),
        pattern(|i, _| [2, 0, 1, 1, 0][i]),
    ]
}

pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance
}

#[track_caller]
pub fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!(close(a, b, tolerance), "{a} is not within {tolerance} of {b}");
}

/// The real data; `None`, with a printed line, if the variable is not set.
pub fn data() -> Option<PathBuf> {
    let data = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    data
}

pub struct Query {
    pub id: String,
    pub grades: Vec<u8>,
    /// One row a document.
    pub features: Vec<Vec<f64>>,
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Reads LETOR text; `NULL` becomes NaN.
pub fn read_letor(path: &Path) -> Vec<Query> {
    let mut queries: Vec<Query> = Vec::new();
    for (number, line) in read(path).lines().enumerate() {
        let place = || format!("{}:{}", path.display(), number + 1);
        let mut tokens = line.split('#').next().unwrap().split_whitespace();
        let Some(grade) = tokens.next() else { continue };
        let id = tokens.next().and_then(|t| t.strip_prefix("qid:")).unwrap_or_else(|| panic!("{}: no qid", place()));
        let value = |token: &str| {
            let text = token.split_once(':').unwrap_or_else(|| panic!("{}: {token}", place())).1;
            if text == "NULL" { f64::NAN } else { text.parse().unwrap_or_else(|_| panic!("{}: {token}", place())) }
        };
        if queries.last().is_none_or(|query| query.id != id) {
            queries.push(Query { id: id.to_owned(), grades: vec![], features: vec![] });
        }
        let query = queries.last_mut().unwrap();
        query.grades.push(grade.parse().unwrap_or_else(|_| panic!("{}: grade {grade}", place())));
        query.features.push(tokens.map(value).collect());
    }
    assert!(!queries.is_empty(), "{} has no query", path.display());
    queries
}

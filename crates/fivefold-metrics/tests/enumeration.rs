//! Every registered measure, with all its parameters, at several cutoffs, against the definition on every order of small
//! queries: value of each order, U = max, E = mean, ties = mean over the orders of the tied documents, V1 and V2 by formula.
#![allow(clippy::unwrap_used)] // a test

mod common;

use common::{assert_close, close, evaluator, exact, orders};
use fivefold_metrics::{Cutoffs, Evaluator, Judged, MEASURES, MeasureEntry, MeasureSpec, Scratch};

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

/// Values to try for each parameter; those that a measure does not accept are left out.
fn candidates(param: &str) -> &'static [&'static str] {
    match param {
        "gain" => &["exp2", "linear", "binary"],
        "discount" => &["log2", "letor", "zipf", "power:0.5"],
        "short_list" => &["cut", "zero"],
        "denominator" => &["cutoff", "relevant", "min", "list"],
        "upper" => &["ideal", "cutoff"],
        "expected" => &["exact", "independent"],
        "threshold" => &["1", "2"],
        "gmax" => &["2", "4"],
        "p" => &["0.8", "0.3"],
        "beta" => &["5", "1.5"],
        "d" => &["1", "0.25"],
        other => panic!("add values of the parameter `{other}` to this test"),
    }
}

/// All combinations of parameters of a measure, each a complete list.
fn settings(entry: &MeasureEntry) -> Vec<Vec<(&'static str, &'static str)>> {
    let mut all = vec![vec![]];
    for param in entry.params {
        let values: Vec<_> = candidates(param.name).iter().filter(|v| (param.canonical)(v).is_some()).collect();
        assert!(values.len() >= 2, "{}: {}", entry.name, param.name);
        all = all
            .iter()
            .flat_map(|list: &Vec<_>| values.iter().map(|v| [list.clone(), vec![(param.name, **v)]].concat()))
            .collect();
    }
    all
}

/// The definitions, as directly as they can be written, for a ranking without ties.
struct Textbook<'a> {
    name: &'a str,
    params: &'a [(&'static str, &'static str)],
    k: Option<usize>,
}

impl Textbook<'_> {
    fn param(&self, name: &str) -> &str {
        self.params.iter().find(|(param, _)| *param == name).unwrap().1
    }
    fn number(&self, name: &str) -> f64 {
        self.param(name).parse().unwrap()
    }
    fn gain(&self, y: u8) -> f64 {
        match self.param("gain") {
            "exp2" => 2f64.powi(i32::from(y)) - 1.0,
            "linear" => f64::from(y),
            _ => self.rel(y),
        }
    }
    fn discount(&self, i: usize) -> f64 {
        match self.param("discount") {
            "log2" => 1.0 / ((i + 1) as f64).log2(),
            "letor" => {
                if i < 3 {
                    1.0
                } else {
                    1.0 / (i as f64).log2()
                }
            }
            "zipf" => 1.0 / i as f64,
            _ => 1.0 / (i as f64).sqrt(),
        }
    }
    fn rel(&self, y: u8) -> f64 {
        if f64::from(y) >= self.number("threshold") { 1.0 } else { 0.0 }
    }
    fn relevant(&self, grades: &[u8]) -> f64 {
        grades.iter().map(|&y| self.rel(y)).sum()
    }
    fn ideal(grades: &[u8]) -> Vec<u8> {
        let mut ideal = grades.to_vec();
        ideal.sort_by(|a, b| b.cmp(a));
        ideal
    }
    fn dcg(&self, grades: &[u8], k: usize) -> f64 {
        (1..=k.min(grades.len())).map(|i| self.gain(grades[i - 1]) * self.discount(i)).sum()
    }

    /// A of a ranking.
    fn raw(&self, grades: &[u8]) -> f64 {
        let n = grades.len();
        let cut = self.k.unwrap_or(n).min(n);
        let top = &grades[..cut];
        match self.name {
            "ndcg" | "dcg" => self.dcg(grades, cut),
            "meanndcg" => {
                let ideal = Self::ideal(grades);
                let at = |k| self.dcg(&ideal, k);
                (1..=n).map(|k| if at(k) > 0.0 { self.dcg(grades, k) / at(k) } else { 0.0 }).sum::<f64>() / n as f64
            }
            "ap" | "sp" => (1..=cut).map(|i| self.rel(top[i - 1]) * self.relevant(&top[..i]) / i as f64).sum(),
            "p" if self.param("denominator") == "list" => self.relevant(top) / cut as f64,
            "p" => self.relevant(top) / self.k.unwrap() as f64,
            "wta" => self.relevant(&grades[..1]),
            "rr" => top.iter().position(|&y| self.rel(y) > 0.0).map_or(0.0, |i| 1.0 / (i + 1) as f64),
            "err" => {
                let stop = |y: u8| (2f64.powi(i32::from(y)) - 1.0) / 2f64.powf(self.number("gmax"));
                let reach = |r: usize| top[..r].iter().map(|&y| 1.0 - stop(y)).product::<f64>();
                (0..cut).map(|r| reach(r) * stop(top[r]) / (r + 1) as f64).sum()
            }
            "rbp" => {
                let p = self.number("p");
                (1.0 - p) * (0..cut).map(|i| self.gain(top[i]) * p.powi(i as i32)).sum::<f64>()
            }
            "neru" | "nneru" => {
                let utility = |y: u8| (f64::from(y) - self.number("d")).max(0.0);
                (0..cut).map(|i| utility(top[i]) * 2f64.powf(-(i as f64) / (self.number("beta") - 1.0))).sum()
            }
            other => panic!("add the definition of `{other}` to this test"),
        }
    }

    /// The original value from A and U.
    fn original(&self, grades: &[u8], a: f64, upper: f64) -> f64 {
        let n = grades.len();
        match self.name {
            "ndcg" | "nneru" | "meanndcg" if upper == 0.0 => f64::NAN,
            "ndcg" if self.param("short_list") == "zero" && self.k.is_some_and(|k| k > n) => 0.0,
            "ndcg" | "nneru" => a / upper,
            "rr" | "ap" if self.relevant(grades) == 0.0 => f64::NAN,
            "ap" => {
                let relevant = self.relevant(grades);
                a / match (self.k, self.param("denominator")) {
                    (None, _) | (_, "relevant") => relevant,
                    (Some(k), "cutoff") => k as f64,
                    (Some(k), _) => relevant.min(k as f64),
                }
            }
            _ => a,
        }
    }
}

fn takes(cutoffs: Cutoffs, cutoff: Option<usize>) -> bool {
    match cutoffs {
        Cutoffs::Optional => true,
        Cutoffs::Required => cutoff.is_some(),
        Cutoffs::Never | Cutoffs::Fixed(_) => cutoff.is_none(),
    }
}

fn spec(entry: &MeasureEntry, params: &[(&str, &str)], cutoff: Option<usize>, version: &str) -> MeasureSpec {
    let list: Vec<String> = params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let cutoff = cutoff.map_or(String::new(), |k| format!("@{k}"));
    format!("{}({}){version}{cutoff}", entry.name, list.join(",")).parse().unwrap()
}

fn evaluate(evaluator: &Evaluator, judged: &Judged, scores: &[f64]) -> [f64; 3] {
    let mut out = [0.0; 3];
    evaluator.evaluate(judged, scores, &mut Scratch::default(), &mut out).unwrap();
    out
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Scores with ties: all equal, pairs, one above, one below, and none.
fn tied_scores(n: usize) -> Vec<Vec<f64>> {
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
    let specs = ["", ".v1", ".v2"].map(|version| spec(entry, params, cutoff, version));
    let evaluator = Evaluator::new(&specs, &exact(), MAX_GRADE, fivefold_core::Seed::new(1)).unwrap();
    let judged = evaluator.judge("q", grades, None).unwrap();
    let book = Textbook { name: entry.name, params, k: cutoff };
    let n = grades.len();
    let context = |what: &str| format!("{what} of {} on {grades:?}", specs[0]);

    let orders = orders(n);
    let ranked = |order: &[usize]| order.iter().map(|&row| grades[row]).collect::<Vec<u8>>();
    let raw: Vec<f64> = orders.iter().map(|order| book.raw(&ranked(order))).collect();
    let (best, random) = (raw.iter().copied().fold(0.0, f64::max), mean(&raw));
    let by_convention = |param, word| params.contains(&(param, word));
    let u = if by_convention("upper", "cutoff") { cutoff.unwrap_or(n) as f64 } else { best };
    let e = if by_convention("expected", "independent") {
        cutoff.unwrap_or(n).min(n) as f64 * (book.relevant(grades) / n as f64).powi(2)
    } else {
        random
    };
    assert!(close(evaluator.upper(&judged, 0).unwrap(), u, TOLERANCE), "{}", context("U"));
    assert!(close(evaluator.expected(&judged, 0).unwrap(), e, TOLERANCE), "{}", context("E"));

    let defined = best - random > 1e-12 * best && u - e > 1e-12 * u;
    let check_value = |scores: &[f64], a: f64, what: &str| -> [f64; 3] {
        let found = evaluate(&evaluator, &judged, scores);
        let v1 = if a == 0.0 { 0.0 } else { a / u * (a / (a + e)) };
        let v2 = if a >= e - 1e-14 { (a - e) / (u - e) } else { (a - e) / e };
        let ue = |value: f64| if defined { value } else { f64::NAN };
        let expected = [book.original(grades, a, best), ue(v1), ue(v2)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(close(*found, expected, TOLERANCE), "{}: {found}, not {expected}", context(what));
        }
        found
    };

    for (order, &a) in orders.iter().zip(&raw) {
        let mut scores = vec![0.0; n];
        order.iter().enumerate().for_each(|(place, &row)| scores[row] = -(place as f64));
        check_value(&scores, a, "value");
    }
    for scores in tied_scores(n) {
        let fits = |order: &Vec<usize>| order.windows(2).all(|pair| scores[pair[0]] >= scores[pair[1]]);
        let over: Vec<f64> = orders.iter().zip(&raw).filter(|(order, _)| fits(order)).map(|(_, &a)| a).collect();
        check_value(&scores, mean(&over), "value with ties");
    }

    // The fixed points of UE normalisation, exact where the same sums meet.
    let exempt = by_convention("upper", "cutoff") || by_convention("expected", "independent");
    if defined && !exempt {
        let [_, v1, v2] = evaluate(&evaluator, &judged, &vec![0.5; n]);
        let (u, e) = (evaluator.upper(&judged, 0).unwrap(), evaluator.expected(&judged, 0).unwrap());
        assert_eq!((v1, v2), (e / (2.0 * u), 0.0), "{}", context("constant scorer"));
        let ideal: Vec<f64> = grades.iter().map(|&y| f64::from(y)).collect();
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

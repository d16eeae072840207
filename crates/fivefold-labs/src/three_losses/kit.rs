//! The rules of all rankers ([`fivefold_core::conformance`]), for a ranker that learns with a
//! student's gradient.
//!
//! The kit fits a ranker in this process. A student's code runs confined, in a process of its own
//! that reads files and writes a file. So the kit goes over the ranker twice:
//!
//! 1. A stand-in notes the data of each fit ([`fits`]). No code of a student is needed.
//! 2. The student's program does all these fits, one after another in one process ([`letor`]).
//! 3. The kit goes over the ranker again ([`broken_rules`]). Each fit is given the weights of the
//!    program for the same data. If the kit repeats a fit, it is given the program's next fit of
//!    these data. So a function that draws, or that remembers earlier queries, breaks a rule.
//!
//! A function of its arguments alone that has the right values breaks no rule. "fit", "effects",
//! "seed", "threads", "training order", "degenerate data", "learns" and "isolation" depend on the
//! function. The other rules hold by the ranker around it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use fivefold_base::words::counted;
use fivefold_core::conformance::{Case, Violation, violations};
use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker, RankerEntry};
use serde::{Deserialize, Serialize};

/// Ten passes over 40 queries are enough to learn, and a fit in Python takes a tenth of a second.
const CASE: Case = Case {
    name: HandedIn::NAME,
    params: "passes = 10",
    changes: &[("passes", "3", true)],
    refused: &[("passes", "0")],
    learns: true,
};
/// The weights of the stand-in, for a pass. The kit's data have six features, of which the first two
/// carry the grade and the third lowers it. So the stand-in breaks no rule, and the kit asks for all
/// its fits.
const STAND_IN: [f64; 6] = [2.0, 1.0, -1.0, 0.0, 0.0, 0.0];
/// Features are divided by this number times their largest size. So gradient descent with the rates
/// of `rank.py` does not diverge for squared error: the rate .02 times the curvature, which is at
/// most 2 x 12 documents x 6 features x .25, stays below 2.
const SHRINK: f32 = 2.0;
/// Broken rules that are told in full.
const TOLD: usize = 2;

/// The ranker around a student's function: a linear model, trained by gradient descent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
struct HandedIn {
    passes: u32,
}

impl Default for HandedIn {
    fn default() -> Self {
        HandedIn { passes: 10 }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Linear {
    weights: Vec<f64>,
    /// What each feature is divided by.
    scales: Vec<f32>,
}

impl Model for Linear {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let factors = || self.weights.iter().zip(&self.scales);
        for (score, row) in out.iter_mut().zip(query.rows()) {
            *score = row.iter().zip(factors()).map(|(x, (weight, scale))| weight * f64::from(x / scale)).sum();
        }
    }
}

impl Ranker for HandedIn {
    const NAME: &'static str = "handed-in";
    const SUMMARY: &'static str = "linear model that learns with a student's gradient";
    const PARAMS: &'static [ParamHelp] =
        &[ParamHelp { name: "passes", help: "how often all queries are gone through" }];

    type Model = Linear;

    fn seeded(&self) -> bool {
        false
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.passes >= 1, "passes", self.passes, "1 or more")
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Linear, FitError> {
        for pass in 0..self.passes {
            cx.step(pass.into(), self.passes.into())?;
        }
        let scales = scales(train);
        let fit = Fit::new(self.passes, train, &scales);
        Ok(Linear { weights: locked(&DESK).weights(fit)?, scales })
    }
}

fn scales(train: &Dataset) -> Vec<f32> {
    let mut most = vec![0.0f32; train.width()];
    for row in train.queries().flat_map(|query| query.rows()) {
        most.iter_mut().zip(row).for_each(|(most, x)| *most = most.max(x.abs()));
    }
    most.into_iter().map(|most| if most > 0.0 { SHRINK * most } else { 1.0 }).collect()
}

/// What the student's program is asked for: the weights after some passes over training queries.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    passes: u32,
    width: usize,
    /// The number of the query from 1, the grade, and the features as LETOR text.
    rows: Vec<(usize, u8, String)>,
}

impl Fit {
    fn new(passes: u32, train: &Dataset, scales: &[f32]) -> Self {
        let mut rows = Vec::with_capacity(train.documents());
        for (number, query) in (1..).zip(train.queries()) {
            for (features, grade) in query.rows().zip(query.grades()) {
                let mut text = String::new();
                for (id, (x, scale)) in (1..).zip(features.iter().zip(scales)) {
                    let _ = write!(text, " {id}:{}", x / scale);
                }
                rows.push((number, *grade, text));
            }
        }
        Fit { passes, width: train.width(), rows }
    }
}

/// Where fits of [`HandedIn`] take their weights from. A ranker is its parameters, and the kit makes
/// rankers itself, so nothing else can tell it.
enum Desk {
    /// Notes what is asked.
    Noting(Vec<Fit>),
    /// Gives the weights of the program, in the order of its fits. `None`: the function failed.
    Giving(BTreeMap<Fit, VecDeque<Option<Vec<f64>>>>),
}

static DESK: Mutex<Desk> = Mutex::new(Desk::Noting(Vec::new()));
/// Held while the kit goes over the ranker.
static TURN: Mutex<()> = Mutex::new(());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Desk {
    fn weights(&mut self, fit: Fit) -> Result<Vec<f64>, FitError> {
        match self {
            Desk::Noting(fits) => {
                let weights = STAND_IN.iter().map(|weight| weight * f64::from(fit.passes)).collect();
                fits.push(fit);
                Ok(weights)
            }
            Desk::Giving(given) => {
                let unknown = || FitError::Other("the rules ask for a fit that was not done".to_owned());
                let own = given.get_mut(&fit).ok_or_else(unknown)?;
                // Where a rule is broken, the kit may ask once more, to tell why.
                let next = if own.len() > 1 { own.pop_front() } else { own.front().cloned() };
                next.flatten().ok_or_else(|| FitError::Other(FAILED.to_owned()))
            }
        }
    }
}

const FAILED: &str =
    "on a query of these data, the function raised an error, or did not return a finite number for each document";

/// Lets the kit go over the ranker. Returns the broken rules, and the desk as it was left.
fn go_over(desk: Desk) -> (Vec<Violation>, Desk) {
    let _turn = locked(&TURN);
    *locked(&DESK) = desk;
    let broken = violations(&[RankerEntry::of::<HandedIn>()], &[CASE]);
    (broken, std::mem::replace(&mut *locked(&DESK), Desk::Noting(Vec::new())))
}

/// The fits that the kit asks for, in their order. They are the same for every student.
pub(super) fn fits() -> &'static [Fit] {
    static FITS: OnceLock<Vec<Fit>> = OnceLock::new();
    FITS.get_or_init(|| match go_over(Desk::Noting(Vec::new())) {
        (_, Desk::Noting(fits)) => fits,
        (_, Desk::Giving(_)) => Vec::new(),
    })
}

/// The fits as LETOR text, for `rank.py` and `rank.rs`: the training part, and the test part, which
/// asks for the weights. A query of the test part has a document for the state of a fit, and a
/// document for each weight. Grades of the test part tell nothing.
pub(super) fn letor(fits: &[Fit]) -> [String; 2] {
    let [mut train, mut test] = [String::new(), String::new()];
    for (number, fit) in (1..).zip(fits) {
        for (query, grade, features) in &fit.rows {
            let _ = writeln!(train, "{grade} qid:fit-{number}-{query}{features}");
        }
        for place in 0..=fit.width {
            let _ = write!(test, "{} qid:weights-{number}-{}", place % 2, fit.passes);
            for id in 1..=fit.width {
                let _ = write!(test, " {id}:{}", u8::from(id == place));
            }
            test.push('\n');
        }
    }
    [train, test]
}

/// The numbers that the program writes for the fits.
pub(super) fn numbers(fits: &[Fit]) -> usize {
    fits.iter().map(|fit| fit.width + 1).sum()
}

/// The rules that a ranker with these weights breaks, as lines for the student. `written` are the
/// numbers that the program wrote, [`numbers`] of them.
pub(super) fn broken_rules(fits: &[Fit], written: &[f64]) -> Vec<String> {
    let mut given: BTreeMap<Fit, VecDeque<Option<Vec<f64>>>> = BTreeMap::new();
    let mut rest = written;
    for fit in fits {
        let (own, behind) = rest.split_at(fit.width + 1);
        rest = behind;
        let weights = (own[0] == 0.0).then(|| own[1..].to_vec());
        given.entry(fit.clone()).or_default().push_back(weights);
    }
    let (broken, _) = go_over(Desk::Giving(given));
    let mut told = Vec::new();
    for Violation { rule, found, .. } in broken.iter().take(TOLD) {
        told.push(format!("breaks the rule \"{}\": {}", rule.name, demand(rule.name).unwrap_or(rule.demand)));
        // A function of the lab cannot return an error of fivefold's.
        let found = found.replace(", but not with `FitError::Data` and a reason", "");
        told.push(format!("  found: {found}"));
        told.push(format!("  to do: {}", remedy(rule.name).unwrap_or(rule.remedy)));
    }
    if broken.len() > TOLD {
        told.push(format!("breaks {} more", counted(broken.len() - TOLD, "rule")));
    }
    told
}

/// What a rule demands of the student's function, where the kit speaks of fivefold's own code.
fn demand(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "degenerate data" => "queries without anything to learn stop no training",
        "effects" => "more passes of training alter the scores",
        "learns" => "the trained ranker ranks much better than a random order",
        "threads" | "seed" => "a second training with the same data gives the same model",
        _ => return None,
    })
}

/// What a student can do for a rule that depends on the function. The kit's own remedies are for
/// rankers inside fivefold.
fn remedy(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "fit" => {
            "return a list of finite numbers, one for each document; guard each division, and exp of large numbers"
        }
        "effects" => "return slopes that depend on scores and grades: with zeros, nothing is trained",
        "training order" => {
            "let the slope of a document depend on scores and grades, not on its place in the list; \
             a rank is that of the scores"
        }
        "degenerate data" => {
            "call your function with one document, and with equal grades. For one document, return a list of one \
             number, such as [0.0]; where documents form no pairs, return zeros"
        }
        "learns" => "check the sign: a step of training moves each score against its slope",
        "threads" | "seed" | "isolation" => {
            "let the function depend on its arguments alone: draw nothing, and keep nothing from earlier calls"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::three_losses::losses::Loss;

    /// The features of a row.
    fn row(text: &str) -> Vec<f64> {
        text.split_whitespace().map(|word| word.split_once(':').unwrap().1.parse().unwrap()).collect()
    }

    /// What `rank.py` does, with a gradient of Rust. `None`: the function fails.
    fn written(rate: f64, mut gradient: impl FnMut(&[f64], &[f64]) -> Option<Vec<f64>>) -> Vec<f64> {
        let mut all = Vec::new();
        for fit in fits() {
            let mut weights: Vec<f64> = (0..fit.width).map(|feature| 0.01 * (feature + 1) as f64).collect();
            let mut works = true;
            let queries = fit.rows.chunk_by(|one, other| one.0 == other.0);
            let parsed =
                queries.map(|query| query.iter().map(|(_, grade, text)| (row(text), f64::from(*grade))).unzip());
            let queries: Vec<(Vec<Vec<f64>>, Vec<f64>)> = parsed.collect();
            for _ in 0..fit.passes {
                for (rows, grades) in &queries {
                    let score = |row: &Vec<f64>| row.iter().zip(&weights).map(|(x, weight)| x * weight).sum();
                    let slopes = gradient(&rows.iter().map(score).collect::<Vec<f64>>(), grades);
                    works &= slopes.as_ref().is_some_and(|slopes| slopes.iter().all(|slope| slope.is_finite()));
                    for (feature, weight) in weights.iter_mut().enumerate().filter(|_| works) {
                        let slopes = slopes.iter().flatten();
                        *weight -= rate * slopes.zip(rows).map(|(slope, row)| slope * row[feature]).sum::<f64>();
                    }
                }
            }
            all.push(f64::from(u8::from(!works)));
            all.extend(weights.iter().map(|weight| if works { *weight } else { 0.0 }));
        }
        all
    }

    /// A gradient that may fail.
    type Gradient<'a> = &'a mut dyn FnMut(&[f64], &[f64]) -> Option<Vec<f64>>;

    fn rate(loss: Loss) -> f64 {
        if matches!(loss, Loss::Squared | Loss::RankNet) { 0.02 } else { 0.2 }
    }

    /// Names of the rules that are broken.
    fn rules(told: &[String]) -> Vec<&str> {
        let named = told.iter().filter_map(|line| line.strip_prefix("breaks the rule \""));
        named.filter_map(|line| line.split('"').next()).collect()
    }

    /// If the stand-in broke a rule, the kit might leave out fits that it asks of a student's ranker.
    #[test]
    fn the_stand_in_keeps_the_rules() {
        let (broken, _) = go_over(Desk::Noting(Vec::new()));
        assert!(broken.is_empty(), "{broken:?}");
        assert!(fits().len() > 20 && fits().iter().all(|fit| fit.width == STAND_IN.len()));
        let [train, test] = letor(fits());
        assert_eq!(test.lines().count(), numbers(fits()));
        assert!(train.starts_with(&format!("{} qid:fit-1-1 1:", fits()[0].rows[0].1)));
        assert!(test.starts_with("0 qid:weights-1-10 1:0 2:0 3:0 4:0 5:0 6:0\n1 qid:weights-1-10 1:1 2:0 "));
    }

    #[test]
    fn right_gradients_keep_the_rules() {
        for loss in Loss::ALL {
            let told = broken_rules(fits(), &written(rate(loss), |scores, grades| Some(loss.gradient(scores, grades))));
            assert!(told.is_empty(), "{loss:?}: {told:#?}");
        }
    }

    /// Words of the kit that a student, who sees no ranker of fivefold, cannot use.
    #[test]
    fn what_to_do_is_told_in_the_terms_of_the_lab() {
        // The rules that depend on the function: see the head of this file.
        let own = ["fit", "effects", "seed", "threads", "training order", "degenerate data", "learns", "isolation"];
        for name in own {
            let told = [remedy(name), demand(name)].map(Option::unwrap_or_default);
            assert!(!told[0].is_empty(), "{name}");
            for foreign in ["FitError", "`params`", "Ranker", "cx.", "Case"] {
                assert!(told.iter().all(|text| !text.contains(foreign)), "{name}: {told:?}");
            }
        }
        assert_eq!(remedy("help"), None);
    }

    #[test]
    fn each_mistake_breaks_its_rule() {
        let ranknet = |scores: &[f64], grades: &[f64]| Loss::RankNet.gradient(scores, grades);
        let broken = |gradient: Gradient<'_>| broken_rules(fits(), &written(0.02, gradient));
        // The sign.
        let told = broken(&mut |s, g| Some(ranknet(s, g).iter().map(|slope| -slope).collect()));
        assert_eq!(rules(&told), ["learns"], "{told:#?}");
        // The rank is the place in the list.
        let told =
            broken(&mut |s, g| Some((1..).zip(ranknet(s, g)).map(|(rank, slope)| slope / f64::from(rank)).collect()));
        assert_eq!(rules(&told), ["training order"], "{told:#?}");
        // Fails for a single document.
        let told = broken(&mut |s, g| (s.len() > 1).then(|| ranknet(s, g)));
        assert_eq!(rules(&told), ["degenerate data"], "{told:#?}");
        assert!(told.join("\n").contains("raised an error"), "{told:#?}");
        assert!(told.join("\n").contains("to do: call your function with one document"), "{told:#?}");
        assert!(told.join("\n").contains("a list of one number, such as [0.0]"), "{told:#?}");
        // Remembers how often it was called.
        let mut calls = 0.0;
        let told = broken(&mut |s, g| {
            calls += 1.0;
            Some(ranknet(s, g).iter().map(|slope| slope * (1.0 + 1e-6 * calls)).collect())
        });
        assert!(told.join("\n").contains("\"threads\""), "{told:#?}");
        // Zeros.
        let told = broken(&mut |s, _| Some(vec![0.0; s.len()]));
        assert!(told.join("\n").contains("\"effects\""), "{told:#?}");
        // Fails always: the other rules cannot be checked.
        let told = broken(&mut |_, _| None);
        assert_eq!(rules(&told), ["fit"], "{told:#?}");
    }
}

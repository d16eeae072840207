//! Which conventions make the values under two sets of conventions differ, and by how much.
//!
//! Let A and B be the two sets, and R the conventions that the measure knows and in which A and B
//! differ. For a subset S of R, let v(S) be the mean under A with the choices of S taken from B.
//! The share of a rule r is its Shapley value (Shapley 1953): the mean of v(S + r) - v(S) over all
//! orders in which the rules can be changed. The shares add up to v(R) - v({}), whatever the rules
//! do to each other. A rule that never alters a value has the share 0. A query is affected by r if
//! for some S its value with r differs from its value without r.
//!
//! If the scores differ too, they count as one more rule ([`SCORES`]). Cost: 2^|R| evaluations; |R|
//! is 4 to 6 for most pairs of dialects, and at most 10.

use std::borrow::Cow;

use fivefold_base::rounding::differ;
use fivefold_base::{Assessment, JudgedQuery, Seed};

use crate::conventions::{Conventions, MissingTopics, RULES, Rule, Undefined};
use crate::error::MeasureError;
use crate::evaluator::{Evaluator, Judged, Scratch};
use crate::mean::{Mean, by_fold, mean_over_folds, settle};
use crate::spec::MeasureSpec;

/// Conventions that alter a value or a mean but are not parameters of a measure.
const OF_EVERY_MEASURE: [&str; 5] = ["ties", "undefined", "fold_mean", "unjudged", "scores"];

/// Conventions that alter a mean but no value.
const OF_MEANS: [&str; 2] = ["undefined", "fold_mean"];

/// The convention that matters only if a run lacks a topic.
const MISSING_TOPICS: &str = "missing_topics";

/// Stands in place of a convention's name for the effect of different scores.
pub const SCORES: &str = "ranker's scores";

/// Stands in place of a convention's name for values whose scores are not known: scores and all
/// conventions that alter values count as one cause.
pub const NOT_TOLD: &str = "not told";

/// One query with scores.
#[derive(Debug, Clone)]
pub struct ScoredQuery<'a> {
    /// Its fold; queries of a fold stand together.
    pub fold: usize,
    /// Its id.
    pub id: &'a str,
    /// What is known of its documents.
    pub assessments: Vec<Assessment>,
    /// Ids of its documents.
    pub doc_ids: Option<Vec<&'a str>>,
    /// Scores of its documents.
    pub scores: Cow<'a, [f64]>,
    /// Grades of all judged documents of the topic; `None` if exactly the judged documents are
    /// ranked.
    pub pool: Option<Vec<u8>>,
    /// Whether the run lacks the topic.
    pub missing: bool,
}

impl<'a> ScoredQuery<'a> {
    /// A query of which all documents are judged and ranked.
    pub fn judged(fold: usize, query: JudgedQuery<'a>, scores: &'a [f64]) -> Self {
        let view = query.view();
        ScoredQuery {
            fold,
            id: view.id(),
            assessments: query.grades().iter().copied().map(Assessment::from).collect(),
            doc_ids: (0..query.len()).map(|row| view.doc_id(row)).collect(),
            scores: Cow::Borrowed(scores),
            pool: None,
            missing: false,
        }
    }

    /// The query, prepared for an evaluator.
    ///
    /// # Errors
    /// As [`Evaluator::judge`] and [`Evaluator::judge_pool`].
    pub fn judge(&self, evaluator: &Evaluator) -> Result<Judged, MeasureError> {
        let ids = self.doc_ids.as_deref();
        match &self.pool {
            None => {
                let grades: Vec<u8> = self.assessments.iter().map(|document| document.grade()).collect();
                evaluator.judge(self.id, &grades, ids)
            }
            Some(pool) => evaluator.judge_pool(self.id, pool, &self.assessments, ids),
        }
    }

    /// Whether means leave the query out because the run lacks it.
    pub fn left_out(&self, conventions: &Conventions) -> bool {
        self.missing && conventions.missing_topics == MissingTopics::Skip
    }
}

/// The mean of one value a case (NaN: undefined), without the cases that the conventions leave
/// out.
pub fn mean_of_cases(cases: &[ScoredQuery<'_>], values: &[f64], conventions: &Conventions) -> Mean {
    let mut folds = Vec::new();
    let mut rest = values;
    for fold in cases.chunk_by(|one, other| one.fold == other.fold) {
        let (own, after) = rest.split_at(fold.len());
        rest = after;
        let counted = fold.iter().zip(own).filter(|(case, _)| !case.left_out(conventions));
        folds.push(counted.map(|(_, &value)| value).collect::<Vec<f64>>());
    }
    let folds: Vec<&[f64]> = folds.iter().map(Vec::as_slice).collect();
    mean_over_folds(&folds, conventions.fold_mean, conventions.undefined)
}

/// Values of one measure under two sets of conventions, and the effect of every convention.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Attribution {
    /// The means under A and B.
    pub means: [f64; 2],
    /// Values of the queries under A and B; `None` if a query is left out.
    pub values: [Vec<Option<f64>>; 2],
    /// The conventions in which A and B differ and that this measure knows, and the scores if they
    /// differ.
    pub rules: Vec<RuleEffect>,
}

/// Effect of one convention, or of the scores.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuleEffect {
    /// The convention's name, or [`SCORES`].
    pub rule: &'static str,
    /// Its choices in A and B.
    pub choices: [String; 2],
    /// Whether the rule alters the value, for each query.
    pub affects: Vec<bool>,
    /// The rule's share of the difference of the means; NaN if a mean does not exist.
    pub mean_difference: f64,
}

impl RuleEffect {
    /// Whether the rule alters any value, or the mean.
    pub fn alters(&self) -> bool {
        self.affects.contains(&true) || self.mean_difference != 0.0
    }
}

impl Attribution {
    /// Whether a query's value differs.
    pub fn differs(&self, query: usize) -> bool {
        unlike(self.values[0][query], self.values[1][query])
    }
}

/// Attributes the difference between two sides to conventions and to scores. Conventions change
/// from A to B in turn, the scores of all documents at once. Both sides must have the same queries
/// with the same documents.
///
/// # Errors
/// As [`Evaluator::new`], [`Evaluator::judge`] and [`Evaluator::evaluate`].
pub fn attribute(
    spec: &MeasureSpec,
    [a, b]: [&Conventions; 2],
    max_grade: u8,
    seed: Seed,
    sides: [&[ScoredQuery<'_>]; 2],
) -> Result<Attribution, MeasureError> {
    let cases = sides[0];
    let mut rules: Vec<&'static Rule> = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.value(a) != rule.value(b)) {
        let mut changed = a.clone();
        rule.take(&mut changed, b);
        let known = spec.settings(&changed, max_grade)? != spec.settings(a, max_grade)?;
        let missing = rule.name == MISSING_TOPICS && cases.iter().any(|case| case.missing);
        if known || missing || OF_EVERY_MEASURE.contains(&rule.name) {
            rules.push(rule);
        }
    }
    let mut causes: Vec<(&'static str, [String; 2])> =
        rules.iter().map(|rule| (rule.name, [rule.value(a), rule.value(b)])).collect();
    if sides[0].iter().zip(sides[1]).any(|(one, other)| one.scores != other.scores) {
        causes.push((SCORES, ["A", "B"].map(str::to_owned)));
    }
    let under = |set: usize| evaluate(spec, &changed(&rules, set, [a, b]), max_grade, seed, sides[set >> rules.len()]);
    let all = (0..1 << causes.len()).map(under).collect::<Result<Vec<Evaluated>, MeasureError>>()?;
    Ok(attribution(causes, &all))
}

/// As [`attribute`], for values whose grades and scores are not known (NaN: undefined). Both sides
/// have the same queries, each with its fold. Conventions of means have effects of their own;
/// everything else that makes values differ is one cause, [`NOT_TOLD`].
pub fn attribute_values([a, b]: [&Conventions; 2], folds: &[usize], values: [&[f64]; 2]) -> Attribution {
    let of_means = RULES.iter().filter(|rule| OF_MEANS.contains(&rule.name));
    let rules: Vec<&'static Rule> = of_means.filter(|rule| rule.value(a) != rule.value(b)).collect();
    let mut causes: Vec<(&'static str, [String; 2])> =
        rules.iter().map(|rule| (rule.name, [rule.value(a), rule.value(b)])).collect();
    let known = |value: f64| settle(value, Undefined::Skip);
    if values[0].iter().zip(values[1]).any(|(&one, &other)| unlike(known(one), known(other))) {
        causes.push((NOT_TOLD, ["A", "B"].map(str::to_owned)));
    }
    let under = |set: usize| {
        let (conventions, values) = (changed(&rules, set, [a, b]), values[set >> rules.len()]);
        let mean = mean_over_folds(&by_fold(folds, values), conventions.fold_mean, conventions.undefined).value;
        Evaluated { values: values.iter().map(|&value| settle(value, conventions.undefined)).collect(), mean }
    };
    let all: Vec<Evaluated> = (0..1 << causes.len()).map(under).collect();
    attribution(causes, &all)
}

/// The conventions of A, with the choices of B for the rules in a set (bit i: rule i).
fn changed(rules: &[&'static Rule], set: usize, [a, b]: [&Conventions; 2]) -> Conventions {
    let mut conventions = a.clone();
    let members = rules.iter().enumerate().filter(|(number, _)| set >> number & 1 == 1);
    members.for_each(|(_, rule)| rule.take(&mut conventions, b));
    conventions
}

/// The share of each cause, from the values under every set of causes.
fn attribution(causes: Vec<(&'static str, [String; 2])>, all: &[Evaluated]) -> Attribution {
    let (first, last, count) = (&all[0], &all[all.len() - 1], causes.len());
    let effect = |(number, (rule, choices)): (usize, (&'static str, [String; 2]))| {
        let mut affects = vec![false; first.values.len()];
        let mut mean_difference = 0.0;
        for without in (0..all.len()).filter(|set| set >> number & 1 == 0) {
            let (before, after) = (&all[without], &all[without | 1 << number]);
            for (affects, (&before, &after)) in affects.iter_mut().zip(before.values.iter().zip(&after.values)) {
                *affects |= unlike(before, after);
            }
            mean_difference += weight(without.count_ones() as usize, count) * (after.mean - before.mean);
        }
        RuleEffect { rule, choices, affects, mean_difference }
    };
    Attribution {
        means: [first.mean, last.mean],
        values: [first.values.clone(), last.values.clone()],
        rules: causes.into_iter().enumerate().map(effect).collect(),
    }
}

/// The share of the orders of `rules` rules in which exactly `before` given rules stand before
/// another given rule.
fn weight(before: usize, rules: usize) -> f64 {
    let factorial = |n: usize| (1..=n).map(|i| i as f64).product::<f64>();
    factorial(before) * factorial(rules - before - 1) / factorial(rules)
}

fn unlike(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => differ(one, other),
        (one, other) => one.is_some() != other.is_some(),
    }
}

/// Values under one set of conventions.
struct Evaluated {
    values: Vec<Option<f64>>,
    mean: f64,
}

fn evaluate(
    spec: &MeasureSpec,
    conventions: &Conventions,
    max_grade: u8,
    seed: Seed,
    cases: &[ScoredQuery<'_>],
) -> Result<Evaluated, MeasureError> {
    let evaluator = Evaluator::new(std::slice::from_ref(spec), conventions, max_grade, seed)?;
    let mut scratch = Scratch::default();
    let mut raw = Vec::with_capacity(cases.len());
    for case in cases {
        let judged = case.judge(&evaluator)?;
        let mut value = [0.0];
        evaluator.evaluate(&judged, &case.scores, &mut scratch, &mut value)?;
        raw.push(value[0]);
    }
    let mean = mean_of_cases(cases, &raw, conventions).value;
    let settled = |(case, &value): (&ScoredQuery<'_>, &f64)| {
        if case.left_out(conventions) { None } else { settle(value, conventions.undefined) }
    };
    Ok(Evaluated { values: cases.iter().zip(&raw).map(settled).collect(), mean })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect;

    fn effects(measure: &str, a: &str, b: &str, cases: &[ScoredQuery<'_>]) -> Attribution {
        let [a, b] = [a, b].map(|name| dialect(name).unwrap().conventions());
        attribute(&measure.parse().unwrap(), [&a, &b], 2, Seed::new(1), [cases; 2]).unwrap()
    }

    fn case<'a>(fold: usize, grades: &'a [u8], scores: &'a [f64]) -> ScoredQuery<'a> {
        let assessments = grades.iter().copied().map(Assessment::from).collect();
        ScoredQuery { fold, id: "q", assessments, doc_ids: None, scores: scores.into(), pool: None, missing: false }
    }

    /// Grade 2 at rank 2: the letor discount adds 1 - 1/log2(3) of a perfect nDCG; a query of
    /// grades 0 counts 1 in LightGBM.
    #[test]
    fn each_rule_gets_what_it_does() {
        let cases = [case(0, &[0, 2, 0], &[3.0, 2.0, 1.0]), case(1, &[0, 0, 0], &[3.0, 2.0, 1.0])];
        let found = effects("ndcg@3", "letor4", "lightgbm", &cases);
        let of = |name: &str| found.rules.iter().find(|effect| effect.rule == name).unwrap();
        assert!((of("discount").mean_difference - (1.0 / libm::log2(3.0) - 1.0) / 2.0).abs() < 1e-12);
        assert!((of("undefined").mean_difference - 0.5).abs() < 1e-12);
        assert_eq!(
            (&of("discount").affects[..], &of("undefined").affects[..]),
            (&[true, false][..], &[false, true][..])
        );
        assert!(!of("short_list").affects.contains(&true), "no list is short");
        assert!(found.differs(0) && found.differs(1));
    }

    /// Ties in file order (letor4) and the mean over ties (sklearn) give different values.
    #[test]
    fn shares_add_up_to_the_difference_of_the_means() {
        let cases = [
            case(0, &[0, 2, 1], &[1.0, 1.0, 1.0]),
            case(0, &[1, 0, 2, 0], &[0.5, 0.5, 1.0, 0.5]),
            case(1, &[0, 0], &[1.0, 2.0]),
            case(1, &[2, 1], &[1.0, 2.0]),
        ];
        for (a, b) in [("letor4", "sklearn"), ("paper", "catboost"), ("xgboost", "ranx"), ("letor4", "paper")] {
            for measure in ["ndcg@3", "ap@2", "ap.v2@2", "p@3", "rr"] {
                let found = effects(measure, a, b, &cases);
                let sum: f64 = found.rules.iter().map(|effect| effect.mean_difference).sum();
                let [before, after] = found.means;
                assert!((sum - (after - before)).abs() < 1e-12, "{measure} {a} {b}: {sum} {found:?}");
                for query in (0..cases.len()).filter(|&query| found.differs(query)) {
                    assert!(found.rules.iter().any(|effect| effect.affects[query]));
                }
            }
        }
    }

    #[test]
    fn equal_conventions_have_no_rule() {
        let found = effects("ndcg@3", "paper", "paper", &[case(0, &[0, 1], &[1.0, 1.0])]);
        assert!(found.rules.is_empty() && !found.differs(0));
    }

    /// nDCG@1 of grades 2 and 0 is 0 under A's scores and 1 under B's. LightGBM counts the
    /// undefined query as 1, whatever the scores: 1/2 of the mean.
    #[test]
    fn scores_are_a_rule_beside_the_conventions() {
        let side = |top: &'static [f64]| [case(0, &[2, 0], top), case(0, &[0, 0], &[2.0, 1.0])];
        let (one, other) = (side(&[1.0, 2.0]), side(&[2.0, 1.0]));
        let [letor4, lightgbm] = ["letor4", "lightgbm"].map(|name| dialect(name).unwrap().conventions());
        let spec = "ndcg@1".parse().unwrap();
        let of = |conventions| attribute(&spec, conventions, 2, Seed::new(1), [&one, &other]).unwrap();
        let found = of([&letor4, &lightgbm]);
        let share = |name: &str| found.rules.iter().find(|effect| effect.rule == name).unwrap();
        assert_eq!((found.means, share(SCORES).mean_difference), ([0.0, 1.0], 0.5));
        assert_eq!((share("undefined").mean_difference, &share(SCORES).affects[..]), (0.5, &[true, false][..]));
        let same = of([&letor4, &letor4]);
        assert_eq!(same.rules.iter().map(|effect| effect.rule).collect::<Vec<_>>(), [SCORES]);
    }

    /// The values 1/2, 1/4 and undefined have the mean 1/4 over three queries, or 3/8 over two. On
    /// the other side 3/4 stands for 1/4, which adds 1/6 to the mean over three queries, and 1/4
    /// to the mean over two.
    #[test]
    fn values_alone_tell_what_means_make_of_them() {
        let a = dialect("mslr").unwrap().conventions();
        let a = Conventions { fold_mean: crate::conventions::FoldMean::Queries, undefined: Undefined::Zero, ..a };
        let b = Conventions { undefined: Undefined::Skip, gain: crate::conventions::Gain::Linear, ..a.clone() };
        let (one, other) = ([0.5, 0.25, f64::NAN], [0.5, 0.75, f64::NAN]);
        let same = attribute_values([&a, &b], &[0, 0, 1], [&one, &one]);
        assert_eq!(same.rules.iter().map(|effect| effect.rule).collect::<Vec<_>>(), ["undefined"]);
        assert_eq!((same.means, &same.rules[0].affects[..]), ([0.25, 0.375], &[false, false, true][..]));
        let found = attribute_values([&a, &b], &[0, 0, 1], [&one, &other]);
        assert_eq!(found.rules.iter().map(|effect| effect.rule).collect::<Vec<_>>(), ["undefined", NOT_TOLD]);
        assert_eq!((&found.rules[1].affects[..], found.means), (&[false, true, false][..], [0.25, 0.625]));
        assert!((found.rules[1].mean_difference - (1.0 / 6.0 + 0.25) / 2.0).abs() < 1e-12);
        assert!((found.rules[0].mean_difference - (0.125 + (0.625 - 1.25 / 3.0)) / 2.0).abs() < 1e-12);
    }

    /// The run lacks the second topic, so its nDCG@1 is 0 or is left out. nDCG@1 of the first topic
    /// is 1/2.
    #[test]
    fn topics_that_a_run_lacks_are_a_rule_of_their_own() {
        let found = ScoredQuery { pool: Some(vec![1, 2]), doc_ids: Some(vec!["a"]), ..case(0, &[1], &[1.0]) };
        let lacking = ScoredQuery { pool: Some(vec![1]), doc_ids: Some(vec![]), missing: true, ..case(0, &[], &[]) };
        let cases = [found, lacking];
        let effects = effects("ndcg@1", "ranx", "trec_eval", &cases);
        let of = |name: &str| effects.rules.iter().find(|effect| effect.rule == name).unwrap();
        assert_eq!(of("missing_topics").affects, [false, true]);
        assert_eq!((effects.means, of("missing_topics").mean_difference), ([0.25, 0.5], 0.25));
        assert_eq!(effects.values[1], [Some(0.5), None]);
    }
}

//! Tests the conformance kit with rankers that break its rules on purpose: each fault is caught by
//! its own rule only.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use fivefold_core::conformance::{Case, RULES, Violation, check, violations};
use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker, RankerEntry, Rng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A fault of a ranker.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    ScoresByRow,
    WeighsEarlyDocumentsMore,
    IgnoresShrink,
    DividesByTheSumOfWeights,
    PanicsOnOneDocument,
    HasNoUseForTheSeed,
    HidesItsSeed,
    AsksForThreads,
    ForgetsWhenSaved,
    IsNamedWrongly,
    DescribesTooLittle,
    TakesAnything,
    NeverStops,
    RanksBackwards,
    HasImportancesOfAnotherWidth,
    MakesNoModel,
    CountsItsFits,
    DividesByTheVariance,
    ReadsWhatAnotherLeft,
    LeavesItsShrink,
    /// Not a fault: the draws of this ranker fall on documents.
    DrawsDocuments,
    ChoosesByAnyValidation,
    SaysNothingOfABlindValidation,
    StopsAtItsBeginningOnly,
}

/// All flaws, in the order of the tests' numbers.
const FLAWS: &[Flaw] = &[
    Flaw::None,
    Flaw::ScoresByRow,
    Flaw::WeighsEarlyDocumentsMore,
    Flaw::IgnoresShrink,
    Flaw::DividesByTheSumOfWeights,
    Flaw::PanicsOnOneDocument,
    Flaw::HasNoUseForTheSeed,
    Flaw::HidesItsSeed,
    Flaw::AsksForThreads,
    Flaw::ForgetsWhenSaved,
    Flaw::IsNamedWrongly,
    Flaw::DescribesTooLittle,
    Flaw::TakesAnything,
    Flaw::NeverStops,
    Flaw::RanksBackwards,
    Flaw::HasImportancesOfAnotherWidth,
    Flaw::MakesNoModel,
    Flaw::CountsItsFits,
    Flaw::DividesByTheVariance,
    Flaw::ReadsWhatAnotherLeft,
    Flaw::LeavesItsShrink,
    Flaw::DrawsDocuments,
    Flaw::ChoosesByAnyValidation,
    Flaw::SaysNothingOfABlindValidation,
    Flaw::StopsAtItsBeginningOnly,
];

/// A flaw as a type.
trait Flawed: Send + Sync + 'static {
    const FLAW: Flaw;
}

/// The flaw in place `N` of [`FLAWS`].
struct At<const N: usize>;

impl<const N: usize> Flawed for At<N> {
    const FLAW: Flaw = FLAWS[N];
}

/// Scores by weighted features. A weight is the feature's covariance with the grade over its
/// variance plus `shrink`, and a little noise of size `noise`. The ranker draws only if it is
/// `seeded`.
#[derive(Serialize, Deserialize)]
#[serde(default, bound = "")]
struct Toy<F: Flawed> {
    shrink: f64,
    noise: f64,
    #[serde(skip)]
    flaw: PhantomData<F>,
}

impl<F: Flawed> Default for Toy<F> {
    fn default() -> Self {
        Toy { shrink: 0.1, noise: 0.01, flaw: PhantomData }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct ToyModel<F: Flawed> {
    weights: Vec<f64>,
    #[serde(skip)]
    unsaved: f64,
    #[serde(skip)]
    flaw: PhantomData<F>,
}

impl<F: Flawed> Model for ToyModel<F> {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (row, (score, x)) in out.iter_mut().zip(query.rows()).enumerate() {
            *score = self.weights.iter().zip(x).map(|(w, &x)| w * f64::from(x)).sum::<f64>() + self.unsaved;
            if F::FLAW == Flaw::ScoresByRow {
                *score += 1e-9 * row as f64;
            }
        }
    }

    fn importance(&self) -> Option<Vec<f64>> {
        let width = self.weights.len() + usize::from(F::FLAW == Flaw::HasImportancesOfAnotherWidth);
        Some(vec![1.0; width])
    }
}

static FITS: AtomicU64 = AtomicU64::new(0);
static LEFT: AtomicU64 = AtomicU64::new(0);

impl<F: Flawed> Ranker for Toy<F> {
    const NAME: &'static str = match F::FLAW {
        Flaw::IsNamedWrongly => "Toy_Ranker",
        Flaw::ReadsWhatAnotherLeft => "reader",
        Flaw::LeavesItsShrink => "leaver",
        _ => "toy",
    };
    const SUMMARY: &'static str = "covariance with the grade over variance";
    const PARAMS: &'static [ParamHelp] = match F::FLAW {
        Flaw::DescribesTooLittle => &[ParamHelp { name: "shrink", help: "added to each variance" }],
        _ => &[
            ParamHelp { name: "shrink", help: "added to each variance" },
            ParamHelp { name: "noise", help: "size of the noise" },
        ],
    };
    type Model = ToyModel<F>;

    fn seeded(&self) -> bool {
        F::FLAW != Flaw::HidesItsSeed
    }

    fn check(&self) -> Result<(), ParamError> {
        let ok = self.shrink > 0.0 || F::FLAW == Flaw::TakesAnything;
        ParamError::unless(ok, "shrink", self.shrink, "above 0")
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<ToyModel<F>, FitError> {
        let flaw = F::FLAW;
        if flaw != Flaw::NeverStops {
            cx.step(0, 1)?;
        }
        if flaw == Flaw::MakesNoModel {
            return Err(FitError::Numeric("no luck".to_owned()));
        }
        let two = train.queries().any(|query| query.len() > 1);
        assert!(flaw != Flaw::PanicsOnOneDocument || two, "two documents are needed");
        let shrink = if flaw == Flaw::IgnoresShrink { 0.1 } else { self.shrink };
        let shares = shares(train, flaw, cx.seed().derive("shares").rng());
        let mut weights: Vec<f64> =
            (0..train.width()).into_par_iter().map(|feature| weight(train, feature, shrink, flaw, &shares)).collect();
        if flaw == Flaw::DividesByTheSumOfWeights {
            let sum: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|w| *w /= sum);
        }
        if matches!(flaw, Flaw::ChoosesByAnyValidation | Flaw::SaysNothingOfABlindValidation)
            && let Some(data) = cx.validation()
        {
            let blind = data.queries().all(|query| {
                let first = (query.grades()[0], query.row(0));
                query.grades().iter().all(|grade| *grade == first.0) || query.rows().all(|row| row == first.1)
            });
            if !blind || flaw == Flaw::ChoosesByAnyValidation {
                weights.iter_mut().for_each(|w| *w *= 1.1);
            }
        }
        if !matches!(flaw, Flaw::NeverStops | Flaw::StopsAtItsBeginningOnly) {
            cx.check()?;
        }
        let mut rng: Rng = cx.seed().rng();
        if flaw != Flaw::HasNoUseForTheSeed {
            weights.iter_mut().for_each(|w| *w += self.noise * rng.uniform());
        } else {
            weights.iter_mut().for_each(|w| *w += self.noise);
        }
        match flaw {
            Flaw::RanksBackwards => weights.iter_mut().for_each(|w| *w = -*w),
            Flaw::AsksForThreads => weights[0] += 1e-12 * rayon::current_num_threads() as f64,
            Flaw::CountsItsFits => weights[0] += FITS.fetch_add(1, Ordering::Relaxed) as f64,
            Flaw::ReadsWhatAnotherLeft => weights[0] += LEFT.load(Ordering::Relaxed) as f64,
            Flaw::LeavesItsShrink => LEFT.store((100.0 * self.shrink) as u64, Ordering::Relaxed),
            _ => {}
        }
        let unsaved = if flaw == Flaw::ForgetsWhenSaved { 1.0 } else { 0.0 };
        Ok(ToyModel { weights, unsaved, flaw: PhantomData })
    }
}

/// The weight of each document.
fn shares(train: &Dataset, flaw: Flaw, mut rng: Rng) -> Vec<f64> {
    let rows = train.queries().flat_map(|query| 0..query.len());
    rows.map(|row| match flaw {
        Flaw::WeighsEarlyDocumentsMore => 1.0 / (1.0 + row as f64),
        Flaw::DrawsDocuments => rng.below(2) as f64,
        _ => 1.0,
    })
    .collect()
}

fn weight(train: &Dataset, feature: usize, shrink: f64, flaw: Flaw, shares: &[f64]) -> f64 {
    let (mut n, mut x_sum, mut y_sum, mut xx, mut xy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut shares = shares.iter();
    for query in train.queries() {
        for ((x, &grade), &share) in query.rows().zip(query.grades()).zip(shares.by_ref()) {
            let (x, y) = (f64::from(x[feature]), f64::from(grade));
            n += share;
            x_sum += share * x;
            y_sum += share * y;
            xx += share * x * x;
            xy += share * x * y;
        }
    }
    let variance = (xx / n - x_sum / n * (x_sum / n)).max(0.0);
    let floor = if flaw == Flaw::DividesByTheVariance { 0.0 } else { shrink };
    (xy / n - x_sum / n * (y_sum / n)) / (variance + floor)
}

const CASE: Case = Case {
    name: "toy",
    params: "",
    changes: &[("shrink", "0.5", true), ("noise", "0.02", true)],
    refused: &[("shrink", "0.0")],
    learns: true,
};

fn broken<const N: usize>() -> Vec<Violation> {
    violations(&[RankerEntry::of::<Toy<At<N>>>()], &[Case { name: Toy::<At<N>>::NAME, ..CASE }])
}

fn names(violations: &[Violation]) -> Vec<&'static str> {
    violations.iter().map(|violation| violation.rule.name).collect()
}

#[test]
fn a_sound_ranker_breaks_no_rule() {
    check(&[RankerEntry::of::<Toy<At<0>>>()], &[CASE]);
}

/// Each fault with the rules that must catch it: `names(broken::<N>())` must be exactly these
/// rules.
#[test]
fn each_flaw_is_caught_by_its_rule() {
    let expected: &[(Vec<Violation>, &[&str])] = &[
        (broken::<1>(), &["scoring order"]),
        (broken::<2>(), &["training order"]),
        (broken::<3>(), &["effects"]),
        (broken::<4>(), &["degenerate data"]),
        (broken::<5>(), &["degenerate data"]),
        (broken::<6>(), &["seed"]),
        (broken::<7>(), &["seed"]),
        (broken::<8>(), &["threads"]),
        (broken::<9>(), &["save and load"]),
        (broken::<10>(), &["help"]),
        (broken::<11>(), &["help"]),
        (broken::<12>(), &["refusals"]),
        (broken::<13>(), &["cancellation"]),
        (broken::<14>(), &["learns"]),
        (broken::<15>(), &["importance"]),
        (broken::<16>(), &["fit"]),
        (broken::<17>(), &["threads", "training order", "blind validation", "isolation"]),
        (broken::<18>(), &["fit"]),
        (broken::<22>(), &["blind validation"]),
        (broken::<23>(), &["blind validation"]),
        (broken::<24>(), &["cancellation"]),
    ];
    for (violations, rules) in expected {
        assert_eq!(names(violations), *rules, "{violations:#?}");
    }
    let caught: BTreeSet<&str> = expected.iter().flat_map(|(_, rules)| rules.iter().copied()).collect();
    // The rankers below break the remaining rules.
    let others: Vec<&str> = RULES.iter().map(|rule| rule.name).filter(|name| !caught.contains(name)).collect();
    assert_eq!(others, ["stored parameters", "checkpoints", "one grade"]);
}

/// Scores by the first feature. The ranker learns nothing, but does not say so.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Control {}

impl Ranker for Control {
    const NAME: &'static str = "control";
    const SUMMARY: &'static str = "the first feature";
    type Model = ToyModel<At<0>>;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, train: &Dataset, _: &FitContext<'_>) -> Result<ToyModel<At<0>>, FitError> {
        let weights = (0..train.width()).map(|feature| f64::from(u8::from(feature == 0))).collect();
        Ok(ToyModel { weights, unsaved: 0.0, flaw: PhantomData })
    }
}

#[test]
fn a_control_that_is_refused_data_of_one_grade_is_caught() {
    let case = Case { name: "control", params: "", changes: &[], refused: &[], learns: false };
    let found = violations(&[RankerEntry::of::<Control>()], &[case]);
    assert_eq!(names(&found), ["one grade"], "{found:#?}");
    assert!(found[0].to_string().contains("`Ranker::LEARNS`"), "{}", found[0]);
}

/// Raises the weight of the first feature round by round. If it forgets, its checkpoints lack the weight.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Rounds {
    forgets: bool,
}

impl Ranker for Rounds {
    const NAME: &'static str = "rounds";
    const SUMMARY: &'static str = "the first feature, round by round";
    const LEARNS: bool = false;
    const PARAMS: &'static [ParamHelp] = &[ParamHelp { name: "forgets", help: "whether checkpoints lack the weight" }];
    type Model = ToyModel<At<0>>;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<ToyModel<At<0>>, FitError> {
        let (first, mut weight): (u64, f64) = cx.resume().unwrap_or((0, 1.0));
        for round in first..20 {
            cx.round(round, 20, || (round, if self.forgets { 1.0 } else { weight }))?;
            weight += 0.1;
        }
        let weights = (0..train.width()).map(|feature| if feature == 0 { weight } else { 0.0 }).collect();
        Ok(ToyModel { weights, unsaved: 0.0, flaw: PhantomData })
    }
}

#[test]
fn a_checkpoint_that_lacks_what_the_next_round_reads_is_caught() {
    let entry = [RankerEntry::of::<Rounds>()];
    let case = Case { name: "rounds", params: "", changes: &[("forgets", "true", false)], refused: &[], learns: false };
    check(&entry, &[case]);
    let forgetful = Case { params: "forgets = true", changes: &[("forgets", "false", false)], ..case };
    let found = violations(&entry, &[forgetful]);
    assert_eq!(names(&found), ["checkpoints"], "{found:#?}");
    assert!(found[0].found.contains("stops, the model differs"), "{}", found[0]);
}

/// dmlc/xgboost #2208, #2704: early stopping by a metric that no model alters.
#[test]
fn what_is_said_of_a_blind_validation_part_names_it() {
    let [any, silent] = [broken::<22>(), broken::<23>()].map(|found| found[0].found.clone());
    assert!(any.starts_with("without a validation part, and validated on \"constant features\": query q0"), "{any}");
    assert!(silent.contains("no warning is given where it is \"constant features\""), "{silent}");
}

#[test]
fn draws_of_documents_are_sound_and_hide_no_dependence_on_the_order() {
    check(&[RankerEntry::of::<Toy<At<21>>>()], &[CASE]);
    // One draw of this noise moves the scores more than the order of the documents does.
    let noisy = Case { params: "noise = 0.3", changes: &[("shrink", "0.5", true), ("noise", "0.2", true)], ..CASE };
    let found = violations(&[RankerEntry::of::<Toy<At<2>>>()], &[noisy]);
    assert_eq!(names(&found), ["training order"], "{found:#?}");
    println!("{}", found[0]);
}

/// A [`Toy`] with a parameter that serde leaves out when it writes.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Forgetful {
    shrink: Option<f64>,
    #[serde(skip_serializing)]
    noise: Option<f64>,
}

impl Ranker for Forgetful {
    const NAME: &'static str = "toy";
    const SUMMARY: &'static str = Toy::<At<0>>::SUMMARY;
    const PARAMS: &'static [ParamHelp] = Toy::<At<0>>::PARAMS;
    type Model = ToyModel<At<0>>;

    fn check(&self) -> Result<(), ParamError> {
        self.toy().check()
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<ToyModel<At<0>>, FitError> {
        self.toy().fit(train, cx)
    }
}

impl Forgetful {
    fn toy(&self) -> Toy<At<0>> {
        Toy { shrink: self.shrink.unwrap_or(0.1), noise: self.noise.unwrap_or(0.01), flaw: PhantomData }
    }
}

#[test]
fn a_parameter_that_is_not_written_is_caught() {
    let found = violations(&[RankerEntry::of::<Forgetful>()], &[CASE]);
    assert_eq!(names(&found), ["stored parameters"], "{found:#?}");
    assert!(found[0].found.contains("[\"shrink\"]") || found[0].found.contains("{\"shrink\"}"), "{}", found[0].found);
}

#[test]
fn a_ranker_that_reads_what_another_left_is_caught_in_any_order() {
    let (reader, leaver) = (RankerEntry::of::<Toy<At<19>>>(), RankerEntry::of::<Toy<At<20>>>());
    let cases = [Case { name: "reader", ..CASE }, Case { name: "leaver", ..CASE }];
    for entries in [[reader, leaver], [leaver, reader]] {
        let found = violations(&entries, &cases);
        assert_eq!(names(&found), ["isolation"], "{found:#?}");
        assert_eq!(found[0].ranker, "reader");
        assert!(found[0].found.contains("how `leaver` was trained before"), "{}", found[0].found);
    }
}

#[test]
fn a_failure_says_which_rule_on_what_data_and_what_to_do() {
    let text = broken::<5>()[0].to_string();
    let start =
        "ranker `toy` () breaks the rule \"degenerate data\": data without anything to learn give finite scores";
    assert!(text.starts_with(start), "{text}");
    assert!(text.contains("found: trained on one document a query: panic: two documents are needed"), "{text}");
    assert!(text.contains("to do: guard divisions"), "{text}");
    let text = broken::<4>()[0].to_string();
    assert!(text.contains("found: trained on constant features: "), "{text}");
    let text = broken::<1>()[0].to_string();
    assert!(text.contains("scored forwards and backwards, query q0, document d0: "), "{text}");
    let text = broken::<3>()[0].to_string();
    assert!(text.contains("`shrink = 0.5` gives the same scores, trained on the synthetic collection"), "{text}");
}

#[test]
fn what_is_declared_inert_must_be() {
    const INERT: &[(&str, &str, bool)] = &[("shrink", "0.5", false), ("noise", "0.02", true)];
    let found = violations(&[RankerEntry::of::<Toy<At<3>>>()], &[Case { changes: INERT, ..CASE }]);
    assert!(found.is_empty(), "{found:#?}");
    let found = violations(&[RankerEntry::of::<Toy<At<0>>>()], &[Case { changes: INERT, ..CASE }]);
    assert_eq!(names(&found), ["effects"]);
    assert!(
        found[0].found.starts_with("`shrink = 0.5`, declared inert, has an effect: query q0"),
        "{}",
        found[0].found
    );
    let missing =
        violations(&[RankerEntry::of::<Toy<At<0>>>()], &[Case { changes: &[("shrink", "0.5", true)], ..CASE }]);
    assert_eq!(names(&missing), ["effects"]);
}

#[test]
#[should_panic(expected = "breaks the rule \"learns\"")]
fn check_fails_the_test() {
    check(&[RankerEntry::of::<Toy<At<14>>>()], &[CASE]);
}

#[test]
#[should_panic(expected = "ranker `toy` has no case")]
fn a_ranker_without_a_case_is_no_pass() {
    check(&[RankerEntry::of::<Toy<At<0>>>()], &[]);
}

#[test]
#[should_panic(expected = "no ranker of that name")]
fn a_case_without_a_ranker_is_no_pass() {
    check(&[], &[CASE]);
}

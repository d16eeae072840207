//! What every registered ranker must do, checked through its registry entry as the program itself uses it.
//!
//! A crate of rankers gives [`check`] its entries and, for each, at least one [`Case`]: parameters under which the ranker is tested
//! and, for each parameter, another value and what it is expected to alter.

// Not every test file that includes this uses all of the data.
#[allow(dead_code)]
pub mod data;

use std::sync::atomic::AtomicBool;

use fivefold_core::{Dataset, DynModel, DynRanker, FitContext, FitError, RankerEntry, Seed};
use serde_json::Value;

/// How one ranker is tested.
pub struct Case {
    /// Its registered name.
    pub name: &'static str,
    /// Parameters, as TOML, that suit small data.
    pub params: &'static str,
    /// For each parameter a changed value, as TOML, and whether it alters the model (or makes the fit fail). `false`
    /// says that the ranker's documentation names it inert.
    pub changes: &'static [(&'static str, &'static str, bool)],
    /// Parameter values, as TOML, that `check` must refuse by that parameter's name.
    pub refused: &'static [(&'static str, &'static str)],
    /// Whether the model must rank better than a random order.
    pub learns: bool,
}

/// Runs all checks on all entries.
pub fn check(entries: &[RankerEntry], cases: &[Case]) {
    for case in cases {
        assert!(entries.iter().any(|entry| entry.name == case.name), "no ranker is named {}", case.name);
    }
    for entry in entries {
        assert!(cases.iter().any(|case| case.name == entry.name), "{} has no case", entry.name);
        cases.iter().filter(|case| case.name == entry.name).for_each(|case| check_case(entry, case));
    }
}

fn check_case(entry: &RankerEntry, case: &Case) {
    parameters_are_documented_and_checked(entry, case);
    every_parameter_matters(entry, case);
    fits_are_reproducible(entry, case);
    document_order_does_not_matter(entry, case);
    degenerate_data_give_finite_scores_or_errors(entry, case);
    a_cancelled_fit_stops(entry, case);
    if case.learns {
        beats_a_random_order(entry, case);
    }
}

fn make(entry: &RankerEntry, toml: &str) -> Box<dyn DynRanker> {
    let table = toml::de::DeTable::parse(toml).unwrap();
    entry.parse(table).unwrap_or_else(|error| panic!("{} with `{toml}`: {error}", entry.name))
}

fn fit(ranker: &dyn DynRanker, seed: u64) -> Result<Box<dyn DynModel>, FitError> {
    let (train, validation) = (data::signal_in_order(40, 1), data::signal_in_order(20, 2));
    ranker.fit(&train, &FitContext::new(Seed::new(seed)).with_validation(&validation))
}

fn fitted(entry: &RankerEntry, case: &Case, seed: u64) -> Box<dyn DynModel> {
    fit(&*make(entry, case.params), seed).unwrap_or_else(|error| panic!("{}: {error}", entry.name))
}

fn scores(model: &dyn DynModel, data: &Dataset) -> Vec<Vec<f64>> {
    data.queries()
        .map(|query| {
            let mut out = vec![f64::NAN; query.len()];
            model.score(query.view(), &mut out);
            out
        })
        .collect()
}

fn with(case: &Case, name: &str, value: &str) -> String {
    let kept = case.params.lines().filter(|line| line.split('=').next().map(str::trim) != Some(name));
    kept.chain([format!("{name} = {value}").as_str()]).map(|line| format!("{line}\n")).collect()
}

fn parameters_are_documented_and_checked(entry: &RankerEntry, case: &Case) {
    assert!(!entry.summary.is_empty(), "{} has no summary", entry.name);
    let infos = entry.params();
    for info in &infos {
        assert!(!info.help.is_empty(), "parameter `{}` of {} has no help", info.name, entry.name);
    }
    let names: Vec<&str> = infos.iter().map(|info| info.name.as_str()).collect();
    let changed: Vec<&str> = case.changes.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, changed, "{}: a change for each parameter, in order", entry.name);
    for (name, value) in case.refused {
        let text = with(case, name, value);
        let error = entry.parse(toml::de::DeTable::parse(&text).unwrap()).err();
        let error = error.unwrap_or_else(|| panic!("{} takes `{name} = {value}`", entry.name));
        assert_eq!(error.param.as_deref(), Some(*name), "{}: {error}", entry.name);
        assert!(error.span.is_some(), "{}: {error} has no place in the file", entry.name);
    }
    for (preset, summary) in entry.presets() {
        assert!(!summary.is_empty(), "preset {preset} of {} has no summary", entry.name);
        make(entry, &format!("preset = {preset:?}"));
    }
    let ranker = make(entry, case.params);
    let stored = entry.restore(&ranker.params()).unwrap();
    assert_eq!(stored.params(), ranker.params(), "{}: parameters do not survive JSON", entry.name);
}

fn every_parameter_matters(entry: &RankerEntry, case: &Case) {
    let usual = fitted(entry, case, 7).to_json().unwrap();
    for (name, value, alters) in case.changes {
        let ranker = make(entry, &with(case, name, value));
        // A fit that now fails is an effect too.
        let changed = fit(&*ranker, 7).map(|model| model.to_json().unwrap()).unwrap_or(Value::Null);
        assert_eq!(changed != usual, *alters, "{}: effect of `{name} = {value}`", entry.name);
    }
    let reseeded = fitted(entry, case, 8).to_json().unwrap();
    assert_eq!(reseeded != usual, entry.seeded, "{}: effect of the seed", entry.name);
}

fn fits_are_reproducible(entry: &RankerEntry, case: &Case) {
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fitted(entry, case, 7))
    };
    let (one, two) = (in_pool(1), in_pool(2));
    let text = one.to_json().unwrap().to_string();
    assert_eq!(text, two.to_json().unwrap().to_string(), "{}: another model on two threads", entry.name);
    let test = data::signal_in_order(20, 3);
    let loaded = entry.load(serde_json::from_str(&text).unwrap()).unwrap();
    let bits =
        |model: &dyn DynModel| -> Vec<u64> { scores(model, &test).concat().iter().map(|s| s.to_bits()).collect() };
    assert_eq!(bits(&*one), bits(&*loaded), "{}: other scores after saving and loading", entry.name);
    if let Some(importance) = one.importance() {
        assert_eq!(importance.len(), test.width(), "{}: importance", entry.name);
        assert!(importance.iter().all(|v| v.is_finite() && *v >= 0.0), "{}: {importance:?}", entry.name);
    }
}

fn document_order_does_not_matter(entry: &RankerEntry, case: &Case) {
    let model = fitted(entry, case, 7);
    let (here, there) = (data::signal_in_order(5, 4), data::signal(5, 4, |n| (0..n).rev().collect()));
    let mut turned = scores(&*model, &there);
    turned.iter_mut().for_each(|query| query.reverse());
    assert_eq!(scores(&*model, &here), turned, "{}: scores depend on the order of documents", entry.name);
}

fn degenerate_data_give_finite_scores_or_errors(entry: &RankerEntry, case: &Case) {
    let constant: Vec<data::Doc<'_>> = (0..8u8).map(|i| (i % 3, [0.25f32; 6].as_slice())).collect();
    let values: Vec<[f32; 6]> = (0..8).map(|i| [i as f32, 1.0, 0.0, -(i as f32), 1e6 * i as f32, 3.0]).collect();
    let graded = |grade: fn(usize) -> u8| -> Vec<data::Doc<'_>> {
        values.iter().enumerate().map(|(i, x)| (grade(i), x.as_slice())).collect()
    };
    let sets = [
        ("constant features", data::rows(&[&constant, &constant])),
        ("one document", data::rows(&[&[(1, &values[1])]])),
        ("one document a query", data::rows(&[&[(1, &values[1])], &[(0, &values[2])], &[(2, &values[3])]])),
        ("nothing relevant", data::rows(&[&graded(|_| 0), &graded(|_| 0)])),
        ("one grade", data::rows(&[&graded(|_| 2), &graded(|_| 2)])),
        ("a perfect feature", data::rows(&[&graded(|i| (i / 3) as u8), &graded(|i| (i / 3) as u8)])),
    ];
    for (what, set) in &sets {
        match make(entry, case.params).fit(set, &FitContext::new(Seed::new(1))) {
            Ok(model) => {
                let all = scores(&*model, set).concat();
                assert!(all.iter().all(|s| s.is_finite()), "{} on {what}: {all:?}", entry.name);
            }
            Err(FitError::Data(reason)) => assert!(!reason.is_empty()),
            Err(other) => panic!("{} on {what}: {other}", entry.name),
        }
    }
}

fn a_cancelled_fit_stops(entry: &RankerEntry, case: &Case) {
    let flag = AtomicBool::new(true);
    let context = FitContext::new(Seed::new(1)).with_cancellation(&flag);
    let outcome = make(entry, case.params).fit(&data::signal_in_order(40, 1), &context);
    assert!(matches!(outcome, Err(FitError::Cancelled)) || !case.learns, "{} does not stop", entry.name);
}

/// Share of the document pairs with different grades that the scores put in the right order; .5 is random.
fn pair_accuracy(model: &dyn DynModel, data: &Dataset) -> f64 {
    let (mut right, mut pairs) = (0.0, 0.0);
    for (query, scores) in data.queries().zip(scores(model, data)) {
        for (a, &better) in query.grades().iter().enumerate() {
            for (b, _) in query.grades().iter().enumerate().filter(|&(_, &worse)| worse < better) {
                pairs += 1.0;
                right += if scores[a] > scores[b] {
                    1.0
                } else if scores[a] == scores[b] {
                    0.5
                } else {
                    0.0
                };
            }
        }
    }
    right / pairs
}

fn beats_a_random_order(entry: &RankerEntry, case: &Case) {
    let accuracy = pair_accuracy(&*fitted(entry, case, 7), &data::signal_in_order(100, 5));
    // About 5,000 pairs of 1,200 documents: a random order stays within .45 to .55.
    assert!(accuracy > 0.7, "{} orders only {accuracy} of the pairs rightly", entry.name);
}

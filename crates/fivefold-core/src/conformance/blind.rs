//! Rules about data on which all models are equally good, as training data and as a validation
//! part.

use std::sync::Mutex;

use super::trial::{SEED, Trial, fit_beside, make, models_differ, train, validation};
use super::{Rule, data};
use crate::{FitContext, FitError, Progress, Seed};

pub(super) const ONE_GRADE: Rule = Rule {
    name: "one grade",
    demand: "training data of one grade are refused by whoever learns, and by nobody else",
    remedy: "`Ranker::LEARNS` says whether a ranker learns: `false` for a control, such as one feature or a random order; \
             where it is true, the refusal comes before `fit`",
    check: one_grade,
};

fn one_grade(trial: &Trial<'_>) -> Result<(), String> {
    let sets = data::degenerate().into_iter().filter(|(_, set)| set.only_grade().is_some());
    for (name, set) in sets {
        let context = FitContext::new(Seed::new(SEED));
        match (make(trial.entry, trial.case.params)?.fit(&set, &context), trial.case.learns) {
            (Err(FitError::Data(_)), true) | (Ok(_), false) => {}
            (Ok(_), true) => return Err(format!("a model is made of \"{name}\"")),
            (Err(error), _) => return Err(format!("trained on \"{name}\", the fit fails otherwise: {error}")),
        }
    }
    Ok(())
}

pub(super) const BLIND_VALIDATION: Rule = Rule {
    name: "blind validation",
    demand: "a validation part in which no order of documents is better than another alters nothing, and a warning says so",
    remedy: "if every order of the validation part has the same value, train without the validation part and tell the \
        user by `cx.warn`. Otherwise the first model stays the best, because all models are equally good there",
    check: blind_validation,
};

/// Names of sets of [`data::degenerate`] on which every model is as good as any other.
const BLIND: &[&str] = &[
    "constant features",
    "features that are constant in each query",
    "one document a query",
    "no relevant document",
    "one grade",
];

fn blind_validation(trial: &Trial<'_>) -> Result<(), String> {
    let (params, train) = (trial.case.params, train());
    let without = fit_beside(trial.entry, params, &train, SEED, None, &Notes::default())?;
    // Fitted now: another rule tests whether fits disturb each other.
    let with = fit_beside(trial.entry, params, &train, SEED, Some(&validation()), &Notes::default())?;
    let matters = models_differ(&without, &with).is_some();
    for (name, set) in data::degenerate().into_iter().filter(|(name, _)| BLIND.contains(name)) {
        let told = Notes::default();
        let fitted = fit_beside(trial.entry, params, &train, SEED, Some(&set), &told)?;
        if let Some(difference) = models_differ(&without, &fitted) {
            return Err(format!("without a validation part, and validated on \"{name}\": {difference}"));
        }
        if matters && told.0.into_inner().is_ok_and(|warnings| warnings.is_empty()) {
            return Err(format!("a validation part alters the model, but no warning is given where it is \"{name}\""));
        }
    }
    Ok(())
}

/// The warnings of a fit.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn step(&self, _: u64, _: u64) {}

    fn warning(&self, text: &str) {
        if let Ok(mut told) = self.0.lock() {
            told.push(text.to_owned());
        }
    }
}

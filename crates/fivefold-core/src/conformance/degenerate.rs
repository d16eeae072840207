//! The rule about data from which little or nothing can be learnt.

use super::fits::all_finite;
use super::trial::{SEED, Trial, make, test, train};
use super::{Rule, data, guarded};
use crate::{Dataset, FitContext, FitError, Seed};

pub(super) const DEGENERATE: Rule = Rule {
    name: "degenerate data",
    demand: "data without anything to learn give finite scores, or an error that says so",
    remedy: "guard divisions and logarithms: a variance, a sum of weights or a count of pairs can be 0, a weight can become \
             infinite. If nothing can be learnt, return `FitError::Data` with the reason",
    check: degenerate,
};

fn degenerate(trial: &Trial<'_>) -> Result<(), String> {
    for (name, set) in data::degenerate() {
        guarded(|| tried(trial, &set, None)).map_err(|found| format!("trained on {name}: {found}"))?;
        guarded(|| tried(trial, &set, Some(&set)))
            .map_err(|found| format!("trained and validated on {name}: {found}"))?;
        guarded(|| tried(trial, &train(), Some(&set)))
            .map_err(|found| format!("trained on the synthetic collection and validated on {name}: {found}"))?;
    }
    Ok(())
}

/// Fits, then scores the training set and the synthetic collection. Fails if a score is not finite.
fn tried(trial: &Trial<'_>, train: &Dataset, validation: Option<&Dataset>) -> Result<(), String> {
    let mut context = FitContext::new(Seed::new(SEED));
    if let Some(validation) = validation {
        context = context.with_validation(validation);
    }
    let model = match make(trial.entry, trial.case.params)?.fit(train, &context) {
        Ok(model) => model,
        Err(FitError::Data(reason)) if !reason.is_empty() => return Ok(()),
        Err(other) => return Err(format!("the fit fails, but not with `FitError::Data` and a reason: {other}")),
    };
    all_finite(&*model, "its training data", train)?;
    all_finite(&*model, "the synthetic collection", &test())
}

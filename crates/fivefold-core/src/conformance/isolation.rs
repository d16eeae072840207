//! The rule that fits do not disturb each other.

use super::trial::{SEED, Trial, fit, fit_usual, make, models_differ, with};
use super::{Case, Rule, data, guarded};
use crate::RankerEntry;

pub(super) const ISOLATION: Rule = Rule {
    name: "isolation",
    demand: "a model does not depend on earlier fits of any ranker",
    remedy: "keep settings and generators in the ranker and in `fit`, never in a `static`, a thread-local or a cache",
    check: isolation,
};

/// Fits every ranker of the call once more, with all its parameters changed. Then this ranker is
/// fitted again, and must give the very model that it gave before.
///
/// Blind spot: a value that an earlier ranker of the list always leaves behind. The same value was
/// there already when this ranker was first fitted.
fn isolation(trial: &Trial<'_>) -> Result<(), String> {
    for (entry, case) in trial.all {
        disturb(entry, &all_changes(entry, case));
    }
    let again = trial.fit(&super::trial::train(), SEED)?;
    let Some(difference) = models_differ(trial.usual()?, &again) else {
        return Ok(());
    };
    match culprit(trial)? {
        Some(name) => Err(format!("the model depends on how `{name}` was trained before: {difference}")),
        None => Err(format!("fitted again after other fits, the model differs from the first model: {difference}")),
    }
}

/// The ranker of the call whose parameters, in an earlier fit, alter this ranker's model.
fn culprit(trial: &Trial<'_>) -> Result<Option<&'static str>, String> {
    for (entry, case) in trial.all {
        let after = |params: &str| {
            disturb(entry, params);
            fit_usual(trial.entry, trial.case.params, SEED)
        };
        if models_differ(&after(case.params)?, &after(&all_changes(entry, case))?).is_some() {
            return Ok(Some(entry.name));
        }
    }
    Ok(None)
}

/// A fit on a few documents. Other rules test whether the fit succeeds.
fn disturb(entry: &RankerEntry, params: &str) {
    let _ = guarded(|| fit(entry, params, &data::signal_in_order(5, 8), SEED + 2));
}

/// The case's parameters with all changes that are allowed together.
fn all_changes(entry: &RankerEntry, case: &Case) -> String {
    case.changes.iter().fold(case.params.to_owned(), |params, (name, value, _)| {
        let changed = with(&params, name, value);
        if make(entry, &changed).is_ok() { changed } else { params }
    })
}

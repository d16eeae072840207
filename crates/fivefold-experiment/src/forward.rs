//! Forward selection of features: the set that a candidate tries, and the choice among all sets.
//!
//! In each step, each unit (a feature or a group) that is not yet chosen is added to the set of the
//! step before, by a candidate of its own. The set with the highest mean on the validation part goes
//! on to the next step. In the end, the best of these sets is chosen. Means that differ by rounding
//! alone are equal. Of equal sets, the one with the fewest features is taken, and of these the one
//! whose unit comes first.

use std::collections::BTreeMap;

use fivefold_base::words::counted;
use fivefold_data::Collection;
use fivefold_data::FeatureChoice;
use fivefold_data::features::Pick;
use fivefold_metrics::mean;
use fivefold_results::config::{FEATURES, Forward, features_value};
use fivefold_results::store::{Chosen, Step, Store};

use crate::plan::{Job, Plan, rungs_of};
use crate::tuned::{ChoiceError, best_first, stored_values};

/// The set of features that a candidate tries: the set of the step before, and one unit.
pub(crate) fn next_set(
    plan: &Plan<'_>,
    job: &Job,
    place: usize,
    forward: &Forward,
    store: &Store,
) -> Result<Vec<Pick>, ChoiceError> {
    let collection = collection_of(plan, job)?;
    let mut set = match job.needs.is_empty() {
        true => Vec::new(),
        false => match Ranked::read(plan, collection, &job.needs, store)?.sets.into_iter().next() {
            Some(best) => best.features,
            None => return Err(ChoiceError::NoSetting("no set of the step before has a value".to_owned())),
        },
    };
    let left = forward.units(collection).into_iter().filter(|unit| !set.contains(unit));
    let unit = left.into_iter().nth(place);
    set.push(unit.ok_or_else(|| ChoiceError::NoSetting("no feature is left that could enter".to_owned()))?);
    Ok(set)
}

/// Chooses among the best sets of all steps, from the stored values of the candidates.
pub(crate) fn choose(plan: &Plan<'_>, job: &Job, store: &Store) -> Result<Chosen, ChoiceError> {
    let collection = collection_of(plan, job)?;
    let (mut best, mut steps, mut settings, mut without_value) = (Vec::new(), Vec::new(), 0, 0);
    for rung in rungs_of(job) {
        let ranked = Ranked::read(plan, collection, &rung, store)?;
        settings += ranked.sets.len();
        without_value += ranked.without_value;
        let equal = ranked.sets.iter().filter(|set| set.level == ranked.sets[0].level).count();
        let Some(first) = ranked.sets.into_iter().next() else { continue };
        if let Some(entered) = first.features.last() {
            steps.push(Step { entered: entered.clone(), value: first.value, equal: equal - 1 });
        }
        best.push(first);
    }
    let values = best.iter().map(|set| set.value).enumerate().collect();
    let ranking = best_first(values, |step| best[step].size as f64);
    let &(step, value, level) = ranking.first().ok_or_else(|| {
        let sets = counted(settings + without_value, "set");
        ChoiceError::NoSetting(format!("none of {sets} of features could be chosen: none has a value"))
    })?;
    Ok(Chosen {
        number: 0,
        setting: BTreeMap::from([(FEATURES.to_owned(), features_value(&best[step].features))]),
        value,
        settings,
        without_value,
        equal: ranking.iter().filter(|(_, _, other)| *other == level).count() - 1,
        steps,
    })
}

fn collection_of<'p>(plan: &'p Plan<'_>, job: &Job) -> Result<&'p Collection, ChoiceError> {
    plan.collection(job).ok_or_else(|| ChoiceError::NoSetting("its collection was not loaded".to_owned()))
}

/// A set with its value.
struct Valued {
    features: Vec<Pick>,
    value: f64,
    level: f64,
    /// The number of features.
    size: usize,
}

/// The sets of a step that have a value, best first.
struct Ranked {
    sets: Vec<Valued>,
    without_value: usize,
}

impl Ranked {
    fn read(plan: &Plan<'_>, collection: &Collection, step: &[Job], store: &Store) -> Result<Self, ChoiceError> {
        let undefined = plan.experiment.evaluation.conventions.undefined;
        let mut sets = Vec::new();
        for candidate in step {
            let (tried, values) = stored_values(candidate, store)?;
            let Some((tried, values)) = tried.zip(values) else { continue };
            let value = mean(&values, undefined).value;
            let columns = collection.columns(&FeatureChoice::Only(tried.features.clone()));
            let size = columns.map_err(|wrong| ChoiceError::NoSetting(wrong.to_string()))?.len();
            if !value.is_nan() {
                sets.push(Valued { features: tried.features, value, level: value, size });
            }
        }
        let without_value = step.len() - sets.len();
        let values = sets.iter().map(|set| set.value).enumerate().collect();
        let ranking = best_first(values, |place| sets[place].size as f64);
        let mut slots: Vec<Option<Valued>> = sets.into_iter().map(Some).collect();
        let ranked = ranking.into_iter().filter_map(|(place, _, level)| Some(Valued { level, ..slots[place].take()? }));
        Ok(Ranked { sets: ranked.collect(), without_value })
    }
}

//! The search for a ranker's parameters: the values of a candidate, and the choice among candidates.
//!
//! A candidate is a job that fits one setting on the training part and keeps only the values of its
//! measure on queries of the validation part. The job of the tuned ranker reads the values of its
//! candidates and takes the setting with the highest mean. Means that differ by rounding alone are
//! equal. Of equal settings it takes the cheapest (`Setting::cost`), and of these the first. Then
//! it fits the setting again, with the seed that the candidates had, and scores the test part.
//!
//! In a later rung of successive halving, a candidate takes the setting that has its place in the
//! order of the rung before, by the same rule.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::rounding::levels;
use fivefold_base::words::{counted, which};
use fivefold_core::{Dataset, Seed};
use fivefold_metrics::{Conventions, Evaluator, MeasureError, MeasureSpec, Scratch, mean, mean_over_folds};
use fivefold_results::config::TuneConfig;
use fivefold_results::store::{Chosen, Store, StoreError, Tried};
use rayon::prelude::*;

use crate::forward;
use crate::plan::{Job, Plan};
use crate::reuse::Reuse;

/// Why no setting was chosen.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChoiceError {
    /// No setting can be chosen, for this reason.
    #[error("{0}")]
    NoSetting(String),
    /// The folder failed.
    #[error(transparent)]
    Folder(#[from] StoreError),
}

/// The values of a measure on each query of a part, in order. NaN is an undefined value. The tuple
/// holds the highest grade of the collection, and the seed that shuffles ties.
///
/// # Errors
/// If the measure cannot be computed, or if a score is not finite.
pub fn values(
    measure: &MeasureSpec,
    conventions: &Conventions,
    (max_grade, seed): (u8, Seed),
    part: &Dataset,
    scores: &[f64],
) -> Result<Vec<f64>, MeasureError> {
    let evaluator = Evaluator::new(std::slice::from_ref(measure), conventions, max_grade, seed)?;
    let bounds = part.bounds();
    let value = |scratch: &mut Scratch, query: usize| {
        let judged = evaluator.judge_query(&part.query(query))?;
        let mut value = [f64::NAN];
        evaluator.evaluate(&judged, &scores[bounds[query]..bounds[query + 1]], scratch, &mut value)?;
        Ok(value[0])
    };
    (0..part.len()).into_par_iter().map_init(Scratch::default, value).collect()
}

/// What a candidate came to, by its values. Results of other candidates may have settled its setting
/// or its features.
pub fn tried(tune: &TuneConfig, conventions: &Conventions, values: &[f64]) -> Tried {
    let found = mean(values, conventions.undefined);
    Tried {
        number: None,
        features: Vec::new(),
        measure: tune.measure.to_string(),
        value: Some(found.value).filter(|value| !value.is_nan()),
        queries: found.queries,
        undefined: found.undefined,
    }
}

/// Chooses the setting of a tuned ranker from the stored values of its candidates.
pub(crate) fn choose(plan: &Plan<'_>, job: &Job, tune: &TuneConfig, store: &Store) -> Result<Chosen, ChoiceError> {
    if tune.forward.is_some() {
        return forward::choose(plan, job, store);
    }
    let found = found(job, tune, store)?;
    let conventions = &plan.experiment.evaluation.conventions;
    choice(tune, conventions, &found).ok_or_else(|| {
        let failures = found.values().filter(|folds| folds.is_none()).count();
        let reason = match failures {
            0 => "no query of the validation part counts".to_owned(),
            all if all == found.len() => "all candidates failed".to_owned(),
            some => format!("{} failed, and no query counts for the others", counted(some, "setting")),
        };
        let settings = counted(found.len(), "setting");
        ChoiceError::NoSetting(format!("none of {settings} could be chosen: {reason}"))
    })
}

/// The setting with the highest mean on one validation part. `found` holds the values of each
/// setting, or `None` for a setting whose fit failed. `None` if no setting has a value.
pub fn choose_on_one_part(tune: &TuneConfig, conventions: &Conventions, found: &[Option<Vec<f64>>]) -> Option<Chosen> {
    let found = found.iter().map(|values| values.clone().map(|values| vec![values])).enumerate().collect();
    choice(tune, conventions, &found)
}

/// The number of the setting that a candidate of a later rung takes.
pub(crate) fn survivor(
    plan: &Plan<'_>,
    job: &Job,
    place: usize,
    tune: &TuneConfig,
    store: &Store,
) -> Result<usize, ChoiceError> {
    let ranking = ranking(tune, &plan.experiment.evaluation.conventions, &found(job, tune, store)?);
    let (number, ..) = ranking.get(place).ok_or_else(|| {
        let settings = counted(ranking.len(), "setting");
        ChoiceError::NoSetting(format!(
            "only {settings} of the rung before {} a value",
            which(ranking.len(), "has", "have")
        ))
    })?;
    Ok(number + tune.width())
}

/// The values of settings on each fold, by the number of the setting. `None` for a setting that
/// cannot be chosen, because a candidate failed.
type Found = BTreeMap<usize, Option<Vec<Vec<f64>>>>;

/// The stored values of the candidates on which a job depends.
fn found(job: &Job, tune: &TuneConfig, store: &Store) -> Result<Found, ChoiceError> {
    let mut found = Found::new();
    for candidate in job.needs.iter() {
        let (tried, values) = stored_values(candidate, store)?;
        let number = tried.and_then(|tried| tried.number);
        // Which setting a failed candidate of a later rung took is not known, but it counts.
        let unknown = candidate.place.map(|place| tune.settings.len() + place);
        let Some(number) = number.or(unknown).or(candidate.candidate) else { continue };
        let folds = found.entry(number).or_insert_with(|| Some(Vec::new()));
        match (values, &mut *folds) {
            (Some(values), Some(folds)) => folds.push(values),
            (None, _) => *folds = None,
            (_, None) => {}
        }
    }
    // A setting counts only if it has a value on each fold.
    let folds = job.needs.iter().map(|need| need.fold).collect::<BTreeSet<_>>().len();
    let complete = |values: &Vec<Vec<f64>>| values.len() == folds;
    found.values_mut().for_each(|values| *values = values.take().filter(complete));
    Ok(found)
}

/// The settings with a value, best first: the number, the mean, and the level of the mean. Means
/// that differ by rounding alone have the same level. Of the same level, the cheapest comes first.
fn ranking(tune: &TuneConfig, conventions: &Conventions, found: &Found) -> Vec<(usize, f64, f64)> {
    let value = |folds: &Vec<Vec<f64>>| {
        let folds: Vec<&[f64]> = folds.iter().map(Vec::as_slice).collect();
        // With a single fold, both rules for folds give the mean over its queries.
        mean_over_folds(&folds, conventions.fold_mean, conventions.undefined).value
    };
    let values = found.iter().filter_map(|(number, folds)| Some((*number, value(folds.as_ref()?))));
    best_first(values.collect(), |number| tune.settings[number].cost())
}

/// Numbered values, best first: the number, the value, and the level of the value. Undefined values
/// are left out. Values that differ by rounding alone have the same level. Of the same level, the
/// cheapest comes first, and of these the lowest number.
pub(crate) fn best_first(values: Vec<(usize, f64)>, cost: impl Fn(usize) -> f64) -> Vec<(usize, f64, f64)> {
    let values: Vec<(usize, f64)> = values.into_iter().filter(|(_, value)| !value.is_nan()).collect();
    let levels = levels(&values.iter().map(|(_, value)| *value).collect::<Vec<_>>());
    let ranked = values.into_iter().zip(levels).map(|((number, value), level)| (number, value, level));
    let mut ranked: Vec<(usize, f64, f64)> = ranked.collect();
    ranked.sort_by(|one, other| {
        other.2.total_cmp(&one.2).then(cost(one.0).total_cmp(&cost(other.0))).then(one.0.cmp(&other.0))
    });
    ranked
}

/// The setting with the highest mean. `None` if no setting has a value.
fn choice(tune: &TuneConfig, conventions: &Conventions, found: &Found) -> Option<Chosen> {
    let ranking = ranking(tune, conventions, found);
    let &(number, value, level) = ranking.first()?;
    Some(Chosen {
        number,
        setting: tune.settings[number].values.clone(),
        value,
        settings: ranking.len(),
        without_value: found.len() - ranking.len(),
        equal: ranking.iter().filter(|(_, _, other)| *other == level).count() - 1,
        steps: Vec::new(),
    })
}

/// What a candidate that has ended came to, and its values. No values if the candidate failed.
pub(crate) fn stored_values(candidate: &Job, store: &Store) -> Result<(Option<Tried>, Option<Vec<f64>>), ChoiceError> {
    let (reuse, record) = Reuse::with_record(candidate, store, &[])?;
    let tried = record.and_then(|record| record.tried);
    match reuse {
        Reuse::Reused | Reuse::Unconfined { .. } => {}
        Reuse::Failed { .. } => return Ok((tried, None)),
        _ => {
            let reason = "which it chooses from, has no result yet; run that job first";
            return Err(ChoiceError::NoSetting(format!("{}, {reason}", candidate.id)));
        }
    }
    Ok((tried, Some(read_values(candidate, store)?)))
}

/// Checks that a job has ended whose ranking another job combines.
pub(crate) fn is_done(member: &Job, store: &Store) -> Result<(), ChoiceError> {
    let reason = match Reuse::with_record(member, store, &[])?.0 {
        Reuse::Reused | Reuse::Unconfined { .. } => return Ok(()),
        Reuse::Failed { .. } => "failed",
        _ => "has no result yet; run that job first",
    };
    Err(ChoiceError::NoSetting(format!("{}, which it combines, {reason}", member.id)))
}

/// The values in a candidate's file, whose hash was checked.
fn read_values(candidate: &Job, store: &Store) -> Result<Vec<f64>, StoreError> {
    let content = store.read(&candidate.values_file())?.unwrap_or_default();
    Ok(String::from_utf8_lossy(&content).lines().filter_map(|line| line.parse().ok()).collect())
}

/// The settings that had no value, for a reader of the results.
pub(crate) fn without_value(chosen: &Chosen) -> Option<String> {
    let count = chosen.without_value;
    (count > 0).then(|| {
        format!(
            "{} of {} of its search {} no value; the choice is among the others",
            count,
            counted(count + chosen.settings, "setting"),
            which(count, "has", "have")
        )
    })
}

#[cfg(test)]
mod tests {
    use fivefold_core::{FitContext, FitError, Model, QueryView, Ranker, Registry};
    use fivefold_results::Experiment;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    #[derive(Default, Serialize, Deserialize)]
    #[serde(default)]
    struct Toy {
        trees: usize,
        leaves: usize,
        rate: f64,
    }

    #[derive(Serialize, Deserialize)]
    struct ToyModel {}

    impl Model for ToyModel {
        fn score(&self, _: QueryView<'_>, out: &mut [f64]) {
            out.fill(0.0);
        }
    }

    impl Ranker for Toy {
        const NAME: &'static str = "toy";
        type Model = ToyModel;
        fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<ToyModel, FitError> {
            Ok(ToyModel {})
        }
    }

    fn experiment(params: &str) -> Experiment {
        let text = format!(
            "name = \"x\"\n[[dataset]]\nlabel = \"D\"\nsynthetic = {{ shape = \"mq2007\", queries = 20 }}\n[[ranker]]\n\
             kind = \"toy\"\n[ranker.tune]\nmethod = \"grid\"\nmeasure = \"ap\"\n[ranker.tune.params]\n{params}"
        );
        Experiment::parse("x.toml", &text, Vec::new(), &Registry::new(&[]).with::<Toy>()).unwrap()
    }

    /// Chooses among settings whose values on a single fold are given.
    fn chosen(params: &str, values: &[Option<&[f64]>]) -> Option<Chosen> {
        let experiment = experiment(params);
        let tune = experiment.rankers[0].tune.as_deref().unwrap();
        let found = values.iter().map(|values| values.map(|values| vec![values.to_vec()])).enumerate().collect();
        choice(tune, &experiment.evaluation.conventions, &found)
    }

    #[test]
    fn of_equal_settings_the_cheapest_is_chosen_and_of_these_the_first() {
        let place = |params: &str, values: &[Option<&[f64]>]| chosen(params, values).map(|chosen| chosen.number);
        let (low, high): (Option<&[f64]>, Option<&[f64]>) = (Some(&[0.25, 0.5]), Some(&[0.5, 0.5]));
        assert_eq!(place("trees = [30, 20, 10]", &[high, high, high]), Some(2));
        assert_eq!(place("trees = [30, 20, 10]", &[high, high, low]), Some(1));
        assert_eq!(place("rate = [0.3, 0.1]", &[high, high]), Some(0));
        // 100 x 5 costs more than 20 x 10.
        assert_eq!(place("trees = [100, 20]\nleaves = [5, 10]", &[high, low, low, high]), Some(3));
        // Values that differ by rounding alone are equal.
        let (sum, other): (Option<&[f64]>, Option<&[f64]>) = (Some(&[0.1 + 0.2]), Some(&[0.3]));
        assert_eq!(place("trees = [30, 20]", &[sum, other]), Some(1));
        assert_eq!(place("trees = [20, 30]", &[other, sum]), Some(0));
        let equal = chosen("trees = [30, 20, 10]", &[high, high, low]).unwrap();
        assert_eq!((equal.equal, equal.settings, &equal.setting["trees"]), (1, 3, &json!(20)));
    }

    #[test]
    fn settings_without_a_value_are_left_out_and_counted() {
        let (nan, low): (Option<&[f64]>, Option<&[f64]>) = (Some(&[]), Some(&[0.25, f64::NAN]));
        let found = chosen("trees = [1, 2, 3]", &[None, nan, low]).unwrap();
        // The paper's dialect counts an undefined value as 0.
        assert_eq!((found.number, found.value, found.settings, found.without_value), (2, 0.125, 1, 2));
        assert_eq!(chosen("trees = [1, 2]", &[None, nan]), None);
    }
}

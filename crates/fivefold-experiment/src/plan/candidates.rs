//! The jobs of a search: candidates of a grid, rungs of successive halving and steps of forward
//! selection.

use std::collections::BTreeMap;
use std::sync::Arc;

use fivefold_data::FeatureChoice;
use fivefold_data::features::Pick;
use fivefold_results::config::{Forward, Per, Setting, StopOn, TuneConfig};
use serde_json::{Value, json};

use super::{CandidateName, Job, Place, Plan, ids, key};
use crate::error::RunError;

/// The version of the rule by which a setting is chosen. Raise it if the same values may give
/// another choice.
const CHOICE: u32 = 1;

impl Plan<'_> {
    /// The job of a tuned ranker. It depends on its candidates: those of its fold, or those of all
    /// folds if the folds share a choice.
    pub(super) fn tuned(&self, place: &Place<'_>, tune: &TuneConfig) -> Result<Job, RunError> {
        let folds = match tune.per {
            Per::Fold => place.fold..place.fold + 1,
            Per::DataSet => 0..place.collection.folds.len(),
        };
        let mut needs: Arc<[Job]> = Arc::new([]);
        let rungs = match &tune.forward {
            Some(forward) => forward.steps(forward.units(place.collection).len()),
            None => tune.settings.len() / tune.width(),
        };
        for rung in 0..rungs {
            let mut jobs = Vec::new();
            for fold in folds.clone() {
                jobs.extend(self.rung(&Place { fold, ..*place }, tune, rung, &needs)?);
            }
            needs = jobs.into();
        }
        let keys: Vec<&str> = needs.iter().map(|need| need.key.as_str()).collect();
        let hashes = &place.collection.folds[place.fold].hashes;
        let mut inputs = BTreeMap::from([
            ("kind", json!(self.experiment.rankers[place.ranker].kind)),
            ("tune", json!({ "per": tune.per, "settings": tune.width(), "rule": CHOICE })),
            ("candidates", json!(key(&json!(keys)))),
            ("missing", json!(place.collection.missing)),
            ("train", json!(hashes.train)),
            ("validation", json!(hashes.validation)),
            ("test", json!(hashes.test)),
        ]);
        // A command checks its files by these hashes.
        if let Some(files) = needs.first().and_then(|need| need.inputs.get("files")) {
            inputs.insert("files", files.clone());
        }
        Ok(self.made(place, None, inputs, needs))
    }

    /// The candidates of a rung on a fold. Without halving, there is one rung. Each candidate of the
    /// first rung has a setting of its own. A candidate of a later rung takes the setting that has
    /// its place in the order of the rung before.
    fn rung(
        &self,
        place: &Place<'_>,
        tune: &TuneConfig,
        rung: usize,
        before: &Arc<[Job]>,
    ) -> Result<Vec<Job>, RunError> {
        if let Some(forward) = &tune.forward {
            return self.step(place, tune, forward, rung, before);
        }
        let width = tune.width();
        if rung == 0 {
            let settings = tune.settings[..width].iter().enumerate();
            return settings.map(|candidate| self.candidate(place, tune, candidate)).collect();
        }
        let Some(halving) = &tune.halving else { return Ok(Vec::new()) };
        let keys: Vec<&str> = before.iter().map(|need| need.key.as_str()).collect();
        let before_it = key(&json!(keys));
        let job = |own: usize| {
            let budget = halving.budgets[rung];
            let mut inputs = self.inputs_of_search(place, tune);
            inputs.insert("candidates", json!(before_it));
            inputs.insert(
                "rung",
                json!({ "number": rung, "place": own, "over": halving.over, "budget": budget, "rule": CHOICE }),
            );
            let name = format!("rung{}-{:0digits$}", rung + 1, own + 1, digits = width.to_string().len());
            let candidate = CandidateName { number: rung * width + own, place: Some(own), name };
            self.made(place, Some(candidate), inputs, Arc::clone(before))
        };
        Ok((0..halving.places[rung]).map(job).collect())
    }

    /// The candidates of a step of forward selection on a fold. Each adds one unit to the set that the
    /// step before chose. In the first step, the key holds that unit alone, so it is the same beside
    /// other units. In a later step, the keys of the step before tell all units in their order.
    fn step(
        &self,
        place: &Place<'_>,
        tune: &TuneConfig,
        forward: &Forward,
        step: usize,
        before: &Arc<[Job]>,
    ) -> Result<Vec<Job>, RunError> {
        self.check_search(place, tune)?;
        let units = forward.units(place.collection);
        let keys: Vec<&str> = before.iter().map(|need| need.key.as_str()).collect();
        let before_it = key(&json!(keys));
        let mut shared = self.fit_inputs(place, &self.experiment.rankers[place.ranker])?;
        shared.remove("test");
        shared.extend(self.inputs_of_search(place, tune));
        let digits = units.len().to_string().len();
        let job = |own: usize| {
            let mut inputs = shared.clone();
            match step {
                0 => {
                    inputs.insert("features", json!(self.ids_of(place, &units[own])?));
                    inputs.insert("unit", json!(units[own]));
                }
                _ => {
                    inputs.insert("candidates", json!(before_it));
                    inputs.insert("step", json!({ "number": step, "place": own, "rule": CHOICE }));
                }
            }
            let name = format!("step{}-{:0digits$}", step + 1, own + 1);
            let candidate = CandidateName { number: 0, place: Some(own), name };
            Ok(self.made(place, Some(candidate), inputs, Arc::clone(before)))
        };
        (0..units.len() - step).map(job).collect()
    }

    /// The numbers of the features of a unit.
    fn ids_of(&self, place: &Place<'_>, unit: &Pick) -> Result<Vec<u64>, RunError> {
        let choice = FeatureChoice::Only(vec![unit.clone()]);
        let columns = self.columns_of(place.dataset, place.ranker, Some(&choice))?.unwrap_or_default();
        Ok(ids(&columns, place.collection))
    }

    /// The job of a candidate. Its inputs hold nothing of the test part, and nothing of the other
    /// candidates. So another grid with the same setting has the same job.
    fn candidate(
        &self,
        place: &Place<'_>,
        tune: &TuneConfig,
        (number, setting): (usize, &Setting),
    ) -> Result<Job, RunError> {
        self.check_search(place, tune)?;
        let mut inputs = self.fit_inputs(place, &setting.ranker)?;
        inputs.remove("test");
        inputs.extend(self.inputs_of_search(place, tune));
        let candidate = CandidateName { number, place: None, name: setting_hash(setting) };
        Ok(self.made(place, Some(candidate), inputs, Vec::new()))
    }

    /// Refuses a search on a fold with too few queries of validation.
    fn check_search(&self, place: &Place<'_>, tune: &TuneConfig) -> Result<(), RunError> {
        let key = if tune.forward.is_some() { "`selection`" } else { "`tune`" };
        self.check_validation(place, key, if tune.stop_on == StopOn::Split { 2 } else { 1 })
    }

    /// The inputs that every candidate of a search has on a fold.
    fn inputs_of_search(&self, place: &Place<'_>, tune: &TuneConfig) -> BTreeMap<&'static str, Value> {
        let experiment = self.experiment;
        let hashes = &place.collection.folds[place.fold].hashes;
        let mut inputs = BTreeMap::from([
            ("kind", json!(experiment.rankers[place.ranker].kind)),
            ("train", json!(hashes.train)),
            ("validation", json!(hashes.validation)),
            ("measure", self.measure_input(place, &tune.measure)),
        ]);
        if tune.stop_on != StopOn::default() {
            inputs.insert("stop_on", json!(tune.stop_on));
        }
        inputs
    }
}

/// All candidates on which the job of a tuned ranker depends, those of the first rung first. Empty
/// for any other job.
pub(crate) fn candidates_of(job: &Job) -> Vec<Job> {
    rungs_of(job).iter().flat_map(|rung| rung.iter()).cloned().collect()
}

/// The rungs or steps of a search on which the job of a tuned ranker depends, the first one first.
/// Empty for any other job.
pub(crate) fn rungs_of(job: &Job) -> Vec<Vec<Job>> {
    let mut rungs = vec![Arc::clone(&job.needs)];
    while let Some(before) = rungs.last().and_then(|rung| rung.first()).map(|first| Arc::clone(&first.needs)) {
        rungs.push(before);
    }
    let is_own = |need: &&Job| need.candidate.is_some() && need.ranker == job.ranker;
    let own = rungs.iter().rev().map(|rung| rung.iter().filter(is_own).cloned().collect::<Vec<Job>>());
    own.filter(|rung| !rung.is_empty()).collect()
}

/// Digits of a setting's hash in the id of its jobs: 48 bits.
const SETTING_DIGITS: usize = 12;

/// A part of the hash of a setting. Two grids with the same setting give it the same hash.
fn setting_hash(setting: &Setting) -> String {
    key(&setting.identity())[..SETTING_DIGITS].to_owned()
}

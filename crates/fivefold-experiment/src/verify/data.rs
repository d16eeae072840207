//! The checks that need the data: the inputs of jobs, scores from models, and values from scores.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fivefold_analysis::design::SeedValues;
use fivefold_analysis::evaluation::{DatasetValues, DocumentSet, Evaluation};
use fivefold_core::{Dataset, ModelFile, Registry};
use fivefold_data::scores::read_own_scores;
use fivefold_data::{Collection, FeatureChoice, Fitted, read_scores};
use fivefold_metrics::MeasureSpec;
use fivefold_results::code::KnownBy;
use fivefold_results::config::{
    Experiment, FEATURES, FusionConfig, RankerConfig, ScoreSource, key_params, learnt_weights,
};
use fivefold_results::manifest::{DatasetFacts, JobFacts, MANIFEST, Manifest, result_hash};
use fivefold_results::paths::{model_file, record_file, scores_file};
use fivefold_results::store::{Record, Status, Store, hash};
use fivefold_results::values::{self, PER_QUERY, QUERIES};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{Check, content};
use crate::evaluate::{OfDataset, RepeatScores, evaluate_repeats};
use crate::fused::fused_scores;
use crate::plan::{Job, Plan, Settled, candidates_of};
use crate::reuse::{Change, changes};
use crate::run::conventions;
use crate::scoring::{score, scores_text};
use crate::tuned::choose;
use crate::weights::learn;

/// The folder to check, with its data.
pub(super) struct Case<'a> {
    pub manifest: &'a Manifest,
    /// The experiment of the manifest, with the folders in which its data are looked for.
    pub experiment: &'a Experiment,
    pub store: &'a Store,
    pub registry: &'a Registry,
    /// The record of each job of the manifest, candidates last. `None` if the record cannot be read.
    pub records: &'a [Option<Record>],
    /// The values of the folder. `None` if they cannot be read.
    pub evaluation: Option<&'a Evaluation>,
}

/// A job with its record and the index of its fold in the collection.
struct Place<'a> {
    facts: &'a JobFacts,
    record: &'a Record,
    fold: usize,
    /// Whether the job is a candidate of a search.
    candidate: bool,
}

/// How the stored scores of a job compare with the scores derived again.
enum Scores {
    Same,
    Differ(String),
    /// The model is wrong, not the scores.
    Model(String),
    Lacking(String),
    Program,
}

pub(super) fn checks(case: &Case<'_>) -> Vec<Check> {
    let mut checks = DataChecks {
        data: Check::new("data"),
        inputs: Check::new("inputs of jobs"),
        scores: Check::new("scores from models"),
        values: Check::new("values from scores"),
    };
    let mut derived = Vec::new();
    let mut plan = Plan::empty(case.experiment);
    for index in 0..case.manifest.datasets.len() {
        let opened = plan.open(index);
        match (opened, plan.collection_of(index)) {
            (Err(error), _) => checks.without_data(case, index, &error.to_string()),
            (Ok(()), Some(collection)) => match collection.check(&[&collection.all]) {
                Ok(()) => derived.extend(checks.dataset(case, &plan, index, collection)),
                Err(bad) => checks.without_data(case, index, &bad.to_string()),
            },
            (Ok(()), None) => {}
        }
    }
    let result = result(case, &plan, derived);
    vec![checks.data, checks.inputs, checks.scores, checks.values, result]
}

/// The values of a data set, derived again, and those of its repeats.
type Again = (DatasetValues, Option<SeedValues>);

/// The checks of every data set.
struct DataChecks {
    data: Check,
    inputs: Check,
    scores: Check,
    values: Check,
}

impl DataChecks {
    fn without_data(&mut self, case: &Case<'_>, index: usize, reason: &str) {
        let jobs = case.manifest.jobs.iter().filter(|job| job.dataset == index).count();
        self.data.lacking(1, reason);
        self.inputs.lacking(case.manifest.all_jobs().filter(|job| job.dataset == index).count(), reason);
        self.scores.lacking(jobs, reason);
        self.values.lacking(case.values_of(index), reason);
    }

    /// Checks a data set. Returns its values, derived again from the scores.
    fn dataset(&mut self, case: &Case<'_>, plan: &Plan<'_>, index: usize, collection: &Collection) -> Option<Again> {
        let facts = &case.manifest.datasets[index];
        let mut found = DatasetFacts::new(&facts.label, collection, facts.evaluated_queries);
        // Names alter no result, and a folder of an earlier version has none.
        found.names.clone_from(&facts.names);
        found.first_feature_id = facts.first_feature_id;
        // They are checked with the values.
        found.standard_errors.clone_from(&facts.standard_errors);
        match changes(&json!(facts), &json!(found)).first() {
            None => self.data.passed(),
            Some(change) => self.data.failed(MANIFEST, format!("data set {}: {}", facts.label, moved(change))),
        }
        let (candidates, places): (Vec<Place<'_>>, Vec<Place<'_>>) =
            case.places(index, collection).into_iter().partition(|place| place.candidate);
        let again = candidates_again(plan, index, collection);
        for place in candidates.iter().chain(&places) {
            let again = match place.candidate {
                true => again.get(&place.facts.id).cloned().ok_or_else(|| "the experiment has no such job".to_owned()),
                false => plan
                    .job(index, collection, place.fold, place.facts.ranker, place.facts.repeat)
                    .map_err(|error| error.to_string()),
            };
            let job = match again {
                Ok(job) => job,
                Err(reason) => {
                    self.inputs.lacking(1, reason);
                    continue;
                }
            };
            let changed = changes(&json!(place.record.inputs), &json!(job.inputs)).first().map(moved);
            match changed.or_else(|| other_choice(plan, &job, place, case)) {
                Some(what) => self.inputs.failed(record_file(&place.facts.id), what),
                None => match other_code(case, place.facts.ranker) {
                    None => self.inputs.passed(),
                    Some(reason) => self.inputs.lacking(1, reason),
                },
            }
        }
        if found.hash != facts.hash {
            let reason = format!("the data of {} differ from the data of the run", facts.label);
            self.scores.lacking(places.len(), &reason);
            self.values.lacking(case.values_of(index), &reason);
            return None;
        }
        check_scores(case, plan, collection, &places, &mut self.scores);
        let evaluation = case.evaluation?;
        match evaluate_again(case, index, collection, &places) {
            Err(reason) => {
                self.values.lacking(case.values_of(index), reason);
                None
            }
            Ok(again) => {
                compare(&evaluation.datasets[index], &again.values, &evaluation.measures, &mut self.values);
                if again.errors != facts.standard_errors {
                    let what = format!("the standard errors of {} differ from those of the values", facts.label);
                    self.values.failed(MANIFEST, what);
                }
                Some((again.values, again.seeds))
            }
        }
    }
}

impl Case<'_> {
    /// The jobs of a data set with a readable record.
    fn places(&self, index: usize, collection: &Collection) -> Vec<Place<'_>> {
        let jobs = self.manifest.all_jobs().enumerate().zip(self.records);
        jobs.filter(|((_, facts), _)| facts.dataset == index)
            .filter_map(|((place, facts), record)| {
                let candidate = place >= self.manifest.jobs.len();
                let fold = collection.folds.iter().position(|fold| is_of_fold(&facts.id, fold.number))?;
                Some(Place { facts, record: record.as_ref()?, fold, candidate })
            })
            .collect()
    }

    /// The ranker of a job. That of a tuned ranker has the chosen parameters, or the chosen features.
    fn ranker(&self, place: &Place<'_>) -> Cow<'_, RankerConfig> {
        let config = &self.experiment.rankers[place.facts.ranker];
        let chosen = place.record.chosen.as_ref().zip(config.tune.as_deref());
        let Some((chosen, tune)) = chosen else { return Cow::Borrowed(config) };
        let setting = tune.settings.get(chosen.number).map_or(config, |setting| &setting.ranker);
        match Settled::of(Some(tune), chosen).features {
            Some(set) => {
                let features = Some(FeatureChoice::Only(set));
                Cow::Owned(RankerConfig { features, ..setting.clone() })
            }
            None => Cow::Borrowed(setting),
        }
    }

    /// The number of values that the folder holds for a data set.
    fn values_of(&self, index: usize) -> usize {
        let stored = self.evaluation.map(|evaluation| &evaluation.datasets[index]);
        stored.map_or(0, |stored| stored.all.len() + stored.left.len() + stored.right.len())
    }
}

/// The candidates of the experiment on a data set, by id.
fn candidates_again(plan: &Plan<'_>, dataset: usize, collection: &Collection) -> BTreeMap<String, Job> {
    let tuned = plan.experiment.rankers.iter().enumerate().filter(|(_, ranker)| ranker.tune.is_some());
    let jobs = tuned.flat_map(|(ranker, _)| {
        let repeats = 0..plan.experiment.repeats_of(ranker);
        let places = repeats.flat_map(|repeat| (0..collection.folds.len()).map(move |fold| (fold, repeat)));
        places.filter_map(move |(fold, repeat)| plan.job(dataset, collection, fold, ranker, repeat).ok())
    });
    jobs.flat_map(|job| candidates_of(&job)).map(|job| (job.id.clone(), job)).collect()
}

/// The setting that the stored values of the candidates choose, if it is another one than the
/// record says.
fn other_choice(plan: &Plan<'_>, job: &Job, place: &Place<'_>, case: &Case<'_>) -> Option<String> {
    if place.candidate || place.facts.status != Status::Done {
        return None;
    }
    let Some(tune) = plan.search(job) else {
        return match learn(plan, job, case.store, case.registry) {
            Ok(learnt) if learnt == place.record.chosen => None,
            Ok(_) => Some("the models of its rankers give other weights".to_owned()),
            Err(_) => Some("the models of its rankers give no weights".to_owned()),
        };
    };
    match choose(plan, job, tune, case.store) {
        Ok(chosen) if Some(&chosen) == place.record.chosen.as_ref() => None,
        Ok(chosen) => {
            let words = match chosen.setting.get(FEATURES).filter(|_| tune.forward.is_some()) {
                Some(set) => format!("the features {set}"),
                None => tune.settings[chosen.number].words(&tune.names),
            };
            Some(format!("the values of the candidates choose {words}"))
        }
        Err(_) => Some("the values of the candidates choose no setting".to_owned()),
    }
}

/// Why this program's ranker may differ from the run's ranker. `None` if they are known to be the
/// same, or if the version stands for the code.
fn other_code(case: &Case<'_>, ranker: usize) -> Option<String> {
    let config = &case.experiment.rankers[ranker];
    let ScoreSource::Train { code: Some(code), .. } = &config.source else { return None };
    let here = case.registry.find(&config.kind).map(KnownBy::of);
    match here {
        Some(Ok(Some(here))) if here == *code => None,
        Some(Err(error)) => Some(error),
        None => Some(format!("this program has no ranker `{}`", config.kind)),
        Some(Ok(_)) => Some(format!(
            "the code of `{}` (its sources, or the executable) changed since the run; run the experiment again",
            config.kind
        )),
    }
}

/// Whether a job's id belongs to this fold. The fold is the second part of `DATASET/foldK/RANKER`.
fn is_of_fold(id: &str, number: usize) -> bool {
    id.split('/').nth(1) == Some(&format!("fold{number}"))
}

fn check_scores(case: &Case<'_>, plan: &Plan<'_>, collection: &Collection, places: &[Place<'_>], check: &mut Check) {
    let done: Vec<&Place<'_>> = places.iter().filter(|place| place.facts.status == Status::Done).collect();
    let found: Vec<Scores> = done.par_iter().map(|place| scores_again(case, plan, collection, place)).collect();
    for (place, found) in done.into_iter().zip(found) {
        match found {
            Scores::Same => check.passed(),
            Scores::Differ(what) => check.failed(scores_file(&place.facts.id), what),
            Scores::Model(what) => check.failed(model_file(&place.facts.id), what),
            Scores::Lacking(reason) => check.lacking(1, reason),
            Scores::Program => {
                check.beyond(1, "a program made the scores (`kind = \"command\"`), and `verify` does not run programs")
            }
        }
    }
}

fn scores_again(case: &Case<'_>, plan: &Plan<'_>, collection: &Collection, place: &Place<'_>) -> Scores {
    let fold = &collection.folds[place.fold];
    let config = case.ranker(place);
    let stored = match content(case.store, &scores_file(&place.facts.id)) {
        Ok(stored) => String::from_utf8_lossy(&stored).into_owned(),
        Err(reason) => return Scores::Differ(reason),
    };
    let (again, from) = match &config.source {
        ScoreSource::Command(_) => return Scores::Program,
        ScoreSource::Scores(files) => {
            let path = plan.score_path(files, place.facts.dataset, fold.number);
            match read_scores(&path, fold.test.documents()) {
                Ok(scores) => (scores, "the file that they were read from"),
                Err(error) => return Scores::Lacking(error.to_string()),
            }
        }
        ScoreSource::Fusion(fusion) => match fused_again(case, fusion, place, &fold.test) {
            Ok(scores) => (scores, "the fusion of its rankers' scores"),
            Err(reason) => return Scores::Lacking(reason),
        },
        ScoreSource::Train { .. } => {
            let model = match model(case, place) {
                Ok(model) => model,
                Err(what) => return Scores::Model(what),
            };
            let ranker = &model.header.ranker;
            if let Some(absent) = case.registry.find_absent(ranker) {
                return Scores::Lacking(absent.to_string());
            }
            if case.registry.find(ranker).is_none() {
                return Scores::Lacking(format!("this program has no ranker `{ranker}`"));
            }
            let JobFacts { dataset, ranker: number, repeat, .. } = *place.facts;
            let train = plan.train_of(dataset, place.fold, number, repeat).unwrap_or_else(|| fold.train.clone());
            let fitted = config.normalise.fit(&train).map_err(|error| error.to_string());
            let fitted: Fitted = match fitted {
                Ok(fitted) if json!(fitted) == model.header.normaliser => fitted,
                Ok(_) => return Scores::Model("the normaliser is not that of the training part".to_owned()),
                Err(error) => return Scores::Model(error),
            };
            let chosen = config.features.as_ref().map(|choice| collection.columns(choice)).transpose();
            if chosen.ok().flatten() != model.header.columns {
                return Scores::Model("it sees other features than its ranker chooses".to_owned());
            }
            let scored = fitted.apply(&fold.test).map_err(|error| error.to_string()).and_then(|test| {
                let model = model.load(case.registry, test.width()).map_err(|error| error.to_string())?;
                score(&*model, &test).map_err(|error| error.to_string())
            });
            match scored {
                Ok(scores) => (scores, "the model"),
                Err(error) => return Scores::Model(error),
            }
        }
    };
    match differing_line(&stored, &scores_text(&again), from) {
        None => Scores::Same,
        Some(what) => Scores::Differ(what),
    }
}

/// The scores of a fusion, computed again from the scores of the rankers that it combines.
fn fused_again(case: &Case<'_>, config: &FusionConfig, place: &Place<'_>, test: &Dataset) -> Result<Vec<f64>, String> {
    let fusion = config.fusion().map_err(|error| error.to_string())?;
    let fold = place.facts.id.rsplit_once('/').map_or("", |(fold, _)| fold);
    let scores = |label: &String| {
        let ranker = case.experiment.rankers.iter().position(|ranker| ranker.label == *label);
        let is_member = |facts: &&JobFacts| {
            Some(facts.ranker) == ranker
                && facts.repeat == place.facts.repeat.min(case.experiment.repeats_of(facts.ranker) - 1)
                && facts.id.rsplit_once('/').is_some_and(|(own, _)| own == fold)
        };
        let member = case
            .manifest
            .jobs
            .iter()
            .find(is_member)
            .ok_or_else(|| format!("the manifest has no job of {label} there"))?;
        let path = case.store.own_path(&scores_file(&member.id)).map_err(|error| error.to_string())?;
        read_own_scores(&path, test.documents()).map_err(|error| error.to_string())
    };
    let members = config.of.iter().map(scores).collect::<Result<Vec<_>, String>>()?;
    match place.record.chosen.as_ref().and_then(|chosen| learnt_weights(&chosen.setting)) {
        Some(weights) => {
            let fusion = fusion.with_weights(weights).map_err(|error| error.to_string())?;
            fused_scores(&fusion, test, &members)
        }
        None => fused_scores(&fusion, test, &members),
    }
}

/// The model of a job. Its header must agree with the job's record.
fn model(case: &Case<'_>, place: &Place<'_>) -> Result<ModelFile, String> {
    let text = content(case.store, &model_file(&place.facts.id))?;
    let model = ModelFile::parse(&String::from_utf8_lossy(&text)).map_err(|error| error.to_string())?;
    let header = &model.header;
    let mut inputs = place.record.inputs.clone();
    // The key of a tuned ranker names its candidates, and its record the chosen one.
    let config = case.ranker(place);
    if let ScoreSource::Train { version, params, renamed, .. } = &config.source
        && place.record.chosen.is_some()
    {
        inputs.insert("version".to_owned(), json!(version));
        inputs.insert("params".to_owned(), key_params(params, renamed));
    }
    let said = [
        ("kind", json!(header.ranker)),
        ("version", json!(header.version)),
        ("params", header.params.clone()),
        ("missing", json!(header.missing)),
        ("train", json!(header.data)),
    ];
    match said.iter().find(|(input, said)| inputs.get(*input) != Some(said)) {
        Some((input, _)) => Err(format!("its header and {} do not agree on {input}", record_file(&place.facts.id))),
        None => Ok(model),
    }
}

/// The first line in which two texts differ, in words.
fn differing_line(stored: &str, again: &str, from: &str) -> Option<String> {
    if stored == again {
        return None;
    }
    let (stored, again): (Vec<&str>, Vec<&str>) = (stored.lines().collect(), again.lines().collect());
    let line = |lines: &[&str], number: usize| lines.get(number).copied().unwrap_or("nothing").to_owned();
    let longest = stored.len().max(again.len());
    let differing: Vec<usize> = (0..longest).filter(|&number| stored.get(number) != again.get(number)).collect();
    let Some(&first) = differing.first() else { return Some("the line ends differ".to_owned()) };
    let more = match differing.len() {
        1 => String::new(),
        count => format!("; {count} of {longest} lines differ"),
    };
    Some(format!("line {}: {}, but {from} gives {}{more}", first + 1, line(&stored, first), line(&again, first)))
}

/// Evaluates a data set again from the scores of the folder.
fn evaluate_again(
    case: &Case<'_>,
    index: usize,
    collection: &Collection,
    places: &[Place<'_>],
) -> Result<OfDataset, String> {
    let rankers = case.experiment.rankers.len();
    let failed: Vec<bool> = (0..rankers).map(|ranker| case.manifest.failed(index, ranker)).collect();
    let mut scores = RepeatScores::new(case.experiment);
    for place in places.iter().filter(|place| !failed[place.facts.ranker]) {
        let path = case.store.own_path(&scores_file(&place.facts.id)).map_err(|error| error.to_string())?;
        let documents = collection.folds[place.fold].test.documents();
        let own = read_own_scores(&path, documents).map_err(|error| error.to_string())?;
        scores.add(place.facts.ranker, place.facts.repeat, own);
    }
    let complete = |ranker: usize| {
        failed[ranker] || scores.is_complete(ranker, case.experiment.repeats_of(ranker), collection.folds.len())
    };
    if let Some(ranker) = (0..rankers).find(|ranker| !complete(*ranker)) {
        let label = &case.experiment.rankers[ranker].label;
        return Err(format!("not every fold has scores of {label}"));
    }
    evaluate_repeats(case.experiment, index, collection, &scores, &failed, None).map_err(|error| error.to_string())
}

/// Compares each value, and names the values that differ.
fn compare(stored: &DatasetValues, again: &DatasetValues, measures: &[MeasureSpec], check: &mut Check) {
    if stored.queries != again.queries {
        let other = stored.queries.iter().zip(&again.queries).position(|(stored, again)| stored != again);
        let which = other.map_or("their number".to_owned(), |place| format!("query {}", stored.queries[place].id));
        return check.failed(QUERIES, format!("{}: {which} differs from the data", stored.name));
    }
    let same = |stored: f64, again: f64| stored.to_bits() == again.to_bits() || (stored.is_nan() && again.is_nan());
    let shown = |value: f64| if value.is_nan() { "undefined".to_owned() } else { value.to_string() };
    let queries = stored.queries.len();
    for set in [DocumentSet::All, DocumentSet::Left, DocumentSet::Right] {
        let (of_folder, of_scores) = (stored.values(set), again.values(set));
        if of_folder.len() != of_scores.len() {
            check.failed(
                PER_QUERY,
                format!("{}: {} values, but the scores give {}", stored.name, of_folder.len(), of_scores.len()),
            );
            continue;
        }
        for (place, (&old, &new)) in of_folder.iter().zip(of_scores).enumerate() {
            if same(old, new) {
                check.passed();
                continue;
            }
            let (row, measure) = (place / measures.len(), &measures[place % measures.len()]);
            let (ranker, query) = (&stored.rankers[row / queries], &stored.queries[row % queries].id);
            let what = format!(
                "{}, query {query}, {set} documents, {ranker}, {measure}",
                stored.name,
                set = values::set_name(set)
            );
            check.failed(PER_QUERY, format!("{what}: {}, but the scores give {}", shown(old), shown(new)));
        }
    }
    for (place, (&old, &new)) in stored.expected.iter().zip(&again.expected).enumerate() {
        let (query, measure) = (&stored.queries[place / measures.len()].id, &measures[place % measures.len()]);
        if !same(old, new) {
            let what = format!("{}, query {query}, expected share of {measure}", stored.name);
            check.failed(QUERIES, format!("{what}: {}, but the grades give {}", shown(old), shown(new)));
        }
    }
}

/// The check of the result hash, from the values that were derived again, and of the conventions.
fn result(case: &Case<'_>, plan: &Plan<'_>, derived: Vec<Again>) -> Check {
    let mut check = Check::new("result hash");
    if derived.len() < case.manifest.datasets.len() {
        check.lacking(1, "not every data set could be evaluated again");
        return check;
    }
    let measures = case.experiment.evaluation.measures.clone();
    let (datasets, seeds): (Vec<DatasetValues>, Vec<Option<SeedValues>>) = derived.into_iter().unzip();
    let evaluation = Evaluation { measures, datasets };
    let seeds: Vec<SeedValues> = seeds.into_iter().flatten().collect();
    let of_seeds = values::seeds_csv(&evaluation, &seeds);
    let hashes = values::contents(&evaluation).and_then(|files| {
        let hashes: Vec<String> = files.iter().chain(&of_seeds?).map(|content| hash(content)).collect();
        Ok(hashes)
    });
    let result = match hashes {
        Ok(hashes) => result_hash(&hashes),
        Err(error) => {
            check.failed(MANIFEST, error.to_string());
            return check;
        }
    };
    let stored = &case.manifest.result;
    check.add(
        MANIFEST,
        if result == *stored { Ok(()) } else { Err(format!("result is {stored}, but the scores give {result}")) },
    );
    match conventions(plan) {
        Ok(lines) if lines == case.manifest.conventions => {}
        Ok(_) => check.failed(MANIFEST, "the conventions differ from the conventions of the experiment"),
        Err(error) => check.failed(MANIFEST, error.to_string()),
    }
    check
}

/// A change in words.
fn moved(change: &Change) -> String {
    let words = |value: &Option<Value>| value.as_ref().map_or("nothing".to_owned(), Value::to_string);
    format!("{} was {}, but is {}", change.input, words(&change.old), words(&change.new))
}

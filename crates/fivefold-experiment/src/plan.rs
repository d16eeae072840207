//! The jobs of an experiment. Each data set, fold and ranker has a job.
//!
//! A plan has *stages*. A job of stage 0 depends on no other job. A fusion depends on the jobs of the
//! rankers that it combines, so its stage is 1. A tuned ranker depends on its candidates: jobs that
//! fit one setting each, measure it on the validation part, and never see the test part. With
//! successive halving, each rung is a stage, whose jobs take the best settings of the rung before.
//! With forward selection, each step is a stage, whose jobs add a feature to the set that the step
//! before chose. A stage begins when the stage before has ended.
//!
//! The *inputs* of a job are all that alters its result, and nothing else:
//!
//! - the name and version of the ranker; for a ranker without a tested version, also a hash of its
//!   code ([`fivefold_results::code`])
//! - the resolved parameters, and the seed if the ranker draws numbers
//! - the chosen features, if the ranker chooses features
//! - the normaliser, and the content of the training, validation and test parts
//! - the sample of the training queries, if the ranker learns from a share of them
//! - for a fusion, its settings, and the keys of the jobs that it depends on; the measure and the
//!   validation part, if it learns weights
//! - for a candidate, the measure with all conventions instead of the test part
//! - for a tuned ranker, the rule of its choice, and the keys of its candidates
//!
//! The hash of the inputs is the *key* of the job. A stored result with the same key is the result
//! of this job.
//!
//! Paths, threads, machine, dialect and measures alter no score, so they are not inputs.
//!
//! - `candidates`: the jobs of a search
//! - `inputs`: the inputs of a job

mod candidates;
mod inputs;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fivefold_base::words::{counted, list_some};
use fivefold_core::{Dataset, Seed};
use fivefold_data::cache::CacheUse;
use fivefold_data::features::{Pick, UnknownPick};
use fivefold_data::packed::file_on_disk;
use fivefold_data::{Collection, FeatureChoice};
use fivefold_results::config::{
    ConfigError, Experiment, FusionConfig, MOST_CANDIDATES, RankerConfig, ScoreFiles, ScoreSource, StopOn, TuneConfig,
    chosen_features, learnt_weights, sample_size,
};
use fivefold_results::freedom::Freedom;
use fivefold_results::manifest::remark_lines;
use fivefold_results::paths::{self, candidate_id, job_id, repeat_id};
use fivefold_results::store::{Chosen, hash};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use candidates::{candidates_of, rungs_of};

use crate::confine::reach::Lacks;
use crate::error::RunError;
use crate::filter::{JobFilter, near};

/// The jobs of an experiment with the loaded collections.
///
/// ```
/// use fivefold_experiment::{JobFilter, Plan};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds.
/// let folder = tempfile::tempdir()?;
/// let (experiment, _) = small(folder.path())?;
/// let plan = Plan::new(&experiment, &JobFilter::All)?;
/// assert_eq!((plan.jobs.len(), plan.jobs[0].id.as_str()), (5, "mine/fold1/First"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Plan<'e> {
    /// The experiment.
    pub experiment: &'e Experiment,
    /// The jobs, ordered by data set (in the order of the file), then by fold, then by ranker. The
    /// candidates of a tuned ranker stand before its own job.
    pub jobs: Vec<Job>,
    /// The collection of each data set. `None` if no job needs the collection.
    pub(crate) collections: Vec<Option<Collection>>,
}

/// One ranker on one fold of one data set.
///
/// ```
/// use fivefold_experiment::{JobFilter, Plan};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds, each a job with a seed of its own.
/// let folder = tempfile::tempdir()?;
/// let (experiment, _) = small(folder.path())?;
/// let jobs = Plan::new(&experiment, &JobFilter::All)?.jobs;
/// assert_eq!((jobs[1].fold, jobs[1].ranker), (1, 0));
/// assert_ne!(jobs[0].seed, jobs[1].seed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Job {
    /// `DATASET/foldK/RANKER`, from labels as file names. The id of a candidate ends with `/` and a
    /// hash of its setting. A repeat has its number at the end: `~2`.
    pub id: String,
    /// Index of the data set in the experiment.
    pub dataset: usize,
    /// Index of the fold in the collection, from 0. The id holds the number of the fold.
    pub fold: usize,
    /// Index of the ranker in the experiment.
    pub ranker: usize,
    /// Which repeat of the ranker, from 0.
    pub repeat: usize,
    /// The stage of the plan, from 0. The job depends on jobs of earlier stages only.
    pub stage: usize,
    /// The number of the setting that the job tries. `None` if the job is no candidate of a search.
    pub candidate: Option<usize>,
    /// The place in its rung, from 0, if the job takes a setting by its place in the rung before.
    /// `candidate` then tells the rung only.
    pub place: Option<usize>,
    /// The jobs on whose results this job depends: the rankers that a fusion combines, the
    /// candidates of a tuned ranker, or the rung before. They need not be in the plan.
    pub needs: Arc<[Job]>,
    /// The seed, derived from the labels of data set and ranker, the number of the fold, and the
    /// repeat.
    pub seed: Seed,
    /// All inputs that alter the result.
    pub inputs: BTreeMap<String, Value>,
    /// Hash over the inputs.
    pub key: String,
}

impl Job {
    /// The record's path in the results folder.
    pub fn record_file(&self) -> String {
        paths::record_file(&self.id)
    }

    /// The scores' path in the results folder.
    pub fn scores_file(&self) -> String {
        paths::scores_file(&self.id)
    }

    /// The path of a candidate's validation values in the results folder.
    pub fn values_file(&self) -> String {
        paths::values_file(&self.id)
    }

    /// The hash of the setting in a candidate's id. `None` if the job is no candidate.
    pub(crate) fn setting_name(&self) -> Option<&str> {
        let name = self.candidate.and_then(|_| self.id.rsplit_once('/')).map(|(_, name)| name)?;
        Some(name.split_once('~').map_or(name, |(name, _)| name))
    }

    /// The file that every done job has: validation values of a candidate, scores of other jobs.
    pub(crate) fn result_file(&self) -> String {
        if self.candidate.is_some() { self.values_file() } else { self.scores_file() }
    }

    /// The model's path in the results folder.
    pub fn model_file(&self) -> String {
        paths::model_file(&self.id)
    }
}

/// Bytes of a collection, ids included.
fn bytes_of(all: &Dataset) -> u64 {
    const BYTES_A_DOCUMENT: usize = 64;
    (all.documents() * (all.width() * size_of::<f32>() + BYTES_A_DOCUMENT)) as u64
}

const FILES_HELP: &str =
    "a relative path is looked for beside the experiment file, then in the folder that FIVEFOLD_DATA names";

fn quoted(names: &[String]) -> String {
    list_some(&names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

impl<'e> Plan<'e> {
    /// Opens the collections and lists the jobs that `only` chooses. A collection without such a
    /// job is not opened.
    ///
    /// # Errors
    /// If a collection or a score file is missing or broken, if a sample is larger than its
    /// collection, or if a pattern of the filter matches no job.
    pub fn new(experiment: &'e Experiment, only: &JobFilter) -> Result<Self, RunError> {
        let mut plan = Plan::empty(experiment);
        for (index, dataset) in experiment.datasets.iter().enumerate() {
            if experiment.rankers.iter().any(|ranker| only.may_match(&dataset.label, &ranker.label)) {
                plan.open(index)?;
                if let Some(collection) = plan.collection_of(index) {
                    plan.check_sets(index, collection)?;
                }
                plan.add_jobs(index, only)?;
            }
        }
        let datasets: Vec<&str> = experiment.datasets.iter().map(|dataset| dataset.label.as_str()).collect();
        let rankers: Vec<&str> = experiment.rankers.iter().map(|ranker| ranker.label.as_str()).collect();
        let fold = |job: &Job| plan.collection(job).map_or(0, |collection| collection.folds[job.fold].number);
        let jobs: Vec<_> = plan
            .jobs
            .iter()
            .map(|job| (datasets[job.dataset], fold(job), rankers[job.ranker], job.setting_name()))
            .collect();
        let mut without_job: Vec<String> = only.without_job(&jobs).into_iter().map(str::to_owned).collect();
        if let JobFilter::Jobs(ids) = only {
            let known: BTreeSet<&str> = plan.jobs.iter().map(|job| job.id.as_str()).collect();
            without_job.extend(ids.iter().filter(|id| !known.contains(id.as_str())).cloned());
        }
        if plan.jobs.is_empty() && without_job.is_empty() {
            without_job.push(only.to_string());
        }
        if !without_job.is_empty() {
            let near: Vec<String> = without_job.iter().filter_map(|part| near(part, &datasets, &rankers)).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", quoted(&near)) };
            let known = format!("the data sets {} and the rankers {}", list_some(&datasets), list_some(&rankers));
            return Err(RunError::NoSuchJob { only: quoted(&without_job), near, known });
        }
        plan.check_candidates()?;
        Ok(plan)
    }

    /// Refuses a selection whose sets of features have too many jobs, before any of them is made.
    fn check_sets(&self, dataset: usize, collection: &Collection) -> Result<(), RunError> {
        let experiment = self.experiment;
        for (ranker, config) in experiment.rankers.iter().enumerate() {
            let Some(forward) = config.tune.as_ref().and_then(|tune| tune.forward.as_ref()) else { continue };
            let units = forward.units(collection);
            for (place, unit) in units.iter().enumerate() {
                let wrong = collection.columns(&FeatureChoice::Only(vec![unit.clone()])).err();
                if let Some(wrong) = wrong.map(|wrong| UnknownPick { pick: Some(place), ..wrong }) {
                    return Err(experiment.selection_error(dataset, &wrong).into());
                }
            }
            let label = &experiment.datasets[dataset].label;
            if units.is_empty() {
                let message = format!(
                    "data set `{label}` has no groups of features, from which to select; write from = \"features\", or \
                     name the groups (`fivefold book name-features`)"
                );
                return Err(experiment.ranker_error(ranker, &message).into());
            }
            let repeats = experiment.repeats_of(ranker);
            let count = forward.candidates(units.len()).saturating_mul(collection.folds.len() * repeats);
            if count > MOST_CANDIDATES {
                let message = format!(
                    "the selection has {count} candidates on data set `{label}` (sets of features x folds), more than \
                     {MOST_CANDIDATES}; lower `max`, or select from groups"
                );
                return Err(experiment.ranker_error(ranker, &message).into());
            }
        }
        Ok(())
    }

    /// Refuses a plan whose searches have too many jobs.
    fn check_candidates(&self) -> Result<(), RunError> {
        let count = self.jobs.iter().filter(|job| job.candidate.is_some()).count();
        let tuned = self.experiment.rankers.iter().position(|ranker| ranker.tune.is_some());
        match tuned {
            Some(ranker) if count > MOST_CANDIDATES => {
                let message = format!(
                    "the searches of this experiment have {count} candidates (settings x folds x data sets), more than \
                     {MOST_CANDIDATES}; try fewer settings, or write method = \"random\" with `draws`"
                );
                Err(self.experiment.ranker_error(ranker, &message).into())
            }
            _ => Ok(()),
        }
    }

    /// A plan without jobs. No collection is opened yet.
    pub(crate) fn empty(experiment: &'e Experiment) -> Self {
        Plan { experiment, jobs: Vec::new(), collections: experiment.datasets.iter().map(|_| None).collect() }
    }

    /// Opens the collection of a data set.
    pub(crate) fn open(&mut self, dataset: usize) -> Result<(), ConfigError> {
        self.collections[dataset] = Some(self.experiment.datasets[dataset].open(self.experiment, dataset)?);
        Ok(())
    }

    /// The known files that jobs read: score files, listed files, and the test parts of
    /// collections.
    pub(crate) fn inputs(&self) -> Vec<PathBuf> {
        let mut inputs: Vec<PathBuf> = Vec::new();
        for job in &self.jobs {
            match &self.ranker(job).source {
                ScoreSource::Scores(files) => {
                    let number = self.collection(job).map(|collection| collection.folds[job.fold].number);
                    inputs.extend(number.map(|number| self.score_path(files, job.dataset, number)));
                }
                ScoreSource::Command(command) => inputs.extend(command.files.iter().map(|file| self.find(file))),
                ScoreSource::Train { .. } | ScoreSource::Fusion(_) => {}
            }
        }
        let collections = self.collections.iter().flatten();
        inputs.extend(collections.flat_map(|collection| collection.test_files().map(|file| file_on_disk(file))));
        inputs
    }

    /// Remarks on the collections, the measures and the commands for the user, a line each.
    pub fn remarks(&self) -> Vec<String> {
        let loaded = self.experiment.datasets.iter().zip(&self.collections);
        let loaded = loaded.filter_map(|(dataset, collection)| Some((dataset, collection.as_ref()?)));
        let of_data = loaded.flat_map(|(dataset, collection)| remark_lines(&dataset.label, &collection.remarks));
        let of_measures = self.experiment.measure_notes().iter().cloned();
        of_data
            .chain(of_measures)
            .chain(self.experiment.rankers.iter().flat_map(|ranker| self.not_listed(ranker)))
            .collect()
    }

    /// Remarks on arguments of a command that name a file beside the experiment. The folder where
    /// the command runs has no such file.
    fn not_listed(&self, ranker: &RankerConfig) -> Vec<String> {
        let ScoreSource::Command(command) = &ranker.source else { return Vec::new() };
        let beside =
            |argument: &str| self.experiment.folders().first().is_some_and(|folder| folder.join(argument).is_file());
        let missing =
            |argument: &&String| !command.lists(argument) && Path::new(argument).is_relative() && beside(argument);
        let remark = |argument: &String| {
            format!(
                "{}: `{argument}` of `argv` is a file beside the experiment, but not where the command runs; add \
                 files = [\"{argument}\"] if the command reads it",
                ranker.label
            )
        };
        command.argv.iter().filter(missing).map(remark).collect()
    }

    /// Bytes of the open collections, ids included.
    pub fn data_bytes(&self) -> u64 {
        self.collections.iter().flatten().map(|collection| bytes_of(&collection.all)).sum()
    }

    /// Bytes that the evaluation of all jobs takes beside the data, by an estimate: the values with
    /// their text.
    pub fn value_bytes(&self) -> u64 {
        // Measured with 30 measures of 20,000 queries (the book's page on performance).
        const BYTES_A_VALUE: u64 = 128;
        let queries: u64 = self.collections.iter().flatten().map(|collection| collection.all.len() as u64).sum();
        let values = (self.experiment.rankers.len() * self.experiment.evaluation.measures.len()) as u64;
        queries.saturating_mul(values).saturating_mul(BYTES_A_VALUE)
    }

    /// Bytes of the collection of a job, ids included.
    pub(crate) fn data_bytes_of(&self, job: &Job) -> u64 {
        self.collection(job).map_or(0, |collection| bytes_of(&collection.all))
    }

    /// The use of the cache, a line for each collection that is large enough for a cache.
    pub fn cache_notes(&self) -> Vec<String> {
        let loaded = self.experiment.datasets.iter().zip(&self.collections);
        let loaded = loaded.filter_map(|(dataset, collection)| Some((dataset, &collection.as_ref()?.cache)));
        let cached = loaded.filter(|(_, cache)| **cache != CacheUse::None);
        cached.map(|(dataset, cache)| format!("{}: {cache}", dataset.label)).collect()
    }

    /// The number of values that a job learns from.
    pub fn size(&self, job: &Job) -> usize {
        self.train(job).map_or(0, |train| train.documents() * train.width())
    }

    /// The ranker of a job. That of a candidate has the parameters of its setting.
    pub(crate) fn ranker(&self, job: &Job) -> &RankerConfig {
        self.at_setting(job, job.candidate)
    }

    /// The ranker of a job at a setting of its search. `None`: as in the experiment.
    fn at_setting(&self, job: &Job, setting: Option<usize>) -> &RankerConfig {
        let config = &self.experiment.rankers[job.ranker];
        let settings = config.tune.as_ref().map(|tune| &tune.settings);
        setting.zip(settings).map_or(config, |(number, settings)| &settings[number].ranker)
    }

    /// The ranker that a job fits, with what results of other jobs have settled.
    pub(crate) fn settled(&self, job: &Job, settled: &Settled) -> Cow<'_, RankerConfig> {
        let config = self.at_setting(job, settled.setting);
        match &settled.features {
            Some(set) => {
                let features = Some(FeatureChoice::Only(set.clone()));
                Cow::Owned(RankerConfig { features, ..config.clone() })
            }
            None => Cow::Borrowed(config),
        }
    }

    /// The rankers that a job may fit: each setting of a tuned ranker or of a rung, or the ranker
    /// itself.
    pub(crate) fn may_fit(&self, job: &Job) -> Vec<&RankerConfig> {
        let Some(tune) = self.search(job).filter(|_| job.candidate.is_none() || job.place.is_some()) else {
            return vec![self.ranker(job)];
        };
        let width = tune.width();
        let rung = job.candidate.map_or(tune.settings.len() / width - 1, |number| number / width);
        tune.settings[rung * width..][..width].iter().map(|setting| &setting.ranker).collect()
    }

    /// The search of the ranker of a job, for the ranker's own job and for its candidates.
    pub(crate) fn search(&self, job: &Job) -> Option<&TuneConfig> {
        self.experiment.rankers[job.ranker].tune.as_deref()
    }

    /// The parts of the fold that a job reads.
    pub(crate) fn parts(&self, job: &Job) -> Option<JobParts> {
        let fold = &self.collection(job)?.folds[job.fold];
        let (validation, test) = (fold.validation.clone(), fold.test.clone());
        let (validation, scored) = match (job.candidate, self.search(job), validation) {
            (Some(_), Some(tune), Some(part)) => match tune.stop_on {
                StopOn::Validation => (Some(part.clone()), part),
                StopOn::Split => {
                    let half = |first: usize| part.select((first..part.len()).step_by(2));
                    (Some(half(0)), half(1))
                }
            },
            (Some(_), ..) => return None,
            (None, _, validation) => (validation, test),
        };
        Some(JobParts { train: self.train(job)?, validation, scored })
    }

    /// The freedoms of a job's program, on a system with these gaps.
    pub(crate) fn free(&self, job: &Job, lacks: &Lacks) -> Vec<Freedom> {
        match &self.ranker(job).source {
            ScoreSource::Command(command) => lacks.free(command),
            ScoreSource::Train { .. } | ScoreSource::Scores(_) | ScoreSource::Fusion(_) => Vec::new(),
        }
    }

    /// The collection of a job.
    pub(crate) fn collection(&self, job: &Job) -> Option<&Collection> {
        self.collection_of(job.dataset)
    }

    /// The collection of a data set. `None` if the collection is not open.
    pub(crate) fn collection_of(&self, dataset: usize) -> Option<&Collection> {
        self.collections[dataset].as_ref()
    }

    fn add_jobs(&mut self, dataset: usize, only: &JobFilter) -> Result<(), RunError> {
        let Some(collection) = self.collection_of(dataset) else { return Ok(()) };
        let label = &self.experiment.datasets[dataset].label;
        let (mut jobs, mut wanted) = (Vec::new(), BTreeSet::new());
        for (fold, parts) in collection.folds.iter().enumerate() {
            for (ranker, config) in self.experiment.rankers.iter().enumerate() {
                for repeat in 0..self.experiment.repeats_of(ranker) {
                    let chosen =
                        |job: &Job| only.matches(label, parts.number, &config.label, repeat, job.setting_name());
                    if config.tune.is_none() && !only.matches(label, parts.number, &config.label, repeat, None) {
                        continue;
                    }
                    let job = self.job(dataset, collection, fold, ranker, repeat)?;
                    let candidates = candidates_of(&job);
                    let own: Vec<Job> = candidates.iter().filter(|need| need.fold == fold).cloned().collect();
                    wanted.extend(own.iter().filter(|job| chosen(job)).map(|job| job.id.clone()));
                    if chosen(&job) {
                        wanted.insert(job.id.clone());
                        // A search without its candidates could not choose. A single job is asked for
                        // by its id, and comes alone.
                        if config.tune.is_some() && !matches!(only, JobFilter::Jobs(_)) {
                            wanted.extend(candidates.iter().map(|need| need.id.clone()));
                        }
                    }
                    jobs.extend(own);
                    jobs.push(job);
                }
            }
        }
        self.jobs.extend(jobs.into_iter().filter(|job| wanted.contains(&job.id)));
        Ok(())
    }

    /// The job of a ranker on a fold, with all inputs that alter its result.
    ///
    /// # Errors
    /// If a file that the ranker needs cannot be read.
    pub(crate) fn job(
        &self,
        dataset: usize,
        collection: &Collection,
        fold: usize,
        ranker: usize,
        repeat: usize,
    ) -> Result<Job, RunError> {
        let place = Place { dataset, collection, fold, ranker, repeat };
        let config = &self.experiment.rankers[ranker];
        if let Some(tune) = &config.tune {
            return self.tuned(&place, tune);
        }
        let hashes = &collection.folds[fold].hashes;
        let (inputs, needs) = match &config.source {
            ScoreSource::Train { .. } | ScoreSource::Command(_) => (self.fit_inputs(&place, config)?, Vec::new()),
            ScoreSource::Scores(files) => (self.inputs_of_scores(&place, files)?, Vec::new()),
            ScoreSource::Fusion(fusion) => {
                let members = self.members_of(fusion, &place)?;
                let settings =
                    fusion.settings().map_err(|error| self.experiment.ranker_error(ranker, &error.to_string()))?;
                let keys: Vec<&str> = members.iter().map(|member| member.key.as_str()).collect();
                let mut inputs = BTreeMap::from([
                    ("kind", json!(config.kind)),
                    ("fusion", settings),
                    ("members", json!(keys)),
                    ("test", json!(hashes.test)),
                ]);
                if let Some(measure) = &fusion.weights_by {
                    self.check_validation(&place, "`weights_by`", 1)?;
                    inputs.insert("validation", json!(hashes.validation));
                    inputs.insert("measure", self.measure_input(&place, measure));
                    inputs.insert("weights", json!({ "search": WEIGHTS }));
                }
                (inputs, members)
            }
        };
        Ok(self.made(&place, None, inputs, needs))
    }

    /// A job with its id and its key.
    fn made(
        &self,
        place: &Place<'_>,
        candidate: Option<CandidateName>,
        inputs: BTreeMap<&'static str, Value>,
        needs: impl Into<Arc<[Job]>>,
    ) -> Job {
        let needs = needs.into();
        let &Place { dataset, fold, ranker, repeat, .. } = place;
        let (label, number) = (&self.experiment.datasets[dataset].label, place.number());
        let own = &self.experiment.rankers[ranker].label;
        let id = match &candidate {
            Some(candidate) => candidate_id(label, number, own, &candidate.name),
            None => job_id(label, number, own),
        };
        let key = key(&json!(inputs));
        Job {
            id: repeat_id(&id, repeat),
            dataset,
            fold,
            ranker,
            repeat,
            stage: needs.iter().map(|need| need.stage + 1).max().unwrap_or(0),
            candidate: candidate.as_ref().map(|candidate| candidate.number),
            place: candidate.and_then(|candidate| candidate.place),
            needs,
            seed: self.seed(place),
            inputs: inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            key,
        }
    }

    /// The seed of a fit. It comes from names, so that other jobs and their order do not matter. All
    /// candidates of a search have the seed of their ranker.
    fn seed(&self, place: &Place<'_>) -> Seed {
        let experiment = self.experiment;
        let seed = experiment.root_seed().derive(&experiment.datasets[place.dataset].label);
        let seed = seed.derive_index("fold", place.number() as u64).derive(&experiment.rankers[place.ranker].label);
        if place.repeat == 0 { seed } else { seed.derive_index("repeat", place.repeat as u64) }
    }

    /// Refuses a fold with too few queries of validation for a key of the experiment.
    fn check_validation(&self, place: &Place<'_>, key: &str, needed: usize) -> Result<(), RunError> {
        let queries = place.collection.folds[place.fold].validation.as_ref().map_or(0, Dataset::len);
        if queries >= needed {
            return Ok(());
        }
        let message = format!(
            "fold {} of data set `{}` has {} of validation, too few for {key}, which needs {needed}; leave out {key}, \
             or give the collection validation parts",
            place.number(),
            self.experiment.datasets[place.dataset].label,
            counted(queries, "query"),
        );
        Err(self.experiment.ranker_error(place.ranker, &message).into())
    }

    /// The training part that a job learns from: the part of its fold, or a sample of its queries.
    pub(crate) fn train(&self, job: &Job) -> Option<Dataset> {
        self.train_of(job.dataset, job.fold, job.ranker, job.repeat)
    }

    /// The training part that a repeat of a ranker learns from.
    pub(crate) fn train_of(&self, dataset: usize, fold: usize, ranker: usize, repeat: usize) -> Option<Dataset> {
        let train = &self.collection_of(dataset)?.folds[fold].train;
        Some(match self.sample_of(dataset, fold, ranker, repeat) {
            Some(sample) => sample.of(train),
            None => train.clone(),
        })
    }

    /// The sample of the training queries that a ranker learns from. `None` if it learns from all.
    fn sample_of(&self, dataset: usize, fold: usize, ranker: usize, repeat: usize) -> Option<Sample> {
        let share = self.experiment.rankers[ranker].train_share?;
        let parts = &self.collection_of(dataset)?.folds[fold];
        let seed = self.experiment.root_seed().derive(&self.experiment.datasets[dataset].label);
        let seed = seed.derive("training sample").derive_index("fold", parts.number as u64);
        let seed = seed.derive_index("repeat", repeat as u64);
        Some(Sample { queries: sample_size(share, parts.train.len()), seed })
    }

    /// The columns that a job sees as this ranker, from 0. `None` if it sees all features.
    ///
    /// # Errors
    /// If the ranker names features that the collection does not have.
    pub(crate) fn columns(&self, job: &Job, config: &RankerConfig) -> Result<Option<Vec<usize>>, RunError> {
        self.columns_of(job.dataset, job.ranker, config.features.as_ref())
    }

    /// The columns that a job may copy for its fit, from 0. `None` if it copies none.
    pub(crate) fn may_copy(&self, job: &Job) -> Option<Vec<usize>> {
        if self.search(job).is_some_and(|tune| tune.forward.is_some()) {
            return self.collection(job).map(|collection| (0..collection.all.width()).collect());
        }
        self.columns(job, self.ranker(job)).ok().flatten()
    }

    fn columns_of(
        &self,
        dataset: usize,
        ranker: usize,
        choice: Option<&FeatureChoice>,
    ) -> Result<Option<Vec<usize>>, RunError> {
        let (Some(choice), Some(collection)) = (choice, self.collection_of(dataset)) else { return Ok(None) };
        let columns = collection.columns(choice);
        columns.map(Some).map_err(|wrong| self.experiment.features_error(ranker, dataset, &wrong).into())
    }

    /// The jobs of the rankers that a fusion combines, in their order.
    fn members_of(&self, fusion: &FusionConfig, place: &Place<'_>) -> Result<Vec<Job>, RunError> {
        let rankers = &self.experiment.rankers;
        let members = fusion.of.iter().filter_map(|label| rankers.iter().position(|ranker| ranker.label == *label));
        // A ranker that draws nothing has one repeat for all.
        let own = |member: usize| place.repeat.min(self.experiment.repeats_of(member) - 1);
        members.map(|member| self.job(place.dataset, place.collection, place.fold, member, own(member))).collect()
    }

    /// Finds the file of a relative path. Returns the first existing file, or else the first place
    /// that was searched.
    pub(crate) fn find(&self, relative: &str) -> PathBuf {
        let candidates: Vec<PathBuf> = self.experiment.folders().iter().map(|folder| folder.join(relative)).collect();
        let found = candidates.iter().find(|path| path.exists()).or(candidates.first());
        found.cloned().unwrap_or_else(|| PathBuf::from(relative))
    }

    /// The file that holds a fold's scores.
    pub(crate) fn score_path(&self, files: &ScoreFiles, dataset: usize, fold: usize) -> PathBuf {
        self.find(&files.file(&self.experiment.datasets[dataset].label, fold))
    }
}

/// The place of a job: a ranker on a fold of a collection.
pub(crate) struct Place<'c> {
    pub(crate) dataset: usize,
    pub(crate) collection: &'c Collection,
    pub(crate) fold: usize,
    pub(crate) ranker: usize,
    pub(crate) repeat: usize,
}

impl Place<'_> {
    /// The number of the fold.
    fn number(&self) -> usize {
        self.collection.folds[self.fold].number
    }
}

/// The number, the place in its rung and the name of a candidate.
struct CandidateName {
    number: usize,
    place: Option<usize>,
    name: String,
}

/// What results of other jobs have settled for a job: the setting of a search, or the features of a
/// selection.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settled {
    /// The number of the setting. `None`: as in the experiment.
    pub(crate) setting: Option<usize>,
    /// The chosen features, in the order in which they entered. `None`: as in the experiment.
    pub(crate) features: Option<Vec<Pick>>,
    /// The learnt weights of a fusion. `None`: as in the experiment.
    pub(crate) weights: Option<Vec<f64>>,
}

impl Settled {
    /// What the choice of a search has settled. Without a search, the choice is that of weights.
    pub(crate) fn of(tune: Option<&TuneConfig>, chosen: &Chosen) -> Self {
        if tune.is_none() {
            return Settled { weights: learnt_weights(&chosen.setting), ..Settled::default() };
        }
        let is_selection = tune.is_some_and(|tune| tune.forward.is_some());
        let features = is_selection.then(|| chosen_features(&chosen.setting)).flatten();
        Settled { setting: Some(chosen.number), features, weights: None }
    }
}

/// The numbers in the files of these columns.
fn ids(columns: &[usize], collection: &Collection) -> Vec<u64> {
    columns.iter().map(|&column| column as u64 + u64::from(collection.first_feature_id)).collect()
}

/// The parts that a job reads.
pub(crate) struct JobParts {
    pub(crate) train: Dataset,
    pub(crate) validation: Option<Dataset>,
    /// The part whose documents the job scores: the test part. A candidate of a search has no test
    /// part, and scores queries of the validation part.
    pub(crate) scored: Dataset,
}

impl JobParts {
    /// All parts.
    pub(crate) fn all(&self) -> Vec<&Dataset> {
        [Some(&self.train), self.validation.as_ref(), Some(&self.scored)].into_iter().flatten().collect()
    }
}

/// The version of the search for the weights of a fusion. Raise it if the same scores may give other
/// weights.
const WEIGHTS: u32 = 1;

/// A sample of the training queries. Samples with the same seed are nested: a smaller sample is a
/// part of each larger one. The seed does not hold the ranker, so all rankers learn from the same
/// queries.
struct Sample {
    queries: usize,
    seed: Seed,
}

impl Sample {
    /// The queries of the sample, in the order of the part.
    fn of(&self, train: &Dataset) -> Dataset {
        let mut order: Vec<usize> = (0..train.len()).collect();
        self.seed.rng().shuffle(&mut order);
        order.truncate(self.queries);
        order.sort_unstable();
        train.select(order)
    }
}

/// The key of a job with these inputs.
pub(crate) fn key(inputs: &Value) -> String {
    hash(inputs.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_seed_are_nested_and_in_the_order_of_the_part() {
        let train = Dataset::of_queries(1, [(&[0.5][..], &[1][..]); 20]).unwrap();
        let ids = |queries: usize, seed: u64| {
            let sample = Sample { queries, seed: Seed::new(seed) }.of(&train);
            sample.numbers().to_vec()
        };
        let mut smaller: Vec<u32> = Vec::new();
        for queries in 1..=20 {
            let sample = ids(queries, 7);
            assert!(sample.len() == queries && sample.is_sorted(), "{sample:?}");
            assert!(smaller.iter().all(|query| sample.contains(query)), "{smaller:?} {sample:?}");
            smaller = sample;
        }
        assert_ne!(ids(5, 7), ids(5, 8));
    }
}

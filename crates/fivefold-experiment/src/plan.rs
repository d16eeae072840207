//! The jobs of an experiment. Each data set, fold and ranker has a job.
//!
//! A plan has *stages*. A job of stage 0 depends on no other job. A fusion depends on the jobs of the
//! rankers that it combines, so its stage is 1. A stage begins when the stage before has ended.
//!
//! The *inputs* of a job are all that alters its result, and nothing else:
//!
//! - the name and version of the ranker; for a ranker without a tested version, also a hash of its
//!   code ([`fivefold_results::code`])
//! - the resolved parameters, and the seed if the ranker draws numbers
//! - the chosen features, if the ranker chooses features
//! - the normaliser, and the content of the training, validation and test parts
//! - the sample of the training queries, if the ranker learns from a share of them
//! - for a fusion, its settings, and the keys of the jobs that it depends on
//!
//! The hash of the inputs is the *key* of the job. A stored result with the same key is the result
//! of this job.
//!
//! Paths, threads, machine, dialect and measures alter no score, so they are not inputs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fivefold_base::words::list_some;
use fivefold_core::{Dataset, Seed};
use fivefold_data::cache::CacheUse;
use fivefold_data::packed::file_on_disk;
use fivefold_data::{Collection, input};
use fivefold_results::config::{
    ConfigError, Experiment, FusionConfig, Placeholder, RankerConfig, ScoreFiles, ScoreSource, key_params, sample_size,
};
use fivefold_results::freedom::Freedom;
use fivefold_results::manifest::remark_lines;
use fivefold_results::paths::{self, job_id, repeat_id};
use fivefold_results::store::hash;
use serde_json::{Value, json};

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
    /// The jobs, ordered by data set (in the order of the file), then by fold, then by ranker.
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
    /// `DATASET/foldK/RANKER`, from labels as file names. A repeat has its number at the end: `~2`.
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

    /// The model's path in the results folder.
    pub fn model_file(&self) -> String {
        paths::model_file(&self.id)
    }
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
                plan.add_jobs(index, only)?;
            }
        }
        let datasets: Vec<&str> = experiment.datasets.iter().map(|dataset| dataset.label.as_str()).collect();
        let rankers: Vec<&str> = experiment.rankers.iter().map(|ranker| ranker.label.as_str()).collect();
        let fold = |job: &Job| plan.collection(job).map_or(0, |collection| collection.folds[job.fold].number);
        let jobs: Vec<_> =
            plan.jobs.iter().map(|job| (datasets[job.dataset], fold(job), rankers[job.ranker])).collect();
        let mut without_job: Vec<String> = only.without_job(&jobs).into_iter().map(str::to_owned).collect();
        if plan.jobs.is_empty() && without_job.is_empty() {
            without_job.push(only.to_string());
        }
        if !without_job.is_empty() {
            let near: Vec<String> = without_job.iter().filter_map(|part| near(part, &datasets, &rankers)).collect();
            let near = if near.is_empty() { String::new() } else { format!("did you mean {}? ", quoted(&near)) };
            let known = format!("the data sets {} and the rankers {}", list_some(&datasets), list_some(&rankers));
            return Err(RunError::NoSuchJob { only: quoted(&without_job), near, known });
        }
        Ok(plan)
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

    /// Bytes of the collections, ids included.
    pub(crate) fn data_bytes(&self) -> u64 {
        const BYTES_A_DOCUMENT: usize = 64;
        let data = self.collections.iter().flatten().map(|collection| &collection.all);
        data.map(|all| (all.documents() * (all.width() * size_of::<f32>() + BYTES_A_DOCUMENT)) as u64).sum()
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

    pub(crate) fn ranker(&self, job: &Job) -> &RankerConfig {
        &self.experiment.rankers[job.ranker]
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
        let mut jobs = Vec::new();
        for (fold, parts) in collection.folds.iter().enumerate() {
            for (ranker, config) in self.experiment.rankers.iter().enumerate() {
                for repeat in 0..self.experiment.repeats_of(ranker) {
                    if only.matches(label, parts.number, &config.label, repeat) {
                        jobs.push(self.job(dataset, collection, fold, ranker, repeat)?);
                    }
                }
            }
        }
        self.jobs.extend(jobs);
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
        let experiment = self.experiment;
        let (label, config) = (&experiment.datasets[dataset].label, &experiment.rankers[ranker]);
        let parts = &collection.folds[fold];
        let (number, hashes) = (parts.number, &parts.hashes);
        // The seed comes from names, so that other jobs and their order do not matter.
        let seed = experiment.root_seed().derive(label).derive_index("fold", number as u64).derive(&config.label);
        let seed = if repeat == 0 { seed } else { seed.derive_index("repeat", repeat as u64) };
        let mut inputs = match &config.source {
            ScoreSource::Train { version, code, seeded, params, renamed } => {
                let code = code.iter().map(|code| ("code", json!(code)));
                let inputs = BTreeMap::from([
                    ("kind", json!(config.kind)),
                    ("version", json!(version)),
                    ("params", key_params(params, renamed)),
                    ("normalise", json!(config.normalise)),
                    ("missing", json!(collection.missing)),
                    ("train", json!(hashes.train)),
                    ("validation", json!(hashes.validation)),
                    ("test", json!(hashes.test)),
                    ("seed", json!(seeded.then_some(seed.value()))),
                ]);
                inputs.into_iter().chain(code).collect()
            }
            ScoreSource::Scores(_) if collection.moved => {
                let message = format!(
                    "score files follow the order of the data files, but `regroup` changed this order in data set \
                        `{label}`; leave out `regroup`, and bring the lines of each query together yourself"
                );
                return Err(experiment.ranker_error(ranker, &message).into());
            }
            ScoreSource::Scores(files) => {
                let what = format!("the scores of fold {number}");
                let hash = self.hash_file(&self.score_path(files, dataset, number), &what, ranker)?;
                BTreeMap::from([("kind", json!(config.kind)), ("file", json!(hash)), ("test", json!(hashes.test))])
            }
            ScoreSource::Command(command) => {
                if command.uses(Placeholder::Validation) && parts.validation.is_none() {
                    let message = format!(
                        "fold {number} of data set `{label}` has no validation part, which `argv` asks for; \
                         leave {} out",
                        Placeholder::Validation.name()
                    );
                    return Err(experiment.ranker_error(ranker, &message).into());
                }
                let mut files = BTreeMap::new();
                for file in &command.files {
                    files.insert(file, self.hash_file(&self.find(file), &format!("`{file}`"), ranker)?);
                }
                let mut inputs = BTreeMap::from([
                    ("kind", json!(config.kind)),
                    // The arguments contain the seed if the command asks for it.
                    ("argv", json!(command.filled(seed))),
                    ("files", json!(files)),
                    ("normalise", json!(config.normalise)),
                    ("missing", json!(collection.missing)),
                    ("train", json!(hashes.train)),
                    ("validation", json!(hashes.validation)),
                    ("test", json!(hashes.test)),
                ]);
                // The files and the network that a program can reach may alter its results, so they
                // are in the key. How far the system confines the program is in the record, not in
                // the key.
                for (name, own, usual) in [
                    ("read", json!(command.read), json!([])),
                    ("write", json!(command.write), json!([])),
                    ("network", json!(command.network), json!(false)),
                    ("confine", json!(command.confine), json!(true)),
                ] {
                    if own != usual {
                        inputs.insert(name, own);
                    }
                }
                inputs
            }
            ScoreSource::Fusion(fusion) => {
                let members = self.members_of(fusion, dataset, collection, fold, repeat)?;
                let settings =
                    fusion.settings().map_err(|error| experiment.ranker_error(ranker, &error.to_string()))?;
                let keys: Vec<String> = members.into_iter().map(|member| member.key).collect();
                BTreeMap::from([
                    ("kind", json!(config.kind)),
                    ("fusion", settings),
                    ("members", json!(keys)),
                    ("test", json!(hashes.test)),
                ])
            }
        };
        if let Some(columns) = self.columns_of(dataset, ranker)? {
            let ids = columns.into_iter().map(|column| column as u64 + u64::from(collection.first_feature_id));
            inputs.insert("features", ids.collect());
        }
        if let Some(sample) = self.sample_of(dataset, fold, ranker, repeat) {
            inputs.insert("sample", json!({ "queries": sample.queries, "seed": sample.seed.value() }));
        }
        let stage = usize::from(matches!(config.source, ScoreSource::Fusion(_)));
        let key = key(&json!(inputs));
        let inputs = inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let id = repeat_id(&job_id(label, number, &config.label), repeat);
        Ok(Job { id, dataset, fold, ranker, repeat, stage, seed, inputs, key })
    }

    /// The columns that the ranker of a job sees, from 0. `None` if it sees all features.
    ///
    /// # Errors
    /// If the ranker names features that the collection does not have.
    pub(crate) fn columns(&self, job: &Job) -> Result<Option<Vec<usize>>, RunError> {
        self.columns_of(job.dataset, job.ranker)
    }

    fn columns_of(&self, dataset: usize, ranker: usize) -> Result<Option<Vec<usize>>, RunError> {
        let (Some(choice), Some(collection)) = (&self.experiment.rankers[ranker].features, self.collection_of(dataset))
        else {
            return Ok(None);
        };
        let columns = collection.columns(choice);
        columns.map(Some).map_err(|wrong| self.experiment.features_error(ranker, dataset, &wrong).into())
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

    /// The jobs that a job depends on: those of the rankers that a fusion combines, in their order.
    /// They need not be in the plan.
    ///
    /// # Errors
    /// If a file that one of these rankers needs cannot be read.
    pub(crate) fn members(&self, job: &Job) -> Result<Vec<Job>, RunError> {
        match (&self.ranker(job).source, self.collection(job)) {
            (ScoreSource::Fusion(fusion), Some(collection)) => {
                self.members_of(fusion, job.dataset, collection, job.fold, job.repeat)
            }
            _ => Ok(Vec::new()),
        }
    }

    fn members_of(
        &self,
        fusion: &FusionConfig,
        dataset: usize,
        collection: &Collection,
        fold: usize,
        repeat: usize,
    ) -> Result<Vec<Job>, RunError> {
        let rankers = &self.experiment.rankers;
        let places = fusion.of.iter().filter_map(|label| rankers.iter().position(|ranker| ranker.label == *label));
        // A ranker that draws nothing has one repeat for all.
        let own = |place: usize| repeat.min(self.experiment.repeats_of(place) - 1);
        places.map(|place| self.job(dataset, collection, fold, place, own(place))).collect()
    }

    /// The hash of a file that a ranker needs. The error names the file and the ranker's entry.
    fn hash_file(&self, path: &Path, what: &str, ranker: usize) -> Result<String, RunError> {
        let hash = input::hash(path).map_err(|error| {
            let message = format!("cannot read {what} from {}: {error}; {FILES_HELP}", path.display());
            RunError::from(self.experiment.ranker_error(ranker, &message))
        });
        Ok(hash?.to_hex().to_string())
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

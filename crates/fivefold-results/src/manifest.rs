//! `manifest.json`: the experiment, data, conventions and jobs behind a results folder. The same
//! run writes the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::words::counted;
use fivefold_core::Dataset;
use fivefold_data::{Collection, FeatureNames, Fold};
use fivefold_metrics::StandardErrors;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checksum::{ALTERED, Checksum, NO_CHECKSUM, read_checked};
use crate::config::{Experiment, Setting};
use crate::freedom::{self, Freedom};
use crate::guard_facts::GuardFact;
use crate::store::{Chosen, Status, Store, StoreError, Tried};
use crate::values::{self, DataShape};

/// File name in the results folder.
pub const MANIFEST: &str = "manifest.json";

/// Format of the results folder.
pub const FORMAT: &str = "fivefold-results/1";

/// The inputs and conventions of a results folder.
///
/// ```
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
/// // `small` gives the results of an experiment, as they are read from its folder.
/// let manifest = small()?.manifest;
/// // Every default of the experiment is filled in.
/// let stored = serde_json::to_value(&manifest)?;
/// assert_eq!(stored["experiment"]["tables"]["alpha"], 0.05);
/// assert_eq!(manifest.experiment.rankers.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the program.
    pub version: String,
    /// The experiment with every default filled in.
    pub experiment: Experiment,
    /// Facts about each data set, in the order of the experiment.
    pub datasets: Vec<DatasetFacts>,
    /// Every convention in force, a line each, for printing under tables.
    pub conventions: Vec<String>,
    /// How the keys of the jobs identify code that is not built in, and which code the keys trust
    /// unseen. A line each.
    #[serde(default)]
    pub trusted: Vec<String>,
    /// The findings of leak guards: warnings, and guards that were overridden.
    #[serde(default)]
    pub guards: Vec<GuardFact>,
    /// The jobs with the keys of their results.
    pub jobs: Vec<JobFacts>,
    /// The candidates of all searches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<CandidateFacts>,
    /// Hash of the evaluation ([`RESULT_FILES`]).
    pub result: String,
}

/// Facts about a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DatasetFacts {
    /// Label in the experiment.
    pub label: String,
    /// Hash of the content.
    pub hash: String,
    /// Features of a document.
    pub features: usize,
    /// Number of the first feature in the files.
    #[serde(default = "first_feature", skip_serializing_if = "is_first_feature")]
    pub first_feature_id: u32,
    /// Names and groups of the features, as far as they are known.
    #[serde(default, skip_serializing_if = "FeatureNames::is_empty")]
    pub names: FeatureNames,
    /// Highest possible grade.
    pub max_grade: u8,
    /// How often each grade from 0 up occurs in the test parts.
    pub grades: Vec<usize>,
    /// Test queries of all folds.
    pub test_queries: usize,
    /// Test documents of all folds.
    pub test_documents: usize,
    /// Test queries that were evaluated: all, or the sample.
    pub evaluated_queries: usize,
    /// Remarks on the collection for a reader of the results.
    pub remarks: Vec<String>,
    /// Folds.
    pub folds: Vec<FoldFacts>,
    /// The standard errors of drawn values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub standard_errors: Vec<StandardErrors>,
}

fn first_feature() -> u32 {
    1
}

fn is_first_feature(id: &u32) -> bool {
    *id == first_feature()
}

impl DatasetFacts {
    /// The remarks, each with the label in front.
    pub fn remark_lines(&self) -> impl Iterator<Item = String> {
        remark_lines(&self.label, &self.remarks)
    }

    /// The facts about a collection of which `evaluated_queries` queries were evaluated.
    pub fn new(label: &str, collection: &Collection, evaluated_queries: usize) -> Self {
        let folds = &collection.folds;
        let mut grades = vec![0; usize::from(collection.max_grade) + 1];
        for query in folds.iter().flat_map(|fold| fold.test.queries()) {
            query.grades().iter().for_each(|&grade| grades[usize::from(grade)] += 1);
        }
        DatasetFacts {
            label: label.to_owned(),
            hash: collection.hash.clone(),
            features: folds.first().map_or(0, |fold| fold.test.width()),
            first_feature_id: collection.first_feature_id,
            names: collection.names.clone(),
            max_grade: collection.max_grade,
            test_queries: folds.iter().map(|fold| fold.test.len()).sum(),
            test_documents: grades.iter().sum(),
            grades,
            evaluated_queries,
            remarks: collection.remarks.clone(),
            folds: folds.iter().map(FoldFacts::new).collect(),
            standard_errors: Vec::new(),
        }
    }

    /// The same facts, with the standard errors of drawn values.
    pub fn with_standard_errors(self, standard_errors: Vec<StandardErrors>) -> Self {
        DatasetFacts { standard_errors, ..self }
    }
}

/// Returns `LABEL: REMARK` for each remark.
pub fn remark_lines(label: &str, remarks: &[String]) -> impl Iterator<Item = String> {
    remarks.iter().map(move |remark| format!("{label}: {remark}"))
}

/// Sizes of one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoldFacts {
    /// Number of the fold.
    pub number: usize,
    /// Queries to train on.
    pub train_queries: usize,
    /// Queries to select models by.
    pub validation_queries: usize,
    /// Queries to score.
    pub test_queries: usize,
}

impl FoldFacts {
    fn new(fold: &Fold) -> Self {
        FoldFacts {
            number: fold.number,
            train_queries: fold.train.len(),
            validation_queries: fold.validation.as_ref().map_or(0, Dataset::len),
            test_queries: fold.test.len(),
        }
    }
}

/// A job and its result. What it shares with the job's [`Record`](crate::store::Record) is written
/// out in both, since serde flattens nothing into a type that refuses unknown fields, and a record
/// does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobFacts {
    /// `DATASET/foldK/RANKER`.
    pub id: String,
    /// Index of the data set in the experiment.
    pub dataset: usize,
    /// Index of the ranker in the experiment.
    pub ranker: usize,
    /// Which repeat of the ranker, from 0.
    #[serde(skip_serializing_if = "is_first", default)]
    pub repeat: usize,
    /// Hash of all inputs that altered the result.
    pub key: String,
    /// How the job ended.
    pub status: Status,
    /// Why the job failed. `None` if the job is done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The freedoms of the program of a `command`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unconfined: Vec<Freedom>,
    /// The warnings of the fit for a reader of the results.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// The setting that a tuned ranker chose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen: Option<Chosen>,
}

impl JobFacts {
    /// The number of the job's fold as a table shows it, with the number of its repeat.
    pub(crate) fn fold_name(&self) -> String {
        let fold = self.id.split('/').nth(1).and_then(|fold| fold.strip_prefix("fold")).unwrap_or_default();
        if self.repeat == 0 { fold.to_owned() } else { format!("{fold}, repeat {}", self.repeat + 1) }
    }
}

/// A candidate of a search. Its job has no part in tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CandidateFacts {
    /// The job with its result.
    pub job: JobFacts,
    /// The number of the fold.
    pub fold: usize,
    /// The number of the setting in the experiment's list, from 0. In a later rung of successive
    /// halving, the number of the place in the list; `tried` has the number of the setting.
    pub number: usize,
    /// What the candidate came to. `None` if the job failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tried: Option<Tried>,
}

fn is_first(repeat: &usize) -> bool {
    *repeat == 0
}

/// The warnings of fits, a line for each text. The line names the first job with this warning and
/// counts the other jobs.
pub fn warning_lines<'a>(told: impl Iterator<Item = (&'a str, &'a [String])>) -> Vec<String> {
    let mut lines: Vec<(&str, &str, usize)> = Vec::new();
    for (job, text) in told.flat_map(|(job, texts)| texts.iter().map(move |text| (job, text.as_str()))) {
        match lines.iter_mut().find(|(_, other, _)| *other == text) {
            Some((_, _, more)) => *more += 1,
            None => lines.push((job, text, 0)),
        }
    }
    let line = |(job, text, more): (&str, &str, usize)| match more {
        0 => format!("{job}: {text}"),
        _ => format!("{job} and {} more: {text}", counted(more, "job")),
    };
    lines.into_iter().map(line).collect()
}

impl Manifest {
    /// The lines that stand under every table, or under the tables of one data set. These lines
    /// name overridden leak guards, and programs that could read test grades or alter results.
    pub fn stamps(&self, dataset: Option<usize>) -> Vec<String> {
        let label = dataset.and_then(|index| self.datasets.get(index)).map(|facts| facts.label.as_str());
        let guards = self.guards.iter().filter(|fact| label.is_none_or(|label| fact.dataset == label));
        let mut free: BTreeMap<usize, BTreeSet<Freedom>> = BTreeMap::new();
        for job in self.jobs.iter().filter(|job| dataset.is_none_or(|dataset| job.dataset == dataset)) {
            free.entry(job.ranker).or_default().extend(&job.unconfined);
        }
        let of_ranker = |(ranker, free): (usize, BTreeSet<Freedom>)| {
            freedom::stamp(&self.experiment, ranker, &free.into_iter().collect::<Vec<_>>())
        };
        guards.filter_map(GuardFact::stamp).chain(free.into_iter().filter_map(of_ranker)).collect()
    }

    /// The conventions in force, and the standard errors of drawn values: lines that stand under
    /// every table.
    pub fn conventions_and_errors(&self) -> Vec<String> {
        let errors = self.datasets.iter().flat_map(|facts| {
            let place = format!("on {}", facts.label);
            StandardErrors::lines(&facts.standard_errors, Some(&place))
        });
        self.conventions.iter().cloned().chain(errors).collect()
    }

    /// Reads the manifest of a results folder.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let broken = |reason: String| StoreError::Content { path: store.path(MANIFEST), reason };
        match Self::examine(store)? {
            (_, Checksum::Wrong) => Err(broken(format!("{ALTERED}; run the experiment again"))),
            (Ok(_), Checksum::Missing) => Err(broken(format!("{NO_CHECKSUM}; run the experiment again"))),
            (manifest, _) => manifest.map_err(broken),
        }
    }

    /// Reads the manifest of a results folder even if it was altered. Returns the manifest, or why
    /// the manifest cannot be used, and whether it was altered.
    ///
    /// # Errors
    /// If the manifest does not exist or cannot be read.
    pub fn examine(store: &Store) -> Result<(Result<Self, String>, Checksum), StoreError> {
        let content = store.read(MANIFEST)?.ok_or_else(|| StoreError::Content {
            path: store.path(MANIFEST),
            reason: "there is no such file: not a results folder, or a run that has not ended; run the experiment"
                .to_owned(),
        })?;
        match read_checked(&content) {
            Err(reason) => Ok((Err(format!("{reason}; run the experiment again")), Checksum::Missing)),
            Ok((value, checksum)) => Ok((Self::of_value(value), checksum)),
        }
    }

    fn of_value(value: Value) -> Result<Self, String> {
        match value.get("format").and_then(|format| format.as_str()) {
            Some(FORMAT) => {}
            other => return Err(foreign(other)),
        }
        let manifest: Self =
            serde_json::from_value(value).map_err(|error| format!("not a manifest of this version: {error}"))?;
        if manifest.is_consistent() { Ok(manifest) } else { Err("its parts do not fit each other".to_owned()) }
    }

    /// Whether the data sets and jobs are as in the experiment. Every reader of the folder relies
    /// on this rule.
    fn is_consistent(&self) -> bool {
        let labels = self.experiment.datasets.iter().map(|dataset| &dataset.label);
        let rankers = self.experiment.rankers.len();
        self.datasets.iter().map(|dataset| &dataset.label).eq(labels)
            && self.all_jobs().all(|job| job.dataset < self.datasets.len() && job.ranker < rankers)
            && self.candidates.iter().all(|candidate| self.setting(candidate).is_some())
    }

    /// All jobs of the run, candidates of searches last.
    pub fn all_jobs(&self) -> impl Iterator<Item = &JobFacts> {
        self.jobs.iter().chain(self.candidates.iter().map(|candidate| &candidate.job))
    }

    /// The setting of a candidate. That of a candidate of a later rung is known by its result only.
    pub fn setting(&self, candidate: &CandidateFacts) -> Option<&Setting> {
        let number = candidate.tried.as_ref().and_then(|tried| tried.number).unwrap_or(candidate.number);
        self.experiment.rankers.get(candidate.job.ranker)?.tune.as_ref()?.settings.get(number)
    }

    /// Whether a job of this ranker failed on this data set. A candidate of a search may fail.
    pub fn failed(&self, dataset: usize, ranker: usize) -> bool {
        self.jobs.iter().any(|job| job.dataset == dataset && job.ranker == ranker && job.status == Status::Failed)
    }

    /// Facts about each data set that are known before its values are read.
    pub fn shapes(&self) -> Vec<DataShape> {
        let rankers: Vec<String> = self.experiment.rankers.iter().map(|ranker| ranker.label.clone()).collect();
        let shape = |(index, dataset): (usize, &DatasetFacts)| DataShape {
            name: dataset.label.clone(),
            failed: (0..rankers.len()).map(|ranker| self.failed(index, ranker)).collect(),
            rankers: rankers.clone(),
            halves: self.experiment.query_sets.halves,
        };
        self.datasets.iter().enumerate().map(shape).collect()
    }
}

/// The error for a manifest of another format.
fn foreign(format: Option<&str>) -> String {
    match format {
        Some(study) if study.starts_with("fivefold-study/") => {
            "the folder holds a study of measures, not a run of rankers; give the folder of an experiment with rankers"
                .to_owned()
        }
        Some(other) => format!(
            "its format is \"{other}\", written by another version; this program reads \"{FORMAT}\": run the experiment again"
        ),
        None => format!(
            "the manifest names no format (this program reads \"{FORMAT}\"): the folder is not a results \
            folder of fivefold"
        ),
    }
}

/// The hash that [`Manifest::result`] holds, from the hashes of the evaluation files.
pub fn result_hash(files: &[String]) -> String {
    crate::store::hash(files.concat().as_bytes())
}

/// The hash of the evaluation files in a folder. A missing file counts as empty, and the file of
/// single repeats counts only if it exists.
pub fn stored_result(store: &Store) -> Result<String, StoreError> {
    let mut hashes = Vec::with_capacity(RESULT_FILES.len() + 1);
    for file in RESULT_FILES {
        hashes.push(store.hash_of(file)?.unwrap_or_else(|| crate::store::hash(b"")));
    }
    hashes.extend(store.hash_of(values::PER_SEED)?);
    Ok(result_hash(&hashes))
}

/// The evaluation files of every run, in the order in which they are hashed.
pub const RESULT_FILES: [&str; 2] = [values::QUERIES, values::PER_QUERY];

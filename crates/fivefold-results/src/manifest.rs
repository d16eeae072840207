//! `manifest.json`: what a results folder was made from. The same run writes the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use fivefold_base::words::counted;
use fivefold_core::Dataset;
use fivefold_data::{Collection, Fold};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::checksum::{ALTERED, Checksum, NO_CHECKSUM, read_checked};
use crate::config::Experiment;
use crate::freedom::{self, Freedom};
use crate::guards::GuardFact;
use crate::store::{Status, Store, StoreError};
use crate::values::{self, Shape};

/// File name in the results folder.
pub const MANIFEST: &str = "manifest.json";

/// Format of the results folder.
pub const FORMAT: &str = "fivefold-results/1";

/// What a results folder was made from.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the program.
    pub version: String,
    /// The experiment with every default filled in.
    pub experiment: Experiment,
    /// One a data set, in the order of the experiment.
    pub datasets: Vec<DatasetFacts>,
    /// Every convention in force, a line each, to be printed under tables.
    pub conventions: Vec<String>,
    /// By what the keys of the jobs know code that is not built in, and what they trust without seeing it, a line each.
    #[serde(default)]
    pub trusted: Vec<String>,
    /// What leak guards found: warnings, and what was overridden.
    #[serde(default)]
    pub guards: Vec<GuardFact>,
    /// The jobs with the keys of their results.
    pub jobs: Vec<JobFacts>,
    /// Hash of the evaluation (`queries.csv` and `per_query.csv`).
    pub result: String,
}

/// What a collection holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetFacts {
    /// Label in the experiment.
    pub label: String,
    /// Hash of the content.
    pub hash: String,
    /// Features a document.
    pub features: usize,
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
    /// What a reader of the results should know of the collection.
    pub remarks: Vec<String>,
    /// Folds.
    pub folds: Vec<FoldFacts>,
}

impl DatasetFacts {
    /// The remarks, each after the label.
    pub fn remark_lines(&self) -> impl Iterator<Item = String> {
        remark_lines(&self.label, &self.remarks)
    }

    /// The facts of a collection of which so many queries were evaluated.
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
            max_grade: collection.max_grade,
            test_queries: folds.iter().map(|fold| fold.test.len()).sum(),
            test_documents: grades.iter().sum(),
            grades,
            evaluated_queries,
            remarks: collection.remarks.clone(),
            folds: folds.iter().map(FoldFacts::new).collect(),
        }
    }
}

/// `LABEL: REMARK`, once for each.
pub fn remark_lines(label: &str, remarks: &[String]) -> impl Iterator<Item = String> {
    remarks.iter().map(move |remark| format!("{label}: {remark}"))
}

/// Sizes of one fold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FoldFacts {
    /// Its number.
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

/// A job and its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobFacts {
    /// `DATASET/foldK/RANKER`.
    pub id: String,
    /// Index of the data set in the experiment.
    pub dataset: usize,
    /// Index of the ranker in the experiment.
    pub ranker: usize,
    /// Hash over everything that altered the result.
    pub key: String,
    /// How it ended.
    pub status: Status,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// What the program of a `command` was free to do beyond what it was given.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unconfined: Vec<Freedom>,
    /// What its fit told, and a reader of its results should know.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
}

/// What fits told, a line for each text that names the first job that told it and counts the others.
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
    /// The lines that stand under every table, or under those of one data set: leak guards that were overridden, and programs that could
    /// come by test grades.
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

    /// Reads the manifest of a results folder.
    pub fn read(store: &Store) -> Result<Self, StoreError> {
        let broken = |reason: String| StoreError::Content { path: store.path(MANIFEST), reason };
        match Self::examine(store)? {
            (_, Checksum::Wrong) => Err(broken(format!("{ALTERED}; run the experiment again"))),
            (Ok(_), Checksum::Missing) => Err(broken(format!("{NO_CHECKSUM}; run the experiment again"))),
            (manifest, _) => manifest.map_err(broken),
        }
    }

    /// The manifest of a results folder, altered or not, or why it cannot be used; and whether it was altered.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
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

    /// Whether data sets and jobs are those of the experiment, on which everything that reads the folder relies.
    fn is_consistent(&self) -> bool {
        let labels = self.experiment.datasets.iter().map(|dataset| &dataset.label);
        let rankers = self.experiment.rankers.len();
        self.datasets.iter().map(|dataset| &dataset.label).eq(labels)
            && self.jobs.iter().all(|job| job.dataset < self.datasets.len() && job.ranker < rankers)
    }

    /// Whether a job of this ranker failed on this data set.
    pub fn failed(&self, dataset: usize, ranker: usize) -> bool {
        self.jobs.iter().any(|job| job.dataset == dataset && job.ranker == ranker && job.status == Status::Failed)
    }

    /// What is known of each data set before its values are read.
    pub fn shapes(&self) -> Vec<Shape> {
        let rankers: Vec<String> = self.experiment.rankers.iter().map(|ranker| ranker.label.clone()).collect();
        let shape = |(index, dataset): (usize, &DatasetFacts)| Shape {
            name: dataset.label.clone(),
            failed: (0..rankers.len()).map(|ranker| self.failed(index, ranker)).collect(),
            rankers: rankers.clone(),
            halves: self.experiment.query_sets.halves,
        };
        self.datasets.iter().enumerate().map(shape).collect()
    }
}

/// What is said of a manifest of another format.
fn foreign(format: Option<&str>) -> String {
    match format {
        Some(study) if study.starts_with("fivefold-study/") => {
            "the folder holds a study of measures, not a run of rankers; give the folder of an experiment with rankers"
                .to_owned()
        }
        Some(other) => format!(
            "its format is \"{other}\", written by another version; this program reads \"{FORMAT}\": run the experiment again"
        ),
        None => format!("it names no format; this program reads \"{FORMAT}\": not a results folder of fivefold"),
    }
}

/// The hash that [`Manifest::result`] holds, of the two files as they are.
pub fn result_hash(files: &[String; 2]) -> String {
    crate::store::hash(files.concat().as_bytes())
}

/// The hash of the two files as they lie in a folder; a file that is not there counts as empty.
pub fn stored_result(store: &Store) -> Result<String, StoreError> {
    let mut hashes = [String::new(), String::new()];
    for (found, file) in hashes.iter_mut().zip(RESULT_FILES) {
        *found = store.hash_of(file)?.unwrap_or_else(|| crate::store::hash(b""));
    }
    Ok(result_hash(&hashes))
}

/// The evaluation files that the hash is about, in order.
pub const RESULT_FILES: [&str; 2] = [values::QUERIES, values::PER_QUERY];

//! Checks a results folder: everything in it is derived again from its inputs and compared.
//!
//! - From the folder alone: the manifest is compared with its own hash, the job records with the
//!   manifest, every file with its hash, and the values with the result hash.
//! - With the data: the data are compared with the manifest, and the inputs of every job with its
//!   record. Scores are compared with the saved models, or with the score files that were read.
//!   Values are compared with the scores, and the result hash with these values.
//!
//! Nothing is trained again. So only a second run into another folder shows whether a model is the
//! model that its ranker makes from the data. Whatever cannot be checked is counted, with the
//! reason.

mod data;
mod folder;
mod others;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fivefold_analysis::evaluation::Evaluation;
use fivefold_core::Registry;
use fivefold_data::Cache;
use fivefold_results::checksum::{ALTERED, Checksum, NO_CHECKSUM};
use fivefold_results::config::Experiment;
use fivefold_results::manifest::{MANIFEST, Manifest, RESULT_FILES};
use fivefold_results::paths::{model_file, record_file, scores_file};
use fivefold_results::store::Store;
use fivefold_results::values::PER_SEED;
use serde::Serialize;

use crate::error::RunError;
pub use others::other_files;

/// The number of differences that a check keeps. Further differences are only counted.
const MOST: usize = 20;

/// The options of a verification.
///
/// ```
/// use fivefold_experiment::{RunOptions, VerifyOptions, run, verify};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment. With its data at hand, scores are derived from them once more.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let out = folder.path().join("results");
/// run(&experiment, &registry, &RunOptions::new(&out))?;
/// let options = VerifyOptions { folders: Some(vec![folder.path().to_owned()]), ..VerifyOptions::default() };
/// let [with, without] = [options, VerifyOptions::default()].map(|options| verify(&out, &registry, &options));
/// let passed = |checks: &[fivefold_experiment::verify::Check]| checks.iter().map(|check| check.ok).sum::<usize>();
/// assert!(passed(&with?.checks) > passed(&without?.checks));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct VerifyOptions<'a> {
    /// An experiment that names the places of data and score files, in place of the manifest.
    pub places: Option<&'a Experiment>,
    /// The folders in which relative paths of the experiment are looked for, in this order. `None`:
    /// verify without the data.
    pub folders: Option<Vec<PathBuf>>,
    /// A cache for the data that are read.
    pub cache: Option<Cache>,
    /// Number of threads. 0: a thread for each processor.
    pub threads: usize,
}

/// The result of a verification.
///
/// ```
/// use fivefold_experiment::{RunOptions, VerifyOptions, run, verify};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment, of whose results somebody alters one.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let out = folder.path().join("results");
/// run(&experiment, &registry, &RunOptions::new(&out))?;
/// let values = std::fs::read_to_string(out.join("per_query.csv"))?;
/// std::fs::write(out.join("per_query.csv"), values.replacen(",1", ",0", 1))?;
/// let found = verify(&out, &registry, &VerifyOptions::default())?;
/// assert!(found.checks.iter().any(|check| check.differ > 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verification {
    /// The manifest of the folder. `None` if it cannot be read.
    pub manifest: Option<Manifest>,
    /// The values of the folder. `None` if they cannot be read.
    pub evaluation: Option<Evaluation>,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The files of the run. Files of its report are not included.
    pub files: BTreeSet<String>,
}

/// A check of all things of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Name of the check.
    pub name: &'static str,
    /// How many things are as the run made them.
    pub ok: usize,
    /// How many things differ.
    pub differ: usize,
    /// The first differences.
    pub differences: Vec<Mismatch>,
    /// The things that could not be checked.
    pub unchecked: Vec<Unchecked>,
}

/// A thing that the run did not make so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mismatch {
    /// The file.
    pub file: String,
    /// The place in the file, the content found there, and the content expected there.
    pub what: String,
}

/// Things that could not be checked, for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Unchecked {
    /// How many things.
    pub count: usize,
    /// The reason.
    pub reason: String,
    /// Whether something is missing: data, a ranker, a file. If `false`, the things cannot be
    /// checked in principle.
    pub missing: bool,
}

impl Check {
    /// A check that has counted nothing yet.
    pub fn new(name: &'static str) -> Self {
        Check { name, ok: 0, differ: 0, differences: Vec::new(), unchecked: Vec::new() }
    }

    /// Counts a thing that is as the run made it.
    pub fn passed(&mut self) {
        self.ok += 1;
    }

    /// Counts a thing that differs.
    pub fn failed(&mut self, file: impl Into<String>, what: impl Into<String>) {
        self.differ += 1;
        if self.differences.len() < MOST {
            self.differences.push(Mismatch { file: file.into(), what: what.into() });
        }
    }

    /// Counts a thing: `Ok` if it is as the run made it, `Err` if it differs.
    pub fn add(&mut self, file: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed(),
            Err(what) => self.failed(file, what),
        }
    }

    /// Counts things that cannot be checked because something is missing.
    pub fn lacking(&mut self, count: usize, reason: impl Into<String>) {
        self.leave(count, reason.into(), true);
    }

    /// Counts things that cannot be checked in principle.
    pub(crate) fn beyond(&mut self, count: usize, reason: &str) {
        self.leave(count, reason.to_owned(), false);
    }

    fn leave(&mut self, count: usize, reason: String, missing: bool) {
        match self.unchecked.iter_mut().find(|unchecked| unchecked.reason == reason) {
            Some(unchecked) => unchecked.count += count,
            None if count > 0 => self.unchecked.push(Unchecked { count, reason, missing }),
            None => {}
        }
    }
}

/// Checks the results folder of a run.
///
/// ```
/// use fivefold_experiment::{RunOptions, VerifyOptions, run, verify};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let out = folder.path().join("results");
/// run(&experiment, &registry, &RunOptions::new(&out))?;
/// let found = verify(&out, &registry, &VerifyOptions::default())?;
/// assert!(found.checks.iter().any(|check| check.ok > 0) && found.checks.iter().all(|check| check.differ == 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the folder has no manifest. Any other fault is a difference, not an error.
pub fn verify(folder: &Path, registry: &Registry, options: &VerifyOptions<'_>) -> Result<Verification, RunError> {
    let store = Store::new(folder);
    let (manifest, checksum) = Manifest::examine(&store)?;
    let mut whole = manifest_check(checksum);
    if let Err(reason) = &manifest
        && checksum != Checksum::Wrong
    {
        whole = Check::new(whole.name);
        whole.failed(MANIFEST, reason);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RunError::Threads(error.to_string()))?;
    let mut files: BTreeSet<String> = RESULT_FILES.into_iter().chain([MANIFEST]).map(str::to_owned).collect();
    let Ok(manifest) = manifest else {
        let (records, outputs) = pool.install(|| folder::records_alone(&store))?;
        let mut left = Check::new("all that the manifest tells");
        left.lacking(1, "the manifest cannot be read");
        return Ok(Verification {
            manifest: None,
            evaluation: None,
            checks: vec![whole, records, outputs, left],
            files,
        });
    };
    if (0..manifest.experiment.rankers.len()).any(|ranker| manifest.experiment.repeats_of(ranker) > 1) {
        files.insert(PER_SEED.to_owned());
    }
    pool.install(|| {
        let (records, outputs, kept) = folder::records(&manifest, &store);
        let (values, evaluation) = folder::values(&manifest, &store);
        for (job, record) in manifest.all_jobs().zip(&kept) {
            files.insert(record_file(&job.id));
            match record {
                Some(record) => files.extend(record.outputs.keys().cloned()),
                None => files.extend([scores_file(&job.id), model_file(&job.id)]),
            }
        }
        let mut checks = vec![whole, records, outputs, values];
        if let Some(folders) = &options.folders {
            let experiment = manifest.experiment.clone();
            let experiment = options.places.map_or(experiment.clone(), |places| experiment.with_places_of(places));
            let experiment = experiment.with_folders(folders.clone()).with_cache(options.cache.clone());
            checks.extend(data::checks(&data::Case {
                manifest: &manifest,
                experiment: &experiment,
                store: &store,
                registry,
                records: &kept,
                evaluation: evaluation.as_ref(),
            }));
        }
        Ok(Verification { manifest: Some(manifest), evaluation, checks, files })
    })
}

/// The check of a manifest's hash.
pub fn manifest_check(checksum: Checksum) -> Check {
    let mut check = Check::new("manifest");
    match checksum {
        Checksum::Valid => check.passed(),
        Checksum::Wrong => check.failed(MANIFEST, ALTERED),
        Checksum::Missing => check.failed(MANIFEST, NO_CHECKSUM),
    }
    check
}

/// The content of a file of the folder. The error names the fault of the file.
fn content(store: &Store, file: &str) -> Result<Vec<u8>, String> {
    match store.read(file) {
        Ok(Some(content)) => Ok(content),
        Ok(None) => Err("there is no such file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

//! Checks a results folder: everything in it is derived again from what it was made of, and compared.
//!
//! - From the folder alone: the manifest against the hash that stands in it, the records of the jobs against the manifest,
//!   every file against its hash, the values against the result hash.
//! - With the data: what the manifest says of them, the inputs of every job, scores from the saved models (or from the
//!   score files that were read), values from the scores, and the result hash from those values.
//!
//! Nothing is trained again: whether a model is what its ranker makes of the data, only a second run into another folder
//! shows. What cannot be checked is counted, with the reason.

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
use serde::Serialize;

use crate::error::RunError;
pub use others::other_files;

/// Differences of one check that are kept; the others are counted.
const MOST: usize = 20;

/// How to verify.
#[derive(Default)]
pub struct VerifyOptions<'a> {
    /// An experiment that says where data and score files are, instead of the manifest.
    pub places: Option<&'a Experiment>,
    /// Where relative paths of the experiment are looked for, the first first; `None`: check without the data.
    pub folders: Option<Vec<PathBuf>>,
    /// A cache for what is read.
    pub cache: Option<Cache>,
    /// Threads; 0: one a processor.
    pub threads: usize,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The manifest of the folder, if it can be read.
    pub manifest: Option<Manifest>,
    /// The values of the folder, if they can be read.
    pub evaluation: Option<Evaluation>,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
    /// The files that belong to the run, but for those of its report.
    pub files: BTreeSet<String>,
}

/// One kind of thing that was checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// How many are as they were made.
    pub ok: usize,
    /// How many are not.
    pub differ: usize,
    /// The first of them.
    pub differences: Vec<Difference>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
}

/// Something that is not as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The file.
    pub file: String,
    /// Where in it, what stands there, what should.
    pub what: String,
}

/// Things that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// How many.
    pub count: usize,
    /// Why.
    pub reason: String,
    /// Whether something was missing: data, a ranker, a file. If not, it cannot be checked in principle.
    pub missing: bool,
}

impl Check {
    /// A check of nothing yet.
    pub fn new(name: &'static str) -> Self {
        Check { name, ok: 0, differ: 0, differences: Vec::new(), unchecked: Vec::new() }
    }

    /// One more that is as it was made.
    pub fn passed(&mut self) {
        self.ok += 1;
    }

    /// One more that is not.
    pub fn failed(&mut self, file: impl Into<String>, what: impl Into<String>) {
        self.differ += 1;
        if self.differences.len() < MOST {
            self.differences.push(Difference { file: file.into(), what: what.into() });
        }
    }

    /// One more, which is as it was made or not.
    pub fn add(&mut self, file: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed(),
            Err(what) => self.failed(file, what),
        }
    }

    /// Some that cannot be checked because something is missing.
    pub fn lacking(&mut self, count: usize, reason: impl Into<String>) {
        self.leave(count, reason.into(), true);
    }

    /// Some that cannot be checked in principle.
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
/// # Errors
/// A folder without a manifest; anything else that is wrong is a difference.
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
    pool.install(|| {
        let (records, outputs, kept) = folder::records(&manifest, &store);
        let (values, evaluation) = folder::values(&manifest, &store);
        for (job, record) in manifest.jobs.iter().zip(&kept) {
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

/// Whether a manifest has the hash that stands in it.
pub fn manifest_check(checksum: Checksum) -> Check {
    let mut check = Check::new("manifest");
    match checksum {
        Checksum::Valid => check.passed(),
        Checksum::Wrong => check.failed(MANIFEST, ALTERED),
        Checksum::Missing => check.failed(MANIFEST, NO_CHECKSUM),
    }
    check
}

/// The content of a file of the folder, or what is wrong with it.
fn content(store: &Store, file: &str) -> Result<Vec<u8>, String> {
    match store.read(file) {
        Ok(Some(content)) => Ok(content),
        Ok(None) => Err("there is no such file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

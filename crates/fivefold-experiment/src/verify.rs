//! Checks a results folder: everything in it is derived again from what it was made of, and compared.
//!
//! From the folder alone: the records of the jobs against the manifest, every file against its hash, the values against the
//! result hash. With the data: what the manifest says of them and the inputs of every job, scores from the saved models (or
//! from the score files that were read), values from the scores, and the result hash from those values. Nothing is trained
//! again: that a model is what its ranker makes of the data shows a second run into another folder. What cannot be checked
//! is counted, with the reason.

mod data;
mod folder;

use std::path::{Path, PathBuf};

use fivefold_core::Registry;
use fivefold_data::Cache;
use serde::Serialize;

use crate::evaluation::Evaluation;
use crate::manifest::Manifest;
use crate::run::RunError;
use crate::store::Store;

/// Differences of one check that are kept; the others are counted.
const MOST: usize = 20;

/// How to verify.
#[derive(Default)]
pub struct VerifyOptions {
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
    /// The manifest of the folder.
    pub manifest: Manifest,
    /// The values of the folder, if they can be read.
    pub evaluation: Option<Evaluation>,
    /// The checks, in the order in which they were made.
    pub checks: Vec<Check>,
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
/// A folder without a manifest of a run; anything else that is wrong is a difference.
pub fn verify(folder: &Path, registry: &Registry, options: &VerifyOptions) -> Result<Verification, RunError> {
    let store = Store::new(folder);
    let manifest = Manifest::read(&store)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RunError::Threads(error.to_string()))?;
    pool.install(|| {
        let (records, files, kept) = folder::records(&manifest, &store);
        let (values, evaluation) = folder::values(&manifest, &store);
        let mut checks = vec![records, files, values];
        if let Some(folders) = &options.folders {
            let experiment =
                manifest.experiment.clone().with_folders(folders.clone()).with_cache(options.cache.clone());
            checks.extend(data::checks(&data::Case {
                manifest: &manifest,
                experiment: &experiment,
                store: &store,
                registry,
                records: &kept,
                evaluation: evaluation.as_ref(),
            }));
        }
        Ok(Verification { manifest, evaluation, checks })
    })
}

/// The content of a file of the folder, or what is wrong with it.
fn content(store: &Store, file: &str) -> Result<Vec<u8>, String> {
    match store.read(file) {
        Ok(Some(content)) => Ok(content),
        Ok(None) => Err("there is no such file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

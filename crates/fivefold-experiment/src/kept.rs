//! The records of a run's jobs in memory, where no other program can alter them.
//!
//! During a run a program may write into the results folder, for example a `command` of the
//! experiment. So the run remembers the hash of each file that it wrote or reuses. Before the
//! evaluation the run checks these hashes.

use std::collections::BTreeMap;

use fivefold_data::ScoreError;
use fivefold_results::paths::record_file;
use fivefold_results::store::{Record, Store, StoreError, hash, json_text};
use rayon::prelude::*;

use crate::error::RunError;
use crate::plan::Job;

/// The records of the jobs of a run, by id.
#[derive(Default)]
pub(crate) struct Kept {
    records: BTreeMap<String, Record>,
}

impl Kept {
    pub(crate) fn keep(&mut self, record: Record) {
        self.records.insert(record.id.clone(), record);
    }

    /// The record of a job. `None` if the job has not ended.
    pub(crate) fn record(&self, job: &Job) -> Option<&Record> {
        self.records.get(&job.id)
    }

    /// Checks that no file changed. The error names all files that changed.
    pub(crate) fn check(&self, store: &Store) -> Result<(), RunError> {
        let altered: Vec<Vec<String>> =
            self.records.par_iter().map(|(_, record)| altered(record, store)).collect::<Result<_, StoreError>>()?;
        let altered = altered.concat();
        if altered.is_empty() { Ok(()) } else { Err(RunError::Altered { files: altered }) }
    }

    /// The scores of a job. An error if their hash is not the hash in the record.
    pub(crate) fn scores(&self, store: &Store, job: &Job, documents: usize) -> Result<Vec<f64>, RunError> {
        let file = job.scores_file();
        let content = store.read(&file)?.unwrap_or_default();
        let expected = self.records.get(&job.id).and_then(|record| record.outputs.get(&file));
        if expected != Some(&hash(&content)) {
            return Err(RunError::Altered { files: vec![file] });
        }
        // The hash shows that this program wrote the file, so every line is a number.
        let text = String::from_utf8_lossy(&content);
        let scores: Vec<f64> = text.lines().filter_map(|line| line.parse().ok()).collect();
        if scores.len() != documents {
            return Err(ScoreError::Count { file: store.path(&file), found: scores.len(), expected: documents }.into());
        }
        Ok(scores)
    }
}

/// The files of a job that differ from its record. The file of the record itself may be among them.
fn altered(record: &Record, store: &Store) -> Result<Vec<String>, StoreError> {
    let mut files = Vec::new();
    let own = record_file(&record.id);
    if store.read(&own)? != json_text(record).ok() {
        files.push(own);
    }
    for (file, expected) in &record.outputs {
        if store.read(file)?.is_none_or(|content| hash(&content) != *expected) {
            files.push(file.clone());
        }
    }
    Ok(files)
}

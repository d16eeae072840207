//! `FOLDER.log.json`, beside the results folder: times and machine facts, which differ from run to run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::store::{Store, StoreError};

/// Times of the last run of each job, and where the last run took place.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunLog {
    /// Operating system and processor family.
    pub machine: String,
    /// Processors of the machine.
    pub processors: usize,
    /// Threads of the last run.
    pub threads: usize,
    /// Seconds of the last run, evaluation and reading included.
    pub seconds: f64,
    /// Seconds of each job when it was last done.
    pub jobs: BTreeMap<String, f64>,
}

impl RunLog {
    /// The log of a folder, or an empty one: it is for information only.
    pub(crate) fn read(store: &Store, threads: usize) -> Self {
        let old = std::fs::read(store.log_path()).ok();
        let old: Option<RunLog> = old.and_then(|content| serde_json::from_slice(&content).ok());
        RunLog {
            machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            threads,
            ..old.unwrap_or_default()
        }
    }

    pub(crate) fn add(&mut self, job: &str, seconds: f64) {
        self.jobs.insert(job.to_owned(), seconds);
    }

    pub(crate) fn write(&mut self, store: &Store, seconds: f64) -> Result<(), StoreError> {
        self.seconds = seconds;
        let path = store.log_path();
        if let Some(parent) = path.parent() {
            // A failure shows in the write.
            let _ = std::fs::create_dir_all(parent);
        }
        let content = serde_json::to_vec_pretty(self).unwrap_or_default();
        std::fs::write(&path, content).map_err(|source| StoreError::Io { action: "write", path, source })
    }
}

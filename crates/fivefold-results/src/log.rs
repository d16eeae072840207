//! `FOLDER.log.json` is beside the results folder. The log holds times and facts about the machine,
//! which differ between runs.
//!
//! The seconds of a job are the CPU time of its own work: of its fit in all threads, of its scores,
//! and of a program that does the job. Reading and normalising data, which jobs share, are in no
//! job's time. If the system does not tell a CPU time, the time on the clock takes its place.
//!
//! During a run, a line in `FOLDER/.times` holds the seconds of each job. The line is written
//! before the job's record, so a killed run loses no times. Several processes can add lines. The
//! end of a run moves the lines into the log.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};

use fivefold_data::input;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::store::{Store, StoreError, replace};

/// File of the results folder with a line for each job that ended since the log was written.
pub(crate) const TIMES: &str = ".times";

/// Times of the last run of each job, and facts about the machine of the last run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RunLog {
    /// Path of the experiment file. By this path a folder is known to belong to the experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiment: Option<String>,
    /// Operating system and processor family.
    pub machine: String,
    /// Processors of the machine.
    pub processors: usize,
    /// Threads of the last run.
    pub threads: usize,
    /// Seconds of the last run on the clock, evaluation and reading included.
    pub seconds: f64,
    /// Seconds of CPU time of each job when it was last done.
    pub jobs: BTreeMap<String, f64>,
    /// Bytes that each job was estimated to need beside the data, when it was last done.
    pub bytes: BTreeMap<String, u64>,
}

/// A line of [`TIMES`].
#[derive(Serialize, Deserialize)]
struct Time {
    job: String,
    seconds: f64,
    /// Runs of earlier versions wrote none.
    #[serde(default)]
    bytes: Option<u64>,
}

/// Writes down the seconds of CPU time that a job took, and the bytes that it was estimated to need
/// beside the data.
pub fn note_cost(store: &Store, job: &str, seconds: f64, bytes: Option<u64>) -> Result<(), StoreError> {
    let line = serde_json::to_string(&Time { job: job.to_owned(), seconds, bytes }).unwrap_or_default() + "\n";
    let path = store.path(TIMES);
    // A single write appends the line, so lines of several processes do not mix.
    let written = input::edit_own(&path, File::options().append(true).create(true))
        .and_then(|mut file| file.write_all(line.as_bytes()));
    written.map_err(|source| StoreError::Io { action: "write", path, source })
}

impl RunLog {
    /// Returns the stored log with the times of later jobs added. If no log can be read, the log is
    /// empty, because a log is for information only.
    pub fn so_far(store: &Store) -> Self {
        let threads = Self::stored(store).ok().flatten().map_or(0, |log| log.threads);
        Self::read(store, threads)
    }

    /// As [`so_far`](Self::so_far), of a run with this number of threads.
    fn read(store: &Store, threads: usize) -> Self {
        let old = Self::stored(store).ok().flatten();
        let mut log = RunLog {
            machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            threads,
            ..old.unwrap_or_default()
        };
        let lines = input::read_own(&store.path(TIMES), input::MOST_TEXT).unwrap_or_default();
        let lines = String::from_utf8_lossy(&lines);
        // A full disk can cut a line short. Such a line is skipped.
        for time in lines.lines().filter_map(|line| serde_json::from_str::<Time>(line).ok()) {
            log.bytes.extend(time.bytes.map(|bytes| (time.job.clone(), bytes)));
            log.jobs.insert(time.job, time.seconds);
        }
        log
    }

    /// Returns the log that stands beside a folder. `None` if there is no log.
    ///
    /// # Errors
    /// If the file beside the folder is not a log.
    pub fn stored(store: &Store) -> Result<Option<Self>, StoreError> {
        let path = store.log_path();
        // A pipe or a device is not a log either.
        let content = match input::read_own(&path, input::MOST_TEXT) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            content => content.unwrap_or_default(),
        };
        let value: Option<Value> = serde_json::from_slice(&content).ok();
        // Every log has these two keys. A file without them was not written as a log.
        let log = value.filter(|value| ["machine", "jobs"].iter().all(|key| value.get(key).is_some()));
        let log = log.and_then(|value| serde_json::from_value(value).ok());
        let reason = "is no log of a run and was not changed; move the file away".to_owned();
        log.map(Some).ok_or(StoreError::Content { path, reason })
    }

    /// The experiment file that the results in the folder come from, if the log names it.
    pub fn source(store: &Store) -> Option<String> {
        Self::stored(store).ok().flatten()?.experiment
    }

    /// Writes the experiment file of the coming results into the log.
    pub(crate) fn note_source(store: &Store, source: &str) -> Result<(), StoreError> {
        let old = Self::stored(store)?;
        if old.as_ref().is_some_and(|old| old.experiment.as_deref() == Some(source)) {
            return Ok(());
        }
        store.prepare()?;
        RunLog { experiment: Some(source.to_owned()), ..old.unwrap_or_default() }.write(store)
    }

    fn write(&self, store: &Store) -> Result<(), StoreError> {
        Self::stored(store)?;
        let path = store.log_path();
        let content = serde_json::to_vec_pretty(self).unwrap_or_default();
        let written = match replace(&path, &store.partial(), |file| file.write_all(&content)) {
            // The results folder may be a mounted file system, from which a file cannot be moved to
            // its parent folder.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                let _ = fs::remove_file(&path);
                File::create_new(&path).and_then(|mut file| file.write_all(&content))
            }
            written => written,
        };
        written.map_err(|source| StoreError::Io { action: "write", path, source })
    }

    /// Moves the times of jobs that ended since the last log into the log. Only one process may do
    /// so at a time.
    pub fn update(store: &Store, threads: usize, seconds: f64) -> Result<(), StoreError> {
        let written = RunLog { seconds, ..RunLog::read(store, threads) }.write(store);
        // The file of times is removed even if no log could be written, because the content of the
        // folder must not depend on the log.
        let removed = match fs::remove_file(store.path(TIMES)) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { action: "remove", path: store.path(TIMES), source })
            }
            _ => Ok(()),
        };
        written.and(removed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_runs_that_did_not_end_are_kept_and_the_last_counts() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::new(root.path().join("x"));
        store.prepare().unwrap();
        note_cost(&store, "a", 1.0, Some(7)).unwrap();
        note_cost(&store, "b", 2.0, None).unwrap();
        RunLog::update(&store, 3, 9.0).unwrap();
        assert!(!store.path(TIMES).exists());
        note_cost(&store, "a", 4.0, Some(5)).unwrap();
        // The disk was full half way through this line.
        File::options().append(true).open(store.path(TIMES)).unwrap().write_all(b"{\"job\":\"c\"").unwrap();
        RunLog::update(&store, 1, 8.0).unwrap();
        let log: RunLog = serde_json::from_slice(&fs::read(store.log_path()).unwrap()).unwrap();
        assert_eq!((log.threads, log.seconds), (1, 8.0));
        assert_eq!(log.jobs, BTreeMap::from([("a".to_owned(), 4.0), ("b".to_owned(), 2.0)]));
        assert_eq!(log.bytes, BTreeMap::from([("a".to_owned(), 5)]));
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2, "the folder and its log");
    }
}

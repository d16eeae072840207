//! Checkpoints of fits in the results folder: `.rounds/JOB.json`. A job that was stopped goes on
//! from its checkpoint, in the next run or in another process.
//!
//! The first line of the file names the job's key, the setting or the features of its search, and the
//! hash of the rest. The key holds everything that alters the fit (data, parameters, seed, version of the
//! ranker), so a checkpoint of anything else is never taken. A job that ends removes its checkpoint.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fivefold_core::Checkpoints;
use fivefold_results::store::{ROUNDS, Store, StoreError, hash};
use serde::{Deserialize, Serialize};

use crate::observer::Observer;
use crate::plan::{Job, Settled};

/// The time between two checkpoints of a fit, unless a run says otherwise.
///
/// ```
/// use fivefold_experiment::{CHECKPOINT_EVERY, RunOptions};
///
/// assert_eq!(RunOptions::new("results").checkpoint_every, CHECKPOINT_EVERY);
/// ```
pub const CHECKPOINT_EVERY: Duration = Duration::from_secs(180);

/// Where checkpoints are kept, and how often.
#[derive(Debug, Clone)]
pub(crate) struct Keeping {
    /// The results folder.
    pub store: Store,
    /// The time between two checkpoints.
    pub every: Duration,
}

impl Keeping {
    /// Removes the checkpoint of a job that has ended.
    pub(crate) fn forget(&self, job: &Job) -> Result<(), StoreError> {
        self.store.remove(&file(job))
    }
}

/// The checkpoint of a job.
fn file(job: &Job) -> String {
    format!("{ROUNDS}/{}.json", job.id)
}

/// The first line of a checkpoint.
#[derive(PartialEq, Serialize, Deserialize)]
struct Head {
    key: String,
    settled: Settled,
    hash: String,
}

/// The checkpoints of one fit.
pub(crate) struct FitCheckpoints<'a> {
    keeping: &'a Keeping,
    job: &'a Job,
    settled: &'a Settled,
    observer: &'a dyn Observer,
    last: Mutex<Instant>,
    /// Whether a checkpoint could not be written. The user is told once.
    told: AtomicBool,
}

impl<'a> FitCheckpoints<'a> {
    pub(crate) fn new(keeping: &'a Keeping, job: &'a Job, settled: &'a Settled, observer: &'a dyn Observer) -> Self {
        let (last, told) = (Mutex::new(Instant::now()), AtomicBool::new(false));
        FitCheckpoints { keeping, job, settled, observer, last, told }
    }

    fn head(&self, state: &[u8]) -> Head {
        Head { key: self.job.key.clone(), settled: self.settled.clone(), hash: hash(state) }
    }

    fn text(&self, state: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
        let mut text = serde_json::to_vec(&self.head(state))?;
        text.push(b'\n');
        text.extend_from_slice(state);
        Ok(text)
    }
}

impl Checkpoints for FitCheckpoints<'_> {
    fn load(&self) -> Option<Vec<u8>> {
        let text = self.keeping.store.read(&file(self.job)).ok()??;
        let end = text.iter().position(|&byte| byte == b'\n')?;
        let head: Head = serde_json::from_slice(&text[..end]).ok()?;
        let state = &text[end + 1..];
        (head == self.head(state)).then(|| state.to_vec())
    }

    fn is_due(&self) -> bool {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= self.keeping.every
    }

    fn save(&self, state: &[u8]) {
        let text = self.text(state).map_err(|error| error.to_string());
        let kept =
            text.and_then(|text| self.keeping.store.write(&file(self.job), &text).map_err(|error| error.to_string()));
        if let Err(error) = kept
            && !self.told.swap(true, Ordering::Relaxed)
        {
            let warning = format!("{}: no checkpoint of the fit: {error}; the fit goes on", self.job.id);
            self.observer.warning(&warning);
        }
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use fivefold_data::features::Pick;

    use super::*;
    use crate::observer::Silent;
    use crate::work::tests::job;

    #[test]
    fn only_the_whole_checkpoint_of_the_same_job_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let keeping = Keeping { store: Store::new(folder.path()), every: Duration::from_secs(3600) };
        let job = Job { key: "a".to_owned(), ..job("data/fold1/r") };
        let none = Settled::default();
        let checkpoints = FitCheckpoints::new(&keeping, &job, &none, &Silent);
        assert!(checkpoints.load().is_none() && !checkpoints.is_due());
        checkpoints.save(b"[1,2]");
        assert_eq!(checkpoints.load().unwrap(), b"[1,2]");
        // Another setting, other features, and other inputs.
        let setting = Settled { setting: Some(0), ..Settled::default() };
        assert!(FitCheckpoints::new(&keeping, &job, &setting, &Silent).load().is_none());
        let features = Settled { features: Some(vec![Pick::Number(1)]), ..Settled::default() };
        assert!(FitCheckpoints::new(&keeping, &job, &features, &Silent).load().is_none());
        let other = Job { key: "b".to_owned(), ..job.clone() };
        assert!(FitCheckpoints::new(&keeping, &other, &none, &Silent).load().is_none());
        // A file that was cut short.
        let path = folder.path().join(".rounds/data/fold1/r.json");
        let text = std::fs::read(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 1]).unwrap();
        assert!(checkpoints.load().is_none());
        keeping.forget(&job).unwrap();
        assert!(!path.exists());
        keeping.forget(&job).unwrap();
    }

    #[test]
    fn a_checkpoint_is_due_after_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let keeping = Keeping { store: Store::new(folder.path()), every: Duration::ZERO };
        let (job, none) = (job("data/fold1/r"), Settled::default());
        assert!(FitCheckpoints::new(&keeping, &job, &none, &Silent).is_due());
    }
}

//! Small rankers, a small experiment and an observer that counts, for tests of whole runs.
#![allow(dead_code)] // each test file uses a part of it
#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

pub mod folds;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Registry};
use fivefold_experiment::{Job, JobEnd, Observer, RunOptions, RunOutcome, run};
use fivefold_results::Experiment;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// Makes a folder that is removed when the value is dropped: in memory where Linux has a place for
/// it, unless `TMPDIR` names a place. A run writes so many small files that a disk would take half of
/// the time. All folders of these tests together have less than 10 MB.
pub fn tempdir() -> TempDir {
    let memory = Path::new("/dev/shm");
    let wanted = std::env::var_os("TMPDIR").is_none() && memory.is_dir();
    let in_memory = wanted.then(|| tempfile::tempdir_in(memory).ok()).flatten();
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

/// Gives the value of a feature times `weight` as the score.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct One {
    pub feature: usize,
    pub weight: f64,
}

#[derive(Serialize, Deserialize)]
pub struct OneModel {
    feature: usize,
    weight: f64,
}

impl Ranker for One {
    const NAME: &'static str = "one";
    type Model = OneModel;
    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, _: &Dataset, cx: &FitContext<'_>) -> Result<OneModel, FitError> {
        cx.step(1, 1)?;
        Ok(OneModel { feature: self.feature, weight: self.weight })
    }
}

impl Model for OneModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (row, out) in query.rows().zip(out) {
            *out = self.weight * f64::from(row[self.feature]);
        }
    }
}

/// Gives random scores by weights drawn from the seed, in parallel.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Draw {
    pub rounds: u64,
}

#[derive(Serialize, Deserialize)]
pub struct DrawModel {
    weights: Vec<f64>,
}

impl Ranker for Draw {
    const NAME: &'static str = "draw";
    type Model = DrawModel;
    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<DrawModel, FitError> {
        use rayon::prelude::*;
        let weight = |i: usize| cx.seed().derive_index("weight", i as u64).rng().normal() + self.rounds as f64;
        Ok(DrawModel { weights: (0..train.width()).into_par_iter().map(weight).collect() })
    }
}

impl Model for DrawModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (row, out) in query.rows().zip(out) {
            *out = row.iter().zip(&self.weights).map(|(x, w)| f64::from(*x) * w).sum();
        }
    }
}

/// Fails in a chosen way.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Broken {
    pub how: String,
}

#[derive(Serialize, Deserialize)]
pub struct BrokenModel;

impl Ranker for Broken {
    const NAME: &'static str = "broken";
    type Model = BrokenModel;
    fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<BrokenModel, FitError> {
        match self.how.as_str() {
            "error" => Err(FitError::Numeric("the matrix is singular".to_owned())),
            "panic" => panic!("index out of the blue"),
            _ => Ok(BrokenModel),
        }
    }
}

impl Model for BrokenModel {
    fn score(&self, _: QueryView<'_>, out: &mut [f64]) {
        out.fill(0.0);
        out[0] = f64::NAN;
    }
}

/// The test rankers.
pub fn registry() -> Registry {
    Registry::default().with::<One>().with::<Draw>().with::<Broken>()
}

/// Two synthetic collections and three rankers.
pub const EXPERIMENT: &str = r#"
name = "small"
seed = 7

[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 20 }

[[dataset]]
label = "b"
synthetic = { shape = "mslr-web30k", queries = 15 }
queries = 9

[[ranker]]
label = "First"
kind = "one"
params = { weight = 1.0 }

[[ranker]]
label = "Second, scaled"
kind = "one"
normalise = { method = "z-score", over = "query" }
params = { feature = 1, weight = 1.0 }

[[ranker]]
label = "Draw"
kind = "draw"
normalise = { method = "z-score", over = "train" }

[evaluation]
cutoffs = [5, 10]
"#;

/// Jobs of [`EXPERIMENT`].
pub const JOBS: usize = 2 * 5 * 3;

pub fn experiment(text: &str) -> Experiment {
    Experiment::parse("small.toml", text, Vec::new(), &registry()).unwrap()
}

/// Counts jobs, and cancels the run after `cancel_after` jobs.
#[derive(Default)]
pub struct Counter {
    pub started: Mutex<Vec<String>>,
    pub done: Mutex<Vec<String>>,
    pub cancel: AtomicBool,
    pub cancel_after: Option<usize>,
}

impl Observer for Counter {
    fn started(&self, job: &Job) {
        self.started.lock().unwrap().push(job.id.clone());
    }
    fn finished(&self, job: &Job, end: &JobEnd) {
        let mut done = self.done.lock().unwrap();
        if *end == JobEnd::Done {
            done.push(job.id.clone());
        }
        if Some(done.len()) == self.cancel_after {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

impl Counter {
    /// Ids of the jobs that were begun, sorted.
    pub fn started(&self) -> Vec<String> {
        let mut ids = self.started.lock().unwrap().clone();
        ids.sort();
        ids
    }
}

/// Runs an experiment with a number of threads, cancelled after a number of jobs.
pub fn run_with(text: &str, out: &Path, threads: usize, cancel_after: Option<usize>) -> (RunOutcome, Counter) {
    let counter = Counter { cancel_after, ..Counter::default() };
    let options = RunOptions { threads, observer: &counter, cancel: Some(&counter.cancel), ..RunOptions::new(out) };
    let outcome = run(&experiment(text), &registry(), &options).unwrap();
    (outcome, counter)
}

/// Every file below a folder, with its content.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        for entry in std::fs::read_dir(&path).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().display().to_string();
                files.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

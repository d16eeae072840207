//! Fits that go on from checkpoints of the results folder.
#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::files;
use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Registry};
use fivefold_experiment::{Job, Observer, RunOptions, RunOutcome, run};
use fivefold_results::Experiment;
use serde::{Deserialize, Serialize};

/// Adds a random number to its only weight in each round.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Walk {
    rounds: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Walked {
    rounds: u64,
    weight: f64,
}

impl Ranker for Walk {
    const NAME: &'static str = "walk";
    type Model = Walked;
    fn fit(&self, _: &Dataset, cx: &FitContext<'_>) -> Result<Walked, FitError> {
        let mut walked = cx.resume().unwrap_or(Walked { rounds: 0, weight: 0.0 });
        for round in walked.rounds..self.rounds {
            cx.round(round, self.rounds, || walked)?;
            walked.weight += cx.seed().derive_index("round", round).rng().normal();
            walked.rounds += 1;
        }
        Ok(walked)
    }
}

impl Model for Walked {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        query.rows().zip(out).for_each(|(row, out)| *out = self.weight * f64::from(row[0]));
    }
}

const EXPERIMENT: &str = r#"
name = "walks"
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 10 }
[[ranker]]
kind = "walk"
params = { rounds = 20 }
"#;

/// Notes the first step of each fit, and stops the run at a step of the first fold.
#[derive(Default)]
struct Stopper {
    at: Option<u64>,
    stop: AtomicBool,
    steps: Mutex<Vec<(String, u64)>>,
}

impl Observer for Stopper {
    fn step(&self, job: &Job, done: u64, _: u64) {
        self.steps.lock().unwrap().push((job.id.clone(), done));
        if self.at == Some(done) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

/// A run with one thread, stopped at a step of its first fit if `at` says so.
fn walk(text: &str, out: &Path, at: Option<u64>, every: Duration) -> (RunOutcome, Vec<(String, u64)>) {
    let stopper = Stopper { at, ..Stopper::default() };
    let registry = Registry::default().with::<Walk>();
    let experiment = Experiment::parse("walks.toml", text, Vec::new(), &registry).unwrap();
    let options = RunOptions {
        threads: 1,
        observer: &stopper,
        cancel: Some(&stopper.stop),
        checkpoint_every: every,
        ..RunOptions::new(out)
    };
    let outcome = run(&experiment, &registry, &options).unwrap();
    (outcome, stopper.steps.into_inner().unwrap())
}

const HOUR: Duration = Duration::from_secs(3600);
const CHECKPOINT: &str = ".rounds/a/fold1/walk.json";

#[test]
fn a_stopped_fit_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    walk(EXPERIMENT, &whole, None, HOUR);
    let (stopped, _) = walk(EXPERIMENT, &parts, Some(12), HOUR);
    assert!(stopped.cancelled && parts.join(CHECKPOINT).is_file());
    let (ended, steps) = walk(EXPERIMENT, &parts, None, HOUR);
    assert!(!ended.cancelled);
    // The flag rose in step 12, and the fit heard of it in step 13.
    assert_eq!(steps[0], ("a/fold1/walk".to_owned(), 13));
    assert_eq!(files(&parts), files(&whole));
    assert!(!parts.join(".rounds").exists());
}

#[test]
fn a_checkpoint_of_other_inputs_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    walk(EXPERIMENT, folder.path(), Some(12), HOUR);
    let longer = EXPERIMENT.replace("rounds = 20", "rounds = 30");
    let (_, steps) = walk(&longer, folder.path(), None, HOUR);
    assert_eq!(steps[0].1, 0);
}

#[test]
fn checkpoints_are_kept_while_the_fit_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(CHECKPOINT);
    let seen = Mutex::new(Vec::new());
    struct Look<'a>(&'a Path, &'a Mutex<Vec<bool>>);
    impl Observer for Look<'_> {
        fn step(&self, _: &Job, _: u64, _: u64) {
            self.1.lock().unwrap().push(self.0.exists());
        }
    }
    let registry = Registry::default().with::<Walk>();
    let experiment = Experiment::parse("walks.toml", EXPERIMENT, Vec::new(), &registry).unwrap();
    let look = Look(&path, &seen);
    let options =
        RunOptions { threads: 1, observer: &look, checkpoint_every: Duration::ZERO, ..RunOptions::new(folder.path()) };
    run(&experiment, &registry, &options).unwrap();
    // The first fit has a checkpoint from its second step on. The job removes it.
    assert_eq!(seen.into_inner().unwrap()[..22], [vec![false], vec![true; 19], vec![false; 2]].concat());
}

//! A run with little memory: fewer jobs at a time with the same results, jobs that never fit, and
//! normalised collections that folds share.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::{EXPERIMENT, JOBS, experiment, files, registry};
use fivefold_data::{Normaliser, NormaliserMethod, Over, Source, SyntheticSource, open};
use fivefold_experiment::{Job, JobEnd, Observer, RunOptions, run};

/// Counts the jobs that run at a time.
#[derive(Default)]
struct Watch {
    running: AtomicUsize,
    most: AtomicUsize,
    beyond: AtomicUsize,
}

impl Observer for Watch {
    fn beyond_memory(&self, _: &Job, needed: u64, budget: u64) {
        assert!(needed > budget);
        assert_eq!(self.running.load(Ordering::SeqCst), 0);
        self.beyond.fetch_add(1, Ordering::SeqCst);
    }
    fn started(&self, _: &Job) {
        let now = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
    }
    fn finished(&self, _: &Job, _: &JobEnd) {
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn little_memory_takes_longer_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = Vec::new();
    // The smallest budget is enough for a job of the larger collection and its copy, and for little
    // else.
    for (name, memory) in [("none", None), ("much", Some(u64::MAX)), ("little", Some(4 << 20))] {
        let watch = Watch::default();
        let out = folder.path().join(name);
        let options = RunOptions { threads: 4, memory, observer: &watch, ..RunOptions::new(&out) };
        assert_eq!(run(&experiment(EXPERIMENT), &registry(), &options).unwrap().done, JOBS);
        found.push(files(&out));
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn what_never_fits_is_refused_before_it_begins_and_done_by_a_run_that_may() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let options = RunOptions { threads: 4, memory: Some(1), ..RunOptions::new(&out) };
    let outcome = run(&experiment(EXPERIMENT), &registry(), &options).unwrap();
    assert_eq!((outcome.done, outcome.failed.len(), outcome.cancelled), (0, JOBS, false));
    for (job, error) in &outcome.failed {
        assert!(error.contains("the job needs about ") && error.contains("raise --memory"), "{job}: {error}");
    }
    let whole = folder.path().join("whole");
    for (folder, done) in [(&out, JOBS), (&whole, JOBS)] {
        let options = RunOptions { threads: 4, ..RunOptions::new(folder) };
        assert_eq!(run(&experiment(EXPERIMENT), &registry(), &options).unwrap().done, done);
    }
    assert_eq!(files(&out), files(&whole));
}

/// The ranker's scores are a single feature. The expected scores are this feature, normalised on
/// the fold alone.
#[test]
fn shared_normalised_collections_are_those_of_each_fold() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
name = "normalised"
[[dataset]]
label = "made"
synthetic = { shape = "mq2007", queries = 12 }
[[ranker]]
label = "query"
kind = "one"
params = { feature = 2, weight = 1.0 }
normalise = { method = "z-score", over = "query" }
[[ranker]]
label = "train"
kind = "one"
params = { feature = 2, weight = 1.0 }
normalise = { method = "min-max", over = "train" }
"#;
    let options = RunOptions { threads: 3, ..RunOptions::new(folder.path()) };
    run(&experiment(text), &registry(), &options).unwrap();
    let made = SyntheticSource { shape: "mq2007".to_owned(), queries: 12, seed: 0 };
    let collection = open(&Source { synthetic: Some(made), ..Source::default() }, &[]).unwrap();
    for fold in &collection.folds {
        for (label, method, over) in
            [("query", NormaliserMethod::ZScore, Over::Query), ("train", NormaliserMethod::MinMax, Over::Train)]
        {
            let test = Normaliser { method, over }.fit(&fold.train).unwrap().apply(&fold.test).unwrap();
            let expected: Vec<f64> = test
                .queries()
                .flat_map(|query| query.rows().map(|row| f64::from(row[2])).collect::<Vec<_>>())
                .collect();
            let file = folder.path().join(format!("scores/made/fold{}/{label}.txt", fold.number));
            let scores = fivefold_data::read_scores(&file, test.documents()).unwrap();
            assert_eq!(scores, expected, "{label}, fold {}", fold.number);
        }
    }
}

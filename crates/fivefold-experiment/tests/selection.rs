//! Forward selection of features: which set is chosen, what a candidate sees, and what is reused.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::folds::{Document, FEATURES, FOLDS, collection, part};
use common::{Counter, files, registry, tempdir};
use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Registry};
use fivefold_experiment::{JobFilter, Plan, RunOptions, RunOutcome, VerifyOptions, run, verify};
use fivefold_metrics::ndcg;
use fivefold_results::Experiment;
use fivefold_results::paths::{job_id, record_file, scores_file};
use fivefold_results::store::{Chosen, Record};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Adds up the features that it sees. Fails if it sees `fails_on` features.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Sum {
    fails_on: Option<usize>,
}

#[derive(Serialize, Deserialize)]
struct SumModel {}

impl Model for SumModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        query.rows().zip(out).for_each(|(row, out)| *out = row.iter().map(|value| f64::from(*value)).sum());
    }
}

impl Ranker for Sum {
    const NAME: &'static str = "sum";
    type Model = SumModel;
    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, train: &Dataset, _: &FitContext<'_>) -> Result<SumModel, FitError> {
        match self.fails_on {
            Some(width) if width == train.width() => Err(FitError::Numeric("too many features".to_owned())),
            _ => Ok(SumModel {}),
        }
    }
}

fn rankers() -> Registry {
    registry().with::<Sum>()
}

fn text(selection: &str, params: &str) -> String {
    format!(
        r#"
name = "selected"
seed = 4
kind = "selection"
[selection]
measure = "ndcg@3"
{selection}
[[dataset]]
label = "D"
path = "data"
layout = "fold-dirs"
[[ranker]]
label = "R"
kind = "sum"
params = {{ {params} }}
[evaluation]
measures = ["ndcg"]
cutoffs = [3]
[query_sets]
uninformative = 2
ideal = 2
"#
    )
}

fn experiment(at: &Path, selection: &str) -> Experiment {
    Experiment::parse("selected.toml", &text(selection, ""), vec![at.to_owned()], &rankers()).unwrap()
}

fn run_into(out: &Path, experiment: &Experiment, threads: usize) -> RunOutcome {
    run(experiment, &rankers(), &RunOptions { threads, ..RunOptions::new(out) }).unwrap()
}

fn chosen(out: &Path) -> Vec<Chosen> {
    let record = |fold: usize| -> Record {
        serde_json::from_slice(&fs::read(out.join(record_file(&job_id("D", fold, "R selected")))).unwrap()).unwrap()
    };
    (1..=FOLDS).map(|fold| record(fold).chosen.unwrap()).collect()
}

/// The mean nDCG@3 of the sum of some features on a validation part, by the function for one query.
fn by_hand(fold: usize, features: &[usize]) -> f64 {
    let value = |documents: &Vec<Document>| {
        let grades: Vec<u8> = documents.iter().map(|(grade, _)| *grade).collect();
        let sum = |row: &[f32]| features.iter().map(|&feature| f64::from(row[feature])).sum();
        let scores: Vec<f64> = documents.iter().map(|(_, row)| sum(row)).collect();
        ndcg(&grades, &scores, 3).unwrap().unwrap_or(0.0)
    };
    let values: Vec<f64> = part(&format!("vali{fold}")).iter().map(value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// The selection by plain loops: each entry of `units` is a list of features. Returns the order of
/// entry with the values, and the number of steps of the best set.
fn greedy(fold: usize, units: &[Vec<usize>], max: usize) -> (Vec<(usize, f64)>, usize) {
    let mut path: Vec<(usize, f64)> = Vec::new();
    while path.len() < max.min(units.len()) {
        let mut best: Option<(usize, f64)> = None;
        for unit in (0..units.len()).filter(|unit| path.iter().all(|(entered, _)| entered != unit)) {
            let mut features: Vec<usize> =
                path.iter().map(|(entered, _)| *entered).chain([unit]).flat_map(|unit| units[unit].clone()).collect();
            features.sort_unstable();
            features.dedup();
            let value = by_hand(fold, &features);
            if best.is_none_or(|(_, found)| value > found + 1e-12) {
                best = Some((unit, value));
            }
        }
        path.extend(best);
    }
    let highest = path.iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
    let steps = path.iter().position(|(_, value)| *value > highest - 1e-12).unwrap() + 1;
    (path, steps)
}

#[test]
fn each_fold_takes_the_set_that_plain_loops_take() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    let experiment = experiment(folder.path(), "");
    let outcome = run_into(&one, &experiment, 1);
    // 4 + 3 + 2 + 1 sets, the choice, and the ranker with all features.
    assert_eq!((outcome.jobs, outcome.candidates, outcome.failed.len()), (FOLDS * 12, FOLDS * 10, 0));
    run_into(&two, &experiment, 3);
    assert_eq!(files(&one), files(&two));
    let again = run_into(&one, &experiment, 2);
    assert_eq!((again.reused, again.done), (FOLDS * 12, 0));
    let units: Vec<Vec<usize>> = (0..FEATURES).map(|feature| vec![feature]).collect();
    for (fold, chosen) in chosen(&one).into_iter().enumerate() {
        let (path, steps) = greedy(fold + 1, &units, FEATURES);
        let entered: Vec<_> = chosen.steps.iter().map(|step| json!(step.entered)).collect();
        assert_eq!(entered, path.iter().map(|(unit, _)| json!(unit + 1)).collect::<Vec<_>>(), "fold {}", fold + 1);
        for (step, (_, value)) in chosen.steps.iter().zip(&path) {
            assert!((step.value - value).abs() < 1e-12);
        }
        assert_eq!(chosen.setting["features"], json!(entered[..steps]));
        assert_eq!((chosen.settings, chosen.without_value), (10, 0));
        // The scores are those of the chosen features on the test part.
        let scores = fs::read_to_string(one.join(scores_file(&job_id("D", fold + 1, "R selected")))).unwrap();
        let set: Vec<usize> = path[..steps].iter().map(|(unit, _)| *unit).collect();
        let sum = |row: &[f32]| -> f64 { set.iter().map(|&feature| f64::from(row[feature])).sum() };
        let expected: Vec<f64> = part(&format!("test{}", fold + 1)).concat().iter().map(|(_, row)| sum(row)).collect();
        assert_eq!(scores.lines().map(|line| line.parse::<f64>().unwrap()).collect::<Vec<_>>(), expected);
    }
}

/// A longer selection begins as a shorter one.
#[test]
fn more_steps_do_only_the_jobs_that_fewer_steps_lack() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    run_into(&out, &experiment(folder.path(), "max = 2"), 2);
    let outcome = run_into(&out, &experiment(folder.path(), "max = 3"), 2);
    // 4 + 3 sets and the ranker with all features are there. 2 sets and the choice are new.
    assert_eq!((outcome.reused, outcome.done), (FOLDS * 8, FOLDS * 3));
    let fresh = folder.path().join("fresh");
    run_into(&fresh, &experiment(folder.path(), "max = 3"), 1);
    let manifest = |out: &Path| fs::read(out.join("manifest.json")).unwrap();
    assert_eq!(manifest(&out), manifest(&fresh));
}

#[test]
fn entries_of_a_list_and_groups_enter_as_wholes_up_to_the_most() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    fs::write(folder.path().join("data/features.txt"), "1\ta\tx\n2\tb\ty\n3\tc\tx\n4\td\n").unwrap();
    let (listed, groups) = (folder.path().join("listed"), folder.path().join("groups"));
    run_into(&listed, &experiment(folder.path(), "from = [\"2-4\", \"a\", \"group:y\"]\nmax = 2"), 2);
    let outcome = run_into(&groups, &experiment(folder.path(), "from = \"groups\""), 2);
    assert_eq!(outcome.candidates, FOLDS * 3);
    for (out, units, names, max) in [
        (&listed, vec![vec![1, 2, 3], vec![0], vec![1]], ["2-4", "a", "group:y"].as_slice(), 2),
        (&groups, vec![vec![0, 2], vec![1]], &["group:x", "group:y"], 2),
    ] {
        for (fold, chosen) in chosen(out).into_iter().enumerate() {
            let (path, _) = greedy(fold + 1, &units, max);
            let entered: Vec<_> = chosen.steps.iter().map(|step| json!(step.entered)).collect();
            assert_eq!(
                entered,
                path.iter().map(|(unit, _)| json!(names[*unit])).collect::<Vec<_>>(),
                "fold {}",
                fold + 1
            );
        }
    }
}

/// Three features are the same, so a set with one of them is as good as with another.
#[test]
fn of_equal_sets_the_smallest_is_chosen_and_of_these_the_first() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    for fold in 1..=FOLDS {
        for name in ["train", "vali", "test"] {
            let file = folder.path().join(format!("data/Fold{fold}/{name}.txt"));
            let text = fs::read_to_string(&file).unwrap();
            let same = |line: &str| {
                let grade = line.split(' ').next().unwrap();
                let query = line.split(' ').nth(1).unwrap();
                format!("{grade} {query} 1:{grade} 2:{grade} 3:{grade} 4:0\n")
            };
            fs::write(&file, text.lines().map(same).collect::<String>()).unwrap();
        }
    }
    let out = folder.path().join("out");
    let text = text("from = [\"1-2\", 3, 2, 4]", "") + "[guards]\nallow = [\"label-feature\", \"identical-vectors\"]\n";
    let experiment = Experiment::parse("s.toml", &text, vec![folder.path().to_owned()], &rankers()).unwrap();
    run_into(&out, &experiment, 2);
    for chosen in chosen(&out) {
        // 1-2, 3 and 2 are equal; of them, 3 and 2 have one feature, and 3 comes first.
        assert_eq!((&chosen.setting["features"], chosen.value), (&json!([3]), 1.0));
        assert_eq!((chosen.steps[0].equal, chosen.equal), (2, 3));
        // A constant feature alters nothing, and is smaller than 1-2.
        let entered: Vec<_> = chosen.steps.iter().map(|step| json!(step.entered)).collect();
        assert_eq!(entered, [json!(3), json!(2), json!("1-2"), json!(4)]);
    }
}

/// The chosen sets of all folds, and the keys of the candidates by id.
fn search(at: &Path, selection: &str) -> (Vec<serde_json::Value>, BTreeMap<String, String>) {
    let experiment = experiment(at, selection);
    let out = at.join("out");
    run_into(&out, &experiment, 2);
    let plan = Plan::new(&experiment, &JobFilter::All).unwrap();
    let candidates = plan.jobs.into_iter().filter(|job| job.candidate.is_some());
    let keys = candidates.map(|job| (job.id, job.key)).collect();
    (chosen(&out).into_iter().map(|chosen| json!([chosen.setting, chosen.steps])).collect(), keys)
}

/// A leak that only a look at test grades can find: on the test parts, a feature equals the grade.
/// Neither the choice nor the key of a candidate may change.
#[test]
fn a_selection_sees_nothing_of_the_test_part() {
    let plain = tempdir();
    collection(plain.path(), |_| {});
    for selection in ["", "stop_on = \"split\"\nmax = 2"] {
        let expected = search(plain.path(), selection);
        for leak in 0..FEATURES {
            let planted = tempdir();
            collection(planted.path(), |queries| {
                queries.iter_mut().flatten().for_each(|(grade, features)| features[leak] = 1e4 * f32::from(*grade));
            });
            assert_eq!(search(planted.path(), selection), expected, "feature {leak}");
        }
        let regraded = tempdir();
        collection(regraded.path(), |queries| queries.iter_mut().flatten().for_each(|(grade, _)| *grade = 2 - *grade));
        assert_eq!(search(regraded.path(), selection), expected, "other grades");
    }
}

#[test]
fn a_selection_that_was_stopped_ends_with_the_same_bytes_and_is_verified() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let experiment = experiment(folder.path(), "max = 3");
    let (whole, halves) = (folder.path().join("whole"), folder.path().join("halves"));
    run_into(&whole, &experiment, 3);
    for jobs in [4, 27, 44] {
        let counter = Counter { cancel_after: Some(jobs), ..Counter::default() };
        let options =
            RunOptions { threads: 2, observer: &counter, cancel: Some(&counter.cancel), ..RunOptions::new(&halves) };
        assert!(run(&experiment, &rankers(), &options).unwrap().cancelled);
        run_into(&halves, &experiment, 2);
        assert_eq!(files(&halves), files(&whole), "stopped after {jobs} jobs");
        fs::remove_dir_all(&halves).unwrap();
    }
    let options = VerifyOptions { folders: Some(vec![folder.path().to_owned()]), ..VerifyOptions::default() };
    let checks = || verify(&whole, &rankers(), &options).unwrap().checks;
    assert!(
        checks().iter().all(|check| check.differ == 0 && check.unchecked.iter().all(|left| !left.missing)),
        "{:?}",
        checks()
    );
    let (name, values) = files(&whole).into_iter().find(|(name, _)| name.starts_with("values/")).unwrap();
    fs::write(whole.join(&name), String::from_utf8(values).unwrap().replacen("0.", "1.", 1)).unwrap();
    assert!(checks().iter().any(|check| check.differ > 0));
}

/// `sum` fails with two features. The first step is whole, and nothing can follow.
#[test]
fn a_selection_goes_on_without_failed_candidates() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    let text = text("max = 3", "fails_on = 2");
    let experiment = Experiment::parse("s.toml", &text, vec![folder.path().to_owned()], &rankers()).unwrap();
    let outcome = run_into(&out, &experiment, 2);
    assert_eq!((outcome.failed.len(), outcome.failed_candidates), (0, FOLDS * 5));
    for chosen in chosen(&out) {
        assert_eq!((chosen.steps.len(), chosen.settings, chosen.without_value), (1, 4, 5));
    }
}

/// A wrong selection, and what is said.
#[test]
fn wrong_selections_are_refused() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let refused = |text: &str| {
        let experiment = Experiment::parse("s.toml", text, vec![folder.path().to_owned()], &rankers());
        match experiment {
            Err(error) => error.to_string(),
            Ok(experiment) => Plan::new(&experiment, &JobFilter::All).err().unwrap().to_string(),
        }
    };
    for (selection, message) in [
        ("max = 0", "`max` must be 1 or more"),
        ("from = []", "`from` names no feature"),
        ("from = [1, 2, 1]", "`from` has the entry 1 twice"),
        ("from = [1, 9]", "there is no feature 9 of data set `D`"),
        ("from = \"groups\"", "data set `D` has no groups of features"),
        ("mesure = \"ap\"", "unknown key `mesure`"),
    ] {
        let found = refused(&text(selection, ""));
        assert!(found.contains(message), "{selection}: {found}");
    }
    let whole = text("", "");
    for (from, to, message) in [
        ("measure = \"ndcg@3\"", "", "`measure`"),
        ("kind = \"selection\"\n", "", "`selection` has no effect without `kind = \"selection\"`"),
        ("label = \"R\"", "label = \"R\"\nfeatures = { only = [1] }", "chooses the features of its rankers itself"),
        (
            "params = {  }",
            "[ranker.tune]\nmethod = \"grid\"\nmeasure = \"ap\"\n[ranker.tune.params]\nfails_on = [7, 8]",
            "chooses features for fixed parameters",
        ),
    ] {
        let found = refused(&whole.replacen(from, to, 1));
        assert!(found.contains(message), "{to}: {found}");
    }
    let wide = whole
        .replace("path = \"data\"\nlayout = \"fold-dirs\"", "synthetic = { shape = \"mslr-web30k\", queries = 20 }");
    let found = refused(&wide.replace("measure = \"ndcg@3\"", "measure = \"ndcg@3\"\nmax = 136"));
    // 136 x 137 / 2 sets in each of five folds.
    assert!(found.contains("the selection has 46580 candidates on data set `D`"), "{found}");
    assert!(found.contains("more than 10000"), "{found}");
}

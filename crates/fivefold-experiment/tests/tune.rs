//! Searches for parameters: which setting is chosen, what a candidate sees, and what is reused.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::cmp::Ordering::Equal;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::folds::{Document, FEATURES, FOLDS, QUERIES, collection, part};
use common::{Counter, files, registry, tempdir};
use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker};
use fivefold_experiment::{JobFilter, Plan, RunOptions, RunOutcome, VerifyOptions, run, verify};
use fivefold_metrics::ndcg;
use fivefold_results::Experiment;
use fivefold_results::store::{Chosen, Record, Status};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// An experiment file with a search.
fn text(tune: &str, params: &str) -> String {
    format!(
        r#"
name = "tuned"
seed = 4
[[dataset]]
label = "D"
path = "data"
layout = "fold-dirs"
[[ranker]]
label = "R"
kind = "one"
params = {{ weight = 1.0 }}
[ranker.tune]
measure = "ndcg@3"
{tune}
[ranker.tune.params]
{params}
[evaluation]
measures = ["ndcg"]
cutoffs = [3]
[query_sets]
uninformative = 2
ideal = 2
"#
    )
}

fn experiment(at: &Path, tune: &str, params: &str) -> Experiment {
    Experiment::parse("tuned.toml", &text(tune, params), vec![at.to_owned()], &registry()).unwrap()
}

const GRID: &str = "method = \"grid\"";

fn run_into(out: &Path, experiment: &Experiment, threads: usize) -> (RunOutcome, Counter) {
    let counter = Counter::default();
    let options = RunOptions { threads, observer: &counter, ..RunOptions::new(out) };
    (run(experiment, &registry(), &options).unwrap(), counter)
}

fn record(out: &Path, id: &str) -> Record {
    serde_json::from_slice(&fs::read(out.join(format!("jobs/{id}.json"))).unwrap()).unwrap()
}

fn chosen(out: &Path) -> Vec<Chosen> {
    (1..=FOLDS).map(|fold| record(out, &format!("D/fold{fold}/R")).chosen.unwrap()).collect()
}

/// The mean nDCG@3 of a feature on a part, by the function for one query.
fn by_hand(name: &str, feature: usize) -> f64 {
    let value = |documents: &Vec<Document>| {
        let grades: Vec<u8> = documents.iter().map(|(grade, _)| *grade).collect();
        let scores: Vec<f64> = documents.iter().map(|(_, features)| f64::from(features[feature])).collect();
        ndcg(&grades, &scores, 3).unwrap().unwrap_or(0.0)
    };
    let values: Vec<f64> = part(name).iter().map(value).collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// The place and the value of the highest of some numbers.
fn highest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let (place, value) = values.enumerate().max_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap();
    (place, value)
}

fn near(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-12, "{one} {other}");
}

#[test]
fn each_fold_takes_the_setting_with_the_highest_value_on_its_validation_part() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    let experiment = experiment(folder.path(), GRID, "feature = [0, 1, 2, 3]");
    let (outcome, _) = run_into(&out, &experiment, 2);
    assert_eq!((outcome.jobs, outcome.candidates, outcome.failed.len()), (FOLDS * 5, FOLDS * 4, 0));
    for (fold, chosen) in chosen(&out).into_iter().enumerate() {
        let (feature, value) = highest((0..FEATURES).map(|feature| by_hand(&format!("vali{}", fold + 1), feature)));
        assert_eq!((chosen.number, &chosen.setting["feature"]), (feature, &json!(feature)));
        assert_eq!((chosen.settings, chosen.without_value, chosen.equal), (FEATURES, 0, 0));
        near(chosen.value, value);
        // The scores are those of the chosen feature on the test part.
        let scores = fs::read_to_string(out.join(format!("scores/D/fold{}/R.txt", fold + 1))).unwrap();
        let expected = part(&format!("test{}", fold + 1)).concat();
        let expected: Vec<f64> = expected.iter().map(|(_, features)| f64::from(features[feature])).collect();
        assert_eq!(scores.lines().map(|line| line.parse::<f64>().unwrap()).collect::<Vec<_>>(), expected);
    }
    let kept: Vec<String> = files(&out).into_keys().collect();
    let count = |folder: &str| kept.iter().filter(|name| name.starts_with(folder)).count();
    assert_eq!((count("models/"), count("scores/"), count("values/"), count("jobs/")), (5, 5, 20, 25));
}

#[test]
fn folds_of_a_data_set_may_share_the_setting_with_the_highest_mean() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    let tune = format!("{GRID}\nper = \"data-set\"");
    run_into(&out, &experiment(folder.path(), &tune, "feature = [0, 1, 2, 3]"), 2);
    // All validation parts have the same number of queries.
    let mean = |feature| (1..=FOLDS).map(|fold| by_hand(&format!("vali{fold}"), feature)).sum::<f64>() / FOLDS as f64;
    let (feature, value) = highest((0..FEATURES).map(mean));
    for chosen in chosen(&out) {
        assert_eq!(chosen.number, feature);
        near(chosen.value, value);
    }
}

/// The chosen features of all folds, and the keys of the candidates by id.
fn search(at: &Path, tune: &str) -> (Vec<usize>, BTreeMap<String, String>) {
    let experiment = experiment(at, tune, "feature = [0, 1, 2, 3]");
    let out = at.join("out");
    run_into(&out, &experiment, 2);
    let plan = Plan::new(&experiment, &JobFilter::All).unwrap();
    let candidates = plan.jobs.into_iter().filter(|job| job.candidate.is_some());
    let keys = candidates.map(|job| (job.id, job.key)).collect();
    (chosen(&out).into_iter().map(|chosen| chosen.number).collect(), keys)
}

/// A leak that only a look at test grades can find: on the test parts, a feature equals the grade.
/// Neither the choice nor the key of a candidate may change.
#[test]
fn a_search_sees_nothing_of_the_test_part() {
    let plain = tempdir();
    collection(plain.path(), |_| {});
    for tune in [GRID.to_owned(), format!("{GRID}\nper = \"data-set\"\nstop_on = \"split\"")] {
        let expected = search(plain.path(), &tune);
        for leak in 0..FEATURES {
            let planted = tempdir();
            collection(planted.path(), |queries| {
                queries.iter_mut().flatten().for_each(|(grade, features)| features[leak] = f32::from(*grade));
            });
            assert_eq!(search(planted.path(), &tune), expected, "feature {leak}");
        }
        let regraded = tempdir();
        collection(regraded.path(), |queries| queries.iter_mut().flatten().for_each(|(grade, _)| *grade = 2 - *grade));
        assert_eq!(search(regraded.path(), &tune), expected, "other grades");
    }
}

#[test]
fn a_split_measures_on_every_second_query_of_the_validation_part() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    run_into(&out, &experiment(folder.path(), &format!("{GRID}\nstop_on = \"split\""), "feature = [2, 3]"), 1);
    let values = files(&out).into_iter().find(|(name, _)| name.starts_with("values/")).unwrap().1;
    assert_eq!(String::from_utf8(values).unwrap().lines().count(), QUERIES / 2);
}

#[test]
fn a_larger_grid_does_only_the_jobs_that_a_smaller_one_lacks() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    run_into(&out, &experiment(folder.path(), GRID, "feature = [1, 2]"), 2);
    let larger = experiment(folder.path(), GRID, "feature = [0, 1, 2]");
    let (outcome, counter) = run_into(&out, &larger, 2);
    // The new candidate of each fold, and the choice of each fold.
    assert_eq!((outcome.reused, outcome.done), (2 * FOLDS, 2 * FOLDS), "{:?}", counter.started());
    let (again, _) = run_into(&out, &larger, 2);
    assert_eq!((again.reused, again.done), (4 * FOLDS, 0));
    let fresh = folder.path().join("fresh");
    run_into(&fresh, &larger, 1);
    let manifest = |out: &Path| fs::read(out.join("manifest.json")).unwrap();
    assert_eq!(manifest(&out), manifest(&fresh));
}

#[test]
fn a_search_that_was_stopped_ends_with_the_same_bytes() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let experiment = experiment(folder.path(), &format!("{GRID}\nper = \"data-set\""), "feature = [0, 1, 2, 3]");
    let (whole, halves) = (folder.path().join("whole"), folder.path().join("halves"));
    run_into(&whole, &experiment, 3);
    for jobs in [3, 12, 20, 23] {
        let counter = Counter { cancel_after: Some(jobs), ..Counter::default() };
        let options =
            RunOptions { threads: 2, observer: &counter, cancel: Some(&counter.cancel), ..RunOptions::new(&halves) };
        assert!(run(&experiment, &registry(), &options).unwrap().cancelled);
        run_into(&halves, &experiment, 2);
        assert_eq!(files(&halves), files(&whole), "stopped after {jobs} jobs");
        fs::remove_dir_all(&halves).unwrap();
    }
}

/// `one` panics if it is asked for a feature that the data lack.
#[test]
fn the_search_goes_on_without_a_failed_candidate() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    let (outcome, _) = run_into(&out, &experiment(folder.path(), GRID, "feature = [9, 2]"), 2);
    assert_eq!((outcome.failed.len(), outcome.failed_candidates), (0, FOLDS));
    for chosen in chosen(&out) {
        assert_eq!((chosen.number, chosen.settings, chosen.without_value), (1, 1, 1));
    }
    let results = outcome.results.unwrap();
    assert!(!results.manifest.failed(0, 0));
    let warnings = &results.manifest.jobs[0].warnings;
    assert!(warnings[0].contains("1 of 2 settings of its search has no value"), "{warnings:?}");
    // A failed candidate is tried again, and then the ranker chooses again.
    let (again, _) = run_into(&out, &experiment(folder.path(), GRID, "feature = [9, 2]"), 2);
    assert_eq!((again.reused, again.done, again.failed_candidates), (FOLDS, FOLDS, FOLDS));

    let (outcome, _) = run_into(&out, &experiment(folder.path(), GRID, "feature = [9, 10]"), 2);
    assert_eq!((outcome.failed.len(), outcome.failed_candidates), (FOLDS, 2 * FOLDS));
    assert!(outcome.failed[0].1.contains("none of 2 settings could be chosen: all candidates failed"));
    assert_eq!(record(&out, "D/fold1/R").status, Status::Failed);
}

#[test]
fn a_chosen_ranker_brings_its_candidates_and_one_job_comes_alone() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let shared = experiment(folder.path(), &format!("{GRID}\nper = \"data-set\""), "feature = [0, 1]");
    let own = experiment(folder.path(), GRID, "feature = [0, 1]");
    let ids = |experiment: &Experiment, only: &JobFilter| -> Vec<String> {
        Plan::new(experiment, only).unwrap().jobs.into_iter().map(|job| job.id).collect()
    };
    let fold = JobFilter::patterns(["D/fold2/R"]);
    assert_eq!((ids(&own, &fold).len(), ids(&shared, &fold).len()), (3, 2 * FOLDS + 1));
    let all = ids(&own, &JobFilter::All);
    let (candidate, ranker) = (&all[0], &all[2]);
    assert_eq!((ranker.as_str(), candidate.rsplit_once('/').unwrap().0), ("D/fold1/R", "D/fold1/R"));
    for id in [candidate, ranker] {
        assert_eq!(ids(&own, &JobFilter::job(id)), std::slice::from_ref(id));
    }
    assert_eq!(ids(&own, &JobFilter::patterns(["D/fold1/R/*"])), all[..2]);
    // The choice alone says what it lacks.
    let options = RunOptions { only: JobFilter::job(ranker), ..RunOptions::new(folder.path().join("out")) };
    let outcome = run(&own, &registry(), &options).unwrap();
    assert!(outcome.failed[0].1.contains("which it chooses from, has no result yet"), "{:?}", outcome.failed);
}

#[test]
fn a_search_is_verified_and_an_altered_choice_is_named() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let out = folder.path().join("out");
    run_into(&out, &experiment(folder.path(), GRID, "feature = [0, 1, 2, 3]"), 2);
    let differing = || {
        let options = VerifyOptions { folders: Some(vec![folder.path().to_owned()]), ..VerifyOptions::default() };
        let found = verify(&out, &registry(), &options).unwrap();
        let wrong = found.checks.into_iter().flat_map(|check| check.differences);
        wrong.map(|difference| difference.what).collect::<Vec<_>>()
    };
    assert_eq!(differing(), Vec::<String>::new());
    let (name, values) = files(&out).into_iter().find(|(name, _)| name.starts_with("values/")).unwrap();
    fs::write(out.join(&name), String::from_utf8(values).unwrap().replacen("0.", "1.", 1)).unwrap();
    assert!(differing().iter().any(|what| what.contains("has another content")), "{:?}", differing());
}

/// Scores by two features, of which the second weighs as many times as there are trees.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Grown {
    feature: usize,
    weight: f64,
    trees: u64,
}

#[derive(Serialize, Deserialize)]
struct GrownModel {
    feature: usize,
    weight: f64,
    trees: u64,
}

fn grown(features: &[f32], feature: usize, weight: f64, trees: u64) -> f64 {
    let (first, second) = (f64::from(features[feature]), f64::from(features[(feature + 1) % FEATURES]));
    weight * (first + trees as f64 * second)
}

impl Model for GrownModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        query.rows().zip(out).for_each(|(row, out)| *out = grown(row, self.feature, self.weight, self.trees));
    }
}

impl Ranker for Grown {
    const NAME: &'static str = "grown";
    type Model = GrownModel;
    fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<GrownModel, FitError> {
        Ok(GrownModel { feature: self.feature, weight: self.weight, trees: self.trees })
    }
}

/// The search by plain loops, for the validation parts of these folds: the chosen feature and weight.
fn halved(folds: &[usize]) -> (usize, f64) {
    let value = |&(feature, weight): &(usize, f64), trees: u64| {
        let of_query = |documents: &Vec<Document>| {
            let grades: Vec<u8> = documents.iter().map(|(grade, _)| *grade).collect();
            let scores: Vec<f64> = documents.iter().map(|(_, row)| grown(row, feature, weight, trees)).collect();
            ndcg(&grades, &scores, 3).unwrap().unwrap_or(0.0)
        };
        let queries: Vec<Vec<Document>> = folds.iter().flat_map(|fold| part(&format!("vali{fold}"))).collect();
        queries.iter().map(of_query).sum::<f64>() / queries.len() as f64
    };
    let mut left: Vec<(usize, f64)> =
        (0..FEATURES).flat_map(|feature| [1.0, -1.0, 2.0].map(|weight| (feature, weight))).collect();
    for (trees, keep) in [(1, 4), (3, 2), (9, 1)] {
        let mut ranked: Vec<(f64, (usize, f64))> =
            left.iter().map(|setting| (value(setting, trees), *setting)).collect();
        // A stable sort: of equal settings, the first of the grid comes first.
        ranked.sort_by(|one, other| if (one.0 - other.0).abs() < 1e-12 { Equal } else { other.0.total_cmp(&one.0) });
        left = ranked.into_iter().take(keep).map(|(_, setting)| setting).collect();
    }
    left[0]
}

#[test]
fn halving_keeps_the_best_of_each_rung() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let registry = registry().with::<Grown>();
    for per in ["fold", "data-set"] {
        let tune = format!("method = \"halving\"\nper = \"{per}\"");
        let text = text(&tune, "feature = [0, 1, 2, 3]\nweight = [1.0, -1.0, 2.0]")
            .replace("kind = \"one\"", "kind = \"grown\"")
            .replace("weight = 1.0 }", "trees = 9 }");
        let experiment = Experiment::parse("t.toml", &text, vec![folder.path().to_owned()], &registry).unwrap();
        let halving = experiment.rankers[0].tune.as_ref().unwrap().halving.clone().unwrap();
        assert_eq!(
            (halving.over.as_str(), &halving.budgets[..], &halving.places[..]),
            ("trees", &[1, 3, 9][..], &[12, 4, 2][..])
        );
        let plan = Plan::new(&experiment, &JobFilter::patterns(["fold1"])).unwrap();
        let of_stage = |stage: usize| plan.jobs.iter().filter(|job| job.stage == stage && job.fold == 0).count();
        assert_eq!([0, 1, 2, 3].map(of_stage), [12, 4, 2, 1]);
        let (one, two) = (folder.path().join(format!("{per}1")), folder.path().join(format!("{per}2")));
        for (out, threads) in [(&one, 1), (&two, 3)] {
            let outcome = run(&experiment, &registry, &RunOptions { threads, ..RunOptions::new(out) }).unwrap();
            assert_eq!((outcome.jobs, outcome.failed.len(), outcome.failed_candidates), (19 * FOLDS, 0, 0));
        }
        assert_eq!(files(&one), files(&two));
        let again = run(&experiment, &registry, &RunOptions::new(&one)).unwrap();
        assert_eq!((again.reused, again.done), (19 * FOLDS, 0));
        for (fold, chosen) in chosen(&one).into_iter().enumerate() {
            let folds = if per == "fold" { vec![fold + 1] } else { (1..=FOLDS).collect() };
            let (feature, weight) = halved(&folds);
            assert_eq!(
                (&chosen.setting["feature"], &chosen.setting["weight"]),
                (&json!(feature), &json!(weight)),
                "{per} {fold}"
            );
            assert_eq!((&chosen.setting["trees"], chosen.settings), (&json!(9), 2));
        }
        let options = VerifyOptions { folders: Some(vec![folder.path().to_owned()]), ..VerifyOptions::default() };
        let checks = verify(&one, &registry, &options).unwrap().checks;
        assert!(
            checks.iter().all(|check| check.differ == 0 && check.unchecked.iter().all(|left| !left.missing)),
            "{checks:?}"
        );
    }
}

/// A wrong search, the message, and the text that the message underlines.
#[test]
fn wrong_searches_are_underlined() {
    use miette::Diagnostic as _;
    let (grid, random) = (GRID, "method = \"random\"");
    let mut wrong = Vec::new();
    for (tune, params, message, underlined) in [
        (grid, "featur = [1, 2]", "unknown parameter `featur` of ranker `one`", "featur"),
        (grid, "feature = []", "`feature` has no values: the grid is empty", "[]"),
        (grid, "", "the search has no parameter: its grid is empty", "[ranker.tune]"),
        (grid, "feature = 3", "`feature` needs a list of values, or a range", "3"),
        (grid, "feature = [\"x\"]", "invalid type: string \"x\", expected a whole number, 0 or more", "\"x\""),
        (grid, "weight = [2.0]", "`weight` has a value in `params` too", "weight"),
        (
            grid,
            "feature = { low = 0, high = 9 }",
            "a grid needs `steps` for the range of `feature`",
            "{ low = 0, high = 9 }",
        ),
        (
            grid,
            "feature = { low = 9, high = 0 }",
            "`low` must be less than `high`, but 9 is not less than 0",
            "{ low = 9, high = 0 }",
        ),
        (grid, "feature = [1, 2, 1]", "the grid has the setting `feature = 1` twice", "[ranker.tune]"),
        (
            "method = \"grid\"\ndraws = 3",
            "feature = [1]",
            "`draws` has no effect on a grid, which tries all combinations",
            "3",
        ),
        (random, "feature = [1, 2]", "a random search needs `draws`", "[ranker.tune]"),
        (
            "method = \"random\"\ndraws = 20000",
            "feature = [1]",
            "the search has 20000 settings, more than 10000",
            "20000",
        ),
        ("method = \"grid\"\nmesure = \"ap\"", "feature = [1]", "unknown key `mesure`", "mesure"),
        (
            "method = \"grid\"\nrungs = 3",
            "feature = [1]",
            "`over`, `factor` and `rungs` belong to method = \"halving\", and have no effect here",
            "3",
        ),
        (
            "method = \"halving\"",
            "feature = [1, 2]",
            "`one` has no trees, rounds or epochs, so that halving needs `over`",
            "[ranker.tune]",
        ),
        (
            "method = \"halving\"\nover = \"x\"",
            "feature = [1, 2]",
            "`one` has no parameter `x` that is a whole number",
            "\"x\"",
        ),
        ("method = \"halving\"\nfactor = 1", "feature = [1, 2]", "`factor` must be between 2 and 100, not 1", "1"),
        ("method = \"gird\"", "feature = [1]", "unknown value `gird`", "\"gird\""),
        ("method = \"grid\"\nnormalise = [\"zscore\"]", "feature = [1]", "unknown value `zscore`", "\"zscore\""),
    ] {
        let text = text(tune, params);
        let error = Experiment::parse("tuned.toml", &text, Vec::new(), &registry()).unwrap_err();
        let label = error.labels().unwrap().next().unwrap();
        let found = &text[label.offset()..label.offset() + label.len()];
        if (error.to_string().as_str(), found) != (message, underlined) {
            wrong.push(format!("{tune} {params}: {error}: {found}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let wide = "feature = { low = 0, high = 200, steps = 200 }\nx = { low = 0, high = 200, steps = 200 }";
    let error = Experiment::parse("tuned.toml", &text(grid, wide), Vec::new(), &registry()).unwrap_err();
    assert_eq!(error.to_string(), "the search has 40000 settings, more than 10000");
}

/// 3,000 settings are not too many, but in five folds they are.
#[test]
fn too_many_candidates_are_refused_with_their_number() {
    let folder = tempdir();
    collection(folder.path(), |_| {});
    let experiment = experiment(folder.path(), GRID, "feature = { low = 0, high = 2999, steps = 3000 }");
    let error = Plan::new(&experiment, &JobFilter::All).err().unwrap().to_string();
    assert!(error.contains("have 15000 candidates") && error.contains("more than 10000"), "{error}");
    assert!(Plan::new(&experiment, &JobFilter::patterns(["fold1"])).is_ok());
}

/// Draws come from names, so a search grows without a change of its earlier draws.
#[test]
fn draws_depend_on_names_alone() {
    let folder = tempdir();
    let drawn = |draws: usize, params: &str| -> Vec<BTreeMap<String, serde_json::Value>> {
        let tune = format!("method = \"random\"\ndraws = {draws}");
        let experiment = experiment(folder.path(), &tune, params);
        experiment.rankers[0].tune.as_ref().unwrap().settings.iter().map(|setting| setting.values.clone()).collect()
    };
    let params = "feature = { low = 0, high = 3 }";
    let few = drawn(3, params);
    let many = drawn(400, params);
    assert_eq!(few[..], many[..few.len()]);
    // Equal draws count once, so all four values are there, and nothing else.
    let mut values: Vec<i64> = many.iter().map(|values| values["feature"].as_i64().unwrap()).collect();
    values.sort_unstable();
    assert_eq!(values, [0, 1, 2, 3]);
}

#[test]
fn draws_are_spread_over_their_range() {
    let drawn = |scale: &str| -> Vec<f64> {
        let text = format!(
            "name = \"x\"\n[[dataset]]\nlabel = \"D\"\nsynthetic = {{ shape = \"mq2007\", queries = 20 }}\n\
             [[ranker]]\nkind = \"one\"\n[ranker.tune]\nmethod = \"random\"\ndraws = 2000\nmeasure = \"ap\"\n\
             [ranker.tune.params]\nweight = {{ low = 0.01, high = 100.0, scale = \"{scale}\" }}"
        );
        let experiment = Experiment::parse("x.toml", &text, Vec::new(), &registry()).unwrap();
        let settings = &experiment.rankers[0].tune.as_ref().unwrap().settings;
        settings.iter().map(|setting| setting.values["weight"].as_f64().unwrap()).collect()
    };
    for (scale, middle) in [("log", 1.0), ("linear", 50.005)] {
        let values = drawn(scale);
        assert!(values.iter().all(|value| (0.01..=100.0).contains(value)));
        let below = values.iter().filter(|value| **value < middle).count() as f64 / values.len() as f64;
        // Four standard deviations of a share of 2000 draws.
        assert!((below - 0.5).abs() < 0.045, "{scale}: {below}");
    }
}

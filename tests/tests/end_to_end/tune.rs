//! Tests searches for parameters: against the commands that train, score and evaluate one model, and
//! with programs in other languages.

use std::path::Path;

use serde_json::Value;

use crate::harness::{
    Made, assert_same_content, content, copy_of, directory, fivefold, has_long_proofs, json, python, real_data, run,
    stderr, stdout, stdout_with_data, write,
};

const EXPERIMENT: &str = r#"
name = "tuned"
seed = 3
[[dataset]]
label = "made"
path = "made"
layout = "fold-dirs"
[[ranker]]
label = "Ridge"
kind = "linear"
[ranker.tune]
method = "grid"
measure = "ndcg@10"
normalise = ["none", { method = "z-score", over = "query" }]
[ranker.tune.params]
lambda = [0.1, 100.0, 10000.0]
[[ranker]]
label = "LMART"
kind = "lambdamart"
params = { trees = 6 }
isolate = true
[ranker.tune]
method = "random"
draws = 3
measure = "ap.v2"
per = "data-set"
[ranker.tune.params]
leaves = { low = 3, high = 20 }
learning_rate = { low = 0.01, high = 0.5, scale = "log" }
[[ranker]]
label = "Fused"
kind = "fusion"
params = { of = ["Ridge", "LMART"] }
[evaluation]
measures = ["ndcg"]
cutoffs = [10]
"#;

fn made(experiment: &str) -> tempfile::TempDir {
    static MADE: Made = Made::new();
    let at = copy_of(&MADE, |at| drop(stdout(at, "make --shape mq2007 --queries 30 --out made")));
    write(at.path(), &[("tuned.toml", experiment)]);
    at
}

fn manifest(at: &Path, out: &str) -> Value {
    serde_json::from_slice(&std::fs::read(at.join(out).join("manifest.json")).unwrap()).unwrap()
}

#[test]
fn a_search_is_made_of_jobs() {
    let at = made(EXPERIMENT);
    let listed = stdout(at.path(), "jobs tuned.toml");
    let of_stage = |stage: &str| listed.lines().filter(|line| line.contains(stage)).count();
    assert_eq!((of_stage("stage 0"), of_stage("stage 1"), of_stage("stage 2")), (5 * 9, 10, 5), "{listed}");
    let output = run(at.path(), "run tuned.toml --out one --threads 1");
    let (said, shown) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(said.contains("60 jobs (45 candidates of searches; 0 reused, 60 to do)"), "{said}");
    assert!(shown.contains("15 jobs, 0 failed; 45 candidates of searches, 0 failed"), "{shown}");
    stdout(at.path(), "run tuned.toml --out two --threads 3");
    assert_same_content(&at.path().join("one"), &at.path().join("two"));
    let again = run(at.path(), "run tuned.toml --out one");
    assert!(String::from_utf8_lossy(&again.stderr).contains("60 reused, 0 to do"));
    let verified = stdout(at.path(), "verify one");
    assert!(
        verified.contains("scores from models  15   0") && verified.contains("inputs of jobs      60   0"),
        "{verified}"
    );
}

/// The value of a candidate is the value that `eval` gives to the scores of a model that `train`
/// made.
#[test]
fn a_candidate_has_the_value_of_a_model_trained_by_hand() {
    let at = made(EXPERIMENT);
    stdout(at.path(), "run tuned.toml --only Ridge --out out");
    let candidates: Vec<String> = content(&at.path().join("out/jobs/made/fold2/Ridge")).into_keys().collect();
    assert_eq!(candidates.len(), 6);
    for name in candidates {
        let record = std::fs::read(at.path().join("out/jobs/made/fold2/Ridge").join(name)).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        let (tried, inputs) = (&record["tried"], &record["inputs"]);
        let (lambda, method) = (&inputs["params"]["lambda"], &inputs["normalise"]["method"]);
        let method = method.as_str().unwrap();
        let fold = "made/Fold2";
        stdout(
            at.path(),
            &format!(
                "train --ranker linear --param lambda={lambda} --normalise {method}:query --train {fold}/train.txt -o m \
                 --replace"
            ),
        );
        stdout(at.path(), &format!("score --model m --data {fold}/vali.txt -o s --replace"));
        let found = json(at.path(), &format!("eval --data {fold}/vali.txt --scores s --measures ndcg@10 --json"));
        assert_eq!(mean_of(&found), tried["value"].as_f64().unwrap(), "{record}");
    }
}

/// The mean of the only measure that `eval --json` printed.
fn mean_of(eval: &Value) -> f64 {
    eval["means"][0]["mean"].as_f64().unwrap()
}

/// A ranker without a search at the chosen setting makes the same model.
#[test]
fn the_model_of_a_tuned_ranker_is_that_of_its_setting() {
    let at = made(EXPERIMENT);
    stdout(at.path(), "run tuned.toml --out out");
    let chosen = &manifest(at.path(), "out")["jobs"][1]["chosen"]["setting"];
    let (leaves, rate) = (&chosen["leaves"], &chosen["learning_rate"]);
    let plain = EXPERIMENT
        .split("isolate")
        .next()
        .unwrap()
        .replace("trees = 6", &format!("trees = 6, leaves = {leaves}, learning_rate = {rate}"));
    std::fs::write(at.path().join("plain.toml"), plain).unwrap();
    stdout(at.path(), "run plain.toml --only LMART --out plain");
    for kind in ["models", "scores"] {
        let of = |out: &str| content(&at.path().join(out).join(kind).join("made/fold1"));
        let file = |out: &str| of(out).into_iter().find(|(name, _)| name.starts_with("LMART")).unwrap();
        assert_eq!(file("out"), file("plain"));
    }
}

const COMMAND: &str = r#"
name = "tuned"
[[dataset]]
label = "made"
path = "made"
layout = "fold-dirs"
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "nth.sh", "{test}", "{scores}", "{param.feature}"], files = ["nth.sh"] }
[ranker.tune]
method = "grid"
measure = "ndcg@10"
[ranker.tune.params]
feature = [3, 25, 40]
[[ranker]]
label = "Feature"
kind = "feature"
[ranker.tune]
method = "grid"
measure = "ndcg@10"
[ranker.tune.params]
feature = [3, 25, 40]
[evaluation]
measures = ["ndcg"]
cutoffs = [10]
"#;

/// Scores each document by a feature, as the built-in ranker `feature` does.
const NTH: &str = "sed \"s/^.* $3:\\([^ ]*\\) .*/\\1/\" \"$1\" > \"$2\"\n";

#[test]
fn parameters_of_a_program_are_searched_too() {
    let at = made(COMMAND);
    std::fs::write(at.path().join("nth.sh"), NTH).unwrap();
    stdout(at.path(), "run tuned.toml --out out");
    let manifest = manifest(at.path(), "out");
    let jobs = manifest["jobs"].as_array().unwrap();
    let chosen = |job: &Value| (job["chosen"]["number"].clone(), job["chosen"]["value"].clone());
    for pair in jobs.chunks(2) {
        assert_eq!(chosen(&pair[0]), chosen(&pair[1]), "{pair:?}");
    }
    assert_eq!(jobs.len(), 10);
    for (from, to, expected) in [
        ("{param.feature}", "3", "`feature` has no effect: `argv` has no `{param.feature}`"),
        ("{param.feature}", "{param.feature}{param.x}", "`{param.x}` has no value; name `x` in [ranker.tune.params]"),
    ] {
        std::fs::write(at.path().join("wrong.toml"), COMMAND.replace(from, to)).unwrap();
        let text = stderr(at.path(), "jobs wrong.toml", 2).replace(['│', '\n'], " ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{text}");
    }
}

/// LightGBM as a command, and the same library in a plain loop over settings.
const LIGHTGBM: &str = r#"
name = "lightgbm"
[[dataset]]
label = "made"
path = "made"
layout = "fold-dirs"
[[ranker]]
label = "LightGBM"
kind = "command"
[ranker.params]
argv = ["python3", "rank.py", "{train}", "{test}", "{scores}", "{param.leaves}", "{param.rate}"]
files = ["rank.py"]
[ranker.tune]
method = "grid"
measure = "ndcg@10"
[ranker.tune.params]
leaves = [3, 15]
rate = [0.02, 0.3]
[evaluation]
measures = ["ndcg"]
cutoffs = [10]
"#;

/// Without early stopping, so that the validation part serves the choice alone.
const RANK: &str = r##"
import sys
# LightGBM takes these packages if they are there, and does the same without them: half of its start.
sys.modules.update(dict.fromkeys(["pandas", "sklearn"]))
import lightgbm
import numpy

def read(path):
    rows, grades, queries, sizes = [], [], [], []
    for line in open(path, encoding="utf-8"):
        grade, qid, *features = line.split("#")[0].split()
        rows.append([float(feature.split(":")[1]) for feature in features])
        grades.append(int(grade))
        if not queries or queries[-1] != qid:
            queries.append(qid)
            sizes.append(0)
        sizes[-1] += 1
    return numpy.array(rows, dtype=numpy.float32), numpy.array(grades), sizes

def rank(train, test, scores, leaves, rate):
    features, grades, sizes = read(train)
    settings = {"objective": "lambdarank", "num_leaves": int(leaves), "learning_rate": float(rate), "num_threads": 1,
                "min_data_in_leaf": 5, "deterministic": True, "force_row_wise": True, "verbose": -1}
    model = lightgbm.train(settings, lightgbm.Dataset(features, grades, group=sizes), num_boost_round=20)
    with open(scores, "w", encoding="utf-8") as out:
        out.writelines(f"{score!r}\n" for score in model.predict(read(test)[0]).tolist())

if __name__ == "__main__":
    rank(*sys.argv[1:])
"##;

const LOOP: &str = r#"
import sys
from rank import rank
for fold in sys.argv[1:]:
    for leaves in (3, 15):
        for rate in (0.02, 0.3):
            rank(f"made/Fold{fold}/train.txt", f"made/Fold{fold}/vali.txt", f"{fold}-{leaves}-{rate}.txt", leaves, rate)
"#;

#[cfg(unix)]
#[test]
fn a_search_over_lightgbm_chooses_as_a_plain_loop_in_python() {
    let Some(python) = python("lightgbm, numpy") else { return };
    let at = made(
        &LIGHTGBM.replace("\"python3\"", &format!("{python:?}")).replace("name = \"lightgbm\"", "name = \"tuned\""),
    );
    let at = at.path();
    std::fs::write(at.join("rank.py"), RANK).unwrap();
    std::fs::write(at.join("loop.py"), LOOP).unwrap();
    let folds: &[usize] = if has_long_proofs() { &[1, 2] } else { &[1] };
    let words = folds.iter().map(usize::to_string);
    let looped = std::process::Command::new(&python).arg("loop.py").args(words).current_dir(at).output().unwrap();
    assert!(looped.status.success(), "{}", String::from_utf8_lossy(&looped.stderr));
    let only: String = folds.iter().map(|fold| format!(" --only made/fold{fold}/LightGBM")).collect();
    stdout(at, &format!("run tuned.toml --out out{only}"));
    for fold in folds {
        let mut best: Option<(f64, i64, f64)> = None;
        for (leaves, rate) in [(3, 0.02), (3, 0.3), (15, 0.02), (15, 0.3)] {
            let files = format!("--data made/Fold{fold}/vali.txt --scores {fold}-{leaves}-{rate}.txt");
            let value = mean_of(&json(at, &format!("eval {files} --measures ndcg@10 --json")));
            if best.is_none_or(|(found, ..)| value > found) {
                best = Some((value, leaves, rate));
            }
        }
        let (value, leaves, rate) = best.unwrap();
        let record = std::fs::read(at.join(format!("out/jobs/made/fold{fold}/LightGBM.json"))).unwrap();
        let chosen = &serde_json::from_slice::<Value>(&record).unwrap()["chosen"];
        assert_eq!(
            (&chosen["setting"]["leaves"], &chosen["setting"]["rate"]),
            (&leaves.into(), &rate.into()),
            "{chosen}"
        );
        assert_eq!((chosen["value"].as_f64(), &chosen["settings"]), (Some(value), &4.into()), "{chosen}");
    }
}

/// The choices of scikit-learn 1.9.1, GridSearchCV with a PredefinedSplit, by tools/tuning_sklearn.py:
/// the ranker, the fold, the chosen parameter, and its nDCG@10 on the validation part.
const SKLEARN: [(&str, usize, f64, f64); 10] = [
    ("linear", 1, 10.0, 0.533_091),
    ("linear", 2, 1.0, 0.472_243),
    ("linear", 3, 100.0, 0.437_196),
    ("linear", 4, 1000.0, 0.481_637),
    ("linear", 5, 1000.0, 0.547_867),
    ("l2-logistic", 1, 1.0, 0.548_083),
    ("l2-logistic", 2, 0.01, 0.482_805),
    ("l2-logistic", 3, 0.1, 0.447_156),
    ("l2-logistic", 4, 0.1, 0.484_306),
    ("l2-logistic", 5, 0.1, 0.556_725),
];

const ON_MQ2008: &str = r#"
name = "oracle"
[[dataset]]
name = "mq2008"
[[ranker]]
kind = "linear"
[ranker.tune]
method = "grid"
measure = "ndcg@10"
[ranker.tune.params]
lambda = [0.1, 1.0, 10.0, 100.0, 1000.0]
[[ranker]]
kind = "l2-logistic"
[ranker.tune]
method = "grid"
measure = "ndcg@10"
[ranker.tune.params]
c = [1.0, 0.1, 0.01, 0.001]
"#;

#[test]
fn choices_on_mq2008_are_those_of_scikit_learn() {
    let Some(data) = real_data() else { return };
    let at = directory(&[("oracle.toml", ON_MQ2008)]);
    stdout_with_data(at.path(), &data, &["run", "oracle.toml", "--out", "out"]);
    for (kind, fold, value, mean) in SKLEARN {
        let name = format!("out/jobs/MQ2008/fold{fold}/{kind}.json");
        let name = if at.path().join(&name).exists() { name } else { name.replace("MQ2008", "mq2008") };
        let record: Value = serde_json::from_slice(&std::fs::read(at.path().join(name)).unwrap()).unwrap();
        let (chosen, name) = (&record["chosen"], if kind == "linear" { "lambda" } else { "c" });
        assert_eq!(chosen["setting"][name].as_f64(), Some(value), "{kind}, fold {fold}");
        // The script prints six digits.
        assert!((chosen["value"].as_f64().unwrap() - mean).abs() < 1e-5, "{kind}, fold {fold}: {chosen}");
    }
}

/// Three trees never stop early after 100 or 200, so each pair of settings has the same value, which
/// the table says.
#[test]
fn a_parameter_without_effect_is_named() {
    let text = EXPERIMENT.split("[[ranker]]\nlabel = \"LMART\"").next().unwrap().replace(
        "lambda = [0.1, 100.0, 10000.0]",
        "lambda = [0.1, 100.0]\n[[ranker]]\nlabel = \"Boost\"\nkind = \"lambdamart\"\nparams = { trees = 3, learning_rate = 0.1 }\n\
         [ranker.tune]\nmethod = \"grid\"\nmeasure = \"ndcg@10\"\n[ranker.tune.params]\nleaves = [3, 9]\n\
         early_stopping = [100, 200]",
    ) + "[evaluation]\nmeasures = [\"ndcg\"]\ncutoffs = [10]\n";
    let at = made(&text);
    stdout(at.path(), "run tuned.toml --out out");
    let table = stdout(at.path(), "report out --table tuning-chosen");
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Boost on made: no validation value of this search depends on `early_stopping`"), "{table}");
    assert!(!words.contains("depends on `leaves`") && !words.contains("depends on `lambda`"), "{table}");
}

/// Without validation parts, a search is refused before any job.
#[test]
fn a_search_needs_validation_parts() {
    let at = made(EXPERIMENT);
    let text = EXPERIMENT.replace(
        "layout = \"fold-dirs\"",
        "layout = \"train-test\"\nfiles = [\"Fold1/train.txt\", \"Fold1/test.txt\"]",
    );
    std::fs::write(at.path().join("none.toml"), text).unwrap();
    let output = fivefold(at.path()).args(["jobs", "none.toml"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).replace(['│', '\n'], " ");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("has 0 queries of validation, too few for `tune`"), "{said}");
}

/// The choice of `fivefold tune` is that of a loop over `train`, `score` and `eval`, and so is the
/// model.
#[test]
fn one_ranker_is_tuned_without_an_experiment_file() {
    let folder = directory(&[]);
    let at = folder.path();
    stdout(at, "make --shape mq2007 --queries 60 --seed 3 --out data");
    let files = "--train data/Fold1/train.txt --valid data/Fold1/vali.txt --normalise z-score:query";
    let value = |lambda: &str| {
        stdout(at, &format!("train --ranker linear --param lambda={lambda} {files} --out {lambda}.json"));
        stdout(at, &format!("score --model {lambda}.json --data data/Fold1/vali.txt --out {lambda}.txt"));
        let values =
            json(at, &format!("eval --data data/Fold1/vali.txt --scores {lambda}.txt --measures ndcg@10 --json"));
        values["means"][0]["mean"].as_f64().unwrap_or_else(|| panic!("{values}"))
    };
    let lambdas = ["0.001", "10.0", "1000.0", "100000.0"];
    let values = lambdas.map(value);
    let best = (0..4).max_by(|&one, &other| values[one].total_cmp(&values[other]).then(other.cmp(&one))).unwrap();
    let search = format!("tune --ranker linear --try lambda={} --measure ndcg@10 {files}", lambdas.join(","));
    let told = json(at, &format!("{search} --out tuned.json --json"));
    let found: Vec<f64> =
        told["settings"].as_array().unwrap().iter().map(|own| own["value"].as_f64().unwrap()).collect();
    assert_eq!(found, values);
    assert_eq!(told["chosen"]["number"], best, "{told}");
    assert_eq!(
        std::fs::read(at.join("tuned.json")).unwrap(),
        std::fs::read(at.join(format!("{}.json", lambdas[best]))).unwrap()
    );
    let wrong = stderr(at, &search.replace("--try lambda", "--try lamda").replace("tune ", "tune --out x.json "), 2);
    assert!(wrong.contains("lamda"), "{wrong}");
}

//! Tests `run --explain-cache`: which changes keep a result valid, which do not, and whether the
//! reason is named.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Made, content, copy, copy_of, directory, json, run, stderr, stdout};
use crate::outside::{self, FIRST, FOLDS, run_into};

/// A ranker that draws random numbers, and a ranker that does not.
const RANKERS: &str = r#"
[[ranker]]
label = "Random"
kind = "random"
[[ranker]]
label = "Ridge"
kind = "linear"
params = { lambda = 1.0 }"#;

fn experiment() -> String {
    outside::experiment(RANKERS)
}

fn done() -> tempfile::TempDir {
    static MADE: Made = Made::new();
    copy_of(&MADE, |at| run_into(at, &experiment(), "runs/small"))
}

fn explained(at: &Path, arguments: &str) -> Value {
    json(at, &format!("run small.toml --explain-cache --json {arguments}"))
}

/// The jobs of a ranker that are done again. Each is the word of `result` with the inputs that
/// changed.
fn again(explained: &Value, ranker: &str) -> Vec<String> {
    let jobs = explained["jobs"].as_array().unwrap().iter();
    let own = jobs.filter(|job| job["id"].as_str().unwrap().ends_with(&format!("/{ranker}")));
    let words = |job: &Value| {
        let changes = job["changes"].as_array().into_iter().flatten();
        let inputs: Vec<&str> = changes.map(|change| change["input"].as_str().unwrap()).collect();
        format!("{} {}", job["result"].as_str().unwrap(), inputs.join(" ")).trim().to_owned()
    };
    own.map(words).filter(|words| words != "reused").collect()
}

fn counts(explained: &Value) -> [usize; 4] {
    ["Random", "Ridge", "Read", "Shell"].map(|ranker| again(explained, ranker).len())
}

fn edit(at: &Path, file: &str, change: impl Fn(&str) -> String) {
    let path = at.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let changed = change(&text);
    assert_ne!(text, changed, "{file}");
    std::fs::write(path, changed).unwrap();
}

fn settings(at: &Path, from: &str, to: &str) {
    std::fs::write(at.join("small.toml"), experiment().replacen(from, to, 1)).unwrap();
    assert!(experiment().contains(from), "{from}");
}

#[test]
fn results_survive_another_folder_other_threads_another_machine_and_another_path_of_the_data() {
    let folder = done();
    let at = folder.path();
    // The folder is copied, so that its files have new dates.
    copy(&at.join("runs/small"), &at.join("copied"));
    // The log now names another machine.
    std::fs::copy(at.join("runs/small.log.json"), at.join("copied.log.json")).unwrap();
    edit(at, "copied.log.json", |log| log.replace(std::env::consts::OS, "another system"));
    std::fs::rename(at.join("made"), at.join("moved")).unwrap();
    settings(at, "\"made\"", "\"moved\"");
    std::fs::remove_dir_all(at.join("runs")).unwrap();
    let found = explained(at, "--out copied");
    assert_eq!(counts(&found), [0; 4]);
    assert_eq!(found["evaluation"]["changes"], Value::Array(Vec::new()));
    let summary = json(at, "run small.toml --out copied --threads 3 --json");
    assert_eq!((&summary["reused"], &summary["done"]), (&20.into(), &0.into()));
}

#[test]
fn whatever_alters_a_result_is_named_and_nothing_else_is_done_again() {
    let folder = done();
    let at = folder.path();
    let change = |from: &str, to: &str| {
        settings(at, from, to);
        explained(at, "")
    };
    let parameter = change("lambda = 1.0", "lambda = 2.0");
    assert_eq!(counts(&parameter), [0, FOLDS, 0, 0]);
    assert_eq!(again(&parameter, "Ridge")[0], "changed params.lambda");
    let job = parameter["jobs"].as_array().unwrap().iter().find(|job| job["changes"].is_array()).unwrap();
    assert_eq!((&job["changes"][0]["old"], &job["changes"][0]["new"]), (&1.0.into(), &2.0.into()));

    let seed = change("seed = 3", "seed = 4");
    assert_eq!(counts(&seed), [FOLDS, 0, 0, 0]);
    assert_eq!(again(&seed, "Random")[0], "changed seed");

    let normaliser =
        change("label = \"Ridge\"", "label = \"Ridge\"\nnormalise = { method = \"z-score\", over = \"query\" }");
    assert_eq!(counts(&normaliser), [0, FOLDS, 0, 0]);
    assert!(again(&normaliser, "Ridge")[0].starts_with("changed normalise."), "{:?}", again(&normaliser, "Ridge"));

    // Files and seeds are named by the label. So results under the old label are not results under
    // the new label.
    let renamed = change("label = \"Ridge\"", "label = \"L2\"");
    assert_eq!((counts(&renamed), again(&renamed, "L2").len()), ([0; 4], FOLDS));
    assert_eq!(again(&renamed, "L2")[0], "new");

    std::fs::write(at.join("small.toml"), experiment()).unwrap();
    edit(at, "first.sh", |text| format!("# more\n{text}"));
    assert_eq!(again(&explained(at, ""), "Shell"), vec!["changed files.first.sh"; FOLDS]);
    std::fs::write(at.join("first.sh"), FIRST).unwrap();

    edit(at, "read/2.txt", |text| text.replacen("0.5", "0.25", 1));
    assert_eq!(again(&explained(at, ""), "Read"), ["changed file"]);
    edit(at, "read/2.txt", |text| text.replacen("0.25", "0.5", 1));

    // The record was written by another version of the ranker.
    edit(at, "runs/small/jobs/A/fold1/Ridge.json", |text| {
        let mut record: Value = serde_json::from_str(text).unwrap();
        record["inputs"]["version"] = 0.into();
        record["key"] = "another".into();
        record.to_string()
    });
    assert_eq!(again(&explained(at, ""), "Ridge"), ["changed version"]);
    assert!(stdout(at, "run small.toml --explain-cache").contains("version: 0 -> 2 (version of the ranker)"));
    stdout(at, "run small.toml");
    assert_eq!(counts(&explained(at, "")), [0; 4]);
}

/// One byte of one feature is changed. Its query is in the test part of one fold, in the training
/// part of three and in the validation part of one.
#[test]
fn one_byte_of_a_feature_is_noticed_in_every_part_that_holds_it() {
    let folder = done();
    let at = folder.path();
    let file = std::fs::read_to_string(at.join("made/Fold1/test.txt")).unwrap();
    let line = file.lines().next().unwrap();
    let feature = line.split(' ').find(|word| word.starts_with("2:")).unwrap();
    let other = format!("{}{}", &feature[..feature.len() - 1], if feature.ends_with('5') { '6' } else { '5' });
    let altered = line.replacen(feature, &other, 1);
    for (name, bytes) in content(&at.join("made")) {
        let text = String::from_utf8(bytes).unwrap();
        std::fs::write(at.join("made").join(name), text.replace(line, &altered)).unwrap();
    }
    let found = explained(at, "");
    assert_eq!(counts(&found), [FOLDS, FOLDS, 1, FOLDS]);
    assert_eq!(again(&found, "Read"), ["changed test"]);
    let mut parts = again(&found, "Ridge");
    parts.sort();
    assert_eq!(parts, ["changed test", "changed train", "changed train", "changed train", "changed validation"]);
    let told = stderr(at, "run small.toml", 0);
    assert!(told.contains("done again: 16 jobs because the data of A changed (--explain-cache"), "{told}");
}

#[test]
fn settings_of_the_evaluation_redo_the_evaluation_only() {
    let folder = done();
    let at = folder.path();
    for (from, to, setting) in [
        ("cutoffs = [5]", "cutoffs = [10]", "evaluation.measures"),
        ("cutoffs = [5]", "cutoffs = [5]\nmeasures = [\"rr\"]", "evaluation.measures"),
        ("cutoffs = [5]", "cutoffs = [5]\nties = \"input\"", "evaluation.conventions.ties"),
        ("seed = 3", "seed = 3\ndialect = \"letor4\"", "evaluation.dialect"),
        ("ideal = 3", "ideal = 4", "query_sets.ideal"),
    ] {
        settings(at, from, to);
        let found = explained(at, "");
        assert_eq!(counts(&found), [0; 4], "{to}");
        let changes = found["evaluation"]["changes"].as_array().unwrap();
        assert!(changes.iter().any(|change| change["input"] == setting), "{to}: {changes:?}");
    }
    std::fs::write(at.join("small.toml"), experiment()).unwrap();
    let text = stdout(at, "run small.toml --explain-cache");
    assert!(text.ends_with("so the evaluation gives the same values\n"), "{text}");
    edit(at, "runs/small/per_query.csv", |text| text.replacen(",0", ",1", 1));
    let text = stdout(at, "run small.toml --explain-cache");
    assert!(text.contains("queries.csv or per_query.csv was altered after the last run"), "{text}");
}

#[test]
fn files_that_are_missing_altered_or_damaged_are_named_in_groups() {
    let folder = done();
    let at = folder.path();
    let before = content(at);
    edit(at, "runs/small/scores/A/fold1/Ridge.txt", |text| format!("{text}1.0\n"));
    edit(at, "runs/small/jobs/A/fold2/Ridge.json", |text| text[1..].to_owned());
    std::fs::remove_file(at.join("runs/small/models/A/fold3/Random.json")).unwrap();
    let text = stdout(at, "run small.toml --explain-cache");
    let expected = "small: 20 jobs, 17 reused, 3 to do, in runs/small
reused: 17 jobs
  A: Random (fold1, fold2, fold4, fold5); Ridge (fold3, fold4, fold5); Read, Shell
to do: 1 job, because a file of the result was altered
  A: Ridge (fold1)
  scores/A/fold1/Ridge.txt
to do: 1 job, because the record is damaged
  A: Ridge (fold2)
  jobs/A/fold2/Ridge.json: ";
    for line in expected.lines() {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(
        text.contains("because a file of the result is missing\n  A: Random (fold3)\n  models/A/fold3/Random.json\n"),
        "{text}"
    );
    let told = stderr(at, "run small.toml", 0);
    assert!(told.contains("1 job because a file of the result was altered"), "{told}");
    assert_eq!(before.keys().collect::<Vec<_>>(), content(at).keys().collect::<Vec<_>>());
    assert_eq!(before["runs/small/scores/A/fold1/Ridge.txt"], content(at)["runs/small/scores/A/fold1/Ridge.txt"]);
}

#[test]
fn an_explanation_does_nothing_and_a_failure_is_a_reason() {
    let folder = directory(&[("small.toml", &experiment()), ("first.sh", "exit 4\n")]);
    let at = folder.path();
    stdout(at, "make --shape mq2007 --queries 15 -o made");
    std::fs::write(
        at.join("small.toml"),
        experiment().replace("\"scores\"\nparams = { path = \"read/{fold}.txt\" }", "\"random\""),
    )
    .unwrap();
    let text = stdout(at, "run small.toml --explain-cache");
    assert!(
        text.contains("to do: 20 jobs, because there is no result")
            && text.contains("the folder has no evaluation yet"),
        "{text}"
    );
    assert!(!at.join("runs").exists());
    let first = run(at, "run small.toml");
    assert!(!String::from_utf8_lossy(&first.stderr).contains("done again"));
    let text = stdout(at, "run small.toml --explain-cache");
    assert!(
        text.contains("to do: 5 jobs, because the job failed the last time\n  A: Shell\n  the command ended with"),
        "{text}"
    );
}

#[test]
fn a_study_keeps_nothing_and_says_so() {
    let study = "name = \"s\"\nkind = \"compare\"\n[systems]\nvalues = [\"values.csv\"]\n";
    let values = "query,a,b\n1,0.5,0.25\n2,0.75,0.5\n3,0.125,0.5\n";
    let folder = directory(&[("study.toml", study), ("values.csv", values)]);
    let at = folder.path();
    stdout(at, "run study.toml --out out");
    let text = stdout(at, "run study.toml --out out --explain-cache");
    assert!(
        text.contains("every run computes a study anew") && text.contains("the settings are the settings of out"),
        "{text}"
    );
    edit(at, "study.toml", |text| format!("seed = 9\n{text}"));
    let text = stdout(at, "run study.toml --out out --explain-cache");
    assert!(text.contains("the settings differ from the settings of out:\n  seed: 0 -> 9\n"), "{text}");
}

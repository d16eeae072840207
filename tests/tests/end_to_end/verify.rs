//! Tests `verify`: an intact folder passes, and every file that was tampered with is found and
//! named.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{Made, content, copy, copy_of, directory, run, stderr, stdout};
use crate::outside::{self, run_into};

/// Rankers with both kinds of normalisers.
const RANKERS: &str = r#"
[[ranker]]
label = "Ridge"
kind = "linear"
normalise = { method = "z-score", over = "train" }
[[ranker]]
label = "Trees"
kind = "lambdamart"
params = { trees = 3 }"#;

fn experiment() -> String {
    outside::experiment(RANKERS)
}

fn done() -> tempfile::TempDir {
    static MADE: Made = Made::new();
    copy_of(&MADE, |at| run_into(at, &experiment(), "run"))
}

/// A copy of the run in which a file is changed.
struct Tampered<'a> {
    at: &'a Path,
    folder: PathBuf,
}

impl<'a> Tampered<'a> {
    fn new(at: &'a Path, name: &str) -> Self {
        let folder = at.join(name);
        copy(&at.join("run"), &folder);
        Tampered { at, folder }
    }

    fn edit(self, file: &str, change: impl Fn(&str) -> String) -> Self {
        let path = self.folder.join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        // A file with a wrong hash of itself is not read at all. So the test removes the hash, as
        // somebody would who tampers on purpose.
        let text = if file == "manifest.json" || file.starts_with("models/") { without_checksum(&text) } else { text };
        let changed = change(&text);
        assert_ne!(text, changed, "{file}");
        std::fs::write(path, changed).unwrap();
        self
    }

    /// Puts the present hash of a file into the record of its job.
    fn fix_hash(self, job: &str, file: &str) -> Self {
        let hash = blake3::hash(&std::fs::read(self.folder.join(file)).unwrap()).to_hex().to_string();
        self.edit(&format!("jobs/{job}.json"), |text| {
            let mut record: Value = serde_json::from_str(text).unwrap();
            record["outputs"][file] = hash.clone().into();
            serde_json::to_string_pretty(&record).unwrap() + "\n"
        })
    }

    /// Runs `verify`, which must end with this exit code. Returns `CHECK: FILE: WHAT` for each
    /// difference.
    fn differences(&self, code: i32) -> Vec<String> {
        let folder = self.folder.file_name().unwrap().to_string_lossy();
        let found = verified(self.at, &format!("verify {folder} --json"), code);
        let mut all = Vec::new();
        for check in found["checks"].as_array().unwrap() {
            for difference in check["differences"].as_array().unwrap() {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let [name, file, what] = [&check["name"], &difference["file"], &difference["what"]].map(text);
                all.push(format!("{name}: {file}: {what}"));
            }
        }
        all
    }

    /// Checks that one of the differences begins with `expected`.
    fn finds(&self, expected: &str) {
        let all = self.differences(1);
        assert!(all.iter().any(|difference| difference.starts_with(expected)), "{expected}\n{}", all.join("\n"));
    }
}

/// Removes the hash of itself from the end of a file.
fn without_checksum(text: &str) -> String {
    let end = text.rfind("\"hash\"").filter(|at| text.len() - at < 80).unwrap();
    let comma = text[..end].rfind(',').unwrap();
    format!("{}}}\n", &text[..comma])
}

fn verified(at: &Path, arguments: &str, code: i32) -> Value {
    let output = run(at, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{errors}\n{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{errors}"))
}

/// The counts of the check `name`: unchanged, different, not checked.
fn counts(found: &Value, name: &str) -> (u64, u64, u64) {
    let check = found["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap();
    let unchecked = check["unchecked"].as_array().unwrap().iter().map(|left| left["count"].as_u64().unwrap()).sum();
    (check["ok"].as_u64().unwrap(), check["differ"].as_u64().unwrap(), unchecked)
}

#[test]
fn everything_is_counted_and_what_cannot_be_checked_is_said() {
    let folder = done();
    let at = folder.path();
    let found = verified(at, "verify run --experiment small.toml --json", 0);
    assert_eq!(counts(&found, "experiment"), (1, 0, 0));
    assert_eq!(counts(&found, "records"), (20, 0, 0));
    assert_eq!(counts(&found, "files of jobs"), (30, 0, 0), "20 of scores, 10 of models");
    assert_eq!(counts(&found, "data"), (1, 0, 0));
    assert_eq!(counts(&found, "inputs of jobs"), (20, 0, 0));
    assert_eq!(counts(&found, "scores from models"), (15, 0, 5), "those of the program would need it to run again");
    // The values are over all documents and over both halves, for four rankers, 15 queries and six
    // measures.
    assert_eq!(counts(&found, "values from scores"), (3 * 4 * 15 * 6, 0, 0));
    assert_eq!(counts(&found, "result hash"), (1, 0, 0));
    assert!(counts(&found, "report from values").0 > 50);
    assert_eq!(counts(&found, "other files"), (content(&at.join("run")).len() as u64, 0, 0));
    let manifest: Value = serde_json::from_slice(&std::fs::read(at.join("run/manifest.json")).unwrap()).unwrap();
    assert_eq!(found["result"], manifest["result"]);
    let text = stdout(at, "verify run");
    assert!(text.contains("not checked: 5 of scores from models: a program made the scores"), "{text}");
    assert!(text.ends_with(&format!("result hash: {}\n", manifest["result"].as_str().unwrap())), "{text}");

    // If memory is missing, the help names `--memory`.
    let said = stderr(at, "verify run --memory 100B --no-cache", 2);
    assert!(said.contains("--memory"), "{said}");

    std::fs::rename(at.join("made"), at.join("gone")).unwrap();
    let found = verified(at, "verify run --json", 2);
    assert_eq!(counts(&found, "scores from models"), (0, 0, 20));
    assert_eq!(counts(&found, "records"), (20, 0, 0));
    let alone = verified(at, "verify run --without-data --json", 0);
    assert_eq!(alone["checks"].as_array().unwrap().len(), 6);
    std::fs::rename(at.join("gone"), at.join("made")).unwrap();
    std::fs::remove_dir_all(at.join("read")).unwrap();
    let found = verified(at, "verify run --json", 2);
    assert_eq!((counts(&found, "inputs of jobs"), counts(&found, "scores from models")), ((15, 0, 5), (10, 0, 10)));
    assert_eq!(counts(&found, "values from scores"), (3 * 4 * 15 * 6, 0, 0));
}

#[test]
fn values_scores_models_and_tables_that_were_tampered_with_are_found_and_named() {
    let folder = done();
    let at = folder.path();
    let values = std::fs::read_to_string(at.join("run/per_query.csv")).unwrap();
    let line = values.lines().find(|line| line.contains(",all,Ridge,0.")).unwrap();
    let query = line.split(',').nth(2).unwrap();
    let one = Tampered::new(at, "value")
        .edit("per_query.csv", |text| text.replacen(line, &line.replacen(",0.", ",0.9", 1), 1));
    one.finds("values: queries.csv and per_query.csv: the result hash is ");
    one.finds(&format!("values from scores: per_query.csv: A, query {query}, all documents, Ridge, ndcg@5: 0.9"));

    let scores = "scores/A/fold2/Ridge.txt";
    let one = Tampered::new(at, "score").edit(scores, |text| text.replacen("0.", "7.", 1));
    one.finds(&format!("files of jobs: {scores}: has another content than jobs/A/fold2/Ridge.json says"));
    let one = one.fix_hash("A/fold2/Ridge", scores);
    one.finds(&format!("scores from models: {scores}: line "));
    assert!(one.differences(1).iter().all(|difference| !difference.starts_with("files of jobs")));

    let scores = "scores/A/fold3/Read.txt";
    let one = Tampered::new(at, "read-score").edit(scores, |text| text.replacen("2.5", "1.25", 1));
    one.fix_hash("A/fold3/Read", scores)
        .finds(&format!("scores from models: {scores}: line 3: 1.25, but the file that they were read from gives 2.5"));

    let model = "models/A/fold1/Trees.json";
    let one = Tampered::new(at, "model").edit(model, alter_last_number);
    one.finds(&format!("files of jobs: {model}: "));
    one.fix_hash("A/fold1/Trees", model).finds("scores from models: scores/A/fold1/Trees.txt: line ");
    let one = Tampered::new(at, "header").edit(model, |text| text.replacen("\"trees\":3", "\"trees\":4", 1));
    one.fix_hash("A/fold1/Trees", model).finds(&format!("scores from models: {model}: its header and "));
    let model = "models/A/fold1/Ridge.json";
    let one = Tampered::new(at, "normaliser").edit(model, |text| {
        let mut file: Value = serde_json::from_str(text).unwrap();
        file["header"]["normaliser"]["scales"][0]["centre"] = 123.0.into();
        file.to_string()
    });
    one.fix_hash("A/fold1/Ridge", model).finds(&format!("scores from models: {model}: the normaliser is not that"));

    let tables: Vec<String> =
        content(&at.join("run")).into_keys().filter(|name| name.starts_with("tables/table-03")).collect();
    let csv = tables.iter().find(|name| name.ends_with(".csv")).unwrap();
    let one = Tampered::new(at, "table").edit(csv, alter_last_number);
    one.finds(&format!("report from values: {csv}: row \""));
    assert_eq!(one.differences(1).len(), 1);
    for (name, file) in [("markdown", "tables.md"), ("page", "report.html"), ("index", "tables.json")] {
        let one = Tampered::new(at, name).edit(file, |text| format!("{text}more\n"));
        one.finds(&format!("report from values: {file}: line "));
    }
    // One file of a report is missing, or the run ended before it wrote a report.
    for file in ["tables.json", "report.html", csv.as_str()] {
        let one = Tampered::new(at, "missing");
        std::fs::remove_file(one.folder.join(file)).unwrap();
        assert_eq!(one.differences(1), [format!("report from values: {file}: there is no such file")]);
        std::fs::remove_dir_all(&one.folder).unwrap();
    }
    let one = Tampered::new(at, "none");
    for name in content(&one.folder).into_keys() {
        if name.starts_with("tables") || name.starts_with("figures/") || name == "report.html" {
            std::fs::remove_file(one.folder.join(name)).unwrap();
        }
    }
    assert_eq!(one.differences(2), [""; 0]);
    let text = String::from_utf8(run(at, "verify table").stdout).unwrap();
    assert!(text.contains(&format!("DIFFERS report from values: {csv}: row ")), "{text}");
}

/// Changes the last digit of a text.
fn alter_last_number(text: &str) -> String {
    let last = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
    let digit = if &text[last..=last] == "5" { "6" } else { "5" };
    format!("{}{digit}{}", &text[..last], &text[last + 1..])
}

#[test]
fn the_manifest_the_records_and_the_data_are_held_to_each_other() {
    let folder = done();
    let at = folder.path();
    let hash = |text: &str| text.replacen("\"result\": \"", "\"result\": \"0", 1);
    let one = Tampered::new(at, "result").edit("manifest.json", hash);
    one.finds("values: queries.csv and per_query.csv: the result hash is ");
    one.finds("result hash: manifest.json: result is 0");

    let record = "jobs/A/fold1/Ridge.json";
    let one = Tampered::new(at, "inputs").edit(record, |text| text.replacen("\"lambda\": ", "\"lambda\": 1", 1));
    one.finds(&format!("records: {record}: the key is not that of the inputs"));
    one.finds(&format!("inputs of jobs: {record}: params.lambda was "));
    let one = Tampered::new(at, "newline").edit(record, |text| format!("{text}\n"));
    one.finds(&format!("records: {record}: differs in some byte from the record that a run writes"));
    let one = Tampered::new(at, "foreign");
    copy(&one.folder.join("models/A"), &one.folder.join("models/B"));
    let file = "models/B/fold1/Ridge.json";
    let one = one.edit(record, |text| {
        let line = text.lines().find(|line| line.contains("models/A/fold1/Ridge.json")).unwrap();
        let foreign = line.trim_end_matches(',').replace("models/A", "models/B");
        text.replacen(line, &format!("{foreign},\n{line}"), 1)
    });
    one.finds(&format!("records: {record}: names {file}, which no such job writes"));
    let one = Tampered::new(at, "status").edit(record, |text| text.replacen("\"done\"", "\"failed\"", 1));
    one.finds(&format!("records: {record}: the end is \"failed: \""));

    let one = Tampered::new(at, "gone");
    std::fs::remove_file(one.folder.join("scores/A/fold4/Shell.txt")).unwrap();
    one.finds("files of jobs: scores/A/fold4/Shell.txt: there is no such file");
    let one = Tampered::new(at, "no-record");
    std::fs::remove_file(one.folder.join(record)).unwrap();
    one.finds(&format!("records: {record}: there is no such file"));

    // Field 4 of a line is the count of relevant documents.
    let one = Tampered::new(at, "queries").edit("queries.csv", |text| {
        let line = text.lines().nth(1).unwrap();
        let mut fields: Vec<&str> = line.split(',').collect();
        fields[4] = "999";
        text.replacen(line, &fields.join(","), 1)
    });
    one.finds("values from scores: queries.csv: A: query ");

    let file = at.join("made/Fold1/test.txt");
    let data = std::fs::read_to_string(&file).unwrap();
    let other = if data.starts_with('0') { "1" } else { "0" };
    for (name, bytes) in content(&at.join("made")) {
        let text = String::from_utf8(bytes).unwrap();
        let line = data.lines().next().unwrap();
        std::fs::write(at.join("made").join(name), text.replace(line, &format!("{other}{}", &line[1..]))).unwrap();
    }
    let one = Tampered::new(at, "data");
    one.finds("data: manifest.json: data set A: grades was ");
    one.finds("inputs of jobs: jobs/A/fold1/Ridge.json: test was ");
    let found = verified(at, "verify data --json", 1);
    assert_eq!(counts(&found, "scores from models"), (0, 0, 20), "nothing to hold them to");
}

#[test]
fn what_is_no_results_folder_is_said() {
    let folder = directory(&[("a.txt", "1 qid:1 1:1\n")]);
    for command in ["verify", "report"] {
        for (path, message) in [
            (".", "error: . is not a results folder, or its run has not ended: the folder has no manifest.json"),
            ("a.txt", "error: a.txt is a file, not a results folder"),
            ("nowhere", "error: there is no folder nowhere"),
        ] {
            let said = stderr(folder.path(), &format!("{command} {path}"), 2);
            assert!(said.contains(message) && said.contains("give the folder of a run that ended"), "{said}");
        }
    }
}

#[test]
fn an_altered_manifest_differs_and_the_rest_is_checked() {
    let folder = done();
    let at = folder.path();
    let one = Tampered::new(at, "altered");
    let path = one.folder.join("manifest.json");
    let text = std::fs::read_to_string(&path).unwrap();
    // The hash in the file stays the same.
    std::fs::write(&path, text.replacen("\"seed\": 3", "\"seed\": 4", 1)).unwrap();
    one.finds("manifest: manifest.json: was altered: the hash in it is not the hash of its content");
    let found = verified(at, "verify altered --json", 1);
    assert_eq!((counts(&found, "manifest"), counts(&found, "records")), ((0, 1, 0), (20, 0, 0)));
    assert_eq!((counts(&found, "data"), counts(&found, "scores from models")), ((1, 0, 0), (15, 0, 5)));
    let without_hash = Tampered::new(at, "without_hash");
    let said = |name: &str| {
        std::fs::write(at.join(name).join("manifest.json"), without_checksum(&text)).unwrap();
        ["report", "compare", "standardise --results"].map(|command| stderr(at, &format!("{command} {name}"), 2))
    };
    let expected = "was altered, or fivefold did not write it: the hash of its content is missing";
    assert!(said("without_hash").iter().all(|said| said.contains(expected)), "{:?}", said("without_hash"));
    std::fs::write(at.join("without_hash/manifest.json"), &text).unwrap();
    without_hash.edit("manifest.json", |text| text.replacen("small", "large", 1)).finds(
        "manifest: manifest.json: was altered, or fivefold did not write it: the hash of its content is missing",
    );

    std::fs::write(&path, &text[1..]).unwrap();
    let scores = "scores/A/fold2/Ridge.txt";
    let one = one.edit(scores, |text| format!("{text}1.0\n"));
    one.finds("manifest: manifest.json: not JSON: ");
    one.finds(&format!("files of jobs: {scores}: has another content"));
    let found = verified(at, "verify altered --json", 1);
    assert_eq!((counts(&found, "records"), counts(&found, "files of jobs")), ((20, 0, 0), (29, 1, 0)));
    assert!(found["experiment"].is_null() && found["result"].is_null());
    let said = String::from_utf8(run(at, "verify altered").stdout).unwrap();
    assert!(said.contains("not checked: 1 of all that the manifest tells: the manifest cannot be read"), "{said}");
}

#[test]
fn data_and_scores_are_looked_for_where_the_experiment_says() {
    let folder = done();
    let at = folder.path();
    std::fs::rename(at.join("made"), at.join("moved")).unwrap();
    std::fs::rename(at.join("read"), at.join("taken")).unwrap();
    verified(at, "verify run --json", 2);
    let moved = experiment().replace("\"made\"", "\"moved\"").replace("read/{fold}", "taken/{fold}");
    std::fs::write(at.join("moved.toml"), &moved).unwrap();
    let found = verified(at, "verify run --experiment moved.toml --json", 0);
    assert_eq!((counts(&found, "experiment"), counts(&found, "data")), ((1, 0, 0), (1, 0, 0)));
    assert_eq!((counts(&found, "inputs of jobs"), counts(&found, "scores from models")), ((20, 0, 0), (15, 0, 5)));
    std::fs::write(at.join("moved.toml"), moved.replace("trees = 3", "trees = 4")).unwrap();
    let found = verified(at, "verify run --experiment moved.toml --json", 1);
    assert_eq!((counts(&found, "experiment"), counts(&found, "data")), ((0, 1, 0), (1, 0, 0)));
}

#[test]
fn files_that_stand_among_the_results_and_are_none_are_named() {
    let folder = done();
    let at = folder.path();
    let scores = "scores/A/fold1/Ghost.txt";
    for (name, file, what) in [
        ("table", "tables/zzz.csv", "is no table or figure of these results"),
        ("figure", "figures/figure-99.svg", "is no table or figure of these results"),
        ("scores", scores, "belongs to no job of this run"),
        ("record", "jobs/A/fold1/Ghost.json", "belongs to no job of this run"),
    ] {
        let one = Tampered::new(at, name);
        std::fs::write(one.folder.join(file), "{}").unwrap();
        assert_eq!(one.differences(1), [format!("other files: {file}: {what}")]);
    }
    // Without values, it is unknown which tables there should be.
    let one = Tampered::new(at, "no-values").edit("per_query.csv", |text| text.replacen(",all,", ",every,", 1));
    assert!(one.differences(1).iter().all(|difference| !difference.starts_with("other files")));
    let found = String::from_utf8(run(at, "verify no-values").stdout).unwrap();
    assert!(
        found.contains(" of other files: of a report that cannot be compared with its values: figures/"),
        "{found}"
    );
    assert!(!found.contains("not of this run"), "{found}");
    // An intact record of another label comes from an earlier version of the experiment. An altered
    // file of such a job belongs to no job.
    let renamed = experiment().replace("\"Trees\"", "\"MART\"");
    std::fs::write(at.join("small.toml"), renamed).unwrap();
    stdout(at, "run small.toml --out run");
    std::fs::write(at.join("run/notes.txt"), "mine").unwrap();
    let found = stdout(at, "verify run");
    let left =
        "not checked: 15 of other files: of jobs that are no longer in the experiment: jobs/A/fold1/Trees.json, ";
    assert!(found.contains(left) && found.contains(" and 10 more"), "{found}");
    assert!(found.contains("not checked: 1 of other files: not of this run: notes.txt"), "{found}");
    let one = Tampered::new(at, "left").edit("scores/A/fold1/Trees.txt", |text| format!("{text}1.0\n"));
    assert_eq!(one.differences(1), ["other files: scores/A/fold1/Trees.txt: belongs to no job of this run"]);
}

#[test]
fn the_file_of_an_experiment_is_compared_and_failed_jobs_are_as_recorded() {
    let folder = done();
    let at = folder.path();
    std::fs::write(at.join("other.toml"), experiment().replace("cutoffs = [5]", "cutoffs = [6]")).unwrap();
    let found = verified(at, "verify run --experiment other.toml --json", 1);
    assert_eq!(counts(&found, "experiment"), (0, 1, 0));
    assert_eq!(
        counts(&found, "values from scores"),
        (3 * 4 * 15 * 6, 0, 0),
        "the manifest's experiment is what counts"
    );

    std::fs::write(at.join("first.sh"), "exit 3\n").unwrap();
    assert_eq!(run(at, "run small.toml --out run").status.code(), Some(1));
    let found = verified(at, "verify run --json", 0);
    assert_eq!((counts(&found, "records"), counts(&found, "files of jobs")), ((20, 0, 0), (25, 0, 0)));
    assert_eq!(counts(&found, "scores from models"), (15, 0, 0));
    assert_eq!(counts(&found, "result hash"), (1, 0, 0));
}

#[test]
fn a_study_is_done_again() {
    let study = "name = \"s\"\nkind = \"compare\"\n[systems]\nvalues = [\"values.csv\"]\n";
    let values = "query,a,b\n1,0.5,0.25\n2,0.75,0.5\n3,0.125,0.5\n4,0.5,0.75\n";
    let folder = directory(&[("study.toml", study), ("values.csv", values)]);
    let at = folder.path();
    stdout(at, "run study.toml --out run");
    let found = verified(at, "verify run --json", 0);
    assert_eq!((counts(&found, "manifest"), counts(&found, "inputs")), ((1, 0, 0), (1, 0, 0)));
    assert!(counts(&found, "report").0 > 5);
    assert_eq!(counts(&found, "other files"), (content(&at.join("run")).len() as u64, 0, 0));
    let csv = content(&at.join("run"))
        .into_keys()
        .find(|name| name.starts_with("tables/") && name.ends_with(".csv"))
        .unwrap();
    Tampered::new(at, "table").edit(&csv, alter_last_number).finds(&format!("report: {csv}: "));
    let one = Tampered::new(at, "more");
    std::fs::write(one.folder.join("tables/zzz.csv"), "1\n").unwrap();
    assert_eq!(one.differences(1), ["other files: tables/zzz.csv: is no table or figure of these results"]);
    let one = Tampered::new(at, "with_hash");
    let text = std::fs::read_to_string(one.folder.join("manifest.json")).unwrap();
    std::fs::write(one.folder.join("manifest.json"), text.replacen("\"seed\": 0", "\"seed\": 1", 1)).unwrap();
    one.finds("manifest: manifest.json: was altered: the hash in it is not the hash of its content");
    std::fs::write(at.join("values.csv"), values.replace("0.125", "0.25")).unwrap();
    Tampered::new(at, "input").finds("inputs: manifest.json: values.csv: the recorded hash is ");
    std::fs::remove_file(at.join("values.csv")).unwrap();
    assert_eq!(counts(&verified(at, "verify run --json", 2), "inputs"), (0, 0, 1));
    assert_eq!(run(at, "verify run --without-data").status.code(), Some(2));
}

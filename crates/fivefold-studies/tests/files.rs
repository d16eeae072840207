//! Tests the experiment files of studies: the errors in files, and the results folder.
#![allow(clippy::unwrap_used)] // a test

use std::path::Path;

use fivefold_studies::run::Folder;
use fivefold_studies::{Findings, StudyFile, StudyOptions, run};

const QRELS: &str = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 0\n2 0 d 2\n";
const RUN_X: &str = "1 Q0 a 1 3.0 x\n1 Q0 b 2 2.0 x\n2 Q0 d 1 1.0 x\n2 Q0 e 2 0.5 x\n";
const RUN_Y: &str = "1 Q0 c 1 3.0 y\n1 Q0 a 2 2.0 y\n";

const STUDY: &str = "name = \"small\"
kind = \"residual\"
measures = [\"p@2\", \"ndcg\"]
groups = [\"x\", \"y\"]
[systems]
qrels = \"qrels.txt\"
runs = [\"runs/*.run\"]
";

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("runs")).unwrap();
    for (name, content) in [("qrels.txt", QRELS), ("runs/x.run", RUN_X), ("runs/y.run", RUN_Y)] {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    directory
}

fn findings(text: &str, folder: &Path, threads: usize) -> Result<Findings, String> {
    let file = StudyFile::parse(text).map_err(|error| error.to_string())?;
    let options = StudyOptions { folders: vec![folder.to_owned()], threads, ..StudyOptions::default() };
    run(&file, &options).map_err(|error| error.to_string())
}

/// The message of the error, the underlined text, and the help.
fn fault(text: &str) -> (String, String, String) {
    let error = StudyFile::parse(text).err().unwrap();
    let span = error.span.map_or("", |span| &text[span]);
    (error.message, span.to_owned(), error.help.unwrap_or_default())
}

#[test]
fn mistakes_have_places_and_the_nearest_name() {
    let change = |from: &str, to: &str| {
        assert!(STUDY.contains(from), "{from}");
        fault(&STUDY.replace(from, to))
    };
    let (message, place, help) = change("groups", "gruops");
    assert_eq!((message.as_str(), place.as_str()), ("unknown key `gruops`", "gruops"));
    assert_eq!(help, "did you mean `groups`?");
    let (message, place, help) = change("\"residual\"", "\"resdual\"");
    assert_eq!((message.as_str(), place.as_str()), ("unknown kind of study \"resdual\"", "\"resdual\""));
    assert_eq!(help, "did you mean \"residual\"?");
    let (message, place, help) = change("runs = ", "rnus = ");
    assert_eq!((message.as_str(), place.as_str()), ("unknown key `rnus`", "rnus"));
    assert_eq!(help, "did you mean `runs`?");
    let (message, place, _) = change("p@2", "p");
    assert!(message.contains("needs a cutoff") && place.contains("\"p\""), "{message} {place}");
    let (message, place, _) = change("groups =", "alpha = -1.0\ngroups =");
    assert!(message.contains("`alpha` must be a number of at least 0, not -1") && place == "-1.0", "{message} {place}");
    let (message, ..) = change("runs = [\"runs/*.run\"]", "");
    assert!(message.contains("has `qrels` but no `runs`"), "{message}");
    let (message, ..) = change("qrels = ", "values = [\"v.csv\"]\nqrels = ");
    assert!(message.contains("give one source"), "{message}");
    let (message, ..) = change("name = \"small\"", "");
    assert!(message.contains("no `name`"), "{message}");
    let (message, place, _) = change("groups =", "order = \"time\"\ngroups =");
    assert!(message.contains("unknown value `time`") && place == "\"time\"", "{message} {place}");
    let (message, place, _) = change("\"ndcg\"", "\"p@2\"");
    assert!(message == "`measures` has p@2 twice" && place.starts_with('['), "{message} {place}");
    assert!(StudyFile::is_study(STUDY) && !StudyFile::is_study("name = \"x\"\n[[dataset]]\n"));
}

#[test]
fn mistakes_in_the_input_are_explained() {
    let folder = directory();
    let study = |from: &str, to: &str| {
        assert!(STUDY.contains(from), "{from}");
        findings(&STUDY.replace(from, to), folder.path(), 1).unwrap_err()
    };
    assert!(study("qrels.txt", "qrel.txt").contains("there is no qrel.txt; looked for"));
    assert!(study("qrels.txt", "runs/mq2008/q.txt").ends_with("; `fivefold run mq2008`, in this folder, makes it"));
    assert!(study("*.run", "*.txt").contains("matches no file"));
    assert!(study("[\"x\", \"y\"]", "[\"x\"]").contains("the name `y` begins with no entry of `groups`"));
    assert!(study("\"ndcg\"", "\"ap\"").contains("no sum of gain x discount"));
    assert!(study("\"runs/*.run\"", "\"s=runs/x.run\", \"s=runs/y.run\"").contains("two systems are named `s`"));
    std::fs::write(folder.path().join("runs/z.run"), format!("{RUN_Y}1 Q0 a 3 1.0 y\n")).unwrap();
    let repeated = findings(STUDY, folder.path(), 1).unwrap_err();
    assert!(repeated.contains("z.run:3") && repeated.contains('a'), "{repeated}");
}

/// By hand: P@2 of x is 1/2 on topic 1 and 1/2 on topic 2. P@2 of y is 1 on topic 1, and 0 on topic
/// 2, which y lacks.
#[test]
fn a_small_study_by_hand() {
    let folder = directory();
    let found = findings(STUDY, folder.path(), 1).unwrap();
    let (name, per_query) = &found.files[0];
    assert_eq!(name, "per_query.csv");
    let rows: Vec<Vec<&str>> = per_query.lines().map(|line| line.split(',').take(5).collect()).collect();
    // After x, topic 1 has document c left of two, and y shows it; topic 2 has nothing left. After
    // y, x adds nothing to topic 1.
    assert_eq!(rows[0], ["query", "system", "p@2", "NRG chronological p@2", "NRG leave-one-out p@2"]);
    assert_eq!(
        rows[1..],
        [
            ["1", "x", "0.5", "0.5", "0"],
            ["1", "y", "1", "1", "1"],
            ["2", "x", "0.5", "1", "1"],
            ["2", "y", "0", "0", "0"]
        ]
    );
    let ids: Vec<&str> = found.tables.iter().map(|table| table.id.as_str()).collect();
    assert_eq!(ids[..4], ["p-2-residual", "p-2-beside", "p-2-orders", "p-2-groups"]);
    assert_eq!(found.inputs.len(), 3);
    assert_eq!(found.inputs[1].name, "runs/x.run");
}

#[test]
fn a_folder_keeps_what_is_made_and_loses_what_is_not() {
    let data = directory();
    let out = tempfile::tempdir().unwrap();
    let file = StudyFile::parse(STUDY).unwrap();
    let mut found = findings(STUDY, data.path(), 2).unwrap();
    found.files.push(("more/old.csv".to_owned(), "x".to_owned()));
    Folder::open(out.path(), false).unwrap().write(&file, &found).unwrap();
    assert!(out.path().join("more/old.csv").is_file());
    found.files.pop();
    Folder::open(out.path(), false).unwrap().write(&file, &found).unwrap();
    assert!(!out.path().join("more/old.csv").exists() && out.path().join("per_query.csv").is_file());
    let manifest = std::fs::read_to_string(out.path().join("manifest.json")).unwrap();
    assert!(!manifest.contains(&data.path().display().to_string()), "{manifest}");
    // A manifest must not make the program remove files elsewhere. The folder of another program is
    // left alone.
    let victim = out.path().join("victim");
    std::fs::write(&victim, "kept").unwrap();
    let inner = out.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let altered = manifest.replace("per_query.csv", "../victim");
    std::fs::write(inner.join("manifest.json"), &altered).unwrap();
    assert!(Folder::open(&inner, false).is_err(), "it has not its hash");
    let mut altered: serde_json::Value = serde_json::from_str(&altered).unwrap();
    altered.as_object_mut().unwrap().remove("hash");
    std::fs::write(inner.join("manifest.json"), fivefold_results::checksum::with_checksum(&altered).unwrap()).unwrap();
    Folder::open(&inner, false).unwrap().write(&file, &found).unwrap();
    assert!(victim.is_file());
    std::fs::write(inner.join("manifest.json"), "{\"format\": \"fivefold-results/1\"}").unwrap();
    assert!(Folder::open(&inner, false).unwrap_err().to_string().contains("results that do not come from a study"));
}

/// If a folder has a manifest, it has all files that the manifest names. So a program that waits
/// for the manifest finds a whole folder.
#[test]
fn the_manifest_comes_after_the_last_file() {
    let data = directory();
    let out = tempfile::tempdir().unwrap();
    let file = StudyFile::parse(STUDY).unwrap();
    let mut found = findings(STUDY, data.path(), 2).unwrap();
    // The file cannot be written, because a folder has its name.
    found.files.push(("last.csv".to_owned(), "x".to_owned()));
    std::fs::create_dir_all(out.path().join("last.csv/inner")).unwrap();
    let folder = Folder::open(out.path(), false).unwrap();
    assert!(folder.write(&file, &found).is_err());
    assert!(out.path().join("per_query.csv").is_file() && !out.path().join("manifest.json").exists());
}

const VALUES: &str = "a,b,c,d\n.1,.2,.4,.9\n.3,.3,.3,.3\n.5,.4,.8,.1\n.2,.2,.1,.6\n.9,.7,.3,.2\n.4,.5,.6,.7\n";

/// Exported factors give the same scores if they are applied to the same systems. Any number of
/// threads gives the same scores.
#[test]
fn factors_can_be_applied_to_other_systems() {
    let folder = directory();
    std::fs::write(folder.path().join("v.csv"), VALUES).unwrap();
    let text = "name = \"s\"\nkind = \"standardise\"\ndraws = 20\npartitions = 20\n[systems]\nvalues = [\"v.csv\"]\n";
    let found = findings(text, folder.path(), 1).unwrap();
    let again = findings(text, folder.path(), 3).unwrap();
    assert_eq!((&found.tables, &found.files), (&again.tables, &again.files));
    let file = |found: &Findings, name: &str| found.files.iter().find(|(n, _)| n == name).unwrap().1.clone();
    let factors = file(&found, "factors/v.json");
    std::fs::write(folder.path().join("f.json"), &factors).unwrap();
    // On the second query, all values are equal. So it has no factors, and its scores are never
    // infinite.
    assert!(factors.contains("\"without\": [\n    \"2\"\n  ]"), "{factors}");
    let scores = file(&found, "standardised.csv");
    assert!(scores.contains("\n2,a,0.3,,\n") && !scores.contains("inf") && !scores.contains("NaN"), "{scores}");

    let one = "b,c\n.2,.4\n.3,.3\n.4,.8\n.2,.1\n.7,.3\n.5,.6\n";
    std::fs::write(folder.path().join("v.csv"), one).unwrap();
    let applied = text.replace("draws", "factors = [\"f.json\"]\ndraws");
    let applied = findings(&applied, folder.path(), 1).unwrap();
    for line in file(&applied, "standardised.csv").lines() {
        assert!(scores.contains(line), "{line}");
    }
    std::fs::write(folder.path().join("f.json"), factors.replace("\"v\"", "\"other\"")).unwrap();
    let error = findings(&text.replace("draws", "factors = [\"f.json\"]\ndraws"), folder.path(), 1).unwrap_err();
    assert!(error.contains("the values have no measure `other`"), "{error}");
}

/// LETOR data with score files: P@1 by hand, names from `*`, and a pattern that does not fit the
/// data.
#[test]
fn letor_files_with_scores() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("test.txt", "1 qid:1 1:0\n0 qid:1 1:0\n0 qid:2 1:0\n2 qid:2 1:0\n"),
        ("s-good.txt", "2\n1\n1\n2\n"),
        ("s-bad.txt", "1\n2\n2\n1\n"),
    ];
    files.iter().for_each(|(name, content)| std::fs::write(folder.path().join(name), content).unwrap());
    let text = "name = \"l\"\nkind = \"residual\"\nmeasures = [\"p@1\"]\n[systems]\ndata = \"test.txt\"\n";
    let found = findings(&format!("{text}scores = [\"s-*.txt\"]\n"), folder.path(), 1).unwrap();
    let rows: Vec<&str> = found.files[0].1.lines().skip(1).collect();
    // In "bad", nothing relevant was seen, so "good" adds everything after it. After "good",
    // nothing is left.
    assert_eq!(rows, ["1,bad,0,0,0", "1,good,1,1,1", "2,bad,0,0,0", "2,good,1,1,1"]);
    let error = findings(&format!("{text}scores = [\"s-good{{fold}}.txt\"]\n"), folder.path(), 1).unwrap_err();
    assert!(error.contains("there is one data file"), "{error}");
    let values = "name = \"v\"\nkind = \"residual\"\n[systems]\nvalues = [\"v.csv\"]\n";
    std::fs::write(folder.path().join("v.csv"), VALUES).unwrap();
    assert!(findings(values, folder.path(), 1).unwrap_err().contains("is about documents, not values"));
}

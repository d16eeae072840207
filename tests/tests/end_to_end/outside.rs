//! A collection in files, with scores that another program made of it and a program in another language.

use crate::harness::{directory, stdout};

/// A program that gives each document the value of its first feature.
pub const FIRST: &str = "sed 's/^[^ ]* [^ ]* 1:\\([^ ]*\\) .*/\\1/' \"$1\" > \"$2\"\n";

/// The end of an experiment on them; `made` holds the collection.
pub const RANKERS: &str = r#"
[[ranker]]
label = "Read"
kind = "scores"
params = { path = "read/{fold}.txt" }
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "first.sh", "{test}", "{scores}"], files = ["first.sh"] }
[evaluation]
cutoffs = [5]
[query_sets]
uninformative = 3
ideal = 3
"#;

/// Jobs of a ranker.
pub const FOLDS: usize = 5;

/// The experiment as `small.toml`, after its run into `out`.
pub fn after_run(experiment: &str, out: &str) -> tempfile::TempDir {
    let folder = directory(&[("small.toml", experiment), ("first.sh", FIRST)]);
    let at = folder.path();
    stdout(at, "make --shape mq2007 --queries 15 -o made");
    std::fs::create_dir(at.join("read")).unwrap();
    for fold in 1..=FOLDS {
        let test = std::fs::read_to_string(at.join(format!("made/Fold{fold}/test.txt"))).unwrap();
        let scores: String = (0..test.lines().count()).map(|line| format!("{line}.5\n")).collect();
        std::fs::write(at.join(format!("read/{fold}.txt")), scores).unwrap();
    }
    stdout(at, &format!("run small.toml --out {out}"));
    folder
}

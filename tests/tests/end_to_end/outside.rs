//! A collection in files, with scores that another program made of it and a program in another language.

use crate::harness::{directory, stdout};

/// A program that gives each document the value of its first feature.
pub const FIRST: &str = "sed 's/^[^ ]* [^ ]* 1:\\([^ ]*\\) .*/\\1/' \"$1\" > \"$2\"\n";

/// The ranker that runs it, as `first.sh`.
pub const SHELL: &str = r#"
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "first.sh", "{test}", "{scores}"], files = ["first.sh"] }
"#;

/// An experiment of these rankers and of one of each outside kind, on the collection in `made`.
pub fn experiment(rankers: &str) -> String {
    let head = r#"
name = "small"
seed = 3
[[dataset]]
label = "A"
path = "made"
layout = "fold-dirs"
"#;
    let read = r#"
[[ranker]]
label = "Read"
kind = "scores"
params = { path = "read/{fold}.txt" }
"#;
    let end = "[evaluation]\ncutoffs = [5]\n[query_sets]\nuninformative = 3\nideal = 3\n";
    [head, rankers, read, SHELL, end].concat()
}

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

//! An experiment with rankers from outside: the scores of another program, and a program in another
//! language.

use std::path::Path;

use crate::harness::{stdout, write};

/// A shell program that scores each document by its first feature.
pub const FIRST: &str = "sed 's/^[^ ]* [^ ]* 1:\\([^ ]*\\) .*/\\1/' \"$1\" > \"$2\"\n";

/// The ranker that runs this program as `first.sh`.
pub const SHELL: &str = r#"
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "first.sh", "{test}", "{scores}"], files = ["first.sh"] }
"#;

/// An experiment on the collection in `made`, with these rankers and one ranker of each outside
/// kind.
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

/// The number of jobs of a ranker.
pub const FOLDS: usize = 5;

/// Fills a folder with the experiment as `small.toml`, and runs it into `out`.
pub fn run_into(at: &Path, experiment: &str, out: &str) {
    write(at, &[("small.toml", experiment), ("first.sh", FIRST)]);
    stdout(at, "make --shape mq2007 --queries 15 -o made");
    std::fs::create_dir(at.join("read")).unwrap();
    for fold in 1..=FOLDS {
        let test = std::fs::read_to_string(at.join(format!("made/Fold{fold}/test.txt"))).unwrap();
        let scores: String = (0..test.lines().count()).map(|line| format!("{line}.5\n")).collect();
        std::fs::write(at.join(format!("read/{fold}.txt")), scores).unwrap();
    }
    stdout(at, &format!("run small.toml --out {out}"));
}

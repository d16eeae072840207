//! An experiment with every kind of job: read and synthetic data, a cache, fits in the run and in processes of their own, score
//! files, and programs; each short, so that it can be killed many times.

use std::path::Path;
use std::process::{Command, Stdio};

use fivefold_core::Seed;

use crate::harness::{content, directory, fivefold, program};
use crate::outside::{FIRST, SHELL};

/// Of all rankers but a program. A ranker's jobs take some hundredths of a second each.
const RANKERS: &str = r#"
name = "mixed"
seed = 5

[[dataset]]
label = "read"
path = "data.txt"
layout = "one-file"

[[dataset]]
label = "made"
synthetic = { shape = "mq2007", queries = 15 }

[[ranker]]
label = "Trees"
kind = "lambdamart"
params = { trees = 8, leaves = 4 }

[[ranker]]
label = "Apart"
kind = "slow"
params = { steps = 1 }
isolate = true

[[ranker]]
label = "Linear"
kind = "linear"
normalise = { method = "z-score", over = "query" }

[[ranker]]
label = "Theirs"
kind = "scores"
params = { path = "theirs/{dataset}/{fold}.txt" }
"#;

const END: &str = r#"
[evaluation]
measures = ["ndcg", "ap"]
cutoffs = [5]

[query_sets]
uninformative = 5
ideal = 5

[tables]
only = ["table-03"]
"#;

/// Jobs of the experiment.
pub const JOBS: usize = 2 * 5 * 5;

/// A study of the same kind, on its results.
const STUDY: &str = r#"
name = "study"
kind = "converge"
seed = 3
measures = ["ndcg", "ap"]
documents = 300
from = 100
trials = 2
"#;

/// A folder with the experiment, its data and a finished run of it in `whole`.
pub fn finished() -> tempfile::TempDir {
    let experiment = [RANKERS, SHELL, END].concat();
    let first = format!("{FIRST}echo seen >&2\n");
    let folder = directory(&[("mixed.toml", &experiment), ("study.toml", STUDY), ("first.sh", &first)]);
    let at = folder.path();
    std::fs::write(at.join("data.txt"), letor(40)).unwrap();
    // Scores of another program: those of one of our rankers, of another run.
    let head = RANKERS.split("[[ranker]]").next().unwrap();
    let theirs = format!("{head}\n[[ranker]]\nkind = \"feature\"\nparams = {{ feature = 2 }}\n");
    std::fs::write(at.join("theirs.toml"), theirs).unwrap();
    succeed(at, &["run", "theirs.toml", "--out", "other"]);
    for (name, scores) in content(&at.join("other/scores")) {
        let (dataset, rest) = name.split_once("/fold").unwrap();
        let fold = rest.split('/').next().unwrap();
        std::fs::create_dir_all(at.join("theirs").join(dataset)).unwrap();
        std::fs::write(at.join(format!("theirs/{dataset}/{fold}.txt")), scores).unwrap();
    }
    succeed(at, &["run", "mixed.toml", "--out", "whole", "--threads", "2"]);
    folder
}

/// LETOR text.
pub fn letor(queries: usize) -> String {
    let mut rng = Seed::new(1).derive("letor").rng();
    let mut text = String::new();
    for query in 0..queries {
        for _ in 0..8 {
            text += &format!("{} qid:{query}", rng.below(3));
            (1..=6).for_each(|feature| text += &format!(" {feature}:{}", rng.below(1000)));
            text.push('\n');
        }
    }
    text
}

/// Runs the program, which must succeed.
pub fn succeed(at: &Path, arguments: &[&str]) {
    let output = fivefold(at).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// The program as a process of its own, silent, with nothing of the caller's environment that alters what it does.
pub fn process(at: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(at).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for variable in ["FIVEFOLD_DATA", "FIVEFOLD_CACHE", "RUST_BACKTRACE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command
}

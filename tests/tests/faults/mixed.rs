//! An experiment with every kind of job: read and synthetic data, a cache, fits in the run and in
//! processes of their own, a search for a parameter, a fusion with learnt weights, score files, and
//! programs. All jobs are short, so that the run can be killed many times.

use std::path::Path;
use std::process::{Command, Stdio};

use fivefold_core::Seed;

use crate::harness::{Made, content, directory, files_of, fivefold, program, write_all};
use crate::outside::{FIRST, SHELL};

/// The experiment with all its rankers except the program. A job takes some hundredths of a second.
const RANKERS: &str = r#"
name = "mixed"
seed = 5
repeats = 2

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
label = "Sampled"
kind = "linear"
features = { only = [1, 2] }
train_share = 0.5

[[ranker]]
label = "Tuned"
kind = "linear"
[ranker.tune]
method = "grid"
measure = "ndcg@5"
per = "data-set"
[ranker.tune.params]
lambda = [0.1, 100.0]

[[ranker]]
label = "Fused"
kind = "fusion"
params = { of = ["Trees", "Linear"], method = "comb-sum", weights_by = "ndcg@5" }

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

/// The number of jobs of the experiment: two data sets, five folds, four rankers that draw nothing,
/// three with two seeds (of which one is a fusion that learns weights), and a tuned ranker with two
/// candidates.
pub const JOBS: usize = 2 * 5 * (4 + 3 * 2 + 3);

/// A study of the results of the experiment.
const STUDY: &str = r#"
name = "study"
kind = "converge"
seed = 3
measures = ["ndcg", "ap"]
documents = 300
from = 100
trials = 2
"#;

/// Makes a folder with the experiment, its data and a finished run in `whole`.
pub fn finished() -> tempfile::TempDir {
    let folder = directory(&[]);
    finish(folder.path());
    folder
}

/// Makes the same in a folder that is there. The run is done once; all tests get copies.
pub fn finish(at: &Path) {
    static MADE: Made = Made::new();
    write_all(at, files_of(&MADE, make));
}

fn make(at: &Path) {
    let (experiment, first) = ([RANKERS, SHELL, END].concat(), format!("{FIRST}echo seen >&2\n"));
    for (name, text) in
        [("mixed.toml", &*experiment), ("study.toml", STUDY), ("first.sh", &first), ("data.txt", &letor(40))]
    {
        std::fs::write(at.join(name), text).unwrap();
    }
    // The scores of "another program" come from a built-in ranker in another run.
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
}

/// Makes LETOR text with this number of queries.
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

/// The program as a silent process of its own, without variables of the caller's environment that
/// would alter its work.
pub fn process(at: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(at).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    for variable in ["FIVEFOLD_DATA", "FIVEFOLD_CACHE", "RUST_BACKTRACE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command
}

//! The program around a student's gradients: `rank.py`, or `rank.rs` compiled.
//!
//! Rust is compiled once for all losses, by a job of an experiment of its own. So the compiler is
//! confined as the program is: code can ask it for the content of any file (`include_str!`).

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use fivefold_core::Registry;
use fivefold_experiment::worker::Worker;
use fivefold_experiment::{RunOptions, RunOutcome, run};
use fivefold_results::Experiment;

use super::{BUILD_SH, GRADIENTS_PY, GRADIENTS_RS, RANK_PY, RANK_RS};
use crate::error::LabError;

/// The longest time of one loss on one data set, and of a compilation. The made collection takes a
/// hundred passes over 192 documents, the kit takes ten passes over some 30,000 documents.
const TIME_LIMIT: &str = "60s";

/// The language of a student's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Rust,
}

impl Language {
    pub(super) fn file(self) -> &'static str {
        match self {
            Language::Python => GRADIENTS_PY.0,
            Language::Rust => GRADIENTS_RS.0,
        }
    }

    /// Whether the student changed the stub of this language.
    pub(super) fn is_filled_in(self, folder: &Path) -> bool {
        let stub = match self {
            Language::Python => GRADIENTS_PY.1,
            Language::Rust => GRADIENTS_RS.1,
        };
        let path = folder.join(self.file());
        // What is no plain file is looked at again, with an error, when it is copied.
        fs::symlink_metadata(&path).is_ok_and(|there| !there.is_file())
            || fs::read(&path).is_ok_and(|text| String::from_utf8_lossy(&text).replace('\r', "") != stub)
    }
}

/// A program, with the words and files of a `command` ranker.
pub(super) struct Program {
    words: Vec<String>,
    files: Vec<&'static str>,
    /// Keys that no other program has.
    more: String,
}

impl Program {
    /// The program in Python.
    ///
    /// # Errors
    /// If there is no Python.
    pub(super) fn python() -> Result<Self, LabError> {
        there("python3", &["--version"])?;
        let words = ["python3", "-B", RANK_PY.0].map(str::to_owned).into();
        Ok(Program { words, files: vec![RANK_PY.0, GRADIENTS_PY.0], more: String::new() })
    }

    /// The program in Rust, compiled in the folder `bench`, which has the code and the data set
    /// `data`. Inside, why it does not compile.
    ///
    /// # Errors
    /// If there is no compiler, or if it cannot be run.
    pub(super) fn rust(bench: &Path, data: &str, worker: Option<&Worker>) -> Result<Result<Self, String>, LabError> {
        // The compiler behind rustup's: a confined program does not find rustup's settings.
        let root = there("rustc", &["--print", "sysroot"])?;
        let root = root.trim();
        let compiler = Path::new(root).join("bin").join("rustc").display().to_string();
        let built = bench.join("built");
        fs::create_dir(&built).map_err(|error| LabError::io("make", &built, error))?;
        let program = built.join("rank").display().to_string();
        let build = Program {
            words: vec!["sh".to_owned(), BUILD_SH.0.to_owned(), compiler, program.clone()],
            files: vec![BUILD_SH.0, RANK_RS.0, GRADIENTS_RS.0],
            more: format!("read = [{}]\nwrite = [{}]\n", quoted(root), quoted(&built.display().to_string())),
        };
        let text = experiment(&[data], &[build.ranker("build", &[], worker.is_some())]);
        let out = tempfile::tempdir().map_err(|error| stopped(&error))?;
        let (_, outcome) = run_text(bench, &text, &out.path().join("results"), worker)?;
        // Where a function panics, its message is enough.
        let words = vec!["env".to_owned(), "RUST_BACKTRACE=0".to_owned(), program];
        Ok(match outcome.failed.into_iter().next() {
            Some((_, reason)) => Err(reason),
            None => Ok(Program { words, files: Vec::new(), more: String::new() }),
        })
    }

    /// The ranker that runs the program with these words and the names of the files.
    pub(super) fn ranker(&self, label: &str, words: &[&str], has_worker: bool) -> String {
        let argv: Vec<String> =
            self.words.iter().map(String::as_str).chain(words.iter().copied()).map(quoted).collect();
        let files: Vec<String> = self.files.iter().map(|file| quoted(file)).collect();
        // A limit of memory is watched by a process of the worker.
        let memory = if has_worker { "memory_limit = \"2GiB\"\n" } else { "" };
        format!(
            "[[ranker]]\nlabel = \"{label}\"\nkind = \"command\"\n{memory}[ranker.params]\n\
             argv = [{}, \"{{train}}\", \"{{test}}\", \"{{scores}}\"]\nfiles = [{}]\n\
             time_limit = \"{TIME_LIMIT}\"\noutput_limit = \"256MiB\"\n{}",
            argv.join(", "),
            files.join(", "),
            self.more
        )
    }
}

/// An experiment with these data sets and rankers.
pub(super) fn experiment(datasets: &[&str], rankers: &[String]) -> String {
    let datasets: String = datasets.iter().map(|name| dataset(name)).collect();
    format!(
        "name = \"grade\"\nseed = 1\n{datasets}{}[evaluation]\nmeasures = [\"ndcg\"]\ncutoffs = [5]\n",
        rankers.concat()
    )
}

/// A data set of an experiment, whose files lie in the folder of the experiment.
fn dataset(name: &str) -> String {
    format!(
        "[[dataset]]\nlabel = \"{name}\"\npath = \".\"\nlayout = \"train-test\"\n\
         files = [\"{name}-train.txt\", \"{name}-test.txt\"]\n"
    )
}

/// Runs an experiment that lies in the folder `bench`. Its results go to the folder `out`.
///
/// # Errors
/// If it cannot be run. A job that fails is none.
pub(super) fn run_text(
    bench: &Path,
    text: &str,
    out: &Path,
    worker: Option<&Worker>,
) -> Result<(Experiment, RunOutcome), LabError> {
    let registry = Registry::new(&[]);
    let experiment =
        Experiment::parse("grade.toml", text, vec![bench.to_owned()], &registry).map_err(|error| stopped(&error))?;
    let options = RunOptions { worker, ..RunOptions::new(out) };
    let outcome = run(&experiment, &registry, &options).map_err(|error| stopped(&error))?;
    Ok((experiment, outcome))
}

pub(super) fn stopped(error: &dyn std::fmt::Display) -> LabError {
    LabError::Other(format!("the code could not be run: {error}"))
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// What a program of this machine prints.
fn there(program: &str, arguments: &[&str]) -> Result<String, LabError> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        other => {
            let reason = other.map_or_else(|error| error.to_string(), |output| output.status.to_string());
            let help = format!("install {program}, or grade with --no-run, which gives code no points");
            Err(LabError::Other(format!(
                "the code of this lab needs {program}, which cannot be run ({reason}); {help}"
            )))
        }
    }
}

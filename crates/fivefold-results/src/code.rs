//! How the key of a job identifies the code that made the result, and which code no key identifies.
//!
//! A built-in ranker is identified by its `VERSION`, which a test compares with golden models. Any
//! other ranker is identified by a hash of its crate's sources, if its build script gives one
//! (crate `fivefold-sources`). Without this hash, the ranker is identified by a hash of the
//! executable. A `command` is identified by its arguments and by the files that it lists.
//!
//! No key sees the interpreter, the packages, the compiler or the platform. A run names these parts
//! as trusted.

use std::io;
use std::sync::OnceLock;

use fivefold_core::RankerEntry;
use fivefold_core::registry::Code;
use serde::{Deserialize, Serialize};

use crate::config::{CommandLine, Experiment, ScoreSource};
use crate::program;

/// The number of digits of a hash that are shown.
const DIGITS: usize = 12;

/// The part of a job's key that identifies the code of a ranker that is not built in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownBy {
    /// Hash of the sources of the ranker's crate.
    Sources(String),
    /// Hash of the executable.
    Executable(String),
}

impl KnownBy {
    /// Returns how this program identifies a ranker. `None` if by the version alone.
    ///
    /// # Errors
    /// If the executable cannot be read.
    pub fn of(entry: &RankerEntry) -> Result<Option<Self>, String> {
        match entry.code {
            Code::Version => Ok(None),
            Code::Sources(hash) => Ok(Some(KnownBy::Sources(hash.to_owned()))),
            Code::Executable => match executable() {
                Ok(hash) => Ok(Some(KnownBy::Executable(hash.clone()))),
                Err(error) => Err(format!(
                    "this executable, by whose hash results know `{}`, cannot be read: {error}",
                    entry.name
                )),
            },
        }
    }

    fn words(&self) -> String {
        match self {
            KnownBy::Sources(hash) => format!("is known by its sources ({})", digits(hash)),
            KnownBy::Executable(hash) => {
                format!("is known by this executable ({}): any rebuild trains it anew", digits(hash))
            }
        }
    }
}

fn digits(hash: &str) -> &str {
    hash.get(..DIGITS).unwrap_or(hash)
}

/// The hash of the running program. The program is read once.
fn executable() -> &'static Result<String, io::Error> {
    static HASH: OnceLock<Result<String, io::Error>> = OnceLock::new();
    HASH.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(program::running_code()?)?;
        Ok(hasher.finalize().to_hex().to_string())
    })
}

/// Says how the keys of an experiment identify code that is not built in, and which code the keys
/// trust unseen. A line each.
pub fn trusted(experiment: &Experiment) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for ranker in &experiment.rankers {
        let line = match &ranker.source {
            ScoreSource::Train { code: Some(code), .. } => format!("`{}` {}", ranker.kind, code.words()),
            ScoreSource::Command(command) => command_words(&ranker.label, command),
            ScoreSource::Train { code: None, .. } | ScoreSource::Scores(_) | ScoreSource::Fusion(_) => continue,
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.push(
        "trusted unseen, because no job key holds it: the platform (processor, operating system and its libraries)"
            .to_owned(),
    );
    lines
}

fn command_words(label: &str, command: &CommandLine) -> String {
    let program = command.argv.first().map_or("", String::as_str);
    let listed = match command.files.as_slice() {
        [] => "its arguments".to_owned(),
        files => format!("its arguments and {}", files.join(", ")),
    };
    match command.own_program() {
        Some(_) => format!("{label} is known by {listed}; trusted unseen: other files that `{program}` loads"),
        None => format!(
            "{label} is known by {listed}; trusted unseen: `{program}` and all files that `{program}` loads (its \
                version, its packages)"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_that_which_runs() {
        let here = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(*executable().as_ref().unwrap(), crate::store::hash(&here));
    }
}

//! Runs a program as a ranker. A process for each fold runs in its own folder, which is removed
//! afterwards (see [`crate::work`]).
//!
//! The folder holds the data as LETOR text and copies of the listed files. A written feature reads
//! back to the same bits. All grades of the test part are written as 0, so no grade can leak into a
//! score. Cost: the text of the three parts on disk.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fivefold_core::Dataset;
use fivefold_data::letor::{write_letor_columns, write_letor_ungraded};
use fivefold_data::scores::{LONGEST_SCORE, SLACK, read_own_scores};
use fivefold_data::{ScoreError, input, write_letor};
use fivefold_results::config::{CommandLine, JobLimits, Placeholder, SCORES};
use serde_json::Value;

use crate::confine::OF_USER;
use crate::job::{Failure, JobContext, of_ending};
use crate::plan::{Job, JobParts, Plan};
use crate::work::{Bounds, Sight, WorkError, WorkFolder, io_error};
use crate::worker::{WorkerExit, WorkerReport, of_status};

/// Words in the output of a program that may not reach a file.
const DENIED: [&str; 3] = ["ermission denied", "EACCES", "not permitted"];
/// The advice that follows such an output.
const ADVICE: &str = "\nthe program is confined to its folder, programs and the system: `read = [...]` under [ranker.params] lets the \
        program read more";
/// The signal of a program that writes a file beyond the limit.
const TOO_LONG: &str = "SIGXFSZ";

/// Variables that a command does not get. The variables tell where data are, or name folders of the
/// user.
const UNSAID: [&str; 8] = [
    "PWD",
    "OLDPWD",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "SSH_AUTH_SOCK",
];
/// Prefix of the names of fivefold's own variables. A command does not get these variables either.
const OURS: &str = "FIVEFOLD_";

/// A listed file: its name in the program's folder, where it is, and the hash of its content when
/// the run was planned.
pub(crate) struct Listed {
    pub name: String,
    pub path: PathBuf,
    pub hash: String,
}

/// The files of a command. Their hashes are among the inputs of the job.
pub(crate) fn listed_files(plan: &Plan<'_>, command: &CommandLine, job: &Job) -> Vec<Listed> {
    let listed = |name: &String| {
        let hash = job.inputs.get("files").and_then(|files| files.get(name)).and_then(Value::as_str);
        Listed { name: name.clone(), path: plan.find(name), hash: hash.unwrap_or_default().to_owned() }
    };
    command.files.iter().map(listed).collect()
}

/// Why a program gave no scores. Reasons that any program may have are in [`WorkError`].
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error("`{file}` was changed while the run went on; run the experiment again")]
    Changed { file: String },
    #[error("cannot start `{program}`: {reason}; the first of `argv` must be on the path or among `files`{advice}")]
    Start { program: String, reason: String, advice: &'static str },
    #[error("the command ended with {ending}{said}{advice}")]
    Exit { ending: String, said: String, advice: &'static str },
    #[error(transparent)]
    Scores(ScoreError),
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        Failure::Failed(error.to_string())
    }
}

/// Returns the program's scores of the documents of the part that it scores, which it is given as
/// the test part. `columns` are the columns that are written, from 0; `None`: all columns.
pub(crate) fn run_command(
    command: &CommandLine,
    limits: JobLimits,
    job: &Job,
    files: &[Listed],
    parts: &JobParts,
    columns: Option<&[usize]>,
    cx: &JobContext<'_>,
) -> Result<Vec<f64>, Failure> {
    let confined = cx.confinement.reach(job.ranker).is_some();
    let folder = WorkFolder::make(cx.store, job, if confined { Sight::Closed } else { Sight::Open })?;
    for file in files {
        copy(&folder, file)?;
    }
    if command.uses(Placeholder::Train) {
        write(&folder, Placeholder::Train, &parts.train, columns)?;
    }
    if let Some(validation) = parts.validation.as_ref().filter(|_| command.uses(Placeholder::Validation)) {
        write(&folder, Placeholder::Validation, validation, columns)?;
    }
    write(&folder, Placeholder::Test, &parts.scored, columns)?;

    let scores_limit = SLACK + LONGEST_SCORE * parts.scored.documents() as u64;
    let bounds = Bounds {
        what: "the command",
        time: Some(limits.time.map_or(command.time_limit, |limit| limit.min(command.time_limit))),
        memory: limits.memory,
        written: Some(command.output_limit),
        files: &[(SCORES, "the file of scores", scores_limit)],
        farewell: Duration::ZERO,
    };
    let process = process(&folder, command, job, cx)?;
    let begun = Instant::now();
    let ended = folder.run(process, &bounds, cx.cancel, || {});
    let told = cx.worker.and_then(|_| WorkerReport::read(&folder));
    cx.meter.add(told.as_ref().and_then(|told| told.time).unwrap_or_else(|| begun.elapsed()));
    let said = folder.said();
    if let Err(error) = folder.keep_stderr() {
        cx.observer.warning(&error.to_string());
    }
    let end = match (ended?, told) {
        (Err(error), _) => WorkerExit::NotStarted(error.to_string()),
        (Ok(status), None) => of_status(status),
        (Ok(_), Some(told)) => told.end,
    };
    match end {
        WorkerExit::Done => {}
        WorkerExit::Failed(ending) if ending.contains(TOO_LONG) => {
            return Err(WorkError::Written { what: bounds.what, limit: command.output_limit }.into());
        }
        WorkerExit::Failed(ending) => {
            folder.check_room()?;
            let advice = if confined && DENIED.iter().any(|words| said.contains(words)) { ADVICE } else { "" };
            let reason = CommandError::Exit { ending: ending.clone(), said, advice }.to_string();
            return Err(of_ending(&ending, reason));
        }
        WorkerExit::NotStarted(reason) => {
            let advice = if confined && DENIED.iter().any(|words| reason.contains(words)) { ADVICE } else { "" };
            return Err(CommandError::Start { program: command.argv[0].clone(), reason, advice }.into());
        }
    }
    let scores = read_own_scores(&folder.file(SCORES), parts.scored.documents()).map_err(|mut error| {
        // The folder will be removed, so its path would help nobody. The path must also not be in
        // the record of the job.
        if let ScoreError::Io { file, .. } | ScoreError::Value { file, .. } | ScoreError::Count { file, .. } =
            &mut error
        {
            *file = PathBuf::from(SCORES);
        }
        CommandError::Scores(error)
    });
    Ok(scores?)
}

/// The program with its arguments. If the run has a worker, the program runs under a guard.
fn process(folder: &WorkFolder, command: &CommandLine, job: &Job, cx: &JobContext<'_>) -> Result<Command, Failure> {
    let argv = command.filled(job.seed);
    let program = command.own_program().map_or_else(|| PathBuf::from(&argv[0]), |own| folder.file(own));
    let mut process = match cx.worker {
        Some(worker) => {
            let reach = cx.confinement.reach(job.ranker);
            worker.guarded(folder, reach, command.output_limit.0, program.as_os_str(), &argv[1..])?
        }
        None => {
            let mut process = Command::new(program);
            process.args(&argv[1..]).stdin(Stdio::null());
            process
        }
    };
    let ours = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with(OURS));
    for name in ours.chain(UNSAID.into_iter().map(Into::into)) {
        process.env_remove(name);
    }
    if let Some(home) = std::env::var_os("HOME") {
        for (name, below) in OF_USER.iter().filter(|(name, _)| std::env::var_os(name).is_none()) {
            process.env(name, Path::new(&home).join(below));
        }
    }
    process.env("HOME", folder.path());
    Ok(process)
}

fn copy(folder: &WorkFolder, file: &Listed) -> Result<(), Failure> {
    let to = folder.file(&file.name);
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(io_error("make the folder of", &file.name))?;
    }
    // The permissions are copied too, because a program must stay executable.
    fs::copy(&file.path, &to).map_err(io_error("copy", &file.name))?;
    let found = input::hash(&to).map_err(io_error("read", &file.name))?;
    if found.to_hex().as_str() == file.hash {
        Ok(())
    } else {
        Err(CommandError::Changed { file: file.name.clone() }.into())
    }
}

fn write(folder: &WorkFolder, place: Placeholder, data: &Dataset, columns: Option<&[usize]>) -> Result<(), WorkError> {
    let name = place.file().unwrap_or_default();
    let write = || {
        let mut out = BufWriter::new(File::create(folder.file(name))?);
        match (columns, place) {
            (Some(columns), _) => write_letor_columns(data, columns, place != Placeholder::Test, &mut out)?,
            (None, Placeholder::Test) => write_letor_ungraded(data, &mut out)?,
            (None, _) => write_letor(data, &mut out)?,
        }
        out.flush()
    };
    write().map_err(io_error("write", name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::tests::job;
    use fivefold_results::store::{Store, hash};

    #[test]
    fn a_listed_file_that_was_changed_since_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::make(&Store::new(root.path().join("run")), &job("a/fold1/r"), Sight::Open).unwrap();
        let path = root.path().join("a.py");
        fs::write(&path, "1").unwrap();
        let mut listed = Listed { name: "a.py".to_owned(), path, hash: hash(b"1") };
        assert!(copy(&folder, &listed).is_ok());
        listed.hash = hash(b"2");
        assert!(matches!(copy(&folder, &listed), Err(Failure::Failed(reason)) if reason.contains("was changed")));
    }
}

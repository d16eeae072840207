//! Runs a program as a ranker: one process a fold, in a folder of its own, which is removed afterwards.
//!
//! The folder stands in the results folder (`.work/`) and holds the data as LETOR text and copies of the listed files; it is
//! the program's working and temporary directory. Features are written so that they read back to the same bits. The test
//! part's grades are all written as 0, so that they cannot leak into scores. The program starts a process group, which is
//! killed when the time is up, the run is cancelled, or the program has ended and left others behind. Cost: the text of the
//! three parts on disk.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fivefold_core::dataset::{DatasetBuilder, IdTable};
use fivefold_core::{Dataset, Seed};
use fivefold_data::{ScoreError, read_scores, write_letor};

use crate::config::{CommandLine, Place, SCORES, STDERR, STDOUT, TimeLimit};
use crate::store::hash;

/// Bytes that a program may write to its standard output, or to its standard error.
const MOST_OUTPUT: u64 = 64 << 20;
/// Bytes of a score file, beside those of its scores: remarks.
const SCORES_SLACK: u64 = 1 << 20;
/// Bytes of one score at most: the longest decimal of an f64 has 767 digits.
const BYTES_A_SCORE: u64 = 1 << 10;
/// Bytes of what a program said that stand in the reason of its failure.
const QUOTED: u64 = 2000;
/// The longest time between two looks at a running program.
const PAUSE: Duration = Duration::from_millis(50);

/// The parts of one fold.
pub(crate) struct Parts<'a> {
    pub train: &'a Dataset,
    pub validation: Option<&'a Dataset>,
    pub test: &'a Dataset,
}

/// A listed file: its name in the program's folder, where it is, and the hash of its content when the run was planned.
pub(crate) struct Listed {
    pub name: String,
    pub path: PathBuf,
    pub hash: String,
}

/// Why a program gave no scores.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("the run was cancelled")]
    Cancelled,
    #[error("cannot {action} {file}: {source}")]
    Io { action: &'static str, file: String, source: io::Error },
    #[error("`{file}` was changed while the run went on; run it again")]
    Changed { file: String },
    #[error("cannot start `{program}`: {source}; the first of `argv` must be on the path or among `files`")]
    Start { program: String, source: io::Error },
    #[error("the command ended with {status}{said}")]
    Exit { status: ExitStatus, said: String },
    #[error("the command ran longer than {limit} and was stopped; `time_limit` sets how long it may{said}")]
    Time { limit: TimeLimit, said: String },
    #[error("the command wrote more than {limit} bytes to {file} and was stopped")]
    Output { file: &'static str, limit: u64 },
    #[error(transparent)]
    Scores(ScoreError),
}

fn io_error(action: &'static str, file: impl Into<String>) -> impl FnOnce(io::Error) -> CommandError {
    let file = file.into();
    move |source| CommandError::Io { action, file, source }
}

/// The scores that the program gives the test part's documents. `folder` is made anew, and removed in the end.
pub(crate) fn run_command(
    command: &CommandLine,
    seed: Seed,
    files: &[Listed],
    parts: &Parts<'_>,
    folder: PathBuf,
    cancel: Option<&AtomicBool>,
) -> Result<Vec<f64>, CommandError> {
    let folder = WorkFolder::make(folder)?;
    for file in files {
        folder.copy(file)?;
    }
    if command.uses(Place::Train) {
        folder.write(Place::Train, parts.train)?;
    }
    if let Some(validation) = parts.validation.filter(|_| command.uses(Place::Validation)) {
        folder.write(Place::Validation, validation)?;
    }
    folder.write(Place::Test, &without_grades(parts.test).map_err(io_error("write", "the test part"))?)?;

    let mut group = folder.start(command, seed)?;
    let limit = SCORES_SLACK + BYTES_A_SCORE * parts.test.documents() as u64;
    let end = folder.wait(&mut group, command.time_limit, limit, cancel);
    drop(group);
    let status = end?;
    if !status.success() {
        return Err(CommandError::Exit { status, said: folder.said() });
    }
    folder.within_limits(limit)?;
    read_scores(&folder.file(SCORES), parts.test.documents()).map_err(|mut error| {
        // The folder will be gone: its place helps nobody, and must not stand in the record of the job.
        if let ScoreError::Io { file, .. } | ScoreError::Value { file, .. } | ScoreError::Count { file, .. } =
            &mut error
        {
            *file = PathBuf::from(SCORES);
        }
        CommandError::Scores(error)
    })
}

/// The same documents, all of grade 0.
fn without_grades(test: &Dataset) -> io::Result<Dataset> {
    let (mut query_ids, mut doc_ids) = (IdTable::default(), IdTable::default());
    let mut features = Vec::with_capacity(test.documents() * test.width());
    for query in test.queries() {
        query_ids.push(query.id());
        features.extend_from_slice(query.features());
        (0..query.len()).filter_map(|row| query.doc_id(row)).for_each(|id| doc_ids.push(id));
    }
    let builder = DatasetBuilder {
        features: Arc::new(features),
        width: test.width(),
        grades: vec![0; test.documents()],
        bounds: test.bounds(),
        query_ids,
        doc_ids,
        max_grade: None,
    };
    builder.build().map_err(io::Error::other)
}

/// The folder in which a program runs; gone when this is dropped.
struct WorkFolder {
    path: PathBuf,
}

impl WorkFolder {
    /// Makes it, after removing what a killed run of the same job may have left.
    fn make(path: PathBuf) -> Result<Self, CommandError> {
        let shown = path.display().to_string();
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(CommandError::Io { action: "remove", file: shown, source });
            }
            _ => {}
        }
        fs::create_dir_all(&path).map_err(io_error("make", shown.clone()))?;
        // Absolute: the program that it runs has another working directory.
        Ok(WorkFolder { path: std::path::absolute(path).map_err(io_error("find", shown))? })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn copy(&self, file: &Listed) -> Result<(), CommandError> {
        let to = self.file(&file.name);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(io_error("make the folder of", &file.name))?;
        }
        // Copied with its permissions: a program must stay executable.
        fs::copy(&file.path, &to).map_err(io_error("copy", &file.name))?;
        let content = fs::read(&to).map_err(io_error("read", &file.name))?;
        if hash(&content) == file.hash { Ok(()) } else { Err(CommandError::Changed { file: file.name.clone() }) }
    }

    fn write(&self, place: Place, data: &Dataset) -> Result<(), CommandError> {
        let name = place.file().unwrap_or_default();
        let write = || {
            let mut out = BufWriter::new(File::create(self.file(name))?);
            write_letor(data, &mut out)?;
            out.flush()
        };
        write().map_err(io_error("write", name))
    }

    fn start(&self, command: &CommandLine, seed: Seed) -> Result<Group, CommandError> {
        let output = |name: &str| File::create(self.file(name)).map_err(io_error("make", name));
        let argv = command.filled(seed);
        let program = command.own_program().map_or_else(|| PathBuf::from(&argv[0]), |own| self.file(own));
        let mut process = Command::new(program);
        process
            .args(&argv[1..])
            .current_dir(&self.path)
            .stdin(Stdio::null())
            // Files, not pipes: a pipe would stay open in processes that outlive the program.
            .stdout(output(STDOUT)?)
            .stderr(output(STDERR)?);
        for variable in ["TMPDIR", "TEMP", "TMP"] {
            process.env(variable, &self.path);
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        match process.spawn() {
            Ok(child) => Ok(Group { child }),
            Err(source) => Err(CommandError::Start { program: argv[0].clone(), source }),
        }
    }

    /// Waits for the end of the program, at most as long and for as much output as it may have.
    fn wait(
        &self,
        group: &mut Group,
        limit: TimeLimit,
        most_scores: u64,
        cancel: Option<&AtomicBool>,
    ) -> Result<ExitStatus, CommandError> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = group.child.try_wait().map_err(io_error("wait for", "the command"))? {
                return Ok(status);
            }
            if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Err(CommandError::Cancelled);
            }
            if started.elapsed() >= limit.duration() {
                return Err(CommandError::Time { limit, said: self.said() });
            }
            self.within_limits(most_scores)?;
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }

    fn within_limits(&self, most_scores: u64) -> Result<(), CommandError> {
        let limits = [
            (STDOUT, "standard output", MOST_OUTPUT),
            (STDERR, "standard error", MOST_OUTPUT),
            (SCORES, "the file of scores", most_scores),
        ];
        let beyond = limits
            .into_iter()
            .find(|(name, _, limit)| fs::metadata(self.file(name)).is_ok_and(|metadata| metadata.len() > *limit));
        match beyond {
            Some((_, file, limit)) => Err(CommandError::Output { file, limit }),
            None => Ok(()),
        }
    }

    /// The end of what the program wrote to its standard error, or else to its standard output, to be put after a reason.
    fn said(&self) -> String {
        let quoted = |(name, what): (&str, &str)| {
            let end = tail(&self.file(name)).ok()?;
            let text = String::from_utf8_lossy(&end);
            // A character that was cut at the beginning.
            let text = text.trim_start_matches(char::REPLACEMENT_CHARACTER).trim();
            (!text.is_empty()).then(|| format!("; {what} ends with:\n{text}"))
        };
        [(STDERR, "its standard error"), (STDOUT, "its standard output")]
            .into_iter()
            .find_map(quoted)
            .unwrap_or_default()
    }
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(QUOTED)))?;
    let mut end = Vec::new();
    file.take(QUOTED).read_to_end(&mut end)?;
    Ok(end)
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed when the job is done again.
        let _ = fs::remove_dir_all(&self.path);
        if let Some(parent) = self.path.parent() {
            // Only if no other job has its folder there.
            let _ = fs::remove_dir(parent);
        }
    }
}

/// A process with all that it started; none of them outlives this.
struct Group {
    child: Child,
}

impl Drop for Group {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.child.id()) {
            use nix::sys::signal::{Signal, killpg};
            // An error: there is none left.
            let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_left_is_removed_and_so_is_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".work/job");
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("old"), "").unwrap();
        let other = WorkFolder::make(root.path().join(".work/other")).unwrap();
        let folder = WorkFolder::make(path.clone()).unwrap();
        assert_eq!(fs::read_dir(&path).unwrap().count(), 0);
        drop(folder);
        assert!(!path.exists() && other.path.exists());
        drop(other);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_listed_file_that_was_changed_since_is_not_used() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::make(root.path().join("work")).unwrap();
        let path = root.path().join("a.py");
        fs::write(&path, "1").unwrap();
        let mut listed = Listed { name: "a.py".to_owned(), path, hash: hash(b"1") };
        folder.copy(&listed).unwrap();
        listed.hash = hash(b"2");
        assert!(matches!(folder.copy(&listed), Err(CommandError::Changed { .. })));
    }

    #[test]
    fn the_end_of_what_was_said_is_quoted_whole_letters_only() {
        let root = tempfile::tempdir().unwrap();
        let folder = WorkFolder::make(root.path().join("work")).unwrap();
        assert_eq!(folder.said(), "");
        fs::write(folder.file(STDOUT), "out").unwrap();
        assert_eq!(folder.said(), "; its standard output ends with:\nout");
        fs::write(folder.file(STDERR), format!("{}x", "é".repeat(QUOTED as usize))).unwrap();
        let said = folder.said();
        assert!(said.ends_with("éx") && !said.contains(char::REPLACEMENT_CHARACTER), "{said}");
        assert!(said.len() <= QUOTED as usize + 40);
    }
}

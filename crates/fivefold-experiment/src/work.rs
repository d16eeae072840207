//! Runs a program for a job, in a folder and a process group of its own and within limits. The
//! program ends with its job.
//!
//! The folder has a random name and is in the results folder (`.work/`). The folder is the
//! program's working and temporary directory, and takes the program's standard output and error.
//!
//! The group is killed, with all processes that left it (see [`crate::processes`]):
//!
//! - if the time is up
//! - if memory or output exceed their limits
//! - if the run is cancelled
//! - if the program has ended and left processes behind
//!
//! A process of this program (see [`crate::worker`]) also holds the reading end of a pipe. The
//! other end closes with the process of the run, however that process ends.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fivefold_data::input;
use fivefold_results::config::{Bytes, STDERR, STDOUT, TimeLimit};
use fivefold_results::store::{Store, StoreError, WORK, advice, remove_tree};

use crate::plan::Job;
use crate::processes::{end_descendants, private_memory};

/// The most bytes that a program may write to its standard output, or to its standard error.
const MOST_OUTPUT: u64 = 64 << 20;
/// The name of the folder in which a program runs. Its parent holds no other folder, so the program
/// finds nothing beside its own folder.
const INNER: &str = "job";
/// Letters and digits in the name of this parent: 130 bits.
const NAME_LETTERS: usize = 22;
/// The most bytes of a program's output that the reason of a failure quotes.
const QUOTED: u64 = 2000;
/// The longest time between two checks of a running program.
const PAUSE: Duration = Duration::from_millis(50);
/// The time between two checks of all files that the program wrote.
const PAUSE_FILES: Duration = Duration::from_secs(1);

/// The limits of a program.
pub(crate) struct Bounds<'a> {
    /// The name of the program in messages, such as "the command".
    pub what: &'static str,
    pub time: Option<TimeLimit>,
    pub memory: Option<Bytes>,
    /// The most bytes that the program may write into its folder. Files that were there when it
    /// began do not count.
    pub written: Option<Bytes>,
    /// Files in the folder with a limit, beside the standard output and error: the name, the
    /// description, and the most bytes.
    pub files: &'a [(&'static str, &'static str, u64)],
    /// The time that the program has to end by itself after SIGTERM, if the run is cancelled.
    pub farewell: Duration,
}

/// Why a program did not end well.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkError {
    #[error("the run was cancelled")]
    Cancelled,
    #[error("cannot {action} {file}: {source}{}", advice(source))]
    Io { action: &'static str, file: String, source: io::Error },
    #[error("{what} ran longer than {limit} and was stopped; `time_limit` sets the limit{said}")]
    Time { what: &'static str, limit: TimeLimit, said: String },
    // The text fits both a program that was stopped and a program that exceeded the limit for a
    // moment only.
    #[error("{what} used more than {limit} of memory; `memory_limit` sets the limit{said}")]
    Memory { what: &'static str, limit: Bytes, said: String },
    #[error("{what} wrote more than {limit} bytes to {file} and was stopped")]
    Output { what: &'static str, file: &'static str, limit: u64 },
    #[error("{what} wrote more than {limit} into its folder and was stopped; `output_limit` sets the limit")]
    Written { what: &'static str, limit: Bytes },
}

pub(crate) fn io_error(action: &'static str, file: impl Into<String>) -> impl FnOnce(io::Error) -> WorkError {
    let file = file.into();
    move |source| WorkError::Io { action, file, source }
}

/// Whether a program sees only its own folder of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The program is confined, or belongs to fivefold.
    Closed,
    /// The program could look for the folders of other programs.
    Open,
}

/// The folder in which a program runs. Dropping the value removes the folder.
pub(crate) struct WorkFolder {
    path: PathBuf,
    /// The file in which the program's standard error is kept.
    stderr: PathBuf,
}

impl WorkFolder {
    /// Makes a folder of this process for a job. A folder that a killed run left has another name,
    /// and the next run removes it.
    pub(crate) fn make(store: &Store, job: &Job, sight: Sight) -> Result<Self, WorkError> {
        // The path is absolute, because the program runs in another working directory.
        let all = std::path::absolute(store.work("")).map_err(io_error("find", WORK))?;
        if fs::symlink_metadata(&all).is_ok_and(|there| there.is_symlink()) {
            return Err(io_error("use", WORK)(io::Error::other("is a symbolic link; remove it")));
        }
        // Another job may have removed the empty folder in between, so a second try follows.
        let own = make_alone(&all, sight).or_else(|_| make_alone(&all, sight)).map_err(io_error("make", WORK))?;
        let path = own.join(INNER);
        fs::create_dir(&path).map_err(io_error("make", WORK))?;
        Ok(WorkFolder { path, stderr: store.stderr_path(&job.id) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Runs a program here to its end, within bounds. `look` is called at every check of the
    /// program. If the program's standard input is a pipe, the pipe stays open meanwhile.
    pub(crate) fn run(
        &self,
        mut program: Command,
        bounds: &Bounds<'_>,
        cancel: Option<&AtomicBool>,
        look: impl FnMut(),
    ) -> Result<io::Result<ExitStatus>, WorkError> {
        let output = |name: &str| File::create(self.file(name)).map_err(io_error("make", name));
        // The output goes to files, because a pipe would stay open in processes that outlive the
        // program.
        program.current_dir(&self.path).stdout(output(STDOUT)?).stderr(output(STDERR)?);
        for variable in ["TMPDIR", "TEMP", "TMP"] {
            program.env(variable, &self.path);
        }
        let mut group = match Group::start(program) {
            Ok(group) => group,
            Err(error) => return Ok(Err(error)),
        };
        let before = bounds.written.map_or(0, |_| bytes_below(&self.path));
        let end = self.wait(&mut group, bounds, before, cancel, look);
        // End the whole group before any file is read, so that no process writes any more.
        drop(group);
        let status = end?;
        self.within(bounds)?;
        Ok(Ok(status))
    }

    fn wait(
        &self,
        group: &mut Group,
        bounds: &Bounds<'_>,
        before: u64,
        cancel: Option<&AtomicBool>,
        mut look: impl FnMut(),
    ) -> Result<ExitStatus, WorkError> {
        let what = bounds.what;
        let started = Instant::now();
        let mut files_seen = started;
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = group.child.try_wait().map_err(io_error("wait for", what))? {
                return Ok(status);
            }
            if cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                group.dismiss(bounds.farewell);
                return Err(WorkError::Cancelled);
            }
            if let Some(limit) = bounds.time.filter(|limit| started.elapsed() >= limit.duration()) {
                return Err(WorkError::Time { what, limit, said: self.said() });
            }
            if let Some(limit) = bounds.memory.filter(|limit| private_memory(group.child.id()) > limit.0) {
                return Err(WorkError::Memory { what, limit, said: self.said() });
            }
            self.within(bounds)?;
            if let Some(limit) = bounds.written.filter(|_| files_seen.elapsed() >= PAUSE_FILES) {
                files_seen = Instant::now();
                if bytes_below(&self.path).saturating_sub(before) > limit.0 {
                    return Err(WorkError::Written { what, limit });
                }
            }
            look();
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }

    fn within(&self, bounds: &Bounds<'_>) -> Result<(), WorkError> {
        let standard = [(STDOUT, "standard output", MOST_OUTPUT), (STDERR, "standard error", MOST_OUTPUT)];
        let beyond = standard.iter().chain(bounds.files).find(|(name, _, limit)| {
            fs::symlink_metadata(self.file(name)).is_ok_and(|metadata| metadata.len() > *limit)
        });
        match beyond {
            Some((_, file, limit)) => Err(WorkError::Output { what: bounds.what, file, limit: *limit }),
            None => Ok(()),
        }
    }

    /// The end of the program's standard error, or else of its standard output, to follow the
    /// reason of a failure.
    pub(crate) fn said(&self) -> String {
        let quoted = |(name, what): (&str, &str)| {
            let end = tail(&self.file(name)).ok()?;
            let text = String::from_utf8_lossy(&end);
            // The first character may have been cut in the middle.
            let text = text.trim_start_matches(char::REPLACEMENT_CHARACTER).trim();
            (!text.is_empty()).then(|| format!("; {what} ends with:\n{text}"))
        };
        [(STDERR, "its standard error"), (STDOUT, "its standard output")]
            .into_iter()
            .find_map(quoted)
            .unwrap_or_default()
    }

    /// Checks that the folder has room. A program may have failed because the disk was full, which
    /// is not the program's fault.
    pub(crate) fn check_room(&self) -> Result<(), WorkError> {
        // The file is made beside the folder, where a program cannot put a link or a pipe.
        let own = self.path.parent().unwrap_or(&self.path);
        let written = tempfile::tempfile_in(own).and_then(|mut file| file.write_all(&[0; 1 << 16]));
        written.map_err(io_error("write into", own.display().to_string()))
    }

    /// Moves the program's standard error beside the results folder. The file replaces the standard
    /// error of an earlier attempt.
    pub(crate) fn keep_stderr(&self) -> Result<(), StoreError> {
        let (from, to) = (self.file(STDERR), &self.stderr);
        let refused = |action| move |source| StoreError::Io { action, path: to.clone(), source };
        // If the program put a link or a pipe in place of the file, it counts as no output.
        if !fs::symlink_metadata(&from).is_ok_and(|metadata| metadata.is_file() && metadata.len() > 0) {
            return match fs::remove_file(to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(refused("remove")(error)),
                _ => Ok(()),
            };
        }
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent).map_err(refused("write"))?;
        }
        match fs::rename(&from, to) {
            // The results folder may be a mounted file system, from which a file cannot be moved to
            // its parent folder.
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => fs::copy(&from, to).map(drop),
            renamed => renamed,
        }
        .map_err(refused("write"))
    }
}

/// Makes a folder whose name no other program can guess, so a program cannot find the folders of
/// other jobs.
fn make_alone(all: &Path, sight: Sight) -> io::Result<PathBuf> {
    fs::create_dir_all(all)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix("").rand_bytes(NAME_LETTERS);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if sight == Sight::Open {
            // The names of the folders cannot be guessed. These permissions make sure that the
            // names cannot be listed either.
            fs::set_permissions(all, fs::Permissions::from_mode(0o300))?;
        }
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    let _ = sight;
    Ok(builder.tempdir_in(all)?.keep())
}

fn tail(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = input::open_own(path, u64::MAX)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(QUOTED)))?;
    let mut end = Vec::new();
    file.take(QUOTED).read_to_end(&mut end)?;
    Ok(end)
}

/// Bytes of all files below a folder. A file that vanishes meanwhile does not count.
fn bytes_below(folder: &Path) -> u64 {
    let (mut bytes, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                Ok(metadata) => bytes += metadata.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let Some(own) = self.path.parent() else { return };
        // The next run removes what cannot be removed now.
        let _ = remove_tree(own);
        if let Some(all) = own.parent() {
            // This fails if another job has its folder there, as it should.
            let _ = fs::remove_dir(all);
        }
    }
}

/// How a process ended, in the same words on every machine.
pub(crate) fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(number) = std::os::unix::process::ExitStatusExt::signal(&status) {
        let name = nix::sys::signal::Signal::try_from(number).map_or("unknown", |signal| signal.as_str());
        return format!("signal: {number} ({name})");
    }
    // For a signal, the system's text would also say whether there was a core dump. So signals are
    // written above.
    status.to_string()
}

/// A process with all processes that it started. Dropping the value ends them all.
struct Group {
    child: Child,
    /// A pipe that closes with this process. A process of fivefold sees the end of the pipe.
    _lifeline: Option<ChildStdin>,
}

impl Group {
    fn start(mut program: Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        let mut child = program.spawn()?;
        let lifeline = child.stdin.take();
        Ok(Group { child, _lifeline: lifeline })
    }

    /// Asks the process to end, and gives it time to do so.
    fn dismiss(&mut self, time: Duration) {
        #[cfg(unix)]
        if let Some(process) = i32::try_from(self.child.id()).ok().filter(|_| !time.is_zero()) {
            use nix::sys::signal::{Signal, kill};
            let asked = Instant::now();
            // An error means that the process has ended.
            let _ = kill(nix::unistd::Pid::from_raw(process), Signal::SIGTERM);
            while asked.elapsed() < time && matches!(self.child.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        #[cfg(not(unix))]
        let _ = time;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Descendants are ended while the process exists. Once it ends, they get another parent.
        if matches!(self.child.try_wait(), Ok(None)) {
            end_descendants(self.child.id());
        }
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.child.id()) {
            use nix::sys::signal::{Signal, killpg};
            // An error means that no process of the group is left.
            let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use fivefold_core::Seed;

    use super::*;

    pub(crate) fn job(id: &str) -> Job {
        let inputs = BTreeMap::new();
        Job {
            id: id.to_owned(),
            dataset: 0,
            fold: 0,
            ranker: 0,
            repeat: 0,
            stage: 0,
            candidate: None,
            place: None,
            needs: Vec::new().into(),
            seed: Seed::new(0),
            inputs,
            key: String::new(),
        }
    }

    #[test]
    fn the_folder_is_removed_and_the_last_one_with_all_of_them() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::new(root.path().join("run"));
        let one = WorkFolder::make(&store, &job("a/fold1/r"), Sight::Closed).unwrap();
        let other = WorkFolder::make(&store, &job("a/fold2/r"), Sight::Open).unwrap();
        fs::write(one.file("x"), "").unwrap();
        let path = one.path.clone();
        drop(one);
        assert!(!path.exists() && other.path.exists());
        drop(other);
        assert_eq!(fs::read_dir(root.path().join("run")).unwrap().count(), 0);
    }

    #[test]
    fn the_end_of_what_was_said_is_quoted_whole_letters_only_and_all_of_it_kept() {
        let root = tempfile::tempdir().unwrap();
        let store = Store::new(root.path().join("run"));
        let folder = WorkFolder::make(&store, &job("a/fold1/r"), Sight::Closed).unwrap();
        assert_eq!(folder.said(), "");
        fs::write(folder.file(STDOUT), "out").unwrap();
        assert_eq!(folder.said(), "; its standard output ends with:\nout");
        let text = format!("{}x", "é".repeat(QUOTED as usize));
        fs::write(folder.file(STDERR), &text).unwrap();
        let said = folder.said();
        assert!(said.ends_with("éx") && !said.contains(char::REPLACEMENT_CHARACTER), "{said}");
        assert!(said.len() <= QUOTED as usize + 40);
        folder.keep_stderr().unwrap();
        let kept = root.path().join("run.stderr/a/fold1/r.txt");
        assert_eq!(fs::read_to_string(&kept).unwrap(), text);
        folder.keep_stderr().unwrap();
        assert!(!kept.exists(), "the next attempt was silent");
    }
}

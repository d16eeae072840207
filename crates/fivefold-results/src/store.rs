//! The results folder: places of files, atomic writes, and job records, which name the inputs of
//! each result.
//!
//! ```text
//! models/DATASET/foldK/RANKER.json    the model with its header
//! scores/DATASET/foldK/RANKER.txt     one score a line, in the order of the fold's test documents
//! values/DATASET/foldK/RANKER/SETTING.txt  of a candidate of a search: one value a line, in the order
//!                                     of the validation queries; a candidate has no model and no scores
//! jobs/DATASET/foldK/RANKER.json      the record, written last: key, inputs, status, output hashes
//! queries.csv, per_query.csv          the evaluation
//! per_seed.csv                        the values of single repeats, if rankers are repeated
//! manifest.json                       the experiment, its data, versions and conventions
//! ```
//! A file appears under its name only when the file is complete. First the file is written to
//! `.partial/`, and then it is renamed.
//!
//! Nothing in the folder depends on time, machine or number of threads. Times go to
//! `FOLDER.log.json` beside the folder.
//!
//! During a run the folder also holds `.lock` ([`crate::lock`]), `.times` (the log), `.work/`,
//! where programs run, and `.rounds/`, the checkpoints of fits. The end of a run removes all four. If
//! a run was killed, the next run removes them. A run that was stopped leaves `.rounds/`, so that the
//! next run goes on from there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use fivefold_data::features::Pick;
use fivefold_data::input;
use serde::{Deserialize, Serialize};

use crate::checksum::with_checksum;
use crate::freedom::Freedom;
use crate::paths::record_file;

/// A file of the results folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system refused the operation.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// "make", "read", "write" or "remove".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        source: io::Error,
    },
    /// The content of the file is not as this program writes it.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The fault in the content, and the advice.
        reason: String,
    },
    /// The folder holds something else.
    #[error("{} holds {what}; give another folder, or write over it with --replace", folder.display())]
    Occupied {
        /// The folder.
        folder: PathBuf,
        /// The content of the folder, in words.
        what: String,
    },
    /// Another process holds the folder.
    #[error("{} is in use by {by}; wait for its end or stop it, or give another folder", folder.display())]
    InUse {
        /// The folder.
        folder: PathBuf,
        /// The process that holds the folder.
        by: String,
    },
}

/// The advice that follows an error of the file system. Empty if the error needs no advice.
pub fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; make room and run the command again: finished work is kept"
        }
        io::ErrorKind::FileTooLarge => {
            "; raise the limit on the size of files (`ulimit -f`) and run the command again: finished work is kept"
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            "; give another place, or make this place writable"
        }
        io::ErrorKind::IsADirectory => {
            "; a folder stands there: give the path of a file in it, or move the folder away"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "; a file stands where a folder is needed: give another place, or move the file away"
        }
        _ => "",
    }
}

/// Writes a file so that it appears complete or not at all. The file is written under another name
/// in `folder` and then renamed, so `folder` must be on the same file system. If `write` fails, no
/// file is left.
///
/// # Errors
/// The error of the file system.
pub fn replace(path: &Path, folder: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The file is opened here, so that it gets the permissions of a normal new file. `tempfile`
    // would make the file private, and name it in errors.
    let open = |path: &Path| File::options().write(true).create_new(true).open(path);
    let mut temporary = tempfile::Builder::new().make_in(folder, open)?;
    write(temporary.as_file_mut())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// For each place in the folder, the size of the longest file that is read. Runs write far smaller
/// files.
const LONGEST: [(&str, u64); 8] = [
    (ROUNDS, 8 << 30),
    ("jobs", 16 << 20),
    ("models", 8 << 30),
    ("scores", 8 << 30),
    ("values", 8 << 30),
    ("queries.csv", 8 << 30),
    ("per_query.csv", 8 << 30),
    ("per_seed.csv", 8 << 30),
];

/// The size of the longest file that is read from a place in the folder.
fn longest(file: &str) -> u64 {
    let first = file.split('/').next().unwrap_or_default();
    LONGEST.iter().find(|(place, _)| *place == first).map_or(input::MOST_TEXT, |(_, most)| *most)
}

/// Removes a folder and its content, even if a program took away the permission to remove it.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        // The folder of a program may be one that cannot be listed.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            permit(path);
            fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Gives the owner of a folder permission to list this folder and all folders in it, and to remove
/// their files.
#[cfg(unix)]
fn permit(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    // No link is followed. An error is ignored, because the removal that follows names the file.
    let Ok(found) = fs::symlink_metadata(folder) else { return };
    if !found.is_dir() {
        return;
    }
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(found.permissions().mode() | 0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        permit(&entry.path());
    }
}

#[cfg(not(unix))]
fn permit(_: &Path) {}

/// The folder in which programs run.
pub const WORK: &str = ".work";
/// The folder of the checkpoints of fits.
pub const ROUNDS: &str = ".rounds";
/// Hidden names in the folder of a run: unfinished files, running programs, checkpoints, the lock,
/// claims and times.
/// If the run is killed, these files stay.
pub(crate) const HIDDEN: [&str; 6] =
    [PARTIAL, WORK, ROUNDS, crate::lock::LOCK, crate::claims::CLAIMS, crate::log::TIMES];
const PARTIAL: &str = ".partial";

/// A results folder.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

/// The record of a job that ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The job's id.
    pub id: String,
    /// Hash of `inputs`.
    pub key: String,
    /// All inputs that alter the result, by name.
    pub inputs: BTreeMap<String, serde_json::Value>,
    /// How the job ended.
    pub status: Status,
    /// Why the job failed. `None` if the job is done.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The freedoms of the program of a `command`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unconfined: Vec<Freedom>,
    /// The warnings of the fit, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<String>,
    /// What a candidate of a search came to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tried: Option<Tried>,
    /// The setting that a tuned ranker chose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chosen: Option<Chosen>,
    /// The hash of each file that the job wrote, by the file's path in the folder.
    pub outputs: BTreeMap<String, String>,
}

/// The mean of a candidate's measure on the validation part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// The number of the setting in the experiment's list, from 0, if results of other candidates
    /// chose the setting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub number: Option<usize>,
    /// The measure.
    pub measure: String,
    /// The mean over the queries that count. `None` if no query counts.
    pub value: Option<f64>,
    /// How many queries count.
    pub queries: usize,
    /// How many queries have no defined value.
    pub undefined: usize,
    /// The features of the candidate, in the order in which a selection chose them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub features: Vec<Pick>,
}

/// The choice among the candidates of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chosen {
    /// The number of the setting in the experiment's list, from 0.
    pub number: usize,
    /// The values of the parameters that differ between candidates.
    pub setting: BTreeMap<String, serde_json::Value>,
    /// The value by which the setting was chosen: its mean on the validation part, or over the
    /// validation parts of all folds.
    pub value: f64,
    /// How many settings had a value.
    pub settings: usize,
    /// How many settings had no value, because a candidate failed or no query of its part counts.
    pub without_value: usize,
    /// How many settings have this value too. The cheapest of them was chosen.
    pub equal: usize,
    /// The steps of a selection of features, also those after the chosen set.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<Step>,
}

/// A step of a forward selection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The feature or group that entered.
    pub entered: Pick,
    /// The value of the set with this feature, on the validation part.
    pub value: f64,
    /// How many features and groups give this value too. The first of them entered.
    pub equal: usize,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The job wrote scores.
    Done,
    /// The job wrote no scores. Tables show FAILED, and the next run tries the job again.
    Failed,
}

impl Store {
    /// The results folder at `root`, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Store { root: root.into() }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file of the folder. `file` separates folders by `/`.
    pub fn path(&self, file: &str) -> PathBuf {
        file.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }

    /// The file beside the folder that holds times and machine facts.
    pub fn log_path(&self) -> PathBuf {
        self.beside(".log.json")
    }

    /// The file beside the folder that holds the standard error of a job's process.
    pub fn stderr_path(&self, job: &str) -> PathBuf {
        let file = format!("{job}.txt");
        file.split('/').fold(self.stderr_folder(), |path, part| path.join(part))
    }

    /// The folder beside the results folder that holds the standard error of all jobs.
    pub fn stderr_folder(&self) -> PathBuf {
        self.beside(".stderr")
    }

    /// The path beside the folder with the folder's name and an ending.
    fn beside(&self, ending: &str) -> PathBuf {
        // The paths `.` and `..` do not contain the folder's name.
        let root = match self.root.file_name() {
            Some(_) => self.root.clone(),
            None => fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone()),
        };
        let mut name = root.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        root.with_file_name(name)
    }

    /// Makes the folder. A folder that cannot be made is then an error before any work is done.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn prepare(&self) -> Result<(), StoreError> {
        let path = self.partial();
        fs::create_dir_all(&path).map_err(|source| StoreError::Io { action: "make", path, source })
    }

    /// Writes a file so that it appears complete or not at all, and returns the hash of the
    /// content. For files that can be made again from other files of the folder. For all other
    /// files see [`keep`](Self::keep).
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn write(&self, file: &str, content: &[u8]) -> Result<String, StoreError> {
        self.put(file, content, |_| Ok(()))
    }

    /// Writes a file as [`write`](Self::write) does, and returns only when the content is on the
    /// disk.
    ///
    /// Models, scores and records are written so, because to make them again takes hours. A power
    /// cut can empty a file that was renamed before its content reached the disk. Since each file
    /// waits for the disk, a record is never on the disk before the files that it names.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn keep(&self, file: &str, content: &[u8]) -> Result<String, StoreError> {
        self.put(file, content, File::sync_data)
    }

    fn put(&self, file: &str, content: &[u8], end: fn(&File) -> io::Result<()>) -> Result<String, StoreError> {
        let path = self.own_path(file)?;
        self.own_path(".partial/file")?;
        if content.len() as u64 > longest(file) {
            let reason = format!("would have {} MiB, more than is read of such a file", content.len() >> 20);
            return Err(StoreError::Content { path, reason });
        }
        let persist = || {
            let partial = self.partial();
            fs::create_dir_all(&partial)?;
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            replace(&path, &partial, |temporary| {
                temporary.write_all(content)?;
                end(temporary)
            })
        };
        let written = match persist() {
            // Another process that shares the folder removed the unfinished files in between, so
            // write again.
            Err(error) if error.kind() == io::ErrorKind::NotFound => persist(),
            written => written,
        };
        written.map_err(|source| StoreError::Io { action: "write", path: path.clone(), source })?;
        Ok(hash(content))
    }

    /// The folder of unfinished files.
    pub(crate) fn partial(&self) -> PathBuf {
        self.root.join(PARTIAL)
    }

    /// The folder in which the program of a job runs.
    pub fn work(&self, name: impl AsRef<Path>) -> PathBuf {
        self.root.join(WORK).join(name)
    }

    /// Removes the unfinished files and the folders of programs that killed runs left. The caller
    /// must hold the folder alone. Returns a warning for each folder that could not be removed. No
    /// result depends on these folders.
    pub fn sweep(&self) -> Vec<String> {
        let left = [self.partial(), self.root.join(WORK)].into_iter().filter_map(|path| match remove_tree(&path) {
            Ok(()) => None,
            // The folder is not empty if a program has not yet noticed that its run was killed.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => None,
            Err(error) => Some(format!(
                "cannot remove {}, which a program left: {error}; no result depends on this file: remove the file by \
                    hand",
                path.display()
            )),
        });
        left.collect()
    }

    /// Removes all checkpoints. The caller must hold the folder alone, and no job may be open.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn forget_rounds(&self) -> Result<(), StoreError> {
        let path = self.own_path(ROUNDS)?;
        match remove_tree(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }

    /// Removes a file if the file exists.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn remove(&self, file: &str) -> Result<(), StoreError> {
        let path = self.own_path(file)?;
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }

    /// The content of a file. `None` if the file does not exist.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.look(file, input::read_own)
    }

    /// The hash of a file's content. `None` if the file does not exist. The file is not held in
    /// memory.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn hash_of(&self, file: &str) -> Result<Option<String>, StoreError> {
        self.look(file, |path, most| {
            let mut hasher = blake3::Hasher::new();
            hasher.update_reader(input::open_own(path, most)?)?;
            Ok(hasher.finalize().to_hex().to_string())
        })
    }

    fn look<T>(&self, file: &str, read: impl FnOnce(&Path, u64) -> io::Result<T>) -> Result<Option<T>, StoreError> {
        let path = self.own_path(file)?;
        match read(&path, longest(file)) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Io { action: "read", path, source }),
        }
    }

    /// Returns the path of a file of the folder, and refuses a path that leads through a symbolic
    /// link. A link could make a run read, or write over, files outside the folder. Only the folder
    /// itself may be a link.
    ///
    /// # Errors
    /// [`StoreError::Io`] names the link.
    pub fn own_path(&self, file: &str) -> Result<PathBuf, StoreError> {
        let mut path = self.root.clone();
        for part in file.split('/') {
            if path != self.root && fs::symlink_metadata(&path).is_ok_and(|there| there.is_symlink()) {
                let source = io::Error::other("is a symbolic link, which no run makes; put the folder itself there");
                return Err(StoreError::Io { action: "use", path, source });
            }
            path.push(part);
        }
        Ok(path)
    }

    /// The record of a job. `None` if there is no record or the record cannot be parsed.
    pub fn record(&self, job: &str) -> Result<Option<Record>, StoreError> {
        Ok(self.read(&record_file(job))?.and_then(|content| serde_json::from_slice(&content).ok()))
    }

    /// Writes a value as JSON with its hash (see [`crate::checksum`]), as [`keep`](Self::keep)
    /// does.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write_with_checksum<T: Serialize>(&self, file: &str, value: &T) -> Result<String, StoreError> {
        self.keep(file, &with_checksum(value).map_err(|error| self.unwritable(file, &error))?)
    }

    fn unwritable(&self, file: &str, error: &serde_json::Error) -> StoreError {
        StoreError::Content { path: self.path(file), reason: format!("cannot be written as JSON: {error}") }
    }

    /// Writes a value as JSON, indented, with a newline at the end, as [`keep`](Self::keep) does.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write_json<T: Serialize>(&self, file: &str, value: &T) -> Result<String, StoreError> {
        let content = json_text(value).map_err(|error| self.unwritable(file, &error))?;
        self.keep(file, &content)
    }
}

/// Returns a value as indented JSON with a newline at the end.
pub fn json_text<T: Serialize>(value: &T) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// The hash of a file. [`Writing`] gives the same hash for the same content.
///
/// # Errors
/// The error of the file system.
pub fn hash_of_file(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// A writer that computes the hash of the written bytes and keeps nothing else.
#[derive(Default)]
pub struct Writing(blake3::Hasher);

impl Writing {
    /// The hash of all bytes written so far.
    pub fn hash(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

impl io::Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The hash of some bytes, in hexadecimal digits.
pub fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_half_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        store.write("a/b.txt", b"x").unwrap();
        fs::write(folder.path().join(".partial/left-by-a-kill"), "").unwrap();
        assert!(store.sweep().is_empty());
        assert!(store.sweep().is_empty());
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(store.read("a/b.txt").unwrap().as_deref(), Some(&b"x"[..]));
    }

    /// python/cpython #10320: a program left a read-only folder, and to remove the folder was an
    /// error.
    #[test]
    fn what_cannot_be_removed_is_a_warning_and_what_forbids_it_only_to_its_owner_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        let inner = store.work("x").join("closed");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("a"), "").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            for path in [&inner, &store.work("x")] {
                fs::set_permissions(path, fs::Permissions::from_mode(0o500)).unwrap();
            }
        }
        assert_eq!(store.sweep(), Vec::<String>::new());
        assert!(!store.work("x").exists());
        // The path is a file, which cannot be removed as a folder.
        fs::write(folder.path().join(WORK), "").unwrap();
        let left = store.sweep();
        assert!(left.len() == 1 && left[0].contains("no result depends on this file"), "{left:?}");
    }

    #[cfg(unix)]
    #[test]
    fn files_are_as_readable_as_plain_ones() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        Store::new(folder.path()).write("a.txt", b"x").unwrap();
        fs::write(folder.path().join("plain.txt"), "x").unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode("a.txt"), mode("plain.txt"));
    }

    #[test]
    fn the_log_stands_beside_the_folder() {
        for root in ["runs/x", "runs/x/", "runs/x/."] {
            assert_eq!(Store::new(root).log_path(), PathBuf::from("runs/x.log.json"));
        }
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        assert_eq!(Store::new(".").log_path(), Store::new(here).log_path());
    }
}

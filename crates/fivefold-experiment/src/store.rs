//! The results folder: where each file stands, atomic writes, and job records that say what a result was made from.
//!
//! ```text
//! models/DATASET/foldK/RANKER.json    the model with its header
//! scores/DATASET/foldK/RANKER.txt     one score a line, in the order of the fold's test documents
//! jobs/DATASET/foldK/RANKER.json      the record, written last: key, inputs, status, hashes of the outputs
//! queries.csv, per_query.csv          the evaluation
//! manifest.json                       the experiment, data, versions and conventions that it came from
//! ```
//! A file appears under its name only when it is complete: it is written to `.partial/` and renamed. A result is reused
//! if its record has the key of the job and its files have the hashes of the record. Nothing in the folder depends on
//! time, machine or number of threads; times go to `FOLDER.log.json` beside it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A file of the results folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file system says no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "make", "read", "write" or "remove".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// The content is not what this program writes.
    #[error("{}: {reason}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

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
    /// Hash over `inputs`.
    pub key: String,
    /// Everything that alters the result, by name.
    pub inputs: BTreeMap<String, serde_json::Value>,
    /// How it ended.
    pub status: Status,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// Hash of each file that it wrote, by the file's path in the folder.
    pub outputs: BTreeMap<String, String>,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// With scores.
    Done,
    /// Without: shown as FAILED, never scored, tried again at the next run.
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

    /// The path of a file of the folder, given with `/`.
    pub fn path(&self, file: &str) -> PathBuf {
        file.split('/').fold(self.root.clone(), |path, part| path.join(part))
    }

    /// The file beside the folder that holds times and machine facts.
    pub fn log_path(&self) -> PathBuf {
        // Of `.` and `..` the name is not in the path.
        let root = match self.root.file_name() {
            Some(_) => self.root.clone(),
            None => fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone()),
        };
        let mut name = root.file_name().unwrap_or_default().to_owned();
        name.push(".log.json");
        root.with_file_name(name)
    }

    /// Makes the folder, so that one that cannot be made is known before any work is done.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn prepare(&self) -> Result<(), StoreError> {
        let path = self.partial();
        fs::create_dir_all(&path).map_err(|source| StoreError::Io { action: "make", path, source })
    }

    /// Writes a file so that it appears complete or not at all; returns the hash of its content.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn write(&self, file: &str, content: &[u8]) -> Result<String, StoreError> {
        let path = self.path(file);
        let written = match self.persist(&path, content) {
            // Another process that shares the folder swept up in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.persist(&path, content),
            written => written,
        };
        written.map_err(|source| StoreError::Io { action: "write", path, source })?;
        Ok(hash(content))
    }

    fn persist(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let partial = self.partial();
        fs::create_dir_all(&partial)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // A plain new file's permissions, from which the umask is taken; a temporary file would be private.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut temporary = builder.tempfile_in(&partial)?;
        temporary.write_all(content)?;
        temporary.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn partial(&self) -> PathBuf {
        self.root.join(".partial")
    }

    /// Removes what killed processes left half written.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn sweep(&self) -> Result<(), StoreError> {
        let path = self.partial();
        match fs::remove_dir_all(&path) {
            Ok(()) => Ok(()),
            // Not empty: another process writes there, and will sweep up.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => Ok(()),
            Err(source) => Err(StoreError::Io { action: "remove", path, source }),
        }
    }

    /// Removes a file, if it is there.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn remove(&self, file: &str) -> Result<(), StoreError> {
        let path = self.path(file);
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::Io { action: "remove", path, source })
            }
            _ => Ok(()),
        }
    }

    /// The content of a file, `None` if there is none.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.path(file);
        match fs::read(&path) {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(StoreError::Io { action: "read", path, source }),
        }
    }

    /// The record of a job whose key is `key` and whose files are all there as they were written. A record of another
    /// key, an unreadable one and one whose files were altered are no record: the job is to be done.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub fn record(&self, file: &str, key: &str) -> Result<Option<Record>, StoreError> {
        let Some(content) = self.read(file)? else { return Ok(None) };
        let Ok(record) = serde_json::from_slice::<Record>(&content) else { return Ok(None) };
        if record.key != key {
            return Ok(None);
        }
        for (output, expected) in &record.outputs {
            match self.read(output)? {
                Some(content) if hash(&content) == *expected => {}
                _ => return Ok(None),
            }
        }
        Ok(Some(record))
    }

    /// Writes a value as JSON, indented, with a newline at the end.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn write_json<T: Serialize>(&self, file: &str, value: &T) -> Result<String, StoreError> {
        let path = self.path(file);
        let mut content = serde_json::to_vec_pretty(value)
            .map_err(|error| StoreError::Content { path, reason: format!("cannot be written as JSON: {error}") })?;
        content.push(b'\n');
        self.write(file, &content)
    }
}

/// Hash of some bytes, in hexadecimal digits.
pub(crate) fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(outputs: &[(&str, String)]) -> Record {
        Record {
            id: "d/fold1/r".to_owned(),
            key: "k".to_owned(),
            inputs: BTreeMap::new(),
            status: Status::Done,
            error: None,
            outputs: outputs.iter().map(|(file, hash)| ((*file).to_owned(), hash.clone())).collect(),
        }
    }

    #[test]
    fn a_record_counts_only_with_its_key_and_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("run"));
        assert_eq!(store.record("jobs/r.json", "k").unwrap(), None);
        let hash = store.write("scores/r.txt", b"1.0\n").unwrap();
        let written = record(&[("scores/r.txt", hash)]);
        store.write_json("jobs/r.json", &written).unwrap();
        assert_eq!(store.record("jobs/r.json", "k").unwrap(), Some(written));
        assert_eq!(store.record("jobs/r.json", "other").unwrap(), None);
        store.write("scores/r.txt", b"2.0\n").unwrap();
        assert_eq!(store.record("jobs/r.json", "k").unwrap(), None);
        fs::remove_file(store.path("scores/r.txt")).unwrap();
        assert_eq!(store.record("jobs/r.json", "k").unwrap(), None);
        store.write("jobs/r.json", b"{").unwrap();
        assert_eq!(store.record("jobs/r.json", "k").unwrap(), None);
    }

    #[test]
    fn nothing_half_written_stays() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        store.write("a/b.txt", b"x").unwrap();
        fs::write(folder.path().join(".partial/left-by-a-kill"), "").unwrap();
        store.sweep().unwrap();
        store.sweep().unwrap();
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(store.read("a/b.txt").unwrap().as_deref(), Some(&b"x"[..]));
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

//! Errors of opening a collection.

use std::fmt;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;
use fivefold_core::DatasetError;

use crate::letor::ReadError;

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// The reason why a collection cannot be opened, and the remedy.
///
/// ```
/// use fivefold_data::{DataError, Source, open};
///
/// // A collection must be named or lie somewhere.
/// assert!(matches!(open(&Source::default(), &[]), Err(DataError::Source(_))));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// A file has a fault.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The entry of a data set in the experiment makes no sense.
    #[error("{0}")]
    Source(String),
    /// A descriptor cannot be read.
    #[error("{}: {message}", file.display())]
    Descriptor {
        /// The descriptor file.
        file: PathBuf,
        /// The fault.
        message: String,
    },
    /// A known collection is not on this machine.
    #[error(
        "collection `{name}` was not found ({}); {get}\nput its files in a folder `{folder}` of the folder that the variable FIVEFOLD_DATA names, or give their folder as `path`; needed: {files}",
        looked(tried)
    )]
    Absent {
        /// The collection.
        name: String,
        /// Name of the collection's folder.
        folder: String,
        /// Where to get the collection.
        get: String,
        /// The files of the collection.
        files: String,
        /// Folders that were searched.
        tried: Vec<PathBuf>,
    },
    /// The collection's folder is there, but a file is missing.
    #[error("collection `{name}`: {} is missing (nor is there a `.gz` of it); {get}", missing.display())]
    MissingFile {
        /// The collection.
        name: String,
        /// The file.
        missing: PathBuf,
        /// Where to get the collection, or which files the layout needs.
        get: String,
    },
    /// The collection has too few queries for folds.
    #[error("{} cannot be cut into {needed} folds: give at least a query for each fold", counted(*found, "query"))]
    FewQueries {
        /// Queries found.
        found: usize,
        /// Folds.
        needed: usize,
    },
    /// The arrays do not make a data set.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

fn looked(tried: &[PathBuf]) -> String {
    let paths: Vec<String> = tried.iter().map(|path: &PathBuf| Path::display(path).to_string()).collect();
    if paths.is_empty() { "FIVEFOLD_DATA is not set".to_owned() } else { format!("looked for {}", paths.join(", ")) }
}

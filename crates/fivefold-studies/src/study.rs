//! What a study is: its settings, what it is given besides them, what it finds.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_analysis::{Chart, Diagram, PageData, Table};
use fivefold_base::printable::no_formula;
use fivefold_base::words::counted;
use fivefold_core::{ParamError, Progress, Seed};
use fivefold_data::per_query::PerQueryError;
use fivefold_data::trec::TrecError;
use fivefold_data::{DataError, ReadError, ScoreError};
use fivefold_metrics::{Conventions, MeasureError, MeasureSpec, Overrides, dialect};
use fivefold_results::store::StoreError;
use fivefold_stats::StatsError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A kind of study. The type is its settings: the keys of its experiment file, with `#[serde(deny_unknown_fields)]`, and a
/// default for every key that need not be given.
pub trait Study: DeserializeOwned + Serialize + Send + Sync + 'static {
    /// The word after `kind =`.
    const KIND: &'static str;

    /// What it asks, in a line.
    const SUMMARY: &'static str;

    /// Checks what the types do not, before anything is read. The error names the key, so that it can be underlined.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    fn check(&self) -> Result<(), ParamError> {
        Ok(())
    }

    /// The measures of ours that its settings name, which its page cites.
    fn measures(&self) -> Vec<MeasureSpec> {
        Vec::new()
    }

    /// Does the study. Runs inside the run's thread pool: use rayon directly, and find the same for any number of threads.
    ///
    /// # Errors
    /// [`StudyError`]: an input that cannot be used, or the run was cancelled.
    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError>;
}

/// What a study is given besides its settings.
pub struct StudyContext<'a> {
    pub(crate) name: &'a str,
    pub(crate) seed: Seed,
    pub(crate) folders: &'a [PathBuf],
    pub(crate) progress: Option<&'a dyn Progress>,
    pub(crate) cancelled: Option<&'a AtomicBool>,
}

impl<'a> StudyContext<'a> {
    /// The experiment's name.
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// The experiment's seed; derive those of parts from it by name.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The folders in which relative paths are looked for: the experiment file's own first, then the data folder.
    pub fn folders(&self) -> &'a [PathBuf] {
        self.folders
    }

    /// A file or folder that the settings name: as it is if the path is absolute, else in the first of
    /// [`folders`](Self::folders) that holds it.
    ///
    /// # Errors
    /// If there is none, with all places where it was looked for.
    pub fn find(&self, path: &Path) -> Result<PathBuf, StudyError> {
        // Joining an absolute path gives that path; with no folder at all it is looked for from where we are.
        let mut places: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join(path)).collect();
        if places.is_empty() || path.is_absolute() {
            places = vec![path.to_owned()];
        }
        match places.iter().find(|place| fivefold_data::exists(place)) {
            Some(place) => Ok(place.clone()),
            None => {
                let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
                let what = format!("there is no {}; looked for {}", path.display(), tried.join(" and "));
                let help = run_of(path).map(|name| format!("; `fivefold run {name}`, in this folder, makes it"));
                Err(StudyError::Input(what + &help.unwrap_or_default()))
            }
        }
    }

    /// Reports that `done` of `total` steps are behind, and stops the study if the run was cancelled.
    ///
    /// # Errors
    /// [`StudyError::Cancelled`], to be passed on with `?`.
    pub fn step(&self, done: u64, total: u64) -> Result<(), StudyError> {
        if self.cancelled.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(StudyError::Cancelled);
        }
        if let Some(progress) = self.progress {
            progress.step(done, total);
        }
        Ok(())
    }
}

/// The experiment whose results a path lies in, where it begins as results folders do: `runs/NAME`.
fn run_of(path: &Path) -> Option<&str> {
    path.strip_prefix("runs").ok()?.iter().next()?.to_str()
}

/// Checks that a list of names has none twice.
///
/// # Errors
/// The first name that stands there again; the error is about the key `param`.
pub(crate) fn each_once<T: PartialEq + fmt::Display>(param: &str, names: &[T]) -> Result<(), ParamError> {
    match (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
        Some(place) => Err(ParamError::new(param, format!("has {} twice", names[place]))),
        None => Ok(()),
    }
}

/// The conventions of a dialect, given by the key `dialect`, with single ones replaced.
///
/// # Errors
/// A dialect that there is not, with the nearest.
pub(crate) fn conventions(name: &str, overrides: &Overrides) -> Result<Conventions, ParamError> {
    let found = dialect(name).map_err(|error| ParamError::new("dialect", format!("is wrong: {error}")))?;
    Ok(overrides.apply(found.conventions()))
}

/// What a study is about, for the head of its page.
pub(crate) fn facts<S: AsRef<str>>(systems: usize, queries: usize, measures: &[S]) -> String {
    let measures: Vec<&str> = measures.iter().map(AsRef::as_ref).collect();
    format!("{}, {}, {}", counted(systems, "system"), counted(queries, "query"), measures.join("; "))
}

/// What a study found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Tables, in the order in which they are shown.
    pub tables: Vec<Table>,
    /// Diagrams, in the order in which they are shown, before the charts.
    pub diagrams: Vec<Diagram>,
    /// Charts, in the order in which they are shown.
    pub charts: Vec<Chart>,
    /// Further files of the results folder: path with `/`, content.
    pub files: Vec<(String, String)>,
    /// What was read, for the manifest.
    pub inputs: Vec<Input>,
    /// What the page says besides.
    pub page: PageData,
}

impl Findings {
    /// Adds a table for people and their spreadsheets as comma-separated values: a head and rows as long as it. No text is a formula.
    pub fn add_csv(&mut self, name: &str, head: &[String], rows: impl Iterator<Item = Vec<String>>) {
        let guarded = |row: &[String]| row.iter().map(|text| no_formula(text).into_owned()).collect::<Vec<_>>();
        self.add_values(name, &guarded(head), rows.map(|row| guarded(&row)));
    }

    /// Adds values per query, which are joined by the names that stand there: these are written as they are.
    pub fn add_values(&mut self, name: &str, head: &[String], rows: impl Iterator<Item = Vec<String>>) {
        let mut csv = csv::Writer::from_writer(Vec::new());
        // Writing to memory cannot fail, and every row has the length of the head.
        let _ = csv.write_record(head);
        for row in rows {
            let _ = csv.write_record(row);
        }
        let bytes = csv.into_inner().unwrap_or_default();
        self.files.push((name.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
    }
}

/// Something that a study read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Its name as the settings give it, never a place on this machine.
    pub name: String,
    /// blake3 hash of its content, in hexadecimal.
    pub hash: String,
}

/// Why a study has no findings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// An input that is missing or cannot be used: what is wrong, and what to do.
    #[error("{0}")]
    Input(String),
    /// A setting that makes no sense.
    #[error(transparent)]
    Setting(#[from] ParamError),
    /// A collection that cannot be opened.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A LETOR file that cannot be read.
    #[error(transparent)]
    Letor(#[from] ReadError),
    /// A TREC file that cannot be read.
    #[error(transparent)]
    Trec(#[from] TrecError),
    /// Values per query that cannot be read or joined.
    #[error(transparent)]
    Values(#[from] PerQueryError),
    /// A score file that cannot be used.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// A measure that cannot be computed.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A statistic that has no value.
    #[error(transparent)]
    Stats(#[from] StatsError),
    /// A results folder that cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run was cancelled.
    #[error("cancelled")]
    Cancelled,
}

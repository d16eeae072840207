//! The trait of a study, its context, its findings and its errors.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_analysis::{Chart, Diagram, PageData, Table};
use fivefold_base::printable::no_formula;
use fivefold_base::words::counted;
use fivefold_core::{ParamError, Progress, Seed};
use fivefold_data::per_query::PerQueryError;
use fivefold_data::texts::TextsError;
use fivefold_data::trec::TrecError;
use fivefold_data::{DataError, ReadError, ScoreError};
use fivefold_metrics::{Conventions, MeasureError, MeasureSpec, Overrides, dialect};
use fivefold_results::store::StoreError;
use fivefold_stats::StatsError;
use fivefold_text::TextError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A kind of study. The type holds the settings, which are the keys of the experiment file. The
/// type needs `#[serde(deny_unknown_fields)]`, and a default for every optional key.
///
/// ```
/// use fivefold_core::ParamError;
/// use fivefold_studies::study::StudyContext;
/// use fivefold_studies::{Findings, Study, StudyError, StudyFile, StudyOptions, run};
/// use serde::{Deserialize, Serialize};
///
/// /// How often a die shows a six. The fields are the keys of its experiment file.
/// #[derive(Serialize, Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct Sixes {
///     throws: u64,
/// }
///
/// impl Study for Sixes {
///     const KIND: &'static str = "sixes";
///     const SUMMARY: &'static str = "how often a die shows a six";
///
///     fn check(&self) -> Result<(), ParamError> {
///         ParamError::unless(self.throws > 0, "throws", self.throws, "1 or more")
///     }
///
///     fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
///         let mut rng = cx.seed().rng();
///         let sixes = (0..self.throws).filter(|_| rng.below(6) == 5).count();
///         let mut findings = Findings::default();
///         findings.add_csv("sixes.csv", &["sixes".to_owned()], [vec![sixes.to_string()]].into_iter());
///         Ok(findings)
///     }
/// }
///
/// let findings = run(&StudyFile::of("mine", 7, Sixes { throws: 600 }), &StudyOptions::default())?;
/// let sixes: usize = findings.files[0].1.lines().last().unwrap().parse()?;
/// assert!((60..140).contains(&sixes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Study: DeserializeOwned + Serialize + Send + Sync + 'static {
    /// The word after `kind =`.
    const KIND: &'static str;

    /// The question of the study, in a line.
    const SUMMARY: &'static str;

    /// Checks the settings beyond their types, before any input is read. The error names the key,
    /// so that it can be underlined.
    ///
    /// # Errors
    /// The first setting that makes no sense.
    fn check(&self) -> Result<(), ParamError> {
        Ok(())
    }

    /// The measures of fivefold in the settings, which the page cites.
    fn measures(&self) -> Vec<MeasureSpec> {
        Vec::new()
    }

    /// Runs the study inside the run's thread pool. Use rayon directly. The findings must be the
    /// same for any number of threads.
    ///
    /// # Errors
    /// [`StudyError`] if an input cannot be used or the run was cancelled.
    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError>;
}

/// The context of a study: its name, seed, folders, progress and cancel flag.
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

    /// The experiment's seed. Derive the seeds of parts from it by name.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The folders in which relative paths are looked for: the experiment file's own folder, then
    /// the data folder.
    pub fn folders(&self) -> &'a [PathBuf] {
        self.folders
    }

    /// Finds a file or folder that the settings name. An absolute path stays as it is. A relative
    /// path is looked for in [`folders`](Self::folders), and the first folder that holds it counts.
    ///
    /// # Errors
    /// If no folder holds the path. The error lists all places that were tried.
    pub fn find(&self, path: &Path) -> Result<PathBuf, StudyError> {
        // An absolute path needs no folder. Without any folder, the path is relative to the current
        // directory.
        let mut places: Vec<PathBuf> = self.folders.iter().map(|folder| folder.join(path)).collect();
        if places.is_empty() || path.is_absolute() {
            places = vec![path.to_owned()];
        }
        match places.iter().find(|place| fivefold_data::packed::exists(place)) {
            Some(place) => Ok(place.clone()),
            None => {
                let tried: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
                let what = format!("there is no {}; looked for {}", path.display(), tried.join(" and "));
                let help = run_of(path).map(|name| format!("; `fivefold run {name}`, in this folder, makes it"));
                Err(StudyError::Input(what + &help.unwrap_or_default()))
            }
        }
    }

    /// Reports that `done` of `total` steps are done, and stops the study if the run was cancelled.
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

/// The experiment whose results folder holds a path; `None` unless the path begins as results
/// folders do: `runs/NAME`.
fn run_of(path: &Path) -> Option<&str> {
    path.strip_prefix("runs").ok()?.iter().next()?.to_str()
}

/// Checks that no name is in a list twice.
///
/// # Errors
/// The first repeated name. The error is about the key `param`.
pub(crate) fn each_once<T: PartialEq + fmt::Display>(param: &str, names: &[T]) -> Result<(), ParamError> {
    match (1..names.len()).find(|&place| names[..place].contains(&names[place])) {
        Some(place) => Err(ParamError::new(param, format!("has {} twice", names[place]))),
        None => Ok(()),
    }
}

/// The conventions of the dialect in the key `dialect`, with overrides.
///
/// # Errors
/// An unknown dialect; the message suggests the nearest dialect.
pub(crate) fn conventions(name: &str, overrides: &Overrides) -> Result<Conventions, ParamError> {
    let found = dialect(name).map_err(|error| ParamError::new("dialect", format!("is wrong: {error}")))?;
    Ok(overrides.apply(found.conventions()))
}

/// The systems, queries and measures of a study, for the head of its page.
pub(crate) fn facts<S: AsRef<str>>(systems: usize, queries: usize, measures: &[S]) -> String {
    let measures: Vec<&str> = measures.iter().map(AsRef::as_ref).collect();
    format!("{}, {}, {}", counted(systems, "system"), counted(queries, "query"), measures.join("; "))
}

/// The findings of a study.
///
/// ```
/// use fivefold_studies::Findings;
///
/// let mut findings = Findings::default();
/// let row = vec!["A".to_owned(), "0.5".to_owned()];
/// findings.add_csv("means.csv", &["system", "mean"].map(str::to_owned), [row].into_iter());
/// assert_eq!(findings.files, [("means.csv".to_owned(), "system,mean\nA,0.5\n".to_owned())]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Tables, in the order in which they are shown.
    pub tables: Vec<Table>,
    /// Diagrams, in the order in which they are shown, before the charts.
    pub diagrams: Vec<Diagram>,
    /// Charts, in the order in which they are shown.
    pub charts: Vec<Chart>,
    /// Further files of the results folder: path with `/`, then content.
    pub files: Vec<(String, String)>,
    /// The files that the study read, for the manifest.
    pub inputs: Vec<Input>,
    /// The data of the page.
    pub page: PageData,
}

impl Findings {
    /// Adds a CSV table for people and spreadsheets. All rows must be as long as the head. Text
    /// that a spreadsheet would take for a formula is made harmless.
    pub fn add_csv(&mut self, name: &str, head: &[String], rows: impl Iterator<Item = Vec<String>>) {
        let guarded = |row: &[String]| row.iter().map(|text| no_formula(text).into_owned()).collect::<Vec<_>>();
        self.add_values(name, &guarded(head), rows.map(|row| guarded(&row)));
    }

    /// Adds a CSV table of values per query. Its names are written as they are, because other
    /// tables are joined by them.
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

/// A file or folder that a study read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The name in the settings, never a path on this machine.
    pub name: String,
    /// blake3 hash of the content, in hexadecimal.
    pub hash: String,
}

/// The reason why a study has no findings.
///
/// ```
/// use fivefold_studies::{StudyFile, StudyOptions, run};
///
/// let text = "name = \"mine\"\nkind = \"compare\"\nmeasures = [\"ndcg@10\", \"ap\"]\nsystems = { values = [\"no-such.csv\"] }\n";
/// let error = run(&StudyFile::parse(text)?, &StudyOptions::default()).unwrap_err();
/// assert!(error.to_string().contains("no-such.csv"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StudyError {
    /// An input that is missing or cannot be used. The text gives the problem and the remedy.
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
    /// Texts that cannot be read.
    #[error(transparent)]
    Texts(#[from] TextsError),
    /// A measure of texts that cannot be computed.
    #[error(transparent)]
    TextMeasure(#[from] TextError),
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

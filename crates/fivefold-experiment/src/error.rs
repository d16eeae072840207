//! The errors that stop a run.

use std::path::PathBuf;

use fivefold_analysis::tables::TablesError;
use fivefold_base::words::list_first;
use fivefold_data::ScoreError;
use fivefold_metrics::MeasureError;
use fivefold_results::config::ConfigError;
use fivefold_results::store::StoreError;

/// The number of files that an error names. Other files are counted.
const MOST_FILES: usize = 5;

/// Why a run cannot go on.
///
/// ```
/// use fivefold_experiment::{RunError, RunOptions, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment on `data.txt`, which somebody then removes.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// std::fs::remove_file(folder.path().join("data.txt"))?;
/// let error = run(&experiment, &registry, &RunOptions::new(folder.path().join("results"))).unwrap_err();
/// assert!(matches!(&error, RunError::Config(_)) && error.to_string().contains("data.txt"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum RunError {
    /// The experiment names something that is wrong or missing.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Config(#[from] ConfigError),
    /// The results folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A score file of the results folder that cannot be read.
    #[error(transparent)]
    Scores(#[from] ScoreError),
    /// An input of the experiment is at a place to which results are written.
    #[error("{} is an input of this experiment, and the results in {} would replace this input", input.display(), folder.display())]
    #[diagnostic(help("give another results folder with --out"))]
    Overwritten {
        /// The input.
        input: PathBuf,
        /// The results folder.
        folder: PathBuf,
    },
    /// Files of jobs that changed after the run wrote or found them.
    #[error(
        "{} while the run went on, and not by it: {}",
        if files.len() == 1 { "a file of a job was altered".to_owned() } else { format!("{} files of jobs were altered", files.len()) },
        list_first(files, MOST_FILES)
    )]
    #[diagnostic(help(
        "nothing was evaluated; find the program that writes there (a `command` of the experiment?), then run again: \
            the next run does these jobs anew"
    ))]
    Altered {
        /// The files, by their paths in the folder.
        files: Vec<String>,
    },
    /// Jobs with other keys than the keys that were written down for them.
    #[error(
        "{} changed after the experiment was submitted: {}",
        if jobs.len() == 1 { "the inputs of a job".to_owned() } else { format!("the inputs of {} jobs", jobs.len()) },
        list_first(jobs, MOST_FILES)
    )]
    #[diagnostic(help("nothing was done; submit the experiment again: jobs whose inputs did not change are reused"))]
    OtherKeys {
        /// The ids of the jobs.
        jobs: Vec<String>,
    },
    /// A measure cannot be computed on a data set.
    #[error("data set `{dataset}`: {source}")]
    Measure {
        /// Label of the data set.
        dataset: String,
        /// The error of the measure.
        source: MeasureError,
    },
    /// The patterns of a filter that match no job. Other patterns of the filter may match.
    #[error("no job of the experiment matches {only}")]
    #[diagnostic(help(
        "{near}write DATASET/foldK/RANKER, or only a data set, fold or ranker, of {known}; `fivefold jobs` lists all \
            jobs"
    ))]
    NoSuchJob {
        /// The patterns.
        only: String,
        /// A question with the name that the user may have meant. Empty if no name is near.
        near: String,
        /// The data sets and rankers of the experiment.
        known: String,
    },
    /// The experiment asks for an unknown table.
    #[error(transparent)]
    #[diagnostic(help("`only` of `[tables]` takes ids of tables, or how they begin"))]
    Tables(#[from] TablesError),
    /// The user stopped the run during the evaluation.
    #[error("the run was stopped")]
    Cancelled,
    /// A fit needs a process of its own, but the run has no program for such a process.
    #[error("limits of time and memory, and `isolate`, need a program that runs fits (`RunOptions::worker`)")]
    NoWorker,
    /// The system does not tell how much memory a process has.
    #[error("`memory_limit` needs Linux; leave out `memory_limit`, or run the experiment on Linux")]
    NoMemoryLimit,
    /// No thread pool could be made.
    #[error("cannot start the threads: {0}")]
    Threads(String),
}

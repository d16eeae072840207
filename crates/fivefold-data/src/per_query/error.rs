//! Faults of values per query.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use crate::text::ODD_HELP;

/// A fault in a file of values, or between several files.
#[derive(Debug)]
pub struct PerQueryError {
    /// The file; empty if the fault is between several files.
    pub file: PathBuf,
    /// Line, from 1; 0 if the fault is about the whole file.
    pub line: u64,
    /// The fault.
    pub kind: PerQueryErrorKind,
}

impl PerQueryError {
    pub(super) fn new(file: &Path, line: u64, kind: PerQueryErrorKind) -> Self {
        PerQueryError { file: file.to_owned(), line, kind }
    }

    /// A fault between several files.
    pub(super) fn joined(kind: PerQueryErrorKind) -> Self {
        PerQueryError::new(Path::new(""), 0, kind)
    }
}

impl fmt::Display for PerQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.as_os_str().is_empty() {
            write!(f, "{}", self.file.display())?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}; {}", self.kind, self.kind.help())
    }
}

impl std::error::Error for PerQueryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            PerQueryErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// The kind of fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerQueryErrorKind {
    /// The file cannot be opened, read or decompressed.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A format that does not exist.
    #[error("there is no format `{name}`")]
    UnknownFormat {
        /// The name.
        name: String,
        /// All names of formats.
        known: String,
    },
    /// Content of no known format.
    #[error("the format is not clear: {why}")]
    Unclear {
        /// The reason why the known formats do not fit.
        why: String,
        /// All names of formats.
        known: String,
    },
    /// Rankings or judgements in place of values.
    #[error("the file holds {what}, not values per query")]
    Ranking {
        /// The content, in words.
        what: &'static str,
    },
    /// A table of features in place of values.
    #[error("the file looks like a table of features, not values per query: {why}")]
    Features {
        /// The columns that look so.
        why: String,
    },
    /// A line or record that does not fit the format.
    #[error("{0}")]
    Syntax(String),
    /// A blank that is neither space nor tab, a control character, or an invisible character, with
    /// its place.
    #[error("{0}")]
    Odd(String),
    /// A value that is no finite number.
    #[error("value `{found}` is not a finite number")]
    Value {
        /// The text.
        found: String,
    },
    /// A score, an expected value and an upper bound that cannot be those of one item.
    #[error("{0}")]
    Bound(String),
    /// Values whose squares an `f64` cannot hold, so that no spread could be computed.
    #[error("the largest value of {measure} is {largest:e} in size, and the square of such a number is lost")]
    Scale {
        /// The measure.
        measure: String,
        /// The largest absolute value.
        largest: f64,
    },
    /// Two values of one query, system and measure.
    #[error("query `{query}` has a second value of {measure} for `{system}`")]
    Duplicate {
        /// The query.
        query: String,
        /// The measure.
        measure: String,
        /// The system.
        system: String,
    },
    /// A name that heads two columns.
    #[error("column `{name}` stands twice (columns {} and {})", columns[0], columns[1])]
    ColumnTwice {
        /// The name.
        name: String,
        /// Both columns, from 1.
        columns: [usize; 2],
    },
    /// A first column that looks like query ids, but has another name.
    #[error("column `{column}` counts the rows, as ids of queries do, but is not called `query`")]
    IdsUnnamed {
        /// The column's name.
        column: String,
    },
    /// A table of measures, systems and queries that has almost no values.
    #[error("{} of {}, {} and {}: nearly all are missing", counted(*values, "value"), counted(*measures, "measure"), counted(*systems, "system"), counted(*queries, "query"))]
    Sparse {
        /// Number of different measures.
        measures: usize,
        /// Number of different systems.
        systems: usize,
        /// Number of different queries.
        queries: usize,
        /// Number of values.
        values: usize,
    },
    /// A file without a value of a query.
    #[error("there is no value of a query")]
    Empty,
    /// Two files hold the same system under the same measure.
    #[error("system `{system}` has values of {measure} in two files")]
    SystemTwice {
        /// The system.
        system: String,
        /// The measure.
        measure: String,
    },
    /// The systems have no measure in common.
    #[error("no measure has values for every system")]
    NoCommonMeasure,
    /// A query without a value for one system.
    #[error("system `{system}` has no value of {measure} for query `{query}` ({} in all)", counted(*count, "such gap"))]
    Missing {
        /// The system.
        system: String,
        /// The measure.
        measure: String,
        /// The first such query.
        query: String,
        /// Number of missing values.
        count: usize,
    },
    /// No query has all values.
    #[error("no query has values for every system and measure")]
    NoCommonQuery,
}

impl PerQueryErrorKind {
    /// The remedy.
    pub fn help(&self) -> String {
        let fixed = match self {
            Self::Io(_) => "check that the file is there, complete, and UTF-8 text",
            Self::UnknownFormat { known, .. } => return format!("known: {known}"),
            Self::Features { .. } => {
                "`fivefold book make-letor-from-a-table` turns such a table into LETOR text; values per query need \
                    the name of their format, csv"
            }
            Self::Ranking { .. } => "give runs with their judgements: --qrels QRELS --runs RUN...",
            Self::Unclear { known, .. } => return format!("give the format of the file: {known}"),
            Self::Syntax(_) => "check the line, and that the file has the format that it was taken for",
            Self::Odd(_) => ODD_HELP,
            Self::Value { .. } => "give a decimal number, or `nan` where the value is undefined",
            Self::Bound(_) => {
                "the columns must be on one scale, with 0 <= expected <= upper and 0 <= score <= upper in each row; \
                 without `expected` and `upper`, any score is read"
            }
            Self::Scale { .. } => "multiply all values of the measure by the same number, so that they are near 1",
            Self::Duplicate { .. } => "remove the first or the second value",
            Self::ColumnTwice { .. } => "give each column a name of its own, or remove a column",
            Self::IdsUnnamed { .. } => "call it `query`; or, if it really is a system, put a column `query` before it",
            Self::Sparse { .. } => "check the format: are these really names of measures and queries?",
            Self::Empty => "have the other program print values of each query (trec_eval -q), not only means",
            Self::SystemTwice { .. } => {
                "give the files names of their own, as in `NAME=FILE`; systems that columns name are renamed in the file"
            }
            Self::NoCommonMeasure => "compute the same measures for all systems; names must be equal",
            Self::Missing { .. } => {
                "compute it, or choose with `--missing-queries` (`missing_queries` of the systems in a file): `drop` leaves the query out for \
                 all systems, `zero` counts it as 0"
            }
            Self::NoCommonQuery => "check that the files are about the same queries",
        };
        fixed.to_owned()
    }
}

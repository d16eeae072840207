//! What can be wrong with values per query.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use crate::text::ODD_HELP;

/// Something wrong in a file of values, or between several.
#[derive(Debug)]
pub struct PerQueryError {
    /// The file; empty where several are meant.
    pub file: PathBuf,
    /// Line from 1; 0 where the whole file is meant.
    pub line: u64,
    /// What was found.
    pub kind: PerQueryErrorKind,
}

impl PerQueryError {
    pub(super) fn new(file: &Path, line: u64, kind: PerQueryErrorKind) -> Self {
        PerQueryError { file: file.to_owned(), line, kind }
    }

    /// An error between several files.
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

/// What was found.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerQueryErrorKind {
    /// The file cannot be opened, read or decompressed.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A format that there is not.
    #[error("there is no format `{name}`")]
    UnknownFormat {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// Content of no known format.
    #[error("the format is not clear: {why}")]
    Unclear {
        /// What speaks against the known formats.
        why: String,
        /// All names.
        known: String,
    },
    /// A line or record that is not of the format.
    #[error("{0}")]
    Syntax(String),
    /// A blank that is neither space nor tab, a control character, or a character that cannot be seen, and where.
    #[error("{0}")]
    Odd(String),
    /// A value that is no number.
    #[error("value `{found}` is not a finite number")]
    Value {
        /// The text.
        found: String,
    },
    /// Values whose squares no double holds, so that no spread could be computed.
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
    /// A first column that looks like ids, but is not called so.
    #[error("column `{column}` counts the rows, as ids of queries do, but is not called `query`")]
    IdsUnnamed {
        /// Its name.
        column: String,
    },
    /// Names that hardly ever stand together.
    #[error("{} of {}, {} and {}: nearly all are missing", counted(*values, "value"), counted(*measures, "measure"), counted(*systems, "system"), counted(*queries, "query"))]
    Sparse {
        /// Different measures.
        measures: usize,
        /// Different systems.
        systems: usize,
        /// Different queries.
        queries: usize,
        /// Values.
        values: usize,
    },
    /// No value of any query.
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
        /// How many values are missing.
        count: usize,
    },
    /// No query has all values.
    #[error("no query has values for every system and measure")]
    NoCommonQuery,
}

impl PerQueryErrorKind {
    /// What to do about it.
    pub fn help(&self) -> String {
        let fixed = match self {
            Self::Io(_) => "check that the file is there, complete, and UTF-8 text",
            Self::UnknownFormat { known, .. } => return format!("known: {known}"),
            Self::Unclear { known, .. } => return format!("name its format, one of {known}"),
            Self::Syntax(_) => "check the line, and that the file has the format that it was taken for",
            Self::Odd(_) => ODD_HELP,
            Self::Value { .. } => "give a decimal number, or `nan` where the value is undefined",
            Self::Scale { .. } => "multiply all values of the measure by the same number, so that they are near 1",
            Self::Duplicate { .. } => "remove one of the two",
            Self::ColumnTwice { .. } => "give each column a name of its own, or remove one",
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

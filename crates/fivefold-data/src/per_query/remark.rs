//! Remarks on lines that were passed over in files of values, and on policies. Counts of several
//! files add up.

use std::fmt;

use fivefold_base::words::{counted, which};

/// A remark about values, as a sentence without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// Number of values in summary rows, which were left out.
    Summaries(usize),
    /// Number of values that are texts and were left out.
    Texts(usize),
    /// Number of rows about halves of the documents, which were left out.
    Halves(usize),
    /// Number of values that their own program calls undefined.
    Undefined(usize),
    /// Number of comments among the rows.
    Comments(usize),
    /// A measure without V1 and V2, because its file does not have a column.
    NoVersions {
        /// The measure.
        measure: String,
        /// The file.
        file: String,
        /// The column: `expected` or `upper`.
        column: &'static str,
    },
    /// Any other remark.
    Other(String),
}

impl Remark {
    /// Adds the remark to the remarks of other files. Counts of the same kind become their sum, and
    /// a remark is not repeated.
    pub(super) fn add_to(self, all: &mut Vec<Remark>) {
        let sum = all.iter_mut().find_map(|known| match (known, &self) {
            (Remark::Summaries(sum), Remark::Summaries(count))
            | (Remark::Texts(sum), Remark::Texts(count))
            | (Remark::Halves(sum), Remark::Halves(count))
            | (Remark::Comments(sum), Remark::Comments(count))
            | (Remark::Undefined(sum), Remark::Undefined(count)) => Some((sum, *count)),
            _ => None,
        });
        if let Some((sum, count)) = sum {
            *sum += count;
        } else if !all.contains(&self) {
            all.push(self);
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let were = |count: usize| which(count, "was", "were");
        match self {
            Remark::Summaries(1) => f.write_str("1 value of a summary row was left out"),
            Remark::Summaries(count) => write!(f, "{count} values of summary rows were left out"),
            Remark::Texts(count) => {
                let texts = which(*count, "is a text and was", "are texts and were");
                write!(f, "{} {texts} left out", counted(*count, "value"))
            }
            Remark::Halves(count) => {
                let rows = counted(*count, "row");
                write!(f, "{rows} about a half of each query's documents {} left out", were(*count))
            }
            Remark::Undefined(count) => {
                write!(f, "{} {} undefined", counted(*count, "value"), which(*count, "is", "are"))
            }
            Remark::Comments(count) => {
                let comments = counted(*count, "comment");
                write!(f, "{comments} below the names of the columns {} passed over", were(*count))
            }
            Remark::NoVersions { measure, file, column } => {
                write!(f, "{measure} has no V1 and V2: {file} has no column `{column}`")
            }
            Remark::Other(what) => f.write_str(what),
        }
    }
}

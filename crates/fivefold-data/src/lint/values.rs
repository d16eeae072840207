//! Lints values per query from start to end, and goes on after a problem.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Problems;
use crate::per_query::{Content, PerQueryError, PerQueryErrorKind, PerQueryOptions};

/// The content of a file of values per query.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ValuesReport {
    /// The file.
    pub file: PathBuf,
    /// Name of the format; empty if no known format fits.
    pub format: &'static str,
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Number of queries.
    pub queries: usize,
    /// Number of values that are numbers.
    pub values: usize,
    /// Number of values that their own program calls undefined.
    pub undefined: usize,
    /// Number of missing values. A query counts once for each system and measure that has no value
    /// for it.
    pub gaps: usize,
    /// The lowest and the highest value; `None` if there is no number.
    pub range: Option<[f64; 2]>,
    /// Remarks on lines that were left out.
    pub remarks: Vec<String>,
}

/// Lints values per query. `content` is given if the file was read before.
pub(super) fn values(file: &Path, content: Option<Content>, problems: &mut Problems) -> ValuesReport {
    let mut report = ValuesReport { file: file.to_owned(), ..ValuesReport::default() };
    // The kind is given: a table is then one of values, even if it looks like one of features.
    let read = || match Content::read(file, None) {
        Err(PerQueryError { kind: PerQueryErrorKind::Features { .. }, .. }) => Content::read(file, Some("csv")),
        read => read,
    };
    let content = content.map_or_else(read, Ok);
    let parsed = content.and_then(|content| Ok((content.format, content.parse(file, &PerQueryOptions::default())?)));
    let (format, (found, faults)) = match parsed {
        Ok(read) => read,
        Err(error) => {
            problems.add(file, error.line, 0, || error.kind.to_string());
            return report;
        }
    };
    for (line, kind) in &faults.first {
        problems.add(file, *line, 0, || kind.to_string());
    }
    problems.count += faults.count - faults.first.len();
    let numbers = || found.values.iter().copied().filter(|value| !value.is_nan());
    report.format = format.name;
    report.queries = found.queries.len();
    report.values = numbers().count();
    report.undefined = found.undefined_count();
    report.gaps = found.values.len() - report.values - report.undefined;
    report.range = numbers().fold(None, |range, value| {
        let [least, most] = range.unwrap_or([value; 2]);
        Some([value.min(least), value.max(most)])
    });
    (report.measures, report.systems, report.remarks) =
        (found.measures, found.systems, found.remarks.iter().map(ToString::to_string).collect());
    report
}

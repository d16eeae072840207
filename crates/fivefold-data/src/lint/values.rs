//! Values per query from end to end, over their mistakes.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Problems;
use crate::per_query::{Content, PerQueryOptions};

/// What a file of values per query holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ValuesReport {
    /// The file.
    pub file: PathBuf,
    /// Its format; empty: none that can be read.
    pub format: &'static str,
    /// Names of the measures.
    pub measures: Vec<String>,
    /// Names of the systems.
    pub systems: Vec<String>,
    /// Queries.
    pub queries: usize,
    /// Values that are numbers.
    pub values: usize,
    /// Values that their own program calls undefined.
    pub undefined: usize,
    /// Queries without a value for some system and measure, one for each of these.
    pub gaps: usize,
    /// The lowest and the highest; `None`: there is no number.
    pub range: Option<[f64; 2]>,
    /// What was left out.
    pub remarks: Vec<String>,
}

/// Lints values per query; `content`: they were read before.
pub(super) fn values(file: &Path, content: Option<Content>, problems: &mut Problems) -> ValuesReport {
    let mut report = ValuesReport { file: file.to_owned(), ..ValuesReport::default() };
    let content = content.map_or_else(|| Content::read(file, None), Ok);
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

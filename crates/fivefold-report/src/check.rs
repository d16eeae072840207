//! Compares the report in a folder with the report that the results give.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord};
use fivefold_results::Results;
use fivefold_results::store::Store;

use crate::error::ReportError;
use crate::folder::{Files, Report, run_report};
use crate::html::Templates;

/// Each file of a report, and how it differs from the file that the results give.
pub type FileChecks = Vec<(String, Result<(), String>)>;

/// Compares the report of a run with its results. `None` if the folder holds no file of a report.
///
/// # Errors
/// As [`write_report`](crate::write_report).
pub fn check_report(
    results: &Results,
    folder: &Path,
    templates: &Templates,
) -> Result<Option<FileChecks>, ReportError> {
    let (store, files) = (Store::new(folder), run_report(results)?.made(templates)?.files);
    if !files.iter().any(|(file, _)| store.path(file).exists()) {
        return Ok(None);
    }
    compare(files, &store).map(Some)
}

/// Compares a report with the report in a folder.
///
/// # Errors
/// As [`Report::write`].
pub fn check_files(report: &Report, folder: &Path) -> Result<FileChecks, ReportError> {
    compare(report.made(&Templates::default())?.files, &Store::new(folder))
}

fn compare(files: Files, store: &Store) -> Result<FileChecks, ReportError> {
    let mut compared = Vec::with_capacity(files.len());
    for (file, expected) in files {
        let result = match store.read(&file)? {
            None => Err("there is no such file".to_owned()),
            Some(content) if content == expected.as_bytes() => Ok(()),
            Some(content) => Err(difference(&file, &String::from_utf8_lossy(&content), &expected)),
        };
        compared.push((file, result));
    }
    Ok(compared)
}

/// The first difference: a cell of a table, or else a line.
fn difference(file: &str, found: &str, expected: &str) -> String {
    let cell = if file.ends_with(".csv") { differing_cell(found, expected) } else { None };
    cell.unwrap_or_else(|| {
        let (found, expected): (Vec<&str>, Vec<&str>) = (found.lines().collect(), expected.lines().collect());
        let longest = found.len().max(expected.len());
        match (0..longest).find(|&line| found.get(line) != expected.get(line)) {
            Some(line) => format!("line {} differs from the line that the results give", line + 1),
            None => "the line ends differ from the line ends that fivefold writes".to_owned(),
        }
    })
}

/// The first cell that differs. `None` if the tables have no such cell or cannot be read.
fn differing_cell(found: &str, expected: &str) -> Option<String> {
    let rows = |text: &str| -> Option<Vec<StringRecord>> {
        // Notes stand in comments.
        let mut reader = ReaderBuilder::new();
        reader.has_headers(false).flexible(true).comment(Some(b'#'));
        reader.from_reader(text.as_bytes()).into_records().collect::<Result<_, _>>().ok()
    };
    let (found, expected) = (rows(found)?, rows(expected)?);
    let heads = expected.first()?;
    for (of_file, of_results) in found.iter().zip(&expected) {
        for (column, (cell, result)) in of_file.iter().zip(of_results).enumerate() {
            if cell != result {
                let (label, head) = (of_results.get(0)?, heads.get(column).unwrap_or_default());
                return Some(format!("row \"{label}\", column \"{head}\": {cell}, but the results give {result}"));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_cell_or_else_the_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let report = Report { tables: vec![samples::every_cell(), samples::wide()], ..Report::default() };
        report.write(folder.path(), &Templates::default()).unwrap();
        let tables = &report.tables;
        let failures = || -> Vec<(String, String)> {
            let compared = check_files(&report, folder.path()).unwrap();
            assert_eq!(compared.len(), 9);
            compared.into_iter().filter_map(|(file, result)| Some((file, result.err()?))).collect()
        };
        assert_eq!(failures(), []);
        let change = |file: &str, change: &dyn Fn(String) -> String| {
            let path = folder.path().join(file);
            std::fs::write(&path, change(std::fs::read_to_string(&path).unwrap())).unwrap();
        };
        let csv = format!("tables/{}.csv", tables[0].id);
        let stored = std::fs::read_to_string(folder.path().join(&csv)).unwrap();
        let row = stored.lines().filter(|line| !line.starts_with('#')).nth(1).unwrap();
        let altered = format!("{},9.75", row.rsplit_once(',').unwrap().0);
        change(&csv, &|text| text.replacen(row, &altered, 1));
        change("tables.md", &|text| format!("{text}\nmore\n"));
        std::fs::remove_file(folder.path().join("report.html")).unwrap();
        let found = failures();
        let of = |file: &str| found.iter().find(|(name, _)| name == file).map(|(_, what)| what.as_str()).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(of(&csv).starts_with("row \"") && of(&csv).contains(": 9.75, but the results give "), "{}", of(&csv));
        assert!(of("tables.md").ends_with("differs from the line that the results give"), "{}", of("tables.md"));
        assert_eq!(of("report.html"), "there is no such file");
    }
}

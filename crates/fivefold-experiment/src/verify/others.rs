//! Finds files of a results folder that belong to no run, job or report.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fivefold_base::words::list_first;
use fivefold_results::store::{Store, StoreError};

use super::Check;
use super::folder::{id_of_record, is_of_itself, look};

/// Folders in which any file would be taken for a result.
const OF_JOBS: [&str; 4] = ["jobs/", "scores/", "models/", "values/"];
const OF_REPORTS: [&str; 2] = ["tables/", "figures/"];
/// Other files of a report.
const REPORT: [&str; 3] = ["report.html", "tables.json", "tables.md"];

/// The number of names in a list. Other names are counted.
const MOST_NAMES: usize = 5;

/// Looks for files that are not in `known`, the files of the run and its report. `reported` says
/// whether the files of the report are known. A foreign file among the results is a difference.
/// Files of jobs that left the experiment, and files elsewhere, are only counted.
///
/// # Errors
/// If a folder cannot be read.
pub fn other_files(folder: &Path, known: &BTreeSet<String>, reported: bool) -> Result<Check, StoreError> {
    let mut check = Check::new("other files");
    let all = files_below(folder)?;
    let left = left_by_jobs(&Store::new(folder), all.iter().filter(|file| !known.contains(*file)));
    let (mut of_jobs, mut of_report, mut of_nobody) = (Vec::new(), Vec::new(), Vec::new());
    let stands_in = |file: &str, places: &[&str]| places.iter().any(|place| file.starts_with(place));
    for file in all {
        if known.contains(&file) {
            check.passed();
        } else if left.contains(&file) {
            of_jobs.push(file);
        } else if stands_in(&file, &OF_JOBS) {
            check.failed(file, "belongs to no job of this run");
        } else if reported && stands_in(&file, &OF_REPORTS) {
            check.failed(file, "is no table or figure of these results");
        } else if !reported && (stands_in(&file, &OF_REPORTS) || REPORT.contains(&file.as_str())) {
            of_report.push(file);
        } else {
            of_nobody.push(file);
        }
    }
    check.beyond(
        of_jobs.len(),
        &format!("of jobs that are no longer in the experiment: {}", list_first(&of_jobs, MOST_NAMES)),
    );
    check.beyond(
        of_report.len(),
        &format!("of a report that cannot be compared with its values: {}", list_first(&of_report, MOST_NAMES)),
    );
    check.beyond(of_nobody.len(), &format!("not of this run: {}", list_first(&of_nobody, MOST_NAMES)));
    Ok(check)
}

/// The valid records among `files`, and the files that these records name.
fn left_by_jobs<'a>(store: &Store, files: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    let mut left = BTreeSet::new();
    for file in files {
        let Some(id) = id_of_record(file) else { continue };
        let (record, outputs) = look(&id, store);
        if record.is_ok_and(|(record, _)| is_of_itself(&record, &id).is_ok()) {
            left.insert(file.clone());
            left.extend(outputs.into_iter().filter(|(_, result)| result.is_ok()).map(|(output, _)| output));
        }
    }
    left
}

/// All files of a folder, sorted, as paths with `/`. Files of a running run are left out: their
/// names begin with a dot.
pub(super) fn files_below(folder: &Path) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(inner) = folders.pop() {
        let path = folder.join(&inner);
        let refused = |source| StoreError::Io { action: "read", path: path.clone(), source };
        for entry in fs::read_dir(&path).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = format!("{inner}{}", entry.file_name().to_string_lossy());
            match entry.file_type().map_err(refused)?.is_dir() {
                _ if name.starts_with('.') => {}
                true => folders.push(name + "/"),
                false => found.push(name),
            }
        }
    }
    found.sort();
    Ok(found)
}

//! Score tables: the mean of a measure for every method, cutoff and query set (Tables 3 to 6 and 15
//! to 18).

use fivefold_metrics::{Mean, Version};

use super::analysis::{Analysis, SetValues};
use super::notes::Notes;
use super::query_set::QuerySet;
use crate::table::{Cell, Table};

/// Decimals of a score.
const DIGITS: u8 = 4;

/// For each data set, a table for the original measure and a table for its UE versions.
pub(super) fn tables(analysis: &Analysis<'_>) -> Vec<Table> {
    let versions = &analysis.family.versions;
    let (original, normalised): (Vec<usize>, Vec<usize>) =
        (0..versions.len()).partition(|&version| versions[version].version == Version::Original);
    let mut tables = Vec::new();
    for (first, versions) in [(0, original), (2, normalised)] {
        if !versions.is_empty() {
            tables.extend(analysis.datasets().map(|(dataset, _)| table(analysis, dataset, &versions, first)));
        }
    }
    tables
}

fn table(analysis: &Analysis<'_>, dataset: usize, versions: &[usize], first: u32) -> Table {
    let family = analysis.family;
    let data = &analysis.evaluation.datasets[dataset];
    let names: Vec<&str> = versions.iter().map(|&version| family.versions[version].name.as_str()).collect();
    let normalised = family.versions[versions[0]].version != Version::Original;
    let what = format!("{}-{}", if normalised { "ue-scores" } else { "scores" }, data.name);
    let title = format!("{} of every method on {}", names.join(" and "), data.name);
    let mut table = family.table(first + u32::from(dataset > 0), &what, &title);
    table.label_columns = 2;
    table.columns = vec!["queries".to_owned(), "method".to_owned()];
    for &version in versions {
        let prefix = if normalised { family.versions[version].version.word() } else { "" };
        table.columns.extend(family.cutoff_heads().iter().map(|head| format!("{prefix} {head}").trim().to_owned()));
        table.columns.push(format!("{prefix} mean").trim().to_owned());
    }
    let notes = Notes::new(analysis, &[dataset], &QuerySet::MAIN);
    for set in QuerySet::MAIN {
        // A line of the notes says why the data set lacks a set.
        let Ok(values) = analysis.set(dataset, set) else { continue };
        for (ranker, label) in data.rankers.iter().enumerate() {
            let mut row = vec![Cell::text(set.name()), Cell::Text(label.clone())];
            for &version in versions {
                row.extend(match data.failed[ranker] {
                    true => vec![Cell::missing("FAILED"); family.cutoffs.len() + 1],
                    false => cells(values, version, ranker),
                });
            }
            table.rows.push(row);
        }
    }
    table.notes = notes.into_lines();
    table
}

/// A method's mean at each cutoff, then the mean over the cutoffs.
fn cells(values: &SetValues, version: usize, ranker: usize) -> Vec<Cell> {
    let number = |value: f64| {
        if value.is_nan() { Cell::missing("undefined") } else { Cell::number(value, DIGITS) }
    };
    let means: &[Mean] = &values.means[version][ranker];
    let all = values.score(version, ranker).unwrap_or(f64::NAN);
    means.iter().map(|mean| number(mean.value)).chain([number(all)]).collect()
}

//! The common shape of the tables of statistics: a row for every data set and version, a column for
//! every query set.

use super::analysis::{Analysis, SetValues, live};
use super::notes::Notes;
use super::query_set::QuerySet;
use crate::table::{Cell, Table};

/// Fills a table. The rows are data set x version; the columns are all, uninformative and ideal
/// queries, if any data set has such a set. `cell` gets the data set, the query set with its values,
/// and the version.
pub(super) fn fill(
    analysis: &Analysis<'_>,
    mut table: Table,
    versions: &[usize],
    settings: String,
    mut cell: impl FnMut(Place<'_>, &mut Notes) -> Result<Cell, String>,
) -> Table {
    let sets = analysis.main_sets(1);
    table.columns =
        ["data set", "measure"].into_iter().chain(sets.iter().map(|set| set.name())).map(str::to_owned).collect();
    table.label_columns = 2;
    let datasets: Vec<usize> = analysis.datasets().map(|(dataset, _)| dataset).collect();
    let mut notes = Notes::new(analysis, &datasets, &QuerySet::MAIN);
    notes.add(settings);
    for (dataset, data) in analysis.datasets() {
        for &version in versions {
            let name = &analysis.family.versions[version].name;
            let mut row = vec![Cell::Text(data.name.clone()), Cell::Text(name.clone())];
            for &set in &sets {
                let text = format!("{}, {}, {name}", data.name, set.name());
                // A line of the notes says why a data set lacks a set.
                row.push(analysis.set(dataset, set).map_or_else(
                    |_| Cell::na(),
                    |values| {
                        let value = cell(Place { dataset, set, version, values, text: &text }, &mut notes);
                        notes.cell(&text, value)
                    },
                ));
            }
            table.rows.push(row);
        }
    }
    table.notes = notes.into_lines();
    table
}

/// The subject of a cell of [`fill`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'v> {
    pub dataset: usize,
    pub set: QuerySet,
    pub version: usize,
    pub values: &'v SetValues,
    /// Data set, query set and version in words, for notes.
    pub text: &'v str,
}

impl Place<'_> {
    /// The score of every method that did not fail.
    pub fn scores(&self, analysis: &Analysis<'_>, version: usize) -> Result<Vec<f64>, String> {
        let rankers: Vec<usize> = live(&analysis.evaluation.datasets[self.dataset]).collect();
        self.values.scores(version, &rankers)
    }
}

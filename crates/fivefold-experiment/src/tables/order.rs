//! Tables of statistics with a row for every data set and version and a column for every query set, and the two of them
//! that rest on one score a method: Kendall's tau (Tables 7 and 19) and PAD (Tables 10 and 22).

use fivefold_stats::{PadDenominator, kendall_tau_b, pad as percentage_absolute_difference};

use super::analysis::{Analysis, SetValues, live};
use super::notes::Notes;
use super::query_set::QuerySet;
use crate::table::{Cell, Table};

/// Fills a table: rows data set x version, columns all, uninformative and ideal queries. `cell` is given the data set, the
/// query set with its values, and the version.
pub(super) fn fill(
    analysis: &Analysis<'_>,
    mut table: Table,
    versions: &[usize],
    settings: String,
    mut cell: impl FnMut(Place<'_>, &mut Notes) -> Result<Cell, String>,
) -> Table {
    table.columns =
        ["data set", "measure"].into_iter().chain(QuerySet::MAIN.map(QuerySet::name)).map(str::to_owned).collect();
    table.label_columns = 2;
    let datasets: Vec<usize> = analysis.datasets().map(|(dataset, _)| dataset).collect();
    let mut notes = Notes::new(analysis, &datasets, &QuerySet::MAIN);
    notes.add(settings);
    for (dataset, data) in analysis.datasets() {
        for &version in versions {
            let name = &analysis.family.versions[version].name;
            let mut row = vec![Cell::Text(data.name.clone()), Cell::Text(name.clone())];
            for set in QuerySet::MAIN {
                let text = format!("{}, {}, {name}", data.name, set.name());
                let value = analysis
                    .set(dataset, set)
                    .and_then(|values| cell(Place { dataset, set, version, values, text: &text }, &mut notes));
                row.push(notes.cell(&text, value));
            }
            table.rows.push(row);
        }
    }
    table.notes = notes.into_lines();
    table
}

/// What a cell of [`fill`] is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'v> {
    pub dataset: usize,
    pub set: QuerySet,
    pub version: usize,
    pub values: &'v SetValues,
    /// The same in words, for notes.
    pub text: &'v str,
}

impl Place<'_> {
    /// One score of every method that did not fail.
    fn scores(&self, analysis: &Analysis<'_>, version: usize) -> Result<Vec<f64>, String> {
        let rankers: Vec<usize> = live(&analysis.evaluation.datasets[self.dataset]).collect();
        self.values.scores(version, &rankers)
    }
}

/// Kendall's tau-b between the order of the methods under each UE version and under the original; no table for a family
/// without both.
pub(super) fn kendall(analysis: &Analysis<'_>) -> Option<Table> {
    let (original, versions) = analysis.family.against_original()?;
    let name = &analysis.family.versions[original].name;
    let title =
        format!("Kendall's tau of the methods' order under {} against {name}", analysis.family.normalised_names());
    let table = analysis.family.table(4, "kendall-tau", &title);
    let settings = "tau-b between the methods' means over queries and cutoffs; equal means are ties".to_owned();
    Some(fill(analysis, table, &versions, settings, |place, _| {
        let first = place.scores(analysis, original)?;
        let second = place.scores(analysis, place.version)?;
        match kendall_tau_b(&first, &second).map_err(|error| error.to_string())? {
            Some(value) => Ok(Cell::Number { value, digits: 3 }),
            None => Err("all methods tie".to_owned()),
        }
    }))
}

/// Percentage absolute difference between the methods, for every version.
pub(super) fn pad(analysis: &Analysis<'_>) -> Table {
    let family = analysis.family;
    let title = format!("Percentage absolute difference between the methods under {}", family.version_names());
    let table = family.table(7, "pad", &title);
    let divisor = match analysis.options.pad {
        PadDenominator::Signed => "max(a, b)",
        PadDenominator::Abs => "max(|a|, |b|)",
    };
    let settings =
        format!("mean over the pairs of methods of 100 |a - b| / {divisor}, of means over queries and cutoffs");
    let versions: Vec<usize> = (0..family.versions.len()).collect();
    fill(analysis, table, &versions, settings, |place, notes| {
        let scores = place.scores(analysis, place.version)?;
        let pad = percentage_absolute_difference(&scores, analysis.options.pad).map_err(|error| error.to_string())?;
        if pad.undefined > 0 {
            notes.add(format!("{}: {} pairs left out, their {divisor} is 0", place.text, pad.undefined));
        }
        if analysis.options.pad == PadDenominator::Signed && scores.iter().any(|&score| score < 0.0) {
            notes.add(format!("{}: some scores are negative, and so is max(a, b) of two such scores", place.text));
        }
        match pad.percent {
            Some(value) => Ok(Cell::Number { value, digits: 2 }),
            None => Err(format!("{divisor} of every pair is 0")),
        }
    })
}

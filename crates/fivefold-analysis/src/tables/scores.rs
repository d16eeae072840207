//! Score tables: the mean of a measure for every method, cutoff and query set (Tables 3 to 6 and 15
//! to 18).

use fivefold_base::rounding::highest;
use fivefold_metrics::{Mean, Version};

use super::analysis::{Analysis, SetValues};
use super::comparison::MethodComparison;
use super::notes::Notes;
use super::query_set::QuerySet;
use crate::table::{Cell, Mark, Table, TableMarks};

/// Decimals of a score.
const DIGITS: u8 = 4;

/// For each data set, a table for the original measure and a table for its UE versions.
/// `comparisons` are those of the family by a `test` in words.
pub(super) fn tables(analysis: &Analysis<'_>, comparisons: &[MethodComparison], test: &str) -> Vec<Table> {
    let versions = &analysis.family.versions;
    let (original, normalised): (Vec<usize>, Vec<usize>) =
        (0..versions.len()).partition(|&version| versions[version].version == Version::Original);
    let mut tables = Vec::new();
    for (first, versions) in [(0, original), (2, normalised)] {
        if !versions.is_empty() {
            let made = |(dataset, _)| table(analysis, (comparisons, test), dataset, &versions, first);
            tables.extend(analysis.datasets().map(made));
        }
    }
    tables
}

fn table(
    analysis: &Analysis<'_>,
    (comparisons, test): (&[MethodComparison], &str),
    dataset: usize,
    versions: &[usize],
    first: u32,
) -> Table {
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
    let of_version = |version: &usize| {
        let name = &family.versions[*version].name;
        comparisons.iter().find(|own| own.dataset == dataset && own.compared.measure == *name)
    };
    let compared: Vec<Option<&MethodComparison>> = versions.iter().map(of_version).collect();
    let cells = marks(&table, data.rankers.len(), family.cutoffs.len(), &compared, analysis.options.alpha);
    let meaning = "bold: the best of the column in its query set; =: on all queries not told apart from the best";
    table.with_marks(TableMarks { meaning: format!("{meaning} ({test})"), cells })
}

/// The best mean of each column in each query set. On all queries, the first set of rows, also the
/// means at a cutoff that the test behind letters does not tell apart from the best.
fn marks(
    table: &Table,
    methods: usize,
    cutoffs: usize,
    compared: &[Option<&MethodComparison>],
    alpha: f64,
) -> Vec<(usize, usize, Mark)> {
    let mut marks = Vec::new();
    for (column, (set, rows)) in (2..table.columns.len())
        .flat_map(|column| table.rows.chunks(methods.max(1)).enumerate().map(move |r| (column, r)))
    {
        let numbers: Vec<Option<f64>> = rows.iter().map(|row| number(&row[column])).collect();
        for best in highest_of(&numbers) {
            marks.push((set * methods + best, column, Mark::Best));
        }
        let (version, cutoff) = ((column - 2) / (cutoffs + 1), (column - 2) % (cutoffs + 1));
        if let Some(own) = compared[version].filter(|_| set == 0 && cutoff < cutoffs) {
            let found = own.compared.systems.iter().zip(own.compared.marks(cutoff, alpha));
            let alike = found.filter(|(_, mark)| *mark == Some(Mark::NotToldApart));
            marks.extend(alike.map(|(&system, _)| (system, column, Mark::NotToldApart)));
        }
    }
    marks
}

fn number(cell: &Cell) -> Option<f64> {
    match cell {
        Cell::Number { value, .. } => Some(*value),
        _ => None,
    }
}

/// The places of the highest of some numbers.
fn highest_of(numbers: &[Option<f64>]) -> Vec<usize> {
    let (places, present): (Vec<usize>, Vec<f64>) =
        numbers.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))).unzip();
    highest(&present).into_iter().map(|own| places[own]).collect()
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

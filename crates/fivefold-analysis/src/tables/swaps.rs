//! Swap rates between two orders of the methods. The orders come from two data sets (Tables 11 and
//! 23), or from two query sets of one data set (Tables 12 to 14 and 24 to 26).

use fivefold_base::words::{counted, which};
use fivefold_stats::swap_rate;

use super::analysis::{Analysis, SetValues, live};
use super::notes::Notes;
use super::query_set::QuerySet;
use crate::table::{Cell, Table};

/// All swap tables of a family.
pub(super) fn tables(analysis: &Analysis<'_>) -> Vec<Table> {
    let options = analysis.options;
    let mut tables = vec![across(analysis), within(analysis, 9, [QuerySet::Uninformative, QuerySet::Ideal])];
    if options.broad_focused {
        tables.push(within(analysis, 10, [QuerySet::Broad, QuerySet::Focused]));
    }
    if options.halves {
        tables.push(within(analysis, 11, [QuerySet::Left, QuerySet::Right]));
    }
    tables
}

const SETTINGS: &str =
    "share of the pairs of methods whose order by mean over queries and cutoffs is reversed; a tie is no reversal";

/// Swap rate between two query sets of the same data set. The rows are versions, the columns are
/// the data sets with both sets. Without such a data set, the table has no rows.
fn within(analysis: &Analysis<'_>, offset: u32, [first, second]: [QuerySet; 2]) -> Table {
    let family = analysis.family;
    let (a, b) = (first.name(), second.name());
    let title = format!("Swap rate between {a} and {b}, {}", family.version_names());
    let mut table = family.table(offset, &format!("swap-{a}-{b}"), &title);
    table.label_columns = 1;
    table.columns = vec!["measure".to_owned()];
    let datasets: Vec<usize> = analysis.datasets().map(|(dataset, _)| dataset).collect();
    let mut notes = Notes::new(analysis, &datasets, &[first, second]);
    notes.add(SETTINGS.to_owned());
    let both: Vec<_> =
        analysis.datasets().filter(|(dataset, _)| analysis.lacks(*dataset, &[first, second]).is_empty()).collect();
    if both.is_empty() {
        return table;
    }
    table.columns.extend(both.iter().map(|(_, data)| data.name.clone()));
    for (version, columns) in family.versions.iter().enumerate() {
        let mut row = vec![Cell::Text(columns.name.clone())];
        for &(dataset, data) in &both {
            let rankers: Vec<usize> = live(data).collect();
            let value = analysis.set(dataset, first).and_then(|first| {
                let second = analysis.set(dataset, second)?;
                let shared = first.selection.shared(&second.selection);
                if shared > 0 {
                    let are = which(shared, "is", "are");
                    let shared = counted(shared, "query");
                    notes.add(format!("{}: {shared} {are} in both sets, which keeps the rate low", data.name));
                }
                swap(first.scores(version, &rankers)?, second.scores(version, &rankers)?)
            });
            row.push(notes.cell(&data.name, value));
        }
        table.rows.push(row);
    }
    table.notes = notes.into_lines();
    table
}

/// Swap rate between two data sets. The rows are pairs of data sets and versions, the columns are
/// query sets.
fn across(analysis: &Analysis<'_>) -> Table {
    let family = analysis.family;
    let title = format!("Swap rate between data sets, {}", family.version_names());
    let mut table = family.table(8, "swap-data-sets", &title);
    let datasets: Vec<usize> = analysis.datasets().map(|(dataset, _)| dataset).collect();
    let sets = analysis.main_sets(datasets.len().min(2));
    table.columns =
        ["data sets", "measure"].into_iter().chain(sets.iter().map(|set| set.name())).map(str::to_owned).collect();
    table.label_columns = 2;
    let mut notes = Notes::new(analysis, &datasets, &QuerySet::MAIN);
    notes.add(SETTINGS.to_owned());
    notes.add("methods are matched by label; a query set has the size of the smaller of the two".to_owned());
    if let [only] = datasets[..] {
        let name = &analysis.evaluation.datasets[only].name;
        for version in &family.versions {
            let mut row = vec![Cell::Text(name.clone()), Cell::Text(version.name.clone())];
            let missing = notes.cell(name, Err("there is no second data set".to_owned()));
            row.extend(vec![missing; sets.len()]);
            table.rows.push(row);
        }
    }
    for (i, &first) in datasets.iter().enumerate() {
        for &second in &datasets[i + 1..] {
            pair_rows(analysis, [first, second], &sets, &mut table.rows, &mut notes);
        }
    }
    table.notes = notes.into_lines();
    table
}

fn pair_rows(
    analysis: &Analysis<'_>,
    pair: [usize; 2],
    sets: &[QuerySet],
    rows: &mut Vec<Vec<Cell>>,
    notes: &mut Notes,
) {
    let [a, b] = pair.map(|dataset| &analysis.evaluation.datasets[dataset]);
    let name = format!("{} vs {}", a.name, b.name);
    let of_b = |label: &String| live(b).find(|&ranker| b.rankers[ranker] == *label);
    let (of_a, of_b): (Vec<usize>, Vec<usize>) =
        live(a).filter_map(|ranker| Some((ranker, of_b(&a.rankers[ranker])?))).unzip();
    let both: Vec<Result<_, String>> = sets.iter().map(|&set| same_size(analysis, pair, set, &name, notes)).collect();
    for (version, columns) in analysis.family.versions.iter().enumerate() {
        let mut row = vec![Cell::Text(name.clone()), Cell::Text(columns.name.clone())];
        for (set, values) in sets.iter().zip(&both) {
            // A line of the notes says why a data set lacks a set.
            row.push(values.as_ref().map_or_else(
                |_| Cell::na(),
                |[first, second]| {
                    let scores = first.scores(version, &of_a);
                    let value = scores.and_then(|scores| swap(scores, second.scores(version, &of_b)?));
                    notes.cell(&format!("{name}, {}", set.name()), value)
                },
            ));
        }
        rows.push(row);
    }
}

/// A query set of two data sets. If the set has a size, both query sets take the smaller of the two
/// sizes.
fn same_size(
    analysis: &Analysis<'_>,
    pair: [usize; 2],
    set: QuerySet,
    name: &str,
    notes: &mut Notes,
) -> Result<[SetValues; 2], String> {
    let [a, b] = [analysis.set(pair[0], set)?, analysis.set(pair[1], set)?];
    let sizes = [a.selection.queries.len(), b.selection.queries.len()];
    let size = sizes[0].min(sizes[1]);
    let sized = matches!(set, QuerySet::Uninformative | QuerySet::Ideal);
    if sized && sizes[0] != sizes[1] {
        notes.add(format!("{name}, {}: {} of each", set.name(), counted(size, "query")));
    }
    let cut = |index: usize, values: &SetValues| {
        if sized && sizes[index] > size { analysis.compute(pair[index], set, Some(size)) } else { Ok(values.clone()) }
    };
    Ok([cut(0, a)?, cut(1, b)?])
}

fn swap(first: Vec<f64>, second: Vec<f64>) -> Result<Cell, String> {
    let rate = swap_rate(&first, &second).map_err(|error| error.to_string())?;
    let value = rate.ok_or_else(|| "there is no pair of methods".to_owned())?;
    Ok(Cell::number(value, 3))
}

//! The values of `eval` as a table and as JSON.

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::counted;
use fivefold_data::per_query::LEFT_OUT;
use fivefold_metrics::{Conventions, Dialect, Mean, settle};
use serde::Serialize;

use super::systems::Evaluated;

/// The rows that are printed besides the means over all queries, and the form of the values.
pub(super) struct Shown {
    pub(super) per_query: bool,
    pub(super) per_fold: bool,
    pub(super) digits: u8,
    /// Whether an undefined value of a query is shown as the number that it counts as in the mean.
    /// The last column then says that the value is undefined.
    pub(super) settled: bool,
}

/// The table of values. Each measure has a row for all queries and, if asked for, for each query
/// and each fold. Each system has a column. The last column counts the queries with an undefined
/// value.
pub(super) fn table(evaluated: &Evaluated, dialect: &Dialect, shown: &Shown) -> Table {
    let number = |value: f64| match value.is_nan() {
        false => Cell::number(value, shown.digits),
        true => Cell::missing("undefined"),
    };
    let systems = 0..evaluated.systems.len();
    let by_fold = shown.per_fold || (shown.per_query && evaluated.folds().len() > 1);
    let labels = |measure: usize, fold: Option<usize>, query: Option<&str>| {
        let mut cells = vec![Cell::text(&evaluated.columns.names[measure])];
        cells.extend(by_fold.then(|| fold.map_or_else(|| Cell::text("all"), |number| Cell::text(number.to_string()))));
        cells.extend(shown.per_query.then(|| Cell::text(query.unwrap_or("all"))));
        cells
    };
    let mean_row = |measure: usize, fold: Option<usize>| {
        let means: Vec<Mean> = systems.clone().map(|s| evaluated.mean(s, measure, fold)).collect();
        let mut row = labels(measure, fold, None);
        row.extend(means.iter().map(|mean| number(mean.value)));
        row.extend([count(&means, |mean| mean.queries), count(&means, |mean| mean.undefined)]);
        row
    };
    let mut rows = Vec::new();
    if shown.per_query {
        for (index, query) in evaluated.queries.iter().enumerate() {
            for measure in 0..evaluated.columns.names.len() {
                let mut row = labels(measure, query.fold, Some(&query.id));
                let value = |system| match evaluated.leaves_out(system, index) {
                    true => None,
                    false => Some(evaluated.value(system, index, measure)),
                };
                let policy = evaluated.columns.conventions.undefined;
                let counted = |value: &Option<f64>| value.and_then(|value| settle(value, policy));
                let cell = |value: &Option<f64>| match value {
                    Some(value) if !shown.settled => number(*value),
                    value => counted(value).map_or_else(|| Cell::missing(LEFT_OUT), number),
                };
                let values: Vec<Option<f64>> = systems.clone().map(value).collect();
                row.extend(values.iter().map(cell));
                row.push(count(&values, |value| usize::from(counted(value).is_some())));
                row.push(count(&values, |value| usize::from(value.is_some_and(f64::is_nan))));
                rows.push(row);
            }
        }
    }
    if shown.per_fold {
        for fold in evaluated.folds().into_iter().filter(Option::is_some) {
            rows.extend((0..evaluated.columns.names.len()).map(|measure| mean_row(measure, fold)));
        }
    }
    rows.extend((0..evaluated.columns.names.len()).map(|measure| mean_row(measure, None)));
    let mut columns = vec!["measure".to_owned()];
    columns.extend(by_fold.then(|| "fold".to_owned()));
    columns.extend(shown.per_query.then(|| "query".to_owned()));
    let label_columns = columns.len();
    columns.extend(evaluated.systems.iter().cloned());
    columns.extend(["queries".to_owned(), "undefined".to_owned()]);
    Table::new("eval", title(evaluated), columns, label_columns).with_rows(rows).with_notes(notes(evaluated, dialect))
}

fn documents(evaluated: &Evaluated) -> usize {
    evaluated.queries.iter().map(|query| query.documents).sum()
}

fn title(evaluated: &Evaluated) -> String {
    let [query, document] = evaluated.words;
    format!("{}, {}", counted(evaluated.queries.len(), query), counted(documents(evaluated), document))
}

/// A count over the systems: one number, or the least and the most if the systems differ. Score
/// files never differ, because the grades of a query alone decide whether a value is undefined.
/// Runs can differ, because a run may lack topics, and a UE value depends on the retrieved
/// documents.
fn count<T>(systems: &[T], of: impl Fn(&T) -> usize) -> Cell {
    let counts: Vec<usize> = systems.iter().map(of).collect();
    match (counts.iter().min().copied(), counts.iter().max().copied()) {
        (Some(least), Some(most)) if least != most => Cell::text(format!("{least} to {most}")),
        (least, _) => Cell::count(least.unwrap_or(0)),
    }
}

fn notes(evaluated: &Evaluated, dialect: &Dialect) -> Vec<String> {
    let mut notes = vec![dialect.describe(&evaluated.columns.conventions)];
    notes.extend(evaluated.columns.notes.iter().cloned());
    notes.extend(evaluated.remarks.iter().cloned());
    notes
}

/// The JSON that `--json` prints. An undefined value is `null`, and so is the value of a query that
/// is left out.
#[derive(Serialize)]
pub(super) struct Output<'a> {
    dialect: &'a str,
    conventions: &'a Conventions,
    notes: Vec<String>,
    queries: usize,
    documents: usize,
    means: Vec<MeanOf<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<ValueOf<'a>>,
}

#[derive(Serialize)]
struct MeanOf<'a> {
    system: &'a str,
    measure: &'a str,
    /// The fold; `null` for the mean over all folds.
    fold: Option<usize>,
    mean: Option<f64>,
    queries: usize,
    undefined: usize,
    /// The highest standard error of a query's value, if some values of the measure are drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error: Option<f64>,
}

#[derive(Serialize)]
struct ValueOf<'a> {
    system: &'a str,
    measure: &'a str,
    fold: Option<usize>,
    query: &'a str,
    value: Option<f64>,
    /// Whether the means of the system leave the query out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    left_out: bool,
}

pub(super) fn json<'a>(evaluated: &'a Evaluated, dialect: &'a Dialect, shown: &Shown) -> Output<'a> {
    let defined = |value: f64| Some(value).filter(|value| !value.is_nan());
    let folds = if shown.per_fold { evaluated.folds() } else { Vec::new() };
    let folds: Vec<Option<usize>> = folds.into_iter().filter(Option::is_some).chain([None]).collect();
    let (mut means, mut values) = (Vec::new(), Vec::new());
    for (system, label) in evaluated.systems.iter().enumerate() {
        for (measure, name) in evaluated.columns.names.iter().enumerate() {
            let drawn = evaluated.columns.errors.iter().find(|errors| errors.measure == *name && errors.value > 0.0);
            let standard_error = drawn.map(|errors| errors.value);
            means.extend(folds.iter().map(|&fold| {
                let Mean { value, queries, undefined } = evaluated.mean(system, measure, fold);
                let mean = defined(value);
                MeanOf { system: label, measure: name, fold, mean, queries, undefined, standard_error }
            }));
            let queries = if shown.per_query { evaluated.queries.as_slice() } else { &[] };
            values.extend(queries.iter().enumerate().map(|(index, query)| {
                let left_out = evaluated.leaves_out(system, index);
                let value = defined(evaluated.value(system, index, measure)).filter(|_| !left_out);
                ValueOf { system: label, measure: name, fold: query.fold, query: &query.id, value, left_out }
            }));
        }
    }
    Output {
        dialect: dialect.name,
        conventions: &evaluated.columns.conventions,
        notes: notes(evaluated, dialect),
        queries: evaluated.queries.len(),
        documents: documents(evaluated),
        means,
        values,
    }
}

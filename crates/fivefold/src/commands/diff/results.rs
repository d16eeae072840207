//! Two results folders: settings that differ, then rankers and queries whose values do.

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_experiment::{Cell, Results, Table};
use fivefold_metrics::{Mean, mean_over_folds};
use serde_json::Value;

use super::{Args, Difference, number, table, text};
use crate::problem::{self, Problem};

/// Settings, means of values, and first queries.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    if args.scores.is_some() || args.run.is_some() || !args.data.is_empty() || args.qrels.qrels.is_some() {
        let what = "results folders hold their own values, so --data, --scores, --qrels and --run have no effect";
        return Err(Problem::new(what).into());
    }
    let load = |folder: &str| Results::load(Path::new(folder)).map_err(problem::report);
    let sides = [load(&args.one)?, load(&args.other)?];
    let mut settings = table("settings", "Settings that differ", &["setting", "A", "B"], 3);
    let flat = |results: &Results| -> miette::Result<BTreeMap<String, String>> {
        let mut all = BTreeMap::new();
        flatten("", &serde_json::to_value(&results.manifest.experiment).map_err(problem::report)?, &mut all);
        all.insert("program version".to_owned(), results.manifest.version.clone());
        Ok(all)
    };
    let [one, other] = [flat(&sides[0])?, flat(&sides[1])?];
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for name in names.into_iter().filter(|&name| one.get(name) != other.get(name)) {
        let side = |all: &BTreeMap<String, String>| text(all.get(name).map_or("(none)", String::as_str));
        settings.rows.push(vec![text(name), side(&one), side(&other)]);
    }
    let columns = [
        "data set",
        "ranker",
        "measure",
        "A",
        "B",
        "difference",
        "queries that differ",
        "undefined in A",
        "undefined in B",
    ];
    let mut means = table("means", "Values that differ", &columns, 3);
    let columns = ["data set", "ranker", "measure", "query", "A", "B"];
    let mut queries = table("queries", "The first queries that differ", &columns, 4);
    let values = [by_name(&sides[0]), by_name(&sides[1])];
    let mut compared = 0;
    let mut only = Vec::new();
    for (key, one) in &values[0] {
        let Some(other) = values[1].get(key) else {
            only.push(format!("only A has {}", key.join(", ")));
            continue;
        };
        compared += 1;
        let lacking = one.keys().filter(|query| !other.contains_key(*query)).count()
            + other.keys().filter(|query| !one.contains_key(*query)).count();
        if lacking > 0 {
            only.push(format!("{}: {lacking} queries stand on one side only", key.join(", ")));
        }
        let pairs: Vec<(&Query, f64, f64)> =
            one.iter().filter_map(|(query, &value)| Some((query, value, *other.get(query)?))).collect();
        let differing = pairs.iter().filter(|(_, a, b)| a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()));
        let differing: Vec<_> = differing.collect();
        let one = mean(&sides[0], pairs.iter().map(|&(query, value, _)| (query, value)));
        let other = mean(&sides[1], pairs.iter().map(|&(query, _, value)| (query, value)));
        let [a, b] = [one.value, other.value];
        // Conventions alone, of folds and undefined values, can make two means of the same values differ.
        if differing.is_empty() && (a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())) {
            continue;
        }
        let count = |of: usize| Cell::Count(of as u64);
        let mut cells: Vec<Cell> = key.iter().map(text).collect();
        cells.extend([number(a), number(b), number(b - a), count(differing.len())]);
        cells.extend([count(one.undefined), count(other.undefined)]);
        means.rows.push(cells);
        for (query, a, b) in differing.into_iter().take(args.queries) {
            let mut cells: Vec<Cell> = key.iter().map(text).collect();
            cells.extend([text(&query.1), number(*a), number(*b)]);
            queries.rows.push(cells);
        }
    }
    only.extend(
        values[1]
            .keys()
            .filter(|key| !values[0].contains_key(*key))
            .map(|key| format!("only B has {}", key.join(", "))),
    );
    let [a, b] = sides.each_ref().map(policy);
    means.notes.push(format!("A: {}; B: {}; {compared} columns of values compared", args.one, args.other));
    means.notes.push(match a == b {
        true => format!("{a}; means are over the queries that both sides have"),
        false => format!("A: {a}; B: {b}; means are over the queries that both sides have"),
    });
    means.notes.extend(only.iter().cloned());
    let differs = !means.rows.is_empty() || !only.is_empty() || !settings.rows.is_empty();
    let tables: Vec<Table> = [settings, means, queries].into_iter().collect();
    Ok(Difference { tables, differs })
}

/// The mean of values by query, in the order of folds, by the conventions of their results folder.
fn mean<'a>(results: &Results, values: impl Iterator<Item = (&'a Query, f64)>) -> Mean {
    let values: Vec<(&Query, f64)> = values.collect();
    let folds = values.chunk_by(|(one, _), (other, _)| one.0 == other.0);
    let folds: Vec<Vec<f64>> = folds.map(|fold| fold.iter().map(|&(_, value)| value).collect()).collect();
    let folds: Vec<&[f64]> = folds.iter().map(Vec::as_slice).collect();
    let conventions = &results.manifest.experiment.evaluation.conventions;
    mean_over_folds(&folds, conventions.fold_mean, conventions.undefined)
}

/// What undefined values count as, and what means are over.
fn policy(results: &Results) -> String {
    let conventions = &results.manifest.experiment.evaluation.conventions;
    format!("undefined values: {}; mean over: {}", conventions.undefined, conventions.fold_mean)
}

/// Fold and id of a query.
type Query = (usize, String);

/// Values by data set, ranker and measure, then by query.
fn by_name(results: &Results) -> BTreeMap<[String; 3], BTreeMap<Query, f64>> {
    let measures = &results.evaluation.measures;
    let mut found = BTreeMap::new();
    for dataset in &results.evaluation.datasets {
        for (ranker, name) in dataset.rankers.iter().enumerate().filter(|&(ranker, _)| !dataset.failed[ranker]) {
            for (column, measure) in measures.iter().enumerate() {
                let value = |(index, query): (usize, &fivefold_experiment::QueryInfo)| {
                    let value = dataset.all[(ranker * dataset.queries.len() + index) * measures.len() + column];
                    ((query.fold, query.id.clone()), value)
                };
                let values = dataset.queries.iter().enumerate().map(value).collect();
                found.insert([dataset.name.clone(), name.clone(), measure.clone()], values);
            }
        }
    }
    found
}

/// Every leaf of a JSON value under the path to it.
fn flatten(path: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| flatten(&below(name), value, into)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            (1..)
                .zip(items)
                .for_each(|(number, item): (usize, &Value)| flatten(&below(&number.to_string()), item, into));
        }
        leaf => {
            into.insert(path.to_owned(), leaf.to_string());
        }
    }
}

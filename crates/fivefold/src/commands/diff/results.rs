//! Two results folders: settings that differ, then rankers and queries whose values do.

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_experiment::{Cell, Results, Table};
use serde_json::Value;

use super::{Args, Difference, number, table, text};
use crate::problem::{self, Problem};

/// Settings, means of values, and first queries.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    if args.scores.is_some() || !args.data.is_empty() {
        return Err(Problem::new("results folders hold their own values, so --data and --scores have no effect").into());
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
    let columns = ["data set", "ranker", "measure", "A", "B", "difference", "queries that differ"];
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
        if differing.is_empty() {
            continue;
        }
        // Undefined values count 0 here on both sides, so that the difference is that of the queries shown.
        let mean = |value: fn(&(&Query, f64, f64)) -> f64| {
            let sum: f64 = pairs.iter().map(value).filter(|value| !value.is_nan()).sum();
            sum / pairs.len() as f64
        };
        let [a, b] = [mean(|pair| pair.1), mean(|pair| pair.2)];
        let mut cells: Vec<Cell> = key.iter().map(text).collect();
        cells.extend([number(a), number(b), number(b - a), Cell::Count(differing.len() as u64)]);
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
    means.notes.push(format!(
        "A: {}; B: {}; {compared} columns of values compared; undefined values count 0",
        args.one, args.other
    ));
    means.notes.extend(only.iter().cloned());
    let differs = !means.rows.is_empty() || !only.is_empty() || !settings.rows.is_empty();
    let tables: Vec<Table> = [settings, means, queries].into_iter().collect();
    Ok(Difference { tables, differs })
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

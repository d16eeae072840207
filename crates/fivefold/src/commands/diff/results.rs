//! Two results folders: settings that differ, then rankers and queries whose values do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fivefold_core::words::{counted, which};
use fivefold_experiment::{Cell, Results, Table};
use fivefold_metrics::{Mean, mean_over_folds};

use super::settings::differing;
use super::{Args, Difference, none_differs, number, table, text};
use crate::format::Format;
use crate::problem::{self, Problem};

/// What is compared.
const COLUMN: &str = "column of values";

/// Settings, means of values, and first queries.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    if args.scores.is_some() || args.run.is_some() || !args.data.is_empty() || args.qrels.qrels.is_some() {
        let what = "results folders hold their own values, so --data, --scores, --qrels and --run have no effect";
        return Err(Problem::new(what).into());
    }
    let load = |folder: &str| Results::load(Path::new(folder)).map_err(problem::report);
    let sides = [load(&args.one)?, load(&args.other)?];
    let mut settings = table("settings", "Settings that differ", &["setting", "A", "B"], 3);
    let json = |results: &Results| serde_json::to_value(&results.manifest.experiment).map_err(problem::report);
    let mut differing = differing(&json(&sides[0])?, &json(&sides[1])?);
    let [one, other] = sides.each_ref().map(|side| side.manifest.version.clone());
    differing.extend((one != other).then(|| ["program version".to_owned(), one, other]));
    settings.rows.extend(differing.iter().map(|row| row.iter().map(text).collect()));
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
    let [mut compared, mut compared_values] = [0; 2];
    let only = OneSided::between(&values);
    // How many columns of a data set lack so many queries.
    let mut lacking_queries: BTreeMap<(&str, usize), usize> = BTreeMap::new();
    for (key, one) in &values[0] {
        let Some(other) = values[1].get(key) else { continue };
        compared += 1;
        let lacking = one.keys().filter(|query| !other.contains_key(*query)).count()
            + other.keys().filter(|query| !one.contains_key(*query)).count();
        if lacking > 0 {
            *lacking_queries.entry((&key[0], lacking)).or_default() += 1;
        }
        let pairs: Vec<(&Query, f64, f64)> =
            one.iter().filter_map(|(query, &value)| Some((query, value, *other.get(query)?))).collect();
        compared_values += pairs.len();
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
    let [a, b] = sides.each_ref().map(policy);
    if settings.rows.is_empty() {
        settings.notes.push("no setting differs".to_owned());
    }
    let compared = format!("{} in {}", counted(compared_values, "value"), counted(compared, COLUMN));
    means.notes.push(match means.rows.is_empty() {
        true => none_differs(&compared),
        false => format!("{compared} compared"),
    });
    means.notes.push(format!("A: {}; B: {}", args.one, args.other));
    means.notes.push(match a == b {
        true => format!("{a}; means are over the queries that both sides have"),
        false => format!("A: {a}; B: {b}; means are over the queries that both sides have"),
    });
    means.notes.extend(lacking_queries.iter().map(|((dataset, lacking), &columns)| {
        let stand = which(*lacking, "stands", "stand");
        format!("{dataset}: {} {stand} on one side only, in {}", counted(*lacking, "query"), counted(columns, COLUMN))
    }));
    means.notes.extend(only.notes());
    let differs =
        !means.rows.is_empty() || !only.keys.is_empty() || !lacking_queries.is_empty() || !settings.rows.is_empty();
    let mut tables = vec![settings, means, queries];
    // For the eye, notes say it.
    tables.extend(matches!(args.form(), Format::Json | Format::Csv).then(|| only.table()));
    let stamps = stamps(&sides);
    tables.iter_mut().for_each(|table| drop(table.notes.splice(0..0, stamps.iter().cloned())));
    Ok(Difference { tables, differs })
}

/// The leak guards that were overridden in a run, each with the side.
fn stamps(sides: &[Results; 2]) -> Vec<String> {
    let [a, b] = sides.each_ref().map(Results::stamps);
    let of_a = a.iter().map(|stamp| format!("{stamp} (in {})", if b.contains(stamp) { "A and B" } else { "A" }));
    let of_b = b.iter().filter(|stamp| !a.contains(stamp)).map(|stamp| format!("{stamp} (in B)"));
    of_a.chain(of_b).collect()
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

/// Data set, ranker and measure.
type Key = [String; 3];

/// Columns of values that the other side lacks, each with its side.
struct OneSided<'v> {
    keys: Vec<(&'static str, &'v Key)>,
    /// The data sets, rankers and measures of each side, by its name.
    names: [(&'static str, [BTreeSet<&'v str>; 3]); 2],
}

impl<'v> OneSided<'v> {
    fn between([a, b]: &'v [Values; 2]) -> Self {
        let only = |side, own: &'v Values, other: &'v Values| {
            own.keys().filter(|key| !other.contains_key(*key)).map(move |key| (side, key))
        };
        let names = |values: &'v Values| {
            [0, 1, 2].map(|part: usize| values.keys().map(|key| key[part].as_str()).collect::<BTreeSet<_>>())
        };
        OneSided { keys: only("A", a, b).chain(only("B", b, a)).collect(), names: [("A", names(a)), ("B", names(b))] }
    }

    /// What is one side's whole data sets, rankers or measures, in a line each; then how many other columns.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let [a, b] = &self.names;
        for ((side, own), (_, other)) in [(a, b), (b, a)] {
            let mut rest: Vec<&Key> = self.keys.iter().filter(|(of, _)| of == side).map(|&(_, key)| key).collect();
            for (part, what) in ["data set", "ranker", "measure"].into_iter().enumerate() {
                let names: Vec<&str> = own[part].difference(&other[part]).copied().collect();
                let before = rest.len();
                rest.retain(|key| !names.contains(&key[part].as_str()));
                if before > rest.len() {
                    let columns = counted(before - rest.len(), COLUMN);
                    let what = counted(names.len(), what);
                    notes.push(format!("only {side} has {what} ({columns}): {}", names.join(", ")));
                }
            }
            if let Some(first) = rest.first() {
                let columns = counted(rest.len(), "further column of values");
                notes.push(format!("only {side} has {columns}, the first of which is {}", first.join(", ")));
            }
        }
        if !self.keys.is_empty() {
            notes.push("--json and --format csv list all columns that one side lacks".to_owned());
        }
        notes
    }

    fn table(&self) -> Table {
        let mut all = table("one-side", "Values of one side only", &["side", "data set", "ranker", "measure"], 4);
        all.rows.extend(self.keys.iter().map(|(side, key)| {
            let mut cells = vec![text(*side)];
            cells.extend(key.iter().map(text));
            cells
        }));
        all
    }
}

/// Values by query, by data set, ranker and measure.
type Values = BTreeMap<Key, BTreeMap<Query, f64>>;

/// Values by data set, ranker and measure, then by query.
fn by_name(results: &Results) -> Values {
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

//! Compares two results folders: the settings and values that differ, the rules that cause the
//! differences, and the first queries that differ.

mod causes;
mod columns;
mod one_side;

use std::collections::BTreeMap;
use std::path::Path;

use fivefold_analysis::{Cell, Table};
use fivefold_base::words::{counted, which};
use fivefold_data::per_query::LEFT_OUT;
use fivefold_metrics::Undefined;
use fivefold_metrics::attribution::{Attribution, NOT_TOLD, RuleEffect};
use fivefold_results::Results;

use self::causes::Causes;
use self::columns::{Column, Common};
use self::one_side::OneSided;
use super::settings::differing;
use super::{Args, Difference, none_differs, number};
use crate::data_dir::folders;
use crate::format::Format;
use crate::problem;

/// The unit of comparison, in words.
const COLUMN: &str = "column of values";

/// Data set, ranker and measure.
type Key = [String; 3];

/// Makes the tables of settings, of means, of rules and of the first queries that differ.
pub(super) fn compare(args: &Args) -> miette::Result<Difference> {
    args.refuse("results folders hold their own values and conventions", &[&args.scoring(), &args.choices()])?;
    let load = |folder: &str| -> miette::Result<Results> {
        let mut results = Results::load(Path::new(folder)).map_err(problem::report)?;
        results.manifest.experiment = results.manifest.experiment.with_folders(folders(args.data_dir.as_deref()));
        Ok(results)
    };
    let sides = [load(&args.one)?, load(&args.other)?];
    let settings = settings(&sides)?;
    let only = OneSided::between(&sides);
    let mut found = Found::new();
    for common in Common::between(&sides) {
        let columns = common.columns(&sides);
        let causes = match args.without_data {
            true => Err("--without-data was given".to_owned()),
            false => causes::of([&args.one, &args.other].map(Path::new), &sides, &common, &columns),
        };
        let causes = causes.unwrap_or_else(|reason| {
            let known = causes::of_values(&sides, &common, &columns);
            found.rules.notes.extend(untold(common.name(), &columns, &known, &reason));
            known
        });
        found.add(args, &common, &columns, &causes);
    }
    let notes = notes(args, &sides, &found, &only);
    if !found.rules.rows.is_empty() {
        let shares = "of the difference: the rule's share, as a mean over the rankers whose values differ; shares of \
            a measure add up to the mean difference";
        found.rules.notes.insert(0, shares.to_owned());
    }
    let Found { mut means, rules, queries, lacking, .. } = found;
    means.notes = notes;
    let differs = [&settings, &means].iter().any(|table| !table.rows.is_empty()) || !only.keys.is_empty();
    let differs = differs || !lacking.is_empty();
    let mut tables = vec![settings, means, rules, queries];
    // The other forms say the same in notes.
    tables.extend(matches!(args.form(), Format::Json | Format::Csv).then(|| only.table()));
    let stamps = stamps(&sides);
    tables.iter_mut().for_each(|table| drop(table.notes.splice(0..0, stamps.iter().cloned())));
    Ok(Difference { tables, differs })
}

fn settings(sides: &[Results; 2]) -> miette::Result<Table> {
    let mut settings = Table::new("settings", "Settings that differ", ["setting", "A", "B"], 3);
    let json = |results: &Results| serde_json::to_value(&results.manifest.experiment).map_err(problem::report);
    let mut differing = differing(&json(&sides[0])?, &json(&sides[1])?);
    let [one, other] = sides.each_ref().map(|side| side.manifest.version.clone());
    differing.extend((one != other).then(|| ["program version".to_owned(), one, other]));
    settings.rows.extend(differing.iter().map(|row| row.iter().map(Cell::text).collect()));
    if settings.rows.is_empty() {
        settings.notes.push("no setting differs".to_owned());
    }
    Ok(settings)
}

/// The differences between the columns that both sides have.
struct Found {
    means: Table,
    rules: Table,
    queries: Table,
    /// The numbers of columns and of values that were compared.
    compared: [usize; 2],
    /// The number of values that differ by rounding alone, and the first of these values in words.
    rounded: (usize, Option<String>),
    /// How many values count only in the means of A, and how many only in the means of B.
    alone: [usize; 2],
    /// The number of columns, for each data set and number of queries that only one side has.
    lacking: BTreeMap<(String, usize), usize>,
}

impl Found {
    fn new() -> Self {
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
        let means = Table::new("means", "Values that differ", columns, 3);
        let columns = ["data set", "measure", "rule", "A", "B", "rankers", "values affected", "of the difference"];
        let rules = Table::new("rules", "The rules that cause the difference", columns, 5);
        let columns =
            ["data set", "query", "values that differ", "the most: ranker", "measure", "A", "B", "rules at work"];
        let queries = Table::new("queries", "The first queries that differ", columns, 2);
        Found { means, rules, queries, compared: [0; 2], rounded: (0, None), alone: [0; 2], lacking: BTreeMap::new() }
    }

    fn add(&mut self, args: &Args, common: &Common<'_>, columns: &[Column], causes: &Causes) {
        self.compared[0] += columns.len();
        self.compared[1] += columns.len() * common.len();
        if common.lacking > 0 {
            self.lacking.insert((common.name().to_owned(), common.lacking), columns.len());
        }
        for column in columns {
            self.rounded.0 += column.rounded.len();
            if let (None, Some(&query)) = (&self.rounded.1, column.rounded.first()) {
                let [dataset, ranker, measure] = &column.key;
                let [a, b] = column.values.each_ref().map(|values| values[query]);
                let id = &common.query(query).id;
                self.rounded.1 = Some(format!("{measure} of {ranker} on query {id} of {dataset}, {a} and {b}"));
            }
        }
        for (side, count) in self.alone.iter_mut().enumerate() {
            *count += columns.iter().map(|column| column.counted_alone(side)).sum::<usize>();
        }
        self.means.rows.extend(columns.iter().filter(|column| column.differs()).map(mean_row));
        self.rules.rows.extend(rule_rows(columns, causes));
        let mut differing: Vec<usize> = columns.iter().flat_map(|column| column.differing.iter().copied()).collect();
        differing.sort_unstable();
        let queries = differing.chunk_by(|one, other| one == other).take(args.queries);
        self.queries.rows.extend(queries.map(|same| query_row(common, columns, causes, same[0], same.len())));
    }
}

fn mean_row(column: &Column) -> Vec<Cell> {
    let count = Cell::count;
    let [a, b] = column.means;
    let mut cells: Vec<Cell> = column.key.iter().map(Cell::text).collect();
    cells.extend([a.value, b.value, b.value - a.value].map(number));
    cells.extend([column.differing.len(), a.undefined, b.undefined].map(count));
    cells
}

/// One row for each measure and each rule that alters a value, over all rankers.
fn rule_rows(columns: &[Column], causes: &Causes) -> Vec<Vec<Cell>> {
    let known = || columns.iter().zip(causes).filter_map(|(column, cause)| Some((column, cause.as_ref()?)));
    let mut measures: Vec<&str> = Vec::new();
    for (column, _) in known() {
        if !measures.contains(&column.key[2].as_str()) {
            measures.push(&column.key[2]);
        }
    }
    let mut rows = Vec::new();
    for measure in measures {
        let of_measure: Vec<(&Column, &Attribution)> = known().filter(|(column, _)| column.key[2] == measure).collect();
        let mut rules: Vec<(&str, &[String; 2])> = Vec::new();
        for rule in of_measure.iter().flat_map(|(_, cause)| &cause.rules) {
            if !rules.iter().any(|(name, _)| *name == rule.rule) {
                rules.push((rule.rule, &rule.choices));
            }
        }
        for (name, choices) in rules {
            let effect = |cause: &'_ Attribution| cause.rules.iter().position(|rule| rule.rule == name);
            let effects = of_measure.iter().filter_map(|(column, cause)| Some((*column, &cause.rules[effect(cause)?])));
            let effects: Vec<(&Column, &RuleEffect)> = effects.filter(|(_, rule)| rule.alters()).collect();
            if effects.is_empty() {
                continue;
            }
            let rankers = match effects.len() == of_measure.len() {
                true => format!("all {}", effects.len()),
                false => effects.iter().map(|(column, _)| column.key[1].as_str()).collect::<Vec<_>>().join(", "),
            };
            let affected = effects.iter().flat_map(|(_, rule)| &rule.affects).filter(|&&affected| affected).count();
            let share = effects.iter().map(|(_, rule)| rule.mean_difference).sum::<f64>() / of_measure.len() as f64;
            let mut cells = vec![Cell::text(&columns[0].key[0]), Cell::text(measure), Cell::text(name)];
            cells.extend(choices.iter().map(Cell::text));
            cells.extend([Cell::text(rankers), Cell::count(affected), number(share)]);
            rows.push(cells);
        }
    }
    rows
}

/// The row of a query, with those values of the two sides that are furthest apart.
fn query_row(common: &Common<'_>, columns: &[Column], causes: &Causes, query: usize, values: usize) -> Vec<Cell> {
    let mut cells = vec![Cell::text(common.name()), Cell::text(&common.query(query).id), Cell::count(values)];
    let mut most: Option<(usize, f64)> = None;
    for (place, column) in columns.iter().enumerate() {
        let distance = column.distance(query);
        if most.is_none_or(|(_, farthest)| distance > farthest) {
            most = Some((place, distance));
        }
    }
    if let Some((place, _)) = most {
        let column = &columns[place];
        cells.extend(column.key[1..].iter().map(Cell::text));
        cells.extend([0, 1].map(|side: usize| match (column.values[side][query], column.undefined[side]) {
            (value, _) if !value.is_nan() => number(value),
            (_, Some(counted)) => Cell::Missing(format!("undefined ({counted})")),
            (_, None) => Cell::missing(LEFT_OUT),
        }));
        let at_work = |cause: &Attribution| {
            let names = cause.rules.iter().filter(|rule| rule.affects[query]).map(|rule| rule.rule);
            names.collect::<Vec<_>>().join(", ")
        };
        cells.push(Cell::text(causes[place].as_ref().map_or_else(|| NOT_TOLD.to_owned(), at_work)));
    }
    cells
}

/// The notes below the table of values that differ.
fn notes(args: &Args, sides: &[Results; 2], found: &Found, only: &OneSided) -> Vec<String> {
    let [columns, values] = found.compared;
    let compared = format!("{} in {}", counted(values, "value"), counted(columns, COLUMN));
    let mut notes = vec![match found.means.rows.is_empty() {
        true => none_differs(&compared),
        false => format!("{compared} compared"),
    }];
    if let (count, Some(first)) = &found.rounded {
        let part = which(*count, "differs", "differ");
        notes.push(format!(
            "{} {part} by rounding alone, which counts as equal; the first: {first}",
            counted(*count, "value")
        ));
    }
    notes.push(format!("A: {}; B: {}", args.one, args.other));
    let [a, b] = sides.each_ref().map(policy);
    let policies = if a == b { a } else { format!("A: {a}; B: {b}") };
    let skips =
        sides.each_ref().map(|side| side.manifest.experiment.evaluation.conventions.undefined == Undefined::Skip);
    let left_out = match skips {
        [false, false] => "",
        [true, false] => "; A leaves out queries whose value is undefined in A",
        [false, true] => "; B leaves out queries whose value is undefined in B",
        [true, true] => "; each side leaves out queries whose value is undefined there",
    };
    notes.push(format!("{policies}; means are over the queries that both sides have{left_out}"));
    for (side, &count) in ["A", "B"].iter().zip(&found.alone).filter(|(_, count)| **count > 0) {
        let count_there = which(count, "counts", "count");
        notes.push(format!(
            "{} {count_there} in the means of {side} only, because the value is undefined on the other side, which \
                leaves it out",
            counted(count, "value")
        ));
    }
    notes.extend(found.lacking.iter().map(|((dataset, lacking), &columns)| {
        let stand = which(*lacking, "stands", "stand");
        format!("{dataset}: {} {stand} on one side only, in {}", counted(*lacking, "query"), counted(columns, COLUMN))
    }));
    notes.extend(only.notes());
    notes
}

/// The leak guards that were overridden in a run, each with its side.
fn stamps(sides: &[Results; 2]) -> Vec<String> {
    let [a, b] = sides.each_ref().map(Results::stamps);
    let of_a = a.iter().map(|stamp| format!("{stamp} (in {})", if b.contains(stamp) { "A and B" } else { "A" }));
    let of_b = b.iter().filter(|stamp| !a.contains(stamp)).map(|stamp| format!("{stamp} (in B)"));
    of_a.chain(of_b).collect()
}

/// The note for a data set whose rules cannot all be told; `None` if the values alone tell all
/// rules.
fn untold(dataset: &str, columns: &[Column], known: &Causes, reason: &str) -> Option<String> {
    let unknown = |(column, cause): (&Column, &Option<Attribution>)| match cause {
        None => column.differs(),
        Some(cause) => cause.rules.iter().any(|rule| rule.rule == NOT_TOLD),
    };
    if !columns.iter().zip(known).any(unknown) {
        return None;
    }
    Some(match known.iter().any(Option::is_some) {
        true => format!(
            "{dataset}: the effect of rules other than `undefined` and `fold_mean` is unknown ({reason}); \
                `{NOT_TOLD}` is the effect of all other rules together"
        ),
        false => format!("{dataset}: the rules that cause the difference are unknown ({reason})"),
    })
}

/// The conventions for undefined values and for means over folds, in words.
fn policy(results: &Results) -> String {
    let conventions = &results.manifest.experiment.evaluation.conventions;
    format!("undefined values: {}; mean over: {}", conventions.undefined, conventions.fold_mean)
}

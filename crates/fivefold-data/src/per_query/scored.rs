//! Per-item values of any metric, with the two numbers that UE normalisation needs.
//!
//! A row, or a line of JSON, is about one item and one system:
//!
//! ```text
//! item,system,score,expected,upper
//! doc1,M8,0.42,0.29,1
//! {"item": "doc1", "system": "M8", "score": 0.42, "expected": 0.29, "upper": 1}
//! ```
//! `score` is the value A, `expected` the value E of a random answer and `upper` the highest value U
//! that this item allows. With all three, the measure NAME comes with NAME.v1 and NAME.v2, computed
//! as for rankings: V1 = (A/U) (A/(A+E)); V2 = (A-E)/(U-E), or (A-E)/E below E. V1 and V2 are
//! undefined, and counted, if U and E are equal. `upper` may be left out if the reader says the
//! number that holds for all rows. Columns:
//!
//! | column | other names | if it is absent |
//! |---|---|---|
//! | `item` | those of [`ITEM`] | error |
//! | `system` | | the rows are about one system |
//! | `measure` | `metric` | the name that the user gave, else the file's name |
//! | `score` | | error |
//! | `expected`, `upper` | | no V1 and V2 |
//!
//! V1 and V2 have no meaning for negative numbers, nor for a score above U. Such rows are errors.

use std::collections::BTreeMap;

use fivefold_base::rounding::equal;
use fivefold_base::words::{counted, which};
// UE normalisation is one code for rankings and for values of a file.
use fivefold_base::ue::{differ, v1, v2};
use serde_json::{Map, Value};

use super::builder::{Builder, Wrong, parse as parse_value};
use super::error::PerQueryErrorKind;
use super::formats::{table, without_nan};
use super::remark::Remark;

/// Names of the column of items, in lower case.
pub(crate) const ITEM: [&str; 11] =
    ["item", "item_id", "query", "query_id", "qid", "topic", "topic_id", "document", "doc", "doc_id", "id"];
/// Names of the column of measures.
const MEASURE: [&str; 2] = ["measure", "metric"];
/// The columns of A, E and U.
const NUMBERS: [&str; 3] = ["score", "expected", "upper"];
/// The measure's name if neither the file nor the user gives one, and the file's name is the system.
const SCORE: &str = "score";

/// Whether the names of columns are those of this format: `score` with an item and `expected` or
/// `upper`; or nothing but columns of this format, `score` among them with `system` or `measure`.
pub(super) fn is_head(head: &[&str]) -> bool {
    let lower: Vec<String> = head.iter().map(|name| name.to_ascii_lowercase()).collect();
    let has = |names: &[&str]| lower.iter().any(|name| names.contains(&name.as_str()));
    let known = head.iter().all(|name| column(name).is_some());
    let only = known && (has(&["system"]) || has(&MEASURE));
    has(&["score"]) && has(&ITEM) && (has(&["expected", "upper"]) || only)
}

/// Whether the first line of a text is a line of JSON of this format. Other formats have objects in
/// their objects.
pub(super) fn is_line(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let object = serde_json::from_str::<Map<String, Value>>(&without_nan(first));
    object.is_ok_and(|object| object.get("score").is_some_and(|score| !score.is_object()))
}

/// A row with its numbers as they are written; `None` if there is no such column.
struct Row {
    line: u64,
    item: String,
    system: Option<String>,
    measure: Option<String>,
    numbers: [Option<String>; 3],
}

/// Parses a table or lines of JSON.
pub(super) fn parse(text: &str, builder: &mut Builder) -> Result<(), Wrong> {
    let rows = if text.trim_start().starts_with('{') { lines(text, builder)? } else { cells(text, builder)? };
    // Without a column of systems, the names of file and user are about the system.
    let one_system = rows.iter().all(|row| row.system.is_none());
    let (system, named) = (builder.system.clone(), builder.measure.clone());
    let unnamed = if one_system { SCORE.to_owned() } else { named };
    let mut of_measures: BTreeMap<String, Vec<Row>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for row in rows {
        let measure = row.measure.clone().unwrap_or_else(|| unnamed.clone());
        if !order.contains(&measure) {
            order.push(measure.clone());
        }
        of_measures.entry(measure).or_default().push(row);
    }
    for measure in order {
        let rows = of_measures.remove(&measure).unwrap_or_default();
        add(&measure, &system, &rows, builder);
    }
    Ok(())
}

/// Adds the values of a measure, and of V1 and V2 if the rows have E and U.
fn add(measure: &str, system: &str, rows: &[Row], builder: &mut Builder) {
    let has = |number: usize| rows.iter().any(|row| row.numbers[number].is_some());
    let lacking = if !has(1) { Some("expected") } else { (!has(2) && builder.upper.is_none()).then_some("upper") };
    if let Some(column) = lacking {
        let (measure, file) = (measure.to_owned(), builder.file.clone());
        builder.remarks.push(Remark::NoVersions { measure, file, column });
    }
    let names = [measure.to_owned(), version(measure, "v1"), version(measure, "v2")];
    let mut undefined = 0;
    for row in rows {
        let system = row.system.as_deref().unwrap_or(system);
        let Some([a, e, u]) = numbers(row, lacking.is_none(), builder) else { continue };
        builder.add_number(&names[0], system, &row.item, a, row.line);
        if lacking.is_some() {
            continue;
        }
        let values = if differ(u, e) {
            // Rounding may leave the best score above the bound. NaN stays NaN.
            let a = if a > u { u } else { a };
            [v1(a, u, e), v2(a, u, e)]
        } else {
            undefined += usize::from(!a.is_nan());
            [f64::NAN; 2]
        };
        for (name, value) in names[1..].iter().zip(values) {
            builder.add_number(name, system, &row.item, value, row.line);
        }
    }
    if undefined > 0 {
        let are = which(undefined, "is", "are");
        let scores = counted(undefined, "score");
        let what = format!(
            "V1 and V2 of {scores} of {measure} {are} undefined, because `upper` and `expected` are equal or \
             missing there"
        );
        builder.remarks.push(Remark::Other(what));
    }
}

/// A, E and U of a row. A fault of the row is kept, and the row is passed over.
fn numbers(row: &Row, with_versions: bool, builder: &mut Builder) -> Option<[f64; 3]> {
    let mut found = [f64::NAN; 3];
    for ((number, text), name) in found.iter_mut().zip(&row.numbers).zip(NUMBERS) {
        match (text.as_deref().map(parse_value), name) {
            (Some(Ok(value)), _) => *number = value,
            (Some(Err(wrong)), _) => {
                builder.fault(row.line, wrong);
                return None;
            }
            (None, "score") => {
                builder.fault(row.line, PerQueryErrorKind::Syntax("there is no `score`".to_owned()));
                return None;
            }
            (None, "upper") if builder.upper.is_some() => *number = builder.upper.unwrap_or(f64::NAN),
            (None, name) if with_versions => {
                let what = format!("there is no `{name}`, which other lines of the measure have");
                builder.fault(row.line, PerQueryErrorKind::Syntax(what));
                return None;
            }
            (None, _) => {}
        }
    }
    let [a, e, u] = found;
    let above = |one: f64, other: f64| one > other && !equal(one, other);
    let fault = if u < 0.0 {
        Some(format!("`upper` is {u}, below 0"))
    } else if above(a, u) {
        Some(format!("`score` is {a}, above `upper`, which is {u}"))
    } else if above(e, u) {
        Some(format!("`expected` is {e}, above `upper`, which is {u}"))
    } else if e < 0.0 {
        Some(format!("`expected` is {e}, below 0"))
    } else if with_versions && a < 0.0 {
        Some(format!("`score` is {a}, below 0, where V1 and V2 have no meaning"))
    } else {
        None
    };
    match fault {
        Some(fault) => {
            builder.fault(row.line, PerQueryErrorKind::Bound(fault));
            None
        }
        None => Some(found),
    }
}

/// The name of a version: `rouge1.v2`, `ndcg.v2@10`, `rougeL.v2(value=recall)`.
fn version(measure: &str, version: &str) -> String {
    let (name, rest) = measure.split_at(measure.find(['@', '(']).unwrap_or(measure.len()));
    format!("{name}.{version}{rest}")
}

/// The rows of a table.
fn cells(text: &str, builder: &mut Builder) -> Result<Vec<Row>, Wrong> {
    let ((head_line, head), rows) = table(text, csv::Trim::All, builder)?;
    let mut places: [Option<usize>; 6] = [None; 6];
    for (place, name) in head.iter().enumerate() {
        let Some(column) = column(name) else { return Err((head_line, unknown(name))) };
        if let Some(first) = places[column].replace(place) {
            let columns = [first + 1, place + 1];
            return Err((head_line, PerQueryErrorKind::ColumnTwice { name: name.clone(), columns }));
        }
    }
    let Some(item) = places[0] else { return Err((head_line, no_item())) };
    let cell = |row: &[String], column: usize| places[column].map(|place| row[place].clone());
    let row = |(line, row): &(u64, Vec<String>)| Row {
        line: *line,
        item: row[item].clone(),
        system: cell(row, 1),
        measure: cell(row, 2),
        numbers: [3, 4, 5].map(|column| cell(row, column)),
    };
    Ok(rows.iter().map(row).collect())
}

/// The rows of lines of JSON.
fn lines(text: &str, builder: &mut Builder) -> Result<Vec<Row>, Wrong> {
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let object: Map<String, Value> = serde_json::from_str(&without_nan(text))
            .map_err(|error| (line, PerQueryErrorKind::Syntax(format!("no object of JSON: {error}"))))?;
        let mut cells: [Option<String>; 6] = Default::default();
        for (name, value) in &object {
            let Some(column) = column(name) else { return Err((line, unknown(name))) };
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Null => String::new(),
                other => {
                    let found: String = other.to_string().chars().take(40).collect();
                    let what = format!("`{name}` is `{found}`, which is neither a text nor a number");
                    return Err((line, PerQueryErrorKind::Syntax(what)));
                }
            };
            if cells[column].replace(text).is_some() {
                let what = format!("`{name}` is a second name of a key that the line has already");
                return Err((line, PerQueryErrorKind::Syntax(what)));
            }
        }
        let [item, system, measure, score, expected, upper] = cells;
        let Some(item) = item else {
            builder.fault(line, no_item());
            continue;
        };
        rows.push(Row { line, item, system, measure, numbers: [score, expected, upper] });
    }
    Ok(rows)
}

/// The number of a column: item, system, measure, score, expected, upper.
fn column(name: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    match name.as_str() {
        "system" => Some(1),
        _ if is_in(&ITEM) => Some(0),
        _ if is_in(&MEASURE) => Some(2),
        _ => NUMBERS.iter().position(|number| *number == name).map(|place| place + 3),
    }
}

fn unknown(name: &str) -> PerQueryErrorKind {
    PerQueryErrorKind::Syntax(format!("`{name}` is none of the columns item, system, measure, {}", NUMBERS.join(", ")))
}

fn no_item() -> PerQueryErrorKind {
    PerQueryErrorKind::Syntax(format!("there is no column of items; it may be called {}", ITEM.join(", ")))
}

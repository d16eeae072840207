//! The formats of values per query: how to recognise and parse each format.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use fivefold_base::printable::formula;
use fivefold_base::words::counted;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::builder::{Builder, Wrong, is_summary, is_undefined};
use super::error::PerQueryErrorKind;
use super::feature_table::looks_like_features;
use super::remark::Remark;
use super::scored;
use crate::text::{find_odd, named};

/// A form in which programs write values per query.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The format's name on the command line.
    pub name: &'static str,
    /// The format in one line.
    pub summary: &'static str,
    pub(super) parse: fn(&str, &mut Builder) -> Result<(), Wrong>,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format {
        name: "trec_eval",
        summary: "trec_eval -q: `measure query value`; the row `runid` names the system, unless a name is given",
        parse: |text, builder| triples(text, builder, [0, 1]),
    },
    Format {
        name: "ir_measures",
        summary: "ir_measures -q: `query measure value`",
        parse: |text, builder| triples(text, builder, [1, 0]),
    },
    Format {
        name: "ranx",
        summary: "the scores of a ranx run as JSON: {measure: {query: value}}",
        parse: |text, builder| nested(text, builder, true),
    },
    Format {
        name: "pytrec_eval",
        summary: "the results of pytrec_eval as JSON: {query: {measure: value}}",
        parse: |text, builder| nested(text, builder, false),
    },
    Format { name: "fivefold", summary: "per_query.csv of a results folder", parse: our_values },
    Format { name: "eval", summary: "fivefold eval --per-query --format csv", parse: our_eval },
    Format {
        name: "study",
        summary: "standardised.csv and per_query.csv of studies: one row a query and system, one column a measure",
        parse: our_study,
    },
    Format {
        name: "scores",
        summary: "a row, or a line of JSON, for each item and system: item, system, score and, for V1 and V2, expected \
            and upper",
        parse: scored::parse,
    },
    Format {
        name: "csv",
        summary: "a row for each query, a column for each system, names in the first row; a first column `query` has \
            the ids",
        parse: matrix,
    },
];

/// The columns that `per_query.csv` starts with.
const OUR_HEAD: [&str; 5] = ["dataset", "fold", "query", "documents", "ranker"];
/// The columns that the values of a study start with.
const STUDY_HEAD: [&str; 2] = ["query", "system"];
/// The word for all queries and for all folds in the table of `fivefold eval`.
const ALL: &str = "all";
/// The columns that the table of `fivefold eval` ends with.
const EVAL_TAIL: [&str; 2] = ["queries", "undefined"];
/// The word of `fivefold eval` for a query that the means of a system leave out. The system has no
/// value for this query.
pub const LEFT_OUT: &str = "left out";
/// Names of a column of query ids.
const QUERY_COLUMNS: [&str; 13] = [
    "",
    "query",
    "query_id",
    "queryid",
    "qid",
    "q_id",
    "topic",
    "topic_id",
    "id",
    "q",
    "num",
    // pandas: a row's number
    "index",
    "unnamed: 0",
];
/// The least number of rows at which a column that counts the rows is taken for query ids without a
/// name.
const COUNTING_ROWS: usize = 3;
/// Beginnings of names of measures, in lower case and without signs.
const MEASURES: [&str; 35] = [
    "numret",
    "numrel",
    "numq",
    "map",
    "gmmap",
    "rprec",
    "bpref",
    "reciprank",
    "iprec",
    "p",
    "recall",
    "infap",
    "gmbpref",
    "utility",
    "11pt",
    "bing",
    "g",
    "ndcg",
    "rndcg",
    "relative",
    "relstring",
    "success",
    "set",
    "rbp",
    "err",
    "ap",
    "rr",
    "mrr",
    "dcg",
    "judged",
    "precision",
    "hit",
    "f1",
    "runid",
    "unj",
];

impl Format {
    /// The format with this name.
    pub(super) fn named(name: &str) -> Result<&'static Format, PerQueryErrorKind> {
        let found = FORMATS.iter().find(|format| format.name == name);
        found.ok_or_else(|| PerQueryErrorKind::UnknownFormat { name: name.to_owned(), known: names() })
    }
}

fn names() -> String {
    FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ")
}

/// What a line is, if it is no line of values but of a run or of qrels as TREC writes them.
fn ranking(row: &[&str]) -> Option<&'static str> {
    match row {
        [_, second, _, rank, score, _, ..] if *second == "Q0" && number(rank) && number(score) => Some("a TREC run"),
        [_, "0" | "Q0", _, grade] if grade.parse::<i64>().is_ok() => Some("TREC qrels"),
        _ => None,
    }
}

/// Recognises the format of a text.
pub(super) fn recognise(text: &str) -> Result<&'static Format, PerQueryErrorKind> {
    let unclear = |why: &str| PerQueryErrorKind::Unclear { why: why.to_owned(), known: names() };
    if text.trim_start().starts_with('{') {
        if scored::is_line(text) {
            return Format::named("scores");
        }
        let entries = json(text).map_err(|(_, kind)| kind)?.0;
        let outer = entries.iter().all(|(name, _)| is_measure(name));
        let inner = entries.iter().flat_map(|(_, inner)| &inner.0).all(|(name, _)| is_measure(name));
        return match (outer, inner) {
            (true, false) => Format::named("ranx"),
            (false, true) => Format::named("pytrec_eval"),
            _ => Err(unclear("which level of the JSON names measures and which queries")),
        };
    }
    let mut content = text.lines().filter(|line| !line.trim().is_empty() && !is_comment(line));
    let first = content.next().ok_or(PerQueryErrorKind::Empty)?;
    let separator = separator(first);
    let cells =
        |line| str::split(line, char::from(separator)).map(|cell| cell.trim().trim_matches('"')).collect::<Vec<&str>>();
    let head = cells(first);
    if head.starts_with(&OUR_HEAD) {
        return Format::named("fivefold");
    }
    if head.first() == Some(&"measure") && head.ends_with(&EVAL_TAIL) {
        return Format::named("eval");
    }
    if scored::is_head(&head) {
        return Format::named("scores");
    }
    if head.starts_with(&STUDY_HEAD) && separator == b',' {
        return Format::named("study");
    }
    let rows: Vec<Vec<&str>> =
        std::iter::once(first).chain(content).map(|line| line.split_ascii_whitespace().collect()).collect();
    // Lines or values with a fault must not hide the format of the others.
    let is_value = |row: &&Vec<&str>| row.len() == 3 && (row[0] == "runid" || value(row[2]) || is_string(row[2]));
    let values = rows.iter().skip(1).filter(is_value).count();
    let begins = rows[0].len() == 3 && (number(rows[0][2]) || rows[0][0] == "runid");
    if begins && !first.contains(',') && 2 * values >= rows.len() - 1 {
        let triples = || rows.iter().filter(|row| row.len() == 3);
        let column = |place: usize| triples().map(move |row| row[place]);
        let summary = |place: usize| column(place).any(is_summary);
        return match (summary(0), summary(1)) {
            (true, false) => Format::named("ir_measures"),
            (false, true) => Format::named("trec_eval"),
            _ => match (column(0).all(is_measure), column(1).all(is_measure)) {
                (true, false) => Format::named("trec_eval"),
                (false, true) => Format::named("ir_measures"),
                _ => Err(unclear("which of the first two columns names measures and which queries")),
            },
        };
    }
    if let Some(what) = ranking(&rows[0]) {
        return Err(PerQueryErrorKind::Ranking { what });
    }
    if head.len() > 1 && head.iter().any(|cell| !number(cell)) {
        let below = text.lines().skip_while(|line| *line != first).skip(1);
        return match looks_like_features(&head, below.map(cells)) {
            Some(why) => Err(PerQueryErrorKind::Features { why }),
            None => Format::named("csv"),
        };
    }
    Err(unclear(match begins {
        true => "the first line is `measure query value`, or `query measure value`, but most others are not",
        false => "the first line has neither names of columns nor `measure query value`",
    }))
}

/// Whether a line is a comment. A line with the value of a query whose id starts with `#` is no
/// comment.
fn is_comment(line: &str) -> bool {
    let value = || {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        fields.len() == 3 && number(fields[2])
    };
    line.starts_with('#') && !value()
}

/// Whether a text is a number or `nan`. Other words for an undefined value may also be names.
pub(super) fn number(text: &str) -> bool {
    fast_float2::parse::<f64, _>(text).is_ok()
}

/// Whether a text below the first line is a value.
fn value(text: &str) -> bool {
    number(text) || is_undefined(text)
}

/// Whether a value is a quoted text, such as trec_eval's `relstring`.
fn is_string(text: &str) -> bool {
    text.starts_with('\'')
}

/// Whether a name looks like the name of a measure: it begins like a measure. A beginning of one or
/// two letters must not be the start of a longer word.
fn is_measure(name: &str) -> bool {
    let word = name.split(['(', '@']).next().unwrap_or(name);
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let begins = |measure: &str| {
        let rest = plain.strip_prefix(measure)?;
        Some(measure.len() > 2 || !rest.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    MEASURES.iter().any(|measure| begins(measure) == Some(true))
}

/// Parses `measure query value` in either order. `order` gives the columns of the measure and of
/// the query.
fn triples(text: &str, builder: &mut Builder, order: [usize; 2]) -> Result<(), Wrong> {
    let mut rows = Vec::new();
    let mut strings = 0;
    for (line, text) in (1..).zip(text.lines()) {
        if let Some((place, character)) = find_odd(text.as_bytes()) {
            let what = format!("found the character {} in column {}", named(character), place + 1);
            builder.fault(line, PerQueryErrorKind::Odd(what));
            continue;
        }
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        match fields[..] {
            [] => {}
            ["runid", _, tag] if order == [0, 1] => builder.names_itself(tag),
            [_, _, value] if is_string(value) => strings += 1,
            [_, _, value] => rows.push((line, fields[order[0]], fields[order[1]], value)),
            _ => {
                let what = format!("found {} where there should be 3", counted(fields.len(), "field"));
                builder.fault(line, PerQueryErrorKind::Syntax(what));
            }
        }
    }
    if strings > 0 {
        builder.remarks.push(Remark::Texts(strings));
    }
    let system = builder.system.clone();
    rows.into_iter().for_each(|(line, measure, query, value)| builder.add(measure, &system, query, value, line));
    Ok(())
}

/// The entries of a JSON object, in the order of the file.
struct Entries<V>(Vec<(String, V)>);

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Entries<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Collect<V> {
            type Value = Entries<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of objects of numbers")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(Collect(PhantomData))
    }
}

/// Parses two levels of JSON objects. Each value in them is checked later.
fn json(text: &str) -> Result<Entries<Entries<Value>>, Wrong> {
    serde_json::from_str(&without_nan(text))
        .map_err(|error| (error.line() as u64, PerQueryErrorKind::Syntax(error.to_string())))
}

/// Replaces `NaN` by `null` and `Infinity` by a text. Python's `json` writes both words, but JSON
/// has neither.
pub(crate) fn without_nan(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            // A text ends at the next quote without a backslash before it.
            let mut escaped = false;
            let end = rest[1..].find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let (string, after) = rest.split_at(end.map_or(rest.len(), |end| end + 2));
            out.push_str(string);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("-NaN").or_else(|| rest.strip_prefix("NaN")) {
            out.push_str("null");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("Infinity") {
            // Include the sign, which already stands before it.
            let sign = if out.ends_with('-') { out.pop().map_or("", |_| "-") } else { "" };
            out.push_str(&format!("\"{sign}Infinity\""));
            rest = after;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// Parses `{outer: {inner: value}}`. Either level may name the measures.
fn nested(text: &str, builder: &mut Builder, measures_outside: bool) -> Result<(), Wrong> {
    let system = builder.system.clone();
    for (outer, entries) in json(text)?.0 {
        for (inner, value) in entries.0 {
            let (measure, query) = if measures_outside { (&outer, &inner) } else { (&inner, &outer) };
            match value {
                Value::Null => builder.add(measure, &system, query, "", 0),
                Value::Number(value) => builder.add(measure, &system, query, &value.to_string(), 0),
                other => {
                    let found: String = other.to_string().chars().take(40).collect();
                    let what = format!("{measure} of query `{query}` is `{found}`, which is not a number");
                    builder.fault(0, PerQueryErrorKind::Syntax(what));
                }
            }
        }
    }
    Ok(())
}

/// The separator of a table's cells, taken from its first line.
fn separator(first: &str) -> u8 {
    [b',', b'\t', b';'].into_iter().find(|&byte| first.as_bytes().contains(&byte)).unwrap_or(b',')
}

/// A line's number and its cells.
pub(super) type Record = (u64, Vec<String>);

/// The head of a table and its other records, each with its line. Above the head, lines that start
/// with `#` are comments. Below the head, such a line is a comment only if it does not have a cell
/// for each column, because a query id may start with `#`. Blanks in files of fivefold belong to
/// the cells, so these files are read with `Trim::None`.
pub(super) fn table(text: &str, trim: csv::Trim, builder: &mut Builder) -> Result<(Record, Vec<Record>), Wrong> {
    let is_above = |line: &&str| line.trim().is_empty() || line.starts_with('#');
    let above = text.lines().take_while(is_above).count();
    let body: &str = text.splitn(above + 1, '\n').nth(above).unwrap_or_default();
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator(body.lines().next().unwrap_or_default()))
        .trim(trim)
        .from_reader(body.as_bytes());
    let (mut head, mut rows, mut comments) = (None::<Record>, Vec::new(), 0);
    for record in reader.records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(0, csv::Position::line) + above as u64;
            (line, PerQueryErrorKind::Syntax(error.to_string()))
        })?;
        let (line, start) = start_of(body, record.position());
        let line = line + above as u64;
        let cells: Vec<String> = record.iter().map(str::to_owned).collect();
        // A record of several lines has a quote that does not end, and may hold rows.
        let one_line = !cells.iter().any(|cell| cell.contains('\n'));
        match &head {
            None => head = Some((line, cells)),
            Some((_, names)) if names.len() == cells.len() => rows.push((line, cells)),
            Some(_) if one_line && start.starts_with('#') => comments += 1,
            Some((_, names)) => {
                let what = format!("found {} below {}", counted(cells.len(), "cell"), counted(names.len(), "column"));
                builder.fault(line, PerQueryErrorKind::Syntax(what));
            }
        }
    }
    if comments > 0 {
        builder.remarks.push(Remark::Comments(comments));
    }
    Ok((head.ok_or((0, PerQueryErrorKind::Empty))?, rows))
}

/// The line of a record, and its text. The record's own position is before the blank lines above
/// it.
fn start_of<'b>(body: &'b str, position: Option<&csv::Position>) -> (u64, &'b str) {
    let Some(position) = position else { return (0, "") };
    let lines = body.get(position.byte() as usize..).unwrap_or_default().lines();
    let mut lines = (position.line()..).zip(lines);
    lines.find(|(_, line)| !line.trim().is_empty()).unwrap_or((position.line(), ""))
}

/// Refuses a name that heads two of the given columns.
fn once(line: u64, head: &[String], columns: Range<usize>) -> Result<(), Wrong> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    for second in columns {
        if let Some(first) = places.insert(&head[second], second) {
            let columns = [first + 1, second + 1];
            return Err((line, PerQueryErrorKind::ColumnTwice { name: head[second].clone(), columns }));
        }
    }
    Ok(())
}

/// Parses a table with one row a query and one column a system.
fn matrix(text: &str, builder: &mut Builder) -> Result<(), Wrong> {
    let ((head_line, head), rows) = table(text, csv::Trim::All, builder)?;
    let has_ids = head.first().is_some_and(|name| QUERY_COLUMNS.contains(&name.to_ascii_lowercase().as_str()));
    if !has_ids {
        if let Some(name) = head.first().filter(|_| counts_rows(&rows)) {
            return Err((head_line, PerQueryErrorKind::IdsUnnamed { column: name.clone() }));
        }
        let remark = "there is no column of query ids: queries are numbered by row, from 1".to_owned();
        builder.remarks.push(Remark::Other(remark));
    }
    once(head_line, &head, usize::from(has_ids)..head.len())?;
    let measure = builder.measure.clone();
    for (number, (line, row)) in (1..).zip(&rows) {
        let id = if has_ids { row[0].clone() } else { number.to_string() };
        for (system, value) in head.iter().zip(row).skip(usize::from(has_ids)) {
            builder.add(&measure, system, &id, value, *line);
        }
    }
    Ok(())
}

/// Whether the first column rises by 1 from row to row.
fn counts_rows(rows: &[Record]) -> bool {
    let number = |(_, row): &Record| row.first().and_then(|cell| cell.parse::<i64>().ok());
    let rises = |pair: &[Record]| matches!((number(&pair[0]), number(&pair[1])), (Some(a), Some(b)) if b - 1 == a);
    rows.len() >= COUNTING_ROWS && rows.windows(2).all(rises)
}

/// Parses `per_query.csv`. If there are several data sets, a query's id gets the data set's name
/// before it. Only values over all documents count.
fn our_values(text: &str, builder: &mut Builder) -> Result<(), Wrong> {
    let ((head_line, head), rows) = table(text, csv::Trim::None, builder)?;
    if !head.iter().map(String::as_str).take(OUR_HEAD.len()).eq(OUR_HEAD) {
        let what = format!("the first columns must be {}", OUR_HEAD.join(","));
        return Err((head_line, PerQueryErrorKind::Syntax(what)));
    }
    once(head_line, &head, OUR_HEAD.len()..head.len())?;
    let several = rows.iter().any(|(_, row)| row[0] != rows[0].1[0]);
    let mut halves = 0;
    for (line, row) in &rows {
        if row[3] != "all" {
            halves += 1;
            continue;
        }
        let id = if several { format!("{}/{}", row[0], row[2]) } else { row[2].clone() };
        for (measure, value) in head.iter().zip(row).skip(OUR_HEAD.len()) {
            builder.add_of_query(measure, &row[4], &id, value, *line);
        }
    }
    if halves > 0 {
        builder.remarks.push(Remark::Halves(halves));
    }
    Ok(())
}

/// Parses the values of a study, with one row a query and system. No row is a summary.
fn our_study(text: &str, builder: &mut Builder) -> Result<(), Wrong> {
    let ((head_line, head), rows) = table(text, csv::Trim::None, builder)?;
    if !head.iter().map(String::as_str).take(STUDY_HEAD.len()).eq(STUDY_HEAD) {
        let what = format!("the first columns must be {}", STUDY_HEAD.join(","));
        return Err((head_line, PerQueryErrorKind::Syntax(what)));
    }
    once(head_line, &head, STUDY_HEAD.len()..head.len())?;
    for (line, row) in &rows {
        for (measure, value) in head.iter().zip(row).skip(STUDY_HEAD.len()) {
            builder.add_of_query(measure, &row[1], &row[0], value, *line);
        }
    }
    Ok(())
}

/// Parses the table of `fivefold eval --per-query --format csv`. If there are several folds, a
/// query's id gets the fold's number before it. Means stand below the values, so a topic may have
/// the name `all` too.
fn our_eval(text: &str, builder: &mut Builder) -> Result<(), Wrong> {
    let ((head_line, head), rows) = table(text, csv::Trim::None, builder)?;
    let head: Vec<String> = head.iter().map(|name| formula(name).to_owned()).collect();
    let column = |name: &str| head.iter().position(|head| head == name);
    let Some(query) = column("query") else {
        let what = "there is no column `query`; print the table with --per-query".to_owned();
        return Err((head_line, PerQueryErrorKind::Syntax(what)));
    };
    // A system may be called `fold`.
    let fold = column("fold").filter(|&fold| fold < query);
    let systems = query + 1..head.len().saturating_sub(EVAL_TAIL.len());
    once(head_line, &head, systems.clone())?;
    let is_mean = eval_means(&rows, fold, query);
    for ((line, row), is_mean) in rows.iter().zip(is_mean) {
        let shown = systems.clone().filter(|&system| row[system] != LEFT_OUT);
        if is_mean {
            builder.add_summaries(shown.count());
            continue;
        }
        let id = match fold {
            Some(fold) => format!("{}/{}", row[fold], formula(&row[query])),
            None => formula(&row[query]).to_owned(),
        };
        for system in shown {
            builder.add_of_query(formula(&row[0]), &head[system], &id, &row[system], *line);
        }
    }
    Ok(())
}

/// Marks the rows of the table of `fivefold eval` that are means. Means over all folds stand below
/// all values. Above them stand the means of each fold, if there are any.
fn eval_means(rows: &[Record], fold: Option<usize>, query: usize) -> Vec<bool> {
    let mut is_mean = vec![false; rows.len()];
    let cells = |(_, row): &Record| (row[0].clone(), fold.map(|fold| row[fold].clone()));
    let of_all = |record: &Record| record.1[query] == ALL && fold.is_none_or(|fold| record.1[fold] == ALL);
    // The last `all` of each measure.
    let mut measures = HashSet::new();
    for (place, record) in rows.iter().enumerate().rev().filter(|(_, record)| of_all(record)) {
        is_mean[place] = measures.insert(cells(record).0);
    }
    let Some(fold) = fold else { return is_mean };
    let values = is_mean.iter().take_while(|is_mean| !**is_mean).count();
    let folds: HashSet<&String> = rows[..values].iter().map(|(_, row)| &row[fold]).collect();
    let Some(start) = values.checked_sub(folds.len() * measures.len()).filter(|&start| start > 0) else {
        return is_mean;
    };
    let of_folds: HashSet<_> = rows[start..values].iter().map(cells).collect();
    if of_folds.len() == values - start && rows[start..values].iter().all(|(_, row)| row[query] == ALL) {
        is_mean[start..values].fill(true);
    }
    is_mean
}

//! Fuzz target for LETOR text.
//!
//! - A slow second reader, written from the book's page on LETOR text, finds the same values, or an error where
//!   the reader finds an error.
//! - The sizes of blocks and the number of threads alter nothing.
//! - A written file reads back to the same content.
//! - `lint` finds a problem if the reader does.
//!
//! The first byte of an input chooses the options. The other bytes are the file.

use fivefold_core::Dataset;
use fivefold_data::hash::data_hash;
use fivefold_data::letor::read_letor_in_blocks;
use fivefold_data::lint::{Kind, LintOptions, lint};
use fivefold_data::{Missing, Part, ReadError, ReadOptions, read_letor, write_letor};

use crate::files::{file, is_odd, is_packed, is_utf16, with_threads, without_ends};

pub(crate) fn run(bytes: &[u8]) {
    let Some((&choice, text)) = bytes.split_first() else { return };
    if is_packed(text) {
        return;
    }
    let options = options(choice);
    let path = file("letor", text);
    let read = |threads, block_bytes| with_threads(threads, || read_letor_in_blocks(&path, &options, block_bytes));
    let whole = with_threads(1, || read_letor(&path, &options));
    for (threads, block_bytes) in [(1, 16), (3, 32), (3, 1 << 18)] {
        same(&whole, &read(threads, block_bytes));
    }
    match (&whole, slow_read(text, &options)) {
        (Ok(part), Ok(rows)) => compare(part, &rows),
        (Err(_), Err(())) => {}
        (Ok(_), Err(())) => panic!("the slow reader refuses it"),
        (Err(error), Ok(_)) => panic!("the slow reader takes it: {error}"),
    }
    if let Ok(part) = &whole {
        read_back(part);
    }
    let lint_options = LintOptions { kind: Some(Kind::Letor), most_problems: 3, reading: options.clone() };
    let report = lint(&[path], &lint_options);
    // `lint` does not count missing values as problems, nor scattered lines that are to be
    // regrouped.
    if options.missing != Missing::Error && !options.regroup {
        assert_eq!(whole.is_ok(), report.problems.count == 0, "{whole:?} {:?}", report.problems);
    }
}

fn options(choice: u8) -> ReadOptions {
    ReadOptions {
        missing: Missing::ALL[usize::from(choice % 3)],
        first_feature_id: u32::from(choice & 4 == 0),
        regroup: choice & 8 != 0,
        features: (choice & 16 != 0).then_some(5),
        max_grade: (choice & 32 != 0).then_some(2),
    }
}

fn same(one: &Result<Part, ReadError>, other: &Result<Part, ReadError>) {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            assert_eq!(data_hash(&one.data), data_hash(&other.data));
            assert_eq!((&one.lines, &one.moved), (&other.lines, &other.moved));
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        _ => panic!("{one:?} and {other:?}"),
    }
}

/// Writes a part and reads it back to the same content. The writer may refuse ids that cannot be
/// written.
fn read_back(part: &Part) {
    let mut text = Vec::new();
    if write_letor(&part.data, &mut text).is_err() {
        return;
    }
    let options = ReadOptions {
        features: Some(part.data.width().max(1)),
        max_grade: Some(part.data.max_grade()),
        ..ReadOptions::default()
    };
    let again = read_letor(&file("again", &text), &options).unwrap();
    if part.data.width() > 0 {
        assert_eq!(data_hash(&part.data), data_hash(&again.data), "{}", String::from_utf8_lossy(&text));
    }
}

/// A document as the slow reader sees it. NaN stands for a missing value.
struct Row {
    grade: u8,
    qid: String,
    doc_id: String,
    values: Vec<f32>,
}

fn compare(part: &Part, rows: &[Row]) {
    let data: &Dataset = &part.data;
    assert_eq!(data.documents(), rows.len());
    let mut rows = rows.iter();
    for query in data.queries() {
        for (place, (values, grade)) in query.rows().zip(query.grades()).enumerate() {
            let row = rows.next().unwrap();
            assert_eq!((query.id(), *grade), (row.qid.as_str(), row.grade));
            assert_eq!(query.doc_id(place).unwrap_or_default(), row.doc_id);
            assert_eq!(values, row.values);
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Splits a line before the first byte for which `ends` holds.
fn token(line: &[u8], ends: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    line.split_at(line.iter().position(|&byte| ends(byte)).unwrap_or(line.len()))
}

fn skip(line: &[u8]) -> &[u8] {
    token(line, |byte| !is_blank(byte)).1
}

fn slow_read(text: &[u8], options: &ReadOptions) -> Result<Vec<Row>, ()> {
    if is_utf16(text) {
        return Err(());
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut rows: Vec<Row> = Vec::new();
    for line in text.split(|&byte| byte == b'\n') {
        let line = skip(without_ends(line));
        if line.contains(&b'\r') {
            return Err(());
        }
        if !line.is_empty() && line[0] != b'#' {
            rows.push(slow_row(line, options)?);
        }
    }
    let first = rows.first().ok_or(())?;
    let has_ids = !first.doc_id.is_empty();
    if rows.iter().any(|row| row.doc_id.is_empty() == has_ids) {
        return Err(());
    }
    let width = options.features.unwrap_or_else(|| rows.iter().map(|row| row.values.len()).max().unwrap_or(0));
    rows.iter_mut().for_each(|row| row.values.resize(width, 0.0));

    let mut queries: Vec<Vec<Row>> = Vec::new();
    for row in rows {
        let last = queries.len().wrapping_sub(1);
        match queries.iter().position(|query| query[0].qid == row.qid) {
            Some(place) if place == last || options.regroup => queries[place].push(row),
            Some(_) => return Err(()),
            None => queries.push(vec![row]),
        }
    }
    for query in &mut queries {
        let mut ids: Vec<&str> = query.iter().map(|row| row.doc_id.as_str()).collect();
        ids.sort_unstable();
        if has_ids && ids.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(());
        }
        for column in 0..width {
            let known = query.iter().map(|row| row.values[column]).filter(|value| !value.is_nan());
            let least = known.reduce(|a, b| if b < a { b } else { a }).unwrap_or(0.0);
            for row in query.iter_mut().filter(|row| row.values[column].is_nan()) {
                row.values[column] = least;
            }
        }
    }
    Ok(queries.into_iter().flatten().collect())
}

fn slow_row(line: &[u8], options: &ReadOptions) -> Result<Row, ()> {
    let number = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<f64>().ok();
    let (grade, rest) = token(line, is_blank);
    let grade = number(grade).filter(|grade| grade.fract() == 0.0).ok_or(())?;
    if !(0.0..=f64::from(options.max_grade.unwrap_or(30))).contains(&grade) {
        return Err(());
    }
    let (qid, mut rest) = token(skip(rest), is_blank);
    let qid = qid.strip_prefix(b"qid:").filter(|qid| !qid.is_empty()).ok_or(())?;
    let qid = String::from_utf8(qid.to_vec()).map_err(|_| ())?;
    if is_msvc_nan(&qid) || qid.contains(is_odd) {
        return Err(());
    }
    let mut values: Vec<Option<f32>> = Vec::new();
    loop {
        rest = skip(rest);
        if rest.is_empty() || rest[0] == b'#' {
            break;
        }
        let (id, after) = token(rest, |byte| byte == b':');
        let digits = !id.is_empty() && id.iter().all(u8::is_ascii_digit);
        let id = if digits { std::str::from_utf8(id).unwrap().trim_start_matches('0') } else { return Err(()) };
        let id: usize = if id.is_empty() { 0 } else { id.parse().map_err(|_| ())? };
        let slot = id.checked_sub(options.first_feature_id as usize).ok_or(())?;
        if slot >= options.features.unwrap_or(100_000) || after.is_empty() {
            return Err(());
        }
        if slot >= values.len() {
            values.resize(slot + 1, None);
        }
        let (mut value, mut after) = token(&after[1..], is_blank);
        if let Some(hash) = value.iter().position(|&byte| byte == b'#').filter(|&at| at == 0 || value[at - 1] != b'.') {
            let whole = value;
            value = &whole[..hash];
            after = &rest[rest.len() - after.len() - (whole.len() - hash)..];
        }
        if values[slot].replace(slow_value(value, options.missing)?).is_some() {
            return Err(());
        }
        rest = after;
    }
    let doc_id = if rest.is_empty() { String::new() } else { slow_doc_id(&rest[1..])? };
    let values = values.into_iter().map(Option::unwrap_or_default).collect();
    Ok(Row { grade: grade as u8, qid, doc_id, values })
}

fn slow_value(text: &[u8], missing: Missing) -> Result<f32, ()> {
    let text = std::str::from_utf8(text).map_err(|_| ())?;
    let is_missing =
        text.eq_ignore_ascii_case("null") || is_msvc_nan(text) || text.parse::<f32>().is_ok_and(f32::is_nan);
    match (is_missing, missing) {
        (true, Missing::Error) => Err(()),
        (true, Missing::Zero) => Ok(0.0),
        (true, Missing::QueryMin) => Ok(f32::NAN),
        (false, _) => text.parse::<f32>().ok().filter(|value| value.is_finite()).ok_or(()),
    }
}

/// Whether a text is `1.#QNAN` or similar, possibly with zeros or a zero exponent behind.
fn is_msvc_nan(text: &str) -> bool {
    let text = text.to_ascii_uppercase();
    let Some(name) = text.trim_start_matches('-').strip_prefix("1.#").filter(|_| !text.starts_with("--")) else {
        return false;
    };
    ["QNAN", "SNAN", "IND", "NAN"]
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|c| "0E+-".contains(c))))
}

/// The id X in `docid = X`, or else the whole comment.
fn slow_doc_id(comment: &[u8]) -> Result<String, ()> {
    let trim = |text: &[u8]| -> Vec<u8> {
        let start = skip(text);
        let end = start.iter().rev().take_while(|&&byte| is_blank(byte)).count();
        start[..start.len() - end].to_vec()
    };
    let comment = trim(comment);
    let rest = comment.strip_prefix(b"docid").map(trim);
    if let Some(value) = rest.as_ref().and_then(|rest| rest.strip_prefix(b"=")) {
        let id = String::from_utf8(token(skip(value), is_blank).0.to_vec()).map_err(|_| ())?;
        return if id.contains(is_odd) { Err(()) } else { Ok(id) };
    }
    let hides = rest.is_some_and(|rest| String::from_utf8_lossy(&rest).starts_with(is_odd));
    let name = String::from_utf8(comment).map_err(|_| ())?;
    let control = |c: char| c.is_control() && c != '\t';
    match hides || name.starts_with(is_odd) || name.ends_with(is_odd) || name.contains(control) {
        true => Err(()),
        false => Ok(name),
    }
}

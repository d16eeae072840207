//! Fuzz target for rows whose queries are given by a file of sizes. The target also reads the same
//! rows with the queries written into them. Both must give the same data, or an error in the same
//! line of the file.
//!
//! An input holds rows, a line `==` and sizes.

use fivefold_data::hash::data_hash;
use fivefold_data::{ReadOptions, read_letor};

use crate::files::{file, halves, is_odd, is_packed, is_text};

pub(crate) fn run(bytes: &[u8]) {
    let (rows, sizes) = halves(bytes, "==");
    if is_packed(rows) || is_packed(sizes) {
        return;
    }
    let data = file("rows", rows);
    file("rows.query", sizes);
    let grouped = read_letor(&data, &ReadOptions::default());
    if rows.windows(4).any(|window| window == b"qid:") {
        return;
    }
    let Some(text) = with_queries(rows, sizes) else {
        assert!(grouped.is_err(), "sizes that do not add up were taken");
        return;
    };
    let written = read_letor(&file("written", &text), &ReadOptions::default());
    match (grouped, written) {
        (Ok(grouped), Ok(written)) => assert_eq!(data_hash(&grouped.data), data_hash(&written.data)),
        (Err(one), Err(other)) => {
            assert_eq!(one.line, other.line, "{one}, {other}");
            // The letters of a query that is not in the file are not counted.
            let given = text.split(|&byte| byte == b'\n').nth((one.line.max(1) - 1) as usize).map_or(0, given_bytes);
            assert!(other.column == one.column || other.column == one.column + given, "{one}, {other}");
        }
        (one, other) => panic!("{one:?} and {other:?}"),
    }
}

/// The rows with their queries. `None` if the sizes do not fit the rows.
fn with_queries(rows: &[u8], sizes: &[u8]) -> Option<Vec<u8>> {
    let sizes = std::str::from_utf8(sizes).ok().filter(|sizes| is_text(sizes.as_bytes()))?;
    let sizes = sizes.strip_prefix('\u{feff}').unwrap_or(sizes);
    if sizes.split('\n').any(|line| line.trim_end_matches('\r').contains(is_odd)) {
        return None;
    }
    let sizes: Vec<usize> = sizes.split_ascii_whitespace().map(|size| size.parse().ok()).collect::<Option<_>>()?;
    let mut queries = (1..).zip(sizes).flat_map(|(query, size): (usize, usize)| (0..size).map(move |_| query));
    let mut text = Vec::new();
    for line in rows.split_inclusive(|&byte| byte == b'\n') {
        let start = line.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
        let is_row = line.get(start).is_some_and(|&byte| !matches!(byte, b'#' | b'\r' | b'\n'));
        let ends = |byte: u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        let grade = if is_row { line[start..].iter().take_while(|&&byte| !ends(byte)).count() } else { 0 };
        text.extend_from_slice(&line[..start + grade]);
        if is_row {
            text.extend_from_slice(format!(" qid:rows:{}", queries.next()?).as_bytes());
        }
        text.extend_from_slice(&line[start + grade..]);
    }
    queries.next().is_none().then_some(text)
}

/// The number of bytes of ` qid:...` in a line that `with_queries` wrote.
fn given_bytes(line: &[u8]) -> usize {
    let after = line.windows(5).position(|window| window == b" qid:");
    after.map_or(0, |start| 1 + line[start + 1..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count())
}

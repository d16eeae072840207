//! Rows whose queries are given by a file of sizes: the same as the rows with those queries written into them.
//!
//! Rows, a line `==`, sizes.

use fivefold_data::{ReadOptions, data_hash, read_letor};

use crate::files::{file, halves, is_packed, is_text};

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
        (Err(one), Err(other)) => assert_eq!(one.line, other.line, "{one}, {other}"),
        (one, other) => panic!("{one:?} and {other:?}"),
    }
}

/// The rows with their queries; `None` where the sizes are not those of the rows.
fn with_queries(rows: &[u8], sizes: &[u8]) -> Option<Vec<u8>> {
    let sizes = std::str::from_utf8(sizes).ok().filter(|sizes| is_text(sizes.as_bytes()))?;
    let sizes: Vec<usize> = sizes
        .trim_start_matches('\u{feff}')
        .split_ascii_whitespace()
        .map(|size| size.parse().ok())
        .collect::<Option<_>>()?;
    let mut queries = (1..).zip(sizes).flat_map(|(query, size): (usize, usize)| (0..size).map(move |_| query));
    let mut text = Vec::new();
    for line in rows.split_inclusive(|&byte| byte == b'\n') {
        let start = line.len() - line.trim_ascii_start().len();
        let is_row = line.get(start).is_some_and(|&byte| byte != b'#');
        let grade =
            if is_row { line[start..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count() } else { 0 };
        text.extend_from_slice(&line[..start + grade]);
        if is_row {
            text.extend_from_slice(format!(" qid:rows:{}", queries.next()?).as_bytes());
        }
        text.extend_from_slice(&line[start + grade..]);
    }
    queries.next().is_none().then_some(text)
}

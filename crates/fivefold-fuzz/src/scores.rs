//! Fuzz target for score files: the reader and a slow second reader find the same numbers. `lint`
//! finds a problem if the slow reader does.

use fivefold_data::lint::{Kind, LintOptions, lint};
use fivefold_data::{ReadOptions, ScoreError, read_scores};

use crate::files::{file, is_packed, is_text};

pub(crate) fn run(bytes: &[u8]) {
    if is_packed(bytes) {
        return;
    }
    let path = file("scores", bytes);
    if !is_text(bytes) {
        assert!(read_scores(&path, 0).is_err());
        return;
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).unwrap();
    let tokens = text.split('\n').map(|line| line.trim_end_matches('\r').trim_matches([' ', '\t']));
    let tokens = tokens.filter(|token| !token.is_empty() && !token.starts_with('#'));
    let number = |token: &str| token.parse::<f64>().ok().filter(|score| score.is_finite());
    let expected: Option<Vec<f64>> = tokens.map(number).collect();
    let count = expected.as_ref().map_or(0, Vec::len);
    match (read_scores(&path, count), &expected) {
        (Ok(scores), Some(expected)) => assert_eq!(&scores, expected),
        (Err(ScoreError::Value { .. } | ScoreError::Odd { .. }), None) => {}
        (result, expected) => panic!("{result:?}, {expected:?}"),
    }
    if count > 0 {
        assert!(read_scores(&path, count - 1).is_err() && read_scores(&path, count + 1).is_err());
    }
    let options = LintOptions { kind: Some(Kind::Scores), most_problems: 3, reading: ReadOptions::default() };
    let report = lint(&[path], &options);
    assert!(
        expected.is_some_and(|expected| !expected.is_empty()) == (report.problems.count == 0),
        "{:?}",
        report.problems
    );
}

//! Score files: one number a line, in the order of a LETOR file's documents.

use std::io;
use std::path::{Path, PathBuf};

use crate::input;
use crate::packed::unpacked;
use crate::text::TextLines;
use fivefold_core::words::counted;

/// Bytes of a score file beside those of its scores: remarks.
pub const SLACK: u64 = 1 << 20;
/// Bytes of one score at most: the longest decimal of an f64 has 767 digits.
pub const LONGEST_SCORE: u64 = 1 << 10;

/// Why a file is not the scores of a data set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}; put one score a line there, in the order of the documents", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A line that is not one finite number.
    #[error("{}:{line}:{column}: `{found}` is not a finite number; give one score a line and nothing else", file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// Line from 1.
        line: u64,
        /// Column from 1, in bytes.
        column: usize,
        /// The line's text.
        found: String,
    },
    /// Too few or too many scores.
    #[error("{}: {} for {}; give one a document, in the order of the data file", file.display(), counted(*found, "score"), counted(*expected, "document"))]
    Count {
        /// The file.
        file: PathBuf,
        /// Scores in the file.
        found: usize,
        /// Documents.
        expected: usize,
    },
}

/// Reads `expected` scores, one finite number a line; blank lines and lines that start with `#` are passed over. Numbers
/// are kept in full (`f64`). The file may be compressed.
///
/// # Errors
/// [`ScoreError`] names the file and the line.
pub fn read_scores(path: &Path, expected: usize) -> Result<Vec<f64>, ScoreError> {
    of_lines(path, TextLines::open(path), expected)
}

/// The same for a file that nobody chose: of a results folder, or where a program was to put it. It is no link, and no longer
/// than so many scores can be.
///
/// # Errors
/// As [`read_scores`].
pub fn read_own_scores(path: &Path, expected: usize) -> Result<Vec<f64>, ScoreError> {
    let most = SLACK + LONGEST_SCORE * expected as u64;
    of_lines(path, input::open_own(path, most).and_then(unpacked).map(TextLines::of), expected)
}

fn of_lines(path: &Path, lines: io::Result<TextLines>, expected: usize) -> Result<Vec<f64>, ScoreError> {
    let file = || path.to_owned();
    let unreadable = |error| ScoreError::Io { file: file(), error };
    let mut lines = lines.map_err(unreadable)?;
    let (mut scores, mut found) = (Vec::new(), 0);
    while let Some((line, text)) = lines.next().map_err(unreadable)? {
        let token = text.trim_ascii();
        if token.is_empty() || token.starts_with('#') {
            continue;
        }
        found += 1;
        match fast_float2::parse::<f64, _>(token) {
            Ok(score) if score.is_finite() => {
                // Those beyond are only counted, so that a file of another kind cannot fill the memory.
                if found <= expected {
                    scores.push(score);
                }
            }
            _ => {
                let column = text.len() - text.trim_ascii_start().len() + 1;
                let found = token.escape_debug().take(40).collect();
                return Err(ScoreError::Value { file: file(), line, column, found });
            }
        }
    }
    if found != expected {
        return Err(ScoreError::Count { file: file(), found, expected });
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, expected: usize) -> Result<Vec<f64>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let shown = file.path().display().to_string();
        read_scores(file.path(), expected).map_err(|error| error.to_string().replace(&shown, "FILE"))
    }

    #[test]
    fn scores_are_read_in_full() {
        let scores = read("# made by hand\n0.1\r\n\n -2e-300\n0.1234567890123456", 3);
        assert_eq!(scores.unwrap(), [0.1, -2e-300, 0.1234567890123456]);
    }

    #[test]
    fn errors_name_the_place() {
        let not = "is not a finite number; give one score a line and nothing else";
        assert_eq!(read("1\n\n  nan\n", 2).unwrap_err(), format!("FILE:3:3: `nan` {not}"));
        assert_eq!(read("1\n1 2\n", 2).unwrap_err(), format!("FILE:2:1: `1 2` {not}"));
        assert_eq!(read("inf\n", 1).unwrap_err(), format!("FILE:1:1: `inf` {not}"));
        let count = "FILE: 2 scores for 3 documents; give one a document, in the order of the data file";
        assert_eq!(read("1\n2\n", 3).unwrap_err(), count);
        assert!(matches!(read_scores(Path::new("no such file"), 1), Err(ScoreError::Io { .. })));
    }
}

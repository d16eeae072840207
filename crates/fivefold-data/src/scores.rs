//! Reads score files: one number a line, in the order of the documents of a LETOR file.

use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use crate::input;
use crate::packed::unpacked;
use crate::text::{ODD_HELP, TextLines, find_odd, named};

/// Bytes of a score file for lines other than scores: comments and blank lines.
pub const SLACK: u64 = 1 << 20;
/// The most bytes of one score. The longest decimal of an f64 has 767 digits.
pub const LONGEST_SCORE: u64 = 1 << 10;

/// The reason why a file does not hold the scores of a data set.
///
/// ```
/// use fivefold_data::{ScoreError, read_scores};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "0.5\n0.25\n")?;
/// // Two scores for three documents.
/// assert!(matches!(read_scores(file.path(), 3), Err(ScoreError::Count { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}; write a score on each line, in the order of the documents", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// A line that is not one finite number.
    #[error("{}:{line}:{column}: `{found}` is not a finite number; give a score on each line and nothing else", file.display())]
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
    /// A blank that is neither space nor tab, a control character, or an invisible character.
    #[error("{}:{line}:{column}: found the character {}; {ODD_HELP}", file.display(), named(*character))]
    Odd {
        /// The file.
        file: PathBuf,
        /// Line from 1.
        line: u64,
        /// Column from 1, in bytes.
        column: usize,
        /// The character.
        character: char,
    },
    /// Too few or too many scores.
    #[error("{}: {} for {}; give a score for each document, in the order of the data file", file.display(), counted(*found, "score"), counted(*expected, "document"))]
    Count {
        /// The file.
        file: PathBuf,
        /// Number of scores in the file.
        found: usize,
        /// Number of documents.
        expected: usize,
    },
}

/// Reads `expected` scores, one finite number a line. Blank lines and lines that start with `#` are
/// passed over. Scores keep all digits of an `f64`. The file may be compressed.
///
/// ```
/// use fivefold_data::read_scores;
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "# of my program\n0.5\n-1e-3\n")?;
/// assert_eq!(read_scores(file.path(), 2)?, [0.5, -0.001]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ScoreError`] names the file and the line.
pub fn read_scores(path: &Path, expected: usize) -> Result<Vec<f64>, ScoreError> {
    of_lines(path, TextLines::open(path), expected)
}

/// Like [`read_scores`], for a file that no user named: a file of a results folder, or a file that
/// a program was told to write. The file must not be a link, nor longer than `expected` scores can
/// be.
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
        match score(text) {
            Ok(None) => {}
            Ok(Some(score)) => {
                found += 1;
                // Further scores are only counted, so that a file of another kind cannot fill the
                // memory.
                if found <= expected {
                    scores.push(score);
                }
            }
            Err((column, Wrong::Odd(character))) => {
                return Err(ScoreError::Odd { file: file(), line, column, character });
            }
            Err((column, Wrong::Value(found))) => return Err(ScoreError::Value { file: file(), line, column, found }),
        }
    }
    if found != expected {
        return Err(ScoreError::Count { file: file(), found, expected });
    }
    Ok(scores)
}

/// The fault of a line.
pub(crate) enum Wrong {
    Odd(char),
    /// The line is no finite number.
    Value(String),
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wrong::Odd(character) => write!(f, "found the character {}", named(*character)),
            Wrong::Value(found) => write!(f, "`{found}` is not a finite number"),
        }
    }
}

/// The score of a line; `None` for a blank line or a comment. The error is the column, from 1, and
/// the fault.
pub(crate) fn score(line: &str) -> Result<Option<f64>, (usize, Wrong)> {
    let token = line.trim_matches([' ', '\t']);
    if token.is_empty() || token.starts_with('#') {
        return Ok(None);
    }
    if let Some((place, character)) = find_odd(line.as_bytes()) {
        return Err((place + 1, Wrong::Odd(character)));
    }
    match fast_float2::parse::<f64, _>(token) {
        Ok(score) if score.is_finite() => Ok(Some(score)),
        _ => {
            let start = line.len() - line.trim_start_matches([' ', '\t']).len();
            Err((start + 1, Wrong::Value(token.escape_debug().take(40).collect())))
        }
    }
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
        let not = "is not a finite number; give a score on each line and nothing else";
        assert_eq!(read("1\n\n  nan\n", 2).unwrap_err(), format!("FILE:3:3: `nan` {not}"));
        assert_eq!(read("1\n1 2\n", 2).unwrap_err(), format!("FILE:2:1: `1 2` {not}"));
        assert_eq!(read("inf\n", 1).unwrap_err(), format!("FILE:1:1: `inf` {not}"));
        // pocoproject/poco #286: a form of NaN that Microsoft's C library wrote.
        assert_eq!(read("1\n1.#QNAN\n", 2).unwrap_err(), format!("FILE:2:1: `1.#QNAN` {not}"));
        // mosuka/litsea #99.
        let odd = "FILE:2:4: found the character U+00A0 (no-break space); only spaces and tabs separate fields, and ids have no \
                   other blanks; replace the character or remove it";
        assert_eq!(read("1\n0.5\u{a0}\n", 2).unwrap_err(), odd);
        assert!(read("# 0.5\u{a0}\n1\n", 1).is_ok());
        assert!(read("\u{feff}1\r\r\n\u{feff}2\n", 2).unwrap_err().contains("FILE:2:1: found the character U+FEFF"));
        let count = "FILE: 2 scores for 3 documents; give a score for each document, in the order of the data file";
        assert_eq!(read("1\n2\n", 3).unwrap_err(), count);
        assert!(matches!(read_scores(Path::new("no such file"), 1), Err(ScoreError::Io { .. })));
    }
}

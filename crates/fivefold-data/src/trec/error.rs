//! Faults of a TREC file.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use super::gathered::Twice;
use crate::text::{ODD_HELP, TextLine, find_odd, named};

/// A fault in a qrels or run file.
#[derive(Debug)]
pub struct TrecError {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; 0 if the fault is about the whole file.
    pub line: u64,
    /// The fault.
    pub kind: TrecErrorKind,
}

impl TrecError {
    pub(crate) fn new(file: &Path, line: u64, kind: TrecErrorKind) -> Self {
        TrecError { file: file.to_owned(), line, kind }
    }

    pub(crate) fn io(file: &Path, error: io::Error) -> Self {
        TrecError::new(file, 0, TrecErrorKind::Io(error))
    }

    pub(super) fn twice(file: &Path, twice: Twice) -> Self {
        let Twice { line, first, topic, document } = twice;
        TrecError::new(file, line, TrecErrorKind::Duplicate { topic, document, first })
    }
}

impl fmt::Display for TrecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.kind.column() > 0 {
            write!(f, ":{}", self.kind.column())?;
        }
        write!(f, ": {}; {}", self.kind, self.kind.help())
    }
}

impl std::error::Error for TrecError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            TrecErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// The kind of fault.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrecErrorKind {
    /// The file cannot be opened, read or decompressed.
    #[error("cannot be read: {0}")]
    Io(#[source] io::Error),
    /// A run with topics, none of which is judged.
    #[error("no topic of the run is in the qrels: the run has `{of_run}` first, the qrels `{of_qrels}`")]
    NoTopicShared {
        /// The run's first topic.
        of_run: String,
        /// The first topic of the qrels.
        of_qrels: String,
    },
    /// The line has another number of fields than the format.
    #[error("found {} where there should be {expected}", counted(*found, "field"))]
    Fields {
        /// Number of fields on the line.
        found: usize,
        /// Number of fields of the format.
        expected: &'static str,
    },
    /// A blank that is neither space nor tab, a control character, or an invisible character.
    #[error("found the character {}", named(*character))]
    Odd {
        /// Column from 1, in bytes.
        column: usize,
        /// The character.
        character: char,
    },
    /// A grade that is no whole number.
    #[error("grade `{found}` is not a whole number")]
    Grade {
        /// The token.
        found: String,
    },
    /// A grade above the highest grade of measures.
    #[error("grade {found} of document `{document}` in topic `{topic}` is above {highest}")]
    HighGrade {
        /// The topic.
        topic: String,
        /// The document.
        document: String,
        /// The document's grade.
        found: i32,
        /// The highest possible grade.
        highest: u8,
    },
    /// A rank that is no whole number.
    #[error("rank `{found}` is not a whole number")]
    Rank {
        /// The token.
        found: String,
    },
    /// A score that is no finite number.
    #[error("score `{found}` is not a finite number")]
    Score {
        /// The token.
        found: String,
    },
    /// A document that stands twice under a topic.
    #[error("document `{document}` of topic `{topic}` stands on line {first} already")]
    Duplicate {
        /// The topic.
        topic: String,
        /// The document.
        document: String,
        /// The document's first line.
        first: u64,
    },
    /// A file without content.
    #[error("the file has no {0}")]
    Empty(&'static str),
}

impl TrecErrorKind {
    pub(crate) fn duplicate(topic: &str, document: &str, first: u64) -> Self {
        Self::Duplicate { topic: topic.to_owned(), document: document.to_owned(), first }
    }

    /// Refuses a line in which programs do not agree on the ends of fields.
    pub(super) fn refuse_odd(line: TextLine<'_>) -> Result<(), Self> {
        let odd = if line.plain { None } else { find_odd(line.text.as_bytes()) };
        odd.map_or(Ok(()), |(place, character)| Err(Self::Odd { column: place + 1, character }))
    }

    /// The column, from 1, in bytes; 0 if the fault is about the whole line.
    pub(crate) fn column(&self) -> usize {
        match self {
            Self::Odd { column, .. } => *column,
            _ => 0,
        }
    }

    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Io(_) => "check that the file is there, complete and readable",
            Self::Fields { .. } => {
                "a line of qrels is `topic 0 document grade`, of a run `topic Q0 document rank score tag`"
            }
            Self::Odd { .. } => ODD_HELP,
            Self::Grade { .. } => "the fourth field of a line of qrels is the grade",
            Self::HighGrade { .. } => "map the grades of the qrels to a smaller scale",
            Self::Rank { .. } => "a line of a run is `topic Q0 document rank score tag`",
            Self::Score { .. } => "the fifth field of a line of a run is the score",
            Self::Duplicate { .. } => "remove a line, or say which line counts: first, last or highest",
            Self::NoTopicShared { .. } => {
                "give the judgements of these topics, or write the ids of topics alike in both files"
            }
            Self::Empty(_) => "check the path: is the file of TREC's form?",
        }
    }
}

//! Faults of a LETOR file: the place, the fault, and the remedy.

use std::fmt;
use std::path::{Path, PathBuf};

use fivefold_core::DatasetError;

use crate::groups;
use crate::text::{ODD_HELP, named};

/// Remedies that lint names too.
pub(crate) const SCATTERED_HELP: &str =
    "put the query's lines together, or set regroup = true; different queries need different ids";
pub(crate) const DUPLICATE_HELP: &str = "remove a line, or give the two documents different ids";
pub(crate) const SOME_IDS_HELP: &str = "give every document an id (`# docid = X`), or give no document an id";

/// A fault in one file.
///
/// ```
/// use fivefold_data::{ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "1 qid:1 1:0.5\n0 qid:1 1:x\n")?;
/// let error = read_letor(file.path(), &ReadOptions::default()).unwrap_err();
/// // The value `x`.
/// assert_eq!((error.line, error.column), (2, 11));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct ReadError {
    /// The file, as it was named to the reader.
    pub file: PathBuf,
    /// Line, from 1; 0 if the error is about the whole file.
    pub line: u64,
    /// Column, from 1, in bytes; 0 if the error is about the whole line or file.
    pub column: usize,
    /// The fault.
    pub kind: ReadErrorKind,
}

impl ReadError {
    pub(crate) fn of_file(file: &Path, kind: ReadErrorKind) -> Self {
        ReadError { file: file.to_owned(), line: 0, column: 0, kind }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        write!(f, ": {}; {}", self.kind, self.kind.help())
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ReadErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

/// The kind of fault.
///
/// ```
/// use fivefold_data::{ReadErrorKind, ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "1 qid:1 1:0.5 1:0.25\n")?;
/// let error = read_letor(file.path(), &ReadOptions::default()).unwrap_err();
/// assert!(matches!(error.kind, ReadErrorKind::Repeated { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The file cannot be opened, read or decompressed.
    #[error("cannot be read: {0}")]
    Io(#[source] std::io::Error),
    /// The first token is not an integer from 0 to the highest grade.
    #[error("grade `{found}` is not a whole number from 0 to {highest}")]
    Grade {
        /// The token.
        found: String,
        /// The highest grade allowed here.
        highest: u8,
    },
    /// The second token is not `qid:TOKEN`.
    #[error("found {found} where `qid:` and the query's id belong")]
    Qid {
        /// The token, or "the end of the line".
        found: String,
    },
    /// A token that is not `id:value`.
    #[error("found `{found}` where a feature `id:value` belongs")]
    Feature {
        /// The token.
        found: String,
    },
    /// A feature id below the first id.
    #[error("feature id {id} is below the first id, {first}")]
    BelowFirst {
        /// The id.
        id: u32,
        /// The first id of this reading.
        first: u32,
    },
    /// A feature id beyond the declared width, or beyond the limit of a dense matrix.
    #[error("feature id {id} is above the last id possible here, {last}")]
    AboveLast {
        /// The id's digits.
        id: String,
        /// The last id allowed.
        last: u64,
    },
    /// A feature id that already stands on the line.
    #[error("feature id {id} stands on the line twice")]
    Repeated {
        /// The id.
        id: u32,
    },
    /// A blank that is neither space nor tab, a control character, or an invisible character.
    #[error("found the character {}", named(*character))]
    Odd {
        /// The character.
        character: char,
    },
    /// A value that is not a finite number.
    #[error("value `{found}` of feature {id} is not a finite number that fits 32 bits")]
    Value {
        /// The feature's id.
        id: u32,
        /// The token.
        found: String,
    },
    /// `NULL` or `nan` under the policy `error`.
    #[error("feature {id} is missing (`{found}`)")]
    Missing {
        /// The feature's id.
        id: u32,
        /// The token.
        found: String,
    },
    /// An id that is not UTF-8.
    #[error("the {what} id is not UTF-8 text")]
    Encoding {
        /// "query" or "document".
        what: &'static str,
    },
    /// A query whose lines do not stand together.
    #[error("query `{qid}` goes on here, but its lines {first} to {last} were followed by another query")]
    Scattered {
        /// The query.
        qid: String,
        /// The query's first line.
        first: u64,
        /// The last line of the query's first run.
        last: u64,
    },
    /// Two documents of one query with the same id.
    #[error("document `{id}` of query `{qid}` stands on line {first} already")]
    DuplicateDocument {
        /// The document's id.
        id: String,
        /// The query.
        qid: String,
        /// The line where the id was first seen.
        first: u64,
    },
    /// Some documents have ids, and some have no id.
    #[error("{}", if *here { format!("this line has a document id, but {other} has no document id") } else { format!("this \
        line has no document id, but {other} has a document id") })]
    SomeIds {
        /// Whether this line has an id.
        here: bool,
        /// The place of a line that differs: `line 3`, or `FILE line 3`.
        other: String,
    },
    /// A feature id that makes the dense matrix much larger than the text.
    #[error(
        "feature id {id} would make a matrix of {documents} documents x {width} features, {} MiB for {} MiB of text so far",
        bytes >> 20,
        text >> 20
    )]
    Sparse {
        /// The highest feature id of the line.
        id: u64,
        /// Number of documents so far.
        documents: usize,
        /// Features a document.
        width: usize,
        /// Bytes that the matrix would take.
        bytes: u64,
        /// Bytes of text so far.
        text: u64,
    },
    /// A matrix that does not fit into memory.
    #[error(
        "the matrix of {documents} documents x {width} features up to here takes {} MiB, but {}",
        bytes.div_ceil(1 << 20),
        match most {
            Some(most) => format!("{} MiB of the memory for data are left", most >> 20),
            None => "the system has not so much".to_owned(),
        }
    )]
    Memory {
        /// Number of documents so far.
        documents: usize,
        /// Features a document.
        width: usize,
        /// Bytes that the matrix would take while it is put together.
        bytes: u64,
        /// Bytes that are left for data; `None` if the system refused the memory.
        most: Option<u64>,
    },
    /// A carriage return that does not end its line, as in files of an old Mac.
    #[error("found a carriage return within the line")]
    CarriageReturns,
    /// A line longer than any line of a LETOR file.
    #[error("a line longer than {limit} bytes")]
    LongLine {
        /// The limit.
        limit: usize,
    },
    /// The file has no document.
    #[error("the file has no document")]
    Empty,
    /// The rows do not make a data set.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl ReadErrorKind {
    /// The line of an error that stopped the reading; `line` is the last line that was read. 0 if
    /// the error is about the whole file.
    pub(crate) fn line_of_stop(&self, line: u64) -> u64 {
        match self {
            Self::Io(error) if groups::is_of_sizes(error) => 0,
            _ => line,
        }
    }

    /// The remedy.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Io(error) if groups::is_of_sizes(error) => "the sizes of the queries must add up to the rows",
            Self::Io(_) => "check that the file is there, complete and readable",
            Self::Grade { .. } => "a line reads `grade qid:TOKEN id:value ... # comment`",
            Self::Qid { .. } => {
                "every line needs its query: `grade qid:TOKEN id:value ...`; or a file of group sizes beside this one: \
                    FILE.query or FILE.group"
            }
            Self::Feature { .. } => "features are `id:value`, separated by blanks; a comment starts with `#`",
            Self::BelowFirst { .. } => "if the file counts features from 0, set first_feature_id = 0",
            Self::AboveLast { .. } => {
                "correct the id, or the number of features declared for this collection; the matrix is dense"
            }
            Self::Repeated { .. } => "give each feature of a line once",
            Self::Odd { .. } => ODD_HELP,
            Self::Value { .. } => "give a decimal number, or NULL with missing = \"zero\" or \"query-min\"",
            Self::Missing { .. } => "set missing = \"zero\" or missing = \"query-min\" to read such files",
            Self::Encoding { .. } => "convert the file to UTF-8",
            Self::Sparse { .. } => {
                "correct the id; or number the features without gaps; or, if there are so many features, declare \
                    their number: `features = N` of the data set"
            }
            Self::Memory { most: Some(_), .. } => {
                "give more memory (`--memory`), or fewer documents or features; the matrix is dense"
            }
            Self::Memory { most: None, .. } => {
                "use a machine with more memory, or give fewer documents or features; the matrix is dense"
            }
            Self::CarriageReturns => "end lines by a line feed, with or without a carriage return before it",
            Self::Scattered { .. } => SCATTERED_HELP,
            Self::DuplicateDocument { .. } => DUPLICATE_HELP,
            Self::SomeIds { .. } => SOME_IDS_HELP,
            Self::LongLine { .. } => "the file is not LETOR text",
            Self::Empty | Self::Dataset(_) => "check the path: is the file LETOR text?",
        }
    }
}

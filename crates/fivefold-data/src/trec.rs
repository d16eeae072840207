//! TREC qrels and runs.
//!
//! - Qrels: `topic iteration document grade`, one judgement a line. The grade is a whole number and
//!   may be negative.
//! - Runs: `topic Q0 document rank score tag`, one retrieved document a line; text after the tag is
//!   ignored.
//!
//! Rules for both formats:
//! - Spaces and tabs separate fields. Outside comments, other blanks, control characters and
//!   invisible characters are errors, because some programs separate fields there.
//! - CRLF, blank lines and a byte order mark are allowed.
//! - A line that starts with `#` is a comment. Elsewhere, `#` is part of an id.
//! - The lines of a topic need not stand together. A topic has the place of its first line.
//! - `.gz`, `.zst` and members of a `.zip` are decompressed on the way.
//!
//! Policies, each counted in [`Qrels::remarks`] and [`Run::remarks`]:
//! - A document that stands twice under a topic is treated by [`Duplicates`]. The default is an
//!   error, as in trec_eval.
//! - A negative grade is kept. The document counts as not relevant and not judged, as in trec_eval
//!   ([`Judgement::grade`]).
//! - The rank column orders nothing, as in trec_eval. A run is ordered by score, and documents of
//!   equal score by the tie policy of the evaluation. Topics whose ranks contradict the scores are
//!   counted.
//!
//! [`Joined`] treats topics and documents that only the run or only the qrels have. Cost: one pass
//! over the text, and a table of each topic's documents by id.

mod document_id;
mod error;
mod gathered;
mod hashed;
mod join;
mod judged;
pub(crate) mod qrels;
pub(crate) mod run;
mod subtopics;
pub(crate) mod topics;

use std::fmt;
use std::path::Path;

use fivefold_base::words::{counted, which};
use serde::{Deserialize, Serialize};

pub use document_id::DocumentId;
pub use error::{TrecError, TrecErrorKind};
pub use hashed::HashedDocuments;
pub use join::{Joined, JoinedTopic, Matched, some_shared};
pub use judged::JudgedDocuments;
pub use qrels::{Judgement, Qrels, QrelsTopic, read_qrels};
pub use run::{Retrieved, Run, RunTopic, read_run};
pub use subtopics::{SubtopicQrels, SubtopicsOfDocument, SubtopicsOfTopic, read_subtopic_qrels};

use crate::text::{TextLine, TextLines};

/// The treatment of a document that stands twice under one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// The second line is an error, as in trec_eval.
    #[default]
    Error,
    /// The first line counts.
    First,
    /// The last line counts, as in programs that put lines into a dictionary (pytrec_eval, ranx).
    Last,
    /// The highest grade or score counts.
    Highest,
}

impl Duplicates {
    /// All policies, in the order in which help lists them.
    pub const ALL: [Duplicates; 4] = [Duplicates::Error, Duplicates::First, Duplicates::Last, Duplicates::Highest];

    /// The policy's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Duplicates::Error => "error",
            Duplicates::First => "first",
            Duplicates::Last => "last",
            Duplicates::Highest => "highest",
        }
    }

    /// The policy in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Duplicates::Error => "the second line is an error, as in trec_eval",
            Duplicates::First => "the first line counts",
            Duplicates::Last => {
                "the last line counts, as in programs that put lines into a dictionary (pytrec_eval, ranx)"
            }
            Duplicates::Highest => "the highest grade or score counts",
        }
    }

    /// Whether a later value replaces an earlier value; `None` if the later value is an error.
    fn replaces<T: PartialOrd>(self, earlier: T, later: T) -> Option<bool> {
        match self {
            Duplicates::Error => None,
            Duplicates::First => Some(false),
            Duplicates::Last => Some(true),
            Duplicates::Highest => Some(later > earlier),
        }
    }
}

impl fmt::Display for Duplicates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The remarks with a count above 0, one line each.
fn remarks<const N: usize>(counts: [(usize, String); N]) -> Vec<String> {
    counts.into_iter().filter(|(count, _)| *count > 0).map(|(_, remark)| remark).collect()
}

fn passed_over(comments: usize) -> String {
    format!("{} {} passed over", counted(comments, "comment line"), which(comments, "was", "were"))
}

/// Calls `take` for each line.
fn each_line(
    path: &Path,
    lines: &mut TextLines,
    mut take: impl FnMut(TextLine<'_>) -> Result<(), TrecErrorKind>,
) -> Result<(), TrecError> {
    while let Some(line) = lines.next_line().map_err(|error| TrecError::io(path, error))? {
        take(line).map_err(|kind| TrecError::new(path, line.number, kind))?;
    }
    Ok(())
}

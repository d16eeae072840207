//! Runs: the documents that a system retrieved for each topic.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};

use super::Duplicates;
use super::document_id::DocumentId;
use super::error::{TrecError, TrecErrorKind};
use super::gathered::{Gathered, OfDocument, Topic};
use super::{each_line, passed_over, remarks};
use crate::text::{TextLine, TextLines, fields, same, whole};

/// The documents that a system retrieved.
#[derive(Debug, Clone)]
pub struct Run {
    /// The file.
    pub file: PathBuf,
    /// The tag of the first line.
    pub tag: String,
    /// The topics, in the order of their first lines.
    pub topics: Vec<RunTopic>,
    /// Number of comment lines.
    pub comments: usize,
    /// Number of lines that repeat a document of their topic.
    pub repeated: usize,
    /// Number of lines whose tag differs from the first line's tag.
    pub other_tags: usize,
    /// Number of topics in which the rank column gives another order than the scores.
    pub ranks_differ: usize,
    /// The policy for a document that stands twice under a topic.
    pub duplicates: Duplicates,
    by_id: HashMap<String, usize>,
}

/// The documents that were retrieved for one topic.
#[derive(Debug, Clone)]
pub struct RunTopic {
    /// The topic's id.
    pub id: String,
    /// The documents in file order, each once.
    pub documents: Vec<Retrieved>,
}

/// One retrieved document.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieved {
    /// The document's id.
    pub document: DocumentId,
    /// The document's score, a finite number. A higher score comes earlier.
    pub score: f64,
    /// The rank column, which orders nothing.
    pub rank: i64,
}

impl OfDocument for Retrieved {
    fn document(&self) -> &DocumentId {
        &self.document
    }
}

impl Run {
    /// A run from memory: topic, document and score. `name` is its tag and stands for the file in
    /// messages; the number of a document, from 1, stands for its line. Ranks are not used.
    ///
    /// ```
    /// use fivefold_data::trec::{Duplicates, Run};
    ///
    /// let run = Run::of("mine", [("t1", "d1", 0.7), ("t1", "d2", 0.2)], Duplicates::Error)?;
    /// assert_eq!((run.documents(), run.tag.as_str()), (2, "mine"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`read_run`].
    pub fn of<'a>(
        name: &str,
        documents: impl IntoIterator<Item = (&'a str, &'a str, f64)>,
        duplicates: Duplicates,
    ) -> Result<Self, TrecError> {
        let (path, mut topics) = (Path::new(name), Gathered::default());
        for ((topic, document, score), number) in documents.into_iter().zip(1..) {
            if !score.is_finite() {
                return Err(TrecError::new(path, number, TrecErrorKind::Score { found: score.to_string() }));
            }
            topics.add(topic, number, Retrieved { document: document.into(), score, rank: 0 });
        }
        Ok(Run { tag: name.to_owned(), ..settled(path, topics, duplicates)?.unless_empty()? })
    }

    /// Refuses a run without a document.
    fn unless_empty(self) -> Result<Self, TrecError> {
        match self.topics.is_empty() {
            true => Err(TrecError::new(&self.file, 0, TrecErrorKind::Empty("document"))),
            false => Ok(self),
        }
    }

    /// The topic with this id.
    pub fn topic(&self, id: &str) -> Option<&RunTopic> {
        self.by_id.get(id).map(|&place| &self.topics[place])
    }

    /// The tag alone. The rest is freed here, which takes longer in a crate that is not optimised.
    pub fn into_tag(self) -> String {
        self.tag
    }

    /// Number of retrieved documents of all topics.
    pub fn documents(&self) -> usize {
        self.topics.iter().map(|topic| topic.documents.len()).sum()
    }

    /// Remarks on lines that were passed over and on policies, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let (repeated, other, differ) = (self.repeated, self.other_tags, self.ranks_differ);
        let repeat = which(repeated, "repeats a document of its topic", "repeat a document of their topic");
        let have = |count| which(count, "has", "have");
        let lines = |count| counted(count, "line");
        remarks([
            (self.comments, passed_over(self.comments)),
            (repeated, format!("{} {repeat} (duplicates: {})", lines(repeated), self.duplicates)),
            (other, format!("{} {} another tag than the first, `{}`", lines(other), have(other), self.tag)),
            (
                differ,
                format!(
                    "{} {} ranks that contradict the scores; the scores count, as in trec_eval",
                    counted(differ, "topic"),
                    have(differ)
                ),
            ),
        ])
    }
}

/// Reads a run file.
///
/// # Errors
/// [`TrecError`] names file and line. Under [`Duplicates::Error`], a document that stands twice
/// under a topic is an error.
pub fn read_run(path: &Path, duplicates: Duplicates) -> Result<Run, TrecError> {
    let mut topics = Gathered::default();
    let mut tag_of_first: Option<String> = None;
    let (mut comments, mut other_tags) = (0, 0);
    let mut lines = TextLines::open(path).map_err(|error| TrecError::io(path, error))?;
    let read = each_line(path, &mut lines, |line| {
        let Some(Line { topic, document, rank, score, tag }) = Line::parse(line)? else {
            comments += usize::from(!line.text.trim().is_empty());
            return Ok(());
        };
        other_tags += usize::from(!same(tag_of_first.get_or_insert_with(|| tag.to_owned()), tag));
        topics.add(topic, line.number, Retrieved { document: document.into(), score, rank });
        Ok(())
    });
    // A document that stands twice is the fault, if it stands before a line that cannot be read.
    let run = settled(path, topics, duplicates)?;
    read?;
    let run = run.unless_empty()?;
    let ranks_differ = run.topics.iter().filter(|topic| ranks_differ(&topic.documents)).count();
    Ok(Run { tag: tag_of_first.unwrap_or_default(), comments, other_tags, ranks_differ, ..run })
}

/// The documents of all topics, each once.
fn settled(path: &Path, topics: Gathered<Retrieved>, duplicates: Duplicates) -> Result<Run, TrecError> {
    let settled = topics.settle(duplicates, |retrieved| retrieved.score);
    let settled = settled.map_err(|twice| TrecError::twice(path, twice))?;
    let topic = |topic: Topic<Retrieved>| RunTopic { id: topic.id, documents: topic.items };
    Ok(Run {
        file: path.to_owned(),
        tag: String::new(),
        topics: settled.topics.into_iter().map(topic).collect(),
        comments: 0,
        repeated: settled.equal + settled.unequal,
        other_tags: 0,
        ranks_differ: 0,
        duplicates,
        by_id: settled.by_id,
    })
}

/// The fields of a line of a run.
pub(crate) struct Line<'a> {
    pub(crate) topic: &'a str,
    pub(crate) document: &'a str,
    pub(crate) rank: i64,
    pub(crate) score: f64,
    pub(crate) tag: &'a str,
}

impl<'a> Line<'a> {
    /// Parses a line; `None` for a blank line or a comment.
    #[inline(always)]
    pub(crate) fn parse(line: TextLine<'a>) -> Result<Option<Self>, TrecErrorKind> {
        let (found, [topic, _, document, rank, score, tag], _) = fields(line.text);
        if found == 0 || topic.as_bytes().first() == Some(&b'#') {
            return Ok(None);
        }
        TrecErrorKind::refuse_odd(line)?;
        if found < 6 {
            return Err(TrecErrorKind::Fields { found, expected: "6 or more" });
        }
        let rank = whole(rank).ok_or_else(|| TrecErrorKind::Rank { found: rank.to_owned() })?;
        match fast_float2::parse::<f64, _>(score) {
            Ok(score) if score.is_finite() => Ok(Some(Line { topic, document, rank, score, tag })),
            _ => Err(TrecErrorKind::Score { found: score.to_owned() }),
        }
    }
}

/// Whether a document has a better rank, but a lower score, than another document.
pub(crate) fn ranks_differ(documents: &[Retrieved]) -> bool {
    if documents.is_sorted_by(|one, next| one.rank < next.rank) {
        return documents.windows(2).any(|pair| pair[0].score < pair[1].score);
    }
    let mut by_rank: Vec<(i64, f64)> = documents.iter().map(|d| (d.rank, d.score)).collect();
    by_rank.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    by_rank.windows(2).any(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
}

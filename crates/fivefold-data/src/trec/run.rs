//! Runs: the documents that a system retrieved for each topic.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};

use super::Duplicates;
use super::error::{TrecError, TrecErrorKind};
use super::topics::Topics;
use super::{passed_over, remarks};
use crate::text::TextLines;

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
    pub document: String,
    /// The document's score, a finite number. A higher score comes earlier.
    pub score: f64,
    /// The rank column, which orders nothing.
    pub rank: i64,
}

impl Run {
    /// The topic with this id.
    pub fn topic(&self, id: &str) -> Option<&RunTopic> {
        self.by_id.get(id).map(|&place| &self.topics[place])
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
    let mut topics = Topics::default();
    let mut tag_of_first: Option<String> = None;
    let (mut comments, mut repeated, mut other_tags) = (0, 0, 0);
    let mut lines = TextLines::open(path).map_err(|error| TrecError::io(path, error))?;
    while let Some((line, text)) = lines.next().map_err(|error| TrecError::io(path, error))? {
        let wrong = |kind| TrecError::new(path, line, kind);
        let Some(Line { topic, document, rank, score, tag }) = Line::parse(text).map_err(wrong)? else {
            comments += usize::from(!text.trim().is_empty());
            continue;
        };
        other_tags += usize::from(tag_of_first.get_or_insert_with(|| tag.to_owned()) != tag);
        let new = || Retrieved { document: document.to_owned(), score, rank };
        let Some((known, first)) = topics.add(topic, document, line, new) else { continue };
        let replaces = duplicates.replaces(known.score, score);
        let replaces = replaces.ok_or_else(|| wrong(TrecErrorKind::duplicate(topic, document, first)))?;
        repeated += 1;
        if replaces {
            (known.score, known.rank) = (score, rank);
        }
    }
    let (topics, by_id) = topics.finish(|id, documents| RunTopic { id, documents });
    let Some(tag) = tag_of_first else {
        return Err(TrecError::new(path, 0, TrecErrorKind::Empty("document")));
    };
    let ranks_differ = topics.iter().filter(|topic: &&RunTopic| ranks_differ(&topic.documents)).count();
    Ok(Run { file: path.to_owned(), tag, topics, comments, repeated, other_tags, ranks_differ, duplicates, by_id })
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
    pub(crate) fn parse(text: &'a str) -> Result<Option<Self>, TrecErrorKind> {
        let mut fields = text.split_ascii_whitespace();
        let found: [Option<&str>; 6] = std::array::from_fn(|_| fields.next());
        if found[0].is_none_or(|mark| mark.starts_with('#')) {
            return Ok(None);
        }
        TrecErrorKind::refuse_odd(text)?;
        let (topic, document, rank, score, tag) = match found {
            [Some(topic), Some(_), Some(document), Some(rank), Some(score), Some(tag)] => {
                (topic, document, rank, score, tag)
            }
            _ => {
                let found = found.iter().flatten().count();
                return Err(TrecErrorKind::Fields { found, expected: "6 or more" });
            }
        };
        let rank: i64 = rank.parse().map_err(|_| TrecErrorKind::Rank { found: rank.to_owned() })?;
        match fast_float2::parse::<f64, _>(score) {
            Ok(score) if score.is_finite() => Ok(Some(Line { topic, document, rank, score, tag })),
            _ => Err(TrecErrorKind::Score { found: score.to_owned() }),
        }
    }
}

/// Whether a document has a better rank, but a lower score, than another document.
pub(crate) fn ranks_differ(documents: &[Retrieved]) -> bool {
    let mut by_rank: Vec<(i64, f64)> = documents.iter().map(|d| (d.rank, d.score)).collect();
    by_rank.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    by_rank.windows(2).any(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
}

//! Qrels: relevance judgements.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fivefold_base::Assessment;
use fivefold_base::words::{counted, which};
use fivefold_core::GradeScale;

use super::Duplicates;
use super::error::{TrecError, TrecErrorKind};
use super::topics::Topics;
use super::{passed_over, remarks};
use crate::text::TextLines;

/// The judgements of a qrels file.
#[derive(Debug, Clone)]
pub struct Qrels {
    /// The file.
    pub file: PathBuf,
    /// The topics, in the order of their first lines.
    pub topics: Vec<QrelsTopic>,
    /// Number of comment lines.
    pub comments: usize,
    /// Number of lines that repeat a document of their topic with the same grade.
    pub repeated: usize,
    /// Number of lines that repeat a document of their topic with another grade.
    pub conflicting: usize,
    /// Number of judgements with a negative grade.
    pub negative: usize,
    /// The policy for a document that is judged twice.
    pub duplicates: Duplicates,
    by_id: HashMap<String, usize>,
}

/// One topic's judgements.
#[derive(Debug, Clone)]
pub struct QrelsTopic {
    /// The topic's id.
    pub id: String,
    /// The topic's judged documents, in file order, each once.
    pub judgements: Vec<Judgement>,
    /// Places in `judgements`, by document id.
    by_id: Vec<u32>,
}

/// The judgement of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The document's id.
    pub document: String,
    /// The grade as written, which may be negative.
    pub grade: i32,
}

impl Judgement {
    /// The grade for measures; `None` for a negative grade, which counts as not judged.
    pub fn grade(&self) -> Option<u8> {
        u8::try_from(self.grade).ok()
    }
}

impl Qrels {
    /// The topic with this id.
    pub fn topic(&self, id: &str) -> Option<&QrelsTopic> {
        self.by_id.get(id).map(|&place| &self.topics[place])
    }

    /// The highest grade, at least 0.
    pub fn max_grade(&self) -> u8 {
        self.topics.iter().flat_map(|topic| &topic.judgements).filter_map(Judgement::grade).max().unwrap_or(0)
    }

    /// Number of judged documents of all topics.
    pub fn documents(&self) -> usize {
        self.topics.iter().map(|topic| topic.judgements.len()).sum()
    }

    /// Remarks on lines that were passed over and on policies, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let policy = self.duplicates;
        let twice = which(self.repeated, "stands", "stand");
        let contradict = which(self.conflicting, "contradicts", "contradict");
        let negative = which(self.negative, "is negative and counts", "are negative and count");
        remarks([
            (self.comments, passed_over(self.comments)),
            (
                self.repeated,
                format!(
                    "{} {twice} twice with the same grade (duplicates: {policy})",
                    counted(self.repeated, "judgement")
                ),
            ),
            (
                self.conflicting,
                format!(
                    "{} {contradict} an earlier one (duplicates: {policy})",
                    counted(self.conflicting, "judgement")
                ),
            ),
            (self.negative, format!("{} {negative} as not judged", counted(self.negative, "grade"))),
        ])
    }
}

impl QrelsTopic {
    /// The grades of the judged documents, without negative grades.
    pub fn grades(&self) -> Vec<u8> {
        self.judgements.iter().filter_map(Judgement::grade).collect()
    }

    /// What the topic's judgements say of a document.
    pub fn assessment(&self, document: &str) -> Assessment {
        match self.judgement(document) {
            Some(judgement) => judgement.grade().map_or(Assessment::Pooled, Assessment::Judged),
            None => Assessment::Unjudged,
        }
    }

    /// The judgement of a document; `None` if the document is not judged.
    pub fn judgement(&self, document: &str) -> Option<&Judgement> {
        let id = |place: &u32| self.judgements[*place as usize].document.as_str();
        let found = self.by_id.binary_search_by(|place| id(place).cmp(document)).ok()?;
        Some(&self.judgements[self.by_id[found] as usize])
    }
}

/// Reads a qrels file.
///
/// # Errors
/// [`TrecError`] names file and line. Under [`Duplicates::Error`], a document that stands twice
/// under a topic is an error, even with the same grade.
pub fn read_qrels(path: &Path, duplicates: Duplicates) -> Result<Qrels, TrecError> {
    let mut topics = Topics::default();
    let (mut comments, mut repeated, mut conflicting) = (0, 0, 0);
    let mut lines = TextLines::open(path).map_err(|error| TrecError::io(path, error))?;
    while let Some((line, text)) = lines.next().map_err(|error| TrecError::io(path, error))? {
        let wrong = |kind| TrecError::new(path, line, kind);
        let Some(Line { topic, document, grade }) = Line::parse(text).map_err(wrong)? else {
            comments += usize::from(!text.trim().is_empty());
            continue;
        };
        let new = || Judgement { document: document.to_owned(), grade };
        let Some((known, first)) = topics.add(topic, document, line, new) else { continue };
        let replaces = duplicates.replaces(known.grade, grade);
        let replaces = replaces.ok_or_else(|| wrong(TrecErrorKind::duplicate(topic, document, first)))?;
        *if known.grade == grade { &mut repeated } else { &mut conflicting } += 1;
        if replaces {
            known.grade = grade;
        }
    }
    let (topics, by_id) = topics.finish(topic);
    if topics.is_empty() {
        return Err(TrecError::new(path, 0, TrecErrorKind::Empty("judgement")));
    }
    let all = topics.iter().flat_map(|topic: &QrelsTopic| &topic.judgements);
    let negative = all.filter(|judgement| judgement.grade < 0).count();
    Ok(Qrels { file: path.to_owned(), topics, comments, repeated, conflicting, negative, duplicates, by_id })
}

/// The fields of a line of qrels.
pub(crate) struct Line<'a> {
    pub(crate) topic: &'a str,
    pub(crate) document: &'a str,
    pub(crate) grade: i32,
}

impl<'a> Line<'a> {
    /// Parses a line; `None` for a blank line or a comment.
    pub(crate) fn parse(text: &'a str) -> Result<Option<Self>, TrecErrorKind> {
        let mut fields = text.split_ascii_whitespace();
        let found: [Option<&str>; 5] = std::array::from_fn(|_| fields.next());
        if found[0].is_none_or(|mark| mark.starts_with('#')) {
            return Ok(None);
        }
        TrecErrorKind::refuse_odd(text)?;
        let (topic, document, grade) = match found {
            [Some(topic), Some(_), Some(document), Some(grade), None] => (topic, document, grade),
            _ => {
                let found = found.iter().flatten().count() + fields.count();
                return Err(TrecErrorKind::Fields { found, expected: "4" });
            }
        };
        let grade: i32 = grade.parse().map_err(|_| TrecErrorKind::Grade { found: grade.to_owned() })?;
        let scale = GradeScale::new(None);
        if grade >= 0 && !u8::try_from(grade).is_ok_and(|grade| scale.has(grade)) {
            let (topic, document, highest) = (topic.to_owned(), document.to_owned(), scale.highest());
            return Err(TrecErrorKind::HighGrade { topic, document, found: grade, highest });
        }
        Ok(Some(Line { topic, document, grade }))
    }
}

fn topic(id: String, judgements: Vec<Judgement>) -> QrelsTopic {
    let mut by_id: Vec<u32> = (0..judgements.len() as u32).collect();
    by_id.sort_unstable_by(|&a, &b| judgements[a as usize].document.cmp(&judgements[b as usize].document));
    QrelsTopic { id, judgements, by_id }
}

//! Qrels: relevance judgements.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fivefold_base::Assessment;
use fivefold_base::words::{counted, which};
use fivefold_core::GradeScale;

use super::Duplicates;
use super::document_id::DocumentId;
use super::error::{TrecError, TrecErrorKind};
use super::gathered::{Gathered, OfDocument, Places, Topic};
use super::run::{Retrieved, RunTopic};
use super::{TakesLines, passed_over, read_fields, remarks};
use crate::text::{TextLine, UsualLine, fields, whole};

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
    /// Places in `judgements`.
    places: Places,
}

/// The judgement of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The document's id.
    pub document: DocumentId,
    /// The grade as written, which may be negative.
    pub grade: i32,
}

impl Judgement {
    /// The grade for measures; `None` for a negative grade, which counts as not judged.
    pub fn grade(&self) -> Option<u8> {
        u8::try_from(self.grade).ok()
    }

    pub(super) fn assessment(&self) -> Assessment {
        self.grade().map_or(Assessment::Pooled, Assessment::Judged)
    }
}

impl OfDocument for Judgement {
    const IS_LOOKED_UP: bool = true;

    fn document(&self) -> &DocumentId {
        &self.document
    }
}

impl Qrels {
    /// Judgements from memory: topic, document and grade. `name` stands for the file in messages, and
    /// the number of a judgement, from 1, for its line.
    ///
    /// ```
    /// use fivefold_data::trec::{Duplicates, Qrels};
    ///
    /// let qrels = Qrels::of("mine", [("t1", "d1", 2), ("t1", "d2", 0)], Duplicates::Error)?;
    /// assert_eq!((qrels.documents(), qrels.max_grade()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`read_qrels`].
    pub fn of<'a>(
        name: &str,
        judgements: impl IntoIterator<Item = (&'a str, &'a str, i32)>,
        duplicates: Duplicates,
    ) -> Result<Self, TrecError> {
        let (path, mut topics) = (Path::new(name), Gathered::default());
        for ((topic, document, grade), number) in judgements.into_iter().zip(1..) {
            check_grade(topic, document, grade).map_err(|kind| TrecError::new(path, number, kind))?;
            topics.add(topic, number, Judgement { document: document.into(), grade });
        }
        settled(path, topics, duplicates)?.unless_empty()
    }

    /// Refuses qrels without a judgement.
    fn unless_empty(self) -> Result<Self, TrecError> {
        match self.topics.is_empty() {
            true => Err(TrecError::new(&self.file, 0, TrecErrorKind::Empty("judgement"))),
            false => Ok(self),
        }
    }

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
        let mut grades = Vec::with_capacity(self.judgements.len());
        grades.extend(self.judgements.iter().filter_map(Judgement::grade));
        grades
    }

    /// What the topic's judgements say of a document.
    pub fn assessment(&self, document: &str) -> Assessment {
        match self.judgement(document) {
            Some(judgement) => judgement.assessment(),
            None => Assessment::Unjudged,
        }
    }

    /// What the topic's judgements say of each document that a run retrieved, in the run's order.
    pub(super) fn assessments(&self, topic: &RunTopic) -> Vec<Assessment> {
        topic.documents.iter().map(|retrieved| self.of_document(&retrieved.document)).collect()
    }

    /// What the topic's judgements say of each document that a run retrieved, from the first document
    /// to the last: by falling score, and documents of one score by falling id. `f32` compares scores
    /// as 32-bit floats.
    pub fn ranked(&self, topic: &RunTopic, f32: bool) -> Vec<Assessment> {
        let compared = |retrieved: &Retrieved| match retrieved.score {
            score if f32 => f64::from(score as f32) + 0.0,
            score => score + 0.0,
        };
        // Most runs are in order, so nothing is left to sort.
        if topic.documents.is_sorted_by(|one, next| compared(one) > compared(next)) {
            return self.assessments(topic);
        }
        let mut ranked: Vec<&Retrieved> = topic.documents.iter().collect();
        ranked.sort_unstable_by(|one, other| {
            compared(other).total_cmp(&compared(one)).then_with(|| other.document.cmp(&one.document))
        });
        ranked.into_iter().map(|retrieved| self.of_document(&retrieved.document)).collect()
    }

    #[inline]
    fn of_document(&self, document: &DocumentId) -> Assessment {
        let found = self.places.find(&self.judgements, document);
        found.map_or(Assessment::Unjudged, |place| self.judgements[place].assessment())
    }

    /// The judgement of a document; `None` if the document is not judged.
    pub fn judgement(&self, document: &str) -> Option<&Judgement> {
        self.places.find(&self.judgements, &document.into()).map(|place| &self.judgements[place])
    }
}

/// Reads a qrels file.
///
/// # Errors
/// [`TrecError`] names file and line. Under [`Duplicates::Error`], a document that stands twice
/// under a topic is an error, even with the same grade.
pub fn read_qrels(path: &Path, duplicates: Duplicates) -> Result<Qrels, TrecError> {
    read_fields::<4, Reader>(path, duplicates)
}

/// The lines read so far.
#[derive(Default)]
pub(super) struct Reader {
    topics: Gathered<Judgement>,
    comments: usize,
}

impl TakesLines<4> for Reader {
    type Whole = Qrels;

    #[inline(always)]
    fn take_usual(&mut self, line: UsualLine<'_, 4>) -> bool {
        let (topic, (document, length)) = (line.field(0), line.text_at(2));
        let Some(grade) = usual_grade(line.field(3)).filter(|_| topic[0] != b'#') else { return false };
        let Some(document) = DocumentId::at_start(document, length) else { return false };
        self.topics.add_usual(topic, line.number, Judgement { document, grade });
        true
    }

    fn take(&mut self, line: TextLine<'_>) -> Result<(), TrecErrorKind> {
        match Line::parse(line)? {
            Some(Line { topic, document, grade, .. }) => {
                self.topics.add(topic, line.number, Judgement { document: document.into(), grade });
            }
            None => self.comments += usize::from(!line.text.trim().is_empty()),
        }
        Ok(())
    }

    fn finish(self, path: &Path, read: Result<(), TrecError>, duplicates: Duplicates) -> Result<Qrels, TrecError> {
        let qrels = Qrels { comments: self.comments, ..settled(path, self.topics, duplicates)? };
        read?;
        qrels.unless_empty()
    }
}

/// A grade of one digit, with or without a minus; `None` for all others.
#[inline(always)]
fn usual_grade(text: &[u8]) -> Option<i32> {
    let (sign, digit) = match *text {
        [digit] => (1, digit),
        [b'-', digit] => (-1, digit),
        _ => return None,
    };
    digit.is_ascii_digit().then(|| sign * i32::from(digit - b'0'))
}

/// The judgements of all topics, each document once.
fn settled(path: &Path, topics: Gathered<Judgement>, duplicates: Duplicates) -> Result<Qrels, TrecError> {
    let settled = topics.settle(duplicates, |judgement| judgement.grade);
    let settled = settled.map_err(|twice| TrecError::twice(path, twice))?;
    let (repeated, conflicting) = (settled.equal, settled.unequal);
    let topic = |topic: Topic<Judgement>| QrelsTopic { id: topic.id, judgements: topic.items, places: topic.places };
    let topics: Vec<QrelsTopic> = settled.topics.into_iter().map(topic).collect();
    let all = topics.iter().flat_map(|topic: &QrelsTopic| &topic.judgements);
    let negative = all.filter(|judgement| judgement.grade < 0).count();
    let (file, by_id) = (path.to_owned(), settled.by_id);
    Ok(Qrels { file, topics, comments: 0, repeated, conflicting, negative, duplicates, by_id })
}

/// Refuses a grade above the scale.
fn check_grade(topic: &str, document: &str, grade: i32) -> Result<(), TrecErrorKind> {
    let scale = GradeScale::new(None);
    if grade < 0 || u8::try_from(grade).is_ok_and(|grade| scale.has(grade)) {
        return Ok(());
    }
    let (topic, document, highest) = (topic.to_owned(), document.to_owned(), scale.highest());
    Err(TrecErrorKind::HighGrade { topic, document, found: grade, highest })
}

/// The fields of a line of qrels.
pub(crate) struct Line<'a> {
    pub(crate) topic: &'a str,
    /// The second field, which is a subtopic in qrels with subtopics.
    pub(crate) iteration: &'a str,
    pub(crate) document: &'a str,
    pub(crate) grade: i32,
}

impl<'a> Line<'a> {
    /// Parses a line; `None` for a blank line or a comment.
    pub(crate) fn parse(line: TextLine<'a>) -> Result<Option<Self>, TrecErrorKind> {
        let (found, [topic, iteration, document, grade], rest) = fields(line.text);
        if found == 0 || topic.as_bytes().first() == Some(&b'#') {
            return Ok(None);
        }
        TrecErrorKind::refuse_odd(line)?;
        let found = found + rest.split_ascii_whitespace().count();
        if found != 4 {
            return Err(TrecErrorKind::Fields { found, expected: "4" });
        }
        let found = whole(grade).and_then(|grade| i32::try_from(grade).ok());
        let grade = found.ok_or_else(|| TrecErrorKind::Grade { found: grade.to_owned() })?;
        check_grade(topic, document, grade)?;
        Ok(Some(Line { topic, iteration, document, grade }))
    }
}

//! Qrels with subtopics: `topic subtopic document judgement` a line.
//!
//! A document may stand once under each subtopic of a topic. The other rules are those of qrels.

use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};

use super::document_id::DocumentId;
use super::error::{TrecError, TrecErrorKind};
use super::gathered::{Gathered, OfDocument};
use super::qrels::Line;
use super::{Duplicates, each_line, passed_over, remarks};
use crate::text::TextLines;

/// The judgements of a file of qrels with subtopics.
#[derive(Debug, Clone)]
pub struct SubtopicQrels {
    /// The file.
    pub file: PathBuf,
    /// The topics, in the order of their first lines.
    pub topics: Vec<SubtopicsOfTopic>,
    /// Number of comment lines.
    pub comments: usize,
    /// Number of lines that repeat a document of their subtopic.
    pub repeated: usize,
    /// The policy for a document that is judged twice for a subtopic.
    pub duplicates: Duplicates,
}

/// One topic's judgements.
#[derive(Debug, Clone)]
pub struct SubtopicsOfTopic {
    /// The topic's id.
    pub id: String,
    /// The subtopics' ids, in the order of their first lines.
    pub subtopics: Vec<String>,
    /// The judged documents in the order of their ids, each once.
    pub documents: Vec<SubtopicsOfDocument>,
}

/// The judgements of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubtopicsOfDocument {
    /// The document's id.
    pub document: DocumentId,
    /// The subtopics for which the document was judged, as places in the topic's list, each with
    /// the judgement.
    pub judgements: Vec<(usize, i32)>,
}

impl SubtopicsOfDocument {
    /// The subtopics with a judgement of at least this grade.
    pub fn relevant_to(&self, threshold: u8) -> Vec<usize> {
        let relevant = self.judgements.iter().filter(|(_, grade)| *grade >= i32::from(threshold));
        relevant.map(|&(subtopic, _)| subtopic).collect()
    }
}

impl SubtopicQrels {
    /// The topic with this id.
    pub fn topic(&self, id: &str) -> Option<&SubtopicsOfTopic> {
        self.topics.iter().find(|topic| topic.id == id)
    }

    /// Remarks on lines that were passed over and on policies, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let (repeated, policy) = (self.repeated, self.duplicates);
        let stand = which(repeated, "stands", "stand");
        remarks([
            (self.comments, passed_over(self.comments)),
            (
                repeated,
                format!("{} {stand} twice under a subtopic (duplicates: {policy})", counted(repeated, "judgement")),
            ),
        ])
    }
}

/// A line: the document with its subtopic, and the judgement.
struct Judged {
    /// The document's id, a blank and the subtopic's id; neither has a blank.
    key: DocumentId,
    grade: i32,
}

impl OfDocument for Judged {
    const IS_LOOKED_UP: bool = false;

    fn document(&self) -> &DocumentId {
        &self.key
    }
}

/// Reads qrels with subtopics.
///
/// # Errors
/// As [`read_qrels`](super::read_qrels). A document that stands twice under a subtopic is treated
/// by `duplicates`.
pub fn read_subtopic_qrels(path: &Path, duplicates: Duplicates) -> Result<SubtopicQrels, TrecError> {
    let mut topics = Gathered::default();
    let mut comments = 0;
    let mut lines = TextLines::open(path).map_err(|error| TrecError::io(path, error))?;
    let read = each_line(path, &mut lines, |line| {
        match Line::parse(line)? {
            Some(Line { topic, iteration, document, grade }) => {
                let key = DocumentId::from(format!("{document} {iteration}").as_str());
                topics.add(topic, line.number, Judged { key, grade });
            }
            None => comments += usize::from(!line.text.trim().is_empty()),
        }
        Ok(())
    });
    let settled = topics.settle(duplicates, |judged| judged.grade).map_err(|twice| TrecError::twice(path, twice))?;
    read?;
    if settled.topics.is_empty() {
        return Err(TrecError::new(path, 0, TrecErrorKind::Empty("judgement")));
    }
    let repeated = settled.equal + settled.unequal;
    let topics = settled.topics.into_iter().map(|topic| of_topic(topic.id, &topic.items)).collect();
    Ok(SubtopicQrels { file: path.to_owned(), topics, comments, repeated, duplicates })
}

fn of_topic(id: String, judged: &[Judged]) -> SubtopicsOfTopic {
    let mut subtopics: Vec<String> = Vec::new();
    let mut all: Vec<(&str, (usize, i32))> = Vec::with_capacity(judged.len());
    for Judged { key, grade } in judged {
        let (document, subtopic) = key.rsplit_once(' ').unwrap_or((key, ""));
        let place = subtopics.iter().position(|known| known == subtopic).unwrap_or_else(|| {
            subtopics.push(subtopic.to_owned());
            subtopics.len() - 1
        });
        all.push((document, (place, *grade)));
    }
    all.sort_unstable();
    let of_document = |alike: &[(&str, (usize, i32))]| {
        let judgements = alike.iter().map(|&(_, judgement)| judgement).collect();
        SubtopicsOfDocument { document: alike[0].0.into(), judgements }
    };
    let documents = all.chunk_by(|one, other| one.0 == other.0).map(of_document).collect();
    SubtopicsOfTopic { id, subtopics, documents }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, duplicates: Duplicates) -> Result<SubtopicQrels, TrecError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("qrels");
        std::fs::write(&path, text).unwrap();
        read_subtopic_qrels(&path, duplicates)
    }

    #[test]
    fn a_document_has_a_judgement_for_each_subtopic() {
        let text = "# made\n2 s1 b 1\n2 s2 a 2\n2 s1 a 0\n1 0 x -2\n2 s2 b 1\n";
        let qrels = read(text, Duplicates::Error).unwrap();
        let topic = qrels.topic("2").unwrap();
        assert_eq!(topic.subtopics, ["s1", "s2"]);
        let documents: Vec<(&str, Vec<usize>)> =
            topic.documents.iter().map(|document| (&*document.document, document.relevant_to(1))).collect();
        assert_eq!(documents, [("a", vec![1]), ("b", vec![0, 1])]);
        assert_eq!(topic.documents[0].relevant_to(2), [1]);
        assert_eq!((qrels.topics.len(), qrels.remarks()), (2, vec!["1 comment line was passed over".to_owned()]));
        assert!(qrels.topic("3").is_none());
    }

    #[test]
    fn a_document_that_stands_twice_under_a_subtopic_is_an_error_or_settled() {
        let text = "1 1 a 1\n1 2 a 1\n1 1 a 0\n";
        let error = read(text, Duplicates::Error).unwrap_err();
        assert_eq!(error.line, 3);
        let qrels = read(text, Duplicates::Last).unwrap();
        assert_eq!((qrels.topics[0].documents[0].relevant_to(1), qrels.repeated), (vec![1], 1));
        assert!(matches!(read("", Duplicates::Error).unwrap_err().kind, TrecErrorKind::Empty(_)));
    }
}

//! Lints qrels, runs and score files from start to end, and goes on after a problem.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{GradeCounts, Problems};
use crate::scores::score;
use crate::text::{TextLine, TextLines};
use crate::trec::topics::Topics;
use crate::trec::{Retrieved, TrecErrorKind, qrels, run};

/// The content of a qrels file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QrelsReport {
    /// The file.
    pub file: PathBuf,
    /// Number of topics.
    pub topics: usize,
    /// Number of judged documents.
    pub documents: usize,
    /// Number of documents of each grade.
    pub grades: GradeCounts,
    /// Number of topics whose documents all have the same grade.
    pub single_grade_topics: usize,
    /// Number of topics without a grade above 0.
    pub topics_without_relevant: usize,
    /// Number of comment lines.
    pub comments: usize,
}

/// The content of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunReport {
    /// The file.
    pub file: PathBuf,
    /// The run's tags, in order of appearance.
    pub tags: Vec<String>,
    /// Number of topics.
    pub topics: usize,
    /// Number of retrieved documents.
    pub documents: usize,
    /// The smallest and the largest number of documents of a topic.
    pub documents_of_topic: [usize; 2],
    /// Number of documents whose score another document of the topic has too.
    pub tied_documents: usize,
    /// Number of topics whose ranks contradict the scores.
    pub ranks_differ: usize,
    /// Number of comment lines.
    pub comments: usize,
}

/// The content of a score file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScoresReport {
    /// The file.
    pub file: PathBuf,
    /// Number of scores.
    pub scores: usize,
    /// Number of different scores.
    pub different: usize,
    /// The lowest and the highest score; `None` if there is no score.
    pub range: Option<[f64; 2]>,
    /// Number of comment lines.
    pub comments: usize,
}

/// A column, from 1 (0 for the whole line), and the fault there.
type Wrong = (usize, String);

/// Passes each line to `take`. Errors become problems. Returns the number of
/// comments.
fn each_line(file: &Path, problems: &mut Problems, mut take: impl FnMut(TextLine<'_>) -> Result<bool, Wrong>) -> usize {
    let mut comments = 0;
    let mut read = || -> std::io::Result<()> {
        let mut lines = TextLines::open(file)?;
        while let Some(line) = lines.next_line()? {
            match take(line) {
                Ok(true) => {}
                Ok(false) => comments += usize::from(!line.text.trim().is_empty()),
                Err((column, what)) => problems.add(file, line.number, column, || what),
            }
        }
        Ok(())
    };
    if let Err(error) = read() {
        problems.add(file, 0, 0, || format!("cannot be read: {error}"));
    }
    comments
}

fn twice(topic: &str, document: &str, first: u64) -> Wrong {
    (0, TrecErrorKind::duplicate(topic, document, first).to_string())
}

fn wrong(kind: TrecErrorKind) -> Wrong {
    (kind.column(), kind.to_string())
}

/// Lints qrels.
pub(super) fn qrels(file: &Path, problems: &mut Problems) -> QrelsReport {
    let mut topics = Topics::default();
    let comments = each_line(file, problems, |line| {
        let number = line.number;
        let Some(line) = qrels::Line::parse(line).map_err(wrong)? else { return Ok(false) };
        match topics.add(line.topic, line.document, number, || line.grade) {
            Some((_, first)) => Err(twice(line.topic, line.document, first)),
            None => Ok(true),
        }
    });
    let (topics, _) = topics.finish(|_, grades: Vec<i32>| grades);
    let mut grades = GradeCounts::new();
    topics.iter().flatten().for_each(|&grade| *grades.entry(grade).or_default() += 1);
    if topics.is_empty() {
        problems.add(file, 0, 0, || "the file has no judgement that can be read".to_owned());
    }
    let count = |wanted: fn(&Vec<i32>) -> bool| topics.iter().filter(|grades| wanted(grades)).count();
    QrelsReport {
        file: file.to_owned(),
        topics: topics.len(),
        documents: topics.iter().map(Vec::len).sum(),
        grades,
        single_grade_topics: count(|grades| grades.iter().all(|&grade| grade == grades[0])),
        topics_without_relevant: count(|grades| grades.iter().all(|&grade| grade <= 0)),
        comments,
    }
}

/// Lints a run.
pub(super) fn run(file: &Path, problems: &mut Problems) -> RunReport {
    let mut topics = Topics::default();
    let (mut tags, mut known) = (Vec::new(), HashSet::new());
    let comments = each_line(file, problems, |line| {
        let number = line.number;
        let Some(line) = run::Line::parse(line).map_err(wrong)? else { return Ok(false) };
        if !known.contains(line.tag) {
            known.insert(line.tag.to_owned());
            tags.push(line.tag.to_owned());
        }
        let new = || Retrieved { document: line.document.into(), score: line.score, rank: line.rank };
        match topics.add(line.topic, line.document, number, new) {
            Some((_, first)) => Err(twice(line.topic, line.document, first)),
            None => Ok(true),
        }
    });
    let (topics, _) = topics.finish(|_, documents: Vec<Retrieved>| documents);
    if topics.is_empty() {
        problems.add(file, 0, 0, || "the file has no document that can be read".to_owned());
    }
    let sizes = || topics.iter().map(Vec::len);
    RunReport {
        file: file.to_owned(),
        tags,
        topics: topics.len(),
        documents: sizes().sum(),
        documents_of_topic: [sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)],
        tied_documents: topics.iter().map(|documents| tied(documents)).sum(),
        ranks_differ: topics.iter().filter(|documents| run::ranks_differ(documents)).count(),
        comments,
    }
}

fn tied(documents: &[Retrieved]) -> usize {
    let mut scores: HashMap<u64, usize> = HashMap::new();
    documents.iter().for_each(|document| *scores.entry((document.score + 0.0).to_bits()).or_default() += 1);
    scores.values().filter(|&&count| count > 1).sum()
}

/// Lints a score file.
pub(super) fn scores(file: &Path, problems: &mut Problems) -> ScoresReport {
    let (mut count, mut different) = (0, HashSet::new());
    let mut range: Option<[f64; 2]> = None;
    let comments = each_line(file, problems, |line| {
        let Some(score) = score(line.text).map_err(|(column, what)| (column, what.to_string()))? else {
            return Ok(false);
        };
        count += 1;
        different.insert((score + 0.0).to_bits());
        let [least, most] = range.unwrap_or([score; 2]);
        range = Some([least.min(score), most.max(score)]);
        Ok(true)
    });
    if count == 0 {
        problems.add(file, 0, 0, || "the file has no score that can be read".to_owned());
    }
    ScoresReport { file: file.to_owned(), scores: count, different: different.len(), range, comments }
}

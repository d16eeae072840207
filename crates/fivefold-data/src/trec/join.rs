//! Joins a run and the qrels, as the input of measures.
//!
//! Every topic of the qrels has its place. A topic that the run lacks retrieved nothing, has the
//! value 0, and is counted. Without `-c`, trec_eval leaves out such topics. [`Joined::in_run`]
//! tells which topics the run has. A topic of the run without judgements is left out and counted. A
//! retrieved document without a judgement has grade 0 and is counted.

use fivefold_base::Assessment;
use fivefold_base::words::{counted, which};

use super::error::{TrecError, TrecErrorKind};
use super::qrels::{Qrels, QrelsTopic};
use super::remarks;
use super::run::{Retrieved, Run};

/// A run with the grades of its retrieved documents.
#[derive(Debug, Clone)]
pub struct Joined<'a> {
    /// One entry for each topic of the qrels, in the same order.
    pub topics: Vec<JoinedTopic<'a>>,
    /// What only one of the two has.
    pub matched: Matched,
}

/// How many topics and documents only the run or only the qrels have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Matched {
    /// Number of topics of the qrels.
    pub topics: usize,
    /// Number of topics of the qrels that the run lacks.
    pub missing: usize,
    /// Number of topics of the run that the qrels lack, and that are left out.
    pub extra: usize,
    /// Number of retrieved documents without a judgement, over all topics.
    pub unjudged: usize,
    /// Number of retrieved documents over all topics of the qrels.
    pub retrieved: usize,
    /// Whether documents without a judgement are removed before measures look at the run.
    pub removed: bool,
}

/// The documents that were retrieved for one topic, in the order of the run's file.
#[derive(Debug, Clone)]
pub struct JoinedTopic<'a> {
    /// The topic's id.
    pub id: &'a str,
    /// Whether the run has the topic.
    pub in_run: bool,
    /// The documents.
    pub documents: &'a [Retrieved],
    /// The documents' scores.
    pub scores: Vec<f64>,
    /// What the qrels say of each document.
    pub assessments: Vec<Assessment>,
    /// Number of documents without a judgement.
    pub unjudged: usize,
}

impl<'a> JoinedTopic<'a> {
    /// Joins what a run retrieved for a topic and the judgements, and counts its documents in `matched`.
    pub fn new(judged: &'a QrelsTopic, run: &'a Run, matched: &mut Matched) -> Self {
        let topic = run.topic(&judged.id);
        let documents = topic.map_or(&[][..], |topic| &topic.documents);
        let assessments = topic.map_or_else(Vec::new, |topic| judged.assessments(topic));
        let unjudged = assessments.iter().filter(|assessment| !assessment.is_judged()).count();
        matched.unjudged += unjudged;
        matched.retrieved += documents.len();
        let scores = documents.iter().map(|retrieved| retrieved.score).collect();
        JoinedTopic { id: &judged.id, in_run: topic.is_some(), documents, scores, assessments, unjudged }
    }

    /// The ids of the documents.
    pub fn ids(&self) -> Vec<&'a str> {
        self.documents.iter().map(|retrieved| retrieved.document.as_str()).collect()
    }
}

impl<'a> Joined<'a> {
    /// Joins a run and the judgements.
    pub fn new(qrels: &'a Qrels, run: &'a Run) -> Self {
        let mut matched = Matched::of_topics(qrels, run);
        let topics = qrels.topics.iter().map(|judged| JoinedTopic::new(judged, run, &mut matched)).collect();
        Joined { topics, matched }
    }

    /// The same, for runs that must have a topic of the qrels.
    ///
    /// # Errors
    /// If the run has topics, and the qrels have none of them.
    pub fn that_share(qrels: &'a Qrels, run: &'a Run) -> Result<Self, TrecError> {
        some_shared(run, qrels.topics.iter().map(|topic| topic.id.as_str()))?;
        Ok(Joined::new(qrels, run))
    }

    /// Whether the run has the topic, for each topic of the qrels.
    pub fn in_run(&self) -> impl Iterator<Item = bool> {
        self.topics.iter().map(|topic| topic.in_run)
    }

    /// Remarks on topics and documents that only one of the two has, one line each.
    pub fn remarks(&self) -> Vec<String> {
        self.matched.remarks()
    }

    /// The remark on documents that are not judged; one of [`Joined::remarks`].
    pub fn unjudged_remark(&self) -> Option<String> {
        self.matched.unjudged_remark()
    }
}

/// Refuses a run that has topics, but none of these judged topics: every value would be 0.
///
/// # Errors
/// [`TrecErrorKind::NoTopicShared`], with the file of the run.
pub fn some_shared<'t>(run: &Run, mut judged: impl Iterator<Item = &'t str> + Clone) -> Result<(), TrecError> {
    let (Some(of_run), Some(of_qrels)) = (run.topics.first(), judged.clone().next()) else { return Ok(()) };
    if judged.any(|topic| run.topic(topic).is_some()) {
        return Ok(());
    }
    let kind = TrecErrorKind::NoTopicShared { of_run: of_run.id.clone(), of_qrels: of_qrels.to_owned() };
    Err(TrecError::new(&run.file, 0, kind))
}

impl Matched {
    /// Counts topics; [`JoinedTopic::new`] counts the documents of each.
    pub fn of_topics(qrels: &Qrels, run: &Run) -> Self {
        let missing = qrels.topics.iter().filter(|judged| run.topic(&judged.id).is_none()).count();
        let extra = run.topics.iter().filter(|topic| qrels.topic(&topic.id).is_none()).count();
        Matched { topics: qrels.topics.len(), missing, extra, ..Matched::default() }
    }

    /// Remarks on topics and documents that only one of the two has, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let (missing, extra) = (self.missing, self.extra);
        let are = which(missing, "is", "are");
        let topics = counted(self.topics, "topic");
        let without = which(extra, "has no judgements and is left out", "have no judgements and are left out");
        let of_topics = remarks([
            (missing, format!("{missing} of {topics} {are} missing from the run and retrieved nothing")),
            (extra, format!("{} {without}", counted(extra, "topic of the run"))),
        ]);
        of_topics.into_iter().chain(self.unjudged_remark()).collect()
    }

    /// The remark on documents that are not judged; one of [`Matched::remarks`].
    pub fn unjudged_remark(&self) -> Option<String> {
        let unjudged = self.unjudged;
        let retrieved = counted(self.retrieved, "retrieved document");
        let (are, have) = (which(unjudged, "is", "are"), which(unjudged, "has", "have"));
        let so = if self.removed { format!("{are} removed") } else { format!("{have} grade 0") };
        (unjudged > 0).then(|| format!("{unjudged} of {retrieved} {are} not judged and {so}"))
    }
}

//! A run beside the qrels: what measures are computed from.
//!
//! Every topic of the qrels has its place, also those that the run lacks: they retrieved nothing, score 0 and are counted (trec_eval
//! leaves them out unless it is given `-c`; [`Joined::in_run`] tells them apart). Topics of the run without judgements are left
//! out and counted. A retrieved document without a judgement has grade 0 and is counted.

use fivefold_base::words::{counted, which};

use super::qrels::{Judgement, Qrels};
use super::remarks;
use super::run::Run;

/// A run with the grades of what it retrieved.
#[derive(Debug, Clone)]
pub struct Joined<'a> {
    /// One for each topic of the qrels, in their order.
    pub topics: Vec<JoinedTopic<'a>>,
    /// Topics of the qrels that the run lacks.
    pub missing: usize,
    /// Topics of the run that the qrels lack; they are left out.
    pub extra: usize,
    /// Retrieved documents without a judgement, over all topics.
    pub unjudged: usize,
    /// Retrieved documents over all topics of the qrels.
    pub retrieved: usize,
}

/// What was retrieved for one topic, in the order of the run's file.
#[derive(Debug, Clone)]
pub struct JoinedTopic<'a> {
    /// The topic's id.
    pub id: &'a str,
    /// Whether the run has the topic.
    pub in_run: bool,
    /// The documents.
    pub documents: Vec<&'a str>,
    /// Their scores.
    pub scores: Vec<f64>,
    /// Their grades, 0 without a judgement.
    pub grades: Vec<u8>,
    /// How many of them have no judgement.
    pub unjudged: usize,
}

impl<'a> Joined<'a> {
    /// Brings a run and the judgements together.
    pub fn new(qrels: &'a Qrels, run: &'a Run) -> Self {
        let mut joined =
            Joined { topics: Vec::with_capacity(qrels.topics.len()), missing: 0, extra: 0, unjudged: 0, retrieved: 0 };
        for judged in &qrels.topics {
            let topic = run.topic(&judged.id);
            let documents = topic.map_or(&[][..], |topic| &topic.documents);
            let judged_as = |document: &str| judged.judgement(document).and_then(Judgement::grade);
            let found: Vec<Option<u8>> = documents.iter().map(|retrieved| judged_as(&retrieved.document)).collect();
            let unjudged = found.iter().filter(|grade| grade.is_none()).count();
            joined.missing += usize::from(topic.is_none());
            joined.unjudged += unjudged;
            joined.retrieved += documents.len();
            joined.topics.push(JoinedTopic {
                id: &judged.id,
                in_run: topic.is_some(),
                documents: documents.iter().map(|retrieved| retrieved.document.as_str()).collect(),
                scores: documents.iter().map(|retrieved| retrieved.score).collect(),
                grades: found.into_iter().map(|grade| grade.unwrap_or(0)).collect(),
                unjudged,
            });
        }
        joined.extra = run.topics.iter().filter(|topic| qrels.topic(&topic.id).is_none()).count();
        joined
    }

    /// Whether the run has each topic of the qrels.
    pub fn in_run(&self) -> impl Iterator<Item = bool> {
        self.topics.iter().map(|topic| topic.in_run)
    }

    /// What the two have not in common, one line each.
    pub fn remarks(&self) -> Vec<String> {
        let (missing, extra, unjudged) = (self.missing, self.extra, self.unjudged);
        let are = |count| which(count, "is", "are");
        let topics = counted(self.topics.len(), "topic");
        let retrieved = counted(self.retrieved, "retrieved document");
        let without = which(extra, "has no judgements and is left out", "have no judgements and are left out");
        remarks([
            (missing, format!("{missing} of {topics} {} missing from the run and retrieved nothing", are(missing))),
            (extra, format!("{} {without}", counted(extra, "topic of the run"))),
            (
                unjudged,
                format!(
                    "{unjudged} of {retrieved} {} not judged and {} grade 0",
                    are(unjudged),
                    which(unjudged, "has", "have")
                ),
            ),
        ])
    }
}

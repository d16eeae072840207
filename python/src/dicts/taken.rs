//! What runs retrieved for the topics of the qrels, and its values.

use std::cell::OnceCell;
use std::sync::atomic::Ordering;

use fivefold_base::dataset::IdTable;
use fivefold_data::trec::{HashedDocuments, JudgedDocuments, Judgement, Matched, Qrels, QrelsTopic};
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::{Evaluator, Pool, Retrieved, RunValues};
use fivefold_metrics::{Assessment, MeasureError};
use fivefold_studies::run_values::ValuesOfRun;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rayon::prelude::*;

use super::layout::{Entries, Layout};
use super::{DictRun, walk};
use crate::errors::data;
use crate::work::in_threads;

/// The judged documents of the topics, by what documents of runs are known by.
struct Judged<'q> {
    qrels: &'q Qrels,
    by_hash: Option<(Layout, Vec<HashedDocuments>)>,
    by_text: OnceCell<Vec<JudgedDocuments<'q>>>,
}

impl<'q> Judged<'q> {
    /// `hashes` are those of all documents, in order.
    fn new(py: Python<'_>, qrels: &'q Qrels, hashes: Option<&[u64]>) -> PyResult<Self> {
        let mut judged = Judged { qrels, by_hash: None, by_text: OnceCell::new() };
        let Some(layout) = Layout::proved(py) else { return Ok(judged) };
        let own;
        let mut hashes = match hashes.filter(|hashes| hashes.len() == qrels.documents()) {
            Some(hashes) => hashes,
            None => {
                let documents = qrels.topics.iter().flat_map(|topic| &topic.judgements);
                let hash = |judgement: &Judgement| Ok(PyString::new(py, &judgement.document).hash()? as u64);
                own = documents.map(hash).collect::<PyResult<Vec<u64>>>()?;
                &own
            }
        };
        let of_topic = |topic: &QrelsTopic| {
            let (of_topic, others) = hashes.split_at(topic.judgements.len());
            hashes = others;
            HashedDocuments::of(topic, of_topic)
        };
        let tables: Option<Vec<_>> = qrels.topics.iter().map(of_topic).collect();
        judged.by_hash = tables.map(|tables| (layout, tables));
        Ok(judged)
    }

    fn by_text(&self, topic: usize) -> &JudgedDocuments<'q> {
        &self.by_text.get_or_init(|| self.qrels.topics.iter().map(JudgedDocuments::of).collect())[topic]
    }
}

/// What the runs retrieved for a topic, run after run.
#[derive(Default)]
struct Taken {
    scores: Vec<f64>,
    assessments: Vec<Assessment>,
    runs: Vec<OfRun>,
}

struct OfRun {
    /// The place after its last document.
    end: usize,
    in_run: bool,
    ids: Option<IdTable>,
}

/// A document that may be judged.
#[derive(Debug, Clone, Copy, Default)]
struct Candidate {
    /// The place of its entry in the dict.
    entry: u32,
    /// Its place among the documents of the run.
    document: u32,
    /// Where the table of judged documents may have it.
    place: u32,
}

impl Taken {
    fn clear(&mut self) {
        self.scores.clear();
        self.assessments.clear();
        self.runs.clear();
    }

    /// Adds what a run retrieved; false, without a document, if its dict holds something else than
    /// texts and finite numbers. `next` is read afterwards.
    fn add(
        &mut self,
        [documents, next]: [Option<&Bound<'_, PyDict>>; 2],
        topic: usize,
        judged: &Judged<'_>,
        evaluator: &Evaluator,
        candidates: &mut Vec<Candidate>,
    ) -> PyResult<bool> {
        let start = self.scores.len();
        // A topic that the run lacks has all its ids.
        let mut own = OfRun { end: start, in_run: documents.is_some(), ids: Some(IdTable::default()) };
        let mut done = true;
        if let Some(documents) = documents {
            let by_hash = judged.by_hash.as_ref().and_then(|(layout, tables)| {
                let next = next.and_then(|next| layout.entries(next));
                let entries = layout.entries(documents)?;
                Some(self.add_by_hash(&entries, next.as_ref(), &tables[topic], candidates))
            });
            done = by_hash == Some(true) || self.add_by_text(documents, judged.by_text(topic));
            if done {
                let asked = evaluator.asks_ids(&self.scores[start..]);
                own.ids = if asked { Some(table_of(documents)?) } else { None };
                own.end = self.scores.len();
            }
        }
        self.runs.push(own);
        Ok(done)
    }

    /// Adds documents; false, without any of them, if one is not plain ASCII or has no finite number.
    fn add_by_hash(
        &mut self,
        entries: &Entries<'_>,
        next: Option<&Entries<'_>>,
        judged: &HashedDocuments,
        candidates: &mut Vec<Candidate>,
    ) -> bool {
        let start = self.scores.len();
        self.scores.resize(start + entries.places(), 0.0);
        self.assessments.resize(start + entries.places(), Assessment::Unjudged);
        candidates.resize(entries.places() + 1, Candidate::default());
        let (scores, assessments) = (&mut self.scores[start..], &mut self.assessments[start..]);
        let (mut documents, mut found) = (0, 0);
        let read = entries.each(next, |entry, text, score| {
            let place = judged.first_look(text.hash());
            scores[documents] = score;
            // Without a branch: the next entry takes the place of one that is not judged.
            candidates[found] = Candidate { entry: entry as u32, document: documents as u32, place };
            documents += 1;
            found += usize::from(place > 0);
        });
        let mut settle = |&Candidate { entry, document, place }: &Candidate| {
            let Some(text) = entries.text(entry as usize).bytes() else { return false };
            assessments[document as usize] = judged.assessment(judged.settled(place, text));
            true
        };
        let done = read && candidates[..found].iter().all(&mut settle);
        let end = if done { start + documents } else { start };
        self.scores.truncate(end);
        self.assessments.truncate(end);
        done
    }

    /// Adds documents; false, without any of them, if one is no text or has no finite number.
    fn add_by_text(&mut self, documents: &Bound<'_, PyDict>, judged: &JudgedDocuments<'_>) -> bool {
        let (start, scores, assessments) = (self.scores.len(), &mut self.scores, &mut self.assessments);
        let done = walk::documents(documents, |document, score| {
            scores.push(score);
            assessments.push(judged.assessment(document));
        });
        if !done {
            scores.truncate(start);
            assessments.truncate(start);
        }
        done
    }

    /// Adds the values of all runs.
    fn measure(&self, pool: &Pool, found: &mut RunValues<'_>) -> Result<(), MeasureError> {
        let mut start = 0;
        for OfRun { end, in_run, ids, .. } in &self.runs {
            let ids: Option<Vec<&str>> = ids.as_ref().map(|ids| (0..ids.len()).map(|place| ids.get(place)).collect());
            let (scores, assessments) = (&self.scores[start..*end], &self.assessments[start..*end]);
            found.add(pool, Retrieved { scores, assessments, ids: ids.as_deref(), in_run: *in_run })?;
            start = *end;
        }
        Ok(())
    }
}

fn table_of(documents: &Bound<'_, PyDict>) -> PyResult<IdTable> {
    let mut ids = IdTable::default();
    for (document, _) in documents.iter() {
        ids.push(document.cast::<PyString>()?.to_str()?);
    }
    Ok(ids)
}

/// Runs that are walked topic by topic.
struct Walked<'a, 'py> {
    /// `[topic * runs + run]`.
    dicts: Vec<Option<&'a Bound<'py, PyDict>>>,
    judged: Judged<'a>,
    evaluator: &'a Evaluator,
    /// What is known of each run; `None` for one whose dicts hold something else than texts and finite
    /// numbers.
    runs: Vec<Option<Matched>>,
    candidates: Vec<Candidate>,
}

impl Walked<'_, '_> {
    /// What the runs retrieved for a topic.
    fn take(&mut self, topic: usize, taken: &mut Taken) -> PyResult<()> {
        taken.clear();
        let first = topic * self.runs.len();
        for (place, matched) in (first..).zip(&mut self.runs) {
            if let Some((layout, _)) = &self.judged.by_hash {
                layout.ask_for(&self.dicts[place + 1..]);
            }
            let documents = self.dicts[place].filter(|_| matched.is_some());
            let next = self.dicts.get(place + 1).copied().flatten();
            let start = taken.assessments.len();
            if !taken.add([documents, next], topic, &self.judged, self.evaluator, &mut self.candidates)? {
                *matched = None;
            }
            if let Some(matched) = matched {
                let own = &taken.assessments[start..];
                matched.retrieved += own.len();
                matched.unjudged += own.iter().map(|assessment| usize::from(!assessment.is_judged())).sum::<usize>();
            }
        }
        Ok(())
    }

    /// The values of each run, from those of all runs on each topic, `[topic * runs + run]`, in parts.
    fn of_runs(&self, parts: &[RunValues<'_>]) -> Vec<Option<ValuesOfRun>> {
        let (runs, columns) = (self.runs.len(), self.evaluator.names().len());
        let removed = self.evaluator.conventions().unjudged == Unjudged::Removed;
        let of_run = |(run, matched): (usize, &Option<Matched>)| {
            let remarks = Matched { removed, ..(*matched)? }.remarks();
            let mut own = ValuesOfRun { values: Vec::new(), left_out: Vec::new(), remarks };
            for part in parts {
                own.values.extend(part.values().chunks(columns.max(1)).skip(run).step_by(runs).flatten());
                own.left_out.extend(part.left_out().iter().skip(run).step_by(runs));
            }
            Some(own)
        };
        self.runs.iter().enumerate().map(of_run).collect()
    }
}

/// The values of runs on all topics of the qrels. `None` stands for a run whose dicts hold something
/// else than texts and finite numbers. `pools` are the judged documents of the topics. The qrels come
/// with the hashes of their documents, if these are known.
pub(crate) fn values_of_runs(
    py: Python<'_>,
    runs: &[DictRun<'_>],
    (qrels, hashes): (&Qrels, Option<&[u64]>),
    pools: &[Pool],
    evaluator: &Evaluator,
    threads: usize,
) -> PyResult<Vec<Option<ValuesOfRun>>> {
    let of_topic = |topic: usize| runs.iter().map(move |run| run.by_topic[topic].as_ref());
    let mut walked = Walked {
        dicts: (0..pools.len()).flat_map(of_topic).collect(),
        judged: Judged::new(py, qrels, hashes)?,
        evaluator,
        runs: runs.iter().map(|run| Some(run.matched)).collect(),
        candidates: Vec::new(),
    };
    let found: Vec<RunValues<'_>> = if threads == 1 {
        // Each topic while it is in the processor's cache.
        let (mut taken, mut found) = (Taken::default(), RunValues::new(evaluator));
        for (topic, pool) in pools.iter().enumerate() {
            py.check_signals()?;
            walked.take(topic, &mut taken)?;
            py.detach(|| taken.measure(pool, &mut found)).map_err(data)?;
        }
        vec![found]
    } else {
        let mut taken = Vec::with_capacity(pools.len());
        for topic in 0..pools.len() {
            let mut own = Taken::default();
            walked.take(topic, &mut own)?;
            taken.push(own);
        }
        let found = in_threads(py, threads, |stop| {
            let of_topic = |(taken, pool): (&Taken, &Pool)| {
                let mut found = RunValues::new(evaluator);
                let stopped = stop.load(Ordering::Relaxed);
                (!stopped).then(|| taken.measure(pool, &mut found).map(|()| found)).transpose()
            };
            taken.par_iter().zip(pools).map(of_topic).collect::<Result<Option<_>, MeasureError>>()
        })?;
        found.map_err(data)?.ok_or_else(|| PyKeyboardInterrupt::new_err(()))?
    };
    Ok(walked.of_runs(&found))
}

//! Runs and qrels as dicts of dicts, taken without a copy of their ids.
//!
//! An id is looked up where it lies in a small table of the judged documents ([`JudgedDocuments`]), and is
//! copied only where it may decide between equal scores. Dicts of anything but texts and numbers, and
//! dicts with a fault, are left to [`crate::trec`], which is slower and names the fault.
//!
//! What bounds the speed is memory: a document is three objects, in three places. To walk the topics
//! of all runs in turn, so that one table stays in the cache, was slower: dicts of one run lie together.

mod walk;

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use fivefold_base::dataset::IdTable;
use fivefold_data::trec::{Duplicates, JudgedDocuments, Matched, Qrels};
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::{Evaluator, Pool, Retrieved, RunValues};
use fivefold_metrics::{Assessment, MeasureError};
use fivefold_studies::run_values::ValuesOfRun;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};
use rayon::prelude::*;

use crate::errors::data;
use crate::work::in_threads;

/// A dict of Python's own type: a subclass may have another order or other content.
fn plain_dict<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    value.cast_exact::<PyDict>().ok().cloned()
}

/// Qrels from a dict of dicts of texts and ints; `None` if the source is something else, or has a
/// fault.
pub(crate) fn plain_qrels(source: &Bound<'_, PyAny>, duplicates: Duplicates) -> PyResult<Option<Qrels>> {
    let Some(topics) = plain_dict(source) else { return Ok(None) };
    let mut dicts = Vec::with_capacity(topics.len());
    for (topic, documents) in topics.iter() {
        match (topic.cast_into_exact::<PyString>(), plain_dict(&documents)) {
            (Ok(topic), Some(documents)) => dicts.push((topic, documents)),
            _ => return Ok(None),
        }
    }
    let mut rows = Vec::with_capacity(dicts.iter().map(|(_, documents)| documents.len()).sum());
    for (topic, documents) in &dicts {
        let topic = topic.to_str()?;
        if !walk::judgements(documents, |document, grade| rows.push((topic, document, grade))) {
            return Ok(None);
        }
    }
    Ok(Qrels::of("qrels", rows, duplicates).ok())
}

/// A run: the documents of each topic of the qrels.
pub(crate) struct DictRun<'py> {
    by_topic: Vec<Option<Bound<'py, PyDict>>>,
    matched: Matched,
}

impl<'py> DictRun<'py> {
    /// Takes a run; `None` if it is no dict of dicts. `places` are the topics of the qrels.
    pub(crate) fn take(run: &Bound<'py, PyAny>, places: &Places<'_>) -> PyResult<Option<Self>> {
        let Some(run) = plain_dict(run) else { return Ok(None) };
        let topics = places.0.len();
        let (mut by_topic, mut matched) = (vec![None; topics], Matched { topics, ..Matched::default() });
        let (mut texts, mut numbers) = (0, 0);
        for (topic, documents) in run.iter() {
            texts += usize::from(topic.is_exact_instance_of::<PyString>());
            numbers += usize::from(topic.is_exact_instance_of::<PyInt>());
            // Topics of one type have texts of their own.
            if texts > 0 && numbers > 0 || texts + numbers == 0 {
                return Ok(None);
            }
            let Some(documents) = plain_dict(&documents) else { return Ok(None) };
            match places.of(&topic)? {
                _ if documents.is_empty() => {}
                Some(place) => by_topic[place] = Some(documents),
                None if walk::documents(&documents, |_, _| ()) => matched.extra += 1,
                None => return Ok(None),
            }
        }
        // A run without documents for the topics of the qrels is an error.
        if texts + numbers < run.len() || by_topic.iter().all(Option::is_none) {
            return Ok(None);
        }
        matched.missing = by_topic.iter().filter(|documents| documents.is_none()).count();
        Ok(Some(DictRun { by_topic, matched }))
    }
}

/// The places of the topics in the qrels, by id.
pub(crate) struct Places<'q>(HashMap<&'q str, usize>);

impl<'q> Places<'q> {
    pub(crate) fn new(qrels: &'q Qrels) -> Self {
        Places(qrels.topics.iter().map(|topic| topic.id.as_str()).zip(0..).collect())
    }

    fn of(&self, topic: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        Ok(self.0.get(topic.str()?.to_str()?).copied())
    }
}

/// What a run retrieved for the topics of the qrels, one after the other.
struct Taken {
    scores: Vec<f64>,
    assessments: Vec<Assessment>,
    topics: Vec<Topic>,
    matched: Matched,
}

struct Topic {
    /// The place after its last document.
    end: usize,
    in_run: bool,
    ids: Option<IdTable>,
}

impl Taken {
    /// Walks the dicts; `None` if one of them holds something else than texts and finite numbers.
    fn of(run: &DictRun<'_>, judged: &[JudgedDocuments<'_>], evaluator: &Evaluator) -> PyResult<Option<Self>> {
        let documents = run.by_topic.iter().flatten().map(|documents| documents.len()).sum();
        let mut taken = Taken {
            scores: Vec::with_capacity(documents),
            assessments: Vec::with_capacity(documents),
            topics: Vec::with_capacity(judged.len()),
            matched: Matched { retrieved: documents, ..run.matched },
        };
        for (documents, judged) in run.by_topic.iter().zip(judged) {
            if !taken.add(documents.as_ref(), judged, evaluator)? {
                return Ok(None);
            }
        }
        taken.matched.unjudged = taken.assessments.iter().filter(|assessment| !assessment.is_judged()).count();
        Ok(Some(taken))
    }

    /// Adds a topic; false if its dict holds something else than texts and finite numbers.
    fn add(
        &mut self,
        documents: Option<&Bound<'_, PyDict>>,
        judged: &JudgedDocuments<'_>,
        evaluator: &Evaluator,
    ) -> PyResult<bool> {
        // A topic that the run lacks has all its ids.
        let (start, mut ids) = (self.scores.len(), documents.is_none().then(IdTable::default));
        if let Some(documents) = documents {
            let (scores, assessments) = (&mut self.scores, &mut self.assessments);
            let add = |document: &str, score| {
                scores.push(score);
                assessments.push(judged.assessment(document));
            };
            if !walk::documents(documents, add) {
                return Ok(false);
            }
            if evaluator.asks_ids(&self.scores[start..]) {
                ids = Some(table_of(documents)?);
            }
        }
        self.topics.push(Topic { end: self.scores.len(), in_run: documents.is_some(), ids });
        Ok(true)
    }

    /// The values on all topics, whose judged documents are given. The function is asked before each
    /// topic whether to stop; the values are then those of the topics before.
    fn values(
        &self,
        evaluator: &Evaluator,
        pools: &[Pool],
        stopped: impl Fn() -> bool,
    ) -> Result<ValuesOfRun, MeasureError> {
        let (mut found, mut start) = (RunValues::new(evaluator), 0);
        for (topic, pool) in self.topics.iter().zip(pools) {
            if stopped() {
                break;
            }
            let ids: Option<Vec<&str>> =
                topic.ids.as_ref().map(|ids| (0..ids.len()).map(|place| ids.get(place)).collect());
            let own = start..topic.end;
            let (scores, assessments) = (&self.scores[own.clone()], &self.assessments[own]);
            found.add(pool, Retrieved { scores, assessments, ids: ids.as_deref(), in_run: topic.in_run })?;
            start = topic.end;
        }
        let removed = evaluator.conventions().unjudged == Unjudged::Removed;
        let remarks = Matched { removed, ..self.matched }.remarks();
        Ok(ValuesOfRun { values: found.values().to_vec(), left_out: found.left_out().to_vec(), remarks })
    }
}

/// The values of runs on all topics of the qrels. `None` stands for a run whose dicts hold something
/// else than texts and finite numbers. `pools` are the judged documents of the topics.
pub(crate) fn values_of_runs(
    py: Python<'_>,
    runs: &[DictRun<'_>],
    qrels: &Qrels,
    pools: &[Pool],
    evaluator: &Evaluator,
    threads: usize,
) -> PyResult<Vec<Option<ValuesOfRun>>> {
    let judged: Vec<JudgedDocuments<'_>> = qrels.topics.iter().map(JudgedDocuments::of).collect();
    let taken = |run: &DictRun<'_>| Taken::of(run, &judged, evaluator);
    if threads == 1 {
        // One after the other, each while it is in the processor's cache.
        let measured = |run| {
            py.check_signals()?;
            let Some(taken) = taken(run)? else { return Ok(None) };
            Ok(Some(py.detach(|| taken.values(evaluator, pools, || false)).map_err(data)?))
        };
        return runs.iter().map(measured).collect();
    }
    let taken = runs.iter().map(taken).collect::<PyResult<Vec<_>>>()?;
    let found = in_threads(py, threads, |stop| {
        let stopped = || stop.load(Ordering::Relaxed);
        let of_run = |taken: Option<Taken>| taken.map(|taken| taken.values(evaluator, pools, stopped)).transpose();
        let found = taken.into_par_iter().map(of_run).collect::<Result<Vec<_>, MeasureError>>();
        found.map(|found| (!stopped()).then_some(found))
    })?;
    found.map_err(data)?.ok_or_else(|| PyKeyboardInterrupt::new_err(()))
}

fn table_of(documents: &Bound<'_, PyDict>) -> PyResult<IdTable> {
    let mut ids = IdTable::default();
    for (document, _) in documents.iter() {
        ids.push(document.cast::<PyString>()?.to_str()?);
    }
    Ok(ids)
}

//! Runs and qrels as dicts of dicts, taken without a copy of their ids.
//!
//! An id is looked up in a small table of the judged documents, and is copied only where it may decide
//! between equal scores. There are three ways, which give the same values:
//!
//! - Where Python's layout is proved ([`layout`]), dicts are read from memory, and a document is looked
//!   up by the hash that Python keeps in it ([`fivefold_data::trec::HashedDocuments`]).
//! - Else dicts are read by Python's stable interface ([`walk`]), and a document is looked up by its
//!   text ([`fivefold_data::trec::JudgedDocuments`]).
//! - Dicts of anything but texts and numbers, and dicts with a fault, are left to [`crate::trec`], which
//!   is slower and names the fault.
//!
//! What bounds the speed is memory: a document is three objects, in three places. So the objects of
//! later entries are asked for ahead, and the runs are walked topic by topic: the table of one topic
//! stays in the processor's cache.

mod layout;
mod taken;
mod walk;

use std::collections::HashMap;

use fivefold_data::trec::{Duplicates, Matched, Qrels};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

use self::layout::{Entries, Layout};
pub(crate) use self::taken::values_of_runs;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    Layout::proved(module.py());
    module.add_function(wrap_pyfunction!(read_dicts_from_memory, module)?)
}

/// Lets plain dicts be read from memory, where that is proved to be right, or by calls. Returns whether
/// they are now read from memory. Values do not depend on it.
#[pyfunction]
fn read_dicts_from_memory(py: Python<'_>, wanted: bool) -> bool {
    Layout::set_wanted(wanted);
    Layout::proved(py).is_some()
}

/// A dict of Python's own type: a subclass may have another order or other content.
fn plain_dict<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    value.cast_exact::<PyDict>().ok().cloned()
}

/// Qrels from a dict of dicts of texts and ints, and the hashes of their documents, in order; `None` if
/// the source is something else, or has a fault.
pub(crate) fn plain_qrels(source: &Bound<'_, PyAny>, duplicates: Duplicates) -> PyResult<Option<(Qrels, Vec<u64>)>> {
    let Some(topics) = plain_dict(source) else { return Ok(None) };
    let mut dicts = Vec::with_capacity(topics.len());
    for (topic, documents) in topics.iter() {
        match (topic.cast_into_exact::<PyString>(), plain_dict(&documents)) {
            (Ok(topic), Some(documents)) => dicts.push((topic, documents)),
            _ => return Ok(None),
        }
    }
    if let Some(found) = from_memory(&dicts, duplicates)? {
        return Ok(Some(found));
    }
    let (mut rows, mut hashes) = (Vec::new(), Vec::new());
    for (topic, documents) in &dicts {
        let topic = topic.to_str()?;
        let add = |document, hash, grade| {
            rows.push((topic, document, grade));
            hashes.push(hash);
        };
        if !walk::judgements(documents, add) {
            return Ok(None);
        }
    }
    Ok(Qrels::of("qrels", rows, duplicates).ok().map(|qrels| (qrels, hashes)))
}

/// As [`plain_qrels`], where the layout of Python is proved, and all documents are plain ASCII.
fn from_memory(
    dicts: &[(Bound<'_, PyString>, Bound<'_, PyDict>)],
    duplicates: Duplicates,
) -> PyResult<Option<(Qrels, Vec<u64>)>> {
    let Some(layout) = dicts.first().and_then(|(topic, _)| Layout::proved(topic.py())) else { return Ok(None) };
    let mut topics = Vec::with_capacity(dicts.len());
    for (topic, documents) in dicts {
        let Some(documents) = layout.entries(documents) else { return Ok(None) };
        topics.push((topic.to_str()?, documents));
    }
    let (mut hashes, mut complete) = (Vec::new(), true);
    let entries = topics.iter().flat_map(|(topic, documents)| documents.whole().map(move |found| (*topic, found)));
    let rows = entries.map_while(|(topic, found)| {
        complete &= found.is_some();
        let (document, hash, grade) = found?;
        hashes.push(hash);
        Some((topic, document, grade))
    });
    let qrels = Qrels::of("qrels", rows, duplicates).ok();
    Ok(qrels.filter(|_| complete).map(|qrels| (qrels, hashes)))
}

/// A run: the documents of each topic of the qrels.
pub(crate) struct DictRun<'py> {
    by_topic: Vec<Option<Bound<'py, PyDict>>>,
    matched: Matched,
}

impl<'py> DictRun<'py> {
    /// Takes runs; `None` for one that is no dict of dicts. `places` are the topics of the qrels.
    pub(crate) fn take_all(runs: &[(String, Bound<'py, PyAny>)], places: &Places<'_>) -> PyResult<Vec<Option<Self>>> {
        let take = |(place, (_, run)): (usize, &(_, Bound<'py, PyAny>))| {
            let next = runs.get(place + 1).and_then(|(_, next)| plain_dict(next));
            if let (Some(next), Some(layout)) = (next, Layout::proved(run.py())) {
                layout.entries(&next).iter().for_each(Entries::ask_for_all);
            }
            DictRun::take(run, places)
        };
        runs.iter().enumerate().map(take).collect()
    }

    fn take(run: &Bound<'py, PyAny>, places: &Places<'_>) -> PyResult<Option<Self>> {
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

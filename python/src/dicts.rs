//! Runs and qrels as dicts of dicts, taken without a copy of their ids.
//!
//! The ids of a run are looked up in a table of the judged documents, and are copied only where they
//! may decide between equal scores. Dicts of anything but texts and numbers, and dicts with a fault,
//! are left to [`crate::trec`], which is slower and names the fault.

use std::collections::HashMap;

use fivefold_base::dataset::IdTable;
use fivefold_data::trec::{Duplicates, Judgement, Matched, Qrels};
use fivefold_metrics::evaluator::{Evaluator, Pool, Retrieved, RunValues};
use fivefold_metrics::{Assessment, MeasureError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

/// The documents of a run, for the topics of the qrels.
pub(crate) struct DictRun {
    scores: Vec<f64>,
    assessments: Vec<Assessment>,
    topics: Vec<Topic>,
    pub(crate) matched: Matched,
}

struct Topic {
    /// The place after its last document.
    end: usize,
    in_run: bool,
    ids: Option<IdTable>,
}

/// The judged documents of all topics, by id.
pub(crate) struct Judged<'q> {
    places: HashMap<&'q str, usize>,
    topics: Vec<JudgedTopic<'q>>,
}

/// The judged documents of a topic: an open hash table.
struct JudgedTopic<'q> {
    judgements: &'q [Judgement],
    /// The upper bits of an id's hash, and the place of its judgement, from 1; 0 is free.
    slots: Vec<u64>,
}

/// The bits of a slot for a place.
const PLACE: u64 = u32::MAX as u64;

impl<'q> Judged<'q> {
    pub(crate) fn new(qrels: &'q Qrels) -> Self {
        let places = qrels.topics.iter().map(|topic| topic.id.as_str()).zip(0..).collect();
        let topics = qrels.topics.iter().map(|topic| JudgedTopic::new(&topic.judgements)).collect();
        Judged { places, topics }
    }

    fn place(&self, topic: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        Ok(self.places.get(topic.str()?.to_str()?).copied())
    }
}

impl<'q> JudgedTopic<'q> {
    fn new(judgements: &'q [Judgement]) -> Self {
        let mut slots = vec![0; (2 * judgements.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (judgement, place) in judgements.iter().zip(1_u64..) {
            let hash = hash(judgement.document.as_bytes());
            let mut slot = hash as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = (hash & !PLACE) | place;
        }
        JudgedTopic { judgements, slots }
    }

    /// What the judgements say of a document.
    #[inline]
    fn assessment(&self, document: &str) -> Assessment {
        let (hash, mask) = (hash(document.as_bytes()), self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == 0 {
                return Assessment::Unjudged;
            }
            let judgement = &self.judgements[(found & PLACE) as usize - 1];
            if (found ^ hash) & !PLACE == 0 && judgement.document.as_str() == document {
                return judgement.grade().map_or(Assessment::Pooled, Assessment::Judged);
            }
            slot = (slot + 1) & mask;
        }
    }
}

/// A hash of the bytes of an id. Ids differ at the end most.
#[inline]
fn hash(id: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(ODD);
    let mut hash = mix(0, id.len() as u64);
    let mut rest = id;
    while let Some((word, after)) = rest.split_first_chunk::<8>() {
        hash = mix(hash, u64::from_le_bytes(*word));
        rest = after;
    }
    if let Some((word, after)) = rest.split_first_chunk::<4>() {
        hash = mix(hash, u32::from_le_bytes(*word).into());
        rest = after;
    }
    for &byte in rest {
        hash = mix(hash, byte.into());
    }
    hash ^ hash >> 29
}

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

impl DictRun {
    /// Takes a run; `None` if it is no dict of dicts of texts and finite numbers.
    pub(crate) fn take(run: &Bound<'_, PyAny>, judged: &Judged<'_>, evaluator: &Evaluator) -> PyResult<Option<Self>> {
        let Some(run) = plain_dict(run) else { return Ok(None) };
        let mut by_topic = vec![None; judged.topics.len()];
        let mut taken = DictRun {
            scores: Vec::new(),
            assessments: Vec::new(),
            topics: Vec::with_capacity(by_topic.len()),
            matched: Matched { topics: by_topic.len(), ..Matched::default() },
        };
        let (mut texts, mut numbers) = (0, 0);
        for (topic, documents) in run.iter() {
            texts += usize::from(topic.is_exact_instance_of::<PyString>());
            numbers += usize::from(topic.is_exact_instance_of::<PyInt>());
            // Topics of one type have texts of their own.
            if texts > 0 && numbers > 0 || texts + numbers == 0 {
                return Ok(None);
            }
            let Some(documents) = plain_dict(&documents) else { return Ok(None) };
            match judged.place(&topic)? {
                _ if documents.is_empty() => {}
                Some(place) => by_topic[place] = Some(documents),
                None if walk::documents(&documents, |_, _| ()) => taken.matched.extra += 1,
                None => return Ok(None),
            }
        }
        // A run without documents is an error.
        if texts + numbers < run.len() || (taken.matched.extra == 0 && by_topic.iter().all(Option::is_none)) {
            return Ok(None);
        }
        let documents = by_topic.iter().flatten().map(|documents| documents.len()).sum();
        taken.scores.reserve_exact(documents);
        taken.assessments.reserve_exact(documents);
        for (documents, judged) in by_topic.iter().zip(&judged.topics) {
            if !taken.add(documents.as_ref(), judged, evaluator)? {
                return Ok(None);
            }
        }
        taken.matched.retrieved = taken.scores.len();
        let unjudged = taken.assessments.iter().filter(|assessment| !assessment.is_judged()).count();
        taken.matched.unjudged = unjudged;
        Ok(Some(taken))
    }

    /// Adds the next topic; false if its dict holds something else than texts and finite numbers.
    fn add(
        &mut self,
        documents: Option<&Bound<'_, PyDict>>,
        judged: &JudgedTopic<'_>,
        evaluator: &Evaluator,
    ) -> PyResult<bool> {
        // A topic that the run lacks has all its ids.
        let (start, mut ids) = (self.scores.len(), documents.is_none().then(IdTable::default));
        self.matched.missing += usize::from(documents.is_none());
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

    /// The values on all topics; `None` if `stopped` says so.
    pub(crate) fn values<'e>(
        &self,
        evaluator: &'e Evaluator,
        pools: &[Pool],
        stopped: impl Fn() -> bool,
    ) -> Result<Option<RunValues<'e>>, MeasureError> {
        let (mut found, mut start) = (RunValues::new(evaluator), 0);
        for (topic, pool) in self.topics.iter().zip(pools) {
            if stopped() {
                return Ok(None);
            }
            let ids: Option<Vec<&str>> =
                topic.ids.as_ref().map(|ids| (0..ids.len()).map(|place| ids.get(place)).collect());
            let own = start..topic.end;
            let (scores, assessments) = (&self.scores[own.clone()], &self.assessments[own]);
            found.add(pool, Retrieved { scores, assessments, ids: ids.as_deref(), in_run: topic.in_run })?;
            start = topic.end;
        }
        Ok(Some(found))
    }
}

fn table_of(documents: &Bound<'_, PyDict>) -> PyResult<IdTable> {
    let mut ids = IdTable::default();
    for (document, _) in documents.iter() {
        ids.push(document.cast::<PyString>()?.to_str()?);
    }
    Ok(ids)
}

mod walk {
    //! Dicts, walked by Python's C interface: no reference is counted and no iterator is made.
    #![allow(unsafe_code)] // in this module only

    use std::ptr::null_mut;

    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    /// Calls `entry` with each key, which is a text, and its value, as long as it returns true.
    ///
    /// # Safety
    /// `entry` must run no code of Python that could change the dict.
    #[inline]
    unsafe fn each<'d>(
        dict: &'d Bound<'_, PyDict>,
        mut entry: impl FnMut(&'d str, *mut ffi::PyObject) -> bool,
    ) -> bool {
        let (mut place, mut key, mut value, mut size) = (0, null_mut(), null_mut(), 0);
        // SAFETY: the dict lives as long as its borrow, `Bound` proves that this thread holds Python's
        // lock, and key and value are borrowed from the dict, which nobody changes meanwhile. The text
        // of a key is UTF-8, and lives as long as the key, which the dict keeps.
        unsafe {
            while ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value) != 0 {
                if ffi::PyUnicode_CheckExact(key) == 0 {
                    return false;
                }
                let text = ffi::PyUnicode_AsUTF8AndSize(key, &raw mut size).cast::<u8>();
                if text.is_null() {
                    ffi::PyErr_Clear();
                    return false;
                }
                let text = std::str::from_utf8_unchecked(std::slice::from_raw_parts(text, size as usize));
                if !entry(text, value) {
                    return false;
                }
            }
        }
        true
    }

    /// A finite number.
    ///
    /// # Safety
    /// `value` is an object that is alive, and this thread holds Python's lock.
    #[inline]
    unsafe fn number(value: *mut ffi::PyObject) -> Option<f64> {
        // SAFETY: the caller's. Of a float (a subclass, too) and of an int, Python reads the number
        // without a call of a method.
        unsafe {
            let number = if ffi::PyFloat_Check(value) != 0 {
                ffi::PyFloat_AsDouble(value)
            } else if ffi::PyLong_CheckExact(value) != 0 {
                ffi::PyLong_AsDouble(value)
            } else {
                return None;
            };
            if number == -1.0 && !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            number.is_finite().then_some(number)
        }
    }

    /// A whole number of 32 bits.
    ///
    /// # Safety
    /// As [`number`].
    unsafe fn whole(value: *mut ffi::PyObject) -> Option<i32> {
        // SAFETY: the caller's. Of an int, Python reads the number without a call of a method.
        unsafe {
            if ffi::PyLong_CheckExact(value) == 0 {
                return None;
            }
            let number = ffi::PyLong_AsLong(value);
            if number == -1 && !ffi::PyErr_Occurred().is_null() {
                ffi::PyErr_Clear();
                return None;
            }
            i32::try_from(number).ok()
        }
    }

    /// Calls `each_document` with each document and its score. Returns false, perhaps after some calls,
    /// if a key is no text, or a value no finite number.
    #[inline]
    pub(super) fn documents<'d>(dict: &'d Bound<'_, PyDict>, mut each_document: impl FnMut(&'d str, f64)) -> bool {
        // SAFETY: `number` runs no code of Python, and the callers' functions have no way to it.
        unsafe { each(dict, |document, score| number(score).map(|score| each_document(document, score)).is_some()) }
    }

    /// As [`documents`], for grades.
    pub(super) fn judgements<'d>(dict: &'d Bound<'_, PyDict>, mut each_document: impl FnMut(&'d str, i32)) -> bool {
        // SAFETY: as above.
        unsafe { each(dict, |document, grade| whole(grade).map(|grade| each_document(document, grade)).is_some()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_judged_document_is_found_and_no_other() {
        let ids: Vec<String> =
            (0..500).flat_map(|n| [format!("{n}"), format!("clueweb09-en{n:04}-{n}"), "x".repeat(n)]).collect();
        let rows: Vec<(&str, &str, i32)> = ids.iter().zip(0..).map(|(id, n)| ("t", id.as_str(), n % 5 - 1)).collect();
        let qrels = Qrels::of("qrels", rows, Duplicates::Error).unwrap();
        let judged = Judged::new(&qrels);
        for (id, n) in ids.iter().zip(0..) {
            let expected = u8::try_from(n % 5 - 1).map_or(Assessment::Pooled, Assessment::Judged);
            assert_eq!(judged.topics[0].assessment(id), expected, "{id}");
        }
        for other in ["500", "-", "clueweb09-en0001-2", &"y".repeat(7)] {
            assert_eq!(judged.topics[0].assessment(other), Assessment::Unjudged, "{other}");
        }
    }
}

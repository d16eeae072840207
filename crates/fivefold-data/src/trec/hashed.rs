//! The judged documents of a topic, found by hashes that the caller has, such as those that Python keeps
//! in its texts.
//!
//! Equal ids have equal hashes, so most documents that are not judged are told by their hash, and no
//! byte of them is read. For all others the bytes decide ([`HashedDocuments::settled`]).
//!
//! All runs look up the documents of all topics in turn, and their documents fill the processor's cache.
//! So tables are small, and a first look takes one slot.

use fivefold_base::Assessment;

use super::QrelsTopic;

/// The judged documents of a topic, made once to look up the documents of many runs by their hashes.
///
/// ```
/// use fivefold_base::Assessment;
/// use fivefold_data::trec::{Duplicates, HashedDocuments, Qrels};
///
/// let hash = |id: &str| id.len() as u64;
/// let qrels = Qrels::of("qrels", [("1", "a", 2), ("1", "bcd", 0)], Duplicates::Error)?;
/// let judged = HashedDocuments::of(&qrels.topics[0], &[hash("a"), hash("bcd")]).unwrap();
/// let found = ["a", "x", "yz"].map(|document| {
///     let place = judged.first_look(hash(document));
///     judged.assessment(judged.settled(place, document.as_bytes()))
/// });
/// assert_eq!(found, [Assessment::Judged(2), Assessment::Unjudged, Assessment::Unjudged]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HashedDocuments {
    /// A power of two of slots, at most a quarter of them taken.
    slots: Vec<Slot>,
    /// First what is said of documents that are not judged, then what the judgements say.
    assessments: Vec<Assessment>,
    /// For each document, the first of the same slot that was added before it; 0: there is none.
    next: Vec<u16>,
    /// The end of each id in `ids`, after the end of none.
    ends: Vec<u32>,
    /// The ids, one after the other.
    ids: Vec<u8>,
}

/// The place of the last document of a slot in the 16 lower bits, 0 if there is none; then a bit that
/// says whether there are others; then some bits of the hash of the document.
#[derive(Debug, Clone, Copy, Default)]
struct Slot(u32);

const OTHERS: u32 = 1 << 16;
/// The bits of a hash, shifted by 32, that stand in a slot.
const TAG: u32 = !(OTHERS | (OTHERS - 1));

impl Slot {
    fn new(place: u16, hash: u64, others: bool) -> Self {
        Slot(u32::from(place) | tag(hash) | if others { OTHERS } else { 0 })
    }

    #[inline]
    fn place(self) -> u32 {
        self.0 & (OTHERS - 1)
    }

    /// Whether this is the slot of this document: not so if it is empty, has other documents, or its
    /// document has other bits of the hash.
    #[inline]
    fn may_have(self, hash: u64) -> bool {
        (self.0 ^ tag(hash)) & TAG == 0
    }

    #[inline]
    fn has_others(self) -> bool {
        self.0 & OTHERS != 0
    }
}

/// Bits of a hash that choose no slot of a table of usual size.
#[inline]
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 & TAG
}

impl HashedDocuments {
    /// Of a topic; `hashes` has the hash of each judged document, in their order. `None` if there are
    /// more documents, or more bytes of ids, than the table can count, or not a hash for each.
    pub fn of(topic: &QrelsTopic, hashes: &[u64]) -> Option<Self> {
        if u16::try_from(hashes.len()).is_err() || hashes.len() != topic.judgements.len() {
            return None;
        }
        let bytes = topic.judgements.iter().map(|judgement| judgement.document.as_bytes().len()).sum();
        u32::try_from(bytes).ok()?;
        let documents = hashes.len() + 1;
        let mut table = HashedDocuments {
            slots: vec![Slot::default(); (4 * hashes.len()).next_power_of_two()],
            assessments: Vec::with_capacity(documents),
            next: Vec::with_capacity(documents),
            ends: Vec::with_capacity(documents),
            ids: Vec::with_capacity(bytes),
        };
        table.add(&[], Assessment::Unjudged, 0);
        for ((judgement, &hash), place) in topic.judgements.iter().zip(hashes).zip(1..) {
            let slot = table.slot(hash);
            let before = table.slots[slot].place() as u16;
            table.slots[slot] = Slot::new(place, hash, before > 0);
            table.add(judgement.document.as_bytes(), judgement.assessment(), before);
        }
        Some(table)
    }

    fn add(&mut self, id: &[u8], assessment: Assessment, before: u16) {
        self.ids.extend_from_slice(id);
        self.ends.push(self.ids.len() as u32);
        self.assessments.push(assessment);
        self.next.push(before);
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// A place where a document with this hash may be, for [`settled`](Self::settled); 0: the document is
    /// not judged.
    #[inline]
    pub fn first_look(&self, hash: u64) -> u32 {
        let slot = self.slots[self.slot(hash)];
        // Without a branch: nobody can foresee which documents are judged.
        let may = slot.may_have(hash) | slot.has_others();
        slot.place() & u32::from(may).wrapping_neg()
    }

    /// What is said of the document at a place that [`settled`](Self::settled) gave.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn assessment(&self, place: u32) -> Assessment {
        self.assessments[place as usize]
    }

    /// The place of a document, given where it may be; 0: it is not judged.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn settled(&self, mut place: u32, document: &[u8]) -> u32 {
        while place > 0 && !same(self.id(place), document) {
            place = self.next[place as usize].into();
        }
        place
    }

    #[inline]
    fn id(&self, place: u32) -> &[u8] {
        let place = place as usize;
        &self.ids[self.ends[place - 1] as usize..self.ends[place] as usize]
    }
}

/// Whether two ids are the same; most are short.
#[inline]
fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match (one.first_chunk::<4>(), other.first_chunk::<4>(), one.last_chunk::<4>(), other.last_chunk::<4>()) {
        (Some(start), Some(other_start), Some(end), Some(other_end)) if one.len() <= 8 => {
            start == other_start && end == other_end
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::*;
    use crate::trec::{Duplicates, Qrels};

    fn usual(id: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        hasher.finish()
    }

    #[test]
    fn every_judged_document_is_found_and_no_other_whatever_the_hash() {
        // Ids of every length, of which many differ in one byte.
        let mut ids: Vec<String> = (0..300).flat_map(|n| [format!("{n}"), format!("clueweb09-en{n:04}-{n}")]).collect();
        let filled = |length: usize, place: usize| {
            (0..length).map(|own| if own == place { '+' } else { '-' }).collect::<String>()
        };
        ids.extend((1..40).flat_map(|length| (0..length).map(move |place| filled(length, place))));
        ids.sort();
        ids.dedup();
        // Half of them are judged.
        let rows = || ids.iter().step_by(2).zip(0..).map(|(id, n)| ("t", id.as_str(), n % 5 - 1));
        let qrels = Qrels::of("qrels", rows(), Duplicates::Error).unwrap();
        // Hashes that share the slot, the other bits, both or none.
        let hashes: [fn(&str) -> u64; 5] =
            [usual, |_| u64::MAX, |id| usual(id) << 32, |id| usual(id) & 0xffff_ffff, |id| (usual(id) % 7) << 40];
        for hash in hashes {
            let of_judged: Vec<u64> = rows().map(|(_, id, _)| hash(id)).collect();
            let judged = HashedDocuments::of(&qrels.topics[0], &of_judged).unwrap();
            for id in ids.iter().map(String::as_str).chain(["", "é", "\0", "301"]) {
                let place = judged.settled(judged.first_look(hash(id)), id.as_bytes());
                assert_eq!(judged.assessment(place), qrels.topics[0].assessment(id), "{id}");
            }
        }
    }

    #[test]
    fn most_other_documents_are_told_by_the_first_look() {
        let rows: Vec<(&str, String, i32)> = (0..200).map(|n| ("t", format!("{n}"), 1)).collect();
        let rows = rows.iter().map(|(topic, id, grade)| (*topic, id.as_str(), *grade));
        let qrels = Qrels::of("qrels", rows.clone(), Duplicates::Error).unwrap();
        let judged = HashedDocuments::of(&qrels.topics[0], &rows.map(|(_, id, _)| usual(id)).collect::<Vec<_>>());
        let judged = judged.unwrap();
        let looks = (200..10_200).filter(|n| judged.first_look(usual(&n.to_string())) > 0).count();
        // Two documents share a slot with a chance of 2 %.
        assert!(looks < 500, "{looks}");
    }

    #[test]
    fn a_table_that_cannot_count_is_none() {
        let qrels = Qrels::of("qrels", [("t", "a", 1)], Duplicates::Error).unwrap();
        assert!(HashedDocuments::of(&qrels.topics[0], &[]).is_none());
        let ids: Vec<String> = (0..70_000).map(|n| n.to_string()).collect();
        let rows = ids.iter().map(|id| ("t", id.as_str(), 1));
        let qrels = Qrels::of("qrels", rows, Duplicates::Error).unwrap();
        assert!(HashedDocuments::of(&qrels.topics[0], &vec![0; ids.len()]).is_none());
    }
}

//! The judged documents of a topic, in a table that knows short ids by a word.
//!
//! All documents of a run are looked up, and often half of them are judged: nobody can foresee which. So
//! a lookup takes the same branches for judged and other documents. Few judged documents share a slot,
//! and slots are small, for the processor's cache.

use fivefold_base::Assessment;

use super::QrelsTopic;
use super::qrels::Judgement;

/// The longest id that is known by a word and its length.
const SHORT: usize = 8;

/// The judged documents of a topic, made once to look up the documents of many runs.
///
/// ```
/// use fivefold_base::Assessment;
/// use fivefold_data::trec::{Duplicates, JudgedDocuments, Qrels};
///
/// let qrels = Qrels::of("qrels", [("1", "a", 2), ("1", "b", -1)], Duplicates::Error)?;
/// let judged = JudgedDocuments::of(&qrels.topics[0]);
/// let found = ["a", "b", "c"].map(|document| judged.assessment(document));
/// assert_eq!(found, [Assessment::Judged(2), Assessment::Pooled, Assessment::Unjudged]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct JudgedDocuments<'q> {
    judgements: &'q [Judgement],
    /// A power of two of slots, at most a quarter of them taken: the place in `known` of the last
    /// document of a slot; 0: none.
    slots: Vec<u32>,
    /// First a document that is no id's, then those of the judgements.
    known: Vec<Known>,
}

/// A judged document.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// A short id, or a hash of another.
    word: u64,
    length: u32,
    /// The place of the next document of the same slot; 0: there is none.
    next: u32,
    assessment: Assessment,
}

/// What is known of other documents.
const OTHER: Known = Known { word: 0, length: u32::MAX, next: 0, assessment: Assessment::Unjudged };

/// A short id as a word, or a hash of the start and the end of another: there ids differ most.
#[inline]
fn word(id: &[u8]) -> u64 {
    match (id.first_chunk::<8>(), id.last_chunk::<8>()) {
        (Some(start), Some(_)) if id.len() == SHORT => u64::from_le_bytes(*start),
        (Some(start), Some(end)) => mixed(u64::from_le_bytes(*start), u64::from_le_bytes(*end)),
        _ => match (id.first_chunk::<4>(), id.last_chunk::<4>()) {
            (Some(start), Some(end)) => {
                u64::from(u32::from_le_bytes(*start)) | u64::from(u32::from_le_bytes(*end)) << 32
            }
            _ => id.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        },
    }
}

/// Both halves of a product.
#[inline]
fn mixed(one: u64, other: u64) -> u64 {
    const ODD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9];
    let product = u128::from(one ^ ODD[0]) * u128::from(other ^ ODD[1]);
    product as u64 ^ (product >> 64) as u64
}

impl<'q> JudgedDocuments<'q> {
    /// Of a topic.
    pub fn of(topic: &'q QrelsTopic) -> Self {
        let judgements = &topic.judgements[..];
        let mut slots = vec![0; (4 * judgements.len()).next_power_of_two()];
        let mut known = Vec::with_capacity(judgements.len() + 1);
        known.push(OTHER);
        let mask = slots.len() - 1;
        for (judgement, place) in judgements.iter().zip(1..) {
            let id = judgement.document.as_bytes();
            let (word, length) = (word(id), id.len() as u32);
            let slot = &mut slots[slot_of(word, length) & mask];
            known.push(Known { word, length, next: *slot, assessment: judgement.assessment() });
            *slot = place;
        }
        JudgedDocuments { judgements, slots, known }
    }

    /// What the judgements say of a document.
    #[inline]
    pub fn assessment(&self, document: &str) -> Assessment {
        // The length of a document of more than 4 GiB is cut, but its text is compared.
        let (word, length) = (word(document.as_bytes()), document.len() as u32);
        let mut place = self.slots[slot_of(word, length) & (self.slots.len() - 1)];
        loop {
            let known = &self.known[place as usize];
            let mut is_same = (word ^ known.word) | u64::from(length ^ known.length) == 0;
            if document.len() > SHORT {
                is_same = is_same && self.is_at(place, document);
            }
            if is_same | (known.next == 0) {
                // Without a branch: this document, or the first, which stands for others.
                return self.known[(place & u32::from(is_same).wrapping_neg()) as usize].assessment;
            }
            place = known.next;
        }
    }

    /// Whether this document is at a place.
    fn is_at(&self, place: u32, document: &str) -> bool {
        let before = (place as usize).checked_sub(1);
        before.is_some_and(|place| self.judgements[place].document.as_bytes() == document.as_bytes())
    }
}

#[inline]
fn slot_of(word: u64, length: u32) -> usize {
    mixed(word, length.into()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trec::{Duplicates, Qrels};

    #[test]
    fn every_judged_document_is_found_and_no_other() {
        // Ids of every length, and ids that differ in one byte at the start, in the middle and at the end.
        let mut ids: Vec<String> =
            (0..500).flat_map(|n| [format!("{n}"), format!("clueweb09-en{n:04}-{n}"), "x".repeat(n)]).collect();
        let filled = |length: usize, place: usize| {
            let mut id = vec![b'-'; length];
            id[place] = b'+';
            String::from_utf8(id).unwrap()
        };
        ids.extend((1..40).flat_map(|length| (0..length).map(move |place| filled(length, place))));
        ids.sort();
        ids.dedup();
        // Half of them are judged.
        let rows = || ids.iter().step_by(2).zip(0..).map(|(id, n)| ("t", id.as_str(), n % 5 - 1));
        let qrels = Qrels::of("qrels", rows(), Duplicates::Error).unwrap();
        let judged = JudgedDocuments::of(&qrels.topics[0]);
        for (_, id, grade) in rows() {
            let expected = u8::try_from(grade).map_or(Assessment::Pooled, Assessment::Judged);
            assert_eq!(judged.assessment(id), expected, "{id}");
            assert_eq!(qrels.topics[0].assessment(id), expected, "{id}");
        }
        for other in ids.iter().skip(1).step_by(2).map(String::as_str).chain(["501", "clueweb09-en0001-2", "é", "\0"])
        {
            assert_eq!(judged.assessment(other), Assessment::Unjudged, "{other}");
        }
        // Slots are shared, so the test sees documents behind others.
        assert!(judged.known.iter().filter(|known| known.next > 0).count() > 50);
    }
}

//! The judged documents of a topic, in an open hash table that knows short ids by a word.
//!
//! A run looks up all its documents, and about half of them are judged. So the table is small, for
//! the processor's cache, and a lookup takes the same branches for judged and other documents.

use fivefold_data::trec::Judgement;
use fivefold_metrics::Assessment;

/// The longest id that is known by a word and its length.
const SHORT: usize = 8;

/// A place in the table.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// A short id, or a hash of another.
    word: u64,
    length: u32,
    /// The place of the judgement, from 1; 0: the slot is free.
    place: u32,
}

const FREE: Slot = Slot { word: 0, length: 0, place: 0 };

/// The judged documents of a topic.
pub(super) struct JudgedTopic<'q> {
    judgements: &'q [Judgement],
    /// A power of two of slots, at most half of them taken.
    slots: Vec<Slot>,
    /// What the judgement at each place says; first, what is said of other documents.
    assessments: Vec<Assessment>,
}

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

impl<'q> JudgedTopic<'q> {
    pub(super) fn new(judgements: &'q [Judgement]) -> Self {
        let assessment = |own: &Judgement| own.grade().map_or(Assessment::Pooled, Assessment::Judged);
        let mut assessments = vec![Assessment::Unjudged];
        assessments.extend(judgements.iter().map(assessment));
        let mut slots = vec![FREE; (2 * judgements.len()).next_power_of_two().max(2)];
        let mask = slots.len() - 1;
        for (judgement, place) in judgements.iter().zip(1..) {
            let id = judgement.document.as_bytes();
            let (word, length) = (word(id), id.len() as u32);
            let mut slot = first_slot(word, length) & mask;
            while slots[slot].place != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = Slot { word, length, place };
        }
        JudgedTopic { judgements, slots, assessments }
    }

    /// What the judgements say of a document.
    #[inline]
    pub(super) fn assessment(&self, document: &str) -> Assessment {
        // The length of a document of more than 4 GiB is cut, but its text is compared.
        let (word, length) = (word(document.as_bytes()), document.len() as u32);
        let mask = self.slots.len() - 1;
        let mut slot = first_slot(word, length) & mask;
        loop {
            let Slot { word: other, length: of_other, place } = self.slots[slot];
            // One branch for judged and other documents, since nobody can foresee which comes next.
            let is_same = (word ^ other) | u64::from(length ^ of_other) == 0;
            if (is_same | (place == 0)) && (document.len() <= SHORT || self.is_at(place, document)) {
                return self.assessments[place as usize];
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Whether no document, or this one, is at a place.
    #[inline]
    fn is_at(&self, place: u32, document: &str) -> bool {
        let before = (place as usize).checked_sub(1);
        before.is_none_or(|place| self.judgements[place].document.as_str() == document)
    }
}

#[inline]
fn first_slot(word: u64, length: u32) -> usize {
    mixed(word, length.into()) as usize
}

#[cfg(test)]
mod tests {
    use fivefold_data::trec::{Duplicates, Qrels};

    use super::*;

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
        assert_eq!(JudgedTopic::new(&[]).assessment("x"), Assessment::Unjudged);
        let judged = JudgedTopic::new(&qrels.topics[0].judgements);
        for (_, id, grade) in rows() {
            let expected = u8::try_from(grade).map_or(Assessment::Pooled, Assessment::Judged);
            assert_eq!(judged.assessment(id), expected, "{id}");
        }
        for other in ids.iter().skip(1).step_by(2).map(String::as_str).chain(["501", "clueweb09-en0001-2", "é", "\0"])
        {
            assert_eq!(judged.assessment(other), Assessment::Unjudged, "{other}");
        }
    }
}

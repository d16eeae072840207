//! Lines in any order, gathered by topic; documents that stand twice are settled at the end.
//!
//! A table of a topic's documents by id finds those that stand twice. Qrels keep the table, and find
//! the documents of runs in it.

use std::collections::HashMap;

use super::Duplicates;
use super::document_id::DocumentId;
use crate::text::same;

/// A line about a document.
pub(crate) trait OfDocument {
    /// Whether documents are looked up when all lines are read.
    const IS_LOOKED_UP: bool;

    /// The document's id.
    fn document(&self) -> &DocumentId;
}

/// The topics read so far, in the order of their first lines.
#[derive(Debug)]
pub(crate) struct Gathered<T> {
    topics: Vec<Topic<T>>,
    by_id: HashMap<String, usize>,
    /// The topic of the last line, to which the next line mostly belongs.
    last: usize,
    /// Items of the last topic behind those that it has: a list that is in the processor's cache, from
    /// which the topic gets as much memory as its items need.
    fresh: Vec<T>,
    /// The line behind the last one.
    next_line: u64,
}

/// The lines of a topic.
#[derive(Debug)]
pub(crate) struct Topic<T> {
    pub(crate) id: String,
    pub(crate) items: Vec<T>,
    pub(crate) places: Places,
    lines: Lines,
}

/// The lines of items: of each item whose line does not follow the line of the item before, the place
/// and the line.
#[derive(Debug, Default)]
struct Lines(Vec<(usize, u64)>);

impl Lines {
    /// The line of the item at a place.
    fn of(&self, place: usize) -> u64 {
        let before = self.0.partition_point(|(first, _)| *first <= place);
        let (first, line) = before.checked_sub(1).map_or((0, 0), |last| self.0[last]);
        line + (place - first) as u64
    }
}

/// The places of items in their list, by document id: a table with a power of two of slots, at most half
/// of them taken. A slot has a place from 1 in its lower bits, 0 if it is free, and bits of the hash of
/// the document above.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    slots: Vec<u32>,
    /// The bits of a slot that hold the place.
    of_place: u32,
}

impl Places {
    /// A table for at most so many items, in the memory of another table.
    fn empty(mut slots: Vec<u32>, items: usize) -> Self {
        slots.clear();
        slots.resize((2 * items).next_power_of_two(), 0);
        let of_place = u32::try_from((items + 1).next_power_of_two() - 1).unwrap_or(u32::MAX);
        Places { slots, of_place }
    }

    /// The place of a document's item.
    #[inline]
    pub(crate) fn find<T: OfDocument>(&self, items: &[T], document: &DocumentId) -> Option<usize> {
        self.look_up(items, document).ok()
    }

    /// The place of a document's item, or the slot and its content for a document that has none.
    #[inline(always)]
    fn look_up<T: OfDocument>(&self, items: &[T], document: &DocumentId) -> Result<usize, (usize, u32)> {
        let hash = document.hash();
        let (mut at, tag) = ((hash >> 32) as usize, hash as u32 & !self.of_place);
        loop {
            at &= self.slots.len().wrapping_sub(1);
            let slot = self.slots.get(at).copied().unwrap_or_default();
            let Some(place) = (slot & self.of_place).checked_sub(1) else { return Err((at, tag)) };
            if slot & !self.of_place == tag && items[place as usize].document() == document {
                return Ok(place as usize);
            }
            at += 1;
        }
    }

    /// The place of the document of the item at `next`; if there is none, it will have its item at
    /// `place`.
    #[inline]
    fn find_or_add<T: OfDocument>(&mut self, items: &[T], next: usize, place: usize) -> Option<usize> {
        match self.look_up(items, items[next].document()) {
            Ok(found) => Some(found),
            Err((at, tag)) => {
                self.slots[at] = tag | (place as u32 + 1);
                None
            }
        }
    }
}

/// A document that stands twice under a topic.
#[derive(Debug, PartialEq)]
pub(crate) struct Twice {
    pub(crate) line: u64,
    pub(crate) first: u64,
    pub(crate) topic: String,
    pub(crate) document: String,
}

/// Topics in which each document stands once.
#[derive(Debug)]
pub(crate) struct Settled<T> {
    pub(crate) topics: Vec<Topic<T>>,
    /// Places in `topics`, by id.
    pub(crate) by_id: HashMap<String, usize>,
    /// Number of lines that repeat a document with an equal value.
    pub(crate) equal: usize,
    /// Number of lines that repeat a document with another value.
    pub(crate) unequal: usize,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Gathered { topics: Vec::new(), by_id: HashMap::new(), last: 0, fresh: Vec::new(), next_line: 0 }
    }
}

impl<T: OfDocument> Gathered<T> {
    /// Adds a line under a topic.
    pub(crate) fn add(&mut self, topic: &str, line: u64, item: T) {
        if !self.is_at(topic.as_bytes()) {
            self.turn_to(topic);
        }
        self.push(line, item);
    }

    /// Adds a line under a topic that is known to be ASCII.
    #[inline(always)]
    pub(crate) fn add_usual(&mut self, topic: &[u8], line: u64, item: T) {
        if !self.is_at(topic) {
            self.turn_to(&String::from_utf8_lossy(topic));
        }
        self.push(line, item);
    }

    #[inline(always)]
    fn is_at(&self, topic: &[u8]) -> bool {
        self.topics.get(self.last).is_some_and(|last| same(last.id.as_bytes(), topic))
    }

    #[inline(always)]
    fn push(&mut self, line: u64, item: T) {
        if line != self.next_line {
            self.jump(line);
        }
        self.next_line = line + 1;
        self.fresh.push(item);
    }

    /// Says that the next item of the last topic has this line.
    #[cold]
    fn jump(&mut self, line: u64) {
        let Topic { items, lines, .. } = &mut self.topics[self.last];
        lines.0.push((items.len() + self.fresh.len(), line));
    }

    /// Gives the last topic its fresh items.
    fn keep(&mut self) {
        if let Some(Topic { items, .. }) = self.topics.get_mut(self.last) {
            items.append(&mut self.fresh);
        }
    }

    /// Makes a topic the last one.
    #[cold]
    fn turn_to(&mut self, topic: &str) {
        self.keep();
        self.last = match self.by_id.get(topic) {
            Some(&place) => place,
            None => {
                let (id, place) = (topic.to_owned(), self.topics.len());
                self.by_id.insert(id.clone(), place);
                self.topics.push(Topic { id, items: Vec::new(), places: Places::default(), lines: Lines::default() });
                place
            }
        };
        // Its lines do not follow those of another topic.
        self.next_line = u64::MAX;
    }

    /// Keeps each document once, at its first place, with the value that the policy chooses.
    ///
    /// # Errors
    /// The first line that repeats a document, if the policy takes that for an error.
    pub(crate) fn settle<V: PartialOrd>(
        mut self,
        duplicates: Duplicates,
        value: impl Fn(&T) -> V,
    ) -> Result<Settled<T>, Twice> {
        self.keep();
        let (mut equal, mut unequal) = (0, 0);
        let mut first_twice: Option<Twice> = None;
        let mut spare = Vec::new();
        for topic in &mut self.topics {
            let settled = topic.settle(duplicates, &value, std::mem::take(&mut spare));
            if !T::IS_LOOKED_UP {
                spare = std::mem::take(&mut topic.places).slots;
            }
            match settled {
                Ok([same, other]) => (equal, unequal) = (equal + same, unequal + other),
                Err(twice) if first_twice.as_ref().is_none_or(|first| twice.line < first.line) => {
                    first_twice = Some(twice);
                }
                Err(_) => {}
            }
        }
        match first_twice {
            Some(twice) => Err(twice),
            None => Ok(Settled { topics: self.topics, by_id: self.by_id, equal, unequal }),
        }
    }
}

impl<T: OfDocument> Topic<T> {
    /// Keeps each document once. Returns how many lines repeat a document with an equal and with
    /// another value. `spare` is memory for the table.
    fn settle<V: PartialOrd>(
        &mut self,
        duplicates: Duplicates,
        value: impl Fn(&T) -> V,
        spare: Vec<u32>,
    ) -> Result<[usize; 2], Twice> {
        let Topic { items, lines, .. } = self;
        let mut places = Places::empty(spare, items.len());
        let (mut counts, mut kept) = ([0; 2], 0);
        for next in 0..items.len() {
            let Some(place) = places.find_or_add(items, next, kept) else {
                if kept != next {
                    items.swap(kept, next);
                }
                kept += 1;
                continue;
            };
            let [before, after] = [place, next].map(|place| value(&items[place]));
            counts[usize::from(before != after)] += 1;
            match duplicates.replaces(before, after) {
                None => {
                    let document = items[place].document().to_string();
                    let [line, first] = [next, place].map(|place| lines.of(place));
                    return Err(Twice { line, first, topic: self.id.clone(), document });
                }
                Some(true) => items.swap(place, next),
                Some(false) => {}
            }
        }
        items.truncate(kept);
        self.places = places;
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Item(DocumentId, i32);

    impl OfDocument for Item {
        const IS_LOOKED_UP: bool = true;

        fn document(&self) -> &DocumentId {
            &self.0
        }
    }

    fn gathered(lines: &[(&str, &str, i32)]) -> Gathered<Item> {
        let mut gathered = Gathered::default();
        for (&(topic, document, value), line) in lines.iter().zip(1..) {
            gathered.add(topic, line, Item(document.into(), value));
        }
        gathered
    }

    #[test]
    fn documents_are_found_by_all_their_bytes() {
        let ids = ["clueweb09-2", "b", "clueweb09-10", "", "clueweb0", "clueweb09", "é", "b "];
        let lines: Vec<(&str, &str, i32)> = ids.iter().map(|id| ("1", *id, 0)).collect();
        let settled = gathered(&lines).settle(Duplicates::Error, |item| item.1).unwrap();
        let Topic { places, items, .. } = &settled.topics[0];
        let found: Vec<Option<usize>> = ids.iter().map(|&id| places.find(items, &id.into())).collect();
        assert_eq!(found, (0..ids.len()).map(Some).collect::<Vec<_>>());
        assert_eq!(places.find(items, &"clueweb".into()), None);
    }

    #[test]
    fn the_first_line_that_repeats_a_document_is_named() {
        let lines = [("2", "a", 1), ("1", "b", 1), ("1", "a", 1), ("1", "a", 1), ("1", "b", 1), ("2", "a", 1)];
        let twice = gathered(&lines).settle(Duplicates::Error, |item| item.1).unwrap_err();
        assert_eq!((twice.line, twice.first, twice.topic.as_str(), twice.document.as_str()), (4, 3, "1", "a"));
    }

    /// The rule, line by line.
    #[test]
    fn settled_values_are_those_of_reading_line_by_line() {
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for policy in [Duplicates::First, Duplicates::Last, Duplicates::Highest] {
            for _ in 0..200 {
                let ids = ["a", "b", "c", "d"];
                let lines: Vec<(&str, &str, i32)> =
                    (0..8).map(|_| ("1", ids[next(4) as usize], next(3) as i32)).collect();
                let (mut expected, mut counts): (Vec<Item>, [usize; 2]) = (Vec::new(), [0; 2]);
                for &(_, id, value) in &lines {
                    match expected.iter_mut().find(|item| &*item.0 == id) {
                        None => expected.push(Item(id.into(), value)),
                        Some(known) => {
                            counts[usize::from(known.1 != value)] += 1;
                            let replaces = match policy {
                                Duplicates::Last => true,
                                Duplicates::Highest => value > known.1,
                                _ => false,
                            };
                            known.1 = if replaces { value } else { known.1 };
                        }
                    }
                }
                let settled = gathered(&lines).settle(policy, |item| item.1).unwrap();
                assert_eq!(settled.topics[0].items, expected, "{policy} {lines:?}");
                assert_eq!([settled.equal, settled.unequal], counts, "{policy} {lines:?}");
            }
        }
    }
}

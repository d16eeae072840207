//! Lines in any order, gathered by topic; documents that stand twice are settled at the end.
//!
//! A table of a topic's documents by id finds those that stand twice. Qrels keep the table, and find
//! the documents of runs in it.

use std::collections::HashMap;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::Duplicates;
use super::document_id::DocumentId;
use crate::text::same;

/// A line about a document.
pub(crate) trait OfDocument {
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
}

/// The lines of a topic.
#[derive(Debug)]
pub(crate) struct Topic<T> {
    pub(crate) id: String,
    pub(crate) items: Vec<T>,
    pub(crate) places: Places,
    /// The line of each item.
    lines: Vec<u64>,
}

/// The places of items in their list, by document id.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places(HashTable<u32>);

impl Places {
    fn of_at_most(items: usize) -> Self {
        Places(HashTable::with_capacity(items))
    }

    /// The place of a document's item.
    #[inline]
    pub(crate) fn find<T: OfDocument>(&self, items: &[T], document: &DocumentId) -> Option<usize> {
        let found = self.0.find(document.hash(), |&place| items[place as usize].document() == document);
        found.map(|&place| place as usize)
    }

    /// The place of the document of the item at `next`; if there is none, it will have its item at
    /// `place`.
    #[inline]
    fn find_or_add<T: OfDocument>(&mut self, items: &[T], next: usize, place: usize) -> Option<usize> {
        let document = items[next].document();
        let is_same = |&place: &u32| items[place as usize].document() == document;
        match self.0.entry(document.hash(), is_same, |&place| items[place as usize].document().hash()) {
            Entry::Occupied(found) => Some(*found.get() as usize),
            Entry::Vacant(free) => {
                free.insert(place as u32);
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
        Gathered { topics: Vec::new(), by_id: HashMap::new(), last: 0 }
    }
}

impl<T: OfDocument> Gathered<T> {
    /// Adds a line under a topic.
    pub(crate) fn add(&mut self, topic: &str, line: u64, item: T) {
        if self.topics.get(self.last).is_none_or(|last| !same(&last.id, topic)) {
            self.last = self.place(topic);
        }
        let Topic { items, lines, .. } = &mut self.topics[self.last];
        items.push(item);
        lines.push(line);
    }

    fn place(&mut self, topic: &str) -> usize {
        if let Some(&place) = self.by_id.get(topic) {
            return place;
        }
        let (id, place) = (topic.to_owned(), self.topics.len());
        self.by_id.insert(id.clone(), place);
        // Most topics of a file have as many lines as the topic before.
        let before = self.topics.get(self.last).map_or(0, |topic| topic.items.len());
        let (items, lines) = (Vec::with_capacity(before), Vec::with_capacity(before));
        self.topics.push(Topic { id, items, places: Places::default(), lines });
        place
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
        let (mut equal, mut unequal) = (0, 0);
        let mut first_twice: Option<Twice> = None;
        for topic in &mut self.topics {
            match topic.settle(duplicates, &value) {
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
    /// another value.
    fn settle<V: PartialOrd>(&mut self, duplicates: Duplicates, value: impl Fn(&T) -> V) -> Result<[usize; 2], Twice> {
        let Topic { items, lines, .. } = self;
        let mut places = Places::of_at_most(items.len());
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
                    return Err(Twice { line: lines[next], first: lines[place], topic: self.id.clone(), document });
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

//! Lines in any order, gathered by topic; documents that stand twice are settled at the end.
//!
//! A sort of each topic's documents by id finds those that stand twice. The order by id is kept: it
//! joins a run and its qrels, and it decides between equal scores. Cost: a sort of integers, since
//! the first eight bytes of ids nearly always differ.

use std::collections::HashMap;

use super::Duplicates;
use super::document_id::DocumentId;

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
    /// Places in `items`, by document id.
    pub(crate) by_document: Vec<Key>,
    /// The line of each item.
    lines: Vec<u64>,
}

/// The place of an item in the order of ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The start of the id, as a number.
    pub(crate) start: u64,
    /// The item's place.
    pub(crate) place: u32,
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
        if self.topics.get(self.last).is_none_or(|last| last.id != topic) {
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
        self.topics.push(Topic { id, items: Vec::new(), by_document: Vec::new(), lines: Vec::new() });
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
        self.topics.iter_mut().for_each(|topic| topic.by_document = by_document(&topic.items));
        if duplicates == Duplicates::Error {
            match self.topics.iter().filter_map(Topic::first_twice).min_by_key(|twice| twice.line) {
                Some(twice) => return Err(twice),
                None => return Ok(Settled { topics: self.topics, by_id: self.by_id, equal: 0, unequal: 0 }),
            }
        }
        let (mut equal, mut unequal) = (0, 0);
        for topic in &mut self.topics {
            let [same, other] = topic.settle(duplicates, &value);
            equal += same;
            unequal += other;
        }
        Ok(Settled { topics: self.topics, by_id: self.by_id, equal, unequal })
    }
}

impl<T: OfDocument> Topic<T> {
    fn is_same(&self, one: &Key, other: &Key) -> bool {
        let document = |key: &Key| self.items[key.place as usize].document();
        one.start == other.start && document(one) == document(other)
    }

    /// The first line that repeats a document.
    fn first_twice(&self) -> Option<Twice> {
        let alike = self.by_document.chunk_by(|one, other| self.is_same(one, other));
        let twice = alike.filter(|keys| keys.len() > 1).map(|keys| [keys[0].place as usize, keys[1].place as usize]);
        let [first, again] = twice.min_by_key(|&[_, again]| self.lines[again])?;
        let (topic, document) = (self.id.clone(), self.items[first].document().to_string());
        Some(Twice { line: self.lines[again], first: self.lines[first], topic, document })
    }

    /// Keeps each document once. Returns how many lines repeat a document with an equal and with
    /// another value.
    fn settle<V: PartialOrd>(&mut self, duplicates: Duplicates, value: impl Fn(&T) -> V) -> [usize; 2] {
        let mut counts = [0; 2];
        let mut kept: Vec<(u32, u32)> = Vec::new();
        for alike in self.by_document.chunk_by(|one, other| self.is_same(one, other)) {
            let mut chosen = alike[0].place;
            for &Key { place: later, .. } in &alike[1..] {
                let [before, after] = [chosen, later].map(|place| value(&self.items[place as usize]));
                counts[usize::from(before != after)] += 1;
                if duplicates.replaces(before, after) == Some(true) {
                    chosen = later;
                }
            }
            kept.push((alike[0].place, chosen));
        }
        if kept.len() < self.items.len() {
            self.keep(kept);
        }
        counts
    }

    /// Keeps one item for each document: the first of each pair is its place, the second the item.
    fn keep(&mut self, mut kept: Vec<(u32, u32)>) {
        kept.sort_unstable();
        let mut items: Vec<Option<T>> = std::mem::take(&mut self.items).into_iter().map(Some).collect();
        self.lines = kept.iter().map(|&(place, _)| self.lines[place as usize]).collect();
        self.items = kept.into_iter().filter_map(|(_, item)| items[item as usize].take()).collect();
        self.by_document = by_document(&self.items);
    }
}

/// The places of items in the order of their documents' ids; equal ids in the order of lines.
fn by_document<T: OfDocument>(items: &[T]) -> Vec<Key> {
    let key = |(item, place): (&T, u32)| Key { start: item.document().start(), place };
    let mut keys: Vec<Key> = items.iter().zip(0..).map(key).collect();
    keys.sort_unstable();
    for alike in keys.chunk_by_mut(|one, other| one.start == other.start).filter(|alike| alike.len() > 1) {
        let id = |key: &Key| items[key.place as usize].document();
        alike.sort_unstable_by(|one, other| id(one).cmp(id(other)).then(one.place.cmp(&other.place)));
    }
    keys
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
    fn documents_are_ordered_by_all_their_bytes() {
        let ids = ["clueweb09-2", "b", "clueweb09-10", "", "clueweb0", "clueweb09", "é", "b "];
        let lines: Vec<(&str, &str, i32)> = ids.iter().map(|id| ("1", *id, 0)).collect();
        let settled = gathered(&lines).settle(Duplicates::Error, |item| item.1).unwrap();
        let found: Vec<&str> = settled.topics[0].by_document.iter().map(|key| ids[key.place as usize]).collect();
        let mut sorted = ids;
        sorted.sort_unstable();
        assert_eq!(found, sorted);
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

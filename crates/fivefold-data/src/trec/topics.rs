//! Collects lines in any order, by topic and document, and tells at once if a document stands twice.
//! Lint shares this module; readers find such documents faster at the end (`gathered.rs`).

use std::collections::HashMap;

/// The topics read so far, in the order of their first lines.
#[derive(Debug)]
pub(crate) struct Topics<T> {
    topics: Vec<Topic<T>>,
    by_id: HashMap<String, usize>,
}

#[derive(Debug)]
struct Topic<T> {
    id: String,
    items: Vec<T>,
    /// The line of each item.
    lines: Vec<u64>,
    by_document: HashMap<String, usize>,
}

impl<T> Default for Topics<T> {
    fn default() -> Self {
        Topics { topics: Vec::new(), by_id: HashMap::new() }
    }
}

impl<T> Topics<T> {
    /// Adds an item under a topic and document. If the document has an item already, returns this
    /// item and its line.
    pub(crate) fn add(
        &mut self,
        topic: &str,
        document: &str,
        line: u64,
        new: impl FnOnce() -> T,
    ) -> Option<(&mut T, u64)> {
        let place = match self.by_id.get(topic) {
            Some(&place) => place,
            None => {
                let place = self.topics.len();
                self.by_id.insert(topic.to_owned(), place);
                let id = topic.to_owned();
                self.topics.push(Topic { id, items: Vec::new(), lines: Vec::new(), by_document: HashMap::new() });
                place
            }
        };
        let Topic { items, lines, by_document, .. } = &mut self.topics[place];
        if let Some(&known) = by_document.get(document) {
            return Some((&mut items[known], lines[known]));
        }
        by_document.insert(document.to_owned(), items.len());
        items.push(new());
        lines.push(line);
        None
    }

    /// All topics, each made from its id and items, and the topics' places by id.
    pub(crate) fn finish<U>(self, make: impl Fn(String, Vec<T>) -> U) -> (Vec<U>, HashMap<String, usize>) {
        (self.topics.into_iter().map(|topic| make(topic.id, topic.items)).collect(), self.by_id)
    }
}

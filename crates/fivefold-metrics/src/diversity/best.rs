//! The best order of a topic's documents under a measure of novelty, by branch and bound.
//!
//! The value is sum_i D(i) gain(i), where the gain of a document is the sum of what its subtopics
//! are still worth, and D falls with the rank. The search puts one document after the other, and
//! gives up an order that cannot become better than the best so far:
//! - gains only fall as documents are added, so the documents left, by falling gain, bound the
//!   rest;
//! - a subtopic that is worth w can give at most w (1 + left + left^2 + ...);
//! - a document that lacks nothing of another one goes first, since to exchange the two never
//!   raises the value, whether the other one follows or not;
//! - of two orders of the same documents, only the better one goes on.
//!
//! The search begins with the greedy order, which stays if no order is better. Cost: in the worst
//! case each subset of the documents, so it is for small topics.

use std::collections::HashMap;

/// The most documents with a subtopic for which the best order is searched.
pub(crate) const MOST_DOCUMENTS: usize = 20;

/// Documents with the same subtopics.
struct Kind<'a> {
    subtopics: &'a [usize],
    /// Documents that are not yet in the order.
    left: usize,
}

struct Search<'a> {
    kinds: Vec<Kind<'a>>,
    /// D of each position of the order.
    discounts: Vec<f64>,
    /// The share of its worth that a subtopic keeps.
    left: f64,
    /// What each subtopic is worth now.
    worth: Vec<f64>,
    order: Vec<usize>,
    /// The best value so far, and its order; empty: the greedy order.
    best: f64,
    best_order: Vec<usize>,
    /// The best value of each set of documents, as numbers of documents left of each kind.
    seen: HashMap<Vec<usize>, f64>,
}

/// The best order of documents, as lists of their subtopics. `greedy` is the greedy order, of as
/// many documents as `discounts` has positions, or of all. Each worth of a subtopic is multiplied
/// by `left` as a document of it is added. `None`: there are too many documents.
pub(super) fn order<'a>(
    documents: &[&'a [usize]],
    greedy: &[&'a [usize]],
    subtopics: usize,
    left: f64,
    discounts: &[f64],
) -> Option<Vec<&'a [usize]>> {
    if documents.len() > MOST_DOCUMENTS {
        return None;
    }
    let mut kinds: Vec<Kind<'a>> = Vec::new();
    for &document in documents {
        match kinds.iter_mut().find(|kind| kind.subtopics == document) {
            Some(kind) => kind.left += 1,
            None => kinds.push(Kind { subtopics: document, left: 1 }),
        }
    }
    let discounts = discounts[..discounts.len().min(documents.len())].to_vec();
    let (worth, seen) = (vec![1.0; subtopics], HashMap::new());
    let mut search =
        Search { kinds, discounts, left, worth, order: Vec::new(), best: 0.0, best_order: Vec::new(), seen };
    search.best = search.value_of(greedy);
    search.extend(0.0);
    if search.best_order.is_empty() {
        return Some(greedy.to_vec());
    }
    Some(search.best_order.iter().map(|&kind| search.kinds[kind].subtopics).collect())
}

impl Search<'_> {
    fn value_of(&self, order: &[&[usize]]) -> f64 {
        let mut worth = self.worth.clone();
        let gained = order.iter().zip(&self.discounts).map(|(subtopics, discount)| {
            let gain: f64 = subtopics.iter().map(|&subtopic| worth[subtopic]).sum();
            subtopics.iter().for_each(|&subtopic| worth[subtopic] *= self.left);
            gain * discount
        });
        gained.sum()
    }

    fn gain(&self, kind: &Kind<'_>) -> f64 {
        kind.subtopics.iter().map(|&subtopic| self.worth[subtopic]).sum()
    }

    /// The most that further documents can add.
    fn bound(&self) -> f64 {
        let rest = &self.discounts[self.order.len()..];
        let mut gains: Vec<f64> =
            self.kinds.iter().flat_map(|kind| std::iter::repeat_n(self.gain(kind), kind.left)).collect();
        gains.sort_unstable_by(|one, other| other.total_cmp(one));
        let by_documents: f64 = gains.iter().zip(rest).map(|(gain, discount)| gain * discount).sum();
        let worth = self.worth.iter().sum::<f64>() / (1.0 - self.left);
        by_documents.min(worth * rest.first().copied().unwrap_or(0.0))
    }

    /// Whether a kind lacks a subtopic of this one, so that this one may come first.
    fn may_be_next(&self, kind: &Kind<'_>) -> bool {
        let has_more = |other: &Kind<'_>| {
            let has_all = kind.subtopics.iter().all(|subtopic| other.subtopics.contains(subtopic));
            other.left > 0 && has_all && other.subtopics.len() > kind.subtopics.len()
        };
        kind.left > 0 && !self.kinds.iter().any(has_more)
    }

    /// Searches the orders that begin with the order so far, which has this value.
    fn extend(&mut self, value: f64) {
        if value > self.best {
            self.best = value;
            self.best_order.clone_from(&self.order);
        }
        if self.order.len() == self.discounts.len() || value + self.bound() <= self.best {
            return;
        }
        let left: Vec<usize> = self.kinds.iter().map(|kind| kind.left).collect();
        match self.seen.get_mut(&left) {
            Some(seen) if *seen >= value => return,
            Some(seen) => *seen = value,
            None => drop(self.seen.insert(left, value)),
        }
        let mut next: Vec<(usize, f64)> = (self.kinds.iter().enumerate())
            .filter(|(_, kind)| self.may_be_next(kind))
            .map(|(number, kind)| (number, self.gain(kind)))
            .collect();
        next.sort_by(|one, other| other.1.total_cmp(&one.1));
        let discount = self.discounts[self.order.len()];
        for (number, gain) in next {
            let before = self.worth.clone();
            self.kinds[number].subtopics.iter().for_each(|&subtopic| self.worth[subtopic] *= self.left);
            self.kinds[number].left -= 1;
            self.order.push(number);
            self.extend(value + gain * discount);
            self.order.pop();
            self.kinds[number].left += 1;
            self.worth = before;
        }
    }
}

//! Matches of N-grams: of each N-gram, as many as the text has that has fewer.
//!
//! An N-gram of the reference is a pair: the number of its first N - 1 tokens, and its last token.
//! So a text is matched token by token, by N - 1 searches in sorted lists of pairs.

use crate::slots::Local;

/// Counts matches of a text with a reference, token by token.
pub(crate) trait Matcher {
    /// Begins a new text.
    fn start(&mut self);
    /// The next token of the text, in the reference's numbers (0: not in the reference).
    fn push(&mut self, token: u32);
    /// Matches of the text so far.
    fn matches(&self) -> u32;

    /// Matches of a whole text.
    fn of(&mut self, text: impl Iterator<Item = u32>) -> u32 {
        self.start();
        text.for_each(|token| self.push(token));
        self.matches()
    }
}

/// The N-grams of a reference, and the matches of a text with them.
pub(crate) struct Grams {
    /// For each order from 2: the different N-grams as pairs, sorted. An N-gram's number is its
    /// place, from 1.
    pairs: Vec<Vec<u64>>,
    /// How often each N-gram of the highest order stands in the reference; place 0 holds 0.
    counts: Vec<u32>,
    /// The N-grams of each lower order that end at the last token of the text; 0: not in the
    /// reference.
    last: Vec<u32>,
    /// How often each N-gram was matched.
    matched: Vec<u32>,
    matches: u32,
}

fn pair(first: u32, last: u32) -> u64 {
    u64::from(first) << 32 | u64::from(last)
}

fn number(pairs: &[u64], first: u32, last: u32) -> u32 {
    if first == 0 || last == 0 {
        return 0;
    }
    pairs.binary_search(&pair(first, last)).map_or(0, |place| place as u32 + 1)
}

impl Grams {
    pub(crate) fn new(order: usize, reference: &Local) -> Self {
        let (mut ids, mut pairs) = (reference.tokens.clone(), Vec::new());
        let mut counts = reference.counts.clone();
        for longer in 2..=order {
            let ends = reference.tokens.iter().skip(longer - 1);
            let all: Vec<u64> = ids.iter().zip(ends).map(|(&first, &last)| pair(first, last)).collect();
            let mut different = all.clone();
            different.sort_unstable();
            different.dedup();
            counts = vec![0; different.len() + 1];
            // All are found: the list was made of them.
            ids = all.iter().map(|&pair| number(&different, (pair >> 32) as u32, pair as u32)).collect();
            ids.iter().for_each(|&id| counts[id as usize] += 1);
            pairs.push(different);
        }
        let matched = vec![0; counts.len()];
        Grams { pairs, counts, last: vec![0; order - 1], matched, matches: 0 }
    }

    /// N.
    pub(crate) fn order(&self) -> usize {
        self.last.len() + 1
    }

    /// The different bigrams of a reference: first token, last token, how often. Order 2 only.
    pub(crate) fn bigrams(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        let all = self.pairs.first().into_iter().flatten().zip(self.counts.iter().skip(1));
        all.map(|(&pair, &count)| ((pair >> 32) as u32, pair as u32, count))
    }
}

impl Matcher for Grams {
    fn start(&mut self) {
        self.last.fill(0);
        self.matched.fill(0);
        self.matches = 0;
    }

    fn push(&mut self, token: u32) {
        // From the highest order, so that each order still finds the N-gram that ended before.
        let mut whole = token;
        for (place, pairs) in self.pairs.iter().enumerate().rev() {
            let id = number(pairs, self.last[place], token);
            match self.last.get_mut(place + 1) {
                Some(last) => *last = id,
                None => whole = id,
            }
        }
        if let Some(last) = self.last.first_mut() {
            *last = token;
        }
        let (whole, count) = (whole as usize, self.counts[whole as usize]);
        if self.matched[whole] < count {
            self.matched[whole] += 1;
            self.matches += 1;
        }
    }

    fn matches(&self) -> u32 {
        self.matches
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::slots::Slots;

    /// Matches by maps of slices, as the definition says.
    fn by_maps(order: usize, one: &[u32], other: &[u32]) -> u32 {
        let counts = |text: &[u32]| {
            let mut counts: HashMap<Vec<u32>, u32> = HashMap::new();
            text.windows(order).for_each(|gram| *counts.entry(gram.to_vec()).or_default() += 1);
            counts
        };
        let (one, other) = (counts(one), counts(other));
        one.iter().map(|(gram, &count)| count.min(other.get(gram).copied().unwrap_or(0))).sum()
    }

    proptest! {
        #[test]
        fn matches_are_those_of_maps(
            reference in prop::collection::vec(0..3_u32, 0..12),
            texts in prop::collection::vec(prop::collection::vec(0..4_u32, 0..12), 1..4),
            order in 1..5_usize,
        ) {
            let mut slots = Slots::new(4);
            let local = slots.enter(&reference);
            let mut grams = Grams::new(order, &local);
            for text in &texts {
                prop_assert_eq!(grams.of(slots.of(text)), by_maps(order, &reference, text));
            }
            slots.leave(&reference);
            prop_assert!(slots.of(&[0, 1, 2, 3]).all(|slot| slot == 0));
        }
    }
}

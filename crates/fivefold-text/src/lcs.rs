//! The length of the longest common subsequence of a text and a reference, by bit-parallel
//! recurrence (Hyyrö, Bit-parallel LCS-length computation revisited, 2004).
//!
//! V has a bit for each token of the reference, at first all 1. For each token of the text, with the
//! mask of its places in the reference: u = V & mask; V = (V + u) | (V - u). The length is the
//! number of zero bits. Costs O(m ceil(n/64)).

use crate::ngrams::Matcher;
use crate::slots::Local;

/// The reference's masks, and V for a text.
pub(crate) struct Lcs {
    /// Words of 64 bits of a mask.
    words: usize,
    /// The mask of each token of the reference, by its number.
    masks: Vec<u64>,
    v: Vec<u64>,
}

impl Lcs {
    pub(crate) fn new(reference: &Local) -> Self {
        let words = reference.tokens.len().div_ceil(64);
        let mut masks = vec![0; words * reference.counts.len()];
        for (place, &token) in reference.tokens.iter().enumerate() {
            masks[token as usize * words + place / 64] |= 1 << (place % 64);
        }
        // Bits above the reference's length are in no mask, so they stay 1.
        Lcs { words, masks, v: vec![u64::MAX; words] }
    }
}

/// V after a token, for one word. The carry out of the word is lost.
pub(crate) fn after(v: u64, mask: u64) -> u64 {
    let u = v & mask;
    v.wrapping_add(u) | (v - u)
}

impl Matcher for Lcs {
    fn start(&mut self) {
        self.v.fill(u64::MAX);
    }

    #[inline]
    fn push(&mut self, token: u32) {
        if token == 0 {
            return;
        }
        let first = token as usize * self.words;
        let masks = &self.masks[first..first + self.words];
        if let ([v], [mask]) = (self.v.as_mut_slice(), masks) {
            *v = after(*v, *mask);
            return;
        }
        let mut carry = false;
        for (v, mask) in self.v.iter_mut().zip(masks) {
            let u = *v & mask;
            let (sum, over) = v.overflowing_add(u);
            let (sum, over_by_carry) = sum.overflowing_add(u64::from(carry));
            carry = over || over_by_carry;
            *v = sum | (*v - u);
        }
    }

    fn matches(&self) -> u32 {
        self.v.iter().map(|word| word.count_zeros()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::slots::Slots;

    /// The length by the table of the definition.
    fn by_table(one: &[u32], other: &[u32]) -> u32 {
        let mut row = vec![0; other.len() + 1];
        for token in one {
            let mut diagonal = 0;
            for (place, with) in other.iter().enumerate() {
                let above = row[place + 1];
                row[place + 1] = if token == with { diagonal + 1 } else { above.max(row[place]) };
                diagonal = above;
            }
        }
        row.last().copied().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn lengths_are_those_of_the_table(
            reference in prop::collection::vec(0..6_u32, 0..300),
            text in prop::collection::vec(0..7_u32, 0..300),
        ) {
            let mut slots = Slots::new(7);
            let local = slots.enter(&reference);
            prop_assert_eq!(Lcs::new(&local).of(slots.of(&text)), by_table(&reference, &text));
        }
    }
}

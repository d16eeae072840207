//! A small tree as tests that clear bits of leaves. Sources: QuickScorer (Lucchese et al., SIGIR
//! 2015), and VQS (SIGIR 2016), which uses vectors over documents.
//!
//! Leaves are numbered from left to right. A document starts with a bit for each leaf. A test that
//! sends the document right clears the bits of the left subtree. In the end, the lowest bit that is
//! set is the document's leaf. All tests are made for a block of documents at once, without a
//! branch or a dependent load.
//!
//! QuickScorer sorts the tests of all trees by feature and threshold. Then a document need not make
//! the tests above its value, but each test must load and store the bits of its tree. Here the
//! tests stay with their tree, so the bits of a block stay in registers until the tree is done.
//! Sorted tests were slower: a block of 16 documents must make 86 % of the tests anyway (see the
//! book's page on performance).

use std::ops::{BitAnd, BitOr, Not};

use crate::tree::{Node, Tree};

/// Documents of a group, whose tests are one vector instruction where the processor has it.
pub(crate) const LANES: usize = 8;

/// Bits of leaves, the first leaf lowest.
pub(crate) trait Bits: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// The most leaves of a tree.
    const LEAVES: usize;
    /// A bit for each leaf.
    const ALL: Self;
    /// All bits if `is` is 1, no bit if it is 0. The code has no `if`, which the compiler would
    /// make a branch.
    fn all_if(is: u32) -> Self;
    /// Bits `first` to `end`, without `end`.
    fn range(first: usize, end: usize) -> Self;
    /// The place of the lowest bit.
    fn lowest(self) -> usize;
}

impl Bits for u32 {
    const LEAVES: usize = 32;
    const ALL: Self = u32::MAX;

    #[inline(always)]
    fn all_if(is: u32) -> Self {
        is.wrapping_neg()
    }

    fn range(first: usize, end: usize) -> Self {
        u64::range(first, end) as u32
    }

    #[inline(always)]
    fn lowest(self) -> usize {
        self.trailing_zeros() as usize
    }
}

impl Bits for u64 {
    const LEAVES: usize = 64;
    const ALL: Self = u64::MAX;

    #[inline(always)]
    fn all_if(is: u32) -> Self {
        i64::from(is.wrapping_neg() as i32) as u64
    }

    fn range(first: usize, end: usize) -> Self {
        ((1u128 << end) - (1u128 << first)) as u64
    }

    #[inline(always)]
    fn lowest(self) -> usize {
        self.trailing_zeros() as usize
    }
}

/// A tree of up to `B::LEAVES` leaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Masks<B> {
    /// The tests that send a missing value left, then the other tests.
    tests: Vec<Test<B>>,
    missing_left: usize,
    /// Leaf values from left to right, `B::LEAVES` of them.
    values: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Test<B> {
    feature: u32,
    threshold: f32,
    /// The bits that stay set when a document goes right: all leaves except the left subtree's
    /// leaves.
    right: B,
}

impl<B: Bits> Masks<B> {
    /// The tests of a tree, which must have at most `B::LEAVES` leaves.
    pub fn new(tree: &Tree) -> Self {
        let nodes: Vec<Node> = tree.nodes().collect();
        let mut values = Vec::with_capacity(B::LEAVES);
        let (mut left, mut right) = (Vec::with_capacity(nodes.len()), Vec::new());
        // Items of the stack: (node, its first leaf, whether the leaves of its left subtree have
        // numbers).
        let root = if nodes.is_empty() { !0 } else { 0 };
        let mut stack = vec![(root, 0, false)];
        while let Some((child, first, numbered)) = stack.pop() {
            if child < 0 {
                values.push(tree.values()[!child as usize]);
            } else if !numbered {
                stack.push((child, values.len(), true));
                stack.push((nodes[child as usize].left, 0, false));
            } else {
                let Node { feature, threshold, missing_left, right: below, .. } = nodes[child as usize];
                let test = Test { feature, threshold, right: !B::range(first, values.len()) };
                (if missing_left { &mut left } else { &mut right }).push(test);
                stack.push((below, 0, false));
            }
        }
        values.resize(B::LEAVES, 0.0);
        let missing_left = left.len();
        left.append(&mut right);
        Masks { tests: left, missing_left, values }
    }

    /// Adds the tree's values to the scores of the first documents of a block of `G` groups, given
    /// a column of the block for each feature.
    #[inline(always)]
    pub fn add_scores<const G: usize>(&self, columns: &[[[f32; LANES]; G]], scores: &mut [f64]) {
        let found = self.masks(columns);
        let values = &self.values[..B::LEAVES];
        // The number of scores is not known to the compiler. So it does not mix the loop with the
        // tests, which would halve the width of their vectors.
        for (score, mask) in scores.iter_mut().zip(found.as_flattened()) {
            *score += values[mask.lowest() % B::LEAVES];
        }
    }

    /// The bits of leaves that stay set after all tests.
    #[inline(always)]
    fn masks<const G: usize>(&self, columns: &[[[f32; LANES]; G]]) -> [[B; LANES]; G] {
        let mut masks = [[B::ALL; LANES]; G];
        // Loops over places, not over iterators: without optimisation across parts of the crate,
        // iterators of arrays are calls.
        let (left, right) = self.tests.split_at(self.missing_left);
        for &test in left {
            let column = &columns[test.feature as usize];
            for group in 0..G {
                masks[group] =
                    test.keep(masks[group], &column[group], |value, threshold| u32::from(value > threshold) ^ 1);
            }
        }
        for &test in right {
            let column = &columns[test.feature as usize];
            for group in 0..G {
                masks[group] =
                    test.keep(masks[group], &column[group], |value, threshold| u32::from(value <= threshold));
            }
        }
        masks
    }
}

impl<B: Bits> Test<B> {
    /// The bits of a group of documents after the test. Comparisons are false for a missing value.
    #[inline(always)]
    fn keep(self, masks: [B; LANES], column: &[f32; LANES], goes_left: impl Fn(f32, f32) -> u32) -> [B; LANES] {
        let mut kept = masks;
        for lane in 0..LANES {
            let stays = B::all_if(goes_left(column[lane], self.threshold));
            kept[lane] = masks[lane] & (self.right | stays);
        }
        kept
    }
}

//! Fast scoring of many documents by one tree, in two forms. The number of leaves decides the
//! form.
//!
//! A tree of up to [`MASK_LEAVES`] leaves is a list of tests, a test for each inner node. Sources:
//! QuickScorer (Lucchese et al., SIGIR 2015), and VQS (SIGIR 2016), which uses vectors over
//! documents. Leaves are numbered from left to right. A document starts with a bit for each leaf. A
//! test that sends the document right clears the bits of the left subtree. In the end, the lowest
//! bit that is set is the document's leaf. All tests are made for a block of documents at once,
//! without a branch or a dependent load. Unlike in QuickScorer, tests are not sorted by threshold,
//! so the comparison is a vector instruction.
//!
//! In a tree with more leaves, the documents of a block walk down together, so that their loads
//! overlap. A node holds both children, and a leaf is its own child. So a step is a load and a
//! choice without a branch.

use crate::tree::{Node, Tree};

/// Documents of a block.
pub(crate) const BLOCK: usize = 16;

/// The most leaves of a tree that masks can score.
const MASK_LEAVES: usize = 32;

/// One tree, ready for scoring.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scorer {
    /// By masks of leaves.
    Masks(Box<Masks>),
    /// By walking down.
    Walk(Walk),
}

impl Scorer {
    pub fn new(tree: &Tree) -> Self {
        if tree.values().len() <= MASK_LEAVES {
            Scorer::Masks(Box::new(Masks::new(tree)))
        } else {
            Scorer::Walk(Walk::new(tree))
        }
    }
}

/// A tree as tests that clear bits of leaves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Masks {
    tests: Vec<Test>,
    /// Leaf values from left to right.
    values: [f64; MASK_LEAVES],
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Test {
    feature: u32,
    threshold: f32,
    missing_left: bool,
    /// The bits that stay set when a document goes right: all leaves except the left subtree's
    /// leaves.
    right: u32,
}

impl Masks {
    fn new(tree: &Tree) -> Self {
        let nodes: Vec<Node> = tree.nodes().collect();
        let mut values = [0.0; MASK_LEAVES];
        let mut tests = Vec::with_capacity(nodes.len());
        let mut leaves = 0;
        // Items of the stack: (node, its first leaf, whether the leaves of its left subtree have
        // numbers).
        let root = if nodes.is_empty() { !0 } else { 0 };
        let mut stack = vec![(root, 0, false)];
        while let Some((child, first, numbered)) = stack.pop() {
            if child < 0 {
                values[leaves] = tree.values()[!child as usize];
                leaves += 1;
            } else if !numbered {
                stack.push((child, leaves, true));
                stack.push((nodes[child as usize].left, 0, false));
            } else {
                let Node { feature, threshold, missing_left, right, .. } = nodes[child as usize];
                let left_leaves = ((1u64 << leaves) - (1u64 << first)) as u32;
                tests.push(Test { feature, threshold, missing_left, right: !left_leaves });
                stack.push((right, 0, false));
            }
        }
        Masks { tests, values }
    }

    /// Adds the tree's values for a block of documents, given a column of the block for each
    /// feature.
    pub fn add_scores(&self, columns: &[[f32; BLOCK]], scores: &mut [f64; BLOCK]) {
        let mut masks = [u32::MAX; BLOCK];
        for test in &self.tests {
            let column = &columns[test.feature as usize];
            // All bits of `stays` are set if the document goes left. Both comparisons are false for
            // a missing value. The code has no `if`, which the compiler would make a branch.
            if test.missing_left {
                for (mask, &value) in masks.iter_mut().zip(column) {
                    let stays = u32::from(value > test.threshold).wrapping_sub(1);
                    *mask &= test.right | stays;
                }
            } else {
                for (mask, &value) in masks.iter_mut().zip(column) {
                    let stays = u32::from(value <= test.threshold).wrapping_neg();
                    *mask &= test.right | stays;
                }
            }
        }
        for (score, mask) in scores.iter_mut().zip(masks) {
            *score += self.values[mask.trailing_zeros() as usize % MASK_LEAVES];
        }
    }
}

/// A tree as flat nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Walk {
    /// Inner nodes, then leaves (which are their own children).
    nodes: Vec<FlatNode>,
    /// The value of each node; 0 for inner nodes.
    values: Vec<f64>,
    depth: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct FlatNode {
    threshold: f32,
    /// Feature number, shifted left by one; the lowest bit is 1 if a missing value goes left.
    feature: u32,
    /// Right child, left child.
    children: [u32; 2],
}

impl Walk {
    pub fn new(tree: &Tree) -> Self {
        let inner = tree.nodes().len();
        let index = |child: i32| if child >= 0 { child as u32 } else { inner as u32 + !child as u32 };
        let flat = |node: Node| FlatNode {
            threshold: node.threshold,
            feature: node.feature << 1 | u32::from(node.missing_left),
            children: [index(node.right), index(node.left)],
        };
        let leaf = |i: usize| FlatNode { threshold: 0.0, feature: 0, children: [i as u32; 2] };
        let mut values = vec![0.0; inner];
        values.extend_from_slice(tree.values());
        let nodes = tree.nodes().map(flat).chain((inner..values.len()).map(leaf)).collect();
        Walk { nodes, values, depth: tree.depth() }
    }

    /// Adds the tree's values for up to [`BLOCK`] rows of `width` values.
    pub fn add_scores(&self, rows: &[f32], width: usize, scores: &mut [f64]) {
        let mut at = [0u32; BLOCK];
        for _ in 0..self.depth {
            for (at, row) in at.iter_mut().zip(rows.chunks_exact(width)) {
                let node = &self.nodes[*at as usize];
                let value = row[(node.feature >> 1) as usize];
                let goes_left = (value <= node.threshold) | (value.is_nan() & (node.feature & 1 == 1));
                *at = node.children[usize::from(goes_left)];
            }
        }
        for (score, at) in scores.iter_mut().zip(at) {
            *score += self.values[at as usize];
        }
    }
}

//! Fast scoring of many documents by one tree, in two forms. The number of leaves decides the
//! form.
//!
//! A tree of up to 32 leaves, or up to 64 if the processor has wide vectors, is a list of tests
//! (see [`masks`](crate::masks)).
//!
//! In a tree with more leaves, the documents of a block walk down together, so that their loads
//! overlap. A node holds both children, and a leaf is its own child. So a step is a load and a
//! choice without a branch.

use crate::masks::{Bits as _, Masks};
use crate::tree::{Node, Tree};
use crate::wide::is_wide;

/// Documents of a block.
pub(crate) const BLOCK: usize = 16;

/// One tree, ready for scoring.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scorer {
    /// By masks of leaves.
    Masks(Masks<u32>),
    /// By masks of twice as many leaves.
    LongMasks(Masks<u64>),
    /// By walking down.
    Walk(Walk),
}

impl Scorer {
    /// The form that is fastest on this processor.
    pub fn new(tree: &Tree) -> Self {
        Scorer::of(tree, is_wide())
    }

    /// Without wide vectors, walking is faster than long masks.
    pub fn of(tree: &Tree, wide: bool) -> Self {
        match tree.values().len() {
            ..=u32::LEAVES => Scorer::Masks(Masks::new(tree)),
            ..=u64::LEAVES if wide => Scorer::LongMasks(Masks::new(tree)),
            _ => Scorer::Walk(Walk::new(tree)),
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

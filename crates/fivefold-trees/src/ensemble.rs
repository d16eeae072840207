//! A sum of trees, and how it scores many documents quickly.
//!
//! Nodes lie flat, 16 bytes each, one tree after the other; both children stand in the node and a leaf is its own child, so a
//! step down is a load and a choice without a branch. A block of documents goes down one tree together: their loads do not
//! depend on each other and overlap, and a tree's nodes stay in cache for the whole block. Scores are added in the order
//! of the trees, so they do not depend on the blocks.
//!
//! Cost: documents x trees x depth steps.

use serde::{Deserialize, Serialize};

use crate::bins::Rows;
use crate::tree::{Node, Tree};

/// Documents that go down a tree together.
const BLOCK: usize = 16;

/// The score of a document is the sum of its leaf values over all trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Tree>", into = "Vec<Tree>")]
pub struct Ensemble {
    trees: Vec<Tree>,
    flat: Vec<FlatTree>,
}

/// One tree, ready for scoring.
#[derive(Debug, Clone, PartialEq)]
struct FlatTree {
    /// Inner nodes, then leaves (which are their own children).
    nodes: Vec<FlatNode>,
    /// The value of each node; 0 for inner nodes.
    values: Vec<f64>,
    depth: usize,
    width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct FlatNode {
    threshold: f32,
    /// Feature number, shifted left by one, and in the lowest bit whether missing goes left.
    feature: u32,
    /// Right child, left child.
    children: [u32; 2],
}

impl From<Vec<Tree>> for Ensemble {
    fn from(trees: Vec<Tree>) -> Self {
        let flat = trees.iter().map(FlatTree::new).collect();
        Ensemble { trees, flat }
    }
}

impl From<Ensemble> for Vec<Tree> {
    fn from(ensemble: Ensemble) -> Self {
        ensemble.trees
    }
}

impl Ensemble {
    /// The trees, in order.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Adds the ensemble's scores to `scores`, one a row.
    ///
    /// # Panics
    /// If `rows` is not `scores.len()` rows of `width` values, or a tree uses a feature beyond `width`.
    pub fn add_scores(&self, rows: &[f32], width: usize, scores: &mut [f64]) {
        assert_eq!(rows.len(), width * scores.len(), "one score a row");
        // Blocks of rows that fit the first-level cache together with a tree.
        for (rows, scores) in rows.chunks(width * 4 * BLOCK).zip(scores.chunks_mut(4 * BLOCK)) {
            for tree in &self.flat {
                tree.add_scores(rows, width, scores);
            }
        }
    }

    /// The gains of all cuts, summed for each of `width` features.
    ///
    /// # Panics
    /// If a tree uses a feature beyond `width`.
    pub fn importance(&self, width: usize) -> Vec<f64> {
        let mut importance = vec![0.0; width];
        self.trees.iter().for_each(|tree| tree.add_importance(&mut importance));
        importance
    }
}

/// Adds one tree's values to `scores`, one a row of `rows`.
///
/// # Panics
/// If the tree uses a feature beyond the rows' width, or there is not one score a row.
pub fn add_tree_scores(tree: &Tree, rows: &Rows<'_>, scores: &mut [f64]) {
    assert_eq!(rows.len(), scores.len(), "one score a row");
    let flat = FlatTree::new(tree);
    let mut rest = scores;
    for block in rows.blocks() {
        let (scores, after) = rest.split_at_mut(block.len() / rows.width());
        flat.add_scores(block, rows.width(), scores);
        rest = after;
    }
}

impl FlatTree {
    fn new(tree: &Tree) -> Self {
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
        FlatTree { nodes, values, depth: tree.depth(), width: tree.width() }
    }

    fn add_scores(&self, rows: &[f32], width: usize, scores: &mut [f64]) {
        assert!(self.width <= width, "a tree uses feature {} of {width}", self.width);
        for (rows, scores) in rows.chunks(width * BLOCK).zip(scores.chunks_mut(BLOCK)) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> (Ensemble, Vec<f32>, usize) {
        let width = 5;
        let node = |i: i32, n: i32| Node {
            feature: (i as u32 * 7) % 5,
            threshold: ((i * 13) % 9) as f32 - 4.0,
            missing_left: i % 2 == 0,
            left: !i,
            right: if i + 1 < n { i + 1 } else { !n },
            gain: f64::from(i) + 1.0,
        };
        let tree = |n: i32| {
            let nodes: Vec<Node> = (0..n).map(|i| node(i, n)).collect();
            Tree::new(&nodes, (0..=n).map(|i| f64::from(i) * 0.1 - 0.3).collect()).unwrap()
        };
        let value = |i: u32| if i % 17 == 5 { f32::NAN } else { ((i * 31) % 11) as f32 - 5.0 };
        (Ensemble::from(vec![tree(3), tree(0), tree(12), tree(1)]), (0..500).map(value).collect(), width)
    }

    #[test]
    fn scores_are_those_of_walking_each_tree() {
        let (ensemble, rows, width) = made();
        let mut scores = vec![0.5; 100];
        ensemble.add_scores(&rows, width, &mut scores);
        for (row, score) in rows.chunks(width).zip(&scores) {
            let walked = ensemble.trees().iter().fold(0.5, |sum, tree| sum + tree.values()[tree.leaf_of(row)]);
            assert_eq!(*score, walked);
        }
        let mut alone = vec![0.0; 100];
        add_tree_scores(&ensemble.trees()[2], &Rows::new(vec![&rows[..85], &rows[85..]], width), &mut alone);
        let tree = &ensemble.trees()[2];
        assert!(rows.chunks(width).zip(&alone).all(|(row, &score)| score == tree.values()[tree.leaf_of(row)]));
    }

    #[test]
    fn importance_sums_gains() {
        let (ensemble, ..) = made();
        let total: f64 = ensemble.importance(5).iter().sum();
        assert_eq!(total, (1..=3).sum::<i32>() as f64 + (1..=12).sum::<i32>() as f64 + 1.0);
    }
}

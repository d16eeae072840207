//! A sum of trees, and how it scores many documents quickly.
//!
//! Documents are scored in blocks: a block's features are laid out by column once, then each tree in turn (see `scorer`) adds its
//! values, so that scores do not depend on the blocks. Cost: documents x trees x inner nodes / 4 comparisons for trees of up to 32
//! leaves (four at once), else documents x trees x depth steps.

use serde::{Deserialize, Serialize};

use crate::bins::Rows;
use crate::scorer::{BLOCK, Scorer, Walk};
use crate::tree::Tree;

/// The score of a document is the sum of its leaf values over all trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Tree>", into = "Vec<Tree>")]
pub struct Ensemble {
    trees: Vec<Tree>,
    scorers: Vec<Scorer>,
    width: usize,
}

impl From<Vec<Tree>> for Ensemble {
    fn from(trees: Vec<Tree>) -> Self {
        let scorers = trees.iter().map(Scorer::new).collect();
        let width = trees.iter().map(Tree::width).max().unwrap_or(0);
        Ensemble { trees, scorers, width }
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
        assert!(self.width <= width, "a tree uses feature {} of {width}", self.width);
        let mut columns = vec![[0.0; BLOCK]; self.width];
        for (number, scores) in scores.chunks_mut(BLOCK).enumerate() {
            let rows = &rows[number * BLOCK * width..][..scores.len() * width];
            for (document, row) in (0..scores.len()).map(|i| &rows[i * width..][..self.width]).enumerate() {
                for (column, &value) in columns.iter_mut().zip(row) {
                    column[document] = value;
                }
            }
            // Of a short block the places beyond hold older documents, whose scores are not copied back.
            let mut sums = [0.0; BLOCK];
            sums[..scores.len()].copy_from_slice(scores);
            for scorer in &self.scorers {
                match scorer {
                    Scorer::Masks(tree) => tree.add_scores(&columns, &mut sums),
                    Scorer::Walk(tree) => tree.add_scores(rows, width, &mut sums[..scores.len()]),
                }
            }
            scores.copy_from_slice(&sums[..scores.len()]);
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
    assert!(tree.width() <= rows.width(), "a tree uses feature {} of {}", tree.width(), rows.width());
    let walk = Walk::new(tree);
    let (mut rest, width) = (scores, rows.width());
    for block in rows.blocks() {
        let (scores, after) = rest.split_at_mut(block.len() / width);
        for (rows, scores) in block.chunks(width * BLOCK).zip(scores.chunks_mut(BLOCK)) {
            walk.add_scores(rows, width, scores);
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Node;

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
        // 32 leaves are the most for masks.
        let trees = vec![tree(3), tree(0), tree(31), tree(32), bushy(5), tree(1), bushy(6)];
        (Ensemble::from(trees), (0..500).map(value).collect(), width)
    }

    /// A tree in which all leaves have the same depth.
    fn bushy(depth: u32) -> Tree {
        let inner = (1 << depth) - 1;
        let child = |i: i32| if i < inner { i } else { !(i - inner) };
        let node = |i: i32| Node {
            feature: (i as u32 * 3) % 5,
            threshold: ((i * 5) % 7) as f32 - 3.0,
            missing_left: i % 3 == 0,
            left: child(2 * i + 1),
            right: child(2 * i + 2),
            gain: 0.0,
        };
        let nodes: Vec<Node> = (0..inner).map(node).collect();
        Tree::new(&nodes, (0..=inner).map(|i| f64::from(i) * 0.01).collect()).unwrap()
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
    fn trees_without_a_cut_need_no_feature() {
        let mut scores = [1.0; 20];
        Ensemble::from(vec![Tree::leaf(0.5), Tree::leaf(0.25)]).add_scores(&[], 0, &mut scores);
        assert_eq!(scores, [1.75; 20]);
    }

    #[test]
    fn importance_sums_gains() {
        let (ensemble, ..) = made();
        let total: f64 = ensemble.importance(5).iter().sum();
        let chain = |n: i32| f64::from(n * (n + 1) / 2);
        assert_eq!(total, chain(3) + chain(31) + chain(32) + chain(1));
    }
}

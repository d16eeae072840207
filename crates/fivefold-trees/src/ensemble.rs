//! A sum of trees, and fast scoring of many documents.
//!
//! Documents are scored in blocks. The features of a block are laid out by column once; then each
//! tree in turn adds its values (see `scorer` and `wide`). So scores do not depend on the blocks, nor
//! on the processor. Trees with cuts in `f64` are scored by codes (see [`codes`](crate::codes)). Cost
//! for trees of up to 32 leaves: documents x trees x inner nodes / 4 tests (eight tests at once with
//! AVX2, which also takes trees of up to 64 leaves this way). Cost for larger trees: documents x
//! trees x depth steps.

use serde::{Deserialize, Serialize};

use crate::bins::Rows;
use crate::codes::Codes;
use crate::scorer::{BLOCK, Scorer, Walk};
use crate::tree::Tree;
use crate::wide::add_scores;

/// The score of a document is the sum of its leaf values over all trees.
///
/// ```
/// use fivefold_trees::{Ensemble, Node, Tree};
///
/// let node = Node { feature: 0, threshold: 0.5, missing_left: true, left: !0, right: !1, gain: 2.0 };
/// let ensemble = Ensemble::from(vec![Tree::new(&[node], vec![1.0, 3.0])?, Tree::leaf(0.25)]);
/// let mut scores = [0.0; 2];
/// ensemble.add_scores(&[0.0, 1.0], 1, &mut scores);
/// assert_eq!(scores, [1.25, 3.25]);
/// assert_eq!(ensemble.importance(1), [2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Vec<Tree>", into = "Vec<Tree>")]
pub struct Ensemble {
    trees: Vec<Tree>,
    /// Empty if there are codes, which have scorers of their own.
    scorers: Vec<Scorer>,
    codes: Option<Box<Codes>>,
    width: usize,
}

impl From<Vec<Tree>> for Ensemble {
    fn from(trees: Vec<Tree>) -> Self {
        let codes = Codes::of(&trees).map(Box::new);
        let scorers = if codes.is_none() { trees.iter().map(Scorer::new).collect() } else { Vec::new() };
        let width = trees.iter().map(Tree::width).max().unwrap_or(0);
        Ensemble { trees, scorers, codes, width }
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

    /// Adds the ensemble's score of each row to `scores`.
    ///
    /// # Panics
    /// If `rows` is not `scores.len()` rows of `width` values, or a tree uses a feature beyond
    /// `width`.
    pub fn add_scores(&self, rows: &[f32], width: usize, scores: &mut [f64]) {
        self.check_width(rows, width, scores);
        let Some(codes) = &self.codes else { return add_scores(&self.scorers, self.width, rows, width, scores) };
        let mut coded = Vec::with_capacity(BLOCK * width);
        for (rows, scores) in rows.chunks(BLOCK * width).zip(scores.chunks_mut(BLOCK)) {
            coded.clear();
            for row in rows.chunks(width) {
                coded.extend(row.iter().enumerate().map(|(feature, &value)| codes.code(feature, f64::from(value))));
            }
            self.add_coded_scores(codes, &coded, width, scores);
        }
    }

    /// The codes of values for trees that compare in `f64`; `None` if all trees compare in `f32`.
    pub fn codes(&self) -> Option<&Codes> {
        self.codes.as_deref()
    }

    /// Adds the ensemble's score of each row to `scores`. A row holds the codes of a document's
    /// values, or the values if the ensemble has no codes.
    ///
    /// # Panics
    /// If `rows` is not `scores.len()` rows of `width` codes, or a tree uses a feature beyond
    /// `width`.
    pub fn add_scores_of_codes(&self, rows: &[f32], width: usize, scores: &mut [f64]) {
        self.check_width(rows, width, scores);
        match &self.codes {
            Some(codes) => self.add_coded_scores(codes, rows, width, scores),
            None => add_scores(&self.scorers, self.width, rows, width, scores),
        }
    }

    fn add_coded_scores(&self, codes: &Codes, rows: &[f32], width: usize, scores: &mut [f64]) {
        let columns = codes.width();
        if columns == self.width {
            return add_scores(&codes.scorers, self.width, rows, width, scores);
        }
        let mut wide = vec![0.0; BLOCK * columns];
        for (rows, scores) in rows.chunks(BLOCK * width).zip(scores.chunks_mut(BLOCK)) {
            for (row, wide) in rows.chunks(width).zip(wide.chunks_mut(columns)) {
                codes.fill(row, wide);
            }
            add_scores(&codes.scorers, columns, &wide[..scores.len() * columns], columns, scores);
        }
    }

    fn check_width(&self, rows: &[f32], width: usize, scores: &[f64]) {
        assert_eq!(rows.len(), width * scores.len(), "one score a row");
        assert!(self.width <= width, "a tree uses feature {} of {width}", self.width);
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

/// Adds one tree's value for each row to `scores`.
///
/// ```
/// use fivefold_trees::{Node, Rows, Tree, add_tree_scores};
///
/// let node = Node { feature: 0, threshold: 0.5, missing_left: true, left: !0, right: !1, gain: 2.0 };
/// let tree = Tree::new(&[node], vec![1.0, 3.0])?;
/// // Boosting adds each tree to the scores as it grows.
/// let mut scores = [10.0, 20.0];
/// add_tree_scores(&tree, &Rows::new(vec![&[0.0, 1.0]], 1), &mut scores);
/// assert_eq!(scores, [11.0, 23.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        // Masks score up to 32 leaves.
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

    /// Scores by codes equal the values found by walking each tree, for all kinds of cuts in `f64`.
    /// Rows are values or codes.
    #[test]
    fn scores_by_codes_are_those_of_walking_each_tree() {
        let (ensemble, mut rows, width) = made();
        let cuts = |tree: &Tree, step: f64| {
            let own = |number: usize, node: Node| {
                let first = f64::from(node.threshold) + step;
                (0..1 + number % 3 * (number % 2)).map(|more| first + more as f64 * 1.5).collect()
            };
            tree.nodes().enumerate().map(|(number, node)| own(number, node)).collect::<Vec<Vec<f64>>>()
        };
        let mut trees = ensemble.trees().to_vec();
        for (number, tree) in trees.iter_mut().enumerate().filter(|(number, _)| number % 3 > 0) {
            *tree = tree.clone().with_cuts(cuts(tree, [0.0, 1e-9, -1e-9][number % 3])).unwrap();
        }
        rows.extend([-0.0, 0.0, f32::MAX, f32::MIN, f32::from_bits(1)]);
        let coded = Ensemble::from(trees);
        let documents = rows.len() / width;
        let mut scores = vec![0.5; documents];
        coded.add_scores(&rows, width, &mut scores);
        let codes = coded.codes().unwrap();
        let code = |(place, &value): (usize, &f32)| codes.code(place % width, f64::from(value));
        let rows_of_codes: Vec<f32> = rows.iter().enumerate().map(code).collect();
        let mut by_codes = vec![0.5; documents];
        coded.add_scores_of_codes(&rows_of_codes, width, &mut by_codes);
        assert_eq!(scores, by_codes);
        for ((row, own), score) in rows.chunks(width).zip(rows_of_codes.chunks(width)).zip(&scores) {
            let walked = coded.trees().iter().fold(0.5, |sum, tree| sum + tree.values()[tree.leaf_of(row)]);
            assert_eq!(*score, walked);
            for (number, tree) in coded.trees().iter().enumerate() {
                for (place, node) in tree.nodes().enumerate() {
                    let left = tree.goes_left(place, row[node.feature as usize]);
                    assert_eq!(codes.goes_left(number, place, own), left);
                }
            }
        }
    }

    /// uxlfoundation/scikit-learn-intelex #3351, dmlc/treelite #95 and #98: two values that are
    /// equal in `f32`.
    #[test]
    fn values_that_are_one_in_f32_are_told_apart() {
        let node = Node { feature: 0, threshold: 0.0, missing_left: false, left: !0, right: !1, gain: 1.0 };
        for (cut, left, right) in [
            (0.150_000_000_000_000_02, 0.15, 0.150_000_000_000_000_05),
            (1_609_459_231.0, 1_609_459_201.0, 1_609_459_261.0),
        ] {
            let tree = Tree::new(&[node], vec![1.0, 2.0]).unwrap().with_cuts(vec![vec![cut]]).unwrap();
            let ensemble = Ensemble::from(vec![tree]);
            let codes = ensemble.codes().unwrap();
            let mut scores = [0.0; 3];
            let rows = [left, right, f64::NAN].map(|value| codes.code(0, value));
            ensemble.add_scores_of_codes(&rows, 1, &mut scores);
            assert_eq!(scores, [1.0, 2.0, 2.0], "{cut}");
        }
    }

    #[test]
    fn codes_rise_from_zero_at_zero() {
        let node = Node { feature: 1, threshold: 0.0, missing_left: false, left: !0, right: !1, gain: 1.0 };
        let cuts = vec![vec![-2.0, -0.0, 1e-300, 7.0]];
        let ensemble = Ensemble::from(vec![Tree::new(&[node], vec![1.0, 2.0]).unwrap().with_cuts(cuts).unwrap()]);
        let codes = ensemble.codes().unwrap();
        let code = |value| codes.code(1, value);
        assert_eq!(
            [-3.0, -2.0, -1.0, -0.0, 0.0, 1e-301, 1e-300, 1.0, 7.0, 8.0].map(code),
            [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0]
        );
        assert!(code(f64::NAN).is_nan() && codes.code(9, f64::NAN).is_nan());
        assert_eq!((codes.code(0, 5.0), codes.code(9, 5.0)), (0.0, 0.0));
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

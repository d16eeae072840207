//! A regression tree: inner nodes in the order of the cuts, and numbered leaves.
//!
//! Document x goes left at a node if `x[feature] <= threshold`. If the value is NaN, the node's
//! `missing_left` decides.
//!
//! Trees that are grown here cut between `f32` values. A tree of another program may compare in
//! `f64`, treat zero as a missing value, or ask for a set of categories. Its nodes have *cuts*, a
//! rising list of `f64` numbers (see [`Tree::with_cuts`]). Values up to the first cut go left, up
//! to the second cut right, up to the third cut left, and so on.
//!
//! A tree also keeps its covers: the number of training documents of each leaf, and the sum of
//! their hessians. Scores do not need covers, but programs that divide a score among features do
//! (LightGBM's `pred_contrib`, SHAP). A tree from a file without covers has no covers.

use serde::{Deserialize, Serialize};

/// A child of an inner node: an inner node at or above 0, else leaf `!child`.
pub(crate) type Child = i32;

/// A regression tree. All vectors of inner nodes have the same length; there is one leaf more than
/// inner nodes.
///
/// ```
/// use fivefold_trees::{Node, Tree};
///
/// let node = Node { feature: 2, threshold: 0.5, missing_left: false, left: !0, right: !1, gain: 1.0 };
/// let tree = Tree::new(&[node], vec![1.0, 3.0])?;
/// assert_eq!((tree.width(), tree.depth()), (3, 1));
/// assert_eq!(tree.values()[tree.leaf_of(&[0.0, 0.0, 0.9])], 3.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Tree {
    feature: Vec<u32>,
    threshold: Vec<f32>,
    missing_left: Vec<bool>,
    left: Vec<Child>,
    right: Vec<Child>,
    /// Empty if the gains are not known.
    gain: Vec<f64>,
    value: Vec<f64>,
    /// Empty if every node compares with its threshold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cuts: Vec<Vec<f64>>,
    /// Training documents of each leaf; empty if not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<u32>,
    /// Sum of the hessians of each leaf's documents; empty if each document weighs 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hessian: Vec<f64>,
}

/// A tree as it stands in a file, not yet checked.
#[derive(Deserialize)]
struct Parts {
    feature: Vec<u32>,
    threshold: Vec<f32>,
    missing_left: Vec<bool>,
    left: Vec<Child>,
    right: Vec<Child>,
    gain: Vec<f64>,
    value: Vec<f64>,
    #[serde(default)]
    cuts: Vec<Vec<f64>>,
    #[serde(default)]
    documents: Vec<u32>,
    #[serde(default)]
    hessian: Vec<f64>,
}

/// One inner node.
///
/// ```
/// use fivefold_trees::{Node, Tree};
///
/// // Feature 0 up to .5 goes to leaf 0, above it to leaf 1, and a missing value right.
/// let node = Node { feature: 0, threshold: 0.5, missing_left: false, left: !0, right: !1, gain: 1.0 };
/// let tree = Tree::new(&[node], vec![1.0, 3.0])?;
/// assert_eq!([0.5, 0.6, f32::NAN].map(|value| tree.leaf_of(&[value])), [0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Feature number from 0.
    pub feature: u32,
    /// Values up to the threshold go left.
    pub threshold: f32,
    /// Whether a missing value goes left.
    pub missing_left: bool,
    /// The left child: an inner node at or above 0, else leaf `!left`.
    pub left: i32,
    /// The right child, as `left`.
    pub right: i32,
    /// The gain of the cut, see [`Tree::add_importance`]; NaN if not known.
    pub gain: f64,
}

/// Why nodes and leaves do not make a tree.
///
/// ```
/// use fivefold_trees::{Node, Tree, TreeError};
///
/// // One inner node has two leaves.
/// let node = Node { feature: 0, threshold: 0.5, missing_left: false, left: !0, right: !1, gain: 1.0 };
/// assert_eq!(Tree::new(&[node], vec![1.0]), Err(TreeError::Lengths { leaves: 1 }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// Vectors of different lengths, or not one leaf more than inner nodes.
    #[error("a tree with {leaves} leaves must have one inner node less, with all its fields")]
    Lengths {
        /// Number of leaf values.
        leaves: usize,
    },
    /// A node or leaf that is no node's child, or the child of two nodes, or stands before its
    /// parent.
    #[error("{what} {number} of a tree must be the child of exactly one node that stands before it")]
    Shape {
        /// "node" or "leaf".
        what: &'static str,
        /// Its number.
        number: usize,
    },
    /// A leaf value that is not finite, or a threshold that is not a number.
    #[error("a tree holds a value that is not a number")]
    NotFinite,
    /// Lists of cuts: not as many as inner nodes, or an empty list, or cuts that do not rise.
    #[error("each inner node of a tree must have a threshold or more, finite and rising")]
    Cuts,
    /// Covers: not as many as leaves, or hessians below 0 or not finite.
    #[error("a tree with {leaves} leaves must have {leaves} counts of documents, and as many hessians of at least 0")]
    Covers {
        /// Number of leaf values.
        leaves: usize,
    },
}

impl TryFrom<Parts> for Tree {
    type Error = TreeError;

    fn try_from(parts: Parts) -> Result<Self, TreeError> {
        let Parts { feature, threshold, missing_left, left, right, mut gain, value, cuts, documents, hessian } = parts;
        let n = feature.len();
        // If a gain is not finite, the shares of the other gains are not known either.
        if gain.iter().any(|gain| !gain.is_finite()) {
            gain.clear();
        }
        let gains = if gain.is_empty() { n } else { gain.len() };
        let lengths = [threshold.len(), missing_left.len(), left.len(), right.len(), gains];
        if lengths.iter().any(|&length| length != n) || value.len() != n + 1 {
            return Err(TreeError::Lengths { leaves: value.len() });
        }
        let tree = Tree {
            feature,
            threshold,
            missing_left,
            left,
            right,
            gain,
            value,
            cuts,
            documents: vec![],
            hessian: vec![],
        };
        tree.check()?;
        if documents.is_empty() && hessian.is_empty() { Ok(tree) } else { tree.with_covers(documents, hessian) }
    }
}

impl Tree {
    /// A tree of one leaf.
    pub fn leaf(value: f64) -> Self {
        Tree {
            feature: Vec::new(),
            threshold: Vec::new(),
            missing_left: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            gain: Vec::new(),
            value: vec![value],
            cuts: Vec::new(),
            documents: Vec::new(),
            hessian: Vec::new(),
        }
    }

    /// A tree of the given inner nodes and leaf values, for instance from another program's file. A
    /// node must stand before its children.
    ///
    /// # Errors
    /// [`TreeError`] if they do not make one tree.
    pub fn new(nodes: &[Node], values: Vec<f64>) -> Result<Self, TreeError> {
        Parts {
            feature: nodes.iter().map(|node| node.feature).collect(),
            threshold: nodes.iter().map(|node| node.threshold).collect(),
            missing_left: nodes.iter().map(|node| node.missing_left).collect(),
            left: nodes.iter().map(|node| node.left).collect(),
            right: nodes.iter().map(|node| node.right).collect(),
            gain: nodes.iter().map(|node| node.gain).collect(),
            value: values,
            cuts: Vec::new(),
            documents: Vec::new(),
            hessian: Vec::new(),
        }
        .try_into()
    }

    /// The tree with cuts in `f64` in place of its thresholds, a rising list for each inner node.
    ///
    /// ```
    /// use fivefold_trees::{Node, Tree};
    ///
    /// let node = Node { feature: 0, threshold: 0.0, missing_left: true, left: !0, right: !1, gain: 1.0 };
    /// let tree = Tree::new(&[node], vec![1.0, 2.0])?.with_cuts(vec![vec![-1.0, 0.0, 3.0]])?;
    /// let leaves = [-1.0, -0.5, 0.5, 3.0, 3.5].map(|value| tree.leaf_of(&[value]));
    /// assert_eq!(leaves, [0, 1, 0, 0, 1]);
    /// # Ok::<(), fivefold_trees::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// [`TreeError::Cuts`] if a list is empty, does not rise, or holds an infinity.
    pub fn with_cuts(mut self, cuts: Vec<Vec<f64>>) -> Result<Self, TreeError> {
        self.cuts = cuts;
        self.check_cuts()?;
        Ok(self)
    }

    fn check_cuts(&self) -> Result<(), TreeError> {
        let one_each = self.cuts.is_empty() || self.cuts.len() == self.feature.len();
        let rises = |cuts: &Vec<f64>| {
            !cuts.is_empty() && cuts.iter().all(|cut| cut.is_finite()) && cuts.is_sorted_by(|one, next| one < next)
        };
        if one_each && self.cuts.iter().all(rises) { Ok(()) } else { Err(TreeError::Cuts) }
    }

    /// The same tree with the training documents of each leaf and the sums of their hessians. If
    /// `hessian` is empty, each document weighs 1.
    ///
    /// ```
    /// let tree = fivefold_trees::Tree::leaf(0.5).with_covers(vec![20], Vec::new())?;
    /// assert_eq!((tree.documents(), tree.hessian(0)), (Some(&[20][..]), Some(20.0)));
    /// # Ok::<(), fivefold_trees::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// [`TreeError::Covers`] if there are not as many values as leaves, or a sum is below 0 or not
    /// finite.
    pub fn with_covers(mut self, documents: Vec<u32>, hessian: Vec<f64>) -> Result<Self, TreeError> {
        let leaves = self.value.len();
        let sums = hessian.is_empty() || hessian.len() == leaves;
        if documents.len() != leaves || !sums || hessian.iter().any(|h| !(h.is_finite() && *h >= 0.0)) {
            return Err(TreeError::Covers { leaves });
        }
        self.set_covers(documents, hessian);
        Ok(self)
    }

    /// The same tree with the covers of `other`, which must have as many leaves.
    ///
    /// # Errors
    /// [`TreeError::Covers`] if the numbers of leaves differ.
    pub fn with_covers_of(self, other: &Tree) -> Result<Self, TreeError> {
        if other.documents.is_empty() {
            return Ok(self);
        }
        self.with_covers(other.documents.clone(), other.hessian.clone())
    }

    /// Sets covers without a check; there must be as many as leaves.
    pub(crate) fn set_covers(&mut self, documents: Vec<u32>, hessian: Vec<f64>) {
        (self.documents, self.hessian) = (documents, hessian);
    }

    fn check(&self) -> Result<(), TreeError> {
        let n = self.feature.len();
        let (mut nodes, mut leaves) = (vec![false; n], vec![false; n + 1]);
        // The root has no parent.
        if let Some(root) = nodes.first_mut() {
            *root = true;
        } else {
            leaves[0] = true;
        }
        for parent in 0..n {
            for child in [self.left[parent], self.right[parent]] {
                let (what, number) = if child >= 0 { ("node", child as usize) } else { ("leaf", !child as usize) };
                let seen = if child >= 0 { nodes.get_mut(number) } else { leaves.get_mut(number) };
                match seen {
                    Some(seen) if !*seen && (child < 0 || number > parent) => *seen = true,
                    _ => return Err(TreeError::Shape { what, number }),
                }
            }
        }
        if self.value.iter().any(|value| !value.is_finite()) || self.threshold.iter().any(|t| t.is_nan()) {
            return Err(TreeError::NotFinite);
        }
        self.check_cuts()?;
        // n inner nodes have 2n children, all different: every node and leaf was met.
        Ok(())
    }

    /// Turns leaf `leaf` into an inner node. The left child keeps the leaf's number, and the right
    /// child is a new leaf, whose number is returned. `parent` is the parent node, and whether
    /// `leaf` is its left child.
    pub(crate) fn cut_leaf(&mut self, leaf: usize, parent: Option<(usize, bool)>, mut node: Node) -> usize {
        let (number, new_leaf) = (self.feature.len(), self.value.len());
        (node.left, node.right) = (!(leaf as i32), !(new_leaf as i32));
        match parent {
            Some((above, true)) => self.left[above] = number as i32,
            Some((above, false)) => self.right[above] = number as i32,
            None => {}
        }
        self.feature.push(node.feature);
        self.threshold.push(node.threshold);
        self.missing_left.push(node.missing_left);
        self.left.push(node.left);
        self.right.push(node.right);
        self.gain.push(node.gain);
        self.value.push(0.0);
        new_leaf
    }

    /// Inner nodes, each before its children.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node> + '_ {
        (0..self.feature.len()).map(|i| Node {
            feature: self.feature[i],
            threshold: self.threshold[i],
            missing_left: self.missing_left[i],
            left: self.left[i],
            right: self.right[i],
            gain: self.gain.get(i).copied().unwrap_or(f64::NAN),
        })
    }

    /// The cuts of each inner node; empty if every node compares with its threshold in `f32`. If a
    /// tree has cuts, its thresholds have no meaning.
    pub fn cuts(&self) -> &[Vec<f64>] {
        &self.cuts
    }

    /// The feature, from 0, of inner node `node`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn feature(&self, node: usize) -> usize {
        self.feature[node] as usize
    }

    /// The same tree with the features and thresholds of `nodes`, and without cuts.
    pub(crate) fn with_nodes(&self, nodes: &[Node]) -> Tree {
        Tree {
            feature: nodes.iter().map(|node| node.feature).collect(),
            threshold: nodes.iter().map(|node| node.threshold).collect(),
            cuts: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether the gains of all cuts are known.
    pub fn has_gains(&self) -> bool {
        self.gain.len() == self.feature.len()
    }

    /// Whether a value goes left at inner node `node`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn goes_left(&self, node: usize, value: f32) -> bool {
        match self.cuts.get(node) {
            _ if value.is_nan() => self.missing_left[node],
            Some(cuts) => is_left(cuts, f64::from(value)),
            None => value <= self.threshold[node],
        }
    }

    /// The value of each leaf.
    pub fn values(&self) -> &[f64] {
        &self.value
    }

    /// Mutable access to the value of each leaf. Values must stay finite.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.value
    }

    /// The training documents of each leaf, counted with multiplicity; `None` if not known.
    pub fn documents(&self) -> Option<&[u32]> {
        (!self.documents.is_empty()).then_some(&self.documents[..])
    }

    /// The sum of the hessians of the training documents in leaf `leaf`; `None` if not known.
    pub fn hessian(&self, leaf: usize) -> Option<f64> {
        self.hessian.get(leaf).copied().or_else(|| self.documents.get(leaf).map(|&count| f64::from(count)))
    }

    /// The number of inner nodes on the longest way from the root to a leaf.
    pub fn depth(&self) -> usize {
        let mut below = vec![1; self.feature.len()];
        for i in (0..below.len()).rev() {
            let of = |child: Child| if child >= 0 { below[child as usize] } else { 0 };
            below[i] = 1 + of(self.left[i]).max(of(self.right[i]));
        }
        below.first().copied().unwrap_or(0)
    }

    /// One more than the highest feature number in use; 0 for a tree with a single leaf.
    pub fn width(&self) -> usize {
        self.feature.iter().map(|&f| f as usize + 1).max().unwrap_or(0)
    }

    /// The leaf of document `row`.
    ///
    /// # Panics
    /// If `row` is shorter than [`width`](Self::width).
    pub fn leaf_of(&self, row: &[f32]) -> usize {
        let mut child = if self.feature.is_empty() { !0 } else { 0 };
        while child >= 0 {
            let node = child as usize;
            let value = row[self.feature[node] as usize];
            child = if self.goes_left(node, value) { self.left[node] } else { self.right[node] };
        }
        !child as usize
    }

    /// Adds to each feature's importance the known gains of the cuts on this feature.
    ///
    /// # Panics
    /// If `importance` is shorter than [`width`](Self::width).
    pub fn add_importance(&self, importance: &mut [f64]) {
        for (&feature, gain) in self.feature.iter().zip(&self.gain) {
            importance[feature as usize] += gain;
        }
    }
}

/// Whether a value goes left: left up to the first cut, right up to the second cut, and so on in
/// turn.
pub(crate) fn is_left<T: PartialOrd>(cuts: &[T], value: T) -> bool {
    cuts.partition_point(|cut| *cut < value).is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(feature: u32, threshold: f32, left: i32, right: i32) -> Node {
        Node { feature, threshold, missing_left: true, left, right, gain: 1.5 }
    }

    fn three_leaves() -> Tree {
        Tree::new(&[node(1, 0.5, !0, 1), node(0, -1.0, !1, !2)], vec![1.0, 2.0, 3.0]).unwrap()
    }

    #[test]
    fn documents_find_their_leaves() {
        let tree = three_leaves();
        assert_eq!(tree.leaf_of(&[0.0, 0.5]), 0);
        assert_eq!(tree.leaf_of(&[-1.0, 0.6]), 1);
        assert_eq!(tree.leaf_of(&[0.0, 0.6]), 2);
        assert_eq!(tree.leaf_of(&[0.0, f32::NAN]), 0);
        assert_eq!(tree.leaf_of(&[f32::NAN, f32::INFINITY]), 1);
        assert_eq!((tree.depth(), tree.width(), Tree::leaf(1.0).depth()), (2, 2, 0));
        let mut importance = [0.0; 2];
        tree.add_importance(&mut importance);
        assert_eq!(importance, [1.5, 1.5]);
    }

    #[test]
    fn broken_trees_are_refused() {
        let values = || vec![1.0, 2.0, 3.0];
        for (left, right) in [(0, !1), (!0, !1), (!2, !2), (!3, !1), (5, !1), (i32::MIN, !1)] {
            let broken = Tree::new(&[node(1, 0.5, !0, 1), node(0, -1.0, left, right)], values());
            assert!(matches!(broken, Err(TreeError::Shape { .. })), "{left} {right}");
        }
        assert_eq!(Tree::new(&[node(0, 0.5, !0, !1)], values()), Err(TreeError::Lengths { leaves: 3 }));
        assert_eq!(Tree::new(&[], vec![f64::NAN]), Err(TreeError::NotFinite));
        for cuts in
            [vec![vec![1.0]], vec![vec![1.0], vec![]], vec![vec![1.0, 1.0], vec![2.0]], vec![vec![f64::NAN], vec![1.0]]]
        {
            assert_eq!(three_leaves().with_cuts(cuts.clone()), Err(TreeError::Cuts), "{cuts:?}");
        }
    }

    #[test]
    fn a_tree_without_gains_is_written_and_read() {
        let gain = |gain| Node { gain, ..node(0, 0.5, !0, !1) };
        for unknown in [f64::NAN, f64::INFINITY] {
            let tree = Tree::new(&[gain(unknown)], vec![1.0, 2.0]).unwrap();
            assert!(!tree.has_gains() && tree.nodes().all(|node| node.gain.is_nan()));
            let text = serde_json::to_string(&tree).unwrap();
            assert!(text.contains("\"gain\":[],") && !text.contains("cuts"), "{text}");
            assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
        }
        assert!(three_leaves().has_gains() && Tree::leaf(1.0).has_gains());
    }

    #[test]
    fn covers_are_kept_in_files_and_may_be_absent() {
        let without = serde_json::to_string(&three_leaves()).unwrap();
        assert!(!without.contains("documents") && !without.contains("hessian"), "{without}");
        assert_eq!(serde_json::from_str::<Tree>(&without).unwrap().documents(), None);
        assert_eq!(three_leaves().hessian(0), None);
        let counted = three_leaves().with_covers(vec![1, 2, 3], Vec::new()).unwrap();
        assert_eq!((counted.hessian(1), counted.hessian(3)), (Some(2.0), None));
        let weighed = three_leaves().with_covers(vec![1, 2, 3], vec![0.5, 0.0, 0.25]).unwrap();
        assert_eq!(weighed.hessian(2), Some(0.25));
        for tree in [counted, weighed] {
            let text = serde_json::to_string(&tree).unwrap();
            assert_eq!(serde_json::from_str::<Tree>(&text).unwrap(), tree);
            let broken = text.replace("\"documents\":[1,2,3]", "\"documents\":[1,2]");
            assert!(serde_json::from_str::<Tree>(&broken).is_err(), "{broken}");
        }
        for (documents, hessian) in [(vec![1; 2], vec![]), (vec![], vec![1.0; 3]), (vec![1; 3], vec![1.0, -1.0, 1.0])] {
            assert_eq!(three_leaves().with_covers(documents, hessian), Err(TreeError::Covers { leaves: 3 }));
        }
    }
}

//! Trees with cuts in `f64` (see [`tree`](crate::tree)), scored by the same scorers as all other
//! trees.
//!
//! Only the place of a value among the cuts of its feature matters. So a value is replaced by
//! its *code*, a small whole number that `f32` holds exactly:
//!
//! ```text
//! code of x = (cuts of its feature below x) - (cuts of its feature below 0)        NaN stays NaN
//! x <= cut  exactly if  code of x <= code of cut
//! ```
//! Codes rise with the values, and the code of 0 is 0. So a reader may fill a matrix of codes like
//! a matrix of values. A node with several cuts becomes a column after the features: 0 if the
//! document goes left, 1 if it goes right.
//!
//! Cost, before the cost of [`Ensemble`](crate::Ensemble): a binary search for each value, and for
//! each document and node with several cuts.

use crate::scorer::Scorer;
use crate::tree::{Node, Tree, is_left};

/// The highest number up to which `f32` holds every whole number.
const MOST_CUTS: usize = 1 << 24;

/// Trees over codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Codes {
    features: Vec<Feature>,
    bands: Vec<Band>,
    /// The trees with codes in place of cuts.
    trees: Vec<Tree>,
    pub(crate) scorers: Vec<Scorer>,
}

/// The cuts of all nodes on one feature.
#[derive(Debug, Clone, PartialEq, Default)]
struct Feature {
    /// Rising.
    cuts: Vec<f64>,
    below_zero: usize,
}

/// The question of a node with several cuts.
#[derive(Debug, Clone, PartialEq)]
struct Band {
    feature: usize,
    /// Codes.
    cuts: Vec<f32>,
}

impl Feature {
    fn code(&self, value: f64) -> f32 {
        if value.is_nan() {
            return f32::NAN;
        }
        (self.cuts.partition_point(|&cut| cut < value) as f32) - self.below_zero as f32
    }
}

impl Codes {
    /// The codes of trees; `None` if no tree has cuts in `f64`.
    pub(crate) fn of(trees: &[Tree]) -> Option<Self> {
        if trees.iter().all(|tree| tree.cuts().is_empty()) {
            return None;
        }
        let width = trees.iter().map(Tree::width).max().unwrap_or(0);
        let mut features = vec![Feature::default(); width];
        for (tree, number, node) in nodes(trees) {
            let cuts = &mut features[node.feature as usize].cuts;
            match tree.cuts().get(number) {
                Some(own) => cuts.extend(own),
                None => cuts.push(f64::from(node.threshold)),
            }
        }
        for feature in &mut features {
            feature.cuts.sort_unstable_by(f64::total_cmp);
            feature.cuts.dedup();
            feature.below_zero = feature.cuts.partition_point(|&cut| cut < 0.0);
        }
        let mut codes = Codes { features, bands: Vec::new(), trees: Vec::new(), scorers: Vec::new() };
        codes.trees = trees.iter().map(|tree| codes.coded(tree)).collect();
        codes.scorers = codes.trees.iter().map(Scorer::new).collect();
        Some(codes)
    }

    /// A tree over codes, of the same nodes and leaves.
    fn coded(&mut self, tree: &Tree) -> Tree {
        let width = self.features.len();
        let code = |node: (usize, Node)| {
            let (number, node) = node;
            let feature = &self.features[node.feature as usize];
            match tree.cuts().get(number).map(Vec::as_slice) {
                None => Node { threshold: feature.code(f64::from(node.threshold)), ..node },
                Some(&[cut]) => Node { threshold: feature.code(cut), ..node },
                Some(cuts) => {
                    let cuts = cuts.iter().map(|&cut| feature.code(cut)).collect();
                    self.bands.push(Band { feature: node.feature as usize, cuts });
                    Node { feature: (width + self.bands.len() - 1) as u32, threshold: 0.5, ..node }
                }
            }
        };
        let nodes: Vec<Node> = tree.nodes().enumerate().map(code).collect();
        tree.with_nodes(&nodes)
    }

    /// A feature with more cuts than there are codes, and its number of cuts; `None` if no feature
    /// has too many.
    pub fn beyond(&self) -> Option<(usize, usize)> {
        let counts = self.features.iter().map(|feature| feature.cuts.len()).enumerate();
        counts.into_iter().find(|&(_, count)| count > MOST_CUTS)
    }

    /// The code of a value of feature `feature`, from 0.
    pub fn code(&self, feature: usize, value: f64) -> f32 {
        match self.features.get(feature) {
            Some(feature) => feature.code(value),
            // No tree uses the feature.
            None if value.is_nan() => f32::NAN,
            None => 0.0,
        }
    }

    /// Whether a document with these codes goes left at node `node` of tree `tree`.
    ///
    /// # Panics
    /// If there is no such node, or the row is too short.
    pub fn goes_left(&self, tree: usize, node: usize, codes: &[f32]) -> bool {
        let tree = &self.trees[tree];
        let column = tree.feature(node);
        let code = match column.checked_sub(self.features.len()) {
            None => codes[column],
            Some(band) => self.bands[band].column(codes),
        };
        tree.goes_left(node, code)
    }

    /// Columns of the coded trees: their features, and a column for each node with several cuts.
    pub(crate) fn width(&self) -> usize {
        self.features.len() + self.bands.len()
    }

    /// Writes all columns of a document.
    pub(crate) fn fill(&self, codes: &[f32], columns: &mut [f32]) {
        let (own, bands) = columns.split_at_mut(self.features.len());
        own.copy_from_slice(&codes[..own.len()]);
        for (column, band) in bands.iter_mut().zip(&self.bands) {
            *column = band.column(codes);
        }
    }
}

impl Band {
    fn column(&self, codes: &[f32]) -> f32 {
        match codes[self.feature] {
            code if code.is_nan() => f32::NAN,
            code => f32::from(u8::from(!is_left(&self.cuts, code))),
        }
    }
}

fn nodes(trees: &[Tree]) -> impl Iterator<Item = (&Tree, usize, Node)> {
    trees.iter().flat_map(|tree| tree.nodes().enumerate().map(move |(number, node)| (tree, number, node)))
}

//! Growing one tree leaf by leaf: the next cut is the cut that gains most over all leaves (Shi
//! 2007; as LightGBM).
//!
//! Only the smaller child of a cut gets its histograms from documents; the larger child's
//! histograms are the parent's minus the smaller child's. No histograms are made for a node that
//! is too small or too deep to be cut, nor for the children of the last cut. A node of few
//! documents is searched without histograms (`direct`). Documents are a list of row numbers, kept
//! in order within a leaf and partitioned in place.
//!
//! Tasks share the work of a cut by panels of features. A task builds, subtracts and searches the
//! histograms of one panel while they are in cache. Nothing has to be merged, so the result is the
//! same for any number of threads.
//!
//! Differs from RankLib, which grows a tree by the variance of the responses and sets Newton values
//! afterwards. Here cuts and values use the same second-order loss. (With constant hessians, the
//! gain is the fall of squared error.)
//!
//! Cost of a tree: (documents of the root and of the smaller child of every cut) x features.
//! Memory: 4 KiB a feature for each leaf that may still be cut, at most half of the leaves.

use serde::{Deserialize, Serialize};

use crate::bins::BinnedMatrix;
use crate::cells::{Cell, Gradients, GrowError, LeafSums, Scaled};
use crate::growing::Growing;
use crate::split::LeafDocuments;
use crate::tree::Tree;
use crate::words::Word;

/// Each of two draws of this many numbers is a part of the seed of rounding.
const SEED_PART: usize = 1 << 30;

/// Limits of a tree's growth, and the damping of its values.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0]], 1), 255);
/// let gradients = Gradients { first: &[-1.0, -2.0, -7.0], second: None, copies: None };
/// // As many leaves as allowed, unless one would have too few documents.
/// for (min_documents, leaves) in [(1, 3), (2, 1)] {
///     let growth = Growth { leaves: 3, min_documents, ..Growth::default() };
///     assert_eq!(Grower::new(&matrix, growth).grow(gradients, None, &mut |_| 0)?.values().len(), leaves);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// The most leaves, at least 1.
    pub leaves: usize,
    /// The most cuts between root and leaf; `None` for no limit.
    pub max_depth: Option<usize>,
    /// The fewest documents of a leaf (counted with multiplicity).
    pub min_documents: u32,
    /// How the documents of a leaf are counted.
    pub leaf_documents: LeafDocuments,
    /// The least sum of hessians of a leaf.
    pub min_hessian: f64,
    /// The gain that a cut must exceed.
    pub min_gain: f64,
    /// Added to the sum of hessians in gains and leaf values.
    pub l2: f64,
    /// The share of features from which a node chooses (at least one feature), drawn anew for each
    /// node; 1 for all features.
    pub node_features: f64,
    /// How exactly the gradients count while cuts are chosen.
    pub precision: Precision,
}

impl Default for Growth {
    fn default() -> Self {
        Growth {
            leaves: 31,
            max_depth: None,
            min_documents: 20,
            leaf_documents: LeafDocuments::Counted,
            min_hessian: 1e-3,
            min_gain: 0.0,
            l2: 0.0,
            node_features: 1.0,
            precision: Precision::Exact,
        }
    }
}

/// How exactly gradients and hessians count while cuts are chosen. Leaf values always follow from
/// the exact derivatives.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, Precision, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0]], 1), 255);
/// let growth = Growth { leaves: 2, min_documents: 1, precision: Precision::Quantised, ..Growth::default() };
/// let gradients = Gradients { first: &[-1.1, -1.3, -7.0], second: None, copies: None };
/// let tree = Grower::new(&matrix, growth).grow(gradients, None, &mut |below| below / 2)?;
/// assert!((tree.values()[0] - 1.2).abs() < 1e-12 && tree.values()[1] == 7.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// To 2^-60 of the sum of all absolute gradients, and 2^-38 of the sum of all hessians.
    Exact,
    /// Rounded at random to whole units, so that a gradient, a hessian and a count share 64 bits
    /// (the `words` module). Histograms then take half of the memory and less time. For up to
    /// 524,287 documents, counted with multiplicity; of more, a document would have too few units.
    Quantised,
}

/// Draws a uniform number below its argument: the caller's source of randomness.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Draw, Gradients, Grower, Growth, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[0.0, 0.0, 1.0, 1.0]], 2), 255);
/// // Each node chooses from one of two features, and this source of randomness counts how often it was asked.
/// let mut asked = 0;
/// let draw: &mut Draw = &mut |below| {
///     asked += 1;
///     below - 1
/// };
/// let growth = Growth { leaves: 2, min_documents: 1, node_features: 0.5, ..Growth::default() };
/// Grower::new(&matrix, growth).grow(Gradients { first: &[1.0, -1.0], second: None, copies: None }, None, draw)?;
/// assert!(asked > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Draw<'a> = dyn FnMut(usize) -> usize + 'a;

/// Grows trees on one matrix, and reuses its scratch space.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Gradients, Grower, Growth, Rows};
///
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 2.0, 3.0]], 1), 255);
/// let mut grower = Grower::new(&matrix, Growth { leaves: 2, min_documents: 1, ..Growth::default() });
/// // The step against the gradients of the first two documents is 1, that of the third 7.
/// let tree = grower.grow(Gradients { first: &[-1.0, -1.0, -7.0], second: None, copies: None }, None, &mut |_| 0)?;
/// assert_eq!((tree.values(), tree.leaf_of(&[2.4])), (&[1.0, 7.0][..], 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Grower<'m> {
    rows: usize,
    growth: Growth,
    exact: Growing<'m, Cell>,
    quantised: Growing<'m, Word>,
}

impl<'m> Grower<'m> {
    /// A grower on `matrix`.
    pub fn new(matrix: &'m BinnedMatrix, growth: Growth) -> Self {
        Grower {
            rows: matrix.len(),
            growth,
            exact: Growing::new(matrix, growth),
            quantised: Growing::new(matrix, growth),
        }
    }

    /// Grows a tree whose leaf values are the Newton steps -G / (H + l2), or 0 if H + l2 is 0.
    ///
    /// The tree may use `features` only; `None` for all features. `draw` is called only if
    /// `node_features` is below 1 or the gradients are quantised. Uses the current rayon pool.
    ///
    /// # Errors
    /// [`GrowError`] for gradients that do not fit the matrix or are not finite.
    pub fn grow(
        &mut self,
        gradients: Gradients<'_>,
        features: Option<&[usize]>,
        draw: &mut Draw<'_>,
    ) -> Result<Tree, GrowError> {
        let copies = gradients.copies;
        let (mut tree, sums): (_, Vec<LeafSums>) = match self.growth.precision {
            Precision::Exact => {
                let (units, total) = gradients.to_cells(self.rows, &mut self.exact.cells)?;
                let tree = self.exact.grow(Scaled { units, fields: (), total }, copies, features, draw);
                (tree, self.exact.leaf_totals().map(|total| LeafSums::new(total, units)).collect())
            }
            Precision::Quantised => {
                let seed = (draw(SEED_PART) as u64) << 30 | draw(SEED_PART) as u64;
                let sums = gradients.checked_sums(self.rows)?;
                let scaled = gradients.to_words(&sums, seed, &mut self.quantised.cells)?;
                let tree = self.quantised.grow(scaled, copies, features, draw);
                (tree, gradients.sums_of_leaves(&sums, &self.quantised.leaf_rows()))
            }
        };
        for (value, sums) in tree.values_mut().iter_mut().zip(&sums) {
            let step = sums.hessian + self.growth.l2;
            *value = if step > 0.0 { -sums.gradient / step } else { 0.0 };
        }
        let hessian = match gradients.second {
            Some(_) => sums.iter().map(|sums| sums.hessian).collect(),
            None => Vec::new(),
        };
        tree.set_covers(sums.iter().map(|sums| sums.documents).collect(), hessian);
        Ok(tree)
    }

    /// The rows of each leaf of the tree grown last, in the order of its leaves. A row outside the
    /// sample is in no leaf.
    pub fn leaf_rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        match self.growth.precision {
            Precision::Exact => self.exact.leaf_rows(),
            Precision::Quantised => self.quantised.leaf_rows(),
        }
        .into_iter()
    }
}

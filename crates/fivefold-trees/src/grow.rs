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

use rayon::prelude::*;

use crate::bins::{BinnedMatrix, LANES, MISSING, Panel};
use crate::cells::{Cell, Gradients, GrowError, Units};
use crate::direct::Direct;
use crate::histogram::{GroupHistogram, NodeRows, build};
use crate::split::{Cut, LeafDocuments, Limits, Scan, best_of};
use crate::tree::{Node, Tree};

/// Documents that are partitioned together.
const BLOCK: usize = 2048;

/// The most documents of a node that is searched without histograms.
const SMALL: usize = 512;

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
        }
    }
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

/// Which of a group's features a node may use.
type Allowed = Vec<[bool; LANES]>;
type Histograms = Vec<GroupHistogram>;

struct Leaf {
    start: usize,
    end: usize,
    depth: usize,
    total: Cell,
    /// The parent node, and whether this leaf is its left child.
    parent: Option<(usize, bool)>,
    /// The best cut; `None` if no cut is possible or the leaf was not searched.
    cut: Option<Cut>,
    histograms: Option<Histograms>,
}

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
    matrix: &'m BinnedMatrix,
    growth: Growth,
    cells: Vec<Cell>,
    gathered: Vec<Cell>,
    /// The rows of the sample; after a tree was grown, in the order of its leaves.
    rows: Vec<u32>,
    scratch: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Histograms that no leaf holds.
    free: Vec<Histograms>,
    direct: Direct,
}

impl<'m> Grower<'m> {
    /// A grower on `matrix`.
    pub fn new(matrix: &'m BinnedMatrix, growth: Growth) -> Self {
        Grower {
            matrix,
            growth,
            cells: Vec::new(),
            gathered: Vec::new(),
            rows: Vec::new(),
            scratch: Vec::new(),
            leaves: Vec::new(),
            free: Vec::new(),
            direct: Direct::new(),
        }
    }

    /// Grows a tree whose leaf values are the Newton steps -G / (H + l2), or 0 if H + l2 is 0.
    ///
    /// The tree may use `features` only; `None` for all features. `draw` is called only if
    /// `node_features` is below 1. Uses the current rayon pool.
    ///
    /// # Errors
    /// [`GrowError`] for gradients that do not fit the matrix or are not finite.
    pub fn grow(
        &mut self,
        gradients: Gradients<'_>,
        features: Option<&[usize]>,
        draw: &mut Draw<'_>,
    ) -> Result<Tree, GrowError> {
        let (units, total) = gradients.to_cells(self.matrix.len(), &mut self.cells)?;
        self.fill_rows(gradients.copies);
        for leaf in self.leaves.drain(..) {
            self.free.extend(leaf.histograms);
        }
        let limits = Limits {
            min_documents: self.growth.min_documents,
            leaf_documents: self.growth.leaf_documents,
            min_hessian: self.growth.min_hessian,
            min_gain: self.growth.min_gain,
            l2: self.growth.l2,
        };
        let scan = Scan::new(&limits, units);
        let tree_features: Vec<usize> = match features {
            Some(features) => features.to_vec(),
            None => (0..self.matrix.width()).collect(),
        };
        let end = self.rows.len();
        let (parent, cut, histograms) = (None, None, None);
        self.leaves.push(Leaf { start: 0, end, depth: 0, total, parent, cut, histograms });
        if self.growth.leaves > 1 && self.may_be_cut(&self.leaves[0]) {
            let allowed = self.allowed(&tree_features, draw);
            if self.rows_of(0) <= SMALL {
                self.search_small(0, &scan, &allowed);
            } else {
                self.search_root(&scan, &allowed);
            }
        }
        let mut tree = Tree::leaf(0.0);
        while self.leaves.len() < self.growth.leaves {
            let Some(chosen) = self.best_leaf() else { break };
            let Some(cut) = self.leaves[chosen].cut.take() else { break };
            let new = self.cut_leaf(&mut tree, chosen, &cut);
            if self.leaves.len() < self.growth.leaves {
                self.search_children(chosen, new, &scan, &tree_features, draw);
                self.drop_hopeless();
            }
        }
        for (value, leaf) in tree.values_mut().iter_mut().zip(&self.leaves) {
            *value = self.newton_value(leaf.total, units);
        }
        let documents = self.leaves.iter().map(|leaf| leaf.total.count()).collect();
        let hessian = match gradients.second {
            Some(_) => self.leaves.iter().map(|leaf| leaf.total.hessian() as f64 * units.hessian).collect(),
            None => Vec::new(),
        };
        tree.set_covers(documents, hessian);
        Ok(tree)
    }

    /// The rows of each leaf of the tree grown last, in the order of its leaves. A row outside the
    /// sample is in no leaf.
    pub fn leaf_rows(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.leaves.iter().map(|leaf| &self.rows[leaf.start..leaf.end])
    }

    fn newton_value(&self, total: Cell, units: Units) -> f64 {
        let step = total.hessian() as f64 * units.hessian + self.growth.l2;
        if step > 0.0 { -(total.gradient as f64 * units.gradient) / step } else { 0.0 }
    }

    fn fill_rows(&mut self, copies: Option<&[u32]>) {
        self.rows.clear();
        let all = 0..self.matrix.len() as u32;
        match copies {
            None => self.rows.extend(all),
            Some(copies) => self.rows.extend(all.filter(|&row| copies[row as usize] > 0)),
        }
        self.scratch.resize(self.rows.len(), 0);
    }

    fn may_be_cut(&self, leaf: &Leaf) -> bool {
        leaf.total.count() >= 2 * self.growth.min_documents.max(1)
            && self.growth.max_depth.is_none_or(|limit| leaf.depth < limit)
    }

    /// Draws the features that a node may use from the features of the tree.
    fn allowed(&self, tree_features: &[usize], draw: &mut Draw<'_>) -> Allowed {
        let mut allowed = vec![[false; LANES]; self.matrix.groups()];
        let mut allow = |feature: usize| allowed[feature / LANES][feature % LANES] = true;
        let wanted = (self.growth.node_features * tree_features.len() as f64).round() as usize;
        if self.growth.node_features >= 1.0 || wanted >= tree_features.len() {
            tree_features.iter().copied().for_each(allow);
        } else {
            let mut rest = tree_features.to_vec();
            for _ in 0..wanted.max(1) {
                allow(rest.swap_remove(draw(rest.len())));
            }
        }
        allowed
    }

    fn take_histograms(&mut self) -> Histograms {
        let groups = self.matrix.groups();
        self.free.pop().unwrap_or_else(|| (0..groups).map(|_| GroupHistogram::new()).collect())
    }

    fn search_root(&mut self, scan: &Scan, allowed: &Allowed) {
        let mut histograms = self.take_histograms();
        let all = self.rows.len() == self.matrix.len();
        if !all {
            gather(&self.cells, &self.rows, &mut self.gathered);
        }
        let rows = if all { NodeRows::All(&self.cells) } else { NodeRows::Some(&self.rows, &self.gathered) };
        let (matrix, total) = (self.matrix, self.leaves[0].total);
        let panel_groups = matrix.panel_groups();
        let cuts: Vec<_> = histograms
            .par_chunks_mut(panel_groups)
            .zip(matrix.panels())
            .enumerate()
            .map(|(number, (histograms, panel))| {
                let first_group = number * panel_groups;
                build(histograms, matrix, panel, first_group, rows);
                let groups = (first_group..).zip(&*histograms);
                best_of(groups.map(|(group, h)| best_in_group(matrix, group, h, scan, allowed, total)))
            })
            .collect();
        self.leaves[0].cut = best_of(cuts);
        self.leaves[0].histograms = Some(histograms);
    }

    /// The leaf whose cut gains most; of equal gains, the first leaf.
    fn best_leaf(&self) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for (number, leaf) in self.leaves.iter().enumerate() {
            if let Some(cut) = &leaf.cut
                && best.is_none_or(|(_, gain)| cut.gain > gain)
            {
                best = Some((number, cut.gain));
            }
        }
        best.map(|(number, _)| number)
    }

    /// Cuts leaf `chosen` in the tree and in the lists. The left child keeps the leaf's number; the
    /// number of the right child is returned.
    fn cut_leaf(&mut self, tree: &mut Tree, chosen: usize, cut: &Cut) -> usize {
        let feature = cut.feature as usize;
        // A cut of "present" from "missing" has no upper end.
        let threshold = self.matrix.cuts(feature).get(usize::from(cut.bin)).copied().unwrap_or(f32::INFINITY);
        let node = self.leaves.len() - 1;
        let leaf = &self.leaves[chosen];
        let right_total = leaf.total.minus(cut.left);
        let Cut { gain, missing_left, .. } = *cut;
        let description = Node { feature: cut.feature, threshold, missing_left, left: 0, right: 0, gain };
        let new = tree.cut_leaf(chosen, leaf.parent, description);
        let (start, end, depth) = (leaf.start, leaf.end, leaf.depth + 1);
        let middle = start + self.partition(start, end, cut);
        let leaf = &mut self.leaves[chosen];
        (leaf.end, leaf.depth, leaf.total, leaf.parent) = (middle, depth, cut.left, Some((node, true)));
        let (parent, cut, histograms) = (Some((node, false)), None, None);
        self.leaves.push(Leaf { start: middle, end, depth, total: right_total, parent, cut, histograms });
        new
    }

    /// Puts the rows that go left before the rows that go right, and keeps their order otherwise.
    /// Returns how many rows go left.
    fn partition(&mut self, start: usize, end: usize, cut: &Cut) -> usize {
        let place = self.matrix.place(cut.feature as usize);
        let rows = &mut self.rows[start..end];
        let scratch = &mut self.scratch[..end - start];
        let lefts: Vec<usize> = rows
            .par_chunks_mut(BLOCK)
            .zip(scratch.par_chunks_mut(BLOCK))
            .map(|(rows, scratch)| partition_block(rows, scratch, place, cut))
            .collect();
        let mut left = 0;
        for (block, &count) in lefts.iter().enumerate() {
            rows.copy_within(block * BLOCK..block * BLOCK + count, left);
            left += count;
        }
        let mut right = left;
        for (block, &count) in scratch.chunks(BLOCK).zip(&lefts) {
            let rest = &block[..block.len() - count];
            rows[right..right + rest.len()].copy_from_slice(rest);
            right += rest.len();
        }
        left
    }

    /// Finds the best cuts of the two children of a cut leaf. `first` holds the parent's
    /// histograms.
    fn search_children(&mut self, first: usize, second: usize, scan: &Scan, features: &[usize], draw: &mut Draw<'_>) {
        let parent = self.leaves[first].histograms.take();
        let (small, large) =
            if self.rows_of(first) <= self.rows_of(second) { (first, second) } else { (second, first) };
        let [search_small, search_large] = [small, large].map(|leaf| self.may_be_cut(&self.leaves[leaf]));
        if !search_small && !search_large {
            self.free.extend(parent);
            return;
        }
        let allowed_small = self.allowed(features, draw);
        let allowed_large = self.allowed(features, draw);
        let mut large_histograms = match parent {
            Some(histograms) if self.rows_of(large) > SMALL => histograms,
            parent => {
                self.free.extend(parent);
                for (leaf, search, allowed) in
                    [(small, search_small, &allowed_small), (large, search_large, &allowed_large)]
                {
                    if search {
                        self.search_small(leaf, scan, allowed);
                    }
                }
                return;
            }
        };
        let mut small_histograms = self.take_histograms();
        let Leaf { start, end, total: small_total, .. } = self.leaves[small];
        let large_total = self.leaves[large].total;
        gather(&self.cells, &self.rows[start..end], &mut self.gathered);
        let rows = NodeRows::Some(&self.rows[start..end], &self.gathered);
        let matrix = self.matrix;
        let panel_groups = matrix.panel_groups();
        let (small_cuts, large_cuts): (Vec<_>, Vec<_>) = small_histograms
            .par_chunks_mut(panel_groups)
            .zip(large_histograms.par_chunks_mut(panel_groups))
            .zip(matrix.panels())
            .enumerate()
            .map(|(number, ((smalls, larges), panel))| {
                let first_group = number * panel_groups;
                build(smalls, matrix, panel, first_group, rows);
                let mut cuts = (None, None);
                for ((group, small), large) in (first_group..).zip(smalls).zip(larges) {
                    if search_small {
                        let cut = best_in_group(matrix, group, small, scan, &allowed_small, small_total);
                        cuts.0 = best_of([cuts.0, cut]);
                    }
                    if search_large {
                        large.subtract(small, matrix.group_features(group));
                        let cut = best_in_group(matrix, group, large, scan, &allowed_large, large_total);
                        cuts.1 = best_of([cuts.1, cut]);
                    }
                }
                cuts
            })
            .unzip();
        for (leaf, cuts, histograms) in [(small, small_cuts, small_histograms), (large, large_cuts, large_histograms)] {
            self.leaves[leaf].cut = best_of(cuts);
            if self.rows_of(leaf) > SMALL {
                self.leaves[leaf].histograms = Some(histograms);
            } else {
                self.free.push(histograms);
            }
        }
    }

    /// Finds the best cut of a small node.
    fn search_small(&mut self, leaf: usize, scan: &Scan, allowed: &Allowed) {
        let Leaf { start, end, total, .. } = self.leaves[leaf];
        let rows = &self.rows[start..end];
        gather(&self.cells, rows, &mut self.gathered);
        self.leaves[leaf].cut = self.direct.search(self.matrix, scan, allowed, (rows, &self.gathered, total));
    }

    fn rows_of(&self, leaf: usize) -> usize {
        self.leaves[leaf].end - self.leaves[leaf].start
    }

    /// Removes the cuts and histograms of leaves that can no longer be chosen. With room for r more
    /// cuts, only the r best leaves can be chosen, since every cut uses the best leaf.
    fn drop_hopeless(&mut self) {
        let room = self.growth.leaves - self.leaves.len();
        let may_be_chosen = |leaf: &Leaf| leaf.cut.is_some() || leaf.histograms.is_some();
        let mut order: Vec<usize> = (0..self.leaves.len()).filter(|&i| may_be_chosen(&self.leaves[i])).collect();
        let gain = |i: usize| self.leaves[i].cut.as_ref().map_or(0.0, |cut| cut.gain);
        order.sort_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
        for (rank, leaf) in order.into_iter().enumerate() {
            if rank >= room || self.leaves[leaf].cut.is_none() {
                self.leaves[leaf].cut = None;
                self.free.extend(self.leaves[leaf].histograms.take());
            }
        }
    }
}

/// Moves the rows of a block that go left to its front and copies the others to `scratch`; returns
/// how many go left.
fn partition_block(rows: &mut [u32], scratch: &mut [u32], place: (&Panel, usize, usize), cut: &Cut) -> usize {
    let (panel, group, lane) = place;
    // The bins are fetched in a separate loop, whose loads are independent and overlap.
    let mut bins = [0u8; BLOCK];
    for (bin, &row) in bins.iter_mut().zip(&*rows) {
        *bin = panel.bins[row as usize].0[group][lane];
    }
    let (mut left, mut right) = (0, 0);
    for i in 0..rows.len() {
        let (row, bin) = (rows[i], bins[i]);
        let goes_left = if bin == MISSING { cut.missing_left } else { bin <= cut.bin };
        // Both places are written and one counter moves, so there is no branch to mispredict.
        rows[left] = row;
        scratch[right] = row;
        left += usize::from(goes_left);
        right += usize::from(!goes_left);
    }
    left
}

fn gather(cells: &[Cell], rows: &[u32], out: &mut Vec<Cell>) {
    out.resize(rows.len(), Cell::default());
    let fill = |(out, rows): (&mut [Cell], &[u32])| {
        out.iter_mut().zip(rows).for_each(|(out, &row)| *out = cells[row as usize]);
    };
    out.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK)).for_each(fill);
}

fn best_in_group(
    matrix: &BinnedMatrix,
    group: usize,
    histogram: &GroupHistogram,
    scan: &Scan,
    allowed: &Allowed,
    total: Cell,
) -> Option<Cut> {
    let features = matrix.group_features(group).iter().enumerate().filter(|&(lane, _)| allowed[group][lane]);
    best_of(features.map(|(lane, feature)| {
        let number = (group * LANES + lane) as u32;
        scan.best(number, histogram.lane(lane), 0..feature.len(), total)
    }))
}

//! The leaves of a tree that grows, for either kind of cells (see `grow`).

use rayon::prelude::*;

use crate::bins::{BinnedMatrix, LANES, MISSING};
use crate::cells::{Scaled, Sum};
use crate::direct::Direct;
use crate::grow::{Draw, Growth};
use crate::histogram::{GroupHistogram, NodeRows, build};
use crate::split::{Cut, Limits, Scan, best_of};
use crate::tree::{Node, Tree};

/// Documents that are partitioned together.
const BLOCK: usize = 2048;

/// The most documents of a node that is searched without histograms.
const SMALL: usize = 512;

/// Which of a group's features a node may use.
type Allowed = Vec<[bool; LANES]>;
type Histograms<S> = Vec<GroupHistogram<S>>;

struct Leaf<S: Sum> {
    start: usize,
    end: usize,
    depth: usize,
    total: S,
    /// The parent node, and whether this leaf is its left child.
    parent: Option<(usize, bool)>,
    /// The best cut; `None` if no cut is possible or the leaf was not searched.
    cut: Option<Cut<S>>,
    histograms: Option<Histograms<S>>,
}

/// Grows trees on one matrix, and reuses its scratch space.
pub(crate) struct Growing<'m, S: Sum> {
    matrix: &'m BinnedMatrix,
    growth: Growth,
    /// The cell of each row.
    pub cells: Vec<S>,
    fields: S::Fields,
    gathered: Vec<S>,
    /// The rows of the sample; after a tree was grown, in the order of its leaves.
    rows: Vec<u32>,
    scratch: Vec<u32>,
    leaves: Vec<Leaf<S>>,
    /// Histograms that no leaf holds.
    free: Vec<Histograms<S>>,
    direct: Direct<S>,
}

impl<'m, S: Sum> Growing<'m, S> {
    pub fn new(matrix: &'m BinnedMatrix, growth: Growth) -> Self {
        Growing {
            matrix,
            growth,
            cells: Vec::new(),
            fields: S::Fields::default(),
            gathered: Vec::new(),
            rows: Vec::new(),
            scratch: Vec::new(),
            leaves: Vec::new(),
            free: Vec::new(),
            direct: Direct::new(),
        }
    }

    /// Grows a tree from the cells. Leaf values are 0.
    pub fn grow(
        &mut self,
        sums: Scaled<S>,
        copies: Option<&[u32]>,
        features: Option<&[usize]>,
        draw: &mut Draw<'_>,
    ) -> Tree {
        let Scaled { units, fields, total } = sums;
        self.fields = fields;
        self.fill_rows(copies);
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
        let scan = Scan::new(&limits, units, fields);
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
        tree
    }

    /// The sums of the leaves of the tree grown last.
    pub fn leaf_totals(&self) -> impl ExactSizeIterator<Item = S> {
        self.leaves.iter().map(|leaf| leaf.total)
    }

    /// The rows of each leaf of the tree grown last.
    pub fn leaf_rows(&self) -> Vec<&[u32]> {
        self.leaves.iter().map(|leaf| &self.rows[leaf.start..leaf.end]).collect()
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

    fn may_be_cut(&self, leaf: &Leaf<S>) -> bool {
        leaf.total.count(self.fields) >= 2 * self.growth.min_documents.max(1)
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

    fn take_histograms(&mut self) -> Histograms<S> {
        let groups = self.matrix.groups();
        self.free.pop().unwrap_or_else(|| (0..groups).map(|_| GroupHistogram::new()).collect())
    }

    fn search_root(&mut self, scan: &Scan<S>, allowed: &Allowed) {
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
                groups.fold(None, |best, group| better_in_group(matrix, group, scan, allowed, total, best))
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
    fn cut_leaf(&mut self, tree: &mut Tree, chosen: usize, cut: &Cut<S>) -> usize {
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
    fn partition(&mut self, start: usize, end: usize, cut: &Cut<S>) -> usize {
        let column = self.matrix.column(cut.feature as usize);
        let rows = &mut self.rows[start..end];
        let scratch = &mut self.scratch[..end - start];
        let lefts: Vec<usize> = rows
            .par_chunks_mut(BLOCK)
            .zip(scratch.par_chunks_mut(BLOCK))
            .map(|(rows, scratch)| partition_block(rows, scratch, column, cut))
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
    fn search_children(
        &mut self,
        first: usize,
        second: usize,
        scan: &Scan<S>,
        features: &[usize],
        draw: &mut Draw<'_>,
    ) {
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
                        let group = (group, &*small);
                        cuts.0 = better_in_group(matrix, group, scan, &allowed_small, small_total, cuts.0);
                    }
                    if search_large {
                        large.subtract(small, matrix.group_features(group));
                        let group = (group, &*large);
                        cuts.1 = better_in_group(matrix, group, scan, &allowed_large, large_total, cuts.1);
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
    fn search_small(&mut self, leaf: usize, scan: &Scan<S>, allowed: &Allowed) {
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
        let may_be_chosen = |leaf: &Leaf<S>| leaf.cut.is_some() || leaf.histograms.is_some();
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
fn partition_block<S>(rows: &mut [u32], scratch: &mut [u32], column: &[u8], cut: &Cut<S>) -> usize {
    // The bins are fetched in a separate loop, whose loads are independent and overlap.
    let mut bins = [0u8; BLOCK];
    for (bin, &row) in bins.iter_mut().zip(&*rows) {
        *bin = column[row as usize];
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

fn gather<S: Sum>(cells: &[S], rows: &[u32], out: &mut Vec<S>) {
    out.resize(rows.len(), S::default());
    let fill = |(out, rows): (&mut [S], &[u32])| {
        out.iter_mut().zip(rows).for_each(|(out, &row)| *out = cells[row as usize]);
    };
    out.par_chunks_mut(BLOCK).zip(rows.par_chunks(BLOCK)).for_each(fill);
}

/// The better of `best` and the cuts of a group's features.
fn better_in_group<S: Sum>(
    matrix: &BinnedMatrix,
    (group, histogram): (usize, &GroupHistogram<S>),
    scan: &Scan<S>,
    allowed: &Allowed,
    total: S,
    mut best: Option<Cut<S>>,
) -> Option<Cut<S>> {
    for (lane, feature) in matrix.group_features(group).iter().enumerate().filter(|&(lane, _)| allowed[group][lane]) {
        let number = (group * LANES + lane) as u32;
        let cells = histogram.lane(lane);
        let of_feature = (&cells[..feature.len()], cells[usize::from(MISSING)]);
        best = scan.better(best, number, of_feature, |bin| bin as u8, total);
    }
    best
}

//! Histograms of a node: for each feature and bin, the sum of the cells of the node's documents.
//!
//! Histograms are built by blocks of documents and groups of features, so eight histograms (32 KiB)
//! stay in the first-level cache. Eight features are added together, so that an addition need not
//! wait for the one before it in the same cell. The root reads the columns of the features, whose
//! bins stand side by side; this is a tenth faster than to read panels.
//!
//! The rows of a small node are far apart. So a loop of independent loads, which the processor
//! overlaps, first copies their bins of a panel to a buffer; further loops add them. For a node with
//! 1 row in 30, a loop that copies makes this 7 times faster.

use crate::bins::{BinnedMatrix, FeatureBins, LANES, MISSING, PANEL, Panel, Slot};
use crate::cells::Sum;
use crate::prefetch::prefetch;

/// Bins of a feature, with the bin of missing values. An index of type `u8` needs no check.
const SLOTS: usize = 256;

/// Documents of a block of the root, whose cells stay in cache until the last group of the panel was
/// added.
const ROOT_BLOCK: usize = 2048;

/// Documents of a block of another node, whose bins are copied.
const BLOCK: usize = 512;

/// The histograms of one feature group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupHistogram<S>(Box<[[S; SLOTS]; LANES]>);

/// The documents of a node.
#[derive(Clone, Copy)]
pub(crate) enum NodeRows<'a, S> {
    /// All rows of the matrix, one cell a row.
    All(&'a [S]),
    /// Some rows, and their cells in the same order.
    Some(&'a [u32], &'a [S]),
}

impl<S: Sum> GroupHistogram<S> {
    pub fn new() -> Self {
        GroupHistogram(Box::new([[S::default(); SLOTS]; LANES]))
    }

    pub fn lane(&self, lane: usize) -> &[S; SLOTS] {
        &self.0[lane]
    }

    fn clear(&mut self, features: &[FeatureBins]) {
        for (lane, feature) in self.0.iter_mut().zip(features) {
            lane[..feature.len()].fill(S::default());
            lane[usize::from(MISSING)] = S::default();
        }
    }

    // An index addresses the eight histograms from one pointer. Iterators over them need eight
    // pointers, which spill.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn add_row(&mut self, bins: [u8; LANES], cell: S) {
        let histograms = &mut *self.0;
        for lane in 0..LANES {
            histograms[lane][usize::from(bins[lane])].add(cell);
        }
    }

    #[inline(always)]
    fn add<'a>(&mut self, bins: impl Iterator<Item = &'a [u8; LANES]>, cells: &[S]) {
        bins.zip(cells).for_each(|(&bins, &cell)| self.add_row(bins, cell));
    }

    /// Adds neighbouring rows, from the columns of the group's features. The compiler would pack an
    /// array of the eight bins into one number and unpack it again.
    fn add_columns(&mut self, columns: [&[u8]; LANES], cells: &[S]) {
        let [a, b, c, d, e, f, g, h] = columns.map(|column| &column[..cells.len()]);
        let histograms = &mut *self.0;
        for (row, &cell) in cells.iter().enumerate() {
            histograms[0][usize::from(a[row])].add(cell);
            histograms[1][usize::from(b[row])].add(cell);
            histograms[2][usize::from(c[row])].add(cell);
            histograms[3][usize::from(d[row])].add(cell);
            histograms[4][usize::from(e[row])].add(cell);
            histograms[5][usize::from(f[row])].add(cell);
            histograms[6][usize::from(g[row])].add(cell);
            histograms[7][usize::from(h[row])].add(cell);
        }
    }

    /// Subtracts one child from the parent, which becomes exactly the other child.
    pub fn subtract(&mut self, part: &Self, features: &[FeatureBins]) {
        for ((lane, part), feature) in self.0.iter_mut().zip(part.0.iter()).zip(features) {
            for (cell, part) in lane[..feature.len()].iter_mut().zip(part) {
                cell.subtract(*part);
            }
            lane[usize::from(MISSING)].subtract(part[usize::from(MISSING)]);
        }
    }
}

/// Replaces the histograms of a panel's groups by the histograms of `rows`. The panel's first group
/// has number `first_group`.
pub(crate) fn build<S: Sum>(
    histograms: &mut [GroupHistogram<S>],
    matrix: &BinnedMatrix,
    panel: &Panel,
    first_group: usize,
    rows: NodeRows<'_, S>,
) {
    for (group, histogram) in (first_group..).zip(&mut *histograms) {
        histogram.clear(matrix.group_features(group));
    }
    match rows {
        NodeRows::All(cells) => {
            for (number, cells) in cells.chunks(ROOT_BLOCK).enumerate() {
                let start = number * ROOT_BLOCK;
                for (group, histogram) in histograms.iter_mut().enumerate() {
                    match matrix.group_columns(first_group + group) {
                        Some(columns) => histogram.add_columns(columns.map(|column| &column[start..]), cells),
                        None => histogram.add(panel.bins[start..].iter().map(|slot| &slot.0[group]), cells),
                    }
                }
            }
        }
        NodeRows::Some(rows, cells) => {
            let mut buffer = [Slot::default(); BLOCK];
            for (rows, cells, next) in blocks(rows, cells) {
                for (slot, &row) in buffer.iter_mut().zip(rows) {
                    *slot = panel.bins[row as usize];
                }
                let (slots, rest_slots) = buffer[..rows.len()].as_chunks::<PANEL>();
                let (cells, rest_cells) = cells.as_chunks::<PANEL>();
                let mut next = next.chunks(BLOCK / PANEL);
                for (group, histogram) in histograms.iter_mut().enumerate() {
                    // The lines of the next block come while this block is added.
                    let mut coming = next.next().unwrap_or_default().iter();
                    let bins = |slot: &Slot| slot.0[group % PANEL];
                    for (slots, cells) in slots.iter().zip(cells) {
                        if let Some(&row) = coming.next() {
                            prefetch(&panel.bins[row as usize]);
                        }
                        slots.iter().zip(cells).for_each(|(slot, &cell)| histogram.add_row(bins(slot), cell));
                    }
                    rest_slots.iter().zip(rest_cells).for_each(|(slot, &cell)| histogram.add_row(bins(slot), cell));
                }
            }
        }
    }
}

/// The rows of each block, their cells, and the rows of the next block.
fn blocks<'a, S>(rows: &'a [u32], cells: &'a [S]) -> impl Iterator<Item = (&'a [u32], &'a [S], &'a [u32])> {
    let next = rows.chunks(BLOCK).skip(1).chain(std::iter::once(&[][..]));
    rows.chunks(BLOCK).zip(cells.chunks(BLOCK)).zip(next).map(|((rows, cells), next)| (rows, cells, next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::Rows;
    use crate::cells::{Cell, Gradients};

    fn made(rows: usize, width: usize) -> (BinnedMatrix, Vec<Cell>) {
        let value = |i: usize| if i % 11 == 3 { f32::NAN } else { ((i * 2654435761) % 977) as f32 };
        let values: Vec<f32> = (0..rows * width).map(value).collect();
        let matrix = BinnedMatrix::new(&Rows::new(vec![&values], width), 100);
        let first: Vec<f64> = (0..rows).map(|i| libm::sin(i as f64)).collect();
        let second: Vec<f64> = (0..rows).map(|i| libm::cos(i as f64).abs()).collect();
        let mut cells = Vec::new();
        let gradients = Gradients { first: &first, second: Some(&second), copies: None };
        gradients.to_cells(rows, &mut cells).unwrap();
        (matrix, cells)
    }

    #[test]
    fn sums_are_those_of_a_plain_loop_and_subtraction_is_exact() {
        let (matrix, cells) = made(3000, 43);
        let chosen: Vec<u32> = (0..3000).filter(|row| row % 3 == 1).collect();
        let rest: Vec<u32> = (0..3000).filter(|row| row % 3 != 1).collect();
        let cells_of = |rows: &[u32]| rows.iter().map(|&row| cells[row as usize]).collect::<Vec<_>>();
        for (number, panel) in matrix.panels().iter().enumerate() {
            let first_group = number * matrix.panel_groups();
            let built = |rows: NodeRows<'_, Cell>| {
                let mut histograms: Vec<_> = (0..panel.groups).map(|_| GroupHistogram::new()).collect();
                build(&mut histograms, &matrix, panel, first_group, rows);
                histograms
            };
            let part = built(NodeRows::Some(&chosen, &cells_of(&chosen)));
            let mut whole = built(NodeRows::All(&cells));
            let other = built(NodeRows::Some(&rest, &cells_of(&rest)));
            for group in 0..panel.groups {
                let features = matrix.group_features(first_group + group);
                whole[group].subtract(&part[group], features);
                for lane in 0..features.len() {
                    let mut expected = [Cell::default(); SLOTS];
                    for &row in &chosen {
                        let bin = matrix.bin(row as usize, (first_group + group) * LANES + lane);
                        expected[usize::from(bin)].add(cells[row as usize]);
                    }
                    assert_eq!(part[group].lane(lane), &expected);
                    assert_eq!(whole[group].lane(lane), other[group].lane(lane));
                }
            }
        }
    }
}

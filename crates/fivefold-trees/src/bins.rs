//! Quantile bins: every feature value becomes a number from 0 to 254, a missing value (NaN) 255.
//!
//! A feature with at most `max_bins` distinct values gets one bin a value, so that a tree can cut
//! between any two values. Otherwise a greedy pass over the sorted values makes bins of nearly
//! equal numbers of documents. A value that fills a bin alone gets its own bin, and the other
//! values share the remaining bins. A cut lies half way between two neighbouring values, so an
//! unseen value falls on the side of its nearest neighbour. [`Spacing::Widths`] cuts the range of a
//! feature with many values into equal widths instead, as RankLib does with 256 bins. A cut with
//! no value between it and the cut below is dropped.
//!
//! Differs from LightGBM, which finds bins from a sample of 200,000 documents: here all values are
//! sorted.
//!
//! Layout: a group is `LANES` features, whose bins are one `[u8; LANES]` a document, so one load
//! brings eight bins. A panel is up to `PANEL` groups, whose bins lie side by side in half a cache
//! line. The histograms of a group (8 x 256 x 16 bytes = 32 KiB) stay in the first-level cache
//! while a block of documents streams by. A document that is read alone costs a cache line for
//! each panel, not for each group. The bins of one feature stand together once more: a node is cut
//! by them, and the root's histograms are built from them. Cost: O(n log n) a feature; two bytes a
//! value, one of them rounded up to 32 features a panel.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Features whose bins lie side by side and whose histograms are built together.
pub(crate) const LANES: usize = 8;

/// The most groups of a panel: half a cache line.
pub(crate) const PANEL: usize = 4;

/// The most bins of a feature, without the bin of missing values.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, MAX_BINS, Rows};
///
/// // A thousand values, but no more bins than a byte tells apart from a missing value.
/// let values: Vec<f32> = (0..1000u16).map(f32::from).collect();
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&values], 1), 1000);
/// assert_eq!(matrix.cuts(0).len() + 1, MAX_BINS);
/// ```
pub const MAX_BINS: usize = 255;

/// The bin of missing values.
pub(crate) const MISSING: u8 = 255;

/// Row-major feature values in blocks, for instance a block for each query.
///
/// ```
/// use fivefold_trees::Rows;
///
/// // Two queries, of two documents and of one, with two features a document.
/// let rows = Rows::new(vec![&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0]], 2);
/// assert_eq!((rows.len(), rows.width()), (3, 2));
/// ```
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    blocks: Vec<&'a [f32]>,
    width: usize,
    len: usize,
}

impl<'a> Rows<'a> {
    /// Blocks of whole rows of `width` values each, numbered in order.
    ///
    /// # Panics
    /// If `width` is 0 or a block is not a whole number of rows.
    pub fn new(blocks: Vec<&'a [f32]>, width: usize) -> Self {
        assert!(width > 0, "rows need at least one feature");
        assert!(blocks.iter().all(|block| block.len() % width == 0), "a block must be whole rows");
        let len = blocks.iter().map(|block| block.len() / width).sum();
        Rows { blocks, width, len }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Values a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The blocks, in order.
    pub fn blocks(&self) -> &[&'a [f32]] {
        &self.blocks
    }

    fn iter(&self) -> impl Iterator<Item = &'a [f32]> {
        self.blocks.iter().flat_map(|block| block.chunks_exact(self.width))
    }
}

/// The places of the cuts, for a feature with more values than bins.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Rows, Spacing};
///
/// // Three values and two bins: cut after half of the documents, or at half of the range.
/// let values = [0.0, 1.0, 2.0, 10.0];
/// let rows = Rows::new(vec![&values], 1);
/// assert_eq!(BinnedMatrix::spaced(&rows, 2, Spacing::Quantiles).cuts(0), [1.5]);
/// assert_eq!(BinnedMatrix::spaced(&rows, 2, Spacing::Widths).cuts(0), [5.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Spacing {
    /// Nearly equal numbers of documents lie between neighbouring cuts.
    Quantiles,
    /// Cuts have equal distances between the least and the greatest value, as in RankLib.
    Widths,
}

/// How one feature was cut.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FeatureBins {
    /// Bin b holds the values v with `cuts[b - 1] < v <= cuts[b]`; the last bin has no upper end.
    pub cuts: Vec<f32>,
}

impl FeatureBins {
    /// Bins of present values.
    pub fn len(&self) -> usize {
        self.cuts.len() + 1
    }
}

/// A matrix of bins, on which trees are grown. All trees, rankers and threads that learn from the
/// same documents can share the matrix.
///
/// ```
/// use fivefold_trees::{BinnedMatrix, Rows};
///
/// // Three documents of one feature, the last without a value.
/// let matrix = BinnedMatrix::new(&Rows::new(vec![&[1.0, 3.0, f32::NAN]], 1), 255);
/// assert_eq!(matrix.cuts(0), [2.0]);
/// assert_eq!([matrix.bin(0, 0), matrix.bin(1, 0), matrix.bin(2, 0)], [0, 1, 255]);
/// ```
#[derive(Debug, Clone)]
pub struct BinnedMatrix {
    rows: usize,
    features: Vec<FeatureBins>,
    /// Groups of each panel; the last panel may have fewer.
    panel_groups: usize,
    panels: Vec<Panel>,
    /// The bins of each feature once more, one after the other: many documents a cache line, where
    /// a node is cut by one feature or all documents are read.
    columns: Vec<Vec<u8>>,
}

/// The bins of some neighbouring groups.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// Groups in use.
    pub groups: usize,
    /// For each document, its bins of all groups; the bins of unused groups are 0.
    pub bins: Vec<Slot>,
}

/// A document's bins in a panel, within one cache line.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Slot(pub [[u8; LANES]; PANEL]);

impl BinnedMatrix {
    /// [`spaced`](Self::spaced) by quantiles.
    pub fn new(rows: &Rows<'_>, max_bins: usize) -> Self {
        Self::spaced(rows, max_bins, Spacing::Quantiles)
    }

    /// Cuts every feature into at most `max_bins` (clamped to 2..=255) bins. Uses the current rayon
    /// pool; the result is the same for any number of threads.
    pub fn spaced(rows: &Rows<'_>, max_bins: usize, spacing: Spacing) -> Self {
        // Nothing stops this call, so every panel is made.
        Self::of_panels(rows, max_bins, spacing, &|| false).0
    }

    /// As [`spaced`](Self::spaced), but `None` if `stop` returns true. `stop` is called before
    /// every eight features.
    pub fn spaced_unless(
        rows: &Rows<'_>,
        max_bins: usize,
        spacing: Spacing,
        stop: impl Fn() -> bool + Sync,
    ) -> Option<Self> {
        let (matrix, whole) = Self::of_panels(rows, max_bins, spacing, &stop);
        whole.then_some(matrix)
    }

    /// The matrix, and whether all of it was made.
    fn of_panels(rows: &Rows<'_>, max_bins: usize, spacing: Spacing, stop: &(dyn Fn() -> bool + Sync)) -> (Self, bool) {
        let max_bins = max_bins.clamp(2, MAX_BINS);
        let groups = rows.width().div_ceil(LANES);
        let panel_groups = groups.div_ceil(groups.div_ceil(PANEL));
        let bin_panel = |first_group: usize| {
            let groups = panel_groups.min(groups - first_group);
            let mut panel = Panel { groups, bins: vec![Slot::default(); rows.len()] };
            let (mut features, mut bins_of, mut columns) = (Vec::new(), Vec::new(), Vec::new());
            for group in 0..groups {
                if stop() {
                    return (features, bins_of, panel, false);
                }
                let first = (first_group + group) * LANES;
                let lanes = (rows.width() - first).min(LANES);
                gather_columns(rows, first, lanes, &mut columns);
                features.extend(bin_group(
                    &columns,
                    lanes,
                    |sorted| cuts_of(sorted, max_bins, spacing),
                    panel.bins.iter_mut().map(|slot| &mut slot.0[group]),
                ));
                bins_of.extend((0..lanes).map(|lane| {
                    let bins: Vec<u8> = panel.bins.iter().map(|slot| slot.0[group][lane]).collect();
                    bins
                }));
            }
            (features, bins_of, panel, true)
        };
        let binned: Vec<_> = (0..groups).into_par_iter().step_by(panel_groups).map(bin_panel).collect();
        let (mut features, mut columns) = (Vec::with_capacity(rows.width()), Vec::with_capacity(rows.width()));
        let (mut panels, mut whole) = (Vec::with_capacity(binned.len()), true);
        for (of_panel, bins_of, panel, made) in binned {
            features.extend(of_panel);
            columns.extend(bins_of);
            panels.push(panel);
            whole &= made;
        }
        (BinnedMatrix { rows: rows.len(), features, panel_groups, panels, columns }, whole)
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Number of features.
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// The values at which a tree can cut `feature` ("at most this" goes left), rising.
    ///
    /// # Panics
    /// If `feature >= self.width()`.
    pub fn cuts(&self, feature: usize) -> &[f32] {
        &self.features[feature].cuts
    }

    /// The bin of `feature` in document `row`: 0 to `cuts(feature).len()`, or 255 for a missing
    /// value.
    ///
    /// # Panics
    /// If `row` or `feature` is out of range.
    pub fn bin(&self, row: usize, feature: usize) -> u8 {
        self.columns[feature][row]
    }

    /// The bins of `feature`, one a document, as [`bin`](Self::bin) gives them.
    ///
    /// # Panics
    /// If `feature` is out of range.
    pub fn column(&self, feature: usize) -> &[u8] {
        &self.columns[feature]
    }

    /// The bins of the features of a group; `None` if the group is not full.
    pub(crate) fn group_columns(&self, group: usize) -> Option<[&[u8]; LANES]> {
        let columns: &[Vec<u8>; LANES] = self.columns[group * LANES..].first_chunk()?;
        Some(columns.each_ref().map(Vec::as_slice))
    }

    /// The features of a group.
    pub(crate) fn group_features(&self, group: usize) -> &[FeatureBins] {
        let first = group * LANES;
        &self.features[first..(first + LANES).min(self.width())]
    }

    /// Number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.width().div_ceil(LANES)
    }

    /// Groups of each panel; the last panel may have fewer.
    pub(crate) fn panel_groups(&self) -> usize {
        self.panel_groups
    }

    pub(crate) fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// The place of a feature's bins: panel, group within the panel, lane within the group.
    pub(crate) fn place(&self, feature: usize) -> (&Panel, usize, usize) {
        let group = feature / LANES;
        (&self.panels[group / self.panel_groups], group % self.panel_groups, feature % LANES)
    }
}

/// Columns `first..first + lanes`, one after the other.
fn gather_columns(rows: &Rows<'_>, first: usize, lanes: usize, columns: &mut Vec<f32>) {
    let n = rows.len();
    columns.clear();
    columns.resize(n * lanes, 0.0);
    let mut lanes_of: Vec<&mut [f32]> = columns.chunks_exact_mut(n.max(1)).collect();
    for (i, row) in rows.iter().enumerate() {
        for (lane, &value) in lanes_of.iter_mut().zip(&row[first..]) {
            lane[i] = value;
        }
    }
}

/// Cuts each of the `lanes` columns and writes its bins, one item of `bins` a document.
fn bin_group<'a>(
    columns: &[f32],
    lanes: usize,
    cut: impl Fn(&[f32]) -> Vec<f32>,
    bins: impl Iterator<Item = &'a mut [u8; LANES]>,
) -> Vec<FeatureBins> {
    let n = columns.len() / lanes;
    let mut features = Vec::with_capacity(lanes);
    let mut tables = [[f32::INFINITY; 256]; LANES];
    let (mut sorted, mut keys) = (Vec::with_capacity(n), [Vec::new(), Vec::new()]);
    for lane in 0..lanes {
        let column = &columns[lane * n..(lane + 1) * n];
        sorted.clear();
        sorted.extend(column.iter().copied().filter(|value| !value.is_nan()));
        sort(&mut sorted, &mut keys);
        let feature = FeatureBins { cuts: cut(&sorted) };
        tables[lane][..feature.cuts.len()].copy_from_slice(&feature.cuts);
        features.push(feature);
    }
    for (row, bins) in bins.enumerate() {
        for lane in 0..lanes {
            let value = columns[lane * n + row];
            bins[lane] = if value.is_nan() { MISSING } else { lookup(&tables[lane], value) };
        }
    }
    features
}

/// Bits of a digit of a key, and the digits that a key has.
const DIGIT: u32 = 11;
const DIGITS: usize = u32::BITS.div_ceil(DIGIT) as usize;

/// Fewer values are sorted by comparisons.
const FEW: usize = 1 << 9;

/// Sorts as [`f32::total_cmp`]. Many values are sorted digit by digit from the lowest digit on,
/// where each pass keeps the order of equal digits. `keys` is scratch.
fn sort(values: &mut [f32], keys: &mut [Vec<u32>; 2]) {
    if values.len() < FEW || u32::try_from(values.len()).is_err() {
        values.sort_unstable_by(f32::total_cmp);
        return;
    }
    // Negative numbers fall with their bits, so all bits are flipped. The others come after them.
    let sign = |bits: u32| ((bits as i32) >> 31) as u32;
    let [from, to] = keys;
    from.clear();
    from.extend(values.iter().map(|value| value.to_bits()).map(|bits| bits ^ (sign(bits) | 1 << 31)));
    to.clear();
    to.resize(values.len(), 0);
    let digit = |key: u32, number: usize| (key >> (DIGIT * number as u32)) as usize % (1 << DIGIT);
    let mut counts = [[0u32; 1 << DIGIT]; DIGITS];
    for &key in from.iter() {
        counts.iter_mut().enumerate().for_each(|(number, counts)| counts[digit(key, number)] += 1);
    }
    for (number, counts) in counts.iter_mut().enumerate() {
        if counts[digit(from[0], number)] as usize == values.len() {
            continue;
        }
        let mut begin = 0;
        counts.iter_mut().for_each(|count| begin += std::mem::replace(count, begin));
        for &key in from.iter() {
            let place = &mut counts[digit(key, number)];
            to[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(from, to);
    }
    let plain = |key: u32| f32::from_bits(key ^ (!sign(key) | 1 << 31));
    values.iter_mut().zip(from.iter()).for_each(|(value, &key)| *value = plain(key));
}

/// The number of rising cuts below `value`. At most 254 entries are finite, so the number is at
/// most 254.
fn lookup(cuts: &[f32; 256], value: f32) -> u8 {
    let mut below = 0usize;
    for step in [128, 64, 32, 16, 8, 4, 2, 1] {
        // A product instead of a branch: a branch would be unpredictable, and searches of several
        // values can overlap.
        below += step * usize::from(cuts[(below + step - 1) & 255] < value);
    }
    below as u8
}

/// The cuts between bins, as the head of this file describes. `sorted` must not hold NaN.
fn cuts_of(sorted: &[f32], max_bins: usize, spacing: Spacing) -> Vec<f32> {
    let many = || sorted.chunk_by(|a, b| a == b).nth(max_bins).is_some();
    if spacing == Spacing::Widths && many() { width_cuts(sorted, max_bins) } else { quantile_cuts(sorted, max_bins) }
}

/// The ends of `max_bins` equal widths from the least to the greatest finite value. The end of a
/// width without values is left out.
fn width_cuts(sorted: &[f32], max_bins: usize) -> Vec<f32> {
    let start = sorted.partition_point(|value| *value == f32::NEG_INFINITY);
    let end = sorted.partition_point(|value| *value < f32::INFINITY);
    let Some((low, high)) = sorted[start..end].first().zip(sorted[start..end].last()) else { return Vec::new() };
    let step = (f64::from(*high) - f64::from(*low)) / max_bins as f64;
    let mut cuts = Vec::new();
    let mut below = 0;
    for number in 1..max_bins {
        let cut = (f64::from(*low) + step * number as f64) as f32;
        let now = sorted.partition_point(|value| *value <= cut);
        if now > below && now < sorted.len() {
            cuts.push(cut);
            below = now;
        }
    }
    cuts
}

/// The cuts between values, or between bins of nearly equal numbers of documents.
fn quantile_cuts(sorted: &[f32], max_bins: usize) -> Vec<f32> {
    let mut cuts = Vec::new();
    let runs = || sorted.chunk_by(|a, b| a == b);
    let few = runs().nth(max_bins).is_none();
    let (mut rest, mut bins_left) = (sorted.len(), max_bins);
    let mut in_bin = 0;
    let mut runs = runs().peekable();
    while let Some(run) = runs.next() {
        in_bin += run.len();
        let Some(next) = runs.peek() else { break };
        // Close the bin at the value nearest to an equal share, and before a value that fills a bin
        // alone.
        let full = (2 * in_bin + next.len()) * bins_left >= 2 * rest || next.len() * bins_left >= rest;
        if few || full && bins_left > 1 {
            cuts.push(between(run[0], next[0]));
            rest -= in_bin;
            bins_left -= 1;
            in_bin = 0;
        }
    }
    cuts
}

/// A value v with `low <= v < high`, half way if the precision allows.
fn between(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the comparisons of the standard library, on values of all sizes and with many equal
    /// ones.
    #[test]
    fn values_are_sorted_by_their_total_order() {
        let mut state = 1u32;
        let mut any = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        };
        let mut keys = [Vec::new(), Vec::new()];
        for len in [0, 1, FEW - 1, FEW, 3000, 20_000] {
            for kind in 0..4 {
                let mut value = || match kind {
                    0 => f32::from_bits(any()),
                    1 => (any() >> 28) as f32 - 7.0,
                    2 => (any() >> 8) as f32 / 1e6,
                    _ => [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1e-45, -1e-45][(any() >> 16) as usize % 6],
                };
                let mut values: Vec<f32> = (0..len).map(|_| value()).collect();
                let mut expected = values.clone();
                expected.sort_by(f32::total_cmp);
                sort(&mut values, &mut keys);
                let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&values), bits(&expected), "{len} of kind {kind}");
            }
        }
    }

    fn column(values: &[f32], max_bins: usize) -> BinnedMatrix {
        BinnedMatrix::new(&Rows::new(vec![values], 1), max_bins)
    }

    #[test]
    fn few_values_get_a_bin_each() {
        let values = [3.0, -1.0, f32::NAN, 7.0, 3.0, 0.0, -0.0];
        let matrix = column(&values, 255);
        assert_eq!(matrix.cuts(0), [-0.5, 1.5, 5.0]);
        let bins: Vec<u8> = (0..values.len()).map(|row| matrix.bin(row, 0)).collect();
        assert_eq!(bins, [2, 0, MISSING, 3, 2, 1, 1]);
    }

    #[test]
    fn every_value_lies_in_the_bin_that_its_cuts_say() {
        let values: Vec<f32> = (0..5000u32).map(|i| ((i * 7919) % 3001) as f32 * 0.37 - 200.0).collect();
        for max_bins in [2, 3, 10, 254, 255] {
            let matrix = column(&values, max_bins);
            let cuts = matrix.cuts(0);
            assert_eq!(cuts.len() + 1, max_bins, "as many bins as allowed");
            let mut counts = vec![0usize; max_bins];
            for (row, value) in values.iter().enumerate() {
                let bin = usize::from(matrix.bin(row, 0));
                assert_eq!(bin, cuts.iter().filter(|cut| *cut < value).count());
                counts[bin] += 1;
            }
            // Every run is one or two documents long, so a bin misses its equal share by at most
            // two.
            let share = values.len() as f64 / max_bins as f64;
            assert!(counts.iter().all(|&c| (c as f64 - share).abs() <= 2.0), "{share} {counts:?}");
        }
    }

    #[test]
    fn equal_widths_follow_the_range_not_the_documents() {
        // Nearly all values lie in the lowest tenth. Quantiles put their cuts there; equal widths
        // do not.
        let mut values: Vec<f32> = (0..900).map(|i| i as f32 / 900.0).collect();
        values.extend([5.5, 9.0, 10.0, f32::NAN]);
        let rows = Rows::new(vec![&values], 1);
        let matrix = BinnedMatrix::spaced(&rows, 10, Spacing::Widths);
        assert_eq!(matrix.cuts(0), [1.0, 6.0, 9.0]);
        assert_eq!([0, 899, 900, 901, 902, 903].map(|row| matrix.bin(row, 0)), [0, 0, 1, 2, 3, MISSING]);
        assert!(column(&values, 10).cuts(0)[8] < 1.0);
        // A few values have a bin each, as with quantiles. Infinite values do not change the
        // widths.
        let few = [0.0, 1.0, 100.0];
        assert_eq!(BinnedMatrix::spaced(&Rows::new(vec![&few], 1), 3, Spacing::Widths).cuts(0), [0.5, 50.5]);
        let far = [f32::NEG_INFINITY, 0.0, 1.0, 2.0, 4.0, f32::INFINITY];
        assert_eq!(BinnedMatrix::spaced(&Rows::new(vec![&far], 1), 4, Spacing::Widths).cuts(0), [1.0, 2.0]);
        let wide = [f32::MIN, 0.0, f32::MAX];
        assert_eq!(BinnedMatrix::spaced(&Rows::new(vec![&wide], 1), 2, Spacing::Widths).cuts(0), [0.0]);
    }

    #[test]
    fn a_heavy_value_has_a_bin_of_its_own() {
        let mut values: Vec<f32> = (0..1000).map(|i| i as f32 - 500.0).collect();
        values.extend([0.0; 800]);
        let matrix = column(&values, 10);
        let zero = matrix.bin(500, 0);
        let in_bin = (0..values.len()).filter(|&row| matrix.bin(row, 0) == zero).count();
        assert_eq!(in_bin, 801);
    }

    #[test]
    fn extremes_do_not_break_cuts() {
        let (low, high) = (1.0f32, f32::from_bits(1.0f32.to_bits() + 1));
        assert_eq!(between(low, high), low);
        assert_eq!(between(f32::MIN, f32::MAX), 0.0);
        assert_eq!(between(f32::NEG_INFINITY, f32::INFINITY), f32::NEG_INFINITY);
        let matrix = column(&[f32::NEG_INFINITY, f32::MIN, f32::MAX, f32::INFINITY], 255);
        assert_eq!((0..4).map(|row| matrix.bin(row, 0)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(column(&[f32::NAN, f32::NAN], 255).cuts(0), [0.0f32; 0]);
        assert_eq!(column(&[2.5; 9], 255).cuts(0), [0.0f32; 0]);
        assert!(column(&[], 255).is_empty());
    }

    #[test]
    fn blocks_are_one_matrix() {
        let values: Vec<f32> = (0..60u32).map(|i| ((i * 37) % 23) as f32).collect();
        let whole = BinnedMatrix::new(&Rows::new(vec![&values], 10), 5);
        let parts = BinnedMatrix::new(&Rows::new(vec![&values[..20], &values[20..]], 10), 5);
        assert_eq!(whole.panels(), parts.panels());
        assert_eq!((whole.len(), whole.width(), whole.groups()), (6, 10, 2));
        // 80 features are 10 groups: panels of 4, 4 and 2.
        let wide = BinnedMatrix::new(&Rows::new(vec![&[0.0; 160]], 80), 5);
        assert_eq!(wide.panels().iter().map(|panel| panel.groups).collect::<Vec<_>>(), [4, 4, 2]);
    }
}

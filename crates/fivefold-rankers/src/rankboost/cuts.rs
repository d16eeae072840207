//! Weak rankers "feature above threshold", and a search for the best weak ranker in one pass.
//!
//! The weak ranker h has the strength r(h) = sum_d pi(d) h(d), where pi(d) is the potential of
//! document d. For each feature, every document adds its potential to its bin (`bin_sums`). The sum of
//! all bins above a threshold is r of this threshold, so one walk from the highest bin down gives r of
//! all thresholds. Cost: documents x features additions. Memory: three bytes for each document and
//! feature and some more, or two with more than 255 thresholds. The bins of eight features then lie
//! side by side, so one load brings eight bins, and eight additions overlap.

use fivefold_core::{FitContext, FitError};
use fivefold_trees::{Rows, Spacing};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bin_sums::{BINS, BinSums, FEATURES as LANES, Potentials};
use crate::boosting::bins_of;

/// The most thresholds of a feature, so that a bin is a `u16`.
const MOST: usize = u16::MAX as usize;

/// The bin of a missing value in a `BinnedMatrix`, whose features have at most 254 thresholds.
const MISSING: u8 = u8::MAX;

/// h(x) = 1 if feature `feature` of x is above threshold number `number`, otherwise 0. A missing
/// value gives 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Weak {
    pub feature: usize,
    pub number: usize,
    /// r of h, in the unit of the potentials.
    pub r: f64,
}

/// The thresholds of all features, and the bin of each document between the thresholds.
pub(super) struct Cuts {
    documents: usize,
    /// Rising thresholds of each feature.
    thresholds: Vec<Vec<f32>>,
    /// For each eight features: the number of thresholds below each document's values.
    groups: Vec<Bins>,
}

/// The bins of eight features.
enum Bins {
    /// No feature has more bins than a byte has values.
    Bytes {
        /// Feature by feature.
        columns: Vec<u8>,
        sums: BinSums,
    },
    /// Document by document.
    Words(Vec<[u16; LANES]>),
}

impl Bins {
    /// The bins of some features. `bin` gives the bin of a document for each of them, and no feature has
    /// more than `most` thresholds.
    fn new(documents: usize, features: usize, most: usize, bin: impl Fn(usize, usize) -> usize) -> Self {
        if most < BINS {
            let mut columns = vec![0; documents * features];
            for document in 0..documents {
                let places = columns.iter_mut().skip(document).step_by(documents);
                places.enumerate().for_each(|(feature, place)| *place = bin(document, feature) as u8);
            }
            return Bins::of_bytes(documents, columns);
        }
        let bins = |document| std::array::from_fn(|lane| if lane < features { bin(document, lane) as u16 } else { 0 });
        Bins::Words((0..documents).map(bins).collect())
    }

    /// The bins of some features, feature by feature.
    fn of_bytes(documents: usize, columns: Vec<u8>) -> Self {
        let sums = BinSums::new(&columns.chunks(documents).collect::<Vec<_>>());
        Bins::Bytes { columns, sums }
    }

    /// Tells `tell` for each document whether its bin of feature `lane` is above `number`.
    #[inline]
    fn are_above<T>(
        &self,
        lane: usize,
        number: usize,
        of_documents: impl ExactSizeIterator<Item = T>,
        mut tell: impl FnMut(T, bool),
    ) {
        match self {
            Bins::Bytes { columns, .. } => {
                let column = &columns[lane * of_documents.len()..][..of_documents.len()];
                of_documents.zip(column).for_each(|(own, &bin)| tell(own, usize::from(bin) > number));
            }
            Bins::Words(bins) => {
                of_documents.zip(bins).for_each(|(own, bins)| tell(own, usize::from(bins[lane]) > number));
            }
        }
    }
}

/// The stronger of two weak rankers; of equal rankers, the first.
fn stronger(first: Option<Weak>, other: Weak, negative: bool) -> Option<Weak> {
    let strength = |weak: &Weak| if negative { weak.r.abs() } else { weak.r };
    match first {
        Some(first) if strength(&first) >= strength(&other) => Some(first),
        _ => Some(other),
    }
}

/// The strongest weak ranker of some features, of which the first has number `first`. `sum` gives the
/// sum of a bin of a feature.
fn strongest(first: usize, features: &[Vec<f32>], negative: bool, sum: impl Fn(usize, usize) -> f64) -> Option<Weak> {
    let mut best = None;
    for (lane, thresholds) in features.iter().enumerate() {
        let mut r = 0.0;
        for number in (0..thresholds.len()).rev() {
            r += sum(lane, number + 1);
            best = stronger(best, Weak { feature: first + lane, number, r }, negative);
        }
    }
    best
}

/// Adds the potential of each document to its bins.
fn add_up(bins: &[[u16; LANES]], potentials: &[f64], sums: &mut [[f64; LANES]]) {
    for (bins, potential) in bins.iter().zip(potentials) {
        for (lane, &bin) in bins.iter().enumerate() {
            sums[usize::from(bin)][lane] += potential;
        }
    }
}

impl Cuts {
    /// Chooses up to `most` thresholds of each feature (0: between all neighbouring values) and
    /// bins `rows` of `width` values. Stops if the fit is cancelled.
    pub fn new_unless(
        rows: &[&[f32]],
        width: usize,
        most: usize,
        spacing: Spacing,
        cx: &FitContext<'_>,
    ) -> Result<Self, FitError> {
        let quantiles = (most > 0 && spacing == Spacing::Quantiles)
            .then(|| bins_of(&Rows::new(rows.to_vec(), width), most + 1, Spacing::Quantiles, cx))
            .transpose()?;
        let thresholds: Vec<Vec<f32>> = (0..width)
            .into_par_iter()
            .map(|feature| match &quantiles {
                Some(matrix) => Ok(matrix.cuts(feature).to_vec()),
                None => cx.check().map(|()| spread(rows.iter().map(|row| row[feature]), most)),
            })
            .collect::<Result<_, FitError>>()?;
        let bin_group = |first: usize| -> Result<Bins, FitError> {
            cx.check()?;
            let thresholds = &thresholds[first..width.min(first + LANES)];
            let most = thresholds.iter().map(Vec::len).max().unwrap_or(0);
            let bins = match &quantiles {
                Some(matrix) => {
                    let mut columns = Vec::with_capacity(rows.len() * thresholds.len());
                    for feature in first..first + thresholds.len() {
                        // A missing value is above no threshold.
                        let bins = matrix.column(feature).iter().map(|&bin| if bin == MISSING { 0 } else { bin });
                        columns.extend(bins);
                    }
                    Bins::of_bytes(rows.len(), columns)
                }
                None => Bins::new(rows.len(), thresholds.len(), most, |document, feature| {
                    let value = rows[document][first + feature];
                    thresholds[feature].partition_point(|&cut| cut < value)
                }),
            };
            Ok(bins)
        };
        let groups = (0..width).into_par_iter().step_by(LANES).map(bin_group).collect::<Result<_, FitError>>()?;
        Ok(Cuts { documents: rows.len(), thresholds, groups })
    }

    /// The value of a weak ranker's threshold.
    pub fn threshold(&self, weak: &Weak) -> f32 {
        self.thresholds[weak.feature][weak.number]
    }

    /// The weak ranker with the greatest r, or with `negative` the greatest |r|; of equal rankers,
    /// the first. `None` if no feature has a threshold.
    pub fn best(&self, potentials: &[f64], negative: bool) -> Option<Weak> {
        let in_blocks = Potentials::new(potentials);
        let best_of_group = |(group, bins): (usize, &Bins)| {
            let first = group * LANES;
            let features = &self.thresholds[first..self.thresholds.len().min(first + LANES)];
            match bins {
                Bins::Bytes { sums, .. } => {
                    let sums = sums.sums(&in_blocks);
                    strongest(first, features, negative, |lane, bin| sums.of(lane, bin))
                }
                Bins::Words(bins) => {
                    let most = features.iter().map(Vec::len).max().unwrap_or(0);
                    let mut sums = vec![[0.0; LANES]; most + 1];
                    add_up(bins, potentials, &mut sums);
                    strongest(first, features, negative, |lane, bin| sums[bin][lane])
                }
            }
        };
        let of_groups: Vec<Option<Weak>> = self.groups.par_iter().enumerate().map(best_of_group).collect();
        of_groups.into_iter().flatten().fold(None, |best, weak| stronger(best, weak, negative))
    }

    /// How many documents have h = 0, and how many have h = 1.
    pub fn covers(&self, weak: &Weak) -> [u32; 2] {
        let (group, lane) = (weak.feature / LANES, weak.feature % LANES);
        let mut covers = [0; 2];
        let count = |_, is_above| covers[usize::from(is_above)] += 1;
        self.groups[group].are_above(lane, weak.number, 0..self.documents, count);
        covers
    }

    /// alpha h, as a function of the features of a document.
    pub fn change(&self, &(weak, alpha): &(Weak, f64)) -> impl Fn(&[f32]) -> f64 + use<> {
        let threshold = self.threshold(&weak);
        move |row| if row[weak.feature] > threshold { alpha } else { 0.0 }
    }

    /// Adds `alpha` h to the score of every document.
    pub fn add(&self, weak: &Weak, alpha: f64, scores: &mut [f64]) {
        let (group, lane) = (weak.feature / LANES, weak.feature % LANES);
        let add = |score: &mut f64, is_above| *score += if is_above { alpha } else { 0.0 };
        self.groups[group].are_above(lane, weak.number, scores.iter_mut(), add);
    }
}

/// RankLib's thresholds: max - j (max - min) / `most` for j = 1 to `most` - 1. (RankLib also has
/// max, which no document exceeds.) With `most` = 0, all middles between neighbouring values; if
/// there are more than [`MOST`], an even choice.
fn spread(values: impl Iterator<Item = f32>, most: usize) -> Vec<f32> {
    let mut values: Vec<f32> = values.filter(|value| !value.is_nan()).collect();
    values.sort_unstable_by(f32::total_cmp);
    values.dedup();
    let (Some(&min), Some(&max)) = (values.first(), values.last()) else { return Vec::new() };
    if most == 0 {
        let middles: Vec<f32> = values.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0).collect();
        let step = middles.len().div_ceil(MOST).max(1);
        return middles.into_iter().step_by(step).collect();
    }
    let (min, max) = (f64::from(min), f64::from(max));
    let mut thresholds: Vec<f32> =
        (1..most).rev().map(|j| (max - j as f64 * (max - min) / most as f64) as f32).collect();
    thresholds.dedup();
    thresholds.retain(|&threshold| f64::from(threshold) < max);
    thresholds
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::signal_in_order;

    impl Cuts {
        fn new(rows: &[&[f32]], width: usize, most: usize, spacing: Spacing) -> Self {
            Cuts::new_unless(rows, width, most, spacing, &FitContext::new(Seed::new(1))).unwrap()
        }
    }

    #[test]
    fn the_best_is_that_of_all_documents_and_thresholds() {
        let data = signal_in_order(9, 5);
        let rows: Vec<&[f32]> = data.queries().flat_map(|query| query.view().rows()).collect();
        let mut rng = Seed::new(6).rng();
        for (most, spacing) in [(0, Spacing::Quantiles), (4, Spacing::Quantiles), (10, Spacing::Widths)] {
            let cuts = Cuts::new(&rows, data.width(), most, spacing);
            for negative in [false, true] {
                let potentials: Vec<f64> = rows.iter().map(|row| rng.normal() - f64::from(row[2])).collect();
                let r = |feature: usize, threshold: f32| -> f64 {
                    let above = rows.iter().zip(&potentials).filter(|(row, _)| row[feature] > threshold);
                    above.map(|(_, potential)| potential).sum()
                };
                let mut greatest = f64::NEG_INFINITY;
                for (feature, thresholds) in cuts.thresholds.iter().enumerate() {
                    assert!(thresholds.is_sorted_by(|a, b| a < b));
                    for &threshold in thresholds {
                        let r = r(feature, threshold);
                        greatest = greatest.max(if negative { r.abs() } else { r });
                    }
                }
                let weak = cuts.best(&potentials, negative).unwrap();
                let direct = r(weak.feature, cuts.threshold(&weak));
                assert!((weak.r - direct).abs() < 1e-12, "{weak:?} {direct}");
                let strength = if negative { direct.abs() } else { direct };
                assert!((strength - greatest).abs() < 1e-12, "{weak:?} {greatest}");
                let mut scores = vec![1.0; rows.len()];
                cuts.add(&weak, 0.5, &mut scores);
                let above = scores.iter().filter(|&&score| score > 1.0).count() as u32;
                assert_eq!(cuts.covers(&weak), [rows.len() as u32 - above, above]);
                for (row, score) in rows.iter().zip(scores) {
                    assert_eq!(score, if row[weak.feature] > cuts.threshold(&weak) { 1.5 } else { 1.0 });
                }
            }
        }
    }

    #[test]
    fn thresholds_of_each_kind() {
        let values = [4.0f32, 0.0, 1.0, f32::NAN, 1.0, 10.0];
        let rows: Vec<&[f32]> = values.chunks(1).collect();
        let thresholds = |most, spacing| Cuts::new(&rows, 1, most, spacing).thresholds[0].clone();
        assert_eq!(thresholds(0, Spacing::Widths), [0.5, 2.5, 7.0]);
        assert_eq!(thresholds(3, Spacing::Quantiles), [0.5, 2.5, 7.0]);
        assert_eq!(thresholds(2, Spacing::Widths), [5.0]);
        assert_eq!(thresholds(5, Spacing::Widths), [2.0, 4.0, 6.0, 8.0]);
        let cuts = Cuts::new(&rows, 1, 0, Spacing::Widths);
        let Bins::Bytes { columns, .. } = &cuts.groups[0] else { panic!("three thresholds") };
        assert_eq!(columns, &[2, 0, 1, 0, 1, 3]);
    }

    /// 300 thresholds do not fit in bytes.
    #[test]
    fn many_thresholds_have_the_same_sums() {
        let values: Vec<f32> = (0..301).map(|place| (place * 8 % 301) as f32).collect();
        let rows: Vec<&[f32]> = values.chunks(1).collect();
        let cuts = Cuts::new(&rows, 1, 0, Spacing::Widths);
        assert!(matches!(cuts.groups[0], Bins::Words(_)));
        let potentials: Vec<f64> = values.iter().map(|&value| if value > 280.0 { 1.0 } else { -1.0 }).collect();
        let weak = cuts.best(&potentials, false).unwrap();
        assert_eq!((weak.r, cuts.threshold(&weak), cuts.covers(&weak)), (20.0, 280.5, [281, 20]));
        let mut scores = vec![0.0; rows.len()];
        cuts.add(&weak, 1.0, &mut scores);
        assert!(scores.iter().zip(&values).all(|(&score, &value)| (score > 0.5) == (value > 280.0)));
    }

    #[test]
    fn a_constant_feature_has_no_threshold() {
        let rows: [&[f32]; 2] = [&[3.0], &[3.0]];
        for (most, spacing) in [(0, Spacing::Widths), (10, Spacing::Widths), (10, Spacing::Quantiles)] {
            assert_eq!(Cuts::new(&rows, 1, most, spacing).best(&[1.0, -1.0], true), None);
        }
    }
}

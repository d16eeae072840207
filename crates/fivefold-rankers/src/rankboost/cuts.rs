//! Weak rankers "feature above threshold", and a search for the best weak ranker in one pass.
//!
//! The weak ranker h has the strength r(h) = sum_d pi(d) h(d), where pi(d) is the potential of
//! document d. For each feature, every document adds its potential to its bin. The sum of all bins
//! above a threshold is r of this threshold, so one walk from the highest bin down gives r of all
//! thresholds. Layout: the bins of eight features lie side by side, so one load brings eight bins,
//! and eight additions overlap. Cost: documents x features additions. Memory: a byte for each document
//! and feature, or two with more than 255 thresholds.

use fivefold_core::{FitContext, FitError};
use fivefold_trees::{Rows, Spacing};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::boosting::bins_of;

/// Features whose bins lie side by side.
const LANES: usize = 8;

/// The most thresholds of a feature, so that a bin is a `u16`.
const MOST: usize = u16::MAX as usize;

/// Bins of a group whose bins are bytes.
const BYTE_BINS: usize = 1 << u8::BITS;

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
    /// Rising thresholds of each feature.
    thresholds: Vec<Vec<f32>>,
    /// For each eight features: the number of thresholds below each document's values.
    groups: Vec<Bins>,
}

/// The bins of eight features, document by document.
enum Bins {
    /// No feature has more bins than a byte has values, so no bin has to be checked before its sum is
    /// looked up.
    Bytes(Vec<[u8; LANES]>),
    Words(Vec<[u16; LANES]>),
}

impl Bins {
    fn new(bins: Vec<[u16; LANES]>, most: usize) -> Self {
        match most < BYTE_BINS {
            true => Bins::Bytes(bins.iter().map(|bins| bins.map(|bin| bin as u8)).collect()),
            false => Bins::Words(bins),
        }
    }

    /// Tells `tell` for each document whether its bin of feature `lane` is above `number`.
    fn are_above(&self, lane: usize, number: usize, mut tell: impl FnMut(bool)) {
        match self {
            Bins::Bytes(bins) => bins.iter().for_each(|bins| tell(usize::from(bins[lane]) > number)),
            Bins::Words(bins) => bins.iter().for_each(|bins| tell(usize::from(bins[lane]) > number)),
        }
    }
}

/// Adds the potential of each document to its bins.
#[inline(always)] // so that the number of sums is known where it is constant
fn add_up<B: Copy + Into<usize>>(bins: &[[B; LANES]], potentials: &[f64], sums: &mut [[f64; LANES]]) {
    for (bins, potential) in bins.iter().zip(potentials) {
        for (lane, &bin) in bins.iter().enumerate() {
            sums[bin.into()][lane] += potential;
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
        drop(quantiles);
        let bin_group = |first: usize| -> Result<Bins, FitError> {
            cx.check()?;
            let bin = |row: &&[f32]| {
                let mut bins = [0; LANES];
                for ((bin, &value), cuts) in bins.iter_mut().zip(&row[first..]).zip(&thresholds[first..]) {
                    // A missing value is above no threshold.
                    *bin = cuts.partition_point(|&cut| cut < value) as u16;
                }
                bins
            };
            let most = thresholds[first..].iter().take(LANES).map(Vec::len).max().unwrap_or(0);
            Ok(Bins::new(rows.iter().map(bin).collect(), most))
        };
        let groups = (0..width).into_par_iter().step_by(LANES).map(bin_group).collect::<Result<_, FitError>>()?;
        Ok(Cuts { thresholds, groups })
    }

    /// The value of a weak ranker's threshold.
    pub fn threshold(&self, weak: &Weak) -> f32 {
        self.thresholds[weak.feature][weak.number]
    }

    /// The weak ranker with the greatest r, or with `negative` the greatest |r|; of equal rankers,
    /// the first. `None` if no feature has a threshold.
    pub fn best(&self, potentials: &[f64], negative: bool) -> Option<Weak> {
        let strength = |weak: &Weak| if negative { weak.r.abs() } else { weak.r };
        let better = |best: Option<Weak>, weak: Weak| match best {
            Some(best) if strength(&best) >= strength(&weak) => Some(best),
            _ => Some(weak),
        };
        let best_of_group = |(group, bins): (usize, &Bins)| {
            let first = group * LANES;
            let features = &self.thresholds[first..self.thresholds.len().min(first + LANES)];
            let most = features.iter().map(Vec::len).max().unwrap_or(0);
            let (mut few, mut many);
            let sums: &[[f64; LANES]] = match bins {
                Bins::Bytes(bins) => {
                    few = [[0.0; LANES]; BYTE_BINS];
                    add_up(bins, potentials, &mut few);
                    &few
                }
                Bins::Words(bins) => {
                    many = vec![[0.0; LANES]; most + 1];
                    add_up(bins, potentials, &mut many);
                    &many
                }
            };
            let mut best = None;
            for (lane, thresholds) in features.iter().enumerate() {
                let mut r = 0.0;
                for number in (0..thresholds.len()).rev() {
                    r += sums[number + 1][lane];
                    best = better(best, Weak { feature: first + lane, number, r });
                }
            }
            best
        };
        let of_groups: Vec<Option<Weak>> = self.groups.par_iter().enumerate().map(best_of_group).collect();
        of_groups.into_iter().flatten().fold(None, better)
    }

    /// How many documents have h = 0, and how many have h = 1.
    pub fn covers(&self, weak: &Weak) -> [u32; 2] {
        let (group, lane) = (weak.feature / LANES, weak.feature % LANES);
        let mut covers = [0; 2];
        self.groups[group].are_above(lane, weak.number, |is_above| covers[usize::from(is_above)] += 1);
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
        let mut scores = scores.iter_mut();
        let mut add = |is_above| {
            if let Some(score) = scores.next() {
                *score += if is_above { alpha } else { 0.0 };
            }
        };
        self.groups[group].are_above(lane, weak.number, &mut add);
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
        let Bins::Bytes(bins) = &cuts.groups[0] else { panic!("three thresholds") };
        assert_eq!(bins.iter().map(|bins| bins[0]).collect::<Vec<_>>(), [2, 0, 1, 0, 1, 3]);
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

//! Sakai's swap method: how large a difference on one half of the queries must be to hold on the
//! other half.
//!
//! In each trial the queries are split at random into two disjoint halves. If n is odd, one query
//! is left out. A pair of systems has a difference of means D1 on the first half and D2 on the
//! second half. The pair falls into a bin by |D1|, and is a swap if D2 has the other sign. The swap
//! rate of a bin is swaps / comparisons (Voorhees & Buckley, SIGIR 2002; Sakai, SIGIR 2006, sec.
//! 3.2).
//!
//! The difference needed is the lower end of a bin: the lowest bin for which it and all higher bins
//! with comparisons have a rate of at most 5 %. The sensitivity of the measure is the share of
//! comparisons with |D1| of at least the difference needed.
//!
//! - A pair with D1 = 0 is in the first bin and is never a swap; a pair with D2 = 0 is no swap
//!   either.
//! - Differences are exact up to the tolerance of `resample::fixed`. A difference within the
//!   tolerance counts as 0, and a difference on the edge of two bins falls into the upper bin.
//! - Sakai fixes 1,000 trials and 21 bins of .01, the last bin open. Here these numbers are the
//!   defaults.
//!
//! Cost: as the permutation test with two draws a trial.

use fivefold_base::Seed;

use crate::error::{StatsError, check_share};
use crate::family::{Comparison, Family};
use crate::resample::batches;
use crate::resample::fixed::Fixed;
use crate::resample::weighted::{Columns, Weights, weighted_sums};

/// How the swap method is run.
///
/// ```
/// use fivefold_stats::{Family, SwapOptions, swap_method};
///
/// let family = Family::of_pair(&[0.5, 0.75, 1.0, 0.5], &[0.25, 0.5, 0.75, 0.25])?;
/// let options = SwapOptions { trials: 10, bins: 4, width: 0.125, ..SwapOptions::default() };
/// let bins = &swap_method(&family, &options)?[0].bins;
/// // A difference of .25 is in the third of these bins, in every trial.
/// assert_eq!((bins.len(), bins[2].comparisons), (4, 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwapOptions {
    /// Number of random splits.
    pub trials: usize,
    /// Number of bins. The last bin has no upper end.
    pub bins: usize,
    /// Width of a bin, in units of the measure.
    pub width: f64,
    /// The highest swap rate that is allowed.
    pub rate: f64,
    /// Where the randomness comes from.
    pub seed: Seed,
}

impl Default for SwapOptions {
    /// Sakai's settings: 1,000 trials, 21 bins of .01, 5 %. The seed is 1.
    fn default() -> Self {
        SwapOptions { trials: 1_000, bins: 21, width: 0.01, rate: 0.05, seed: Seed::new(1) }
    }
}

/// One bin of differences.
///
/// ```
/// use fivefold_stats::{Family, SwapOptions, swap_method};
///
/// // The systems are best on one query each, so that each half contradicts the other.
/// let family = Family::of_pair(&[1.0, 0.0], &[0.0, 1.0])?;
/// let bins = &swap_method(&family, &SwapOptions { trials: 10, ..SwapOptions::default() })?[0].bins;
/// assert_eq!((bins[20].comparisons, bins[20].swaps, bins[20].rate()), (10, 10, Some(1.0)));
/// // No difference is as small as the first bin.
/// assert_eq!(bins[0].rate(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SwapBin {
    /// Lower end of the bin.
    pub from: f64,
    /// Number of comparisons (a pair in a trial) with |D1| in the bin.
    pub comparisons: usize,
    /// Number of comparisons that the second half contradicts.
    pub swaps: usize,
}

impl SwapBin {
    /// swaps / comparisons; `None` for an empty bin.
    pub fn rate(&self) -> Option<f64> {
        (self.comparisons > 0).then(|| self.swaps as f64 / self.comparisons as f64)
    }
}

/// The swap method's result for one group (a measure at a cutoff).
///
/// ```
/// use fivefold_stats::{Family, SwapOptions, swap_method};
///
/// // Each query has a difference of .25: no half contradicts another.
/// let family = Family::of_pair(&[0.5, 0.75, 1.0, 0.5], &[0.25, 0.5, 0.75, 0.25])?;
/// let curve = &swap_method(&family, &SwapOptions::default())?[0];
/// assert_eq!((curve.needed, curve.sensitivity), (Some(0.2), Some(1.0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SwapCurve {
    /// The bins, by increasing difference.
    pub bins: Vec<SwapBin>,
    /// The difference needed; `None` if no bin with comparisons reaches the rate.
    pub needed: Option<f64>,
    /// The share of comparisons with at least the difference needed; `None` if there is no such
    /// difference.
    pub sensitivity: Option<f64>,
}

/// Runs the swap method over a family. Returns one curve for each group; all groups share the
/// halves.
///
/// ```
/// use fivefold_stats::{Family, SwapOptions, swap_method};
///
/// // The two systems are best on one half of the queries each, so that some halves contradict each other.
/// let family = Family::of_pair(&[1.0, 1.0, 0.0, 0.0], &[0.0, 0.0, 1.0, 1.0])?;
/// let curve = &swap_method(&family, &SwapOptions::default())?[0];
/// let last = curve.bins[20];
/// assert_eq!((last.swaps, last.rate()), (last.comparisons, Some(1.0)));
/// assert!(curve.needed.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StatsError::TooFew`] for fewer than two queries; [`StatsError::OutOfRange`];
/// [`StatsError::TooMany`].
pub fn swap_method(family: &Family<'_>, options: &SwapOptions) -> Result<Vec<SwapCurve>, StatsError> {
    check_share("the swap rate", options.rate)?;
    let positive = |what, value: f64| {
        let ok = value > 0.0 && value.is_finite();
        if ok { Ok(()) } else { Err(StatsError::OutOfRange { what, value, range: "positive" }) }
    };
    positive("the width of a bin", options.width)?;
    positive("the number of bins", options.bins as f64)?;
    positive("the number of trials", options.trials as f64)?;
    let queries = family.queries();
    if queries < 2 {
        return Err(StatsError::TooFew { found: queries, needed: 2 });
    }
    let half = queries / 2;
    let fixed = Fixed::of(family)?;
    let tolerance = |comparison: &Comparison| fixed.tolerance(comparison.group, &family.moments(*comparison));
    let tolerances: Vec<i64> = family.comparisons().iter().map(tolerance).collect();
    let mut columns = Columns::new(queries);
    let numbers = fixed.push_systems(&mut columns);
    let empty = |bin: usize| SwapBin { from: bin as f64 * options.width, comparisons: 0, swaps: 0 };
    let mut bins: Vec<Vec<SwapBin>> = vec![(0..options.bins).map(empty).collect(); family.groups().len()];
    let seed = options.seed.derive("swap-method");
    let mut order: Vec<usize> = (0..queries).collect();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for batch in batches(options.trials) {
        // Draws 2 i and 2 i + 1 are the halves of trial i.
        let mut weights = Weights::<1>::new(2 * batch.len(), queries);
        for (row, trial) in batch.clone().enumerate() {
            let mut rng = seed.derive_index("trial", trial as u64).rng();
            order.iter_mut().enumerate().for_each(|(place, query)| *query = place);
            rng.shuffle(&mut order);
            weights.set_members(2 * row, &order[..half]);
            weights.set_members(2 * row + 1, &order[half..2 * half]);
        }
        let sums = weighted_sums(&columns, &weights);
        for row in 0..batch.len() {
            sums.of_draw(2 * row, &mut first);
            sums.of_draw(2 * row + 1, &mut second);
            for (&Comparison { group, first: a, second: b }, &tolerance) in family.comparisons().iter().zip(&tolerances)
            {
                let of = |sums: &[i64], system: usize| numbers[group][system].map_or(0, |column: usize| sums[column]);
                let [d1, d2] = [&first, &second].map(|sums| of(sums, a) - of(sums, b));
                let difference = (d1.abs() + tolerance) as f64 * fixed.units[group] / half as f64;
                let bin = ((difference / options.width) as usize).min(options.bins - 1);
                bins[group][bin].comparisons += 1;
                bins[group][bin].swaps += usize::from(d1.abs().min(d2.abs()) > tolerance && (d1 > 0) != (d2 > 0));
            }
        }
    }
    Ok(bins.into_iter().map(|bins| SwapCurve::of(bins, options.rate)).collect())
}

impl SwapCurve {
    fn of(bins: Vec<SwapBin>, rate: f64) -> SwapCurve {
        let good = |bin: &&SwapBin| bin.rate().is_none_or(|found| found <= rate);
        let run = bins.iter().rev().take_while(good).count();
        // Empty bins at the lower end give no evidence, so the lowest bin with comparisons counts.
        let lowest = bins[bins.len() - run..].iter().find(|bin| bin.comparisons > 0);
        let needed = lowest.map(|bin| bin.from);
        let total: usize = bins.iter().map(|bin| bin.comparisons).sum();
        let sensitivity = needed.map(|needed| {
            let enough = bins.iter().filter(|bin| bin.from >= needed);
            enough.map(|bin| bin.comparisons).sum::<usize>() as f64 / total as f64
        });
        SwapCurve { bins, needed, sensitivity }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The method by its definition, on the same halves.
    #[test]
    fn is_the_definition_on_the_same_halves() {
        let made = |s: usize| (0..33).map(|q| ((q * (7 + s) + s * s) % 13) as f64 / 13.0).collect::<Vec<f64>>();
        let systems: Vec<Vec<f64>> = (0..4).map(made).collect();
        let slices: Vec<&[f64]> = systems.iter().map(Vec::as_slice).collect();
        let options = SwapOptions { trials: 50, ..SwapOptions::default() };
        let curve = &swap_method(&Family::of_systems(&slices).unwrap(), &options).unwrap()[0];
        let mut expected = vec![(0, 0); 21];
        for trial in 0..50 {
            let mut order: Vec<usize> = (0..33).collect();
            options.seed.derive("swap-method").derive_index("trial", trial).rng().shuffle(&mut order);
            let mean = |system: &[f64], queries: &[usize]| queries.iter().map(|&q| system[q]).sum::<f64>() / 16.0;
            for a in 0..4 {
                for b in a + 1..4 {
                    let d = |queries| mean(slices[a], queries) - mean(slices[b], queries);
                    let (d1, d2) = (d(&order[..16]), d(&order[16..32]));
                    let bin = ((d1.abs() + 1e-12) / 0.01) as usize;
                    let bin = &mut expected[bin.min(20)];
                    bin.0 += 1;
                    bin.1 += usize::from(d1.abs() > 1e-9 && d2.abs() > 1e-9 && d1 * d2 < 0.0);
                }
            }
        }
        let found: Vec<(usize, usize)> = curve.bins.iter().map(|bin| (bin.comparisons, bin.swaps)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_difference_needed_is_read_off_the_curve() {
        let bin = |from, comparisons, swaps| SwapBin { from, comparisons, swaps };
        let curve = |bins| SwapCurve::of(bins, 0.05);
        let read = curve(vec![bin(0.0, 100, 30), bin(0.1, 50, 2), bin(0.2, 50, 3), bin(0.3, 0, 0), bin(0.4, 100, 5)]);
        assert_eq!((read.needed, read.sensitivity), (Some(0.4), Some(100.0 / 300.0)));
        let all = curve(vec![bin(0.0, 100, 1), bin(0.1, 0, 0)]);
        assert_eq!((all.needed, all.sensitivity), (Some(0.0), Some(1.0)));
        let none = curve(vec![bin(0.0, 100, 30), bin(0.1, 0, 0)]);
        assert_eq!((none.needed, none.sensitivity), (None, None));
    }

    #[test]
    fn identical_systems_never_swap_and_bad_options_are_refused() {
        let family = Family::of_systems(&[&[0.5, 0.25, 1.0], &[0.5, 0.25, 1.0]]).unwrap();
        let curve = &swap_method(&family, &SwapOptions::default()).unwrap()[0];
        assert_eq!((curve.bins[0].comparisons, curve.bins[0].swaps), (1_000, 0));
        for options in [
            SwapOptions { width: 0.0, ..SwapOptions::default() },
            SwapOptions { bins: 0, ..SwapOptions::default() },
            SwapOptions { trials: 0, ..SwapOptions::default() },
            SwapOptions { rate: 5.0, ..SwapOptions::default() },
        ] {
            assert!(swap_method(&family, &options).is_err());
        }
        assert!(swap_method(&Family::of_pair(&[1.0], &[0.0]).unwrap(), &SwapOptions::default()).is_err());
    }
}

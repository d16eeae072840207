//! The comparisons under one measure at all its cutoffs: all pairs of systems, or one system with
//! every other system.
//!
//! A correction is over all comparisons under one measure: pairs x cutoffs. Cost: the test
//! (`fivefold book reference/statistics`) and the swap method.

use fivefold_core::Seed;
use fivefold_stats::{
    Family, Moments, Pad, SwapCurve, SwapOptions, TestRun, discriminative_power, pad, queries_needed, swap_method,
};

use super::Compare;
use super::scores::{ScoredMeasure, Scores};
use crate::study::StudyError;

/// The results under one measure.
#[derive(Debug, Clone)]
pub struct Found {
    /// The tests.
    pub tested: Tested,
    /// The curve of the swap method for each column.
    pub swaps: Vec<SwapCurve>,
    /// The queries that differences need, for each column.
    pub needed: Vec<QueriesNeeded>,
}

/// The results of the tests under one measure.
#[derive(Debug, Clone)]
pub struct Tested {
    /// The tests, column by column.
    pub run: TestRun,
    /// p-values after the correction.
    pub p_values: Vec<Option<f64>>,
    /// Number of comparisons with a p-value below alpha.
    pub power: usize,
    /// Percentage absolute difference of the systems' scores.
    pub pad: Pad,
}

/// The number of queries that differences need in a column.
#[derive(Debug, Clone)]
pub struct QueriesNeeded {
    /// Median over comparisons of the standard deviation of differences.
    pub median: f64,
    /// The largest of these standard deviations.
    pub largest: f64,
    /// Number of queries for each difference in the settings, at the median deviation; `None` for
    /// more than 2^30.
    pub queries: Vec<Option<usize>>,
}

/// The family of a measure's comparisons.
pub(super) fn family<'a>(scores: &Scores, measure: &'a ScoredMeasure) -> Result<Family<'a>, StudyError> {
    let groups = measure.columns.iter().map(|column| column.values.iter().map(Vec::as_slice).collect()).collect();
    let family = Family::of_groups(groups)?;
    match scores.baseline {
        Some(baseline) => Ok(family.against(baseline)?),
        None => Ok(family),
    }
}

/// Compares the systems under one measure.
///
/// # Errors
/// An unknown test or correction, or a test that cannot be done.
pub fn compare(study: &Compare, scores: &Scores, measure: &ScoredMeasure, seed: Seed) -> Result<Found, StudyError> {
    let family = family(scores, measure)?;
    let swaps = SwapOptions { trials: study.trials, seed: seed.derive("halves"), ..SwapOptions::default() };
    Ok(Found {
        tested: tested(study, measure, &family, seed)?,
        swaps: swap_method(&family, &swaps)?,
        needed: (0..measure.columns.len()).map(|column| needed(study, &family, column)).collect::<Result<_, _>>()?,
    })
}

/// The tests of every measure.
///
/// # Errors
/// As [`compare`].
pub fn test_all(study: &Compare, scores: &Scores, seed: Seed) -> Result<Vec<Tested>, StudyError> {
    scores.measures.iter().map(|measure| tested(study, measure, &family(scores, measure)?, seed)).collect()
}

fn tested(study: &Compare, measure: &ScoredMeasure, family: &Family<'_>, seed: Seed) -> Result<Tested, StudyError> {
    // All measures get the same draws, so that they differ by their values alone.
    let (run, p_values) = study.difference_test()?.run(family, seed.derive("test"))?;
    Ok(Tested {
        power: discriminative_power(&p_values, study.alpha),
        pad: pad(&measure.means(), study.pad.denominator())?,
        run,
        p_values,
    })
}

fn needed(study: &Compare, family: &Family<'_>, column: usize) -> Result<QueriesNeeded, StudyError> {
    let own = family.comparisons().iter().filter(|comparison| comparison.group == column);
    let mut deviations: Vec<f64> = own.filter_map(|comparison| deviation(&family.moments(*comparison))).collect();
    deviations.sort_unstable_by(f64::total_cmp);
    let (median, largest) = match deviations.as_slice() {
        [] => (0.0, 0.0),
        all => (all[all.len() / 2], all[all.len() - 1]),
    };
    let of = |&difference: &f64| match median > 0.0 {
        true => Ok(queries_needed(difference, median, study.alpha, study.power)?),
        // Without a spread, two queries are enough to show any difference.
        false => Ok(Some(2)),
    };
    let queries = study.differences.iter().map(of).collect::<Result<_, StudyError>>()?;
    Ok(QueriesNeeded { median, largest, queries })
}

/// The sample standard deviation.
pub(super) fn deviation(moments: &Moments) -> Option<f64> {
    moments.variance().map(f64::sqrt)
}

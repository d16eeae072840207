//! Comparisons of every pair of methods on all queries of a data set. The means and tests are the
//! same as in the paper's tables. Pages, letters of significance and heat maps show these
//! comparisons.

use fivefold_base::Seed;
use fivefold_metrics::{Mean, Version, settle};
use fivefold_stats::{self as stats, Friedman, Moments, StatsError, friedman};

use super::TablesError;
use super::analysis::{Analysis, live};
use super::family::ColumnFamily;
use super::means::gather;
use super::query_set::QuerySet;
use crate::compared::{Compared, PairedDifference, SystemMean, main_cutoff};
use crate::difference_test::{DifferenceTest, HowFound};
use crate::evaluation::DatasetValues;

/// Confidence of the intervals of means.
pub const CONFIDENCE: f64 = 0.95;

/// One version of a measure on one data set, over all its queries.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodComparison {
    /// Index of the data set in the evaluation.
    pub dataset: usize,
    /// Whether the version is a UE version, V1 or V2.
    pub normalised: bool,
    /// The column of each cutoff in the evaluation.
    pub columns: Vec<usize>,
    /// The methods that did not fail, as indices of the evaluation's rankers. Their means and
    /// p-values are over queries; the intervals have the confidence [`CONFIDENCE`] (Student's t).
    pub compared: Compared,
    /// How the p-values were found; empty for the paper's t-tests.
    pub how_found: HowFound,
    /// Average ranks of the methods at the main cutoff, with Friedman's test. The ranks are over
    /// the queries on which all methods have a value. `None` for fewer than two methods or such
    /// queries.
    pub ranks: Option<Friedman>,
}

/// The comparisons of every data set and version.
///
/// # Errors
/// [`TablesError`]: values that cannot be tested.
pub(super) fn of_family(
    analysis: &Analysis<'_>,
    difference: &DifferenceTest,
) -> Result<Vec<MethodComparison>, TablesError> {
    let mut comparisons = Vec::new();
    for (dataset, data) in analysis.datasets() {
        for version in 0..analysis.family.versions.len() {
            comparisons.extend(compare(analysis, difference, dataset, data, version)?);
        }
    }
    Ok(comparisons)
}

fn compare(
    analysis: &Analysis<'_>,
    difference: &DifferenceTest,
    dataset: usize,
    data: &DatasetValues,
    version: usize,
) -> Result<Option<MethodComparison>, TablesError> {
    let ColumnFamily { name, cutoffs, versions, .. } = analysis.family;
    let broken = |problem: String| TablesError::Shape { dataset: data.name.clone(), problem };
    let methods: Vec<usize> = live(data).collect();
    if methods.is_empty() || cutoffs.is_empty() {
        return Ok(None);
    }
    let columns = &versions[version].columns;
    let values = analysis.set(dataset, QuerySet::All).map_err(broken)?;
    let heads = analysis.family.cutoff_heads();
    let policy = analysis.options.conventions.undefined;
    let main = main_cutoff(&heads);
    // `[method][cutoff][query]`
    let mut all: Vec<Vec<Vec<Option<f64>>>> = Vec::with_capacity(methods.len());
    let mut means = Vec::with_capacity(methods.len());
    for &method in &methods {
        let gathered = gather(data, analysis.evaluation.measures.len(), &values.selection, method, columns);
        let settled = gathered.iter().map(|of_cutoff| of_cutoff.iter().map(|&value| settle(value, policy)).collect());
        let settled: Vec<Vec<Option<f64>>> = settled.collect();
        let pairs = values.means[version][method].iter().zip(&settled);
        let mean = |(mean, values): (&Mean, &Vec<Option<f64>>)| SystemMean {
            mean: Some(mean.value).filter(|value| !value.is_nan()),
            ends: SystemMean::of(&values.iter().flatten().copied().collect::<Vec<_>>(), CONFIDENCE).ends,
        };
        means.push(pairs.map(mean).collect());
        all.push(settled);
    }
    let at_main: Vec<&[Option<f64>]> = all.iter().map(|of_method| of_method[main].as_slice()).collect();
    let ranks = ranks(&at_main);
    let mut how_found = HowFound::default();
    let mut compared = Compared::untested(name.clone(), versions[version].name.clone(), heads, methods, means);
    match compared.systems.len() {
        ..2 => {}
        // The p-values of the paper's tables are for the same queries, so they are used again.
        _ if difference.test.of_the_paper => {
            let uncorrected = analysis.tests(dataset, QuerySet::All, version).map_err(broken)?;
            let corrected = difference.correction.adjust_p_values(uncorrected);
            let corrected = corrected.map_err(|error| broken(error.to_string()))?;
            compared.p_values = corrected.chunks(columns.len()).map(<[_]>::to_vec).collect();
            let raw: Vec<Option<f64>> = uncorrected.iter().skip(main).step_by(columns.len()).copied().collect();
            compared.differences = differences(difference, &compared, &raw, &at_main);
        }
        _ => test(&all, difference, analysis.options.seed.derive("letters"), &mut compared, &mut how_found)
            .map_err(|error| broken(error.to_string()))?,
    }
    Ok(Some(MethodComparison {
        dataset,
        normalised: versions[version].version != Version::Original,
        columns: columns.clone(),
        how_found,
        ranks,
        compared,
    }))
}

/// The paired differences at the main cutoff, with Student's intervals; `raw[pair]` are the
/// p-values before the correction.
fn differences(
    difference: &DifferenceTest,
    compared: &Compared,
    raw: &[Option<f64>],
    at_main: &[&[Option<f64>]],
) -> Vec<Option<PairedDifference>> {
    let (main, tested) = (compared.main_cutoff(), compared.tested());
    // Mostly every query has a value, and then nothing is copied for each pair.
    let whole: Vec<Option<Vec<f64>>> = at_main.iter().map(|of| of.iter().copied().collect()).collect();
    let moments = |a: usize, b: usize| match (&whole[a], &whole[b]) {
        (Some(first), Some(second)) => Moments::of_differences(first, second),
        _ => {
            let both = complete(&[at_main[a], at_main[b]]);
            Moments::of_differences(&both[0], &both[1])
        }
    };
    let of_pair = |a: usize, b: usize| {
        let (p, corrected) = (raw[compared.pair(a, b)?]?, compared.p(a, b, main)?);
        let moments = moments(a, b);
        let interval = difference.student(&moments, p, corrected, tested);
        Some(PairedDifference { mean: moments.mean, ends: interval.map(|found| (found.low, found.high)) })
    };
    let systems = at_main.len();
    (0..systems).flat_map(|a| (a + 1..systems).map(move |b| of_pair(a, b))).collect()
}

/// Tests `[method][cutoff][query]` over the queries on which all methods have a value at all
/// cutoffs. All comparisons share the draws.
fn test(
    all: &[Vec<Vec<Option<f64>>>],
    difference: &DifferenceTest,
    seed: Seed,
    compared: &mut Compared,
    how_found: &mut HowFound,
) -> Result<(), StatsError> {
    let cutoffs = all[0].len();
    let columns: Vec<&[Option<f64>]> = all.iter().flatten().map(Vec::as_slice).collect();
    let kept = complete(&columns);
    if kept[0].is_empty() {
        return Ok(());
    }
    let group = |cutoff: usize| (0..all.len()).map(|method| kept[method * cutoffs + cutoff].as_slice()).collect();
    let family = stats::Family::of_groups((0..cutoffs).map(group).collect())?;
    let (run, p_values) = difference.run(&family, seed)?;
    how_found.add(&run);
    compared.put(difference, &run, &p_values);
    Ok(())
}

/// Friedman's test over the queries (`[method][query]`) on which every method has a value.
fn ranks(values: &[&[Option<f64>]]) -> Option<Friedman> {
    let kept = complete(values);
    friedman(&kept.iter().map(Vec::as_slice).collect::<Vec<_>>()).ok()
}

/// Each column without the queries on which any column has no value.
fn complete(columns: &[&[Option<f64>]]) -> Vec<Vec<f64>> {
    let queries = columns.first().map_or(0, |column| column.len());
    let complete: Vec<usize> = (0..queries).filter(|&query| columns.iter().all(|of| of[query].is_some())).collect();
    columns.iter().map(|of| complete.iter().filter_map(|&query| of[query]).collect()).collect()
}

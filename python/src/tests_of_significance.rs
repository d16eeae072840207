//! Tests of significance between systems.

use fivefold_core::Seed;
use fivefold_stats::{Family, TestOptions, correction, test};
use pyo3::prelude::*;

use crate::errors::{config, data};
use crate::work::in_threads;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(compare, module)?)
}

/// First and second system, queries, difference, statistic, p, adjusted p, effect, interval (lower and
/// upper end), how p was found. What does not exist is `None`.
type Row =
    (usize, usize, usize, f64, Option<f64>, Option<f64>, Option<f64>, Option<f64>, Option<(f64, f64)>, Option<String>);

/// Compares systems by their values on the same queries: all pairs, or each with a baseline.
#[pyfunction]
#[pyo3(signature = (values, baseline, test_name, correction_name, draws, confidence, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "the Python package names them")]
fn compare(
    py: Python<'_>,
    values: Vec<Vec<f64>>,
    baseline: Option<usize>,
    test_name: &str,
    correction_name: &str,
    draws: usize,
    confidence: f64,
    seed: u64,
    threads: usize,
) -> PyResult<Vec<Row>> {
    let (test, correction) = (test(test_name).map_err(config)?, correction(correction_name).map_err(config)?);
    let options = TestOptions { draws, seed: Seed::new(seed), confidence };
    let done = in_threads(py, threads, |_| {
        let systems: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let mut family = Family::of_systems(&systems)?;
        if let Some(baseline) = baseline {
            family = family.against(baseline)?;
        }
        let run = test.run(&family, &options)?;
        let adjusted = correction.adjust(&run)?;
        Ok::<_, fivefold_stats::StatsError>((run, adjusted))
    })?;
    let (run, adjusted) = done.map_err(data)?;
    let rows = run.outcomes.iter().zip(adjusted).map(|(outcome, adjusted)| {
        let found = outcome.test.as_ref().ok();
        (
            outcome.comparison.first,
            outcome.comparison.second,
            outcome.queries,
            outcome.difference,
            found.map(|found| found.statistic),
            found.map(|found| found.p),
            adjusted,
            outcome.effect.as_ref().ok().copied(),
            outcome.interval.as_ref().ok().map(|interval| (interval.low, interval.high)),
            found.map(|found| found.method.to_string()),
        )
    });
    Ok(rows.collect())
}

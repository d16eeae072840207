//! The tests of one table: all pairs of systems at all cutoffs.

use std::path::Path;

use fivefold_stats::{Family, TestOptions, test};
use serde_json::{Value, json};

use crate::Result;
use crate::clock::{floats, often};

/// Number of cutoffs in the file of values, whose order is by system, then cutoff, then query.
const CUTOFFS: usize = 5;

/// Runs the test `name` and returns its p-values, for each cutoff and each pair of systems.
pub fn measure(name: &str, values: &Path, systems: usize, draws: usize) -> Result<Value> {
    let values = floats(values)?;
    let queries = values.len() / (systems * CUTOFFS);
    let columns: Vec<&[f64]> = values.chunks(queries).collect();
    let of_cutoff = |cutoff| columns.iter().skip(cutoff).step_by(CUTOFFS).copied().collect();
    let options = TestOptions { draws, ..TestOptions::default() };
    let mut outcomes = Vec::new();
    let (wall, cpu) = often(|| {
        outcomes = test(name)?.run(&Family::of_groups((0..CUTOFFS).map(of_cutoff).collect())?, &options)?.outcomes;
        Ok(())
    })?;
    let p: std::result::Result<Vec<f64>, _> =
        outcomes.into_iter().map(|outcome| outcome.test.map(|found| found.p)).collect();
    Ok(json!({"wall": wall, "cpu": cpu, "queries": queries, "p": p.map_err(|reason| reason.to_string())?}))
}

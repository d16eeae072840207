//! The tests of one table: all pairs of systems at all cutoffs.

use std::path::Path;

use fivefold_stats::paired_t_test;
use serde_json::{Value, json};

use crate::Result;
use crate::clock::{Clock, floats};

/// Queries of the file of values: systems, then cutoffs, then queries.
const CUTOFFS: usize = 5;

pub fn measure(test: &str, values: &Path, systems: usize, _draws: usize) -> Result<Value> {
    let values = floats(values)?;
    let queries = values.len() / (systems * CUTOFFS);
    let columns: Vec<&[f64]> = values.chunks(queries).collect();
    let clock = Clock::start()?;
    let mut p = Vec::new();
    for cutoff in 0..CUTOFFS {
        let of_cutoff: Vec<&[f64]> = columns.iter().skip(cutoff).step_by(CUTOFFS).copied().collect();
        match test {
            "t" => {
                for (first, a) in of_cutoff.iter().enumerate() {
                    for b in &of_cutoff[first + 1..] {
                        p.push(paired_t_test(a, b)?.p);
                    }
                }
            }
            _ => return Err("no such test".into()),
        }
    }
    let (wall, cpu) = clock.stop()?;
    Ok(json!({"wall": wall, "cpu": cpu, "p": p, "queries": queries}))
}

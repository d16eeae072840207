//! Measures how long a test takes over a whole table: 140 comparisons (8 systems x 5 cutoffs) of
//! 10,000 made queries, with 1,000 draws.
//!
//! `cargo run --release -p fivefold-stats --example statistics_speed -- TEST
//! [REPEATS]` prints the shortest time of the repeats. `tools/statistics_compare.py` runs it beside
//! scipy and takes the CPU time of the process.

use std::error::Error;
use std::time::Instant;

use fivefold_base::Seed;
use fivefold_stats::{Family, TestOptions, test};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "t".to_owned());
    let repeats: usize = arguments.next().map_or(Ok(5), |repeats| repeats.parse())?;
    let (systems, cutoffs, queries) = (8, 5, 10_000);
    let values: Vec<Vec<Vec<f64>>> =
        (0..cutoffs).map(|cutoff| (0..systems).map(|system| made(cutoff, system, queries)).collect()).collect();
    let groups = values.iter().map(|group| group.iter().map(Vec::as_slice).collect()).collect();
    let family = Family::of_groups(groups)?;
    let test = test(&name)?;
    let mut least = f64::INFINITY;
    let mut significant = 0;
    for _ in 0..repeats {
        let start = Instant::now();
        let run = test.run(&family, &TestOptions::default())?;
        least = least.min(start.elapsed().as_secs_f64());
        significant = run.p_values().iter().flatten().filter(|&&p| p < 0.05).count();
    }
    let comparisons = family.comparisons().len();
    println!(
        "{name}: {comparisons} comparisons of {queries} queries in {:.1} ms, {significant} significant",
        least * 1e3
    );
    Ok(())
}

/// Values in [0, 1] of a system that is a little better than the system before it. A query is easy
/// or hard for all systems.
fn made(cutoff: u64, system: u64, queries: usize) -> Vec<f64> {
    let mut easy = Seed::new(cutoff).rng();
    let mut own = Seed::new(1_000 + 10 * cutoff + system).rng();
    let gain = 0.002 * system as f64;
    (0..queries).map(|_| (easy.uniform() + 0.1 * own.normal() + gain).clamp(0.0, 1.0)).collect()
}

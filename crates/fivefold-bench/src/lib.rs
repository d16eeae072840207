//! What the benches are run on: synthetic collections of MSLR-WEB30K's shape.
//!
//! `cargo bench -p fivefold-bench` runs them; `cargo bench -p fivefold-bench -- evaluate` one of them.

use fivefold_core::{Dataset, Seed};
use fivefold_data::synthetic;

/// A synthetic collection of MSLR-WEB30K's shape (136 features, about 119 documents a query).
///
/// # Panics
/// If the shape is no longer there.
pub fn mslr(queries: usize) -> Dataset {
    let made = synthetic::shape("mslr-web30k").and_then(|shape| synthetic::make(shape, queries, Seed::new(1)));
    made.unwrap_or_else(|error| panic!("{error}"))
}

/// Scores that order documents better than chance, without ties: one for each document, in order.
pub fn scores(data: &Dataset, seed: u64) -> Vec<f64> {
    let mut rng = Seed::new(seed).rng();
    let grades = data.queries().flat_map(|query| query.grades().iter().copied());
    grades.map(|grade| 0.2 * f64::from(grade) + rng.uniform()).collect()
}

/// A pool of one thread, so that a bench measures work and not the machine's processors.
///
/// # Errors
/// If the thread cannot be started.
pub fn one_thread() -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new().num_threads(1).build()
}

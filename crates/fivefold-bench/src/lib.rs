//! Synthetic collections with the shape of MSLR-WEB30K, for the benches.
//!
//! `cargo bench -p fivefold-bench --features criterion` runs all benches; with `-- evaluate` behind
//! it, the bench `evaluate`.

use fivefold_core::{Dataset, Seed};
use fivefold_data::synthetic;

/// A synthetic collection with the shape of MSLR-WEB30K (136 features, about 119 documents a
/// query).
///
/// # Panics
/// If the shape `mslr-web30k` does not exist.
pub fn mslr(queries: usize) -> Dataset {
    let made = synthetic::shape("mslr-web30k").and_then(|shape| synthetic::make(shape, queries, Seed::new(1)));
    made.unwrap_or_else(|error| panic!("{error}"))
}

/// A score for each document of `data`, in order. The scores rank better than chance, and do not
/// tie.
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

//! What is asked of every reader, whatever bytes it is given: no panic, no hang, bounded memory, and the properties that each
//! module names (a slow second reader agrees, printing and reading again changes nothing, threads and blocks do not matter).
//!
//! A [`Target`] is one function over bytes. `fuzz/` (a workspace of its own, for `cargo fuzz`) feeds it made-up bytes; the test
//! `tests/replay.rs` feeds it the kept corpus and every input that once failed. A property that does not hold panics.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc)] // a panic is how a target fails

mod cache;
mod exchange;
mod files;
mod groups;
mod letor;
mod measure;
mod model;
mod packed;
mod per_query;
mod scores;
mod toml;
mod trec;

/// One function over bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, that of its folder in the corpus.
    pub name: &'static str,
    /// Fails by a panic.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "letor", run: letor::run },
    Target { name: "groups", run: groups::run },
    Target { name: "scores", run: scores::run },
    Target { name: "packed", run: packed::run },
    Target { name: "cache", run: cache::run },
    Target { name: "qrels", run: trec::qrels },
    Target { name: "run", run: trec::run },
    Target { name: "qrels_and_run", run: trec::joined },
    Target { name: "per_query", run: per_query::run },
    Target { name: "experiment", run: toml::experiment },
    Target { name: "study", run: toml::study },
    Target { name: "published", run: toml::published },
    Target { name: "descriptor", run: toml::descriptor },
    Target { name: "measure", run: measure::run },
    Target { name: "model", run: model::run },
    Target { name: "ranklib", run: exchange::ranklib },
    Target { name: "lightgbm", run: exchange::lightgbm },
];

/// Runs the target of this name.
///
/// # Panics
/// If there is none, or its property does not hold.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("no target `{name}`"));
    (target.run)(bytes);
}

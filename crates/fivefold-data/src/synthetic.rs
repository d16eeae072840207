//! Synthetic collections: seeded queries and documents with the published statistics of well-known
//! collections.
//!
//! Synthetic collections are the data of the quick start and of benchmarks. Such collections need
//! no files, and grow to any size. Every query is made from its own seed, hash(seed, shape,
//! number). So a larger collection begins with the queries of a smaller collection, and the result
//! does not depend on the number of threads.
//!
//! A document has hidden properties: how well each of its text streams matches, authority, length,
//! spam, and others. Its true utility is a function of these properties, with interactions,
//! thresholds and an optimum in the middle (`synthetic/signal.rs`). Judges see the utility with
//! noise, and with more noise in hard queries than in easy queries. In uninformative queries,
//! judges see noise only. In each query, the documents that the judges rate best get the highest
//! grades; the shape's published shares give the number of documents of each grade. Features
//! observe the hidden properties with noise, on the scales of the real features
//! (`synthetic/features.rs`); some features observe nothing.
//!
//! So rankers differ as on real collections: a ranker that can model interactions beats a linear
//! ranker, which beats the best single feature, which beats a random order. Absolute values of
//! measures mean nothing.
//!
//! Statistics: MQ2007 by its own files and LETOR 4.0 (Qin & Liu 2013, arXiv 1306.2597); MSLR-WEB30K
//! by its project page. Cost: linear in documents x features, in parallel.

mod features;
mod signal;

use std::sync::Arc;

use fivefold_base::words::nearest;
use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, DatasetError, Grades, Rng, Seed};
use rayon::prelude::*;

use crate::error::DataError;
use crate::memory::{self, Counted, Share};
use features::Group;
use signal::QueryPlan;

/// The properties of a synthetic collection.
pub struct Shape {
    /// The name, as written after `shape =`.
    pub name: &'static str,
    /// The collection that the shape imitates.
    pub summary: &'static str,
    /// Share of each grade, from 0, over all documents.
    pub grades: &'static [f64],
    /// Mean number of documents a query.
    pub documents: f64,
    /// Share of queries without a relevant document.
    pub barren: f64,
    /// Share of queries in which at least half of the documents have grade 2 or higher.
    pub broad: f64,
    /// Whether features are scaled to [0, 1] within each query, as in LETOR 4.0.
    pub scaled: bool,
    /// Whether documents have ids.
    pub doc_ids: bool,
    /// Number of documents of one query.
    length: fn(&mut Rng) -> usize,
    /// Families of features, in order.
    groups: &'static [Group],
}

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape {
        name: "mq2007",
        summary: "made after LETOR 4.0 MQ2007: 46 features in [0, 1], grades 0-2, 41 documents a query",
        grades: &[0.74, 0.20, 0.06],
        documents: 41.0,
        barren: 0.14,
        broad: 0.02,
        scaled: true,
        doc_ids: true,
        // Most queries of MQ2007 have exactly 40 documents, the others from 6 to 147.
        length: |rng| if rng.uniform() < 0.8 { 40 } else { 6 + rng.index(80) },
        groups: features::MQ2007,
    },
    Shape {
        name: "mslr-web30k",
        summary: "made after MSLR-WEB30K: 136 features of mixed scales, grades 0-4, 119 documents a query",
        grades: &[0.52, 0.32, 0.13, 0.02, 0.01],
        documents: 119.0,
        barren: 0.03,
        broad: 0.02,
        scaled: false,
        doc_ids: false,
        // Log-normal with mean 119: exp(4.599 + .6^2 / 2).
        length: |rng| (libm::exp(4.599 + 0.6 * rng.normal()).round() as usize).clamp(2, 1251),
        groups: features::MSLR,
    },
];

/// The shape with this name.
///
/// # Errors
/// [`DataError::Source`] for an unknown name. The message names the nearest known name.
pub fn shape(name: &str) -> Result<&'static Shape, DataError> {
    let names = || SHAPES.iter().map(|shape| shape.name);
    SHAPES.iter().find(|shape| shape.name == name).ok_or_else(|| {
        let help = match nearest(name, names()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("shapes: {}", names().collect::<Vec<_>>().join(", ")),
        };
        DataError::Source(format!("unknown shape \"{name}\" of a synthetic collection; {help}"))
    })
}

impl Shape {
    /// Features a document.
    pub fn features(&self) -> usize {
        self.groups.iter().map(Group::len).sum()
    }

    /// The highest grade.
    pub fn max_grade(&self) -> u8 {
        (self.grades.len() - 1) as u8
    }
}

/// The most queries that are made: hundreds of times as many as in any real collection, and more
/// than memory holds.
const MOST_QUERIES: usize = 10_000_000;

/// Makes a collection of `queries` queries.
///
/// # Errors
/// [`DataError::Source`] for more than ten million queries, or for more data than the memory for
/// data holds.
pub fn make(shape: &Shape, queries: usize, seed: Seed) -> Result<Dataset, DataError> {
    if queries > MOST_QUERIES {
        return Err(DataError::Source(format!(
            "{queries} queries are too many to make; ask for {MOST_QUERIES} at most"
        )));
    }
    let width = shape.features();
    let mut share = Share::default();
    // Check the memory before anything is drawn. The mean number of documents is exact enough for
    // this check.
    check_room((queries as f64 * shape.documents) as usize, width, &share)?;
    let seed = seed.derive(shape.name);
    let plans: Vec<QueryPlan> = (0..queries as u64)
        .into_par_iter()
        .map(|number| QueryPlan::draw(shape, seed.derive_index("query", number)))
        .collect();
    let mut query_ids = IdTable::default();
    let mut doc_ids = IdTable::default();
    let mut bounds = vec![0];
    for (number, plan) in (1..).zip(&plans) {
        query_ids.push(&format!("{number}"));
        bounds.push(bounds[bounds.len() - 1] + plan.documents);
        if shape.doc_ids {
            (1..=plan.documents).for_each(|document| doc_ids.push(&format!("M{number}-{document}")));
        }
    }
    let documents = bounds[queries];
    check_room(documents, width, &share)?;
    share.set(memory::bytes(documents, width));
    let mut grades = vec![0; documents];
    let mut features = memory::zeros(documents, width).map_err(|bytes| no_room(bytes, "the system has not so much"))?;
    let (mut grades_left, mut features_left) = (grades.as_mut_slice(), features.as_mut_slice());
    let mut work = Vec::with_capacity(queries);
    for plan in plans {
        let (of_grades, rest) = grades_left.split_at_mut(plan.documents);
        grades_left = rest;
        let (of_features, rest) = features_left.split_at_mut(plan.documents * width);
        features_left = rest;
        work.push((plan, of_grades, of_features));
    }
    work.into_par_iter().for_each(|(mut plan, grades, features)| {
        let documents = plan.documents(shape, grades);
        features::observe(shape, &mut plan, &documents, features);
    });
    let grades = Grades::new(grades, Some(shape.max_grade())).map_err(DatasetError::from)?;
    let features = Arc::new(Counted::new(features, share));
    Ok(DatasetBuilder { features, width, grades, bounds, query_ids, doc_ids }.build()?)
}

fn check_room(documents: usize, width: usize, share: &Share) -> Result<(), DataError> {
    let (bytes, most) = (memory::bytes(documents, width), share.most());
    let too_much = || no_room(bytes, &format!("{} MiB of the memory for data are left", most >> 20));
    if bytes > most { Err(too_much()) } else { Ok(()) }
}

fn no_room(bytes: u64, but: &str) -> DataError {
    let needs = bytes.div_ceil(1 << 20);
    DataError::Source(format!(
        "a synthetic collection of that size takes {needs} MiB, but {but}; ask for fewer queries"
    ))
}

#[cfg(test)]
mod tests;

//! The guard `identical-vectors`: finds vectors of the test part that stand in another query of the
//! training or validation part.
//!
//! Vectors are compared as they were read, before any normaliser; -0 equals 0. A vector whose
//! values are all equal (all 0, for instance) tells nothing and is left out. A hash finds equal
//! vectors, which are then compared value by value.

use fivefold_core::Dataset;
use rayon::prelude::*;

use super::{Finding, Guard};
use crate::collection::{Collection, Fold};

/// If a larger share of the test part's vectors is shared, the finding stops a run.
const MOST: f64 = 0.1;

/// A document with its vector's hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hashed {
    hash: u64,
    query: u32,
    row: u32,
}

/// A document whose vector also stands in another query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shared {
    query: u32,
    row: u32,
    /// Number of the vector.
    vector: u32,
}

/// Facts about vectors that are the same for all folds.
struct Vectors {
    /// Number of documents of each query whose vector does not have all values equal.
    counted: Vec<u32>,
    /// Documents with shared vectors, in the order of queries and rows.
    shared: Vec<Shared>,
    /// The queries that have each shared vector, in rising order.
    queries: Vec<Vec<u32>>,
}

pub(super) fn find(collection: &Collection) -> Option<Finding> {
    let all = &collection.all;
    let vectors = Vectors::of(all);
    if vectors.shared.is_empty() {
        return None;
    }
    let (mut counts, mut first, mut stops) = (Vec::new(), None, false);
    for fold in &collection.folds {
        let (found, tested, place) = vectors.in_fold(fold);
        let Some(place) = place else { continue };
        counts.push(format!(
            "{found} of {tested} in fold {} ({:.1} %)",
            fold.number,
            100.0 * found as f64 / tested as f64
        ));
        stops |= found as f64 > MOST * tested as f64;
        first.get_or_insert((fold.number, place));
    }
    let (number, (document, learned)) = first?;
    let query = all.query(document.query as usize);
    let row = document.row as usize;
    let name = query.doc_id(row).map_or_else(|| (row + 1).to_string(), |id| format!("`{id}`"));
    let what = format!(
        "vectors of the test part stand in the training or validation part too: {}; the first is of document {name} of query `{}` of fold {number}, \
         and of query `{}`",
        counts.join(", "),
        query.id(),
        all.query(learned as usize).id(),
    );
    Some(if stops {
        Finding::stop(Guard::IdenticalVectors, what)
    } else {
        Finding::warning(Guard::IdenticalVectors, what)
    })
}

impl Vectors {
    fn of(all: &Dataset) -> Self {
        let of_query = |query: u32| -> Vec<Hashed> {
            let rows = (0..).zip(all.query(query as usize).view().rows());
            let telling = rows.filter(|(_, values)| values.iter().any(|value| *value != values[0]));
            telling.map(|(row, values)| Hashed { hash: hash(values), query, row }).collect()
        };
        let hashed: Vec<Vec<Hashed>> = (0..all.len() as u32).into_par_iter().map(of_query).collect();
        let counted = hashed.iter().map(|documents| documents.len() as u32).collect();
        let mut hashed: Vec<Hashed> = hashed.into_iter().flatten().collect();
        hashed.par_sort_unstable();
        let mut vectors = Vectors { counted, shared: Vec::new(), queries: Vec::new() };
        for same in hashed.chunk_by(|a, b| a.hash == b.hash) {
            if same[0].query != same[same.len() - 1].query {
                vectors.add(all, same.to_vec());
            }
        }
        vectors.shared.sort_unstable();
        vectors
    }

    /// Adds documents whose vectors have the same hash. The vectors may still differ.
    fn add(&mut self, all: &Dataset, mut documents: Vec<Hashed>) {
        let row = |document: &Hashed| all.query(document.query as usize).view().row(document.row as usize);
        while let Some(first) = documents.first().copied() {
            let (same, others): (Vec<Hashed>, Vec<Hashed>) =
                documents.into_iter().partition(|document| row(document) == row(&first));
            documents = others;
            let mut queries: Vec<u32> = same.iter().map(|document| document.query).collect();
            queries.dedup();
            if queries.len() > 1 {
                let vector = self.queries.len() as u32;
                self.shared.extend(same.iter().map(|&Hashed { query, row, .. }| Shared { query, row, vector }));
                self.queries.push(queries);
            }
        }
    }

    /// Counts the documents of the test part whose vector stands in the training or validation
    /// part. Returns the count, the number of the test part's documents whose values are not all
    /// equal, and the first counted document with a query that shares its vector. A query that is
    /// in both parts is left to another guard.
    fn in_fold(&self, fold: &Fold) -> (usize, usize, Option<(Shared, u32)>) {
        let mut learned = vec![false; self.counted.len()];
        let seen = std::iter::once(&fold.train).chain(&fold.validation).flat_map(Dataset::numbers);
        seen.for_each(|&query| learned[query as usize] = true);
        let (mut found, mut tested, mut first) = (0, 0, None);
        for &query in fold.test.numbers() {
            tested += self.counted[query as usize] as usize;
            let start = self.shared.partition_point(|document| document.query < query);
            for document in self.shared[start..].iter().take_while(|document| document.query == query) {
                let others = &self.queries[document.vector as usize];
                if let Some(&other) = others.iter().find(|&&other| other != query && learned[other as usize]) {
                    found += 1;
                    first.get_or_insert((*document, other));
                }
            }
        }
        (found, tested, first)
    }
}

/// A hash of a vector: two streams of multiply and rotate over pairs of values.
fn hash(values: &[f32]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let bits = |value: f32| u64::from((value + 0.0).to_bits());
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(ODD).rotate_left(29);
    let (mut one, mut two) = (1u64, 2u64);
    let mut fours = values.chunks_exact(4);
    for four in &mut fours {
        one = mix(one, bits(four[0]) << 32 | bits(four[1]));
        two = mix(two, bits(four[2]) << 32 | bits(four[3]));
    }
    for &value in fours.remainder() {
        one = mix(one, bits(value));
    }
    mix(mix(one, two), one >> 32)
}

//! The order of documents of equal score while a ranker learns from a ranking.
//!
//! Before the first tree all scores are equal, and the lambda gradients of a measure depend on the
//! order of the documents. In file order (RankLib, LightGBM) the model depends on the order of a
//! query's rows. A file that is sorted by grade then gives another model than the same file
//! shuffled. `drawn` takes a new uniform order for each query and tree, from the seed and the
//! query's id.
//!
//! A drawn order does not depend on rows. Once a fit, the query's documents are sorted by features,
//! then by grade, and get labels in this order; a draw permutes the labels. The grade matters only
//! for documents with the same features. The grade decides the label, but the draw decides the
//! place, so no grade has an advantage. Documents with the same features and grade are
//! interchangeable, since every tree puts them in the same leaf.
//!
//! Cost: a sort of each query's documents once a fit, and about ten operations a document and
//! tree.

use std::cmp::Ordering;

use fivefold_core::{Dataset, JudgedQuery, Seed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The order of documents of equal score while a ranker learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// A draw for each query and step. The draw does not depend on the order of the file.
    Drawn,
    /// File order, as in RankLib and LightGBM: another order of the rows gives another model.
    Input,
}

/// The numbers that break the ties of a data set's documents.
pub(crate) struct TieBreaks<'a> {
    data: &'a Dataset,
    /// A label from 0 for each document of each query; `None` if the label is the row.
    labels: Option<Vec<Vec<u32>>>,
}

impl<'a> TieBreaks<'a> {
    pub fn new(ties: Ties, data: &'a Dataset) -> Self {
        let labels = || (0..data.len()).into_par_iter().map(|query| labels(&data.query(query))).collect();
        TieBreaks { data, labels: (ties == Ties::Drawn).then(labels) }
    }

    /// Writes different numbers for the documents of `query`. Of two documents with equal scores,
    /// the document with the lower number stands first.
    pub fn fill(&self, query: usize, draw: Seed, places: &mut Vec<u32>) {
        places.clear();
        let Some(labels) = &self.labels else {
            places.extend(0..self.data.query(query).len() as u32);
            return;
        };
        let seed = draw.derive(self.data.query(query).id()).value();
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        places.extend(labels[query].iter().map(|label| scatter(scatter(label ^ low) ^ high)));
    }
}

/// Different numbers for the documents of a query. Sorted by these numbers, the documents are in an
/// order that `draw` draws, whatever the order of the rows.
pub(crate) fn drawn(query: &JudgedQuery<'_>, draw: Seed) -> Vec<u32> {
    let seed = draw.derive(query.id()).value();
    let (low, high) = (seed as u32, (seed >> 32) as u32);
    labels(query).into_iter().map(|label| scatter(scatter(label ^ low) ^ high)).collect()
}

/// The place of each document in the order by features, then by grade.
fn labels(query: &JudgedQuery<'_>) -> Vec<u32> {
    let by_features = |a: u32, b: u32| {
        let pairs = query.row(a as usize).iter().zip(query.row(b as usize));
        pairs.map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let grade = |row: u32| query.grades()[row as usize];
    let mut rows: Vec<u32> = (0..query.len() as u32).collect();
    rows.sort_unstable_by(|&a, &b| by_features(a, b).then(grade(a).cmp(&grade(b))));
    let mut labels = vec![0; rows.len()];
    for (label, &row) in (0..).zip(&rows) {
        labels[row as usize] = label;
    }
    labels
}

/// Spreads whole numbers over all of `u32`; different numbers stay different (the finaliser of
/// MurmurHash3, by Appleby).
fn scatter(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::{Doc, reordered, rows};

    fn places(breaks: &TieBreaks<'_>, query: usize, seed: u64) -> Vec<u32> {
        let mut places = Vec::new();
        breaks.fill(query, Seed::new(seed), &mut places);
        places
    }

    /// Query 0 has 40 documents with few different features, many of them twice with different
    /// grades. Query 1 is the same.
    fn repetitive() -> Dataset {
        let features: Vec<[f32; 2]> = (0..40).map(|i| [(i * 7 % 5) as f32, (i % 3) as f32]).collect();
        let docs: Vec<Doc<'_>> = features.iter().enumerate().map(|(i, x)| ((i * i % 3) as u8, x.as_slice())).collect();
        rows(&[&docs, &docs])
    }

    #[test]
    fn documents_keep_their_places_in_whatever_order_they_stand() {
        let data = repetitive();
        let order = |query: &JudgedQuery<'_>| (0..query.len()).map(|i| (i * 11 + 3) % query.len()).collect::<Vec<_>>();
        let moved = reordered(&data, order);
        let sorted = |data: &Dataset| {
            let breaks = TieBreaks::new(Ties::Drawn, data);
            let query = data.query(0);
            let mut all: Vec<_> = places(&breaks, 0, 5).into_iter().zip(query.grades()).zip(query.rows()).collect();
            all.sort_by_key(|((place, _), _)| *place);
            all.into_iter().map(|((place, &grade), x)| (place, grade, x.to_vec())).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&data), sorted(&moved));
        let input = TieBreaks::new(Ties::Input, &data);
        assert_eq!(places(&input, 1, 5), (0..40).collect::<Vec<u32>>());
    }

    #[test]
    fn every_order_is_as_likely_and_queries_and_seeds_differ() {
        // Four documents have the same features, and three of them the same grade: 24 orders,
        // 24,000 draws.
        let x = [0.5f32].as_slice();
        let query: &[Doc<'_>] = &[(0, x), (1, x), (0, x), (0, x)];
        let data = rows(&[query, query]);
        let breaks = TieBreaks::new(Ties::Drawn, &data);
        let (mut counts, mut same) = (std::collections::BTreeMap::new(), 0);
        for seed in 0..24_000 {
            let [order, other] = [0, 1].map(|query| {
                let places = places(&breaks, query, seed);
                let mut order = [0usize, 1, 2, 3];
                order.sort_by_key(|&row| places[row]);
                order
            });
            same += u32::from(order == other);
            *counts.entry(order).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        let chi2: f64 = counts.values().map(|&count| (f64::from(count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 49.7, "chi-square with 23 degrees of freedom, .1 % point 49.7: {chi2}");
        // The two queries draw independently: 1,000 equal draws are expected, with standard
        // deviation 31.
        assert!((900..1100).contains(&same), "{same}");
    }
}

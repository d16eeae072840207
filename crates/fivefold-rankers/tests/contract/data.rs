//! Small data sets that tests share.

use std::sync::Arc;

use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, Seed};

/// One document: grade and features.
pub type Doc<'a> = (u8, &'a [f32]);

/// Queries of documents without ids.
pub fn rows(queries: &[&[Doc<'_>]]) -> Dataset {
    let docs: Vec<Vec<(u8, Vec<f32>)>> =
        queries.iter().map(|q| q.iter().map(|(grade, x)| (*grade, x.to_vec())).collect()).collect();
    build(&docs, |_, _| None)
}

/// One query of documents with ids.
pub fn rows_with_ids(docs: &[(u8, &str, &[f32])]) -> Dataset {
    let plain = vec![docs.iter().map(|(grade, _, x)| (*grade, x.to_vec())).collect()];
    build(&plain, |_, row| Some(docs[row].1.to_owned()))
}

/// `queries` queries of 12 documents with six features: the first two carry the grade (0 to 2) under noise, the third
/// lowers it, the fourth is noise, the fifth constant, the sixth the first again (collinear). `order(n)` gives the order
/// in which the documents of a query are written; ids follow the documents.
pub fn signal(queries: usize, seed: u64, order: impl Fn(usize) -> Vec<usize>) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let mut ids = Vec::new();
    let docs: Vec<Vec<(u8, Vec<f32>)>> = (0..queries)
        .map(|_| {
            let made: Vec<(u8, Vec<f32>)> = (0..12)
                .map(|_| {
                    let x: Vec<f32> = (0..4).map(|_| rng.uniform() as f32).collect();
                    let utility = 2.0 * x[0] + x[1] - x[2] + 0.4 * rng.normal() as f32;
                    let grade = if utility > 1.9 { 2 } else { u8::from(utility > 1.3) };
                    (grade, vec![x[0], x[1], x[2], x[3], 0.5, x[0]])
                })
                .collect();
            let order = order(made.len());
            ids.push(order.clone());
            order.into_iter().map(|i| made[i].clone()).collect()
        })
        .collect();
    build(&docs, |query, row| Some(format!("d{}", ids[query][row])))
}

/// [`signal`] in its own order.
pub fn signal_in_order(queries: usize, seed: u64) -> Dataset {
    signal(queries, seed, |n| (0..n).collect())
}

fn build(queries: &[Vec<(u8, Vec<f32>)>], doc_id: impl Fn(usize, usize) -> Option<String>) -> Dataset {
    let (mut query_ids, mut doc_ids) = (IdTable::default(), IdTable::default());
    let (mut features, mut grades, mut bounds) = (Vec::new(), Vec::new(), vec![0]);
    for (number, docs) in queries.iter().enumerate() {
        query_ids.push(&format!("q{number}"));
        for (row, (grade, x)) in docs.iter().enumerate() {
            grades.push(*grade);
            features.extend_from_slice(x);
            if let Some(id) = doc_id(number, row) {
                doc_ids.push(&id);
            }
        }
        bounds.push(grades.len());
    }
    let width = queries[0][0].1.len();
    let builder =
        DatasetBuilder { features: Arc::new(features), width, grades, bounds, query_ids, doc_ids, max_grade: Some(2) };
    builder.build().unwrap()
}

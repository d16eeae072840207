//! Small data sets for tests of rankers.

use std::sync::Arc;

use crate::dataset::IdTable;
use crate::grades::{Grades, HIGHEST_GRADE};
use crate::{Dataset, DatasetBuilder, DatasetError, JudgedQuery, Seed};

/// One document: grade and features.
pub type Doc<'a> = (u8, &'a [f32]);

/// Queries of documents without ids; the highest possible grade is 2.
///
/// # Panics
/// If the rows are not of one width, a query is empty or a grade is above 2.
pub fn rows(queries: &[&[Doc<'_>]]) -> Dataset {
    let docs: Vec<Vec<Owned>> =
        queries.iter().map(|q| q.iter().map(|(grade, x)| (*grade, x.to_vec(), None)).collect()).collect();
    build(&docs, 2)
}

/// One query of documents with ids; the highest possible grade is 2.
///
/// # Panics
/// If the rows are not of one width, there is no document, or a grade is above 2.
pub fn rows_with_ids(docs: &[(u8, &str, &[f32])]) -> Dataset {
    let owned = docs.iter().map(|(grade, id, x)| (*grade, x.to_vec(), Some((*id).to_owned())));
    build(&[owned.collect()], 2)
}

/// `queries` queries of 12 documents, with document ids and six features.
///
/// Features 1 and 2 carry the grade (0 to 2) under noise, and feature 3 lowers the grade. Feature 4
/// is noise, feature 5 is constant, and feature 6 repeats feature 1 (collinear).
pub fn signal_in_order(queries: usize, seed: u64) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let mut document = |number: usize| {
        let x: Vec<f32> = (0..4).map(|_| rng.uniform() as f32).collect();
        let utility = 2.0 * x[0] + x[1] - x[2] + 0.4 * rng.normal() as f32;
        let grade = if utility > 1.9 { 2 } else { u8::from(utility > 1.3) };
        (grade, vec![x[0], x[1], x[2], x[3], 0.5, x[0]], Some(format!("d{number}")))
    };
    let docs: Vec<Vec<Owned>> = (0..queries).map(|_| (0..12).map(&mut document).collect()).collect();
    build(&docs, 2)
}

/// `queries` queries of `documents` documents with `width` features, without document ids. The
/// first two features carry the grade (0 to 2) under noise; all other features are noise.
pub fn sized(queries: usize, documents: usize, width: usize, seed: u64) -> Dataset {
    let mut rng = Seed::new(seed).rng();
    let mut document = || {
        let x: Vec<f32> = (0..width).map(|_| rng.uniform() as f32).collect();
        let utility = 2.0 * x[0] + x.get(1).copied().unwrap_or(0.0) + 0.3 * rng.normal() as f32;
        (if utility > 2.1 { 2 } else { u8::from(utility > 1.6) }, x, None)
    };
    let docs: Vec<Vec<Owned>> = (0..queries).map(|_| (0..documents).map(|_| document()).collect()).collect();
    build(&docs, 2)
}

/// The same queries with their documents in another order. For each new row, `order` gives the old
/// row.
///
/// # Panics
/// If `order` gives a row that the query does not have, or no row at all.
pub fn reordered(data: &Dataset, order: impl Fn(&JudgedQuery<'_>) -> Vec<usize>) -> Dataset {
    let document = |query: &JudgedQuery<'_>, row: usize| {
        (query.grades()[row], query.row(row).to_vec(), query.doc_id(row).map(str::to_owned))
    };
    let docs: Vec<Vec<Owned>> =
        data.queries().map(|query| order(&query).into_iter().map(|row| document(&query, row)).collect()).collect();
    build(&docs, data.max_grade())
}

/// Collections that break careless rankers, each with its name in messages. All have six features.
pub(super) fn degenerate() -> Vec<(&'static str, Dataset)> {
    let values: Vec<[f32; 6]> = (0..8).map(|i| [i as f32, 1.0, 0.0, -(i as f32), 1e6 * i as f32, 3.0]).collect();
    let graded = |grade: fn(usize) -> u8| -> Vec<Owned> {
        values.iter().enumerate().map(|(i, x)| (grade(i), x.to_vec(), None)).collect()
    };
    let same = |level: f32| -> Vec<Owned> { (0..8).map(|i| (i % 3, vec![level; 6], None)).collect() };
    let single = |grade: u8, row: usize| -> Vec<Owned> { vec![(grade, values[row].to_vec(), None)] };
    let twice = |query: Vec<Owned>| [query.clone(), query];
    vec![
        ("constant features", build(&twice(same(0.25)), 2)),
        ("features that are constant in each query", build(&[same(0.25), same(0.5), same(0.75)], 2)),
        ("one document", build(&[single(1, 1)], 2)),
        ("one document a query", build(&[single(1, 1), single(0, 2), single(2, 3)], 2)),
        ("no relevant document", build(&twice(graded(|_| 0)), 2)),
        ("one grade", build(&twice(graded(|_| 2)), 2)),
        ("a perfect feature", build(&twice(graded(|i| (i / 3) as u8)), 2)),
        ("the largest grades", build(&twice(graded(|i| if i % 2 == 0 { HIGHEST_GRADE } else { 0 })), HIGHEST_GRADE)),
    ]
}

/// A document as [`build`] takes it: grade, features, id.
type Owned = (u8, Vec<f32>, Option<String>);

fn build(queries: &[Vec<Owned>], max_grade: u8) -> Dataset {
    let (mut query_ids, mut doc_ids) = (IdTable::default(), IdTable::default());
    let (mut features, mut grades, mut bounds) = (Vec::new(), Vec::new(), vec![0]);
    for (number, docs) in queries.iter().enumerate() {
        query_ids.push(&format!("q{number}"));
        for (grade, x, id) in docs {
            grades.push(*grade);
            features.extend_from_slice(x);
            if let Some(id) = id {
                doc_ids.push(id);
            }
        }
        bounds.push(grades.len());
    }
    let width = queries.iter().flatten().map(|(_, x, _)| x.len()).next().unwrap_or(0);
    let features = Arc::new(features);
    Grades::new(grades, Some(max_grade))
        .map_err(DatasetError::from)
        .and_then(|grades| DatasetBuilder { features, width, grades, bounds, query_ids, doc_ids }.build())
        .unwrap_or_else(|error| panic!("a test gave arrays that make no data set: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_made_collection_is_always_the_same_and_has_all_grades() {
        let data = signal_in_order(40, 1);
        assert_eq!((data.len(), data.documents(), data.width(), data.max_grade()), (40, 480, 6, 2));
        for grade in 0..3 {
            let share = data.queries().flat_map(|q| q.grades().to_vec()).filter(|&g| g == grade).count();
            assert!(share > 48, "{share} documents of grade {grade}");
        }
        assert!(data.queries().all(|q| q.rows().all(|x| x[4] == 0.5 && x[5] == x[0])));
        assert_eq!(data.query(3).features(), signal_in_order(40, 1).query(3).features());
    }

    #[test]
    fn documents_keep_their_grades_and_ids_when_moved() {
        let data = signal_in_order(2, 1);
        let moved = reordered(&data, |query| (0..query.len()).rev().collect());
        assert_eq!(moved.query(1).doc_id(0), Some("d11"));
        assert_eq!(moved.query(1).row(0), data.query(1).row(11));
        assert_eq!(moved.query(1).grades()[11], data.query(1).grades()[0]);
    }

    #[test]
    fn degenerate_sets_are_what_they_are_called() {
        let sets = degenerate();
        let find = |name: &str| sets.iter().find(|(n, _)| *n == name).map(|(_, data)| data.clone()).unwrap();
        assert!(find("constant features").queries().all(|q| q.features().iter().all(|&x| x == 0.25)));
        assert_eq!(find("one document").documents(), 1);
        assert!(find("no relevant document").queries().all(|q| q.grades().iter().all(|&g| g == 0)));
        let perfect = find("a perfect feature");
        assert!(perfect.queries().all(|q| q.grades().is_sorted() && q.rows().is_sorted_by(|a, b| a[0] < b[0])));
        assert_eq!(find("the largest grades").query(0).grades()[..2], [30, 0]);
    }
}

//! Tests the ranker of `examples/my_ranker.rs`.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

#[path = "../examples/my_ranker.rs"]
#[expect(dead_code, reason = "the example's `main` is not called here")]
mod my_ranker;

use std::sync::Arc;

use fivefold_core::conformance::{Case, check};
use fivefold_core::dataset::IdTable;
use fivefold_core::{
    Dataset, DatasetBuilder, FitContext, FitError, Grades, Model as _, Ranker as _, RankerEntry, Registry, Seed,
};
use my_ranker::Centroid;

/// A data set with good documents at (1, 0) and (3, 0), and other documents at (0, 2) and (0, 4).
fn data() -> Dataset {
    let mut query_ids = IdTable::default();
    query_ids.push("q");
    let features = Arc::new(vec![1.0_f32, 0.0, 3.0, 0.0, 0.0, 2.0, 0.0, 4.0]);
    let (width, bounds, doc_ids) = (2, vec![0, 4], IdTable::default());
    let grades = Grades::new(vec![1, 1, 0, 0], None).unwrap();
    DatasetBuilder { features, width, grades, bounds, query_ids, doc_ids }.build().unwrap()
}

#[test]
fn it_scores_by_the_difference_of_the_means() {
    let data = data();
    let model = Centroid { weight: 0.5, ..Centroid::default() }.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
    let mut scores = [0.0; 4];
    model.score(data.query(0).view(), &mut scores);
    // The direction is (2, 0) - 0.5 (0, 3).
    assert_eq!(scores, [2.0, 6.0, -3.0, -6.0]);
}

#[test]
fn it_refuses_what_it_cannot_learn_from() {
    assert!(Centroid { grade: 0, ..Centroid::default() }.check().is_err());
    assert!(Centroid { weight: -1.0, ..Centroid::default() }.check().is_err());
    let fit = Centroid { grade: 2, ..Centroid::default() }.fit(&data(), &FitContext::new(Seed::new(1)));
    assert!(matches!(fit.err(), Some(FitError::Data(_))));
}

#[test]
fn it_keeps_the_rules_of_all_rankers() {
    let case = Case {
        name: "centroid",
        params: "",
        changes: &[("grade", "2", true), ("weight", "0.5", true)],
        refused: &[("grade", "0"), ("weight", "-1.0")],
        learns: true,
    };
    check(&[RankerEntry::of::<Centroid>()], &[case]);
}

#[test]
fn it_is_described_like_a_built_in_ranker() {
    let registry: Registry = fivefold::builtin().with::<Centroid>();
    let entry = registry.find("centroid").unwrap();
    let parameters = entry.params();
    assert_eq!(parameters.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["grade", "weight"]);
    assert!(parameters.iter().all(|p| p.default.is_some() && !p.help.is_empty()));
}

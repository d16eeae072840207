//! Leak guards find ways in which a ranker, early stopping or a measure could see the test queries.
//!
//! | guard | stops where |
//! |---|---|
//! | `query-overlap` | a query of a fold's test part is in its training part too (then a normaliser over the training part sees it as well) |
//! | `validation-overlap` | a query of the test part is in the validation part, which decides early stopping and model selection |
//! | `test-file` | a program that ranks (`command`) is given a file of the test part, with its grades |
//! | `label-feature` | the grades can be read off a feature |
//! | `identical-vectors` | more than 10 % of the test part's vectors stand in the training or validation part |
//! | `label-sorted-ties` | rows are sorted by grade, and equal scores are ranked in the order of rows |
//!
//! The guards of a collection are here ([`Collection::leaks`]). A run and `fivefold lint` both call
//! them, so both report the same. Only an experiment can apply `test-file`, and compare scores for
//! `label-sorted-ties`.
//!
//! Cost: one pass over the features for their hashes, in parallel. Memory: 16 bytes a document.
//! Findings do not depend on the number of threads.

mod label_feature;
mod sorted_rows;
mod vectors;

use std::fmt;
use std::path::PathBuf;

use fivefold_core::Dataset;
use serde::{Deserialize, Serialize};

use crate::collection::Collection;
use crate::error::Place;
pub use sorted_rows::SortedRows;

/// A leak guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// A query is in the training part and in the test part of a fold.
    QueryOverlap,
    /// A query is in the validation part and in the test part of a fold.
    ValidationOverlap,
    /// A program is given a file of the test part.
    TestFile,
    /// The grades can be read off a feature.
    LabelFeature,
    /// Vectors of the test part stand in the training or validation part too.
    IdenticalVectors,
    /// The order of grades in the rows decides between equal scores.
    LabelSortedTies,
}

impl Guard {
    /// All guards.
    pub const ALL: [Guard; 6] = [
        Guard::QueryOverlap,
        Guard::ValidationOverlap,
        Guard::TestFile,
        Guard::LabelFeature,
        Guard::IdenticalVectors,
        Guard::LabelSortedTies,
    ];

    /// The guard's name in experiment files, errors and tables.
    pub fn name(self) -> &'static str {
        match self {
            Guard::QueryOverlap => "query-overlap",
            Guard::ValidationOverlap => "validation-overlap",
            Guard::TestFile => "test-file",
            Guard::LabelFeature => "label-feature",
            Guard::IdenticalVectors => "identical-vectors",
            Guard::LabelSortedTies => "label-sorted-ties",
        }
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A finding of a guard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The guard.
    pub guard: Guard,
    /// The finding in words, with counts and the first places.
    pub what: String,
    /// Whether the finding stops a run that does not allow it; else the finding is a warning.
    pub stops: bool,
}

impl Finding {
    /// A finding that stops a run.
    pub fn stop(guard: Guard, what: String) -> Self {
        Finding { guard, what, stops: true }
    }

    pub(crate) fn warning(guard: Guard, what: String) -> Self {
        Finding { guard, what, stops: false }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.guard, self.what)
    }
}

/// Queries whose ids two parts of a fold share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The parts.
    pub parts: [Role; 2],
    /// Number of shared queries.
    pub queries: usize,
    /// The id of the first shared query.
    pub qid: String,
    /// The place of the first shared query in each part.
    pub places: [Place; 2],
}

/// The role of a part in a fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The ranker learns from the part.
    Training,
    /// The part is for early stopping and model selection.
    Validation,
    /// Models are scored on the part.
    Test,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Role::Training => "training",
            Role::Validation => "validation",
            Role::Test => "test",
        })
    }
}

/// Finds features off which the grades can be read. The first feature has the id
/// `first_feature_id`.
pub fn label_features(data: &Dataset, first_feature_id: u32) -> Vec<Finding> {
    label_feature::find(data, first_feature_id)
}

impl Collection {
    /// The findings of all guards that need the collection alone, in the order of [`Guard::ALL`].
    pub fn leaks(&self) -> Vec<Finding> {
        let mut findings = self.overlaps();
        findings.extend(label_features(&self.all, self.first_feature_id));
        findings.extend(vectors::find(self));
        findings
    }

    /// Counts the test queries whose rows are sorted by grade.
    pub fn sorted_rows(&self) -> SortedRows {
        let mut sorted = SortedRows::default();
        let tested = self.folds.iter().flat_map(|fold| fold.test.queries());
        tested.for_each(|query| sorted.add(query.grades()));
        sorted
    }

    fn overlaps(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (guard, parts) in [
            (Guard::QueryOverlap, [Role::Training, Role::Test]),
            (Guard::ValidationOverlap, [Role::Validation, Role::Test]),
            (Guard::QueryOverlap, [Role::Training, Role::Validation]),
        ] {
            let of_fold =
                self.folds.iter().flat_map(|fold| fold.overlaps.iter().map(move |found| (fold.number, found)));
            let found: Vec<(usize, &Overlap)> = of_fold.filter(|(_, overlap)| overlap.parts == parts).collect();
            let Some((number, first)) = found.first() else { continue };
            let [one, other] = parts;
            let [here, there] = &first.places;
            let counts = found.iter().map(|(fold, overlap)| format!("{} in fold {fold}", overlap.queries));
            let what = format!(
                "queries stand in the {other} part and in the {one} part: {}; the first is `{}` of fold {number} ({there} and {here}){}",
                counts.collect::<Vec<_>>().join(", "),
                first.qid,
                match other {
                    Role::Validation => ": early stopping does not see new queries",
                    _ => "",
                }
            );
            findings.push(Finding { guard, what, stops: other == Role::Test });
        }
        findings
    }

    /// The text files of the test parts of all folds, since a program could see all of them.
    pub fn test_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.folds.iter().flat_map(|fold| &fold.test_files)
    }
}

//! Leak guards: what lets a ranker, early stopping or a measure see what is tested.
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
//! What is found about a collection is here ([`Collection::leaks`]); a run and `fivefold lint` take it from here, so that both say the
//! same. `test-file` and the scores of `label-sorted-ties` are known to an experiment only.
//!
//! Cost: one pass over the features for their hashes, in parallel; memory: 16 bytes a document. Findings do not depend on the number of
//! threads.

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

/// One of the guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guard {
    /// A query in the training and in the test part of a fold.
    QueryOverlap,
    /// A query in the validation and in the test part of a fold.
    ValidationOverlap,
    /// A program that is given a file of the test part.
    TestFile,
    /// A feature off which the grades can be read.
    LabelFeature,
    /// Vectors of the test part that stand in what is learned from.
    IdenticalVectors,
    /// Equal scores that rows in the order of grades decide.
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

    /// Its name in experiment files, errors and tables.
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

/// Something that a guard found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The guard.
    pub guard: Guard,
    /// What it found, with counts and the first places.
    pub what: String,
    /// Whether it stops a run, unless it is allowed; else it is a warning.
    pub stops: bool,
}

impl Finding {
    /// Something that stops a run.
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

/// Queries that two parts of a fold share, by their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The parts.
    pub parts: [Role; 2],
    /// How many queries.
    pub queries: usize,
    /// The first of them.
    pub qid: String,
    /// Where it stands in each part.
    pub places: [Place; 2],
}

/// What a part of a fold is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Learned from.
    Training,
    /// For early stopping and model selection.
    Validation,
    /// Scored.
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

/// Features of a data set off which the grades can be read; the first feature has the id `first_feature_id`.
pub fn label_features(data: &Dataset, first_feature_id: u32) -> Vec<Finding> {
    label_feature::find(data, first_feature_id)
}

impl Collection {
    /// What the guards find that need the collection alone, in the order of [`Guard::ALL`].
    pub fn leaks(&self) -> Vec<Finding> {
        let mut findings = self.overlaps();
        findings.extend(label_features(&self.all, self.first_feature_id));
        findings.extend(vectors::find(self));
        findings
    }

    /// Whether the rows of the tested queries are sorted by grade.
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

    /// The text files of the test parts: of all folds, as a program sees all of them.
    pub fn test_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.folds.iter().flat_map(|fold| &fold.test_files)
    }
}

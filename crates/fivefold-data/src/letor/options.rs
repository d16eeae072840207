//! How a LETOR file is read: what becomes of missing values, which ids and grades may occur.

use fivefold_core::ValueCodes;
use fivefold_core::dataset::{HIGHEST_GRADE, MOST_FEATURES};
use serde::{Deserialize, Serialize};

/// What becomes of missing feature values (`NULL`, `nan`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are an error.
    #[default]
    Error,
    /// They become 0.
    Zero,
    /// They become the least value that the feature has among the query's documents (a feature that a line leaves out
    /// counts as 0 there); 0 where every document of the query lacks it.
    QueryMin,
}

impl Missing {
    /// All policies, in the order in which help lists them.
    pub const ALL: [Missing; 3] = [Missing::Error, Missing::Zero, Missing::QueryMin];

    /// The policy's name in an experiment file.
    pub fn name(self) -> &'static str {
        match self {
            Missing::Error => "error",
            Missing::Zero => "zero",
            Missing::QueryMin => "query-min",
        }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How a LETOR file is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// What becomes of missing values.
    pub missing: Missing,
    /// The id of the first feature: 1, or 0 for files that count from 0.
    pub first_feature_id: u32,
    /// Whether the lines of a query that do not stand together are brought together (at its first line) instead of being
    /// an error.
    pub regroup: bool,
    /// Features a document: the width of the result, and the limit for ids; `None`: the highest id that occurs.
    pub features: Option<usize>,
    /// The highest grade allowed; `None`: 30.
    pub max_grade: Option<u8>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { missing: Missing::Error, first_feature_id: 1, regroup: false, features: None, max_grade: None }
    }
}

impl ReadOptions {
    pub(super) fn highest_grade(&self) -> u8 {
        self.max_grade.unwrap_or(HIGHEST_GRADE).min(HIGHEST_GRADE)
    }

    /// How many features may occur.
    pub(super) fn most_features(&self) -> usize {
        self.features.unwrap_or(MOST_FEATURES).min(MOST_FEATURES)
    }
}

/// How a file is read for a model that compares values in `f64`: as codes, see [`ValueCodes`].
#[derive(Clone, Copy)]
pub struct Coding<'a> {
    /// Those of the model.
    pub codes: &'a dyn ValueCodes,
    /// What becomes of missing values, before they are coded; `None`: they stay NaN, of which the model has its own opinion. This
    /// stands in the place of [`ReadOptions::missing`].
    pub missing: Option<Missing>,
}

//! Options for reading a LETOR file: the treatment of missing values, and the allowed ids and
//! grades.

use fivefold_core::GradeScale;
use fivefold_core::dataset::MOST_FEATURES;
use fivefold_core::ranker::ValueCodes;
use serde::{Deserialize, Serialize};

/// The treatment of missing feature values (`NULL`, `nan`).
///
/// ```
/// use fivefold_data::{Missing, ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "1 qid:1 1:NULL\n0 qid:1 1:4\n")?;
/// let first = |missing| read_letor(file.path(), &ReadOptions { missing, ..ReadOptions::default() });
/// assert!(first(Missing::Error).is_err());
/// assert_eq!(first(Missing::Zero)?.data.query(0).features(), [0.0, 4.0]);
/// assert_eq!(first(Missing::QueryMin)?.data.query(0).features(), [4.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// Missing values are an error.
    #[default]
    Error,
    /// Missing values become 0.
    Zero,
    /// A missing value becomes the least value of its feature among the documents of the query. A
    /// feature that a line leaves out counts as 0 there. The value is 0 if it is missing in every
    /// document of the query.
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

/// Options for reading a LETOR file.
///
/// ```
/// use fivefold_data::{ReadOptions, read_letor};
///
/// let file = tempfile::NamedTempFile::new()?;
/// std::fs::write(&file, "1 qid:1 0:0.5 2:4\n")?;
/// // Features counted from 0, of which a document has five.
/// let options = ReadOptions { first_feature_id: 0, features: Some(5), ..ReadOptions::default() };
/// assert_eq!(read_letor(file.path(), &options)?.data.query(0).features(), [0.5, 0.0, 4.0, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadOptions {
    /// The treatment of missing values.
    pub missing: Missing,
    /// The id of the first feature: 1, or 0 for files that count from 0.
    pub first_feature_id: u32,
    /// Whether lines of a query that do not stand together are brought together at the query's
    /// first line. Otherwise such lines are an error.
    pub regroup: bool,
    /// Features a document: the width of the result, and the limit for ids. `None` takes the
    /// highest id that occurs.
    pub features: Option<usize>,
    /// The highest grade allowed; `None` allows grades up to 30.
    pub max_grade: Option<u8>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { missing: Missing::Error, first_feature_id: 1, regroup: false, features: None, max_grade: None }
    }
}

impl ReadOptions {
    /// Which grades may occur.
    pub(crate) fn scale(&self) -> GradeScale {
        GradeScale::new(self.max_grade)
    }

    /// The largest allowed number of features.
    pub(super) fn most_features(&self) -> usize {
        self.features.unwrap_or(MOST_FEATURES).min(MOST_FEATURES)
    }
}

/// The reading of a file for a model that compares values in `f64`: values become codes, see
/// [`ValueCodes`].
#[derive(Clone, Copy)]
pub struct Coding<'a> {
    /// The codes of the model.
    pub codes: &'a dyn ValueCodes,
    /// The treatment of missing values before they are coded, in place of [`ReadOptions::missing`].
    /// With `None`, missing values stay NaN, and the model decides.
    pub missing: Option<Missing>,
}

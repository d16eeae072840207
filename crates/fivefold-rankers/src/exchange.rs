//! Reads models from the text files of RankLib and LightGBM. The module `export` writes models.
//!
//! [`FORMATS`] lists the formats; a new format is a file, and a line in [`FORMATS`]. RankLib's
//! linear models become [`LinearModel`]s, and all other models [`TreeModel`]s.
//!
//! A file does not hold the parameters, the normaliser or the policy for missing values, so these
//! are not known.
//!
//! **Precision.** RankLib compares in `f32`, the type of values in data sets here. LightGBM
//! compares in `f64`, so a model of LightGBM keeps its cuts in `f64` and scores the values of the
//! text (see [`fivefold_trees::codes`]).

mod build;
pub mod lightgbm;
pub(crate) mod plain;
pub mod ranklib;

use fivefold_core::dataset::MOST_FEATURES;
use fivefold_trees::Tree;
use serde::Serialize;

use crate::linear_model::LinearModel;
use crate::tree_model::TreeModel;

/// The known formats, in the order in which they are tried.
pub const FORMATS: &[Format] = &[ranklib::FORMAT, lightgbm::FORMAT];

/// Stands for the policy for missing values in the header of a model file, if the model itself
/// decides about missing values.
pub const AS_TRAINED: &str = "as-trained";

/// A format of model files.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The usual number of the first feature in files of this format.
    pub first_feature: u32,
    recognise: fn(&str) -> bool,
    read: fn(&str, Columns) -> Result<Imported, ImportError>,
}

/// How a file counts features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// The number of the first feature.
    pub first: u32,
    /// Features of a document; `None` to take the number from the file.
    pub features: Option<usize>,
}

/// A model from another program's file.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    /// The registered ranker that makes such models.
    pub ranker: &'static str,
    /// The model itself.
    pub model: ImportedModel,
    /// Features a document.
    pub features: usize,
    /// The other program's policy for missing values, as in an experiment file; or [`AS_TRAINED`].
    pub missing: &'static str,
}

/// The model of an [`Imported`]; serialises as the model of its ranker.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ImportedModel {
    /// Trees.
    Trees(TreeModel),
    /// Weights of features.
    Linear(LinearModel),
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ImportError {
    /// Line, from 1.
    pub line: usize,
    /// The problem.
    pub what: String,
}

impl Format {
    /// The format of this name.
    pub fn find(name: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The format that a file's text seems to have.
    pub fn of_text(text: &str) -> Option<&'static Format> {
        FORMATS.iter().find(|format| (format.recognise)(text))
    }

    /// Reads a model.
    ///
    /// # Errors
    /// [`ImportError`] if the text is not of this format, or if its model has no counterpart here.
    pub fn read(&self, text: &str, columns: Columns) -> Result<Imported, ImportError> {
        (self.read)(text, columns)
    }
}

impl Columns {
    /// The number, from 0, of the feature with number `id` in the file.
    fn feature(self, id: i64) -> Result<u32, String> {
        let index = id.checked_sub(i64::from(self.first)).and_then(|index| u32::try_from(index).ok());
        let most = self.features.unwrap_or(MOST_FEATURES).min(MOST_FEATURES);
        index.filter(|&index| (index as usize) < most).ok_or_else(|| {
            let last = i64::from(self.first) + most as i64 - 1;
            format!("there is no feature {id}; features are {} to {last}", self.first)
        })
    }

    /// The number of features of a document, for a file that does not state it but uses `used`
    /// features.
    fn given(self, used: usize) -> Result<usize, ImportError> {
        self.features.ok_or_else(|| {
            let what = format!(
                "the file does not say how many features a document has; give the number of features, at least {used}"
            );
            ImportError::new(1, what)
        })
    }
}

impl Imported {
    fn trees(
        ranker: &'static str,
        features: usize,
        missing: &'static str,
        trees: Vec<Tree>,
    ) -> Result<Self, ImportError> {
        let model = TreeModel::new(features, 0.0, trees).map_err(|error| ImportError::new(1, error))?;
        Ok(Imported { ranker, model: ImportedModel::Trees(model), features, missing })
    }
}

impl ImportError {
    fn new(line: usize, what: impl Into<String>) -> Self {
        ImportError { line, what: what.into() }
    }
}

/// The greatest finite `f32` that is not above `threshold`, so that every finite `f32` value goes
/// the same way; `None` if no finite `f32` is low enough.
fn round_down(threshold: f64) -> Option<f32> {
    let nearest = threshold as f32;
    let below = if f64::from(nearest) > threshold { nearest.next_down() } else { nearest };
    (threshold >= f64::from(f32::MIN)).then_some(below.min(f32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_round_down() {
        for (threshold, rounded) in [
            (0.5, 0.5),
            (0.1, 0.099_999_994), // The nearest f32 is .100000001490.
            (-0.1, -0.1),         // The nearest is -.100000001490.
            (1e-60, 0.0),
            (-1e-60, -f32::from_bits(1)),
        ] {
            assert_eq!(round_down(threshold), Some(rounded), "{threshold}");
            let above = f64::from(rounded.next_up());
            assert!(f64::from(rounded) <= threshold && threshold < above);
        }
        // LightGBM separates missing values from all others by a cut at infinity.
        assert_eq!([round_down(1e300), round_down(f64::INFINITY)], [Some(f32::MAX); 2]);
        assert_eq!([round_down(-1e300), round_down(f64::NEG_INFINITY), round_down(f64::NAN)], [None; 3]);
    }

    #[test]
    fn features_count_from_the_given_number() {
        let columns = Columns { first: 1, features: Some(46) };
        assert_eq!((columns.feature(1), columns.feature(46)), (Ok(0), Ok(45)));
        assert_eq!(columns.feature(47).unwrap_err(), "there is no feature 47; features are 1 to 46");
        assert!(columns.feature(0).is_err() && columns.feature(i64::MIN).is_err());
        assert!(Columns { first: 0, features: None }.feature(MOST_FEATURES as i64).is_err());
    }
}

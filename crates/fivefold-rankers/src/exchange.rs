//! Models in other programs' files, as they are read: RankLib's and LightGBM's text. `export` writes models.
//!
//! [`FORMATS`] lists them; another one is a file and a line there. All are read into [`TreeModel`], except that RankLib's
//! linear models become [`LinearModel`]s.
//!
//! What a file does not hold is not known: parameters, the normaliser, the policy for missing values.
//!
//! **Precision.** RankLib compares in `f32`, as data sets here hold values; LightGBM in `f64`. A model of LightGBM keeps its cuts
//! in `f64` and is scored on the text's values (see [`fivefold_trees::codes`]).

mod build;
pub mod lightgbm;
pub(crate) mod plain;
pub mod ranklib;

use fivefold_core::dataset::MOST_FEATURES;
use fivefold_trees::Tree;
use serde::Serialize;

use crate::linear_model::LinearModel;
use crate::tree_model::TreeModel;

/// The known formats, in the order in which a file is tried for them.
pub const FORMATS: &[Format] = &[ranklib::FORMAT, lightgbm::FORMAT];

/// In the header of a model file, in the place of a policy for missing values: the model itself knows what to do with them.
pub const AS_TRAINED: &str = "as-trained";

/// A format of model files.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Its name.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The number that such files usually give the first feature.
    pub first_feature: u32,
    recognise: fn(&str) -> bool,
    read: fn(&str, Columns) -> Result<Imported, ImportError>,
}

/// How a file counts features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// The number of the first feature.
    pub first: u32,
    /// Features a document; `None`: what the file says.
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
    /// What the other program does with missing values, as written in an experiment file; or [`AS_TRAINED`].
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
    /// What was found there.
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
    /// [`ImportError`] where the text is not of this format, or holds a model that has no counterpart here.
    pub fn read(&self, text: &str, columns: Columns) -> Result<Imported, ImportError> {
        (self.read)(text, columns)
    }
}

impl Columns {
    /// The feature, from 0, that the file calls `id`, or what is wrong.
    fn feature(self, id: i64) -> Result<u32, String> {
        let index = id.checked_sub(i64::from(self.first)).and_then(|index| u32::try_from(index).ok());
        let most = self.features.unwrap_or(MOST_FEATURES).min(MOST_FEATURES);
        index.filter(|&index| (index as usize) < most).ok_or_else(|| {
            let last = i64::from(self.first) + most as i64 - 1;
            format!("there is no feature {id}; features are {} to {last}", self.first)
        })
    }

    /// The number of features of a document, where the file does not say it and uses `used` of them.
    fn given(self, used: usize) -> Result<usize, ImportError> {
        self.features.ok_or_else(|| {
            let what =
                format!("the file does not say how many features a document has; give the number, at least {used}");
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

/// The greatest finite `f32` that is not above `threshold`: no finite feature value goes another way. `None` if there is none.
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
        // LightGBM cuts missing values from all others at infinity.
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

//! Models in other programs' files: RankLib's, which plug-ins of Elasticsearch, OpenSearch and Solr read, and LightGBM's text.
//!
//! [`FORMATS`] lists them; another one is a file and a line there. All are read into and written from [`TreeModel`], except that
//! RankLib's linear models become [`LinearModel`]s.
//!
//! A model that is written and read back scores the same, bit by bit: thresholds and leaf values are written as the shortest
//! decimals that give the same number, and the base is added to the first tree's values, which is what scoring adds first.
//! What a file cannot hold is lost: parameters, the normaliser, the policy for missing values.
//!
//! **Precision.** RankLib compares in `f32`, as data sets here hold values; LightGBM in `f64`.
//! - A model of LightGBM keeps its cuts in `f64` and is scored on the text's values (see [`fivefold_trees::codes`]).
//! - Our own cuts are in `f32`. For programs that compare in `f64` a threshold is written as the greatest `f64` whose nearest `f32` is
//!   not above it: they then decide as we do for every number that is written in a text, and for every `f32`.
//! - A cut in `f64` is rounded down to `f32` for programs that compare in `f32`, which changes the way of no `f32` value.

mod build;
pub mod lightgbm;
mod plain;
pub mod ranklib;

use fivefold_core::Model;
use fivefold_core::dataset::MOST_FEATURES;
use fivefold_trees::{Node, Tree};
use serde::Serialize;

use self::plain::plain;
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
    write: fn(&TreeModel, &str, u32) -> String,
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

    /// Writes the model of ranker `ranker`; the first feature is called `first`.
    ///
    /// # Errors
    /// What the model has and the format has not.
    pub fn write(&self, model: &TreeModel, ranker: &str, first: u32) -> Result<String, String> {
        if model.codes().is_none() {
            return Ok((self.write)(model, ranker, first));
        }
        let trees = plain(model.trees().to_vec())?;
        Ok((self.write)(&TreeModel::new(model.features(), model.base(), trees)?, ranker, first))
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

/// The trees of a model, the base in the first one.
fn trees_with_base(model: &TreeModel) -> Vec<Tree> {
    let mut trees = model.trees().to_vec();
    match trees.first_mut() {
        Some(first) => first.values_mut().iter_mut().for_each(|value| *value += model.base()),
        None => trees.push(Tree::leaf(model.base())),
    }
    trees
}

/// The threshold of a node for a program that compares in `f64`.
fn threshold_in_f64(tree: &Tree, number: usize, node: &Node) -> f64 {
    tree.cuts().get(number).map_or_else(|| widened(node.threshold), |cuts| cuts[0])
}

/// The greatest `f64` whose nearest `f32` is not above `threshold`: all that is `threshold` when a text is read goes its way.
fn widened(threshold: f32) -> f64 {
    if threshold == 0.0 || !threshold.is_finite() {
        // What lies between 0 and the least `f32` is nothing that these programs tell from 0.
        return f64::from(threshold);
    }
    let next = threshold.next_up();
    if !next.is_finite() {
        return f64::MAX;
    }
    let half_way = f64::midpoint(f64::from(threshold), f64::from(next));
    if half_way as f32 <= threshold { half_way } else { half_way.next_down() }
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
    fn widened_thresholds_keep_all_that_is_read_as_the_same_number() {
        for threshold in [0.15f32, -0.15, 1.0, 16_777_216.0, 16_777_218.0, 1e-38, -1e-44, 1e38, f32::MIN] {
            let wide = widened(threshold);
            assert!(wide as f32 <= threshold && wide >= f64::from(threshold), "{threshold:e} {wide:e}");
            assert!(wide.next_up() as f32 > threshold, "{threshold:e} {wide:e}");
            assert_eq!(round_down(wide), Some(threshold));
        }
        assert_eq!([widened(0.0), widened(f32::MAX)], [0.0, f64::MAX]);
        // A cut at the f32 .15 keeps the text .15, which lies below, and the f64 of that f32.
        assert!(0.15 <= widened(0.15) && f64::from(0.15f32) <= widened(0.15));
        assert!(0.1 < f64::from(0.1f32) && 0.3 <= widened(0.3));
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

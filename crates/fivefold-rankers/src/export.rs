//! Writes models for other programs: RankLib, LightGBM, Solr, the plug-ins of Elasticsearch and
//! OpenSearch, ONNX.
//!
//! [`TARGETS`] lists the programs; a new program is a file, and a line in [`TARGETS`]. This module
//! has the rules that all programs share:
//!
//! - The base of a model is added to the first tree's values, since scoring adds this tree first.
//! - A normaliser that was fitted on the training part goes into the thresholds of trees. The new
//!   threshold is the greatest `f32` that the normaliser does not bring above the old threshold.
//!   So every `f32` value goes the same way as here.
//! - A normaliser of each query is refused for a program that scores one document at a time.
//!
//! Every target decides as our trees do, for all `f32` values of features, whether the program
//! compares by `<` or `<=`, in single or double precision. The target's module says how. If a
//! program adds up in single precision, its scores differ from our scores by rounding.

mod lightgbm;
mod onnx;
mod plugin;
mod protobuf;
mod ranklib;
mod solr;
mod tree_events;

use fivefold_base::words::counted;
use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};
use serde_json::Value;

use crate::adarank::AdaRank;
use crate::coordinate_ascent::CoordinateAscent;
use crate::exchange::AS_TRAINED;
use crate::exchange::plain::plain;
use crate::feature::{Feature, FeatureModel};
use crate::l2_logistic::L2Logistic;
use crate::lambdamart::LambdaMart;
use crate::linear::Linear;
use crate::linear_model::LinearModel;
use crate::mart::Mart;
use crate::random_forest::RandomForest;
use crate::rank_svm::RankSvm;
use crate::rankboost::RankBoost;
use crate::tree_model::TreeModel;

/// The programs for which a model can be written, in the order of the help.
pub const TARGETS: &[Target] =
    &[ranklib::TARGET, lightgbm::TARGET, solr::TARGET, plugin::ELASTICSEARCH, plugin::OPENSEARCH, onnx::TARGET];

/// Rankers whose models can be written.
pub const SOURCES: &[ModelReader] = &[
    ModelReader::trees(LambdaMart::NAME),
    ModelReader::trees(Mart::NAME),
    ModelReader::trees(RandomForest::NAME),
    ModelReader::trees(RankBoost::NAME),
    ModelReader::linear(Linear::NAME),
    ModelReader::linear(L2Logistic::NAME),
    ModelReader::linear(RankSvm::NAME),
    ModelReader::linear(CoordinateAscent::NAME),
    ModelReader::linear(AdaRank::NAME),
    ModelReader { ranker: Feature::NAME, read: |model| serde_json::from_value::<FeatureModel>(model).map(Into::into) },
];

/// A program for which models are written.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// One line of help.
    pub summary: &'static str,
    /// The usual number of the first feature in such files.
    pub first_feature: u32,
    /// Whether features have names in the file.
    pub names: bool,
    /// Whether the file is binary.
    pub binary: bool,
    /// Whether trees have a side for missing values.
    knows_missing: bool,
    /// Whether the user gives the features to the program, and so can normalise the features of
    /// each query first.
    by_hand: bool,
    trees: fn(&Context<'_>, &[Tree], &mut Notes) -> Vec<u8>,
    linear: Option<WriteLinear>,
}

/// Writes a linear model of features that were scaled.
type WriteLinear = fn(&Context<'_>, &LinearModel, Option<&Scaling<'_>>, &mut Notes) -> Result<Vec<u8>, Refusal>;

/// Notes for the user of the file.
type Notes = Vec<String>;

/// How to read the model of a ranker for writing.
#[derive(Debug, Clone, Copy)]
pub struct ModelReader {
    /// The ranker's name.
    pub ranker: &'static str,
    /// Reads the model of a model file.
    pub read: fn(Value) -> Result<Exported, serde_json::Error>,
}

/// A model that can be written.
#[derive(Debug, Clone, PartialEq)]
pub enum Exported {
    /// Trees.
    Trees(TreeModel),
    /// Weights of features.
    Linear(LinearModel),
}

impl Exported {
    /// The same model for documents of `width` features, if this model sees `columns` of them only.
    ///
    /// # Errors
    /// If the columns do not fit the model.
    pub fn widened(self, columns: Option<&[usize]>, width: usize) -> Result<Self, String> {
        let Some(columns) = columns else { return Ok(self) };
        Ok(match self {
            Exported::Trees(model) => Exported::Trees(model.widened(columns, width)?),
            Exported::Linear(model) => Exported::Linear(model.widened(columns, width)?),
        })
    }
}

/// The data of a file other than the model.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The ranker of the model.
    pub ranker: &'a str,
    /// The name of the model, for programs that have names of models.
    pub name: &'a str,
    /// The number of the first feature.
    pub first: u32,
    /// Features a document.
    pub features: usize,
    /// The names of all features; `None` to use their numbers.
    pub names: Option<&'a [String]>,
    /// The policy for missing values in training, as in the header of the model file.
    pub missing: &'a str,
}

/// How the features of the training data were normalised.
#[derive(Clone, Copy)]
pub enum Normalised<'a> {
    /// Not normalised.
    No,
    /// Normalised over the documents of each query.
    ByQuery,
    /// Normalised by numbers from the training part.
    ByTraining(Scaling<'a>),
}

/// A normaliser that was fitted on the training part: (f(x) - centre) / spread of each feature.
#[derive(Clone, Copy)]
pub struct Scaling<'a> {
    /// The formula, for programs that have such normalisers.
    pub formula: Formula,
    /// Centre and spread of each feature. If the spread is 0, the feature becomes 0.
    pub scales: &'a [(f64, f64)],
    /// Maps a feature, by its number from 0, and a value to the normalised value. The function
    /// never falls as the value rises.
    pub value: &'a dyn Fn(usize, f32) -> f32,
}

/// The formula of a [`Scaling`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formula {
    /// f(x) = x, the centre is the least value and the spread the range.
    MinMax,
    /// f(x) = x, mean and standard deviation.
    ZScore,
    /// f(x) = sign(x) ln(1 + |x|), mean and standard deviation.
    LogZScore,
}

/// A file, and notes for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// Sentences without a full stop.
    pub notes: Vec<String>,
}

/// Why a model cannot be written for a program, with a way out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct Refusal {
    /// The property that the program cannot express.
    pub why: String,
    /// A way out for the user.
    pub help: String,
}

impl ModelReader {
    /// A ranker whose model is a [`TreeModel`].
    pub const fn trees(ranker: &'static str) -> Self {
        ModelReader { ranker, read: |model| serde_json::from_value(model).map(Exported::Trees) }
    }

    /// A ranker whose model is a [`LinearModel`].
    pub const fn linear(ranker: &'static str) -> Self {
        ModelReader { ranker, read: |model| serde_json::from_value(model).map(Exported::Linear) }
    }
}

impl From<FeatureModel> for Exported {
    fn from(model: FeatureModel) -> Self {
        Exported::Linear(model.into())
    }
}

impl Refusal {
    fn new(why: impl Into<String>, help: impl Into<String>) -> Self {
        Refusal { why: why.into(), help: help.into() }
    }
}

impl Target {
    /// The target of this name.
    pub fn find(name: &str) -> Option<&'static Target> {
        TARGETS.iter().find(|target| target.name == name)
    }

    /// The file of a model.
    ///
    /// # Errors
    /// [`Refusal`] if the program cannot express the model.
    pub fn write(
        &self,
        model: &Exported,
        context: &Context<'_>,
        normalised: Normalised<'_>,
    ) -> Result<Written, Refusal> {
        self.check_names(context)?;
        let mut notes = Vec::new();
        if context.missing == "query-min" {
            notes.push(
                "in training, a missing value became the least value of its query; do the same before the other program \
                 scores"
                    .to_owned(),
            );
        }
        let scaling = match normalised {
            Normalised::No => None,
            Normalised::ByTraining(scaling) => Some(scaling),
            Normalised::ByQuery if self.by_hand => {
                notes.push(
                    "the model was trained on features that were normalised within each query; normalise them before the \
                     other program scores"
                        .to_owned(),
                );
                None
            }
            Normalised::ByQuery => {
                return Err(Refusal::new(
                    format!(
                        "the features were normalised within each query, and {} sees one document at a time",
                        self.name
                    ),
                    "train with a normaliser over the training part (--normalise METHOD:train), or without a normaliser",
                ));
            }
        };
        let bytes = match model {
            Exported::Trees(model) => {
                let trees = plain(trees_with_base(model));
                let mut trees = trees.map_err(|what| {
                    Refusal::new(what, "train without zero_as_missing and without categorical features")
                })?;
                if !self.knows_missing && missing_differs(context, &trees) {
                    notes.push(format!(
                        "the model sends missing values to a side at each split; {} takes a missing value for 0",
                        self.name
                    ));
                }
                if let Some(scaling) = scaling {
                    trees = trees.iter().map(|tree| unscaled(tree, &scaling)).collect::<Result<_, _>>()?;
                    notes.push(
                        "the normaliser is in the thresholds: the other program takes features as they are".to_owned(),
                    );
                }
                (self.trees)(context, &trees, &mut notes)
            }
            Exported::Linear(model) => match self.linear {
                Some(write) => write(context, model, scaling.as_ref(), &mut notes)?,
                None => {
                    return Err(Refusal::new(
                        format!("{} has no linear models", self.name),
                        format!("formats with linear models: {}", names(|target| target.linear.is_some())),
                    ));
                }
            },
        };
        Ok(Written { bytes, notes })
    }

    fn check_names(&self, context: &Context<'_>) -> Result<(), Refusal> {
        let Some(given) = context.names else { return Ok(()) };
        if !self.names {
            let help = format!("formats with names: {}", names(|target| target.names));
            return Err(Refusal::new(format!("features have numbers, not names, in files of {}", self.name), help));
        }
        if given.len() != context.features {
            let why = format!(
                "the model has {}, but there are {}",
                counted(context.features, "feature"),
                counted(given.len(), "name")
            );
            return Err(Refusal::new(why, "give a name on each line, in the order of the features"));
        }
        let mut sorted: Vec<&String> = given.iter().collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Refusal::new(
                format!("two features are called `{}`", pair[0]),
                "give each feature a name of its own",
            ));
        }
        Ok(())
    }
}

/// The names of the targets that are so, for messages.
fn names(which: impl Fn(&Target) -> bool) -> String {
    let names: Vec<&str> = TARGETS.iter().filter(|target| which(target)).map(|target| target.name).collect();
    names.join(", ")
}

impl Context<'_> {
    /// How the file calls a feature that has number `feature` from 0.
    fn feature(&self, feature: u32) -> String {
        match self.names {
            Some(names) => names[feature as usize].clone(),
            None => self.number(feature).to_string(),
        }
    }

    /// The number that the file gives a feature that has number `feature` from 0.
    fn number(&self, feature: u32) -> u64 {
        u64::from(feature) + u64::from(self.first)
    }

    /// Whether a missing value goes left at a node. If the model was trained on zeros in place of
    /// missing values, it goes the way of zero.
    fn missing_left(&self, node: &Node) -> bool {
        if self.missing == "zero" { 0.0 <= node.threshold } else { node.missing_left }
    }
}

/// Whether the model decides about missing values, and at some node sends them another way than 0.
fn missing_differs(context: &Context<'_>, trees: &[Tree]) -> bool {
    let differs = |node: Node| node.missing_left != (0.0 <= node.threshold);
    context.missing == AS_TRAINED && trees.iter().flat_map(Tree::nodes).any(differs)
}

/// The trees of a model, with the base added to the first tree.
fn trees_with_base(model: &TreeModel) -> Vec<Tree> {
    let mut trees = model.trees().to_vec();
    match trees.first_mut() {
        Some(first) => first.values_mut().iter_mut().for_each(|value| *value += model.base()),
        None => trees.push(Tree::leaf(model.base())),
    }
    trees
}

/// The tree for raw features that decides as `tree` does for normalised features.
fn unscaled(tree: &Tree, scaling: &Scaling<'_>) -> Result<Tree, Refusal> {
    let altered = |what: String| Refusal::new(what, "the model file was altered: train it again");
    if !tree.cuts().is_empty() {
        return Err(altered("the model compares in f64, but has a normaliser, which gives f32".to_owned()));
    }
    let raw = |node: Node| {
        let feature = node.feature as usize;
        if scaling.scales.get(feature).is_none_or(|&(_, spread)| spread <= 0.0) {
            return Err(altered(format!("a tree splits feature {}, which the normaliser makes constant", feature + 1)));
        }
        Ok(Node { threshold: greatest(node.threshold, |value| (scaling.value)(feature, value)), ..node })
    };
    let nodes: Vec<Node> = tree.nodes().map(raw).collect::<Result<_, _>>()?;
    let raw = Tree::new(&nodes, tree.values().to_vec()).and_then(|raw| raw.with_covers_of(tree));
    raw.map_err(|error| altered(error.to_string()))
}

/// The greatest finite `f32` that `value` does not bring above `threshold`; an infinite threshold
/// stays.
fn greatest(threshold: f32, value: impl Fn(f32) -> f32) -> f32 {
    if threshold == f32::INFINITY {
        return threshold;
    }
    // Numbers as integers in the same order. The value of `low` is not above the threshold, the
    // value of `high` is.
    let (mut low, mut high) = (order(f32::MIN), order(f32::INFINITY));
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if value(from_order(middle)) <= threshold { low = middle } else { high = middle }
    }
    from_order(low)
}

/// A number that rises with `value`, by 1 from each `f32` to the next.
fn order(value: f32) -> i64 {
    let bits = i64::from(value.to_bits() & (u32::MAX >> 1));
    if value.is_sign_negative() { -bits } else { bits }
}

/// The inverse of [`order`].
fn from_order(order: i64) -> f32 {
    let value = f32::from_bits(order.unsigned_abs() as u32);
    if order < 0 { -value } else { value }
}

/// The features that trees cut, in rising order. If trees cut no feature, the first feature, since
/// some programs need a feature.
fn used(trees: &[Tree]) -> Vec<u32> {
    let mut used: Vec<u32> = trees.iter().flat_map(Tree::nodes).map(|node| node.feature).collect();
    used.sort_unstable();
    used.dedup();
    if used.is_empty() { vec![0] } else { used }
}

/// The features with a weight that is not 0, and their weights. If all weights are 0, the first
/// feature.
fn weighed(model: &LinearModel, scaling: Option<&Scaling<'_>>) -> Vec<(u32, f64)> {
    let constant = |feature: usize| scaling.is_some_and(|scaling| scaling.scales[feature].1 <= 0.0);
    let all = model.weights.iter().enumerate();
    let mut weighed: Vec<(u32, f64)> = all
        .filter(|&(feature, &weight)| weight != 0.0 && !constant(feature))
        .map(|(feature, &weight)| (feature as u32, weight))
        .collect();
    if weighed.is_empty() {
        weighed.push((0, 0.0));
    }
    weighed
}

/// Adds a note if the model has an intercept, for programs without a place for it.
fn without_intercept(model: &LinearModel, notes: &mut Notes) {
    if model.intercept != 0.0 {
        notes.push(format!(
            "the other program has no place for the intercept {0}: all scores are lower by {0}, and rankings are the same",
            model.intercept
        ));
    }
}

/// Refuses a formula that a program lacks.
fn without_logarithm(target: &Target, scaling: Option<&Scaling<'_>>) -> Result<(), Refusal> {
    match scaling {
        Some(scaling) if scaling.formula == Formula::LogZScore => Err(Refusal::new(
            format!(
                "{} has no logarithm in its normalisers, but a linear model of log-z-score needs a logarithm",
                target.name
            ),
            "train with min-max:train or z-score:train, or write the model as onnx, which has logarithms",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_order() {
        for value in [f32::MIN, -1.5, -f32::from_bits(1), 0.0, f32::from_bits(1), 0.1, f32::MAX, f32::INFINITY] {
            assert_eq!(from_order(order(value)), value);
            if value < f32::INFINITY {
                assert_eq!(from_order(order(value) + 1), value.next_up(), "{value}");
            }
        }
        assert_eq!(order(-0.0), order(0.0));
    }

    #[test]
    fn the_greatest_value_that_is_not_above_is_found() {
        assert_eq!(greatest(0.3, |value| value), 0.3);
        let scaled = |value: f32| ((f64::from(value) - 3.0) / 7.0) as f32;
        for threshold in [-0.4f32, 0.0, 1e-20, 0.123_456_7, 5.0, 1e30] {
            let found = greatest(threshold, scaled);
            assert!(scaled(found) <= threshold && scaled(found.next_up()) > threshold, "{threshold}: {found}");
        }
        assert_eq!(greatest(f32::INFINITY, scaled), f32::INFINITY);
        assert_eq!((greatest(2.0, |_| 1.0), greatest(0.5, |_| 1.0)), (f32::MAX, f32::MIN));
    }
}

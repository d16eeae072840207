//! What a ranker crate sees of fivefold: data sets, the [`Ranker`] and [`Model`] traits, the registry, seeds.
//!
//! Reading order: [`dataset`] (what a ranker learns from), [`ranker`] (the two traits and what `fit` is given),
//! [`registry`] (how a name in an experiment file becomes a ranker), [`params`] (how its parameters are checked),
//! [`model_file`] (how a model is saved), [`seed`] (where randomness comes from).
//!
//! What texts and comparisons of all crates share: [`words`] (a count with its noun), [`rounding`] (which numbers are equal),
//! [`printable`].
//!
//! Module `conformance` (a feature, for tests) is what every ranker must do.
//!
//! Nothing here reads or writes files, but for the golden models of `conformance`.

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod dataset;
pub mod model_file;
pub mod params;
pub mod printable;
pub mod ranker;
pub mod registry;
pub mod rounding;
pub mod seed;
pub mod words;

pub use dataset::{Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use model_file::{ModelFile, ModelFileError, ModelHeader};
pub use params::{ParamError, ParamInfo, Preset};
pub use ranker::{FitContext, FitError, Model, ParamHelp, Progress, Ranker, ValueCodes};
pub use registry::{Code, DynModel, DynRanker, RankerEntry, Registry};
pub use seed::{Rng, Seed};

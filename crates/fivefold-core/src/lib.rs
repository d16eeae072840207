//! What a ranker crate sees of fivefold: data sets, the [`Ranker`] and [`Model`] traits, the registry, seeds.
//!
//! Reading order: [`dataset`] (what a ranker learns from), [`ranker`] (the two traits and what `fit` is given),
//! [`registry`] (how a name in an experiment file becomes a ranker), [`params`] (how its parameters are checked),
//! [`model_file`] (how a model is saved), [`seed`] (where randomness comes from).
//!
//! Module `conformance` (a feature, for tests) is what every ranker must do.
//!
//! Nothing here reads or writes files, but for the golden models of `conformance`.

#[cfg(feature = "conformance")]
pub mod conformance;
pub mod model_file;
pub mod params;
pub mod ranker;
pub mod registry;

pub use fivefold_base::dataset::{self, Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use fivefold_base::seed::{self, Rng, Seed};
pub use model_file::{ModelFile, ModelFileError, ModelHeader};
pub use params::{ParamError, ParamInfo, Preset};
pub use ranker::{FitContext, FitError, Model, ParamHelp, Progress, Ranker, ValueCodes};
pub use registry::{Absent, Code, DynModel, DynRanker, RankerEntry, Registry};

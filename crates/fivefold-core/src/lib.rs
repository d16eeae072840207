#![doc = include_str!("../README.md")]

pub mod checkpoint;
mod chosen;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod model_file;
pub mod params;
pub mod ranker;
pub mod registry;

pub use checkpoint::Checkpoints;
pub use fivefold_base::dataset::{self, Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use fivefold_base::grades::{self, GradeError, GradeScale, Grades};
pub use fivefold_base::renamed::{self, Renamed};
pub use fivefold_base::seed::{self, Rng, Seed};
pub use model_file::{ModelFile, ModelFileError, ModelHeader};
pub use params::{ParamError, Preset};
pub use ranker::{FitContext, FitError, Model, ParamHelp, Progress, Ranker};
pub use registry::{Absent, RankerEntry, Registry};

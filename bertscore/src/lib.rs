#![doc = include_str!("../README.md")]

mod config;
mod counts;
mod error;
mod evaluate;
mod expected;
mod heat_map;
mod heterogeneity;
mod lanes;
mod layers;
mod model;
mod options;
mod output;
mod program;
mod score;
mod settings;
mod tokens;

pub use config::Config;
pub use counts::Counts;
pub use error::BertScoreError;
pub use evaluate::{Evaluation, Evaluator, Value};
pub use expected::Expected;
pub use heat_map::HeatMap;
pub use heterogeneity::{Group, Heterogeneity, groups};
pub use model::{Model, States};
pub use options::Options;
pub use program::run;
pub use score::{Baseline, Idf, Scores, Special};
pub use settings::{References, Settings};
pub use tokens::Tokens;

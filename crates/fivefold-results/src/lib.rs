#![doc = include_str!("../README.md")]

pub mod checksum;
mod claims;
pub mod code;
pub mod config;
pub mod freedom;
pub mod guard_facts;
pub mod labels;
mod learnt;
pub mod lock;
pub mod log;
pub mod manifest;
pub mod owner;
pub mod paths;
pub mod program;
pub mod results;
mod selection;
pub mod store;
pub mod test_queries;
mod tuning;
pub mod values;

pub use config::{ConfigError, Experiment};
pub use manifest::Manifest;
pub use results::Results;

#![doc = include_str!("../README.md")]

pub mod checksum;
pub mod code;
pub mod config;
pub mod freedom;
pub mod guards;
mod labels;
pub mod lock;
pub mod log;
pub mod manifest;
pub mod owner;
pub mod paths;
pub mod results;
pub mod store;
pub mod test_queries;
pub mod values;

pub use code::{KnownBy, trusted};
pub use config::{ConfigError, Experiment};
pub use freedom::Freedom;
pub use guards::GuardFact;
pub use labels::file_name;
pub use lock::{FolderLock, LockMode};
pub use log::RunLog;
pub use manifest::Manifest;
pub use owner::{Claim, Standing};
pub use results::Results;
pub use test_queries::TestQueries;

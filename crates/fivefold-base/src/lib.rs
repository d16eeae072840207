#![doc = include_str!("../README.md")]

pub mod dataset;
pub mod printable;
pub mod renamed;
pub mod rounding;
pub mod seed;
pub mod words;

pub use dataset::{Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use seed::{Rng, Seed};

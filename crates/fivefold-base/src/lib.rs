#![doc = include_str!("../README.md")]

pub mod dataset;
pub mod grades;
pub mod printable;
pub mod renamed;
pub mod rounding;
pub mod seed;
pub mod ue;
pub mod words;

pub use dataset::{Dataset, DatasetBuilder, DatasetError, JudgedQuery, QueryView};
pub use grades::{Assessment, GradeError, GradeScale, Grades, HIGHEST_GRADE};
pub use seed::{Rng, Seed};
pub use ue::Version;

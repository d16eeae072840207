#![doc = include_str!("../README.md")]

pub mod corpus;
mod document;
pub mod error;
pub mod evaluate;
mod expected;
mod lcs;
pub mod measure;
mod ngrams;
pub mod one_text;
pub mod porter;
mod score;
pub mod settings;
mod slots;
mod texts;
pub mod tokens;
pub mod values;

pub use corpus::{Corpus, Document};
pub use error::TextError;
pub use evaluate::evaluate;
pub use fivefold_base::{Seed, Version};
pub use measure::TextMeasure;
pub use one_text::value;
pub use porter::stem;
pub use settings::{Metric, PARAMS, Settings};
pub use tokens::tokens;
pub use values::{Column, TextCounts, TextValues};

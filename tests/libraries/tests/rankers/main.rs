//! Tests of the built-in rankers.
#![allow(clippy::unwrap_used)] // a test

mod altered_models;
mod contract;
mod exchange;
mod export;
mod mq2008;
mod rank_svm;

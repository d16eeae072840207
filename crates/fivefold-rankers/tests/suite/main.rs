//! The tests of the rankers' crate from outside, in one binary: each further binary would compile
//! the rankers' generic code once more.
#![allow(clippy::unwrap_used)] // a test

mod altered_models;
mod exchange;
mod export;
mod mq2008;
mod rank_svm;

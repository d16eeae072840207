//! The tests of the rankers' crate from outside, in one binary: each further binary would compile
//! the rankers' generic code once more.

mod altered_models;
mod exchange;
mod export;
mod mq2008;

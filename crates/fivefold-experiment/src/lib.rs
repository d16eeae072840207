#![doc = include_str!("../README.md")]

mod checkpoints;
mod command;
mod confine;
mod crew;
mod error;
mod evaluate;
mod filter;
mod forward;
mod fused;
pub mod job;
mod kept;
pub mod leaks;
mod observer;
pub mod plan;
mod processes;
pub mod reuse;
pub mod run;
mod schedule;
pub mod scoring;
pub mod tuned;
pub mod verify;
mod weights;
mod work;
pub mod worker;

pub use checkpoints::CHECKPOINT_EVERY;
pub use error::RunError;
pub use filter::JobFilter;
pub use observer::{JobEnd, Observer};
pub use plan::{Job, Plan};
pub use run::{JobState, RunOptions, RunOutcome, job_states, run};
pub use verify::{Verification, VerifyOptions, verify};

//! The engine: from an experiment to a results folder. It knows a registry of rankers, never a ranker.
//!
//! Reading order: [`plan`] (the jobs of an experiment and their keys), [`job`] (one job; `command`: by a program of another language;
//! `confine`: what that reaches; `worker`: in a process of its own), [`reuse`] (what is in the folder already), [`mod@run`] (all
//! jobs, then the evaluation), [`mod@verify`] (all of it derived again).

mod command;
mod confine;
mod error;
mod evaluate;
mod filter;
pub mod job;
mod kept;
pub mod leaks;
mod observer;
pub mod plan;
mod processes;
pub mod reuse;
pub mod run;
mod schedule;
mod scoring;
pub mod verify;
mod walls;
mod work;
pub mod worker;

pub use error::RunError;
pub use filter::Only;
pub use job::JobEnd;
pub use observer::{Observer, Silent};
pub use plan::{Job, Plan};
pub use reuse::{CacheReport, Change, EvaluationState, Reuse, explain_cache};
pub use run::{JobState, RunOptions, RunOutcome, check_plan, job_states, run};
pub use scoring::{NotFinite, score, score_codes, scores_text};
pub use verify::{Verification, VerifyOptions, verify};
pub use walls::Lacks;
pub use worker::Worker;

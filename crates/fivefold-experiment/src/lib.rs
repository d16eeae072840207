//! From an experiment file to a results folder: plan, jobs, cache, evaluation and tables.
//!
//! Reading order: [`config`] (what an experiment file says), [`plan`] (its jobs and their keys), [`code`] (by what a key knows code), [`job`] (one job; `command`: by a program of another language; `confine`: what that reaches; `worker`: in a process of its own),
//! [`store`] (the results folder), [`reuse`] (what is in it already), [`mod@run`] (all jobs, then the evaluation), [`results`] (a folder read back),
//! [`evaluation`], [`table`], [`chart`] and [`diagram`] (the values and the forms of what is computed from them), [`tables`] (the paper's tables),
//! [`replay`] (published tables recomputed from published scores).

pub mod chart;
pub mod code;
mod command;
pub mod compared;
pub mod config;
mod confine;
pub mod diagram;
pub mod difference_test;
mod evaluate;
pub mod evaluation;
mod filter;
pub mod job;
mod kept;
pub mod leaks;
pub mod lock;
mod log;
pub mod manifest;
mod names;
pub mod owner;
pub mod p_value;
pub mod page;
pub mod plan;
mod processes;
pub mod replay;
pub mod results;
pub mod reuse;
pub mod run;
mod schedule;
mod scoring;
pub mod seal;
pub mod store;
pub mod table;
pub mod tables;
mod test_queries;
mod values;
pub mod verify;
mod work;
pub mod worker;

pub use chart::Chart;
pub use code::{KnownBy, trusted};
pub use compared::Compared;
pub use config::{ConfigError, Experiment};
pub use confine::{Freedom, Lacks};
pub use diagram::Diagram;
pub use difference_test::{DifferenceTest, HowFound};
pub use evaluation::{DatasetValues, DocumentSet, Evaluation, QueryInfo};
pub use filter::Only;
pub use job::JobEnd;
pub use leaks::{GuardFact, STAMP};
pub use lock::{FolderLock, Hold};
pub use log::RunLog;
pub use manifest::Manifest;
pub use names::{file_name, number_equal, slug};
pub use owner::{Claim, Standing};
pub use page::PageData;
pub use plan::{Job, Plan};
pub use results::Results;
pub use reuse::{CacheReport, Change, EvaluationState, Reuse, explain_cache};
pub use run::{JobState, Observer, Outcome, RunError, RunOptions, Silent, check_plan, job_states, run};
pub use scoring::{NotFinite, score, score_codes, scores_text};
pub use table::{Cell, Table};
pub use test_queries::TestQueries;
pub use verify::{Verification, VerifyOptions, verify};
pub use worker::Worker;

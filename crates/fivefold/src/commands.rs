//! One file a command: its options, its help, what it does.

mod cases;
pub(crate) mod completions;
pub(crate) mod converge;
pub(crate) mod datasets;
pub(crate) mod dialects;
pub(crate) mod diff;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod importance;
pub(crate) mod job;
pub(crate) mod jobs;
pub(crate) mod lint;
pub(crate) mod make;
pub(crate) mod measures;
pub(crate) mod meta;
pub(crate) mod new_ranker;
pub(crate) mod rankers;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod residual;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod standardise;
pub(crate) mod train;

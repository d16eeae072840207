//! The fivefold command line as a library. With it, a program that adds its own rankers is one line
//! long.
//!
//! ```no_run
//! # use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker};
//! # #[derive(Default, serde::Serialize, serde::Deserialize)]
//! # struct MyRanker {}
//! # #[derive(serde::Serialize, serde::Deserialize)]
//! # struct MyModel;
//! # impl Model for MyModel {
//! #     fn score(&self, _: QueryView<'_>, out: &mut [f64]) { out.fill(0.0) }
//! # }
//! # impl Ranker for MyRanker {
//! #     const NAME: &'static str = "mine";
//! #     type Model = MyModel;
//! #     fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<MyModel, FitError> { Ok(MyModel) }
//! # }
//! fn main() -> std::process::ExitCode {
//!     fivefold::main_with(fivefold::builtin().with::<MyRanker>())
//! }
//! ```
//! `examples/my_ranker.rs` shows a complete ranker. Reading order: `cli` (the commands and their
//! common options), `commands` (one file for each command), `screen` (output), `problem` (errors),
//! `interrupt` (signals), `crash` (bugs).

mod adapters;
mod cache;
mod cli;
mod cluster;
mod commands;
mod conventions;
mod crash;
mod data_dir;
mod estimate;
mod exit;
mod experiment;
mod feature_names;
mod files;
mod format;
mod interrupt;
mod labels;
mod limits;
mod measure_list;
mod memory;
mod model;
mod normaliser;
mod old_words;
mod outputs;
mod problem;
mod progress;
mod published;
mod reading;
mod reasons;
mod results_folder;
mod run_bars;
mod screen;
mod shipped;
mod study;
mod systems;
mod table_choice;
mod threads;
mod trec_eval_options;

use std::process::ExitCode;

use fivefold_core::Registry;
use fivefold_experiment::worker::Worker;
use fivefold_results::program;
pub use fivefold_results::program::Hosted;

/// The rankers that come with fivefold: the built-in rankers and, with the feature `adapters`, the
/// rankers of linfa and smartcore.
pub fn builtin() -> Registry {
    Registry::new(&[fivefold_rankers::RANKERS, adapters::RANKERS]).without(adapters::NAMES)
}

/// Runs the command line with these rankers. The exit codes are:
///
/// - 0: all is well;
/// - 1: a job or a check of the experiment failed;
/// - 2: the user's request cannot be done (wrong option, file or key);
/// - 70: a bug;
/// - 75: within an allocation of a scheduler, the program was stopped or the folder is in use: begin
///   the task again;
/// - 130: Ctrl-C stopped the program; 143: SIGTERM stopped the program.
pub fn main_with(registry: Registry) -> ExitCode {
    ExitCode::from(code_of(&registry))
}

/// As [`main_with`], where another executable holds the program; returns the exit code.
pub fn main_hosted(registry: &Registry, hosted: Hosted) -> u8 {
    program::host(hosted);
    code_of(registry)
}

/// The command line with all its commands and options, from which pages of the book are made.
pub fn command_line() -> clap::Command {
    cli::command()
}

fn code_of(registry: &Registry) -> u8 {
    crash::guard(|| {
        interrupt::take_file_limits_for_errors();
        match program::arguments().get(1..) {
            // This process was started by a run of the same program.
            Some([first, rest @ ..]) if first == Worker::COMMAND => Worker::serve(registry, rest),
            _ => cli::run(registry),
        }
    })
}

//! Each command has one file, with its options, its help and its code. A new command needs a
//! module, and an entry in the list at the end of this file.

mod book;
mod cancel;
mod cases;
mod compare;
mod completions;
mod converge;
mod correlate;
mod datasets;
mod dialects;
mod diff;
mod eval;
mod explain;
mod export;
mod fuse;
mod import;
mod importance;
mod job;
mod jobs;
mod lab;
mod lint;
mod listing;
mod make;
mod measures;
mod new_ranker;
mod playground;
mod rankers;
mod rbo;
mod replay;
mod report;
mod reproduce;
mod residual;
mod resubmit;
mod run;
mod score;
mod standardise;
mod status;
mod submit;
mod task;
mod topics;
mod train;
mod tune;
mod verify;

use clap::Subcommand;
use fivefold_core::Registry;

use crate::exit::Exit;
use crate::screen::Screen;

/// Makes the list of commands. An entry says what the command does, its variant, its name, its module, and
/// what it takes.
macro_rules! commands {
    ($registry:ident, $screen:ident, {
        $($(#[doc = $about:literal])+ $(#[command(hide = $hide:literal)])?
        $name:ident($word:literal, $module:ident: $($takes:ident),+),)+
    }) => {
        /// The commands, in the order of the help.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $(#[command(name = $word)] $name($module::Args),)+
        }

        impl Command {
            /// Runs the command.
            pub(crate) fn run(self, $registry: &Registry, $screen: &mut Screen) -> miette::Result<Exit> {
                match self {
                    $(Command::$name(args) => args.run($($takes),+),)+
                }
            }

            /// The outlines of the commands, in the order of the help.
            const OUTLINES: &[Outline] = &[
                $(Outline {
                    name: $word,
                    about: concat!($($about),+),
                    is_hidden: false $(|| $hide)?,
                    // The options that commands share have docs of their own, which are not what the command does.
                    complete: |to| {
                        let about = concat!($($about),+).trim_start();
                        <$module::Args as clap::Args>::augment_args(to).about(about).long_about(None::<&str>)
                    },
                },)+
            ];

            /// Adds the commands of these names. Each is complete after `with` has called the function that it is given.
            pub(crate) fn add(
                to: clap::Command,
                is_asked: impl Fn(&str) -> bool,
                with: fn(clap::Command, Complete) -> clap::Command,
            ) -> clap::Command {
                to.subcommands(Self::OUTLINES.iter().filter(|outline| is_asked(outline.name)).map(|outline| {
                    let Outline { name, about, is_hidden, complete } = *outline;
                    with(clap::Command::new(name).about(about.trim_start()).hide(is_hidden), complete)
                }))
            }
        }
    };
}

/// Defines the options of a command.
pub(crate) type Complete = fn(clap::Command) -> clap::Command;

/// What the help of the whole program says of a command, and how to define the rest.
struct Outline {
    name: &'static str,
    about: &'static str,
    is_hidden: bool,
    complete: Complete,
}

commands!(registry, screen, {
    /// Run an experiment: train, score, evaluate, show who is best and write the tables
    Run("run", run: registry, screen),
    /// List the jobs of an experiment (data set x fold x ranker) and their state
    Jobs("jobs", jobs: registry, screen),
    /// Run some jobs of an experiment
    Job("job", job: registry, screen),
    /// Hand the jobs of an experiment to a Slurm cluster
    Submit("submit", submit: registry, screen),
    /// Show how far a submission is: done, running, waiting and failed jobs
    Status("status", status: screen),
    /// Hand in again what a submission did not finish
    Resubmit("resubmit", resubmit: registry, screen),
    /// Take back the tasks of a submission; finished jobs stay
    Cancel("cancel", cancel: screen),
    /// Do a task of a submission; the scripts of `fivefold submit` run it
    #[command(hide = true)]
    Task("task", task: registry, screen),
    /// Print the tables of a results folder
    Report("report", report: screen),
    /// Check a results folder: derive everything in it again, and compare
    Verify("verify", verify: registry, screen),
    /// Train one model
    Train("train", train: registry, screen),
    /// Search for the parameters of one ranker, and keep the best model
    Tune("tune", tune: registry, screen),
    /// Score the documents of a LETOR file with a saved model
    Score("score", score: registry, screen),
    /// Show how much a model uses each feature
    Importance("importance", importance: registry, screen),
    /// Write a model for RankLib, LightGBM, Solr, Elasticsearch, OpenSearch or ONNX
    Export("export", export: screen),
    /// Read a model that RankLib or LightGBM wrote
    Import("import", import: registry, screen),
    /// Measure score files against the grades of a LETOR file, or TREC runs against qrels
    Eval("eval", eval: screen),
    /// Combine TREC runs into one run
    Fuse("fuse", fuse: screen),
    /// Report the problems and the content of data files
    Lint("lint", lint: screen),
    /// List the rankers, or show one ranker's parameters and presets
    Rankers("rankers", rankers: registry, screen),
    /// Write a crate with a ranker of your own, its test, an experiment and a bench
    NewRanker("new-ranker", new_ranker: registry, screen),
    /// List the measures, or explain a measure: formula, source, parameters
    Measures("measures", measures: screen),
    /// List the dialects, or show the conventions of a dialect
    Dialects("dialects", dialects: screen),
    /// Compare two dialects on the same scores, two score files, runs or results folders
    Diff("diff", diff: screen),
    /// Show the whole arithmetic of one query's value, or why a model scores a document as it does
    Explain("explain", explain: registry, screen),
    /// Write a page where you move documents and see each measure change
    Playground("playground", playground: screen),
    /// List the known collections and where to get them
    Datasets("datasets", datasets: screen),
    /// Write a synthetic collection as LETOR files, in five folds
    Make("make", make: screen),
    /// Recompute a paper's derived tables from its printed scores, cell by cell
    Replay("replay", replay: screen),
    /// Compare a run with a paper's printed tables: the difference of every cell, and which
    /// conclusions of the paper hold
    Reproduce("reproduce", reproduce: registry, screen),
    /// Compare systems by anyone's per-query scores: tests, effect sizes, power, and measures
    /// against each other
    Compare("compare", compare: screen),
    /// Correlate measures with people's ratings: three levels, intervals and tests of the
    /// difference to the original measure, agreement of the raters
    Correlate("correlate", correlate: screen),
    /// Compare the rankings of runs with each other: rank-biased overlap (RBO), without judgements
    Rbo("rbo", rbo: screen),
    /// Say how many queries a paired t-test needs, and its power on the queries at hand
    Topics("topics", topics: screen),
    /// Measure the gain of each system over systems that the user has already seen (normalised
    /// residual gain)
    Residual("residual", residual: screen),
    /// Standardise scores by each query's mean and deviation over systems, and compare the result
    /// with U- and UE-normalised scores
    Standardise("standardise", standardise: screen),
    /// Follow measures as the number of documents grows: curves, limits, and how often rankers
    /// change places
    Converge("converge", converge: screen),
    /// List the pages of the book, or show a page
    Book("book", book: screen),
    /// List the labs of a course, write one for a student, or grade what comes back
    Lab("lab", lab: screen),
    /// Print a completion script for a shell
    Completions("completions", completions: screen),
});

//! Each command has one file, with its options, its help and its code. A new command needs a
//! module, a line in [`Command`] and an arm in `Command::run`.

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

/// Makes the list of commands from a line for each: its variant, its name, its module, and what it takes.
macro_rules! commands {
    ($registry:ident, $screen:ident, { $($(#[$meta:meta])* $name:ident($word:literal, $module:ident: $($takes:ident),+),)+ }) => {
        /// The commands, in the order of the help.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($(#[$meta])* #[command(name = $word)] $name($module::Args),)+
        }

        impl Command {
            /// Runs the command.
            pub(crate) fn run(self, $registry: &Registry, $screen: &mut Screen) -> miette::Result<Exit> {
                match self {
                    $(Command::$name(args) => args.run($($takes),+),)+
                }
            }

            /// Adds the command of this name alone. To define all commands takes longer than some
            /// commands take.
            pub(crate) fn add_one(to: clap::Command, name: &str) -> Option<clap::Command> {
                let with = |augment: fn(clap::Command) -> clap::Command, word: &'static str| {
                    to.subcommand(augment(clap::Command::new(word)))
                };
                match name {
                    $($word => Some(with(<$module::Args as clap::Args>::augment_args, $word)),)+
                    _ => None,
                }
            }
        }
    };
}

commands!(registry, screen, {
    Run("run", run: registry, screen),
    Jobs("jobs", jobs: registry, screen),
    Job("job", job: registry, screen),
    Submit("submit", submit: registry, screen),
    Status("status", status: screen),
    Resubmit("resubmit", resubmit: registry, screen),
    Cancel("cancel", cancel: screen),
    #[command(hide = true)]
    Task("task", task: registry, screen),
    Report("report", report: screen),
    Verify("verify", verify: registry, screen),
    Train("train", train: registry, screen),
    Tune("tune", tune: registry, screen),
    Score("score", score: registry, screen),
    Importance("importance", importance: registry, screen),
    Export("export", export: screen),
    Import("import", import: registry, screen),
    Eval("eval", eval: screen),
    Fuse("fuse", fuse: screen),
    Lint("lint", lint: screen),
    Rankers("rankers", rankers: registry, screen),
    NewRanker("new-ranker", new_ranker: registry, screen),
    Measures("measures", measures: screen),
    Dialects("dialects", dialects: screen),
    Diff("diff", diff: screen),
    Explain("explain", explain: registry, screen),
    Playground("playground", playground: screen),
    Datasets("datasets", datasets: screen),
    Make("make", make: screen),
    Replay("replay", replay: screen),
    Reproduce("reproduce", reproduce: registry, screen),
    Compare("compare", compare: screen),
    Correlate("correlate", correlate: screen),
    Rbo("rbo", rbo: screen),
    Topics("topics", topics: screen),
    Residual("residual", residual: screen),
    Standardise("standardise", standardise: screen),
    Converge("converge", converge: screen),
    Book("book", book: screen),
    Lab("lab", lab: screen),
    Completions("completions", completions: screen),
});

//! Each command has one file, with its options, its help and its code. A new command needs a
//! module, a line in [`Command`] and an arm in `Command::run`.

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
mod lint;
mod listing;
mod make;
mod measures;
mod new_ranker;
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

/// Makes the list of commands from a line for each: its name, its module, and what it takes.
macro_rules! commands {
    ($registry:ident, $screen:ident, { $($(#[$meta:meta])* $name:ident($module:ident: $($takes:ident),+),)+ }) => {
        /// The commands, in the order of the help.
        #[derive(Subcommand)]
        pub(crate) enum Command {
            $($(#[$meta])* $name($module::Args),)+
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
                $(if name == stringify!($module).replace('_', "-") {
                    let own = clap::Command::new(name.to_owned());
                    return Some(to.subcommand(<$module::Args as clap::Args>::augment_args(own)));
                })+
                None
            }
        }
    };
}

commands!(registry, screen, {
    Run(run: registry, screen),
    Jobs(jobs: registry, screen),
    Job(job: registry, screen),
    Submit(submit: registry, screen),
    Status(status: screen),
    Resubmit(resubmit: registry, screen),
    Cancel(cancel: screen),
    #[command(hide = true)]
    Task(task: registry, screen),
    Report(report: screen),
    Verify(verify: registry, screen),
    Train(train: registry, screen),
    Tune(tune: registry, screen),
    Score(score: registry, screen),
    Importance(importance: registry, screen),
    Export(export: screen),
    Import(import: registry, screen),
    Eval(eval: screen),
    Fuse(fuse: screen),
    Lint(lint: screen),
    Rankers(rankers: registry, screen),
    NewRanker(new_ranker: registry, screen),
    Measures(measures: screen),
    Dialects(dialects: screen),
    Diff(diff: screen),
    Explain(explain: registry, screen),
    Datasets(datasets: screen),
    Make(make: screen),
    Replay(replay: screen),
    Reproduce(reproduce: registry, screen),
    Compare(compare: screen),
    Correlate(correlate: screen),
    Rbo(rbo: screen),
    Topics(topics: screen),
    Residual(residual: screen),
    Standardise(standardise: screen),
    Converge(converge: screen),
    Completions(completions: screen),
});

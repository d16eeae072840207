//! Each command has one file, with its options, its help and its code. A new command needs a
//! module, a line in [`Command`] and an arm in `Command::run`.

mod cancel;
mod cases;
mod compare;
mod completions;
mod converge;
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

/// The commands, in the order of the help.
#[derive(Subcommand)]
pub(crate) enum Command {
    Run(run::Args),
    Jobs(jobs::Args),
    Job(job::Args),
    Submit(submit::Args),
    Status(status::Args),
    Resubmit(resubmit::Args),
    Cancel(cancel::Args),
    #[command(hide = true)]
    Task(task::Args),
    Report(report::Args),
    Verify(verify::Args),
    Train(train::Args),
    Tune(tune::Args),
    Score(score::Args),
    Importance(importance::Args),
    Export(export::Args),
    Import(import::Args),
    Eval(eval::Args),
    Fuse(fuse::Args),
    Lint(lint::Args),
    Rankers(rankers::Args),
    NewRanker(new_ranker::Args),
    Measures(measures::Args),
    Dialects(dialects::Args),
    Diff(diff::Args),
    Explain(explain::Args),
    Datasets(datasets::Args),
    Make(make::Args),
    Replay(replay::Args),
    Reproduce(reproduce::Args),
    Compare(compare::Args),
    Rbo(rbo::Args),
    Topics(topics::Args),
    Residual(residual::Args),
    Standardise(standardise::Args),
    Converge(converge::Args),
    Completions(completions::Args),
}

impl Command {
    /// Runs the command.
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        match self {
            Command::Run(args) => args.run(registry, screen),
            Command::Jobs(args) => args.run(registry, screen),
            Command::Job(args) => args.run(registry, screen),
            Command::Submit(args) => args.run(registry, screen),
            Command::Status(args) => args.run(screen),
            Command::Resubmit(args) => args.run(registry, screen),
            Command::Cancel(args) => args.run(screen),
            Command::Task(args) => args.run(registry, screen),
            Command::Report(args) => args.run(screen),
            Command::Verify(args) => args.run(registry, screen),
            Command::Train(args) => args.run(registry, screen),
            Command::Tune(args) => args.run(registry, screen),
            Command::Score(args) => args.run(registry, screen),
            Command::Importance(args) => args.run(registry, screen),
            Command::Export(args) => args.run(screen),
            Command::Import(args) => args.run(registry, screen),
            Command::Eval(args) => args.run(screen),
            Command::Fuse(args) => args.run(screen),
            Command::Lint(args) => args.run(screen),
            Command::Rankers(args) => args.run(registry, screen),
            Command::NewRanker(args) => args.run(registry, screen),
            Command::Measures(args) => args.run(screen),
            Command::Dialects(args) => args.run(screen),
            Command::Diff(args) => args.run(screen),
            Command::Explain(args) => args.run(registry, screen),
            Command::Datasets(args) => args.run(screen),
            Command::Make(args) => args.run(screen),
            Command::Replay(args) => args.run(screen),
            Command::Reproduce(args) => args.run(registry, screen),
            Command::Compare(args) => args.run(screen),
            Command::Rbo(args) => args.run(screen),
            Command::Topics(args) => args.run(screen),
            Command::Residual(args) => args.run(screen),
            Command::Standardise(args) => args.run(screen),
            Command::Converge(args) => args.run(screen),
            Command::Completions(args) => args.run(screen),
        }
    }
}

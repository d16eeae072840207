//! `fivefold resubmit`: hands in again what a submission did not finish.

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_experiment::{JobFilter, Plan};

use crate::cluster::rounds::{Look, State};
use crate::cluster::shell;
use crate::cluster::slurm::Queue;
use crate::cluster::submission::{Engine, Submission};
use crate::commands::task;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold resubmit runs/my
  fivefold resubmit runs/my --failed        also the jobs that failed by themselves

The tasks of a submission hand in what is left by themselves. This command is for what they left: jobs \
that were cancelled, that ended too often without a result, or whose cluster forbids a task to hand in \
others. It also hands in the rest of a round that sbatch took by half. If no job is left, the command evaluates.")]
pub(crate) struct Args {
    /// The results folder, or the folder of the submission
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Also try again the jobs that failed by themselves
    #[arg(long)]
    failed: bool,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let submission = Submission::open(&self.folder)?;
        let tasks = submission.tasks()?;
        let mut queue = if tasks.is_empty() { Queue::default() } else { Queue::must_answer()? };
        // A round that was handed in by half has no collector, and is mended while its tasks run.
        let is_half = submission.rows()?.iter().any(|row| row.round > task::last_whole_round(&tasks));
        if !is_half && tasks.iter().any(|task| queue.is_active(&task.id)) {
            let help = "`fivefold status` shows the tasks; `fivefold cancel` takes them back";
            return Err(Problem::new("tasks of this submission wait or run").help(help).into());
        }
        let failed = self.failed;
        let fresh = move |state: &mut State| state.begin_anew(failed);
        if submission.settings.engine != Engine::Slurm {
            let experiment = submission.settings.load(registry)?;
            let plan = Plan::new(&experiment, &JobFilter::All)?;
            let mut state = State::of(&submission, &plan, registry, submission.rows()?, None, Look::Files)?;
            fresh(&mut state);
            shell::write(&submission, &mut state)?;
            let script = if submission.settings.engine == Engine::Hq { "python3 hq.py" } else { "bash run.sh" };
            screen.line(format_args!("written, in {}: {script}", submission.folder.display()));
            return Ok(Exit::Done);
        }
        if task::advance(&submission, &mut queue, true, registry, screen, fresh)? {
            Ok(Exit::Done)
        } else {
            task::evaluate(&submission)
        }
    }
}

//! `fivefold cancel`: takes back the tasks of a submission.

use std::path::PathBuf;

use fivefold_base::words::counted;

use crate::cluster::slurm::{self, Queue};
use crate::cluster::submission::Submission;
use crate::exit::Exit;
use crate::problem::Problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold cancel runs/my
  fivefold resubmit runs/my                 go on later")]
pub(crate) struct Args {
    /// The results folder, or the folder of the submission
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let submission = Submission::open(&self.folder)?;
        let queue = Queue::ask().ok_or_else(|| Problem::new("squeue gives no answer, so nothing was cancelled"))?;
        let active = |id: &String| queue.is_active(id);
        let mut ids: Vec<String> = submission.tasks()?.into_iter().map(|task| task.id).filter(active).collect();
        // The last task hands in others, so it goes first.
        ids.reverse();
        if !ids.is_empty() {
            slurm::cancel(&ids)?;
        }
        screen.line(format_args!("cancelled: {}", counted(ids.len(), "task")));
        Ok(Exit::Done)
    }
}

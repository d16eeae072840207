//! How a command ended, and its exit code.

use std::process::ExitCode;

use crate::interrupt;

/// How a command ended, if not with an error.
pub(crate) enum Exit {
    /// All is well.
    Done,
    /// A job or a check of the experiment failed.
    Failed,
    /// A signal stopped it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(outcome: Exit) -> Self {
        match outcome {
            Exit::Done => ExitCode::SUCCESS,
            Exit::Failed => ExitCode::from(1),
            Exit::Interrupted => ExitCode::from(interrupt::exit_code()),
        }
    }
}

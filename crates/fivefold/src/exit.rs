//! The ways in which a command can end, and their exit codes.

use crate::interrupt;

/// The exit code of a shell whose program was killed by SIGKILL: 128 + 9.
pub(crate) const KILLED: u8 = 137;

/// The end of a command that returned no error.
pub(crate) enum Exit {
    /// All is well.
    Done,
    /// A job or a check of the experiment failed.
    Failed,
    /// The folder is in use. Within an allocation, the scheduler begins the task again.
    TryAgain,
    /// A process of a job was killed, as for memory.
    Killed,
    /// A signal stopped the command.
    Interrupted,
}

impl From<Exit> for u8 {
    fn from(outcome: Exit) -> Self {
        match outcome {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::TryAgain => interrupt::TRY_AGAIN,
            Exit::Killed => KILLED,
            Exit::Interrupted => interrupt::exit_code(),
        }
    }
}

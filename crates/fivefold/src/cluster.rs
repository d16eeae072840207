//! An experiment on several machines: `fivefold submit` and the tasks that it hands to a scheduler.
//!
//! A submission goes on in *rounds*. A round is a job array whose tasks do a *chunk* of jobs each: a
//! chunk opens its data once, skips the jobs that are done, and does the rest. The *collector*, a
//! task after each round, looks at the results folder and hands in the next round: jobs of the same
//! stage that have no result yet, else those of the next stage. If no job is left, the collector
//! evaluates. So nothing is lost if a task ends in any way, and no process waits on a login node.
//!
//! - `costs`: the seconds that a job will take, from times of earlier jobs
//! - `chunks`: which jobs share a task, and with which limits
//! - `table`: `submission.tsv`, a line for each job
//! - `notes`: the events of a chunk, and what the end of a chunk means
//! - `slurm`: the scripts, and the words of sbatch and squeue
//! - `submission`: the folder of a submission
//! - `rounds`: what comes next, and how it is handed in
//! - `shell`: the same chunks for any other way to run commands
//!
//! Two tasks that do the same job leave one whole result, since every file appears by a rename and a
//! job has the same bytes each time. So a round that is handed in twice costs time, and no result.

pub(crate) mod chunks;
pub(crate) mod costs;
pub(crate) mod notes;
pub(crate) mod rounds;
pub(crate) mod shell;
pub(crate) mod slurm;
pub(crate) mod submission;
pub(crate) mod table;

/// Whether this process is in an allocation of a scheduler, which starts it again if it ends with
/// the exit code 75.
pub(crate) fn in_allocation() -> bool {
    ["SLURM_JOB_ID", "HQ_JOB_ID"].iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

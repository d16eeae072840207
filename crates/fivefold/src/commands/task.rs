//! `fivefold task`: what the scripts of `fivefold submit` run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use fivefold_base::words::counted;
use fivefold_core::Registry;
use fivefold_experiment::reuse::Reuse;
use fivefold_experiment::worker::Worker;
use fivefold_experiment::{
    self as experiment, Job, JobEnd, JobFilter, Observer, Plan, RunError, RunOptions, RunOutcome,
};
use fivefold_results::Experiment;
use fivefold_results::lock::{FolderLock, LockMode};
use fivefold_results::log::RunLog;
use fivefold_results::store::{Store, StoreError};

use crate::cluster::in_allocation;
use crate::cluster::notes::{Note, Notes, Why};
use crate::cluster::rounds::{Look, State, hand_in, hand_in_successor};
use crate::cluster::slurm::{self, Queue, own_state};
use crate::cluster::submission::{Engine, Submission};
use crate::cluster::table::{Kind, Row, Task, text};
use crate::exit::{Exit, KILLED};
use crate::interrupt;
use crate::problem::{self, Problem};
use crate::run_bars::RunBars;
use crate::screen::{Screen, tell};

/// How long a task waits for a folder that is in use, before the scheduler begins it again.
const PATIENCE: Duration = Duration::from_secs(60);
/// A task that ends with less time left has used up its time: Slurm warned it a minute before.
const NEAR_END: u64 = 120;
/// The exit code of a task that wants to be begun again.
const TRY_AGAIN: i32 = interrupt::TRY_AGAIN as i32;
/// Exit codes of tasks that ended by themselves: well, with something that failed, or refused.
const ENDS: [i32; 3] = [0, 1, 2];
/// The time between two looks at the memory of a task.
const LOOK: Duration = Duration::from_secs(1);
/// How many times the scheduler begins a task again on our word.
const MOST_RESTARTS: u32 = 50;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder of the submission
    folder: PathBuf,
    #[command(subcommand)]
    work: Work,
}

#[derive(clap::Subcommand)]
enum Work {
    /// Read each collection into the cache, and check all keys
    Warm(Ended),
    /// Do the jobs of a chunk
    Chunk {
        round: usize,
        chunk: usize,
        #[command(flatten)]
        ended: Ended,
    },
    /// Hand in the next round, or evaluate
    Collect {
        round: usize,
        /// How many times the limits of this task were doubled
        #[arg(default_value_t = 0)]
        doubled: usize,
        #[command(flatten)]
        ended: Ended,
    },
    /// Evaluate what is there
    Evaluate,
}

#[derive(clap::Args)]
struct Ended {
    /// Note that the task ended with this code. Exit code 0: the scheduler shall begin it again
    #[arg(long, value_name = "CODE")]
    ended: Option<i32>,
}

impl Args {
    pub(crate) fn run(self, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
        let submission = Submission::open(&self.folder)?;
        match self.work {
            Work::Warm(Ended { ended: Some(code) }) => Ok(ended(None, code)),
            Work::Chunk { round, chunk, ended: Ended { ended: Some(code) } } => {
                Ok(ended(Some(&submission.notes(round, chunk)), code))
            }
            Work::Collect { round, doubled, ended: Ended { ended: Some(code) } } => {
                if ENDS.contains(&code) {
                    dismiss_successor(&submission, round, doubled);
                }
                Ok(ended(None, code))
            }
            Work::Warm(_) => warm(&submission, registry, screen),
            Work::Chunk { round, chunk, .. } => do_chunk(&submission, (round, chunk), registry, screen),
            Work::Collect { round, doubled, .. } => collect(&submission, (round, doubled), registry, screen),
            Work::Evaluate => evaluate(&submission),
        }
    }
}

/// Takes back the successor of a collector that has done its work.
fn dismiss_successor(submission: &Submission, round: usize, doubled: usize) {
    let is_successor = |task: &Task| (task.kind, task.round, task.first) == (Kind::Collect, round, doubled + 1);
    let found = submission.tasks().ok().and_then(|tasks| tasks.into_iter().find(is_successor));
    let Some(Task { id, .. }) = found else { return };
    if let Err(error) = slurm::cancel(&[id]) {
        tell(format_args!("note: the successor of this task will find nothing to do: {error}"));
    }
}

/// Notes the end of a task, and says whether the scheduler shall begin the task again: exit code 0.
fn ended(notes: Option<&Notes>, code: i32) -> Exit {
    let restarts = std::env::var("SLURM_RESTART_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    // A task without notes prepares or hands in others. If it crashed, the submission needs it again. If
    // it was killed for memory, it needs more, which its successor has.
    let is_over = ENDS.contains(&code) || code == i32::from(KILLED);
    let code_of_end = if notes.is_none() && !is_over { TRY_AGAIN } else { code };
    let why = why_ended(code_of_end, own_state().as_ref(), restarts);
    if let Some(Err(error)) = notes.map(|notes| notes.add(&Note::End { code, why })) {
        tell(format_args!("warning: cannot note the end of this task: {error}"));
    }
    if why == Why::Again { Exit::Done } else { Exit::Failed }
}

/// Why a task ended with this code. A task that the user cancelled is COMPLETING, and is not begun
/// again.
fn why_ended(code: i32, state: Option<&(Option<u64>, String)>, restarts: u32) -> Why {
    let stopped = code == TRY_AGAIN || code == 143;
    match state {
        Some((Some(left), _)) if stopped && *left <= NEAR_END => Why::Time,
        Some((_, word)) if stopped && word == "RUNNING" && restarts < MOST_RESTARTS => Why::Again,
        _ => Why::Own,
    }
}

fn warm(submission: &Submission, registry: &Registry, screen: &mut Screen) -> miette::Result<Exit> {
    let experiment = submission.settings.load(registry)?;
    let plan = Plan::new(&experiment, &JobFilter::All)?;
    plan.cache_notes().iter().for_each(|note| tell(format_args!("note: {note}")));
    State::of(submission, &plan, registry, submission.rows()?, None, Look::Records)?;
    screen.line(format_args!("{} ready", counted(plan.jobs.len(), "job")));
    Ok(Exit::Done)
}

fn do_chunk(
    submission: &Submission,
    (round, chunk): (usize, usize),
    registry: &Registry,
    screen: &mut Screen,
) -> miette::Result<Exit> {
    let notes = submission.notes(round, chunk);
    let (host, id) = (fivefold_results::lock::host(), std::env::var("SLURM_JOB_ID").unwrap_or_default());
    note(&notes, &Note::Begin { host, id });
    let experiment = submission.settings.load(registry)?;
    let mut rows = submission.rows()?;
    rows.retain(|row| (row.round, row.chunk) == (round, chunk));
    // Jobs that failed by themselves, before the scheduler began this task again.
    let failed = submission.failed(&rows);
    rows.retain(|row| !failed.contains(&row.job));
    if rows.is_empty() {
        screen.line("no job is left in this chunk");
        return Ok(if failed.is_empty() { Exit::Done } else { Exit::Failed });
    }
    let Some(lock) = wait_for(&submission.settings.results(), LockMode::Shared)? else { return Ok(Exit::TryAgain) };
    let outcome = match run_rows(submission, &rows, &experiment, registry, &notes, &lock) {
        // A full disk may have room again when the task begins again.
        Err(error @ RunError::Store(StoreError::Io { .. })) if in_allocation() => {
            tell(format_args!("{error}"));
            return Ok(Exit::TryAgain);
        }
        outcome => outcome?,
    };
    let (done, reused, failed) = (outcome.done, outcome.reused, outcome.failed.len());
    screen.line(format_args!("{}: {done} done, {reused} reused, {failed} failed", counted(outcome.jobs, "job")));
    for job in &outcome.killed {
        screen.line(format_args!("{job}: killed, or in need of more memory than this task has"));
    }
    Ok(match () {
        () if !outcome.killed.is_empty() => Exit::Killed,
        () if outcome.cancelled => Exit::Interrupted,
        () if failed > 0 => Exit::Failed,
        () => Exit::Done,
    })
}

/// Does the jobs of some rows, and notes those that end.
fn run_rows(
    submission: &Submission,
    rows: &[Row],
    experiment: &Experiment,
    registry: &Registry,
    notes: &Notes,
    lock: &FolderLock,
) -> Result<RunOutcome, RunError> {
    let results = submission.settings.results();
    let memory = rows.iter().map(|row| row.memory_limit).max().filter(|_| submission.settings.engine == Engine::Slurm);
    memory.into_iter().for_each(fivefold_data::memory::set_memory_budget);
    // Only limits of the experiment need a worker; the run says so if there is none.
    let worker = Worker::this_program().ok();
    let bars = Arc::new(RunBars::new(&results.display().to_string()));
    interrupt::stops(bars.clone());
    let keys = Submission::keys(rows);
    let observer = Noting { bars: &bars, notes };
    let options = RunOptions {
        threads: submission.settings.threads,
        memory,
        only: JobFilter::jobs(rows.iter().map(|row| row.job.as_str())),
        keys: Some(&keys),
        observer: &observer,
        cancel: Some(interrupt::watch()),
        lock: Some(lock),
        worker: worker.as_ref(),
        killed_fails: !in_allocation(),
        ..RunOptions::new(results)
    };
    let outcome = with_peaks(notes, || experiment::run(experiment, registry, &options));
    bars.finish();
    outcome
}

/// Does some work, and notes the peak of the memory: each time it grew by a quarter, and at the end.
/// The notes tell of a task that is killed without a word.
fn with_peaks<T>(notes: &Notes, work: impl FnOnce() -> T) -> T {
    let (end, has_ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut noted = 0;
            let mut goes_on = true;
            while goes_on {
                goes_on = has_ended.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout);
                let peak = peak_of_this_process().filter(|&peak| !goes_on || peak > noted + noted / 4);
                if let Some(bytes) = peak {
                    note(notes, &Note::Peak(bytes));
                    noted = bytes;
                }
            }
        });
        let outcome = work();
        drop(end);
        outcome
    })
}

/// The most bytes of memory that this process had. `None` if the system does not tell.
fn peak_of_this_process() -> Option<u64> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{UsageWho, getrusage};
        let kibibytes = u64::try_from(getrusage(UsageWho::RUSAGE_SELF).ok()?.max_rss()).ok()?;
        // macOS counts bytes.
        Some(if cfg!(target_os = "macos") { kibibytes } else { kibibytes << 10 })
    }
    #[cfg(not(unix))]
    None
}

fn note(notes: &Notes, event: &Note) {
    if let Err(error) = notes.add(event) {
        tell(format_args!("warning: cannot note an event of this task: {error}"));
    }
}

/// Takes a folder, and waits a while if it is in use. `None` if it still is, within an allocation.
pub(super) fn wait_for(folder: &Path, mode: LockMode) -> miette::Result<Option<FolderLock>> {
    let begun = Instant::now();
    loop {
        match FolderLock::take(folder, mode) {
            Err(StoreError::InUse { .. }) if in_allocation() && begun.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_secs(1));
            }
            Err(error @ StoreError::InUse { .. }) if in_allocation() => {
                tell(format_args!("{error}"));
                return Ok(None);
            }
            taken => return taken.map(Some).map_err(problem::report),
        }
    }
}

/// Shows a run, and notes the jobs that end.
struct Noting<'a> {
    bars: &'a RunBars,
    notes: &'a Notes,
}

impl Observer for Noting<'_> {
    fn planned(&self, plan: &Plan<'_>, reuse: &[Reuse]) {
        self.bars.planned(plan, reuse);
    }
    fn beyond_memory(&self, job: &Job, needed: u64, budget: u64) {
        self.bars.beyond_memory(job, needed, budget);
    }
    fn started(&self, job: &Job) {
        self.bars.started(job);
    }
    fn step(&self, job: &Job, done: u64, total: u64) {
        self.bars.step(job, done, total);
    }
    fn finished(&self, job: &Job, end: &JobEnd) {
        if !matches!(end, JobEnd::Cancelled | JobEnd::Killed) {
            note(self.notes, &Note::Job { id: job.id.clone(), failed: end.failure().is_some() });
        }
        self.bars.finished(job, end);
    }
    fn evaluating(&self) {
        self.bars.evaluating();
    }
    fn warning(&self, text: &str) {
        self.bars.warning(text);
    }
}

/// Hands in the round after `round`. Evaluates if no job is left.
fn collect(
    submission: &Submission,
    (round, doubled): (usize, usize),
    registry: &Registry,
    screen: &mut Screen,
) -> miette::Result<Exit> {
    let Some(mut queue) = wait_for_tasks(submission, round)? else {
        tell("tasks of this round still run, or squeue gives no answer: this task tries again");
        return Ok(Exit::TryAgain);
    };
    // A controller that was killed may have forgotten what this task handed in before it began again.
    let is_known = |task: &Task| queue.named(&submission.name(task)) == Some(&task.id) && queue.is_active(&task.id);
    if submission.tasks()?.iter().any(|task| task.round > round && is_known(task)) {
        screen.line("the next round was handed in already");
        return Ok(Exit::Done);
    }
    // The first collector got its successor from the task that handed it in.
    if let Some(own) = std::env::var("SLURM_JOB_ID").ok().filter(|_| doubled > 0) {
        hand_in_successor(submission, round, doubled + 1, own, &queue);
    }
    if advance(submission, &mut queue, false, registry, screen, |_| ())? {
        Ok(Exit::Done)
    } else {
        evaluate(submission)
    }
}

/// The last round that was handed in with its collector. 0 if there is none.
pub(super) fn last_whole_round(tasks: &[Task]) -> usize {
    tasks.iter().filter(|task| task.kind == Kind::Collect).map(|task| task.round).max().unwrap_or(0)
}

/// Hands in the next round, or the rest of a round that was begun. `false` if no job is left to hand
/// in. `change` may change what is known. A user may hand in a round that a task has taken.
pub(super) fn advance(
    submission: &Submission,
    queue: &mut Queue,
    by_user: bool,
    registry: &Registry,
    screen: &mut Screen,
    change: impl FnOnce(&mut State),
) -> miette::Result<bool> {
    let experiment = submission.settings.load(registry)?;
    let plan = Plan::new(&experiment, &JobFilter::All)?;
    let tasks = submission.tasks()?;
    let is_forgotten = |task: &&Task| (0..task.count).any(|number| queue.state(&task.id, number).is_none());
    let arrays = tasks.iter().filter(|task| task.kind == Kind::Array);
    let forgotten: Vec<&str> = arrays.filter(is_forgotten).map(|task| task.id.as_str()).collect();
    queue.recall(&forgotten);
    let look = if by_user { Look::Files } else { Look::Records };
    let mut state = State::of(submission, &plan, registry, submission.rows()?, Some(queue), look)?;
    state.estimate();
    change(&mut state);
    let whole = last_whole_round(&tasks);
    let begun = state.begun(whole);
    let (round, arrays) = begun.clone().unwrap_or_else(|| (whole + 1, state.next(&submission.settings)));
    if arrays.is_empty() {
        submission.write_rows(&state.rows)?;
        return Ok(false);
    }
    if by_user {
        submission.take(round);
    }
    if !submission.claim(round, queue)? {
        screen.line(format_args!("another task hands in round {round}"));
        return Ok(true);
    }
    if begun.is_none() {
        state.note(round, &arrays);
    }
    submission.write_rows(&state.rows)?;
    hand_in(submission, round, &arrays, Vec::new(), queue)?;
    let chunks: usize = arrays.iter().map(|array| array.chunks.len()).sum();
    screen.line(format_args!("round {round}: {}", counted(chunks, "task")));
    Ok(true)
}

/// Waits until no task of a round waits or runs, and returns the queue. `None` if some still do after a
/// while, or squeue gives no answer.
fn wait_for_tasks(submission: &Submission, round: usize) -> miette::Result<Option<Queue>> {
    let tasks = submission.tasks()?;
    let arrays: Vec<&str> = tasks
        .iter()
        .filter(|task| task.round == round && task.kind == Kind::Array)
        .map(|task| task.id.as_str())
        .collect();
    let begun = Instant::now();
    loop {
        let queue = Queue::ask().filter(|queue| !arrays.iter().any(|id| queue.is_active(id)));
        if queue.is_some() || begun.elapsed() >= PATIENCE {
            return Ok(queue);
        }
        std::thread::sleep(Duration::from_secs(2));
    }
}

/// Evaluates in a process of this program, as a user would, and writes the table of estimates.
pub(super) fn evaluate(submission: &Submission) -> miette::Result<Exit> {
    let settings = &submission.settings;
    let results = settings.results();
    // The process takes the folder alone. Tasks of a submission that was made twice may hold it.
    match wait_for(&results, LockMode::Alone)? {
        Some(lock) => drop(lock),
        None => return Ok(Exit::TryAgain),
    }
    let mut run = Command::new(&settings.program);
    run.arg("run").args(settings.experiment.words()).arg("--only-evaluate");
    run.args(["--threads", &settings.threads.to_string()]);
    let status = run.status().map_err(|error| Problem::file("start", &settings.program, error))?;
    estimates(submission)?;
    Ok(match status.code() {
        // A signal that this process did not get: the kernel took the memory.
        None => Exit::Killed,
        Some(0) => Exit::Done,
        Some(75) => Exit::TryAgain,
        Some(2) => return Err(Problem::new("the evaluation was refused, as said above").into()),
        _ => Exit::Failed,
    })
}

/// A line of `estimates.tsv`.
#[derive(serde::Serialize)]
struct Estimated<'a> {
    job: &'a str,
    estimated_seconds: f64,
    seconds: Option<f64>,
    estimated_bytes: u64,
    /// The peak of the task that did the job, which may have done others.
    peak_of_task: Option<u64>,
}

/// Writes `estimates.tsv`: what was estimated, and what it was.
fn estimates(submission: &Submission) -> miette::Result<()> {
    let rows = submission.rows()?;
    let times = RunLog::so_far(&Store::new(submission.settings.results())).jobs;
    let mut peaks: BTreeMap<(usize, usize), Option<u64>> = BTreeMap::new();
    let peak = |row: &Row| {
        let notes = submission.notes(row.round, row.chunk).read();
        notes.iter().filter_map(|note| if let Note::Peak(bytes) = note { Some(*bytes) } else { None }).max()
    };
    let lines: Vec<Estimated<'_>> = rows
        .iter()
        .filter(|row| row.round > 0)
        .map(|row| Estimated {
            job: &row.job,
            estimated_seconds: row.seconds,
            seconds: times.get(&row.job).copied(),
            estimated_bytes: row.bytes,
            peak_of_task: *peaks.entry((row.round, row.chunk)).or_insert_with(|| peak(row)),
        })
        .collect();
    submission.write("estimates.tsv", &text(&lines))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_task_is_begun_again_unless_its_time_is_up_or_it_was_cancelled() {
        let state = |left, word: &str| (left, word.to_owned());
        let running = state(Some(3000), "RUNNING");
        assert_eq!(why_ended(75, Some(&running), 0), Why::Again);
        assert_eq!(why_ended(143, Some(&running), 0), Why::Again);
        assert_eq!(why_ended(75, Some(&running), MOST_RESTARTS), Why::Own);
        assert_eq!(why_ended(75, Some(&state(None, "RUNNING")), 0), Why::Again, "without a time limit");
        assert_eq!(why_ended(75, Some(&state(Some(45), "RUNNING")), 0), Why::Time);
        assert_eq!(why_ended(75, Some(&state(Some(3000), "COMPLETING")), 0), Why::Own);
        for code in [0, 1, 2, 137, 139] {
            assert_eq!(why_ended(code, Some(&running), 0), Why::Own, "{code}");
        }
        assert_eq!(why_ended(75, None, 0), Why::Own, "without a scheduler");
    }
}

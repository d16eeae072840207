//! `fivefold status`: how far a submission is.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use fivefold_base::words::counted;
use fivefold_results::store::{Record, Status, Store};
use serde::Serialize;

use crate::cluster::notes::{Note, Why};
use crate::cluster::slurm::Queue;
use crate::cluster::submission::{Engine, Submission};
use crate::cluster::table::{Row, Task};
use crate::estimate::about;
use crate::exit::Exit;
use crate::format::JsonArgs;
use crate::problem;
use crate::screen::Screen;

#[derive(clap::Args)]
#[command(after_help = "Examples:
  fivefold status runs/my
  fivefold status runs/my --watch

The state of a job comes from the folder. Where squeue answers, it tells which tasks run, and why others wait.")]
pub(crate) struct Args {
    /// The results folder, or the folder of the submission
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Show the state again every few seconds, until no task is left
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// The state of a submission.
#[derive(Debug, Default, PartialEq, Serialize)]
struct State {
    jobs: usize,
    done: usize,
    /// Jobs of tasks that run, by node.
    running: BTreeMap<String, usize>,
    /// Jobs of tasks that wait, by the scheduler's reason.
    waiting: BTreeMap<String, usize>,
    /// Jobs that were not handed in yet, or whose task is gone.
    open: usize,
    /// Jobs that failed by themselves, with their errors.
    failed: BTreeMap<String, String>,
    /// Estimated seconds of work that is left.
    seconds_left: f64,
    /// Tasks that wait or run, with their states. `None` if squeue gives no answer.
    tasks: Option<BTreeMap<String, String>>,
}

impl Args {
    pub(crate) fn run(self, screen: &mut Screen) -> miette::Result<Exit> {
        let submission = Submission::open(&self.folder)?;
        loop {
            let state = look(&submission)?;
            if self.json.asked() {
                screen.json(&state)?;
            } else {
                state.show(&submission, screen);
            }
            if !self.watch || state.tasks.as_ref().is_some_and(BTreeMap::is_empty) {
                return Ok(if state.failed.is_empty() { Exit::Done } else { Exit::Failed });
            }
            screen.line("");
            screen.flush();
            std::thread::sleep(Duration::from_secs(5));
        }
    }
}

/// The tasks that wait or run: for each id of the scheduler, the states of its tasks.
fn active(tasks: &[Task], queue: &Queue) -> BTreeMap<String, String> {
    let states = |task: &Task| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for state in
            (0..task.count).filter_map(|number| queue.state(&task.id, number)).filter(|state| state.is_active())
        {
            let reason = if state.word == "PENDING" { format!(" ({})", state.reason) } else { String::new() };
            *counts.entry(state.word.to_lowercase() + &reason).or_default() += 1;
        }
        let each: Vec<String> = counts.into_iter().map(|(word, count)| format!("{count} {word}")).collect();
        (!each.is_empty()).then(|| (format!("{} {}", task.id, task.kind.word()), each.join(", ")))
    };
    tasks.iter().filter_map(states).collect()
}

/// Looks at the folder and the queue. Nothing is opened but records, so this is quick.
fn look(submission: &Submission) -> miette::Result<State> {
    let rows = submission.rows()?;
    let tasks = submission.tasks()?;
    // Without an id of Slurm there is nothing to ask.
    let queue = if tasks.is_empty() { Some(Queue::default()) } else { Queue::ask() };
    let store = Store::new(submission.settings.results());
    let mut state = State { jobs: rows.len(), ..State::default() };
    state.tasks = queue.as_ref().map(|queue| active(&tasks, queue));
    let mut running: BTreeMap<(usize, usize), Option<String>> = BTreeMap::new();
    for row in &rows {
        match store.record(&row.job).map_err(problem::report)? {
            Some(Record { status: Status::Done, key, .. }) if key == row.key => {
                state.done += 1;
                continue;
            }
            Some(Record { status: Status::Failed, key, error, .. }) if key == row.key && row.round > 0 => {
                state.failed.insert(row.job.clone(), error.unwrap_or_default());
                continue;
            }
            _ => state.seconds_left += row.seconds,
        }
        state.add_open(submission, row, &tasks, queue.as_ref(), &mut running);
    }
    Ok(state)
}

impl State {
    /// Adds a job without a result.
    fn add_open(
        &mut self,
        submission: &Submission,
        row: &Row,
        tasks: &[Task],
        queue: Option<&Queue>,
        running: &mut BTreeMap<(usize, usize), Option<String>>,
    ) {
        let place = Submission::place(tasks, row.round, row.chunk);
        let known = place.and_then(|(task, number)| queue?.state(&task.id, number)).filter(|state| state.is_active());
        match known {
            Some(state) if state.word == "PENDING" => *self.waiting.entry(state.reason.clone()).or_default() += 1,
            Some(state) => *self.running.entry(state.node.clone()).or_default() += 1,
            None if (queue.is_none() || tasks.is_empty()) && row.round > 0 => {
                let host = running.entry((row.round, row.chunk)).or_insert_with(|| noted_host(submission, row));
                match host {
                    Some(host) => *self.running.entry(host.clone()).or_default() += 1,
                    None => self.open += 1,
                }
            }
            None => self.open += 1,
        }
    }

    fn show(&self, submission: &Submission, screen: &mut Screen) {
        let sum = |of: &BTreeMap<String, usize>| of.values().sum::<usize>();
        let places = |of: &BTreeMap<String, usize>| {
            let each: Vec<String> = of.iter().map(|(name, count)| format!("{name}: {count}")).collect();
            if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) }
        };
        screen.line(format_args!("{}: {}", submission.settings.name, counted(self.jobs, "job")));
        screen.line(format_args!("  done     {}", self.done));
        screen.line(format_args!("  running  {}{}", sum(&self.running), places(&self.running)));
        screen.line(format_args!("  waiting  {}{}", sum(&self.waiting), places(&self.waiting)));
        if self.open > 0 {
            let known = if self.tasks.is_some() { "in no task yet" } else { "not known to run" };
            screen.line(format_args!("  open     {} ({known})", self.open));
        }
        for (task, states) in self.tasks.iter().flatten() {
            screen.line(format_args!("  task {task}: {states}"));
        }
        screen.line(format_args!("  failed   {}", self.failed.len()));
        for (job, error) in &self.failed {
            screen.line(format_args!("    {job}: {}", error.lines().next().unwrap_or_default()));
        }
        let results = submission.settings.results();
        let is_idle = self.tasks.as_ref().is_some_and(BTreeMap::is_empty);
        match () {
            () if self.done == self.jobs && is_idle => {
                screen.line(format_args!("all jobs are done: fivefold report {}", results.display()));
            }
            () if self.seconds_left > 0.0 => {
                let left = about(Duration::from_secs_f64(self.seconds_left));
                let nodes = self.running.len().max(1);
                let each = about(Duration::from_secs_f64(self.seconds_left / nodes as f64));
                screen.line(format_args!("about {left} of work left, {each} with the nodes of now"));
            }
            () => {}
        }
        if self.tasks.is_none() {
            screen.line("squeue gives no answer, so which tasks wait or run is not known");
        }
        if is_idle && self.done + self.failed.len() < self.jobs {
            screen.line(match submission.settings.engine {
                Engine::Slurm => "no task is in the queue: `fivefold resubmit` hands in what is left",
                Engine::Shell | Engine::Hq => "the script of the submission does what is left",
            });
        }
    }
}

/// The host of a task that began and did not end, by its notes.
fn noted_host(submission: &Submission, row: &Row) -> Option<String> {
    let mut host = None;
    for note in submission.notes(row.round, row.chunk).read() {
        match note {
            Note::Begin { host: own, .. } => host = Some(own),
            Note::End { why: Why::Own | Why::Time | Why::Again, .. } => host = None,
            Note::Job { .. } | Note::Peak(_) => {}
        }
    }
    host
}

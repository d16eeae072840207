//! The progress of a run on standard error. On a terminal there are bars. Elsewhere there are
//! lines: the plan, remarks on the data, failed jobs and, now and then, how far the run is.

use std::collections::HashMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use fivefold_base::words::{counted, which};
use fivefold_experiment::reuse::Reuse;
use fivefold_experiment::{Job, JobEnd, Observer, Plan};
use fivefold_results::code::trusted;
use fivefold_results::config::Bytes;
use fivefold_results::program;
use indicatif::{MultiProgress, ProgressBar};

use crate::estimate::{Estimate, about};
use crate::interrupt::Stoppable;
use crate::progress::{bar_on, begin, step};
use crate::reasons::done_again;
use crate::screen::tell;

/// The bars of a run: one bar for all jobs together, and one for each running job.
pub(crate) struct RunBars {
    screen: MultiProgress,
    all: ProgressBar,
    running: Mutex<Lines>,
    memory: Option<u64>,
    /// The least time between two lines about how far the run is; `None` for no such lines.
    lines: Option<Duration>,
    far: Mutex<Option<Far>>,
    /// The results folder, as the user names it.
    folder: String,
}

/// How far a run is.
struct Far {
    estimate: Estimate,
    jobs: usize,
    ended: usize,
    /// Jobs whose result is in the folder.
    kept: usize,
    begun: Instant,
    /// The time of the last line.
    told: Instant,
}

/// The lines of the jobs at work: one a thread. A thread that waits within a job may begin another
/// job; then its line shows the job that it began last.
#[derive(Default)]
struct Lines(HashMap<ThreadId, Line>);

struct Line {
    bar: ProgressBar,
    /// The jobs that the thread began and has not ended.
    jobs: Vec<String>,
}

impl Lines {
    /// Shows a job that a thread begins. `bar` makes the line of a thread that has none.
    fn start(&mut self, thread: ThreadId, job: &str, bar: impl FnOnce() -> ProgressBar) {
        let line = self.0.entry(thread).or_insert_with(|| Line { bar: bar(), jobs: Vec::new() });
        line.jobs.push(job.to_owned());
        begin(&line.bar, job);
    }

    /// Shows how far a job is, if a line shows the job.
    fn step(&self, job: &str, done: u64, total: u64) {
        let shown = self.0.values().find(|line| line.jobs.last().is_some_and(|last| last == job));
        if let Some(line) = shown {
            step(&line.bar, done, total);
        }
    }

    /// Ends a job. Returns the bar of a thread that has no other job.
    fn finish(&mut self, job: &str) -> Option<ProgressBar> {
        let (&thread, line) = self.0.iter_mut().find(|(_, line)| line.jobs.iter().any(|own| own == job))?;
        line.jobs.retain(|own| own != job);
        match line.jobs.last() {
            Some(waiting) => {
                begin(&line.bar, waiting);
                None
            }
            None => self.0.remove(&thread).map(|line| line.bar),
        }
    }
}

impl RunBars {
    /// Makes bars for a terminal. Elsewhere there are no lines about how far the run is, unless
    /// [`RunBars::every`] asks for them.
    pub(crate) fn new(folder: &str) -> Self {
        let screen = MultiProgress::new();
        let all = bar_on(&screen, "reading the data");
        let (running, far) = (Mutex::default(), Mutex::default());
        RunBars { screen, all, running, memory: None, lines: None, far, folder: folder.to_owned() }
    }

    /// Without a terminal, prints a line about how far the run is, at most once in the time
    /// `lines`. If `lines` is zero, there are no such lines.
    pub(crate) fn every(self, lines: Duration) -> Self {
        RunBars { lines: (!lines.is_zero() && !std::io::stderr().is_terminal()).then_some(lines), ..self }
    }

    /// Sets the memory budget, which the line about the plan names.
    pub(crate) fn within(self, memory: Option<u64>) -> Self {
        RunBars { memory, ..self }
    }

    /// Removes the bars.
    pub(crate) fn finish(&self) {
        let lines = std::mem::take(&mut *self.lines_of_jobs());
        lines.0.values().for_each(|line| line.bar.finish_and_clear());
        self.all.finish_and_clear();
    }

    fn lines_of_jobs(&self) -> MutexGuard<'_, Lines> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn far(&self) -> MutexGuard<'_, Option<Far>> {
        self.far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a line above the bars, also if there are no bars.
    fn line(&self, text: &str) {
        self.screen.suspend(|| tell(text));
    }
}

impl Observer for RunBars {
    fn planned(&self, plan: &Plan<'_>, reuse: &[Reuse]) {
        let reused = reuse.iter().filter(|reuse| **reuse == Reuse::Reused).count();
        let experiment = plan.experiment;
        let memory = self.memory.map_or(String::new(), |bytes| format!(", within {} of memory", Bytes(bytes)));
        let candidates = plan.jobs.iter().filter(|job| job.candidate.is_some()).count();
        let candidates = match candidates {
            0 => String::new(),
            count => format!("{} of searches; ", counted(count, "candidate")),
        };
        self.line(&format!(
            "{}: {}, {}, {} ({candidates}{reused} reused, {} to do){memory}",
            experiment.name,
            counted(experiment.datasets.len(), "data set"),
            counted(experiment.rankers.len(), "ranker"),
            counted(plan.jobs.len(), "job"),
            plan.jobs.len() - reused,
        ));
        if let Some(reasons) = done_again(plan, reuse) {
            self.line(&reasons);
        }
        for remark in plan.remarks() {
            self.line(&format!("note: {remark}"));
        }
        for line in trusted(experiment) {
            self.line(&format!("note: {line}"));
        }
        for note in plan.cache_notes() {
            self.line(&format!("note: {note}"));
        }
        step(&self.all, reused as u64, plan.jobs.len() as u64);
        self.all.set_message("jobs");
        let now = Instant::now();
        let open = plan.jobs.iter().zip(reuse).filter(|(_, reuse)| **reuse != Reuse::Reused).map(|(job, _)| job);
        let estimate = Estimate::new(plan, open, now);
        *self.far() = Some(Far { estimate, jobs: plan.jobs.len(), ended: reused, kept: reused, begun: now, told: now });
    }

    fn beyond_memory(&self, job: &Job, needed: u64, budget: u64) {
        self.line(&format!(
            "warning: {} needs about {} with the data, more than {}: the job runs alone and may run out of memory",
            job.id,
            Bytes(needed),
            Bytes(budget)
        ));
    }

    fn started(&self, job: &Job) {
        if let Some(far) = &mut *self.far() {
            far.estimate.start(&job.id, Instant::now());
        }
        let own = std::thread::current().id();
        self.lines_of_jobs().start(own, &job.id, || bar_on(&self.screen, &job.id));
    }

    fn step(&self, job: &Job, done: u64, total: u64) {
        self.lines_of_jobs().step(&job.id, done, total);
    }

    fn finished(&self, job: &Job, end: &JobEnd) {
        let ended = self.lines_of_jobs().finish(&job.id);
        if let Some(bar) = ended {
            bar.finish_and_clear();
            self.screen.remove(&bar);
        }
        if let JobEnd::Failed(error) = end {
            self.line(&format!("FAILED {}: {error}", job.id));
        }
        self.all.inc(1);
        let now = Instant::now();
        let mut far = self.far();
        let Some(far) = &mut *far else { return };
        far.estimate.finish(&job.id, now);
        far.ended += 1;
        far.kept += usize::from(*end == JobEnd::Done);
        let left = far.estimate.remaining(now).map(|left| format!(", about {} left", about(left))).unwrap_or_default();
        self.all.set_message(format!("jobs{left}"));
        if self.lines.is_some_and(|lines| now.duration_since(far.told) >= lines) && far.ended < far.jobs {
            far.told = now;
            let spent = about(now.duration_since(far.begun));
            self.line(&format!("{} of {} jobs after {spent}{left}", far.ended, far.jobs));
        }
    }

    fn warning(&self, text: &str) {
        self.line(&format!("warning: {text}"));
    }

    fn evaluating(&self) {
        self.all.set_message("evaluating");
    }
}

impl Stoppable for RunBars {
    fn line(&self, text: &str) {
        RunBars::line(self, text);
    }

    fn last_words(&self) -> String {
        self.finish();
        let far = self.far();
        stopped(far.as_ref().map_or(0, |far| far.kept), far.as_ref().map(|far| far.jobs), &self.folder)
    }
}

/// What a stopped run keeps, and the command that goes on. `jobs` is `None` if the run was stopped
/// before it knew its jobs.
pub(crate) fn stopped(kept: usize, jobs: Option<usize>, folder: &str) -> String {
    let again = command(program::arguments().into_iter().map(|word| word.to_string_lossy().into_owned()));
    let Some(jobs) = jobs else { return format!("Stopped before the first job. Go on with: {again}") };
    let of = counted(jobs, "job");
    format!("Stopped: {kept} of {of} {} finished and kept in {folder}. Go on with: {again}", which(kept, "is", "are"))
}

/// A command line that a shell reads as these arguments. The path of the program is left out.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let plain = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-+=.,:/@%".contains(c));
    let quoted = |word: String| if plain(&word) { word } else { format!("'{}'", word.replace('\'', "'\\''")) };
    ["fivefold".to_owned()].into_iter().chain(arguments.skip(1).map(quoted)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::bar;

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let words = ["/bin/ff", "run", "my file.toml", "--only", "a*", "it's", ""].map(str::to_owned);
        assert_eq!(command(words.into_iter()), "fivefold run 'my file.toml' --only 'a*' 'it'\\''s' ''");
    }

    /// A thread that waits within `a` begins `b`: one line, which shows `b`, then `a` again, then
    /// is gone.
    #[test]
    fn a_thread_has_one_line_whatever_it_began() {
        let (mut lines, thread) = (Lines::default(), std::thread::current().id());
        lines.start(thread, "a", || bar("a"));
        lines.start(thread, "b", || panic!("a second line"));
        let shown = |lines: &Lines| lines.0[&thread].bar.message();
        assert_eq!(shown(&lines), "b");
        // Of a job that no line shows, a step alters nothing.
        lines.step("a", 5, 10);
        assert_eq!(lines.0[&thread].bar.length(), None);
        lines.step("b", 1, 4);
        assert_eq!((lines.0[&thread].bar.length(), lines.0[&thread].bar.position()), (Some(4), 1));
        assert!(lines.finish("b").is_none());
        assert_eq!((shown(&lines).as_str(), lines.0[&thread].bar.length()), ("a", None));
        assert!(lines.finish("a").is_some() && lines.0.is_empty());
    }

    #[test]
    fn no_bar_is_full_at_nothing_of_nothing() {
        let bar = bar("fit");
        step(&bar, 0, 0);
        assert_eq!(bar.length(), None);
    }
}

//! The progress of a run on standard error. On a terminal there are bars. Elsewhere there are
//! lines: the plan, remarks on the data, failed jobs and, now and then, how far the run is.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fivefold_base::words::counted;
use fivefold_experiment::{Job, JobEnd, Observer, Plan, Reuse};
use fivefold_results::config::Bytes;
use fivefold_results::trusted;
use indicatif::{MultiProgress, ProgressBar};

use crate::estimate::{Estimate, about};
use crate::progress::bar;
use crate::reasons::done_again;
use crate::screen::tell;

/// The bars of a run: one bar for all jobs together, and one for each running job.
pub(crate) struct RunBars {
    screen: MultiProgress,
    all: ProgressBar,
    running: Mutex<BTreeMap<String, ProgressBar>>,
    memory: Option<u64>,
    /// The least time between two lines about how far the run is; `None` for no such lines.
    lines: Option<Duration>,
    far: Mutex<Option<Far>>,
}

/// How far a run is.
struct Far {
    estimate: Estimate,
    jobs: usize,
    ended: usize,
    begun: Instant,
    /// The time of the last line.
    told: Instant,
}

impl RunBars {
    /// Makes bars for a terminal. Elsewhere there are no lines about how far the run is, unless
    /// [`RunBars::every`] asks for them.
    pub(crate) fn new() -> Self {
        let screen = MultiProgress::new();
        let all = screen.add(bar("reading the data"));
        RunBars { screen, all, running: Mutex::default(), memory: None, lines: None, far: Mutex::default() }
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
        self.all.finish_and_clear();
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
        self.line(&format!(
            "{}: {}, {}, {} ({reused} reused, {} to do){memory}",
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
        self.all.set_length(plan.jobs.len() as u64);
        self.all.set_position(reused as u64);
        self.all.set_message("jobs");
        let now = Instant::now();
        let open = plan.jobs.iter().zip(reuse).filter(|(_, reuse)| **reuse != Reuse::Reused).map(|(job, _)| job);
        let estimate = Estimate::new(plan, open, now);
        *self.far() = Some(Far { estimate, jobs: plan.jobs.len(), ended: reused, begun: now, told: now });
    }

    fn beyond_memory(&self, job: &Job, needed: u64, budget: u64) {
        self.line(&format!(
            "warning: {} needs about {} with the data, more than {}: it runs alone, and may run out of memory",
            job.id,
            Bytes(needed),
            Bytes(budget)
        ));
    }

    fn started(&self, job: &Job) {
        if let Some(far) = &mut *self.far() {
            far.estimate.start(&job.id, Instant::now());
        }
        let bar = self.screen.add(bar(&job.id));
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(job.id.clone(), bar);
    }

    fn step(&self, job: &Job, done: u64, total: u64) {
        if let Some(bar) = self.running.lock().unwrap_or_else(PoisonError::into_inner).get(&job.id) {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    fn finished(&self, job: &Job, end: &JobEnd) {
        if let Some(bar) = self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(&job.id) {
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

//! The progress of a run on standard error: bars on a terminal; elsewhere only the plan, remarks on the data and what
//! failed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use fivefold_experiment::{Job, JobEnd, Observer, Plan, Reuse};
use indicatif::{MultiProgress, ProgressBar};

use crate::memory::Bytes;
use crate::progress::bar;
use crate::reasons::{counted, done_again};
use crate::screen::tell;

/// The bars of a run: all jobs together, and each that is being done.
pub(crate) struct RunBars {
    screen: MultiProgress,
    all: ProgressBar,
    running: Mutex<BTreeMap<String, ProgressBar>>,
    memory: Option<u64>,
}

impl RunBars {
    pub(crate) fn new() -> Self {
        let screen = MultiProgress::new();
        let all = screen.add(bar("reading the data"));
        RunBars { screen, all, running: Mutex::default(), memory: None }
    }

    /// Says what memory the run may take.
    pub(crate) fn within(self, memory: Option<u64>) -> Self {
        RunBars { memory, ..self }
    }

    /// Removes the bars.
    pub(crate) fn finish(&self) {
        self.all.finish_and_clear();
    }

    /// A line above the bars, shown whether or not there are any.
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
        for note in plan.cache_notes() {
            self.line(&format!("note: {note}"));
        }
        self.all.set_length(plan.jobs.len() as u64);
        self.all.set_position(reused as u64);
        self.all.set_message("jobs");
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
    }

    fn warning(&self, text: &str) {
        self.line(&format!("warning: {text}"));
    }

    fn evaluating(&self) {
        self.all.set_message("evaluating");
    }
}

//! Who is told what happens in a run.

use crate::job::JobEnd;
use crate::plan::{Job, Plan};
use crate::reuse::Reuse;

/// Is told what happens in a run, from several threads.
pub trait Observer: Sync {
    /// The jobs are known, and which of them have a valid result: the others are to be done.
    fn planned(&self, plan: &Plan<'_>, reuse: &[Reuse]) {
        let _ = (plan, reuse);
    }
    /// A job begins that would need more memory than it may have, `needed` bytes with the data, because of copies that jobs to come
    /// still want; it runs alone.
    fn beyond_memory(&self, job: &Job, needed: u64, budget: u64) {
        let _ = (job, needed, budget);
    }
    /// A job begins.
    fn started(&self, job: &Job) {
        let _ = job;
    }
    /// `done` of `total` steps of a job's fit are behind.
    fn step(&self, job: &Job, done: u64, total: u64) {
        let _ = (job, done, total);
    }
    /// A job ended.
    fn finished(&self, job: &Job, end: &JobEnd) {
        let _ = (job, end);
    }
    /// All jobs have ended; their scores are being evaluated.
    fn evaluating(&self) {}
    /// Something that the user should know at once, and that does not end the run.
    fn warning(&self, text: &str) {
        let _ = text;
    }
}

/// An observer that says nothing.
pub(crate) struct Silent;

impl Observer for Silent {}

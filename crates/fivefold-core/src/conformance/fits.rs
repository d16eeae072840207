//! Rules about one fit and its model. The fit succeeds, makes the same bytes again, and can be
//! stopped. A saved model gives the same scores.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::trial::{Fitted, SEED, Trial, make, models_differ, scores, test, train};
use super::{Rule, data, guarded};
use crate::registry::DynModel;
use crate::{Dataset, FitContext, FitError, Progress, Seed};

pub(super) const FITS: Rule = Rule {
    name: "fit",
    demand: "a model with finite scores is made of the synthetic collection",
    remedy: "let the case's `params` suit 480 documents of 40 queries with 6 features (a feature is constant) and grades 0 \
             to 2; guard each division whose divisor can be 0",
    check: fits,
};

fn fits(trial: &Trial<'_>) -> Result<(), String> {
    all_finite(&*trial.usual()?.model, "the synthetic collection", &test())
}

/// Fails if a score is not finite.
pub(super) fn all_finite(model: &dyn DynModel, name: &str, data: &Dataset) -> Result<(), String> {
    match scores(model, data).concat().iter().find(|score| !score.is_finite()) {
        Some(score) => Err(format!("the model gives a document of {name} the score {score}")),
        None => Ok(()),
    }
}

pub(super) const THREADS: Rule = Rule {
    name: "threads",
    demand: "the model has the same bytes for any number of threads",
    remedy: "sum in order: let threads fill a list, then fold the list in a single thread; or add integers. Never ask how many threads \
             there are, and never let a map's or a channel's order decide",
    check: threads,
};

fn threads(trial: &Trial<'_>) -> Result<(), String> {
    let large = data::signal_in_order(200, 6);
    let on = |threads: usize| -> Result<Fitted, String> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| format!("the system gives no pool of {threads} threads: {error}"))?;
        pool.install(|| guarded(|| trial.fit(&large, SEED)))
    };
    let (one, four) = (on(1)?, on(4)?);
    let describe = |difference| Err(format!("trained on 2,400 documents with 1 and 4 threads: {difference}"));
    models_differ(&one, &four).map_or(Ok(()), describe)
}

pub(super) const SAVED: Rule = Rule {
    name: "save and load",
    demand: "a model that was saved and loaded gives the same scores and is saved as the same text",
    remedy: "serde must write and read all that `score` uses; a value that is not finite has no JSON",
    check: saved,
};

fn saved(trial: &Trial<'_>) -> Result<(), String> {
    let usual = trial.usual()?;
    let value = serde_json::from_str(&usual.json).map_err(|error| format!("the model's JSON is broken: {error}"))?;
    let model = trial.entry.load(value).map_err(|error| format!("the saved model cannot be loaded: {error}"))?;
    let json = model.to_json().map_err(|error| format!("the loaded model cannot be saved: {error}"))?.to_string();
    let describe = |difference| Err(format!("before and after, on the synthetic collection: {difference}"));
    models_differ(usual, &Fitted { model, json }).map_or(Ok(()), describe)
}

pub(super) const IMPORTANCE: Rule = Rule {
    name: "importance",
    demand: "importances, where there are any, are one finite number of at least 0 a feature",
    remedy: "give `Model::importance` one number for each feature of the training data, or leave it out",
    check: importance,
};

fn importance(trial: &Trial<'_>) -> Result<(), String> {
    let width = test().width();
    match trial.usual()?.model.importance() {
        Some(values) if values.len() != width || !values.iter().all(|v| v.is_finite() && *v >= 0.0) => {
            Err(format!("for {width} features: {values:?}"))
        }
        _ => Ok(()),
    }
}

pub(super) const CANCELLED: Rule = Rule {
    name: "cancellation",
    demand: "a fit stops when the user asks for it, at its beginning or in its midst (unless the case says that the ranker is a \
             control)",
    remedy: "call `cx.step(done, total)?` once a tree, epoch or round, `cx.check()?` within a step that may take long, and \
             let their errors through",
    check: cancelled,
};

fn cancelled(trial: &Trial<'_>) -> Result<(), String> {
    // A control that looks at no document is done before anyone can stop it.
    if !trial.case.learns {
        return Ok(());
    }
    let flag = AtomicBool::new(true);
    let context = FitContext::new(Seed::new(SEED)).with_cancellation(&flag);
    let stopped =
        |context: &FitContext<'_>, when: &str| match make(trial.entry, trial.case.params)?.fit(&train(), context) {
            Err(FitError::Cancelled) => Ok(()),
            Err(other) => Err(format!("a fit that was cancelled {when} fails otherwise: {other}")),
            Ok(_) => Err(format!("a fit that was cancelled {when} makes a model")),
        };
    stopped(&context, "from the start")?;
    // Steps are counted, not timed: one thread, so that they are the same each time.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| format!("the system gives no pool of a thread: {error}"))?;
    pool.install(|| {
        let all = StopAt::new(u64::MAX);
        let context = FitContext::new(Seed::new(SEED)).with_progress(&all).with_cancellation(&all.flag);
        make(trial.entry, trial.case.params)?.fit(&train(), &context).map_err(|error| error.to_string())?;
        let steps = all.before_the_end.load(Ordering::Relaxed);
        // A fit that asks only at the beginning of each step cannot hear of a stop within the last
        // step.
        for step in [1, steps.div_ceil(2), steps.saturating_sub(1).max(1)] {
            let stop = StopAt::new(step);
            let context = FitContext::new(Seed::new(SEED)).with_progress(&stop).with_cancellation(&stop.flag);
            stopped(&context, &format!("in step {step} of {steps}"))?;
        }
        Ok(())
    })
}

/// Raises a flag in step `step`.
struct StopAt {
    step: u64,
    /// Number of reported steps, without the last report ("all steps are done").
    before_the_end: AtomicU64,
    flag: AtomicBool,
}

impl StopAt {
    fn new(step: u64) -> Self {
        StopAt { step, before_the_end: AtomicU64::new(0), flag: AtomicBool::new(false) }
    }
}

impl Progress for StopAt {
    fn step(&self, done: u64, total: u64) {
        if done < total && self.before_the_end.fetch_add(1, Ordering::Relaxed) + 1 == self.step {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

//! A fit that was stopped goes on from its last checkpoint.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Rule;
use super::trial::{SEED, Trial, make, train, validation};
use crate::{Checkpoints, FitContext, FitError, Progress, Seed};

pub(super) const CHECKPOINTS: Rule = Rule {
    name: "checkpoints",
    demand: "a fit that is stopped again and again, and goes on from its checkpoints, makes the model of a fit that is not stopped",
    remedy: "keep in the state of `cx.round` and `cx.or_keep` all that the next round reads: also what tells when to stop, and \
             the state of the optimiser. Derive random numbers from the number of the round. A ranker without checkpoints keeps \
             the rule",
    check: stopped_often,
};

/// The most stops of a fit.
const MOST_STOPS: u64 = 40;

fn stopped_often(trial: &Trial<'_>) -> Result<(), String> {
    let expected = &trial.usual()?.json;
    let kept = InMemory::default();
    // A later fit is left more steps, so that a ranker that begins anew each time has an end, too.
    for attempt in 0..=MOST_STOPS {
        let patience = if attempt == MOST_STOPS { u64::MAX } else { 1 + attempt / 4 };
        let stop = StopAfter { steps: AtomicU64::new(patience), flag: AtomicBool::new(false) };
        let (train, validation) = (train(), validation());
        let context = FitContext::new(Seed::new(SEED)).with_validation(&validation).with_progress(&stop);
        let context = context.with_cancellation(&stop.flag).with_checkpoints(&kept);
        match make(trial.entry, trial.case.params)?.fit(&train, &context) {
            // The fit was too short to be stopped.
            Ok(_) if kept.load().is_none() => return Ok(()),
            Ok(model) => {
                let found = model.to_json().map_err(|error| error.to_string())?.to_string();
                return if found == *expected {
                    Ok(())
                } else {
                    Err(format!("after {attempt} stops, the model differs from the model of one fit"))
                };
            }
            // A ranker without checkpoints keeps the rule.
            Err(FitError::Cancelled) if kept.load().is_none() => return Ok(()),
            Err(FitError::Cancelled) => {}
            Err(other) => return Err(format!("after {attempt} stops, the fit fails: {other}")),
        }
    }
    Err("the fit never ends".to_owned())
}

/// Keeps the state in memory.
#[derive(Default)]
struct InMemory(Mutex<Option<Vec<u8>>>);

impl Checkpoints for InMemory {
    fn load(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    fn is_due(&self) -> bool {
        false
    }

    fn save(&self, state: &[u8]) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(state.to_vec());
    }
}

/// Raises a flag after some steps of a fit.
struct StopAfter {
    steps: AtomicU64,
    flag: AtomicBool,
}

impl Progress for StopAfter {
    fn step(&self, _: u64, _: u64) {
        let left = self.steps.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |steps| steps.checked_sub(1));
        if left.is_err() {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

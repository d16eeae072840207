//! fivefold as an outside author would build it: the built-in rankers and three more. The three
//! misbehave, so that tests can see how the program reacts.

mod faulty;

use std::process::ExitCode;
use std::time::Duration;

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamHelp, QueryView, Ranker};
use serde::{Deserialize, Serialize};

fn main() -> ExitCode {
    fivefold::main_with(fivefold::builtin().with::<Slow>().with::<Broken>().with::<faulty::Faulty>())
}

/// Scores a document by its first feature.
#[derive(Serialize, Deserialize)]
struct FirstFeature {}

impl Model for FirstFeature {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        out.iter_mut().zip(query.rows()).for_each(|(score, row)| *score = f64::from(row[0]));
    }
}

/// A slow ranker, so that a run can be killed half way.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Slow {
    steps: u64,
}

impl Default for Slow {
    fn default() -> Self {
        Slow { steps: 20 }
    }
}

impl Ranker for Slow {
    const NAME: &'static str = "slow";
    const SUMMARY: &'static str = "sleeps 10 ms a step, then uses the first feature";
    /// A hash like the one that a build script provides. Tests replace it in the binary by another
    /// hash.
    const SOURCES: Option<&'static str> = Some("50f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce5050f7ce50");
    const PARAMS: &'static [ParamHelp] = &[ParamHelp { name: "steps", help: "how many steps" }];
    type Model = FirstFeature;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, _: &Dataset, cx: &FitContext<'_>) -> Result<FirstFeature, FitError> {
        for step in 0..self.steps {
            cx.step(step, self.steps)?;
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(FirstFeature {})
    }
}

/// A ranker that panics, or returns an error.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Broken {
    panics: bool,
}

impl Ranker for Broken {
    const NAME: &'static str = "broken";
    const SUMMARY: &'static str = "fails";
    const PARAMS: &'static [ParamHelp] = &[ParamHelp { name: "panics", help: "panic instead of returning an error" }];
    type Model = FirstFeature;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<FirstFeature, FitError> {
        assert!(!self.panics, "broken on purpose");
        Err(FitError::Numeric("broken on purpose".to_owned()))
    }
}

//! A complete ranker of your own in fivefold: parameters, model, training, and a program with all
//! commands.
//!
//! ```text
//! cargo run --example my_ranker -- rankers centroid          its parameters, as help shows those of a built-in ranker
//! cargo run --example my_ranker -- train --ranker centroid --param grade=2 --train train.txt -o model.json
//! cargo run --example my_ranker -- run experiment.toml       with `kind = "centroid"` under a `[[ranker]]`
//! ```
//! A crate of your own needs `fivefold-core` (the traits), `fivefold` (the command line) and
//! `serde`. `fivefold new-ranker NAME` writes such a crate. Its test calls
//! `fivefold_core::conformance::check`, as in `tests/example.rs`. This function checks the rules
//! that every ranker must keep.
//!
//! The ranker here, "centroid", is Rocchio's classifier [Rocchio, 1971]. The score of a document is
//! its inner product with a direction: the mean of the good documents, minus `weight` times the
//! mean of the other documents.

use std::process::ExitCode;

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker};
use serde::{Deserialize, Serialize};

/// Step 1. The ranker *is* its parameters: a plain type. `serde(default)` fills in each parameter
/// that a user leaves out.
#[derive(Serialize, Deserialize)]
#[serde(default)]
pub struct Centroid {
    /// Documents with at least this grade are good.
    pub grade: u8,
    /// How much the mean of the other documents counts.
    pub weight: f64,
}

/// The defaults. Lists and help read the defaults from here.
impl Default for Centroid {
    fn default() -> Self {
        Centroid { grade: 1, weight: 1.0 }
    }
}

/// Step 2. The model: everything that scoring needs, as another plain type. The model is saved as
/// JSON and loaded again unchanged.
#[derive(Serialize, Deserialize)]
pub struct Direction {
    weights: Vec<f64>,
}

/// Step 3. Scoring: one finite number for each document; a higher number is better. A model sees
/// features and ids, never grades.
impl Model for Direction {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (score, features) in out.iter_mut().zip(query.rows()) {
            *score = self.weights.iter().zip(features).map(|(w, &x)| w * f64::from(x)).sum();
        }
    }
}

/// Step 4. Training.
impl Ranker for Centroid {
    const NAME: &'static str = "centroid";
    const SUMMARY: &'static str = "inner product with the mean good document less the mean other one (Rocchio)";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "grade", help: "documents with at least this grade are good" },
        ParamHelp { name: "weight", help: "how much the mean of the other documents counts, 0 or more" },
    ];

    type Model = Direction;

    // No randomness here. A ranker that needs some takes it from `cx.seed()` and leaves this at its
    // default, `true`.
    fn seeded(&self) -> bool {
        false
    }

    /// Checks the ranges of the parameters before anything runs. The error underlines the parameter
    /// in the user's file.
    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.grade >= 1, "grade", self.grade, "1 or more")?;
        ParamError::unless(self.weight >= 0.0, "weight", self.weight, "0 or more")
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<Direction, FitError> {
        let (mut good, mut others) = (Sum::new(train.width()), Sum::new(train.width()));
        for (number, query) in train.queries().enumerate() {
            // Shows progress, and stops here when the user presses Ctrl-C.
            cx.step(number as u64, train.len() as u64)?;
            for (features, &grade) in query.rows().zip(query.grades()) {
                if grade >= self.grade { good.add(features) } else { others.add(features) }
            }
        }
        // Never guess where nothing can be learned: the job is then shown as FAILED, with this
        // reason.
        if good.count == 0 || others.count == 0 {
            return Err(FitError::Data(format!("there must be documents below and at or above grade {}", self.grade)));
        }
        let weights = good.mean().zip(others.mean()).map(|(g, o)| g - self.weight * o).collect();
        Ok(Direction { weights })
    }
}

/// Adds up rows of features.
struct Sum {
    total: Vec<f64>,
    count: u64,
}

impl Sum {
    fn new(width: usize) -> Self {
        Sum { total: vec![0.0; width], count: 0 }
    }

    fn add(&mut self, features: &[f32]) {
        self.total.iter_mut().zip(features).for_each(|(sum, &x)| *sum += f64::from(x));
        self.count += 1;
    }

    fn mean(&self) -> impl Iterator<Item = f64> {
        self.total.iter().map(|sum| sum / self.count as f64)
    }
}

/// Step 5. The whole program: every command of fivefold, with one more ranker.
fn main() -> ExitCode {
    fivefold::main_with(fivefold::builtin().with::<Centroid>())
}

//! `example-ranker`: say here what the ranker does, with its formula, its source and the cost of a
//! fit.
//!
//! This ranker is a pairwise perceptron (Freund & Schapire 1999). A pair of documents of a query
//! is wrong if the better document has no higher score. For each wrong pair, the weights move by
//! `rate` times the difference of the features. The model is the mean of the weights after each
//! query. Cost: O(epochs * pairs * features). Replace this ranker by your own.

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker};
use serde::{Deserialize, Serialize};

/// The ranker is its parameters. Parameters that an experiment leaves out come from `Default`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct ExampleRanker {
    /// How many times the training goes through all queries.
    pub epochs: u32,
    /// How far a wrong pair of the first epoch moves the weights. In epoch e, the weights move by
    /// `rate / sqrt(e)`.
    pub rate: f64,
}

impl Default for ExampleRanker {
    fn default() -> Self {
        ExampleRanker { epochs: 20, rate: 0.1 }
    }
}

/// The model: everything that scoring needs. The model is saved and loaded unchanged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExampleModel {
    weights: Vec<f64>,
}

impl Model for ExampleModel {
    /// Writes one finite number for each document; a higher number is better. A model sees features
    /// and ids, never grades.
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (score, features) in out.iter_mut().zip(query.rows()) {
            *score = dot(&self.weights, features);
        }
    }
}

impl Ranker for ExampleRanker {
    const NAME: &'static str = "example-ranker";
    const SUMMARY: &'static str = "pairwise perceptron with averaged weights";
    /// The hash of the sources, which is stored with every result. After a change in `src/` and a
    /// build, `run` trains this ranker again. A debug build and a release build share their
    /// results. So `VERSION`, which is 1 by default, need not be raised after each change.
    /// `VERSION` is in every model file: raise it if the code that you publish makes other models
    /// than before.
    const SOURCES: Option<&'static str> = Some(env!("FIVEFOLD_SOURCES"));
    /// One line of help for each field, in the order of the fields.
    /// `program rankers example-ranker` shows these lines.
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "epochs", help: "how often all queries are gone through, 1 or more" },
        ParamHelp { name: "rate", help: "how far a wrong pair of the first epoch moves the weights, above 0" },
    ];

    type Model = ExampleModel;

    /// Whether the ranker draws random numbers. Random numbers come from `cx.seed()`.
    fn seeded(&self) -> bool {
        true
    }

    /// Checks the parameters before anything runs. The error underlines the parameter in the user's
    /// file.
    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.epochs >= 1, "epochs", self.epochs, "1 or more")?;
        ParamError::unless(self.rate > 0.0 && self.rate.is_finite(), "rate", self.rate, "a finite number above 0")
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<ExampleModel, FitError> {
        // Never guess if nothing can be learnt. The job is then shown as FAILED, with this reason.
        if train.queries().all(|query| query.grades().windows(2).all(|pair| pair[0] == pair[1])) {
            return Err(FitError::Data("no query has documents of different grades".to_owned()));
        }
        let mut weights = vec![0.0; train.width()];
        let mut sum = weights.clone();
        let mut order: Vec<usize> = (0..train.len()).collect();
        let mut rng = cx.seed().rng();
        for epoch in 0..self.epochs {
            // Shows progress, and stops here when the user presses Ctrl-C.
            cx.step(epoch.into(), self.epochs.into())?;
            let rate = self.rate / f64::from(epoch + 1).sqrt();
            rng.shuffle(&mut order);
            for &number in &order {
                let query = train.query(number);
                let step = wrong_pairs(&weights, query.view(), query.grades());
                weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += rate * step);
                sum.iter_mut().zip(&weights).for_each(|(sum, weight)| *sum += weight);
            }
        }
        let count = f64::from(self.epochs) * train.len() as f64;
        if sum.iter().any(|weight| !weight.is_finite()) {
            return Err(FitError::Numeric("a weight is not finite; scale the features or lower `rate`".to_owned()));
        }
        Ok(ExampleModel { weights: sum.into_iter().map(|weight| weight / count).collect() })
    }
}

/// The sum of the feature differences of all wrong pairs, divided by the number of pairs with
/// different grades.
fn wrong_pairs(weights: &[f64], query: QueryView<'_>, grades: &[u8]) -> Vec<f64> {
    let scores: Vec<f64> = query.rows().map(|features| dot(weights, features)).collect();
    // A document moves the weights as often as it is the better or the worse one of a wrong pair.
    let mut moves = vec![0i64; query.len()];
    let mut pairs = 0u64;
    for (better, &high) in grades.iter().enumerate() {
        for (worse, _) in grades.iter().enumerate().filter(|&(_, &low)| low < high) {
            pairs += 1;
            if scores[better] <= scores[worse] {
                moves[better] += 1;
                moves[worse] -= 1;
            }
        }
    }
    let mut step = vec![0.0; query.width()];
    for (features, &count) in query.rows().zip(&moves).filter(|(_, count)| **count != 0) {
        step.iter_mut().zip(features).for_each(|(step, &x)| *step += count as f64 / pairs as f64 * f64::from(x));
    }
    step
}

fn dot(weights: &[f64], features: &[f32]) -> f64 {
    weights.iter().zip(features).map(|(weight, &x)| weight * f64::from(x)).sum()
}

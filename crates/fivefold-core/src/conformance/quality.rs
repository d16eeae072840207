//! The rule that a ranker learns.

use super::trial::{Trial, scores};
use super::{Rule, data};
use crate::Dataset;
use crate::registry::DynModel;

pub(super) const LEARNS: Rule = Rule {
    name: "learns",
    demand: "the model ranks much better than a random order (unless the case says that the ranker is a control)",
    remedy: "higher scores must mean more relevant: look for a wrong sign; let the case's `params` train long enough",
    check: learns,
};

/// The least share of right pairs. Of about 5,000 pairs of 1,200 documents, a random order puts .45
/// to .55 right, and the best features put .8 right.
const ACCURACY: f64 = 0.7;

fn learns(trial: &Trial<'_>) -> Result<(), String> {
    let accuracy = pair_accuracy(&*trial.usual()?.model, &data::signal_in_order(100, 5));
    if !trial.case.learns || accuracy > ACCURACY {
        return Ok(());
    }
    Err(format!(
        "of the pairs of documents with different grades, on a synthetic collection with two good features, {accuracy:.3} \
         are in the right order; .5 is random, and {ACCURACY} is asked for"
    ))
}

/// Share of the document pairs with different grades that the scores put in the right order. A tie
/// counts half.
fn pair_accuracy(model: &dyn DynModel, data: &Dataset) -> f64 {
    let (mut right, mut pairs) = (0.0, 0.0);
    for (query, scores) in data.queries().zip(scores(model, data)) {
        for (a, &better) in query.grades().iter().enumerate() {
            for (b, _) in query.grades().iter().enumerate().filter(|&(_, &worse)| worse < better) {
                pairs += 1.0;
                right += if scores[a] > scores[b] {
                    1.0
                } else if scores[a] == scores[b] {
                    0.5
                } else {
                    0.0
                };
            }
        }
    }
    right / pairs
}

//! Rules about the order of documents: a file's order says nothing about relevance, and must not reach a score.

use super::trial::{SEED, Trial, difference, scores, test, train};
use super::{Rule, data};
use crate::JudgedQuery;

pub(super) const SCORING_ORDER: Rule = Rule {
    name: "scoring order",
    demand: "a document's score is the same wherever it stands in its query",
    remedy: "let `score` use features and ids alone, never the row number; to break ties, use ids or features",
    check: scoring_order,
};

fn scoring_order(trial: &Trial<'_>) -> Result<(), String> {
    let (model, data) = (&*trial.usual()?.model, test());
    let backwards = data::reordered(&data, |query| (0..query.len()).rev().collect());
    let mut turned = scores(model, &backwards);
    turned.iter_mut().for_each(|query| query.reverse());
    let describe = |difference| Err(format!("scored forwards and backwards, {difference}"));
    difference(&data, &scores(model, &data), &turned).map_or(Ok(()), describe)
}

pub(super) const TRAINING_ORDER: Rule = Rule {
    name: "training order",
    demand: "the order of a query's training documents does not alter what is learnt",
    remedy: "find what depends on the row: a sort by score that leaves ties in file order, a sum with a weight a row. \
             Average over ties, or break them by a seeded draw",
    check: training_order,
};

/// Allowed root mean square difference of scores, as a share of their range: rounding of sums in another order.
const ROUNDING: f64 = 1e-6;

/// Allowed difference of rankers that draw, as a multiple of what another seed does: their draws may fall on other
/// documents when these move, which is as good as another seed, but no more.
const DRAWS: f64 = 2.0;

fn training_order(trial: &Trial<'_>) -> Result<(), String> {
    let fit = |seed: u64, best_first: bool| -> Result<Vec<f64>, String> {
        let sorted = data::reordered(&train(), |query| by_grade(query, best_first));
        Ok(scores(&*trial.fit(&sorted, seed)?.model, &test()).concat())
    };
    let (best_first, worst_first) = (fit(SEED, true)?, fit(SEED, false)?);
    let moved = distance(&best_first, &worst_first);
    let mut reseeded: f64 = 0.0;
    if trial.entry.seeded {
        for seed in [SEED + 1, SEED + 2] {
            reseeded = reseeded.max(distance(&best_first, &fit(seed, true)?));
        }
    }
    let bounds = best_first.iter().fold((f64::MAX, f64::MIN), |(low, high), &s| (low.min(s), high.max(s)));
    if moved <= DRAWS * reseeded + ROUNDING * (bounds.1 - bounds.0) {
        return Ok(());
    }
    Err(format!(
        "trained with each query's best document first, and then with the worst first, the scores on a made collection \
         differ by {moved:.3e} (root mean square); another seed alters them by {reseeded:.3e}"
    ))
}

/// Root mean square difference.
fn distance(here: &[f64], there: &[f64]) -> f64 {
    let sum: f64 = here.iter().zip(there).map(|(a, b)| (a - b) * (a - b)).sum();
    (sum / here.len() as f64).sqrt()
}

fn by_grade(query: &JudgedQuery<'_>, best_first: bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..query.len()).collect();
    rows.sort_by_key(|&row| query.grades()[row]);
    if best_first {
        rows.reverse();
    }
    rows
}

//! Rules about the order of documents: a file's order says nothing about relevance, and must not reach a score.

use super::trial::{SEED, Trial, difference, make, scores, test, train};
use super::{Rule, data};
use crate::{Dataset, JudgedQuery};

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
             Average over ties, or break them by a draw that depends on features and ids, not on rows",
    check: training_order,
};

/// Allowed root mean square difference of scores, as a share of their range: rounding of sums in another order.
const ROUNDING: f64 = 1e-6;

/// Seeds over which the scores of rankers that draw are averaged.
const SEEDS: u64 = 8;

/// Allowed difference of such averages, as a multiple of its standard error.
const DRAWS: f64 = 2.5;

/// A ranker whose scores move by more than rounding may still be one whose draws fall on documents: when these move, that
/// is as good as another seed. On average over seeds it must not matter then.
fn training_order(trial: &Trial<'_>) -> Result<(), String> {
    let sorted = |best_first| data::reordered(&train(), |query| by_grade(query, best_first));
    let (best_first, worst_first) = (sorted(true), sorted(false));
    let fit = |data: &Dataset, seed: u64| -> Result<Vec<f64>, String> {
        Ok(scores(&*trial.fit(data, seed)?.model, &test()).concat())
    };
    let (best, worst) = (fit(&best_first, SEED)?, fit(&worst_first, SEED)?);
    let moved = distance(&best, &worst);
    let bounds = best.iter().fold((f64::MAX, f64::MIN), |(low, high), &score| (low.min(score), high.max(score)));
    if moved <= ROUNDING * (bounds.1 - bounds.0) {
        return Ok(());
    }
    let found = format!(
        "trained with each query's best document first, and then with the worst first, the scores on a made collection \
         differ by {moved:.3e} (root mean square)"
    );
    if !make(trial.entry, trial.case.params)?.seeded() {
        return Err(found);
    }
    // By order and seed.
    let all = |data: &Dataset| (SEED..SEED + SEEDS).map(|seed| fit(data, seed)).collect::<Result<Vec<_>, _>>();
    let [best, worst] = [all(&best_first)?, all(&worst_first)?];
    let [best_mean, worst_mean] = [mean(&best), mean(&worst)];
    let moved = distance(&best_mean, &worst_mean);
    let scatter = |fits: &[Vec<f64>], mean: &[f64]| fits.iter().map(|fit| distance(fit, mean).powi(2)).sum::<f64>();
    let degrees = (SEEDS * (SEEDS - 1)) as f64;
    let error = ((scatter(&best, &best_mean) + scatter(&worst, &worst_mean)) / degrees).sqrt();
    if moved <= DRAWS * error {
        return Ok(());
    }
    Err(format!("{found}; averages over {SEEDS} seeds by {moved:.3e}, where {error:.3e} is the standard error"))
}

/// The mean of several fits' scores.
fn mean(fits: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; fits[0].len()];
    for fit in fits {
        sum.iter_mut().zip(fit).for_each(|(sum, score)| *sum += score / fits.len() as f64);
    }
    sum
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

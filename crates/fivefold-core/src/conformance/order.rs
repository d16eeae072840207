//! Rules about the order of documents: the order in a file says nothing about relevance, and must
//! not reach a score.

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
    demand: "the order of a query's training documents does not alter the model",
    remedy: "find the step that depends on the row number: a sort by score that leaves ties in file order, a sum with a \
             weight for each row. Average over ties, or break ties by a draw that depends on features and ids, not on rows",
    check: training_order,
};

/// Allowed root mean square difference of two models' scores, as a share of the range of the
/// scores: the rounding of sums in another order.
const ROUNDING: f64 = 1e-6;

/// Number of seeds, for rankers that draw.
const SEEDS: u64 = 12;

/// Compares two models: one learns from each query's best document first, the other from the worst
/// document first.
///
/// If the scores differ by more than rounding, a ranker without a seed breaks the rule. A ranker
/// with a seed may draw for each document; another order of documents then acts like another seed.
/// Such a ranker breaks the rule only if the differences of several seeds point the same way
/// ([`agree`]). Each difference compares two fits of one seed. So draws that do not depend on the
/// order of documents (draws of queries, of features) hide little.
fn training_order(trial: &Trial<'_>) -> Result<(), String> {
    let sorted = |best_first| data::reordered(&train(), |query| by_grade(query, best_first));
    let (best_first, worst_first) = (sorted(true), sorted(false));
    let fit = |data: &Dataset, seed: u64| -> Result<Vec<f64>, String> {
        Ok(scores(&*trial.fit(data, seed)?.model, &test()).concat())
    };
    let difference = |seed: u64| -> Result<(Vec<f64>, f64), String> {
        let (best, worst) = (fit(&best_first, seed)?, fit(&worst_first, seed)?);
        let bounds = best.iter().fold((f64::MAX, f64::MIN), |(low, high), &score| (low.min(score), high.max(score)));
        Ok((best.iter().zip(&worst).map(|(best, worst)| best - worst).collect(), bounds.1 - bounds.0))
    };
    let (first, range) = difference(SEED)?;
    let moved = size(&first);
    if moved <= ROUNDING * range {
        return Ok(());
    }
    let found = format!(
        "trained with each query's best document first, and then with the worst first, the scores on a synthetic collection \
         differ by {moved:.3e} (root mean square)"
    );
    if !make(trial.entry, trial.case.params)?.seeded() {
        return Err(found);
    }
    let mut all = vec![first];
    for seed in SEED + 1..SEED + SEEDS {
        all.push(difference(seed)?.0);
    }
    if !agree(&all) {
        return Ok(());
    }
    Err(format!(
        "{found}; the differences of {SEEDS} seeds point the same way, which is less than 1 % likely by chance"
    ))
}

/// Whether the differences in `all` point the same way: at most 1 % of all choices of signs give a
/// sum as long as the sum of `all`.
///
/// The test is exact (R. A. Fisher, The Design of Experiments, 1935, section 21). A sound ranker
/// whose draws fall on documents is blamed once in a hundred times. An effect that is small beside
/// the draws is not seen.
fn agree(all: &[Vec<f64>]) -> bool {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let products: Vec<Vec<f64>> = all.iter().map(|a| all.iter().map(|b| product(a, b)).collect()).collect();
    // The length is without the squares, which are the same for all signs. The first sign is fixed.
    let length = |negative: usize| -> f64 {
        let sign = |at: usize| if negative >> at & 1 == 1 { -1.0 } else { 1.0 };
        let pairs = (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| sign(a) * sign(b) * products[a][b]).sum()
    };
    let as_they_are = length(0);
    let choices = 1 << (all.len() - 1);
    let as_long = (0..choices).filter(|choice| length(choice << 1) >= as_they_are).count();
    100 * as_long <= choices
}

/// Root mean square.
fn size(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}

fn by_grade(query: &JudgedQuery<'_>, best_first: bool) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..query.len()).collect();
    rows.sort_by_key(|&row| query.grades()[row]);
    if best_first {
        rows.reverse();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn a_common_direction_is_told_from_chance() {
        // There are 200 sets of ten draws of 30 values. A shift of half a standard deviation is
        // found in nearly all sets. Without a shift, a false alarm is expected in 200 x 5 / 512
        // sets.
        let sets = |shift: f64| {
            let mut rng = Seed::new(5).rng();
            let mut set =
                || (0..10).map(|_| (0..30).map(|_| shift + rng.normal()).collect()).collect::<Vec<Vec<f64>>>();
            (0..200).filter(|_| agree(&set())).count()
        };
        assert!(sets(0.5) > 190, "{}", sets(0.5));
        assert!(sets(0.0) < 8, "{}", sets(0.0));
        assert!(agree(&vec![vec![1.0]; 10]));
    }
}

//! Lambda gradients of any measure: the loss of `lambdamart`.
//!
//! Take two documents of a query with scores s. Document i is better than j by the measure: their
//! exchange would change the measure by -d. Then
//!
//! ```text
//! rho = 1 / (1 + exp(sigma (s_i - s_j)))  lambda = sigma d rho  hessian = sigma^2 d rho (1 - rho)
//! ```
//! The gradient of i falls by lambda, the gradient of j rises by lambda, and the hessians of both
//! rise by `hessian` (Burges, MSR-TR-2010-82; Burges, Ragno & Le, NIPS 2006). Here d is the exact
//! change of any measure: `ndcg`, `ap`, `rr`, `err`, or a UE version (V1, V2), whose change follows
//! from the change of A. Documents of equal score stand in a drawn order or in file order (the
//! `ties` module). Only pairs with a document in the top `truncation` count (0: all pairs).
//!
//! `normalise` normalises as LightGBM. d is divided by .01 + |s_i - s_j|, unless all scores are
//! equal. The gradients of a query are multiplied by log2(1 + S) / S, where S is the sum of the
//! absolute lambdas of both sides.
//!
//! There is no table of the sigmoid: with e_k = exp(sigma s_k), rho = e_j / (e_i + e_j). So a query
//! needs an exponential a document and a division a pair. If scores spread beyond the range of exp
//! in f64, differences of scores are used, clamped to +-600, where rho is 0 or 1 to the last bit.
//!
//! No cost is quadratic. If a query has more than 2^24 pairs (5,794 documents), `truncation` 0
//! takes the pairs of its top ranks, up to 2^24 pairs. (Of 200,000 documents these are 83 ranks.)
//! A warning says so. Pairs below the measure's cutoff change no value and are not visited.
//!
//! Cost: O(n log n + min(truncation, cutoff) x n) a query, independent of the measure.

mod exponentials;
mod pairs;
mod ranking;

use fivefold_base::words::counted;
use fivefold_core::{Dataset, FitContext, FitError, Seed};
use fivefold_metrics::{Objective, Scratch};
use rayon::prelude::*;

use self::exponentials::exponentials;
use self::pairs::{Changes, Ranked, add_pairs};
pub(crate) use self::ranking::Ranking;
use crate::boosting::Loss;
use crate::memory::{Size, threads};
use crate::ties::{TieBreaks, Ties};
use crate::validation::require_order;

/// The largest exponent, so that a product of two exponentials and a distance stays finite and
/// above 0.
const FARTHEST: f64 = 300.0;

/// The most pairs of a query if all pairs are asked for. No query of the known collections has
/// more.
pub(crate) const MOST_PAIRS: usize = 1 << 24;

/// Help for the parameters of the lambda gradients, the same in every ranker.
pub(crate) mod help {
    use fivefold_core::ParamHelp;

    pub const OBJECTIVE: ParamHelp =
        ParamHelp { name: "objective", help: "the measure to maximise: any measure in any version, such as ap.v2@5" };
    pub const TRUNCATION: ParamHelp = ParamHelp {
        name: "truncation",
        help: "how many top ranks count: a pair counts only if a document of the pair is in these ranks. 0: every pair \
               counts; a query of more than 5793 documents keeps about 2^24 pairs, of its top ranks",
    };
    pub const NORMALISE: ParamHelp = ParamHelp {
        name: "normalise",
        help: "divide lambdas by the distance of the two scores, and lessen the weight of queries with large lambdas, as \
               LightGBM does",
    };
}

/// Number of top ranks between two checks for a cancelled fit.
const RANKS_BETWEEN_CHECKS: usize = 16;

/// The lambda gradients of a measure.
pub(crate) struct LambdaLoss<'a> {
    objective: Objective,
    grades: Vec<&'a [u8]>,
    ties: TieBreaks<'a>,
    /// 0 for all pairs.
    truncation: usize,
    most_pairs: usize,
    sigma: f64,
    normalise: bool,
    cx: &'a FitContext<'a>,
}

/// Bytes of the loss.
pub(crate) fn loss_bytes(train: Size) -> u64 {
    train.objective() + 4 * train.documents + 80 * train.queries + train.ranking() * threads().min(train.queries)
}

impl<'a> LambdaLoss<'a> {
    pub fn new(
        objective: Objective,
        data: &'a Dataset,
        ties: Ties,
        truncation: usize,
        sigma: f64,
        normalise: bool,
        cx: &'a FitContext<'a>,
    ) -> Result<Self, FitError> {
        require_order(&objective, data)?;
        let grades: Vec<&[u8]> = (0..data.len()).map(|query| data.query(query).grades()).collect();
        let (ties, most_pairs) = (TieBreaks::new(ties, data), MOST_PAIRS);
        let loss = LambdaLoss { objective, grades, ties, truncation, most_pairs, sigma, normalise, cx };
        loss.warn_of_long_queries();
        Ok(loss)
    }

    /// Warns if all pairs are asked for but not all are taken.
    fn warn_of_long_queries(&self) {
        let mut scratch = Scratch::default();
        let mut cut_short = |query: usize| {
            let grades = self.grades[query];
            let mut positions = || self.objective.exchanges(query, grades, &mut scratch).map_or(0, |e| e.positions());
            self.tops(grades.len()) < grades.len() - 1 && self.tops(grades.len()) < positions()
        };
        let long: Vec<usize> =
            (0..self.grades.len()).filter(|&query| self.truncation == 0 && cut_short(query)).collect();
        if let Some(longest) = long.iter().map(|&query| self.grades[query].len()).max() {
            self.cx.warn(format!(
                "{} of more than {} pairs: only pairs with one document in the top ranks are taken (of {longest} documents in the \
                 top {}); `truncation` sets how many",
                counted(long.len(), "query"),
                self.most_pairs,
                self.tops(longest)
            ));
        }
    }

    /// Number of top ranks whose pairs with all lower documents are taken, in a query of `n`
    /// documents.
    fn tops(&self, n: usize) -> usize {
        if self.truncation > 0 {
            return self.truncation.min(n - 1);
        }
        // The pairs of t ranks are t n - t (t + 1) / 2.
        let pairs = |tops: usize| tops * n - tops * (tops + 1) / 2;
        if pairs(n - 1) <= self.most_pairs {
            return n - 1;
        }
        let (mut low, mut high) = (1, n - 1);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if pairs(middle) <= self.most_pairs { low = middle } else { high = middle - 1 }
        }
        low
    }

    /// Writes the derivatives of a query, with ties broken by `draw`. If the measure is undefined,
    /// all derivatives are 0.
    pub fn query(
        &self,
        query: usize,
        scores: &[f64],
        draw: Seed,
        (first, second): (&mut [f64], &mut [f64]),
        ranking: &mut Ranking,
    ) -> Result<(), FitError> {
        self.cx.check()?;
        first.fill(0.0);
        second.fill(0.0);
        let grades = self.grades[query];
        let n = grades.len();
        ranking.rank(scores, grades, |places| self.ties.fill(query, draw, places));
        let Ranking { order, grades, scores, exponentials: powers, changes, gains, discounts, scratch, .. } = ranking;
        let Some(exchanges) = self.objective.exchanges(query, grades, scratch) else { return Ok(()) };
        let (best, worst) = (scores[0], scores[n - 1]);
        let far = self.sigma * (best - worst) > 2.0 * FARTHEST;
        powers.resize(n, 0.0);
        exponentials(scores, self.sigma, best / 2.0 + worst / 2.0, powers);
        let by_distance = self.normalise && best != worst;
        ranking.first.clear();
        ranking.first.resize(n, 0.0);
        ranking.second.clear();
        ranking.second.resize(n, 0.0);
        let unit = exchanges.factors(gains, discounts);
        // A loop in vectors takes some top ranks at once, if nothing else is computed for each.
        let at_once = if far || unit.is_none() { 1 } else { RANKS_BETWEEN_CHECKS };
        let tops = self.tops(n).min(exchanges.positions());
        let mut total = 0.0;
        for start in (0..tops).step_by(at_once) {
            if start % RANKS_BETWEEN_CHECKS == 0 {
                self.cx.check()?;
            }
            if far {
                let here = scores[start];
                exponentials(&scores[start..], self.sigma, here, &mut powers[start..]);
            }
            let changes = match unit {
                Some(unit) => Changes::Products { gains, discounts, unit },
                None => {
                    changes.resize(n - start - 1, 0.0);
                    exchanges.changes(start, changes);
                    Changes::Given(changes)
                }
            };
            let ranked = Ranked { exponentials: powers, scores, changes, by_distance };
            let tops = start..tops.min(start + at_once);
            total = add_pairs(ranked, tops, total, &mut ranking.first, &mut ranking.second);
        }
        let total = 2.0 * self.sigma * total;
        let scale = if self.normalise && total > 0.0 { libm::log2(1.0 + total) / total } else { 1.0 };
        let (first_scale, second_scale) = (scale * self.sigma, scale * self.sigma * self.sigma);
        for ((&row, &gradient), &hessian) in order.iter().zip(&ranking.first).zip(&ranking.second) {
            first[row as usize] = gradient * first_scale;
            second[row as usize] = hessian * second_scale;
        }
        Ok(())
    }
}

impl Loss for LambdaLoss<'_> {
    const CONSTANT_HESSIAN: bool = false;

    fn base(&self) -> f64 {
        0.0
    }

    fn gradients(&self, scores: &[f64], draw: Seed, first: &mut [f64], second: &mut [f64]) -> Result<(), FitError> {
        if let Some(row) = scores.iter().position(|score| !score.is_finite()) {
            return Err(FitError::Numeric(format!(
                "document {} of the training data has score {}; lower the learning rate",
                row + 1,
                scores[row]
            )));
        }
        let mut queries = Vec::with_capacity(self.grades.len());
        let (mut first, mut second) = (first, second);
        for query in 0..self.grades.len() {
            let (head, tail) = first.split_at_mut(self.grades[query].len());
            let (second_head, second_tail) = second.split_at_mut(head.len());
            queries.push((query, head, second_head));
            (first, second) = (tail, second_tail);
        }
        queries.into_par_iter().with_min_len(16).try_for_each_init(
            Ranking::default,
            |ranking, (query, first, second)| {
                self.query(query, &scores[self.objective.rows(query)], draw, (first, second), ranking)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use fivefold_metrics::DIALECTS;

    use super::*;
    use crate::test_data::rows;

    /// Queries of the given grades with one constant feature.
    fn graded(queries: &[&[u8]]) -> Dataset {
        let docs: Vec<Vec<(u8, &[f32])>> =
            queries.iter().map(|grades| grades.iter().map(|&grade| (grade, [0.5f32].as_slice())).collect()).collect();
        rows(&docs.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// A context that cannot be cancelled and lives as long as any loss.
    fn context() -> &'static FitContext<'static> {
        Box::leak(Box::new(FitContext::new(Seed::new(1))))
    }

    fn measure(name: &str, data: &Dataset) -> Objective {
        Objective::new(&name.parse().unwrap(), &DIALECTS[0].conventions(), data, Seed::new(1)).unwrap()
    }

    fn gradients(loss: &LambdaLoss<'_>, scores: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut first, mut second) = (vec![f64::NAN; scores.len()], vec![f64::NAN; scores.len()]);
        loss.gradients(scores, Seed::new(3), &mut first, &mut second).unwrap();
        (first, second)
    }

    /// The definition, pair by pair, where the measure evaluates every exchange.
    fn brute_force(
        name: &str,
        data: &Dataset,
        scores: &[f64],
        (truncation, sigma, normalise): (usize, f64, bool),
    ) -> (Vec<f64>, Vec<f64>) {
        let n = scores.len();
        let objective = measure(name, data);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let value = |order: &[usize]| {
            let mut falling = vec![0.0; n];
            order.iter().enumerate().for_each(|(position, &row)| falling[row] = -(position as f64));
            objective.value(0, &falling, &mut Scratch::default()).unwrap()
        };
        let before = value(&order);
        let (mut first, mut second, mut total) = (vec![0.0; n], vec![0.0; n], 0.0);
        for i in 0..n.min(truncation) {
            for j in i + 1..n {
                let mut exchanged = order.clone();
                exchanged.swap(i, j);
                let change = value(&exchanged) - before;
                if change == 0.0 {
                    continue;
                }
                let (better, worse) = if change < 0.0 { (order[i], order[j]) } else { (order[j], order[i]) };
                let mut weight = change.abs();
                if normalise {
                    weight /= 0.01 + (scores[better] - scores[worse]).abs();
                }
                let rho = 1.0 / (1.0 + libm::exp(sigma * (scores[better] - scores[worse])));
                first[better] -= sigma * weight * rho;
                first[worse] += sigma * weight * rho;
                second[better] += sigma * sigma * weight * rho * (1.0 - rho);
                second[worse] += sigma * sigma * weight * rho * (1.0 - rho);
                total += 2.0 * sigma * weight * rho;
            }
        }
        let scale = if normalise && total > 0.0 { libm::log2(1.0 + total) / total } else { 1.0 };
        first.iter_mut().chain(&mut second).for_each(|x| *x *= scale);
        (first, second)
    }

    #[test]
    fn gradients_are_those_of_the_definition_for_any_measure() {
        let mut rng = Seed::new(11).rng();
        let names = [
            "ndcg",
            "ndcg@3",
            "ndcg.v1@3",
            "ndcg.v2@5",
            "ap",
            "ap.v2@4",
            "rr",
            "err",
            "err.v1@3",
            "p@2",
            "rbp",
            "meanndcg",
        ];
        for name in names {
            for (truncation, sigma, normalise) in [(100, 1.0, false), (2, 0.7, false), (3, 2.0, true)] {
                let mut grades: Vec<u8> = (0..9).map(|_| rng.below(3) as u8).collect();
                grades[..3].copy_from_slice(&[0, 1, 2]);
                let scores: Vec<f64> = (0..9).map(|_| rng.normal()).collect();
                let data = graded(&[&grades]);
                let loss =
                    LambdaLoss::new(measure(name, &data), &data, Ties::Drawn, truncation, sigma, normalise, context())
                        .unwrap();
                let (first, second) = gradients(&loss, &scores);
                let expected = brute_force(name, &data, &scores, (truncation, sigma, normalise));
                for (found, expected) in first.iter().chain(&second).zip(expected.0.iter().chain(&expected.1)) {
                    assert!((found - expected).abs() < 1e-12, "{name} {grades:?} {scores:?}: {found} {expected}");
                }
                assert!(first.iter().any(|g| *g != 0.0), "{name} {grades:?}");
            }
        }
    }

    #[test]
    fn scores_far_apart_give_finite_gradients() {
        let data = graded(&[&[0, 1, 2, 0]]);
        for spread in [1.0, 200.0, 400.0, 1e3, 1e6, 1e300] {
            let scores = [spread, 0.0, -spread, 0.25];
            for normalise in [false, true] {
                let loss =
                    LambdaLoss::new(measure("ndcg", &data), &data, Ties::Drawn, 0, 1.0, normalise, context()).unwrap();
                let (first, second) = gradients(&loss, &scores);
                assert!(first.iter().chain(&second).all(|x| x.is_finite()), "{spread}: {first:?} {second:?}");
                assert!(second.iter().all(|h| *h >= 0.0));
                let expected = brute_force("ndcg", &data, &scores, (4, 1.0, normalise));
                for (found, expected) in first.iter().zip(&expected.0) {
                    assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1e-12), "{found} {expected}");
                }
            }
        }
        let loss = LambdaLoss::new(measure("ndcg", &data), &data, Ties::Drawn, 0, 1.0, false, context()).unwrap();
        let mut out = ([0.0; 4], [0.0; 4]);
        assert!(loss.gradients(&[0.0, f64::NAN, 0.0, 0.0], Seed::new(3), &mut out.0, &mut out.1).is_err());
    }

    #[test]
    fn queries_do_not_mix_and_undefined_ones_are_still() {
        let (a, b): (&[u8], &[u8]) = (&[0, 2, 1], &[1, 0, 0, 2]);
        let data = graded(&[a, &[0, 0], b, &[2]]);
        let loss = LambdaLoss::new(measure("ndcg", &data), &data, Ties::Input, 0, 1.0, true, context()).unwrap();
        let scores = [0.3, 0.1, 0.2, 5.0, -5.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let (first, second) = gradients(&loss, &scores);
        assert_eq!((&first[3..5], first[9], second[9]), (&[0.0, 0.0][..], 0.0, 0.0));
        for (rows, grades) in [(0..3, a), (5..9, b)] {
            let alone = graded(&[grades]);
            let loss = LambdaLoss::new(measure("ndcg", &alone), &alone, Ties::Input, 0, 1.0, true, context()).unwrap();
            assert_eq!(gradients(&loss, &scores[rows.clone()]).0, first[rows.clone()]);
            // A pair adds to one gradient what it takes from the other, so the sum is 0.
            assert!(first[rows].iter().sum::<f64>().abs() < 1e-15);
        }
    }

    /// catboost/catboost #1919: CatBoost refuses a group of 13,734,090 pairs.
    #[test]
    fn all_pairs_are_those_of_the_top_ranks_where_they_are_too_many() {
        let data = graded(&[&[0, 2, 1, 0, 0, 1, 2, 0, 0, 1], &[1, 0]]);
        let told = Notes::default();
        let cx = FitContext::new(Seed::new(1)).with_progress(&told);
        let mut loss = LambdaLoss::new(measure("ndcg", &data), &data, Ties::Input, 0, 1.0, false, &cx).unwrap();
        assert!(told.0.lock().unwrap().is_empty());
        let scores: Vec<f64> = (0..12).map(|i| f64::from(i * 7 % 12)).collect();
        let all = gradients(&loss, &scores);
        // Three top ranks have 9 + 8 + 7 = 24 pairs, and all ranks have 45.
        for (most, tops) in [(45, 9), (44, 8), (25, 3), (24, 3), (23, 2), (1, 1)] {
            loss.most_pairs = most;
            assert_eq!((loss.tops(10), loss.tops(2)), (tops, 1), "{most}");
            let cut = LambdaLoss::new(measure("ndcg", &data), &data, Ties::Input, tops, 1.0, false, context()).unwrap();
            assert_eq!(gradients(&loss, &scores), gradients(&cut, &scores));
            assert_eq!(gradients(&loss, &scores) == all, tops >= 8, "{most}");
        }
        loss.most_pairs = 24;
        loss.warn_of_long_queries();
        let said = told.0.lock().unwrap().clone();
        assert!(
            said.len() == 1 && said[0].contains("1 query of more than 24 pairs") && said[0].contains("the top 3"),
            "{said:?}"
        );
        // A query of 200,000 documents is cut to 83 ranks, and no query of a known collection is
        // cut.
        let huge = LambdaLoss { most_pairs: MOST_PAIRS, ..loss };
        assert_eq!((huge.tops(200_000), huge.tops(5_793), huge.tops(5_794)), (83, 5_792, 5_692));
    }

    #[derive(Default)]
    struct Notes(std::sync::Mutex<Vec<String>>);

    impl fivefold_core::Progress for Notes {
        fn step(&self, _: u64, _: u64) {}
        fn warning(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }
    }

    #[test]
    fn gradients_end_when_the_fit_is_cancelled() {
        let data = graded(&[&[0, 2, 1, 0]]);
        let flag = std::sync::atomic::AtomicBool::new(true);
        let cx = FitContext::new(Seed::new(1)).with_cancellation(&flag);
        let loss = LambdaLoss::new(measure("ndcg", &data), &data, Ties::Drawn, 0, 1.0, false, &cx).unwrap();
        let mut out = ([0.0; 4], [0.0; 4]);
        let end = loss.gradients(&[0.0; 4], Seed::new(3), &mut out.0, &mut out.1);
        assert!(matches!(end, Err(FitError::Cancelled)));
    }
}

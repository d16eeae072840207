//! AdaRank (Xu & Li, SIGIR 2007): boosting on queries, with single features as weak rankers, for
//! any measure E.
//!
//! Queries have weights P, at first equal. Each round
//! - takes the feature k with the greatest sum_i P(i) E(i, x_k), where E(i, x_k) is the measure of
//!   query i ranked by feature k;
//! - weighs it by alpha = ln(sum_i P(i) (1 + E(i, x_k)) / sum_i P(i) (1 - E(i, x_k))) / 2;
//! - adds alpha x_k to the score f;
//! - derives the weights anew from f: P(i) = exp(-E(i, f)) / sum_j exp(-E(j, f)).
//!
//! With `negative`, -x_k is a second weak ranker of each feature. Both parts of the quotient are at
//! least 1e-10, so a perfect feature has alpha 11.86.
//!
//! P changes little from round to round, so one feature can win again and again, or alternate with
//! a similar feature. After `max_picks` picks in a row, a feature is left out until the mean
//! measure of the training queries changes, or until all other features are left out too. Rounds
//! end when this mean falls by `tolerance` or more; the last round is dropped. With a validation
//! part and `early_stopping` = s, rounds end when the measure has not risen for s rounds, and the
//! rounds after the best round are dropped.
//!
//! The features are summed as they are. A feature with a large range outweighs the others, so
//! normalise the features. Queries of one grade and queries without a defined measure are left
//! out, since no weak ranker can alter their value. (RankLib counts them as 0, which draws weight
//! to them.) The measure follows the default dialect; parameters in its name override the
//! dialect.
//!
//! With `accumulate`, P is multiplied by exp(-alpha E(i, f)) in every round, as in RankLib. (The
//! models that LETOR 4.0 publishes seem to be made so too.) Queries that stay badly ordered gain
//! ever more weight, so more features take part.
//!
//! Differs from RankLib in five points. RankLib always accumulates. RankLib takes back a feature
//! that wins twice in a row, and tries it again after the other features. Only then RankLib counts
//! picks in a row, and only while the measure does not change. RankLib's alpha is infinite for a
//! perfect feature, and smaller values never rank higher. RankLib keeps the best round on the
//! validation part, as here with `early_stopping` = `rounds`.
//!
//! Defaults were chosen on the validation parts of MQ2008, OHSUMED and a sample of MSLR-WEB30K:
//! half of each part stopped the training, and the other half chose.
//!
//! Cost, in evaluations of the measure over all queries: before the first round, an evaluation for
//! each weak ranker; then an evaluation for each round.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use fivefold_metrics::{MeasureError, Objective, Scratch};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::best_round::BestRound;
use crate::boosting::{check_measure, objective};
use crate::by_query::score_error;
use crate::linear_model::LinearModel;
use crate::memory::{Size, threads};
use crate::patience::Patience;
use crate::validation::require_order;

/// The least value of either part of the quotient under the logarithm.
const LEAST: f64 = 1e-10;

/// The greatest value of a measure, up to rounding.
const MOST: f64 = 1.0 + 1e-9;

/// Boosting on queries with single features.
///
/// ```
/// use fivefold_rankers::{AdaRank, Dataset, FitContext, Model, Ranker, Seed};
///
/// // The first feature orders the documents of both queries as their grades do, the second one only those of one query.
/// let train = Dataset::of_queries(2, [(&[3.0, 1.0, 2.0, 5.0][..], &[1, 0][..]), (&[9.0, 8.0, 4.0, 7.0], &[1, 0])])?;
/// let model = AdaRank::default().fit(&train, &FitContext::new(Seed::new(1)))?;
/// for query in train.queries() {
///     let scores = model.scores(query.view());
///     assert!(scores[0] > scores[1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AdaRank {
    /// The measure E, in any version; its values must not exceed 1.
    pub objective: String,
    /// The most rounds.
    pub rounds: usize,
    /// Stop when the measure falls by at least this amount in a round.
    pub tolerance: f64,
    /// The most picks of a feature in a row, before it is left out for a while.
    pub max_picks: usize,
    /// Whether smaller values of a feature may rank higher.
    pub negative: bool,
    /// Whether P is multiplied by exp(-alpha E(i, f)) in each round instead of derived anew.
    pub accumulate: bool,
    /// Rounds without a gain on the validation part after which to stop; 0: never.
    pub early_stopping: usize,
    /// The measure that stops early; empty: the objective.
    pub stop_measure: String,
}

impl Default for AdaRank {
    fn default() -> Self {
        AdaRank {
            objective: "ndcg@10".to_owned(),
            rounds: 500,
            tolerance: 0.002,
            max_picks: 1,
            negative: true,
            accumulate: false,
            early_stopping: 100,
            stop_measure: String::new(),
        }
    }
}

impl AdaRank {
    fn stop_measure(&self) -> &str {
        if self.stop_measure.is_empty() { &self.objective } else { &self.stop_measure }
    }

    /// Updates P after a round with weight `alpha`, from the ensemble's values of E.
    fn reweigh(&self, weights: &mut [f64], alpha: f64, values: &[f64]) {
        for (weight, value) in weights.iter_mut().zip(values) {
            *weight = if self.accumulate { *weight * libm::exp(-alpha * value) } else { libm::exp(-value) };
        }
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
}

impl Ranker for AdaRank {
    const NAME: &'static str = "adarank";
    const SUMMARY: &'static str = "boosting on queries with single features, for any measure";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp {
            name: "objective",
            help: "the measure to maximise: any measure, in any version, whose values are at most 1, such as ap.v2",
        },
        ParamHelp { name: "rounds", help: "the most rounds, at least 1" },
        ParamHelp {
            name: "tolerance",
            help: "stop when the mean over the training queries falls by at least this amount in a round, above 0",
        },
        ParamHelp {
            name: "max_picks",
            help: "a feature that is picked this many times in a row is left out until the measure changes, at least 1",
        },
        ParamHelp { name: "negative", help: "whether smaller values of a feature may rank higher" },
        ParamHelp {
            name: "accumulate",
            help: "multiply the weights of queries round after round, as RankLib, instead of deriving the weights anew in each round",
        },
        ParamHelp {
            name: "early_stopping",
            help: "stop after so many rounds without a gain on the validation part; 0: never",
        },
        ParamHelp {
            name: "stop_measure",
            help: "the measure on the validation part that decides when to stop; empty: the objective",
        },
    ];
    type Model = LinearModel;

    fn seeded(&self) -> bool {
        false
    }

    fn presets() -> Vec<Preset<Self>> {
        let params =
            AdaRank { max_picks: 5, negative: false, accumulate: true, early_stopping: 500, ..AdaRank::default() };
        let summary =
            "RankLib's settings: 500 rounds, tolerance .002, 5 picks in a row, best round on the validation part";
        vec![Preset { name: "ranklib", summary, params }]
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("objective", &self.objective)?;
        ParamError::unless(self.rounds >= 1, "rounds", self.rounds, "at least 1")?;
        let ok = self.tolerance > 0.0 && self.tolerance.is_finite();
        ParamError::unless(ok, "tolerance", self.tolerance, "a finite number above 0")?;
        ParamError::unless(self.max_picks >= 1, "max_picks", self.max_picks, "at least 1")?;
        check_measure("stop_measure", self.stop_measure())
    }

    /// Values of each query by each feature, and scores.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        let directions = if self.negative { 2 } else { 1 };
        let of_validation = if self.early_stopping > 0 { validation.objective() + 8 * validation.documents } else { 0 };
        directions * train.width * (100 + 8 * train.queries)
            + train.objective()
            + of_validation
            + (24 + 8 * threads()) * train.documents
            + 40 * train.queries
            + 10 * train.width
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<LinearModel, FitError> {
        let of_train = objective("objective", &self.objective, train, cx.seed())?;
        require_order(&of_train, train)?;
        let queries = Queries::new(train, of_train)?;
        if queries.informative.is_empty() || train.width() == 0 {
            return Err(FitError::Data("there is no feature".to_owned()));
        }
        let weak = queries.weak_rankers(self.negative, || cx.step(0, self.rounds as u64))?;
        let measure = |data: &Dataset| objective("stop_measure", self.stop_measure(), data, cx.seed());
        let mut validation = BestRound::new(cx, self.early_stopping, measure)?;
        let mut scores = vec![0.0; queries.rows.len()];
        let mut so_far = Boosted::begin(queries.informative.len(), train.width());
        if let Some(earlier) = cx.resume::<Boosted>() {
            earlier.picks.iter().for_each(|&(feature, weight)| queries.add(feature, weight, &mut scores));
            if let (Some(validation), Some(patience)) = (&mut validation, earlier.patience) {
                validation.resume(earlier.picks.iter().map(change), patience);
            }
            so_far = earlier;
        }
        for round in so_far.picks.len()..self.rounds {
            so_far.patience = validation.as_ref().map(BestRound::patience);
            cx.round(round as u64, self.rounds as u64, || &so_far)?;
            let Boosted { picks, query_weights, mean, spent, in_a_row, .. } = &mut so_far;
            if spent.iter().all(|&spent| spent) {
                spent.fill(false);
            }
            let Some((best, value)) = best(&weak, query_weights, spent) else { break };
            let alpha = libm::log((1.0 + value).max(LEAST) / (1.0 - value).max(LEAST)) / 2.0;
            let pick = (best.feature, best.sign * alpha);
            queries.add(best.feature, pick.1, &mut scores);
            let values = queries.values(&scores)?;
            self.reweigh(query_weights, alpha, &values);
            let mean_before = std::mem::replace(mean, values.iter().sum::<f64>() / values.len() as f64);
            if *mean + self.tolerance <= mean_before {
                break;
            }
            if *mean != mean_before {
                spent.fill(false);
            }
            let again = picks.last().is_some_and(|(last, _)| *last == best.feature);
            *in_a_row = if again { *in_a_row + 1 } else { 1 };
            spent[best.feature] = *in_a_row >= self.max_picks;
            picks.push(pick);
            if validation.as_mut().map(|validation| validation.add(change(&pick))).transpose()? == Some(true) {
                break;
            }
        }
        let mut rounds = so_far.picks;
        if let Some(validation) = validation {
            rounds.truncate(validation.best_rounds());
        }
        let mut weights = vec![0.0; train.width()];
        rounds.iter().for_each(|(feature, weight)| weights[*feature] += weight);
        cx.step(self.rounds as u64, self.rounds as u64)?;
        Ok(LinearModel { weights, intercept: 0.0 })
    }
}

/// The state after some rounds.
#[derive(Serialize, Deserialize)]
struct Boosted {
    /// The feature of each round and its weight.
    picks: Vec<(usize, f64)>,
    /// P, the weights of the queries.
    query_weights: Vec<f64>,
    /// The mean of the measure over the training queries.
    #[serde(with = "fivefold_core::checkpoint::bits")]
    mean: f64,
    /// Whether each feature is left out until the measure changes.
    spent: Vec<bool>,
    /// How often the last feature was picked in a row.
    in_a_row: usize,
    /// `None` if no round is left out.
    patience: Option<Patience>,
}

impl Boosted {
    fn begin(queries: usize, width: usize) -> Self {
        let query_weights = vec![1.0 / queries as f64; queries];
        let (mean, spent) = (f64::NEG_INFINITY, vec![false; width]);
        Boosted { picks: Vec::new(), query_weights, mean, spent, in_a_row: 0, patience: None }
    }
}

/// A round, as a function of the features of a document.
fn change(&(feature, weight): &(usize, f64)) -> impl Fn(&[f32]) -> f64 + use<> {
    move |row| weight * f64::from(row[feature])
}

/// One feature, in one direction.
#[derive(Debug, PartialEq)]
struct Weak {
    feature: usize,
    /// 1, or -1 if smaller values rank higher.
    sign: f64,
    /// The measure of each informative query.
    values: Vec<f64>,
}

/// The weak ranker with the greatest weighted measure, and its weighted measure; of equal rankers,
/// the first ranker.
fn best<'a>(weak: &'a [Weak], weights: &[f64], spent: &[bool]) -> Option<(&'a Weak, f64)> {
    let allowed = weak.iter().filter(|weak| !spent[weak.feature]);
    let weighted = allowed.map(|weak| (weak, weak.values.iter().zip(weights).map(|(v, w)| v * w).sum::<f64>()));
    weighted.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// The training queries whose measure depends on the order of their documents.
struct Queries<'a> {
    objective: Objective,
    /// Numbers of these queries.
    informative: Vec<usize>,
    /// The first document of each query in `rows`; at the end, the number of documents.
    bounds: Vec<usize>,
    /// The features of the documents of these queries.
    rows: Vec<&'a [f32]>,
    width: usize,
}

impl<'a> Queries<'a> {
    fn new(train: &'a Dataset, objective: Objective) -> Result<Self, FitError> {
        let (mut informative, mut rows, mut bounds) = (Vec::new(), Vec::new(), vec![0]);
        let mut scratch = Scratch::default();
        for (number, query) in train.queries().enumerate() {
            let grades = query.grades();
            if grades.iter().any(|grade| *grade != grades[0])
                && !objective.value(number, &vec![0.0; query.len()], &mut scratch).map_err(score_error)?.is_nan()
            {
                informative.push(number);
                rows.extend(query.view().rows());
                bounds.push(rows.len());
            }
        }
        Ok(Queries { objective, informative, bounds, rows, width: train.width() })
    }

    /// The measure of each query by each feature; `step` is called before each feature.
    fn weak_rankers(
        &self,
        negative: bool,
        step: impl Fn() -> Result<(), FitError> + Sync,
    ) -> Result<Vec<Weak>, FitError> {
        let weak_rankers = |feature| {
            step()?;
            let mut scores = vec![0.0; self.rows.len()];
            self.add(feature, 1.0, &mut scores);
            let of_signs = if negative { self.values_of_both(&scores)? } else { [self.values(&scores)?, Vec::new()] };
            match of_signs.iter().flatten().find(|value| **value > MOST) {
                Some(value) => Err(FitError::Param {
                    name: "objective",
                    reason: format!("must be a measure of at most 1, not {}, which is {value}", self.objective.name()),
                }),
                None => {
                    Ok([1.0, -1.0].into_iter().zip(of_signs).map(move |(sign, values)| Weak { feature, sign, values }))
                }
            }
        };
        let of_features = (0..self.width).into_par_iter().map(weak_rankers).collect::<Result<Vec<_>, _>>()?;
        Ok(of_features.into_iter().flatten().filter(|weak| !weak.values.is_empty()).collect())
    }

    /// The measure of each informative query for the given scores.
    fn values(&self, scores: &[f64]) -> Result<Vec<f64>, FitError> {
        self.of_queries(|place, scratch| self.objective.value(self.informative[place], self.of(place, scores), scratch))
    }

    /// The measure of each informative query for the given scores and for their negatives.
    fn values_of_both(&self, scores: &[f64]) -> Result<[Vec<f64>; 2], FitError> {
        let value = |place, scratch: &mut Scratch| {
            self.objective.value_of_both(self.informative[place], self.of(place, scores), scratch)
        };
        Ok(self.of_queries(value)?.into_iter().map(<(f64, f64)>::from).unzip::<_, _, Vec<_>, Vec<_>>().into())
    }

    /// The scores of an informative query.
    fn of<'s>(&self, place: usize, scores: &'s [f64]) -> &'s [f64] {
        &scores[self.bounds[place]..self.bounds[place + 1]]
    }

    /// `value` of the place of each informative query.
    fn of_queries<T: Send>(
        &self,
        value: impl Fn(usize, &mut Scratch) -> Result<T, MeasureError> + Sync + Send,
    ) -> Result<Vec<T>, FitError> {
        let places = (0..self.informative.len()).into_par_iter().with_min_len(64);
        let values = places.map_init(Scratch::default, |scratch, place| value(place, scratch));
        values.collect::<Result<_, _>>().map_err(score_error)
    }

    /// Adds `weight` times a feature to the score of every document.
    fn add(&self, feature: usize, weight: f64, scores: &mut [f64]) {
        scores.iter_mut().zip(&self.rows).for_each(|(score, row)| *score += weight * f64::from(row[feature]));
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn fit(ranker: &AdaRank, data: &Dataset) -> Result<Vec<f64>, FitError> {
        ranker.fit(data, &FitContext::new(Seed::new(1))).map(|model| model.weights)
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12), "{found:?}, expected {expected:?}");
    }

    /// Feature 1 orders the first and third query rightly, feature 2 the second query.
    fn three_queries() -> Dataset {
        let first: &[(u8, &[f32])] = &[(1, &[1.0, 0.0]), (0, &[0.0, 1.0])];
        let second: &[(u8, &[f32])] = &[(1, &[0.0, 1.0]), (0, &[1.0, 0.0])];
        // No feature can alter the value of the last query, so this query must not count.
        rows(&[first, second, first, &[(1, &[5.0, 5.0]), (1, &[0.0, 0.0])]])
    }

    fn reciprocal_rank() -> AdaRank {
        AdaRank { objective: "rr".to_owned(), max_picks: 1, negative: false, tolerance: 9.0, ..AdaRank::default() }
    }

    #[test]
    fn rounds_by_hand() {
        // Reciprocal ranks are 1, 1/2, 1 by feature 1 and 1/2, 1, 1/2 by feature 2. With P = 1/3
        // feature 1 has 5/6 and alpha = ln((11/6) / (1/6)) / 2 = ln(11) / 2. Then P is e^-1, e^-.5,
        // e^-1 over their sum.
        let first = libm::log(11.0) / 2.0;
        assert_near(&fit(&AdaRank { rounds: 1, ..reciprocal_rank() }, &three_queries()).unwrap(), &[first, 0.0]);
        let (one, half) = (libm::exp(-1.0), libm::exp(-0.5));
        let of_feature_2 = (2.0 * one * 0.5 + half) / (2.0 * one + half);
        let second = libm::log((1.0 + of_feature_2) / (1.0 - of_feature_2)) / 2.0;
        assert_near(&fit(&AdaRank { rounds: 2, ..reciprocal_rank() }, &three_queries()).unwrap(), &[first, second]);
        // Feature 1 still outweighs feature 2, so the values of the ensemble, and P, do not
        // change.
        let of_feature_1 = (2.0 * one + 0.5 * half) / (2.0 * one + half);
        let third = libm::log((1.0 + of_feature_1) / (1.0 - of_feature_1)) / 2.0;
        let expected = [first + third, second];
        assert_near(&fit(&AdaRank { rounds: 3, ..reciprocal_rank() }, &three_queries()).unwrap(), &expected);
        // Without the limit, feature 1 is taken again, since it has the greater measure under both
        // P.
        let twice = AdaRank { rounds: 2, max_picks: 2, ..reciprocal_rank() };
        assert_near(&fit(&twice, &three_queries()).unwrap(), &[first + third, 0.0]);
    }

    #[test]
    fn accumulated_weights_by_hand() {
        // The first round is that of `rounds_by_hand`, alpha = ln(11) / 2; then P is 11^-(1/2),
        // 11^-(1/4), 11^-(1/2) over their sum, and after a second round, with beta and the same
        // values, that times e^-beta, e^-(beta/2), e^-beta.
        let accumulate = AdaRank { accumulate: true, ..reciprocal_rank() };
        let first = libm::log(11.0) / 2.0;
        let alpha = |(one, half): (f64, f64), (of_one, of_half): (f64, f64)| {
            let value = (2.0 * one * of_one + half * of_half) / (2.0 * one + half);
            libm::log((1.0 + value) / (1.0 - value)) / 2.0
        };
        let weights = (libm::exp(-first), libm::exp(-first / 2.0));
        let second = alpha(weights, (0.5, 1.0));
        let found = fit(&AdaRank { rounds: 2, ..accumulate.clone() }, &three_queries()).unwrap();
        assert_near(&found, &[first, second]);
        let weights = (weights.0 * libm::exp(-second), weights.1 * libm::exp(-second / 2.0));
        // Feature 2 is taken again. With P computed anew, feature 1 would be taken.
        let third = alpha(weights, (0.5, 1.0));
        let found = fit(&AdaRank { rounds: 3, ..accumulate }, &three_queries()).unwrap();
        assert_near(&found, &[first, second + third]);
    }

    #[test]
    fn a_fall_by_the_tolerance_ends_training_and_is_dropped() {
        // Feature 2 has a larger scale, so it reverses the order of the first and third query in
        // the second round.
        let first: &[(u8, &[f32])] = &[(1, &[1.0, 0.0]), (0, &[0.0, 9.0])];
        let second: &[(u8, &[f32])] = &[(1, &[0.0, 9.0]), (0, &[1.0, 0.0])];
        let data = rows(&[first, second, first]);
        let two = fit(&AdaRank { rounds: 2, ..reciprocal_rank() }, &data).unwrap();
        assert!(two[1] > 0.0);
        // The mean falls from 5/6 to 4/6.
        for (tolerance, kept) in [(0.16, false), (0.17, true)] {
            let found = fit(&AdaRank { rounds: 2, tolerance, ..reciprocal_rank() }, &data).unwrap();
            assert_eq!(found[1] > 0.0, kept, "{tolerance}");
        }
    }

    #[test]
    fn a_perfect_feature_has_a_finite_weight() {
        let query: &[(u8, &[f32])] = &[(0, &[0.3, 1.0]), (1, &[0.1, 2.0]), (0, &[0.2, 1.0])];
        let data = rows(&[query, query]);
        let perfect = libm::log(2.0 / LEAST) / 2.0;
        for objective in ["ndcg@10", "ndcg.v2@10", "rr"] {
            let ranker = AdaRank { objective: objective.to_owned(), rounds: 1, ..AdaRank::default() };
            // Feature 1 is perfect too, but reversed; of equal rankers, the first is taken.
            assert_near(&fit(&ranker, &data).unwrap(), &[-perfect, 0.0]);
            let ranker = AdaRank { negative: false, ..ranker };
            assert_near(&fit(&ranker, &data).unwrap(), &[0.0, perfect]);
        }
        // The feature comes back when no other feature can be taken.
        let one = rows(&[&[(0, &[1.0]), (1, &[2.0])]]);
        assert_near(&fit(&AdaRank { rounds: 3, max_picks: 1, ..AdaRank::default() }, &one).unwrap(), &[3.0 * perfect]);
    }

    #[test]
    fn every_objective_raises_its_own_measure() {
        let (data, mut scratch) = (signal_in_order(40, 1), Scratch::default());
        for name in ["ndcg@10", "ndcg@3", "ap", "ap.v2@5", "ndcg.v1@5", "rr", "err", "p@3"] {
            let weights = fit(&AdaRank { objective: name.to_owned(), ..AdaRank::default() }, &data).unwrap();
            let measure = objective("objective", name, &data, Seed::new(1)).unwrap();
            let mut value = |score: &dyn Fn(&[f32]) -> f64| {
                let scores: Vec<f64> = data.queries().flat_map(|query| query.view().rows()).map(score).collect();
                measure.mean(&scores, &mut scratch).unwrap()
            };
            let before = value(&|row| f64::from(row[0]));
            let after = value(&|row| crate::linear_model::dot(&weights, row));
            assert!(after > before, "{name}: {before} to {after}");
        }
    }

    #[test]
    fn measures_above_1_and_data_without_choice_are_refused() {
        let dcg = AdaRank { objective: "dcg@5".to_owned(), ..AdaRank::default() };
        let error = fit(&dcg, &signal_in_order(10, 1)).unwrap_err();
        assert!(error.to_string().contains("must be a measure of at most 1, not dcg@5"), "{error}");
        let flat = rows(&[&[(1, &[1.0]), (1, &[2.0])], &[(2, &[1.0])]]);
        assert!(matches!(fit(&AdaRank::default(), &flat), Err(FitError::Data(_))));
    }
}

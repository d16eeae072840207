//! RankNet: a network trained by the pairwise logistic loss (Burges et al., ICML 2005).
//!
//! The loss is the sum of log(1 + exp(-(s_i - s_j))) over all pairs of documents of a query, i of a
//! higher grade than j, with scores s. With rho = 1 / (1 + exp(s_i - s_j)), the derivative by s_i
//! falls by rho and the derivative by s_j rises by rho. With e_k = exp(s_k), rho = e_j / (e_i +
//! e_j), so the cost is an exponential a document and a division a pair. If scores spread too far
//! for e_k, each pair takes its own exponential, which tends to 0 or 1.
//!
//! `normalise_by_pairs` divides the loss of a query by its number of pairs. So all queries weigh
//! the same, as in the mean of a measure. The paper sums over all pairs.
//!
//! No cost is quadratic. If a query has more than 2^24 pairs (at least 5,794 documents), its pairs
//! are divided into s parts. A part has at most about 2^24 pairs, and each epoch takes a part. A
//! document meets one s-th of the worse documents in an epoch, and all worse documents in s epochs.
//! The worse documents of a grade stand in a drawn order. A warning says so.
//!
//! Preset `ranklib`: RankLib's settings (raw features, 10 logistic units, 100 epochs at rate 5e-5,
//! a step a query, the best epoch on the validation part). RankLib differs in four points. Its
//! score goes through a logistic function too, which flattens gradients. Its weights move after
//! each document. Its weights start at random within +-.1. Its queries come in file order.
//!
//! Cost of an epoch: the network ([`crate::network`]), and a nanosecond or two for each pair.

use std::ops::Range;

use fivefold_base::words::counted;
use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, JudgedQuery, ParamError, ParamHelp, Ranker, Renamed, Seed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::boosting::{check_measure, objective};
use crate::exponentials::exponentiate;
use crate::lambda::MOST_PAIRS;
use crate::memory::{Size, threads};
use crate::network::{Activation, Network, Optimiser, QueryLoss, flat, help};
use crate::network_model::NetworkModel;
use crate::ties::drawn;
use crate::wide::{self, Loop, Vector};

/// The largest spread of scores for the fast way: the square of exp(FARTHEST / 2) is still finite.
const FARTHEST: f64 = 600.0;

/// A network trained by the pairwise logistic loss.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Model, RankNet, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[0.9, 0.5, 0.1][..], &[2, 1, 0][..]), (&[0.8, 0.4, 0.2], &[2, 1, 0])])?;
/// let model = RankNet::default().fit(&train, &FitContext::new(Seed::new(1)))?;
/// let scores = model.scores(train.query(0).view());
/// assert!(scores[0] > scores[1] && scores[1] > scores[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct RankNet {
    /// Whether a query's loss is divided by its number of pairs.
    pub normalise_by_pairs: bool,
    /// The network and its training.
    pub network: Network,
}

flat!(RankNet { normalise_by_pairs: bool });

impl Default for RankNet {
    fn default() -> Self {
        RankNet { normalise_by_pairs: true, network: Network::default() }
    }
}

impl Ranker for RankNet {
    const NAME: &'static str = "ranknet";
    const SUMMARY: &'static str = "neural network trained by the pairwise logistic loss; of a query with over 2^24 pairs, each epoch takes a part";
    const PARAMS: &'static [ParamHelp] = help::with_network!(
        [ParamHelp { name: "normalise_by_pairs", help: "divide a query's loss by the number of its pairs" },],
        help::STOP_MEASURE
    );
    const RENAMED: &'static [Renamed] = &[Renamed::new("level", "normalise_by_pairs")];
    type Model = NetworkModel;

    fn presets() -> Vec<Preset<Self>> {
        let network = Network {
            hidden: vec![10],
            activation: Activation::Logistic,
            standardise: false,
            epochs: 100,
            batch: 1,
            optimiser: Optimiser::Sgd,
            learning_rate: 5e-5,
            l2: 0.0,
            early_stopping: 100,
            ..Network::default()
        };
        let params = RankNet { normalise_by_pairs: false, network };
        vec![Preset {
            name: "ranklib",
            summary: "RankLib's settings: 10 logistic units, 100 epochs, rate 5e-5",
            params,
        }]
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("stop_measure", &self.network.stop_measure)?;
        self.network.check()
    }

    /// The network and the loss.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        8 * train.documents
            + 72 * train.queries
            + 24 * train.longest * threads().min(train.queries)
            + self.network.fit_bytes(train, validation)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<NetworkModel, FitError> {
        let loss = Pairwise::new(train, self.normalise_by_pairs, MOST_PAIRS, cx.seed().derive("pairs"));
        loss.warn_of_long_queries(cx);
        self.network
            .fit(train, cx, &loss, &|data| objective("stop_measure", &self.network.stop_measure, data, cx.seed()))
    }
}

/// The pairwise logistic loss.
struct Pairwise {
    queries: Vec<ByGrade>,
    by_pairs: bool,
    most_pairs: usize,
}

/// A query's documents from the highest grade to the lowest.
struct ByGrade {
    rows: Vec<u32>,
    /// For each place, the first place with a lower grade.
    lower: Vec<u32>,
    pairs: usize,
}

impl Pairwise {
    /// An epoch takes at most about `most_pairs` pairs of a query.
    fn new(data: &Dataset, by_pairs: bool, most_pairs: usize, draw: Seed) -> Self {
        let by_grade = |query| {
            let query: JudgedQuery<'_> = data.query(query);
            let sorted = ByGrade::new(query.grades(), None);
            if sorted.pairs > most_pairs { ByGrade::new(query.grades(), Some(&drawn(&query, draw))) } else { sorted }
        };
        Pairwise { queries: (0..data.len()).into_par_iter().map(by_grade).collect(), by_pairs, most_pairs }
    }

    /// Warns if an epoch does not take all pairs.
    fn warn_of_long_queries(&self, cx: &FitContext<'_>) {
        let long = self.queries.iter().map(|query| query.pairs).filter(|&pairs| pairs > self.most_pairs);
        let (count, most) = long.fold((0, 0), |(count, most), pairs| (count + 1, most.max(pairs)));
        if count > 0 {
            cx.warn(format!(
                "{} of more than {} pairs: an epoch takes a part of them (1 of {} of the most), and each pair comes in its turn",
                counted(count, "query"),
                self.most_pairs,
                most.div_ceil(self.most_pairs)
            ));
        }
    }
}

impl ByGrade {
    /// Documents of one grade stand in the order of `places`; without `places`, in file order.
    fn new(grades: &[u8], places: Option<&[u32]>) -> Self {
        let mut rows: Vec<u32> = (0..grades.len() as u32).collect();
        let grade = |&row: &u32| grades[row as usize];
        rows.sort_by_key(|row| (std::cmp::Reverse(grade(row)), places.map(|places| places[*row as usize])));
        let lower: Vec<u32> =
            rows.iter().map(|row| rows.partition_point(|other| grade(other) >= grade(row)) as u32).collect();
        let pairs = lower.iter().map(|&first| rows.len() - first as usize).sum();
        ByGrade { rows, lower, pairs }
    }

    /// The places of the worse documents that the document at `place` meets in part `part` of
    /// `parts`.
    fn others(&self, place: usize, part: usize, parts: usize) -> Range<usize> {
        let first = self.lower[place] as usize;
        let worse = self.rows.len() - first;
        // Neighbours meet different parts, so all worse documents are met equally often in each
        // epoch.
        let turn = (place + part) % parts;
        first + worse * turn / parts..first + worse * (turn + 1) / parts
    }
}

/// Arrays by place in [`ByGrade`].
#[derive(Default)]
struct Places {
    scores: Vec<f64>,
    exponentials: Vec<f64>,
    slopes: Vec<f64>,
}

impl QueryLoss for Pairwise {
    type Scratch = Places;

    fn informative(&self, query: usize) -> bool {
        self.queries[query].pairs > 0
    }

    fn slopes(
        &self,
        query: usize,
        epoch: u64,
        scores: &[f64],
        slopes: &mut [f64],
        places: &mut Places,
    ) -> Result<(), FitError> {
        let by_grade = &self.queries[query];
        let ByGrade { rows, pairs, .. } = by_grade;
        let parts = pairs.div_ceil(self.most_pairs).max(1);
        let part = (epoch % parts as u64) as usize;
        let Places { scores: sorted, exponentials, slopes: sums } = places;
        sorted.clear();
        sorted.extend(rows.iter().map(|&row| scores[row as usize]));
        sums.clear();
        sums.resize(rows.len(), 0.0);
        let (low, high) = sorted.iter().fold((f64::MAX, f64::MIN), |(low, high), &s| (low.min(s), high.max(s)));
        let far = high - low > FARTHEST;
        let middle = low / 2.0 + high / 2.0;
        exponentials.clear();
        exponentials.extend(sorted.iter().map(|&score| score - middle));
        exponentiate(exponentials);
        let met = if far {
            let mut met = 0;
            for (place, &score) in sorted.iter().enumerate() {
                let others = by_grade.others(place, part, parts);
                met += others.len();
                let sum = far_shares(score, &sorted[others.clone()], &mut sums[others]);
                sums[place] -= sum;
            }
            met
        } else {
            wide::run(Shares { by_grade, part, parts, exponentials, sums })
        };
        // The pairs of a part stand for all pairs.
        let scale = if self.by_pairs { 1.0 / met.max(1) as f64 } else { *pairs as f64 / met.max(1) as f64 };
        let scale = if *pairs == 0 { 1.0 } else { scale };
        rows.iter().zip(&*sums).for_each(|(&row, sum)| slopes[row as usize] = sum * scale);
        Ok(())
    }
}

/// The shares of all pairs of a part, as a loop: adds them to the places of the worse documents,
/// subtracts them from the places of the better ones, and counts the pairs.
struct Shares<'a> {
    by_grade: &'a ByGrade,
    part: usize,
    parts: usize,
    exponentials: &'a [f64],
    sums: &'a mut [f64],
}

impl Loop for Shares<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<V: Vector>(self) -> usize {
        let Shares { by_grade, part, parts, exponentials, sums } = self;
        let mut met = 0;
        for (place, &top) in exponentials.iter().enumerate() {
            let others = by_grade.others(place, part, parts);
            met += others.len();
            let sum = shares(top, &exponentials[others.clone()], &mut sums[others]);
            sums[place] -= sum;
        }
        met
    }
}

/// Adds other / (top + other) to the place of each other document, and returns the sum. Four
/// interleaved parts let additions overlap.
#[inline(always)]
fn shares(top: f64, others: &[f64], sums: &mut [f64]) -> f64 {
    let (groups, rest) = others.as_chunks::<4>();
    let (sum_groups, sum_rest) = sums.as_chunks_mut::<4>();
    let mut total = [0.0; 4];
    for (group, sums) in groups.iter().zip(sum_groups) {
        for lane in 0..4 {
            let share = group[lane] / (top + group[lane]);
            sums[lane] += share;
            total[lane] += share;
        }
    }
    let mut of_rest = 0.0;
    for (other, sum) in rest.iter().zip(sum_rest) {
        let share = other / (top + other);
        *sum += share;
        of_rest += share;
    }
    (total[0] + total[1]) + (total[2] + total[3]) + of_rest
}

/// As [`shares`], but from the scores themselves, for any difference.
fn far_shares(top: f64, others: &[f64], sums: &mut [f64]) -> f64 {
    let mut total = 0.0;
    for (other, sum) in others.iter().zip(sums) {
        let share = 1.0 / (1.0 + libm::exp(top - other));
        *sum += share;
        total += share;
    }
    total
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fivefold_core::Model as _;

    use super::*;
    use crate::test_data::rows;

    fn slopes(grades: &[u8], scores: &[f64], by_pairs: bool) -> Vec<f64> {
        let loss = Pairwise { queries: vec![ByGrade::new(grades, None)], by_pairs, most_pairs: MOST_PAIRS };
        let mut slopes = vec![f64::NAN; scores.len()];
        loss.slopes(0, 0, scores, &mut slopes, &mut Places::default()).unwrap();
        slopes
    }

    /// The loss of the module's head, and the number of pairs.
    fn loss(grades: &[u8], scores: &[f64]) -> (f64, f64) {
        let (mut sum, mut pairs) = (0.0, 0.0);
        for i in 0..grades.len() {
            for j in (0..grades.len()).filter(|&j| grades[j] < grades[i]) {
                sum += libm::log1p(libm::exp(-(scores[i] - scores[j])));
                pairs += 1.0;
            }
        }
        (sum, pairs)
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let mut rng = Seed::new(1).rng();
        for n in [2, 3, 9, 30] {
            let mut grades: Vec<u8> = (0..n).map(|_| rng.below(5) as u8).collect();
            grades[0] = 30;
            let scores: Vec<f64> = (0..n).map(|_| 3.0 * rng.normal()).collect();
            let found = [slopes(&grades, &scores, false), slopes(&grades, &scores, true)];
            for row in 0..n {
                let moved = |change: f64| {
                    let mut scores = scores.clone();
                    scores[row] += change;
                    loss(&grades, &scores).0
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - found[0][row]).abs() < 1e-7 * n as f64, "{slope} {}", found[0][row]);
                assert!((slope / loss(&grades, &scores).1 - found[1][row]).abs() < 1e-7);
            }
        }
    }

    #[test]
    fn slopes_are_finite_for_any_scores() {
        // The order is wrong by far, so rho is 1 for each pair.
        assert_eq!(slopes(&[0, 30, 1], &[1e9, -1e9, 0.0], false), [2.0, -2.0, 0.0]);
        assert_eq!(slopes(&[0, 1], &[f64::MAX, f64::MIN], false), [1.0, -1.0]);
        assert_eq!(slopes(&[0, 1], &[f64::MIN, f64::MAX], false), [0.0, 0.0]);
        assert_eq!(slopes(&[3, 3, 3], &[1.0, 2.0, 3.0], true), [0.0; 3]);
        // Both ways agree where both are possible.
        for spread in [599.0, 601.0] {
            let found = slopes(&[1, 0, 0], &[0.0, spread, spread - 700.0], false);
            assert!((found[0] + 1.0).abs() < 1e-15 && (found[1] - 1.0).abs() < 1e-15, "{found:?}");
            assert!(found[2].abs() < 1e-40);
        }
    }

    #[test]
    fn levelled_queries_weigh_the_same() {
        let data =
            rows(&[&[(1, &[1.0]), (0, &[2.0])], &[(2, &[1.0]), (1, &[2.0]), (0, &[3.0]), (0, &[0.0])], &[(1, &[0.0])]]);
        let loss = Pairwise::new(&data, true, MOST_PAIRS, Seed::new(1));
        let pairs: Vec<usize> = loss.queries.iter().map(|query| query.pairs).collect();
        assert_eq!(pairs, [1, 5, 0]);
        assert_eq!([0, 1, 2].map(|query| loss.informative(query)), [true, true, false]);
        let mut slopes = [0.0; 4];
        loss.slopes(1, 0, &[0.0; 4], &mut slopes, &mut Places::default()).unwrap();
        for (slope, expected) in slopes.iter().zip([-0.3, -0.1, 0.2, 0.2]) {
            assert!((slope - expected).abs() < 1e-15, "{slopes:?}");
        }
    }

    /// catboost/catboost #1919, #2815: a group of 15,000 documents has too many pairs for
    /// CatBoost.
    #[test]
    fn parts_of_a_long_query_take_each_pair_once_and_few_at_a_time() {
        let mut rng = Seed::new(4).rng();
        let grades: Vec<u8> = (0..97).map(|_| rng.below(4) as u8).collect();
        let sorted = ByGrade::new(&grades, None);
        for most_pairs in [1, 50, 700, sorted.pairs - 1, sorted.pairs] {
            let parts = sorted.pairs.div_ceil(most_pairs);
            let mut seen = BTreeSet::new();
            for part in 0..parts {
                let met: Vec<(usize, usize)> = (0..97)
                    .flat_map(|place| sorted.others(place, part, parts).map(move |other| (place, other)))
                    .collect();
                // A part has up to one pair more for each document.
                assert!(met.len() <= most_pairs + 97, "{} of {most_pairs}", met.len());
                seen.extend(met);
            }
            assert_eq!(seen.len(), sorted.pairs);
        }
        assert_eq!(sorted.others(3, 0, 1), sorted.lower[3] as usize..97);
    }

    /// The mean slope over all parts equals the slope of all pairs, at all scores and for both
    /// forms of the loss.
    #[test]
    fn slopes_of_all_parts_average_to_those_of_all_pairs() {
        let mut rng = Seed::new(4).rng();
        let features: Vec<[f32; 1]> = (0..60).map(|_| [rng.uniform() as f32]).collect();
        let documents: Vec<(u8, &[f32])> =
            features.iter().enumerate().map(|(i, x)| ((i % 4) as u8 / 2, x.as_slice())).collect();
        let data = rows(&[&documents]);
        let scores: Vec<f64> = features.iter().map(|x| f64::from(x[0])).collect();
        let whole = Pairwise::new(&data, false, MOST_PAIRS, Seed::new(1));
        let cut = Pairwise::new(&data, false, 90, Seed::new(1));
        let slopes = |loss: &Pairwise, epoch| {
            let mut slopes = vec![0.0; 60];
            loss.slopes(0, epoch, &scores, &mut slopes, &mut Places::default()).unwrap();
            slopes
        };
        let (all, parts) = (slopes(&whole, 0), cut.queries[0].pairs / 90);
        assert_eq!(parts, 10);
        for (row, slope) in all.iter().enumerate() {
            let mean = (0..10).map(|epoch| slopes(&cut, epoch)[row]).sum::<f64>() / 10.0;
            assert!((mean - slope).abs() < 1e-9, "{mean} {slope}");
        }
        assert_ne!(slopes(&cut, 0), all);
        assert_eq!(slopes(&cut, 10), slopes(&cut, 0));
    }

    /// Share of the pairs that a model trained on documents graded by |x| < 1/2 orders rightly.
    fn accuracy_on_distance_from_0(hidden: Vec<usize>) -> f64 {
        let features: Vec<Vec<[f32; 1]>> =
            (0..40).map(|q| (0..10).map(|d| [((q * 7 + d * 3) % 20) as f32 / 10.0 - 0.95]).collect()).collect();
        let documents: Vec<Vec<(u8, &[f32])>> = features
            .iter()
            .map(|query| query.iter().map(|x| (u8::from(x[0].abs() < 0.5), x.as_slice())).collect())
            .collect();
        let data = rows(&documents.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let ranker =
            RankNet { network: Network { hidden, l2: 0.0, epochs: 200, ..Network::default() }, ..RankNet::default() };
        let model = ranker.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        let (mut right, mut pairs) = (0.0, 0.0);
        for query in data.queries() {
            let mut scores = vec![0.0; query.len()];
            model.score(query.view(), &mut scores);
            for (i, &better) in query.grades().iter().enumerate() {
                for j in (0..query.len()).filter(|&j| query.grades()[j] < better) {
                    right += f64::from(u8::from(scores[i] > scores[j]));
                    pairs += 1.0;
                }
            }
        }
        right / pairs
    }

    #[test]
    fn a_hidden_layer_learns_what_no_linear_scorer_can() {
        let (linear, network) = (accuracy_on_distance_from_0(Vec::new()), accuracy_on_distance_from_0(vec![16]));
        assert!(linear < 0.7 && network > 0.99, "linear {linear}, with a hidden layer {network}");
    }
}

//! RankNet: a network trained by the pairwise logistic loss (Burges et al., ICML 2005).
//!
//! For every two documents of a query, i of a higher grade than j, with scores s: log(1 + exp(-(s_i - s_j))), summed
//! over pairs. Its derivatives by the scores need one number a document: with rho = 1 / (1 + exp(s_i - s_j)), i's
//! falls and j's rises by rho. With e_k = exp(s_k), rho = e_j / (e_i + e_j): one exponential a document and one
//! division a pair. Where scores spread too far for that, each pair takes its own exponential, which ends in 0 or 1.
//!
//! `level` divides by the number of pairs, so that a query with many documents weighs no more than another, as in the
//! means by which rankings are measured; the paper sums over all pairs.
//!
//! Preset `ranklib`: RankLib's settings (raw features, 10 logistic units, 100 epochs at rate 5e-5, a step a query,
//! the best epoch on the validation part). RankLib differs in that the score too goes through a logistic function,
//! which flattens gradients, that weights move after each document, start in +-.1 at random, and that queries come in
//! file order.
//!
//! Cost an epoch: the network's ([`crate::network`]) and the pairs, a nanosecond or two each.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use serde::{Deserialize, Serialize};

use crate::boosting::{check_measure, objective};
use crate::network::{Activation, Optimiser, QueryLoss, Training, help};
use crate::network_model::NetworkModel;

/// Differences of scores beyond this take the careful way: exp of half of it, squared, is still finite and above 0.
const FARTHEST: f64 = 600.0;

/// A network trained by the pairwise logistic loss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankNet {
    /// Divide a query's loss by the number of its pairs.
    pub level: bool,
    /// Units of each hidden layer; empty: a linear scorer.
    pub hidden: Vec<usize>,
    /// The function of a hidden unit.
    pub activation: Activation,
    /// Bring each feature to mean 0 and standard deviation 1 over the training documents.
    pub standardise: bool,
    /// The most passes over the training queries.
    pub epochs: usize,
    /// Queries a step.
    pub batch: usize,
    /// How weights follow the gradient.
    pub optimiser: Optimiser,
    /// Length of a step.
    pub learning_rate: f64,
    /// Penalty on half the squared weights.
    pub l2: f64,
    /// Epochs without a gain on the validation part after which to stop; 0: never, and the last epoch counts.
    pub early_stopping: usize,
    /// The measure on the validation part.
    pub stop_measure: String,
}

impl Default for RankNet {
    fn default() -> Self {
        RankNet {
            level: true,
            hidden: vec![32],
            activation: Activation::Relu,
            standardise: true,
            epochs: 100,
            batch: 8,
            optimiser: Optimiser::Adam,
            learning_rate: 0.003,
            l2: 0.05,
            early_stopping: 20,
            stop_measure: "ndcg@10".to_owned(),
        }
    }
}

impl RankNet {
    fn training(&self) -> Training {
        Training {
            hidden: self.hidden.clone(),
            activation: self.activation,
            standardise: self.standardise,
            epochs: self.epochs,
            batch: self.batch,
            optimiser: self.optimiser,
            rate: self.learning_rate,
            l2: self.l2,
            early_stopping: self.early_stopping,
        }
    }
}

impl Ranker for RankNet {
    const NAME: &'static str = "ranknet";
    const SUMMARY: &'static str = "neural network trained by the pairwise logistic loss";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "level", help: "divide a query's loss by the number of its pairs" },
        help::HIDDEN,
        help::ACTIVATION,
        help::STANDARDISE,
        help::EPOCHS,
        help::BATCH,
        help::OPTIMISER,
        help::LEARNING_RATE,
        help::L2,
        help::EARLY_STOPPING,
        help::STOP_MEASURE,
    ];
    type Model = NetworkModel;

    fn presets() -> Vec<Preset<Self>> {
        let params = RankNet {
            level: false,
            hidden: vec![10],
            activation: Activation::Logistic,
            standardise: false,
            epochs: 100,
            batch: 1,
            optimiser: Optimiser::Sgd,
            learning_rate: 5e-5,
            l2: 0.0,
            early_stopping: 100,
            ..RankNet::default()
        };
        vec![Preset {
            name: "ranklib",
            summary: "RankLib's settings: 10 logistic units, 100 epochs, rate 5e-5",
            params,
        }]
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("stop_measure", &self.stop_measure)?;
        self.training().check()
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<NetworkModel, FitError> {
        let loss = Pairwise::new(train, self.level);
        self.training().fit(train, cx, &loss, |data| objective("stop_measure", &self.stop_measure, data, cx.seed()))
    }
}

/// The pairwise logistic loss.
struct Pairwise {
    queries: Vec<ByGrade>,
    level: bool,
}

/// A query's documents from the highest grade to the lowest.
struct ByGrade {
    rows: Vec<u32>,
    /// For each place the first one of a lower grade.
    lower: Vec<u32>,
    pairs: usize,
}

impl Pairwise {
    fn new(data: &Dataset, level: bool) -> Self {
        Pairwise { queries: data.queries().map(|query| ByGrade::new(query.grades())).collect(), level }
    }
}

impl ByGrade {
    fn new(grades: &[u8]) -> Self {
        let mut rows: Vec<u32> = (0..grades.len() as u32).collect();
        let grade = |&row: &u32| grades[row as usize];
        rows.sort_by_key(|row| std::cmp::Reverse(grade(row)));
        let lower: Vec<u32> =
            rows.iter().map(|row| rows.partition_point(|other| grade(other) >= grade(row)) as u32).collect();
        let pairs = lower.iter().map(|&first| rows.len() - first as usize).sum();
        ByGrade { rows, lower, pairs }
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

    fn slopes(&self, query: usize, scores: &[f64], slopes: &mut [f64], places: &mut Places) {
        let ByGrade { rows, lower, pairs } = &self.queries[query];
        let n = rows.len();
        let Places { scores: sorted, exponentials, slopes: sums } = places;
        sorted.clear();
        sorted.extend(rows.iter().map(|&row| scores[row as usize]));
        sums.clear();
        sums.resize(n, 0.0);
        let (low, high) = sorted.iter().fold((f64::MAX, f64::MIN), |(low, high), &s| (low.min(s), high.max(s)));
        let far = high - low > FARTHEST;
        let middle = low / 2.0 + high / 2.0;
        exponentials.clear();
        exponentials.extend(sorted.iter().map(|&score| libm::exp(score - middle)));
        for place in 0..n {
            let first = lower[place] as usize;
            let sum = if far {
                far_shares(sorted[place], &sorted[first..], &mut sums[first..])
            } else {
                shares(exponentials[place], &exponentials[first..], &mut sums[first..])
            };
            sums[place] -= sum;
        }
        let scale = if self.level { 1.0 / (*pairs).max(1) as f64 } else { 1.0 };
        rows.iter().zip(&*sums).for_each(|(&row, sum)| slopes[row as usize] = sum * scale);
    }
}

/// Adds other / (top + other) to the place of each other; their sum, in four interleaved parts so that the additions need
/// not wait for each other.
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

/// [`shares`] from the scores themselves, for any difference.
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
    use fivefold_core::{Model as _, Seed};

    use super::*;
    use crate::test_data::rows;

    fn slopes(grades: &[u8], scores: &[f64], level: bool) -> Vec<f64> {
        let loss = Pairwise { queries: vec![ByGrade::new(grades)], level };
        let mut slopes = vec![f64::NAN; scores.len()];
        loss.slopes(0, scores, &mut slopes, &mut Places::default());
        slopes
    }

    /// The loss and the number of pairs, as the module's head has them.
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
        // The wrong order by far: the better document wants all of each pair, the worse one too.
        assert_eq!(slopes(&[0, 30, 1], &[1e9, -1e9, 0.0], false), [2.0, -2.0, 0.0]);
        assert_eq!(slopes(&[0, 1], &[f64::MAX, f64::MIN], false), [1.0, -1.0]);
        assert_eq!(slopes(&[0, 1], &[f64::MIN, f64::MAX], false), [0.0, 0.0]);
        assert_eq!(slopes(&[3, 3, 3], &[1.0, 2.0, 3.0], true), [0.0; 3]);
        // Both ways agree where either can be taken.
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
        let loss = Pairwise::new(&data, true);
        let pairs: Vec<usize> = loss.queries.iter().map(|query| query.pairs).collect();
        assert_eq!(pairs, [1, 5, 0]);
        assert_eq!([0, 1, 2].map(|query| loss.informative(query)), [true, true, false]);
        let mut slopes = [0.0; 4];
        loss.slopes(1, &[0.0; 4], &mut slopes, &mut Places::default());
        for (slope, expected) in slopes.iter().zip([-0.3, -0.1, 0.2, 0.2]) {
            assert!((slope - expected).abs() < 1e-15, "{slopes:?}");
        }
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
        let ranker = RankNet { hidden, l2: 0.0, epochs: 200, ..RankNet::default() };
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

//! ListNet: a linear scorer or a network trained by the cross entropy of top-one probabilities (Cao
//! et al., ICML 2007).
//!
//! Let s be the scores and y the grades of a query's documents, and c the parameter `sharpness` (1
//! in the paper). Then P_j = exp(s_j) / sum_k exp(s_k) and T_j = exp(c y_j) / sum_k exp(c y_k).
//! The loss is -sum_j T_j log P_j, and its derivative by s_j is P_j - T_j. Exponentials are taken
//! relative to the largest value, so no exponential overflows. Queries of one grade are left out,
//! since they ask for equal scores and not for an order.
//!
//! Preset `ranklib`: RankLib's settings (raw features, no hidden layer, 1,500 epochs at rate 1e-5,
//! a step a query, the best epoch on the validation part). RankLib differs in three points. Its
//! score goes through a logistic function too, whose slope its gradient leaves out. RankLib keeps
//! queries of one grade, and takes queries in file order.
//!
//! Cost of an epoch: the network ([`crate::network`]), and an exponential a document.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use serde::{Deserialize, Serialize};

use crate::boosting::{check_measure, objective};
use crate::exponentials::exponentiate;
use crate::memory::Size;
use crate::network::{Activation, Network, Optimiser, QueryLoss, differ, flat, help};
use crate::network_model::NetworkModel;

/// The highest `sharpness`. Far below it, the highest grade already has the whole target
/// probability.
const SHARPEST: f64 = 1000.0;

/// A linear scorer or a network trained by the cross entropy of top-one probabilities.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, ListNet, Model, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[0.9, 0.5, 0.1][..], &[2, 1, 0][..]), (&[0.8, 0.4, 0.2], &[2, 1, 0])])?;
/// let model = ListNet::default().fit(&train, &FitContext::new(Seed::new(1)))?;
/// let scores = model.scores(train.query(0).view());
/// assert!(scores[0] > scores[1] && scores[1] > scores[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct ListNet {
    /// The factor of the grades before they become probabilities; above 0, at most 1000.
    pub sharpness: f64,
    /// The network and its training.
    pub network: Network,
}

flat!(ListNet { sharpness: f64 });

impl Default for ListNet {
    fn default() -> Self {
        ListNet { sharpness: 1.0, network: Network { hidden: Vec::new(), epochs: 200, l2: 0.01, ..Network::default() } }
    }
}

impl Ranker for ListNet {
    const NAME: &'static str = "listnet";
    const SUMMARY: &'static str =
        "linear scorer or neural network trained by the cross entropy of top-one probabilities";
    const PARAMS: &'static [ParamHelp] = help::with_network!(
        [ParamHelp {
            name: "sharpness",
            help: "the factor of grades before they become probabilities, above 0, at most 1000",
        },],
        help::STOP_MEASURE
    );
    type Model = NetworkModel;

    fn presets() -> Vec<Preset<Self>> {
        let network = Network {
            hidden: Vec::new(),
            standardise: false,
            epochs: 1500,
            batch: 1,
            optimiser: Optimiser::Sgd,
            learning_rate: 1e-5,
            l2: 0.0,
            early_stopping: 1500,
            ..Network::default()
        };
        let params = ListNet { sharpness: 1.0, network };
        vec![Preset { name: "ranklib", summary: "RankLib's settings: linear, 1,500 epochs, rate 1e-5", params }]
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("stop_measure", &self.network.stop_measure)?;
        let ok = self.sharpness > 0.0 && self.sharpness <= SHARPEST;
        ParamError::unless(ok, "sharpness", self.sharpness, "above 0 and at most 1000")?;
        self.network.check()
    }

    /// The network and the loss.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        8 * train.documents + 24 * train.queries + self.network.fit_bytes(train, validation)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<NetworkModel, FitError> {
        let loss = TopOne::new(train, self.sharpness);
        self.network
            .fit(train, cx, &loss, &|data| objective("stop_measure", &self.network.stop_measure, data, cx.seed()))
    }
}

/// The cross entropy of top-one probabilities.
struct TopOne<'a> {
    grades: Vec<&'a [u8]>,
    /// The target probabilities of all documents.
    targets: Vec<f64>,
    bounds: Vec<usize>,
}

impl<'a> TopOne<'a> {
    fn new(data: &'a Dataset, sharpness: f64) -> Self {
        let grades: Vec<&[u8]> = (0..data.len()).map(|query| data.query(query).grades()).collect();
        let mut targets: Vec<f64> =
            grades.iter().flat_map(|grades| grades.iter()).map(|&grade| sharpness * f64::from(grade)).collect();
        let bounds = data.bounds();
        bounds.windows(2).for_each(|pair| top_one(&mut targets[pair[0]..pair[1]]));
        TopOne { grades, targets, bounds }
    }
}

/// Turns values into the probabilities of standing first.
fn top_one(values: &mut [f64]) {
    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    values.iter_mut().for_each(|value| *value -= highest);
    exponentiate(values);
    let sum: f64 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= sum);
}

impl QueryLoss for TopOne<'_> {
    type Scratch = ();

    fn informative(&self, query: usize) -> bool {
        differ(self.grades[query])
    }

    fn slopes(&self, query: usize, _: u64, scores: &[f64], slopes: &mut [f64], (): &mut ()) -> Result<(), FitError> {
        slopes.copy_from_slice(scores);
        top_one(slopes);
        let targets = &self.targets[self.bounds[query]..self.bounds[query + 1]];
        slopes.iter_mut().zip(targets).for_each(|(slope, target)| *slope -= target);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;

    use super::*;
    use crate::test_data::rows;

    fn data(grades: &[u8]) -> Dataset {
        let documents: Vec<(u8, &[f32])> = grades.iter().map(|&grade| (grade, [0.0f32].as_slice())).collect();
        rows(&[&documents])
    }

    fn slopes(grades: &[u8], scores: &[f64], sharpness: f64) -> Vec<f64> {
        let targets = data(grades);
        let mut slopes = vec![f64::NAN; scores.len()];
        TopOne::new(&targets, sharpness).slopes(0, 0, scores, &mut slopes, &mut ()).unwrap();
        slopes
    }

    #[test]
    fn slopes_are_those_of_finite_differences() {
        let mut rng = Seed::new(1).rng();
        for sharpness in [1.0, 2.5] {
            let grades = [0u8, 2, 1, 0, 2, 0, 1];
            let scores: Vec<f64> = grades.iter().map(|_| 2.0 * rng.normal()).collect();
            let loss = |scores: &[f64]| -> f64 {
                let target = |y: u8| libm::exp(sharpness * f64::from(y));
                let (all, total) =
                    (grades.map(target).iter().sum::<f64>(), scores.iter().map(|s| libm::exp(*s)).sum::<f64>());
                grades.iter().zip(scores).map(|(&y, s)| -target(y) / all * libm::log(libm::exp(*s) / total)).sum()
            };
            let found = slopes(&grades, &scores, sharpness);
            for row in 0..grades.len() {
                let moved = |change: f64| {
                    let mut scores = scores.clone();
                    scores[row] += change;
                    loss(&scores)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!((slope - found[row]).abs() < 1e-8, "{slope} {}", found[row]);
            }
        }
    }

    #[test]
    fn slopes_are_finite_for_any_scores_and_grades() {
        assert_eq!(slopes(&[1, 1], &[0.0, 0.0], 1.0), [0.0, 0.0]);
        let found = slopes(&[0, 2, 0], &[1e9, -1e9, 0.0], 100.0);
        assert!(found[..2] == [1.0, -1.0] && found[2].abs() < 1e-80, "{found:?}");
        assert_eq!(slopes(&[0, 2], &[f64::MIN, f64::MAX], 1e9), [0.0, 0.0]);
        let mut highest = [30.0, 0.0, 0.0];
        top_one(&mut highest);
        assert!((highest[1] - libm::exp(-30.0)).abs() < 1e-25 && (highest[0] - 1.0).abs() < 1e-12, "{highest:?}");
    }

    #[test]
    fn queries_of_one_grade_are_left_out() {
        assert!(TopOne::new(&data(&[1, 0, 0]), 1.0).informative(0));
        assert!(!TopOne::new(&data(&[2, 2]), 1.0).informative(0));
    }
}

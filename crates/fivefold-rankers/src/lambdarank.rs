//! LambdaRank: a network trained on the lambda gradients of a measure (Burges, Ragno & Le, NIPS
//! 2006).
//!
//! RankNet's pairwise gradient, for two documents of a query, is multiplied by the exact change of
//! the measure when the two documents change places (module `lambda`). The objective is any
//! measure in any version, also a UE-normalised version. Measures follow the default dialect;
//! parameters in their names override the dialect.
//!
//! The paper uses the change of nDCG over the whole list: objective `ndcg`. An exchange that
//! changes no value, as between two documents below the cutoff of `ndcg@10`, gives no gradient.
//! RankLib's LambdaRank is RankLib's RankNet with these weights.
//!
//! Documents of equal score stand in an order that is drawn once for each query (module `ties`). A
//! network gives equal scores only to documents with the same features, or if all hidden units are
//! 0.
//!
//! Cost of an epoch: the network ([`crate::network`]), and O(n log n + truncation x n) for a query
//! of n documents.

use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker, Seed};
use serde::{Deserialize, Serialize};

use crate::boosting::{check_measure, objective};
use crate::lambda::{self, LambdaLoss, Ranking, loss_bytes};
use crate::memory::Size;
use crate::network::{Activation, Network, Optimiser, QueryLoss, differ, flat, help};
use crate::network_model::NetworkModel;
use crate::ties::Ties;

/// A network trained on the lambda gradients of a measure.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, LambdaRank, Model, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[0.9, 0.5, 0.1][..], &[2, 1, 0][..]), (&[0.8, 0.4, 0.2], &[2, 1, 0])])?;
/// // The measure whose gain decides how much a pair of documents counts.
/// let ranker = LambdaRank { objective: "ap".to_owned(), ..LambdaRank::default() };
/// let scores = ranker.fit(&train, &FitContext::new(Seed::new(1)))?.scores(train.query(0).view());
/// assert!(scores[0] > scores[1] && scores[1] > scores[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Flat", into = "Flat")]
pub struct LambdaRank {
    /// The measure to maximise; any measure in any version.
    pub objective: String,
    /// A pair must have a document in this number of top ranks; 0 for all pairs.
    pub truncation: usize,
    /// LightGBM's normalisation of lambdas by score distance and by query.
    pub normalise: bool,
    /// The network and its training; an empty `stop_measure` is the objective.
    pub network: Network,
}

flat!(LambdaRank { objective: String, truncation: usize, normalise: bool });

impl Default for LambdaRank {
    fn default() -> Self {
        LambdaRank {
            objective: "ndcg@10".to_owned(),
            truncation: 0,
            normalise: false,
            network: Network { stop_measure: String::new(), ..Network::default() },
        }
    }
}

impl LambdaRank {
    fn stop_measure(&self) -> &str {
        if self.network.stop_measure.is_empty() { &self.objective } else { &self.network.stop_measure }
    }
}

impl Ranker for LambdaRank {
    const NAME: &'static str = "lambdarank";
    const SUMMARY: &'static str = "neural network trained on the lambda gradients of a measure";
    const VERSION: u32 = 2;
    const PARAMS: &'static [ParamHelp] = help::with_network!(
        [lambda::help::OBJECTIVE, lambda::help::TRUNCATION, lambda::help::NORMALISE,],
        ParamHelp {
            name: "stop_measure",
            help: "the measure on the validation part that decides when to stop; empty: the objective"
        }
    );
    type Model = NetworkModel;

    fn check(&self) -> Result<(), ParamError> {
        check_measure("objective", &self.objective)?;
        check_measure("stop_measure", self.stop_measure())?;
        self.network.check()
    }

    /// The network and the loss.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        loss_bytes(train) + 8 * train.longest + self.network.fit_bytes(train, validation)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<NetworkModel, FitError> {
        let of_train = objective("objective", &self.objective, train, cx.seed())?;
        let lambdas = LambdaLoss::new(of_train, train, Ties::Drawn, self.truncation, 1.0, self.normalise, cx)?;
        let loss = Lambdas { lambdas, draw: cx.seed().derive("ties"), data: train };
        self.network.fit(train, cx, &loss, &|data| objective("stop_measure", self.stop_measure(), data, cx.seed()))
    }
}

/// Lambda gradients as a loss of a network.
struct Lambdas<'a> {
    lambdas: LambdaLoss<'a>,
    draw: Seed,
    data: &'a Dataset,
}

impl QueryLoss for Lambdas<'_> {
    /// The ranking, and the second derivatives, which a network does not use.
    type Scratch = (Ranking, Vec<f64>);

    fn informative(&self, query: usize) -> bool {
        differ(self.data.query(query).grades())
    }

    fn slopes(
        &self,
        query: usize,
        _: u64,
        scores: &[f64],
        slopes: &mut [f64],
        (ranking, second): &mut Self::Scratch,
    ) -> Result<(), FitError> {
        second.resize(scores.len(), 0.0);
        self.lambdas.query(query, scores, self.draw, (slopes, second), ranking)
    }
}

#[cfg(test)]
mod tests {
    use fivefold_metrics::{Objective, Scratch};

    use super::*;
    use crate::test_data::rows;

    fn lambdas<'a>(measure: Objective, data: &'a Dataset, cx: &'a FitContext<'a>) -> Lambdas<'a> {
        let lambdas = LambdaLoss::new(measure, data, Ties::Drawn, 0, 1.0, false, cx).unwrap();
        Lambdas { lambdas, draw: Seed::new(3), data }
    }

    #[test]
    fn slopes_are_those_of_brute_force_swaps() {
        let grades = [0u8, 2, 1, 0, 2, 0, 1, 1, 0, 0, 2, 0];
        let documents: Vec<(u8, &[f32])> = grades.iter().map(|&grade| (grade, [0.0f32].as_slice())).collect();
        let data = rows(&[&documents]);
        let mut rng = Seed::new(5).rng();
        let scores: Vec<f64> = grades.iter().map(|_| rng.normal()).collect();
        for name in ["ndcg@10", "ndcg", "ndcg.v2@5", "ap.v1@5", "ap(denominator=relevant)", "rr", "err@4"] {
            let measure = || objective("objective", name, &data, Seed::new(1)).unwrap();
            let value = |scores: &[f64]| measure().value(0, scores, &mut Scratch::default()).unwrap();
            let mut expected = vec![0.0; grades.len()];
            for i in 0..grades.len() {
                for j in (0..grades.len()).filter(|&j| grades[j] < grades[i]) {
                    let mut swapped = scores.clone();
                    swapped.swap(i, j);
                    // The gain of the right order of the two documents, by the measure itself.
                    let gain = (value(&scores) - value(&swapped)) * if scores[i] > scores[j] { 1.0 } else { -1.0 };
                    let lambda = if gain > 0.0 {
                        gain / (1.0 + libm::exp(scores[i] - scores[j]))
                    } else {
                        gain / (1.0 + libm::exp(scores[j] - scores[i]))
                    };
                    expected[i] -= lambda;
                    expected[j] += lambda;
                }
            }
            let cx = FitContext::new(Seed::new(1));
            let loss = lambdas(measure(), &data, &cx);
            let mut found = vec![f64::NAN; grades.len()];
            loss.slopes(0, 0, &scores, &mut found, &mut Default::default()).unwrap();
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-12, "{name}: {found} {expected}");
            }
        }
    }

    #[test]
    fn slopes_are_finite_for_any_scores() {
        let data = rows(&[&[(0, &[0.0]), (2, &[0.0]), (1, &[0.0])], &[(1, &[0.0]), (1, &[0.0])]]);
        let measure = objective("objective", "ndcg@10", &data, Seed::new(1)).unwrap();
        let cx = FitContext::new(Seed::new(1));
        let loss = lambdas(measure, &data, &cx);
        assert_eq!([0, 1].map(|query| loss.informative(query)), [true, false]);
        for scores in [[1e9, -1e9, 0.0], [0.0; 3], [-1e300, 1e300, 0.0]] {
            let mut slopes = [f64::NAN; 3];
            loss.slopes(0, 0, &scores, &mut slopes, &mut Default::default()).unwrap();
            assert!(slopes.iter().all(|slope| slope.is_finite()), "{scores:?}: {slopes:?}");
            assert!(slopes.iter().sum::<f64>().abs() < 1e-12);
        }
    }
}

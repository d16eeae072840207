//! RankBoost (Freund, Iyer, Schapire & Singer, JMLR 4, 2003): boosting on pairs of documents with
//! thresholds of single features.
//!
//! A pair of documents of a query, x1 better than x0, has a weight D(x0, x1). At first all pairs of
//! all queries have equal weights. Each round
//! - takes the weak ranker h(x) = 1(x_j > threshold) with the greatest r = sum D(x0, x1) (h(x1) -
//!   h(x0));
//! - weighs it by alpha = ln((1 + r) / (1 - r)) / 2;
//! - multiplies D(x0, x1) by exp(alpha (h(x0) - h(x1))).
//!
//! The score is sum_t alpha_t h_t. With `negative` a round takes the greatest |r| (Freund et al.,
//! section 3.2). Then alpha may be below 0, and a feature may count against a document. Both parts
//! of the quotient are at least 1e-10. So a feature that orders all pairs rightly has alpha 11.86,
//! and ends the training.
//!
//! Rounds also end when no r (or |r|) is above 1e-10. With a validation part and `early_stopping` =
//! s, rounds end when the measure has not risen for s rounds, and the rounds after the best round
//! are dropped.
//!
//! Differs from RankLib in five points. (1) Sums over pairs take time linear in the documents
//! (`pairs.rs`). (2) |r| can be taken. (3) RankLib's thresholds divide the range of a feature into
//! equal widths. Here thresholds can also be quantiles, or lie between all values, and the range
//! leaves out queries of one grade, which have no pair. (4) RankLib's alpha is infinite for a
//! perfect feature. (5) RankLib always keeps the best round on the validation part, as fivefold
//! does with `early_stopping` = `rounds`. The model is made of trees with one cut.
//!
//! Defaults were chosen on the validation parts of MQ2008, OHSUMED and a sample of MSLR-WEB30K.
//! Early stopping by one half of the queries, judged by the other half, gave no gain.
//!
//! Cost of a round: documents x features additions, and an exponential a document.

mod bin_sums;
mod cuts;
mod pairs;

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use fivefold_trees::{MAX_BINS, Node, Spacing, Tree};
use serde::{Deserialize, Serialize};

use self::cuts::{Cuts, Weak};
use self::pairs::Pairs;
use crate::best_round::BestRound;
use crate::boosting::{check_measure, objective};
use crate::memory::{Size, threads, tree};
use crate::patience::Patience;
use crate::tree_model::TreeModel;

/// The least value of either part of the quotient under the logarithm. A weak ranker with |r| up to
/// this value is no better than chance.
const LEAST: f64 = 1e-10;

/// Boosting on pairs with thresholds of features.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Model, RankBoost, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[1, 0, 0][..]), (&[9.0, 1.5, 0.0], &[1, 0, 0])])?;
/// let model = RankBoost { rounds: 1, ..RankBoost::default() }.fit(&train, &FitContext::new(Seed::new(1)))?;
/// // One round is one threshold: above it are the relevant documents, below it all others.
/// let scores = model.scores(train.query(0).view());
/// assert!(scores[0] > scores[1] && scores[1] == scores[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RankBoost {
    /// The most rounds.
    pub rounds: usize,
    /// The most thresholds of a feature; 0 for thresholds between all its values.
    pub thresholds: usize,
    /// The places of the thresholds of a feature with more values than thresholds.
    pub spacing: Spacing,
    /// Whether a weak ranker may count against a document.
    pub negative: bool,
    /// Stop after this number of rounds without a gain on the validation part; 0: never.
    pub early_stopping: usize,
    /// The measure that stops early.
    pub stop_measure: String,
}

impl Default for RankBoost {
    fn default() -> Self {
        RankBoost {
            rounds: 300,
            thresholds: 50,
            spacing: Spacing::Quantiles,
            negative: false,
            early_stopping: 0,
            stop_measure: "ndcg@10".to_owned(),
        }
    }
}

impl Ranker for RankBoost {
    const NAME: &'static str = "rankboost";
    const SUMMARY: &'static str = "boosting on pairs of documents with thresholds of single features";
    const VERSION: u32 = 2;
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "rounds", help: "the most rounds, at least 1" },
        ParamHelp {
            name: "thresholds",
            help: "the most thresholds of a feature, up to 254; 0: a threshold between any two neighbouring values",
        },
        ParamHelp {
            name: "spacing",
            help: "places of the thresholds. \"quantiles\": equally many documents between any two thresholds. \"widths\": equal \
                   distances, as RankLib. Inert with thresholds = 0",
        },
        ParamHelp { name: "negative", help: "whether a large value may also count against a document" },
        ParamHelp {
            name: "early_stopping",
            help: "stop after so many rounds without a gain on the validation part; 0: never",
        },
        ParamHelp { name: "stop_measure", help: "the measure on the validation part that decides when to stop" },
    ];
    type Model = TreeModel;

    fn seeded(&self) -> bool {
        false
    }

    fn presets() -> Vec<Preset<Self>> {
        let params =
            RankBoost { thresholds: 10, spacing: Spacing::Widths, early_stopping: 300, ..RankBoost::default() };
        let summary = "RankLib's settings: 300 rounds, 10 thresholds of equal width, best round on the validation part";
        vec![Preset { name: "ranklib", summary, params }]
    }

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.rounds >= 1, "rounds", self.rounds, "at least 1")?;
        ParamError::unless(self.thresholds < MAX_BINS, "thresholds", self.thresholds, "0 to 254")?;
        check_measure("stop_measure", &self.stop_measure)
    }

    /// Three bytes a value or some more, or two with thresholds between all values, and the memory to
    /// find the thresholds.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        let of_validation = if self.early_stopping > 0 { validation.objective() + 8 * validation.documents } else { 0 };
        let finding = if self.thresholds > 0 && self.spacing == Spacing::Quantiles {
            16 * train.documents + train.bins() + train.binning()
        } else {
            8 * train.documents * threads().min(train.width)
        };
        let values = if self.thresholds == 0 { train.documents } else { train.documents.min(self.thresholds as u64) };
        // The documents of eight features: their bins in bytes, and twice the number of each in two
        // bytes at worst; or their bins in words.
        let (groups, of_group) = (train.width.div_ceil(8), if self.thresholds > 0 { 40 } else { 16 } * train.documents);
        let groups = of_group * groups + 32 * train.width;
        let kept = if self.spacing == Spacing::Quantiles && self.thresholds > 0 { train.bins() } else { 0 };
        let rounds = self.rounds as u64 * tree(2);
        (24 * train.documents + 96 * train.queries + train.width * (24 + 4 * values))
            + of_validation
            + finding.max(groups + kept.max(24 * train.documents + rounds))
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<TreeModel, FitError> {
        let mut pairs = Pairs::new(train);
        if pairs.rows().is_empty() || train.width() == 0 {
            return Err(FitError::Data(
                "no query has documents of different grades, or there is no feature".to_owned(),
            ));
        }
        let cuts = Cuts::new_unless(pairs.rows(), train.width(), self.thresholds, self.spacing, cx)?;
        let measure = |data: &Dataset| objective("stop_measure", &self.stop_measure, data, cx.seed());
        let mut validation = BestRound::new(cx, self.early_stopping, measure)?;
        let mut scores = vec![0.0; pairs.rows().len()];
        let mut potentials = scores.clone();
        let mut picks = Vec::new();
        if let Some(earlier) = cx.resume::<Picked>() {
            earlier.picks.iter().for_each(|(weak, alpha)| cuts.add(weak, *alpha, &mut scores));
            if let (Some(validation), Some(patience)) = (&mut validation, earlier.patience) {
                validation.resume(earlier.picks.iter().map(|pick| cuts.change(pick)), patience);
            }
            picks = earlier.picks;
        }
        for round in picks.len()..self.rounds {
            let patience = validation.as_ref().map(BestRound::patience);
            cx.round(round as u64, self.rounds as u64, || PickedSoFar { picks: &picks, patience })?;
            let total = pairs.potentials(&scores, &mut potentials);
            let Some(weak) = cuts.best(&potentials, self.negative) else { break };
            let r = weak.r / total;
            let strength = if self.negative { r.abs() } else { r };
            // NaN if all pairs have the weight 0.
            if strength.is_nan() || strength <= LEAST {
                break;
            }
            let pick = (weak, alpha(r));
            cuts.add(&weak, pick.1, &mut scores);
            picks.push(pick);
            let stop = validation.as_mut().map(|validation| validation.add(cuts.change(&pick))).transpose()?;
            if stop == Some(true) || 1.0 - strength <= LEAST {
                break;
            }
        }
        let stump = |(weak, alpha): &(Weak, f64)| stump(weak, cuts.threshold(weak), *alpha, cuts.covers(weak));
        let mut stumps = picks.iter().map(stump).collect::<Result<Vec<Tree>, _>>()?;
        if stumps.is_empty() {
            let reason = "no threshold of a feature orders pairs of documents of different grades better than chance";
            return Err(FitError::Data(reason.to_owned()));
        }
        if let Some(validation) = validation {
            stumps.truncate(validation.best_rounds());
        }
        cx.step(self.rounds as u64, self.rounds as u64)?;
        TreeModel::new(train.width(), 0.0, stumps).map_err(FitError::Numeric)
    }
}

/// The state after some rounds: the weak rankers with their weights.
#[derive(Deserialize)]
struct Picked {
    picks: Vec<(Weak, f64)>,
    /// `None` if no round is left out.
    patience: Option<Patience>,
}

/// [`Picked`] as it is written.
#[derive(Serialize)]
struct PickedSoFar<'a> {
    picks: &'a [(Weak, f64)],
    patience: Option<Patience>,
}

/// The weight of a weak ranker.
fn alpha(r: f64) -> f64 {
    libm::log((1.0 + r).max(LEAST) / (1.0 - r).max(LEAST)) / 2.0
}

/// alpha h as a tree with its covers; its gain is |alpha|.
fn stump(weak: &Weak, threshold: f32, alpha: f64, covers: [u32; 2]) -> Result<Tree, FitError> {
    let feature = weak.feature as u32;
    let node = Node { feature, threshold, missing_left: true, left: !0, right: !1, gain: alpha.abs() };
    let tree = Tree::new(&[node], vec![0.0, alpha]).and_then(|tree| tree.with_covers(covers.to_vec(), Vec::new()));
    tree.map_err(|error| FitError::Numeric(error.to_string()))
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Model, Seed};

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn fit(ranker: &RankBoost, data: &Dataset) -> Result<TreeModel, FitError> {
        ranker.fit(data, &FitContext::new(Seed::new(1)))
    }

    /// Feature, threshold and alpha of each round.
    fn rounds(model: &TreeModel) -> Vec<(u32, f32, f64)> {
        let round = |tree: &Tree| tree.nodes().next().map(|node| (node.feature, node.threshold, tree.values()[1]));
        model.trees().iter().filter_map(round).collect()
    }

    fn assert_rounds(found: &TreeModel, expected: &[(u32, f32, f64)]) {
        let found = rounds(found);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (f, e) in found.iter().zip(expected) {
            assert!((f.0, f.1) == (e.0, e.1) && (f.2 - e.2).abs() < 1e-12, "{found:?}, expected {expected:?}");
        }
    }

    #[test]
    fn two_rounds_by_hand() {
        // Pairs (A, B) and (A, C) weigh 1/2 each. Feature 1 puts A above B only, feature 2 A above
        // C only: r = 1/2 of both, and the first is taken with alpha = ln(3) / 2. Then (A, B)
        // weighs 1 / (1 + sqrt 3) and (A, C) sqrt 3 / (1 + sqrt 3), which is r of feature 2: (1 +
        // r) / (1 - r) = 1 + 2 sqrt 3.
        let data = rows(&[&[(1, &[1.0, 1.0]), (0, &[0.0, 1.0]), (0, &[1.0, 0.0])]]);
        let model = fit(&RankBoost { rounds: 2, ..RankBoost::default() }, &data).unwrap();
        let second = libm::log(1.0 + 2.0 * 3f64.sqrt()) / 2.0;
        assert_rounds(&model, &[(0, 0.5, libm::log(3.0) / 2.0), (1, 0.5, second)]);
        let mut scores = [0.0; 3];
        model.score(data.query(0).view(), &mut scores);
        let [first, second] = <[f64; 2]>::try_from(model.importance().unwrap()).unwrap();
        assert_rounds(&model, &[(0, 0.5, first), (1, 0.5, second)]);
        assert_eq!(scores, [first + second, second, first]);
    }

    #[test]
    fn a_round_of_graded_pairs_by_hand() {
        // Grades 2, 1, 0 have three pairs. The feature puts the first two above the last (two
        // right) and the first below the second (cut 2.5: one wrong, one right): r = 2/3 at cut
        // 1.5.
        let data = rows(&[&[(2, &[2.0]), (1, &[3.0]), (0, &[1.0])]]);
        let model = fit(&RankBoost { rounds: 1, ..RankBoost::default() }, &data).unwrap();
        assert_rounds(&model, &[(0, 1.5, libm::log(5.0) / 2.0)]);
    }

    #[test]
    fn a_perfect_feature_has_a_finite_weight_and_ends_training() {
        let query: &[(u8, &[f32])] = &[(0, &[0.3, 1.0]), (1, &[0.2, 2.0]), (0, &[0.1, 1.0])];
        let model = fit(&RankBoost::default(), &rows(&[query, query])).unwrap();
        assert_rounds(&model, &[(1, 1.5, libm::log(2.0 / LEAST) / 2.0)]);
        // The same with reversed grades: with `negative`, the feature counts against a document.
        let turned: &[(u8, &[f32])] = &[(0, &[2.0]), (1, &[1.0]), (0, &[2.0])];
        let data = rows(&[turned, turned]);
        let backwards = libm::log(LEAST / 2.0) / 2.0;
        assert_rounds(
            &fit(&RankBoost { negative: true, ..RankBoost::default() }, &data).unwrap(),
            &[(0, 1.5, backwards)],
        );
        assert!(matches!(fit(&RankBoost::default(), &data), Err(FitError::Data(_))), "every r is below 0");
    }

    #[test]
    fn data_without_pairs_or_thresholds_are_refused() {
        for data in [
            rows(&[&[(1, &[1.0]), (1, &[2.0])]]),
            rows(&[&[(1, &[1.0]), (0, &[1.0])]]),
            rows(&[&[(1, &[1.0])], &[(0, &[2.0])]]),
        ] {
            assert!(matches!(fit(&RankBoost::default(), &data), Err(FitError::Data(_))));
        }
    }

    #[test]
    fn the_loss_of_pairs_falls_as_freund_proves() {
        // The mean of exp(H(x0) - H(x1)) over pairs is at most the product of sqrt(1 - r^2).
        let data = signal_in_order(30, 1);
        for ranker in [RankBoost { negative: true, ..RankBoost::default() }, RankBoost::presets().remove(0).params] {
            let mut pairs = Pairs::new(&data);
            let n = pairs.rows().len();
            let (mut potentials, zeros) = (vec![0.0; n], vec![0.0; n]);
            let all = pairs.potentials(&zeros, &mut potentials);
            let model = fit(&RankBoost { rounds: 40, ..ranker }, &data).unwrap();
            let mut scores = zeros;
            let mut bound = 1.0;
            for (feature, threshold, alpha) in rounds(&model) {
                for (score, row) in scores.iter_mut().zip(pairs.rows()) {
                    *score += if row[feature as usize] > threshold { alpha } else { 0.0 };
                }
                // r = tanh(alpha), and 1 - tanh^2 = 1 / cosh^2.
                bound /= libm::cosh(alpha);
                let loss = pairs.potentials(&scores, &mut potentials) / all;
                assert!(loss <= bound * (1.0 + 1e-9), "{loss} {bound}");
            }
            assert!(bound < 0.8, "{bound}");
        }
    }
}

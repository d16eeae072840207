//! LambdaMART: boosted trees on the lambda gradients of a measure (Wu, Burges, Svore & Gao,
//! Information Retrieval 13, 2010).
//!
//! Each tree is grown on the lambda gradients at the current scores (the `lambda` module), with
//! Newton leaf values, and is added with the learning rate. Boosting stops early by a measure on
//! the validation part. The objective is any measure in any version. With `ndcg.v2@10`, lambdas
//! use the exact change of the UE-normalised value, which no other program optimises. Measures
//! follow the default dialect; parameters in their names override the dialect.
//!
//! Preset `ranklib` has RankLib's settings, with three differences. Ties are drawn. A feature has
//! 255 equal widths instead of 256. Trees are grown by second-order gain, in RankLib by the
//! variance of the lambdas. Preset `lightgbm` has LightGBM's settings. LightGBM's nDCG uses the
//! top 30 in the denominator only. Other differences are a table of the sigmoid, the bins, and the
//! order of sums (see `tools/lightgbm_agreement.py`). With this preset `leaf_documents` estimates
//! the documents of a leaf from its share of the hessians, as LightGBM does.
//!
//! `gradients = "quantised"` rounds gradients while cuts are chosen (`fivefold_trees::Precision`).
//! LightGBM's `use_quantized_grad` rounds them much more.
//!
//! The default of 10 leaves was chosen on the validation parts of OHSUMED and MQ2008: half of each
//! part stopped the training, and the other half chose. 31 leaves are worse there by .008. With
//! many queries, more leaves may be better.
//!
//! Before the first tree all scores are equal, and lambdas depend on the order of the documents.
//! `ties` decides the order of documents of equal score. With drawn ties (the default, unlike
//! RankLib and LightGBM) the model does not depend on the order of a query's rows in the file.
//! With `ties = "input"`, do not train on a file that is sorted by grade.
//!
//! Cost of a tree: see `fivefold_trees` and the `lambda` module. The costs are linear in the
//! documents.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker};
use fivefold_trees::{Growth, LeafDocuments, Precision, Spacing};
use serde::{Deserialize, Serialize};

use crate::boosting::{Boosting, check_measure, help, objective, positive};
use crate::lambda::{self, LambdaLoss, loss_bytes};
use crate::memory::Size;
use crate::ties::Ties;
use crate::tree_model::TreeModel;

/// Boosted trees on the lambda gradients of a measure.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, LambdaMart, Model, Ranker, Seed};
///
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[2, 1, 0][..]), (&[9.0, 5.0, 4.0], &[2, 1, 0])])?;
/// let ranker = LambdaMart { trees: 10, min_documents: 1, ..LambdaMart::default() };
/// let model = ranker.fit(&train, &FitContext::new(Seed::new(1)))?;
/// let scores = model.scores(train.query(1).view());
/// assert!(scores[0] > scores[1] && scores[1] > scores[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LambdaMart {
    /// The measure to maximise; any measure in any version.
    pub objective: String,
    /// A pair must have a document in this number of top ranks; 0 for all pairs.
    pub truncation: usize,
    /// Steepness of the pairwise logistic function; above 0.
    pub sigma: f64,
    /// LightGBM's normalisation of lambdas by score distance and by query.
    pub normalise: bool,
    /// The order of documents of equal score; before the first tree all documents have equal
    /// scores.
    pub ties: Ties,
    /// The most trees.
    pub trees: usize,
    /// The factor of each tree's values.
    pub learning_rate: f64,
    /// Stop after this number of trees without a gain on the validation part; 0: never.
    pub early_stopping: usize,
    /// The measure that stops early; empty: the objective.
    pub stop_measure: String,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The most cuts between root and leaf; 0: no limit.
    pub depth: usize,
    /// The fewest documents of a leaf.
    pub min_documents: u32,
    /// How the documents of a leaf are counted.
    pub leaf_documents: LeafDocuments,
    /// The least sum of hessians of a leaf.
    pub min_hessian: f64,
    /// Added to the sum of hessians.
    pub l2: f64,
    /// The most bins of a feature.
    pub bins: usize,
    /// The places of the cuts of a feature with more values than bins.
    pub spacing: Spacing,
    /// How exactly gradients count while cuts are chosen.
    pub gradients: Precision,
    /// Share of the features that a tree may use.
    pub features: f64,
    /// Share of the queries on which a tree is grown.
    pub queries: f64,
}

impl Default for LambdaMart {
    fn default() -> Self {
        LambdaMart {
            objective: "ndcg".to_owned(),
            truncation: 30,
            sigma: 1.0,
            normalise: true,
            ties: Ties::Drawn,
            trees: 500,
            learning_rate: 0.05,
            early_stopping: 50,
            stop_measure: "ndcg@10".to_owned(),
            leaves: 10,
            depth: 0,
            min_documents: 20,
            leaf_documents: LeafDocuments::Counted,
            min_hessian: 1e-3,
            l2: 0.0,
            bins: 255,
            spacing: Spacing::Quantiles,
            gradients: Precision::Exact,
            features: 1.0,
            queries: 1.0,
        }
    }
}

impl LambdaMart {
    fn boosting(&self) -> Boosting {
        Boosting {
            trees: self.trees,
            rate: self.learning_rate,
            bins: self.bins,
            spacing: self.spacing,
            growth: Growth {
                leaves: self.leaves,
                max_depth: (self.depth > 0).then_some(self.depth),
                min_documents: self.min_documents,
                leaf_documents: self.leaf_documents,
                min_hessian: self.min_hessian,
                l2: self.l2,
                precision: self.gradients,
                ..Growth::default()
            },
            features: self.features,
            queries: self.queries,
            early_stopping: self.early_stopping,
        }
    }

    fn stop_measure(&self) -> &str {
        if self.stop_measure.is_empty() { &self.objective } else { &self.stop_measure }
    }
}

impl Ranker for LambdaMart {
    const NAME: &'static str = "lambdamart";
    const SUMMARY: &'static str = "boosted trees on the lambda gradients of a measure";
    const VERSION: u32 = 3;
    const ADDED: &'static [&'static str] = &["gradients"];
    const PARAMS: &'static [ParamHelp] = &[
        lambda::help::OBJECTIVE,
        lambda::help::TRUNCATION,
        ParamHelp { name: "sigma", help: "steepness of the pairwise logistic function, above 0" },
        lambda::help::NORMALISE,
        ParamHelp {
            name: "ties",
            help: "how documents of equal score are ranked while trees are grown. \"drawn\": in an order drawn with the seed, \
                   whatever their order in the file. \"input\": in file order, so sorting the file alters the model",
        },
        help::TREES,
        help::LEARNING_RATE,
        help::EARLY_STOPPING,
        ParamHelp {
            name: "stop_measure",
            help: "the measure on the validation part that decides when to stop; empty: the objective",
        },
        help::LEAVES,
        help::DEPTH,
        help::MIN_DOCUMENTS,
        help::LEAF_DOCUMENTS,
        help::MIN_HESSIAN,
        help::L2,
        help::BINS,
        help::SPACING,
        help::GRADIENTS,
        help::FEATURES,
        help::QUERIES,
    ];
    type Model = TreeModel;

    fn presets() -> Vec<Preset<Self>> {
        let usual = LambdaMart::default();
        let ranklib = LambdaMart {
            objective: "ndcg@10".to_owned(),
            truncation: 10,
            normalise: false,
            trees: 1000,
            learning_rate: 0.1,
            early_stopping: 100,
            stop_measure: String::new(),
            leaves: 10,
            min_documents: 1,
            leaf_documents: LeafDocuments::Counted,
            min_hessian: 0.0,
            spacing: Spacing::Widths,
            ..usual.clone()
        };
        let lightgbm = LambdaMart {
            trees: 100,
            learning_rate: 0.1,
            early_stopping: 0,
            leaves: 31,
            leaf_documents: LeafDocuments::ByHessian,
            ..usual
        };
        let preset = |name, summary, params| Preset { name, summary, params };
        vec![
            preset(
                "ranklib",
                "RankLib's settings: 1000 trees of 10 leaves, 255 bins of equal width (RankLib: 256), rate .1, stop after 100",
                ranklib,
            ),
            preset(
                "lightgbm",
                "LightGBM's settings: 100 trees of 31 leaves, rate .1, truncation 30; its ties are \"input\"",
                lightgbm,
            ),
        ]
    }

    fn seeded(&self) -> bool {
        self.ties == Ties::Drawn || self.boosting().draws()
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("objective", &self.objective)?;
        check_measure("stop_measure", self.stop_measure())?;
        positive("sigma", self.sigma)?;
        self.boosting().check()
    }

    /// Boosting and the loss.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        loss_bytes(train) + self.boosting().fit_bytes(train, validation)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<TreeModel, FitError> {
        let of_train = objective("objective", &self.objective, train, cx.seed())?;
        let loss = LambdaLoss::new(of_train, train, self.ties, self.truncation, self.sigma, self.normalise, cx)?;
        self.boosting().fit(train, cx, &loss, |data| objective("stop_measure", self.stop_measure(), data, cx.seed()))
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::{Model, Seed};
    use fivefold_metrics::Scratch;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn value(model: &TreeModel, measure: &str, data: &Dataset) -> f64 {
        let mut scores = vec![0.0; data.documents()];
        let bounds = data.bounds();
        for (number, query) in data.queries().enumerate() {
            model.score(query.view(), &mut scores[bounds[number]..bounds[number + 1]]);
        }
        objective("objective", measure, data, Seed::new(1)).unwrap().mean(&scores, &mut Scratch::default()).unwrap()
    }

    #[test]
    fn every_objective_raises_its_own_measure() {
        let (train, test) = (signal_in_order(60, 1), signal_in_order(60, 2));
        for name in ["ndcg@5", "ndcg.v1@5", "ndcg.v2@5", "ap", "ap.v2@5", "rr", "err", "p@3"] {
            let ranker = LambdaMart { objective: name.to_owned(), trees: 30, leaves: 5, ..LambdaMart::default() };
            let model = ranker.fit(&train, &FitContext::new(Seed::new(1))).unwrap();
            let constant = TreeModel::new(train.width(), 0.0, Vec::new()).unwrap();
            for data in [&train, &test] {
                let (before, after) = (value(&constant, name, data), value(&model, name, data));
                assert!(after > before + 0.1, "{name}: {before} to {after}");
            }
        }
    }

    #[test]
    fn a_perfect_feature_is_found() {
        let query: &[(u8, &[f32])] = &[(0, &[0.3, 1.0]), (1, &[0.1, 2.0]), (0, &[0.2, 1.0]), (2, &[0.2, 3.0])];
        let data = rows(&[query, query, query]);
        let ranker = LambdaMart { trees: 3, min_documents: 1, ..LambdaMart::default() };
        let model = ranker.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        assert_eq!(value(&model, "ndcg", &data), 1.0);
        let importance = model.importance().unwrap();
        assert!(importance[1] > 10.0 * importance[0], "{importance:?}");
    }
}

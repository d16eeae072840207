//! MART, gradient boosted regression trees on the grades (Friedman, Annals of Statistics 29, 2001):
//! squared loss, pointwise.
//!
//! The loss of a document is (F - y)^2 / 2: the gradient is F - y and the hessian 1, so a leaf's
//! Newton value is the mean residual of its documents. Boosting starts from the mean grade, and
//! stops early by a measure on the validation part. (RankLib starts from 0, which only shifts all
//! scores.) Preset `ranklib` has RankLib's settings, but 255 equal widths of a feature where
//! RankLib has 256.
//!
//! Cost of a tree: see `fivefold_trees`. The cost is linear in the documents.

use fivefold_core::params::Preset;
use fivefold_core::{Dataset, FitContext, FitError, ParamError, ParamHelp, Ranker, Seed};
use fivefold_trees::{Growth, Spacing};
use serde::{Deserialize, Serialize};

use crate::boosting::{Boosting, Loss, check_measure, help, objective};
use crate::memory::Size;
use crate::tree_model::TreeModel;

/// Boosted regression trees on the grades.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Mart, Model, Ranker, Seed};
///
/// // One tree without shrinkage has a leaf a grade, so that scores differ as the grades do.
/// let train = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[2, 1, 0][..])])?;
/// let ranker = Mart { trees: 1, learning_rate: 1.0, min_documents: 1, ..Mart::default() };
/// let scores = ranker.fit(&train, &FitContext::new(Seed::new(1)))?.scores(train.query(0).view());
/// assert!((scores[0] - scores[2] - 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mart {
    /// The most trees.
    pub trees: usize,
    /// The factor of each tree's values.
    pub learning_rate: f64,
    /// Stop after this number of trees without a gain on the validation part; 0: never.
    pub early_stopping: usize,
    /// The measure that stops early.
    pub stop_measure: String,
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The most cuts between root and leaf; 0: no limit.
    pub depth: usize,
    /// The fewest documents of a leaf.
    pub min_documents: u32,
    /// Added to the number of documents of a leaf.
    pub l2: f64,
    /// The most bins of a feature.
    pub bins: usize,
    /// The places of the cuts of a feature with more values than bins.
    pub spacing: Spacing,
    /// Share of the features that a tree may use.
    pub features: f64,
    /// Share of the queries on which a tree is grown.
    pub queries: f64,
}

impl Default for Mart {
    fn default() -> Self {
        Mart {
            trees: 500,
            learning_rate: 0.05,
            early_stopping: 50,
            stop_measure: "ndcg@10".to_owned(),
            leaves: 31,
            depth: 0,
            min_documents: 20,
            l2: 0.0,
            bins: 255,
            spacing: Spacing::Quantiles,
            features: 1.0,
            queries: 1.0,
        }
    }
}

impl Mart {
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
                min_hessian: 0.0,
                l2: self.l2,
                ..Growth::default()
            },
            features: self.features,
            queries: self.queries,
            early_stopping: self.early_stopping,
        }
    }
}

impl Ranker for Mart {
    const NAME: &'static str = "mart";
    const SUMMARY: &'static str = "boosted regression trees on the grades";
    const VERSION: u32 = 2;
    const PARAMS: &'static [ParamHelp] = &[
        help::TREES,
        help::LEARNING_RATE,
        help::EARLY_STOPPING,
        ParamHelp {
            name: "stop_measure",
            help: "the measure on the validation part that decides when to stop: any measure in any version",
        },
        help::LEAVES,
        help::DEPTH,
        help::MIN_DOCUMENTS,
        ParamHelp { name: "l2", help: "added to the number of documents in gains and leaf values, at least 0" },
        help::BINS,
        help::SPACING,
        help::FEATURES,
        help::QUERIES,
    ];
    type Model = TreeModel;

    fn presets() -> Vec<Preset<Self>> {
        let params = Mart {
            trees: 1000,
            learning_rate: 0.1,
            early_stopping: 100,
            leaves: 10,
            min_documents: 1,
            spacing: Spacing::Widths,
            ..Mart::default()
        };
        vec![Preset {
            name: "ranklib",
            summary: "RankLib's settings: 1000 trees of 10 leaves, 255 bins of equal width (RankLib: 256), rate .1, stop after 100",
            params,
        }]
    }

    fn seeded(&self) -> bool {
        self.boosting().draws()
    }

    fn check(&self) -> Result<(), ParamError> {
        check_measure("stop_measure", &self.stop_measure)?;
        self.boosting().check()
    }

    /// Boosting and the grades.
    fn fit_bytes(&self, train: &Dataset, validation: Option<&Dataset>) -> u64 {
        let (train, validation) = (Size::of(Some(train)), Size::of(validation));
        8 * train.documents + self.boosting().fit_bytes(train, validation)
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<TreeModel, FitError> {
        let loss = SquaredLoss::new(train);
        self.boosting().fit(train, cx, &loss, |data| objective("stop_measure", &self.stop_measure, data, cx.seed()))
    }
}

/// Half the squared difference of score and grade.
pub(crate) struct SquaredLoss {
    grades: Vec<f64>,
    mean: f64,
}

impl SquaredLoss {
    pub fn new(data: &Dataset) -> Self {
        let grades: Vec<f64> = data.queries().flat_map(|query| query.grades().iter().map(|&y| f64::from(y))).collect();
        let mean = grades.iter().sum::<f64>() / grades.len().max(1) as f64;
        SquaredLoss { grades, mean }
    }
}

impl Loss for SquaredLoss {
    const CONSTANT_HESSIAN: bool = true;

    fn base(&self) -> f64 {
        self.mean
    }

    fn gradients(&self, scores: &[f64], _: Seed, first: &mut [f64], _: &mut [f64]) -> Result<(), FitError> {
        for ((first, score), grade) in first.iter_mut().zip(scores).zip(&self.grades) {
            *first = score - grade;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Model;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn scores(model: &TreeModel, data: &Dataset) -> Vec<f64> {
        let mut all = Vec::new();
        for query in data.queries() {
            let mut out = vec![0.0; query.len()];
            model.score(query.view(), &mut out);
            all.extend(out);
        }
        all
    }

    #[test]
    fn one_tree_at_full_rate_gives_the_means_of_its_leaves() {
        let data = rows(&[&[(0, &[0.0]), (0, &[1.0]), (2, &[5.0])], &[(2, &[6.0]), (1, &[0.5])]]);
        let mart = Mart { trees: 1, learning_rate: 1.0, leaves: 2, min_documents: 1, ..Mart::default() };
        let model = mart.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        // Sorted by the feature, the best cut of the grades is 0 1 0 | 2 2.
        let expected = [1.0 / 3.0, 1.0 / 3.0, 2.0, 2.0, 1.0 / 3.0];
        for (found, expected) in scores(&model, &data).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn training_error_falls_with_every_tree() {
        let data = signal_in_order(40, 1);
        let grades = SquaredLoss::new(&data).grades;
        let error = |trees: usize| {
            let mart = Mart { trees, ..Mart::default() };
            let model = mart.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
            scores(&model, &data).iter().zip(&grades).map(|(s, y)| (s - y).powi(2)).sum::<f64>()
        };
        let errors: Vec<f64> = (1..6).map(error).collect();
        assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    }

    #[test]
    fn early_stopping_keeps_the_trees_up_to_the_best() {
        let (train, validation) = (signal_in_order(30, 1), signal_in_order(30, 2));
        let context = FitContext::new(Seed::new(1)).with_validation(&validation);
        let mart = Mart { trees: 200, learning_rate: 0.3, early_stopping: 5, min_documents: 1, ..Mart::default() };
        let stopped = mart.fit(&train, &context).unwrap();
        let kept = stopped.trees().len();
        assert!(kept < 195, "{kept}");
        let measure = objective("stop_measure", "ndcg@10", &validation, Seed::new(1)).unwrap();
        let value = |trees: &[fivefold_trees::Tree]| {
            let model = TreeModel::new(train.width(), stopped.base(), trees.to_vec()).unwrap();
            measure.mean(&scores(&model, &validation), &mut Default::default()).unwrap()
        };
        let all = Mart { early_stopping: 0, trees: kept + 5, ..mart }.fit(&train, &context).unwrap();
        assert_eq!(&all.trees()[..kept], stopped.trees());
        let best = value(stopped.trees());
        for trees in 1..=kept + 5 {
            let other = value(&all.trees()[..trees]);
            assert!(if trees < kept { other < best } else { other <= best }, "{trees} of {kept}: {other} {best}");
        }
    }
}

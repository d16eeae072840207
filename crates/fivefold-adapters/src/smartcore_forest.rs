//! Random forest regression of smartcore 0.7 on the grades (Breiman 2001).
//!
//! Each tree is a smartcore forest of its own, with one tree on a bootstrap sample of documents. So
//! trees grow in parallel, and every tree has its own seed. The score is the mean over the trees.
//! At each split, smartcore draws `features` candidate features anew and tries all thresholds.
//!
//! A call into smartcore cannot be interrupted. After a cancelled fit, the trees at work go on and
//! end by themselves, on threads of their own (`abandon`).
//!
//! The version of smartcore is pinned exactly, since releases change fitted trees. Cost: O(trees x
//! documents x features x log documents). Scoring walks every tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fivefold_core::{Dataset, FitContext, FitError, Model, ParamError, ParamHelp, QueryView, Ranker};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use smartcore::ensemble::random_forest_regressor::{RandomForestRegressor, RandomForestRegressorParameters};
use smartcore::linalg::basic::matrix::DenseMatrix;

use crate::abandon::unless_cancelled;

/// smartcore's random forest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SmartcoreForest {
    /// Number of trees; at least 1.
    pub trees: u32,
    /// Highest depth of a tree; unset for no limit.
    pub max_depth: Option<u16>,
    /// Fewest documents in a leaf; at least 1.
    pub min_leaf: usize,
    /// Number of candidate features of a split; if unset, a third of the features, but at least 1.
    pub features: Option<usize>,
}

impl Default for SmartcoreForest {
    fn default() -> Self {
        SmartcoreForest { trees: 100, max_depth: None, min_leaf: 5, features: None }
    }
}

mod stored;

type Tree = RandomForestRegressor<f32, f64, DenseMatrix<f32>, Vec<f64>>;

/// Fitted trees.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "stored::Forest")]
pub struct SmartcoreForestModel {
    trees: Vec<Tree>,
    /// Features a document.
    #[serde(skip)]
    width: usize,
}

impl Model for SmartcoreForestModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let values = query.features().to_vec();
        let predicted = DenseMatrix::new(query.len(), query.width(), values, false)
            .and_then(|matrix| self.trees.iter().map(|tree| tree.predict(&matrix)).collect::<Result<Vec<_>, _>>());
        match predicted {
            Ok(by_tree) => {
                for (row, score) in out.iter_mut().enumerate() {
                    *score = by_tree.iter().map(|scores| scores[row]).sum::<f64>() / by_tree.len() as f64;
                }
            }
            // smartcore refuses only shapes that do not fit together, and these shapes do. No score
            // would be right here.
            Err(_) => out.fill(f64::NAN),
        }
    }

    fn features(&self) -> Option<usize> {
        Some(self.width)
    }

    /// The mean over the trees of their share of the decrease of squared error.
    fn importance(&self) -> Option<Vec<f64>> {
        let by_tree: Vec<Vec<f64>> =
            self.trees.iter().map(Tree::compute_feature_importances).collect::<Result<_, _>>().ok()?;
        let mean = |feature: usize| by_tree.iter().map(|tree| tree[feature]).sum::<f64>() / by_tree.len() as f64;
        Some((0..by_tree.first()?.len()).map(mean).collect())
    }
}

impl Ranker for SmartcoreForest {
    const NAME: &'static str = "smartcore-forest";
    const SUMMARY: &'static str = "random forest regression on the grades, of the smartcore crate";
    const PARAMS: &'static [ParamHelp] = &[
        ParamHelp { name: "trees", help: "number of trees, at least 1" },
        ParamHelp { name: "max_depth", help: "highest depth of a tree, at least 1; unset: no limit" },
        ParamHelp { name: "min_leaf", help: "fewest documents in a leaf, at least 1" },
        ParamHelp { name: "features", help: "candidate features a split, at least 1; unset: a third of them" },
    ];
    type Model = SmartcoreForestModel;

    fn check(&self) -> Result<(), ParamError> {
        ParamError::unless(self.trees >= 1, "trees", self.trees, "at least 1")?;
        ParamError::unless(self.max_depth != Some(0), "max_depth", 0, "at least 1")?;
        ParamError::unless(self.min_leaf >= 1, "min_leaf", self.min_leaf, "at least 1")?;
        ParamError::unless(self.features != Some(0), "features", 0, "at least 1")
    }

    /// Measured: the features once, 14 bytes a value for each tree at work, and 86 bytes for each
    /// node.
    fn fit_bytes(&self, train: &Dataset, _: Option<&Dataset>) -> u64 {
        let (documents, features) = (train.documents() as u64, train.width() as u64);
        let at_work = (rayon::current_num_threads() as u64).min(u64::from(self.trees));
        let nodes = u64::from(self.trees) * 2 * documents.div_ceil(self.min_leaf as u64);
        documents * (4 * features + 8) + at_work * documents * 14 * features + 86 * nodes
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<SmartcoreForestModel, FitError> {
        let width = train.width();
        if let Some(features) = self.features.filter(|&features| features > width) {
            let reason = format!("there are only {width} features, not {features}");
            return Err(FitError::Param { name: "features", reason });
        }
        if train.documents() < 2 {
            return Err(FitError::Data("a forest needs at least two documents".to_owned()));
        }
        let failed = |error: smartcore::error::Failed| FitError::Other(format!("smartcore: {error}"));
        let values = train.queries().flat_map(|query| query.view().features().iter().copied()).collect();
        let features = Arc::new(DenseMatrix::new(train.documents(), width, values, false).map_err(failed)?);
        let grades: Vec<f64> =
            train.queries().flat_map(|query| query.grades().iter().map(|&grade| f64::from(grade))).collect();
        let grades = Arc::new(grades);
        let (total, done) = (u64::from(self.trees), AtomicU64::new(0));
        let trees = (0..total)
            .into_par_iter()
            .map(|tree| {
                cx.step(done.load(Ordering::Relaxed), total)?;
                let params = RandomForestRegressorParameters {
                    n_trees: 1,
                    max_depth: self.max_depth,
                    min_samples_leaf: self.min_leaf,
                    min_samples_split: 2,
                    m: Some(self.features.unwrap_or(width / 3).max(1)),
                    keep_samples: false,
                    seed: cx.seed().derive_index("tree", tree).value(),
                };
                let (features, grades) = (Arc::clone(&features), Arc::clone(&grades));
                let tree = unless_cancelled(cx, move || Tree::fit(&*features, &*grades, params))?.map_err(failed)?;
                done.fetch_add(1, Ordering::Relaxed);
                Ok(tree)
            })
            .collect::<Result<_, FitError>>()?;
        Ok(SmartcoreForestModel { trees, width })
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use serde_json::json;

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    #[test]
    fn learns_a_step() {
        let documents: Vec<(u8, [f32; 2])> =
            (0..40u8).map(|i| (2 * (i / 20), [f32::from(i), f32::from(i % 7)])).collect();
        let documents: Vec<(u8, &[f32])> = documents.iter().map(|(grade, x)| (*grade, x.as_slice())).collect();
        let data = rows(&[&documents]);
        let forest = SmartcoreForest { features: Some(2), ..SmartcoreForest::default() };
        let model = forest.fit(&data, &FitContext::new(Seed::new(1))).unwrap();
        let mut scores = [0.0; 40];
        model.score(data.query(0).view(), &mut scores);
        assert!(scores[..15].iter().all(|s| *s < 0.1) && scores[25..].iter().all(|s| *s > 1.9), "{scores:?}");
        let importance = model.importance().unwrap();
        assert!(importance[0] > 0.9 && (importance.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{importance:?}");
    }

    #[test]
    fn trees_are_pinned() {
        // If another version of smartcore, or another use of it, gives other trees, raise
        // `VERSION`.
        let forest = SmartcoreForest { trees: 3, ..SmartcoreForest::default() };
        let model = forest.fit(&signal_in_order(10, 1), &FitContext::new(Seed::new(7))).unwrap();
        let test = signal_in_order(1, 2);
        let mut scores = [0.0; 12];
        model.score(test.query(0).view(), &mut scores);
        assert_eq!(scores, PINNED);
    }

    #[test]
    fn what_scoring_could_not_take_is_refused() {
        let forest = SmartcoreForest { trees: 2, ..SmartcoreForest::default() };
        let data = signal_in_order(10, 1);
        let model = forest.fit(&data, &FitContext::new(Seed::new(7))).unwrap();
        let json = serde_json::to_value(&model).unwrap();
        let read = |json: &serde_json::Value| serde_json::from_value::<SmartcoreForestModel>(json.clone());
        assert_eq!(read(&json).unwrap().features(), Some(data.width()));
        assert_eq!(serde_json::to_value(read(&json).unwrap()).unwrap(), json);
        let root = "/trees/1/forest_regressor/trees/0/nodes/0";
        for (place, value, said) in [
            (format!("{root}/true_child"), json!(0), "tree 2: node 0 leads to node 0, which does not come after it"),
            (format!("{root}/false_child"), json!(1 << 20), "tree 2: node 0 leads to node 1048576, which there is not"),
            (format!("{root}/false_child"), json!(null), "tree 2: node 0 has one child"),
            (format!("{root}/split_feature"), json!(99), "tree 2: node 0 asks for feature 99 of"),
            (
                "/trees/1/forest_regressor/num_features".to_owned(),
                json!(1u64 << 60),
                "tree 2 is one of 1152921504606846976",
            ),
            ("/trees/1/forest_regressor/trees/0/nodes".to_owned(), json!([]), "tree 2 has no node"),
            ("/trees/1/forest_regressor".to_owned(), json!(null), "invalid type: null"),
            ("/trees".to_owned(), json!([]), "the forest has no tree"),
        ] {
            let mut forged = json.clone();
            *forged.pointer_mut(&place).unwrap() = value;
            let refused = read(&forged).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(refused.contains(said), "{place}: {refused}");
        }
    }

    const PINNED: [f64; 12] = [
        0.5,
        0.111_111_111_111_111_1,
        0.333_333_333_333_333_3,
        0.0,
        0.208_333_333_333_333_34,
        1.420_634_920_634_920_7,
        0.0,
        0.647_619_047_619_047_6,
        0.0,
        0.0,
        0.377_777_777_777_777_77,
        0.277_777_777_777_777_73,
    ];

    #[test]
    fn more_candidates_than_features_are_refused() {
        let forest = SmartcoreForest { features: Some(7), ..SmartcoreForest::default() };
        let outcome = forest.fit(&signal_in_order(2, 1), &FitContext::new(Seed::new(1)));
        assert!(matches!(outcome, Err(FitError::Param { name: "features", .. })));
    }
}

//! A forest as a model file holds it, with checks. smartcore reads its own files without a check. A
//! node that leads back, or to a missing node or feature, would hang or end the program when it
//! scores.

use fivefold_core::dataset::MOST_FEATURES;
use serde::Deserialize;
use serde_json::Value;

use super::{SmartcoreForestModel, Tree};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Forest {
    trees: Vec<Value>,
}

/// The parts of a smartcore forest that scoring needs, with smartcore's names.
#[derive(Deserialize)]
struct OneForest {
    forest_regressor: Inner,
}

#[derive(Deserialize)]
struct Inner {
    trees: Vec<OneTree>,
    num_features: usize,
}

#[derive(Deserialize)]
struct OneTree {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    split_feature: usize,
    split_score: Option<f64>,
    true_child: Option<usize>,
    false_child: Option<usize>,
}

impl TryFrom<Forest> for SmartcoreForestModel {
    type Error = String;

    fn try_from(forest: Forest) -> Result<Self, String> {
        let mut width = None;
        let mut trees: Vec<Tree> = Vec::new();
        for (value, number) in forest.trees.into_iter().zip(1..) {
            let wrong = |error: serde_json::Error| format!("tree {number}: {error}");
            let OneForest { forest_regressor } = OneForest::deserialize(&value).map_err(wrong)?;
            let features = forest_regressor.num_features;
            if features > MOST_FEATURES || *width.get_or_insert(features) != features {
                return Err(format!("tree {number} is one of {features} features"));
            }
            if forest_regressor.trees.is_empty() {
                return Err(format!("tree {number} is empty"));
            }
            forest_regressor.trees.iter().try_for_each(|tree| tree.check(number, features))?;
            trees.push(serde_json::from_value(value).map_err(wrong)?);
        }
        let width = width.ok_or("the forest has no tree")?;
        Ok(SmartcoreForestModel { trees, width })
    }
}

impl OneTree {
    fn check(&self, tree: usize, features: usize) -> Result<(), String> {
        if self.nodes.is_empty() {
            return Err(format!("tree {tree} has no node"));
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let at = format!("tree {tree}: node {place}");
            if node.true_child.is_some() != node.false_child.is_some() {
                return Err(format!("{at} has one child"));
            }
            // The importances use the feature of every node with a score.
            let asks = node.true_child.is_some() || node.split_score.is_some();
            if asks && node.split_feature >= features {
                return Err(format!("{at} asks for feature {} of {features}", node.split_feature));
            }
            for child in [node.true_child, node.false_child].into_iter().flatten() {
                if child >= self.nodes.len() {
                    return Err(format!("{at} leads to node {child}, which there is not"));
                }
                if child <= place {
                    return Err(format!("{at} leads to node {child}, which does not come after it"));
                }
            }
        }
        Ok(())
    }
}

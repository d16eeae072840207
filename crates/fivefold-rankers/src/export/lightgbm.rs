//! LightGBM's text, as `Booster(model_file=...)` reads it.
//!
//! LightGBM compares in double precision: `x <= threshold`. A user may give LightGBM our `f32`
//! features, or decimals that our readers round to `f32`. So each threshold is written as the
//! greatest `f64` that rounds to a value that goes left here. (A decimal halfway between two `f32`
//! values rounds to the even value.) Cuts in `f64` do not change. Missing values are NaN.
//!
//! Covers (`leaf_count`, `leaf_weight`, and their sums at the nodes) count the training documents.
//! LightGBM's `pred_contrib` divides a score by these counts. `internal_value` is the mean of the
//! leaf values below, weighted by the hessians. A model without covers is written without them;
//! `pred_contrib` then gives NaN. Unknown gains are written as 0. LightGBM has no linear models.

use std::fmt::{Display, Write as _};

use fivefold_base::words::counted;
use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};

use super::{Context, Notes, Target};
use crate::lambdamart::LambdaMart;

/// LightGBM.
pub(super) const TARGET: Target = Target {
    name: "lightgbm",
    summary: "LightGBM's text, as `Booster.save_model` writes it, with counts for pred_contrib",
    first_feature: 0,
    names: true,
    binary: false,
    knows_missing: true,
    by_hand: true,
    trees: write,
    linear: None,
};

const DEFAULT_LEFT: u8 = 2;
const MISSING_NAN: u8 = 8;

fn write(context: &Context<'_>, trees: &[Tree], notes: &mut Notes) -> Vec<u8> {
    let uncounted = trees.iter().filter(|tree| tree.values().len() > 1 && tree.documents().is_none()).count();
    if uncounted > 0 {
        notes.push(format!(
            "{} of {} {} no counts of training documents (a model of RankLib or of an older fivefold): pred_contrib gives NaN, \
             and scores are right",
            uncounted,
            counted(trees.len(), "tree"),
            if uncounted == 1 { "has" } else { "have" }
        ));
    }
    let blocks: Vec<String> =
        trees.iter().enumerate().map(|(number, tree)| write_tree(context, tree, number)).collect();
    let first = context.first as usize;
    let columns = context.features + first;
    let objective = if context.ranker == LambdaMart::NAME { "lambdarank" } else { "regression" };
    let name = |column: usize| match (context.names, column.checked_sub(first)) {
        // A blank would end the name.
        (Some(names), Some(feature)) => names[feature].split_whitespace().collect::<Vec<_>>().join("_"),
        _ => format!("Column_{column}"),
    };
    let names = join((0..columns).map(name));
    let ranges = join((0..columns).map(|_| "[-inf:inf]"));
    let sizes = join(blocks.iter().map(String::len));
    let mut text = format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={}\nobjective={objective}\n\
         feature_names={names}\nfeature_infos={ranges}\ntree_sizes={sizes}\n\n",
        columns.saturating_sub(1)
    );
    blocks.iter().for_each(|block| text.push_str(block));
    text.push_str("end of trees\n");
    text.into_bytes()
}

fn write_tree(context: &Context<'_>, tree: &Tree, number: usize) -> String {
    let decision = |node: Node| MISSING_NAN | if context.missing_left(&node) { DEFAULT_LEFT } else { 0 };
    let mut text = format!("Tree={number}\nnum_leaves={}\nnum_cat=0\n", tree.values().len());
    let mut field = |name: &str, values: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}={values}");
    };
    field("split_feature", join(tree.nodes().map(|node| context.number(node.feature))));
    let gain = |node: Node| if tree.has_gains() { node.gain } else { 0.0 };
    field("split_gain", join(tree.nodes().map(|node| format!("{:?}", gain(node)))));
    let own =
        |(number, node): (usize, Node)| tree.cuts().get(number).map_or_else(|| widest(node.threshold), |cuts| cuts[0]);
    field("threshold", join(tree.nodes().enumerate().map(|node| format!("{:?}", own(node)))));
    field("decision_type", join(tree.nodes().map(decision)));
    field("left_child", join(tree.nodes().map(|node| node.left)));
    field("right_child", join(tree.nodes().map(|node| node.right)));
    field("leaf_value", join(tree.values().iter().map(|value| format!("{value:?}"))));
    if let Some(covers) = Covers::of(tree) {
        let decimals = |values: &[f64]| join(values.iter().map(|value| format!("{value:?}")));
        field("leaf_weight", decimals(&covers.leaf_hessian));
        field("leaf_count", join(covers.leaf_documents.iter()));
        field("internal_value", decimals(&covers.value));
        field("internal_weight", decimals(&covers.hessian));
        field("internal_count", join(covers.documents.iter()));
    }
    field("is_linear", "0".to_owned());
    field("shrinkage", "1".to_owned());
    text.push_str("\n\n");
    text
}

/// Documents and hessians of leaves and nodes, and the mean value of each node.
struct Covers {
    leaf_documents: Vec<u64>,
    leaf_hessian: Vec<f64>,
    documents: Vec<u64>,
    hessian: Vec<f64>,
    value: Vec<f64>,
}

impl Covers {
    fn of(tree: &Tree) -> Option<Self> {
        let leaf_documents: Vec<u64> = tree.documents()?.iter().map(|&count| u64::from(count)).collect();
        let leaf_hessian: Vec<f64> = (0..leaf_documents.len()).filter_map(|leaf| tree.hessian(leaf)).collect();
        let nodes: Vec<Node> = tree.nodes().collect();
        let (mut documents, mut hessian, mut value) =
            (vec![0; nodes.len()], vec![0.0; nodes.len()], vec![0.0; nodes.len()]);
        // A node comes before its children, so the loop runs backwards.
        for (number, node) in nodes.iter().enumerate().rev() {
            let [left, right] = [node.left, node.right].map(|child| {
                if child >= 0 {
                    let child = child as usize;
                    (documents[child], hessian[child], value[child])
                } else {
                    let leaf = !child as usize;
                    (leaf_documents[leaf], leaf_hessian[leaf], tree.values()[leaf])
                }
            });
            documents[number] = left.0 + right.0;
            hessian[number] = left.1 + right.1;
            let weighted = left.1 * left.2 + right.1 * right.2;
            value[number] = if hessian[number] > 0.0 { weighted / hessian[number] } else { (left.2 + right.2) / 2.0 };
        }
        Some(Covers { leaf_documents, leaf_hessian, documents, hessian, value })
    }
}

/// The greatest `f64` that rounds to an `f32` of at most `threshold`, ties to even.
fn widest(threshold: f32) -> f64 {
    if threshold >= f32::MAX {
        return f64::INFINITY;
    }
    let middle = (f64::from(threshold) + f64::from(threshold.next_up())) / 2.0;
    if threshold.to_bits().is_multiple_of(2) { middle } else { middle.next_down() }
}

fn join(values: impl Iterator<Item = impl Display>) -> String {
    let mut text = String::new();
    for (number, value) in values.enumerate() {
        let _ = if number == 0 { write!(text, "{value}") } else { write!(text, " {value}") };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every `f64` around a threshold goes the way of the `f32` that it rounds to. The values 0.15
    /// and .15000000000000002 are from scikit-learn-intelex #3351.
    #[test]
    fn decimals_go_the_way_of_their_single_precision() {
        let mut thresholds = vec![0.0f32, -0.0, 0.15, -0.15, 1.0, 16_777_216.0, 1e-45, -1e-45, 1e-38, f32::MIN, 3e38];
        thresholds.extend([0.1f32.next_down(), 0.1f32.next_up(), 2.0f32.next_down(), 0.15f32.next_up()]);
        for threshold in thresholds {
            let written = widest(threshold);
            let middle = (f64::from(threshold) + f64::from(threshold.next_up())) / 2.0;
            for value in [
                written,
                written.next_up(),
                written.next_down(),
                middle,
                middle.next_up(),
                middle.next_down(),
                threshold.into(),
                threshold.next_up().into(),
                0.15,
                0.150_000_000_000_000_02,
            ] {
                assert_eq!(value <= written, value as f32 <= threshold, "{value:e} at {threshold:e}, {written:e}");
            }
        }
        assert_eq!([widest(f32::MAX), widest(f32::INFINITY)], [f64::INFINITY; 2]);
    }
}

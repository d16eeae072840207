//! LightGBM's text format (`Booster.save_model`), versions 2 to 4, and that of LightGBM 2.0, which states no version.
//!
//! ```text
//! tree                                  a header of key=value lines
//! Tree=0                                then one block a tree
//! num_leaves=3
//! split_feature=2 0                     columns, from 0
//! threshold=.5 .25                      left if x <= threshold
//! decision_type=8 10                    1: a set of categories; 2: missing goes left; 4: 0 is missing; 8: NaN is missing
//! cat_boundaries=0 2                    where each set of categories starts and ends in
//! cat_threshold=162 66                  words of 32 bits, a bit for each category; the node's threshold is the set's number
//! left_child=1 -1                       a node, or -1 - leaf
//! right_child=-2 -3
//! leaf_value=.1 .2 .3                   multiplied by the learning rate already
//! end of trees                          what follows does not alter scores
//! ```
//! LightGBM compares in `f64`, and so do its trees here (see [`fivefold_trees::tree`]): the text's values are scored, not the `f32` that
//! a data set holds. A NaN that is not the missing value counts as 0. With `average_output` (LightGBM's forests) the score is the
//! mean over the trees. Scores are LightGBM's raw ones, before the sigmoid of `binary` or the exponential of `poisson`. Gains that are not finite, which
//! scores do not need, are not known then. Linear models in leaves and several classes have no counterpart here.
//!
//! Written files say nothing of counts and hessians, which scores do not need, and give every tree its missing side by NaN.

mod cuts;
mod read;

use std::fmt::{Display, Write as _};

use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};

use super::{Format, threshold_in_f64, trees_with_base};
use crate::lambdamart::LambdaMart;
use crate::tree_model::TreeModel;

/// LightGBM's format.
pub const FORMAT: Format = Format {
    name: "lightgbm",
    summary: "LightGBM's text, as `Booster.save_model` writes it",
    first_feature: 0,
    recognise: |text| text.lines().next().is_some_and(|line| line.trim() == "tree"),
    read: read::read,
    write,
};

const CATEGORICAL: u8 = 1;
const DEFAULT_LEFT: u8 = 2;
const MISSING_ZERO: u8 = 4;
const MISSING_NAN: u8 = 8;

/// Where the trees end.
const END: &str = "end of trees";

fn write(model: &TreeModel, ranker: &str, first: u32) -> String {
    let trees = trees_with_base(model);
    let blocks: Vec<String> = trees.iter().enumerate().map(|(number, tree)| write_tree(tree, number, first)).collect();
    let columns = model.features() + first as usize;
    let objective = if ranker == LambdaMart::NAME { "lambdarank" } else { "regression" };
    let names = join((0..columns).map(|column| format!("Column_{column}")));
    let ranges = join((0..columns).map(|_| "[-inf:inf]"));
    let sizes = join(blocks.iter().map(String::len));
    let mut text = format!(
        "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx={}\nobjective={objective}\n\
         feature_names={names}\nfeature_infos={ranges}\ntree_sizes={sizes}\n\n",
        columns.saturating_sub(1)
    );
    blocks.iter().for_each(|block| text.push_str(block));
    text.push_str(END);
    text.push('\n');
    text
}

fn write_tree(tree: &Tree, number: usize, first: u32) -> String {
    let decision = |node: Node| MISSING_NAN | if node.missing_left { DEFAULT_LEFT } else { 0 };
    let mut text = format!("Tree={number}\nnum_leaves={}\nnum_cat=0\n", tree.values().len());
    let mut field = |name: &str, values: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}={values}");
    };
    field("split_feature", join(tree.nodes().map(|node| node.feature + first)));
    field("split_gain", join(tree.nodes().map(|node| format!("{:?}", node.gain))));
    field(
        "threshold",
        join(tree.nodes().enumerate().map(|(number, node)| format!("{:?}", threshold_in_f64(tree, number, &node)))),
    );
    field("decision_type", join(tree.nodes().map(decision)));
    field("left_child", join(tree.nodes().map(|node| node.left)));
    field("right_child", join(tree.nodes().map(|node| node.right)));
    field("leaf_value", join(tree.values().iter().map(|value| format!("{value:?}"))));
    field("is_linear", "0".to_owned());
    field("shrinkage", "1".to_owned());
    text.push_str("\n\n");
    text
}

fn join(values: impl Iterator<Item = impl Display>) -> String {
    let mut text = String::new();
    for (number, value) in values.enumerate() {
        let _ = if number == 0 { write!(text, "{value}") } else { write!(text, " {value}") };
    }
    text
}

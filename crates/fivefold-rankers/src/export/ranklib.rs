//! RankLib's text. The plug-ins of Elasticsearch and OpenSearch read it too (`model/ranklib`); Solr
//! does not.
//!
//! Trees are written under their ranker's name if RankLib has it, otherwise as LambdaMART's, since
//! the name only decides how the file is read. A forest is written as one bag, with leaf values
//! divided by the number of bags. Linear models are written under their ranker's name if RankLib
//! has it and there is no intercept, otherwise as Linear Regression.
//!
//! RankLib compares in single precision, as we do. RankLib adds up the values of trees in single
//! precision, and weights in double precision. A missing value is 0. RankLib reads line by line
//! and knows no blanks between elements, so every element begins on a new line.

use std::fmt::Write as _;

use fivefold_core::Ranker;
use fivefold_trees::Tree;

use super::{Context, Notes, Refusal, Scaling, Target, without_logarithm};
use crate::adarank::AdaRank;
use crate::coordinate_ascent::CoordinateAscent;
use crate::linear_model::LinearModel;
use crate::mart::Mart;
use crate::random_forest::RandomForest;

/// RankLib.
pub(super) const TARGET: Target = Target {
    name: "ranklib",
    summary: "RankLib's text, for RankLib itself",
    first_feature: 1,
    names: false,
    binary: false,
    knows_missing: false,
    by_hand: true,
    trees: write_trees,
    linear: Some(write_linear),
};

/// Rankers whose models are written under RankLib's name for them, and these names.
const LEARNERS: &[(&str, &str)] = &[
    (Mart::NAME, "MART"),
    (RandomForest::NAME, FOREST),
    (CoordinateAscent::NAME, "Coordinate Ascent"),
    (AdaRank::NAME, "AdaRank"),
];

const FOREST: &str = "Random Forests";

fn learner(ranker: &str, other: &'static str) -> &'static str {
    LEARNERS.iter().find(|(ours, _)| *ours == ranker).map_or(other, |(_, theirs)| theirs)
}

fn write_linear(
    context: &Context<'_>,
    model: &LinearModel,
    scaling: Option<&Scaling<'_>>,
    _: &mut Notes,
) -> Result<Vec<u8>, Refusal> {
    without_logarithm(&TARGET, scaling)?;
    let LinearModel { mut weights, mut intercept } = model.clone();
    for (weight, &(centre, spread)) in weights.iter_mut().zip(scaling.map_or(&[][..], |scaling| scaling.scales)) {
        *weight = if spread > 0.0 { *weight / spread } else { 0.0 };
        intercept -= *weight * centre;
    }
    let name = if intercept == 0.0 { learner(context.ranker, LINEAR) } else { LINEAR };
    let mut text = format!("## {name}\n");
    if name == LINEAR {
        // RankLib has as many weights as entries, without the intercept's entry.
        let _ = write!(text, "0:{intercept:?} ");
    }
    let entries = (0..).zip(&weights).map(|(feature, weight)| format!("{}:{weight:?}", context.number(feature)));
    text.push_str(&entries.collect::<Vec<_>>().join(" "));
    text.push('\n');
    Ok(text.into_bytes())
}

const LINEAR: &str = "Linear Regression";

fn write_trees(context: &Context<'_>, trees: &[Tree], _: &mut Notes) -> Vec<u8> {
    let name = learner(context.ranker, "LambdaMART");
    let leaves = trees.iter().map(|tree| tree.values().len()).max().unwrap_or(0);
    let mut text = format!("## {name}\n");
    if name == FOREST {
        text.push_str("## No. of bags = 1\n");
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "## No. of trees = {}\n## No. of leaves = {leaves}\n\n<ensemble>\n", trees.len());
    for (tree, id) in trees.iter().zip(1..) {
        let _ = writeln!(text, "\t<tree id=\"{id}\" weight=\"1.0\">");
        write_tree(context, tree, &mut text);
        text.push_str("\t</tree>\n");
    }
    text.push_str("</ensemble>\n");
    text.into_bytes()
}

/// Parts of a tree that are still to be written.
enum Rest {
    /// A child, its side of the parent, and its indentation.
    Child(i32, Option<&'static str>, usize),
    /// The end of a node, with its indentation.
    End(usize),
}

fn write_tree(context: &Context<'_>, tree: &Tree, text: &mut String) {
    let nodes: Vec<fivefold_trees::Node> = tree.nodes().collect();
    let root = if nodes.is_empty() { !0 } else { 0 };
    let mut rest = vec![Rest::Child(root, None, 2)];
    while let Some(next) = rest.pop() {
        let (child, side, depth) = match next {
            Rest::Child(child, side, depth) => (child, side, depth),
            Rest::End(depth) => {
                let _ = writeln!(text, "{:\t<depth$}</split>", "");
                continue;
            }
        };
        let (outer, inner) = (format!("{:\t<depth$}", ""), format!("{:\t<1$}", "", depth + 1));
        let _ = match side {
            Some(side) => writeln!(text, "{outer}<split pos=\"{side}\">"),
            None => writeln!(text, "{outer}<split>"),
        };
        rest.push(Rest::End(depth));
        if child < 0 {
            let _ = writeln!(text, "{inner}<output> {:?} </output>", tree.values()[!child as usize]);
        } else {
            let node = &nodes[child as usize];
            let _ = writeln!(text, "{inner}<feature> {} </feature>", context.number(node.feature));
            let _ = writeln!(text, "{inner}<threshold> {:?} </threshold>", node.threshold);
            rest.push(Rest::Child(node.right, Some("right"), depth + 1));
            rest.push(Rest::Child(node.left, Some("left"), depth + 1));
        }
    }
}

//! RankLib's text, which the plug-ins of Elasticsearch and OpenSearch read too (`model/ranklib`); Solr does not.
//!
//! Trees are written under the name of their ranker if RankLib has it, else as LambdaMART's, since the name only chooses how
//! the file is read; a forest is written as one bag, whose leaf values have been divided by the number of bags already.
//! Linear models are written under their ranker's name if RankLib has it and there is no intercept, else as Linear Regression.
//!
//! RankLib compares in single precision as we do. Trees' values are added up in single precision there, weights in double. It
//! has no missing values: they are 0. It reads line by line and knows no blanks between elements: an element begins on a new line.

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

/// Our rankers whose models RankLib has under another name than the one that is written else.
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
        // RankLib takes as many weights as there are entries, less this one.
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

/// What is still to be written.
enum Rest {
    /// A child, on which side of the node above, and how far indented.
    Child(i32, Option<&'static str>, usize),
    /// The end of a node, indented as its start.
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

//! Trees with one threshold a node, as other programs have them.
//!
//! A node with several cuts (a set of categories, or zero as a missing value) becomes a chain of
//! nodes. The children of the node then stand several times, and the covers are lost:
//!
//! ```text
//! x <= first cut  left | up to the second  right | up to the third  left | above  right
//! ```
//! A cut in `f64` becomes a threshold by rounding down to `f32`, so every `f32` feature goes the
//! same way as before. Cost: a tree can double at each node with three cuts of a path; a tree with
//! more than 65,536 leaves is refused.

use fivefold_trees::{Node, Tree};

use super::build::{Builder, Cut};
use super::round_down;

/// The most leaves of a tree after its nodes became chains.
const MOST_LEAVES: usize = 1 << 16;

/// The same trees with one threshold a node.
///
/// # Errors
/// If a tree gets too large.
pub(crate) fn plain(trees: Vec<Tree>) -> Result<Vec<Tree>, String> {
    let plain = |tree: Tree| match tree.cuts() {
        [] => Ok(tree),
        cuts if cuts.iter().all(|cuts| cuts.len() == 1) => rounded(&tree),
        _ => taken_apart(&tree),
    };
    trees.into_iter().map(plain).collect()
}

/// The threshold of a cut.
fn threshold_of(cut: f64) -> Result<f32, String> {
    round_down(cut)
        .ok_or_else(|| format!("the threshold {cut:e} of a split is below all numbers that this format holds"))
}

/// A tree with one cut a node, with these cuts as thresholds.
fn rounded(tree: &Tree) -> Result<Tree, String> {
    let node = |(node, cuts): (Node, &Vec<f64>)| Ok(Node { threshold: threshold_of(cuts[0])?, ..node });
    let nodes = tree.nodes().zip(tree.cuts()).map(node).collect::<Result<Vec<_>, String>>()?;
    let rounded = Tree::new(&nodes, tree.values().to_vec()).and_then(|rounded| rounded.with_cuts(tree.cuts().to_vec()));
    rounded.and_then(|rounded| rounded.with_covers_of(tree)).map_err(|error| error.to_string())
}

fn taken_apart(tree: &Tree) -> Result<Tree, String> {
    let nodes: Vec<Node> = tree.nodes().collect();
    let mut gains: Vec<f64> = nodes.iter().map(|node| node.gain).collect();
    let (mut builder, mut cuts_of_nodes) = (Builder::default(), Vec::new());
    // Items are a place, the node or leaf for this place, and the number of its cuts that were
    // already written above.
    let mut open = vec![(None, 0, 0)];
    while let Some((place, child, done)) = open.pop() {
        if child < 0 {
            builder.leaf(place, tree.values()[!child as usize]);
            if builder.leaves() > MOST_LEAVES {
                let what = format!(
                    "a tree splits by sets of categories, or takes zero as a missing value; written with one threshold a node, the tree \
                     has more than {MOST_LEAVES} leaves"
                );
                return Err(what);
            }
            continue;
        }
        let number = child as usize;
        let (node, cuts) = (&nodes[number], &tree.cuts()[number]);
        // A copy of a node has gain 0.
        let gain = std::mem::take(&mut gains[number]);
        let threshold = threshold_of(cuts[done])?;
        // Up to the first cut left, up to the second right, and so on.
        let side = |done: usize| if done.is_multiple_of(2) { node.left } else { node.right };
        let missing_left = node.missing_left == done.is_multiple_of(2);
        cuts_of_nodes.push(vec![cuts[done]]);
        let [left, right] = builder.node(place, Cut { feature: node.feature, threshold, missing_left, gain });
        if done + 1 < cuts.len() {
            open.push((right, child, done + 1));
        } else {
            open.push((right, side(done + 1), 0));
        }
        open.push((left, side(done), 0));
    }
    builder.finish().and_then(|tree| tree.with_cuts(cuts_of_nodes)).map_err(|error| error.to_string())
}

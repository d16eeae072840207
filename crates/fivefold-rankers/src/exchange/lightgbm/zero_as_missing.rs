//! Nodes that send zero to a side of its own, as nodes that do not.
//!
//! With `zero_as_missing` LightGBM sends every |x| <= 1e-35 to a node's default side, wherever the threshold lies. Our nodes know
//! missing values as NaN only, so such a node is one cut where the default side is the one that zero is on anyway, or where the
//! cut can be moved across zero; else it is three, and both its children stand twice:
//!
//! ```text
//! default left,  t < 0:    x <= t  left   | below zero  right |  zero       left |  above  right
//! default right, t > 0:    below zero  left |  zero       right |  x <= t  left  |  above  right
//! ```
//! Cost: in a chain of such nodes the tree doubles at each; beyond 65,536 leaves it is refused.

use fivefold_trees::Tree;

use crate::exchange::build::{Builder, Cut};

/// LightGBM's bound of zero: 1e-35 in single precision.
const ZERO: f32 = 1e-35;

/// The most leaves of a tree that has been taken apart.
const MOST_LEAVES: usize = 1 << 16;

/// Rising cuts of a node: values up to the first go left, then up to the second right, up to the third left; the rest right.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Banded {
    One(f32),
    Three([f32; 3]),
}

impl Banded {
    /// Values up to `threshold` go left.
    pub fn cut(threshold: f32) -> Self {
        Banded::One(threshold)
    }

    /// The same, but for zero, which goes to the default side.
    pub fn zero_is_missing(threshold: f32, default_left: bool) -> Self {
        let below = (-ZERO).next_down();
        match default_left {
            true if threshold >= below => Banded::One(threshold.max(ZERO)),
            true => Banded::Three([threshold, below, ZERO]),
            false if threshold <= ZERO => Banded::One(threshold.min(below)),
            false => Banded::Three([below, ZERO, threshold]),
        }
    }

    pub fn first(&self) -> f32 {
        self.cuts()[0]
    }

    /// The side of a value of 0.
    pub fn zero_goes_left(&self) -> bool {
        // Left up to the first cut, and between the second and the third.
        self.cuts().iter().filter(|&&cut| cut < 0.0).count().is_multiple_of(2)
    }

    fn cuts(&self) -> &[f32] {
        match self {
            Banded::One(cut) => std::slice::from_ref(cut),
            Banded::Three(cuts) => cuts,
        }
    }
}

/// `tree` with the cuts `bands` in place of its nodes' own.
///
/// # Errors
/// If it gets too large.
pub(super) fn without_bands(tree: Tree, bands: &[Banded]) -> Result<Tree, String> {
    if bands.iter().all(|cuts| matches!(cuts, Banded::One(_))) {
        return Ok(tree);
    }
    let nodes: Vec<_> = tree.nodes().collect();
    let mut gains: Vec<f64> = nodes.iter().map(|node| node.gain).collect();
    let mut builder = Builder::default();
    // A place, the node or leaf to stand there, and how many of its cuts stand above already.
    let mut open = vec![(None, 0, 0)];
    while let Some((place, child, done)) = open.pop() {
        if child < 0 {
            builder.leaf(place, tree.values()[!child as usize]);
            if builder.leaves() > MOST_LEAVES {
                let what = format!("zero as missing value makes this a tree of more than {MOST_LEAVES} leaves");
                return Err(what + "; train without zero_as_missing");
            }
            continue;
        }
        let number = child as usize;
        let (node, cuts) = (&nodes[number], bands[number].cuts());
        // A copy gains nothing.
        let gain = std::mem::take(&mut gains[number]);
        let threshold = cuts[done];
        let missing_left = if cuts.len() == 1 { node.missing_left } else { 0.0 <= threshold };
        let [left, right] = builder.node(place, Cut { feature: node.feature, threshold, missing_left, gain });
        let side = |done: usize| if done.is_multiple_of(2) { node.left } else { node.right };
        if done + 1 < cuts.len() {
            open.push((right, child, done + 1));
        } else {
            open.push((right, side(done + 1), 0));
        }
        open.push((left, side(done), 0));
    }
    builder.finish().map_err(|error| error.to_string())
}

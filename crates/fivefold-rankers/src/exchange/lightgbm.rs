//! LightGBM's text format (`Booster.save_model`): versions 2 to 4, and the format of LightGBM 2.0,
//! which states no version.
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
//! LightGBM compares in `f64`, and its trees do so here too (see [`fivefold_trees::tree`]). So
//! trees score the values of the text, not the `f32` values of a data set. A NaN that is not the
//! node's missing value counts as 0. With `average_output` (LightGBM's forests) the score is the
//! mean over the trees. Scores are LightGBM's raw scores, before the sigmoid of `binary` or the
//! exponential of `poisson`. If a gain is not finite, gains are not known; scores do not need them.
//! Models with linear leaves or several classes have no counterpart here.
//!
//! If the file has counts of documents and sums of hessians, they are kept as the covers of the
//! trees. Scores do not need covers.

mod cuts;
mod read;

use super::Format;

/// LightGBM's format.
pub const FORMAT: Format = Format {
    name: "lightgbm",
    summary: "LightGBM's text, as `Booster.save_model` writes it",
    first_feature: 0,
    recognise: |text| text.lines().next().is_some_and(|line| line.trim() == "tree"),
    read: read::read,
};

const CATEGORICAL: u8 = 1;
const DEFAULT_LEFT: u8 = 2;
const MISSING_ZERO: u8 = 4;
const MISSING_NAN: u8 = 8;

/// The line that ends the trees.
const END: &str = "end of trees";

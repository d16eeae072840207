//! LightGBM's text format (`Booster.save_model`), versions 3 and 4.
//!
//! ```text
//! tree                                  a header of key=value lines
//! Tree=0                                then one block a tree
//! num_leaves=3
//! split_feature=2 0                     columns, from 0
//! threshold=.5 .25                      left if x <= threshold
//! decision_type=8 10                    1: a set of categories; 2: missing goes left; 4: 0 is missing; 8: NaN is missing
//! left_child=1 -1                       a node, or -1 - leaf
//! right_child=-2 -3
//! leaf_value=.1 .2 .3                   multiplied by the learning rate already
//! end of trees                          what follows does not alter scores
//! ```
//! A NaN that is not the missing value counts as 0. With `average_output` (LightGBM's forests) the score is the mean over the trees.
//! Scores are LightGBM's raw ones, before the sigmoid of `binary` or the exponential of `poisson`. Sets of categories, linear
//! models in leaves and several classes have no counterpart here. Columns that hold zero as missing: see `zero_as_missing`.
//!
//! Written files say nothing of counts and hessians, which scores do not need, and give every tree its missing side by NaN.

mod zero_as_missing;

use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::str::FromStr;

use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};

use self::zero_as_missing::{Banded, without_bands};
use super::{Columns, Format, ImportError, Imported, round_down, trees_with_base};
use crate::lambdamart::LambdaMart;
use crate::mart::Mart;
use crate::random_forest::RandomForest;
use crate::tree_model::TreeModel;

/// LightGBM's format.
pub const FORMAT: Format = Format {
    name: "lightgbm",
    summary: "LightGBM's text, as `Booster.save_model` writes it",
    first_feature: 0,
    recognise: |text| text.lines().next().is_some_and(|line| line.trim() == "tree"),
    read,
    write,
};

const CATEGORICAL: u8 = 1;
const DEFAULT_LEFT: u8 = 2;
const MISSING_ZERO: u8 = 4;
const MISSING_NAN: u8 = 8;

/// Where the trees end.
const END: &str = "end of trees";

/// The key=value lines of the header or of a tree.
struct Section<'a> {
    /// Its first line.
    line: usize,
    fields: BTreeMap<&'a str, (usize, &'a str)>,
}

fn read(text: &str, columns: Columns) -> Result<Imported, ImportError> {
    let sections = sections(text)?;
    let Some((header, blocks)) = sections.split_first() else {
        return Err(ImportError::new(1, "the file is empty"));
    };
    let (line, version) = header.text("version")?;
    if !["v3", "v4"].contains(&version) {
        return Err(ImportError::new(line, format!("found version `{version}`; v3 and v4 can be read")));
    }
    for key in ["num_class", "num_tree_per_iteration"] {
        if header.number::<u32>(key)? != 1 {
            return Err(ImportError::new(header.text(key)?.0, format!("`{key}` must be 1: a ranker has one score")));
        }
    }
    let features = match columns.features {
        Some(features) => features,
        None => {
            let (line, last) = (header.text("max_feature_idx")?.0, header.number::<i64>("max_feature_idx")?);
            columns.feature(last).map_err(|what| ImportError::new(line, what))? as usize + 1
        }
    };
    let columns = Columns { features: Some(features), ..columns };
    let mut nan_is_missing = false;
    let mut trees = Vec::with_capacity(blocks.len());
    for block in blocks {
        trees.push(read_tree(block, columns, &mut nan_is_missing)?);
    }
    let average = header.fields.contains_key("average_output");
    if average {
        let count = trees.len() as f64;
        trees.iter_mut().flat_map(|tree| tree.values_mut()).for_each(|value| *value /= count);
    }
    let objective = header.fields.get("objective").map_or("", |(_, objective)| objective);
    let ranker = match objective.split(' ').next() {
        _ if average => RandomForest::NAME,
        Some("lambdarank" | "rank_xendcg") => LambdaMart::NAME,
        _ => Mart::NAME,
    };
    // Where NaN has a side of its own, no policy for LETOR files keeps it: better none than a wrong one.
    let missing = if nan_is_missing { "error" } else { "zero" };
    Imported::trees(ranker, features, missing, trees)
}

/// The header and the blocks of the trees.
fn sections(text: &str) -> Result<Vec<Section<'_>>, ImportError> {
    let mut sections = vec![Section { line: 1, fields: BTreeMap::new() }];
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line == END {
            return Ok(sections);
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        if key == "Tree" {
            sections.push(Section { line: number, fields: BTreeMap::new() });
        } else if let (false, Some(section)) = (key.is_empty(), sections.last_mut()) {
            section.fields.insert(key, (number, value));
        }
    }
    Err(ImportError::new(text.lines().count().max(1), format!("the file ends before `{END}`: it is cut off")))
}

fn read_tree(block: &Section<'_>, columns: Columns, nan_is_missing: &mut bool) -> Result<Tree, ImportError> {
    let leaves: usize = block.number("num_leaves")?;
    let values = block.numbers::<f64>("leaf_value", leaves)?;
    let broken = |error: fivefold_trees::TreeError| ImportError::new(block.line, error.to_string());
    if let Some((line, "1")) = block.fields.get("is_linear") {
        return Err(ImportError::new(*line, "linear models in leaves cannot be read"));
    }
    if leaves == 1 {
        return Tree::new(&[], values).map_err(broken);
    }
    let inner = leaves.saturating_sub(1);
    let decisions = block.numbers::<u8>("decision_type", inner)?;
    let thresholds = block.numbers::<f64>("threshold", inner)?;
    let features = block.numbers::<i64>("split_feature", inner)?;
    let (left, right) = (block.numbers::<i32>("left_child", inner)?, block.numbers::<i32>("right_child", inner)?);
    let gains = block.numbers::<f64>("split_gain", inner)?;
    let line = |key| block.text(key).map_or(block.line, |(line, _)| line);
    if gains.iter().any(|gain| !gain.is_finite()) {
        return Err(ImportError::new(line("split_gain"), "a gain is not finite"));
    }
    let mut banded = Vec::with_capacity(inner);
    for i in 0..inner {
        let decision = decisions[i];
        if decision & CATEGORICAL != 0 {
            let what = "a split by a set of categories cannot be read; train without categorical features";
            return Err(ImportError::new(line("decision_type"), what));
        }
        let threshold = round_down(thresholds[i]).ok_or_else(|| {
            ImportError::new(line("threshold"), format!("`{}` is no threshold of a feature", thresholds[i]))
        })?;
        let default_left = decision & DEFAULT_LEFT != 0;
        let (cuts, missing_left) = match decision & !DEFAULT_LEFT {
            0 => (Banded::cut(threshold), None),
            MISSING_ZERO => (Banded::zero_is_missing(threshold, default_left), None),
            MISSING_NAN => (Banded::cut(threshold), Some(default_left)),
            _ => {
                let what = format!("`{decision}` is no type of decision: a sum of 2 and one of 4 and 8");
                return Err(ImportError::new(line("decision_type"), what));
            }
        };
        *nan_is_missing |= missing_left.is_some();
        // NaN that is not the missing value counts as 0.
        let missing_left = missing_left.unwrap_or(cuts.zero_goes_left());
        let feature = columns.feature(features[i]).map_err(|what| ImportError::new(line("split_feature"), what))?;
        let node =
            Node { feature, threshold: cuts.first(), missing_left, left: left[i], right: right[i], gain: gains[i] };
        banded.push((node, cuts));
    }
    let nodes: Vec<Node> = banded.iter().map(|(node, _)| *node).collect();
    let tree = Tree::new(&nodes, values).map_err(broken)?;
    let bands: Vec<Banded> = banded.into_iter().map(|(_, cuts)| cuts).collect();
    without_bands(tree, &bands).map_err(|what| ImportError::new(block.line, what))
}

impl<'a> Section<'a> {
    fn text(&self, key: &str) -> Result<(usize, &'a str), ImportError> {
        let found = self.fields.get(key).copied();
        found.ok_or_else(|| ImportError::new(self.line, format!("`{key}=` is missing below this line")))
    }

    fn number<T: FromStr>(&self, key: &str) -> Result<T, ImportError> {
        let (line, text) = self.text(key)?;
        text.trim().parse().map_err(|_| ImportError::new(line, format!("`{key}` is no number in its range")))
    }

    fn numbers<T: FromStr>(&self, key: &str, count: usize) -> Result<Vec<T>, ImportError> {
        let (line, text) = self.text(key)?;
        let numbers: Result<Vec<T>, _> = text.split_whitespace().map(str::parse).collect();
        match numbers {
            Ok(numbers) if numbers.len() == count => Ok(numbers),
            Ok(numbers) => {
                Err(ImportError::new(line, format!("`{key}` has {} values instead of {count}", numbers.len())))
            }
            Err(_) => Err(ImportError::new(line, format!("`{key}` has a value that is no number in its range"))),
        }
    }
}

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
    field("threshold", join(tree.nodes().map(|node| format!("{:?}", f64::from(node.threshold)))));
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

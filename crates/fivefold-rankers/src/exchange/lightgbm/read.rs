//! Reads LightGBM's text.

use std::collections::BTreeMap;
use std::str::FromStr;

use fivefold_base::printable::shown;
use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};

use super::cuts::{MissingType, Question, ZERO, ZERO_2_0, category, numeric};
use super::{CATEGORICAL, DEFAULT_LEFT, END, MISSING_NAN, MISSING_ZERO};
use crate::exchange::{AS_TRAINED, Columns, ImportError, Imported};
use crate::lambdamart::LambdaMart;
use crate::mart::Mart;
use crate::random_forest::RandomForest;

/// The line that ends the trees in files before version 2.2.
const OLD_END: &str = "feature importances:";

/// The most categories in all sets of a model together. (10 letters of a file can name 32
/// categories.)
const MOST_CATEGORIES: usize = 1 << 22;

/// The key=value lines of the header or of a tree.
struct Section<'a> {
    /// Its first line.
    line: usize,
    fields: BTreeMap<&'a str, (usize, &'a str)>,
}

/// The settings that all trees of a file share.
struct Reader {
    columns: Columns,
    /// The bound of zero.
    zero: f64,
    /// How many more categories there may be.
    categories_left: usize,
}

pub(super) fn read(text: &str, columns: Columns) -> Result<Imported, ImportError> {
    let sections = sections(text)?;
    let Some((header, blocks)) = sections.split_first() else {
        return Err(ImportError::new(1, "the file is empty"));
    };
    let zero = match header.fields.get("version") {
        Some((_, "v2" | "v3" | "v4")) => ZERO,
        None => ZERO_2_0,
        Some((line, version)) => {
            let what =
                format!("found version `{}`; v2, v3, v4 and files without a version can be read", shown(version));
            return Err(ImportError::new(*line, what));
        }
    };
    for key in ["num_class", "num_tree_per_iteration"] {
        if header.number::<u32>(key)? != 1 {
            return Err(ImportError::new(header.text(key)?.0, format!("`{key}` must be 1: a ranker has one score")));
        }
    }
    if let Some((line, sizes)) = header.fields.get("tree_sizes") {
        let stated = sizes.split_whitespace().count();
        if stated != blocks.len() {
            let what = format!(
                "`tree_sizes` states {stated} trees, but the file has {}: the file is not complete",
                blocks.len()
            );
            return Err(ImportError::new(*line, what));
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
    let mut reader = Reader { columns, zero, categories_left: MOST_CATEGORIES };
    let mut trees = blocks.iter().map(|block| reader.tree(block)).collect::<Result<Vec<_>, _>>()?;
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
    Imported::trees(ranker, features, AS_TRAINED, trees)
}

/// The header and the blocks of the trees.
fn sections(text: &str) -> Result<Vec<Section<'_>>, ImportError> {
    let mut sections = vec![Section { line: 1, fields: BTreeMap::new() }];
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        if line == END || line == OLD_END {
            return Ok(sections);
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        if key == "Tree" {
            sections.push(Section { line: number, fields: BTreeMap::new() });
        } else if let (false, Some(section)) = (key.is_empty(), sections.last_mut()) {
            section.fields.insert(key, (number, value));
        }
    }
    Err(ImportError::new(text.lines().count().max(1), format!("the file ends before `{END}`: the file is cut off")))
}

impl Reader {
    fn tree(&mut self, block: &Section<'_>) -> Result<Tree, ImportError> {
        let leaves: usize = block.number("num_leaves")?;
        let values = block.numbers::<f64>("leaf_value", leaves)?;
        let broken = |error: fivefold_trees::TreeError| ImportError::new(block.line, error.to_string());
        if let Some((line, "1")) = block.fields.get("is_linear") {
            let what = "linear models in leaves cannot be read; train without linear_tree";
            return Err(ImportError::new(*line, what));
        }
        if leaves == 1 {
            return Tree::new(&[], values).map_err(broken);
        }
        let inner = leaves.saturating_sub(1);
        let decisions = block.numbers::<u8>("decision_type", inner)?;
        let thresholds = block.numbers::<f64>("threshold", inner)?;
        let features = block.numbers::<i64>("split_feature", inner)?;
        let (left, right) = (block.numbers::<i32>("left_child", inner)?, block.numbers::<i32>("right_child", inner)?);
        // Scores need no gains. LightGBM writes infinite gains for very large labels.
        let gains = match block.fields.contains_key("split_gain") {
            true => block.numbers::<f64>("split_gain", inner)?,
            false => vec![f64::NAN; inner],
        };
        let sets = Sets::of(block)?;
        let (mut nodes, mut cuts) = (Vec::with_capacity(inner), Vec::with_capacity(inner));
        for i in 0..inner {
            let question = self.question(block, decisions[i], thresholds[i], &sets)?;
            let line = |key| block.text(key).map_or(block.line, |(line, _)| line);
            let feature =
                self.columns.feature(features[i]).map_err(|what| ImportError::new(line("split_feature"), what))?;
            let Question { cuts: own, first_left, nan_left } = question;
            let [left, right] = if first_left { [left[i], right[i]] } else { [right[i], left[i]] };
            let threshold = own[0].clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32;
            let missing_left = nan_left == first_left;
            nodes.push(Node { feature, threshold, missing_left, left, right, gain: gains[i] });
            cuts.push(own);
        }
        let tree = Tree::new(&nodes, values).and_then(|tree| tree.with_cuts(cuts)).map_err(broken)?;
        Ok(block.with_covers(tree))
    }

    fn question(
        &mut self,
        block: &Section<'_>,
        decision: u8,
        threshold: f64,
        sets: &Sets,
    ) -> Result<Question, ImportError> {
        let line = |key| block.text(key).map_or(block.line, |(line, _)| line);
        let missing = match decision & !(CATEGORICAL | DEFAULT_LEFT) {
            0 => MissingType::None,
            MISSING_ZERO => MissingType::Zero,
            MISSING_NAN => MissingType::Nan,
            _ => {
                let what = format!(
                    "`{decision}` is no type of decision; a type is a sum of 1 (categorical), 2 (default left), and 4 \
                        or 8 (missing)"
                );
                return Err(ImportError::new(line("decision_type"), what));
            }
        };
        if decision & CATEGORICAL != 0 {
            let words = sets.words(threshold).ok_or_else(|| {
                ImportError::new(
                    line("threshold"),
                    format!("`{threshold:?}` is no number of a set in `cat_boundaries`"),
                )
            })?;
            let categories = words.iter().map(|word| word.count_ones() as usize).sum::<usize>() + 1;
            self.categories_left = self.categories_left.checked_sub(categories).ok_or_else(|| {
                let what = format!("the sets of the model hold more than {MOST_CATEGORIES} categories");
                ImportError::new(line("cat_threshold"), what)
            })?;
            return Ok(category(words));
        }
        if threshold.is_nan() {
            return Err(ImportError::new(line("threshold"), format!("`{threshold}` is no threshold of a feature")));
        }
        Ok(numeric(threshold, missing, decision & DEFAULT_LEFT != 0, self.zero))
    }
}

/// The sets of categories of a tree: set i is the words from boundary i to boundary i + 1.
struct Sets {
    boundaries: Vec<usize>,
    words: Vec<u32>,
}

impl Sets {
    fn of(block: &Section<'_>) -> Result<Self, ImportError> {
        let count: usize = if block.fields.contains_key("num_cat") { block.number("num_cat")? } else { 0 };
        if count == 0 {
            return Ok(Sets { boundaries: Vec::new(), words: Vec::new() });
        }
        let boundaries = block.numbers::<usize>("cat_boundaries", count.saturating_add(1))?;
        let words = block.numbers::<u32>("cat_threshold", boundaries.last().copied().unwrap_or(0))?;
        if !boundaries.is_sorted() {
            return Err(ImportError::new(block.text("cat_boundaries")?.0, "`cat_boundaries` must rise"));
        }
        Ok(Sets { boundaries, words })
    }

    /// The words of set `number`, if there is such a set.
    fn words(&self, number: f64) -> Option<&[u32]> {
        if !(number >= 0.0 && number < self.boundaries.len() as f64) {
            return None;
        }
        let place = number as usize;
        self.words.get(*self.boundaries.get(place)?..*self.boundaries.get(place + 1)?)
    }
}

impl<'a> Section<'a> {
    /// The tree with its counts and hessians, if the file has valid numbers. Scores do not need
    /// covers.
    fn with_covers(&self, tree: Tree) -> Tree {
        let leaves = tree.values().len();
        let counts = self.numbers::<u32>("leaf_count", leaves);
        match counts.and_then(|counts| Ok((counts, self.numbers::<f64>("leaf_weight", leaves)?))) {
            Ok((documents, hessian)) => tree.clone().with_covers(documents, hessian).unwrap_or(tree),
            Err(_) => tree,
        }
    }

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

//! RankLib's model files: lines that begin with `##` name the learner and its settings; then comes
//! the model.
//!
//! ```text
//! trees        <ensemble> with <tree>s, see `trees`; a forest is one <ensemble> a bag, and the score is the mean over them
//! RankBoost    feature:threshold:alpha ...     score(x) = sum of alpha [x_feature > threshold]
//! linear       feature:weight ...              score(x) = sum of weight x_feature; feature 0 is the intercept
//! ```
//! Features count from 1; a feature that a document does not have is 0. RankLib sums the trees of
//! an ensemble in single precision, and we sum in double precision, so scores differ by about 1e-7
//! of the score. RankLib's networks have no counterpart here.

mod trees;

use std::str::FromStr;

use fivefold_base::printable::shown;
use fivefold_core::Ranker;
use fivefold_trees::{Node, Tree};

use super::{Columns, Format, ImportError, Imported, ImportedModel, round_down};
use crate::adarank::AdaRank;
use crate::coordinate_ascent::CoordinateAscent;
use crate::lambdamart::LambdaMart;
use crate::linear::Linear;
use crate::linear_model::LinearModel;
use crate::mart::Mart;
use crate::random_forest::RandomForest;
use crate::rankboost::RankBoost;

/// RankLib's format.
pub const FORMAT: Format =
    Format { name: "ranklib", summary: "RankLib's: trees as XML, weights as text", first_feature: 1, recognise, read };

/// A learner of RankLib's.
struct Learner {
    /// The name in the first line of a file.
    name: &'static str,
    /// Our ranker that makes such models.
    ranker: &'static str,
    body: Body,
}

/// The kinds of text after the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Ensemble,
    Ensembles,
    Stumps,
    Weights,
}

const LEARNERS: &[Learner] = &[
    Learner { name: "LambdaMART", ranker: LambdaMart::NAME, body: Body::Ensemble },
    Learner { name: "MART", ranker: Mart::NAME, body: Body::Ensemble },
    Learner { name: "Random Forests", ranker: RandomForest::NAME, body: Body::Ensembles },
    Learner { name: "RankBoost", ranker: RankBoost::NAME, body: Body::Stumps },
    Learner { name: "AdaRank", ranker: AdaRank::NAME, body: Body::Weights },
    Learner { name: "Coordinate Ascent", ranker: CoordinateAscent::NAME, body: Body::Weights },
    Learner { name: "Linear Regression", ranker: Linear::NAME, body: Body::Weights },
];

/// RankLib's policy for missing values.
const MISSING: &str = "zero";

fn recognise(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with("##") || start.starts_with("<ensemble")
}

fn read(text: &str, columns: Columns) -> Result<Imported, ImportError> {
    let learner = learner_of(text)?;
    match learner.body {
        Body::Ensemble | Body::Ensembles => {
            let mut ensembles = trees::read(text, columns)?;
            let bags = ensembles.len();
            if bags == 0 || (bags > 1 && learner.body == Body::Ensemble) {
                let what = format!("found {bags} `<ensemble>`s; a model of {} has one ensemble", learner.name);
                return Err(ImportError::new(1, what));
            }
            if bags > 1 {
                let values = ensembles.iter_mut().flatten().flat_map(|tree| tree.values_mut());
                values.for_each(|value| *value /= bags as f64);
            }
            let trees: Vec<Tree> = ensembles.into_iter().flatten().collect();
            let features = columns.given(trees.iter().map(Tree::width).max().unwrap_or(0))?;
            Imported::trees(learner.ranker, features, MISSING, trees)
        }
        Body::Stumps => {
            let (line, content) = only_line(text)?;
            let trees = content.split_whitespace().map(|entry| stump(entry, columns, line));
            let trees = trees.collect::<Result<Vec<_>, _>>()?;
            let features = columns.given(trees.iter().map(Tree::width).max().unwrap_or(0))?;
            Imported::trees(learner.ranker, features, MISSING, trees)
        }
        Body::Weights => weights(learner, text, columns),
    }
}

/// The learner in the first line; a file that begins with `<ensemble>` counts as LambdaMART's.
fn learner_of(text: &str) -> Result<&'static Learner, ImportError> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let Some((first, line)) = lines.next() else {
        return Err(ImportError::new(1, "the file is empty"));
    };
    let name = match first.trim().strip_prefix("##") {
        Some(name) => name.trim(),
        None if first.trim_start().starts_with("<ensemble") => LEARNERS[0].name,
        None => return Err(ImportError::new(line, "the first line must be `## ` and the name of a learner")),
    };
    LEARNERS.iter().find(|learner| learner.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<&str> = LEARNERS.iter().map(|learner| learner.name).collect();
        let what = match first.contains("\\n") {
            // The text is a string from the JSON of a search engine.
            true => format!(
                "found `{}`: the line ends are written as `\\n`, as in JSON; take the text out of the JSON string (`jq -r`)",
                shown(first)
            ),
            false => format!("models of `{}` cannot be read; models of these learners can: {}", shown(name), known.join(", ")),
        };
        ImportError::new(line, what)
    })
}

/// The only line that is not in the header, without its comment after `#`.
fn only_line(text: &str) -> Result<(usize, &str), ImportError> {
    let content = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("##");
    let mut lines = text.lines().zip(1..).filter(|(line, _)| content(line));
    let Some((first, line)) = lines.next() else {
        return Err(ImportError::new(text.lines().count(), "the file ends before the model"));
    };
    match lines.next() {
        Some((_, second)) => Err(ImportError::new(second, "expected one line below the lines that begin with `##`")),
        None => Ok((line, first.split('#').next().unwrap_or(first))),
    }
}

/// An entry `feature:threshold:alpha` of RankBoost, as a tree.
fn stump(entry: &str, columns: Columns, line: usize) -> Result<Tree, ImportError> {
    let [id, threshold, alpha] = fields(entry, "feature:threshold:alpha", line)?;
    let feature = columns.feature(number(id, line)?).map_err(|what| ImportError::new(line, what))?;
    let alpha: f64 = number(alpha, line)?;
    let threshold = round_down(number(threshold, line)?)
        .ok_or_else(|| ImportError::new(line, format!("`{}` is no threshold of a feature", shown(threshold))))?;
    let node = Node { feature, threshold, missing_left: 0.0 <= threshold, left: !0, right: !1, gain: alpha.abs() };
    Tree::new(&[node], vec![0.0, alpha]).map_err(|error| ImportError::new(line, format!("`{}`: {error}", shown(entry))))
}

/// Reads a line of `feature:weight`. If a feature stands there several times (AdaRank), its weights
/// are added.
fn weights(learner: &'static Learner, text: &str, columns: Columns) -> Result<Imported, ImportError> {
    let (line, content) = only_line(text)?;
    let (mut pairs, mut intercept) = (Vec::new(), 0.0);
    for entry in content.split_whitespace() {
        let [id, weight] = fields(entry, "feature:weight", line)?;
        let weight: f64 = number(weight, line)?;
        match number(id, line)? {
            0 if columns.first > 0 => intercept += weight,
            id => {
                let feature = columns.feature(id).map_err(|what| ImportError::new(line, what))?;
                pairs.push((feature as usize, weight));
            }
        }
    }
    let features = columns.given(pairs.iter().map(|(feature, _)| feature + 1).max().unwrap_or(0))?;
    let mut weights = vec![0.0; features];
    pairs.iter().for_each(|&(feature, weight)| weights[feature] += weight);
    if weights.iter().chain([&intercept]).any(|weight| !weight.is_finite()) {
        return Err(ImportError::new(line, "a weight is not finite"));
    }
    let model = ImportedModel::Linear(LinearModel { weights, intercept });
    Ok(Imported { ranker: learner.ranker, model, features, missing: MISSING })
}

/// The parts of `a:b:c`.
fn fields<'a, const N: usize>(entry: &'a str, form: &str, line: usize) -> Result<[&'a str; N], ImportError> {
    let parts: Vec<&str> = entry.split(':').collect();
    parts.try_into().map_err(|_| ImportError::new(line, format!("expected `{form}`, found `{}`", shown(entry))))
}

fn number<T: FromStr>(text: &str, line: usize) -> Result<T, ImportError> {
    text.trim().parse().map_err(|_| ImportError::new(line, format!("expected a number, found `{}`", shown(text))))
}

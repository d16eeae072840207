//! The model of every ranker made of trees.

use fivefold_core::ranker::ValueCodes;
use fivefold_core::{Dataset, FitError, Model, QueryView};
use fivefold_trees::codes::Codes;
use fivefold_trees::{Ensemble, Rows, Tree};
use serde::{Deserialize, Serialize};

/// score(x) = base + the sum of the trees' values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct TreeModel {
    features: usize,
    base: f64,
    trees: Ensemble,
}

/// A model as it stands in a file, not yet checked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    features: usize,
    base: f64,
    trees: Vec<Tree>,
}

impl TryFrom<Parts> for TreeModel {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        TreeModel::new(parts.features, parts.base, parts.trees)
    }
}

impl TreeModel {
    /// A model for documents with `features` features.
    ///
    /// # Errors
    /// If a tree uses a feature beyond `features`, or `base` is not finite.
    pub fn new(features: usize, base: f64, trees: Vec<Tree>) -> Result<Self, String> {
        if let Some(tree) = trees.iter().find(|tree| tree.width() > features) {
            return Err(format!("a tree uses feature {}, but documents have {features}", tree.width()));
        }
        if !base.is_finite() {
            return Err(format!("base {base} is not finite"));
        }
        let trees = Ensemble::from(trees);
        if let Some((feature, count)) = trees.codes().and_then(Codes::beyond) {
            return Err(format!("the trees split feature {} at {count} values, which are too many", feature + 1));
        }
        Ok(TreeModel { features, base, trees })
    }

    /// The same trees for documents of `width` features, if this model sees `columns` of them only.
    ///
    /// # Errors
    /// If there are fewer columns than features of this model, or a column is not below `width`.
    pub fn widened(&self, columns: &[usize], width: usize) -> Result<Self, String> {
        let tree = |tree: &Tree| -> Result<Tree, String> {
            let moved = |node: fivefold_trees::Node| {
                let column = columns.get(node.feature as usize).and_then(|column| u32::try_from(*column).ok());
                let column = column.ok_or_else(|| format!("there is no column for feature {}", node.feature + 1))?;
                Ok(fivefold_trees::Node { feature: column, ..node })
            };
            let nodes: Vec<_> = tree.nodes().map(moved).collect::<Result<_, String>>()?;
            let wide = Tree::new(&nodes, tree.values().to_vec()).and_then(|wide| wide.with_covers_of(tree));
            wide.map_err(|error| error.to_string())
        };
        let trees = self.trees().iter().map(tree).collect::<Result<_, _>>()?;
        TreeModel::new(width, self.base, trees)
    }

    /// Features of a document.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The trees, in order.
    pub fn trees(&self) -> &[Tree] {
        self.trees.trees()
    }

    /// Whether a document goes left at node `node` of tree `tree`. `row` has the document's codes
    /// if the model has [`codes`](Model::codes), otherwise its values.
    ///
    /// # Panics
    /// If there is no such node, or the row is too short.
    pub fn goes_left(&self, tree: usize, node: usize, row: &[f32]) -> bool {
        match self.trees.codes() {
            Some(codes) => codes.goes_left(tree, node, row),
            None => self.trees()[tree].goes_left(node, row[self.trees()[tree].feature(node)]),
        }
    }

    /// The number that is added to the sum of the trees.
    pub fn base(&self) -> f64 {
        self.base
    }
}

impl Model for TreeModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        out.fill(self.base);
        self.trees.add_scores(query.features(), query.width(), out);
    }

    fn features(&self) -> Option<usize> {
        Some(self.features)
    }

    /// For each feature, the sum of the gains of the cuts on this feature; `None` if a gain is not
    /// known.
    fn importance(&self) -> Option<Vec<f64>> {
        self.trees().iter().all(Tree::has_gains).then(|| self.trees.importance(self.features))
    }

    fn codes(&self) -> Option<&dyn ValueCodes> {
        self.trees.codes().map(|_| self as &dyn ValueCodes)
    }
}

impl ValueCodes for TreeModel {
    fn code(&self, feature: usize, value: f64) -> f32 {
        self.trees.codes().map_or(value as f32, |codes| codes.code(feature, value))
    }

    fn score_codes(&self, codes: QueryView<'_>, out: &mut [f64]) {
        out.fill(self.base);
        self.trees.add_scores_of_codes(codes.features(), codes.width(), out);
    }
}

/// The features of all documents of `data`, with a block for each query.
///
/// # Errors
/// If there is no document or no feature.
pub(crate) fn rows_of(data: &Dataset) -> Result<Rows<'_>, FitError> {
    if data.documents() == 0 || data.width() == 0 {
        return Err(FitError::Data("there is no document or no feature".to_owned()));
    }
    Ok(Rows::new(data.queries().map(|query| query.view().features()).collect(), data.width()))
}

#[cfg(test)]
mod tests {
    use fivefold_trees::Node;

    use super::*;

    #[test]
    fn trees_that_do_not_fit_are_refused() {
        let node = Node { feature: 2, threshold: 0.5, missing_left: false, left: !0, right: !1, gain: 4.0 };
        let tree = Tree::new(&[node], vec![1.0, 2.0]).unwrap();
        let model = TreeModel::new(3, 0.25, vec![tree.clone(), tree.clone()]).unwrap();
        let mut out = [0.0; 2];
        model.score(QueryView::new("q", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], 3, 2), &mut out);
        assert_eq!(out, [2.25, 4.25]);
        assert_eq!(model.importance(), Some(vec![0.0, 0.0, 8.0]));
        let text = serde_json::to_string(&model).unwrap();
        assert_eq!(serde_json::from_str::<TreeModel>(&text).unwrap(), model);
        let narrow = text.replace("\"features\":3", "\"features\":2");
        let error = serde_json::from_str::<TreeModel>(&narrow).unwrap_err();
        assert!(error.to_string().contains("a tree uses feature 3, but documents have 2"), "{error}");
        assert!(TreeModel::new(3, f64::NAN, vec![tree]).is_err());
    }
}

//! The values of a run: a number for each data set, ranker, query and measure. Every table is
//! computed from these values alone.

use fivefold_metrics::MeasureSpec;

/// Which of a query's documents were ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentSet {
    /// All judged documents.
    All,
    /// The left half of a seeded split.
    Left,
    /// The right half of the split.
    Right,
}

/// All values of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// The measures with version and cutoff (`ndcg@5`, `ndcg.v1@5`, ...): the columns of every
    /// value array.
    pub measures: Vec<MeasureSpec>,
    /// The values of each data set, in the order of the experiment file.
    pub datasets: Vec<DatasetValues>,
}

/// The values on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetValues {
    /// The data set's name.
    pub name: String,
    /// Rankers by label, in the order of the experiment file.
    pub rankers: Vec<String>,
    /// `failed[r]`: whether a job of ranker `r` failed on this data set. No number of such a ranker
    /// may be shown or used.
    pub failed: Vec<bool>,
    /// The evaluated test queries, in file order over the folds (fold 1's test queries first).
    pub queries: Vec<QueryInfo>,
    /// Values over all documents, in the layout of [`DatasetValues::values`].
    pub all: Vec<f64>,
    /// Values over the left halves; empty if no table needs them.
    pub left: Vec<f64>,
    /// Values over the right halves; empty if no table needs them.
    pub right: Vec<f64>,
    /// `expected[query * measures + measure]` = E/U of this column over all documents; NaN if
    /// undefined. E/U does not depend on the version, so the columns `ndcg@5`, `ndcg.v1@5` and
    /// `ndcg.v2@5` hold the same number.
    pub expected: Vec<f64>,
}

/// One evaluated query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryInfo {
    /// The fold in which it is a test query, from 1.
    pub fold: usize,
    /// The id as written in the source.
    pub id: String,
    /// Number of judged documents.
    pub documents: usize,
    /// Number of documents with a grade of at least the relevance threshold.
    pub relevant: usize,
    /// Number of documents with grade 2 or higher, by which queries are broad or focused.
    pub graded2: usize,
}

impl DatasetValues {
    /// The values over a document set: `[(ranker * queries + query) * measures + measure]`; NaN
    /// marks an undefined value.
    pub fn values(&self, set: DocumentSet) -> &[f64] {
        match set {
            DocumentSet::All => &self.all,
            DocumentSet::Left => &self.left,
            DocumentSet::Right => &self.right,
        }
    }
}

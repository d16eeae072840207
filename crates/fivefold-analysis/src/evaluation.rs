//! The values of a run: a number for each data set, ranker, query and measure. Every table is
//! computed from these values alone.

use std::collections::BTreeSet;

use fivefold_metrics::MeasureSpec;

/// Which of a query's documents were ranked.
///
/// ```
/// use fivefold_analysis::{DatasetValues, DocumentSet};
///
/// // A measure of one ranker on one query, over all documents and over the halves of a seeded split.
/// let values = DatasetValues {
///     name: "mine".to_owned(),
///     rankers: vec!["A".to_owned()],
///     failed: vec![false],
///     queries: Vec::new(),
///     all: vec![0.5],
///     left: vec![0.75],
///     right: vec![0.25],
///     expected: vec![0.5],
/// };
/// let [left, right] = [DocumentSet::Left, DocumentSet::Right].map(|set| values.values(set)[0]);
/// assert_eq!(left - right, 0.5);
/// ```
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
///
/// ```
/// use fivefold_analysis::Evaluation;
///
/// // The columns of the values of every data set.
/// let measures = vec!["ndcg@5".parse()?, "ndcg.v2@5".parse()?];
/// let evaluation = Evaluation { measures, ..Evaluation::default() };
/// assert_eq!(evaluation.measures[1].to_string(), "ndcg.v2@5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Evaluation {
    /// The measures with version and cutoff (`ndcg@5`, `ndcg.v1@5`, ...): the columns of every
    /// value array.
    pub measures: Vec<MeasureSpec>,
    /// The values of each data set, in the order of the experiment file.
    pub datasets: Vec<DatasetValues>,
}

impl Evaluation {
    /// The lines that concern a measure: all but the conventions of other measures. Such a line
    /// begins with the name of its measure and a colon. `measure` has no cutoff.
    ///
    /// ```
    /// use fivefold_analysis::Evaluation;
    ///
    /// let measures = ["ndcg@10", "ap@10"].map(|name| name.parse().unwrap()).to_vec();
    /// let evaluation = Evaluation { measures, datasets: Vec::new() };
    /// let lines = ["dialect: paper", "ndcg: gain=exp2", "ap: threshold=1"].map(str::to_owned);
    /// assert_eq!(evaluation.lines_of("ndcg.v2", &lines), ["dialect: paper", "ndcg: gain=exp2"]);
    /// ```
    pub fn lines_of(&self, measure: &str, lines: &[String]) -> Vec<String> {
        let names: BTreeSet<String> = self.measures.iter().map(|spec| spec.base().at(None).to_string()).collect();
        let is_of =
            |name: &str| measure.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let others: Vec<String> = names.iter().filter(|name| !is_of(name)).map(|name| format!("{name}: ")).collect();
        lines.iter().filter(|line| !others.iter().any(|other| line.starts_with(other))).cloned().collect()
    }
}

/// The values on one data set.
///
/// ```
/// use fivefold_analysis::{DatasetValues, DocumentSet, QueryInfo};
///
/// let query = QueryInfo { fold: 1, id: "q1".to_owned(), documents: 3, relevant: 1, graded2: 0 };
/// let values = DatasetValues {
///     name: "mine".to_owned(),
///     rankers: vec!["A".to_owned(), "B".to_owned()],
///     failed: vec![false, false],
///     queries: vec![query],
///     all: vec![0.5, 0.25, 0.75, 0.5],
///     left: Vec::new(),
///     right: Vec::new(),
///     expected: vec![0.5, 0.5],
/// };
/// // Two measures of one query: those of the second ranker stand behind those of the first.
/// let (ranker, queries, measures) = (1, values.queries.len(), 2);
/// assert_eq!(values.values(DocumentSet::All)[ranker * queries * measures..], [0.75, 0.5]);
/// ```
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
///
/// ```
/// use fivefold_analysis::QueryInfo;
///
/// let query = QueryInfo { fold: 1, id: "q1".to_owned(), documents: 8, relevant: 2, graded2: 1 };
/// assert_eq!(query.relevant as f64 / query.documents as f64, 0.25);
/// ```
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

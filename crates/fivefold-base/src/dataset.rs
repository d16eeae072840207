//! Data sets: row-major `f32` features, `u8` grades, queries as row ranges, query and document ids.
//!
//! A [`Dataset`] is a cheap view (a list of query numbers) into shared storage. So the training,
//! validation and test parts of five folds never copy a feature. The storage may own its matrix or
//! borrow the matrix from elsewhere, for instance from a mapped file. All that the storage needs is
//! a value that gives a `&[f32]`.

use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::grades::{GradeError, GradeScale, Grades};

/// The source of this module. A cache that keeps data sets as bytes also keeps a hash of this
/// source: another source may have another layout of the bytes.
pub const SOURCE: &str = include_str!("dataset.rs");

/// The most features that a document may have. A wider dense matrix makes no sense.
pub const MOST_FEATURES: usize = 100_000;

/// A sequence of strings in one allocation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdTable {
    text: String,
    ends: Vec<usize>,
}

impl IdTable {
    /// Appends one id.
    pub fn push(&mut self, id: &str) {
        self.text.push_str(id);
        self.ends.push(self.text.len());
    }

    /// The id at `index`.
    ///
    /// # Panics
    /// If `index` is out of range.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.text[start..self.ends[index]]
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// The feature matrix of a collection, owned or borrowed from a mapped file.
type Matrix = Arc<dyn AsRef<[f32]> + Send + Sync>;

struct Storage {
    features: Matrix,
    width: usize,
    rest: Arc<Rest>,
}

/// The parts of a collection that stay as they are when the features are replaced.
struct Rest {
    grades: Vec<u8>,
    /// The row where each query starts; the last bound is the number of rows.
    bounds: Vec<usize>,
    query_ids: IdTable,
    /// One id for each row; empty if the collection has no document ids.
    doc_ids: IdTable,
    max_grade: u8,
}

/// Queries with their judged documents: a view into a collection's shared storage.
///
/// ```
/// use fivefold_base::Dataset;
///
/// // One feature a document; a query of three documents, and one of two.
/// let data = Dataset::of_queries(1, [(&[0.9, 0.1, 0.5][..], &[2, 0, 1][..]), (&[0.3, 0.8], &[0, 1])])?;
/// assert_eq!((data.len(), data.documents(), data.max_grade()), (2, 5, 2));
/// // A view shares the features.
/// assert_eq!(data.slice(1..2).query(0).features(), [0.3, 0.8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Dataset {
    storage: Arc<Storage>,
    queries: Arc<[u32]>,
    documents: usize,
}

impl std::fmt::Debug for Dataset {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dataset")
            .field("queries", &self.len())
            .field("documents", &self.documents)
            .field("width", &self.width())
            .finish()
    }
}

/// Arrays that do not make a data set.
///
/// ```
/// use fivefold_base::{Dataset, DatasetError};
///
/// // Three values are no two features for each of two documents.
/// let error = Dataset::of_queries(2, [(&[0.9, 0.1, 0.5][..], &[2, 0][..])]).unwrap_err();
/// assert_eq!(error, DatasetError::MatrixSize { found: 3, rows: 2, width: 2 });
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// The matrix does not have rows x width values.
    #[error("the feature matrix has {found} values, but {rows} documents x {width} features need {}", rows * width)]
    MatrixSize {
        /// Values found.
        found: usize,
        /// Documents, as counted by the grades.
        rows: usize,
        /// Features a document.
        width: usize,
    },
    /// Query bounds are not increasing from 0 to the number of documents.
    #[error(
        "query bounds must rise from 0 to the number of documents ({rows}) without an empty query; bound {index} (from 0) does not"
    )]
    Bounds {
        /// The index of the wrong bound.
        index: usize,
        /// Documents.
        rows: usize,
    },
    /// The number of ids differs from the number of queries or documents.
    #[error("{found} {what} ids for {expected} {what}s")]
    Ids {
        /// "query" or "document".
        what: &'static str,
        /// Ids found.
        found: usize,
        /// Ids needed.
        expected: usize,
    },
    /// A grade that is not on the scale.
    #[error(transparent)]
    Grade(#[from] GradeError),
}

/// Collects the arrays of a collection; [`build`](Self::build) checks that they fit together.
///
/// ```
/// use std::sync::Arc;
///
/// use fivefold_base::dataset::IdTable;
/// use fivefold_base::{DatasetBuilder, Grades};
///
/// let mut query_ids = IdTable::default();
/// query_ids.push("q7");
/// let data = DatasetBuilder {
///     features: Arc::new(vec![0.9, 0.1, 0.5]),
///     width: 1,
///     grades: Grades::new(vec![2, 0, 1], Some(4))?,
///     bounds: vec![0, 3],
///     query_ids,
///     doc_ids: IdTable::default(),
/// }
/// .build()?;
/// assert_eq!((data.query(0).id(), data.max_grade()), ("q7", 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DatasetBuilder {
    /// Row-major features, documents x `width`.
    pub features: Matrix,
    /// Features a document.
    pub width: usize,
    /// One grade for each document, with the highest grade that the collection's descriptor
    /// declares.
    pub grades: Grades,
    /// The row where each query starts; the last bound is the number of documents.
    pub bounds: Vec<usize>,
    /// One id for each query, as written in the source.
    pub query_ids: IdTable,
    /// One id for each document; empty if there are no document ids.
    pub doc_ids: IdTable,
}

impl DatasetBuilder {
    /// Checks sizes and bounds.
    ///
    /// # Errors
    /// [`DatasetError`] names the first array that does not fit.
    pub fn build(self) -> Result<Dataset, DatasetError> {
        let rows = self.grades.numbers().len();
        let found = (*self.features).as_ref().len();
        if found != rows * self.width {
            return Err(DatasetError::MatrixSize { found, rows, width: self.width });
        }
        let rising = |i: usize| self.bounds[i] > self.bounds[i - 1];
        let first = self.bounds.first().copied();
        if first != Some(0) {
            return Err(DatasetError::Bounds { index: 0, rows });
        }
        if let Some(index) = (1..self.bounds.len()).find(|&i| !rising(i)) {
            return Err(DatasetError::Bounds { index, rows });
        }
        if self.bounds.last() != Some(&rows) {
            return Err(DatasetError::Bounds { index: self.bounds.len() - 1, rows });
        }
        let n_queries = self.bounds.len() - 1;
        if self.query_ids.len() != n_queries {
            return Err(DatasetError::Ids { what: "query", found: self.query_ids.len(), expected: n_queries });
        }
        if !self.doc_ids.is_empty() && self.doc_ids.len() != rows {
            return Err(DatasetError::Ids { what: "document", found: self.doc_ids.len(), expected: rows });
        }
        let Self { features, width, grades, bounds, query_ids, doc_ids } = self;
        let max_grade = grades.max_grade();
        let rest = Arc::new(Rest { grades: grades.into_numbers(), bounds, query_ids, doc_ids, max_grade });
        let storage = Storage { features, width, rest };
        Ok(Dataset { storage: Arc::new(storage), queries: (0..n_queries as u32).collect(), documents: rows })
    }
}

impl Dataset {
    /// A data set from queries in memory. Each query gives the features of its documents, row after
    /// row, and their grades. The query ids are 1, 2, 3, ..; documents have no ids.
    ///
    /// ```
    /// use fivefold_base::Dataset;
    ///
    /// // Two features a document; a query of three documents, and one of two.
    /// let data = Dataset::of_queries(2, [
    ///     (&[0.9, 3.0, 0.1, 1.0, 0.5, 2.0][..], &[2, 0, 1][..]),
    ///     (&[0.3, 0.0, 0.8, 5.0], &[0, 1]),
    /// ])?;
    /// assert_eq!((data.len(), data.documents(), data.query(1).row(1)), (2, 5, &[0.8, 5.0][..]));
    /// # Ok::<(), fivefold_base::DatasetError>(())
    /// ```
    ///
    /// # Errors
    /// [`DatasetError`] if the features are not `width` for each document, a query has no
    /// documents, or a grade is above [`HIGHEST_GRADE`](crate::grades::HIGHEST_GRADE).
    pub fn of_queries<'a>(
        width: usize,
        queries: impl IntoIterator<Item = (&'a [f32], &'a [u8])>,
    ) -> Result<Dataset, DatasetError> {
        let (mut features, mut grades, mut bounds) = (Vec::new(), Vec::new(), vec![0]);
        let mut query_ids = IdTable::default();
        for (of_query, own) in queries {
            let (found, rows) = (of_query.len(), own.len());
            if found != rows * width {
                return Err(DatasetError::MatrixSize { found, rows, width });
            }
            query_ids.push(&bounds.len().to_string());
            features.extend_from_slice(of_query);
            grades.extend_from_slice(own);
            bounds.push(grades.len());
        }
        let (features, doc_ids, grades) = (Arc::new(features), IdTable::default(), Grades::new(grades, None)?);
        DatasetBuilder { features, width, grades, bounds, query_ids, doc_ids }.build()
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Number of documents over all queries of this view.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Features a document. The number is the same in all parts of a collection.
    pub fn width(&self) -> usize {
        self.storage.width
    }

    /// The highest possible grade of the collection. The descriptor declares it; else it is the
    /// highest grade over all parts, not only over this view.
    pub fn max_grade(&self) -> u8 {
        self.storage.rest.max_grade
    }

    /// The grade that all documents of this view share. `None` if two grades differ, or if there is
    /// no document.
    pub fn only_grade(&self) -> Option<u8> {
        let mut grades = self.queries().flat_map(|query| query.grades.iter().copied());
        let first = grades.next()?;
        grades.all(|grade| grade == first).then_some(first)
    }

    /// Whether documents have ids.
    pub fn has_doc_ids(&self) -> bool {
        !self.storage.rest.doc_ids.is_empty()
    }

    /// Query `index` of this view.
    ///
    /// # Panics
    /// If `index >= self.len()`.
    pub fn query(&self, index: usize) -> JudgedQuery<'_> {
        let Storage { features, width, rest } = &*self.storage;
        let number = self.queries[index] as usize;
        let rows = rest.bounds[number]..rest.bounds[number + 1];
        let features = &(**features).as_ref()[rows.start * width..rows.end * width];
        let doc_ids = if rest.doc_ids.is_empty() { None } else { Some((&rest.doc_ids, rows.start)) };
        JudgedQuery {
            view: QueryView { features, width: *width, len: rows.len(), id: rest.query_ids.get(number), doc_ids },
            grades: &rest.grades[rows],
            max_grade: rest.max_grade,
        }
    }

    /// All queries of this view, in order.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = JudgedQuery<'_>> + Clone {
        (0..self.len()).map(|i| self.query(i))
    }

    /// The numbers that this view's queries have in the collection, in order.
    pub fn numbers(&self) -> &[u32] {
        &self.queries
    }

    /// The row where each query starts, with the rows of this view numbered in order. The last
    /// bound is the number of documents.
    pub fn bounds(&self) -> Vec<usize> {
        let mut bounds = Vec::with_capacity(self.len() + 1);
        bounds.push(0);
        let mut rows = 0;
        for query in self.queries() {
            rows += query.len();
            bounds.push(rows);
        }
        bounds
    }

    /// A view of some of this view's queries, in the order given. The new view shares the storage.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn select(&self, indices: impl IntoIterator<Item = usize>) -> Dataset {
        let queries: Arc<[u32]> = indices.into_iter().map(|i| self.queries[i]).collect();
        let bounds = &self.storage.rest.bounds;
        let documents = queries.iter().map(|&q| bounds[q as usize + 1] - bounds[q as usize]).sum();
        Dataset { storage: Arc::clone(&self.storage), queries, documents }
    }

    /// A view of a contiguous range of this view's queries.
    pub fn slice(&self, range: Range<usize>) -> Dataset {
        self.select(range)
    }

    /// The same queries, ids and grades with other features. `features` holds one row of `width`
    /// values for each document of this view, in order. If this view is the whole collection, no
    /// ids or grades are copied.
    ///
    /// # Errors
    /// [`DatasetError::MatrixSize`] if the number of values is not documents x width.
    pub fn with_features(
        &self,
        features: impl AsRef<[f32]> + Send + Sync + 'static,
        width: usize,
    ) -> Result<Dataset, DatasetError> {
        let rest = &self.storage.rest;
        if self.queries.iter().copied().eq(0..rest.query_ids.len() as u32) {
            let (found, rows) = (features.as_ref().len(), self.documents);
            if found != rows * width {
                return Err(DatasetError::MatrixSize { found, rows, width });
            }
            let storage = Storage { features: Arc::new(features), width, rest: Arc::clone(rest) };
            return Ok(Dataset { storage: Arc::new(storage), ..self.clone() });
        }
        let mut query_ids = IdTable::default();
        let mut doc_ids = IdTable::default();
        let mut grades = Grades::of(GradeScale::new(Some(rest.max_grade)));
        for query in self.queries() {
            query_ids.push(query.id());
            grades.append_known(query.grades, query.max_grade);
            for row in 0..query.len() {
                if let Some(id) = query.doc_id(row) {
                    doc_ids.push(id);
                }
            }
        }
        DatasetBuilder { features: Arc::new(features), width, grades, bounds: self.bounds(), query_ids, doc_ids }
            .build()
    }

    /// The queries of this view with the features that they have in `other`. `other` must be this
    /// view's collection, or the whole collection [with other features](Self::with_features); else
    /// the result is `None`.
    pub fn within(&self, other: &Dataset) -> Option<Dataset> {
        let same = Arc::ptr_eq(&self.storage.rest, &other.storage.rest);
        same.then(|| Dataset { storage: Arc::clone(&other.storage), ..self.clone() })
    }
}

/// The documents of one query as a model sees them: features and ids, never grades.
///
/// ```
/// use fivefold_base::QueryView;
///
/// // Two documents of two features each.
/// let query = QueryView::new("q7", &[0.9, 3.0, 0.1, 1.0], 2, 2);
/// let sums: Vec<f32> = query.rows().map(|row| row[0] + row[1]).collect();
/// assert_eq!(sums, [3.9, 1.1]);
/// ```
#[derive(Clone, Copy)]
pub struct QueryView<'a> {
    features: &'a [f32],
    width: usize,
    len: usize,
    id: &'a str,
    doc_ids: Option<(&'a IdTable, usize)>,
}

impl<'a> QueryView<'a> {
    /// A query of `len` documents without document ids, for tests and for callers that hold their
    /// own arrays.
    ///
    /// # Panics
    /// If `features` does not hold `len * width` values.
    pub fn new(id: &'a str, features: &'a [f32], width: usize, len: usize) -> Self {
        assert_eq!(features.len(), width * len, "features must be len x width");
        QueryView { features, width, len, id, doc_ids: None }
    }

    /// The same documents with other features.
    ///
    /// # Panics
    /// If `features` does not hold `len * width` values.
    pub fn with_features<'b>(&self, features: &'b [f32], width: usize) -> QueryView<'b>
    where
        'a: 'b,
    {
        assert_eq!(features.len(), width * self.len, "features must be len x width");
        QueryView { features, width, ..*self }
    }

    /// Number of documents.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Features a document.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Row-major features, `len() * width()` values.
    pub fn features(&self) -> &'a [f32] {
        self.features
    }

    /// The features of document `row`.
    pub fn row(&self, row: usize) -> &'a [f32] {
        &self.features[row * self.width..(row + 1) * self.width]
    }

    /// The features of each document, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &'a [f32]> + use<'a> {
        let QueryView { features, width, len, .. } = *self;
        (0..len).map(move |row| &features[row * width..(row + 1) * width])
    }

    /// The query id, as written in the source.
    pub fn id(&self) -> &'a str {
        self.id
    }

    /// The id of document `row`, if the collection has document ids.
    pub fn doc_id(&self, row: usize) -> Option<&'a str> {
        self.doc_ids.map(|(ids, first)| ids.get(first + row))
    }
}

/// A query with the grades of its documents. All methods of [`QueryView`] work on it too.
///
/// ```
/// use fivefold_base::Dataset;
///
/// let data = Dataset::of_queries(1, [(&[0.9, 0.1, 0.5][..], &[2, 0, 1][..])])?;
/// let query = data.query(0);
/// assert_eq!(query.grades(), [2, 0, 1]);
/// // What a model sees has no grades.
/// assert_eq!(query.view().row(2), [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct JudgedQuery<'a> {
    view: QueryView<'a>,
    grades: &'a [u8],
    max_grade: u8,
}

impl<'a> JudgedQuery<'a> {
    /// One grade a document.
    pub fn grades(&self) -> &'a [u8] {
        self.grades
    }

    /// Appends the grade of document `row` to those of another data set.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn add_grade(&self, row: usize, grades: &mut Grades) {
        grades.append_known(&self.grades[row..=row], self.max_grade);
    }

    /// The collection's highest possible grade, which no grade of the query exceeds.
    pub fn max_grade(&self) -> u8 {
        self.max_grade
    }

    /// The part that a model may see.
    pub fn view(&self) -> QueryView<'a> {
        self.view
    }
}

impl<'a> Deref for JudgedQuery<'a> {
    type Target = QueryView<'a>;

    fn deref(&self) -> &QueryView<'a> {
        &self.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(list: &[&str]) -> IdTable {
        let mut table = IdTable::default();
        list.iter().for_each(|id| table.push(id));
        table
    }

    fn builder() -> DatasetBuilder {
        DatasetBuilder {
            features: Arc::new(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            width: 2,
            grades: Grades::new(vec![0, 2, 1], None).unwrap(),
            bounds: vec![0, 2, 3],
            query_ids: ids(&["a", "b"]),
            doc_ids: ids(&["x", "y", "z"]),
        }
    }

    #[test]
    fn views_share_rows_and_keep_order() {
        let data = builder().build().unwrap();
        assert_eq!((data.len(), data.documents(), data.width(), data.max_grade()), (2, 3, 2, 2));
        let swapped = data.select([1, 0]);
        assert_eq!(swapped.query(0).id(), "b");
        assert_eq!(swapped.query(0).row(0), &[5.0, 6.0]);
        assert_eq!(swapped.query(1).doc_id(1), Some("y"));
        assert_eq!(swapped.query(1).grades(), &[0, 2]);
        assert_eq!(swapped.bounds(), vec![0, 1, 3]);
        assert_eq!(data.slice(1..2).documents(), 1);
    }

    #[test]
    fn other_features_keep_ids_and_highest_grade() {
        let data = builder().build().unwrap().select([1]);
        let other = data.with_features(vec![9.0f32], 1).unwrap();
        assert_eq!(other.query(0).row(0), &[9.0]);
        assert_eq!(other.query(0).doc_id(0), Some("z"));
        assert_eq!(other.max_grade(), 2);
        assert!(matches!(data.with_features(Vec::<f32>::new(), 1), Err(DatasetError::MatrixSize { .. })));
    }

    #[test]
    fn parts_are_found_in_the_whole_with_other_features() {
        let data = builder().build().unwrap();
        let (part, other) = (data.select([1]), data.with_features(vec![7.0f32, 8.0, 9.0], 1).unwrap());
        let found = part.within(&other).unwrap();
        assert_eq!((found.len(), found.query(0).id(), found.query(0).row(0)), (1, "b", &[9.0][..]));
        assert!(part.within(&builder().build().unwrap()).is_none());
        assert!(matches!(data.with_features(vec![1.0f32], 1), Err(DatasetError::MatrixSize { .. })));
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let bad = DatasetBuilder { width: 3, ..builder() };
        assert!(matches!(bad.build(), Err(DatasetError::MatrixSize { .. })));
        for bounds in [vec![], vec![1, 3], vec![0, 3, 3], vec![0, 2]] {
            let bad = DatasetBuilder { bounds, ..builder() };
            assert!(matches!(bad.build(), Err(DatasetError::Bounds { .. })));
        }
        let bad = DatasetBuilder { query_ids: ids(&["a"]), ..builder() };
        assert!(matches!(bad.build(), Err(DatasetError::Ids { what: "query", .. })));
        let bad = DatasetBuilder { doc_ids: ids(&["a"]), ..builder() };
        assert!(matches!(bad.build(), Err(DatasetError::Ids { what: "document", .. })));
        let error = Dataset::of_queries(1, [(&[1.0, 2.0][..], &[30, 31][..])]).unwrap_err();
        assert_eq!(error, DatasetError::Grade(GradeError { row: 1, grade: 31, highest: 30 }));
    }
}

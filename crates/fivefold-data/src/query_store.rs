//! The shared storage of a collection: one matrix for the queries of all files, with each query
//! stored once.
//!
//! In LETOR's fold directories, every query is in several files: five times in five folds. When the
//! last line of a query has been read, the query is compared with the stored queries of the same
//! id. If an equal query is stored already, the new rows are forgotten. So reading needs memory for
//! the distinct queries only, whatever the layout. A fold refers to the stored queries and copies
//! nothing.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, DatasetError, GradeScale, Grades};

use crate::digits::{Collapsed, Digits};
use crate::letor::{Block, Listing, ReadError, ReadErrorKind, ReadOptions, Row};
use crate::matrix::Matrix;
use crate::memory::{self, Counted, Share};

/// The queries that were read, with their features.
#[derive(Debug)]
pub(crate) struct QueryStore {
    matrix: Matrix,
    /// The share of the memory budget for the matrix.
    share: Share,
    /// Number of bytes of text read so far.
    text: u64,
    grades: Grades,
    bounds: Vec<usize>,
    query_ids: IdTable,
    doc_ids: IdTable,
    /// Stored queries by id.
    by_id: HashMap<String, Vec<u32>>,
    /// The first document of all files, and whether it has an id. All other documents must be like
    /// it.
    first_document: Option<(PathBuf, u64, bool)>,
    /// Values of many digits, of all files.
    digits: Digits,
}

impl QueryStore {
    /// An empty store for documents of `width` features and grades of `scale`. `None`: the files
    /// show the width.
    pub(crate) fn new(scale: GradeScale, width: Option<usize>) -> Self {
        QueryStore {
            matrix: Matrix::with_width(width.unwrap_or(0)),
            share: Share::default(),
            text: 0,
            grades: Grades::of(scale),
            bounds: vec![0],
            query_ids: IdTable::default(),
            doc_ids: IdTable::default(),
            by_id: HashMap::new(),
            first_document: None,
            digits: Digits::default(),
        }
    }

    /// All stored queries as a data set.
    pub(crate) fn finish(self) -> Result<Dataset, DatasetError> {
        let (features, width) = self.matrix.finish();
        DatasetBuilder {
            features: Arc::new(Counted::new(features, self.share)),
            width,
            grades: self.grades,
            bounds: self.bounds,
            query_ids: self.query_ids,
            doc_ids: self.doc_ids,
        }
        .build()
    }

    /// Features with different values that became equal in storage.
    pub(crate) fn collapsed(&self, first_feature_id: u32) -> Vec<Collapsed> {
        self.digits.collapsed(first_feature_id)
    }

    /// Number of documents of the stored queries. The documents of the open query come after them.
    fn stored(&self) -> usize {
        self.bounds[self.bounds.len() - 1]
    }

    fn rows_of(&self, query: u32) -> Range<usize> {
        self.bounds[query as usize]..self.bounds[query as usize + 1]
    }

    /// Finds a stored query that equals the open query. The rows of the open query are the last
    /// rows of grades and matrix.
    fn same(&self, open: &OpenQuery, rows: Range<usize>) -> Option<u32> {
        let known = self.by_id.get(&open.id)?;
        known.iter().copied().find(|&query| {
            let stored = self.rows_of(query);
            let grades = self.grades.numbers();
            let same_bits = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits());
            grades[stored.clone()] == grades[rows.clone()]
                && (0..open.doc_ids.len()).all(|i| open.doc_ids.get(i) == self.doc_ids.get(stored.start + i))
                && same_bits(self.matrix.range(stored), self.matrix.range(rows.clone()))
        })
    }

    /// Stores the open query. Its rows are the last rows of grades and matrix.
    fn add(&mut self, open: OpenQuery) -> u32 {
        let number = self.query_ids.len() as u32;
        self.query_ids.push(&open.id);
        self.bounds.push(self.grades.numbers().len());
        (0..open.doc_ids.len()).for_each(|i| self.doc_ids.push(open.doc_ids.get(i)));
        self.by_id.entry(open.id).or_default().push(number);
        number
    }
}

/// A matrix up to this size may be any number of times as large as its text.
const SMALL_MATRIX: u64 = 256 << 20;
/// The largest ratio of a larger matrix to its text, if the number of features was not declared.
/// Beyond this ratio, almost all values are 0.
const MOST_SPARSENESS: u64 = 256;

/// The size of a matrix, row by row.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size {
    pub(crate) documents: usize,
    /// Number of documents that are held twice, because they wait for regrouping until the last
    /// document is read.
    pub(crate) twice: usize,
    pub(crate) width: usize,
    /// Bytes of text.
    pub(crate) text: u64,
}

impl Size {
    /// The size with more rows, which were parsed from the text after `text`. If `most` bytes have
    /// no room for a row, the error is the place of the first such row, and the fault.
    pub(crate) fn with(self, rows: &[Row], options: &ReadOptions, most: u64) -> Result<Size, (usize, ReadErrorKind)> {
        let mut size = self;
        for (place, row) in rows.iter().enumerate() {
            size.documents += 1;
            size.twice += usize::from(options.regroup);
            size.width = size.width.max(row.width as usize);
            let text = self.text + u64::from(row.end);
            Size { text, ..size }.check(row.width, options, most).map_err(|kind| (place, kind))?;
        }
        Ok(size)
    }

    fn check(&self, row_width: u32, options: &ReadOptions, most: u64) -> Result<(), ReadErrorKind> {
        let Size { documents, width, text, .. } = *self;
        let bytes = memory::bytes(documents, width);
        if options.features.is_none() && bytes > SMALL_MATRIX && bytes / MOST_SPARSENESS > text {
            let id = (u64::from(row_width) + u64::from(options.first_feature_id)).saturating_sub(1);
            return Err(ReadErrorKind::Sparse { id, documents, width, bytes, text });
        }
        let bytes = self.bytes();
        if bytes > most {
            return Err(ReadErrorKind::Memory { documents, width, bytes, most: Some(most) });
        }
        Ok(())
    }

    /// Bytes of memory that are needed while the file is read.
    fn bytes(&self) -> u64 {
        memory::bytes(self.documents.saturating_add(self.twice), self.width)
    }

    fn refused(&self) -> ReadErrorKind {
        let Size { documents, width, .. } = *self;
        ReadErrorKind::Memory { documents, width, bytes: self.bytes(), most: None }
    }
}

/// A query whose last line may still come.
struct OpenQuery {
    id: String,
    doc_ids: IdTable,
    /// The line of each document.
    lines: Vec<u64>,
    /// Whether missing values must still be filled.
    missing: bool,
}

/// Adds the queries of one file to a store, in file order.
pub(crate) struct FileAppender<'a> {
    store: &'a mut QueryStore,
    listing: Listing,
    /// First and last line of each complete query.
    complete: HashMap<String, (u64, u64)>,
    open: Option<OpenQuery>,
    /// The number of features so far.
    widest: usize,
    /// Number of rows that wait for regrouping until the last row is read.
    waiting: usize,
}

impl<'a> FileAppender<'a> {
    pub(crate) fn new(store: &'a mut QueryStore, file: &Path) -> Self {
        let file = file.to_owned();
        let (queries, lines) = (Vec::new(), Vec::new());
        let listing = Listing { file, queries, lines, moved: None, unsorted: 0, first_unsorted: 0 };
        FileAppender { store, listing, complete: HashMap::new(), open: None, widest: 0, waiting: 0 }
    }

    fn error(&self, line: u64, column: usize, kind: ReadErrorKind) -> ReadError {
        ReadError { file: self.listing.file.clone(), line, column, kind }
    }

    /// Takes memory for the parsed rows of a block. Rows that are to be regrouped wait in `kept`.
    /// The error is the first row without room, and the reason.
    pub(crate) fn make_room(
        &mut self,
        block: &Block,
        kept: &mut Block,
        options: &ReadOptions,
    ) -> Result<(), (usize, ReadErrorKind)> {
        let QueryStore { matrix, share, text, .. } = &mut *self.store;
        let (documents, width) = (matrix.rows() + self.waiting, matrix.width().max(self.widest));
        let before = Size { documents, twice: self.waiting, width, text: *text };
        let size = before.with(&block.rows, options, share.most())?;
        let matrix = if options.regroup { &mut kept.matrix } else { matrix };
        let with_first = Size { documents: documents + 1, ..size };
        matrix.reserve(block.rows.len(), block.matrix.width()).map_err(|_| (0, with_first.refused()))?;
        (self.widest, self.waiting) = (size.width, size.twice);
        share.set(size.bytes());
        Ok(())
    }

    /// Notes lines with unsorted ids and values of many digits, in a block whose text starts at
    /// `first_line`.
    pub(crate) fn note(&mut self, first_line: u64, block: &Block) {
        self.store.digits.add(first_line, &block.long);
        for row in block.rows.iter().filter(|row| row.unsorted) {
            if self.listing.unsorted == 0 {
                self.listing.first_unsorted = first_line + u64::from(row.line);
            }
            self.listing.unsorted += 1;
        }
    }

    /// Adds to the number of bytes of text read so far.
    pub(crate) fn add_text(&mut self, bytes: usize) {
        self.store.text += bytes as u64;
    }

    /// Takes memory for the waiting rows, after the last row was read. The error says that there is
    /// not enough memory.
    pub(crate) fn make_room_for_waiting(&mut self) -> Result<(), ReadErrorKind> {
        let (matrix, waiting) = (&mut self.store.matrix, std::mem::take(&mut self.waiting));
        let size = Size { documents: matrix.rows() + waiting, twice: waiting, width: self.widest, text: 0 };
        matrix.reserve(waiting, self.widest).map_err(|_| size.refused())
    }

    /// Adds rows of a block that belong to one query. The block's text starts at `first_line`.
    pub(crate) fn append(&mut self, first_line: u64, block: &Block, run: Range<usize>) -> Result<(), ReadError> {
        let rows = &block.rows[run.clone()];
        let Some(first) = rows.first() else { return Ok(()) };
        let line_of = |row: usize| first_line + u64::from(rows[row].line);
        let id = text_of(block, &first.qid, "query")
            .map_err(|kind| self.error(line_of(0), block.column(first.qid.start), kind))?;
        if self.open.as_ref().is_none_or(|open| open.id != id) {
            self.close()?;
            if let Some(&(first_line, last)) = self.complete.get(id) {
                let kind = ReadErrorKind::Scattered { qid: id.to_owned(), first: first_line, last };
                return Err(self.error(line_of(0), block.column(first.qid.start), kind));
            }
        }
        let mut open = self.open.take().unwrap_or_else(|| OpenQuery {
            id: id.to_owned(),
            doc_ids: IdTable::default(),
            lines: Vec::new(),
            missing: false,
        });
        for (number, row) in rows.iter().enumerate() {
            let line = line_of(number);
            self.check_ids(line, !row.doc_id.is_empty())?;
            if !row.doc_id.is_empty() {
                let doc_id = text_of(block, &row.doc_id, "document")
                    .map_err(|kind| self.error(line, block.column(row.doc_id.start), kind))?;
                open.doc_ids.push(doc_id);
            }
            open.lines.push(line);
            open.missing |= row.missing;
        }
        self.open = Some(open);
        self.store.grades.append(&block.grades, run.clone());
        self.store.matrix.append(&block.matrix, run);
        Ok(())
    }

    /// Checks that either all documents of a collection have ids, or no document has an id.
    fn check_ids(&mut self, line: u64, here: bool) -> Result<(), ReadError> {
        let file = &self.listing.file;
        let (first_file, first_line, there) =
            self.store.first_document.get_or_insert_with(|| (file.clone(), line, here));
        if *there == here {
            return Ok(());
        }
        let other = if first_file == file {
            format!("line {first_line}")
        } else {
            format!("{} line {first_line}", first_file.display())
        };
        Err(self.error(line, 0, ReadErrorKind::SomeIds { here, other }))
    }

    /// Completes the open query: fills missing values, refuses repeated documents, and stores the
    /// query unless an equal query is stored.
    fn close(&mut self) -> Result<(), ReadError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let rows = self.store.stored()..self.store.matrix.rows();
        if open.missing {
            let stride = self.store.matrix.stride();
            fill_with_minimum(self.store.matrix.range_mut(rows.clone()), stride);
        }
        let mut seen: HashMap<&str, u64> = HashMap::with_capacity(open.doc_ids.len());
        for row in 0..open.doc_ids.len() {
            let id = open.doc_ids.get(row);
            if let Some(first) = seen.insert(id, open.lines[row]) {
                let kind = ReadErrorKind::DuplicateDocument { id: id.to_owned(), qid: open.id.clone(), first };
                return Err(self.error(open.lines[row], 0, kind));
            }
        }
        let (first, last) = (open.lines[0], open.lines[open.lines.len() - 1]);
        self.complete.insert(open.id.clone(), (first, last));
        self.listing.lines.push(first);
        let number = match self.store.same(&open, rows.clone()) {
            Some(number) => {
                self.store.matrix.truncate(rows.start);
                self.store.grades.truncate(rows.start);
                number
            }
            None => self.store.add(open),
        };
        self.listing.queries.push(number);
        Ok(())
    }

    /// Completes the last query.
    pub(crate) fn finish(mut self) -> Result<Listing, ReadError> {
        self.close()?;
        if self.listing.queries.is_empty() {
            return Err(self.error(0, 0, ReadErrorKind::Empty));
        }
        Ok(self.listing)
    }
}

/// An id as text.
fn text_of<'a>(block: &'a Block, id: &Range<u32>, what: &'static str) -> Result<&'a str, ReadErrorKind> {
    match std::str::from_utf8(block.bytes(id)) {
        Ok(id) => Ok(id),
        Err(_) => Err(ReadErrorKind::Encoding { what }),
    }
}

/// Replaces NaN by the column's least number; by 0 if the column has no number.
fn fill_with_minimum(rows: &mut [f32], stride: usize) {
    let mut minima = vec![f32::INFINITY; stride];
    for row in rows.chunks_exact(stride) {
        for (minimum, &value) in minima.iter_mut().zip(row) {
            // Not `f32::min`, which may return either of 0 and -0. The comparison keeps the first
            // of the two, and skips NaN.
            if value < *minimum {
                *minimum = value;
            }
        }
    }
    for row in rows.chunks_exact_mut(stride) {
        for (value, &minimum) in row.iter_mut().zip(&minima) {
            if value.is_nan() {
                *value = if minimum.is_finite() { minimum } else { 0.0 };
            }
        }
    }
}

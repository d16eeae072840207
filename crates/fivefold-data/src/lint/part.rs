//! The facts about a LETOR file after one pass.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde::Serialize;

use super::columns::{ALL_MISSING, Columns};
use super::{GradeCounts, Problems};
use crate::digits::{Collapsed, Digits};
use crate::features::FeatureNames;
use crate::groups;
use crate::leaks::SortedRows;
use crate::letor::{DUPLICATE_HELP, Row, SCATTERED_HELP, SOME_IDS_HELP};

/// The content of a LETOR file.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PartReport {
    /// The file.
    pub file: PathBuf,
    /// Number of documents, without lines that cannot be read.
    pub documents: usize,
    /// Number of queries.
    pub queries: usize,
    /// The number of features, up to the highest feature that occurs.
    pub features: usize,
    /// Names and groups of the features, as far as they are known.
    #[serde(skip_serializing_if = "FeatureNames::is_empty")]
    pub names: FeatureNames,
    /// Number of documents of each grade.
    pub grades: GradeCounts,
    /// Number of queries whose documents all have the same grade.
    pub single_grade_queries: usize,
    /// Ids of features with the same value in every row.
    pub constant_features: Vec<usize>,
    /// Ids of features that are equal in every row, in groups.
    pub duplicate_features: Vec<Vec<usize>>,
    /// Number of missing values (`NULL`, `nan`).
    pub missing_values: u64,
    /// Ids of features with missing values.
    pub features_with_missing: Vec<usize>,
    /// Number of documents in which every value is missing.
    pub documents_without_values: usize,
    /// Number of values whose 32 bits do not round back to their digits.
    pub losing_values: u64,
    /// Line and feature id of the first such value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_losing: Option<(u64, usize)>,
    /// Features with different values that became equal in storage.
    pub collapsed_features: Vec<Collapsed>,
    /// Number of lines whose feature ids do not rise.
    pub unsorted_lines: u64,
    /// The first such line; 0 if there is no such line.
    pub first_unsorted: u64,
    /// Remarks on files beside this file that other programs would use, one line each.
    pub unused_files: Vec<String>,
    /// Count of queries whose rows are sorted by grade.
    pub sorted: SortedRows,
    /// Whether documents have ids.
    pub document_ids: bool,
}

/// The report on a file, and the facts for comparing it with other files.
pub(super) struct Part {
    pub(super) report: PartReport,
    /// The hash of each document's vector.
    pub(super) vectors: Vec<u128>,
    /// The queries with their first lines.
    pub(super) queries: Vec<(String, u64)>,
    /// Whether the file is compared with the other files that the user names.
    pub(super) compared: bool,
}

/// Collects rows into queries. The rows of a query need not stand together: a place where a query
/// goes on is a problem, and each fact is about the whole query.
#[derive(Default)]
pub(super) struct Assembly {
    report: PartReport,
    /// The queries, in the order of their first lines.
    queries: Vec<Query>,
    /// The place of each query in this list.
    places: HashMap<String, usize>,
    /// The place of the query of the last row.
    open: Option<usize>,
    /// A hash of each document's id and of its query's place.
    documents: HashSet<u128>,
    /// Whether the file's first document has an id.
    first_has_id: Option<bool>,
}

/// A query so far.
struct Query {
    id: String,
    first_line: u64,
    last_line: u64,
    /// The grades of its rows, in their order.
    grades: Vec<u8>,
}

impl Assembly {
    pub(super) fn new(file: PathBuf) -> Self {
        Assembly { report: PartReport { file, ..PartReport::default() }, ..Assembly::default() }
    }

    /// Adds a row.
    pub(super) fn add(
        &mut self,
        line: u64,
        row: &Row,
        grade: u8,
        query: &str,
        document: &str,
        problems: &mut Problems,
    ) {
        let is_open = |place: &usize| self.queries[*place].id == query;
        let known = self.open.filter(is_open).or_else(|| self.places.get(query).copied());
        let place = known.unwrap_or(self.queries.len());
        if known.is_none() {
            self.places.insert(query.to_owned(), place);
            let id = query.to_owned();
            self.queries.push(Query { id, first_line: line, last_line: line, grades: Vec::new() });
        } else if self.open != Some(place) {
            let last = self.queries[place].last_line;
            let what =
                || format!("query `{query}` goes on here, but its lines up to {last} were followed by another query");
            problems.add(&self.report.file, line, 0, what);
            problems.remedy(SCATTERED_HELP, 1);
        }
        self.open = Some(place);
        self.queries[place].last_line = line;
        self.queries[place].grades.push(grade);
        self.report.documents += 1;
        if row.unsorted {
            self.report.unsorted_lines += 1;
            if self.report.first_unsorted == 0 {
                self.report.first_unsorted = line;
            }
        }
        *self.report.grades.entry(i32::from(grade)).or_default() += 1;
        let has_id = !document.is_empty();
        let first = *self.first_has_id.get_or_insert(has_id);
        if first != has_id {
            let what = || format!("this line has {} document id, unlike the first", if has_id { "a" } else { "no" });
            problems.add(&self.report.file, line, 0, what);
            problems.remedy(SOME_IDS_HELP, 1);
        }
        if has_id && !self.documents.insert(document_hash(place, document)) {
            let what = || format!("document `{document}` stands twice in query `{query}`");
            problems.add(&self.report.file, line, 0, what);
            problems.remedy(DUPLICATE_HELP, 1);
        }
    }

    /// Finishes the report with the facts about features and vectors.
    pub(super) fn finish(
        self,
        columns: &Columns,
        digits: &Digits,
        vectors: Vec<u128>,
        first_id: u32,
        problems: &mut Problems,
    ) -> Part {
        let mut report = self.report;
        for Query { grades, .. } in &self.queries {
            report.single_grade_queries += usize::from(grades.iter().all(|&grade| grade == grades[0]));
            report.sorted.add(grades);
        }
        if report.documents == 0 {
            problems.add(&report.file, 0, 0, || "the file has no document that can be read".to_owned());
        }
        let ids = |places: Vec<usize>| places.into_iter().map(|place| place + first_id as usize).collect::<Vec<_>>();
        report.collapsed_features = digits.collapsed(first_id);
        if let Some((count, line, place)) = digits.losing() {
            (report.losing_values, report.first_losing) = (count, Some((line, place + first_id as usize)));
        }
        let name = report.file.display().to_string();
        report.unused_files = groups::unused_beside(&[(&name, &report.file)]);
        report.queries = self.queries.len();
        report.features = columns.width();
        report.constant_features = ids(columns.constant());
        report.duplicate_features = columns.duplicates().into_iter().map(ids).collect();
        report.missing_values = columns.missing();
        report.features_with_missing = ids(columns.with_missing());
        report.documents_without_values = vectors.iter().filter(|&&hash| hash == ALL_MISSING).count();
        report.document_ids = self.first_has_id == Some(true);
        let queries = self.queries.into_iter().map(|query| (query.id, query.first_line)).collect();
        Part { report, vectors, queries, compared: false }
    }
}

/// A hash of a document's id within the query at a place.
fn document_hash(place: usize, document: &str) -> u128 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(place as u64).to_le_bytes()).update(document.as_bytes());
    let mut half = [0; 16];
    half.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    u128::from_le_bytes(half)
}

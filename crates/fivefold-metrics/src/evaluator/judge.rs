//! What of a query does not depend on a ranking: its grades, and U and E of every column.

use std::borrow::Cow;
use std::cmp::Reverse;

use fivefold_base::{Assessment, GradeError, JudgedQuery};

use super::Evaluator;
use crate::conventions::Unjudged;
use crate::error::MeasureError;
use crate::measure::{QueryGrades, Ranked, Status};
use crate::normalise::{Bounds, differ};
use crate::order::{mark_statuses, tie_keys};

/// One query's grades with U and E of every column; made by [`Evaluator::judge_query`],
/// [`Evaluator::judge`] and the other functions whose names begin with `judge`.
///
/// ```
/// use fivefold_metrics::Seed;
/// use fivefold_metrics::{Evaluator, dialect};
///
/// let evaluator = Evaluator::new(&["p@2".parse()?], &dialect("paper")?.conventions(), 1, Seed::new(1))?;
/// let query = evaluator.judge("q1", &[0, 1, 1, 0], None)?;
/// assert_eq!((query.id(), query.documents()), ("q1", 4));
/// // Half of the documents are relevant: so is, on average, each of two in a random order.
/// assert_eq!((evaluator.upper(&query, 0), evaluator.expected(&query, 0)), (Some(1.0), Some(0.5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Judged {
    pub(super) id: String,
    pub(super) grades: QueryGrades,
    /// One for each document that is given, also where the conventions remove some from the
    /// ranking.
    pub(super) tie_keys: Vec<u64>,
    pub(super) all_judged: bool,
    pub(super) bounds: Vec<Bounds>,
    pub(super) evaluator: u64,
}

impl Judged {
    /// The query's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Number of documents that are ranked.
    pub fn documents(&self) -> usize {
        self.grades.documents()
    }

    /// The grades, apart from their order.
    pub fn grades(&self) -> &QueryGrades {
        &self.grades
    }
}

impl Evaluator {
    /// Prepares a query with grades from any caller: U and E of every column. The query may have
    /// any number of documents, also 0.
    ///
    /// # Errors
    /// If a grade exceeds the highest grade, or the tie policy needs document ids that are missing
    /// or not unique.
    pub fn judge(&self, id: &str, grades: &[u8], doc_ids: Option<&[&str]>) -> Result<Judged, MeasureError> {
        self.check_grades(id, grades)?;
        self.prepare(id, grades, doc_ids)
    }

    /// Prepares a query of a data set. The reader has checked the grades, so only their scale is
    /// compared with that of the evaluator.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    pub fn judge_query(&self, query: &JudgedQuery<'_>) -> Result<Judged, MeasureError> {
        self.check_scale(query)?;
        let ids = self.ids_of(query, 0..query.len());
        self.prepare(query.id(), query.grades(), ids.as_deref())
    }

    /// Prepares some documents of a query as [`judge_query`](Self::judge_query) does all.
    ///
    /// # Errors
    /// As [`judge`](Self::judge).
    ///
    /// # Panics
    /// If a row is not one of the query's.
    pub fn judge_documents(&self, query: &JudgedQuery<'_>, rows: &[usize]) -> Result<Judged, MeasureError> {
        self.check_scale(query)?;
        let grades: Vec<u8> = rows.iter().map(|&row| query.grades()[row]).collect();
        let ids = self.ids_of(query, rows.iter().copied());
        self.prepare(query.id(), &grades, ids.as_deref())
    }

    /// The documents' ids, if the tie policy needs them and the query has them.
    fn ids_of<'q>(&self, query: &JudgedQuery<'q>, rows: impl Iterator<Item = usize>) -> Option<Vec<&'q str>> {
        let view = query.view();
        self.conventions.ties.need_ids().then(|| rows.map(|row| view.doc_id(row)).collect()).flatten()
    }

    fn prepare(&self, id: &str, grades: &[u8], doc_ids: Option<&[&str]>) -> Result<Judged, MeasureError> {
        let tie_keys = tie_keys(id, grades, doc_ids, self.conventions.ties, self.seed)?;
        let grades = QueryGrades::new(grades);
        let bounds = self.bounds_of(id, &grades, grades.ideal(), &[]);
        Ok(Judged { id: id.to_owned(), grades, tie_keys, all_judged: true, bounds, evaluator: self.fingerprint })
    }

    /// Prepares a topic of which a run retrieved some documents. `retrieved` has what is known of
    /// the retrieved documents, in the order of the scores to come: an [`Assessment`] of each, or
    /// its grade (`None`: not judged). `doc_ids` has the ids of the retrieved documents. `pool` has
    /// the grades of all judged documents, in any order.
    ///
    /// U and the number of relevant documents count all documents of the pool. E is the mean over
    /// all orders of the retrieved documents. `retrieved` may be empty: the value is then 0, or
    /// undefined if it is undefined for every run.
    ///
    /// # Errors
    /// As [`judge`](Self::judge). Also if a run retrieved more judged documents of a grade than
    /// the pool has.
    pub fn judge_pool(
        &self,
        id: &str,
        pool: &[u8],
        retrieved: &[impl Into<Assessment> + Copy],
        doc_ids: Option<&[&str]>,
    ) -> Result<Judged, MeasureError> {
        let mut retrieved: Vec<Assessment> = retrieved.iter().map(|&document| document.into()).collect();
        let grades: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
        self.check_grades(id, pool)?;
        self.check_grades(id, &grades)?;
        let mut tie_keys = tie_keys(id, &grades, doc_ids, self.conventions.ties, self.seed)?;
        mark_statuses(&mut tie_keys, &retrieved);
        let all_judged = retrieved.iter().all(|document| document.is_judged());
        if self.conventions.unjudged == Unjudged::Removed {
            retrieved.retain(|document| document.is_judged());
        }
        // From the highest grade down, then as sort keys order documents that were not judged.
        retrieved.sort_by_key(|&document| (Reverse(document.grade()), Status::from(document)));
        let falling: Vec<u8> = retrieved.iter().map(|document| document.grade()).collect();
        let statuses: Vec<Status> = retrieved.iter().map(|&document| document.into()).collect();
        let grades = QueryGrades::pooled(pool, &falling);
        if !grades.covers(&retrieved) {
            return Err(MeasureError::NotInPool { query: id.to_owned() });
        }
        let bounds = self.bounds_of(id, &grades, &falling, if all_judged { &[] } else { &statuses });
        Ok(Judged { id: id.to_owned(), grades, tie_keys, all_judged, bounds, evaluator: self.fingerprint })
    }

    pub(super) fn check_grades(&self, id: &str, grades: &[u8]) -> Result<(), MeasureError> {
        self.scale.check(grades).map_err(|GradeError { row, grade, highest }| MeasureError::Grade {
            query: id.to_owned(),
            row,
            grade,
            highest,
        })
    }

    /// Checks single grades only if the query's scale goes beyond that of the evaluator.
    fn check_scale(&self, query: &JudgedQuery<'_>) -> Result<(), MeasureError> {
        if self.scale.has(query.max_grade()) { Ok(()) } else { self.check_grades(query.id(), query.grades()) }
    }

    /// U and E of every slot; `falling` has the grades of the ranked documents, highest first, and
    /// `statuses` their statuses.
    fn bounds_of(&self, id: &str, grades: &QueryGrades, falling: &[u8], statuses: &[Status]) -> Vec<Bounds> {
        // The ideal order ends with the unjudged documents of the run, since a measure may count
        // their positions too.
        let mut ideal_order = Cow::Borrowed(grades.ideal());
        if falling.len() > grades.judged() {
            ideal_order.to_mut().resize(falling.len(), 0);
        }
        let singles: Vec<u32> = (1..=ideal_order.len() as u32).collect();
        let n = falling.len() as u32;
        let one_group: &[u32] = if n == 0 { &[] } else { &[n] };
        let mut contributions = Vec::new();
        let (mut ideal, mut means) = (vec![0.0; self.slots], vec![0.0; self.slots]);
        let (mut errors, mut none) = (vec![0.0; self.slots], vec![0.0; self.slots]);
        let mut bounds = Vec::with_capacity(self.slots);
        for base in &self.bases {
            let best = Ranked::new(&ideal_order, &singles, grades);
            let all_tied = Ranked::new(falling, one_group, grades).with_statuses(statuses);
            if base.measure.is_whole() {
                base.whole(&best, self.orders_of(id), &mut ideal, &mut none);
                match base.needs_expected {
                    true => base.whole(&all_tied, self.orders_of(id), &mut means, &mut errors),
                    false => base.without_expected(&mut means),
                }
            } else {
                base.sum(&best, &mut contributions, &mut ideal);
                let mean = |out: &mut [f64]| base.measure.mean_over_orders(&all_tied, out);
                base.sum_of(falling.len(), mean, &mut contributions, &mut means);
            }
            bounds.extend((base.first_slot..).zip(&base.cutoffs).map(|(slot, &cutoff)| {
                let denominator = base.measure.denominator(cutoff, grades);
                let (ideal, mean) = (ideal[slot] / denominator, means[slot] / denominator);
                let ideal = base.measure.best(cutoff, grades, ideal);
                let (upper, expected) = match base.entry.no_ue {
                    None => (base.measure.upper(cutoff, grades, ideal), base.measure.expected(cutoff, grades, mean)),
                    Some(_) => (f64::NAN, f64::NAN),
                };
                let normaliser = base.measure.normaliser(cutoff, grades, upper);
                // If all orders have one value, V1 and V2 are undefined, whatever U and E are by
                // convention.
                let ue = !normaliser.is_nan() && differ(ideal, mean) && differ(upper, expected);
                Bounds { denominator, normaliser, upper, expected, expected_error: errors[slot], ue }
            }));
        }
        bounds
    }
}

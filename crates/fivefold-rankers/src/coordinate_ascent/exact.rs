//! The exact line search: all values of a measure along one coordinate.
//!
//! Along feature j every score is a line, s_i + t x_ij. A measure changes only where two lines of a
//! query cross, at t = (s_i - s_k) / (x_k - x_i). (Och, ACL 2003, uses this for machine
//! translation.) The changes of value of each query are merged with the changes of all other
//! queries. The answer is the middle of the best interval of t. Scales of features do not matter.
//!
//! Documents of one grade are exchangeable, so the measure is evaluated only where documents of
//! different grades cross and a grade above the cutoff changes. There are two sweeps of a query, with
//! the same changes:
//! - From t = 0 up and down, over the events above the cutoff (`front`). This sweep gives up where
//!   events coincide, and a long list without a cutoff is too much for it.
//! - From t = -infinity, over the crossings of all documents that do not have the query's most
//!   frequent grade (`crossings`).
//!
//! Documents with equal s and x never cross; the sweep ranks them in file order, whatever the tie
//! policy. The climber evaluates the measure at the chosen point before it moves there. So a wrong
//! choice costs time, but never gives a wrong model.

mod crossings;
mod front;
mod interval;
mod order;

use std::ops::Range;

use fivefold_core::{Dataset, FitContext, FitError};
use fivefold_metrics::Scratch;
use fivefold_metrics::objective::{Objective, Rankings};
use rayon::prelude::*;

use self::crossings::CrossingSweep;
use self::front::{Documents, Front, Overtaking, SIGNS, clearly_higher};
use self::interval::{Change, best_interval};
use self::order::put_in_order;
use crate::by_query::{cut, score_error};

/// Values with a smaller difference are equal up to rounding in the sums.
pub(super) const SAME: f64 = 1e-12;

/// The data that the searches along all coordinates share.
pub(super) struct ExactSearch<'a> {
    objective: &'a Objective,
    /// Number of positions that the measure looks at.
    depth: usize,
    /// The grades of all documents.
    grades: Vec<u8>,
    queries: Vec<SweptQuery>,
}

/// The present scores, from which a search begins.
pub(super) struct Present {
    scores: Vec<f64>,
    /// The rows of each query, from the highest score to the lowest, equal scores by row; rows
    /// count from the query's first.
    order: Vec<u32>,
    /// Scores and grades in this order.
    ordered: Vec<f64>,
    grades: Vec<u8>,
    /// For each document in this order, how many of its query have clearly higher scores.
    higher: Vec<u32>,
    /// For each query, whether no two documents have equal scores.
    strict: Vec<bool>,
}

/// A query whose value depends on the order of its documents.
struct SweptQuery {
    number: usize,
    first_row: usize,
    grades: Vec<u8>,
    /// The most frequent grade.
    background: u8,
    /// Documents of all other grades.
    marked: Vec<u32>,
}

/// Sweeps of queries, and the changes found so far.
struct Sweep<'a> {
    changes: Vec<Change>,
    front: Front,
    crossings: CrossingSweep,
    /// The feature's values, from the highest score to the lowest.
    xs: Vec<f64>,
    rankings: Rankings<'a>,
}

impl<'a> ExactSearch<'a> {
    /// Prepares the queries of `data`; `objective` must be made from `data`, and `depth` is the
    /// measure's cutoff.
    pub(super) fn new(data: &Dataset, objective: &'a Objective, depth: Option<usize>) -> Self {
        let mut scratch = Scratch::default();
        let mut queries = Vec::new();
        for (number, query) in data.queries().enumerate() {
            let swept = SweptQuery::new(number, objective.rows(number).start, query.grades());
            let is_defined = objective.exchanges(number, query.grades(), &mut scratch).is_some();
            if is_defined && !swept.marked.is_empty() {
                queries.push(swept);
            }
        }
        let grades = data.queries().flat_map(|query| query.grades()).copied().collect();
        ExactSearch { objective, depth: depth.unwrap_or(usize::MAX), grades, queries }
    }

    /// Puts the documents of each query in the order of `scores`, a score for each document.
    pub(super) fn stand_at(&self, scores: Vec<f64>) -> Present {
        let rows = || (0..self.objective.len()).map(|query| self.objective.rows(query));
        let mut order = vec![0; scores.len()];
        let parts = cut(&mut order, 1, rows().map(|rows| rows.len()));
        let parts = parts.into_par_iter().zip(rows().collect::<Vec<_>>()).with_min_len(64);
        let strict = parts.map(|(order, rows)| put_in_order(&scores[rows], order)).collect();
        let documents = scores.len();
        let (mut ordered, mut grades) = (Vec::with_capacity(documents), Vec::with_capacity(documents));
        let mut higher = Vec::with_capacity(documents);
        for rows in rows() {
            let (first, of_query) = (rows.start, &order[rows.clone()]);
            ordered.extend(of_query.iter().map(|&row| scores[first + row as usize]));
            grades.extend(of_query.iter().map(|&row| self.grades[first + row as usize]));
            clearly_higher(&ordered[rows], &mut higher);
        }
        Present { scores, order, ordered, grades, higher, strict }
    }

    /// The mean of the measure at the scores of `present`, which are those of all documents.
    pub(super) fn mean(&self, present: &Present) -> Result<f64, FitError> {
        let objective = self.objective;
        let values = |queries: &[usize]| {
            let (mut rankings, mut scratch) = (objective.rankings(), Scratch::default());
            let value = |&query: &usize| {
                let rows = objective.rows(query);
                if !present.strict[query] || !rankings.is_fast() {
                    return objective.value(query, &present.scores[rows], &mut scratch).map_err(score_error);
                }
                rankings.begin(query, present.grades[rows].iter().copied());
                Ok(rankings.value())
            };
            queries.iter().map(value).collect::<Result<Vec<_>, _>>()
        };
        let queries: Vec<usize> = (0..objective.len()).collect();
        let parts: Vec<Vec<f64>> = queries.par_chunks(64).map(values).collect::<Result<_, FitError>>()?;
        Ok(objective.average(&parts.concat()))
    }

    /// The best change t of a weight; `None` if no change is better than t = 0. `column` has the
    /// feature's values.
    pub(super) fn best_change(
        &self,
        present: &Present,
        column: &[f64],
        cx: &FitContext<'_>,
    ) -> Result<Option<f64>, FitError> {
        // Queries are swept in parallel and their changes joined in order, so the number of threads
        // does not matter.
        let parts: Vec<Vec<Change>> = self
            .queries
            .par_chunks(64)
            .map(|queries| {
                let mut sweep = Sweep::new(self);
                sweep.add_changes(self, queries, present, column, cx)?;
                Ok(sweep.changes)
            })
            .collect::<Result<_, FitError>>()?;
        Ok(best_interval(&parts, SAME * self.queries.len() as f64))
    }
}

impl SweptQuery {
    fn new(number: usize, first_row: usize, grades: &[u8]) -> Self {
        let mut counts = [0usize; 256];
        grades.iter().for_each(|&grade| counts[usize::from(grade)] += 1);
        let background = (0..=u8::MAX).rev().max_by_key(|&grade| counts[usize::from(grade)]).unwrap_or(0);
        let marked = (0u32..).zip(grades).filter(|&(_, &grade)| grade != background).map(|(row, _)| row).collect();
        SweptQuery { number, first_row, grades: grades.to_vec(), background, marked }
    }

    fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.grades.len()
    }
}

impl<'a> Sweep<'a> {
    fn new(search: &'a ExactSearch<'_>) -> Self {
        Sweep {
            changes: Vec::new(),
            front: Front::default(),
            crossings: CrossingSweep::default(),
            xs: Vec::new(),
            rankings: search.objective.rankings(),
        }
    }

    /// Adds all changes of the queries' values, those of a query by rising t.
    fn add_changes(
        &mut self,
        search: &ExactSearch<'_>,
        queries: &[SweptQuery],
        present: &Present,
        column: &[f64],
        cx: &FitContext<'_>,
    ) -> Result<(), FitError> {
        cx.check()?;
        self.sweep_from_zero(search, queries, present, column);
        for (number, query) in queries.iter().enumerate() {
            cx.check()?;
            let rows = query.rows();
            if !self.add_from_zero(number, search, query, &present.grades[rows.clone()]) {
                let (scores, column) = (&present.scores[rows.clone()], &column[rows]);
                self.crossings.add_changes(search, query, scores, column, cx, &mut self.changes)?;
            }
        }
        Ok(())
    }

    /// Sweeps from t = 0, all queries side by side.
    fn sweep_from_zero(&mut self, search: &ExactSearch<'_>, queries: &[SweptQuery], present: &Present, column: &[f64]) {
        self.xs.clear();
        for query in queries {
            let rows = query.rows();
            let column = &column[rows.clone()];
            self.xs.extend(present.order[rows].iter().map(|&row| column[row as usize]));
        }
        let mut xs = self.xs.as_slice();
        let documents = queries.iter().map(|query| {
            let rows = query.rows();
            Documents {
                scores: &present.ordered[rows.clone()],
                xs: xs.split_off(..rows.len()).unwrap_or_default(),
                grades: &present.grades[rows.clone()],
                higher: &present.higher[rows.clone()],
                background: query.background,
                leaders: search.depth.min(rows.len()),
            }
        });
        let documents: Vec<_> = documents.collect();
        self.front.sweep(&documents);
    }

    /// Adds the changes at the events of two sweeps from t = 0. Returns whether these sweeps found
    /// all events. `grades` are by falling score.
    fn add_from_zero(&mut self, number: usize, search: &ExactSearch<'_>, query: &SweptQuery, grades: &[u8]) -> bool {
        let Some(sides) = self.front.events(number) else { return false };
        let depth = search.depth.min(grades.len());
        for (events, sign) in sides.into_iter().zip(SIGNS) {
            if events.is_empty() {
                continue;
            }
            let below = std::iter::repeat_n(query.background, grades.len() - depth);
            self.rankings.begin(query.number, grades[..depth].iter().copied().chain(below));
            let mut value = self.rankings.value();
            let begin = self.changes.len();
            for &Overtaking { t, position, grade } in events {
                let position = position as usize;
                if position + 1 < depth {
                    self.rankings.put(position + 1, self.rankings.grade(position));
                }
                self.rankings.put(position, grade);
                let now = self.rankings.value();
                if now != value {
                    // Downwards, `now` is the value before the change, for rising t.
                    let by = if sign < 0.0 { value - now } else { now - value };
                    self.changes.push(Change { t: sign * t, by });
                    value = now;
                }
            }
            if sign < 0.0 {
                self.changes[begin..].reverse();
            }
        }
        true
    }
}

#[cfg(test)]
mod tests;

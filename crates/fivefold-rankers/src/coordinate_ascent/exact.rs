//! The exact line search: all values of a measure along one coordinate.
//!
//! Along feature j every score is a line, s_i + t x_ij, and a measure changes only where two lines of one query cross,
//! at t = (s_i - s_k) / (x_k - x_i) (Och, ACL 2003, does the same for machine translation). Each query is swept once from
//! t = -infinity; its changes of value are merged with those of all other queries, and the middle of the best interval
//! of t is the answer. Scales of features do not matter.
//!
//! Two facts keep the sweep short. Documents of one grade are exchangeable, so only pairs with a document that does not
//! have the query's most frequent grade (the "marked" documents) are followed. And a crossing below the cutoff changes
//! no value, so the measure is evaluated at the others alone.
//!
//! Documents with equal s and x never cross; the sweep ranks them in file order, whatever the tie policy. The climber
//! measures the chosen point itself before it moves there, so a wrong guess costs time, never a wrong model.
//!
//! Cost of one search: O(c log c) for c crossings, at most marked x documents a query; one evaluation of the measure on
//! a ranking for each crossing above the cutoff.

use fivefold_core::Dataset;
use fivefold_metrics::{MeasureError, Objective, Scratch};
use rayon::prelude::*;

/// Values closer than this are the same up to rounding in the sums.
pub(super) const SAME: f64 = 1e-12;
/// An interval narrower than this share of its place is not aimed at: rounding would miss it.
const NARROWEST: f64 = 1e-9;

/// What the searches along all coordinates share.
pub(super) struct ExactSearch<'a> {
    objective: &'a Objective,
    /// Positions that the measure looks at.
    depth: usize,
    queries: Vec<SweptQuery>,
    /// Queries that count in the mean.
    counted: f64,
}

/// A query whose value the order of its documents can change.
struct SweptQuery {
    number: usize,
    first_row: usize,
    grades: Vec<u8>,
    /// The most frequent grade.
    background: u8,
    /// Documents of any other grade.
    marked: Vec<u32>,
}

/// The value of a query changes by `by` at `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    t: f64,
    by: f64,
}

/// Document `winner` overtakes document `loser` at `t`.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    t: f64,
    loser: u32,
    winner: u32,
}

/// Memory of one sweep.
#[derive(Default)]
struct Sweep {
    crossings: Vec<Crossing>,
    order: Vec<u32>,
    rank: Vec<usize>,
    taken: Vec<bool>,
    /// A score a document that falls with its rank.
    by_rank: Vec<f64>,
    scratch: Scratch,
}

impl<'a> ExactSearch<'a> {
    /// Prepares the queries of `data`, which `objective` was made of; `depth` is the measure's cutoff.
    pub(super) fn new(data: &Dataset, objective: &'a Objective, depth: Option<usize>) -> Result<Self, MeasureError> {
        let mut queries = Vec::new();
        let (mut first_row, mut counted) = (0, 0);
        let mut scratch = Scratch::default();
        for (number, query) in data.queries().enumerate() {
            let swept = SweptQuery::new(number, first_row, query.grades());
            first_row += query.len();
            let value = objective.value(number, &vec![0.0; query.len()], &mut scratch)?;
            counted += usize::from(!objective.average(&[value]).is_nan());
            if !value.is_nan() && !swept.marked.is_empty() {
                queries.push(swept);
            }
        }
        Ok(ExactSearch { objective, depth: depth.unwrap_or(usize::MAX), queries, counted: counted as f64 })
    }

    /// Whether no order of documents changes the objective.
    pub(super) fn is_flat(&self) -> bool {
        self.queries.is_empty()
    }

    /// The change t of a weight whose feature has the values `column` that is best for the documents' `scores`, and what
    /// the mean gains by it; `None` if no change is better than t = 0.
    pub(super) fn best_change(&self, scores: &[f64], column: &[f64]) -> Result<Option<f64>, MeasureError> {
        // Queries are swept in parallel and their changes joined in order, so the number of threads does not matter.
        let per_query: Vec<Vec<Change>> = self
            .queries
            .par_iter()
            .with_min_len(64)
            .map_init(Sweep::default, |sweep, query| {
                let rows = query.first_row..query.first_row + query.grades.len();
                sweep.changes(self, query, &scores[rows.clone()], &column[rows])
            })
            .collect::<Result<_, _>>()?;
        let mut changes = per_query.concat();
        changes.sort_by(|a, b| a.t.total_cmp(&b.t));
        Ok(best_interval(&changes, SAME * self.counted))
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
}

impl Sweep {
    /// All changes of one query's value, by rising t.
    fn changes(
        &mut self,
        search: &ExactSearch<'_>,
        query: &SweptQuery,
        scores: &[f64],
        column: &[f64],
    ) -> Result<Vec<Change>, MeasureError> {
        let mut changes = Vec::new();
        self.find_crossings(query, scores, column);
        if self.crossings.is_empty() {
            return Ok(changes);
        }
        self.rank_at_the_start(scores, column);
        let mut value = self.value(search, query)?;
        let grades = &query.grades;
        let mut next = 0;
        while let Some(&Crossing { t, .. }) = self.crossings.get(next) {
            let mut altered = false;
            while let Some(&Crossing { loser, winner, .. }) = self.crossings.get(next).filter(|c| c.t == t) {
                let (loser, winner) = (loser as usize, winner as usize);
                // Ranks of documents of the background grade are not kept, so the depth is judged by the marked one.
                let above = if grades[loser] != query.background { self.rank[loser] } else { self.rank[winner] - 1 };
                altered |= grades[loser] != grades[winner] && above < search.depth;
                if grades[loser] != query.background {
                    self.rank[loser] += 1;
                }
                if grades[winner] != query.background {
                    self.rank[winner] -= 1;
                }
                next += 1;
            }
            if altered {
                let now = self.value(search, query)?;
                if now != value {
                    changes.push(Change { t, by: now - value });
                    value = now;
                }
            }
        }
        Ok(changes)
    }

    fn find_crossings(&mut self, query: &SweptQuery, scores: &[f64], column: &[f64]) {
        self.crossings.clear();
        for &marked in &query.marked {
            let i = marked as usize;
            for (other, (&s, &x)) in (0u32..).zip(scores.iter().zip(column)) {
                let both_marked = query.grades[other as usize] != query.background;
                if x == column[i] || (both_marked && other < marked) {
                    continue;
                }
                let t = (scores[i] - s) / (x - column[i]);
                let (loser, winner) = if x > column[i] { (marked, other) } else { (other, marked) };
                self.crossings.push(Crossing { t, loser, winner });
            }
        }
        self.crossings.sort_unstable_by(|a, b| a.t.total_cmp(&b.t));
    }

    /// Ranks, from 0, before all crossings: smaller x first, then higher score, then file order.
    fn rank_at_the_start(&mut self, scores: &[f64], column: &[f64]) {
        self.order.clear();
        self.order.extend(0..scores.len() as u32);
        self.order.sort_by(|&a, &b| {
            let (a, b) = (a as usize, b as usize);
            column[a].total_cmp(&column[b]).then(scores[b].total_cmp(&scores[a]))
        });
        self.rank.clear();
        self.rank.resize(scores.len(), 0);
        self.order.iter().enumerate().for_each(|(rank, &row)| self.rank[row as usize] = rank);
    }

    /// The measure of the ranking by `rank`; documents of the background grade fill the positions that are left.
    fn value(&mut self, search: &ExactSearch<'_>, query: &SweptQuery) -> Result<f64, MeasureError> {
        self.taken.clear();
        self.taken.resize(query.grades.len(), false);
        query.marked.iter().for_each(|&row| self.taken[self.rank[row as usize]] = true);
        let mut free = (0..self.taken.len()).filter(|&rank| !self.taken[rank]);
        self.by_rank.clear();
        self.by_rank.extend(query.grades.iter().zip(&self.rank).map(|(&grade, &rank)| {
            let rank = if grade == query.background { free.next().unwrap_or(rank) } else { rank };
            -(rank as f64)
        }));
        search.objective.value(query.number, &self.by_rank, &mut self.scratch)
    }
}

/// The middle of the interval between changes, sorted by t, that has the highest sum of changes; among equals the
/// widest. `None` if no interval is better by `same` than the one that holds 0.
fn best_interval(changes: &[Change], same: f64) -> Option<f64> {
    let (first, last) = (changes.first()?.t, changes.last()?.t);
    let (mut sum, mut at_zero) = (0.0, 0.0);
    let mut best = (f64::NEG_INFINITY, 0.0, 0.0);
    let mut next = 0;
    let mut from = f64::NEG_INFINITY;
    loop {
        let to = changes.get(next).map_or(f64::INFINITY, |change| change.t);
        if from < 0.0 {
            at_zero = sum;
        }
        // Beyond the outermost changes the value stays as it is for ever: step out by the width of all the others.
        let beyond = (last - first).max(first.abs().max(last.abs()));
        let (low, high) = (from.max(first - beyond), to.min(last + beyond));
        let width = high - low;
        if width > NARROWEST * low.abs().max(high.abs()) {
            let (best_sum, best_width, _) = best;
            if sum > best_sum + same || (sum > best_sum - same && width > best_width) {
                best = (sum, width, low + width / 2.0);
            }
        }
        if next == changes.len() {
            break;
        }
        from = to;
        while let Some(change) = changes.get(next).filter(|change| change.t == from) {
            sum += change.by;
            next += 1;
        }
    }
    (best.0 > at_zero + same).then_some(best.2)
}

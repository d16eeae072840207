//! The sweep of a query over the crossings of all documents.
//!
//! Every marked document crosses all others, in the order of the rows. A document is above the cutoff
//! k in one interval of t only. The interval begins at the k-th last crossing at which the document
//! overtakes another document, and ends at the k-th first crossing at which another document
//! overtakes it. So at most 2k crossings of a document matter. If several crossings lie at one place,
//! the k-th crossing is not unique: an arbitrary one of them is kept, and the measure is evaluated
//! there, whatever the grade of the other document.
//!
//! Cost: O(marked documents x documents) for the crossings. The c crossings that matter are sorted in
//! O(c log c), and those above the cutoff, of documents of different grades, need an evaluation of
//! the measure.

use std::cmp::Ordering;

use fivefold_core::{FitContext, FitError};
use fivefold_metrics::Scratch;

use super::{Change, ExactSearch, SweptQuery};

/// A marked document crosses another document at `t`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    t: f64,
    /// The marked document.
    row: u32,
    /// Whether the marked document is overtaken; if not, it overtakes.
    falls: bool,
    /// Whether both documents have the same grade, so that the ranking of grades does not change.
    /// Not known where another crossing of the document at `t` was left out.
    same_grade: bool,
}

/// Memory of one sweep.
#[derive(Default)]
pub(super) struct CrossingSweep {
    pub(super) crossings: Vec<Crossing>,
    /// Crossings at which a document falls, and crossings at which it rises.
    falls: Vec<Crossing>,
    rises: Vec<Crossing>,
    /// Rank of each marked document, from 0; a rank from the cutoff on is a lower bound.
    rank: Vec<usize>,
    /// Grades by rank, down to the cutoff.
    ranking: Vec<u8>,
    scratch: Scratch,
}

/// Keeps the first `count` crossings in an order, if there are more. Returns the place of the last.
fn keep_first(
    crossings: &mut Vec<Crossing>,
    count: usize,
    order: impl Fn(&Crossing, &Crossing) -> Ordering,
) -> Option<f64> {
    if crossings.len() <= count {
        return None;
    }
    let (_, &mut Crossing { t, .. }, dropped) = crossings.select_nth_unstable_by(count - 1, order);
    let is_arbitrary = dropped.iter().any(|crossing| crossing.t == t);
    crossings.truncate(count);
    if is_arbitrary {
        // Any of the crossings at this place could have been kept, also one with another grade.
        crossings.iter_mut().filter(|crossing| crossing.t == t).for_each(|crossing| crossing.same_grade = false);
    }
    Some(t)
}

impl CrossingSweep {
    /// Adds all changes of one query's value, by rising t.
    pub(super) fn add_changes(
        &mut self,
        search: &ExactSearch<'_>,
        query: &SweptQuery,
        scores: &[f64],
        column: &[f64],
        cx: &FitContext<'_>,
        changes: &mut Vec<Change>,
    ) -> Result<(), FitError> {
        let depth = search.depth;
        self.crossings.clear();
        self.rank.clear();
        self.rank.resize(scores.len(), 0);
        for &row in &query.marked {
            cx.check()?;
            self.find_crossings(query, row, depth, scores, column);
        }
        if self.crossings.is_empty() {
            return Ok(());
        }
        self.crossings.sort_unstable_by(|a, b| a.t.total_cmp(&b.t));
        let mut value = self.value(search, query);
        let mut next = 0;
        while let Some(&Crossing { t, .. }) = self.crossings.get(next) {
            let mut altered = false;
            while let Some(crossing) = self.crossings.get(next).filter(|crossing| crossing.t == t) {
                let rank = &mut self.rank[crossing.row as usize];
                let before = *rank;
                *rank = if crossing.falls { before + 1 } else { before - 1 };
                altered |= !crossing.same_grade && before.min(*rank) < depth;
                next += 1;
            }
            if altered {
                cx.check()?;
                let now = self.value(search, query);
                if now != value {
                    changes.push(Change { t, by: now - value });
                    value = now;
                }
            }
        }
        Ok(())
    }

    /// Finds the crossings that matter to document `marked`, and its rank before the first of them.
    fn find_crossings(&mut self, query: &SweptQuery, marked: u32, depth: usize, scores: &[f64], column: &[f64]) {
        let (falls, rises) = (&mut self.falls, &mut self.rises);
        falls.clear();
        rises.clear();
        let row = marked as usize;
        let (own_score, own_x, own_grade) = (scores[row], column[row], query.grades[row]);
        // Documents that are above `marked` at every t.
        let mut above = 0;
        for (other, ((&score, &x), &grade)) in scores.iter().zip(column).zip(&query.grades).enumerate() {
            if x == own_x {
                above += usize::from(score > own_score || (score == own_score && other < row));
                continue;
            }
            let t = (own_score - score) / (x - own_x);
            let crossing = Crossing { t, row: marked, falls: x > own_x, same_grade: grade == own_grade };
            if crossing.falls { falls.push(crossing) } else { rises.push(crossing) }
        }
        self.rank[row] = above;
        let Some(places) = depth.checked_sub(above).filter(|&places| places > 0) else {
            return;
        };
        // The document is below the cutoff for good once `places` others have overtaken it. Before
        // it has overtaken all but `places` of the documents that it overtakes, it is below the
        // cutoff too.
        keep_first(falls, places, |a, b| a.t.total_cmp(&b.t));
        let enters = keep_first(rises, places, |a, b| b.t.total_cmp(&a.t)).unwrap_or(f64::NEG_INFINITY);
        let fallen = falls.iter().filter(|crossing| crossing.t < enters).count();
        self.rank[row] = above + rises.len() + fallen;
        if fallen < places {
            self.crossings.extend(falls.iter().filter(|crossing| crossing.t >= enters));
            self.crossings.extend_from_slice(rises);
        }
    }

    /// The measure of the ranking by `rank`.
    fn value(&mut self, search: &ExactSearch<'_>, query: &SweptQuery) -> f64 {
        self.ranking.clear();
        self.ranking.resize(query.grades.len(), query.background);
        let shown = self.ranking.len().min(search.depth);
        for &row in &query.marked {
            if let Some(grade) = self.ranking[..shown].get_mut(self.rank[row as usize]) {
                *grade = query.grades[row as usize];
            }
        }
        search
            .objective
            .exchanges(query.number, &self.ranking, &mut self.scratch)
            .map_or(f64::NAN, |ranked| ranked.value())
    }
}

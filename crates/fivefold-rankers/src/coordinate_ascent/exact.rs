//! The exact line search: all values of a measure along one coordinate.
//!
//! Along feature j every score is a line, s_i + t x_ij. A measure changes only where two lines of a
//! query cross, at t = (s_i - s_k) / (x_k - x_i). (Och, ACL 2003, uses this for machine
//! translation.) Each query is swept once from t = -infinity, and its changes of value are merged
//! with the changes of all other queries. The answer is the middle of the best interval of t.
//! Scales of features do not matter.
//!
//! Three facts keep the sweep short:
//! - Documents of one grade are exchangeable. So the sweep follows only the ranks of *marked*
//!   documents, which do not have the query's most frequent grade.
//! - A document is above the cutoff k in one interval of t only. The interval begins at the k-th
//!   last crossing at which the document overtakes another document, and ends at the k-th first
//!   crossing at which another document overtakes it. So at most 2k crossings of a document
//!   matter.
//! - The measure is evaluated only where documents of different grades cross.
//!
//! Documents with equal s and x never cross; the sweep ranks them in file order, whatever the tie
//! policy. The climber evaluates the measure at the chosen point before it moves there. So a wrong
//! choice costs time, but never gives a wrong model.
//!
//! Cost of a search: O(marked x documents) for the crossings of each query. The c crossings that
//! matter are sorted in O(c log c), and each needs an evaluation of the measure on a ranking.

use fivefold_core::{Dataset, FitContext, FitError};
use fivefold_metrics::{Objective, Scratch};
use rayon::prelude::*;

/// Values with a smaller difference are equal up to rounding in the sums.
pub(super) const SAME: f64 = 1e-12;
/// An interval narrower than this share of its place is not chosen, since rounding would miss it.
const NARROWEST: f64 = 1e-9;

/// The data that the searches along all coordinates share.
pub(super) struct ExactSearch<'a> {
    objective: &'a Objective,
    /// Number of positions that the measure looks at.
    depth: usize,
    queries: Vec<SweptQuery>,
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

/// The value of a query changes by `by` at `t`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Change {
    t: f64,
    by: f64,
}

/// A marked document crosses another document at `t`.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    t: f64,
    /// The marked document.
    row: u32,
    /// Whether the marked document is overtaken; if not, it overtakes.
    falls: bool,
    /// Whether both documents have the same grade, so that the ranking of grades does not change.
    same_grade: bool,
}

/// Memory of one sweep.
#[derive(Default)]
struct Sweep {
    crossings: Vec<Crossing>,
    /// Crossings at which a document falls, and crossings at which it rises.
    falls: Vec<Crossing>,
    rises: Vec<Crossing>,
    /// Rank of each marked document, from 0; a rank from the cutoff on is a lower bound.
    rank: Vec<usize>,
    /// Grades by rank, down to the cutoff.
    ranking: Vec<u8>,
    scratch: Scratch,
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
        ExactSearch { objective, depth: depth.unwrap_or(usize::MAX), queries }
    }

    /// The best change t of a weight; `None` if no change is better than t = 0. `column` has the
    /// feature's values and `scores` the present scores of the documents.
    pub(super) fn best_change(
        &self,
        scores: &[f64],
        column: &[f64],
        cx: &FitContext<'_>,
    ) -> Result<Option<f64>, FitError> {
        // Queries are swept in parallel and their changes joined in order, so the number of threads
        // does not matter.
        let per_query: Vec<Vec<Change>> = self
            .queries
            .par_iter()
            .with_min_len(64)
            .map_init(Sweep::default, |sweep, query| {
                let rows = query.first_row..query.first_row + query.grades.len();
                sweep.changes(self, query, &scores[rows.clone()], &column[rows], cx)
            })
            .collect::<Result<_, FitError>>()?;
        let mut changes = per_query.concat();
        changes.sort_unstable_by(|a, b| a.t.total_cmp(&b.t));
        Ok(best_interval(&changes, SAME * self.queries.len() as f64))
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
        cx: &FitContext<'_>,
    ) -> Result<Vec<Change>, FitError> {
        let mut changes = Vec::new();
        let depth = search.depth;
        self.crossings.clear();
        self.rank.clear();
        self.rank.resize(scores.len(), 0);
        for &row in &query.marked {
            cx.check()?;
            self.find_crossings(query, row, depth, scores, column);
        }
        if self.crossings.is_empty() {
            return Ok(changes);
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
        Ok(changes)
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
        if falls.len() > places {
            falls.select_nth_unstable_by(places - 1, |a, b| a.t.total_cmp(&b.t));
            falls.truncate(places);
        }
        let enters = if rises.len() > places {
            let (_, last, _) = rises.select_nth_unstable_by(places - 1, |a, b| b.t.total_cmp(&a.t));
            let enters = last.t;
            rises.truncate(places);
            enters
        } else {
            f64::NEG_INFINITY
        };
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

/// The middle of the interval with the highest sum of changes, which are sorted by t; of equal
/// intervals, the widest. `None` if no interval is better by `same` than the interval that holds
/// 0.
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
        // Beyond the outermost changes the value never changes: step out by the width of all other
        // intervals.
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

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use fivefold_metrics::{MeasureSpec, dialect};

    use super::*;
    use crate::test_data::{rows, signal_in_order};

    fn objective(measure: &MeasureSpec, data: &Dataset) -> Objective {
        Objective::new(measure, &dialect("paper").unwrap().conventions(), data, Seed::new(1)).unwrap()
    }

    /// The best objective over all intervals, by evaluation at the middle of each interval.
    fn brute_force(data: &Dataset, objective: &Objective, scores: &[f64], column: &[f64]) -> f64 {
        let mut places = Vec::new();
        for query in 0..data.len() {
            for a in objective.rows(query) {
                for b in objective.rows(query).filter(|&b| column[b] != column[a]) {
                    places.push((scores[a] - scores[b]) / (column[b] - column[a]));
                }
            }
        }
        places.sort_by(f64::total_cmp);
        let outside = [places[0] - 1.0, places[places.len() - 1] + 1.0];
        let middles = places.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) / 2.0);
        middles.chain(outside).map(|t| at(objective, scores, column, t)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn best_change(search: &ExactSearch<'_>, scores: &[f64], column: &[f64]) -> Option<f64> {
        search.best_change(scores, column, &FitContext::new(Seed::new(1))).unwrap()
    }

    fn at(objective: &Objective, scores: &[f64], column: &[f64], t: f64) -> f64 {
        let moved: Vec<f64> = scores.iter().zip(column).map(|(s, x)| s + t * x).collect();
        objective.mean(&moved, &mut Scratch::default()).unwrap()
    }

    #[test]
    fn finds_the_best_of_all_intervals() {
        let data = signal_in_order(6, 9);
        let mut rng = Seed::new(2).rng();
        let mut better = 0;
        for name in ["ndcg@3", "ndcg@10", "ndcg", "dcg.v1@5", "ap.v2@4", "err", "rr", "p@2", "meanndcg", "wta"] {
            let measure: MeasureSpec = name.parse().unwrap();
            let objective = objective(&measure, &data);
            let search = ExactSearch::new(&data, &objective, measure.cutoff());
            for _ in 0..20 {
                let scores: Vec<f64> = (0..data.documents()).map(|_| rng.normal()).collect();
                // There are few values, so many crossings coincide and many documents never cross.
                let column: Vec<f64> = (0..data.documents()).map(|_| rng.below(5) as f64).collect();
                let best = brute_force(&data, &objective, &scores, &column);
                let now = at(&objective, &scores, &column, 0.0);
                match best_change(&search, &scores, &column) {
                    Some(t) => {
                        let found = at(&objective, &scores, &column, t);
                        assert!((found - best).abs() < 1e-9, "{name}: {found} at {t}, best {best}, now {now}");
                        better += 1;
                    }
                    None => assert!(best <= now + 1e-9, "{name}: nothing found, but {best} is above {now}"),
                }
            }
        }
        assert!(better > 100, "{better}");
    }

    #[test]
    fn only_queries_that_can_change_are_swept() {
        let data = rows(&[&[(0, &[1.0]), (0, &[2.0])], &[(1, &[1.0]), (0, &[2.0]), (0, &[0.0])], &[(2, &[1.0])]]);
        let measure = "ndcg@1".parse().unwrap();
        let objective = objective(&measure, &data);
        let search = ExactSearch::new(&data, &objective, Some(1));
        assert_eq!(
            search.queries.iter().map(|q| (q.number, q.background, q.marked.clone())).collect::<Vec<_>>(),
            [(1, 0, vec![0])]
        );
        // The relevant document leads at no t: other documents have the x values 0 and 2 on both
        // sides.
        assert_eq!(best_change(&search, &[0.0, 0.0, 0.0, 0.5, 0.5, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]), None);
        // With a score above the others it leads between -0.5 and 0.5, and this interval holds t =
        // 0.
        assert_eq!(best_change(&search, &[0.0, 0.0, 0.5, 0.0, 0.0, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]), None);
        // It is ahead of the document at x = 2 for t below -0.25.
        let t = best_change(&search, &[0.0, 0.0, 0.5, 0.75, -9.0, 0.0], &[1.0, 2.0, 1.0, 2.0, 0.0, 1.0]).unwrap();
        assert!(t < -0.25 && t > -9.5, "{t}");
    }

    #[test]
    fn the_widest_of_equal_intervals_is_taken() {
        let change = |t, by| Change { t, by };
        let changes = [change(1.0, 1.0), change(2.0, -1.0), change(4.0, 1.0), change(8.0, -1.0)];
        assert_eq!(best_interval(&changes, SAME), Some(6.0));
        // The interval beyond the last change counts as wide as all other intervals.
        assert_eq!(best_interval(&[change(1.0, -1.0), change(3.0, 2.0)], SAME), Some(4.5));
        // 0 lies in the best interval.
        assert_eq!(best_interval(&[change(-1.0, 1.0), change(3.0, -2.0)], SAME), None);
        assert_eq!(best_interval(&[], SAME), None);
    }
}

//! Values of a ranking whose documents come in step by step.
//!
//! New documents are sorted among themselves and merged into the ranking from its end. So a step
//! with m new documents costs m log m + n moves, and no document is sorted twice. The measures then
//! walk the merged ranking by the same code as in [`Evaluator`] after a sort, with the same bits.
//!
//! If two documents have the same score, the tie policy decides their order. From this number of
//! documents on, the evaluator is given the scores themselves, and sorts them. The test is in the
//! study `converge`: merged rankings have the values of rankings that are sorted anew.

use crate::error::MeasureError;
use crate::evaluator::{Evaluator, Judged, Scratch};

/// A ranking of the documents seen so far.
///
/// ```
/// use fivefold_metrics::growing::GrowingRanking;
/// use fivefold_metrics::{Evaluator, Seed, dialect};
///
/// let conventions = dialect("paper")?.conventions();
/// let evaluator = Evaluator::new(&["p@1".parse()?], &conventions, 1, Seed::new(0))?;
/// let (grades, scores, mut value) = ([0, 1], [0.2, 0.7], [0.0]);
/// let mut ranking = GrowingRanking::default();
/// for (documents, expected) in [(1, 0.0), (2, 1.0)] {
///     let judged = evaluator.judge("q", &grades[..documents], None)?;
///     ranking.extend(&scores[..documents], &grades[..documents]);
///     ranking.evaluate(&evaluator, &judged, &scores[..documents], &mut value)?;
///     assert_eq!(value, [expected]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct GrowingRanking {
    /// Scores, from the highest.
    scores: Vec<f64>,
    grades: Vec<u8>,
    /// New documents, by falling score.
    fresh: Vec<(f64, u8)>,
    /// Whether two scores are equal.
    tied: bool,
    scratch: Scratch,
}

impl GrowingRanking {
    /// Merges new documents into the ranking. The slices hold all documents so far: those of the
    /// call before, then the new ones. Scores are finite.
    pub fn extend(&mut self, scores: &[f64], grades: &[u8]) {
        let old = self.scores.len();
        self.fresh.clear();
        self.fresh.extend(scores[old..].iter().copied().zip(grades[old..].iter().copied()));
        self.fresh.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        self.scores.resize(scores.len(), 0.0);
        self.grades.resize(scores.len(), 0);
        // The loop starts at the end, so that each document moves at most once, and to a free
        // place.
        let (mut end, mut left) = (scores.len(), old);
        for &(score, grade) in self.fresh.iter().rev() {
            let first = self.scores[..left].partition_point(|&other| other >= score);
            end -= left - first;
            self.scores.copy_within(first..left, end);
            self.grades.copy_within(first..left, end);
            left = first;
            end -= 1;
            self.scores[end] = score;
            self.grades[end] = grade;
        }
        self.tied = self.tied || self.scores.windows(2).any(|pair| pair[0] == pair[1]);
    }

    /// Every measure of the documents seen so far. `scores` are their scores in the order in which
    /// they came in, and `judged` their grades.
    ///
    /// # Errors
    /// A tie policy that needs document ids, if scores are equal.
    pub fn evaluate(
        &mut self,
        evaluator: &Evaluator,
        judged: &Judged,
        scores: &[f64],
        out: &mut [f64],
    ) -> Result<(), MeasureError> {
        if self.tied {
            return evaluator.evaluate(judged, scores, &mut self.scratch, out);
        }
        for (column, value) in out.iter_mut().enumerate() {
            let ranked = evaluator.exchanges(judged, column, &self.grades, &mut self.scratch);
            *value = ranked.map_or(f64::NAN, |ranked| ranked.value());
        }
        Ok(())
    }
}

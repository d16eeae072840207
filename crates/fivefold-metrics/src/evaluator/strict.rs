//! Original values of rankings without ties, for many runs of the same topics.
//!
//! A topic's pool is prepared once. A ranking then costs a pass for each base measure; the ideal
//! order is looked at only by a measure whose original value is divided by U.

use std::borrow::Cow;

use fivefold_base::{Assessment, GradeScale};

use super::base::Base;
use super::{Evaluator, Scratch};
use crate::conventions::Unjudged;
use crate::error::MeasureError;
use crate::measure::{QueryGrades, Ranked};

/// The judged documents of a topic; made by [`Evaluator::pool`].
#[derive(Debug, Clone)]
pub struct Pool {
    pub(super) id: String,
    pub(super) grades: QueryGrades,
    scale: GradeScale,
}

impl Pool {
    /// Number of judged documents.
    pub fn documents(&self) -> usize {
        self.grades.judged()
    }
}

impl Evaluator {
    /// Prepares a topic's pool for [`originals`](Self::originals) and [`RunValues`](super::RunValues).
    ///
    /// # Errors
    /// If a grade exceeds the highest grade.
    pub fn pool(&self, id: &str, grades: &[u8]) -> Result<Pool, MeasureError> {
        self.check_grades(id, grades)?;
        Ok(Pool { id: id.to_owned(), grades: QueryGrades::new(grades), scale: self.scale })
    }

    /// The original value of every column for a ranking without ties, from its first document to its
    /// last; NaN if it is undefined. The version of a column plays no role.
    ///
    /// ```
    /// use fivefold_metrics::{Assessment, Evaluator, Scratch, Seed, dialect};
    ///
    /// let conventions = dialect("trec_eval")?.conventions();
    /// let evaluator = Evaluator::new(&["ap".parse()?, "p@5".parse()?], &conventions, 1, Seed::new(1))?;
    /// let pool = evaluator.pool("q", &[1, 1, 0])?;
    /// let run = [Assessment::Judged(1), Assessment::Unjudged];
    /// let mut values = [0.0; 2];
    /// evaluator.originals(&pool, &run, &mut Scratch::default(), &mut values)?;
    /// assert_eq!(values, [0.5, 0.2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the ranking has more judged documents of a grade than the pool. Also if the pool was made
    /// for other grades.
    ///
    /// # Panics
    /// If `out` does not have one place a column.
    pub fn originals(
        &self,
        pool: &Pool,
        ranking: &[Assessment],
        scratch: &mut Scratch,
        out: &mut [f64],
    ) -> Result<(), MeasureError> {
        assert_eq!(out.len(), self.columns.len(), "one place a column");
        if pool.scale != self.scale {
            return Err(MeasureError::ForeignJudgement { query: pool.id.clone() });
        }
        scratch.order.fill(ranking, self.conventions.unjudged == Unjudged::Removed);
        let grades = pool.grades.of_ranking(&scratch.order.grades);
        if !grades.covers(ranking) {
            return Err(MeasureError::NotInPool { query: pool.id.clone() });
        }
        scratch.sums.resize(self.slots, 0.0);
        let mut ideal = None;
        for base in &self.bases {
            base.strict(&scratch.order.ranked(&grades), &mut scratch.contributions, &mut scratch.sums);
            base.divide(pool, &grades, &mut ideal, scratch);
        }
        for (value, column) in out.iter_mut().zip(&self.columns) {
            *value = scratch.sums[column.slot];
        }
        Ok(())
    }
}

/// The ideal order of a pool, with the unjudged documents of a run at its end: borrowed from the pool,
/// unless the run ranks more documents than it has.
fn ideal_order(pool: &Pool, documents: usize) -> Cow<'_, [u8]> {
    let mut order = Cow::Borrowed(pool.grades.ideal());
    if documents > order.len() {
        order.to_mut().resize(documents, 0);
    }
    order
}

impl Base {
    /// Turns this measure's sums into original values. The ideal order is made once it is needed.
    fn divide<'p>(
        &self,
        pool: &'p Pool,
        grades: &QueryGrades,
        ideal: &mut Option<Cow<'p, [u8]>>,
        scratch: &mut Scratch,
    ) {
        let Scratch { contributions, sums, uppers, strict_ends, .. } = scratch;
        uppers.clear();
        for (place, (&cutoff, sum)) in self.cutoffs.iter().zip(&mut sums[self.first_slot..]).enumerate() {
            let denominator = self.measure.denominator(cutoff, grades);
            let mut normaliser = self.measure.normaliser(cutoff, grades, f64::NAN);
            // An infinite divisor says that the value is 0, but a measure whose U is 0 is undefined.
            if !normaliser.is_finite() {
                if uppers.is_empty() {
                    let ideal = ideal.get_or_insert_with(|| ideal_order(pool, grades.documents()));
                    let known = strict_ends.len() as u32;
                    strict_ends.extend(known + 1..=ideal.len() as u32);
                    let best = Ranked::new(ideal, &strict_ends[..ideal.len()], grades);
                    self.uppers(grades, &best, contributions, uppers);
                }
                normaliser = self.measure.normaliser(cutoff, grades, uppers[self.first_slot + place]);
            }
            // Most divisors are 1, which changes no value.
            for divisor in [denominator, normaliser] {
                if divisor != 1.0 {
                    *sum /= divisor;
                }
            }
        }
    }

    /// U at each cutoff, written to this measure's slots, given the ideal order.
    fn uppers(&self, grades: &QueryGrades, best: &Ranked<'_>, contributions: &mut Vec<f64>, uppers: &mut Vec<f64>) {
        uppers.resize(self.first_slot + self.cutoffs.len(), 0.0);
        self.strict(best, contributions, uppers);
        for (&cutoff, upper) in self.cutoffs.iter().zip(&mut uppers[self.first_slot..]) {
            let ideal = self.measure.best(cutoff, grades, *upper / self.measure.denominator(cutoff, grades));
            *upper = self.measure.upper(cutoff, grades, ideal);
        }
    }

    /// The sums of a ranking without ties.
    fn strict(&self, ranked: &Ranked<'_>, contributions: &mut Vec<f64>, sums: &mut [f64]) {
        if !self.measure.is_whole() {
            return self.sum(ranked, contributions, sums);
        }
        for (sum, &cutoff) in sums[self.first_slot..].iter_mut().zip(&self.cutoffs) {
            *sum = self.measure.whole(ranked, cutoff);
        }
    }
}

//! Relevant documents in the top of the ranking, divided by a number: the common form of recall,
//! relative precision, R-precision and F.
//!
//! A = relevant documents at the positions that count. A group of tied documents takes its share of
//! relevant documents at each of its positions. Cost: an addition a document.

use super::NONE_RELEVANT;
use crate::conventions::NoRelevant;
use crate::entry::Settings;
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked, count_at_least, for_each_where};

/// A measure that counts relevant documents.
pub(super) struct Counted<D, P> {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
    /// The number of positions that count, of the number of relevant documents; `None`: all.
    positions: P,
    /// The divisor, of the cutoff and the number of relevant documents.
    divisor: D,
    /// The divisor in words.
    divided_by: &'static str,
}

/// The number of relevant documents up to each cutoff, in rising order.
pub(super) fn count_relevant(grades: &[u8], threshold: u8, cutoffs: &[Option<usize>], sums: &mut [f64]) {
    let (mut done, mut count) = (0, 0);
    for (sum, cutoff) in sums.iter_mut().zip(cutoffs) {
        let end = cutoff.map_or(grades.len(), |k| k.min(grades.len()));
        count += count_at_least(&grades[done..end], threshold);
        done = end;
        *sum = f64::from(count);
    }
}

/// The sums, up to each cutoff in rising order, of a value at each relevant document. `value` is given
/// the place of the document, from 0, and the number of relevant documents up to it. The bits are
/// those of a sum over all positions, since the others contribute 0.
pub(super) fn sum_over_relevant(
    grades: &[u8],
    threshold: u8,
    cutoffs: &[Option<usize>],
    sums: &mut [f64],
    value: impl Fn(usize, f64) -> f64,
) {
    let (mut done, mut found, mut sum) = (0, 0.0, 0.0);
    for (slot, cutoff) in sums.iter_mut().zip(cutoffs) {
        let end = cutoff.map_or(grades.len(), |k| k.min(grades.len()));
        let add = |place| {
            found += 1.0;
            sum += value(done + place, found);
        };
        for_each_where(&grades[done..end], |&grade| grade >= threshold, add);
        done = end;
        *slot = sum;
    }
}

impl<D, P> Counted<D, P>
where
    D: Fn(Option<usize>, usize) -> f64 + Send + Sync + 'static,
    P: Fn(usize) -> Option<usize> + Send + Sync + 'static,
{
    /// A measure with the parameters `threshold` and `no_relevant`.
    pub(super) fn build(
        settings: &Settings,
        positions: P,
        divisor: D,
        divided_by: &'static str,
    ) -> Result<Box<dyn Measure>, MeasureError> {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        let relevant = GradeTable::relevant(threshold);
        Ok(Box::new(Counted { threshold, relevant, no_relevant, positions, divisor, divided_by }))
    }
}

impl<D, P> Measure for Counted<D, P>
where
    D: Fn(Option<usize>, usize) -> f64 + Send + Sync,
    P: Fn(usize) -> Option<usize> + Send + Sync,
{
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        for group in ranked.groups(out.len()) {
            out[group.start..group.seen].fill(self.relevant.mean(group.grades));
        }
        let counted = (self.positions)(ranked.query().relevant(self.threshold));
        if let Some(beyond) = counted.and_then(|positions| out.get_mut(positions..)) {
            beyond.fill(0.0);
        }
    }

    fn strict_sums(&self, grades: &[u8], query: &QueryGrades, cutoffs: &[Option<usize>], sums: &mut [f64]) -> bool {
        let counted = (self.positions)(query.relevant(self.threshold)).unwrap_or(usize::MAX).min(grades.len());
        count_relevant(&grades[..counted], self.threshold, cutoffs, sums);
        true
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let values = contributions.iter().map(|&relevant| [relevant, 1.0]).collect();
        let factors = Some(["relevant", "weight"]);
        Parts { factors, values, normaliser: self.divided_by, zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, cutoff: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        let relevant = query.relevant(self.threshold);
        match (self.divisor)(cutoff, relevant) {
            divisor if relevant > 0 && divisor > 0.0 => divisor,
            _ => self.no_relevant.normaliser(),
        }
    }
}

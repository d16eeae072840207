//! How a value changes when two documents of a ranking change places.

use super::{Column, Evaluator, Judged, Scratch};
use crate::measure::{Measure, QueryGrades, Ranked};
use crate::normalise::Bounds;
use crate::spec::Version;

impl Evaluator {
    /// A ranking without ties of a judged query, from which [`Exchanges`] computes how the exchange
    /// of two documents changes a column's value. `grades` are the query's grades, from the first
    /// position to the last. `None` if the column is undefined for this query.
    ///
    /// # Panics
    /// If there is no such column, the query was judged for fewer measures, or there is not one
    /// grade a document.
    pub fn exchanges<'a>(
        &'a self,
        judged: &'a Judged,
        column: usize,
        grades: &'a [u8],
        scratch: &mut Scratch,
    ) -> Option<Exchanges<'a>> {
        assert_eq!(grades.len(), judged.documents(), "one grade a document");
        let Column { slot, version } = self.columns[column];
        let base = self.bases.iter().rfind(|base| base.first_slot <= slot)?;
        let cutoff = base.cutoffs[slot - base.first_slot];
        let positions = cutoff.map_or(grades.len(), |k| k.min(grades.len()));
        let known = scratch.strict_ends.len() as u32;
        scratch.strict_ends.extend(known + 1..=grades.len() as u32);
        let ends = &scratch.strict_ends[..grades.len()];
        scratch.contributions.resize(positions.max(scratch.contributions.len()), 0.0);
        let contributions = &mut scratch.contributions[..positions];
        let ranked = Ranked::new(grades, ends, &judged.grades);
        let sum = match base.measure.is_whole() {
            true => base.measure.whole(&ranked, cutoff),
            false => {
                base.measure.contributions(&ranked, contributions);
                contributions.iter().sum()
            }
        };
        let bounds = judged.bounds[slot];
        let value = bounds.value(version, sum);
        self.drawn.add_value(column, bounds.error(version, sum, 0.0));
        (!value.is_nan()).then_some(Exchanges {
            measure: &*base.measure,
            query: &judged.grades,
            grades,
            positions,
            cutoff,
            bounds,
            version,
            sum,
            value,
        })
    }
}

/// The changes of a value when two documents of a ranking without ties change places; made by
/// [`Evaluator::exchanges`].
pub struct Exchanges<'a> {
    measure: &'a dyn Measure,
    query: &'a QueryGrades,
    grades: &'a [u8],
    positions: usize,
    cutoff: Option<usize>,
    bounds: Bounds,
    version: Version,
    sum: f64,
    value: f64,
}

impl Exchanges<'_> {
    /// The value of the ranking before an exchange.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// How many positions count, from the first. An exchange of two documents below these positions
    /// changes no value.
    pub fn positions(&self) -> usize {
        self.positions
    }

    /// `changes[t]` becomes the exact change of the value, V1 and V2 included, when the documents
    /// at positions `first` and `first + 1 + t` (from 0) change places.
    ///
    /// # Panics
    /// If `changes` does not have one place for each document after `first`.
    pub fn changes(&self, first: usize, changes: &mut [f64]) {
        assert_eq!(changes.len(), self.grades.len() - first - 1, "one change for each later document");
        match self.measure.is_whole() {
            true => self.whole_changes(first, changes),
            false => self.measure.exchange(self.grades, self.positions, self.query, first, changes),
        }
        match self.version {
            Version::Original => {
                let unit = self.unit();
                changes.iter_mut().for_each(|change| *change *= unit);
            }
            version => changes.iter_mut().for_each(|change| {
                *change = self.bounds.value(version, self.sum + *change) - self.value;
            }),
        }
    }

    /// If every change is a product, writes two factors of each position and returns a third factor,
    /// the same for all positions. The change when the documents at positions i < j change places is
    /// then, to the last bit, `(gains[j] - gains[i]) * (discounts[i] - discounts[j])` times the third
    /// factor.
    pub fn factors(&self, gains: &mut Vec<f64>, discounts: &mut Vec<f64>) -> Option<f64> {
        let are_products = self.version == Version::Original
            && !self.measure.is_whole()
            && self.measure.factors(self.grades, self.positions, gains, discounts);
        are_products.then(|| self.unit())
    }

    /// The change of the original value for a change of 1 of the sum.
    fn unit(&self) -> f64 {
        1.0 / (self.bounds.denominator * self.bounds.normaliser)
    }

    /// The changes of the value of a whole ranking.
    fn whole_changes(&self, first: usize, changes: &mut [f64]) {
        let ends: Vec<u32> = (1..=self.grades.len() as u32).collect();
        let mut exchanged = self.grades.to_vec();
        for (later, change) in (first + 1..).zip(changes) {
            exchanged.swap(first, later);
            *change = self.measure.whole(&Ranked::new(&exchanged, &ends, self.query), self.cutoff) - self.sum;
            exchanged.swap(first, later);
        }
    }
}

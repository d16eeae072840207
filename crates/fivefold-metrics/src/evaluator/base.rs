//! A measure with its parameters, and its sums for one ranking at all cutoffs.

use fivefold_base::Seed;

use crate::entry::{MeasureEntry, Settings};
use crate::measure::{Measure, Ranked};
use crate::orders::{OverOrders, over_orders};

/// A measure with its parameters, and all cutoffs at which a column asks for it.
pub(super) struct Base {
    pub(super) settings: Settings,
    pub(super) entry: &'static MeasureEntry,
    pub(super) measure: Box<dyn Measure>,
    /// In rising order; the whole list (`None`) is last.
    pub(super) cutoffs: Vec<Option<usize>>,
    /// The slot of the first cutoff; the others follow.
    pub(super) first_slot: usize,
    /// Whether a column has a version that needs E. The mean over orders of a whole ranking takes
    /// long, so it is left out if it is not needed.
    pub(super) needs_expected: bool,
}

impl Base {
    /// The values of a whole ranking at each cutoff, written to this measure's slots: means over the
    /// orders of tied documents. Their standard errors are written to the same slots.
    pub(super) fn whole(&self, ranked: &Ranked<'_>, seed: Seed, values: &mut [f64], errors: &mut [f64]) {
        for (slot, &cutoff) in (self.first_slot..).zip(&self.cutoffs) {
            let of_order = |strict: &Ranked<'_>| self.measure.whole(strict, cutoff);
            let OverOrders { mean, error } = match self.entry.no_ue {
                None => over_orders(ranked, seed, || self.measure.mean_of_whole(ranked, cutoff), of_order),
                // The order plays no role.
                Some(_) => OverOrders { mean: of_order(ranked), error: 0.0 },
            };
            values[slot] = mean;
            errors[slot] = error;
        }
    }

    /// Marks that E was not computed.
    pub(super) fn without_expected(&self, means: &mut [f64]) {
        means[self.first_slot..][..self.cutoffs.len()].fill(f64::NAN);
    }

    /// The sums of a ranking's contributions up to each cutoff, written to this measure's slots.
    pub(super) fn sum(&self, ranked: &Ranked<'_>, contributions: &mut Vec<f64>, sums: &mut [f64]) {
        if let Some(grades) = ranked.strict() {
            let own = &mut sums[self.first_slot..][..self.cutoffs.len()];
            if self.measure.strict_sums(grades, ranked.query(), &self.cutoffs, own) {
                return;
            }
        }
        let fill = |out: &mut [f64]| self.measure.contributions(ranked, out);
        self.sum_of(ranked.positions(), fill, contributions, sums);
    }

    /// The sums up to each cutoff of the contributions that `fill` writes.
    #[inline]
    pub(super) fn sum_of(
        &self,
        documents: usize,
        fill: impl Fn(&mut [f64]),
        contributions: &mut Vec<f64>,
        sums: &mut [f64],
    ) {
        let positions = |cutoff: Option<usize>| cutoff.map_or(documents, |k| k.min(documents));
        let depth = positions(self.cutoffs.last().copied().flatten());
        if contributions.len() < depth {
            contributions.resize(depth, 0.0);
        }
        let contributions = &mut contributions[..depth];
        fill(contributions);
        let (mut sum, mut done) = (0.0, 0);
        for (slot, &cutoff) in sums[self.first_slot..].iter_mut().zip(&self.cutoffs) {
            let end = positions(cutoff);
            for contribution in &contributions[done..end] {
                sum += contribution;
            }
            done = end;
            *slot = sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::measure::{QueryGrades, Ranked};
    use crate::{DIALECTS, MEASURES, MeasureSpec};

    #[test]
    fn sums_without_ties_have_the_bits_of_the_contributions() {
        let mut faster = 0;
        for (entry, dialect) in MEASURES.iter().flat_map(|entry| DIALECTS.iter().map(move |dialect| (entry, dialect))) {
            let names = ["", "@3", "(threshold=2)", "(threshold=0)@5"].map(|tail| format!("{}{tail}", entry.name));
            for spec in names.iter().filter_map(|name| name.parse::<MeasureSpec>().ok()) {
                let Ok(settings) = spec.settings(&dialect.conventions(), 3) else { continue };
                let Ok(measure) = (entry.build)(&settings) else { continue };
                for grades in [&[][..], &[0, 0, 0, 0], &[0, 2, 0, 1, 1, 0, 3, 0, 2], &[3], &[0, 1]] {
                    let (query, ends) = (QueryGrades::new(grades), (1..=grades.len() as u32).collect::<Vec<u32>>());
                    let cutoffs = [Some(1), Some(3), Some(4), Some(20), None];
                    let mut found = [0.0; 5];
                    if measure.is_whole() || !measure.strict_sums(grades, &query, &cutoffs, &mut found) {
                        continue;
                    }
                    let mut contributions = vec![0.0; grades.len()];
                    measure.contributions(&Ranked::new(grades, &ends, &query), &mut contributions);
                    let depth = |cutoff: Option<usize>| cutoff.map_or(grades.len(), |k| k.min(grades.len()));
                    let sum = |cutoff| contributions[..depth(cutoff)].iter().fold(0.0, |sum, own| sum + own);
                    assert_eq!(
                        found.map(f64::to_bits),
                        cutoffs.map(|cutoff| sum(cutoff).to_bits()),
                        "{spec} {grades:?}"
                    );
                    faster += 1;
                }
            }
        }
        assert!(faster > 200, "{faster}");
    }
}

//! LETOR's MeanNDCG: the mean of nDCG@1, ..., nDCG@n.
//!
//! MeanNDCG = (1/n) sum_{i=1..n} NDCG@i over the whole list (Eval-Score-4.0 of LETOR 4.0, Qin &
//! Liu, 2013). Position i contributes NDCG@i. Its mean over ties is the mean of DCG@i divided by
//! the ideal DCG@i, since the ideal does not depend on the ranking. Undefined if no document has a
//! gain.

use super::dcg::{DISCOUNT, GAIN, gain_table};
use super::discounted::Discounts;
use crate::conventions::{Discount, Gain};
use crate::entry::{Asks, Cutoffs, MeasureEntry, Param, word};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `meanndcg`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "meanndcg",
    summary: "LETOR's mean of nDCG over all cutoffs",
    formula: "(1/n) sum_{i=1..n} NDCG@i",
    source: "Qin & Liu, LETOR 4.0, arXiv:1306.2597",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            help: "gain of a document of grade y: exp2 = 2^y - 1, linear = y",
            values: "exp2 or linear",
            canonical: word::<Gain>,
            ..GAIN
        },
        DISCOUNT,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let discount: Discount = settings.get("discount")?;
        let discounts = Discounts::new(move |rank| discount.at(rank));
        Ok(Box::new(MeanNdcg { gain: gain_table(settings)?, discounts }))
    },
};

struct MeanNdcg {
    gain: GradeTable,
    discounts: Discounts,
}

impl Measure for MeanNdcg {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let ideal = ranked.query().ideal();
        let (mut dcg, mut ideal_dcg) = (0.0, 0.0);
        for group in ranked.groups(out.len()) {
            let gain = self.gain.mean(group.grades);
            for (position, slot) in (group.start..).zip(&mut out[group.start..group.seen]) {
                let discount = self.discounts.at(position);
                dcg += gain * discount;
                // A run may rank more documents than were judged.
                ideal_dcg += ideal.get(position).map_or(0.0, |&grade| self.gain.of(grade)) * discount;
                *slot = if ideal_dcg > 0.0 { dcg / ideal_dcg } else { 0.0 };
            }
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, _: &[f64]) -> Parts {
        Parts { denominator: "documents", ..Parts::default() }
    }

    fn denominator(&self, _: Option<usize>, query: &QueryGrades) -> f64 {
        query.documents().max(1) as f64
    }

    // The ideal order has nDCG@i = 1 at every i, however many documents are ranked.
    fn upper(&self, _: Option<usize>, _: &QueryGrades, ideal: f64) -> f64 {
        if ideal > 0.0 { 1.0 } else { 0.0 }
    }

    fn normaliser(&self, _: Option<usize>, _: &QueryGrades, upper: f64) -> f64 {
        if upper > 0.0 { 1.0 } else { f64::NAN }
    }
}

//! Success at a cutoff: whether a relevant document is in the top min(k,n).
//!
//! A contribution is the probability that the first relevant document stands at the position, as in
//! RR without the reciprocal. E = 1 - C(n-h,K)/C(n,K) with h relevant documents of n. Success is
//! undefined without a relevant document; trec_eval's `success` is then 0. Papers on dense
//! retrieval often call this measure recall. Sources: trec_eval, `success`; ranx, `hit_rate`.

use super::NONE_RELEVANT;
use super::rr::first_relevant;
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `success`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "success",
    summary: "whether a relevant document is in the top",
    formula: "1 if one of the top min(k,n) documents is relevant, else 0; undefined without a relevant document",
    source: "trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        Ok(Box::new(Success { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct Success {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for Success {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        first_relevant(&self.relevant, ranked, out);
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let values = contributions.iter().map(|&first| [first, 1.0]).collect();
        Parts { values, factors: Some(["is the first", "weight"]), zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(self.threshold) == 0 { self.no_relevant.normaliser() } else { 1.0 }
    }
}

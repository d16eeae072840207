//! Preference for relevant documents over documents that were judged not relevant; documents that
//! were not judged are passed over.
//!
//! bpref = (1/R) sum over retrieved relevant documents of 1 - min(x,R)/min(R,N), where x is the
//! number of documents above that were judged not relevant, and the pool has R relevant and N
//! other judged documents. The term is 1 where x = 0, so also for N = 0 (ranx then divides by 0).
//! bpref is undefined without a relevant document; trec_eval's `bpref` is then 0. Sources: Buckley
//! & Voorhees, SIGIR 2004; trec_eval, `bpref`.
//!
//! Ties. A document at place j of a group has j of the others above it; the number of those that
//! were judged not relevant is hypergeometric (`above.rs`).

use super::above::numbers_above;
use super::{by_relevance, over_relevant};
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked, Status};

/// `bpref`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "bpref",
    summary: "preference for relevant over judged other documents",
    formula: "sum over retrieved relevant documents of 1 - min(x,R)/min(R,N), over R; x documents above that were judged not relevant, N such documents in the pool; undefined without a relevant document",
    source: "Buckley & Voorhees, SIGIR 2004; trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Pool,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        Ok(Box::new(Preference { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct Preference {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for Preference {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let relevant_in_pool = ranked.query().relevant(self.threshold);
        let others_in_pool = ranked.query().judged() - relevant_in_pool;
        let most = relevant_in_pool.min(others_in_pool) as f64;
        let worth = |above: usize| if above == 0 { 1.0 } else { 1.0 - above.min(relevant_in_pool) as f64 / most };
        let mut above = 0;
        if let Some(documents) = ranked.strict_statuses() {
            for (slot, (grade, status)) in out.iter_mut().zip(documents) {
                let relevant = grade >= self.threshold;
                *slot = if relevant { worth(above) } else { 0.0 };
                above += usize::from(!relevant && status == Status::Judged);
            }
            return;
        }
        for group in ranked.groups(out.len()) {
            let relevant = self.relevant.sum(group.grades) as usize;
            let size = group.grades.len();
            let others = size - relevant - group.unjudged() - group.pooled();
            let slots = &mut out[group.start..group.seen];
            if relevant == 0 {
                slots.fill(0.0);
            } else if size == 1 {
                slots[0] = worth(above);
            } else {
                let worth: Vec<f64> = (above..=above + others).map(worth).collect();
                let share = relevant as f64 / size as f64;
                numbers_above(size - 1, others, slots.len(), |place, chances| {
                    slots[place] = share * chances.mean(&worth);
                });
            }
            above += others;
        }
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        by_relevance(&self.relevant, ranked, contributions, "preferred")
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        over_relevant(query.relevant(self.threshold), self.no_relevant)
    }
}

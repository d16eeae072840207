//! Inferred average precision: AP estimated from a pool of which a random part was judged.
//!
//! infAP = (1/R) sum over relevant documents at i of 1/i + (1/i) (r+x+u) (r+eps) / (r+x+2 eps);
//! the term is 1 at i = 1. Above the document stand r relevant documents, x documents that were
//! judged not relevant, and u documents of the pool that were not judged (a negative grade in the
//! qrels). A document that is not in the qrels counts as not relevant. Without documents of the
//! pool that were not judged, infAP is AP up to eps. infAP is undefined without a relevant document;
//! trec_eval's `infAP` is then 0. Sources: Yilmaz & Aslam, CIKM 2006; trec_eval, `infAP`.
//!
//! Ties. The number J of judged documents among those of the group above a place is hypergeometric
//! (`above.rs`). If J is given, the numbers of relevant and of unjudged pool documents among them
//! are independent, and both enter the term linearly, so their means suffice.

use super::above::numbers_above;
use super::{by_relevance, over_relevant};
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, THRESHOLD, number};
use crate::measure::{GradeTable, Group, Measure, Parts, QueryGrades, Ranked, Status};

/// `infap`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "infap",
    summary: "inferred average precision, for pools that were judged in part",
    formula: "sum over relevant documents at i of (1 + (r+x+u) (r+eps)/(r+x+2 eps)) / i, over R; above: r relevant, x judged not relevant, u in the pool and not judged; undefined without a relevant document",
    source: "Yilmaz & Aslam, CIKM 2006; trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            name: "eps",
            help: "the number that keeps the estimate from 0/0",
            values: "a number above 0, at most 1",
            canonical: |text| number(text, |eps| eps > 0.0 && eps <= 1.0),
            default: |_, _| "0.00001".to_owned(),
            usual: Some("0.00001"),
        },
        THRESHOLD,
        NO_RELEVANT,
    ],
    asks: Asks::Pool,
    paper: None,
    no_ue: None,
    build: |settings| {
        let threshold = settings.get("threshold")?;
        let relevant = GradeTable::relevant(threshold);
        let (eps, no_relevant) = (settings.get("eps")?, settings.get("no_relevant")?);
        Ok(Box::new(Inferred { eps, threshold, relevant, no_relevant }))
    },
};

struct Inferred {
    eps: f64,
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

/// Numbers of documents: relevant, judged not relevant, in the pool and not judged.
#[derive(Clone, Copy, Default)]
struct Counts {
    relevant: usize,
    others: usize,
    pooled: usize,
}

impl Inferred {
    fn count(&self, group: &Group<'_>) -> Counts {
        let (relevant, pooled) = (self.relevant.sum(group.grades) as usize, group.pooled());
        Counts { relevant, others: group.grades.len() - relevant - pooled - group.unjudged(), pooled }
    }

    /// The contribution of a relevant document that ties with no other.
    fn alone(&self, above: Counts, rank: usize) -> f64 {
        let judged = (above.relevant + above.others) as f64;
        let precision = (above.relevant as f64 + self.eps) / (judged + 2.0 * self.eps);
        (1.0 + (above.relevant + above.others + above.pooled) as f64 * precision) / rank as f64
    }

    /// Fills the places of a group with their mean contributions; `above` counts the documents
    /// above the group.
    fn fill(&self, above: Counts, own: Counts, group: &Group<'_>, slots: &mut [f64]) {
        let size = group.grades.len();
        let judged = own.relevant - 1 + own.others;
        let share_relevant = if judged == 0 { 0.0 } else { (own.relevant - 1) as f64 / judged as f64 };
        let rest = size - 1 - judged;
        let share_pooled = if rest == 0 { 0.0 } else { own.pooled as f64 / rest as f64 };
        // With J judged documents of the group above place j, the expected term is
        // (known + J + (j - J) share_pooled) precision(J) = fixed[J] + j rising[J].
        let known = (above.relevant + above.others + above.pooled) as f64;
        let before = (above.relevant + above.others) as f64;
        let precision = |j: usize| {
            (above.relevant as f64 + j as f64 * share_relevant + self.eps) / (before + j as f64 + 2.0 * self.eps)
        };
        if size == 1 {
            slots[0] = self.alone(above, group.start + 1);
            return;
        }
        let fixed: Vec<f64> = (0..=judged).map(|j| (known + j as f64 * (1.0 - share_pooled)) * precision(j)).collect();
        let rising: Vec<f64> = (0..=judged).map(|j| share_pooled * precision(j)).collect();
        let share = own.relevant as f64 / size as f64;
        numbers_above(size - 1, judged, slots.len(), |place, chances| {
            let inferred = chances.mean(&fixed) + place as f64 * chances.mean(&rising);
            slots[place] = share * (1.0 + inferred) / (group.start + place + 1) as f64;
        });
    }
}

impl Measure for Inferred {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut above = Counts::default();
        if let Some(documents) = ranked.strict_statuses() {
            for ((slot, (grade, status)), rank) in out.iter_mut().zip(documents).zip(1_usize..) {
                let relevant = grade >= self.threshold;
                *slot = if relevant { self.alone(above, rank) } else { 0.0 };
                above.relevant += usize::from(relevant);
                above.others += usize::from(!relevant && status == Status::Judged);
                above.pooled += usize::from(!relevant && status == Status::Pooled);
            }
            return;
        }
        for group in ranked.groups(out.len()) {
            let own = self.count(&group);
            let slots = &mut out[group.start..group.seen];
            match own.relevant {
                0 => slots.fill(0.0),
                _ => self.fill(above, own, &group, slots),
            }
            above.relevant += own.relevant;
            above.others += own.others;
            above.pooled += own.pooled;
        }
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        by_relevance(&self.relevant, ranked, contributions, "inferred precision")
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        over_relevant(query.relevant(self.threshold), self.no_relevant)
    }
}

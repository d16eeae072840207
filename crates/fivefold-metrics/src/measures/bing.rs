//! Binary gain: a relevant document is worth less, the more documents stand above it that are not
//! relevant.
//!
//! BinG = (1/R) sum over relevant documents of 1 / log2(2 + documents above that are not relevant).
//! BinG is undefined without a relevant document; trec_eval's `binG` is then 0. Source: trec_eval,
//! `binG`.
//!
//! Ties. A document at place j of a group has j of the others above it; the number of those that
//! are not relevant is hypergeometric (`above.rs`).

use std::sync::OnceLock;

use super::above::numbers_above;
use super::{by_relevance, over_relevant};
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `bing`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "bing",
    summary: "binary gain: relevant documents, discounted by the others above them",
    formula: "sum over relevant documents of 1 / log2(2 + documents above that are not relevant) / R; undefined without one",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        Ok(Box::new(BinaryGain { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct BinaryGain {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for BinaryGain {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut above = 0;
        if let Some(grades) = ranked.strict() {
            for (slot, &grade) in out.iter_mut().zip(grades) {
                let relevant = grade >= self.threshold;
                *slot = if relevant { discount(above) } else { 0.0 };
                above += usize::from(!relevant);
            }
            return;
        }
        for group in ranked.groups(out.len()) {
            let relevant = self.relevant.sum(group.grades) as usize;
            let others = group.grades.len() - relevant;
            tied(above, [relevant, others], &mut out[group.start..group.seen]);
            above += others;
        }
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        by_relevance(&self.relevant, ranked, contributions, "discount")
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        over_relevant(query.relevant(self.threshold), self.no_relevant)
    }
}

/// The worth of a relevant document below this many documents that are not relevant.
fn discount(above: usize) -> f64 {
    const KEPT: usize = 4096;
    let of = |above: usize| 1.0 / libm::log2((2 + above) as f64);
    static TABLE: OnceLock<Vec<f64>> = OnceLock::new();
    TABLE.get_or_init(|| (0..KEPT).map(of).collect()).get(above).copied().unwrap_or_else(|| of(above))
}

/// Fills the places of a group of `relevant` and `others` documents with their mean contributions;
/// `above` documents that are not relevant stand above the group.
fn tied(above: usize, [relevant, others]: [usize; 2], places: &mut [f64]) {
    if relevant == 0 {
        return places.fill(0.0);
    }
    let size = relevant + others;
    if size == 1 {
        places[0] = discount(above);
        return;
    }
    let worth: Vec<f64> = (above..=above + others).map(discount).collect();
    let share = relevant as f64 / size as f64;
    numbers_above(size - 1, others, places.len(), |place, chances| places[place] = share * chances.mean(&worth));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum over a group is its number of relevant documents, times the mean worth of 0 to
    /// `others` documents above: each number is equally probable.
    #[test]
    fn large_groups_have_the_sum_of_the_closed_form() {
        for [relevant, others] in [[1, 0], [1, 4000], [2000, 2000], [4000, 1], [37, 5000]] {
            let mut places = vec![f64::NAN; relevant + others];
            tied(3, [relevant, others], &mut places);
            let worth = |x: usize| 1.0 / libm::log2((5 + x) as f64);
            let mean = (0..=others).map(worth).sum::<f64>() / (others + 1) as f64;
            let (sum, expected) = (places.iter().sum::<f64>(), relevant as f64 * mean);
            assert!((sum / expected - 1.0).abs() < 1e-11, "{relevant} {others}: {sum} {expected}");
        }
    }
}

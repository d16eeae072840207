//! Pairs of documents in the right order: AUC for relevant against other documents, pair accuracy
//! for documents of different grades.
//!
//! Both are the share of pairs in which the better document stands above the other. Only ranked
//! documents make pairs. Any two documents stand either way round with probability 1/2, so U = 1, E
//! = 1/2, and V2 of a value of at least 1/2 is 2A - 1, Kendall's tau of the query (a tie of scores
//! counts 0). The values are undefined without a pair: if all documents have the same grade, or for
//! AUC if all or none are relevant. Sources: CatBoost, `QueryAUC` (`type=Classic` and
//! `type=Ranking`); `Accuracy` of ir_measures without a cutoff.
//!
//! Ties. A group has m documents with D pairs of different grade, and W pairs with worse documents
//! below the group. Place j (from 0) of the group contributes (W + D (m-1-j)/(m-1)) / m, so a pair
//! within the group counts 1/2 in the sum.

use crate::entry::{Asks, Cutoffs, MeasureEntry, THRESHOLD};
use crate::measure::{Measure, Parts, QueryGrades, Ranked};

/// `auc`.
pub(super) const AUC: MeasureEntry = MeasureEntry {
    name: "auc",
    summary: "area under the ROC curve of a query",
    formula: "pairs with the relevant document above the other / pairs of a relevant and another document; undefined without one",
    source: "CatBoost QueryAUC; ir_measures Accuracy",
    cutoffs: Cutoffs::Never,
    params: &[THRESHOLD],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let threshold: u8 = settings.get("threshold")?;
        Ok(Box::new(Pairs { level: move |grade| u8::from(grade >= threshold) }))
    },
};

/// `pairacc`.
pub(super) const PAIR_ACCURACY: MeasureEntry = MeasureEntry {
    name: "pairacc",
    summary: "share of the pairs of different grade in the right order",
    formula: "pairs with the higher grade above / pairs of different grade; undefined without one",
    source: "CatBoost QueryAUC:type=Ranking",
    cutoffs: Cutoffs::Never,
    params: &[],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |_| Ok(Box::new(Pairs { level: |grade| grade })),
};

/// One more than the highest grade.
const LEVELS: usize = 32;

/// The share of pairs of different level in the right order. `level` gives a grade's level, and
/// rises with the grade.
struct Pairs<L> {
    level: L,
}

/// Number of documents of each level.
type Counts = [u32; LEVELS];

/// Number of pairs of different level.
fn different(counts: &Counts) -> f64 {
    let all = counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let same: f64 = counts.iter().map(|&count| f64::from(count) * f64::from(count)).sum();
    (all * all - same) / 2.0
}

impl<L: Fn(u8) -> u8> Pairs<L> {
    fn level(&self, grade: u8) -> usize {
        usize::from((self.level)(grade)) % LEVELS
    }

    fn count(&self, grades: &[u8], counts: &mut Counts) {
        grades.iter().for_each(|&grade| counts[self.level(grade)] += 1);
    }

    /// The ranked documents by level.
    fn ranked(&self, query: &QueryGrades) -> Counts {
        let mut counts = [0; LEVELS];
        for grade in 0..LEVELS as u8 {
            counts[self.level(grade)] += (query.ranked_relevant(grade) - query.ranked_relevant(grade + 1)) as u32;
        }
        counts
    }
}

impl<L: Fn(u8) -> u8 + Send + Sync> Measure for Pairs<L> {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        // The ideal order has documents that are not ranked, so the query cannot be asked.
        let mut below = [0; LEVELS];
        ranked.groups(ranked.positions()).for_each(|group| self.count(group.grades, &mut below));
        for group in ranked.groups(out.len()) {
            let mut own = [0; LEVELS];
            self.count(group.grades, &mut own);
            below.iter_mut().zip(&own).for_each(|(below, own)| *below -= own);
            let (mut lower, mut won) = (0.0, 0.0);
            for (&own, &below) in own.iter().zip(&below) {
                won += f64::from(own) * lower;
                lower += f64::from(below);
            }
            let (size, within) = (group.grades.len() as f64, different(&own));
            for (place, slot) in out[group.start..group.seen].iter_mut().enumerate() {
                // The share of the group's other documents that stands below the place.
                let below = if size > 1.0 { (size - 1.0 - place as f64) / (size - 1.0) } else { 0.0 };
                *slot = (won + within * below) / size;
            }
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let values = contributions.iter().map(|&below| [below, 1.0]).collect();
        let factors = Some(["worse below", "weight"]);
        Parts { values, factors, normaliser: "pairs", ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        match different(&self.ranked(query)) {
            0.0 => f64::NAN,
            pairs => pairs,
        }
    }

    /// The ideal order of the judged documents has other pairs than the ranked documents.
    fn best(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        different(&self.ranked(query))
    }
}

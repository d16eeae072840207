//! Reciprocal rank: 1 / rank of the first relevant document, 0 if it is beyond the cutoff.
//!
//! RR is undefined without a relevant document; trec_eval's `recip_rank` is then 0. Source:
//! Voorhees, TREC-8 question answering track, 1999.
//!
//! Ties. Let the first group with relevant documents have m documents, g of them relevant. The
//! first relevant document is at place j with probability C(m-j, g-1)/C(m, g). The probability of
//! place j+1 is the probability of place j times (m-j-g+1)/(m-j), so no binomial overflows. If all
//! documents tie, the sum is E = sum_{r<=K} (1/r) C(n-r, Np-1)/C(n, Np).

use super::{NONE_RELEVANT, by_rank};
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `rr`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "rr",
    summary: "reciprocal rank of the first relevant document",
    formula: "1 / rank of the first relevant document, 0 beyond the cutoff; undefined without a relevant document",
    source: "Voorhees, TREC-8, 1999",
    cutoffs: Cutoffs::Optional,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let threshold = settings.get("threshold")?;
        let no_relevant = settings.get("no_relevant")?;
        Ok(Box::new(ReciprocalRank { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct ReciprocalRank {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for ReciprocalRank {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        first_relevant(&self.relevant, ranked, out);
        for (place, slot) in out.iter_mut().enumerate().filter(|(_, slot)| **slot > 0.0) {
            *slot /= (place + 1) as f64;
        }
    }

    fn strict_sums(&self, grades: &[u8], _: &QueryGrades, cutoffs: &[Option<usize>], sums: &mut [f64]) -> bool {
        let first = grades.iter().position(|&grade| grade >= self.threshold);
        for (sum, cutoff) in sums.iter_mut().zip(cutoffs) {
            let counts = |place: &usize| cutoff.is_none_or(|k| *place < k);
            *sum = first.filter(counts).map_or(0.0, |place| 1.0 / (place + 1) as f64);
        }
        true
    }

    fn exchange(&self, grades: &[u8], positions: usize, _: &QueryGrades, first: usize, changes: &mut [f64]) {
        let is_relevant = |position: &usize| self.relevant.of(grades[*position]) > 0.0;
        let value = |position: Option<usize>| match position {
            Some(position) if position < positions => 1.0 / (position + 1) as f64,
            _ => 0.0,
        };
        let found = (0..grades.len()).find(is_relevant);
        let before = value(found);
        // The next relevant document after `first`: it may come first when `first` moves down.
        let next = (first + 1..grades.len()).find(is_relevant);
        for (later, change) in (first + 1..).zip(changes) {
            let after = match (is_relevant(&first), is_relevant(&later)) {
                (true, false) if found == Some(first) => value(Some(next.map_or(later, |next| next.min(later)))),
                (false, true) if found.is_some_and(|found| first < found) => value(Some(first)),
                _ => before,
            };
            *change = after - before;
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let (values, factors) = (by_rank(contributions), Some(["is the first", "1/rank"]));
        Parts { values, factors, zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(self.threshold) == 0 { self.no_relevant.normaliser() } else { 1.0 }
    }
}

/// Fills `out[i]` with the probability that the first relevant document is at position `i`.
pub(super) fn first_relevant(relevant: &GradeTable, ranked: &Ranked<'_>, out: &mut [f64]) {
    out.fill(0.0);
    let found = ranked.groups(out.len()).find_map(|group| {
        let relevant = relevant.sum(group.grades);
        (relevant > 0.0).then_some((group, relevant))
    });
    let Some((group, relevant)) = found else { return };
    let size = group.grades.len() as f64;
    let mut first_here = relevant / size;
    for (place, slot) in out[group.start..group.seen].iter_mut().enumerate() {
        *slot = first_here;
        let left = size - (place + 1) as f64;
        // Without this guard, 0 is divided by 0 at the last place of a group.
        first_here = if left > 0.0 { first_here * (left - relevant + 1.0).max(0.0) / left } else { 0.0 };
    }
}

//! Precision at a cutoff, and the share of queries whose first document is relevant.
//!
//! P@k = relevant documents in the top min(k,n) / k, as in trec_eval and the LETOR scripts.
//! `denominator=list` divides by min(k,n), as RankLib does. WTA ("winner takes all") = P@1. P is
//! always defined. V1 and V2 are undefined if k reaches the end of the list, since every order
//! then has the same value.

use super::counted::count_relevant;
use crate::conventions::PDenominator;
use crate::entry::{Asks, Cutoffs, MeasureEntry, Param, Settings, THRESHOLD, word};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `p`.
pub(super) const P: MeasureEntry = MeasureEntry {
    name: "p",
    summary: "precision",
    formula: "relevant documents in the top min(k,n) / k",
    source: "trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[
        Param {
            name: "denominator",
            help: "cutoff: divide by k; list: divide by min(k, documents)",
            values: "cutoff or list",
            canonical: word::<PDenominator>,
            default: |conventions, _| conventions.p_denominator.to_string(),
            usual: None,
        },
        THRESHOLD,
    ],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| precision(settings, settings.get("denominator")?),
};

/// `wta`.
pub(super) const WTA: MeasureEntry = MeasureEntry {
    name: "wta",
    summary: "winner takes all: whether the first document is relevant",
    formula: "P@1",
    source: "He, Wang, Chen & Liu, Convergence analysis of ranking measures",
    cutoffs: Cutoffs::Fixed(1),
    params: &[THRESHOLD],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| precision(settings, PDenominator::Cutoff),
};

struct Precision {
    threshold: u8,
    relevant: GradeTable,
    denominator: PDenominator,
}

fn precision(settings: &Settings, denominator: PDenominator) -> Result<Box<dyn Measure>, MeasureError> {
    let threshold = settings.get("threshold")?;
    Ok(Box::new(Precision { threshold, relevant: GradeTable::relevant(threshold), denominator }))
}

impl Measure for Precision {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        for group in ranked.groups(out.len()) {
            out[group.start..group.seen].fill(self.relevant.mean(group.grades));
        }
    }

    fn strict_sums(&self, grades: &[u8], _: &QueryGrades, cutoffs: &[Option<usize>], sums: &mut [f64]) -> bool {
        count_relevant(grades, self.threshold, cutoffs, sums);
        true
    }

    fn exchange(&self, grades: &[u8], positions: usize, _: &QueryGrades, first: usize, changes: &mut [f64]) {
        for (later, change) in (first + 1..).zip(changes) {
            let crosses = first < positions && later >= positions;
            let difference = self.relevant.of(grades[later]) - self.relevant.of(grades[first]);
            *change = if crosses { difference } else { 0.0 };
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let denominator = match self.denominator {
            PDenominator::Cutoff => "k",
            PDenominator::List => "min(k, documents)",
        };
        let values = contributions.iter().map(|&relevant| [relevant, 1.0]).collect();
        Parts { factors: Some(["relevant", "weight"]), values, denominator, ..Parts::default() }
    }

    fn denominator(&self, cutoff: Option<usize>, query: &QueryGrades) -> f64 {
        let documents = query.documents();
        let k = cutoff.unwrap_or(documents);
        match self.denominator {
            PDenominator::Cutoff => k as f64,
            PDenominator::List => k.min(documents).max(1) as f64,
        }
    }
}

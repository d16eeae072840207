//! How many documents of a ranking were judged: the share of judged documents in the top, the share
//! of unjudged documents in the top, and the residual of RBP.
//!
//! - `judged@k` = judged documents in the top K / K, K = min(k,n). A document of the pool with a
//!   negative grade counts as judged. Undefined without a retrieved document. Source: ir_measures,
//!   `Judged`.
//! - `unj@k` = documents in the top K that were not judged / k. A document of the pool with a
//!   negative grade counts as not judged. Source: trec_eval 10, `unj`.
//! - `rbp_resid` = p^n + (1-p) sum over documents at i that were not judged of p^{i-1}: what RBP
//!   could rise if all these documents, and all documents behind the list, were relevant. As in
//!   trec_eval 10 it is 0 if all n documents were judged, although p^n remains.
//!
//! These values tell of the judgements, not of the ranking: no order is better than another. So V1
//! and V2 do not exist.

use super::discounted::Discounts;
use crate::entry::{Asks, Cutoffs, MeasureEntry, Param, number};
use crate::measure::{Group, Measure, Parts, QueryGrades, Ranked};

const NO_UE: Option<&str> =
    Some("the value tells which documents were judged, so no order of them is better than another");

/// `judged`.
pub(super) const JUDGED: MeasureEntry = MeasureEntry {
    name: "judged",
    summary: "share of judged documents in the top",
    formula: "judged documents in the top K / K, K = min(k,n); a negative grade in the qrels counts as judged; undefined for an empty list",
    source: "ir_measures, Judged",
    cutoffs: Cutoffs::Required,
    params: &[],
    asks: Asks::Pool,
    paper: None,
    no_ue: NO_UE,
    build: |_| Ok(Box::new(Share { of: Which::Judged })),
};

/// `unj`.
pub(super) const UNJUDGED: MeasureEntry = MeasureEntry {
    name: "unj",
    summary: "share of unjudged documents in the top",
    formula: "documents in the top min(k,n) that were not judged / k; a negative grade in the qrels counts as not judged",
    source: "trec_eval 10",
    cutoffs: Cutoffs::Required,
    params: &[],
    asks: Asks::Pool,
    paper: None,
    no_ue: NO_UE,
    build: |_| Ok(Box::new(Share { of: Which::Unjudged })),
};

/// `rbp_resid`.
pub(super) const RBP_RESIDUAL: MeasureEntry = MeasureEntry {
    name: "rbp_resid",
    summary: "what RBP could rise if all unjudged documents were relevant",
    formula: "p^n + (1-p) sum over unjudged documents at i of p^(i-1); 0 if all n documents were judged",
    source: "Moffat & Zobel, TOIS 27(1), 2008; trec_eval 10",
    cutoffs: Cutoffs::Never,
    params: &[Param {
        name: "p",
        help: "the probability that a user goes on to the next document",
        values: "a number above 0 and below 1",
        canonical: |text| number(text, |p| p > 0.0 && p < 1.0),
        default: |_, _| "0.9".to_owned(),
        usual: None,
    }],
    asks: Asks::Pool,
    paper: None,
    no_ue: NO_UE,
    build: |settings| {
        let p: f64 = settings.get("p")?;
        Ok(Box::new(RbpResidual { powers: Discounts::new(move |rank| libm::pow(p, rank as f64 - 1.0)), p }))
    },
};

/// Which documents are counted.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    Judged,
    Unjudged,
}

struct Share {
    of: Which,
}

/// The share of a group's documents that were not judged.
fn unjudged(group: &Group<'_>) -> f64 {
    (group.unjudged() + group.pooled()) as f64 / group.grades.len() as f64
}

impl Measure for Share {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        for group in ranked.groups(out.len()) {
            let size = group.grades.len();
            out[group.start..group.seen].fill(match self.of {
                Which::Judged => (size - group.unjudged()) as f64 / size as f64,
                Which::Unjudged => unjudged(&group),
            });
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let values = contributions.iter().map(|&counted| [counted, 1.0]).collect();
        let (name, denominator) = match self.of {
            Which::Judged => ("judged", "min(k, documents)"),
            Which::Unjudged => ("not judged", "k"),
        };
        Parts { factors: Some([name, "weight"]), values, denominator, ..Parts::default() }
    }

    fn denominator(&self, cutoff: Option<usize>, query: &QueryGrades) -> f64 {
        let k = cutoff.unwrap_or(query.documents());
        match self.of {
            Which::Judged => k.min(query.documents()) as f64,
            Which::Unjudged => k as f64,
        }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        match self.of {
            Which::Judged if query.documents() == 0 => f64::NAN,
            _ => 1.0,
        }
    }
}

struct RbpResidual {
    powers: Discounts,
    p: f64,
}

impl Measure for RbpResidual {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let documents = ranked.positions();
        let mut any = false;
        for group in ranked.groups(documents) {
            let share = unjudged(&group);
            any |= share > 0.0;
            let seen = group.seen.min(out.len());
            for (position, slot) in (group.start..seen).zip(out.get_mut(group.start..seen).unwrap_or_default()) {
                *slot = (1.0 - self.p) * share * self.powers.at(position);
            }
        }
        // The documents behind the list count at its last position.
        if let Some(last) = documents.checked_sub(1).and_then(|last| out.get_mut(last)).filter(|_| any) {
            *last += self.powers.at(documents);
        }
    }
}

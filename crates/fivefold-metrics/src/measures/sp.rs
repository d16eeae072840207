//! Sum of precision and average precision.
//!
//! SP@k = sum_{i<=min(k,n)} Prec(i) rel_i, and AP@k = SP@k / denominator. The denominator is k
//! (Feng & Karmaker, Eq. 3), the number of relevant documents Np (trec_eval's `map_cut`), or
//! min(k, Np). Without a cutoff, AP = SP/Np.
//!
//! Ties (after McSherry & Najork, ECIR 2008). A group has m documents, g of them relevant; a
//! documents stand before the group, c of them relevant. Position i = a+1..a+m of the group
//! contributes (g/m) (c + 1 + (i-a-1)(g-1)/(m-1)) / i.
//!
//! scikit-learn's `average_precision_score` takes all documents of a group at once: each position
//! contributes (g/m) (c + g)/(a + m).
//!
//! U is the value of the ideal order, min(k, Np), or the cutoff k (without a cutoff, the number of
//! judged documents). E is the mean over all orders, or K p^2 with p = Np/n, as if precision and
//! relevance were independent. The paper uses the second U and the second E ("MSP-UE"); with
//! these, V2 of a constant scorer is not exactly 0. The denominator cancels out in V1 and V2:
//! `ap.v2(denominator=cutoff)@5` equals `ap.v2(denominator=relevant)@5`. Cost: a division for each
//! relevant document.

use super::NONE_RELEVANT;
use super::counted::sum_over_relevant;
use crate::conventions::{ApDenominator, ApTies, NoRelevant, SpExpected, SpUpper};
use crate::entry::{Asks, Cutoffs, InPaper, MeasureEntry, NO_RELEVANT, Param, Settings, THRESHOLD, word};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `ap`.
pub(super) const AP: MeasureEntry = MeasureEntry {
    name: "ap",
    summary: "average precision",
    formula: "sum_{i<=min(k,n)} Prec(i) rel_i / denominator; undefined without a relevant document. V1 and V2 normalise the sum",
    source: "trec_eval; Feng & Karmaker, IPM 2023, Eq. 3",
    cutoffs: Cutoffs::Optional,
    params: &[
        Param {
            name: "denominator",
            help: "divisor of the sum at a cutoff k: k, the number of relevant documents R, or min(k, R); V1 and V2 do not depend on the divisor",
            values: "cutoff, relevant or min",
            canonical: word::<ApDenominator>,
            default: |conventions, _| conventions.ap_denominator.to_string(),
            usual: None,
        },
        UPPER,
        EXPECTED,
        THRESHOLD,
        TIES,
        NO_RELEVANT,
    ],
    asks: Asks::Binary,
    paper: Some(InPaper { first_table: 15, figure: 3 }),
    no_ue: None,
    build: |settings| {
        let share = Share { denominator: settings.get("denominator")?, no_relevant: settings.get("no_relevant")? };
        Ok(Box::new(sum_of_precision(settings, Some(share))?))
    },
};

/// `sp`.
pub(super) const SP: MeasureEntry = MeasureEntry {
    name: "sp",
    summary: "sum of precision at the relevant documents",
    formula: "sum_{i<=min(k,n)} Prec(i) rel_i",
    source: "Feng & Karmaker, IPM 2023, sec. 6.4.1",
    cutoffs: Cutoffs::Optional,
    params: &[UPPER, EXPECTED, THRESHOLD, TIES],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| Ok(Box::new(sum_of_precision(settings, None)?)),
};

const UPPER: Param = Param {
    name: "upper",
    help: "upper bound U in V1 and V2: the cutoff k (without a cutoff, the number of judged documents), or the value of the ideal order",
    values: "cutoff or ideal",
    canonical: word::<SpUpper>,
    default: |conventions, _| conventions.sp_upper.to_string(),
    usual: None,
};

const EXPECTED: Param = Param {
    name: "expected",
    help: "expected value E in V1 and V2: exact = mean over all orders; independent = K p^2, with the K ranks to the cutoff and the share p of relevant documents",
    values: "exact or independent",
    canonical: word::<SpExpected>,
    default: |conventions, _| conventions.sp_expected.to_string(),
    usual: None,
};

const TIES: Param = Param {
    name: "ties",
    help: "value of tied documents if ties are averaged: orders = mean over the orders of the tied documents; threshold = precision after the last tied document",
    values: "orders or threshold",
    canonical: word::<ApTies>,
    default: |conventions, _| conventions.ap_ties.to_string(),
    usual: Some("orders"),
};

struct SumOfPrecision {
    threshold: u8,
    relevant: GradeTable,
    upper: SpUpper,
    expected: SpExpected,
    ties: ApTies,
    /// `None` if the original value is the sum.
    share: Option<Share>,
}

/// How the sum becomes AP.
struct Share {
    denominator: ApDenominator,
    no_relevant: NoRelevant,
}

fn sum_of_precision(settings: &Settings, share: Option<Share>) -> Result<SumOfPrecision, MeasureError> {
    let threshold = settings.get("threshold")?;
    Ok(SumOfPrecision {
        threshold,
        relevant: GradeTable::relevant(threshold),
        upper: settings.get("upper")?,
        expected: settings.get("expected")?,
        ties: settings.get("ties")?,
        share,
    })
}

impl Measure for SumOfPrecision {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        fill(&self.relevant, ranked, self.ties, out);
    }

    fn strict_sums(&self, grades: &[u8], _: &QueryGrades, cutoffs: &[Option<usize>], sums: &mut [f64]) -> bool {
        sum_over_relevant(grades, self.threshold, cutoffs, sums, |place, found| found / (place + 1) as f64);
        true
    }

    // If a tie is one threshold, `contributions` is not the mean over orders.
    fn mean_over_orders(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        fill(&self.relevant, ranked, ApTies::Orders, out);
    }

    // A relevant document that moves from i down to j loses its Prec(i) and gains Prec(j), which
    // counts the same relevant documents as before. Every relevant document at a rank r between i
    // and j loses 1/r. A move up is the reverse.
    fn exchange(&self, grades: &[u8], positions: usize, _: &QueryGrades, first: usize, changes: &mut [f64]) {
        let here = self.relevant.of(grades[first]);
        let mut relevant = self.relevant.sum(&grades[..first]) + 1.0;
        let at = |position: usize, value: f64| if position < positions { value / (position + 1) as f64 } else { 0.0 };
        let own = at(first, relevant);
        let mut between = 0.0;
        for (later, change) in (first + 1..).zip(changes) {
            let there = self.relevant.of(grades[later]);
            // Relevant documents up to `later`, if one of the two is relevant.
            let other = at(later, relevant);
            *change = (there - here) * (own + between - other);
            relevant += there;
            between += there * at(later, 1.0);
        }
    }

    fn parts(&self, cutoff: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let relevant = ranked.of_positions(contributions.len(), |grades| self.relevant.mean(grades));
        let mut found = 0.0;
        let of_position = |(position, (&share, &contribution)): (usize, (&f64, &f64))| {
            found += share;
            [share, if share > 0.0 { contribution / share } else { found / (position + 1) as f64 }]
        };
        let values = relevant.iter().zip(contributions).enumerate().map(of_position).collect();
        let normaliser = match (self.share.as_ref().map(|share| share.denominator), cutoff) {
            (None, _) => "",
            (Some(ApDenominator::Cutoff), Some(_)) => "k",
            (Some(ApDenominator::Min), Some(_)) => "min(k, relevant documents)",
            (Some(_), _) => "relevant documents",
        };
        let ties = match self.ties {
            ApTies::Orders => "",
            ApTies::Threshold => {
                "the precision at the end of its group, which counts as one threshold (ap_ties: threshold)"
            }
        };
        Parts {
            factors: Some(["relevant", "precision"]),
            values,
            normaliser,
            zero: NONE_RELEVANT,
            ties,
            ..Parts::default()
        }
    }

    fn normaliser(&self, cutoff: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        let relevant = query.relevant(self.threshold);
        let Some(Share { denominator, no_relevant }) = self.share else { return 1.0 };
        match (denominator, cutoff) {
            _ if relevant == 0 => no_relevant.normaliser(),
            (ApDenominator::Cutoff, Some(k)) => k as f64,
            (ApDenominator::Min, Some(k)) => k.min(relevant) as f64,
            _ => relevant as f64,
        }
    }

    fn upper(&self, cutoff: Option<usize>, query: &QueryGrades, ideal: f64) -> f64 {
        match self.upper {
            SpUpper::Ideal => ideal,
            SpUpper::Cutoff => cutoff.unwrap_or(query.judged()) as f64,
        }
    }

    fn expected(&self, cutoff: Option<usize>, query: &QueryGrades, mean: f64) -> f64 {
        match self.expected {
            SpExpected::Exact => mean,
            SpExpected::Independent => {
                let documents = query.documents();
                let positions = cutoff.map_or(documents, |k| k.min(documents));
                let share = query.ranked_relevant(self.threshold) as f64 / documents.max(1) as f64;
                positions as f64 * share * share
            }
        }
    }
}

/// The precision at each relevant document, averaged over the orders of the tied documents.
pub(super) fn precisions(relevant: &GradeTable, ranked: &Ranked<'_>, out: &mut [f64]) {
    fill(relevant, ranked, ApTies::Orders, out);
}

/// The contribution of each position, under the rule `ties` for documents that tie.
fn fill(table: &GradeTable, ranked: &Ranked<'_>, ties: ApTies, out: &mut [f64]) {
    let mut before = 0.0;
    if let Some(grades) = ranked.strict() {
        for (position, (slot, &grade)) in out.iter_mut().zip(grades).enumerate() {
            let relevant = table.of(grade);
            before += relevant;
            *slot = relevant * (before / (position + 1) as f64);
        }
        return;
    }
    for group in ranked.groups(out.len()) {
        let size = group.grades.len();
        let relevant = table.sum(group.grades);
        if size == 1 {
            before += relevant;
            out[group.start] = if relevant > 0.0 { before / (group.start + 1) as f64 } else { 0.0 };
            continue;
        }
        let out = &mut out[group.start..group.seen];
        if relevant == 0.0 {
            out.fill(0.0);
            continue;
        }
        let share = relevant / size as f64;
        if ties == ApTies::Threshold {
            out.fill(share * (before + relevant) / (group.start + size) as f64);
            before += relevant;
            continue;
        }
        // Expected number of relevant documents that a relevant document has ahead of it, for
        // each further place in the group.
        let step = (relevant - 1.0) / (size - 1) as f64;
        for (place, slot) in out.iter_mut().enumerate() {
            *slot = share * (before + 1.0 + place as f64 * step) / (group.start + place + 1) as f64;
        }
        before += relevant;
    }
}

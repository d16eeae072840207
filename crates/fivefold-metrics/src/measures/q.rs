//! Q-measure: average precision in which the gain of the documents so far is blended with their
//! number.
//!
//! Q = (1/R) sum over relevant documents at i of (C_i + beta cg_i) / (i + beta cg*_i). C_i is the
//! number of relevant documents in the first i, cg_i their gain, cg*_i the gain of the first i of
//! the ideal order. With beta = 0, Q is AP. The gain is the grade y of a relevant document, and 0
//! for others. At a cutoff, the divisor R can be min(k, R) or k, as for AP. Q is undefined without a
//! relevant document. Source: Sakai, NTCIR-4, 2004.
//!
//! The ideal order has the highest value, but a better document further up can lower Q. The grades
//! 0 3 1 have Q = (4/6 + 6/7)/2 = .762, and 1 3 0 have (2/4 + 6/6)/2 = .75: the grade 1 is worth more
//! at rank 3, where the gain of the ideal order grows no more.
//!
//! Ties. A group has m documents, g of them relevant with the gain G; c relevant documents with the
//! gain s stand before it. A relevant document at place j (from 0) of the group sees j of the other
//! m-1 documents, so position i contributes
//! (g/m) (c + 1 + j (g-1)/(m-1) + beta (s + G/g + j (G - G/g)/(m-1))) / (i + beta cg*_i).

use super::NONE_RELEVANT;
use crate::conventions::{ApDenominator, NoRelevant};
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, THRESHOLD, number, word};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `q`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "q",
    summary: "Q-measure: average precision for graded relevance",
    formula: "sum over relevant documents at i<=min(k,n) of (C_i + beta cg_i) / (i + beta cg*_i) / denominator; undefined without one",
    source: "Sakai, NTCIR-4, 2004",
    cutoffs: Cutoffs::Optional,
    params: &[
        Param {
            name: "beta",
            help: "the weight of gains; with 0, Q is AP",
            values: "a number of at least 0, at most 1e6",
            canonical: |text| number(text, |beta| (0.0..=1e6).contains(&beta)),
            default: |_, _| "1".to_owned(),
            usual: None,
        },
        Param {
            name: "denominator",
            help: "what the sum is divided by at a cutoff; cancels out in V1 and V2",
            values: "relevant, min or cutoff",
            canonical: word::<ApDenominator>,
            default: |_, _| ApDenominator::Relevant.to_string(),
            usual: None,
        },
        THRESHOLD,
        NO_RELEVANT,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let threshold: u8 = settings.get("threshold")?;
        Ok(Box::new(Q {
            beta: settings.get("beta")?,
            denominator: settings.get("denominator")?,
            threshold,
            relevant: GradeTable::relevant(threshold),
            gain: GradeTable::new(|grade| if grade >= threshold { f64::from(grade) } else { 0.0 }),
            no_relevant: settings.get("no_relevant")?,
        }))
    },
};

struct Q {
    beta: f64,
    denominator: ApDenominator,
    threshold: u8,
    relevant: GradeTable,
    gain: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for Q {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        let mut ideal = ranked.query().ideal().iter();
        let (mut best, mut relevant_before, mut gain_before) = (0.0, 0.0, 0.0);
        for group in ranked.groups(out.len()) {
            let (size, relevant) = (group.grades.len() as f64, self.relevant.sum(group.grades));
            let gain = self.gain.sum(group.grades);
            let own = if relevant > 0.0 { gain / relevant } else { 0.0 };
            // The share of the group's other documents that stands before place j is j times this.
            let step = if size > 1.0 { 1.0 / (size - 1.0) } else { 0.0 };
            for (place, slot) in out[group.start..group.seen].iter_mut().enumerate() {
                best += ideal.next().map_or(0.0, |&grade| self.gain.of(grade));
                let before = place as f64 * step;
                let count = relevant_before + 1.0 + before * (relevant - 1.0);
                let gains = gain_before + own + before * (gain - own);
                let rank = (group.start + place + 1) as f64;
                *slot = relevant / size * (count + self.beta * gains) / (rank + self.beta * best);
            }
            relevant_before += relevant;
            gain_before += gain;
        }
    }

    fn parts(&self, _: Option<usize>, ranked: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let relevant = ranked.of_positions(contributions.len(), |grades| self.relevant.mean(grades));
        let ratio = |(&value, relevant): (&f64, f64)| [relevant, if relevant > 0.0 { value / relevant } else { 0.0 }];
        let values = contributions.iter().zip(relevant).map(ratio).collect();
        let normaliser = match self.denominator {
            ApDenominator::Relevant => "relevant documents",
            ApDenominator::Min => "min(k, relevant documents)",
            ApDenominator::Cutoff => "k",
        };
        Parts {
            values,
            factors: Some(["relevant", "blended ratio"]),
            normaliser,
            zero: NONE_RELEVANT,
            ..Parts::default()
        }
    }

    fn normaliser(&self, cutoff: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        let relevant = query.relevant(self.threshold);
        match (relevant, cutoff, self.denominator) {
            (0, ..) => self.no_relevant.normaliser(),
            (_, None, _) | (_, _, ApDenominator::Relevant) => relevant as f64,
            (_, Some(k), ApDenominator::Min) => relevant.min(k) as f64,
            (_, Some(k), ApDenominator::Cutoff) => k as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::value;

    #[test]
    fn a_better_document_further_up_can_lower_q() {
        let of = |grades: &[u8]| value("q", grades, &[3.0, 2.0, 1.0]).unwrap().unwrap();
        assert!((of(&[0, 3, 1]) - (4.0 / 6.0 + 6.0 / 7.0) / 2.0).abs() < 1e-15);
        assert!((of(&[1, 3, 0]) - 0.75).abs() < 1e-15);
        assert_eq!(of(&[3, 1, 0]), 1.0);
    }
}

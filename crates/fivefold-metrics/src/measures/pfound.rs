//! PFound: the probability that a user finds what they look for, if the user leaves at each rank with
//! probability 1 - decay.
//!
//! PFound@k = sum_{i<=min(k,n)} decay^(i-1) r_i prod_{s<i} (1 - r_s), r = y/max_grade. A cascade as
//! in ERR, with decay^(i-1) for 1/i, so ties are averaged as there. PFound is undefined without a
//! relevant document. Source: CatBoost, `PFound`; Gulin, Karpovich, Raskovalov and Segalovich, ROMIP
//! 2009.

use super::NONE_RELEVANT;
use super::discounted::Discounts;
use super::err::Cascade;
use crate::conventions::NoRelevant;
use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, NO_RELEVANT, Param, number};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `pfound`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "pfound",
    summary: "the probability that an impatient user finds a document",
    formula: "sum_{i<=min(k,n)} decay^(i-1) r_i prod_{s<i} (1 - r_s), r = y/max_grade; undefined without a relevant document",
    source: "CatBoost; Gulin, Karpovich, Raskovalov & Segalovich, ROMIP 2009",
    cutoffs: Cutoffs::Optional,
    params: &[
        Param {
            name: "decay",
            help: "the probability to go on to the next rank after a document that did not help",
            values: "a number above 0, at most 1",
            canonical: |text| number(text, |decay| decay > 0.0 && decay <= 1.0),
            default: |_, _| "0.85".to_owned(),
            usual: None,
        },
        MAX_GRADE,
        NO_RELEVANT,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (decay, highest): (f64, f64) = (settings.get("decay")?, settings.highest_grade()?.into());
        let user = Cascade {
            pass: GradeTable::new(|grade| 1.0 - f64::from(grade) / highest),
            stop: GradeTable::new(|grade| f64::from(grade) / highest),
            certain: true,
        };
        let patience = Discounts::new(move |rank| libm::pow(decay, (rank - 1) as f64));
        Ok(Box::new(PFound { user, patience, no_relevant: settings.get("no_relevant")? }))
    },
};

struct PFound {
    user: Cascade,
    patience: Discounts,
    no_relevant: NoRelevant,
}

impl Measure for PFound {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        self.user.stops(ranked, out);
        for (position, stop) in out.iter_mut().enumerate() {
            *stop *= self.patience.at(position);
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let of = |(position, &value): (usize, &f64)| {
            let patience = self.patience.at(position);
            // The patience deep in a long list is 0.
            if patience > 0.0 { [value / patience, patience] } else { [0.0; 2] }
        };
        let values = contributions.iter().enumerate().map(of).collect();
        Parts { values, factors: Some(["stops here", "decay"]), zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(1) == 0 { self.no_relevant.normaliser() } else { 1.0 }
    }
}

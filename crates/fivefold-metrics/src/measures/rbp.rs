//! Rank-biased precision: the user goes on to the next rank with probability p.
//!
//! RBP = (1-p) sum_i g(y_i) p^(i-1), with p = 0.8 by default (Moffat & Zobel, TOIS 27(1), 2008). By
//! default the gain g is 1 for a relevant document. The gain can also be the grade y or 2^y - 1;
//! then the value can exceed 1. E = mean gain x (1 - p^K). RBP is always defined.

use super::discounted::{Discounted, Discounts, Original};
use crate::conventions::words;
use crate::entry::{Asks, Cutoffs, MeasureEntry, Param, THRESHOLD, number, word};
use crate::measure::GradeTable;

/// `rbp`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "rbp",
    summary: "rank-biased precision",
    formula: "(1-p) sum_{i<=min(k,n)} g(y_i) p^(i-1)",
    source: "Moffat & Zobel, TOIS 27(1), 2008",
    cutoffs: Cutoffs::Optional,
    params: &[
        Param {
            name: "p",
            help: "the probability to go on to the next rank",
            values: "a number above 0 and below 1",
            canonical: |text| number(text, |p| p > 0.0 && p < 1.0),
            default: |_, _| "0.8".to_owned(),
            usual: None,
        },
        Param {
            name: "gain",
            help: "gain of a document of grade y: binary = 1 if relevant, linear = y, exp2 = 2^y - 1",
            values: "binary, linear or exp2",
            canonical: word::<RbpGain>,
            default: |_, _| RbpGain::Binary.to_string(),
            usual: None,
        },
        Param { help: "the lowest grade that counts as relevant; only for binary gain", ..THRESHOLD },
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let p: f64 = settings.get("p")?;
        let gain = match settings.get("gain")? {
            RbpGain::Binary => GradeTable::relevant(settings.get("threshold")?),
            RbpGain::Linear => GradeTable::new(f64::from),
            RbpGain::Exp2 => GradeTable::new(|grade| libm::exp2(f64::from(grade)) - 1.0),
        };
        let discounts = Discounts::new(move |rank| (1.0 - p) * libm::pow(p, (rank - 1) as f64));
        Ok(Box::new(Discounted { gain, discounts, original: Original::Sum }))
    },
};

words! {
    /// Gain of rank-biased precision.
    RbpGain, "gain", {
        /// 1 for a relevant document.
        Binary = "binary",
        /// y.
        Linear = "linear",
        /// 2^y - 1.
        Exp2 = "exp2",
    }
}

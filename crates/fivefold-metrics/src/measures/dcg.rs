//! Discounted cumulative gain and its normalised form.
//!
//! DCG@k = sum_{i<=min(k,n)} g(y_i) d(i), with gain g = 2^y - 1 (Burges et al., ICML 2005) or g = y
//! (Jarvelin & Kekalainen, TOIS 2002), and discount d = 1/log2(i+1) by default. nDCG@k = DCG@k /
//! DCG@k of the ideal order. E = mean gain x sum of discounts (Feng & Karmaker, IPM 2023, Eq. 7).
//! V1 and V2 of nDCG are V1 and V2 of DCG. The scripts of LETOR and MSLR discount by 1, 1,
//! 1/log2(3), ... and give nDCG@k = 0 if k exceeds the list.

use super::discounted::{Discounted, Discounts, Original};
use crate::conventions::{Discount, Gain, ShortList};
use crate::entry::{Cutoffs, InPaper, MeasureEntry, Param, Settings, word};
use crate::error::MeasureError;
use crate::measure::GradeTable;

/// `ndcg`.
pub(super) const NDCG: MeasureEntry = MeasureEntry {
    name: "ndcg",
    summary: "normalised discounted cumulative gain",
    formula: "DCG@k / DCG@k of the ideal order; undefined without a gain. V1 and V2 normalise DCG",
    source: "Jarvelin & Kekalainen, TOIS 20(4), 2002; Burges et al., ICML 2005",
    cutoffs: Cutoffs::Optional,
    params: &[
        GAIN,
        DISCOUNT,
        Param {
            name: "short_list",
            help: "the value where the cutoff exceeds the list; no effect on V1 and V2",
            values: "cut or zero",
            canonical: word::<ShortList>,
            default: |conventions, _| conventions.short_list.to_string(),
            usual: None,
        },
    ],
    paper: Some(InPaper { first_table: 3, figure: 2 }),
    no_ue: None,
    build: |settings| {
        let zero_beyond_list = settings.get::<ShortList>("short_list")? == ShortList::Zero;
        Ok(Box::new(dcg(settings, Original::Share { zero_beyond_list })?))
    },
};

/// `dcg`.
pub(super) const DCG: MeasureEntry = MeasureEntry {
    name: "dcg",
    summary: "discounted cumulative gain",
    formula: "sum_{i<=min(k,n)} g(y_i) d(i)",
    source: "Jarvelin & Kekalainen, TOIS 20(4), 2002; Burges et al., ICML 2005",
    cutoffs: Cutoffs::Optional,
    params: &[GAIN, DISCOUNT],
    paper: None,
    no_ue: None,
    build: |settings| Ok(Box::new(dcg(settings, Original::Sum)?)),
};

/// The gain g(y).
pub(super) const GAIN: Param = Param {
    name: "gain",
    help: "gain of a document of grade y: exp2 = 2^y - 1, linear = y",
    values: "exp2 or linear",
    canonical: word::<Gain>,
    default: |conventions, _| conventions.gain.to_string(),
    usual: None,
};

/// The discount d(i).
pub(super) const DISCOUNT: Param = Param {
    name: "discount",
    help: "discount of rank i: log2 = 1/log2(i+1), letor = 1, 1, then 1/log2(i), zipf = 1/i, power:a = i^-a",
    values: Discount::WORDS,
    canonical: word::<Discount>,
    default: |conventions, _| conventions.discount.to_string(),
    usual: None,
};

/// The gain of each grade.
pub(super) fn gain_table(gain: Gain) -> GradeTable {
    GradeTable::new(|grade| match gain {
        Gain::Exp2 => libm::exp2(f64::from(grade)) - 1.0,
        Gain::Linear => f64::from(grade),
    })
}

fn dcg(settings: &Settings, original: Original) -> Result<Discounted, MeasureError> {
    let discount: Discount = settings.get("discount")?;
    Ok(Discounted {
        gain: gain_table(settings.get("gain")?),
        discounts: Discounts::new(move |rank| discount.at(rank)),
        original,
    })
}

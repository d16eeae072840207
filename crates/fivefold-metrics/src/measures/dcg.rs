//! Discounted cumulative gain and its normalised form.
//!
//! DCG@k = sum_{i<=min(k,n)} g(y_i) d(i), with gain g = 2^y - 1 (Burges et al., ICML 2005) or g = y
//! (Jarvelin & Kekalainen, TOIS 2002), and discount d = 1/log2(i+1) by default. nDCG@k = DCG@k /
//! DCG@k of the ideal order. E = mean gain x sum of discounts (Feng & Karmaker, IPM 2023, Eq. 7).
//! V1 and V2 of nDCG are V1 and V2 of DCG. The scripts of LETOR and MSLR discount by 1, 1,
//! 1/log2(3), ... and give nDCG@k = 0 if k exceeds the list.

use super::discounted::{Discounted, Discounts, Original};
use fivefold_base::HIGHEST_GRADE;

use crate::conventions::{Discount, Gain, ShortList};
use crate::entry::{Asks, Cutoffs, InPaper, MeasureEntry, Param, Settings, word};
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
    asks: Asks::Grades,
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
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| Ok(Box::new(dcg(settings, Original::Sum)?)),
};

/// The gain g(y).
pub(super) const GAIN: Param = Param {
    name: "gain",
    help: "gain of a document of grade y: exp2 = 2^y - 1, linear = y, 1:3/2:9 = 3 for grade 1, 9 for grade 2, else y",
    values: "exp2, linear, or gains by grade such as 1:3/2:9",
    canonical: |text| word::<Gain>(text).or_else(|| gains_by_grade(text).map(|gains| written(&gains))),
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

/// The gain of each grade, from the parameter [`GAIN`].
pub(super) fn gain_table(settings: &Settings) -> Result<GradeTable, MeasureError> {
    let text: String = settings.get("gain")?;
    if let Some(gains) = gains_by_grade(&text) {
        let given = |grade: u8| gains.iter().find(|(other, _)| *other == grade).map(|(_, gain)| *gain);
        return Ok(GradeTable::new(|grade| given(grade).unwrap_or_else(|| f64::from(grade))));
    }
    let gain: Gain = settings.get("gain")?;
    Ok(GradeTable::new(|grade| match gain {
        Gain::Exp2 => libm::exp2(f64::from(grade)) - 1.0,
        Gain::Linear => f64::from(grade),
    }))
}

/// Reads `1:3/2:9`, by rising grade; a grade stands once, and a gain is at least 0.
fn gains_by_grade(text: &str) -> Option<Vec<(u8, f64)>> {
    let pair = |pair: &str| {
        let (grade, gain) = pair.split_once(':')?;
        let grade = grade.trim().parse().ok().filter(|&grade: &u8| grade <= HIGHEST_GRADE)?;
        let gain = gain.trim().parse().ok().filter(|gain: &f64| (0.0..=1e9).contains(gain))?;
        Some((grade, gain))
    };
    let mut gains = text.split('/').map(pair).collect::<Option<Vec<(u8, f64)>>>()?;
    gains.sort_by_key(|&(grade, _)| grade);
    gains.windows(2).all(|pair| pair[0].0 < pair[1].0).then_some(gains)
}

fn written(gains: &[(u8, f64)]) -> String {
    gains.iter().map(|(grade, gain)| format!("{grade}:{gain}")).collect::<Vec<_>>().join("/")
}

fn dcg(settings: &Settings, original: Original) -> Result<Discounted, MeasureError> {
    let discount: Discount = settings.get("discount")?;
    Ok(Discounted { gain: gain_table(settings)?, discounts: Discounts::new(move |rank| discount.at(rank)), original })
}

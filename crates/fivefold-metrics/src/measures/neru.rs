//! NERU: the utility of grades above a neutral grade, halved every beta - 1 ranks (Breese's R score
//! on grades).
//!
//! NERU = sum_i max(y_i - d, 0) 2^((1-i)/(beta-1)), with beta = 5 and d = 1 by default. A document
//! of the neutral grade d has no utility. `nneru` = NERU / NERU of the ideal order, undefined if
//! no document has a utility. V1 and V2 of `nneru` are V1 and V2 of NERU. Source: Breese,
//! Heckerman & Kadie, UAI 1998, as used by He, Wang, Chen & Liu, Convergence analysis of ranking
//! measures.

use super::discounted::{Discounted, Discounts, Original};
use crate::entry::{Asks, Cutoffs, MeasureEntry, Param, Settings, number};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure};

/// `neru`.
pub(super) const NERU: MeasureEntry = MeasureEntry {
    name: "neru",
    summary: "utility of grades above d, halved every beta - 1 ranks",
    formula: "sum_{i<=min(k,n)} max(y_i - d, 0) 2^((1-i)/(beta-1))",
    source: "Breese, Heckerman & Kadie, UAI 1998; He, Wang, Chen & Liu, Convergence analysis of ranking measures",
    cutoffs: Cutoffs::Optional,
    params: &[BETA, NEUTRAL],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| build(settings, Original::Sum),
};

/// `nneru`.
pub(super) const NNERU: MeasureEntry = MeasureEntry {
    name: "nneru",
    summary: "normalised NERU",
    formula: "NERU@k / NERU@k of the ideal order; undefined without a grade above d",
    cutoffs: Cutoffs::Optional,
    params: &[BETA, NEUTRAL],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| build(settings, Original::Share { zero_beyond_list: false }),
    ..NERU
};

const BETA: Param = Param {
    name: "beta",
    help: "half-life: rank beta is worth half of rank 1",
    values: "a number above 1",
    canonical: |text| number(text, |beta| beta > 1.0),
    default: |_, _| "5".to_owned(),
    usual: None,
};

const NEUTRAL: Param = Param {
    name: "d",
    help: "the neutral grade: documents up to it are worth nothing",
    values: "a number of at least 0",
    canonical: |text| number(text, |d| d >= 0.0),
    default: |_, _| "1".to_owned(),
    usual: None,
};

fn build(settings: &Settings, original: Original) -> Result<Box<dyn Measure>, MeasureError> {
    let (beta, neutral): (f64, f64) = (settings.get("beta")?, settings.get("d")?);
    Ok(Box::new(Discounted {
        gain: GradeTable::new(|grade| (f64::from(grade) - neutral).max(0.0)),
        discounts: Discounts::new(move |rank| libm::exp2((1.0 - rank as f64) / (beta - 1.0))),
        original,
    }))
}

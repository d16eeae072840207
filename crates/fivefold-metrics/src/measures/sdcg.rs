//! Scaled DCG: DCG divided by the DCG of a list that consists of documents of the highest grade.
//!
//! SDCG@k = sum_{i<=min(k,n)} y_i/max_grade / log2(i+1), divided by sum_{i<=k} 1/log2(i+1). The
//! divisor does not depend on the query, unlike the divisor of nDCG. SDCG is always defined.

use super::discounted::{Discounted, Discounts, Original};
use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry};
use crate::measure::GradeTable;

/// `sdcg`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "sdcg",
    summary: "scaled DCG: the share of the DCG of a list of highest grades",
    formula: "sum_{i<=min(k,n)} y_i/max_grade / log2(i+1), divided by sum_{i<=k} 1/log2(i+1)",
    source: "cwl_eval; Moffat, Bailey, Scholer & Thomas, ADCS 2015",
    cutoffs: Cutoffs::Required,
    params: &[MAX_GRADE],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let highest = f64::from(settings.highest_grade()?);
        let gain = GradeTable::new(|grade| f64::from(grade) / highest);
        let discounts = Discounts::new(|rank| 1.0 / libm::log2((rank + 1) as f64));
        // The measure always has a cutoff, so the depth is not used.
        Ok(Box::new(Discounted { gain, discounts, original: Original::Scaled { depth: 0 } }))
    },
};

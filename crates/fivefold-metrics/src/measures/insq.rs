//! Inverse squares: a user who goes on after rank i with probability ((i+2T-1)/(i+2T))^2, whatever
//! the gain.
//!
//! INSQ = sum_{i<=min(depth,n)} y_i/max_grade (2T+i-1)^-2, divided by sum_{i<=depth} (2T+i-1)^-2. T
//! is the number of relevant documents that the user expects to need. `depth` is where cwl_eval
//! cuts runs. INSQ is always defined. Source: Moffat, Scholer and Thomas, CIKM 2013 (as C/W/L
//! measure in cwl_eval).

use super::discounted::{Discounted, Discounts, Original};
use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, Param, number};
use crate::measure::GradeTable;

/// `insq`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "insq",
    summary: "inverse squares: a user who becomes more patient with each rank",
    formula: "sum_{i<=min(depth,n)} y_i/max_grade (2T+i-1)^-2, divided by sum_{i<=depth} (2T+i-1)^-2",
    source: "cwl_eval; Moffat, Bailey, Scholer & Thomas, ADCS 2015",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            name: "T",
            help: "the number of relevant documents that the user expects to need",
            values: "a number of at least 0.25, at most 1000",
            canonical: |text| number(text, |needed| (0.25..=1000.0).contains(&needed)),
            default: |_, _| "1".to_owned(),
            usual: None,
        },
        Param {
            name: "depth",
            help: "the number of ranks that count",
            values: "a whole number from 1 to 1000000",
            canonical: |text| {
                text.parse().ok().filter(|depth: &usize| (1..=1_000_000).contains(depth)).map(|depth| depth.to_string())
            },
            default: |_, _| "1000".to_owned(),
            usual: None,
        },
        MAX_GRADE,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (needed, depth): (f64, usize) = (settings.get("T")?, settings.get("depth")?);
        let highest = f64::from(settings.highest_grade()?);
        let gain = GradeTable::new(|grade| f64::from(grade) / highest);
        let discount = move |rank: usize| {
            let patience = 2.0 * needed + rank as f64 - 1.0;
            if rank <= depth { 1.0 / (patience * patience) } else { 0.0 }
        };
        let discounts = Discounts::new(discount);
        Ok(Box::new(Discounted { gain, discounts, original: Original::Scaled { depth } }))
    },
};

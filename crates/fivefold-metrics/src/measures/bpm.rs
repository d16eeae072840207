//! Bejeweled player model: the user stops when enough was found, or at the cutoff.
//!
//! BPM@k = G_s / s, where G_i is the gain of the first i documents, gain y / highest grade, and s the
//! first i with G_i >= T, at most k. Source: Zhang, Liu, Li, Zhang, Xu & Ma, SIGIR 2017 (static
//! form); cwl_eval, `BPM`.
//!
//! The value is not a sum over positions. E, and A under averaged ties, are means over orders
//! (`orders.rs`).

use crate::entry::{Asks, Cutoffs, MAX_GRADE, MeasureEntry, Param, number};
use crate::measure::{GradeTable, Measure, Ranked};

/// `bpm`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "bpm",
    summary: "gain per document for a user who stops at a target or at the cutoff",
    formula: "G_s / s, G_i gain of the first i, gain y / highest grade, s the first i with G_i >= T, at most k",
    source: "Zhang et al., SIGIR 2017; cwl_eval",
    cutoffs: Cutoffs::Required,
    params: &[
        Param {
            name: "T",
            help: "the gain that the user looks for",
            values: "a number above 0, at most 1e6",
            canonical: |text| number(text, |target| target > 0.0 && target <= 1e6),
            default: |_, _| "1".to_owned(),
            usual: None,
        },
        MAX_GRADE,
    ],
    asks: Asks::Grades,
    paper: None,
    no_ue: None,
    build: |settings| {
        let (target, highest): (f64, u8) = (settings.get("T")?, settings.highest_grade()?);
        let highest = f64::from(highest);
        Ok(Box::new(Player { grade: GradeTable::new(f64::from), target, highest }))
    },
};

struct Player {
    grade: GradeTable,
    target: f64,
    highest: f64,
}

impl Measure for Player {
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, cutoff: Option<usize>) -> f64 {
        let last = cutoff.unwrap_or(strict.positions());
        // Grades are added, not gains, so that thirds reach their sum exactly.
        let mut found = 0.0;
        for group in strict.groups(last) {
            found += self.grade.of(group.grades[0]);
            if found / self.highest >= self.target {
                return found / self.highest / (group.start + 1) as f64;
            }
        }
        if last == 0 { 0.0 } else { found / self.highest / last as f64 }
    }
}

//! Interpolated precision at a level of recall, and its mean over the eleven levels 0, .1, ..., 1.
//!
//! iprec(x) = the highest precision of a rank by which c of the R relevant documents were found; 0
//! if the ranking has fewer. Up to trec_eval 9, c = floor(x R + .9) in 64-bit floats (`v9`);
//! trec_eval 10 rounds x R to the nearest number (`v10`). The value is undefined without a relevant
//! document; trec_eval's is then 0. Source: trec_eval, `iprec_at_recall` and `11pt_avg`.
//!
//! The value is not a sum over positions. E, and A under averaged ties, are means over orders
//! (`orders.rs`).

use crate::conventions::{NoRelevant, words};
use crate::entry::{Cutoffs, MeasureEntry, NO_RELEVANT, Param, Settings, THRESHOLD, number, word};
use crate::error::MeasureError;
use crate::measure::{GradeTable, Measure, QueryGrades, Ranked};

/// `iprec`.
pub(super) const IPREC: MeasureEntry = MeasureEntry {
    name: "iprec",
    summary: "interpolated precision at a level of recall",
    formula: "highest precision of a rank by which c of the R relevant documents were found, c = floor(x R + 0.9); undefined without a relevant document",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            name: "x",
            help: "the level of recall",
            values: "a number from 0 to 1",
            canonical: |text| number(text, |x| (0.0..=1.0).contains(&x)),
            default: |_, _| "0.5".to_owned(),
            usual: None,
        },
        ROUNDING,
        THRESHOLD,
        NO_RELEVANT,
    ],
    paper: None,
    no_ue: None,
    build: |settings| Ok(Box::new(Interpolated::new(settings, vec![settings.get("x")?])?)),
};

/// `iprec11`.
pub(super) const IPREC11: MeasureEntry = MeasureEntry {
    name: "iprec11",
    summary: "mean interpolated precision over eleven levels of recall",
    formula: "mean of iprec(x) over x = 0, 0.1, ..., 1; undefined without a relevant document",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[ROUNDING, THRESHOLD, NO_RELEVANT],
    paper: None,
    no_ue: None,
    build: |settings| {
        Ok(Box::new(Interpolated::new(settings, (0..=10).map(|level| f64::from(level) / 10.0).collect())?))
    },
};

words! {
    /// How a level of recall becomes a number of relevant documents.
    Rounding, "rounding", {
        /// floor(x R + .9), as up to trec_eval 9.
        V9 = "v9",
        /// x R rounded, as trec_eval 10.
        V10 = "v10",
    }
}

const ROUNDING: Param = Param {
    name: "rounding",
    help: "the number of relevant documents at recall x: v9 = floor(x R + 0.9), v10 = x R rounded, as trec_eval 10",
    values: "v9 or v10",
    canonical: word::<Rounding>,
    default: |_, _| Rounding::V9.to_string(),
    usual: Some("v9"),
};

struct Interpolated {
    levels: Vec<f64>,
    rounding: Rounding,
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Interpolated {
    fn new(settings: &Settings, levels: Vec<f64>) -> Result<Self, MeasureError> {
        let threshold = settings.get("threshold")?;
        let (rounding, no_relevant) = (settings.get("rounding")?, settings.get("no_relevant")?);
        let relevant = GradeTable::relevant(threshold);
        Ok(Interpolated { levels, rounding, threshold, relevant, no_relevant })
    }

    /// The number of relevant documents at a level.
    fn needed(&self, level: f64, relevant: usize) -> usize {
        let share = level * relevant as f64;
        match self.rounding {
            Rounding::V9 => (share + 0.9).floor() as usize,
            Rounding::V10 => share.round() as usize,
        }
    }
}

impl Measure for Interpolated {
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, _: Option<usize>) -> f64 {
        let mut found = 0;
        // The precision at each relevant document, then the highest of it and those below.
        let mut best: Vec<f64> = Vec::new();
        for group in strict.groups(strict.positions()) {
            if self.relevant.of(group.grades[0]) > 0.0 {
                found += 1;
                best.push(f64::from(found) / (group.start + 1) as f64);
            }
        }
        for place in (1..best.len()).rev() {
            best[place - 1] = best[place - 1].max(best[place]);
        }
        let relevant = strict.query().relevant(self.threshold);
        // Precision is highest at a relevant document, so no other rank matters.
        let at = |&level: &f64| best.get(self.needed(level, relevant).saturating_sub(1)).copied().unwrap_or(0.0);
        self.levels.iter().map(at).sum::<f64>() / self.levels.len() as f64
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(self.threshold) == 0 { self.no_relevant.normaliser() } else { 1.0 }
    }
}

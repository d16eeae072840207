//! Interpolated precision at a level of recall, and its mean over the eleven levels 0, .1, ..., 1.
//!
//! iprec(x) = the highest precision of a rank by which c of the R relevant documents were found; 0
//! if the ranking has fewer. Up to trec_eval 9, c = floor(x R + .9) in 64-bit floats (`v9`);
//! trec_eval 10 rounds x R to the nearest number (`v10`). The value is undefined without a relevant
//! document; trec_eval's is then 0. Source: trec_eval, `iprec_at_recall` and `11pt_avg`.
//!
//! The value is not a sum over positions. E, and A under averaged ties, are exact (`iprec/mean.rs`)
//! up to a list of some 150 documents, of which 30 are relevant. Beyond, they are means over orders
//! (`orders.rs`), because the exact mean would take longer than the ranking of a query may.

mod mean;

use crate::conventions::{NoRelevant, words};
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, Settings, THRESHOLD, number, word};
use crate::error::MeasureError;
use crate::measure::{Measure, QueryGrades, Ranked};

/// `iprec`.
pub(super) const IPREC: MeasureEntry = MeasureEntry {
    name: "iprec",
    summary: "interpolated precision at a level of recall",
    formula: "highest precision of a rank by which c of the R relevant documents were found, c = floor(x R + 0.9); undefined without a relevant document; E of long lists (n documents, h relevant, h (n-h) above some 5000) is drawn",
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
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| Ok(Box::new(Interpolated::new(settings, vec![settings.get("x")?])?)),
};

/// `iprec11`.
pub(super) const IPREC11: MeasureEntry = MeasureEntry {
    name: "iprec11",
    summary: "mean interpolated precision over eleven levels of recall",
    formula: "mean of iprec(x) over x = 0, 0.1, ..., 1, or over levels of one's own; undefined without a relevant document; E as for iprec",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[LEVELS, ROUNDING, THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let text: String = settings.get("levels")?;
        let levels = levels(&text).ok_or_else(|| settings.wrong("levels", LEVELS.values))?;
        Ok(Box::new(Interpolated::new(settings, levels)?))
    },
};

/// The eleven levels.
const ELEVEN: &str = "0/0.1/0.2/0.3/0.4/0.5/0.6/0.7/0.8/0.9/1";

const LEVELS: Param = Param {
    name: "levels",
    help: "the levels of recall over which the mean is taken",
    values: "numbers from 0 to 1 with / between them, such as 0.25/0.5/0.75",
    canonical: |text| levels(text).map(|levels| levels.iter().map(f64::to_string).collect::<Vec<_>>().join("/")),
    default: |_, _| ELEVEN.to_owned(),
    usual: Some(ELEVEN),
};

fn levels(text: &str) -> Option<Vec<f64>> {
    let level = |text: &str| text.trim().parse().ok().filter(|level: &f64| (0.0..=1.0).contains(level));
    text.split('/').map(level).collect()
}

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
    no_relevant: NoRelevant,
}

impl Interpolated {
    fn new(settings: &Settings, levels: Vec<f64>) -> Result<Self, MeasureError> {
        let threshold = settings.get("threshold")?;
        let (rounding, no_relevant) = (settings.get("rounding")?, settings.get("no_relevant")?);
        Ok(Interpolated { levels, rounding, threshold, no_relevant })
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

/// The highest precision of a rank by which this many relevant documents were found; it is the
/// precision at the place of a relevant document.
fn highest(places: &[u32], needed: usize) -> f64 {
    // Fractions are compared by their products, since a division takes longer.
    let (mut most, mut of) = (0, 1);
    let first = needed.max(1);
    for (found, &place) in (first as u64..).zip(places.get(first - 1..).unwrap_or_default()) {
        let documents = u64::from(place) + 1;
        if found * of > most * documents {
            (most, of) = (found, documents);
        }
    }
    most as f64 / of as f64
}

impl Measure for Interpolated {
    fn is_whole(&self) -> bool {
        true
    }

    fn whole(&self, strict: &Ranked<'_>, _: Option<usize>) -> f64 {
        let relevant = strict.query().relevant(self.threshold);
        let places = strict.relevant_places(self.threshold);
        let at = |&level: &f64| highest(&places, self.needed(level, relevant));
        self.levels.iter().map(at).sum::<f64>() / self.levels.len() as f64
    }

    fn mean_of_whole(&self, ranked: &Ranked<'_>, _: Option<usize>) -> Option<f64> {
        let relevant = ranked.query().relevant(self.threshold);
        let needed: Vec<usize> = self.levels.iter().map(|&level| self.needed(level, relevant)).collect();
        let means = mean::means_of_highest(ranked, self.threshold, &needed)?;
        Some(means.iter().sum::<f64>() / means.len() as f64)
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        if query.relevant(self.threshold) == 0 { self.no_relevant.normaliser() } else { 1.0 }
    }
}

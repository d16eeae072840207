//! R-precision: precision at the number of relevant documents R, or at a multiple of this number.
//!
//! Rprec = relevant documents in the top c / c, c = floor(x R + 0.9), with x = 1 by default. The
//! value is undefined without a relevant document, and where c is 0 (a small x); trec_eval's
//! `Rprec` is then 0. Source: trec_eval, `Rprec` and `Rprec_mult`.

use super::counted::Counted;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, THRESHOLD, number};

/// `rprec`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "rprec",
    summary: "R-precision: precision at the number of relevant documents",
    formula: "relevant documents in the top c / c, c = floor(x R + 0.9), R relevant documents; undefined if c is 0",
    source: "trec_eval",
    cutoffs: Cutoffs::Never,
    params: &[
        Param {
            name: "x",
            help: "the multiple of the number of relevant documents at which precision is taken",
            values: "a number above 0, at most 100",
            canonical: |text| number(text, |x| x > 0.0 && x <= 100.0),
            default: |_, _| "1".to_owned(),
            usual: None,
        },
        THRESHOLD,
        NO_RELEVANT,
    ],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let x: f64 = settings.get("x")?;
        let positions = move |relevant: usize| (x * relevant as f64 + 0.9).floor() as usize;
        let divisor = move |_: Option<usize>, relevant: usize| positions(relevant) as f64;
        Counted::build(settings, move |relevant| Some(positions(relevant)), divisor, "floor(x R + 0.9)")
    },
};

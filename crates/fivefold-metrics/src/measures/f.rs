//! F at a cutoff: the weighted harmonic mean of precision and recall.
//!
//! With P = c/k and recall = c/R, where c is the number of relevant documents in the top min(k,n),
//! F@k = (1+x) P recall / (x P + recall) = (1+x) c / (x R + k). This is linear in c, so U and E are
//! exact. x is the square of the beta of van Rijsbergen's F_beta: trec_eval's `set_F.x` and
//! `SetF(beta=x)` of ir_measures mean this x. F is undefined without a relevant document.

use super::counted::Counted;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, Param, THRESHOLD, number};

/// The parameter `x` of F.
pub(super) const RECALL_WEIGHT: Param = Param {
    name: "x",
    help: "the weight of recall, the square of beta; trec_eval's set_F.x",
    values: "a number of at least 0, at most 1e6",
    canonical: |text| number(text, |x| (0.0..=1e6).contains(&x)),
    default: |_, _| "1".to_owned(),
    usual: None,
};

/// `f`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "f",
    summary: "F: harmonic mean of precision and recall",
    formula: "(1+x) c / (x R + k), c relevant documents in the top min(k,n), R relevant documents; undefined without one",
    source: "van Rijsbergen, Information Retrieval, 1979; trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[RECALL_WEIGHT, THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let x: f64 = settings.get("x")?;
        let divisor =
            move |k: Option<usize>, relevant: usize| (x * relevant as f64 + k.unwrap_or(relevant) as f64) / (1.0 + x);
        Counted::build(settings, |_| None, divisor, "(x R + k) / (1 + x)")
    },
};

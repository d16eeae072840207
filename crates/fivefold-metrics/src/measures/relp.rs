//! Relative precision at a cutoff: precision divided by the best precision that is possible.
//!
//! RelP@k = relevant documents in the top min(k,n) / min(k, relevant documents). Relative precision
//! is undefined without a relevant document; trec_eval's `relative_P` is then 0. V1 and V2 equal
//! those of precision. Source: trec_eval, `relative_P`.

use super::counted::Counted;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};

/// `relp`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "relp",
    summary: "relative precision: the share of the best possible precision",
    formula: "relevant documents in the top min(k,n) / min(k, relevant documents); undefined without one",
    source: "trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| {
        let best = |k: Option<usize>, relevant: usize| k.unwrap_or(relevant).min(relevant) as f64;
        Counted::build(settings, |_| None, best, "min(k, relevant documents)")
    },
};

//! scikit-learn's `ndcg_score`, `dcg_score` and `average_precision_score`.

use super::{Dialect, common};
use crate::conventions::{ApTies, Conventions, Gain};

/// `sklearn`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "sklearn",
    summary: "scikit-learn: gain y; nDCG averaged over ties, average precision at one threshold a group of ties",
    source: "scikit-learn 1.9.1",
    measures: &[("ndcg_score(k=k)", "ndcg@k"), ("dcg_score(k=k)", "dcg@k"), ("average_precision_score", "ap")],
    notes: &[
        "it refuses a query with a single document",
        "`average_precision_score` takes binary grades only, and warns where none is relevant",
        "V2 of AP where all documents tie is below 0, not 0: one threshold counts less than the mean over their orders, which is E",
        "`ignore_ties=True` ranks equal scores by numpy\u{2019}s argsort, which promises no order",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { gain: Gain::Linear, ap_ties: ApTies::Threshold, ..common() }
}

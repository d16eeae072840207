//! scikit-learn's `ndcg_score`, `dcg_score` and `average_precision_score`.

use super::{Dialect, common};
use crate::conventions::{ApTies, Conventions, Gain};

/// `sklearn`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "sklearn",
    summary: "scikit-learn: gain y; nDCG averaged over ties; for average precision, all documents of a tie are retrieved at once",
    source: "scikit-learn 1.9.1",
    measures: &[("ndcg_score(k=k)", "ndcg@k"), ("dcg_score(k=k)", "dcg@k"), ("average_precision_score", "ap")],
    notes: &[
        "scikit-learn refuses a query with a single document",
        "`average_precision_score` takes binary grades only, and warns if no document is relevant",
        "if all documents tie, V2 of AP is below 0, not 0: retrieving all documents at once gives a lower AP than the mean over their orders, which is E",
        "`ignore_ties=True` ranks equal scores by numpy\u{2019}s argsort, which promises no order",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { gain: Gain::Linear, ap_ties: ApTies::Threshold, ..common() }
}

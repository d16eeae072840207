//! LightGBM's metrics `ndcg` and `map`.

use super::{Dialect, common};
use crate::conventions::{ApDenominator, Conventions, Ties, Undefined};

/// `lightgbm`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "lightgbm",
    summary: "LightGBM: 1 for a query without a relevant document; MAP@k divided by min(k, relevant); ties by file order",
    source: "LightGBM 4.7.0",
    measures: &[("ndcg@k", "ndcg@k"), ("map@k", "ap@k")],
    notes: &["`label_gain` sets other gains: gain = \"linear\" is label_gain = 0,1,2,..."],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { ties: Ties::Input, undefined: Undefined::One, ap_denominator: ApDenominator::Min, ..common() }
}

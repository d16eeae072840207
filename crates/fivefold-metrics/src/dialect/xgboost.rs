//! XGBoost's metrics `ndcg`, `map` and `pre`.

use super::{Dialect, common};
use crate::conventions::{ApDenominator, Conventions, PDenominator, Scores, Ties, Undefined};

/// `xgboost`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "xgboost",
    summary: "XGBoost: scores compared as 32-bit floats; 1 for a query without a relevant document; P@k divided by min(k, documents)",
    source: "XGBoost 3.2.0",
    measures: &[("ndcg", "ndcg@32"), ("ndcg@k", "ndcg@k"), ("map", "ap@32"), ("map@k", "ap@k"), ("pre@k", "p@k")],
    notes: &[
        "`ndcg-`, `map-` count queries without a relevant document as 0: undefined = \"zero\"",
        "`ndcg_exp_gain = false` is gain = \"linear\"",
        "`map` and `pre` take binary grades only",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions {
        ties: Ties::Input,
        undefined: Undefined::One,
        ap_denominator: ApDenominator::Min,
        p_denominator: PDenominator::List,
        scores: Scores::F32,
        ..common()
    }
}

//! CatBoost's metrics of ranking, as `catboost.utils.eval_metric` computes them.

use super::{Dialect, common};
use crate::conventions::{ApDenominator, Conventions, Gain, NoRelevant, PDenominator, Ties, Undefined};

/// `catboost`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "catboost",
    summary: "CatBoost: gain y; documents of equal score in order of grade, the lowest first; without a relevant document NDCG is 1, MAP and MRR are 0",
    source: "CatBoost 1.2.10",
    measures: &[
        ("NDCG:top=k", "ndcg@k"),
        ("NDCG:type=Exp;top=k", "ndcg(gain=exp2)@k"),
        ("DCG:top=k", "dcg@k"),
        ("MAP:top=k", "ap@k"),
        ("PrecisionAt:top=k", "p@k"),
        ("MRR:top=k", "rr@k"),
    ],
    notes: &[
        "a document is relevant if its grade is above `border`, .5 by default",
        "`ERR` takes probabilities of relevance instead of grades",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions {
        gain: Gain::Linear,
        ties: Ties::Pessimistic,
        undefined: Undefined::One,
        no_relevant: NoRelevant::Zero,
        ap_denominator: ApDenominator::Min,
        p_denominator: PDenominator::List,
        ..common()
    }
}

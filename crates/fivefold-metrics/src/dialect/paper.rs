//! Feng & Karmaker, "Joint upper & expected value normalization for evaluation of retrieval
//! systems", IPM 60, 2023.

use super::Dialect;
use crate::conventions::{
    ApDenominator, ApTies, Conventions, Discount, FoldMean, Gain, HighestGrade, MissingTopics, NoRelevant,
    PDenominator, Scores, ShortList, SpExpected, SpUpper, Ties, Undefined, Unjudged,
};

/// `paper`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "paper",
    summary: "Feng & Karmaker, IPM 2023: AP divided by the cutoff k; V1 and V2 of AP with U = k and E = k p^2, p the share of relevant documents; ties averaged",
    source: "Feng & Karmaker, IPM 60, 2023",
    measures: &[],
    notes: &["ties and undefined values are our choice: the paper says nothing of them"],
    conventions,
};

/// The only complete list: other dialects list their differences from [`common`](super::common).
pub(super) fn conventions() -> Conventions {
    Conventions {
        gain: Gain::Exp2,
        discount: Discount::Log2,
        ties: Ties::Average,
        undefined: Undefined::Zero,
        threshold: 1,
        ap_denominator: ApDenominator::Cutoff,
        p_denominator: PDenominator::Cutoff,
        sp_upper: SpUpper::Cutoff,
        sp_expected: SpExpected::Independent,
        short_list: ShortList::Cut,
        fold_mean: FoldMean::Queries,
        unjudged: Unjudged::NotRelevant,
        missing_topics: MissingTopics::Zero,
        scores: Scores::F64,
        ap_ties: ApTies::Orders,
        no_relevant: NoRelevant::Undefined,
        err_no_relevant: NoRelevant::Zero,
        max_grade: HighestGrade::Collection,
    }
}

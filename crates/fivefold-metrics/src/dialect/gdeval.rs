//! gdeval.pl, the script of the TREC web tracks 2010 to 2014 for graded judgements (Clarke).

use super::{Dialect, common};
use crate::conventions::{Conventions, HighestGrade, MissingTopics, NoRelevant, Ties, Undefined};

/// `gdeval`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "gdeval",
    summary: "gdeval.pl of the TREC web tracks: gain 2^y - 1; grades to 4; ties by document id, descending; topics without a relevant document left out",
    source: "gdeval.pl 1.2a, as ir_measures 0.4.3 brings it along",
    measures: &[("ndcg@20", "ndcg@20"), ("err@20", "err@20")],
    notes: &[
        "negative grades count as 0; a grade above 4 is an error in the script; here such a grade is an error for ERR only, and nDCG takes it",
        "the script prints five decimals",
        "ir_measures calls gdeval.pl for nDCG with exponential gain and for ERR, but trec_eval for most other measures",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions {
        ties: Ties::DocId,
        undefined: Undefined::Skip,
        missing_topics: MissingTopics::Skip,
        err_no_relevant: NoRelevant::Undefined,
        max_grade: HighestGrade::Always(4),
        ..common()
    }
}

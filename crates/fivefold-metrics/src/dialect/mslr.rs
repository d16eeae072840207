//! The evaluation script of the Microsoft Learning to Rank data sets (eval-score-mslr.pl, Xu,
//! 2010).

use super::{Dialect, letor4};
use crate::conventions::Conventions;

/// `mslr`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "mslr",
    summary: "the evaluation script of MSLR-WEB10K and 30K: as letor4, but a document is relevant from grade 2",
    source: "eval-score-mslr.pl of 12 June 2010",
    measures: &[("NDCG@k", "ndcg@k"), ("MeanNDCG", "meanndcg"), ("P@k", "p@k"), ("MAP", "ap")],
    notes: &[
        "the script knows grades 0 to 4 only, and prints four decimals",
        "grade 1 is not relevant for P and MAP, but has gain 1 in NDCG",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { threshold: 2, ..letor4::conventions() }
}

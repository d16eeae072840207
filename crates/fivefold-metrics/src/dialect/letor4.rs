//! The evaluation script of LETOR 4.0 (Eval-Score-4.0.pl, Xu & Liu, 2009).

use super::{Dialect, common};
use crate::conventions::{Conventions, Discount, FoldMean, ShortList, Ties};

/// `letor4`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "letor4",
    summary: "the evaluation script of LETOR 4.0: discount 1, 1, 1/log2(i); ties by file order; NDCG@k is 0 if the query has fewer than k documents",
    source: "the published results of LETOR 4.0 and OHSUMED",
    measures: &[("NDCG@k", "ndcg@k"), ("MeanNDCG", "meanndcg"), ("P@k", "p@k"), ("MAP", "ap")],
    notes: &["the script prints four decimals", "published values of a collection are means of five fold means"],
    conventions,
};

pub(super) fn conventions() -> Conventions {
    Conventions {
        discount: Discount::Letor,
        ties: Ties::Input,
        short_list: ShortList::Zero,
        fold_mean: FoldMean::Folds,
        ..common()
    }
}

//! RankLib (the Lemur project, 2.10 line), as its `-metric2t` prints values of queries.

use super::{Dialect, common};
use crate::conventions::{Conventions, HighestGrade, PDenominator, Ties};

/// `ranklib`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "ranklib",
    summary: "RankLib: gain 2^y - 1, P@k divided by min(k, documents), ERR with highest grade 4, or the grade of \
        -gmax; ties by file order",
    source: "RankLib, 2.10 line",
    measures: &[
        ("NDCG@k", "ndcg@k"),
        ("DCG@k", "dcg@k"),
        ("P@k", "p@k"),
        ("MAP", "ap"),
        ("RR@k", "rr@k"),
        ("ERR@k", "err@k"),
        ("ERR@k -gmax 2", "err(max_grade=2)@k"),
    ],
    notes: &[
        "RR is computed in 32-bit floats",
        "RankLib's models add up 32-bit floats, so their scores differ from an exact sum in the seventh digit",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { p_denominator: PDenominator::List, ties: Ties::Input, max_grade: HighestGrade::Always(4), ..common() }
}

//! ranx (Bassani, ECIR 2022).

use super::{Dialect, common};
use crate::conventions::{Conventions, Gain, Ties};

/// `ranx`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "ranx",
    summary: "ranx: gain y; AP@k divided by the relevant documents; equal scores in the order of the run, in lists of up to 15 documents",
    source: "ranx 0.3.21",
    measures: &[
        ("ndcg@k", "ndcg@k"),
        ("ndcg_burges@k", "ndcg(gain=exp2)@k"),
        ("map@k", "ap@k"),
        ("precision@k", "p@k"),
        ("mrr@k", "rr@k"),
    ],
    notes: &[
        "`rel_lvl` is threshold",
        "equal scores of longer lists stand as numba's quicksort leaves them, an order that no rule describes",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions { gain: Gain::Linear, ties: Ties::Input, ..common() }
}

//! The registered measures, one file each. A new measure is a file with a [`MeasureEntry`] and a line in [`MEASURES`].

mod dcg;
mod discounted;
mod err;
mod mean_ndcg;
mod neru;
mod p;
mod rbp;
mod rr;
mod sp;

use crate::entry::MeasureEntry;

/// All measures, in the order in which they are listed.
pub const MEASURES: &[MeasureEntry] = &[
    dcg::NDCG,
    dcg::DCG,
    mean_ndcg::ENTRY,
    sp::AP,
    sp::SP,
    p::P,
    p::WTA,
    rr::ENTRY,
    err::ENTRY,
    rbp::ENTRY,
    neru::NERU,
    neru::NNERU,
];

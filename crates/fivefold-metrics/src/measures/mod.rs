//! The registered measures. A new measure is a file with a [`MeasureEntry`], and a line in
//! [`MEASURES`].

mod above;
mod bing;
mod bpm;
mod bpref;
mod counted;
mod dcg;
mod discounted;
mod err;
mod f;
mod infap;
mod insq;
mod inst;
mod iprec;
mod mean_ndcg;
mod neru;
mod p;
mod pairs;
mod pfound;
mod q;
mod rbp;
mod recall;
mod relp;
mod rprec;
mod rr;
mod sdcg;
mod set;
mod sp;
mod success;
mod unjudged;

use crate::entry::MeasureEntry;

/// All measures, in the order in which they are listed.
///
/// ```
/// use fivefold_metrics::MEASURES;
///
/// let names: Vec<&str> = MEASURES.iter().map(|entry| entry.name).collect();
/// assert!(["ndcg", "ap", "p", "rr", "err"].iter().all(|name| names.contains(name)));
/// ```
pub const MEASURES: &[MeasureEntry] = &[
    dcg::NDCG,
    dcg::DCG,
    mean_ndcg::ENTRY,
    sp::AP,
    sp::SP,
    p::P,
    p::WTA,
    recall::ENTRY,
    relp::ENTRY,
    rprec::ENTRY,
    f::ENTRY,
    success::ENTRY,
    rr::ENTRY,
    err::ENTRY,
    err::NERR,
    pfound::ENTRY,
    rbp::ENTRY,
    insq::ENTRY,
    sdcg::ENTRY,
    q::ENTRY,
    iprec::IPREC,
    iprec::IPREC11,
    inst::INST,
    inst::NERR8,
    inst::NERR9,
    inst::NERR10,
    inst::NERR11,
    bpm::ENTRY,
    bing::ENTRY,
    bpref::ENTRY,
    infap::ENTRY,
    pairs::AUC,
    pairs::PAIR_ACCURACY,
    neru::NERU,
    neru::NNERU,
    set::PRECISION,
    set::RECALL,
    set::F,
    set::AP,
    set::RELATIVE,
    set::UTILITY,
    unjudged::JUDGED,
    unjudged::UNJUDGED,
    unjudged::RBP_RESIDUAL,
];

/// Why a measure is 0 by convention, for [`Parts`](crate::measure::Parts).
const NONE_RELEVANT: &str = "no judged document is relevant (no_relevant: zero)";

/// Each contribution as the product of (contribution x rank) and 1/rank, for
/// [`Parts`](crate::measure::Parts).
fn by_rank(contributions: &[f64]) -> Vec<[f64; 2]> {
    let at = |(rank, &contribution): (usize, &f64)| [contribution * rank as f64, 1.0 / rank as f64];
    (1..).zip(contributions).map(at).collect()
}

//! The registered measures. A new measure is a file with a [`MeasureEntry`], and a line in
//! [`MEASURES`].

mod above;
mod bing;
mod bpm;
mod bpref;
mod compat;
mod counted;
mod dcg;
mod discounted;
mod diversity;
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

use crate::conventions::NoRelevant;
use crate::entry::MeasureEntry;
use crate::measure::{GradeTable, Parts, Ranked};

/// All measures but those of subtopics, in the order in which they are listed.
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
    compat::ENTRY,
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

/// Measures of subtopics, which [`DiversityEvaluator`](crate::diversity::DiversityEvaluator)
/// computes.
///
/// ```
/// use fivefold_metrics::DIVERSITY_MEASURES;
///
/// assert!(DIVERSITY_MEASURES.iter().any(|entry| entry.name == "alpha_ndcg"));
/// ```
pub const DIVERSITY_MEASURES: &[MeasureEntry] = &[
    diversity::ALPHA_NDCG,
    diversity::ALPHA_DCG,
    diversity::ERR_IA,
    diversity::NERR_IA,
    diversity::NRBP,
    diversity::NNRBP,
    diversity::P_IA,
    diversity::AP_IA,
    diversity::STREC,
];

/// All measures, of both lists.
///
/// ```
/// use fivefold_metrics::{DIVERSITY_MEASURES, MEASURES, all_measures};
///
/// assert_eq!(all_measures().count(), MEASURES.len() + DIVERSITY_MEASURES.len());
/// ```
pub fn all_measures() -> impl Iterator<Item = &'static MeasureEntry> + Clone {
    MEASURES.iter().chain(DIVERSITY_MEASURES)
}

/// Why a measure is 0 by convention, for [`Parts`].
const NONE_RELEVANT: &str = "no judged document is relevant (no_relevant: zero)";

/// Each contribution as the product of (contribution x rank) and 1/rank, for
/// [`Parts`].
fn by_rank(contributions: &[f64]) -> Vec<[f64; 2]> {
    let at = |(rank, &contribution): (usize, &f64)| [contribution * rank as f64, 1.0 / rank as f64];
    (1..).zip(contributions).map(at).collect()
}

/// Each contribution as the share of relevant documents times a factor, over the number of relevant
/// documents, for [`Parts`].
fn by_relevance(relevant: &GradeTable, ranked: &Ranked<'_>, contributions: &[f64], factor: &'static str) -> Parts {
    let shares = ranked.of_positions(contributions.len(), |grades| relevant.mean(grades));
    let of = |(&value, share): (&f64, f64)| [share, if share > 0.0 { value / share } else { 0.0 }];
    let values = contributions.iter().zip(shares).map(of).collect();
    let (factors, normaliser) = (Some(["relevant", factor]), "relevant documents");
    Parts { values, factors, normaliser, zero: NONE_RELEVANT, ..Parts::default() }
}

/// The divisor of a sum over the relevant documents of the pool.
fn over_relevant(relevant: usize, no_relevant: NoRelevant) -> f64 {
    if relevant == 0 { no_relevant.normaliser() } else { relevant as f64 }
}

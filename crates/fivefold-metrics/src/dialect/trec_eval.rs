//! trec_eval, NIST's program for TREC runs (Buckley; version 9).
//!
//! Up to version 9.0.8, trec_eval compares scores as 32-bit floats; version 10 compares 64-bit
//! floats.

use super::{Dialect, common};
use crate::conventions::{Conventions, Gain, MissingTopics, Scores, Ties};

/// `trec_eval`.
pub(super) const DIALECT: Dialect = Dialect {
    name: "trec_eval",
    summary: "trec_eval 9.0.8 without -c: gain y; ties by document id, descending; AP divided by the relevant documents; topics that a run lacks are left out",
    source: "trec_eval 9.0.8 (its own tests; pytrec_eval-terrier 0.5.11)",
    measures: &[
        ("map", "ap"),
        ("map_cut_k", "ap@k"),
        ("ndcg", "ndcg"),
        ("ndcg_cut_k", "ndcg@k"),
        ("P_k", "p@k"),
        ("recip_rank", "rr"),
        ("recall_k", "recall@k"),
        ("relative_P_k", "relp@k"),
        ("success_k", "success@k"),
        ("Rprec", "rprec"),
        ("Rprec_mult_0.20", "rprec(x=0.2)"),
        ("bpref", "bpref"),
        ("infAP", "infap"),
        ("binG", "bing"),
        ("iprec_at_recall_0.50", "iprec(x=0.5)"),
        ("11pt_avg", "iprec11"),
        ("set_P", "set_p"),
        ("set_recall", "set_recall"),
        ("set_F", "set_f"),
        ("set_F.2", "set_f(x=2)"),
        ("set_map", "set_ap"),
        ("set_relative_P", "set_relp"),
        ("utility", "utility"),
    ],
    notes: &[
        "-c is missing_topics = \"zero\", -l 2 is threshold = 2, -J is unjudged = \"removed\"",
        "version 10 compares scores in full: scores = \"f64\"; it adds rbp_resid and unj_k, which are rbp_resid and unj@k",
        "the program prints four decimals",
    ],
    conventions,
};

fn conventions() -> Conventions {
    Conventions {
        gain: Gain::Linear,
        ties: Ties::DocId,
        missing_topics: MissingTopics::Skip,
        scores: Scores::F32,
        ..common()
    }
}

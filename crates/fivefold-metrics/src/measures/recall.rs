//! Recall at a cutoff.
//!
//! Recall@k = relevant documents in the top min(k,n) / relevant documents. The denominator counts
//! all judged relevant documents, retrieved or not. Recall is undefined without a relevant
//! document; trec_eval's `recall` is then 0. The denominator cancels out in V1 and V2, so they
//! equal V1 and V2 of precision. V1 and V2 are undefined if k reaches the end of the list, since
//! every order then has the same value. Source: trec_eval, `recall`. Cost: an addition a document.

use super::counted::Counted;
use crate::entry::{Asks, Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};

/// `recall`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "recall",
    summary: "recall",
    formula: "relevant documents in the top min(k,n) / relevant documents; undefined without a relevant document",
    source: "trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[THRESHOLD, NO_RELEVANT],
    asks: Asks::Binary,
    paper: None,
    no_ue: None,
    build: |settings| Counted::build(settings, |_| None, |_, relevant| relevant as f64, "relevant documents"),
};

#[cfg(test)]
mod tests {
    use fivefold_base::Seed;

    use crate::{Evaluator, MeasureSpec, Scratch, dialect};

    /// From pytrec_eval-terrier 0.5 (trec_eval):
    /// `RelevanceEvaluator({"q": {"a": 1, "b": 0, "c": 2, "d": 1, "e": 0, "f": 1}},
    /// {"recall.1,2,3,5"})` for the run a, b, c, x, d, where x is not judged. Then the same with
    /// `relevance_level=2`.
    #[test]
    fn recall_is_that_of_trec_eval_pools() {
        let conventions = (dialect("trec_eval").unwrap().conventions)();
        for (threshold, expected) in [(1, [0.25, 0.25, 0.5, 0.75]), (2, [0.0, 0.0, 1.0, 1.0])] {
            let spec = |k: usize| format!("recall(threshold={threshold})@{k}").parse::<MeasureSpec>().unwrap();
            let evaluator = Evaluator::new(&[1, 2, 3, 5].map(spec), &conventions, 2, Seed::new(1)).unwrap();
            let (judged, retrieved) = ([1, 0, 2, 1, 0, 1], [Some(1), Some(0), Some(2), None, Some(1)]);
            let ids = Some(&["a", "b", "c", "x", "d"][..]);
            let topic = evaluator.judge_pool("q", &judged, &retrieved, ids).unwrap();
            let mut found = [0.0; 4];
            evaluator.evaluate(&topic, &[9.0, 8.0, 7.0, 6.0, 5.0], &mut Scratch::default(), &mut found).unwrap();
            assert_eq!(found, expected);
        }
    }
}

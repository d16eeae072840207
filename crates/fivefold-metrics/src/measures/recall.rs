//! Recall at a cutoff.
//!
//! Recall@k = relevant documents in the top min(k,n) / relevant documents. The denominator counts
//! all judged relevant documents, retrieved or not. Recall is undefined without a relevant
//! document; trec_eval's `recall` is then 0. The denominator cancels out in V1 and V2, so they
//! equal V1 and V2 of precision. V1 and V2 are undefined if k reaches the end of the list, since
//! every order then has the same value. Source: trec_eval, `recall`. Cost: an addition a document.

use super::NONE_RELEVANT;
use crate::conventions::NoRelevant;
use crate::entry::{Cutoffs, MeasureEntry, NO_RELEVANT, THRESHOLD};
use crate::measure::{GradeTable, Measure, Parts, QueryGrades, Ranked};

/// `recall`.
pub(super) const ENTRY: MeasureEntry = MeasureEntry {
    name: "recall",
    summary: "recall",
    formula: "relevant documents in the top min(k,n) / relevant documents; undefined without one",
    source: "trec_eval",
    cutoffs: Cutoffs::Required,
    params: &[THRESHOLD, NO_RELEVANT],
    paper: None,
    build: |settings| {
        let (threshold, no_relevant) = (settings.get("threshold")?, settings.get("no_relevant")?);
        Ok(Box::new(Recall { threshold, relevant: GradeTable::relevant(threshold), no_relevant }))
    },
};

struct Recall {
    threshold: u8,
    relevant: GradeTable,
    no_relevant: NoRelevant,
}

impl Measure for Recall {
    fn contributions(&self, ranked: &Ranked<'_>, out: &mut [f64]) {
        for group in ranked.groups(out.len()) {
            out[group.start..group.seen].fill(self.relevant.mean(group.grades));
        }
    }

    fn parts(&self, _: Option<usize>, _: &Ranked<'_>, contributions: &[f64]) -> Parts {
        let values = contributions.iter().map(|&relevant| [relevant, 1.0]).collect();
        let factors = Some(["relevant", "weight"]);
        Parts { factors, values, normaliser: "relevant documents", zero: NONE_RELEVANT, ..Parts::default() }
    }

    fn normaliser(&self, _: Option<usize>, query: &QueryGrades, _: f64) -> f64 {
        match query.relevant(self.threshold) {
            0 => self.no_relevant.normaliser(),
            relevant => relevant as f64,
        }
    }
}

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
            let (judged, retrieved) = ([1, 0, 2, 1, 0, 1], [1, 0, 2, 0, 1]);
            let ids = Some(&["a", "b", "c", "x", "d"][..]);
            let topic = evaluator.judge_pool("q", &judged, &retrieved, ids).unwrap();
            let mut found = [0.0; 4];
            evaluator.evaluate(&topic, &[9.0, 8.0, 7.0, 6.0, 5.0], &mut Scratch::default(), &mut found).unwrap();
            assert_eq!(found, expected);
        }
    }
}

//! Two other measures of novelty, shown beside residual gain.
//!
//! - Rareness-based precision (Tuerkmen et al.): (1/k) sum_{i<=k} rel_i (1 + alpha (1 - c_d/S)).
//!   Here c_d is the number of runs with document d in their top k for this query, and S the number
//!   of all runs, the target included. The measure depends on how many runs found a document, not
//!   on the document's rank in them.
//! - TaSC (Arabzadeh et al.): the mean over queries of m(target) (1 - max over prior runs of
//!   m(prior)). In the source m is nDCG; here m is the study's measure. TaSC depends on how well
//!   other runs did on a query, not on the documents that they found.

use crate::residual::gain::Ranking;
use crate::systems::Document;

/// Rareness-based P@k of every system for one query; 0 for a system that lacks the query.
pub fn rareness(
    rankings: &[Option<Ranking>],
    cutoff: usize,
    alpha: f64,
    is_relevant: impl Fn(Document) -> bool,
) -> Vec<f64> {
    let tops = || rankings.iter().flatten().map(|ranking| ranking.top(cutoff));
    let documents = tops().flatten().max().map_or(0, |&last| last as usize + 1);
    let mut runs_with = vec![0u32; documents];
    tops().flatten().for_each(|&document| runs_with[document as usize] += 1);
    let worth = |&document: &Document| {
        let share = f64::from(runs_with[document as usize]) / rankings.len() as f64;
        if is_relevant(document) { 1.0 + alpha * (1.0 - share) } else { 0.0 }
    };
    let of = |ranking: &Option<Ranking>| {
        let top = ranking.as_ref().map_or(&[][..], |ranking| ranking.top(cutoff));
        top.iter().map(worth).sum::<f64>() / cutoff as f64
    };
    rankings.iter().map(of).collect()
}

/// The contribution of one query to TaSC. `values[s]` is the measure of system `s`; `priors` are
/// the systems before `target`.
pub fn tasc(values: &[f64], target: usize, priors: &[usize]) -> f64 {
    let best = priors.iter().map(|&prior| values[prior]).fold(0.0, f64::max);
    values[target] * (1.0 - best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rareness_by_hand() {
        // The documents 0 and 1 are relevant. The top 2 are: A = 0 1, B = 0 2, D = 2 0 (and 1
        // beyond the cutoff). C lacks the query.
        let ranking = |documents: &[Document]| Some(Ranking::new(documents.to_vec()).unwrap());
        let rankings = [ranking(&[0, 1, 5]), ranking(&[0, 2]), None, ranking(&[2, 0, 1])];
        let relevant = |document| document < 2;
        // Document 0 is in three of four runs, document 1 in one of four.
        let (common, rare) = (1.0 + 0.25, 1.0 + 0.75);
        assert_eq!(rareness(&rankings, 2, 1.0, relevant), [(common + rare) / 2.0, common / 2.0, 0.0, common / 2.0]);
        // alpha 0 is plain precision.
        assert_eq!(rareness(&rankings, 2, 0.0, relevant), [1.0, 0.5, 0.0, 0.5]);
    }

    #[test]
    fn tasc_by_hand() {
        let values = [0.8, 0.5, 0.6];
        assert_eq!(tasc(&values, 0, &[]), 0.8);
        assert_eq!(tasc(&values, 0, &[1, 2]), 0.8 * (1.0 - 0.6));
        assert_eq!(tasc(&values, 1, &[0]), 0.5 * (1.0 - 0.8));
    }
}

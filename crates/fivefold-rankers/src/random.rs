//! A random ranking: the control that every learner must beat.
//!
//! score(d) = the first 53 bits of a hash of (seed, query id, document id), as a number in [0, 1).
//! Without document ids, the bits of the document's feature values stand for the id, so documents
//! with equal features tie. The row number is not used, so a document has the same score at any
//! place in its file.
//!
//! Cost: two short BLAKE3 hashes a document.

use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Seed};
use serde::{Deserialize, Serialize};

/// Ranks at random, by seed.
///
/// ```
/// use fivefold_rankers::{Dataset, FitContext, Model, Random, Ranker, Seed};
///
/// // A control: the order depends on the seed and the documents alone.
/// let data = Dataset::of_queries(1, [(&[3.0, 2.0, 1.0][..], &[2, 1, 0][..])])?;
/// let scores = |seed| {
///     let model = Random::default().fit(&data, &FitContext::new(Seed::new(seed)))?;
///     Ok::<_, fivefold_rankers::FitError>(model.scores(data.query(0).view()))
/// };
/// assert_eq!(scores(1)?, scores(1)?);
/// assert_ne!(scores(1)?, scores(2)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Random {}

/// The seed of a random ranking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomModel {
    seed: u64,
}

impl Model for RandomModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        let of_query = Seed::new(self.seed).derive(query.id());
        let mut bytes = Vec::with_capacity(4 * query.width());
        for (row, score) in out.iter_mut().enumerate() {
            let hash = match query.doc_id(row) {
                Some(id) => of_query.derive(id),
                None => {
                    bytes.clear();
                    bytes.extend(query.row(row).iter().flat_map(|x| x.to_le_bytes()));
                    of_query.derive(&bytes)
                }
            };
            *score = (hash.value() >> 11) as f64 / (1u64 << 53) as f64;
        }
    }
}

impl Ranker for Random {
    const NAME: &'static str = "random";
    const SUMMARY: &'static str = "a seeded random order, the control";
    const LEARNS: bool = false;
    type Model = RandomModel;

    /// Nothing is learnt.
    fn fit_bytes(&self, _: &Dataset, _: Option<&Dataset>) -> u64 {
        0
    }

    fn fit(&self, _: &Dataset, cx: &FitContext<'_>) -> Result<RandomModel, FitError> {
        Ok(RandomModel { seed: cx.seed().value() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_data::{rows, rows_with_ids};

    fn scores(seed: u64, query: QueryView<'_>) -> Vec<f64> {
        let mut out = vec![0.0; query.len()];
        RandomModel { seed }.score(query, &mut out);
        out
    }

    #[test]
    fn scores_follow_the_document_not_its_place() {
        let data = rows_with_ids(&[(0, "a", &[1.0]), (0, "b", &[1.0]), (1, "c", &[2.0])]);
        let moved = rows_with_ids(&[(1, "c", &[2.0]), (0, "a", &[1.0]), (0, "b", &[1.0])]);
        let (here, there) = (scores(3, data.query(0).view()), scores(3, moved.query(0).view()));
        assert_eq!([here[0], here[1], here[2]], [there[1], there[2], there[0]]);
        assert_ne!(here[0], here[1], "documents with equal features but other ids");
        assert_ne!(here, scores(4, data.query(0).view()), "the seed must matter");
    }

    #[test]
    fn features_stand_for_missing_ids() {
        let data = rows(&[&[(0, &[1.0]), (0, &[1.0]), (1, &[2.0])]]);
        let found = scores(3, data.query(0).view());
        assert_eq!(found[0], found[1]);
        assert_ne!(found[0], found[2]);
    }

    #[test]
    fn scores_are_uniform() {
        let values: Vec<f32> = (0..4000).map(|i| i as f32).collect();
        let found = scores(1, QueryView::new("q", &values, 1, 4000));
        let mut tenths = [0u32; 10];
        found.iter().for_each(|s| tenths[(s * 10.0) as usize] += 1);
        let chi2: f64 = tenths.iter().map(|&c| (f64::from(c) - 400.0).powi(2) / 400.0).sum();
        assert!(chi2 < 27.9, "chi-square with 9 degrees of freedom, 0.1 % point 27.9: {chi2}");
    }
}

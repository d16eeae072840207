//! Values of rankings as their documents come in.
//!
//! Each system keeps its [`GrowingRanking`], into which new documents are merged. U and E of a size
//! are judged once for all systems. Drawn scores never tie; scores of trees do, on short lists.

use fivefold_metrics::growing::GrowingRanking;
use fivefold_metrics::{Evaluator, MeasureError};
use rayon::prelude::*;

/// Documents in the order in which they come in, with the scores of each system.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// The name of the documents in errors.
    pub(super) id: String,
    pub(super) grades: Vec<u8>,
    /// For each system, a finite score of each document.
    pub(super) scores: Vec<Vec<f64>>,
}

impl Stream {
    /// Values of each system over the first n documents, for each of the rising `sizes`: sizes x
    /// systems x measures. NaN marks an undefined value. `step` is called after each size.
    ///
    /// # Errors
    /// A tie policy that needs document ids, or an error of `step`.
    pub(super) fn values<E: From<MeasureError> + Send>(
        &self,
        evaluator: &Evaluator,
        sizes: &[usize],
        mut step: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<f64>, E> {
        let columns = evaluator.names().len();
        let mut values = vec![f64::NAN; sizes.len() * self.scores.len() * columns];
        let mut rankings = vec![GrowingRanking::default(); self.scores.len()];
        let row = self.scores.len() * columns;
        for (&size, row) in sizes.iter().zip(values.chunks_exact_mut(row.max(1))) {
            let judged = evaluator.judge(&self.id, &self.grades[..size], None)?;
            let systems = rankings.par_iter_mut().zip(&self.scores).zip(row.par_chunks_exact_mut(columns.max(1)));
            systems.try_for_each(|((ranking, scores), out)| {
                ranking.extend(&scores[..size], &self.grades[..size]);
                ranking.evaluate(evaluator, &judged, &scores[..size], out)
            })?;
            step()?;
        }
        Ok(values)
    }
}

#[cfg(test)]
mod tests {
    use fivefold_core::Seed;
    use fivefold_metrics::{Scratch, dialect};

    use super::*;

    const MEASURES: [&str; 14] = [
        "ndcg@10",
        "p@10",
        "wta",
        "neru",
        "ndcg",
        "ndcg(discount=power:0.5)",
        "ap",
        "rr",
        "err@20",
        "rbp",
        "meanndcg",
        "ndcg.v1",
        "ndcg.v2(discount=power:0.5)",
        "ap.v2@50",
    ];

    fn evaluator() -> Evaluator {
        let specs: Vec<_> = MEASURES.iter().map(|name| name.parse().unwrap()).collect();
        Evaluator::new(&specs, &dialect("paper").unwrap().conventions(), 2, Seed::new(1)).unwrap()
    }

    /// Grades and scores of three systems; `coarse` makes scores equal.
    fn stream(documents: usize, coarse: bool) -> Stream {
        let mut rng = Seed::new(7).rng();
        let grades: Vec<u8> = (0..documents).map(|_| rng.below(3) as u8).collect();
        let mut score = |grade: &u8, weight: f64| {
            let score = weight * f64::from(*grade) + rng.normal();
            if coarse { score.round() } else { score }
        };
        let scores = [1.0, 0.2, -0.5].map(|weight| grades.iter().map(|grade| score(grade, weight)).collect());
        Stream { id: "q".to_owned(), grades, scores: scores.into() }
    }

    /// The expected values come from an evaluator that sorts every prefix anew.
    #[test]
    fn merged_rankings_have_the_values_of_rankings_sorted_anew() {
        let evaluator = evaluator();
        for coarse in [false, true] {
            let stream = stream(3_000, coarse);
            let sizes = [1, 2, 9, 10, 11, 150, 151, 1_000, 2_500, 3_000];
            let values = stream.values(&evaluator, &sizes, || Ok::<_, MeasureError>(())).unwrap();
            let mut rows = values.chunks_exact(MEASURES.len());
            let mut anew = [0.0; MEASURES.len()];
            for size in sizes {
                let judged = evaluator.judge("q", &stream.grades[..size], None).unwrap();
                for scores in &stream.scores {
                    evaluator.evaluate(&judged, &scores[..size], &mut Scratch::default(), &mut anew).unwrap();
                    for ((value, anew), name) in rows.next().unwrap().iter().zip(anew).zip(MEASURES) {
                        let same = (value - anew).abs() < 1e-12 || value.is_nan() && anew.is_nan();
                        assert!(same, "{name} at {size}: {value}, anew {anew}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_the_step_says_ends_the_work() {
        let mut steps = 0;
        let stop = || {
            steps += 1;
            if steps < 2 { Ok(()) } else { Err(MeasureError::NoDocumentIds { query: "q".to_owned(), ties: "docid" }) }
        };
        assert!(stream(30, false).values(&evaluator(), &[10, 20, 30], stop).is_err());
        assert_eq!(steps, 2);
    }
}

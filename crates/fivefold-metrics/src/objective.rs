//! One measure as a training objective: the queries of a data set judged once, then evaluated for changing scores.
//!
//! ```text
//! let objective = Objective::new(&"ndcg@10".parse()?, &conventions, &train, seed)?;
//! let before = objective.mean(&scores, &mut scratch)?;            // all queries, serially
//! values[q] = objective.value(q, &scores_of_q, &mut scratch)?;    // one query, e.g. in a parallel map
//! let after = objective.average(&values);                         // then a serial fold
//! ```
//! Nothing is allocated after the first query of the greatest length.

use std::ops::Range;

use fivefold_core::{Dataset, Seed};

use crate::conventions::Conventions;
use crate::error::MeasureError;
use crate::evaluator::{Evaluator, Exchanges, Judged, Scratch};
use crate::mean::{mean, settle};
use crate::spec::MeasureSpec;

/// A measure over the queries of a data set.
pub struct Objective {
    evaluator: Evaluator,
    queries: Vec<Judged>,
    bounds: Vec<usize>,
}

impl Objective {
    /// Judges every query of `data`. `seed` is used by `shuffle` ties only.
    ///
    /// # Errors
    /// If the measure does not fit the collection, or ties need document ids that it does not have.
    pub fn new(
        measure: &MeasureSpec,
        conventions: &Conventions,
        data: &Dataset,
        seed: Seed,
    ) -> Result<Self, MeasureError> {
        let evaluator = Evaluator::new(std::slice::from_ref(measure), conventions, data.max_grade(), seed)?;
        let judge = |query: fivefold_core::JudgedQuery<'_>| {
            let ids: Option<Vec<&str>> = (0..query.len()).map(|row| query.doc_id(row)).collect();
            evaluator.judge(query.id(), query.grades(), ids.as_deref())
        };
        let queries = data.queries().map(judge).collect::<Result<_, _>>()?;
        Ok(Objective { evaluator, queries, bounds: data.bounds() })
    }

    /// The measure's name.
    pub fn name(&self) -> &str {
        &self.evaluator.names()[0]
    }

    /// Number of queries.
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there is no query.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Where the scores of query `query` stand among those of the data set.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn rows(&self, query: usize) -> Range<usize> {
        self.bounds[query]..self.bounds[query + 1]
    }

    /// The value of one query for the scores of its documents; NaN where it is undefined.
    ///
    /// # Errors
    /// If there is not one finite score a document.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn value(&self, query: usize, scores: &[f64], scratch: &mut Scratch) -> Result<f64, MeasureError> {
        let mut value = [f64::NAN];
        self.evaluator.evaluate(&self.queries[query], scores, scratch, &mut value)?;
        Ok(value[0])
    }

    /// What exchanges of two documents of query `query` do to its value, in a ranking without ties; `grades` are its grades
    /// from the first position to the last. `None` where the value is undefined.
    ///
    /// # Panics
    /// If there is no such query, or not one grade a document.
    pub fn exchanges<'a>(&'a self, query: usize, grades: &'a [u8], scratch: &mut Scratch) -> Option<Exchanges<'a>> {
        self.evaluator.exchanges(&self.queries[query], 0, grades, scratch)
    }

    /// The mean of the queries' values under the policy for undefined values; NaN if no query counts.
    pub fn average(&self, values: &[f64]) -> f64 {
        mean(values, self.evaluator.conventions().undefined).value
    }

    /// The mean over all queries for one score a document of the data set, in its order; NaN if no query counts.
    ///
    /// # Errors
    /// If there is not one finite score a document.
    pub fn mean(&self, scores: &[f64], scratch: &mut Scratch) -> Result<f64, MeasureError> {
        let documents = self.bounds[self.len()];
        if scores.len() != documents {
            let (query, found) = ("(all)".to_owned(), scores.len());
            return Err(MeasureError::Count { query, what: "scores", found, expected: documents });
        }
        let policy = self.evaluator.conventions().undefined;
        let (mut sum, mut counted) = (0.0, 0usize);
        for query in 0..self.len() {
            if let Some(value) = settle(self.value(query, &scores[self.rows(query)], scratch)?, policy) {
                sum += value;
                counted += 1;
            }
        }
        Ok(sum / counted as f64)
    }
}

//! One measure as a training objective: queries are judged once, then evaluated for changing
//! scores.
//!
//! ```text
//! let objective = Objective::new(&"ndcg@10".parse()?, &conventions, &train, seed)?;
//! let before = objective.mean(&scores, &mut scratch)?;            // all queries, serially
//! values[q] = objective.value(q, &scores_of_q, &mut scratch)?;    // one query, e.g. in a parallel map
//! let after = objective.average(&values);                         // then a serial fold
//! ```
//! No memory is allocated after the first query of the greatest length.

use std::ops::Range;

use fivefold_base::rounding::equal;
use fivefold_base::{Dataset, Seed};

use crate::conventions::Conventions;
use crate::error::MeasureError;
use crate::evaluator::{Evaluator, Exchanges, Judged, Rearranged, Scratch};
use crate::mean::{mean, settle};
use crate::spec::MeasureSpec;

/// A measure over the queries of a data set.
///
/// ```
/// use fivefold_base::{Dataset, Seed};
/// use fivefold_metrics::{Objective, Scratch, dialect};
///
/// let train = Dataset::of_queries(1, [(&[0.9, 0.1][..], &[1, 0][..]), (&[0.2, 0.7], &[1, 0])])?;
/// let objective = Objective::new(&"rr".parse()?, &dialect("paper")?.conventions(), &train, Seed::new(1))?;
/// // Scored by the feature, the relevant document of the second query is the last of two.
/// let mean = objective.mean(&[0.9, 0.1, 0.2, 0.7], &mut Scratch::default())?;
/// assert_eq!(mean, (1.0 + 0.5) / 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Objective {
    evaluator: Evaluator,
    queries: Vec<Judged>,
    bounds: Vec<usize>,
}

impl Objective {
    /// Judges every query of `data`. `seed` is that of [`Evaluator::new`].
    ///
    /// # Errors
    /// If the measure does not fit the collection, or ties need document ids and the collection has
    /// no ids.
    pub fn new(
        measure: &MeasureSpec,
        conventions: &Conventions,
        data: &Dataset,
        seed: Seed,
    ) -> Result<Self, MeasureError> {
        let evaluator = Evaluator::new(std::slice::from_ref(measure), conventions, data.max_grade(), seed)?;
        let queries = data.queries().map(|query| evaluator.judge_query(&query)).collect::<Result<_, _>>()?;
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

    /// The rows of query `query` in the data set.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn rows(&self, query: usize) -> Range<usize> {
        self.bounds[query]..self.bounds[query + 1]
    }

    /// The value of one query for the scores of its documents; NaN if it is undefined.
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

    /// The values of one query for the scores of its documents, and for the negatives of the
    /// scores, as [`value`](Self::value) gives them. The documents are sorted once.
    ///
    /// # Errors
    /// If there is not one finite score a document.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn value_of_both(&self, query: usize, scores: &[f64], scratch: &mut Scratch) -> Result<[f64; 2], MeasureError> {
        let [mut value, mut turned] = [[f64::NAN]; 2];
        self.evaluator.evaluate_both(&self.queries[query], scores, scratch, [&mut value, &mut turned])?;
        Ok([value[0], turned[0]])
    }

    /// How the exchange of two documents changes the value of query `query`. `grades` are the
    /// query's grades in a ranking without ties, from the first position to the last. `None` if
    /// the value is undefined.
    ///
    /// # Panics
    /// If there is no such query, or not one grade a document.
    pub fn exchanges<'a>(&'a self, query: usize, grades: &'a [u8], scratch: &mut Scratch) -> Option<Exchanges<'a>> {
        self.evaluator.exchanges(&self.queries[query], 0, grades, scratch)
    }

    /// Rankings without ties whose values are asked for after each of many small changes.
    pub fn rankings(&self) -> Rankings<'_> {
        Rankings { objective: self, query: 0, ranking: Rearranged::new(&self.evaluator, 0) }
    }

    /// Whether the order of the documents alters the value of a query: the values of the best and
    /// the worst order differ by more than rounding. The order does not matter if all documents
    /// have one grade, if there is one document, or if the value is undefined. Nor does the order
    /// matter if the measure only counts relevant documents and all documents are above the
    /// cutoff.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn order_matters(&self, query: usize, scratch: &mut Scratch) -> bool {
        let best = self.queries[query].grades().ideal();
        let worst: Vec<u8> = best.iter().rev().copied().collect();
        let mut value = |grades: &[u8]| self.exchanges(query, grades, scratch).map(|ranked| ranked.value());
        best.first() != best.last() && value(best).zip(value(&worst)).is_some_and(|(best, worst)| !equal(best, worst))
    }

    /// The mean of `values` under the policy for undefined values; NaN if no query counts.
    pub fn average(&self, values: &[f64]) -> f64 {
        mean(values, self.evaluator.conventions().undefined).value
    }

    /// The mean over all queries; NaN if no query counts. `scores` has a score for each document,
    /// in the data set's order.
    ///
    /// # Errors
    /// If there is not one finite score a document.
    pub fn mean(&self, scores: &[f64], scratch: &mut Scratch) -> Result<f64, MeasureError> {
        let documents = self.bounds[self.len()];
        if scores.len() != documents {
            let (query, found) = ("(all)".to_owned(), scores.len());
            return Err(MeasureError::Count { query, what: "score", found, expected: documents });
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

/// A ranking without ties, whose positions get other grades one by one; made by
/// [`Objective::rankings`]. No memory is allocated after the first ranking of the greatest length.
///
/// ```
/// use fivefold_base::{Dataset, Seed};
/// use fivefold_metrics::{Objective, dialect};
///
/// let train = Dataset::of_queries(1, [(&[0.9, 0.5, 0.1][..], &[0, 1, 0][..])])?;
/// let objective = Objective::new(&"rr".parse()?, &dialect("paper")?.conventions(), &train, Seed::new(1))?;
/// let mut rankings = objective.rankings();
/// rankings.begin(0, [0, 1, 0].into_iter());
/// assert_eq!(rankings.value(), 0.5);
/// // The relevant document overtakes the first.
/// rankings.put(0, 1);
/// rankings.put(1, 0);
/// assert_eq!(rankings.value(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Rankings<'a> {
    objective: &'a Objective,
    query: usize,
    ranking: Rearranged<'a>,
}

impl Rankings<'_> {
    /// Begins with a ranking of query `query`: the grades from the first position to the last. There
    /// must be a grade for each document.
    #[inline]
    pub fn begin(&mut self, query: usize, grades: impl Iterator<Item = u8>) {
        self.query = query;
        self.ranking.begin(grades);
    }

    /// Puts a document of grade `grade` at `position` (from 0).
    ///
    /// # Panics
    /// If there is no such position.
    #[inline]
    pub fn put(&mut self, position: usize, grade: u8) {
        self.ranking.put(position, grade);
    }

    /// Whether a value is found from contributions in a table. The bits are then those of
    /// [`Objective::value`]; otherwise the last bits of the two can differ.
    pub fn is_fast(&self) -> bool {
        self.ranking.has_table()
    }

    /// The grade at `position`.
    ///
    /// # Panics
    /// If there is no such position.
    #[inline]
    pub fn grade(&self, position: usize) -> u8 {
        self.ranking.grade(position)
    }

    /// The value of the ranking; NaN if it is undefined.
    ///
    /// # Panics
    /// If there is no such query, or not one grade for each of its documents.
    #[inline(always)]
    pub fn value(&mut self) -> f64 {
        self.ranking.value(&self.objective.queries[self.query])
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fivefold_base::Grades;
    use fivefold_base::dataset::{DatasetBuilder, IdTable};

    use super::*;
    use crate::{Ties, dialect};

    /// Three queries, the second without a relevant document.
    fn data(with_ids: bool) -> Dataset {
        let ids = |names: &[&str]| {
            let mut table = IdTable::default();
            names.iter().for_each(|name| table.push(name));
            table
        };
        DatasetBuilder {
            features: Arc::new(vec![0.0; 8]),
            width: 1,
            grades: Grades::new(vec![0, 2, 1, 0, 0, 1, 0, 0], None).unwrap(),
            bounds: vec![0, 3, 5, 8],
            query_ids: ids(&["a", "b", "c"]),
            doc_ids: if with_ids { ids(&["1", "2", "3", "4", "5", "6", "7", "8"]) } else { IdTable::default() },
        }
        .build()
        .unwrap()
    }

    fn objective(name: &str, change: impl Fn(&mut Conventions), data: &Dataset) -> Result<Objective, MeasureError> {
        let mut conventions = dialect("paper").unwrap().conventions();
        change(&mut conventions);
        Objective::new(&name.parse().unwrap(), &conventions, data, Seed::new(1))
    }

    const SCORES: [f64; 8] = [3.0, 2.0, 1.0, 0.0, 0.0, 1.0, 2.0, 3.0];

    #[test]
    fn negatives_have_the_values_of_their_own_ranking() {
        let data = data(true);
        let mut scratch = Scratch::default();
        for ties in [Ties::Average, Ties::Optimistic, Ties::Pessimistic, Ties::Input, Ties::DocId, Ties::Shuffle] {
            for name in ["ndcg@2", "ap", "rr", "err"] {
                let objective = objective(name, |conventions| conventions.ties = ties, &data).unwrap();
                for scores in [SCORES, [0.0; 8], [1.0, 1.0, 2.0, 0.5, -0.5, -0.0, 0.0, 7.0]] {
                    let negatives = scores.map(|score| -score);
                    for query in 0..3 {
                        let rows = objective.rows(query);
                        let alone = [&scores[rows.clone()], &negatives[rows.clone()]]
                            .map(|scores| objective.value(query, scores, &mut scratch).unwrap().to_bits());
                        let both = objective.value_of_both(query, &scores[rows], &mut scratch).unwrap();
                        assert_eq!(both.map(f64::to_bits), alone, "{name}, {ties:?}, query {query}");
                    }
                }
            }
        }
    }

    #[test]
    fn mean_is_the_average_of_the_queries_values() {
        let mut scratch = Scratch::default();
        for (policy, expected) in [
            (crate::Undefined::Zero, 5.0 / 18.0),
            (crate::Undefined::One, 11.0 / 18.0),
            (crate::Undefined::Skip, 5.0 / 12.0),
        ] {
            let rr = objective("rr", |conventions| conventions.undefined = policy, &data(false)).unwrap();
            let values: Vec<f64> =
                (0..rr.len()).map(|q| rr.value(q, &SCORES[rr.rows(q)], &mut scratch).unwrap()).collect();
            assert_eq!((values[0], values[1].is_nan(), values[2]), (0.5, true, 1.0 / 3.0));
            let mean = rr.mean(&SCORES, &mut scratch).unwrap();
            assert!((mean - expected).abs() < 1e-15, "{policy}: {mean}");
            assert_eq!(rr.average(&values), mean);
        }
    }

    /// Compares with the values of all orders of the documents.
    #[test]
    fn order_matters_where_two_orders_have_different_values() {
        let mut scratch = Scratch::default();
        let grades: [&[u8]; 8] =
            [&[1], &[0, 0], &[2, 2, 2], &[0, 1], &[2, 0, 1], &[1, 1, 0], &[0, 0, 0, 1], &[2, 1, 1, 0]];
        let mut queries = IdTable::default();
        (0..grades.len()).for_each(|number| queries.push(&number.to_string()));
        let bounds = std::iter::once(0).chain(grades.iter().scan(0, |end, grades| {
            *end += grades.len();
            Some(*end)
        }));
        let all = grades.concat();
        let data = DatasetBuilder {
            features: Arc::new(vec![0.0; all.len()]),
            width: 1,
            bounds: bounds.collect(),
            grades: Grades::new(all, None).unwrap(),
            query_ids: queries,
            doc_ids: IdTable::default(),
        };
        let data = data.build().unwrap();
        let mut seen = [0, 0];
        for name in
            ["ndcg", "ndcg@2", "ndcg.v2@2", "ap", "ap.v1", "rr", "err@3", "p@1", "p@3", "p@10", "meanndcg", "rbp"]
        {
            let objective = objective(name, |_| {}, &data).unwrap();
            for (query, grades) in grades.iter().enumerate() {
                let n = grades.len();
                let orders = (0..n.pow(n as u32)).filter_map(|code| {
                    let scores: Vec<f64> = (0..n).map(|d| (code / n.pow(d as u32) % n) as f64).collect();
                    let distinct = (1..n).all(|d| !scores[..d].contains(&scores[d]));
                    distinct.then(|| objective.value(query, &scores, &mut Scratch::default()).unwrap())
                });
                let values: Vec<f64> = orders.collect();
                let matters = values.iter().any(|value| (value - values[0]).abs() > 1e-9);
                assert_eq!(objective.order_matters(query, &mut scratch), matters, "{name} {grades:?}: {values:?}");
                seen[usize::from(matters)] += 1;
            }
        }
        assert!(seen[0] > 20 && seen[1] > 20, "{seen:?}");
    }

    #[test]
    fn wrong_scores_are_refused() {
        let ndcg = objective("ndcg@10", |_| {}, &data(false)).unwrap();
        assert_eq!((ndcg.name(), ndcg.len(), ndcg.is_empty()), ("ndcg@10", 3, false));
        let mut scratch = Scratch::default();
        assert!(matches!(
            ndcg.mean(&SCORES[1..], &mut scratch),
            Err(MeasureError::Count { found: 7, expected: 8, .. })
        ));
        let infinite = [f64::INFINITY; 8];
        assert!(matches!(ndcg.mean(&infinite, &mut scratch), Err(MeasureError::NotFinite { .. })));
    }

    #[test]
    fn document_ids_are_taken_from_the_data() {
        let by_id = |conventions: &mut Conventions| conventions.ties = Ties::DocId;
        assert!(matches!(objective("rr", by_id, &data(false)), Err(MeasureError::NoDocumentIds { .. })));
        let rr = objective("rr", by_id, &data(true)).unwrap();
        assert_eq!(rr.value(0, &[0.0; 3], &mut Scratch::default()), Ok(1.0));
        assert_eq!(rr.value(2, &[0.0; 3], &mut Scratch::default()), Ok(1.0 / 3.0));
    }
}

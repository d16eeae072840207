//! The systems that a study compares: rankings with grades, or values per query that were computed
//! elsewhere.
//!
//! There are five sources. TREC qrels with run files, and LETOR data with score files, give
//! [`RankedSystems`]. Any measure can be computed from rankings ([`RankedSystems::values`]). A
//! table of values per query, a results folder, and texts with measures of texts give values alone.
//! In all cases values are [`SystemValues`]: measures x systems x queries, NaN if undefined.
//!
//! Reading order: this file (the types), `config` (the settings in a study's file), `trec` and
//! `letor` (the readers), `texts` (measures of texts), `computed` (conventions of values that were computed before).

pub(crate) mod computed;
pub(crate) mod config;
mod letor;
mod texts;
mod trec;

use fivefold_base::Assessment;
use fivefold_core::Seed;
use fivefold_data::per_query::SystemValues;
use fivefold_metrics::{Conventions, Evaluator, Judged, MeasureSpec, Scratch, Ties};
use rayon::prelude::*;
use std::collections::BTreeMap;

use crate::study::{Input, StudyError};

pub use computed::Computed;
pub use config::SystemsConfig;
pub use fivefold_text::TextMeasure;
pub use texts::TextsConfig;

/// The number of a document within its query. Judged documents come first, in the order of
/// [`RankedQuery::grades`].
pub type Document = u32;

/// The systems of a study, as they were read.
#[derive(Debug, Clone)]
pub struct Systems {
    /// Rankings or values of the systems.
    pub content: Content,
    /// The files that were read, for the manifest.
    pub inputs: Vec<Input>,
    /// The conventions under which values were computed, where known.
    pub computed: Vec<Computed>,
    /// Remarks on the input for a reader of the results, a line each.
    pub remarks: Vec<String>,
    /// The remarks on the documents of a run that are not judged, each with the number of documents.
    pub unjudged: BTreeMap<String, usize>,
    /// Means of A, E and U of measures that were given with E, in the order of the measures.
    pub bounds: Vec<Bounds>,
}

impl Systems {
    /// Systems without anything said about them.
    fn of(content: Content) -> Self {
        Systems {
            content,
            inputs: Vec::new(),
            computed: Vec::new(),
            remarks: Vec::new(),
            unjudged: BTreeMap::new(),
            bounds: Vec::new(),
        }
    }
}

/// Means over all systems and items of what V1 and V2 of a measure are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// The measure's name, without a version.
    pub measure: String,
    /// The mean of A, the value itself.
    pub score: f64,
    /// The mean of E, the expected value.
    pub expected: f64,
    /// The mean of U, the upper bound.
    pub upper: f64,
    /// The highest standard error of an E that was drawn; 0 if E is exact.
    pub expected_error: f64,
}

/// Rankings or values of systems.
#[derive(Debug, Clone)]
pub enum Content {
    /// Rankings, from which any measure can be computed.
    Rankings(RankedSystems),
    /// Values of some measures, by query.
    Values(SystemValues),
}

/// Rankings of several systems for the same queries.
#[derive(Debug, Clone)]
pub struct RankedSystems {
    /// Names of the systems, in the order of the input.
    pub names: Vec<String>,
    /// The judged queries, in the order of the input.
    pub queries: Vec<RankedQuery>,
    /// The highest grade possible.
    pub max_grade: u8,
}

/// One query with its judgements, and the ranking of each system.
#[derive(Debug, Clone)]
pub struct RankedQuery {
    /// The id, which is unique.
    pub id: String,
    /// Grades of the judged documents.
    pub grades: Vec<u8>,
    /// How many documents behind the judged documents are in the pool without a judgement: their
    /// grades in the qrels are negative.
    pub pooled: usize,
    /// Ids of all documents: the judged documents, the pooled documents, the others; empty if the collection has no ids.
    pub ids: Vec<String>,
    /// The list of each system; `None` if the system lacks the query.
    pub lists: Vec<Option<ScoredList>>,
}

/// Documents with scores. The document with the highest score is first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScoredList {
    /// The documents, each at most once.
    pub documents: Vec<Document>,
    /// The score of each document.
    pub scores: Vec<f64>,
}

impl RankedQuery {
    /// What the qrels say of a document.
    pub fn assessment(&self, document: Document) -> Assessment {
        match self.grades.get(document as usize) {
            Some(&grade) => Assessment::Judged(grade),
            None if (document as usize) < self.grades.len() + self.pooled => Assessment::Pooled,
            None => Assessment::Unjudged,
        }
    }

    /// The grade of a document; 0 without a judgement.
    pub fn grade(&self, document: Document) -> u8 {
        self.grades.get(document as usize).copied().unwrap_or(0)
    }

    /// Whether a document has a judgement.
    pub fn is_judged(&self, document: Document) -> bool {
        (document as usize) < self.grades.len()
    }

    /// The documents of a system from the first to the last. Documents of equal score stand by id,
    /// bytewise descending, as in trec_eval. Without ids they stand in the order of the input.
    pub fn ranking(&self, system: usize) -> Option<Vec<Document>> {
        let list = self.lists[system].as_ref()?;
        let mut places: Vec<usize> = (0..list.documents.len()).collect();
        let id = |place: usize| self.ids.get(list.documents[place] as usize);
        places.sort_by(|&a, &b| list.scores[b].total_cmp(&list.scores[a]).then_with(|| id(b).cmp(&id(a))));
        Some(places.into_iter().map(|place| list.documents[place]).collect())
    }

    /// Prepares the list of a system for an evaluator. If the list holds all judged documents, it
    /// is judged over them; otherwise it is judged over the pool.
    fn judge(&self, evaluator: &Evaluator, list: &ScoredList) -> Result<Judged, StudyError> {
        let ids: Option<Vec<&str>> =
            (!self.ids.is_empty()).then(|| list.documents.iter().map(|&d| self.ids[d as usize].as_str()).collect());
        let all = list.documents.len() == self.grades.len();
        if all && list.documents.iter().zip(0..).all(|(&document, row)| document == row) {
            return Ok(evaluator.judge(&self.id, &self.grades, ids.as_deref())?);
        }
        let retrieved: Vec<Assessment> = list.documents.iter().map(|&document| self.assessment(document)).collect();
        Ok(evaluator.judge_pool(&self.id, &self.grades, &retrieved, ids.as_deref())?)
    }
}

impl RankedSystems {
    /// An evaluator for these rankings.
    ///
    /// # Errors
    /// A measure that does not suit the data.
    pub fn evaluator(
        &self,
        specs: &[MeasureSpec],
        conventions: &Conventions,
        seed: Seed,
    ) -> Result<Evaluator, StudyError> {
        Ok(Evaluator::new(specs, conventions, self.max_grade, seed)?)
    }

    /// Values of the evaluator's measures for every system and query. A query that a system lacks
    /// has the value of an empty ranking.
    ///
    /// # Errors
    /// A tie policy that does not suit the data.
    pub fn values(&self, evaluator: &Evaluator) -> Result<SystemValues, StudyError> {
        let (columns, systems) = (evaluator.names().len(), self.names.len());
        let empty = ScoredList::default();
        let of_query = |query: &RankedQuery| {
            let mut values = vec![f64::NAN; systems * columns];
            let mut scratch = Scratch::default();
            let mut shared: Option<(&[Document], Judged)> = None;
            for (list, out) in query.lists.iter().zip(values.chunks_exact_mut(columns.max(1))) {
                let list = list.as_ref().unwrap_or(&empty);
                // With score files, all systems have the same documents, so these are judged only
                // once.
                if shared.as_ref().is_none_or(|(documents, _)| *documents != list.documents.as_slice()) {
                    shared = Some((&list.documents, query.judge(evaluator, list)?));
                }
                if let Some((_, judged)) = &shared {
                    evaluator.evaluate(judged, &list.scores, &mut scratch, out)?;
                }
            }
            Ok(values)
        };
        let by_query = self.queries.par_iter().map(of_query).collect::<Result<Vec<_>, StudyError>>()?;
        Ok(self.gather(evaluator.names(), |measure, system, query| by_query[query][system * columns + measure]))
    }

    /// E/U of each query, a list for each measure. The value is the mean over the systems, whose
    /// lists can differ; NaN if undefined. The evaluator is made
    /// [`with_expected`](Evaluator::with_expected).
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn expected_shares(&self, evaluator: &Evaluator) -> Result<Vec<Vec<f64>>, StudyError> {
        let measures = evaluator.names().len();
        let empty = ScoredList::default();
        let of_query = |query: &RankedQuery| {
            let mut sums = vec![0.0; measures];
            for list in &query.lists {
                let judged = query.judge(evaluator, list.as_ref().unwrap_or(&empty))?;
                for (column, sum) in sums.iter_mut().enumerate() {
                    *sum += evaluator.expected_share(&judged, column);
                }
            }
            Ok(sums.into_iter().map(|sum| sum / query.lists.len() as f64).collect())
        };
        let by_query = self.queries.par_iter().map(of_query).collect::<Result<Vec<Vec<f64>>, StudyError>>()?;
        Ok((0..measures).map(|column| by_query.iter().map(|shares| shares[column]).collect()).collect())
    }

    /// Values of the ideal order of each query's judged documents, a list for each measure.
    ///
    /// # Errors
    /// As [`values`](Self::values).
    pub fn ideal_values(&self, specs: &[MeasureSpec], conventions: &Conventions) -> Result<Vec<Vec<f64>>, StudyError> {
        // Documents of equal grade have the same gain, so their order does not matter.
        let conventions = Conventions { ties: Ties::Input, ..conventions.clone() };
        let evaluator = Evaluator::new(specs, &conventions, self.max_grade, Seed::new(0))?;
        let mut columns = vec![Vec::with_capacity(self.queries.len()); specs.len()];
        let (mut scratch, mut out) = (Scratch::default(), vec![0.0; specs.len()]);
        for query in &self.queries {
            let scores: Vec<f64> = query.grades.iter().map(|&grade| f64::from(grade)).collect();
            let judged = evaluator.judge(&query.id, &query.grades, None)?;
            evaluator.evaluate(&judged, &scores, &mut scratch, &mut out)?;
            columns.iter_mut().zip(&out).for_each(|(column, &value)| column.push(value));
        }
        Ok(columns)
    }

    /// Number of queries that each system lacks.
    pub fn lacking(&self) -> Vec<usize> {
        let lacks = |system: usize| self.queries.iter().filter(|query| query.lists[system].is_none()).count();
        (0..self.names.len()).map(lacks).collect()
    }

    fn gather(&self, measures: &[String], value: impl Fn(usize, usize, usize) -> f64) -> SystemValues {
        let mut values = Vec::with_capacity(measures.len() * self.names.len() * self.queries.len());
        for measure in 0..measures.len() {
            for system in 0..self.names.len() {
                values.extend((0..self.queries.len()).map(|query| value(measure, system, query)));
            }
        }
        SystemValues {
            measures: measures.to_vec(),
            systems: self.names.clone(),
            queries: self.queries.iter().map(|query| query.id.clone()).collect(),
            undefined: values.iter().map(|value| value.is_nan()).collect(),
            values,
            remarks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fivefold_metrics::dialect;

    fn list(documents: &[Document], scores: &[f64]) -> Option<ScoredList> {
        Some(ScoredList { documents: documents.to_vec(), scores: scores.to_vec() })
    }

    #[test]
    fn ties_are_broken_by_id_as_in_trec_eval_or_else_by_the_order_of_the_input() {
        let mut query = RankedQuery {
            id: "q".to_owned(),
            grades: vec![1, 0],
            pooled: 0,
            ids: ["a", "b", "c"].map(str::to_owned).to_vec(),
            lists: vec![list(&[0, 2, 1], &[0.5, 0.5, 0.9]), None],
        };
        assert_eq!(query.ranking(0), Some(vec![1, 2, 0]));
        assert_eq!(query.ranking(1), None);
        query.ids.clear();
        assert_eq!(query.ranking(0), Some(vec![1, 0, 2]));
        assert_eq!((query.grade(0), query.grade(2), query.is_judged(1), query.is_judged(2)), (1, 0, true, false));
    }

    /// Values by hand: P@2 and AP over a pool of three relevant documents, of which no system
    /// retrieved the third.
    #[test]
    fn values_are_over_the_pool() {
        let systems = RankedSystems {
            names: ["full", "some", "none"].map(str::to_owned).to_vec(),
            queries: vec![RankedQuery {
                id: "q".to_owned(),
                grades: vec![1, 0, 1, 1],
                pooled: 0,
                ids: Vec::new(),
                lists: vec![list(&[0, 1, 2, 3], &[4.0, 3.0, 2.0, 1.0]), list(&[4, 0], &[2.0, 1.0]), None],
            }],
            max_grade: 1,
        };
        let conventions = dialect("paper").unwrap().conventions();
        let specs: Vec<MeasureSpec> = ["p@2", "ap"].iter().map(|name| name.parse().unwrap()).collect();
        let evaluator = systems.evaluator(&specs, &conventions, Seed::new(0)).unwrap();
        let values = systems.values(&evaluator).unwrap();
        assert_eq!(values.values[..3], [0.5, 0.5, 0.0]);
        let expected = [(1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0, 0.5 / 3.0, 0.0];
        for (value, expected) in values.values[3..].iter().zip(expected) {
            assert!((value - expected).abs() < 1e-15, "{values:?}");
        }
        assert_eq!(systems.ideal_values(&specs, &conventions).unwrap(), [[1.0], [1.0]]);
        assert_eq!(systems.lacking(), [0, 0, 1]);
    }
}

//! The points of the paper's Fig. 1: the original value and the expected value of every query. Each
//! point also says whether the query is in the uninformative set or in the ideal set.

use super::analysis::Analysis;
use super::query_set::{QuerySet, is_defined, worths};

/// The sets of a query. If there are few queries, a query can be in the uninformative and in the
/// ideal set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryClass {
    /// One of the queries on which the methods differ least from a random order.
    Uninformative,
    /// One of the queries on which the methods beat a random order by most.
    Ideal,
    /// In both sets.
    Both,
    /// In neither set.
    Neither,
}

impl QueryClass {
    /// All classes, in the order of the enum, so that a class's number is its place.
    pub const EVERY: [QueryClass; 4] =
        [QueryClass::Uninformative, QueryClass::Ideal, QueryClass::Both, QueryClass::Neither];

    /// The name of the class.
    pub fn name(self) -> &'static str {
        match self {
            QueryClass::Uninformative => "uninformative",
            QueryClass::Ideal => "ideal",
            QueryClass::Both => "in both sets",
            QueryClass::Neither => "neither",
        }
    }
}

/// The queries of one data set under one family of measures.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryClasses {
    /// Index of the data set in the evaluation.
    pub dataset: usize,
    /// The measure without version and cutoff.
    pub family: String,
    /// The class of each query of the data set, by the query sets of the tables. The policy for
    /// undefined values can put a query without a value into a set.
    pub classes: Vec<QueryClass>,
    /// `(query, expected, real)` of the queries with a value. `expected` is the mean E/U over the
    /// cutoffs. `real` is the mean of the original measure over all methods and cutoffs.
    pub points: Vec<(usize, f64, f64)>,
}

/// The classes on each data set, if the family's original measure was evaluated.
pub(super) fn of_family(analysis: &Analysis<'_>) -> Vec<QueryClasses> {
    let Analysis { evaluation, options, family, .. } = *analysis;
    let mut all = Vec::new();
    for (dataset, data) in analysis.datasets() {
        let Ok(worths) = worths(data, evaluation.measures.len(), family, options) else { continue };
        let members = |set| analysis.set(dataset, set).map_or(&[][..], |values| &values.selection.queries);
        let (uninformative, ideal) = (members(QuerySet::Uninformative), members(QuerySet::Ideal));
        let class = |query: usize| {
            let is_in = |set: &[usize]| set.binary_search(&query).is_ok();
            match (is_in(uninformative), is_in(ideal)) {
                (true, true) => QueryClass::Both,
                (true, false) => QueryClass::Uninformative,
                (false, true) => QueryClass::Ideal,
                (false, false) => QueryClass::Neither,
            }
        };
        let mut points = Vec::new();
        for worth in worths {
            if is_defined(data, evaluation.measures.len(), family, worth.query) {
                points.push((worth.query, worth.expected, worth.real));
            }
        }
        let classes = (0..data.queries.len()).map(class).collect();
        all.push(QueryClasses { dataset, family: family.name.clone(), classes, points });
    }
    all
}

//! Every query's original against its expected value, with the sets that it is in (the plane of the paper's Fig. 1).

use super::analysis::Analysis;
use super::query_set::{QuerySet, worths};

/// The sets that a query can be in. With few queries a query can be in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryClass {
    /// Among those on which the methods differ least from a random order.
    Uninformative,
    /// Among those on which they beat it by most.
    Ideal,
    /// In both sets.
    Both,
    /// In neither.
    Neither,
}

impl QueryClass {
    /// All, in the order of the enum, so that a class's number is its place.
    pub const EVERY: [QueryClass; 4] =
        [QueryClass::Uninformative, QueryClass::Ideal, QueryClass::Both, QueryClass::Neither];

    /// In a word or two.
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
    /// One a query of the data set: the sets of the tables, in which a query without a value is too if the policy for undefined values
    /// puts it there.
    pub classes: Vec<QueryClass>,
    /// `(query, expected, real)` of the queries with a value: the mean E/U over the cutoffs, and the mean of the original
    /// measure over all methods and cutoffs.
    pub points: Vec<(usize, f64, f64)>,
}

/// One a data set, where the family's original measure was evaluated.
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
            // E/U is that of the original measure, whatever the version.
            let mut columns = family.original().into_iter().flat_map(|original| &original.columns);
            let undefined =
                columns.all(|column| data.expected[worth.query * evaluation.measures.len() + column].is_nan());
            if !undefined {
                points.push((worth.query, worth.expected, worth.real));
            }
        }
        let classes = (0..data.queries.len()).map(class).collect();
        all.push(QueryClasses { dataset, family: family.name.clone(), classes, points });
    }
    all
}

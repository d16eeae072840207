//! The columns of values that two results folders share, query by query.

use std::collections::{HashMap, HashSet};

use fivefold_analysis::{DatasetValues, QueryInfo};
use fivefold_base::rounding;
use fivefold_metrics::mean::by_fold;
use fivefold_metrics::{Mean, MeasureSpec, mean_over_folds, settle};
use fivefold_results::Results;

use super::Key;

/// A data set that both sides have.
pub(super) struct Common<'r> {
    /// The place of the data set in each folder.
    pub(super) places: [usize; 2],
    datasets: [&'r DatasetValues; 2],
    /// The queries that both sides have, in the order of A. Each entry holds the places of a query
    /// in the two lists.
    queries: Vec<[usize; 2]>,
    /// How many queries only one side has.
    pub(super) lacking: usize,
}

/// One measure of one ranker on both sides.
pub(super) struct Column {
    pub(super) key: Key,
    pub(super) measure: MeasureSpec,
    /// One value for each query.
    pub(super) values: [Vec<f64>; 2],
    /// The number that an undefined value counts as on each side; `None` if the side leaves
    /// undefined values out.
    pub(super) undefined: [Option<f64>; 2],
    pub(super) means: [Mean; 2],
    /// The queries whose values differ by more than rounding, or whose undefined values count
    /// differently.
    pub(super) differing: Vec<usize>,
    /// The queries whose values differ by rounding alone.
    pub(super) rounded: Vec<usize>,
}

impl Column {
    /// Whether the values or the means differ. Two means of the same values can differ if the sides
    /// average folds differently.
    pub(super) fn differs(&self) -> bool {
        let [a, b] = self.means.map(|mean| mean.value);
        !self.differing.is_empty() || a.is_nan() != b.is_nan() || rounding::differ(a, b)
    }

    /// The distance between the two values of a query. The distance is infinite if only one side
    /// has a value.
    pub(super) fn distance(&self, query: usize) -> f64 {
        let [a, b] = self.values.each_ref().map(|values| values[query]);
        match (a.is_nan(), b.is_nan(), self.undefined) {
            (false, false, _) => rounding::difference(a, b).abs(),
            (true, true, [Some(a), Some(b)]) => (a - b).abs(),
            _ => f64::INFINITY,
        }
    }

    /// How many values count only on this side, because the other side leaves them out.
    pub(super) fn counted_alone(&self, side: usize) -> usize {
        let counts = |side: usize, query: usize| !self.values[side][query].is_nan() || self.undefined[side].is_some();
        (0..self.values[side].len()).filter(|&query| counts(side, query) && !counts(1 - side, query)).count()
    }
}

impl<'r> Common<'r> {
    /// Pairs the data sets that both sides have, by name.
    pub(super) fn between(sides: &'r [Results; 2]) -> Vec<Self> {
        let [a, b] = sides.each_ref().map(|side| &side.evaluation.datasets);
        let pair = |(place, one): (usize, &'r DatasetValues)| {
            let other = b.iter().position(|other| other.name == one.name)?;
            Some(Common::new([place, other], [one, &b[other]]))
        };
        a.iter().enumerate().filter_map(pair).collect()
    }

    fn new(places: [usize; 2], datasets: [&'r DatasetValues; 2]) -> Self {
        let [one, other] = datasets.map(|dataset| &dataset.queries);
        let of_other: HashMap<_, usize> = other.iter().enumerate().map(|(place, query)| (id(query), place)).collect();
        let both = |(place, query): (usize, &QueryInfo)| Some([place, *of_other.get(&id(query))?]);
        let queries: Vec<[usize; 2]> = one.iter().enumerate().filter_map(both).collect();
        let lacking = one.len() + other.len() - 2 * queries.len();
        Common { places, datasets, queries, lacking }
    }

    pub(super) fn name(&self) -> &'r str {
        &self.datasets[0].name
    }

    /// How many queries both sides have.
    pub(super) fn len(&self) -> usize {
        self.queries.len()
    }

    /// The folds and ids of the queries.
    pub(super) fn ids(&self) -> HashSet<(usize, &'r str)> {
        (0..self.len()).map(|place| id(self.query(place))).collect()
    }

    /// A query that both sides have.
    pub(super) fn query(&self, place: usize) -> &'r QueryInfo {
        &self.datasets[0].queries[self.queries[place][0]]
    }

    /// The columns that both sides have: rankers in the order of A, and the measures within each
    /// ranker.
    pub(super) fn columns(&self, sides: &[Results; 2]) -> Vec<Column> {
        let measures = sides.each_ref().map(|side| &side.evaluation.measures);
        let mut columns = Vec::new();
        for (ranker, label) in self.datasets[0].rankers.iter().enumerate() {
            let Some(other) = self.datasets[1].rankers.iter().position(|other| other == label) else { continue };
            if self.datasets[0].failed[ranker] || self.datasets[1].failed[other] {
                continue;
            }
            for (measure, spec) in measures[0].iter().enumerate() {
                let Some(of_other) = measures[1].iter().position(|other| other == spec) else { continue };
                columns.push(self.column(sides, label, spec, [[ranker, measure], [other, of_other]]));
            }
        }
        columns
    }

    fn column(&self, sides: &[Results; 2], ranker: &str, spec: &MeasureSpec, places: [[usize; 2]; 2]) -> Column {
        let key = [self.name().to_owned(), ranker.to_owned(), spec.to_string()];
        let values = [0, 1].map(|side: usize| {
            let ([ranker, measure], dataset) = (places[side], self.datasets[side]);
            let width = sides[side].evaluation.measures.len();
            let value =
                |query: &[usize; 2]| dataset.all[(ranker * dataset.queries.len() + query[side]) * width + measure];
            self.queries.iter().map(value).collect::<Vec<f64>>()
        });
        let pair = |query: &usize| [values[0][*query], values[1][*query]];
        let undefined =
            sides.each_ref().map(|side| settle(f64::NAN, side.manifest.experiment.evaluation.conventions.undefined));
        let unlike = |[a, b]: [f64; 2]| match [a, b].map(f64::is_nan) {
            [true, true] => undefined[0] != undefined[1],
            [false, false] => rounding::differ(a, b),
            _ => true,
        };
        let same = |[a, b]: [f64; 2]| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        let differing = (0..self.len()).filter(|query| unlike(pair(query))).collect();
        let rounded = (0..self.len()).filter(|query| !unlike(pair(query)) && !same(pair(query))).collect();
        let means = [0, 1].map(|side: usize| self.mean(&sides[side], &values[side]));
        Column { key, measure: spec.clone(), means, differing, rounded, values, undefined }
    }

    /// The mean over the queries, by the conventions of a results folder.
    fn mean(&self, results: &Results, values: &[f64]) -> Mean {
        let conventions = &results.manifest.experiment.evaluation.conventions;
        mean_over_folds(&by_fold(&self.folds(), values), conventions.fold_mean, conventions.undefined)
    }

    /// The folds of the queries.
    pub(super) fn folds(&self) -> Vec<usize> {
        (0..self.len()).map(|place| self.query(place).fold).collect()
    }
}

/// The key of a query, which is the same on both sides.
fn id(query: &QueryInfo) -> (usize, &str) {
    (query.fold, &query.id)
}

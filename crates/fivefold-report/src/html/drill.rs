//! Values query by query, as the script of the page reads them: whole numbers of a billionth, or where the page would grow too large, of
//! a ten-thousandth. The mean of some of them is shown to as many digits as it is then good for.

use fivefold_analysis::page::{PageData, PageDataset, PageValues};
use serde::Serialize;

/// How exactly values are kept.
#[derive(Clone, Copy)]
pub(super) struct Precision {
    /// A value of 1 in the numbers of the page.
    scale: f64,
    /// Digits of a mean of such numbers that are sure, of the four that are shown.
    digits: usize,
}

pub(super) const FINE: Precision = Precision { scale: 1e9, digits: 4 };
pub(super) const COARSE: Precision = Precision { scale: 1e4, digits: 3 };

#[derive(Default, Serialize)]
pub(super) struct Drill {
    scale: f64,
    digits: usize,
    pub(super) datasets: Vec<DrillData>,
}

#[derive(Serialize)]
pub(super) struct DrillData {
    name: String,
    methods: Vec<String>,
    /// Queries that there are, of which the page may hold a sample.
    of: usize,
    queries: Queries,
    /// Names of the classes of queries; empty where queries are not classed.
    classes: Vec<String>,
    /// The classes that queries are in together.
    class_sets: Vec<Vec<usize>>,
    measures: Vec<DrillMeasure>,
}

/// One entry a query in each list; a list is empty where it is not known.
#[derive(Serialize)]
struct Queries {
    id: Vec<String>,
    fold: Vec<usize>,
    documents: Vec<usize>,
    relevant: Vec<usize>,
}

#[derive(Serialize)]
struct DrillMeasure {
    name: String,
    /// Index of each query's set of classes; empty where the measure has none.
    classes: Vec<usize>,
    /// E/U of each query; null where undefined, no list where it is not known.
    expected: Option<Vec<Option<i64>>>,
    /// `[method][query]`.
    values: Vec<Vec<Option<i64>>>,
    /// Each method's mean of the defined values, before they are rounded.
    means: Vec<Option<f64>>,
}

/// All queries of the page's data, or an even `share` of them.
pub(super) fn drill(data: &PageData, precision: Precision, share: f64) -> Drill {
    let with_queries = data.datasets.iter().filter(|dataset| !dataset.values.is_empty());
    let Precision { scale, digits } = precision;
    Drill { scale, digits, datasets: with_queries.map(|dataset| of_dataset(dataset, scale, share)).collect() }
}

fn of_dataset(dataset: &PageDataset, scale: f64, share: f64) -> DrillData {
    let all = dataset.sample.len();
    let keep = ((all as f64 * share) as usize).clamp(1.min(all), all);
    let places: Vec<usize> = (0..keep).map(|place| place * all / keep).collect();
    let info = |what: fn(&fivefold_analysis::page::QueryFacts) -> usize| {
        places.iter().filter_map(|&place| dataset.sample[place].facts.as_ref().map(what)).collect()
    };
    let numbers = |of: &Vec<Option<f64>>| places.iter().map(|&place| of[place].map(|v| scaled(v, scale))).collect();
    let measure = |values: &PageValues| DrillMeasure {
        name: values.measure.clone(),
        classes: places.iter().filter_map(|&place| values.classes.get(place).copied()).collect(),
        expected: values.expected.as_ref().map(numbers),
        values: values.values.iter().map(numbers).collect(),
        means: values.values.iter().map(|of| mean(places.iter().filter_map(|&place| of[place]))).collect(),
    };
    DrillData {
        name: dataset.name.clone(),
        methods: dataset.shown.iter().map(|&system| dataset.systems[system].clone()).collect(),
        of: dataset.queries,
        queries: Queries {
            id: places.iter().map(|&place| dataset.sample[place].id.clone()).collect(),
            fold: info(|facts| facts.fold),
            documents: info(|facts| facts.documents),
            relevant: info(|facts| facts.relevant),
        },
        classes: dataset.classes.clone(),
        class_sets: dataset.class_sets.clone(),
        measures: dataset.values.iter().map(measure).collect(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / f64::from(count))
}

fn scaled(value: f64, scale: f64) -> i64 {
    (value * scale).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounded to a ten-thousandth each, two values of .00004 would have the mean 0.
    #[test]
    fn a_mean_is_of_defined_values_before_they_are_rounded() {
        assert_eq!((scaled(0.00004, COARSE.scale), scaled(0.00004, FINE.scale)), (0, 40_000));
        assert_eq!(mean([Some(0.00004), None, Some(0.00004)].into_iter().flatten()), Some(0.00004));
        assert_eq!(mean(std::iter::empty()), None);
    }
}

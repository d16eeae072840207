//! Values of each query for the script of the page, as whole numbers of a billionth. If the page
//! would grow too large, the unit is a ten-thousandth. A mean of such values is shown with as many
//! digits as are sure.

use fivefold_analysis::page::{PageData, PageDataset, PageValues};
use serde::Serialize;

/// The precision of the values on the page.
#[derive(Clone, Copy)]
pub(super) struct Precision {
    /// The number that stands for a value of 1 on the page.
    scale: f64,
    /// The number of sure digits in a mean of such numbers, out of the four digits that are shown.
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
    /// The number of queries. The page may hold only a sample of them.
    of: usize,
    queries: Queries,
    /// Names of the classes of queries. Empty if queries have no classes.
    classes: Vec<String>,
    /// Sets of classes that a query can be in together.
    class_sets: Vec<Vec<usize>>,
    measures: Vec<DrillMeasure>,
}

/// Facts about each query. A list is empty if the fact is not known.
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
    /// Index of each query's set of classes. Empty if the measure has no classes.
    classes: Vec<usize>,
    /// E/U of each query, null if undefined. `None` if E/U is not known.
    expected: Option<Vec<Option<i64>>>,
    /// `[method][query]`.
    values: Vec<Vec<Option<i64>>>,
    /// Each method's mean of the defined values, before rounding.
    means: Vec<Option<f64>>,
}

/// All queries of the page's data, or an even sample with this `share` of them.
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

    /// If each value is rounded to a ten-thousandth, two values of .00004 have the mean 0.
    #[test]
    fn a_mean_is_of_defined_values_before_they_are_rounded() {
        assert_eq!((scaled(0.00004, COARSE.scale), scaled(0.00004, FINE.scale)), (0, 40_000));
        assert_eq!(mean([Some(0.00004), None, Some(0.00004)].into_iter().flatten()), Some(0.00004));
        assert_eq!(mean(std::iter::empty()), None);
    }
}

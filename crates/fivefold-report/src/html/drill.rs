//! Values query by query, as the script of the page reads them: whole numbers of a ten-thousandth, so that 10,000 queries of
//! eight methods stay well under 3 MB.

use fivefold_experiment::Evaluation;
use fivefold_experiment::tables::{Comparison, QueryClass, QueryClasses};
use serde::Serialize;

/// A value of 1 in the numbers of the page.
const SCALE: f64 = 10_000.0;

/// Most values on a page; of a larger collection an even sample of the queries is shown, and the page says so.
const VALUES: usize = 240_000;

#[derive(Default, Serialize)]
pub(super) struct Drill {
    scale: f64,
    /// Names of the classes of queries.
    classes: Vec<&'static str>,
    datasets: Vec<DrillData>,
}

#[derive(Serialize)]
struct DrillData {
    name: String,
    methods: Vec<String>,
    /// Queries that there are, of which the page may hold a sample.
    of: usize,
    queries: Queries,
    measures: Vec<DrillMeasure>,
}

/// One entry a query in each list.
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
    /// Index of each query's class.
    classes: Vec<usize>,
    /// E/U of each query; null where undefined.
    expected: Vec<Option<i64>>,
    /// `[method][query]`.
    values: Vec<Vec<Option<i64>>>,
}

pub(super) fn drill(evaluation: &Evaluation, comparisons: &[Comparison], classes: &[QueryClasses]) -> Drill {
    let cells = |comparison: &Comparison| {
        (comparison.methods.len() + 1) * evaluation.datasets[comparison.dataset].queries.len()
    };
    let all: usize = comparisons.iter().map(cells).sum();
    let datasets = (0..evaluation.datasets.len()).filter_map(|dataset| {
        let own: Vec<&Comparison> = comparisons.iter().filter(|comparison| comparison.dataset == dataset).collect();
        let methods = &own.first()?.methods;
        let data = &evaluation.datasets[dataset];
        let of = data.queries.len();
        let keep = if all > VALUES { (of * VALUES / all).max(1) } else { of };
        // Evenly spaced over the file, so over the folds too.
        let queries: Vec<usize> = (0..keep).map(|place| place * of / keep).collect();
        let measures = own.iter().map(|comparison| {
            let cutoff = comparison.main_cutoff();
            let column = comparison.columns[cutoff];
            let width = evaluation.measures.len();
            let value = |ranker: usize, query: usize| data.all[(ranker * of + query) * width + column];
            let class = classes.iter().find(|c| c.dataset == dataset && c.family == comparison.family);
            DrillMeasure {
                name: comparison.measure_at(cutoff),
                classes: queries
                    .iter()
                    .map(|&query| class.map_or(QueryClass::Neither, |class| class.classes[query]) as usize)
                    .collect(),
                expected: queries.iter().map(|&query| scaled(data.expected[query * width + column])).collect(),
                values: methods
                    .iter()
                    .map(|&ranker| queries.iter().map(|&query| scaled(value(ranker, query))).collect())
                    .collect(),
            }
        });
        let info = |query: &usize| &data.queries[*query];
        Some(DrillData {
            name: data.name.clone(),
            methods: methods.iter().map(|&method| data.rankers[method].clone()).collect(),
            of,
            queries: Queries {
                id: queries.iter().map(|query| info(query).id.clone()).collect(),
                fold: queries.iter().map(|query| info(query).fold).collect(),
                documents: queries.iter().map(|query| info(query).documents).collect(),
                relevant: queries.iter().map(|query| info(query).relevant).collect(),
            },
            measures: measures.collect(),
        })
    });
    let datasets = datasets.collect();
    Drill { scale: SCALE, classes: QueryClass::EVERY.iter().map(|class| class.name()).collect(), datasets }
}

fn scaled(value: f64) -> Option<i64> {
    (!value.is_nan()).then(|| (value * SCALE).round() as i64)
}

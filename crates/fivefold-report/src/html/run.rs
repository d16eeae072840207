//! What a page says of a run.

use fivefold_core::words::{counted, which};
use fivefold_experiment::manifest::DatasetFacts;
use fivefold_experiment::page::{PageDataset, PageQuery, PageTest, PageValues, QueryFacts, leading, sample};
use fivefold_experiment::tables::{Analysed, Comparison, QueryClass, QueryClasses};
use fivefold_experiment::{DatasetValues, Evaluation, PageData, Results};

use super::bibliography::used_by;
use super::methods::{methods, sizes};

/// The page's data of a run.
pub(crate) fn run_data(results: &Results, analysed: &Analysed) -> PageData {
    let Results { manifest, evaluation } = results;
    let of_dataset = |dataset: usize| -> Vec<&Comparison> {
        analysed.comparisons.iter().filter(|comparison| comparison.dataset == dataset).collect()
    };
    let shown_of = |dataset: usize| {
        leading(&of_dataset(dataset).iter().map(|comparison| &comparison.compared).collect::<Vec<_>>(), None)
    };
    let shown: Vec<Vec<usize>> = (0..evaluation.datasets.len()).map(shown_of).collect();
    let cells = |dataset: usize| {
        of_dataset(dataset).len() * (shown[dataset].len() + 1) * evaluation.datasets[dataset].queries.len()
    };
    let all_cells = (0..evaluation.datasets.len()).map(cells).sum();
    let undefined = manifest.experiment.evaluation.conventions.undefined;
    let datasets = evaluation.datasets.iter().zip(shown).enumerate().map(|(dataset, (data, shown))| {
        let own = of_dataset(dataset);
        let queries = if own.is_empty() { Vec::new() } else { sample(data.queries.len(), all_cells) };
        let classes: Vec<&QueryClasses> =
            analysed.classes.iter().filter(|classes| classes.dataset == dataset).collect();
        let empty = data.queries.iter().filter(|query| query.relevant == 0).count();
        let remark = format!(
            "{empty} of {} {} no relevant document; {} undefined values count as {undefined}.",
            counted(data.queries.len(), "query"),
            which(empty, "has", "have"),
            which(empty, "its", "their")
        );
        PageDataset {
            name: data.name.clone(),
            systems: data.rankers.clone(),
            failed: (0..data.failed.len()).filter(|&ranker| data.failed[ranker]).collect(),
            compared: own.iter().map(|comparison| comparison.compared.clone()).collect(),
            baseline: None,
            remarks: if empty > 0 { vec![remark] } else { Vec::new() },
            values: own.iter().map(|comparison| values(evaluation, comparison, &classes, &shown, &queries)).collect(),
            shown,
            queries: data.queries.len(),
            sample: queries.iter().map(|&query| query_of(data, query)).collect(),
            classes: CLASSES.map(str::to_owned).to_vec(),
            class_sets: class_sets(),
        }
    });
    let test = PageTest { words: analysed.test_in_words(), alpha: analysed.difference.alpha };
    PageData {
        noun: "method".to_owned(),
        facts: manifest.datasets.iter().map(facts).collect(),
        findings: Vec::new(),
        datasets: datasets.collect(),
        methods: methods(results, analysed, &test.words),
        test: Some(test),
        used: used_by(&manifest.experiment, analysed),
    }
}

/// The classes of the queries of a run: the sets of its tables, and those without a value.
const CLASSES: [&str; 3] = ["uninformative", "ideal", "no value"];

/// The classes of [`CLASSES`] that a query can be in together.
fn class_sets() -> Vec<Vec<usize>> {
    let set_of = |class: QueryClass| match class {
        QueryClass::Uninformative => vec![0],
        QueryClass::Ideal => vec![1],
        QueryClass::Both => vec![0, 1],
        QueryClass::Neither => Vec::new(),
    };
    let with_value = QueryClass::EVERY.map(set_of).to_vec();
    let without = with_value.iter().map(|set| set.iter().copied().chain([2]).collect()).collect();
    [with_value, without].concat()
}

/// The place of a query's classes in [`class_sets`].
fn class_set(classes: &QueryClasses, query: usize) -> usize {
    let has_value = classes.points.binary_search_by_key(&query, |(query, ..)| *query).is_ok();
    classes.classes[query] as usize + if has_value { 0 } else { QueryClass::EVERY.len() }
}

fn facts(data: &DatasetFacts) -> String {
    format!("{}: {}", data.label, sizes(data))
}

fn query_of(data: &DatasetValues, query: usize) -> PageQuery {
    let info = &data.queries[query];
    let facts = QueryFacts { fold: info.fold, documents: info.documents, relevant: info.relevant };
    PageQuery { id: info.id.clone(), facts: Some(facts) }
}

/// Values of a measure at its main cutoff.
fn values(
    evaluation: &Evaluation,
    comparison: &Comparison,
    classes: &[&QueryClasses],
    shown: &[usize],
    queries: &[usize],
) -> PageValues {
    let data = &evaluation.datasets[comparison.dataset];
    let compared = &comparison.compared;
    let cutoff = compared.main_cutoff();
    let (column, width) = (comparison.columns[cutoff], evaluation.measures.len());
    let defined = |value: f64| Some(value).filter(|value| !value.is_nan());
    let of = |ranker: usize, query: usize| defined(data.all[(ranker * data.queries.len() + query) * width + column]);
    let own = classes.iter().find(|classes| classes.family == compared.family);
    PageValues {
        measure: compared.measure_at(cutoff),
        classes: own.map_or_else(Vec::new, |own| queries.iter().map(|&query| class_set(own, query)).collect()),
        expected: Some(queries.iter().map(|&query| defined(data.expected[query * width + column])).collect()),
        values: shown.iter().map(|&ranker| queries.iter().map(|&query| of(ranker, query)).collect()).collect(),
    }
}

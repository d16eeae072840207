//! What a page says of a run.

use fivefold_core::words::{counted, which};
use fivefold_experiment::manifest::DatasetFacts;
use fivefold_experiment::page::{PageDataset, PageQuery, PageTest, PageValues, QueryFacts, leading, sample};
use fivefold_experiment::tables::{Analysed, Comparison, QueryClass, QueryClasses};
use fivefold_experiment::{DatasetValues, Evaluation, PageData, Results};

use super::bibliography::used_by;
use super::methods::methods;

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
            classes: QueryClass::EVERY.map(|class| class.name().to_owned()).to_vec(),
        }
    });
    let difference = &analysed.difference;
    PageData {
        noun: "method".to_owned(),
        facts: manifest.datasets.iter().map(facts).collect(),
        datasets: datasets.collect(),
        test: Some(PageTest { words: difference.in_words(), alpha: difference.alpha }),
        methods: methods(results, difference),
        used: used_by(&manifest.experiment, analysed),
    }
}

fn facts(data: &DatasetFacts) -> String {
    format!(
        "{}: {}, {}, {}, grades 0–{}",
        data.label,
        counted(data.evaluated_queries, "test query"),
        counted(data.test_documents, "document"),
        counted(data.features, "feature"),
        data.max_grade
    )
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
    let class = |query: usize| own.map_or(QueryClass::Neither, |classes| classes.classes[query]);
    PageValues {
        measure: compared.measure_at(cutoff),
        classes: queries.iter().map(|&query| class(query) as usize).collect(),
        expected: Some(queries.iter().map(|&query| defined(data.expected[query * width + column])).collect()),
        values: shown.iter().map(|&ranker| queries.iter().map(|&query| of(ranker, query)).collect()).collect(),
    }
}

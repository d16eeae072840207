//! The data of a run's page.

use fivefold_analysis::page::{PageDataset, PageQuery, PageTest, PageValues, QueryFacts, leading, sample};
use fivefold_analysis::tables::{Analysed, MethodComparison, QueryClass, QueryClasses};
use fivefold_analysis::{DatasetValues, Evaluation, PageData};
use fivefold_base::words::{counted, list_some, which};
use fivefold_metrics::Undefined;
use fivefold_results::Results;
use fivefold_results::manifest::DatasetFacts;

use super::bibliography::used_by;
use super::methods::{methods, sizes};

/// The data of a run's page.
pub(crate) fn run_data(results: &Results, analysed: &Analysed) -> PageData {
    let Results { manifest, evaluation, .. } = results;
    let of_dataset = |dataset: usize| -> Vec<&MethodComparison> {
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
        PageDataset {
            name: data.name.clone(),
            systems: data.rankers.clone(),
            failed: (0..data.failed.len()).filter(|&ranker| data.failed[ranker]).collect(),
            compared: own.iter().map(|comparison| comparison.compared.clone()).collect(),
            baseline: None,
            remarks: undefined_values(evaluation, data, &own, undefined)
                .into_iter()
                .chain(analysed.left_out(&data.name))
                .collect(),
            values: own.iter().map(|comparison| values(evaluation, comparison, &classes, &shown, &queries)).collect(),
            shown,
            queries: data.queries.len(),
            sample: queries.iter().map(|&query| query_of(data, query)).collect(),
            classes: class_names(&classes).iter().map(|&name| name.to_owned()).collect(),
            class_sets: class_sets(&classes),
        }
    });
    let test = PageTest { words: analysed.test_in_words(), alpha: analysed.difference.alpha };
    PageData {
        noun: "method".to_owned(),
        facts: manifest.datasets.iter().map(facts).collect(),
        findings: analysed.findings.clone(),
        datasets: datasets.collect(),
        conventions: manifest.conventions_and_errors(),
        methods: methods(results, analysed, &test.words),
        test: Some(test),
        used: used_by(&manifest.experiment, analysed),
    }
}

/// The classes of a run's queries: the query sets of its tables, and the queries without a value.
const CLASSES: [&str; 3] = ["uninformative", "ideal", "no value"];

/// The names of the classes on a data set. Without query sets, only the last class has a name.
fn class_names(classes: &[&QueryClasses]) -> &'static [&'static str] {
    let in_set = |classes: &&QueryClasses| classes.classes.iter().any(|class| *class != QueryClass::Neither);
    if classes.iter().any(in_set) { &CLASSES } else { &CLASSES[2..] }
}

/// The sets of [`class_names`] that a query can be in together.
fn class_sets(classes: &[&QueryClasses]) -> Vec<Vec<usize>> {
    let no_value = class_names(classes).len() - 1;
    let set_of = |class: QueryClass| match class {
        QueryClass::Uninformative => vec![0],
        QueryClass::Ideal => vec![1],
        QueryClass::Both => vec![0, 1],
        QueryClass::Neither => Vec::new(),
    };
    let with_value: Vec<Vec<usize>> =
        QueryClass::EVERY.into_iter().map(|class| if no_value == 0 { Vec::new() } else { set_of(class) }).collect();
    let without = with_value.iter().map(|set| set.iter().copied().chain([no_value]).collect()).collect();
    [with_value, without].concat()
}

/// The index of a query's set of classes in [`class_sets`].
fn class_set(classes: &QueryClasses, query: usize) -> usize {
    let has_value = classes.points.binary_search_by_key(&query, |(query, ..)| *query).is_ok();
    classes.classes[query] as usize + if has_value { 0 } else { QueryClass::EVERY.len() }
}

fn facts(data: &DatasetFacts) -> String {
    format!("{}: {}", data.label, sizes(data))
}

/// A remark on undefined values. The remark counts the queries without a relevant document, and the
/// queries on which a measure lacks a value at some cutoff. The remark also says how undefined
/// values are treated. `None` if no query needs a remark.
fn undefined_values(
    evaluation: &Evaluation,
    data: &DatasetValues,
    own: &[&MethodComparison],
    policy: Undefined,
) -> Option<String> {
    let empty = data.queries.iter().filter(|query| query.relevant == 0).count();
    let width = evaluation.measures.len();
    let mut counts: Vec<(usize, Vec<String>)> = Vec::new();
    for comparison in own {
        let compared = &comparison.compared;
        let has_none = |query: &usize| {
            let of = |&ranker: &usize| &data.all[(ranker * data.queries.len() + query) * width..][..width];
            compared.systems.iter().map(of).any(|own| comparison.columns.iter().any(|&column| own[column].is_nan()))
        };
        let count = (0..data.queries.len()).filter(has_none).count();
        let measure = match compared.cutoffs.len() {
            1 => compared.measure_at(0),
            _ => format!("{} at some cutoff", compared.measure),
        };
        match counts.iter_mut().find(|(known, _)| *known == count) {
            Some((_, measures)) => measures.push(measure),
            None => counts.push((count, vec![measure])),
        }
    }
    let then = match policy {
        Undefined::Skip => "left out".to_owned(),
        policy => format!("counted as {policy}"),
    };
    let all = counted(data.queries.len(), "query");
    let without = format!("{empty} of {all} {} no relevant document", which(empty, "has", "have"));
    let values = match counts.as_slice() {
        [] | [(0, _)] => None,
        [(count, _)] if *count == empty => {
            Some(format!("the undefined values of {} are {then}", which(empty, "this query", "these queries")))
        }
        counts => {
            let each: Vec<String> = counts
                .iter()
                .map(|(count, measures)| format!("on {} under {}", counted(*count, "query"), list_some(measures)))
                .collect();
            Some(format!("undefined values are {then}: {}", each.join(", ")))
        }
    };
    match (empty, values) {
        (0, None) => None,
        (0, Some(values)) => Some(format!("Of {all}, {values}.")),
        (_, None) => Some(format!("{without}.")),
        (_, Some(values)) => Some(format!("{without}; {values}.")),
    }
}

fn query_of(data: &DatasetValues, query: usize) -> PageQuery {
    let info = &data.queries[query];
    let facts = QueryFacts { fold: info.fold, documents: info.documents, relevant: info.relevant };
    PageQuery { id: info.id.clone(), facts: Some(facts) }
}

/// The values of a measure at its main cutoff.
fn values(
    evaluation: &Evaluation,
    comparison: &MethodComparison,
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

#[cfg(test)]
mod tests {
    use fivefold_analysis::{HowFound, QueryInfo};

    use super::*;
    use crate::samples;

    /// Three methods on three queries. The first query has no relevant document, and the second
    /// query lacks only a value of V1.
    #[test]
    fn undefined_values_are_counted_by_measure_and_by_what_becomes_of_them() {
        let measures = ["ndcg", "ndcg.v1"];
        let query = |relevant| QueryInfo { fold: 1, id: String::new(), documents: 5, relevant, graded2: 0 };
        let of_ranker = [f64::NAN, f64::NAN, 0.5, f64::NAN, 0.5, 0.5];
        let data = DatasetValues {
            name: "d".to_owned(),
            rankers: ["a", "b", "c"].map(str::to_owned).to_vec(),
            failed: vec![false; 3],
            queries: [0, 2, 1].map(query).to_vec(),
            all: [of_ranker; 3].concat(),
            left: Vec::new(),
            right: Vec::new(),
            expected: vec![0.5; 6],
        };
        let evaluation = Evaluation {
            measures: measures.map(|name| format!("{name}@10").parse().unwrap()).to_vec(),
            datasets: Vec::new(),
        };
        let comparison = |column: usize| MethodComparison {
            dataset: 0,
            normalised: column > 0,
            columns: vec![column],
            compared: samples::compared(measures[column], [0.5; 3], [None; 3]),
            how_found: HowFound::default(),
            ranks: None,
        };
        let own = [comparison(0), comparison(1)];
        let said = |own: &[&MethodComparison], policy| undefined_values(&evaluation, &data, own, policy).unwrap();
        assert_eq!(
            said(&[&own[0], &own[1]], Undefined::Skip),
            "1 of 3 queries has no relevant document; undefined values are left out: on 1 query under ndcg@10, on 2 queries under ndcg.v1@10."
        );
        let one = "1 of 3 queries has no relevant document; the undefined values of this query are";
        assert_eq!(said(&[&own[0]], Undefined::Zero), format!("{one} counted as zero."));
        assert_eq!(said(&[&own[0]], Undefined::Skip), format!("{one} left out."));
        // V1 has no value at one of two cutoffs.
        let mut both = comparison(0);
        (both.columns, both.compared.cutoffs) = (vec![0, 1], vec!["@10".to_owned(), "@20".to_owned()]);
        assert!(said(&[&both], Undefined::Skip).ends_with("left out: on 2 queries under ndcg at some cutoff."));
        let mut relevant = data.clone();
        relevant.queries[0].relevant = 1;
        assert_eq!(
            undefined_values(&evaluation, &relevant, &[&own[1]], Undefined::One).unwrap(),
            "Of 3 queries, undefined values are counted as one: on 2 queries under ndcg.v1@10."
        );
        relevant.all = vec![0.5; 18];
        assert_eq!(undefined_values(&evaluation, &relevant, &[&own[1]], Undefined::One), None);
    }
}

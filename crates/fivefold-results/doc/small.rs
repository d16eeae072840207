// What the examples of this crate show, included there out of sight: the results of two systems on
// two queries.

use fivefold_analysis::{DatasetValues, Evaluation, QueryInfo};
use fivefold_core::Registry;
use fivefold_results::{Experiment, Manifest, Results};

pub fn small() -> Result<Results, Box<dyn std::error::Error>> {
    let text = r#"
        name = "small"
        seed = 1
        [[dataset]]
        label = "mine"
        path = "data"
        layout = "fold-dirs"
        [[ranker]]
        label = "A"
        kind = "scores"
        params = { path = "a/{fold}.txt" }
        [[ranker]]
        label = "B"
        kind = "scores"
        params = { path = "b/{fold}.txt" }
        [evaluation]
        measures = ["rr"]
        [query_sets]
        uninformative = 1
        ideal = 1
    "#;
    let experiment = Experiment::parse("small.toml", text, Vec::new(), &Registry::new(&[]))?;
    let query = |id: &str| QueryInfo { fold: 1, id: id.to_owned(), documents: 2, relevant: 1, graded2: 0 };
    let columns = experiment.evaluation.measures.len();
    // Each column the same: reciprocal ranks 1 and 1 of A, 1 and 1/2 of B.
    let values = [1.0, 1.0, 1.0, 0.5].iter().flat_map(|&value| vec![value; columns]).collect();
    let dataset = DatasetValues {
        name: "mine".to_owned(),
        rankers: vec!["A".to_owned(), "B".to_owned()],
        failed: vec![false, false],
        queries: vec![query("q1"), query("q2")],
        all: values,
        left: Vec::new(),
        right: Vec::new(),
        expected: vec![0.75; 2 * columns],
    };
    let evaluation = Evaluation { measures: experiment.evaluation.measures.clone(), datasets: vec![dataset] };
    let manifest = Manifest {
        format: fivefold_results::manifest::FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        experiment,
        datasets: Vec::new(),
        conventions: Vec::new(),
        trusted: Vec::new(),
        guards: Vec::new(),
        jobs: Vec::new(),
        candidates: Vec::new(),
        result: String::new(),
    };
    Ok(Results { manifest, evaluation, seeds: Vec::new() })
}

// What the examples of this crate run, included there out of sight: a ranker, and an experiment
// with it on ten queries in five folds.

use fivefold_core::{Dataset, FitContext, FitError, Model, QueryView, Ranker, Registry};
use fivefold_results::Experiment;

/// Ranks by the first feature.
#[derive(Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
struct First {}

#[derive(serde::Serialize, serde::Deserialize)]
struct FirstModel {}

impl Model for FirstModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        query.rows().zip(out).for_each(|(row, score)| *score = f64::from(row[0]));
    }
}

impl Ranker for First {
    const NAME: &'static str = "first";
    type Model = FirstModel;

    fn fit(&self, _train: &Dataset, _cx: &FitContext<'_>) -> Result<FirstModel, FitError> {
        Ok(FirstModel {})
    }
}

/// Writes the data into a folder. The first document of each query is the relevant one, and has the
/// highest feature.
pub fn small(folder: &std::path::Path) -> Result<(Experiment, Registry), Box<dyn std::error::Error>> {
    let query = |number| format!("1 qid:{number} 1:0.9{number}\n0 qid:{number} 1:0.5\n0 qid:{number} 1:0.1\n");
    std::fs::write(folder.join("data.txt"), (10..20).map(query).collect::<String>())?;
    let text = r#"
        name = "small"
        seed = 1
        [[dataset]]
        label = "mine"
        path = "data.txt"
        layout = "one-file"
        [[ranker]]
        label = "First"
        kind = "first"
        [evaluation]
        measures = ["rr"]
        [query_sets]
        uninformative = 2
        ideal = 2
    "#;
    let registry = Registry::new(&[]).with::<First>();
    Ok((Experiment::parse("small.toml", text, vec![folder.to_owned()], &registry)?, registry))
}

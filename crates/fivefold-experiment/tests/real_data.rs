//! The shipped experiment on stored scores, from its file to values, compared with printed results.
//! Needs `FIVEFOLD_DATA`.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::path::PathBuf;

use fivefold_core::Registry;
use fivefold_experiment::{RunOptions, run};
use fivefold_results::Experiment;

/// RankBoost's rows under `performance on testing set` in `mq2008-systems/published/`, to the 4
/// printed decimals.
#[test]
fn stored_scores_give_the_printed_values_of_every_fold() {
    let Some(data) = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from) else {
        println!("skipped: FIVEFOLD_DATA is not set");
        return;
    };
    let shipped = include_str!("../../../experiments/mq2008-systems.toml");
    let (head, _) = shipped.split_once("[evaluation]").unwrap();
    let upto = |name: &str| (1..=10).map(|k| format!("\"{name}@{k}\"")).collect::<Vec<_>>().join(", ");
    let measures = format!("{}, \"meanndcg\", {}, \"ap\"", upto("ndcg"), upto("p"));
    let text = head.replace("dialect = \"paper\"", "dialect = \"letor4\"")
        + &format!("[evaluation]\nmeasures = [{measures}]\ncutoffs = []\nversions = [\"original\"]\n");
    let experiment = Experiment::parse("mq2008-systems.toml", &text, vec![data.clone()], &Registry::default()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let outcome = run(&experiment, &Registry::default(), &RunOptions::new(folder.path().join("run"))).unwrap();
    assert_eq!((outcome.jobs, outcome.done), (40, 40), "{:?}", outcome.failed);

    let values = &outcome.results.unwrap().evaluation.datasets[0];
    assert_eq!(values.queries.len(), 784);
    let ranker = values.rankers.iter().position(|label| label == "RankBoost").unwrap();
    let printed = std::fs::read_to_string(data.join("mq2008-systems/published/MAP_Mq2008_RankBoost")).unwrap();
    let rows: Vec<Vec<f64>> = printed
        .lines()
        .skip_while(|line| !line.starts_with("performance on testing set"))
        .take_while(|line| !line.starts_with("Performance on validation set"))
        .filter(|line| line.starts_with("Fold") && !line.starts_with("Folds"))
        .map(|line| line.split_whitespace().skip(1).map(|value| value.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [11; 10]);
    for fold in 1..=5 {
        let queries: Vec<usize> = (0..784).filter(|&query| values.queries[query].fold == fold).collect();
        let columns = rows[fold - 1].iter().chain(&rows[5 + fold - 1]);
        for (column, expected) in columns.enumerate() {
            let value = |&query: &usize| values.all[(ranker * 784 + query) * 22 + column];
            // An undefined value counts as 0 in this dialect.
            let sum: f64 = queries.iter().map(value).filter(|value| !value.is_nan()).sum();
            let mean = sum / queries.len() as f64;
            assert!((mean - expected).abs() <= 0.5001e-4, "fold {fold}, column {column}: {mean} {expected}");
        }
    }
}

//! The paragraphs that a paper's method section needs: data, methods, measures with every convention, tests, versions.

use fivefold_experiment::Results;
use fivefold_experiment::tables::TableOptions;

use super::wording::{list, test_in_words};

pub(super) fn methods(results: &Results, options: &TableOptions) -> Vec<String> {
    let manifest = &results.manifest;
    let data: Vec<String> = manifest
        .datasets
        .iter()
        .map(|data| {
            format!(
                "{} ({} test queries, {} documents, {} features, {} folds)",
                data.label,
                data.test_queries,
                data.test_documents,
                data.features,
                data.folds.len()
            )
        })
        .collect();
    let rankers: Vec<String> =
        manifest.experiment.rankers.iter().map(|ranker| format!("{} ({})", ranker.label, ranker.kind)).collect();
    let conventions = results.notes().join("; ");
    vec![
        format!(
            "We evaluated {} on {}. Each method was fitted on the training part of every fold, with the validation part for \
             early stopping and model selection where it does so, and its test scores of all folds were taken together.",
            list(&rankers),
            list(&data)
        ),
        format!("Conventions: {conventions}."),
        format!(
            "Differences were tested by a {}; intervals are Student's t over queries at 95 %. UE normalisation is that of \
             Feng and Karmaker (2023).",
            test_in_words(options.alpha)
        ),
        format!(
            "All numbers were made with fivefold {} (seed {}); the same experiment file gives the same bytes on any machine \
             and number of threads.",
            manifest.version, manifest.experiment.seed
        ),
    ]
}

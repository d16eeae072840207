//! Where the files of a job stand in a results folder.

use crate::labels::file_name;

/// The id of a job: `DATASET/foldK/RANKER`, from labels as file names.
pub fn job_id(dataset: &str, fold: usize, ranker: &str) -> String {
    format!("{}/fold{fold}/{}", file_name(dataset), file_name(ranker))
}

/// The path of the record of the job with this id.
pub fn record_file(id: &str) -> String {
    format!("jobs/{id}.json")
}

/// The path of its scores.
pub fn scores_file(id: &str) -> String {
    format!("scores/{id}.txt")
}

/// The path of its model.
pub fn model_file(id: &str) -> String {
    format!("models/{id}.json")
}

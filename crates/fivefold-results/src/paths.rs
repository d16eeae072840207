//! The places of a job's files in a results folder.

use crate::labels::file_name;

/// The id of a job: `DATASET/foldK/RANKER`, from labels as file names.
pub fn job_id(dataset: &str, fold: usize, ranker: &str) -> String {
    format!("{}/fold{fold}/{}", file_name(dataset), file_name(ranker))
}

/// The path of the record of the job with this id.
pub fn record_file(id: &str) -> String {
    format!("jobs/{id}.json")
}

/// The path of the scores of the job with this id.
pub fn scores_file(id: &str) -> String {
    format!("scores/{id}.txt")
}

/// The path of the model of the job with this id.
pub fn model_file(id: &str) -> String {
    format!("models/{id}.json")
}

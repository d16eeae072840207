//! The places of a job's files in a results folder.

use crate::labels::file_name;

/// The id of a job: `DATASET/foldK/RANKER`, from labels as file names.
pub fn job_id(dataset: &str, fold: usize, ranker: &str) -> String {
    format!("{}/fold{fold}/{}", file_name(dataset), file_name(ranker))
}

/// The id of a repeat of a job. The first repeat, 0, has the id of the job itself.
pub fn repeat_id(job: &str, repeat: usize) -> String {
    // No label's file name has this character.
    if repeat == 0 { job.to_owned() } else { format!("{job}~{}", repeat + 1) }
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

/// The id of the job of a candidate: `DATASET/foldK/RANKER/SETTING`. `setting` is a part of a hash.
pub fn candidate_id(dataset: &str, fold: usize, ranker: &str, setting: &str) -> String {
    format!("{}/{setting}", job_id(dataset, fold, ranker))
}

/// The path of the validation values of the candidate with this id.
pub fn values_file(id: &str) -> String {
    format!("values/{id}.txt")
}

//! The checks that need the folder alone.

use std::collections::BTreeMap;

use fivefold_analysis::evaluation::Evaluation;
use fivefold_results::freedom::Freedom;
use fivefold_results::manifest::{JobFacts, Manifest, RESULT_FILES, stored_result};
use fivefold_results::paths::{model_file, record_file, scores_file, values_file};
use fivefold_results::store::{Record, Status, Store, StoreError, Tried, json_text};
use fivefold_results::values;
use rayon::prelude::*;
use serde_json::json;

use super::others::files_below;
use super::{Check, content};
use crate::plan::key;

/// Compares the records with the manifest, and the files of the jobs with the records. Returns both
/// checks and the record of each job, candidates last, or `None` for a record that cannot be read.
pub(super) fn records(manifest: &Manifest, store: &Store) -> (Check, Check, Vec<Option<Record>>) {
    let (mut records, mut files) = (Check::new("records"), Check::new("files of jobs"));
    let all: Vec<&JobFacts> = manifest.all_jobs().collect();
    let looked: Vec<_> = all.par_iter().map(|facts| look(&facts.id, store)).collect();
    let tried: BTreeMap<&str, &Option<Tried>> =
        manifest.candidates.iter().map(|candidate| (candidate.job.id.as_str(), &candidate.tried)).collect();
    let mut kept = Vec::with_capacity(looked.len());
    for (facts, (record, outputs)) in all.into_iter().zip(looked) {
        let file = record_file(&facts.id);
        match record {
            Ok((record, whole)) => {
                let tried = tried.get(facts.id.as_str()).copied();
                records.add(&file, record_fits(&record, facts, tried).and(as_run_writes(whole)));
                kept.push(Some(record));
            }
            Err(reason) => {
                records.failed(file, reason);
                kept.push(None);
            }
        }
        outputs.into_iter().for_each(|(file, result)| files.add(&file, result));
    }
    (records, files, kept)
}

/// Checks each record by itself, and the files of the jobs with the records. For a folder without a
/// readable manifest.
pub(super) fn records_alone(store: &Store) -> Result<(Check, Check), StoreError> {
    let (mut records, mut files) = (Check::new("records"), Check::new("files of jobs"));
    let ids: Vec<String> = files_below(store.root())?.iter().filter_map(|file| id_of_record(file)).collect();
    let looked: Vec<_> = ids.par_iter().map(|id| look(id, store)).collect();
    for (id, (record, outputs)) in ids.iter().zip(looked) {
        records.add(
            &record_file(id),
            record.and_then(|(record, whole)| is_of_itself(&record, id).and(as_run_writes(whole))),
        );
        outputs.into_iter().for_each(|(file, result)| files.add(&file, result));
    }
    Ok((records, files))
}

/// The id of the job whose record has this file name.
pub(super) fn id_of_record(file: &str) -> Option<String> {
    Some(file.strip_prefix("jobs/")?.strip_suffix(".json")?.to_owned())
}

/// Checks that a record has this id, that its key fits its inputs, and that its files belong to
/// this job.
pub(super) fn is_of_itself(record: &Record, id: &str) -> Result<(), String> {
    if record.id != id {
        return Err(format!("is the record of {}", record.id));
    }
    if let Some(foreign) =
        record.outputs.keys().find(|&file| ![scores_file(id), model_file(id), values_file(id)].contains(file))
    {
        return Err(format!("names {foreign}, which no such job writes"));
    }
    if record.key == key(&json!(record.inputs)) { Ok(()) } else { Err("the key is not that of the inputs".to_owned()) }
}

/// Checks that a record is byte for byte as a run writes it. So even the parts that the key does
/// not cover are unaltered.
fn as_run_writes(whole: bool) -> Result<(), String> {
    if whole { Ok(()) } else { Err("differs in some byte from the record that a run writes".to_owned()) }
}

/// The files that a job wrote, and whether each file is as the job wrote it.
type Outputs = Vec<(String, Result<(), String>)>;

/// The record of a job, with whether the record is byte for byte as a run writes it, and the files
/// that the record names.
pub(super) fn look(id: &str, store: &Store) -> (Result<(Record, bool), String>, Outputs) {
    let record = content(store, &record_file(id)).and_then(|content| {
        let record: Record =
            serde_json::from_slice(&content).map_err(|error| format!("not the record of a job: {error}"))?;
        let whole = json_text(&record).is_ok_and(|text| text == content);
        Ok((record, whole))
    });
    let Ok((found, _)) = &record else { return (record, Vec::new()) };
    let as_written = |(file, expected): (&String, &String)| {
        let result = match store.hash_of(file) {
            Ok(Some(found)) if found == *expected => Ok(()),
            Ok(Some(_)) => Err(format!("has another content than {} says", record_file(id))),
            Ok(None) => Err("there is no such file".to_owned()),
            Err(error) => Err(error.to_string()),
        };
        (file.clone(), result)
    };
    let outputs = found.outputs.iter().map(as_written).collect();
    (record, outputs)
}

/// Compares a record with the manifest. `tried` is given for a candidate of a search.
fn record_fits(record: &Record, facts: &JobFacts, tried: Option<&Option<Tried>>) -> Result<(), String> {
    let differs = |what: &str, found: &str, expected: &str| {
        Err(format!("{what} is \"{found}\", but \"{expected}\" in the manifest"))
    };
    is_of_itself(record, &facts.id)?;
    if record.key != facts.key {
        return differs("the key", &record.key, &facts.key);
    }
    if (record.status, &record.error) != (facts.status, &facts.error) {
        let words = |status: Status, error: &Option<String>| match status {
            Status::Done => "done".to_owned(),
            Status::Failed => format!("failed: {}", error.as_deref().unwrap_or_default()),
        };
        return differs("the end", &words(record.status, &record.error), &words(facts.status, &facts.error));
    }
    if record.unconfined != facts.unconfined {
        let words = |free: &[Freedom]| serde_json::to_string(free).unwrap_or_default();
        return differs("`unconfined`", &words(&record.unconfined), &words(&facts.unconfined));
    }
    if record.warnings != facts.warnings {
        return differs("the list of the fit's warnings", &record.warnings.join("; "), &facts.warnings.join("; "));
    }
    if record.chosen != facts.chosen {
        return Err("the chosen setting is another one than in the manifest".to_owned());
    }
    if record.tried != *tried.unwrap_or(&None) {
        return Err("the value on the validation part is another one than in the manifest".to_owned());
    }
    let (file, what) = match tried {
        Some(_) => (values_file(&facts.id), "values"),
        None => (scores_file(&facts.id), "scores"),
    };
    if record.status == Status::Done && !record.outputs.contains_key(&file) {
        return Err(format!("names no {what}"));
    }
    Ok(())
}

/// Compares the values with the result hash. Returns the check, and the values if they can be read.
pub(super) fn values(manifest: &Manifest, store: &Store) -> (Check, Option<Evaluation>) {
    let mut check = Check::new("values");
    let files = RESULT_FILES.join(" and ");
    check.add(
        &files,
        match stored_result(store) {
            Ok(stored) if stored == manifest.result => Ok(()),
            Ok(stored) => Err(format!("the result hash is {stored}, but {} in the manifest", manifest.result)),
            Err(error) => Err(error.to_string()),
        },
    );
    match values::read(store, &manifest.shapes()) {
        Ok(evaluation) if evaluation.measures == manifest.experiment.evaluation.measures => (check, Some(evaluation)),
        Ok(_) => {
            check.failed(files, "the measures differ from the measures of the manifest");
            (check, None)
        }
        Err(error) => {
            check.failed(files, error.to_string());
            (check, None)
        }
    }
}

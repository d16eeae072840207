//! Whether the results folder holds a job's result. If not, says which input changed or which file
//! is missing or altered.
//!
//! A result is reused if its record has the key of the job, and if its files have the hashes in the
//! record. If the key differs, the record still holds the old inputs. So the changed inputs are
//! named, with their old and new values.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fivefold_results::config::Experiment;
use fivefold_results::freedom::Freedom;
use fivefold_results::manifest::{MANIFEST, Manifest, RESULT_FILES, stored_result};
use fivefold_results::store::{Record, Status, Store, StoreError, json_text};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::confine::reach::Lacks;
use crate::error::RunError;
use crate::plan::{Job, Plan};

/// Whether the next run reuses the result of a job, and if not, why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Reuse {
    /// The folder holds a valid result of this job, which is reused.
    Reused,
    /// The folder has no record of the job.
    New,
    /// The result was made from other inputs.
    Changed {
        /// The changed inputs, by the names in the record.
        changes: Vec<Change>,
    },
    /// The record cannot be used.
    Damaged {
        /// The record.
        file: String,
        /// The fault of the record.
        reason: String,
    },
    /// A file of the job is missing.
    Missing {
        /// The file.
        file: String,
    },
    /// A file of the job has changed.
    Altered {
        /// The file.
        file: String,
    },
    /// The program that made the result had freedoms that it would not have now.
    Unconfined {
        /// These freedoms.
        free: Vec<Freedom>,
    },
    /// The job failed in the last run.
    Failed {
        /// The error of the job.
        error: String,
    },
    /// The folder holds a valid result, but a job that it depends on is done again: a candidate may
    /// have failed, and the choice may be another one now.
    Awaits {
        /// That job.
        job: String,
    },
}

/// A changed value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Name of the value. A `.` stands before the name of a part.
    pub input: String,
    /// The old value. `None` if there was no value.
    pub old: Option<Value>,
    /// The new value. `None` if there is no value.
    pub new: Option<Value>,
}

/// The jobs that a run would reuse from a results folder, and the state of the evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CacheReport {
    /// Whether each job is reused, in the order of the plan.
    pub jobs: Vec<Reuse>,
    /// The state of the evaluation, which every complete run makes again.
    pub evaluation: EvaluationState,
}

/// How the settings of the folder's evaluation differ from the settings of the next evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "last", rename_all = "kebab-case")]
pub enum EvaluationState {
    /// The folder holds no evaluation.
    None,
    /// The manifest of the evaluation cannot be read.
    Damaged {
        /// The error of the manifest.
        reason: String,
    },
    /// The folder holds an evaluation.
    There {
        /// The changed settings: measures, conventions, labels, sizes of query sets, seed. Scores
        /// are not compared here.
        changes: Vec<Change>,
        /// The files of values that were altered.
        altered: Vec<String>,
    },
}

impl Reuse {
    /// Looks for the result of a job. `free` holds the freedoms that the job's program would have
    /// now.
    #[cfg(test)]
    pub(crate) fn of(job: &Job, store: &Store, free: &[Freedom]) -> Result<Self, StoreError> {
        Ok(Self::with_record(job, store, free)?.0)
    }

    /// Looks for the result of a job, and returns the record too, if one exists. `free` holds the
    /// freedoms that the job's program would have now.
    pub(crate) fn with_record(
        job: &Job,
        store: &Store,
        free: &[Freedom],
    ) -> Result<(Self, Option<Record>), StoreError> {
        let file = job.record_file();
        let Some(content) = store.read(&file)? else { return Ok((Reuse::New, None)) };
        match serde_json::from_slice(&content) {
            Ok(record) => Ok((Self::by_record(job, &record, &content, store, free)?, Some(record))),
            Err(error) => Ok((Reuse::Damaged { file, reason: error.to_string() }, None)),
        }
    }

    fn by_record(
        job: &Job,
        record: &Record,
        content: &[u8],
        store: &Store,
        free: &[Freedom],
    ) -> Result<Self, StoreError> {
        let file = job.record_file();
        if record.key != job.key {
            let changes = changes(&json!(record.inputs), &json!(job.inputs));
            if changes.is_empty() {
                return Ok(Reuse::Damaged { file, reason: "its key is not that of its inputs".to_owned() });
            }
            return Ok(Reuse::Changed { changes });
        }
        // The record must have the same bytes as when it was written. So changes that the key does
        // not cover are noticed too.
        let whole = json_text(record).is_ok_and(|text| text == content);
        let scored = record.status == Status::Failed || record.outputs.contains_key(&job.result_file());
        if !whole || !scored || record.id != job.id || record.inputs != job.inputs {
            return Ok(Reuse::Damaged { file, reason: "it was altered".to_owned() });
        }
        for (output, expected) in &record.outputs {
            match store.hash_of(output)? {
                Some(found) if found == *expected => {}
                Some(_) => return Ok(Reuse::Altered { file: output.clone() }),
                None => return Ok(Reuse::Missing { file: output.clone() }),
            }
        }
        let more: Vec<Freedom> = record.unconfined.iter().copied().filter(|freedom| !free.contains(freedom)).collect();
        Ok(match record.status {
            Status::Done if !more.is_empty() => Reuse::Unconfined { free: more },
            Status::Done => Reuse::Reused,
            Status::Failed => Reuse::Failed { error: record.error.clone().unwrap_or_default() },
        })
    }
}

/// Says which results in a folder a run of this plan would reuse.
///
/// # Errors
/// If a file of the folder cannot be read.
pub fn explain_cache(plan: &Plan<'_>, folder: impl Into<PathBuf>) -> Result<CacheReport, RunError> {
    let store = Store::new(folder);
    let jobs = job_reuse(plan, &store, &Lacks::of_this_system())?;
    Ok(CacheReport { jobs, evaluation: evaluation_state(plan.experiment, &store)? })
}

/// The [`Reuse`] of every job of a plan, on a system with these gaps.
pub(crate) fn job_reuse(plan: &Plan<'_>, store: &Store, lacks: &Lacks) -> Result<Vec<Reuse>, StoreError> {
    Ok(reuse_with_records(plan, store, lacks)?.into_iter().map(|(reuse, _)| reuse).collect())
}

/// The [`Reuse`] and the record of every job. The record is `None` if the folder has no record.
pub(crate) fn reuse_with_records(
    plan: &Plan<'_>,
    store: &Store,
    lacks: &Lacks,
) -> Result<Vec<(Reuse, Option<Record>)>, StoreError> {
    let found = plan.jobs.par_iter().map(|job| Reuse::with_record(job, store, &plan.free(job, lacks)));
    let mut found = found.collect::<Result<Vec<_>, _>>()?;
    let mut by_stage: Vec<usize> = (0..plan.jobs.len()).collect();
    by_stage.sort_by_key(|&place| plan.jobs[place].stage);
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for place in by_stage {
        let (job, reuse) = (&plan.jobs[place], &mut found[place].0);
        // Any other job has the same result each time that it is done.
        let may_differ = |need: &&Job| need.candidate.is_some() || need.stage > 0;
        let again = job.needs.iter().filter(may_differ).find(|need| open.contains(need.id.as_str()));
        if let (Reuse::Reused, Some(again)) = (&*reuse, again) {
            *reuse = Reuse::Awaits { job: again.id.clone() };
        }
        if *reuse != Reuse::Reused {
            open.insert(&job.id);
        }
    }
    Ok(found)
}

fn evaluation_state(experiment: &Experiment, store: &Store) -> Result<EvaluationState, StoreError> {
    if store.read(MANIFEST)?.is_none() {
        return Ok(EvaluationState::None);
    }
    let manifest = match Manifest::read(store) {
        Ok(manifest) => manifest,
        Err(StoreError::Content { reason, .. }) => return Ok(EvaluationState::Damaged { reason }),
        Err(error) => return Err(error),
    };
    let changes = changes(&evaluated_by(&manifest.experiment), &evaluated_by(experiment));
    let altered =
        if manifest.result == stored_result(store)? { Vec::new() } else { RESULT_FILES.map(str::to_owned).to_vec() };
    Ok(EvaluationState::There { changes, altered })
}

/// The settings on which an evaluation depends, beside scores and grades.
fn evaluated_by(experiment: &Experiment) -> Value {
    let labels: Vec<&str> = experiment.rankers.iter().map(|ranker| ranker.label.as_str()).collect();
    let mut datasets = Map::new();
    for dataset in &experiment.datasets {
        let settings =
            json!({ "queries": dataset.queries, "uninformative": dataset.uninformative, "ideal": dataset.ideal });
        datasets.insert(dataset.label.clone(), settings);
    }
    json!({
        "seed": experiment.seed,
        "design": experiment.design,
        "evaluation": experiment.evaluation,
        "query_sets": experiment.query_sets,
        "tables": experiment.tables,
        "dataset": datasets,
        "ranker labels": labels,
    })
}

/// The differences of two values. Objects are compared part by part, and any other value as a
/// whole.
pub fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    compare("", Some(old), Some(new), &mut found);
    found
}

fn compare(name: &str, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Change>) {
    if let (Some(Value::Object(old)), Some(Value::Object(new))) = (old, new) {
        let parts: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for part in parts {
            let name = if name.is_empty() { part.clone() } else { format!("{name}.{part}") };
            compare(&name, old.get(part), new.get(part), found);
        }
    } else if old != new {
        found.push(Change { input: name.to_owned(), old: old.cloned(), new: new.cloned() });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fivefold_core::Seed;

    use super::*;

    fn job(inputs: Value) -> Job {
        let inputs: BTreeMap<String, Value> = serde_json::from_value(inputs).unwrap();
        let key = crate::plan::key(&json!(inputs));
        Job {
            id: "d/fold1/r".to_owned(),
            dataset: 0,
            fold: 0,
            ranker: 0,
            repeat: 0,
            stage: 0,
            candidate: None,
            place: None,
            needs: Vec::new().into(),
            seed: Seed::new(0),
            inputs,
            key,
        }
    }

    fn record(store: &Store, job: &Job, change: impl FnOnce(&mut Record)) {
        let mut record = Record {
            id: job.id.clone(),
            key: job.key.clone(),
            inputs: job.inputs.clone(),
            status: Status::Done,
            error: None,
            unconfined: Vec::new(),
            warnings: Vec::new(),
            tried: None,
            chosen: None,
            outputs: BTreeMap::from([(job.scores_file(), store.write(&job.scores_file(), b"1.0\n").unwrap())]),
        };
        change(&mut record);
        store.write_json(&job.record_file(), &record).unwrap();
    }

    #[test]
    fn a_result_counts_only_with_its_key_and_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("run"));
        let job = job(json!({ "kind": "x", "params": { "a": 1, "b": [1, 2] } }));
        let reuse = || Reuse::of(&job, &store, &[Freedom::Network]).unwrap();
        assert_eq!(reuse(), Reuse::New);
        record(&store, &job, |_| {});
        assert_eq!(reuse(), Reuse::Reused);
        store.write(&job.scores_file(), b"2.0\n").unwrap();
        assert_eq!(reuse(), Reuse::Altered { file: job.scores_file() });
        store.remove(&job.scores_file()).unwrap();
        assert_eq!(reuse(), Reuse::Missing { file: job.scores_file() });
        record(&store, &job, |record| record.key = "other".to_owned());
        assert!(matches!(reuse(), Reuse::Damaged { reason, .. } if reason == "its key is not that of its inputs"));
        store.write(&job.record_file(), b"{").unwrap();
        assert!(matches!(reuse(), Reuse::Damaged { file, .. } if file == job.record_file()));
        record(&store, &job, |record| {
            record.status = Status::Failed;
            record.error = Some("no".to_owned());
        });
        assert_eq!(reuse(), Reuse::Failed { error: "no".to_owned() });
        record(&store, &job, |record| record.unconfined = vec![Freedom::Network]);
        assert_eq!(reuse(), Reuse::Reused);
        record(&store, &job, |record| record.unconfined = vec![Freedom::Files, Freedom::Network]);
        assert_eq!(reuse(), Reuse::Unconfined { free: vec![Freedom::Files] });
    }

    #[test]
    fn changed_inputs_are_named_with_their_values() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path());
        record(&store, &job(json!({ "kind": "x", "params": { "a": 1, "b": [1, 2] }, "seed": null })), |_| {});
        let now = job(json!({ "kind": "x", "params": { "a": 2, "b": [1, 3], "c": null }, "seed": null }));
        let Reuse::Changed { changes } = Reuse::of(&now, &store, &[]).unwrap() else { panic!() };
        let change = |input: &str, old: Option<Value>, new| Change { input: input.to_owned(), old, new: Some(new) };
        let expected = [
            change("params.a", Some(json!(1)), json!(2)),
            change("params.b", Some(json!([1, 2])), json!([1, 3])),
            change("params.c", None, Value::Null),
        ];
        assert_eq!(changes, expected);
    }
}

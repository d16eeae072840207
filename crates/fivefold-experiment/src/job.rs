//! Does a job: normalises, fits, scores the test part, and writes the model, the scores and, last,
//! the record. A candidate of a search scores queries of the validation part instead, and writes
//! their values alone.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use fivefold_core::model_file::FORMAT;
use fivefold_core::{Dataset, FitContext, FitError, ModelFile, ModelHeader, Progress, Registry};
use fivefold_data::columns::{bytes_with_columns, with_columns};
use fivefold_data::scores::read_own_scores;
use fivefold_data::{BadBlock, Collection, Fitted, Normaliser, NormaliserMethod, Over, read_scores};
use fivefold_results::code::KnownBy;
use fivefold_results::config::{Bytes, RankerConfig, ScoreSource, key_params};
use fivefold_results::log::note_cost;
use fivefold_results::store::{Chosen, Record, Status, Store, StoreError, Tried};

use crate::checkpoints::{FitCheckpoints, Keeping};
use crate::command::{listed_files, run_command};
use crate::confine::Confinement;
use crate::confine::reach::Lacks;
use crate::crew::{Crew, Meter};
use crate::forward::next_set;
use crate::fused::fused_scores;
use crate::observer::{JobEnd, Observer};
use crate::plan::{Job, JobParts, Plan, Settled};
use crate::schedule::Need;
use crate::scoring::{score, scores_text};
use crate::tuned::{ChoiceError, choose, is_done, survivor, tried, values, without_value};
use crate::weights::{fuse, learn};
use crate::work::WorkError;
use crate::worker::{Worker, lacks};

/// How a job ended, and its record. `None` if the job was cancelled.
pub(crate) type Ended = (JobEnd, Option<Record>);

/// Bytes for a score: the number, its text, and the buffer of the growing text.
const BYTES_A_SCORE: usize = 64;

/// The surroundings of a job: everything but its plan.
pub(crate) struct JobContext<'a> {
    pub registry: &'a Registry,
    pub store: &'a Store,
    /// Does the work that jobs share.
    pub pool: &'a rayon::ThreadPool,
    /// Does the fit. `None`: the pool does, which works for no other job.
    pub crew: Option<&'a Crew>,
    /// Adds up the CPU time of the job's own work.
    pub meter: Arc<Meter>,
    pub prepared: &'a PreparedFolds,
    pub observer: &'a dyn Observer,
    pub cancel: Option<&'a AtomicBool>,
    /// Starts the processes that some jobs need.
    pub worker: Option<&'a Worker>,
    /// Threads of a process that the worker starts.
    pub threads: usize,
    /// The places that commands reach.
    pub confinement: &'a Confinement,
    /// Where checkpoints of fits are kept.
    pub keeping: &'a Keeping,
    /// The bytes that the job was estimated to need beside the data. `None` where nobody asked.
    pub bytes: Option<u64>,
    /// The bytes that the job needs and the bytes that it may have, if the job needs too much to
    /// begin. Otherwise `None`.
    pub refused: Option<(u64, u64)>,
    /// Whether the job fails if its process is killed from outside.
    pub killed_fails: bool,
}

impl JobContext<'_> {
    /// Does a fit with the threads of the run.
    fn fit<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
        match self.crew {
            Some(crew) => crew.fit(&self.meter, work).map_err(|error| failed(format!("no thread: {error}"))),
            None => Ok(self.pool.install(work)),
        }
    }

    /// The freedoms of every command of this run.
    fn lacks(&self) -> Lacks {
        lacks(self.worker)
    }
}

/// Does a job and writes its results. An error of the job (of the fit, a panic, scores that are not
/// finite) is written into the job's record. Only an error of the folder is returned. A cancelled
/// job has no record.
pub(crate) fn run_job(plan: &Plan<'_>, job: &Job, cx: &JobContext<'_>) -> Result<Ended, StoreError> {
    let mut record = Record {
        id: job.id.clone(),
        key: job.key.clone(),
        inputs: job.inputs.clone(),
        status: Status::Done,
        error: None,
        unconfined: plan.free(job, &cx.lacks()),
        warnings: Vec::new(),
        tried: None,
        chosen: None,
        outputs: BTreeMap::new(),
    };
    let refused = cx.refused.map(|(needed, budget)| Failure::Killed(beyond_memory(needed, budget)));
    let end = match cx.meter.measure(|| refused.map_or_else(|| carry_out(plan, job, cx), Err)) {
        Ok(output) => {
            if let Some(model) = output.model {
                record.outputs.insert(job.model_file(), cx.store.keep(&job.model_file(), model.as_bytes())?);
            }
            let text = scores_text(&output.numbers);
            record.outputs.insert(job.result_file(), cx.store.keep(&job.result_file(), text.as_bytes())?);
            // A search would say the same thing once for each candidate.
            if job.candidate.is_none() {
                output.warnings.iter().for_each(|text| cx.observer.warning(&format!("{}: {text}", job.id)));
            }
            record.warnings = output.warnings;
            (record.tried, record.chosen) = (output.tried, output.chosen);
            JobEnd::Done
        }
        Err(Failure::Cancelled) => return Ok((JobEnd::Cancelled, None)),
        Err(Failure::Killed(_)) if !cx.killed_fails => return Ok((JobEnd::Killed, None)),
        // The error has only the path within the folder of programs, so the folder is added.
        Err(Failure::Folder(StoreError::Io { action, path, source })) => {
            return Err(StoreError::Io { action, path: cx.store.work(path), source });
        }
        Err(Failure::Folder(error)) => return Err(error),
        Err(Failure::Failed(error) | Failure::Killed(error)) => {
            // Files of an earlier success would be taken for results of this job, so they are
            // removed.
            cx.store.remove(&job.model_file())?;
            cx.store.remove(&job.result_file())?;
            record.status = Status::Failed;
            record.error = Some(error.clone());
            JobEnd::Failed(error)
        }
    };
    note_cost(cx.store, &job.id, cx.meter.total().as_secs_f64(), cx.bytes)?;
    cx.store.write_json(&job.record_file(), &record)?;
    cx.keeping.forget(job)?;
    Ok((end, Some(record)))
}

/// The bytes that a process needs which does this job alone, by an estimate: the collection, its
/// normalised copy, the fit and the scores.
pub fn bytes_alone(plan: &Plan<'_>, job: &Job, registry: &Registry) -> u64 {
    let need = PreparedFolds::new(plan, [job]).need(plan, job, registry);
    plan.data_bytes_of(job).saturating_add(need.own).saturating_add(need.shared.1)
}

/// The files and facts of a job that is done.
struct Made {
    model: Option<String>,
    /// The scores of the test part, or the validation values of a candidate.
    numbers: Vec<f64>,
    warnings: Vec<String>,
    tried: Option<Tried>,
    chosen: Option<Chosen>,
}

/// Does a job up to its files: chooses the setting of a tuned ranker first, and measures a candidate
/// last.
fn carry_out(plan: &Plan<'_>, job: &Job, cx: &JobContext<'_>) -> Result<Made, Failure> {
    let search = plan.search(job);
    let chosen = match (job.candidate, search) {
        (None, Some(tune)) => Some(choose(plan, job, tune, cx.store)?),
        _ if learns_weights(plan.ranker(job)) => {
            let (parts, _) = read_by(plan, job)?;
            let read: Vec<&Dataset> = parts.validation.iter().collect();
            let learnt = || caught(|| Ok(cx.fit(|| learn(plan, job, cx.store, cx.registry))??));
            checked(plan, job, &read, cx.pool, learnt)?
        }
        _ => None,
    };
    let settled = settled(plan, job, chosen.as_ref(), cx)?;
    let Output { model, scores, mut warnings } = attempt(plan, job, &settled, cx)?;
    warnings.extend(chosen.as_ref().and_then(without_value));
    let Some(tune) = search.filter(|_| job.candidate.is_some()) else {
        return Ok(Made { model, numbers: scores, warnings, tried: None, chosen });
    };
    let (parts, collection) = read_by(plan, job)?;
    let conventions = &plan.experiment.evaluation.conventions;
    let judged_by = (collection.max_grade, plan.experiment.tie_seed(job.dataset));
    let numbers = cx.fit(|| values(&tune.measure, conventions, judged_by, &parts.scored, &scores))?.map_err(failed)?;
    let mut tried = tried(tune, conventions, &numbers);
    if job.place.is_some() {
        tried.number = settled.setting.filter(|_| tune.halving.is_some());
        tried.features = settled.features.unwrap_or_default();
    }
    // The model of a candidate is not kept: a search would fill the disk with them.
    Ok(Made { model: None, numbers, warnings, tried: Some(tried), chosen: None })
}

/// Whether a ranker is a fusion that learns its weights.
fn learns_weights(config: &RankerConfig) -> bool {
    matches!(&config.source, ScoreSource::Fusion(fusion) if fusion.weights_by.is_some())
}

/// What results of other jobs settle for a job: the setting or the features of its search.
fn settled(plan: &Plan<'_>, job: &Job, chosen: Option<&Chosen>, cx: &JobContext<'_>) -> Result<Settled, Failure> {
    if let Some(chosen) = chosen {
        return Ok(Settled::of(plan.search(job), chosen));
    }
    let taken = Settled { setting: job.candidate, ..Settled::default() };
    let Some((place, tune)) = job.place.zip(plan.search(job)) else { return Ok(taken) };
    Ok(match &tune.forward {
        Some(forward) => Settled { features: Some(next_set(plan, job, place, forward, cx.store)?), ..taken },
        None => Settled { setting: Some(survivor(plan, job, place, tune, cx.store)?), ..taken },
    })
}

/// The parts that a job reads, and their collection.
fn read_by<'p>(plan: &'p Plan<'_>, job: &Job) -> Result<(JobParts, &'p Collection), Failure> {
    let parts = plan.parts(job).zip(plan.collection(job));
    parts.ok_or_else(|| failed("its collection was not loaded"))
}

/// Why a job does not begin that needs `needed` bytes, data included.
fn beyond_memory(needed: u64, budget: u64) -> String {
    format!(
        "the job needs about {} with the data, more than the {} that may be used: raise --memory, or take fewer \
            features, documents or threads",
        Bytes(needed),
        Bytes(budget)
    )
}

/// Why a job has no output.
pub(crate) enum Failure {
    Cancelled,
    Failed(String),
    /// Its process was killed from outside, with this reason if that is a failure.
    Killed(String),
    /// The folder failed, not the job.
    Folder(StoreError),
}

impl From<ChoiceError> for Failure {
    fn from(error: ChoiceError) -> Self {
        match error {
            ChoiceError::Folder(error) => Failure::Folder(error),
            ChoiceError::NoSetting(reason) => Failure::Failed(reason),
        }
    }
}

impl From<FitError> for Failure {
    fn from(error: FitError) -> Self {
        match error {
            FitError::Cancelled => Failure::Cancelled,
            other => Failure::Failed(other.to_string()),
        }
    }
}

impl From<WorkError> for Failure {
    fn from(error: WorkError) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        match error {
            WorkError::Cancelled => Failure::Cancelled,
            WorkError::Io { action, file, source }
                if matches!(source.kind(), FileTooLarge | QuotaExceeded | ReadOnlyFilesystem | StorageFull) =>
            {
                Failure::Folder(StoreError::Io { action, path: file.into(), source })
            }
            other => Failure::Failed(other.to_string()),
        }
    }
}

pub(crate) fn failed(error: impl std::fmt::Display) -> Failure {
    Failure::Failed(error.to_string())
}

/// The failure of a job whose process ended so, for a reason. A shell ends with 137 if its program
/// was killed.
pub(crate) fn of_ending(ending: &str, reason: String) -> Failure {
    match ending {
        "signal: 9 (SIGKILL)" | "exit status: 137" => Failure::Killed(reason),
        _ => Failure::Failed(reason),
    }
}

/// The output of a job.
pub(crate) struct Output {
    pub model: Option<String>,
    pub scores: Vec<f64>,
    /// The warnings of the fit, in alphabetical order.
    pub warnings: Vec<String>,
}

/// Makes the output of a job, with what its search has settled. A panic becomes a failure.
pub(crate) fn attempt(plan: &Plan<'_>, job: &Job, settled: &Settled, cx: &JobContext<'_>) -> Result<Output, Failure> {
    let (parts, _) = read_by(plan, job)?;
    let config = plan.settled(job, settled);
    let reads = match &config.source {
        // The process of an isolated fit has data of its own, and checks them itself.
        ScoreSource::Train { .. } => cx.worker.is_none() || !config.limits.isolated(),
        ScoreSource::Command(_) => true,
        ScoreSource::Scores(_) | ScoreSource::Fusion(_) => false,
    };
    // A normalised copy was checked when it was made.
    let reads = reads && config.normalise.method == NormaliserMethod::None;
    let read = if reads { parts.all() } else { Vec::new() };
    checked(plan, job, &read, cx.pool, || caught(|| compute(plan, job, settled, cx)))
}

/// Does some work that reads the features of some parts. A damaged block of cached features fails
/// the job, whatever else failed. The check before the work is of blocks that nobody has checked
/// yet. The check after the work is of all blocks, because a file may be altered while it is in use.
fn checked<T>(
    plan: &Plan<'_>,
    job: &Job,
    read: &[&Dataset],
    pool: &rayon::ThreadPool,
    work: impl FnOnce() -> Result<T, Failure>,
) -> Result<T, Failure> {
    let (_, collection) = read_by(plan, job)?;
    let bad = |bad: BadBlock| {
        let fold = collection.folds[job.fold].number;
        failed(format!("data set `{}`, fold {fold}: {bad}", plan.experiment.datasets[job.dataset].label))
    };
    pool.install(|| collection.check(read)).map_err(bad)?;
    let end = work();
    pool.install(|| collection.check_again(read)).map_err(bad)?;
    end
}

/// Does some work. A panic becomes a failure.
fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let end = catch_unwind(AssertUnwindSafe(work));
    end.unwrap_or_else(|panic| Err(Failure::Failed(format!("panicked: {}", panic_text(&*panic)))))
}

fn compute(plan: &Plan<'_>, job: &Job, settled: &Settled, cx: &JobContext<'_>) -> Result<Output, Failure> {
    let config = &*plan.settled(job, settled);
    let (parts, collection) = read_by(plan, job)?;
    match &config.source {
        ScoreSource::Scores(files) => {
            let path = plan.score_path(files, job.dataset, collection.folds[job.fold].number);
            let scores = read_scores(&path, parts.scored.documents()).map_err(failed)?;
            Ok(Output { model: None, scores, warnings: Vec::new() })
        }
        ScoreSource::Fusion(config) => {
            let fusion = config.fusion().map_err(failed)?;
            let scores = |member: &Job| member_scores(member, cx.store, parts.scored.documents());
            let scores = job.needs.iter().map(scores).collect::<Result<Vec<_>, _>>()?;
            let scores = match &settled.weights {
                Some(weights) => cx.fit(|| fuse(&fusion, weights, &parts.scored, &scores))??,
                None => cx.fit(|| fused_scores(&fusion, &parts.scored, &scores))?.map_err(failed)?,
            };
            Ok(Output { model: None, scores, warnings: Vec::new() })
        }
        ScoreSource::Command(command) => {
            let prepared = cx.prepared.get(plan, job, config, collection, cx.pool)?;
            let parts = prepared.parts(&parts, None)?;
            let columns = plan.columns(job, config).map_err(failed)?;
            let files = listed_files(plan, command, job);
            let scores = run_command(command, config.limits, job, &files, &parts, columns.as_deref(), cx)?;
            Ok(Output { model: None, scores, warnings: Vec::new() })
        }
        ScoreSource::Train { .. } => match cx.worker.filter(|_| config.limits.isolated()) {
            Some(worker) => worker.fit(plan, job, settled, cx),
            None => fitted(plan, job, settled, &parts, cx),
        },
    }
}

/// Fits a registered ranker, and scores a part with the model.
fn fitted(
    plan: &Plan<'_>,
    job: &Job,
    settled: &Settled,
    parts: &JobParts,
    cx: &JobContext<'_>,
) -> Result<Output, Failure> {
    let config = &*plan.settled(job, settled);
    let ScoreSource::Train { params, version, code, renamed, .. } = &config.source else {
        return Err(failed("its ranker fits nothing"));
    };
    let entry = cx.registry.find(&config.kind).ok_or_else(|| failed("its ranker is not registered"))?;
    // In a process of its own, the program file may be another than that of the run, if the
    // program was built meanwhile.
    if entry.version != *version || KnownBy::of(entry).map_err(failed)? != *code {
        return Err(failed("the program was built anew while the run went on; run the experiment again"));
    }
    let ranker = entry.restore(params).map_err(failed)?;
    let collection = plan.collection(job).ok_or_else(|| failed("its collection was not loaded"))?;
    let prepared = cx.prepared.get(plan, job, config, collection, cx.pool)?;
    let columns = plan.columns(job, config).map_err(failed)?;
    let JobParts { train, validation, scored } = cx.pool.install(|| prepared.parts(parts, columns.as_deref()))?;
    let progress = JobProgress { job, observer: cx.observer, warnings: Mutex::default() };
    let checkpoints = FitCheckpoints::new(cx.keeping, job, settled, cx.observer);
    let mut context = FitContext::new(job.seed).with_progress(&progress).with_checkpoints(&checkpoints);
    if let Some(validation) = &validation {
        context = context.with_validation(validation);
    }
    if let Some(flag) = cx.cancel {
        context = context.with_cancellation(flag);
    }
    let model = cx.fit(|| ranker.fit(&train, &context))??;
    let scores = score(&*model, &scored).map_err(failed)?;
    let warnings = progress.warnings.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
    if job.candidate.is_some() {
        return Ok(Output { model: None, scores, warnings });
    }
    let header = ModelHeader {
        format: FORMAT.to_owned(),
        ranker: config.kind.clone(),
        version: *version,
        params: key_params(params, renamed),
        features: collection.all.width(),
        columns,
        missing: missing_policy(collection),
        normaliser: serde_json::to_value(&prepared.fitted).map_err(failed)?,
        data: job.inputs.get("train").and_then(|hash| hash.as_str()).unwrap_or_default().to_owned(),
    };
    let file = ModelFile { header, model: model.to_json().map_err(failed)? };
    Ok(Output { model: Some(file.to_text().map_err(failed)?), scores, warnings })
}

/// The scores of a job that has ended, on which another job depends.
fn member_scores(member: &Job, store: &Store, documents: usize) -> Result<Vec<f64>, Failure> {
    is_done(member, store)?;
    let file = store.own_path(&member.scores_file()).map_err(Failure::Folder)?;
    read_own_scores(&file, documents).map_err(failed)
}

struct JobProgress<'a> {
    job: &'a Job,
    observer: &'a dyn Observer,
    /// Each warning once, in an order that does not depend on threads.
    warnings: Mutex<BTreeSet<String>>,
}

impl Progress for JobProgress<'_> {
    fn step(&self, done: u64, total: u64) {
        self.observer.step(self.job, done, total);
    }

    fn warning(&self, text: &str) {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
    }
}

fn missing_policy(collection: &Collection) -> String {
    match serde_json::to_value(collection.missing) {
        Ok(serde_json::Value::String(word)) => word,
        other => format!("{other:?}"),
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

/// A collection with normalised features.
pub(crate) struct Prepared {
    fitted: Fitted,
    /// All queries of the collection. The parts of a fold are views of these queries.
    all: Dataset,
}

impl Prepared {
    /// Returns the parts with normalised features. With `columns`, the parts have these features
    /// only.
    fn parts(&self, parts: &JobParts, columns: Option<&[usize]>) -> Result<JobParts, Failure> {
        let part = |of: &Dataset| {
            let all = of.within(&self.all).ok_or_else(|| failed("a part is not of its collection"))?;
            columns.map_or(Ok(all.clone()), |columns| with_columns(&all, columns).map_err(failed))
        };
        Ok(JobParts {
            train: part(&parts.train)?,
            validation: parts.validation.as_ref().map(part).transpose()?,
            scored: part(&parts.scored)?,
        })
    }
}

/// Normalised collections, which jobs share. A collection is normalised when the first job asks for
/// it, and dropped after the last job. Normalised over each query, all folds share a copy.
/// Normalised over the training part, each fold has its own copy.
pub(crate) struct PreparedFolds {
    slots: Vec<Slot>,
}

struct Slot {
    dataset: usize,
    /// The training part by which the copy is normalised. `None` if all folds share the copy.
    train: Option<Train>,
    normaliser: Normaliser,
    state: Mutex<SlotState>,
}

struct SlotState {
    users: usize,
    prepared: Option<Arc<Prepared>>,
}

impl PreparedFolds {
    /// Makes slots for some jobs of a plan. Each of these jobs must be [released](Self::release)
    /// once.
    pub(crate) fn new<'j>(plan: &Plan<'_>, jobs: impl IntoIterator<Item = &'j Job>) -> Self {
        let mut folds = PreparedFolds { slots: Vec::new() };
        for job in jobs {
            let Some(normaliser) = normaliser(plan, job) else { continue };
            match folds.slots.iter_mut().find(|slot| slot.is_for(plan, job, &normaliser)) {
                Some(slot) => slot.state.get_mut().unwrap_or_else(PoisonError::into_inner).users += 1,
                None => folds.slots.push(Slot {
                    dataset: job.dataset,
                    train: (normaliser.over == Over::Train).then(|| Train::of(plan, job)),
                    normaliser,
                    state: Mutex::new(SlotState { users: 1, prepared: None }),
                }),
            }
        }
        folds
    }

    /// The bytes that a job needs, and its share in a slot. A tuned ranker needs as much as its
    /// largest setting.
    pub(crate) fn need(&self, plan: &Plan<'_>, job: &Job, registry: &Registry) -> Need {
        let normaliser = normaliser(plan, job);
        let slot = self.slots.iter().position(|slot| normaliser.is_some_and(|own| slot.is_for(plan, job, &own)));
        // A job without a slot shares nothing with another job.
        let slot = slot.unwrap_or(self.slots.len());
        let (Some(collection), Some(parts)) = (plan.collection(job), plan.parts(job)) else {
            return Need { own: 0, shared: (slot, 0) };
        };
        let fit_bytes = |config: &&RankerConfig| match &config.source {
            ScoreSource::Train { params, .. } => {
                let ranker = registry.find(&config.kind).and_then(|entry| entry.restore(params).ok());
                ranker.map_or(0, |ranker| ranker.fit_bytes(&parts.train, parts.validation.as_ref()))
            }
            // The validation part is normalised for a model, and scored by each.
            ScoreSource::Fusion(fusion) if fusion.weights_by.is_some() => {
                let documents = parts.validation.as_ref().map_or(0, Dataset::documents);
                let a_document = collection.all.width() * size_of::<f32>() + (fusion.of.len() + 1) * BYTES_A_SCORE;
                (documents * a_document) as u64
            }
            ScoreSource::Scores(_) | ScoreSource::Command(_) | ScoreSource::Fusion(_) => 0,
        };
        let may_fit = plan.may_fit(job);
        let fit = may_fit.iter().map(fit_bytes).max().unwrap_or(0);
        let data = (collection.all.documents() * collection.all.width() * size_of::<f32>()) as u64;
        let copy = may_fit.iter().map(|config| config.normalise.bytes(&collection.all)).max().unwrap_or(0);
        let chosen = plan.may_copy(job).map_or(0, |columns| {
            let parts = [Some(&parts.train), parts.validation.as_ref(), Some(&parts.scored)];
            parts.into_iter().flatten().map(|part| bytes_with_columns(part, &columns)).sum()
        });
        let own = fit + chosen + (parts.scored.documents() * BYTES_A_SCORE) as u64;
        let config = plan.ranker(job);
        match &config.source {
            // A fit in a process of its own also needs its own data and its own copy.
            ScoreSource::Train { .. } if config.limits.isolated() => Need { own: own + data + copy, shared: (slot, 0) },
            _ if normaliser.is_none() => Need { own: own + copy, shared: (slot, 0) },
            _ => Need { own, shared: (slot, copy) },
        }
    }

    /// Returns the collection, normalised for this ranker. Must be called from a thread outside the
    /// pool. The slot is locked while the pool normalises, so the work is done once.
    fn get(
        &self,
        plan: &Plan<'_>,
        job: &Job,
        config: &RankerConfig,
        collection: &Collection,
        pool: &rayon::ThreadPool,
    ) -> Result<Arc<Prepared>, Failure> {
        // Without a normaliser there is no copy, and each job checks what it reads.
        let copied = config.normalise.method != NormaliserMethod::None;
        let read: &[&Dataset] = if copied { &[&collection.all] } else { &[] };
        let build = || {
            checked(plan, job, read, pool, || {
                pool.install(|| {
                    let train = plan.train(job);
                    let train = train.as_ref().unwrap_or(&collection.folds[job.fold].train);
                    let fitted = config.normalise.fit(train).map_err(failed)?;
                    Ok(Arc::new(Prepared { all: fitted.apply(&collection.all).map_err(failed)?, fitted }))
                })
            })
        };
        let Some(slot) = self.slots.iter().find(|slot| slot.is_for(plan, job, &config.normalise)) else {
            return build();
        };
        let mut state = slot.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prepared) = &state.prepared {
            return Ok(Arc::clone(prepared));
        }
        let prepared = build()?;
        state.prepared = Some(Arc::clone(&prepared));
        Ok(prepared)
    }

    /// Ends the use of the collection by a job. After its last job, the collection is dropped.
    pub(crate) fn release(&self, plan: &Plan<'_>, job: &Job) {
        let Some(normaliser) = normaliser(plan, job) else { return };
        if let Some(slot) = self.slots.iter().find(|slot| slot.is_for(plan, job, &normaliser)) {
            let mut state = slot.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.users = state.users.saturating_sub(1);
            if state.users == 0 {
                state.prepared = None;
            }
        }
    }
}

/// The normaliser of a job. `None` if the settings of a tuned ranker have several.
fn normaliser(plan: &Plan<'_>, job: &Job) -> Option<Normaliser> {
    let may_fit = plan.may_fit(job);
    let first = may_fit.first()?.normalise;
    may_fit.iter().all(|config| config.normalise == first).then_some(first)
}

/// A training part: that of a fold, or a sample of it.
#[derive(PartialEq)]
struct Train {
    fold: usize,
    /// The share and the repeat of a sample.
    sample: Option<(f64, usize)>,
}

impl Train {
    fn of(plan: &Plan<'_>, job: &Job) -> Self {
        let share = plan.experiment.rankers[job.ranker].train_share;
        Train { fold: job.fold, sample: share.map(|share| (share, job.repeat)) }
    }
}

impl Slot {
    fn is_for(&self, plan: &Plan<'_>, job: &Job, normaliser: &Normaliser) -> bool {
        self.dataset == job.dataset
            && self.normaliser == *normaliser
            && self.train.as_ref().is_none_or(|train| *train == Train::of(plan, job))
    }
}

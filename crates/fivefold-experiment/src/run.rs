//! Runs an experiment. Jobs without a valid result are done, and then everything is evaluated.
//!
//! Nothing is printed here: an [`Observer`] is told about each event. The threads of a `Crew` take
//! one job after another, as many at a time as memory holds, and help each other.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fivefold_analysis::design::{Design, SeedValues};
use fivefold_analysis::evaluation::{DatasetValues, Evaluation};
use fivefold_base::words::{list, list_some};
use fivefold_core::{Registry, Seed};
use fivefold_data::Collection;
use fivefold_metrics::{Evaluator, StandardErrors, dialect};
use fivefold_results::code::trusted;
use fivefold_results::config::{Experiment, RankerConfig, ScoreSource};
use fivefold_results::freedom;
use fivefold_results::lock::{FolderLock, LockMode};
use fivefold_results::log::RunLog;
use fivefold_results::manifest::{
    CandidateFacts, DatasetFacts, FORMAT, JobFacts, MANIFEST, Manifest, RESULT_FILES, result_hash, warning_lines,
};
use fivefold_results::owner::{Claim, Standing, overwritten};
use fivefold_results::results::{Results, table_options};
use fivefold_results::store::{Record, Status, Store, StoreError};
use fivefold_results::values;

use crate::checkpoints::{CHECKPOINT_EVERY, Keeping};
use crate::confine::Confinement;
use crate::confine::reach::Lacks;
use crate::crew::{Crew, Task};
use crate::error::RunError;
use crate::evaluate::{OfPlan, check_measures, evaluate};
use crate::filter::JobFilter;
use crate::job::{Ended, JobContext, PreparedFolds, run_job};
use crate::kept::Kept;
use crate::leaks::Guards;
use crate::observer::{JobEnd, Observer, Silent};
use crate::plan::{Job, Plan};
use crate::reuse::{Reuse, job_reuse, reuse_with_records};
use crate::schedule::Schedule;
use crate::worker::{Worker, lacks};

/// The options of a run.
///
/// ```
/// use fivefold_experiment::{RunOptions, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds. The results are the same for any number of threads.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let [one, two] = [1, 2].map(|threads| {
///     let out = folder.path().join(format!("with-{threads}"));
///     run(&experiment, &registry, &RunOptions { threads, ..RunOptions::new(out) })
/// });
/// assert_eq!(one?.results.map(|results| results.manifest.result), two?.results.map(|results| results.manifest.result));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RunOptions<'a> {
    /// The results folder. Made if it does not exist.
    pub out: PathBuf,
    /// Number of threads. 0: a thread for each processor.
    pub threads: usize,
    /// The memory in bytes that the data and the running jobs may take, by an estimate. With little
    /// memory, fewer jobs run at a time; the results are the same. A job that needs more than the
    /// whole budget fails before it begins. `None`: no limit.
    pub memory: Option<u64>,
    /// The jobs to do. Only a run of all jobs evaluates.
    pub only: JobFilter,
    /// The keys that jobs must have, by id. If a job has another key, the run stops before its first
    /// job: an input changed since the keys were written down.
    pub keys: Option<&'a BTreeMap<String, String>>,
    /// Does no job, but evaluates the results that are there. A job without a result is among the
    /// failed jobs of the [`RunOutcome`].
    pub only_evaluate: bool,
    /// Whether a job fails if its process is killed by SIGKILL from outside, or if it needs more than
    /// the whole of `memory`. If not, the job has no result and is among the killed jobs of the
    /// [`RunOutcome`]: in an allocation of a scheduler, the kernel kills what exceeds the memory of the
    /// allocation, which is not the job's fault.
    pub killed_fails: bool,
    /// A seed for a random order of the jobs, in place of the order of the plan. The results are
    /// the same.
    pub order_seed: Option<u64>,
    /// The observer of the run.
    pub observer: &'a dyn Observer,
    /// A flag that asks the run to stop. The next run continues from there.
    pub cancel: Option<&'a AtomicBool>,
    /// The time between two checkpoints of a fit that goes in rounds. A fit that is stopped keeps a
    /// checkpoint, too.
    pub checkpoint_every: Duration,
    /// The caller's lock on `out`, if the caller writes there afterwards. `None`: the run takes the
    /// lock itself.
    pub lock: Option<&'a FolderLock>,
    /// The right to write into `out`. `None`: the caller has checked the right.
    pub claim: Option<&'a Claim>,
    /// The program for fits with limits, which run in their own processes, and for guards of
    /// programs in other languages. Without this program, a fit with limits is an error, and a
    /// program in another language outlives a killed run.
    pub worker: Option<&'a Worker>,
}

impl RunOptions<'_> {
    /// Options for all jobs into `out`, with a thread for each processor and no observer.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        RunOptions {
            out: out.into(),
            threads: 0,
            memory: None,
            only: JobFilter::All,
            keys: None,
            only_evaluate: false,
            killed_fails: true,
            order_seed: None,
            observer: &Silent,
            cancel: None,
            checkpoint_every: CHECKPOINT_EVERY,
            lock: None,
            claim: None,
            worker: None,
        }
    }
}

/// How a run ended.
///
/// ```
/// use fivefold_experiment::{RunOptions, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds. What is there already is not done again.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let options = RunOptions::new(folder.path().join("results"));
/// let first = run(&experiment, &registry, &options)?;
/// assert_eq!((first.done, first.reused, first.failed.len()), (5, 0, 0));
/// let second = run(&experiment, &registry, &options)?;
/// assert_eq!((second.done, second.reused), (0, 5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Jobs of the plan.
    pub jobs: usize,
    /// Jobs whose result was reused.
    pub reused: usize,
    /// Jobs that were done in this run.
    pub done: usize,
    /// Jobs that failed in this run: the id and the reason. Candidates of a search are left out.
    pub failed: Vec<(String, String)>,
    /// Jobs of the plan that are candidates of a search.
    pub candidates: usize,
    /// Candidates that failed in this run. The search goes on without them.
    pub failed_candidates: usize,
    /// Whether the run was cancelled before its end.
    pub cancelled: bool,
    /// Jobs whose process was killed from outside, if that is no failure
    /// ([`killed_fails`](RunOptions::killed_fails)).
    pub killed: Vec<String>,
    /// The results. `None` if a job of the experiment has not ended.
    pub results: Option<Results>,
}

/// The state of a job's result.
///
/// ```
/// use fivefold_experiment::{JobState, JobFilter, Plan, RunOptions, job_states, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment of one ranker on five folds, of which one is run.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let out = folder.path().join("results");
/// run(&experiment, &registry, &RunOptions { only: JobFilter::patterns(["fold2"]), ..RunOptions::new(&out) })?;
/// let states = job_states(&Plan::new(&experiment, &JobFilter::All)?, &out)?;
/// assert_eq!(states[..2], [JobState::Open, JobState::Done]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// The folder holds a valid result.
    Done,
    /// The job failed in the last run and will be tried again.
    Failed,
    /// The folder has no result of the job, or a result of other inputs.
    Open,
}

/// Runs an experiment into a folder.
///
/// ```
/// use fivefold_experiment::{RunOptions, run};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment: its ranker puts the relevant document of each of ten queries first.
/// let folder = tempfile::tempdir()?;
/// let (experiment, registry) = small(folder.path())?;
/// let outcome = run(&experiment, &registry, &RunOptions::new(folder.path().join("results")))?;
/// let evaluation = outcome.results.map(|results| results.evaluation).unwrap_or_default();
/// assert_eq!(evaluation.measures[0].to_string(), "rr@5");
/// assert_eq!((evaluation.datasets[0].queries.len(), evaluation.datasets[0].all[0]), (10, 1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RunError`]. A failed job is not an error, but a part of the [`RunOutcome`].
pub fn run(experiment: &Experiment, registry: &Registry, options: &RunOptions<'_>) -> Result<RunOutcome, RunError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| RunError::Threads(error.to_string()))?;
    let started = Instant::now();
    let store = Store::new(&options.out);
    // A run that holds the lock alone may remove the files that killed runs left.
    let mode = if matches!(options.only, JobFilter::Jobs(_)) { LockMode::Shared } else { LockMode::Alone };
    let lock = if options.lock.is_none() { Some(FolderLock::take(&options.out, mode)?) } else { None };
    if let Some(warning) = options.lock.or(lock.as_ref()).and_then(FolderLock::warning) {
        options.observer.warning(warning);
    }
    check_tables(experiment)?;
    if !cfg!(target_os = "linux") && experiment.rankers.iter().any(|ranker| ranker.limits.memory.is_some()) {
        return Err(RunError::NoMemoryLimit);
    }
    let isolated =
        |ranker: &RankerConfig| ranker.limits.isolated() && matches!(ranker.source, ScoreSource::Train { .. });
    if options.worker.is_none() && experiment.rankers.iter().any(isolated) {
        return Err(RunError::NoWorker);
    }
    let plan = pool.install(|| Plan::new(experiment, &options.only))?;
    check_keys(&plan, options.keys)?;
    check_measures(&plan)?;
    let mut guards = pool.install(|| Guards::check(&plan))?;
    let lacks = lacks(options.worker);
    let confinement = Confinement::check(&plan, Some(&store), &lacks)?;
    guards.warnings.iter().for_each(|warning| options.observer.warning(warning));
    if let Some(claim) = options.claim {
        pool.install(|| check_claim(claim, &plan, &store, &lacks))?;
    }
    if let Some(input) = overwritten(store.root(), &plan.inputs(), &RESULT_FILES) {
        return Err(RunError::Overwritten { input: input.clone(), folder: store.root().to_owned() });
    }
    if mode == LockMode::Alone {
        // Files that cannot be removed are named at the end.
        store.sweep();
    }
    store.prepare()?;
    if let Some(claim) = options.claim {
        claim.note(&store);
    }
    let found = pool.install(|| reuse_with_records(&plan, &store, &lacks))?;
    let (reuse, records): (Vec<Reuse>, Vec<Option<Record>>) = found.into_iter().unzip();
    let mut kept = Kept::default();
    let reused = records.into_iter().zip(&reuse).filter(|(_, reuse)| **reuse == Reuse::Reused);
    reused.filter_map(|(record, _)| record).for_each(|record| kept.keep(record));
    let mut open: Vec<&Job> =
        plan.jobs.iter().zip(&reuse).filter(|(_, reuse)| **reuse != Reuse::Reused).map(|(job, _)| job).collect();
    let mut ends = Vec::with_capacity(open.len());
    if options.only_evaluate {
        for (job, why) in plan.jobs.iter().zip(&reuse).filter_map(|(job, reuse)| Some((job, lacking(reuse)?))) {
            options.observer.warning(&format!("{}: {why}", job.id));
            ends.push((job, JobEnd::Failed(why)));
        }
        open.clear();
    } else {
        unconfined(&plan, &open, &lacks).iter().for_each(|stamp| options.observer.warning(stamp));
        options.observer.planned(&plan, &reuse);
    }
    for line in reused_warnings(&plan, &store, &reuse)? {
        options.observer.warning(&line);
    }
    if let Some(seed) = options.order_seed {
        Seed::new(seed).derive("order of jobs").rng().shuffle(&mut open);
    }

    // The jobs of a stage depend on results of the stages before.
    open.sort_by_key(|job| job.stage);
    for stage in open.chunk_by(|one, next| one.stage == next.stage) {
        for (job, (end, record)) in run_jobs(&plan, stage, registry, &store, &pool, &confinement, options)? {
            record.into_iter().for_each(|record| kept.keep(record));
            ends.push((job, end));
        }
    }
    ends.sort_by_key(|(job, _)| {
        (job.dataset, job.fold, job.ranker, job.repeat, job.candidate.is_none(), job.candidate)
    });
    let mut outcome = RunOutcome {
        jobs: plan.jobs.len(),
        reused: reuse.iter().filter(|reuse| **reuse == Reuse::Reused).count(),
        done: ends.iter().filter(|(_, end)| *end == JobEnd::Done).count(),
        failed: ends
            .iter()
            .filter(|(job, _)| job.candidate.is_none())
            .filter_map(|(job, end)| end.failure().map(|error| (job.id.clone(), error.to_owned())))
            .collect(),
        candidates: plan.jobs.iter().filter(|job| job.candidate.is_some()).count(),
        failed_candidates: ends.iter().filter(|(job, end)| job.candidate.is_some() && end.failure().is_some()).count(),
        cancelled: ends.len() < open.len() || ends.iter().any(|(_, end)| *end == JobEnd::Cancelled),
        killed: ends.iter().filter(|(_, end)| *end == JobEnd::Killed).map(|(job, _)| job.id.clone()).collect(),
        results: None,
    };
    // An error of the evaluation is returned later, so that the times of the jobs are kept in any
    // case.
    let mut refused = None;
    let has_ended = !outcome.cancelled && outcome.killed.is_empty();
    if has_ended && options.only == JobFilter::All {
        options.observer.evaluating();
        let finished = pool.install(|| {
            // If no job ran, all files were checked a moment ago.
            if !open.is_empty() {
                kept.check(&store)?;
            }
            finish(&plan, &store, &kept, &outcome.failed, &mut guards, options.cancel)
        });
        match finished {
            Err(RunError::Cancelled) => outcome.cancelled = true,
            Err(error) => refused = Some(error),
            Ok(results) => outcome.results = Some(results),
        }
        guards.needless(&plan).iter().for_each(|warning| options.observer.warning(warning));
    }
    if mode == LockMode::Alone
        && has_ended
        && !outcome.cancelled
        && options.only == JobFilter::All
        && !options.only_evaluate
    {
        store.forget_rounds()?;
    }
    if mode == LockMode::Alone {
        // Times are for information only, so an error is just a warning.
        if let Err(error) = RunLog::update(&store, pool.current_num_threads(), started.elapsed().as_secs_f64()) {
            options.observer.warning(&error.to_string());
        }
        store.sweep().iter().for_each(|left| options.observer.warning(left));
    }
    refused.map_or(Ok(outcome), Err)
}

/// Why a job that nobody may do has no result. `None` if there is a result.
fn lacking(reuse: &Reuse) -> Option<String> {
    Some(match reuse {
        Reuse::Reused => return None,
        Reuse::Failed { error } => error.clone(),
        Reuse::New => "has no result; run the job first".to_owned(),
        Reuse::Changed { changes } => {
            let inputs: Vec<&str> = changes.iter().map(|change| change.input.as_str()).collect();
            format!("has a result of other inputs ({}); run the job again", list_some(&inputs))
        }
        Reuse::Damaged { file, .. } | Reuse::Missing { file } | Reuse::Altered { file } => {
            format!("{file} is missing or was altered; run the job again")
        }
        Reuse::Unconfined { .. } => "was done by a program with other freedoms; run the job again".to_owned(),
        Reuse::Awaits { job } => format!("depends on {job}, which has no result; run that job first"),
    })
}

/// Refuses jobs that have other keys than the keys that were written down.
fn check_keys(plan: &Plan<'_>, keys: Option<&BTreeMap<String, String>>) -> Result<(), RunError> {
    let Some(keys) = keys else { return Ok(()) };
    let differs = |job: &&Job| keys.get(&job.id).is_some_and(|key| *key != job.key);
    let jobs: Vec<String> = plan.jobs.iter().filter(differs).map(|job| job.id.clone()).collect();
    if jobs.is_empty() { Ok(()) } else { Err(RunError::OtherKeys { jobs }) }
}

/// Refuses a folder that does not belong to the experiment.
fn check_claim(claim: &Claim, plan: &Plan<'_>, store: &Store, lacks: &Lacks) -> Result<(), RunError> {
    let experiment = plan.experiment;
    if claim.judge(store.root(), FORMAT, &experiment.name)? == Standing::Own {
        return Ok(());
    }
    let reused = |plan: &Plan<'_>| -> Result<bool, RunError> {
        let known = |reuse: &Reuse| {
            matches!(reuse, Reuse::Reused | Reuse::Failed { .. } | Reuse::Unconfined { .. } | Reuse::Awaits { .. })
        };
        Ok(job_reuse(plan, store, lacks)?.iter().any(known))
    };
    // With `--only`, none of the chosen jobs may have a result, but other jobs may. So all jobs are
    // looked at too.
    if reused(plan)? || reused(&Plan::new(experiment, &JobFilter::All)?)? || !has_records(store) {
        return Ok(());
    }
    let lacking = "and no finished job there belongs to this experiment in its present form";
    Err(claim.refusal(store.root(), &experiment.name, lacking).into())
}

/// Whether a folder holds an ended job of any experiment.
fn has_records(store: &Store) -> bool {
    fn below(folder: &Path) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else { return false };
        entries.flatten().any(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => below(&entry.path()),
            _ => true,
        })
    }
    below(&store.path("jobs")) || store.path(MANIFEST).exists()
}

/// Checks a plan as a run does before its first job, and does no job. Returns the warnings with
/// which the run would begin.
///
/// # Errors
/// Each error that would stop the run before its first job: an unknown table or measure, or a leak
/// guard.
pub fn check_plan(plan: &Plan<'_>) -> Result<Vec<String>, RunError> {
    check_tables(plan.experiment)?;
    check_measures(plan)?;
    let warnings = Guards::check(plan)?.warnings;
    Confinement::check(plan, None, &Lacks::of_this_system())?;
    Ok(warnings)
}

/// Checks that all requested tables can be made. The check comes before the jobs, which may take
/// hours. The tables of no queries are made, because they have the same ids.
fn check_tables(experiment: &Experiment) -> Result<(), RunError> {
    if experiment.tables.only.is_empty() {
        return Ok(());
    }
    let rankers: Vec<String> = experiment.rankers.iter().map(|ranker| ranker.label.clone()).collect();
    let datasets = experiment.datasets.iter().map(|dataset| DatasetValues {
        name: dataset.label.clone(),
        failed: vec![false; rankers.len()],
        rankers: rankers.clone(),
        queries: Vec::new(),
        all: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        expected: Vec::new(),
    });
    let measures = experiment.evaluation.measures.clone();
    let evaluation = Evaluation { measures, datasets: datasets.collect() };
    empty_design(experiment).analyse(&evaluation, &table_options(experiment, Vec::new()))?;
    Ok(())
}

/// The design of an experiment without values.
fn empty_design(experiment: &Experiment) -> Design {
    let repeated = (0..experiment.rankers.len()).map(|ranker| experiment.repeats_of(ranker) > 1).collect();
    let seeds = SeedValues { repeated, values: Vec::new() };
    Design { seeds: vec![seeds; experiment.datasets.len()], ..experiment.design.design(&[]) }
}

/// The state of every job of a plan in a results folder.
///
/// ```
/// use fivefold_experiment::{JobState, JobFilter, Plan, job_states};
/// # mod given { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/small.rs")); }
/// # use given::small;
///
/// // `small` gives an experiment, of which nothing was run yet.
/// let folder = tempfile::tempdir()?;
/// let (experiment, _) = small(folder.path())?;
/// let plan = Plan::new(&experiment, &JobFilter::All)?;
/// assert_eq!(job_states(&plan, folder.path().join("results"))?, [JobState::Open; 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a file of the folder cannot be read.
pub fn job_states(plan: &Plan<'_>, folder: impl Into<PathBuf>) -> Result<Vec<JobState>, RunError> {
    let state = |reuse: &Reuse| match reuse {
        Reuse::Reused => JobState::Done,
        Reuse::Failed { .. } => JobState::Failed,
        _ => JobState::Open,
    };
    Ok(job_reuse(plan, &Store::new(folder), &Lacks::of_this_system())?.iter().map(state).collect())
}

/// The stamps that the results of these jobs will have.
fn unconfined(plan: &Plan<'_>, open: &[&Job], lacks: &Lacks) -> Vec<String> {
    let free: BTreeMap<usize, _> = open.iter().map(|job| (job.ranker, plan.free(job, lacks))).collect();
    free.into_iter().filter_map(|(ranker, free)| freedom::stamp(plan.experiment, ranker, &free)).collect()
}

/// The warnings of the fits of reused jobs.
fn reused_warnings(plan: &Plan<'_>, store: &Store, reuse: &[Reuse]) -> Result<Vec<String>, StoreError> {
    let reused = plan.jobs.iter().zip(reuse).filter(|(_, reuse)| **reuse == Reuse::Reused).map(|(job, _)| job);
    let told =
        reused.map(|job| Ok((job.id.as_str(), store.record(&job.id)?.map_or(Vec::new(), |record| record.warnings))));
    let told: Vec<(&str, Vec<String>)> = told.collect::<Result<_, StoreError>>()?;
    Ok(warning_lines(told.iter().map(|(job, texts)| (*job, texts.as_slice()))))
}

/// Does jobs in parallel. Returns the jobs that were begun, in the order of `open`.
fn run_jobs<'p>(
    plan: &Plan<'_>,
    open: &[&'p Job],
    registry: &Registry,
    store: &Store,
    pool: &rayon::ThreadPool,
    confinement: &Confinement,
    options: &RunOptions<'_>,
) -> Result<Vec<(&'p Job, Ended)>, RunError> {
    let prepared = PreparedFolds::new(plan, open.iter().copied());
    let needs = pool.install(|| open.iter().map(|job| prepared.need(plan, job, registry)).collect());
    let schedule = Schedule::new(needs, plan.data_bytes(), options.memory);
    let all = pool.current_num_threads();
    let crew = Crew::new(all);
    // A process of its own gets its share of the threads.
    let threads = all.div_ceil(all.min(open.len()).max(1));
    let keeping = Keeping { store: store.clone(), every: options.checkpoint_every };
    let broken = AtomicBool::new(false);
    let ended: Mutex<BTreeMap<usize, Result<Ended, StoreError>>> = Mutex::default();
    let cancelled = || options.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let next = || crew.next(|| schedule.next(|| cancelled() || broken.load(Ordering::Relaxed)));
    let worker = || {
        while let Some(task) = next() {
            let (_at_work, turn) = match task {
                Task::Job(at_work, turn) => (at_work, turn),
                Task::Help(seat) => {
                    seat.work();
                    continue;
                }
            };
            let job = open[turn.index];
            if let (Some(needed), Some(budget)) = (turn.beyond, options.memory) {
                options.observer.beyond_memory(job, needed, budget);
            }
            options.observer.started(job);
            let (observer, cancel, worker) = (options.observer, options.cancel, options.worker);
            let refused = turn.refused.zip(options.memory);
            let cx = JobContext {
                registry,
                store,
                pool,
                crew: Some(&crew),
                meter: Arc::default(),
                prepared: &prepared,
                observer,
                cancel,
                worker,
                threads,
                confinement,
                keeping: &keeping,
                bytes: Some(turn.bytes()),
                refused,
                killed_fails: options.killed_fails,
            };
            let end = run_job(plan, job, &cx);
            prepared.release(plan, job);
            match &end {
                Ok((end, _)) => options.observer.finished(job, end),
                Err(error) => {
                    broken.store(true, Ordering::Relaxed);
                    options.observer.warning(&format!("{error}; no more jobs begin, and running jobs may still end"));
                }
            }
            ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(turn.index, end);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..all {
            scope.spawn(worker);
        }
    });
    let ended = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    ended.into_iter().map(|(index, ended)| Ok((open[index], ended?))).collect()
}

/// Evaluates, and writes the files that make the folder a finished run. The manifest is written
/// last.
fn finish(
    plan: &Plan<'_>,
    store: &Store,
    kept: &Kept,
    failed: &[(String, String)],
    guards: &mut Guards<'_>,
    cancel: Option<&AtomicBool>,
) -> Result<Results, RunError> {
    let experiment = plan.experiment;
    let (jobs, candidates) = facts(plan, kept, failed);
    let has_failed = |job: &Job| kept.record(job).is_none_or(|record| record.status == Status::Failed);
    let has_failed: Vec<bool> = plan.jobs.iter().map(has_failed).collect();
    guards.check_scores(plan, store, &has_failed)?;
    let OfPlan { evaluation, seeds, errors } = evaluate(plan, store, kept, &has_failed, cancel)?;
    let mut files = values::write(store, &evaluation)?.to_vec();
    files.extend(values::write_seeds(store, &evaluation, &seeds)?);
    let collections = plan.collections.iter().flatten().zip(&evaluation.datasets).zip(errors);
    let facts_of = |((collection, values), errors): ((&Collection, &DatasetValues), Vec<StandardErrors>)| {
        DatasetFacts::new(&values.name, collection, values.queries.len()).with_standard_errors(errors)
    };
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        experiment: experiment.clone(),
        datasets: collections.map(facts_of).collect(),
        conventions: conventions(plan)?,
        trusted: trusted(experiment),
        guards: guards.facts.clone(),
        jobs,
        candidates,
        result: result_hash(&files),
    };
    store.write_with_checksum(MANIFEST, &manifest)?;
    Ok(Results { manifest, evaluation, seeds })
}

/// The facts about the jobs of a run, and about the candidates of its searches. `failed` also holds
/// jobs that have no result, if the run only evaluates.
fn facts(plan: &Plan<'_>, kept: &Kept, failed: &[(String, String)]) -> (Vec<JobFacts>, Vec<CandidateFacts>) {
    let (mut jobs, mut candidates) = (Vec::new(), Vec::new());
    for job in &plan.jobs {
        let record = kept.record(job);
        let missing = || failed.iter().find(|(id, _)| *id == job.id).map(|(_, error)| error.clone());
        let facts = JobFacts {
            id: job.id.clone(),
            dataset: job.dataset,
            ranker: job.ranker,
            repeat: job.repeat,
            key: job.key.clone(),
            status: record.map_or(Status::Failed, |record| record.status),
            error: record.map_or_else(missing, |record| record.error.clone()),
            unconfined: record.map(|record| record.unconfined.clone()).unwrap_or_default(),
            warnings: record.map(|record| record.warnings.clone()).unwrap_or_default(),
            chosen: record.and_then(|record| record.chosen.clone()),
        };
        match (job.candidate, plan.collection(job)) {
            (Some(number), Some(collection)) => candidates.push(CandidateFacts {
                job: facts,
                fold: collection.folds[job.fold].number,
                number,
                tried: record.and_then(|record| record.tried.clone()),
            }),
            _ => jobs.push(facts),
        }
    }
    (jobs, candidates)
}

/// The conventions in force, a line each. If a convention depends on the highest grade and data
/// sets differ in it, each data set has its own line.
pub(crate) fn conventions(plan: &Plan<'_>) -> Result<Vec<String>, RunError> {
    let evaluation = &plan.experiment.evaluation;
    let mut described: Vec<(&str, Vec<String>)> = Vec::new();
    let mut lines = Vec::new();
    for (config, collection) in plan.experiment.datasets.iter().zip(&plan.collections) {
        let Some(collection) = collection else { continue };
        let place = |source| RunError::Measure { dataset: config.label.clone(), source };
        let seed = plan.experiment.root_seed();
        let evaluator =
            Evaluator::new(&evaluation.measures, &evaluation.conventions, collection.max_grade, seed).map_err(place)?;
        if described.is_empty() {
            lines.push(dialect(&evaluation.dialect).map_err(place)?.describe(&evaluation.conventions));
        }
        described.push((&config.label, evaluator.describe()));
    }
    let mut tuned: Vec<(String, Vec<&str>)> = Vec::new();
    for (ranker, tune) in plan.experiment.rankers.iter().filter_map(|own| Some((own, own.tune.as_ref()?))) {
        let words = tune.words();
        match tuned.iter_mut().find(|(known, _)| *known == words) {
            Some((_, labels)) => labels.push(&ranker.label),
            None => tuned.push((words, vec![&ranker.label])),
        }
    }
    let learnt = |ranker: &RankerConfig| match &ranker.source {
        ScoreSource::Fusion(fusion) => Some(format!("{}: {}", ranker.label, fusion.learning_words()?)),
        _ => None,
    };
    let learnt: Vec<String> = plan.experiment.rankers.iter().filter_map(learnt).collect();
    let Some((_, first)) = described.first() else { return Ok(lines) };
    for (number, line) in first.iter().enumerate() {
        if described.iter().all(|(_, of_other)| of_other.get(number) == Some(line)) {
            lines.push(line.clone());
        } else {
            let own = described.iter().filter_map(|(label, own)| Some(format!("{label}: {}", own.get(number)?)));
            lines.extend(own);
        }
    }
    lines.extend(tuned.iter().map(|(words, labels)| format!("{}: {words}", list(labels))));
    lines.extend(learnt);
    Ok(lines)
}

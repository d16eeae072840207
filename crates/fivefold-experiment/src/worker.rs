//! Runs parts of a run in processes of this same program: a fit that may crash, hang or eat memory,
//! and the guard of a program in another language. Each process reads a pipe that closes when the
//! process of the run ends, even by SIGKILL. Then the process ends itself and all that it started.
//!
//! The process of a fit is given the experiment, opens the data itself and does a single job. The
//! process leaves `model.json`, `scores.txt` and, last, `end.json` in its folder, and the run takes
//! the files from there. So only the run writes into the results folder, except for checkpoints of
//! the fit. The bytes are the same as
//! of a fit inside the run. Cost: each job opens the data again, which is cheap with a cache.

use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fivefold_core::Registry;
use fivefold_data::scores::read_own_scores;
use fivefold_data::{Cache, input};
use fivefold_results::config::{END, Experiment, GUARD, SCORES};
use fivefold_results::program;
use fivefold_results::store::Store;
use serde::{Deserialize, Serialize};

use crate::checkpoints::Keeping;
use crate::confine::Confinement;
use crate::confine::reach::{Lacks, Reach, confine};
use crate::crew::{own_time, time_of_children};
use crate::filter::JobFilter;
use crate::job::{Failure, JobContext, Output, PreparedFolds, attempt, failed, of_ending};
use crate::observer::Observer;
use crate::plan::{Job, Plan, Settled};
use crate::processes::{adopt_orphans, end_descendants, own_peak};
use crate::scoring::scores_text;
use crate::work::{Bounds, Sight, WorkError, WorkFolder, ending, io_error};

/// Files in the folder of a fit: the request, the model, and the progress.
const REQUEST: &str = "request.json";
const MODEL: &str = "model.json";
const PROGRESS: &str = "progress.txt";

/// The most bytes of a process's report. The reason of a failure quotes the output of a program.
const MOST_TOLD: u64 = 1 << 20;

/// The time that the process of a fit has to keep a checkpoint when the run is cancelled.
const FAREWELL: Duration = Duration::from_secs(1);

/// The time between two notes of a fit's progress.
const PAUSE: Duration = Duration::from_millis(100);

/// The program that does parts of a run in processes of their own. The program must call
/// [`Worker::serve`] if its first argument is [`Worker::COMMAND`].
#[derive(Debug, Clone)]
pub struct Worker {
    program: PathBuf,
    lacks: Lacks,
}

/// The orders for a guard, beside the program to run.
#[derive(Serialize, Deserialize)]
struct Task {
    /// The places that the program reaches. `None` if it is not confined.
    reach: Option<Reach>,
    /// The most bytes of a file that the program may write.
    file_size: u64,
}

/// The orders for the process of a fit.
#[derive(Serialize, Deserialize)]
struct Request {
    /// The folder from which relative paths start.
    directory: PathBuf,
    experiment: Experiment,
    folders: Vec<PathBuf>,
    cache: Option<Cache>,
    job: String,
    key: String,
    /// What the job's search has settled.
    settled: Settled,
    threads: usize,
    /// The results folder, for checkpoints, and the time between two of them.
    results: PathBuf,
    checkpoint_every: Duration,
}

/// How the work of a process ended.
#[derive(Serialize, Deserialize)]
pub(crate) enum WorkerExit {
    /// The work is done.
    Done,
    /// The work failed, for this reason.
    Failed(String),
    /// The guarded program could not be started. The text is the error of the system.
    NotStarted(String),
}

/// The report of a process at its end, which the process writes last.
#[derive(Serialize, Deserialize)]
pub(crate) struct WorkerReport {
    pub(crate) end: WorkerExit,
    /// The peak of the fit's private memory, if the system tells. The checks from outside may miss
    /// a short peak.
    peak: Option<u64>,
    /// The CPU time of the fit or of the guarded program, if the system tells.
    pub(crate) time: Option<Duration>,
    /// The warnings of the fit.
    #[serde(default)]
    warnings: Vec<String>,
}

impl WorkerReport {
    /// The report of the process in a folder. `None` if the process ended before it could write a
    /// report.
    pub(crate) fn read(folder: &WorkFolder) -> Option<Self> {
        serde_json::from_slice(&input::read_own(&folder.file(END), MOST_TOLD).ok()?).ok()
    }

    fn write(&self, folder: &Path) -> Result<(), String> {
        let text = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        // A file or link that a program left here is removed, so that nothing is written through
        // it.
        let _ = fs::remove_file(folder.join(END));
        let written = File::create_new(folder.join(END)).and_then(|mut file| file.write_all(&text));
        written.map_err(|error| format!("cannot write {END}: {error}"))
    }
}

/// The freedoms that a run with this worker cannot take from a program. Without a worker no process
/// can confine a program.
pub(crate) fn lacks(worker: Option<&Worker>) -> Lacks {
    worker.map_or_else(Lacks::all, Worker::lacks)
}

impl Worker {
    /// The first argument of a worker process.
    pub const COMMAND: &str = "worker";

    /// This same program with its rankers.
    ///
    /// # Errors
    /// If the system does not tell where the program is.
    pub fn this_program() -> io::Result<Self> {
        Ok(Worker { program: program::starter()?, lacks: Lacks::of_this_system() })
    }

    /// The worker as on a system that confines no command.
    #[must_use]
    pub fn unconfining(self) -> Self {
        Worker { lacks: Lacks::all(), ..self }
    }

    /// The freedoms that the worker cannot take from a command.
    pub(crate) fn lacks(&self) -> Lacks {
        self.lacks.clone()
    }

    /// A program and its arguments under a guard. The guard confines the program, and ends it when
    /// this process ends. A [`WorkerReport`] tells how the program ended.
    pub(crate) fn guarded(
        &self,
        folder: &WorkFolder,
        reach: Option<&Reach>,
        file_size: u64,
        program: &OsStr,
        arguments: &[String],
    ) -> Result<Command, Failure> {
        let task = serde_json::to_vec(&Task { reach: reach.cloned(), file_size }).map_err(failed)?;
        fs::write(folder.file(GUARD), task).map_err(io_error("write", GUARD))?;
        let mut command = self.command("guard");
        command.arg(program).args(arguments);
        Ok(command)
    }

    /// Does the fit of a job, with what its search has settled, in a process of its own.
    pub(crate) fn fit(
        &self,
        plan: &Plan<'_>,
        job: &Job,
        settled: &Settled,
        cx: &JobContext<'_>,
    ) -> Result<Output, Failure> {
        let limits = plan.ranker(job).limits;
        let folder = WorkFolder::make(cx.store, job, Sight::Closed)?;
        let request = Request {
            directory: std::env::current_dir().map_err(io_error("find", "the working directory"))?,
            experiment: plan.experiment.clone(),
            folders: plan.experiment.folders().to_vec(),
            cache: plan.experiment.cache().cloned(),
            job: job.id.clone(),
            key: job.key.clone(),
            settled: settled.clone(),
            threads: cx.threads,
            results: std::path::absolute(cx.keeping.store.root()).map_err(io_error("find", "the results folder"))?,
            checkpoint_every: cx.keeping.every,
        };
        let request = serde_json::to_vec(&request).map_err(failed)?;
        fs::write(folder.file(REQUEST), request).map_err(io_error("write", REQUEST))?;
        let what = "the process of the fit";
        let bounds =
            Bounds { what, time: limits.time, memory: limits.memory, written: None, files: &[], farewell: FAREWELL };
        let seen = Cell::new(None);
        let begun = Instant::now();
        let ended = folder.run(self.command("fit"), &bounds, cx.cancel, || {
            let now = read_progress(&folder);
            if let Some((done, total)) = now.filter(|_| now != seen.replace(now)) {
                cx.observer.step(job, done, total);
            }
        });
        let said = folder.said();
        if let Err(error) = folder.keep_stderr() {
            cx.observer.warning(&error.to_string());
        }
        let status = ended?.map_err(|error| failed(format!("cannot start {}: {error}", self.program.display())))?;
        let told = WorkerReport::read(&folder);
        cx.meter.add(told.as_ref().and_then(|told| told.time).unwrap_or_else(|| begun.elapsed()));
        if let (Some(limit), Some(peak)) = (limits.memory, told.as_ref().and_then(|told| told.peak))
            && peak > limit.0
        {
            return Err(WorkError::Memory { what, limit, said }.into());
        }
        let warnings = told.as_ref().map(|told| told.warnings.clone()).unwrap_or_default();
        match told.map(|told| told.end) {
            Some(WorkerExit::Done) => {}
            Some(WorkerExit::Failed(reason) | WorkerExit::NotStarted(reason)) => return Err(failed(reason)),
            None => {
                folder.check_room()?;
                let ending = ending(status);
                return Err(of_ending(&ending, format!("{what} ended with {ending}{said}")));
            }
        }
        let documents = plan.parts(job).map_or(0, |parts| parts.scored.documents());
        let scores = read_own_scores(&folder.file(SCORES), documents).map_err(failed)?;
        if job.candidate.is_some() {
            return Ok(Output { model: None, scores, warnings });
        }
        let model = input::read_own(&folder.file(MODEL), u64::MAX).map_err(io_error("read", MODEL))?;
        let model = String::from_utf8(model).map_err(failed)?;
        Ok(Output { model: Some(model), scores, warnings })
    }

    fn command(&self, what: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args([Self::COMMAND, what]).stdin(Stdio::piped());
        command
    }

    /// Does the work of a worker process, given the arguments after [`COMMAND`](Self::COMMAND).
    /// Returns the exit code.
    pub fn serve(registry: &Registry, arguments: &[OsString]) -> u8 {
        adopt_orphans();
        end_with_the_run();
        let served = match arguments {
            [what] if what == "fit" => fit(registry),
            [what, program, arguments @ ..] if what == "guard" => guard(program, arguments),
            _ => Err("this command is for processes that a run starts".to_owned()),
        };
        match served {
            Ok(()) => 0,
            Err(reason) => {
                // If this write fails, there is no other way to report the reason.
                let _ = writeln!(io::stderr(), "{reason}");
                2
            }
        }
    }
}

/// Ends this process and all that it started when standard input ends. The run holds standard input
/// open.
fn end_with_the_run() {
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        end_descendants(std::process::id());
        #[cfg(unix)]
        {
            use nix::sys::signal::{Signal, killpg};
            use nix::unistd::{getpgrp, getpid};
            // The group is ended only if this process leads it. If somebody else started this
            // process, the group contains other processes.
            if getpgrp() == getpid() {
                let _ = killpg(getpgrp(), Signal::SIGKILL);
            }
        }
        std::process::exit(2)
    });
}

/// Runs a program. Reports how the program ended, after all processes that it started have ended.
fn guard(program: &OsStr, arguments: &[OsString]) -> Result<(), String> {
    let folder = std::env::current_dir().map_err(|error| error.to_string())?;
    let task = fs::read(GUARD).map_err(|error| format!("cannot read {GUARD}: {error}"))?;
    let task: Task = serde_json::from_slice(&task).map_err(|error| format!("{GUARD}: {error}"))?;
    // The file is removed, because it may name paths that the program need not know.
    fs::remove_file(GUARD).map_err(|error| format!("cannot remove {GUARD}: {error}"))?;
    limit_files(task.file_size);
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let end = match start(command, task.reach.as_ref(), &folder).map(wait) {
        Ok(Ok(status)) => of_status(status),
        Ok(Err(error)) => WorkerExit::Failed(error.to_string()),
        Err(error) => WorkerExit::NotStarted(error.to_string()),
    };
    end_descendants(std::process::id());
    WorkerReport { end, peak: None, time: time_of_children(), warnings: Vec::new() }.write(&folder)
}

/// Starts a program within its reach. The thread that starts the program is confined, and the guard
/// itself is not.
fn start(mut command: Command, reach: Option<&Reach>, folder: &Path) -> io::Result<Child> {
    let Some(reach) = reach else { return command.spawn() };
    let confined = || {
        confine(reach, folder)
            .map_err(|reason| io::Error::other(format!("the program cannot be confined: {reason}")))?;
        command.spawn()
    };
    let panicked = |_| Err(io::Error::other("the thread that starts it panicked"));
    std::thread::scope(|scope| scope.spawn(confined).join().unwrap_or_else(panicked))
}

/// Forbids core dumps, which would hold data, and limits the length of files. The limits hold for
/// this process and all that it starts.
fn limit_files(size: u64) {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        // If the system refuses these limits, the run still checks the sizes of the files itself.
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_FSIZE) {
            let _ = setrlimit(Resource::RLIMIT_FSIZE, soft.min(size), hard.min(size));
        }
    }
    #[cfg(not(unix))]
    let _ = size;
}

/// Waits for a program to end. Meanwhile collects ended orphans, so that they do not fill the table
/// of processes.
#[cfg(target_os = "linux")]
fn wait(mut program: Child) -> io::Result<ExitStatus> {
    use std::os::unix::process::ExitStatusExt as _;

    use nix::errno::Errno;
    use nix::sys::wait::{WaitStatus, wait};
    loop {
        let (id, raw) = match wait() {
            Ok(WaitStatus::Exited(id, code)) => (id, code << 8),
            Ok(WaitStatus::Signaled(id, signal, _)) => (id, signal as i32),
            Ok(_) | Err(Errno::EINTR) => continue,
            // A process was ended by a signal without a name.
            Err(Errno::EINVAL) => match program.try_wait() {
                Ok(None) => continue,
                Ok(Some(status)) => return Ok(status),
                Err(_) => return Err(io::Error::other("a signal that has no name")),
            },
            Err(error) => return Err(error.into()),
        };
        if u32::try_from(id.as_raw()) == Ok(program.id()) {
            return Ok(ExitStatus::from_raw(raw));
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn wait(mut program: Child) -> io::Result<ExitStatus> {
    program.wait()
}

/// How a program without a guard ended.
pub(crate) fn of_status(status: ExitStatus) -> WorkerExit {
    if status.success() { WorkerExit::Done } else { WorkerExit::Failed(ending(status)) }
}

/// Does the fit that the request in the folder describes.
fn fit(registry: &Registry) -> Result<(), String> {
    fn text(error: impl std::fmt::Display) -> String {
        error.to_string()
    }
    let folder = std::env::current_dir().map_err(text)?;
    let request = fs::read(REQUEST).map_err(text)?;
    let request: Request = serde_json::from_slice(&request).map_err(text)?;
    std::env::set_current_dir(&request.directory).map_err(text)?;
    let experiment = request.experiment.with_folders(request.folders).with_cache(request.cache);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(request.threads).build().map_err(text)?;
    let plan = pool.install(|| Plan::new(&experiment, &JobFilter::job(&request.job)));
    // The peak is measured while the data are mapped, so that mapped data can be left out of the
    // peak.
    let tell_with = |end: WorkerExit, warnings: Vec<String>| {
        end_descendants(std::process::id());
        WorkerReport { end, peak: own_peak(), time: own_time(), warnings }.write(&folder)
    };
    let tell = |end: WorkerExit| tell_with(end, Vec::new());
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => return tell(WorkerExit::Failed(error.to_string())),
    };
    let Some(job) = plan.jobs.first().filter(|job| job.key == request.key) else {
        return tell(WorkerExit::Failed(
            "the job's data or this program changed while the run went on; run the experiment again".to_owned(),
        ));
    };
    let keeping = Keeping { store: Store::new(request.results), every: request.checkpoint_every };
    let stop = stop_by_signal();
    let cx = JobContext {
        registry,
        store: &Store::new(&folder),
        pool: &pool,
        crew: None,
        meter: Arc::default(),
        prepared: &PreparedFolds::new(&plan, [job]),
        observer: &ProgressNote::new(&folder)?,
        cancel: Some(&stop),
        worker: None,
        threads: request.threads,
        confinement: &Confinement::none(),
        keeping: &keeping,
        bytes: None,
        refused: None,
        killed_fails: true,
    };
    let output = match attempt(&plan, job, &request.settled, &cx) {
        Ok(output) => output,
        Err(Failure::Failed(reason) | Failure::Killed(reason)) => return tell(WorkerExit::Failed(reason)),
        Err(Failure::Cancelled) => return tell(WorkerExit::Failed("cancelled".to_owned())),
        Err(Failure::Folder(error)) => return Err(error.to_string()),
    };
    fs::write(folder.join(MODEL), output.model.unwrap_or_default())
        .map_err(|error| format!("cannot write {MODEL}: {error}"))?;
    fs::write(folder.join(SCORES), scores_text(&output.scores))
        .map_err(|error| format!("cannot write {SCORES}: {error}"))?;
    tell_with(WorkerExit::Done, output.warnings)
}

/// A flag that SIGTERM raises. The fit then keeps a checkpoint and ends.
fn stop_by_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        // If the handler cannot be registered, the signal ends the process without a checkpoint.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(&stop));
    }
    stop
}

/// Writes the progress of a fit into a file. The file holds two numbers at fixed places.
struct ProgressNote {
    last: Mutex<(File, Option<Instant>)>,
}

impl ProgressNote {
    fn new(folder: &Path) -> Result<Self, String> {
        let file = File::create(folder.join(PROGRESS)).map_err(|error| format!("cannot write {PROGRESS}: {error}"))?;
        Ok(ProgressNote { last: Mutex::new((file, None)) })
    }
}

impl Observer for ProgressNote {
    fn step(&self, _: &Job, done: u64, total: u64) {
        let mut last = self.last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (file, noted) = &mut *last;
        if noted.is_none_or(|noted| noted.elapsed() >= PAUSE) {
            *noted = Some(Instant::now());
            // Steps are only displayed, so an error does no harm.
            let _ = file.rewind().and_then(|()| write!(file, "{done:20} {total:20}"));
        }
    }
}

fn read_progress(folder: &WorkFolder) -> Option<(u64, u64)> {
    let text = fs::read_to_string(folder.file(PROGRESS)).ok()?;
    let (done, total) = text.trim().split_once(' ')?;
    Some((done.parse().ok()?, total.trim().parse().ok()?))
}

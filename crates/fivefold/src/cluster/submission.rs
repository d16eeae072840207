//! The folder of a submission, beside the results folder: `NAME.submission`.
//!
//! - `settings.json`: the experiment and how it is handed in
//! - `submission.tsv`: a line for each job ([`Row`])
//! - `tasks.tsv`: a line for each id of the scheduler ([`Task`])
//! - `scripts/`, `out/`: the scripts, and what they print
//! - `notes/`: the events of each chunk
//! - `rounds/`: a file for each round, made by the task that hands it in
//! - `estimates.tsv`: estimated and true seconds, at the end

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use fivefold_base::words::list_some;
use fivefold_core::Registry;
use fivefold_results::Experiment;
use fivefold_results::program;
use fivefold_results::store::{hash, hash_of_file};
use serde::{Deserialize, Serialize};

use crate::cluster::chunks::Asked;
use crate::cluster::notes::{Note, Notes};
use crate::cluster::slurm::Queue;
use crate::cluster::table::{self, Kind, Row, Task};
use crate::experiment::ExperimentArgs;
use crate::problem::Problem;

/// Which scheduler gets the scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Engine {
    /// Slurm: scripts for sbatch, which are handed in
    Slurm,
    /// Scripts with one command a line, for GNU parallel, ssh or another scheduler
    Shell,
    /// The same, and a script for HyperQueue inside one allocation
    Hq,
}

/// An experiment and how it is handed in.
#[derive(Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) experiment: ExperimentArgs,
    /// The experiment's name.
    pub(crate) name: String,
    /// Bytes of all collections.
    #[serde(default)]
    pub(crate) data: u64,
    /// Bytes of all values of the evaluation.
    #[serde(default)]
    pub(crate) values: u64,
    /// Letters that are in the names of this submission's tasks, and of no other's.
    #[serde(default)]
    pub(crate) mark: String,
    /// The hash of the experiment's text.
    experiment_hash: String,
    /// The program that all tasks run, and its hash.
    pub(crate) program: PathBuf,
    program_hash: String,
    pub(crate) engine: Engine,
    /// Seconds of a chunk.
    pub(crate) chunk: f64,
    /// Threads of a task.
    pub(crate) threads: usize,
    /// Options for sbatch, without limits.
    pub(crate) options: Vec<String>,
    /// The limits among the options, which are doubled if they are not enough.
    pub(crate) asked: Asked,
    /// The text of the user's template.
    pub(crate) template: Option<String>,
}

/// How an experiment is to be handed in.
pub(crate) struct Wishes {
    /// Bytes of all collections, and of all values of the evaluation.
    pub(crate) data: u64,
    pub(crate) values: u64,
    pub(crate) engine: Engine,
    pub(crate) chunk: f64,
    pub(crate) threads: usize,
    pub(crate) options: Vec<String>,
    pub(crate) asked: Asked,
    pub(crate) template: Option<String>,
}

fn unknown(error: std::io::Error) -> Problem {
    Problem::new(format!("cannot tell where this program is: {error}"))
}

fn hash_of_program() -> miette::Result<String> {
    let code = program::code().map_err(unknown)?;
    Ok(hash_of_file(&code).map_err(|error| Problem::file("read", &code, error))?)
}

impl Settings {
    pub(crate) fn new(experiment: &ExperimentArgs, name: &str, wishes: Wishes) -> miette::Result<Self> {
        let Wishes { data, values, engine, chunk, threads, options, asked, template } = wishes;
        let experiment = experiment.absolute(name)?;
        let program = program::starter().map_err(unknown)?;
        let program_hash = hash_of_program()?;
        let experiment_hash = hash(experiment.text()?.content().as_bytes());
        let name = name.to_owned();
        Ok(Settings {
            experiment,
            name,
            data,
            values,
            mark: mark(),
            experiment_hash,
            program,
            program_hash,
            engine,
            chunk,
            threads,
            options,
            asked,
            template,
        })
    }

    /// The results folder.
    pub(crate) fn results(&self) -> PathBuf {
        self.experiment.out(&self.name)
    }

    /// Loads the experiment.
    ///
    /// # Errors
    /// If the experiment or the program is not the one that was submitted.
    pub(crate) fn load(&self, registry: &Registry) -> miette::Result<Experiment> {
        let mut changed = Vec::new();
        let text = self.experiment.text()?;
        if hash(text.content().as_bytes()) != self.experiment_hash {
            changed.push(format!("the experiment {}", self.experiment.name()));
        }
        if hash_of_program()? != self.program_hash {
            changed.push(format!("the program {}", program::starter().map_err(unknown)?.display()));
        }
        if !changed.is_empty() {
            let what = format!("{} changed after `submit`, so this task does nothing", list_some(&changed));
            let help = "submit the experiment again: jobs whose inputs did not change are reused; or undo the change, \
                        and `fivefold resubmit`";
            return Err(Problem::new(what).help(help).into());
        }
        text.experiment(registry)
    }
}

/// The folder of a submission.
pub(crate) struct Submission {
    pub(crate) folder: PathBuf,
    pub(crate) settings: Settings,
}

impl Submission {
    /// The folder for a results folder.
    pub(crate) fn beside(results: &Path) -> PathBuf {
        let mut name = results.file_name().unwrap_or_default().to_owned();
        name.push(".submission");
        results.with_file_name(name)
    }

    /// Makes the folder. What an earlier submission left there is removed.
    pub(crate) fn make(folder: PathBuf, settings: Settings) -> miette::Result<Self> {
        if folder.exists() && !folder.join("settings.json").exists() && !is_empty(&folder) {
            let what = format!("{} holds other files than a submission, so nothing was written", folder.display());
            return Err(Problem::new(what).help("give another folder with --folder").into());
        }
        let submission = Submission { folder, settings };
        for part in ["notes", "rounds", "scripts", "out"] {
            let path = submission.folder.join(part);
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).map_err(|error| Problem::file("make", &path, error))?;
        }
        for file in ["tasks.tsv", "estimates.tsv"] {
            let _ = fs::remove_file(submission.folder.join(file));
        }
        let text = serde_json::to_vec_pretty(&submission.settings).map_err(crate::problem::report)?;
        submission.write("settings.json", &text)?;
        Ok(submission)
    }

    /// Opens the folder of a submission. The results folder may be named instead.
    pub(crate) fn open(folder: &Path) -> miette::Result<Self> {
        let beside = Self::beside(folder);
        let folder = if !folder.join("settings.json").exists() && beside.exists() { &beside } else { folder };
        let path = folder.join("settings.json");
        let text = fs::read(&path).map_err(|error| {
            Problem::file("read the submission", &path, error).help("give the folder that `fivefold submit` made")
        })?;
        let settings = serde_json::from_slice(&text)
            .map_err(|error| Problem::new(format!("{} is damaged: {error}", path.display())))?;
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        Ok(Submission { folder, settings })
    }

    pub(crate) fn rows(&self) -> miette::Result<Vec<Row>> {
        table::read(&self.folder.join("submission.tsv"))
    }

    pub(crate) fn write_rows(&self, rows: &[Row]) -> miette::Result<()> {
        self.write("submission.tsv", &table::text(rows))
    }

    pub(crate) fn tasks(&self) -> miette::Result<Vec<Task>> {
        table::read(&self.folder.join("tasks.tsv"))
    }

    pub(crate) fn add_task(&self, task: Task) -> miette::Result<()> {
        let mut tasks = self.tasks()?;
        tasks.push(task);
        self.write("tasks.tsv", &table::text(&tasks))
    }

    pub(crate) fn notes(&self, round: usize, chunk: usize) -> Notes {
        Notes::of(&self.folder, round, chunk)
    }

    /// The jobs that failed by themselves in this submission.
    pub(crate) fn failed(&self, rows: &[Row]) -> BTreeSet<String> {
        let chunks: BTreeSet<(usize, usize)> =
            rows.iter().filter(|row| row.round > 0).map(|row| (row.round, row.chunk)).collect();
        let notes = chunks.into_iter().flat_map(|(round, chunk)| self.notes(round, chunk).read());
        let mut failed = BTreeSet::new();
        for note in notes {
            match note {
                Note::Job { id, failed: true } => failed.insert(id),
                Note::Job { id, failed: false } => failed.remove(&id),
                _ => false,
            };
        }
        failed
    }

    /// The keys of all jobs, by id.
    pub(crate) fn keys(rows: &[Row]) -> BTreeMap<String, String> {
        rows.iter().map(|row| (row.job.clone(), row.key.clone())).collect()
    }

    /// Takes the right to hand in a round from whoever has it.
    pub(crate) fn take(&self, round: usize) {
        let _ = fs::remove_file(self.folder.join("rounds").join(round.to_string()));
    }

    /// Takes the right to hand in a round. `false` if another task has it, and waits or runs. A task
    /// that the scheduler began again keeps its right.
    pub(crate) fn claim(&self, round: usize, queue: &Queue) -> miette::Result<bool> {
        let path = self.folder.join("rounds").join(round.to_string());
        let own = std::env::var("SLURM_JOB_ID").unwrap_or_else(|_| format!("process {}", std::process::id()));
        let failed = |error| miette::Report::from(Problem::file("write", &path, error));
        for _ in 0..2 {
            // The file appears with its content, so a task that is killed leaves no empty claim.
            let mut file = tempfile::NamedTempFile::new_in(&self.folder).map_err(failed)?;
            file.write_all(own.as_bytes()).map_err(failed)?;
            match file.persist_noclobber(&path).map_err(|error| error.error) {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(failed(error)),
                Err(_) => {}
            }
            let owner = fs::read_to_string(&path).map_err(failed)?;
            if owner == own {
                return Ok(true);
            }
            if queue.is_active(&owner) {
                return Ok(false);
            }
            self.take(round);
        }
        Ok(false)
    }

    /// The number of the last round that was handed in or begun to be.
    pub(crate) fn last_round(&self) -> usize {
        let names = fs::read_dir(self.folder.join("rounds")).into_iter().flatten().flatten();
        names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).max().unwrap_or(0)
    }

    /// The name of a task for the scheduler, which no task of another submission has.
    pub(crate) fn name(&self, task: &Task) -> String {
        let label = fivefold_results::labels::file_name(&self.settings.name);
        format!("fivefold-{label}-{}-{}", self.settings.mark, task.word())
    }

    /// The array of a chunk, and the number of the chunk there.
    pub(crate) fn place(tasks: &[Task], round: usize, chunk: usize) -> Option<(&Task, usize)> {
        let holds = |task: &&Task| {
            task.kind == Kind::Array && task.round == round && (task.first..task.first + task.count).contains(&chunk)
        };
        tasks.iter().rev().find(holds).map(|task| (task, chunk - task.first))
    }

    /// Writes a file so that it appears whole or not at all.
    pub(crate) fn write(&self, name: &str, content: &[u8]) -> miette::Result<()> {
        let path = self.folder.join(name);
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(content)?;
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;
                file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            }
            file.persist(&path).map_err(|error| error.error)
        };
        write().map(drop).map_err(|error| Problem::file("write", &path, error).into())
    }
}

/// Letters that no other submission has.
fn mark() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    hash(format!("{now} {}", std::process::id()).as_bytes()).chars().take(6).collect()
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A submission without files.
    fn made(folder: &Path) -> Submission {
        let settings = serde_json::json!({
            "experiment": {"experiment": "x", "cache": {"no_cache": true}}, "name": "x", "experiment_hash": "",
            "program": "", "program_hash": "", "engine": "slurm", "chunk": 1.0, "threads": 1, "options": [],
            "asked": {}, "template": null
        });
        Submission { folder: folder.to_owned(), settings: serde_json::from_value(settings).unwrap() }
    }

    #[test]
    fn a_round_is_taken_from_a_task_that_is_gone_but_not_from_one_that_runs() {
        let folder = tempfile::tempdir().unwrap();
        let submission = made(folder.path());
        fs::create_dir(folder.path().join("rounds")).unwrap();
        let claim = folder.path().join("rounds/1");
        let queue = Queue::parse("12|0|RUNNING|n1|None|x\n");
        fs::write(&claim, "12").unwrap();
        assert!(!submission.claim(1, &queue).unwrap());
        // A full disk may leave an empty file, and a task may be gone.
        for gone in ["", "11"] {
            fs::write(&claim, gone).unwrap();
            assert!(submission.claim(1, &queue).unwrap());
            assert!(submission.claim(1, &queue).unwrap(), "its own");
        }
    }

    #[test]
    fn a_chunk_is_found_in_the_last_array_that_holds_it() {
        let task = |round, first, count, id: &str| Task { round, kind: Kind::Array, first, count, id: id.to_owned() };
        let tasks = [task(1, 0, 3, "10"), task(1, 3, 2, "11"), task(2, 0, 1, "14")];
        let place =
            |round, chunk| Submission::place(&tasks, round, chunk).map(|(task, number)| (task.id.as_str(), number));
        assert_eq!(place(1, 2), Some(("10", 2)));
        assert_eq!(place(1, 4), Some(("11", 1)));
        assert_eq!(place(2, 0), Some(("14", 0)));
        assert_eq!(place(2, 1), None);
    }

    #[test]
    fn the_folder_of_a_submission_stands_beside_the_results() {
        assert_eq!(Submission::beside(Path::new("runs/x")), Path::new("runs/x.submission"));
        assert_eq!(Submission::beside(Path::new("runs/x/")), Path::new("runs/x.submission"));
    }
}

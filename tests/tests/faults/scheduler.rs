//! Tests submissions against programs that stand for sbatch, squeue and scancel, so that a test
//! chooses each answer of the scheduler.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::disk::Small;
use crate::harness::{directory, program};

/// Takes as many scripts as the file `room` says, and keeps its arguments. The ids count from 1.
const SBATCH: &str = "[ \"$(cat handed | wc -l)\" -lt \"$(cat room)\" ] || { echo 'no more, please' >&2; exit 1; }
echo \"$*\" >>handed; cat handed | wc -l";
/// Gives each answer in the folder `answers` once, and the last one again and again. An empty answer is
/// an error.
const SQUEUE: &str = "echo >>asked; file=answers/$(cat asked | wc -l); [ -f \"$file\" ] || file=answers/last
[ -s \"$file\" ] && cat \"$file\"";
const SCANCEL: &str = "echo \"$*\" >>cancelled";

const SMALL: &str = r#"
name = "small"
seed = 4
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 10 }
[[ranker]]
label = "Ridge"
kind = "linear"
[query_sets]
uninformative = 2
ideal = 2
"#;

/// A folder with an experiment and a scheduler.
struct Site(tempfile::TempDir);

impl Site {
    fn new(experiment: &str) -> Self {
        let site = Site(directory(&[("small.toml", experiment), ("room", "99"), ("handed", ""), ("asked", "")]));
        for folder in ["bin", "answers"] {
            std::fs::create_dir(site.at().join(folder)).unwrap();
        }
        for (name, script) in [("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)] {
            let path = site.at().join("bin").join(name);
            std::fs::write(&path, format!("#!/bin/sh\ncd '{}'\n{script}\n", site.at().display())).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        site.answers("nothing to tell\n");
        site
    }

    fn at(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.at().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.at().join(name)).unwrap_or_default()
    }

    /// What squeue answers from now on.
    fn answers(&self, text: &str) {
        self.write("answers/last", text);
    }

    /// A line of squeue for each script that sbatch took.
    fn queue(&self, state: &str) -> String {
        let name = |line: &str| line.split("--job-name=").nth(1).unwrap().split(' ').next().unwrap().to_owned();
        let lines = self.handed();
        lines.iter().zip(1..).map(|(line, id)| format!("{id}|0|{state}|n1|None|{}\n", name(line))).collect()
    }

    /// The arguments of sbatch, each time that it took a script.
    fn handed(&self) -> Vec<String> {
        self.read("handed").lines().map(str::to_owned).collect()
    }

    fn command(&self, arguments: &str) -> Command {
        let path = format!("{}:{}", self.at().join("bin").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(program());
        for variable in ["FIVEFOLD_CACHE", "RUST_BACKTRACE", "NO_COLOR"] {
            command.env_remove(variable);
        }
        command.current_dir(self.at()).args(arguments.split_whitespace()).env("PATH", path);
        command
    }

    fn run(&self, arguments: &str, code: i32) -> String {
        told(&self.command(arguments).output().unwrap(), code)
    }

    /// Runs a command in the task with an id.
    fn task(&self, id: &str, arguments: &str, code: i32) -> String {
        told(&self.command(arguments).env("SLURM_JOB_ID", id).output().unwrap(), code)
    }
}

fn told(output: &Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

const SUBMIT: &str = "submit small.toml --engine slurm --out out";

/// What sbatch took is not handed in again, whether its id was written down or not.
#[test]
fn a_round_that_was_handed_in_by_half_is_mended() {
    let site = Site::new(SMALL);
    site.write("room", "2");
    let said = site.run(SUBMIT, 2);
    assert!(said.contains("no more, please"), "{said}");
    site.write("room", "99");
    site.answers(&site.queue("RUNNING"));
    site.run("resubmit out", 0);
    let handed = site.handed();
    let has = |number: usize, text: &str| assert!(handed[number].contains(text), "{handed:#?}");
    assert_eq!(handed.len(), 4, "{handed:#?}");
    has(0, "-warm ");
    has(1, "--dependency=afterany:1 ");
    has(2, "--dependency=afterany:2 ");
    has(2, "-1-collect ");
    has(3, "--dependency=afternotok:3 --kill-on-invalid-dep=yes ");

    let tasks = site.read("out.submission/tasks.tsv");
    site.write("out.submission/tasks.tsv", &tasks.lines().take(3).map(|line| format!("{line}\n")).collect::<String>());
    site.answers(&site.queue("RUNNING"));
    site.run("resubmit out", 0);
    assert_eq!(site.handed(), handed);
    assert_eq!(site.read("out.submission/tasks.tsv"), tasks);
    assert!(site.run("resubmit out", 2).contains("wait or run"), "whole now");
}

#[test]
fn a_collector_that_is_killed_leaves_its_work_to_a_successor_with_twice_as_much() {
    let site = Site::new(SMALL);
    site.run(SUBMIT, 0);
    let limits = |name: &str| {
        let script = site.read(&format!("out.submission/scripts/{name}.sh"));
        let line = |option: &str| script.lines().find(|line| line.contains(option)).unwrap().to_owned();
        (line("--time="), line("--mem="))
    };
    assert_eq!(limits("1-collect"), ("#SBATCH --time=00:30:00".to_owned(), "#SBATCH --mem=1025M".to_owned()));
    assert_eq!(limits("1-collect1"), ("#SBATCH --time=01:00:00".to_owned(), "#SBATCH --mem=2049M".to_owned()));
    site.task("3", "task out.submission collect 1 0 --ended 137", 1);
    assert_eq!(site.read("cancelled"), "");
    site.answers(&site.queue("FAILED"));
    site.task("4", "task out.submission collect 1 1", 0);
    let handed = site.handed();
    assert!(handed[4].contains("--dependency=afternotok:4") && handed[4].contains("-1-collect2 "), "{handed:#?}");
    assert!(handed[5].contains("-2-0 ") && handed[6].contains("-2-collect "), "{handed:#?}");
    site.task("4", "task out.submission collect 1 1 --ended 0", 1);
    assert_eq!(site.read("cancelled"), "5\n", "the next successor is not needed");
    site.answers(&site.queue("PENDING").replace("2|0|PENDING", "2|0|FAILED"));
    let said = site.task("5", "task out.submission collect 1 2", 0);
    assert!(said.contains("the next round was handed in already"), "{said}");
    // A controller that was killed knows no more of the second round.
    site.answers("nothing to tell\n");
    site.task("5", "task out.submission collect 1 2", 0);
    assert!(site.handed().last().unwrap().contains("-3-collect1 "), "{:#?}", site.handed());
}

/// No answer does not mean that no task runs.
#[test]
fn a_queue_that_does_not_answer_is_asked_again() {
    let site = Site::new(SMALL);
    site.run(SUBMIT, 0);
    site.answers("");
    let state: Value = serde_json::from_str(&site.run("status out --json", 0)).unwrap();
    assert!(state["tasks"].is_null(), "{state}");
    assert!(site.run("status out", 0).contains("squeue gives no answer"));
    site.write("asked", "");
    for silent in 1..=4 {
        site.write(&format!("answers/{silent}"), "");
    }
    site.write("answers/5", &site.queue("RUNNING"));
    site.answers(&site.queue("FAILED"));
    site.task("3", "task out.submission collect 1", 0);
    assert_eq!(site.read("asked").lines().count(), 6);
    assert!(site.handed()[4].contains("-2-0 "), "{:#?}", site.handed());
}

/// The memory limit of the jobs of a submission.
fn memory(site: &Site) -> u64 {
    let table = site.read("out.submission/submission.tsv");
    table.lines().nth(1).unwrap().split('\t').nth(10).unwrap().parse().unwrap()
}

#[test]
fn a_job_whose_process_is_killed_gets_twice_the_memory_and_is_no_failure() {
    let killed = SMALL.replace(
        "kind = \"linear\"",
        "kind = \"command\"\nparams = { argv = [\"sh\", \"-c\", \"kill -9 $$ # {test} {scores}\"] }",
    );
    let site = Site::new(&killed);
    site.run(SUBMIT, 0);
    let before = memory(&site);
    let said = site.task("2", "task out.submission chunk 1 0", 137);
    assert!(said.contains("a/fold1/Ridge: killed"), "{said}");
    site.task("2", "task out.submission chunk 1 0 --ended 137", 1);
    site.answers(&site.queue("FAILED"));
    site.task("3", "task out.submission collect 1", 0);
    assert_eq!(memory(&site), 2 * before);
    let state: Value = serde_json::from_str(&site.run("status out --json", 0)).unwrap();
    assert_eq!(state["failed"], serde_json::json!({}));
}

#[test]
fn a_task_that_begins_on_a_full_disk_begins_again() {
    let site = Site::new(SMALL);
    let Some(small) = Small::mount(&site.at().join("small"), "16m") else { return };
    site.run("submit small.toml --engine slurm --out small/out", 0);
    let _ = std::fs::write(small.0.join("filler"), vec![0; 20 << 20]);
    for task in ["chunk 1 0", "collect 1"] {
        let said = site.task("3", &format!("task small/out.submission {task}"), 75);
        assert!(said.contains("No space left on device"), "{said}");
    }
    std::fs::remove_file(small.0.join("filler")).unwrap();
    site.task("2", "task small/out.submission chunk 1 0", 0);
    site.task("3", "task small/out.submission collect 1", 0);
    assert!(small.0.join("out/manifest.json").exists());
}

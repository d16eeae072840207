//! Tests a submission on a Slurm cluster of two nodes on this machine (`tests/cluster/loopback`). The
//! result hash is that of one process, whatever happens to the tasks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::harness::{directory, program, python, real_data, skipped};

/// How long a submission may take.
const PATIENCE: Duration = Duration::from_secs(240);

/// One cluster at a time, so that no test waits for the processors of another.
static ONE: Mutex<()> = Mutex::new(());

/// A cluster, and a folder that its tasks can read. The cluster stops when the value is dropped.
struct Cluster {
    folder: tempfile::TempDir,
    _one: MutexGuard<'static, ()>,
}

impl Cluster {
    /// Starts a cluster. `None` if Slurm is not installed, or this user may not start it.
    fn start(files: &[(&str, &str)]) -> Option<Self> {
        let there =
            |name: &str| ["/usr/sbin", "/usr/bin", "/sbin"].iter().any(|folder| Path::new(folder).join(name).exists());
        if !["slurmctld", "slurmd", "munged", "sbatch"].iter().all(|name| there(name)) {
            assert!(std::env::var_os("CI").is_none(), "no Slurm, which CI must have");
            skipped("Slurm is not installed (Debian: slurm-wlm, munge)");
            return None;
        }
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let cluster = Cluster { folder: directory(files), _one: one };
        open_to_all(cluster.at());
        let output = cluster.script(&["up"], &[&port()]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(cluster)
    }

    fn at(&self) -> &Path {
        self.folder.path()
    }

    fn conf(&self) -> PathBuf {
        self.at().join("cluster/slurm.conf")
    }

    fn script(&self, before: &[&str], after: &[&str]) -> Output {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/cluster/loopback");
        Command::new(script).args(before).arg(self.at().join("cluster")).args(after).output().unwrap()
    }

    /// The program, with the variables of the cluster.
    fn fivefold(&self, arguments: &str) -> Output {
        self.run(Command::new(program()).args(arguments.split_whitespace()))
    }

    fn run(&self, command: &mut Command) -> Output {
        for variable in ["FIVEFOLD_CACHE", "RUST_BACKTRACE", "NO_COLOR"] {
            command.env_remove(variable);
        }
        command.current_dir(self.at()).env("SLURM_CONF", self.conf()).output().unwrap()
    }

    /// A command of Slurm, which must succeed, and its output.
    fn slurm(&self, command: &str) -> String {
        let mut words = command.split_whitespace();
        let output = self.run(Command::new(words.next().unwrap()).args(words));
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn succeed(&self, arguments: &str) -> String {
        let output = self.fivefold(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn status(&self, folder: &str) -> Value {
        serde_json::from_slice(&self.fivefold(&format!("status {folder} --json")).stdout).unwrap()
    }

    /// Waits until something is so, and calls `look` with the state of the submission.
    fn until(&self, folder: &str, what: &str, mut is_so: impl FnMut(&Value) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_so(&self.status(folder)) {
            assert!(Instant::now() < end, "not in time: {what}\n{}\n{}", self.status(folder), self.said(folder));
            std::thread::sleep(Duration::from_millis(300));
        }
    }

    /// Waits until no task waits or runs.
    fn wait(&self, folder: &str) {
        self.until(folder, "the end", |state| state["tasks"].as_object().is_some_and(|tasks| tasks.is_empty()));
    }

    /// The output of all tasks.
    fn said(&self, folder: &str) -> String {
        let out = self.at().join(format!("{folder}/out"));
        let mut files: Vec<PathBuf> = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let said = files
            .iter()
            .map(|file| format!("== {}\n{}", file.display(), String::from_utf8_lossy(&std::fs::read(file).unwrap())));
        said.collect()
    }

    /// The result hash in a results folder.
    fn result(&self, results: &str, submission: &str) -> String {
        let manifest = std::fs::read(self.at().join(results).join("manifest.json"))
            .unwrap_or_else(|_| panic!("no manifest\n{}", self.said(submission)));
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        manifest["result"].as_str().unwrap_or_default().to_owned()
    }

    /// The running tasks that do jobs: ids and nodes.
    fn running(&self) -> Vec<(String, String)> {
        let lines = self.slurm("squeue -h -r -t RUNNING -o %A|%N|%j");
        let task = |line: &str| {
            let fields: Vec<&str> = line.split('|').collect();
            let number = fields[2].rsplit('-').next()?;
            number.parse::<usize>().ok()?;
            Some((fields[0].to_owned(), fields[1].to_owned()))
        };
        lines.lines().filter_map(task).collect()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script(&["down"], &[]);
    }
}

/// A port that nothing else uses: from the number of this process.
fn port() -> String {
    (20_000 + std::process::id() % 3000 * 3).to_string()
}

/// Another user may read and write here.
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
}

fn golden(name: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().find_map(|line| line.strip_prefix(&format!("{name} "))).unwrap().to_owned()
}

/// Runs the command of an ordinary user if the cluster can be used by one, else of this user.
fn as_ordinary_user(cluster: &Cluster, arguments: &[&str]) -> Output {
    let is_root = nix::unistd::geteuid().is_root();
    let mut command = Command::new(if is_root { "runuser" } else { "env" });
    command.args(if is_root { &["-u", "nobody", "--"][..] } else { &[] });
    // The program must lie where another user can read it.
    let copy = cluster.at().join("fivefold");
    if !copy.exists() {
        std::fs::copy(program(), &copy).unwrap();
    }
    cluster.run(command.arg(copy).args(arguments).env("HOME", cluster.at()))
}

#[test]
fn quickstart_through_slurm_by_an_ordinary_user_has_the_hash_of_one_process() {
    let Some(cluster) = Cluster::start(&[]) else { return };
    // A blank in a path divides words of a shell and of sbatch.
    let (out, submission) = ("my runs/quickstart", "my runs/quickstart.submission");
    let output = as_ordinary_user(
        &cluster,
        &["submit", "quickstart", "--engine", "slurm", "--chunk", "15s", "--cache", "cache", "--out", out],
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = as_ordinary_user(&cluster, &["status", out, "--watch"]);
    assert!(output.status.success(), "{}", cluster.said(submission));
    let words = String::from_utf8(output.stdout).unwrap();
    assert!(words.contains("all jobs are done: fivefold report "), "{words}");
    assert_eq!(cluster.result(out, submission), golden("quickstart"));
    let table = std::fs::read_to_string(cluster.at().join(submission).join("estimates.tsv")).unwrap();
    let mut lines = table.lines();
    assert_eq!(
        lines.next().unwrap(),
        "job\testimated_seconds\tseconds\testimated_bytes\tpeak_of_task",
        "estimated and true"
    );
    assert!(lines.all(|line| line.split('\t').all(|field| !field.is_empty())), "{table}");
}

#[test]
fn mq2008_through_slurm_has_the_hash_of_one_process() {
    let Some(data) = real_data() else { return };
    let Some(cluster) = Cluster::start(&[]) else { return };
    let mut submit = Command::new(program());
    submit.args(["submit", "mq2008", "--engine", "slurm", "--chunk", "20s", "--data-dir"]).arg(data);
    let output = cluster.run(&mut submit);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    cluster.wait("runs/mq2008.submission");
    assert_eq!(cluster.result("runs/mq2008", "runs/mq2008.submission"), golden("mq2008"));
}

/// Jobs that take some seconds each, and a stage after them.
const SLOW: &str = r#"
name = "slow"
seed = 4
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 30 }
[[ranker]]
label = "Slow"
kind = "slow"
params = { steps = 400 }
[[ranker]]
label = "Ridge"
kind = "linear"
[[ranker]]
label = "Fused"
kind = "fusion"
params = { method = "comb-sum", of = ["Slow", "Ridge"] }
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 5
ideal = 5
"#;

/// The hash of one process.
fn alone(cluster: &Cluster) -> String {
    cluster.succeed("run slow.toml --out alone");
    cluster.result("alone", "slow.submission")
}

/// A task is stopped, a task is killed as for memory, a task reaches its time limit, and a node is
/// lost.
#[test]
fn whatever_happens_to_tasks_and_nodes_nothing_is_lost() {
    let Some(cluster) = Cluster::start(&[("slow.toml", SLOW)]) else { return };
    cluster.succeed("submit slow.toml --engine slurm --chunk 1s --out slow");
    let mut troubles = vec!["stop", "memory", "time", "node"];
    let mut done: Vec<String> = Vec::new();
    cluster.until("slow.submission", "all troubles", |_| {
        let Some((task, node)) = cluster.running().into_iter().find(|(task, _)| !done.contains(task)) else {
            return troubles.is_empty();
        };
        let Some(trouble) = troubles.first().copied() else { return true };
        let befell = match trouble {
            "stop" => terminate(&cluster, &task),
            "memory" => kill_program_of(&cluster, &task),
            // Slurm sends the signal when a minute is left. It looks every half a minute, so the test sends it.
            "time" => {
                let limit = ["update", &format!("JobId={task}"), "TimeLimit=1"];
                cluster.run(Command::new("scontrol").args(limit)).status.success() && interrupt(&cluster, &task)
            }
            _ => {
                lose(&cluster, &node);
                true
            }
        };
        if befell {
            troubles.remove(0);
            done.push(task);
        }
        false
    });
    cluster.wait("slow.submission");
    assert_eq!(cluster.result("slow", "slow.submission"), alone(&cluster), "{}", cluster.said("slow.submission"));
    let table = std::fs::read_to_string(cluster.at().join("slow.submission/submission.tsv")).unwrap();
    let said = cluster.said("slow.submission");
    // How often time and memory were doubled, and how often either was.
    let doubled: Vec<(u64, u64, u64)> = table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |column: usize| fields[column].parse::<u64>().unwrap();
            // A task has 256 MiB and little more for these data.
            ((number(9) / 600).ilog2().into(), (number(10) >> 28).ilog2().into(), number(4))
        })
        .collect();
    assert!(doubled.iter().all(|(time, memory, all)| time + memory == *all), "{table}\n{said}");
    assert!(doubled.iter().any(|(time, ..)| *time == 1), "the task that reached its limit\n{table}\n{said}");
    assert!(doubled.iter().any(|(_, memory, _)| *memory == 1), "the task that was killed\n{table}\n{said}");
}

/// Sends SIGTERM to the script of a task. The exit code of scancel does not tell whether it arrived.
fn terminate(cluster: &Cluster, task: &str) -> bool {
    cluster.run(Command::new("scancel").args(["--batch", "--signal=TERM", task]));
    true
}

/// Takes the power from a node until the controller has noticed, and gives it back.
fn lose(cluster: &Cluster, node: &str) {
    cluster.script(&["kill"], &[node]);
    let end = Instant::now() + PATIENCE;
    while !cluster.slurm(&format!("sinfo -h -n {node} -o %t")).contains("down") {
        assert!(Instant::now() < end, "the controller does not notice that {node} is gone");
        std::thread::sleep(Duration::from_millis(300));
    }
    cluster.script(&["start"], &[node]);
}

/// Sends SIGTERM to the script of a task, and holds its program until the script has passed the signal
/// on. Otherwise the program of a short task could be done before.
fn interrupt(cluster: &Cluster, task: &str) -> bool {
    let Some(program) = program_of(cluster, task) else { return false };
    if kill(program, Signal::SIGSTOP).is_err() {
        return false;
    }
    terminate(cluster, task);
    let has_signal = || {
        let status = std::fs::read_to_string(format!("/proc/{program}/status")).unwrap_or_default();
        let pending = status.lines().filter_map(|line| line.strip_prefix("ShdPnd:").or(line.strip_prefix("SigPnd:")));
        let bit = 1 << (Signal::SIGTERM as u64 - 1);
        pending.map(|signals| u64::from_str_radix(signals.trim(), 16).unwrap()).any(|signals| signals & bit > 0)
    };
    let end = Instant::now() + PATIENCE;
    while !has_signal() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    has_signal() & kill(program, Signal::SIGCONT).is_ok()
}

/// Kills the program of a task. Its script goes on, as after a kill for memory.
fn kill_program_of(cluster: &Cluster, task: &str) -> bool {
    program_of(cluster, task).is_some_and(|program| kill(program, Signal::SIGKILL).is_ok())
}

/// The process that does the jobs of a task.
fn program_of(cluster: &Cluster, task: &str) -> Option<Pid> {
    // Another cluster on this machine may have a task of the same id.
    let own = [format!("SLURM_JOB_ID={task}"), format!("SLURM_CONF={}", cluster.conf().display())];
    let of_task = |process: &Path| {
        let environ = std::fs::read(process.join("environ")).unwrap_or_default();
        let command = std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        command.contains("\0chunk\0")
            && own.iter().all(|own| environ.split(|&byte| byte == 0).any(|variable| variable == own.as_bytes()))
    };
    let processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let found = processes.filter(|path| path.join("environ").exists()).find(|path| of_task(path))?;
    Some(Pid::from_raw(found.file_name()?.to_str()?.parse().ok()?))
}

#[test]
fn an_experiment_that_changed_stops_the_tasks_by_name_and_goes_on_when_it_is_as_before() {
    let quick = SLOW.replace("400", "3");
    let Some(cluster) = Cluster::start(&[("slow.toml", &quick)]) else { return };
    cluster.slurm("scontrol update NodeName=n1,n2 State=DRAIN Reason=test");
    cluster.succeed("submit slow.toml --engine slurm --out slow");
    let again = cluster.fivefold("submit slow.toml --engine slurm --out slow");
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("is handed in already"));
    std::fs::write(cluster.at().join("slow.toml"), SLOW.replace("400", "4")).unwrap();
    cluster.slurm("scontrol update NodeName=n1,n2 State=RESUME");
    cluster.wait("slow.submission");
    let said = cluster.said("slow.submission");
    let told = said.matches("slow.toml changed after `submit`, so this task does nothing").count();
    assert_eq!(told, 3, "the data, the jobs and the collector\n{said}");
    assert!(!cluster.at().join("slow/jobs").exists());
    std::fs::write(cluster.at().join("slow.toml"), &quick).unwrap();
    cluster.succeed("resubmit slow");
    cluster.wait("slow.submission");
    assert_eq!(cluster.result("slow", "slow.submission"), alone(&cluster));
}

/// The whole task is killed with its script, so that nothing but its successor can go on.
#[test]
fn a_collector_that_is_killed_has_a_successor() {
    let quick = SLOW.replace("400", "3");
    // A collector that begins with a pause is seen before it does anything.
    let template = "#!/bin/bash\n#SBATCH --array={tasks} --time={time} --mem={memory} --requeue\n\
                    #SBATCH --output=\"{output}\"\ncase $SLURM_JOB_NAME in *-collect) sleep 8 ;; esac\n{command}\n";
    let Some(cluster) = Cluster::start(&[("slow.toml", &quick), ("template.sh", template)]) else { return };
    cluster.succeed("submit slow.toml --engine slurm --template template.sh --out slow");
    let is_first = |line: &&str| line.ends_with("-1-collect");
    cluster.until("slow.submission", "the first collector is killed", |_| {
        let lines = cluster.slurm("squeue -h -r -t RUNNING -o %A|%j");
        let Some(line) = lines.lines().find(is_first) else { return false };
        let task = line.split('|').next().unwrap();
        cluster.slurm(&format!("scancel --signal=KILL --full {task}"));
        true
    });
    cluster.wait("slow.submission");
    assert_eq!(cluster.result("slow", "slow.submission"), alone(&cluster), "{}", cluster.said("slow.submission"));
    let tasks = std::fs::read_to_string(cluster.at().join("slow.submission/tasks.tsv")).unwrap();
    let collectors = tasks.lines().filter(|line| line.starts_with("1\tcollect\t")).count();
    assert_eq!(collectors, 3, "the successor has one too\n{tasks}");
    // A node of this cluster has too little memory to double it twice: the last script asks for as much as the one before.
    let memory = |collector: &str| {
        let script =
            std::fs::read_to_string(cluster.at().join(format!("slow.submission/scripts/1-{collector}.sh"))).unwrap();
        script.lines().find_map(|line| Some(line.split_once("--mem=")?.1.split(' ').next()?.to_owned()))
    };
    assert_eq!(memory("collect1"), memory("collect2"));
    assert!(!cluster.said("slow.submission").contains("has no successor"));
}

/// Two submissions into one results folder do every job twice, at the same time.
#[test]
fn what_is_submitted_twice_leaves_one_whole_result() {
    let quick = SLOW.replace("400", "30");
    let Some(cluster) = Cluster::start(&[("slow.toml", &quick)]) else { return };
    for folder in ["one", "two"] {
        cluster.succeed(&format!("submit slow.toml --engine slurm --chunk 1s --out slow --folder {folder}"));
    }
    cluster.wait("one");
    cluster.wait("two");
    assert_eq!(cluster.result("slow", "one"), alone(&cluster), "{}{}", cluster.said("one"), cluster.said("two"));
    assert_eq!(cluster.status("one")["failed"], serde_json::json!({}));
    cluster.succeed("verify slow");
}

#[test]
fn what_was_cancelled_is_left_until_it_is_submitted_again() {
    let quick = SLOW.replace("400", "60");
    let Some(cluster) = Cluster::start(&[("slow.toml", &quick)]) else { return };
    cluster.succeed("submit slow.toml --engine slurm --chunk 1s --out slow");
    cluster.until("slow.submission", "a job is done", |state| state["done"].as_u64().unwrap() > 0);
    let refused = cluster.fivefold("resubmit slow");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("tasks of this submission wait or run"));
    cluster.succeed("cancel slow");
    cluster.wait("slow.submission");
    let state = cluster.status("slow.submission");
    assert!(state["open"].as_u64().unwrap() > 0 && state["failed"] == serde_json::json!({}), "{state}");
    cluster.succeed("resubmit slow");
    cluster.wait("slow.submission");
    assert_eq!(cluster.result("slow", "slow.submission"), alone(&cluster));
}

/// The same chunks without a scheduler, or by HyperQueue: submits, runs the script, and compares with one
/// process. Returns the folder.
fn by_script(engine: &str, script: &[&str]) -> tempfile::TempDir {
    let quick = SLOW.replace("400", "3");
    let folder = directory(&[("slow.toml", &quick)]);
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let fivefold = |arguments: &str| run(Command::new(program()).args(arguments.split_whitespace()));
    let written = fivefold(&format!("submit slow.toml --engine {engine} --chunk 1s --out slow"));
    assert!(written.starts_with("written: 15 jobs, 0 done already"), "{written}");
    run(Command::new(script[0]).args(&script[1..]));
    fivefold("run slow.toml --out alone");
    let result = |name: &str| {
        let manifest: Value =
            serde_json::from_slice(&std::fs::read(folder.path().join(name).join("manifest.json")).unwrap()).unwrap();
        manifest["result"].clone()
    };
    assert_eq!(result("slow"), result("alone"));
    folder
}

#[test]
fn a_script_does_the_chunks_without_a_scheduler() {
    by_script("shell", &["bash", "slow.submission/run.sh", "2"]);
}

#[test]
fn hyperqueue_does_the_chunks_stage_by_stage() {
    let Some(python) = python("hyperqueue") else { return };
    let folder = by_script("hq", &[&python, "slow.submission/hq.py"]);
    let said = |name: &str| std::fs::read_to_string(folder.path().join("slow.submission/out").join(name)).unwrap();
    assert!(said("hq-stage-1.txt-0.txt").contains(" done, 0 reused, 0 failed"));
    assert!(said("hq-stage-2.txt-0.txt").contains(" done, 0 reused, 0 failed"));
}

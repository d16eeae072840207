//! Tests runs that are killed or stopped half way. The next run goes on, and ends with the same
//! bytes.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{assert_same_content, directory, json, program, stdout};

/// An experiment with ten jobs of 0.2 seconds each, and five jobs that take no time.
pub const SLOW: &str = r#"
name = "slow"

[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 10 }

[[dataset]]
label = "b"
synthetic = { shape = "mq2007", queries = 10, seed = 1 }

[[ranker]]
kind = "slow"

[query_sets]
uninformative = 2
ideal = 2
"#;
const JOBS: usize = 10;

/// Starts the run, and waits until some of its jobs are done, but not all.
fn half_way(folder: &Path) -> Child {
    let child = Command::new(program())
        .args(["run", "slow.toml", "--threads", "1", "--out", "half"])
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while records(folder) < 2 {
        assert!(Instant::now() < patience, "no job is done after a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn records(folder: &Path) -> usize {
    let jobs = folder.join("half/jobs");
    if jobs.exists() { crate::harness::files(&jobs).len() } else { 0 }
}

/// Checks that the run goes on after it was cut short. The second run does only the remaining jobs,
/// and gives the results of an undisturbed run.
fn goes_on(folder: &Path) {
    let before = records(folder);
    assert!((2..JOBS).contains(&before), "{before} jobs were done");
    assert!(!folder.join("half/manifest.json").exists());
    let rest = json(folder, "run slow.toml --threads 2 --out half --json");
    assert_eq!((&rest["reused"], &rest["done"]), (&before.into(), &(JOBS - before).into()));
    stdout(folder, "run slow.toml --threads 2 --out whole");
    assert_same_content(&folder.join("half"), &folder.join("whole"));
}

#[test]
fn a_killed_run_goes_on() {
    let folder = directory(&[("slow.toml", SLOW)]);
    let mut child = half_way(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    goes_on(folder.path());
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_a_run_that_can_go_on() {
    let folder = directory(&[("slow.toml", SLOW)]);
    let mut child = half_way(folder.path());
    interrupt(&child);
    let ended: ExitStatus = child.wait().unwrap();
    assert_eq!(ended.code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    let kept = records(folder.path());
    let words = format!(
        "Stopped: {kept} of {JOBS} jobs are finished and kept in half. Go on with: fivefold run slow.toml --threads 1 --out half"
    );
    assert!(said.contains(&words), "{said}");
    goes_on(folder.path());
}

#[cfg(unix)]
#[test]
fn a_stopped_training_leaves_no_model() {
    let folder = directory(&[("train.txt", "1 qid:1 1:1\n0 qid:1 1:0\n")]);
    let mut child = Command::new(program())
        .args(["train", "--ranker", "slow", "--param", "steps=6000", "--train", "train.txt", "-o", "m.json"])
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The signal handler is set before the training begins. An earlier signal ends the program too.
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let started = Instant::now();
    child.wait().unwrap();
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(!folder.path().join("m.json").exists());
}

/// A fit of some tenths of a second.
const LONG: &str = r#"
name = "long"

[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 60 }

[[ranker]]
kind = "lambdamart"
params = { trees = 400, leaves = 31, early_stopping = 0 }
"#;

/// Elsewhere, a training that goes on may lose accuracy (dmlc/xgboost issue 11982) or count its
/// rounds anew (ray-project/ray issue 33468).
#[cfg(unix)]
#[test]
fn a_fit_that_is_stopped_or_killed_goes_on_from_its_checkpoint() {
    let folder = directory(&[("long.toml", LONG)]);
    let job = ["job", "long.toml", "a/fold1/lambdamart", "--threads", "1", "--out"];
    let model = |out: &str| std::fs::read(folder.path().join(out).join("models/a/fold1/lambdamart.json"));
    let start = |out: &str, more: &[&str]| {
        let mut command = Command::new(program());
        command.args(job).arg(out).args(more).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    };
    assert!(start("whole", &[]).wait().unwrap().success());
    for (out, killed, more) in [("stopped", false, &[][..]), ("killed", true, &[]), ("alone", false, &["--isolate"])] {
        let checkpoint = folder.path().join(out).join(".rounds/a/fold1/lambdamart.json");
        let patience = Instant::now() + Duration::from_secs(60);
        loop {
            // The first checkpoint comes after a hundredth of the fit, however fast the machine is.
            let mut child = start(out, &[more, &["--checkpoint-every", "10ms"]].concat());
            while !checkpoint.exists() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if child.try_wait().unwrap().is_none() {
                if killed { child.kill().unwrap() } else { interrupt(&child) }
            }
            if !child.wait().unwrap().success() && model(out).is_err() {
                break;
            }
            // On a busy machine, the fit may end before this test sees its checkpoint or ends the job.
            assert!(Instant::now() < patience, "{out}: not stopped within a fit for a minute");
            std::fs::remove_dir_all(folder.path().join(out)).unwrap();
        }
        let text = std::fs::read_to_string(&checkpoint).unwrap();
        let state: serde_json::Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
        assert!(!state["trees"].as_array().unwrap().is_empty(), "{out}");
        assert!(start(out, more).wait().unwrap().success(), "{out}");
        assert!(model(out).unwrap() == model("whole").unwrap(), "{out}: another model");
        assert!(!checkpoint.exists(), "{out}");
    }
}

#[cfg(unix)]
pub fn interrupt(child: &Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

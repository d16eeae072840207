//! Tests two processes that use one results folder.

use crate::harness::{assert_same_content, stderr, stdout};
use crate::mixed::{finished, process, succeed};
use crate::processes::until;

/// An experiment with slow jobs.
const SLOW: &str = r#"
name = "slow"
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 10 }
[[ranker]]
kind = "slow"
params = { steps = 3000 }
"#;

#[test]
fn a_folder_in_use_is_refused_with_who_uses_it_until_its_owner_dies() {
    let folder = finished();
    let at = folder.path();
    std::fs::write(at.join("slow.toml"), SLOW).unwrap();
    let mut owner = process(at, &["run", "slow.toml", "--out", "out"]).spawn().unwrap();
    until("it runs", || at.join("out/.partial").exists());
    for command in [
        "run slow.toml --out out",
        "job slow.toml a/fold1/slow --out out",
        "run study.toml --out out",
        "report whole --write out",
    ] {
        let message = stderr(at, command, 2);
        let by = format!("out is in use by process {} (`", owner.id());
        assert!(message.contains(&by) && message.contains("run slow.toml --out out`)"), "{command}: {message}");
        assert!(message.contains("wait for its end or stop it, or give another folder"), "{message}");
    }
    // Readers need no lock.
    stdout(at, "jobs slow.toml --out out");
    owner.kill().unwrap();
    owner.wait().unwrap();
    std::fs::write(at.join("slow.toml"), SLOW.replace("3000", "1")).unwrap();
    succeed(at, &["run", "slow.toml", "--out", "out"]);
    assert!(!at.join("out/.lock").exists());
}

#[test]
fn single_jobs_share_a_folder_and_keep_a_run_out() {
    let folder = finished();
    let at = folder.path();
    std::fs::write(at.join("slow.toml"), SLOW).unwrap();
    let mut first = process(at, &["job", "slow.toml", "a/fold1/slow", "--out", "out"]).spawn().unwrap();
    until("it runs", || at.join("out/.lock").exists());
    assert!(stderr(at, "run slow.toml --out out", 2).contains("in use by process"));
    std::fs::write(at.join("quick.toml"), SLOW.replace("3000", "1")).unwrap();
    assert_eq!(stdout(at, "job quick.toml a/fold2/slow --out out"), "done a/fold2/slow\n");
    assert!(stderr(at, "run quick.toml --out out", 2).contains("in use by process"), "the other is still there");
    first.kill().unwrap();
    first.wait().unwrap();
    succeed(at, &["run", "quick.toml", "--out", "out"]);
    succeed(at, &["run", "quick.toml", "--out", "alone"]);
    assert_same_content(&at.join("out"), &at.join("alone"));
    let log: serde_json::Value = serde_json::from_slice(&std::fs::read(at.join("out.log.json")).unwrap()).unwrap();
    assert_eq!(log["jobs"].as_object().unwrap().len(), 5, "the time of the single job too");
}

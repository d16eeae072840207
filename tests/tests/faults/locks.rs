//! Tests two processes that use one results folder.

use crate::harness::{assert_same_content, skipped, stderr, stdout};
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

/// On a file system without locks (played by a library that is loaded before libc), claims do the
/// same.
#[test]
fn without_locks_claims_keep_a_folder_to_one_run_or_to_several_jobs() {
    let folder = finished();
    let at = folder.path();
    let library = at.join("no_locks.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/cluster/no_locks.c");
    let built = std::process::Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    if !built.is_ok_and(|status| status.success()) {
        return skipped("no C compiler (cc)");
    }
    let without = |arguments: &str| {
        let mut command = process(at, &arguments.split(' ').collect::<Vec<_>>());
        command.env("LD_PRELOAD", &library).stderr(std::process::Stdio::piped());
        command
    };
    let said = |arguments: &str, code: i32| {
        let output = without(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {text}");
        text
    };
    std::fs::write(at.join("slow.toml"), SLOW).unwrap();
    std::fs::write(at.join("quick.toml"), SLOW.replace("3000", "1")).unwrap();
    let mut owner = without("run slow.toml --out out").spawn().unwrap();
    until("it runs", || at.join("out/.claims/gate/owner").exists() && at.join("out/.partial").exists());
    let message = said("job quick.toml a/fold1/slow --out out", 2);
    assert!(message.contains(&format!("in use by process {}", owner.id())), "{message}");
    // SIGTERM, so that the run gives its claim back.
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(owner.id().cast_signed()), nix::sys::signal::Signal::SIGTERM)
        .unwrap();
    owner.wait().unwrap();
    let _ = std::fs::remove_dir_all(at.join("out"));
    let mut job = without("job slow.toml a/fold1/slow --out out").spawn().unwrap();
    until("it runs", || at.join("out/.claims").exists() && at.join("out/.partial").exists());
    said("job quick.toml a/fold2/slow --out out", 0);
    said("run quick.toml --out out", 2);
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(job.id().cast_signed()), nix::sys::signal::Signal::SIGTERM)
        .unwrap();
    job.wait().unwrap();
    let _ = std::fs::remove_dir_all(at.join("out/.claims"));
    let message = said("run quick.toml --out out", 0);
    assert!(message.contains("is on a file system without locks"), "{message}");
    succeed(at, &["run", "quick.toml", "--out", "alone"]);
    assert_same_content(&at.join("out"), &at.join("alone"));
}

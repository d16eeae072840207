//! Tests SIGKILL at random moments, followed by the same command: the folder must end with the
//! bytes of an uninterrupted run.
//!
//! The moments are drawn from a seed, over the duration of the whole command. FIVEFOLD_KILLS sets
//! the number of all kills: by default 10, and 100 in long proofs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use fivefold_core::Seed;

use crate::harness::{assert_same_content, content, files, fivefold, has_long_proofs};
use crate::mixed::{JOBS, finished, process, succeed};
use crate::processes::nobody_is_left;

fn kills() -> usize {
    let by_default = if has_long_proofs() { 100 } else { 10 };
    std::env::var("FIVEFOLD_KILLS").ok().map_or(by_default, |text| text.parse().expect("FIVEFOLD_KILLS is a number"))
}

/// Starts commands and kills them `after` some time since the condition `is_so` became true.
/// Returns `false` if all commands had already ended well.
fn kill(at: &Path, commands: &[Vec<&str>], is_so: impl Fn() -> bool, after: Duration) -> bool {
    let said = |number: usize| at.join(format!("said-{number}.txt"));
    let start = |(number, arguments): (usize, &Vec<&str>)| {
        process(at, arguments).stderr(std::fs::File::create(said(number)).unwrap()).spawn().unwrap()
    };
    let mut children: Vec<_> = commands.iter().enumerate().map(start).collect();
    while !is_so() && children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(after);
    let mut killed = false;
    for (number, child) in children.iter_mut().enumerate() {
        let ended = child.try_wait().unwrap();
        let why = || std::fs::read_to_string(said(number)).unwrap_or_default();
        assert!(ended.is_none_or(|status| status.success()), "{ended:?} {:?}: {}", commands[number], why());
        killed |= ended.is_none();
        let _ = child.kill();
        child.wait().unwrap();
    }
    killed
}

/// The duration of a command that is not killed.
fn length(at: &Path, arguments: &[&str]) -> Duration {
    let begun = Instant::now();
    succeed(at, arguments);
    begun.elapsed()
}

/// The number of jobs that have ended.
fn records(out: &Path) -> usize {
    if out.join("jobs").exists() { files(&out.join("jobs")).len() } else { 0 }
}

/// The stage that a killed run had reached, judged by the files in its folder.
fn stage(out: &Path) -> &'static str {
    let records = records(out);
    let work = out.join(".work").exists();
    match records {
        JOBS if out.join("report.html").exists() => "afterwards",
        JOBS if out.join("manifest.json").exists() => "report",
        JOBS => "evaluation",
        0 if !work => "reading",
        _ if work => "programs and fits apart",
        _ => "other jobs",
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let folder = finished();
    let at = folder.path();
    let run = ["run", "mixed.toml", "--out", "half", "--threads", "2", "--cache", "cache"];
    // The text of a collection is cached only if it did not change in the last two seconds, so the
    // test waits.
    std::thread::sleep(Duration::from_millis(2100));
    let mut whole = length(at, &run);
    let half = at.join("half");
    assert_same_content(&half, &at.join("whole"));
    let mut rng = Seed::new(7).derive("kills").rng();
    let (mut done, mut ended, mut stages) = (0, 0, BTreeMap::new());
    let begin_anew = |with_cache: bool| {
        std::fs::remove_dir_all(&half).unwrap();
        std::fs::remove_file(at.join("half.log.json")).unwrap();
        if with_cache {
            std::fs::remove_dir_all(at.join("cache")).unwrap();
        }
    };
    begin_anew(true);
    while done < kills() * 7 / 10 {
        // Sometimes single jobs that share the folder are killed instead of a run.
        let fold = 1 + rng.below(5);
        let ids = ["read/fold{}/Shell", "made/fold{}/Apart"].map(|id| id.replace("{}", &fold.to_string()));
        let jobs = ids.iter().map(|id| vec!["job", "mixed.toml", id, "--out", "half", "--cache", "cache"]);
        let together: Vec<Vec<&str>> = if rng.below(5) == 0 { jobs.collect() } else { vec![run.to_vec()] };
        // The last stages are short, so sometimes the moment is drawn within them.
        let late = together.len() == 1 && rng.below(3) == 0;
        let part = whole.mul_f64(rng.below(1000) as f64 / if late { 4000.0 } else { 1400.0 });
        let killed = kill(at, &together, || !late || records(&half) == JOBS, part);
        if half.exists() {
            nobody_is_left(&half);
        }
        if killed {
            done += 1;
            *stages.entry(stage(&half)).or_insert(0) += 1;
        }
        // The duration depends on the other work of the machine. It is adapted so that about half
        // of the moments come before the end.
        whole = whole.mul_f64(if killed { 1.1 } else { 0.9 });
        // The run reached its end between kills.
        if !killed && together.len() == 1 {
            ended += 1;
            assert_same_content(&half, &at.join("whole"));
            log_is_complete(at, "half");
            begin_anew(rng.below(2) == 0);
        }
    }
    succeed(at, &run);
    assert_same_content(&half, &at.join("whole"));
    log_is_complete(at, "half");
    println!("count: {done} kills of a run, {} times brought to its end; killed in {stages:?}", ended + 1);
}

/// Checks that the log has the time of every job, and that the kills left no other traces.
fn log_is_complete(at: &Path, out: &str) {
    let log: serde_json::Value =
        serde_json::from_slice(&std::fs::read(at.join(format!("{out}.log.json"))).unwrap()).unwrap();
    let jobs = log["jobs"].as_object().unwrap();
    assert_eq!(jobs.len(), JOBS);
    assert!(jobs.values().all(|seconds| seconds.as_f64().is_some_and(|seconds| seconds >= 0.0)));
    let hidden: Vec<String> =
        content(&at.join(out)).into_keys().filter(|name| name.split('/').any(|part| part.starts_with('.'))).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

#[test]
fn a_killed_study_report_training_and_scoring_leave_nothing_half_done() {
    let folder = finished();
    let at = folder.path();
    let commands: [(&str, &[&str], &[&str]); 5] = [
        ("study", &["run", "study.toml", "--out", "x-study"], &["x-study"]),
        ("report", &["report", "whole", "--write", "x-report"], &["x-report"]),
        (
            "train",
            &["train", "--ranker", "slow", "--param", "steps=3", "--train", "data.txt", "-o", "x-model"],
            &["x-model"],
        ),
        ("score", &["score", "--model", "model.json", "--data", "data.txt", "-o", "x-scores"], &["x-scores"]),
        (
            "another run, with its cache",
            &["run", "theirs.toml", "--out", "x-other", "--cache", "x-cache"],
            &["x-other", "x-cache"],
        ),
    ];
    succeed(at, &["train", "--ranker", "slow", "--param", "steps=1", "--train", "data.txt", "-o", "model.json"]);
    // Text that changed in the last two seconds is not cached, so the test waits.
    std::thread::sleep(Duration::from_millis(2100));
    let mut rng = Seed::new(11).derive("kills").rng();
    let each = (kills() * 3 / 10).div_ceil(commands.len());
    for (name, command, outputs) in commands {
        let whole = length(at, command);
        let keep: Vec<_> =
            outputs.iter().map(|output| (at.join(output), at.join(output.replace("x-", "y-")))).collect();
        keep.iter().for_each(|(made, kept)| std::fs::rename(made, kept).unwrap());
        let mut done = 0;
        while done < each {
            if kill(at, &[command.to_vec()], || true, whole.mul_f64(rng.below(1000) as f64 / 1000.0)) {
                done += 1;
            }
            // A file is either absent or whole. A folder is completed by the next command that is
            // not killed.
            for (made, kept) in keep.iter().filter(|(made, _)| made.is_file()) {
                assert_eq!(std::fs::read(made).unwrap(), std::fs::read(kept).unwrap(), "{name}");
            }
            if rng.below(3) == 0 {
                succeed(at, command);
            }
        }
        succeed(at, command);
        for (made, kept) in &keep {
            match made.is_file() {
                true => assert_eq!(std::fs::read(made).unwrap(), std::fs::read(kept).unwrap(), "{name}"),
                // Files that a killed writer left in a cache are removed only after an hour.
                false if made.ends_with("x-cache") => {}
                false => assert_same_content(made, kept),
            }
        }
        println!("count: {done} kills of: {name}");
    }
}

#[test]
fn what_a_killed_run_started_ends_with_it() {
    let folder = finished();
    let at = folder.path();
    let text = r#"
name = "long"
[[dataset]]
label = "made"
synthetic = { shape = "mq2007", queries = 5 }
[[ranker]]
label = "Hangs"
kind = "faulty"
params = { how = "hang" }
isolate = true
[[ranker]]
label = "Sleeps"
kind = "command"
params = { argv = ["sh", "-c", "sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000; : {test} {scores}"] }
"#;
    std::fs::write(at.join("long.toml"), text).unwrap();
    for _ in 0..3 {
        let mut child = process(at, &["run", "long.toml", "--out", "long", "--threads", "2"]).spawn().unwrap();
        let long = at.join("long");
        // These are the process of the fit, the guard, the shell and the processes that the shell
        // started.
        crate::processes::until("fit and program have begun", || {
            long.exists() && {
                let at_work = crate::processes::below(&long);
                let of = |what: &str| at_work.iter().filter(|(_, line)| line.contains(what)).count();
                of("worker fit") == 1 && of("sleep 1000") >= 6
            }
        });
        child.kill().unwrap();
        child.wait().unwrap();
        nobody_is_left(&long);
    }
    // The next run removes the working folders of these processes.
    assert!(content(&at.join("long")).keys().any(|name| name.starts_with(".work/")));
    let output = fivefold(at).args(["run", "long.toml", "--out", "long", "--only", "nothing"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = text.replace(
        "sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000; : {test} {scores}",
        "sed 's/.*/1/' < {test} > {scores}",
    );
    std::fs::write(at.join("long.toml"), text.replace("\"hang\"", "\"chatter\"")).unwrap();
    succeed(at, &["run", "long.toml", "--out", "long"]);
    assert!(!content(&at.join("long")).keys().any(|name| name.starts_with('.')));
}

//! Tests full disks and places that cannot be written, on small file systems in memory. To mount
//! such a file system, a test needs root and Linux. Without them, the tests say that they were
//! skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{assert_same_content, content, fivefold, run, skipped, stderr, stdout};
use crate::mixed::{finished, succeed};

/// A small file system, which is unmounted when the value is dropped.
pub struct Small(pub PathBuf);

impl Small {
    pub fn mount(at: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(at).unwrap();
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(at).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Small(at.to_owned()));
        }
        skipped("no file system can be mounted here (it takes root)");
        None
    }

    fn remount(&self, options: &str) {
        let done = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(&self.0).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

const FULL: &str = "No space left on device";
const READ_ONLY: &str = "Read-only file system";

#[test]
fn a_full_disk_is_told_leaves_nothing_half_written_and_room_is_enough_to_go_on() {
    let folder = finished();
    let at = folder.path();
    let whole = content(&at.join("whole"));
    // The size counts whole blocks of the file system. So the disk is full first in the jobs, then
    // in the evaluation, then in the report.
    let blocks: usize = whole.values().map(|content| content.len().div_ceil(4096) * 4 + 4).sum();
    let Some(small) = Small::mount(&at.join("small"), "1m") else { return };
    let mut full = 0;
    for part in 1..20 {
        let kib = blocks * part / 20;
        small.remount(&format!("size={kib}k"));
        let output = run(at, "run mixed.toml --out small/run --threads 2");
        if output.status.success() {
            continue;
        }
        let said = String::from_utf8_lossy(&output.stderr);
        // If other jobs freed space at the same moment, only one job failed.
        let only_job = output.status.code() == Some(1) && said.contains(FULL);
        assert!(output.status.code() == Some(2) || only_job, "{kib} KiB: {said}");
        assert!(
            only_job
                || said.contains(FULL) && said.contains("make room and run the command again: finished work is kept"),
            "{said}"
        );
        assert!(said.contains("small/run"), "{said}");
        // Every file under its final name has its whole content. There is one exception: a foreign
        // program may fail because the disk is full, just before other jobs free space. Its job is
        // then recorded as failed, and the next run does the job again.
        for (name, bytes) in content(&small.0.join("run")) {
            let complete = name.starts_with('.') || whole.get(&name).is_some_and(|whole| *whole == bytes);
            let text = String::from_utf8_lossy(&bytes);
            let failed = name.starts_with("jobs/") && text.contains("\"status\": \"failed\"") && text.ends_with("}\n");
            assert!(complete || only_job || failed, "{kib} KiB: {name}: {text}");
        }
        full += 1;
    }
    assert!(full >= 5, "{full}");
    small.remount("size=64m");
    succeed(at, &["run", "mixed.toml", "--out", "small/run"]);
    assert_same_content(&small.0.join("run"), &at.join("whole"));
    println!("count: {full} runs on full disks of different size");
}

#[test]
fn a_read_only_folder_is_told_and_still_read() {
    let folder = finished();
    let at = folder.path();
    let Some(small) = Small::mount(&at.join("small"), "64m") else { return };
    succeed(at, &["run", "mixed.toml", "--out", "small/run"]);
    succeed(at, &["run", "study.toml", "--out", "small/study"]);
    let tables = stdout(at, "report small/run");
    small.remount("ro");
    let commands = [
        "run mixed.toml --out small/run",
        "run mixed.toml --out small/new",
        "run study.toml --out small/study",
        "job mixed.toml made/fold1/Linear --out small/run",
        "report small/run --write small/run",
        "train --ranker linear --train data.txt -o small/model.json",
    ];
    for command in commands {
        let said = stderr(at, command, 2);
        assert!(said.contains(READ_ONLY) && said.contains("small/"), "{command}: {said}");
        assert!(said.contains("give another place, or make this place writable"), "{command}: {said}");
        assert!(!said.contains(".tmp"), "a temporary file is none of the user's: {command}: {said}");
    }
    assert_eq!(stdout(at, "report small/run"), tables);
    assert_same_content(&small.0.join("run"), &at.join("whole"));
    println!("count: {} commands on a read-only folder", commands.len());
}

/// If the disk is full, no part of the crate stays, so that the next try is not refused.
#[test]
fn a_crate_that_a_full_disk_has_no_room_for_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let Some(small) = Small::mount(&at.join("small"), "16k") else { return };
    let said = stderr(at, "new-ranker mine --out small/mine", 2);
    assert!(said.contains(FULL) && said.contains("small/mine/"), "{said}");
    assert_eq!(std::fs::read_dir(&small.0).unwrap().count(), 0);
    small.remount("size=1m");
    stdout(at, "new-ranker mine --out small/mine");
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error_whatever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["--help", "run --help", "--version", "measures", "completions bash"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut program = std::process::Command::new(crate::harness::program());
        let output = program.args(command.split(' ')).current_dir(folder.path()).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {said}");
        assert!(said.contains("cannot write to standard output") && said.contains(FULL), "{command}: {said}");
    }
}

#[test]
fn without_a_place_for_the_cache_or_the_log_the_run_goes_on_and_says_so() {
    let folder = finished();
    let at = folder.path();
    let Some(small) = Small::mount(&at.join("small"), "64m") else { return };
    // A text is cached only if it did not change for two seconds. Without the wait, nothing would
    // be cached anyway.
    let old = ["-d", "2020-01-01", "data.txt"];
    assert!(Command::new("touch").args(old).current_dir(at).status().unwrap().success());
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let said = |output: std::process::Output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stderr).unwrap()
    };
    std::fs::create_dir_all(small.0.join("run")).unwrap();
    let Some(own) = Small::mount(&small.0.join("run"), "64m") else { return };
    small.remount("ro");
    let command = |cache: &str| {
        let mut command = fivefold(at);
        command.args(["run", "mixed.toml", "--out", "small/run"]).env("FIVEFOLD_CACHE", cache);
        command.output().unwrap()
    };
    let text = said(command("small/cache"));
    assert!(text.contains("not cached: cannot write small/cache/") && text.contains(READ_ONLY), "{text}");
    assert!(text.contains("warning: cannot write small/run.log.json: "), "{text}");
    assert_same_content(&own.0, &at.join("whole"));

    let Some(full) = Small::mount(&at.join("full"), "4k") else { return };
    let text = said(command("full"));
    assert!(text.contains("not cached: cannot write full/") && text.contains(FULL), "{text}");
    assert_eq!(content(&full.0).len(), 0, "nothing half written");
    drop(own);
}

/// Runs as a user who is not root, because permissions do not stop root. In python/cpython #10320
/// and pytest-dev/pytest #7491, a cleanup failed because a program had made a folder read-only, and
/// the results were lost.
#[test]
fn a_read_only_folder_that_a_program_leaves_does_no_harm() {
    use std::os::unix::fs::PermissionsExt as _;
    let text = r#"
name = "r"
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 10 }
[[ranker]]
label = "lin"
kind = "linear"
[[ranker]]
label = "ro"
kind = "command"
[ranker.params]
argv = ["sh", "ro.sh", "{test}", "{scores}"]
files = ["ro.sh"]
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 2
ideal = 2
"#;
    let script = "mkdir -p mod/cache; touch mod/cache/x; chmod -R a-w mod; sed 's/.*/1/' \"$1\" > \"$2\"\n";
    let folder = crate::harness::directory(&[("r.toml", text), ("ro.sh", script)]);
    let at = folder.path();
    std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o777)).unwrap();
    let program = at.join("fivefold");
    std::fs::copy(crate::harness::program(), &program).unwrap();
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let mut as_user = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
    } else {
        Command::new(&program)
    };
    as_user.current_dir(at).env_remove("FIVEFOLD_CACHE").env("HOME", at);
    as_user.args(["run", "r.toml", "--out", "o"]);
    for reused in [0, 10] {
        let output = as_user.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains(&format!("({reused} reused, ")), "{said}");
        assert!(at.join("o/report.html").is_file() && !at.join("o/.work").exists(), "{said}");
    }
}

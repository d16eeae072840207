//! Tests clocks that jump: no decision may depend on the time of day.
//!
//! Limits are measured by a clock that only goes forward. Finished jobs are recognised by hashes.
//! The cache compares the times of files with each other. The cache uses the time of day only to
//! decide whether a text is too fresh to be cached.

use std::process::Command;
use std::time::Duration;

use crate::harness::{assert_same_content, content, has_long_proofs, run, skipped};
use crate::mixed::{finish, finished};

#[test]
fn files_of_any_time_are_reused_and_read_right() {
    let folder = finished();
    let at = folder.path();
    std::thread::sleep(Duration::from_millis(2100));
    for (round, time) in ["1971-01-01", "2001-02-03", "2099-12-31", "now"].into_iter().enumerate() {
        // The results, the data and the cache all get another time.
        let everything =
            Command::new("find").args([".", "-exec", "touch", "-d", time, "{}", "+"]).current_dir(at).status();
        assert!(everything.unwrap().success());
        let output = run(at, "run mixed.toml --out whole --cache cache --json");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["done"], 0, "{time}: {said}");
        if round == 0 {
            // The system sets the change time of a text, and `touch` changed the text just now. So
            // the text is too fresh to be cached.
            assert!(said.contains("changed a moment ago"), "{said}");
        }
    }
}

/// The library of the program `faketime` gives a process any clock. Without it, the test is
/// skipped.
#[test]
fn a_run_gives_the_same_whatever_the_clock_does() {
    let Some(library) =
        ["/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1", "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"]
            .into_iter()
            .find(|path| std::path::Path::new(path).exists())
    else {
        assert!(std::env::var_os("CI").is_none(), "no libfaketime, which CI must have");
        skipped("libfaketime is not installed");
        return;
    };
    remove_clocks_of_the_dead();
    // The library keeps its clock in shared memory, which a confined program cannot reach. The program
    // may write there, so the experiment must lie elsewhere.
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    finish(at);
    let text = std::fs::read_to_string(at.join("mixed.toml")).unwrap();
    let listed = "files = [\"first.sh\"]";
    assert!(text.contains(listed), "{text}");
    std::fs::write(at.join("mixed.toml"), text.replace(listed, &format!("{listed}, write = [\"/dev/shm\"]"))).unwrap();
    assert!(run(at, "run mixed.toml --out still --threads 2").status.success());
    // A clock that is wrong, and a clock that jumps; in long proofs two of each.
    let clocks: &[&str] =
        if has_long_proofs() { &["-20y", "+50y", "+0 x1000", "+0 i3600"] } else { &["-20y", "+0 i3600"] };
    for (number, &clock) in clocks.iter().enumerate() {
        let faked = |mut command: Command| {
            // The clock that only goes forward is not faked, because this clock never jumps.
            command.env("LD_PRELOAD", library).env("FAKETIME", clock).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
            command.env("FAKETIME_DONT_RESET", "1");
            command
        };
        assert_faked(clock, &faked);
        let out = format!("out{number}");
        let mut command = faked(crate::mixed::process(at, &["run", "mixed.toml", "--out", &out, "--threads", "2"]));
        assert!(command.status().unwrap().success(), "{clock}");
        assert_same_content(&at.join(&out), &at.join("still"));
        assert!(content(&at.join(&out)).len() > 100);
    }
    remove_clocks_of_the_dead();
    println!("count: {} runs with clocks that are wrong or jump", clocks.len());
}

/// A process that is killed leaves the shared memory of the library. A later process of the same number
/// could not make its own, and would have the true clock.
fn remove_clocks_of_the_dead() {
    let Ok(memory) = std::fs::read_dir("/dev/shm") else { return };
    for entry in memory.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = ["faketime_shm_", "sem.faketime_sem_"].iter().find_map(|start| name.strip_prefix(start));
        let process = process.and_then(|number| number.parse::<u32>().ok());
        if process.is_some_and(|process| !std::path::Path::new(&format!("/proc/{process}")).exists()) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Checks that a program sees the faked clock: another decade, or several seconds within a true
/// tenth of a second.
fn assert_faked(clock: &str, faked: &dyn Fn(Command) -> Command) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "date +%s; env -u LD_PRELOAD sleep 0.1; date +%s"]);
    let said = String::from_utf8(faked(shell).output().unwrap().stdout).unwrap();
    let seconds: Vec<u64> = said.lines().map(|line| line.parse().unwrap()).collect();
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let faked = match clock.starts_with("+0 ") {
        true => seconds[1] - seconds[0] >= 60,
        false => seconds[0].abs_diff(now) > 10 * 365 * 24 * 3600,
    };
    assert!(faked, "{clock}: {seconds:?} at {now}");
}

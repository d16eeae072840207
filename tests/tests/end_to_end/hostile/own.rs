//! Tests pipes, devices, folders, links and sparse files in the places of a run's own files. No
//! reader may wait, fill the memory or follow a link.
//!
//! Reports of such faults in other programs: gwsw/less #184, golang/go #33050, logrotate/logrotate
//! #607 (pipes), cdgriffith/puremagic #109 (/dev/zero), google/fscrypt #346, denoland/deno #2738
//! (links).

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::{directory, run};
use crate::harness::stdout;

const EXPERIMENT: &str = r#"
name = "x"
[[dataset]]
label = "D"
path = "d.txt"
layout = "one-file"
[[ranker]]
label = "L"
kind = "linear"
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 5
ideal = 5
"#;

fn finished() -> tempfile::TempDir {
    let document = |i: usize| format!("{} qid:{} 1:{} 2:{}\n", i % 3, i / 4, (i * 7919) % 1000, (i * 104_729) % 997);
    let folder = directory(&[("x.toml", EXPERIMENT), ("d.txt", &(0..120).map(document).collect::<String>())]);
    // Text that was written just now is not cached, so the test waits.
    std::thread::sleep(Duration::from_millis(2100));
    stdout(folder.path(), "run x.toml --cache cache");
    stdout(folder.path(), "run x.toml --out runs/y");
    folder
}

/// Puts something else in the place of a file. The file itself is kept beside the results.
fn put(kind: &str, place: &Path, aside: &Path) {
    fs::rename(place, aside).unwrap();
    match kind {
        "a pipe" => assert!(Command::new("mkfifo").arg(place).status().unwrap().success()),
        "a folder" => fs::create_dir(place).unwrap(),
        "a symbolic link" => symlink(aside, place).unwrap(),
        "a symbolic link, endless" => symlink("/dev/zero", place).unwrap(),
        "40960 MiB long" => File::create(place).unwrap().set_len(40 << 30).unwrap(),
        other => panic!("{other}"),
    }
}

fn restore(place: &Path, aside: &Path) {
    match fs::symlink_metadata(place) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(place).unwrap(),
        Ok(_) => fs::remove_file(place).unwrap(),
        Err(_) => {}
    }
    fs::rename(aside, place).unwrap();
}

const KINDS: [&str; 5] = ["a pipe", "a folder", "a symbolic link", "a symbolic link, endless", "40960 MiB long"];

/// The output of a command as one line, and its exit code.
fn said(at: &Path, arguments: &str) -> (String, Option<i32>) {
    let begun = Instant::now();
    let output = run(at, &arguments.split_whitespace().collect::<Vec<_>>());
    assert!(begun.elapsed() < Duration::from_secs(60), "{arguments}");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let words = text.split_whitespace().map(|word| word.trim_matches('│')).filter(|word| !word.is_empty());
    (words.collect::<Vec<_>>().join(" "), output.status.code())
}

const VERIFY: &str = "verify runs/x";
const RUN: &str = "run x.toml";
const JOBS: &str = "jobs x.toml";
const EXPLAIN: &str = "run x.toml --explain-cache";
const REPORT: &str = "report runs/x";
const DIFF: &str = "diff runs/y runs/x";
const COMPARE: &str = "compare runs/x --measure ndcg@5 --trials 3";

/// The files of a run, each with the commands that read the file.
const PLACES: [(&str, &[&str]); 9] = [
    ("manifest.json", &[VERIFY, EXPLAIN, REPORT, DIFF, COMPARE]),
    ("per_query.csv", &[VERIFY, EXPLAIN, REPORT, DIFF, COMPARE]),
    ("queries.csv", &[VERIFY, REPORT, DIFF, COMPARE]),
    ("jobs/D/fold1/L.json", &[VERIFY, RUN, JOBS, EXPLAIN]),
    ("scores/D/fold1/L.txt", &[VERIFY, RUN, JOBS, EXPLAIN]),
    ("models/D/fold1/L.json", &[VERIFY, RUN, JOBS, EXPLAIN]),
    ("report.html", &[VERIFY]),
    ("tables.json", &[VERIFY, RUN]),
    ("tables.md", &[VERIFY]),
];

#[test]
fn what_stands_in_the_place_of_a_file_of_results_is_refused_by_its_kind() {
    let folder = finished();
    let (at, aside) = (folder.path(), folder.path().join("aside"));
    for (file, commands) in PLACES {
        let place = at.join("runs/x").join(file);
        for kind in KINDS {
            put(kind, &place, &aside);
            for command in commands {
                let (text, code) = said(at, command);
                let what = kind.split(',').next().unwrap();
                assert!(matches!(code, Some(1 | 2)), "{file}: {kind}: {command}: {code:?} {text}");
                assert!(
                    text.contains(&format!("is {what}")) && text.contains(file),
                    "{file}: {kind}: {command}: {text}"
                );
            }
            restore(&place, &aside);
        }
    }
    let (text, code) = said(at, VERIFY);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_folder_of_results_is_no_link_but_the_whole_may_be_one() {
    let folder = finished();
    let (at, aside) = (folder.path(), folder.path().join("aside"));
    for (name, command) in [("jobs", RUN), ("scores", RUN), ("models", JOBS), ("jobs/D", VERIFY), ("tables", RUN)] {
        let place = at.join("runs/x").join(name);
        fs::create_dir_all(&place).unwrap();
        put("a symbolic link", &place, &aside);
        let (text, code) = said(at, command);
        assert!(matches!(code, Some(1 | 2)) && text.contains("is a symbolic link"), "{name}: {code:?} {text}");
        restore(&place, &aside);
    }
    fs::rename(at.join("runs"), at.join("elsewhere")).unwrap();
    symlink("elsewhere", at.join("runs")).unwrap();
    assert_eq!(said(at, VERIFY).1, Some(0));
    assert_eq!(said(at, RUN).1, Some(0));
}

#[test]
fn a_lock_or_a_log_that_is_no_file_is_not_waited_for() {
    let folder = finished();
    let at = folder.path();
    let mkfifo = |path: &str| assert!(Command::new("mkfifo").arg(at.join(path)).status().unwrap().success());
    mkfifo("runs/x/.lock");
    for command in [RUN, REPORT] {
        let command = if command == REPORT { "report runs/x --write runs/x" } else { command };
        let (text, code) = said(at, command);
        assert!(code == Some(2) && text.contains(".lock") && text.contains("is a pipe"), "{command}: {code:?} {text}");
    }
    fs::remove_file(at.join("runs/x/.lock")).unwrap();
    File::create(at.join("runs/x/.lock")).unwrap().set_len(40 << 30).unwrap();
    assert_eq!(said(at, RUN).1, Some(0), "a lock that nobody holds");
    // A run does not need the times of earlier jobs, so it ignores a log that is a pipe.
    fs::remove_file(at.join("runs/x.log.json")).unwrap();
    mkfifo("runs/x.log.json");
    assert_eq!(said(at, RUN).1, Some(0));
    fs::remove_file(at.join("runs/x/jobs/D/fold1/L.json")).unwrap();
    mkfifo("runs/x/.times");
    let (text, code) = said(at, RUN);
    assert!(code == Some(2) && text.contains(".times") && text.contains("is a pipe"), "{code:?} {text}");
}

#[test]
fn a_cache_that_is_no_file_is_not_used() {
    let folder = finished();
    let (at, aside) = (folder.path(), folder.path().join("aside"));
    let entry = fs::read_dir(at.join("cache")).unwrap().next().expect("a cache").unwrap().path();
    for kind in KINDS {
        put(kind, &entry, &aside);
        fs::remove_dir_all(at.join("runs/x")).unwrap();
        let (text, code) = said(at, "run x.toml --cache cache");
        assert_eq!(code, Some(0), "{kind}: {text}");
        assert_eq!(
            fs::read(at.join("runs/x/per_query.csv")).unwrap(),
            fs::read(at.join("runs/y/per_query.csv")).unwrap()
        );
        restore(&entry, &aside);
    }
}

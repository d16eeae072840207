//! Tests SIGINT and SIGTERM at every stage: the exit code, the message, and that the next run ends
//! with the same bytes.

use std::process::Stdio;

use crate::harness::{assert_same_content, content, copy, directory, has_long_proofs};
use crate::mixed::{JOBS, finished, process, succeed};
use crate::processes::{nobody_is_left, signal, until};

#[test]
fn both_signals_stop_a_run_at_every_stage_and_the_next_goes_on() {
    let folder = finished();
    let at = folder.path();
    let half = at.join("half");
    let records = || if half.join("jobs").exists() { content(&half.join("jobs")).len() } else { 0 };
    let run = ["run", "mixed.toml", "--out", "half", "--threads", "2"];
    let mut count = 0;
    let stages = ["reading", "first jobs", "a program at work", "last jobs", "evaluation and report"];
    for (signals, (name, code)) in [("INT", 130), ("TERM", 143)].into_iter().enumerate() {
        // In a short run, the stages are shared out to the signals.
        let chosen = |(number, _): &(usize, _)| has_long_proofs() || number % 2 == signals;
        for (_, stage) in stages.into_iter().enumerate().filter(chosen) {
            let child = process(at, &run).stderr(Stdio::piped()).spawn().unwrap();
            until(stage, || match stage {
                "reading" => half.join(".lock").exists(),
                "first jobs" => records() > 0,
                "a program at work" => half.join(".work").exists() && records() > 0,
                "last jobs" => records() > JOBS / 2,
                _ => records() == JOBS,
            });
            signal(child.id(), name);
            let output = child.wait_with_output().unwrap();
            let text = String::from_utf8(output.stderr).unwrap();
            nobody_is_left(&half);
            match output.status.code() {
                // The run already had all its results, and wrote the report.
                Some(0) => {
                    assert_eq!(stage, "evaluation and report", "{text}");
                    assert_same_content(&half, &at.join("whole"));
                }
                ended => {
                    assert_eq!(ended, Some(code), "{stage}: {text}");
                    assert!(text.contains("stopping: ") && text.contains("Go on with: fivefold run"), "{text}");
                    let at_the_end = stage == "evaluation and report";
                    assert!(at_the_end || !half.join("manifest.json").exists(), "{stage}");
                }
            }
            succeed(at, &run);
            assert_same_content(&half, &at.join("whole"));
            std::fs::remove_dir_all(&half).unwrap();
            count += 1;
        }
    }
    println!("count: {count} signals at {} stages", stages.len());
}

#[test]
fn a_signal_while_the_report_is_made_leaves_it_to_the_next_run_or_comes_too_late() {
    let folder = finished();
    let at = folder.path();
    let whole = at.join("whole");
    copy(&whole, &at.join("kept"));
    let run = ["run", "mixed.toml", "--out", "whole", "--threads", "2"];
    let mut stopped = 0;
    for _ in 0..200 {
        for file in ["manifest.json", "report.html"] {
            std::fs::remove_file(whole.join(file)).unwrap();
        }
        let child = process(at, &run).stderr(Stdio::piped()).spawn().unwrap();
        until("the values are there", || whole.join("manifest.json").exists());
        signal(child.id(), "TERM");
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        if output.status.code() == Some(143) {
            assert!(!whole.join("report.html").exists() && text.contains("Go on with: fivefold run"), "{text}");
            stopped += 1;
            succeed(at, &run);
        }
        assert!(matches!(output.status.code(), Some(0 | 143)), "{text}");
        assert_same_content(&whole, &at.join("kept"));
        if stopped == 3 {
            break;
        }
    }
    assert!(stopped > 0, "never before the report was written");
    println!("count: {stopped} signals while the report was made");
}

#[test]
fn a_fit_apart_that_hangs_is_ended_at_once() {
    let folder = crate::harness::directory(&[(
        "hang.toml",
        "name = \"hang\"\n[[dataset]]\nlabel = \"made\"\nmade = { shape = \"mq2007\", queries = 5 }\n\
         [[ranker]]\nkind = \"faulty\"\nparams = { how = \"hang\" }\nisolate = true\n",
    )]);
    let at = folder.path();
    let child = process(at, &["run", "hang.toml", "--out", "out", "--threads", "1"]).spawn().unwrap();
    let out = at.join("out");
    until("the fit has begun", || out.exists() && !crate::processes::below(&out).is_empty());
    signal(child.id(), "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(143));
    nobody_is_left(&out);
    assert!(!out.join(".work").exists() && !out.join("jobs").exists());
}

/// A ranker never asks whether to stop, within the process of the run: apple/turicreate #976,
/// mozilla/DeepSpeech #3471, NVIDIA/cuml #4384. If the run did not end by itself, this test would
/// wait forever.
#[test]
fn a_run_ends_although_a_fit_never_asks_whether_to_stop() {
    let experiment = "name = \"hang\"\n[[dataset]]\nlabel = \"a\"\nmade = { shape = \"mq2007\", queries = 5 }\n\
                      [[ranker]]\nlabel = \"Good\"\nkind = \"feature\"\nparams = { feature = 1 }\n\
                      [[ranker]]\nkind = \"faulty\"\nparams = { how = \"hang\" }\n\
                      [query_sets]\nuninformative = 1\nideal = 1\n";
    let folder = directory(&[("hang.toml", experiment)]);
    let out = folder.path().join("out");
    let run = ["run", "hang.toml", "--out", "out", "--threads", "2"];
    let child = process(folder.path(), &run).stderr(Stdio::piped()).spawn().unwrap();
    until("a good job", || out.join("jobs").exists() && !content(&out.join("jobs")).is_empty());
    signal(child.id(), "TERM");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(143), "{text}");
    assert!(text.contains("ended within a step that took too long"), "{text}");
}

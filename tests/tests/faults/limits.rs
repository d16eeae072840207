//! Tests rankers that crash, hang, take too much memory or write false output. Each of their jobs
//! is FAILED with its reason, and the other jobs go on.

use std::path::Path;

use serde_json::Value;

use crate::harness::{assert_same_content, content, directory, run, stderr, stdout};
use crate::processes::nobody_is_left;

/// An experiment with a good ranker and these faulty rankers.
fn experiment(rankers: &str) -> String {
    format!(
        "name = \"faulty\"\n[[dataset]]\nlabel = \"a\"\nmade = {{ shape = \"mq2007\", queries = 5 }}\n{rankers}\n\
         [[ranker]]\nlabel = \"Good\"\nkind = \"feature\"\nparams = {{ feature = 1 }}\n\
         [query_sets]\nuninformative = 1\nideal = 1\n"
    )
}

fn faulty(label: &str, how: &str, keys: &str) -> String {
    format!("[[ranker]]\nlabel = \"{label}\"\nkind = \"faulty\"\nparams = {{ how = \"{how}\" }}\n{keys}\n")
}

/// The reason in a job's record why the job failed.
fn reason(out: &Path, ranker: &str) -> String {
    let text = std::fs::read(out.join(format!("jobs/a/fold1/{ranker}.json"))).unwrap();
    let record: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(record["status"], "failed", "{record}");
    assert!(record["outputs"].as_object().unwrap().is_empty());
    record["error"].as_str().unwrap().to_owned()
}

#[test]
fn every_way_to_fail_fails_its_own_job_alone() {
    let apart = "isolate = true";
    let rankers = [
        faulty("panic", "panic", ""),
        faulty("nan", "nan", ""),
        faulty("panic-apart", "panic", apart),
        faulty("nan-apart", "nan", apart),
        faulty("hang", "hang", "time_limit = \"1s\""),
        faulty("memory", "memory", "memory_limit = \"120MiB\""),
        faulty("spike", "spike", "memory_limit = \"120MiB\""),
        faulty("abort", "abort", apart),
        faulty("overflow", "overflow", apart),
        faulty("exit", "exit", apart),
        faulty("chatter", "chatter", apart),
    ];
    let folder = directory(&[("faulty.toml", &experiment(&rankers.concat()))]);
    let at = folder.path();
    let output = run(at, "run faulty.toml --out out --threads 4");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let out = at.join("out");
    nobody_is_left(&out);

    assert_eq!(reason(&out, "panic"), "panicked: faulty on purpose");
    assert_eq!(reason(&out, "panic-apart"), reason(&out, "panic"));
    assert!(reason(&out, "nan").contains("the score NaN; scores must be finite"));
    assert_eq!(reason(&out, "nan-apart"), reason(&out, "nan"));
    assert_eq!(
        reason(&out, "hang"),
        "the process of the fit ran longer than 1s and was stopped; `time_limit` sets the limit"
    );
    for hoards in ["memory", "spike"] {
        assert_eq!(
            reason(&out, hoards),
            "the process of the fit used more than 120.0 MiB of memory; `memory_limit` sets the limit"
        );
    }
    assert_eq!(
        reason(&out, "abort"),
        "the process of the fit ended with signal: 6 (SIGABRT); its standard error ends with:\nabout to abort"
    );
    let overflow = reason(&out, "overflow");
    assert!(overflow.starts_with("the process of the fit ended with signal: 6 (SIGABRT)"), "{overflow}");
    assert!(overflow.contains("has overflowed its stack"), "{overflow}");
    assert_eq!(reason(&out, "exit"), "the process of the fit ended with exit status: 7");

    let jobs: Value = serde_json::from_str(&stdout(at, "jobs faulty.toml --out out --json")).unwrap();
    let done = jobs.as_array().unwrap().iter().filter(|job| job["state"] == "done").count();
    assert_eq!(done, 10, "those that do not fail: {jobs}");
    let tables = std::fs::read_to_string(out.join("tables.md")).unwrap();
    assert!(tables.contains("FAILED") && said.contains("FAILED a/fold1/hang: "), "{said}");
    assert_eq!(std::fs::read_to_string(at.join("out.stderr/a/fold1/chatter.txt")).unwrap(), "noise\n");
    assert_eq!(std::fs::read_to_string(at.join("out.stderr/a/fold3/abort.txt")).unwrap(), "about to abort\n");
    assert!(content(&out).keys().all(|name| !name.starts_with('.')));
    let failed = jobs.as_array().unwrap().iter().filter(|job| job["state"] == "failed").count();
    println!("count: {failed} jobs failed in {} ways, and {done} other jobs of the run were done", failed / 5);
}

#[test]
fn options_go_before_the_file_and_a_fit_apart_gives_the_same_bytes() {
    let text = r#"
name = "apart"
seed = 4
[[dataset]]
label = "a"
synthetic = { shape = "mq2007", queries = 15 }
[[dataset]]
label = "b"
path = "data.txt"
layout = "one-file"
[[ranker]]
kind = "lambdamart"
params = { trees = 5, leaves = 4 }
[[ranker]]
kind = "ranknet"
normalise = { method = "z-score", over = "train" }
params = { epochs = 2 }
[[ranker]]
kind = "random-forest"
normalise = { method = "min-max", over = "query" }
params = { bags = 10, trees = 3 }
[query_sets]
uninformative = 2
ideal = 2
"#;
    let folder = directory(&[("apart.toml", text), ("data.txt", &crate::mixed::letor(25))]);
    let at = folder.path();
    stdout(at, "run apart.toml --out inside --threads 2");
    stdout(at, "run apart.toml --out apart --threads 2 --isolate");
    assert_same_content(&at.join("inside"), &at.join("apart"));
    // Limits are not part of a job's key.
    let limited = text.replace("[query_sets]", "[run]\ntime_limit = \"10m\"\nmemory_limit = \"4GiB\"\n[query_sets]");
    std::fs::write(at.join("limited.toml"), limited).unwrap();
    let again: Value = serde_json::from_str(&stdout(at, "run limited.toml --out inside --json")).unwrap();
    assert_eq!((again["done"].as_u64(), again["reused"].as_u64()), (Some(0), Some(30)));
    assert_same_content(&at.join("inside"), &at.join("apart"));
    // `--job-time-limit` goes before the `time_limit` of the experiment.
    let slow = "name = \"slow\"\n[[dataset]]\nlabel = \"a\"\nmade = { shape = \"mq2007\", queries = 5 }\n\
                [[ranker]]\nkind = \"slow\"\nparams = { steps = 6000 }\ntime_limit = \"1h\"\n";
    std::fs::write(at.join("slow.toml"), slow).unwrap();
    assert!(stderr(at, "job slow.toml a/fold1/slow --out slow --job-time-limit 1s", 1).contains("ran longer than 1s"));
}

#[test]
fn limits_that_make_no_sense_are_underlined() {
    for (wrong, message) in [
        ("[run]\ntime_limit = \"soon\"", "a time is written as"),
        ("[run]\nmemory_limit = \"4\"", "say how much and in which unit"),
        ("[run]\ntime = \"1s\"", "unknown key `time`"),
    ] {
        let folder = directory(&[("wrong.toml", &experiment(wrong))]);
        let said = stderr(folder.path(), "run wrong.toml", 2);
        assert!(said.contains(message) && said.contains("wrong.toml:"), "{said}");
    }
    let scores = "[[ranker]]\nkind = \"scores\"\nparams = { path = \"{fold}\" }\ntime_limit = \"1s\"";
    let folder = directory(&[("wrong.toml", &experiment(scores))]);
    assert!(stderr(folder.path(), "run wrong.toml", 2).contains("limits have no effect on a ranker of kind"));
}

/// The programs run under a guard, as `fivefold` itself runs them.
#[test]
fn programs_are_held_to_their_limits_and_what_they_said_is_kept() {
    let shell = |label: &str, script: &str, params: &str, keys: &str| {
        format!(
            "[[ranker]]\nlabel = \"{label}\"\nkind = \"command\"\n{keys}\n[ranker.params]\n\
             argv = [\"sh\", \"-c\", '''{script}''', \"sh\", \"{{test}}\", \"{{scores}}\"]\n{params}\n"
        )
    };
    let hoard = "python3 -c \"import time; a = bytearray(400 << 20); time.sleep(100)\" || \
                 { head -c 400m /dev/zero | tail -c 400m | sleep 100; }";
    let rankers = [
        shell("fine", "echo told >&2; sed 's/.*/1/' \"$1\" > \"$2\"", "", ""),
        shell("slow", "echo waiting >&2; sleep 100", "time_limit = \"1s\"", ""),
        // Both programs leave processes behind, outside their process group. The first program ends
        // well, and the second is stopped.
        shell("leaves", "setsid sleep 1000 & (setsid sh -c 'kill -35 $$' &) ; sleep 0.3; sed 's/.*/1/' \"$1\" > \"$2\"", "", ""),
        shell("lingers", "setsid sleep 1000 & (setsid sleep 1000 &) ; sleep 100", "time_limit = \"1s\"", ""),
        shell("slower", "sleep 100", "time_limit = \"1h\"", "time_limit = \"1s\""),
        shell("loud", "yes >&2", "", ""),
        shell("hoard", hoard, "", "memory_limit = \"200MiB\""),
        shell("writes", "while :; do head -c 30000000 /dev/zero > f$$; sleep 0.2; cat f$$ f$$ > g; done", "output_limit = \"50MiB\"", ""),
        shell("killed", "kill -SEGV $$", "", ""),
        shell("unnamed", "kill -35 $$", "", ""),
        shell("nan", "sed 's/.*/1/; 2s/.*/NaN/' \"$1\" > \"$2\"", "", ""),
        "[[ranker]]\nlabel = \"none\"\nkind = \"command\"\nparams = { argv = [\"no-such-program\", \"{test}\", \"{scores}\"] }\n".to_owned(),
    ];
    let folder = directory(&[("faulty.toml", &experiment(&rankers.concat()))]);
    let at = folder.path();
    let output = run(at, "run faulty.toml --out out --only a/fold1/* --threads 4");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let out = at.join("out");
    nobody_is_left(&out);
    let begins = |ranker: &str, text: &str| {
        let reason = reason(&out, ranker);
        assert!(reason.starts_with(text), "{ranker}: {reason}");
    };
    begins(
        "slow",
        "the command ran longer than 1s and was stopped; `time_limit` sets the limit; its standard error ends with:\nwaiting",
    );
    begins("lingers", "the command ran longer than 1s and was stopped");
    begins("slower", "the command ran longer than 1s and was stopped");
    begins("loud", "the command wrote more than 67108864 bytes to standard error and was stopped");
    begins("hoard", "the command used more than 200.0 MiB of memory");
    begins("writes", "the command wrote more than 50.0 MiB into its folder and was stopped");
    begins("killed", "the command ended with signal: 11 (SIGSEGV)");
    begins("unnamed", "the command ended with a signal that has no name");
    begins("nan", "scores.txt:2:1: `NaN` is not a finite number");
    begins("none", "cannot start `no-such-program`: No such file");
    let well = ["fine", "leaves"];
    for well in well {
        assert!(out.join(format!("scores/a/fold1/{well}.txt")).exists());
    }
    assert_eq!(std::fs::read_to_string(at.join("out.stderr/a/fold1/fine.txt")).unwrap(), "told\n");
    assert!(std::fs::metadata(at.join("out.stderr/a/fold1/loud.txt")).unwrap().len() > 1 << 20);
    // Only the results folder, its log and the output of the command may be left.
    let mut names: Vec<_> = at.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["faulty.toml", "out", "out.log.json", "out.stderr"]);
    assert!(content(&out).keys().all(|name| !name.starts_with('.')));
    let failed = rankers.len() - well.len();
    println!("count: {failed} programs failed, and {} other programs of the run did not fail", well.len());
}

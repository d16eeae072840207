//! `kind = "command"`: programs in other languages as rankers. The programs here are small shell
//! scripts.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

mod common;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use common::{Counter, files, registry};
use fivefold_data::{Source, SyntheticSource, open};
use fivefold_experiment::{
    Job, JobEnd, JobFilter, JobState, Observer, Plan, RunError, RunOptions, RunOutcome, job_states, run,
};
use fivefold_results::Experiment;

/// An experiment with a single command on synthetic data. The listed files are beside the
/// experiment.
struct Case {
    folder: tempfile::TempDir,
    params: String,
    seed: u64,
}

impl Case {
    fn new(params: &str) -> Self {
        Case { folder: tempfile::tempdir().unwrap(), params: params.to_owned(), seed: 7 }
    }

    /// A case whose command runs a script in the shell.
    fn of_script(script: &str) -> Self {
        let case = Case::new(
            r#"argv = ["sh", "rank.sh", "{train}", "{validation}", "{test}", "{scores}", "{seed}"]
files = ["rank.sh"]"#,
        );
        case.file("rank.sh", script);
        case
    }

    fn file(&self, name: &str, content: &str) {
        fs::write(self.folder.path().join(name), content).unwrap();
    }

    fn experiment(&self) -> Experiment {
        let text = format!(
            r#"
name = "small"
seed = {}
[[dataset]]
label = "a"
synthetic = {{ shape = "mq2007", queries = 10 }}
[[ranker]]
label = "Theirs"
kind = "command"
[ranker.params]
{}
[query_sets]
uninformative = 2
ideal = 2
"#,
            self.seed, self.params
        );
        Experiment::parse("small.toml", &text, vec![self.folder.path().to_owned()], &registry()).unwrap()
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn try_run(&self) -> Result<RunOutcome, RunError> {
        run(&self.experiment(), &registry(), &RunOptions { threads: 2, ..RunOptions::new(self.out()) })
    }

    fn run(&self) -> RunOutcome {
        self.try_run().unwrap()
    }

    /// The scores of all folds. Panics if a fold failed.
    fn scores(&self) -> Vec<Vec<f64>> {
        let outcome = self.run();
        assert!(outcome.failed.is_empty(), "{:?}", outcome.failed);
        let fold = |number| fs::read_to_string(self.out().join(format!("scores/a/fold{number}/Theirs.txt"))).unwrap();
        (1..=5).map(|number| fold(number).lines().map(|line| line.parse().unwrap()).collect()).collect()
    }

    /// Why the first fold failed. Panics if a fold did not fail.
    fn failure(&self) -> String {
        let outcome = self.run();
        assert_eq!(outcome.failed.len(), 5, "{:?}", outcome.failed);
        self.nothing_is_left();
        outcome.failed[0].1.clone()
    }

    fn nothing_is_left(&self) {
        assert!(!self.out().join(".work").exists());
    }
}

/// Prints the value after `id:` in each line. The first argument of the script is the id.
const COLUMN: &str = r#"sed -E "s/.* $1:([^ ]*).*/\1/""#;

#[test]
fn features_come_to_the_program_bit_by_bit() {
    let case = Case::of_script(&format!("set -- 3 \"$3\" \"$4\"\n{COLUMN} < \"$2\" > \"$3\"\n"));
    let scores = case.scores();
    let made = Source {
        synthetic: Some(SyntheticSource { shape: "mq2007".to_owned(), queries: 10, seed: 0 }),
        ..Source::default()
    };
    let collection = open(&made, &[]).unwrap();
    for (fold, scores) in collection.folds.iter().zip(scores) {
        let features: Vec<u32> = fold
            .test
            .queries()
            .flat_map(|query| query.rows().map(|row| row[2].to_bits()).collect::<Vec<_>>())
            .collect();
        let read: Vec<u32> = scores.iter().map(|score| (*score as f32).to_bits()).collect();
        assert_eq!(read, features);
        assert!(features.iter().any(|bits| *bits != 0));
    }
    case.nothing_is_left();
}

#[test]
fn the_test_part_has_no_grades_and_the_others_have() {
    // Every score is the sum of the grades in the file.
    let sum = |argument: usize| {
        format!(
            "s=0; while read -r g rest; do s=$((s + g)); done < \"${argument}\"; sed \"s/.*/$s/\" \"$3\" > \"$4\"\n"
        )
    };
    let totals = |argument| {
        let scores = Case::of_script(&sum(argument)).scores();
        scores.iter().map(|scores| scores[0]).collect::<Vec<_>>()
    };
    assert_eq!(totals(3), [0.0; 5]);
    assert!(totals(1).iter().all(|total| *total > 0.0));
    assert!(totals(2).iter().any(|total| *total > 0.0));
}

#[test]
fn nothing_that_alters_the_scores_is_missed_by_the_cache_and_nothing_else_counts() {
    let mut case = Case::of_script("sed 's/.*/1/' \"$3\" > \"$4\"\n");
    assert_eq!((case.run().done, case.run().reused), (5, 5));
    case.params.push_str("\ntime_limit = \"2m\"");
    assert_eq!(case.run().reused, 5);
    case.file("rank.sh", "sed 's/.*/2/' \"$3\" > \"$4\"\n");
    assert_eq!(case.run().done, 5);
    case.seed = 8;
    assert_eq!(case.run().done, 5);
    case.params = case.params.replace(", \"{seed}\"", "");
    assert_eq!(case.run().done, 5);
    case.seed = 9;
    assert_eq!(case.run().reused, 5, "no seed is asked for");
}

#[test]
fn arguments_are_passed_on_without_a_shell() {
    let case = Case::new(
        r#"argv = ["sh", "rank.sh", "{test}", "{scores}", "a  b;$HOME *", ""]
files = ["rank.sh"]"#,
    );
    case.file(
        "rank.sh",
        "test $# = 4 && test \"$3\" = 'a  b;$HOME *' && test -z \"$4\" && sed 's/.*/1/' \"$1\" > \"$2\"\n",
    );
    case.scores();
}

#[test]
fn a_program_of_ones_own_is_run_where_its_files_are() {
    use std::os::unix::fs::PermissionsExt as _;
    let case = Case::new("argv = [\"./bin/mine\", \"{test}\", \"{scores}\"]\nfiles = [\"bin/mine\", \"value\"]");
    fs::create_dir(case.folder.path().join("bin")).unwrap();
    case.file("bin/mine", "#!/bin/sh\nv=$(cat value); sed \"s/.*/$v/\" \"$1\" > \"$2\"; : > \"$TMPDIR/left\"\n");
    case.file("value", "0.25");
    let program = case.folder.path().join("bin/mine");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(case.scores().iter().flatten().all(|score| *score == 0.25));
    let names: Vec<String> = files(case.folder.path()).into_keys().collect();
    assert!(!names.iter().any(|name| name.contains("left")), "{names:?}");
    case.nothing_is_left();
}

#[test]
fn failures_say_what_the_program_said() {
    let exit = Case::of_script("echo 'cannot open model' >&2; exit 3\n").failure();
    assert_eq!(exit, "the command ended with exit status: 3; its standard error ends with:\ncannot open model");
    let silent = Case::of_script("exit 1\n").failure();
    assert_eq!(silent, "the command ended with exit status: 1");
    let long =
        Case::of_script("i=0; while [ $i -lt 3000 ]; do echo \"line $i é\"; i=$((i + 1)); done; exit 1\n").failure();
    assert!(long.len() < 2200 && long.ends_with("line 2999 é"), "{long}");
    assert!(long.contains("its standard output ends with"), "{long}");
}

/// In an allocation of a scheduler, the kernel kills what exceeds the memory. A shell passes 137 on.
#[test]
fn a_program_that_is_killed_from_outside_fails_only_where_no_scheduler_limits_memory() {
    for script in ["kill -9 $$\n", "sh -c 'kill -9 $$'\nexit $?\n"] {
        let case = Case::of_script(script);
        let options = RunOptions { threads: 2, killed_fails: false, ..RunOptions::new(case.out()) };
        let outcome = run(&case.experiment(), &registry(), &options).unwrap();
        assert_eq!((outcome.killed.len(), outcome.failed.len(), outcome.done), (outcome.jobs, 0, 0), "{script}");
        assert!(outcome.results.is_none() && !outcome.cancelled);
        let states = job_states(&Plan::new(&case.experiment(), &JobFilter::All).unwrap(), case.out()).unwrap();
        assert!(states.iter().all(|state| *state == JobState::Open), "{script}");
        case.nothing_is_left();
        assert!(case.failure().starts_with("the command ended with "), "{script}");
    }
}

#[test]
fn scores_that_are_none_are_named_by_line() {
    let advice = "give a score on each line and nothing else";
    let nan = Case::of_script("sed 's/.*/1/; 3s/.*/nan/' \"$3\" > \"$4\"\n").failure();
    assert_eq!(nan, format!("scores.txt:3:1: `nan` is not a finite number; {advice}"));
    let few = Case::of_script("sed '1d; s/.*/1/' \"$3\" > \"$4\"\n").failure();
    assert!(few.starts_with("scores.txt: ") && few.contains(" scores for "), "{few}");
    let none = Case::of_script("exit 0\n").failure();
    assert!(none.starts_with("scores.txt: cannot be read: No such file"), "{none}");
}

#[test]
fn a_program_that_cannot_start_is_named() {
    let params = "argv = [\"no-such-program\", \"{test}\", \"{scores}\"]";
    let failure = Case::new(params).failure();
    assert!(failure.starts_with("cannot start `no-such-program`: No such file"), "{failure}");
}

#[test]
fn listed_files_must_be_there_before_anything_is_run() {
    let case = Case::of_script("exit 0\n");
    fs::remove_file(case.folder.path().join("rank.sh")).unwrap();
    let error = case.try_run().unwrap_err().to_string();
    assert!(error.starts_with("cannot read `rank.sh` from"), "{error}");
    assert!(!case.out().exists());
}

#[test]
fn what_takes_too_long_is_stopped_with_all_that_it_started() {
    let mut case = Case::of_script("");
    let escaped = case.folder.path().join("escaped");
    case.file("rank.sh", &format!("(sleep 3; : > \"{}\") & echo waiting >&2; wait\n", escaped.display()));
    case.params.push_str("\ntime_limit = \"1s\"");
    assert_eq!(
        case.failure(),
        "the command ran longer than 1s and was stopped; `time_limit` sets the limit; its standard error ends \
         with:\nwaiting"
    );
    // A child that was still alive would make the file within three seconds of its start.
    std::thread::sleep(Duration::from_millis(3500));
    assert!(!escaped.exists());
}

/// Cancels the run when a job has begun.
struct CancelSoon<'a>(&'a Counter);

impl Observer for CancelSoon<'_> {
    fn started(&self, job: &Job) {
        Observer::started(self.0, job);
        self.0.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    }

    fn finished(&self, job: &Job, end: &JobEnd) {
        Observer::finished(self.0, job, end);
    }
}

#[test]
fn a_cancelled_run_leaves_no_process_and_no_folder() {
    let case = Case::of_script("sleep 600\n");
    let counter = Counter::default();
    let observer = CancelSoon(&counter);
    let options =
        RunOptions { threads: 1, observer: &observer, cancel: Some(&counter.cancel), ..RunOptions::new(case.out()) };
    let outcome = run(&case.experiment(), &registry(), &options).unwrap();
    assert!(outcome.cancelled && outcome.failed.is_empty());
    assert_eq!(counter.started().len(), 1);
    case.nothing_is_left();
}

#[test]
fn what_writes_without_end_is_stopped() {
    let failure = Case::of_script("while :; do cat \"$3\" \"$3\" \"$3\" \"$3\"; done > \"$4\"\n").failure();
    assert!(failure.contains("bytes to the file of scores and was stopped"), "{failure}");
}

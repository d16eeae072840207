//! Tests rankers of `kind = "command"`, and the example with LightGBM in Python.

use crate::harness::{assert_same_content, directory, has_long_proofs, python, run, stdout};

/// An experiment in which a shell program scores by the first feature. The ranker `feature` must
/// give the same scores.
const EXPERIMENT: &str = r#"
name = "small"
seed = 3
[[dataset]]
label = "A"
synthetic = { shape = "mq2007", queries = 20 }
[[ranker]]
label = "Shell"
kind = "command"
params = { argv = ["sh", "first.sh", "{test}", "{scores}"], files = ["first.sh"] }
[[ranker]]
label = "Feature"
kind = "feature"
params = { feature = 1 }
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 5
ideal = 5
"#;
const FIRST: &str = "sed 's/^[^ ]* [^ ]* 1:\\([^ ]*\\) .*/\\1/' \"$1\" > \"$2\"\n";

#[cfg(unix)]
#[test]
fn a_program_of_the_shell_ranks_like_the_ranker_that_it_imitates() {
    let folder = directory(&[("small.toml", EXPERIMENT), ("first.sh", FIRST)]);
    stdout(folder.path(), "run small.toml");
    let values = std::fs::read_to_string(folder.path().join("runs/small/per_query.csv")).unwrap();
    let of = |label: &str| -> Vec<String> {
        let rows = values.lines().filter(|line| line.contains(&format!(",{label},")));
        rows.map(|line| line.replace(label, "")).collect()
    };
    assert_eq!(of("Shell"), of("Feature"));
    assert!(of("Shell").len() >= 20, "{values}");
    assert!(!folder.path().join("runs/small/.work").exists());
    let page = std::fs::read_to_string(folder.path().join("runs/small/report.html")).unwrap();
    assert!(page.contains("We evaluated Shell and Feature on A ("), "{page}");
    assert!(
        page.contains("number of threads, provided that the program of this method repeats its scores: Shell."),
        "{page}"
    );
}

#[cfg(unix)]
#[test]
fn a_program_that_fails_is_a_failed_job_and_says_why() {
    let folder = directory(&[("small.toml", EXPERIMENT), ("first.sh", "echo 'no such model' >&2; exit 4\n")]);
    let output = run(folder.path(), "run small.toml");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAILED"));
    let record = std::fs::read_to_string(folder.path().join("runs/small/jobs/A/fold1/Shell.json")).unwrap();
    let page = std::fs::read_to_string(folder.path().join("runs/small/report.html")).unwrap();
    assert!(page.contains("We evaluated Feature on A ("), "{page}");
    assert!(page.contains("On A, Shell failed and is left out of every number."), "{page}");
    assert!(!page.contains("a program of its own") && page.contains("number of threads.</p>"), "{page}");
    assert!(record.contains("ended with exit status: 4") && record.contains("no such model"), "{record}");
}

#[cfg(unix)]
#[test]
fn the_example_with_lightgbm_learns_and_is_deterministic() {
    let Some(python) = python("lightgbm, numpy") else { return };
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/command-lightgbm");
    let read = |name: &str| std::fs::read_to_string(format!("{example}/{name}")).unwrap();
    let experiment = read("experiment.toml").replace("\"python3\"", &format!("{python:?}"));
    let folder = directory(&[("experiment.toml", &experiment), ("rank.py", &read("rank.py"))]);
    stdout(folder.path(), "run experiment.toml --out one");
    let [one, two] = ["one", "two"].map(|out| folder.path().join(out));
    if has_long_proofs() {
        stdout(folder.path(), "run experiment.toml --out two");
        assert_same_content(&one, &two);
    } else {
        // A start of LightGBM takes a second, so one job of the program is done again.
        stdout(folder.path(), "run experiment.toml --out two --only made/fold1/LightGBM");
        for file in ["jobs/made/fold1/LightGBM.json", "scores/made/fold1/LightGBM.txt"] {
            let [one, two] = [&one, &two].map(|out| std::fs::read(out.join(file)).unwrap());
            assert!(one == two, "{file}");
        }
    }
    let shown = stdout(folder.path(), "compare one --measure ndcg@10 --trials 10 --tables all");
    let mean = |label: &str| -> f64 {
        let table = shown.lines().skip_while(|line| !line.starts_with("Systems by"));
        let row = table.into_iter().find(|line| line.starts_with(label)).unwrap();
        row.split_whitespace().nth_back(1).unwrap().parse().unwrap()
    };
    assert!(mean("LightGBM") > mean("Random") + 0.1, "{shown}");
    assert!((mean("LightGBM") - mean("LambdaMART")).abs() < 0.05, "{shown}");
}

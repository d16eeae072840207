//! `eval --format trec_eval`: the bytes of trec_eval's own test outputs (version 10), and all values
//! of version 9.0.8 for the runs of TREC DL 2019, which `tests/trec_eval.py` computed by pytrec_eval.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::harness::{directory, real_data, stderr, stdout};

/// The files of trec_eval's own tests.
fn own_tests() -> Option<PathBuf> {
    Some(real_data()?.join("trec/trec_eval/test"))
}

fn output(folder: &Path, arguments: &str) -> String {
    stdout(folder, &format!("eval --format trec_eval-10 {arguments}"))
}

fn expected(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn the_bytes_are_those_of_trec_eval() {
    let Some(folder) = own_tests() else { return };
    for (file, arguments) in [
        ("out.test", "--qrels qrels.test --runs results.test"),
        ("out.test", "--qrels qrels.test --runs results.test -m official"),
        ("out.test", "--qrels qrels.test.with-comments --runs results.test"),
        ("out.comment.test", "--qrels qrels.comment.test --runs results.comment.test"),
        ("out.test.a", "--qrels qrels.test --runs results.test -m all_trec"),
        ("out.test.aq", "--qrels qrels.test --runs results.test -m all_trec -q"),
        ("out.test.aqc", "--qrels qrels.test --runs results.trunc -m all_trec -q --missing-topics zero"),
        ("out.test.aqcM", "--qrels qrels.test --runs results.trunc -m all_trec -q --missing-topics zero --depth 100"),
    ] {
        assert_eq!(output(&folder, arguments), expected(&folder, file), "{file}: {arguments}");
    }
}

/// With `-l 2`, `rbp` of trec_eval 10 divides by bounds that it did not set.
#[test]
fn levels_of_relevance_are_those_of_trec_eval() {
    let Some(folder) = own_tests() else { return };
    let ours = output(&folder, "--qrels qrels.rel_level --runs results.test -m all_trec -q --threshold 2");
    let lines = |text: &str| -> Vec<String> {
        let others = text.lines().filter(|line| !line.starts_with("rbp ") && !line.starts_with("relstring"));
        others.map(str::to_owned).collect()
    };
    assert_eq!(lines(&ours), lines(&expected(&folder, "out.test.aql")));
    let relstring = output(&folder, "--qrels qrels.rel_level --runs results.test -m relstring.20 -q --threshold 2");
    let theirs = expected(&folder, "out.test.aql");
    let theirs: Vec<&str> = theirs.lines().filter(|line| line.starts_with("relstring")).collect();
    assert_eq!(relstring.lines().collect::<Vec<_>>(), theirs);
}

#[test]
fn cutoffs_and_levels_of_ones_own_are_those_of_trec_eval() {
    let Some(folder) = own_tests() else { return };
    let measures = "iprec_at_recall..10,.20,.25,.75,.50 P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 \
                    utility.2,-1,0,0 11pt_avg..25,.5,.75 ndcg.1=3,2=9,4=4.5 ndcg_cut.10,20,23.0 success.20,5,2";
    let ours = output(&folder, &format!("--qrels qrels.test --runs results.test -q -m {measures}"));
    assert_eq!(ours, expected(&folder, "out.test.meas_params"));
}

/// For each measure of trec_eval, a number for each run.
type Values = BTreeMap<String, Vec<f64>>;

/// The folder of the collection, the paths of its runs, and the values of trec_eval.
fn dl19() -> Option<(PathBuf, Vec<String>, Values)> {
    let folder = real_data()?.join("trec/dl19");
    let mut runs: Vec<String> = std::fs::read_dir(folder.join("runs"))
        .unwrap()
        .map(|entry| format!("runs/{}", entry.unwrap().file_name().to_string_lossy()))
        .collect();
    runs.sort();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/end_to_end/trec_eval/dl19.json");
    let values = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    Some((folder, runs, values))
}

#[test]
fn all_measures_of_dl19_are_those_of_trec_eval_9() {
    let Some((folder, runs, theirs)) = dl19() else { return };
    let text =
        stdout(&folder, &format!("eval --qrels qrels.txt --runs {} --format trec_eval -m all_trec", runs.join(" ")));
    let mut ours: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with("runid")) {
        let [name, _, value] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        ours.entry(name.trim_end()).or_default().push(value.parse().unwrap());
    }
    assert_eq!(
        ours.keys().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
        theirs.keys().cloned().collect::<Vec<_>>()
    );
    for (name, theirs) in &theirs {
        for (run, (ours, theirs)) in ours[name.as_str()].iter().zip(theirs).enumerate() {
            assert!((ours - theirs).abs() < 0.5001e-4, "{name} of run {run}: {ours}, not {theirs}");
        }
    }
}

/// The names that trec_eval gives, to twelve decimals.
#[test]
fn values_of_dl19_are_those_of_trec_eval_9_in_full() {
    let Some((folder, runs, theirs)) = dl19() else { return };
    let experimental = ["G", "Rndcg", "ndcg_rel"];
    let named = |name: &&String| {
        !name.starts_with("num_") && !name.starts_with("gm_") && !experimental.contains(&name.as_str())
    };
    let names: Vec<&String> = theirs.keys().filter(named).collect();
    let list: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let arguments = format!(
        "eval --qrels qrels.txt --runs {} --dialect trec_eval --format json --measures {}",
        runs.join(" "),
        list.join(" ")
    );
    let found: Value = serde_json::from_str(&stdout(&folder, &arguments)).unwrap();
    let means = found["means"].as_array().unwrap();
    let mut compared = 0;
    for (place, name) in names.iter().enumerate() {
        for (run, system) in runs.iter().enumerate() {
            let of_run: Vec<&Value> = means.iter().filter(|mean| mean["system"] == system.as_str()).collect();
            let (ours, theirs) = (of_run[place]["mean"].as_f64().unwrap(), theirs[*name][run]);
            assert!((ours - theirs).abs() < 1e-12, "{name} of {system}: {ours}, not {theirs}");
            compared += 1;
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn the_format_is_for_runs_and_has_its_own_dialect() {
    let folder = directory(&[("q", "1 0 a 1\n"), ("r", "1 Q0 a 1 0.5 x\n")]);
    let wrong = |arguments: &str| stderr(folder.path(), &format!("eval {arguments}"), 2);
    assert!(wrong("--qrels q --runs r --format trec_eval --dialect ranx").contains("the conventions of trec_eval"));
    assert!(wrong("--qrels q --runs r --depth 5").contains("--depth needs --format trec_eval"));
    let text = stdout(folder.path(), "eval --qrels q --runs r --format trec_eval -m map");
    assert_eq!(text, "map                   \tall\t1.0000\n");
}

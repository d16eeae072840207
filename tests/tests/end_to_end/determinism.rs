//! Tests that the result hash and all bytes of the folder are the same for any number of threads,
//! any order of jobs and any set of earlier results. `tests/determinism` does the same at full
//! size, in debug and release builds.

use std::path::Path;

use crate::harness::{
    assert_same_content, content, directory, has_long_proofs, json, real_data, skipped, small_quickstart, stdout,
};

/// The first run has one thread, so one other number suffices.
const THREADS: &[usize] = &[3];
const THREADS_OF_LONG_PROOFS: &[usize] = &[1, 2, 3, 8];
/// The file with the hashes that results must have.
const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/golden.txt");

fn result_hash(at: &Path, arguments: &str) -> String {
    json(at, &format!("run {arguments} --json"))["result"].as_str().unwrap().to_owned()
}

/// The hash that the results of an experiment must have.
fn golden(name: &str) -> String {
    let text = std::fs::read_to_string(GOLDEN).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let hash = lines.filter(|(of, _)| *of == name).map(|(_, hash)| hash.trim().to_owned()).next();
    hash.unwrap_or_else(|| panic!("tests/golden.txt has no line for {name}"))
}

fn assert_golden(name: &str, found: &str) {
    let expected = golden(name);
    let what =
        "a result is not what it was: if that is meant, put the new hash into tests/golden.txt (CONTRIBUTING.md)";
    assert_eq!(found, expected, "{name}: {what}");
}

/// Removes the records of those jobs whose number `gone` picks.
fn forget(folder: &Path, gone: impl Fn(usize) -> bool) -> usize {
    let jobs = folder.join("jobs");
    let records: Vec<String> = content(&jobs).into_keys().collect();
    let gone: Vec<&String> =
        records.iter().enumerate().filter(|(number, _)| gone(*number)).map(|(_, name)| name).collect();
    gone.iter().for_each(|name| std::fs::remove_file(jobs.join(name)).unwrap());
    gone.len()
}

#[test]
fn threads_order_and_results_that_are_there_alter_nothing() {
    let folder = directory(&[("quickstart.toml", &small_quickstart())]);
    let at = folder.path();
    let hash = result_hash(at, "quickstart.toml --threads 1 --out plain");
    assert_golden("small-quickstart", &hash);
    for &threads in if has_long_proofs() { THREADS_OF_LONG_PROOFS } else { THREADS } {
        let out = format!("threads-{threads}");
        let options = format!("quickstart.toml --threads {threads} --out {out} --shuffle-jobs");
        assert_eq!(result_hash(at, &format!("{options} {threads}")), hash, "{threads} threads");
        assert_same_content(&at.join("plain"), &at.join(&out));
        // A pseudorandom subset of the jobs is done again.
        let gone = forget(&at.join(&out), |number| (number * 7919 + threads * 31) % 11 < threads);
        let again = json(at, &format!("run {options} {} --json", threads + 90));
        assert_eq!((again["done"].as_u64(), again["result"].as_str()), (Some(gone as u64), Some(hash.as_str())));
        assert_same_content(&at.join("plain"), &at.join(&out));
    }
    let shown = String::from_utf8(crate::harness::run(at, "run quickstart.toml --out plain").stderr).unwrap();
    assert!(shown.contains(&format!("result hash: {hash}\n")), "{shown}");
    let page = std::fs::read_to_string(at.join("plain/report.html")).unwrap();
    assert!(page.contains(&hash));
    assert!(stdout(at, "verify plain").ends_with(&format!("result hash: {hash}\n")));
}

/// A long proof: half a minute of processor time. The small quickstart above has all its rankers.
/// If real data are present, tests on real data replace it.
#[test]
fn the_whole_quickstart_gives_the_golden_result() {
    if std::env::var_os("FIVEFOLD_DATA").is_some() {
        return skipped("FIVEFOLD_DATA is set");
    }
    if !has_long_proofs() {
        return skipped("a long proof (FIVEFOLD_LONG_PROOFS=1)");
    }
    assert_golden("quickstart", &result_hash(directory(&[]).path(), "quickstart --shuffle-jobs 4"));
}

#[test]
fn published_scores_and_rankers_on_real_collections_give_the_golden_results() {
    let Some(data) = real_data() else { return };
    let folder = directory(&[]);
    let data = data.canonicalize().unwrap();
    for (name, order) in [("mq2008-systems", 5), ("mq2008", 6), ("ohsumed", 7)] {
        let options = format!("{name} --data-dir {} --threads 3 --shuffle-jobs {order}", data.display());
        assert_golden(name, &result_hash(folder.path(), &options));
    }
    crate::pages::thirteen_rankers_beside_the_paper(folder.path(), &data);
}

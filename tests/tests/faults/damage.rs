//! Tests files that a broken disk, a careless copy or an editor altered. The program finds such a
//! file, and makes it again or refuses it by name. A damaged file is never used.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use fivefold_core::Seed;

use crate::harness::{assert_same_content, content, copy, directory, has_long_proofs, run, stdout};
use crate::mixed::{finished, letor, process, succeed};

/// The kinds of damage to a file.
#[derive(Debug, Clone, Copy)]
enum Damage {
    FlippedBit,
    Truncated,
    Empty,
    Folder,
}

const ALL: [Damage; 4] = [Damage::FlippedBit, Damage::Truncated, Damage::Empty, Damage::Folder];

fn damage(path: &Path, how: Damage, seed: Seed) {
    let mut content = fs::read(path).unwrap();
    let mut rng = seed.rng();
    match how {
        Damage::FlippedBit => {
            let at = rng.below(content.len() as u64) as usize;
            content[at] ^= 1 << rng.below(8);
        }
        Damage::Truncated => content.truncate(content.len() - 1 - rng.below(content.len() as u64 - 1) as usize),
        Damage::Empty => content.clear(),
        Damage::Folder => {
            fs::remove_file(path).unwrap();
            return fs::create_dir(path).unwrap();
        }
    }
    fs::write(path, content).unwrap();
}

impl Damage {
    /// How many times this kind of damage is done to a file: `most` times in long proofs, and up to
    /// twice in a short run. FIVEFOLD_DAMAGES multiplies the number.
    fn rounds(self, most: u64) -> u64 {
        match self {
            Damage::FlippedBit | Damage::Truncated => {
                let factor = std::env::var("FIVEFOLD_DAMAGES").ok();
                let factor = factor.map_or(1, |text| text.parse().expect("FIVEFOLD_DAMAGES is a number"));
                factor * if has_long_proofs() { most } else { most.min(2) }
            }
            // Nothing is drawn: each time is the same.
            Damage::Empty | Damage::Folder => 1,
        }
    }
}

#[test]
fn whatever_is_altered_in_a_results_folder_the_next_run_repairs_or_names_it() {
    let folder = finished();
    let at = folder.path();
    let (hurt, whole) = (at.join("hurt"), at.join("whole"));
    copy(&whole, &hurt);
    let files: Vec<String> = content(&whole).into_keys().collect();
    let of_candidate = files.iter().find(|name| name.starts_with("values/made/")).unwrap();
    // One file of each kind: records, scores, models, the values of a candidate, the manifest, the
    // values, the tables.
    let chosen = [
        of_candidate,
        "jobs/made/fold1/Linear.json",
        "jobs/read/fold3/Shell.json",
        "scores/made/fold2/Theirs.txt",
        "scores/read/fold1/Trees.txt",
        "models/read/fold2/Trees.json",
        "manifest.json",
        "per_query.csv",
        "per_seed.csv",
        "queries.csv",
        "tables.json",
        "tables.md",
        "report.html",
    ];
    let (mut repaired, mut refused) = (0, 0);
    for (number, file) in chosen.into_iter().enumerate() {
        assert!(files.iter().any(|name| name == file), "{file} in {files:?}");
        // In a short run, two kinds of damage, which change from file to file.
        let kinds = ALL.into_iter().enumerate();
        for (_, how) in kinds.filter(|(kind, _)| has_long_proofs() || (kind + number) % ALL.len() < 2) {
            for round in 0..how.rounds(1) {
                damage(&hurt.join(file), how, Seed::new(round).derive(file).derive(format!("{how:?}")));
                let output = run(at, "run mixed.toml --out hurt");
                let said = String::from_utf8_lossy(&output.stderr);
                if output.status.success() {
                    repaired += 1;
                    let warned = said.contains(
                        "tables that the report no longer has stay in hurt, and `fivefold verify` names these tables",
                    );
                    assert_eq!(warned, file == "tables.json", "{file} {how:?}: {said}");
                } else {
                    let name = format!("hurt/{file}");
                    assert!(output.status.code() == Some(2) && said.contains(&name), "{file} {how:?}: {said}");
                    assert!(matches!(how, Damage::Folder), "{file} {how:?}: {said}");
                    refused += 1;
                    // The test does what the message says, and moves the file away.
                    let moved = at.join("moved");
                    fs::rename(hurt.join(file), &moved).unwrap();
                    succeed(at, &["run", "mixed.toml", "--out", "hurt"]);
                    if moved.is_dir() { fs::remove_dir(&moved).unwrap() } else { fs::remove_file(&moved).unwrap() }
                }
                assert_same_content(&hurt, &whole);
            }
        }
    }
    println!("count: {repaired} damages repaired by the next run, {refused} refused with the name of the file");
}

#[test]
fn readers_refuse_what_was_altered_and_name_it() {
    let folder = finished();
    let at = folder.path();
    succeed(at, &["run", "study.toml", "--out", "study"]);
    fs::copy(at.join("whole/models/read/fold2/Trees.json"), at.join("model.json")).unwrap();
    let cases: [(&str, &[&str]); 6] = [
        ("whole/per_query.csv", &["report whole", "compare whole --measure ndcg@5 --trials 5"]),
        ("whole/queries.csv", &["report whole"]),
        ("whole/manifest.json", &["report whole", "compare whole --measure ndcg@5 --trials 5"]),
        ("study/manifest.json", &["report study"]),
        ("study/tables.json", &["report study"]),
        (
            "model.json",
            &[
                "score --model model.json --data data.txt -o s.txt",
                "explain model.json --data data.txt --query 1",
                "importance model.json",
            ],
        ),
    ];
    let mut refused = 0;
    for (file, commands) in cases {
        let good = fs::read(at.join(file)).unwrap();
        for how in ALL {
            for round in 0..how.rounds(4) {
                damage(&at.join(file), how, Seed::new(round).derive(file).derive(format!("{how:?}")));
                for command in commands {
                    let output = run(at, command);
                    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
                    // The message may name the folder first, and the file later in the reason.
                    let named = file.split('/').all(|part| said.contains(part));
                    assert_eq!(output.status.code(), Some(2), "{command}, {file} {how:?} {round}: {said}");
                    assert!(named, "{command}, {file} {how:?}: {said}");
                    assert!(!at.join("s.txt").exists());
                    refused += 1;
                }
                if at.join(file).is_dir() {
                    fs::remove_dir(at.join(file)).unwrap();
                }
                fs::write(at.join(file), &good).unwrap();
            }
        }
        commands.iter().for_each(|command| drop(stdout(at, command)));
        let _ = fs::remove_file(at.join("s.txt"));
    }
    println!("count: {refused} readings of damaged files refused");
}

#[test]
fn a_damaged_cache_is_read_again_from_the_text() {
    let folder = finished();
    let at = folder.path();
    // Text that changed a moment ago is not cached, so the test waits.
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let run_it = || {
        let output = run(at, "run mixed.toml --out cached --cache cache");
        assert!(output.status.success());
        assert_same_content(&at.join("cached"), &at.join("whole"));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(run_it().contains("kept in the cache"));
    assert!(run_it().contains("from the cache"));
    let file = at.join("cache").read_dir().unwrap().next().unwrap().unwrap().path();
    let mut found = 0;
    for how in [Damage::FlippedBit, Damage::Truncated, Damage::Empty] {
        for round in 0..how.rounds(6) {
            damage(&file, how, Seed::new(round).derive("cache").derive(format!("{how:?}")));
            let said = run_it();
            assert!(said.contains("read again, since ") && said.contains("kept in the cache"), "{how:?}: {said}");
            found += 1;
        }
    }
    damage(&file, Damage::Folder, Seed::new(0));
    assert!(run_it().contains("not cached: "));
    println!("count: {found} damaged caches read again from the text");
}

/// An experiment with a fit of a second in each fold, on a matrix of three blocks.
fn slow_on_three_blocks() -> tempfile::TempDir {
    let experiment = "name = \"midst\"\n[[dataset]]\nlabel = \"read\"\npath = \"data.txt\"\nlayout = \"one-file\"\n\
        [[ranker]]\nkind = \"slow\"\nparams = { steps = 100 }\n[query_sets]\nuninformative = 5\nideal = 5\n";
    let folder = directory(&[("midst.toml", experiment)]);
    let mut rng = Seed::new(1).derive("blocks").rng();
    let mut text = String::new();
    for row in 0..6000 {
        text += &format!("{} qid:{}", rng.below(3), row / 60);
        (1..=100).for_each(|feature| text += &format!(" {feature}:{}", rng.below(1000)));
        text.push('\n');
    }
    fs::write(folder.path().join("data.txt"), text).unwrap();
    // Text that changed a moment ago is not cached, so the tests wait.
    std::thread::sleep(Duration::from_millis(2100));
    succeed(folder.path(), &["run", "midst.toml", "--out", "whole", "--cache", "cache"]);
    folder
}

/// The file in the cache.
fn cached(at: &Path) -> PathBuf {
    at.join("cache").read_dir().unwrap().next().unwrap().unwrap().path()
}

/// Flips a bit in the second of three blocks, in place.
fn flip_in_the_midst(file: &Path) {
    let open = fs::File::options().read(true).write(true).open(file).unwrap();
    let place = open.metadata().unwrap().len() - (1 << 20) - 200_000;
    let mut byte = [0];
    open.read_exact_at(&mut byte, place).unwrap();
    open.write_all_at(&[byte[0] ^ 1], place).unwrap();
}

/// A run of the experiment on one thread.
const MIDST: [&str; 8] = ["run", "midst.toml", "--out", "hurt", "--cache", "cache", "--threads", "1"];

/// Starts the run, and waits until the second fold fits.
fn in_second_fold(at: &Path) -> Child {
    let child = process(at, &MIDST).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while !at.join("hurt/jobs/read/fold1/slow.json").exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    child
}

#[test]
fn a_cache_that_is_altered_in_the_midst_of_a_fit_fails_the_job_by_name() {
    let folder = slow_on_three_blocks();
    let at = folder.path();
    let child = in_second_fold(at);
    // Well into the fit.
    std::thread::sleep(Duration::from_millis(200));
    let file = cached(at);
    flip_in_the_midst(&file);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let record = fs::read_to_string(at.join("hurt/jobs/read/fold2/slow.json")).unwrap();
    let name = file.strip_prefix(at).unwrap().display().to_string();
    for part in ["data set `read`, fold 2: block 2 of 3 of the cached file", &name, "run again"] {
        assert!(record.contains(part), "{part}: {record}");
    }
    assert!(said.contains("fold 2: block 2 of 3"), "{said}");
    assert!(!file.exists());
    assert!(!at.join("hurt/scores/read/fold2/slow.txt").exists());
    let output = run(at, &MIDST.join(" "));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("kept in the cache"), "{said}");
    assert_same_content(&at.join("hurt"), &at.join("whole"));
}

#[test]
fn a_damaged_block_that_is_checked_when_used_stops_the_run_and_drops_the_cache() {
    let folder = slow_on_three_blocks();
    let at = folder.path();
    let file = cached(at);
    flip_in_the_midst(&file);
    let run_it = || run(at, "run midst.toml --out hurt --cache cache --check-cache when-used");
    let output = run_it();
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("block 2 of 3 of the cached file") && said.contains("run again"), "{said}");
    assert!(!file.exists());
    assert!(run_it().status.success());
    assert_same_content(&at.join("hurt"), &at.join("whole"));
    // The cache is there again, and good.
    assert!(String::from_utf8_lossy(&run_it().stderr).contains("from the cache"));
}

/// The system ends a process that reads beyond the end of a file, unless a check comes before.
#[test]
fn a_cache_that_is_cut_short_in_the_midst_of_a_fit_costs_that_run_alone() {
    let folder = slow_on_three_blocks();
    let at = folder.path();
    let child = in_second_fold(at);
    let file = fs::File::options().write(true).open(cached(at)).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(output.status.signal() == Some(7) || said.contains("was cut short"), "{:?} {said}", output.status);
    succeed(at, &MIDST);
    assert_same_content(&at.join("hurt"), &at.join("whole"));
}

#[test]
fn a_damaged_packed_file_is_refused() {
    let folder = finished();
    let at = folder.path();
    let pack = std::process::Command::new("gzip").args(["-k", "data.txt"]).current_dir(at).status().unwrap();
    assert!(pack.success());
    let good = fs::read(at.join("data.txt.gz")).unwrap();
    let mut refused = 0;
    for how in [Damage::FlippedBit, Damage::Truncated, Damage::Empty] {
        for round in 0..how.rounds(8) {
            damage(&at.join("data.txt.gz"), how, Seed::new(round).derive("gz").derive(format!("{how:?}")));
            let output = run(at, "train --ranker linear --train data.txt.gz -o m.json");
            let said = String::from_utf8_lossy(&output.stderr);
            // The flipped bit may be in the name or time in the head of the file. Such a bit does
            // not alter the text.
            if output.status.success() {
                assert!(matches!(how, Damage::FlippedBit));
                let model = fs::read(at.join("m.json")).unwrap();
                fs::remove_file(at.join("m.json")).unwrap();
                succeed(at, &["train", "--ranker", "linear", "--train", "data.txt", "-o", "m.json"]);
                assert_eq!(fs::read(at.join("m.json")).unwrap(), model);
                fs::remove_file(at.join("m.json")).unwrap();
            } else {
                assert!(output.status.code() == Some(2) && said.contains("data.txt.gz"), "{how:?}: {said}");
                refused += 1;
            }
            fs::write(at.join("data.txt.gz"), &good).unwrap();
        }
    }
    println!("count: {refused} damaged packed files refused");
}

#[test]
fn data_that_changed_under_a_finished_run_are_noticed_explained_and_learned_from_again() {
    let folder = finished();
    let at = folder.path();
    succeed(at, &["run", "mixed.toml", "--out", "old"]);
    let text = letor(40);
    let changed = text.replacen("2 qid:", "1 qid:", 1);
    assert_ne!(changed, text);
    fs::write(at.join("data.txt"), changed).unwrap();
    let output = run(at, "run mixed.toml --out old --json");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let done = summary["done"].as_u64().unwrap();
    // The jobs that use the data are done again, but never the jobs of the other data set: of the
    // search all five choices, and the candidates of four folds. In one fold the change is in the test
    // part, which no candidate sees.
    let of_search = 5 + 2 * 4;
    // A fusion depends on the jobs of its rankers, and is done again on each fold with both seeds.
    let by_data = done - 5 * 2;
    assert!((35 + of_search..=40 + of_search).contains(&by_data), "{summary}");
    assert!(said.contains(&format!("done again: {by_data} jobs because the data of read changed")), "{said}");
    succeed(at, &["run", "mixed.toml", "--out", "new"]);
    assert_same_content(&at.join("old"), &at.join("new"));
}

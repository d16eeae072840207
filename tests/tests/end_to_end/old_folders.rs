//! Tests results folders and models that an earlier version wrote. The program must still open them
//! and use their content.
//!
//! The version before the crates were split (9a67e38) wrote `fixtures/results-1` with
//! `fivefold run fixtures/old.toml`. Tables, figures and page were removed. If a change breaks this
//! test, it breaks the results folders of all users. The change then needs a new format with a
//! fixture of its own, and an error for the old format that says what to do.

use std::path::Path;

use crate::harness::{copy, directory, json, run, stdout};

/// The hash that the earlier version printed.
const RESULT: &str = "48e721b7c34589c76d74b29125b76ef43517f1e7b05c5936ceeb32f7ecb0930b";

/// Makes a directory with the folder `results` and its experiment.
fn old() -> tempfile::TempDir {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folder = directory(&[]);
    copy(&fixtures.join("results-1"), &folder.path().join("results"));
    std::fs::copy(fixtures.join("old.toml"), folder.path().join("old.toml")).unwrap();
    folder
}

#[test]
fn a_folder_of_an_earlier_version_is_reported_and_verified() {
    let folder = old();
    let tables = json(folder.path(), "report results --format json");
    assert!(tables.as_array().unwrap().len() > 10);
    // `verify` fails if anything differs or cannot be checked.
    stdout(folder.path(), "report results --write results");
    stdout(folder.path(), "verify results --without-data");
}

#[test]
fn jobs_of_an_earlier_version_are_reused_and_give_the_same_values() {
    let folder = old();
    let output = run(folder.path(), "run old.toml --out results");
    let told = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
    assert!(told.contains("(15 reused, 0 to do)") && told.contains(RESULT), "{told}");
}

#[test]
fn models_of_an_earlier_version_score_as_they_did() {
    let folder = old();
    stdout(folder.path(), "make --shape mq2007 --queries 10 --seed 3 --out data");
    for ranker in ["LMART", "linear", "BM25"] {
        let model = format!("results/models/made/fold1/{ranker}.json");
        let again = stdout(folder.path(), &format!("score --model {model} --data data/Fold1/test.txt"));
        let scores =
            std::fs::read_to_string(folder.path().join(format!("results/scores/made/fold1/{ranker}.txt"))).unwrap();
        assert_eq!(again, scores, "{ranker}");
    }
}

//! Runs every target on its kept corpus and on every input that once failed.

use std::path::{Path, PathBuf};

use fivefold_fuzz::TARGETS;

/// The files of a folder. Empty if the folder does not exist.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder that can be read").path()).collect();
    files.sort();
    files
}

#[test]
fn every_kept_input_does_no_harm() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    for target in TARGETS {
        let corpus = files(&fuzz.join("corpus").join(target.name));
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        for file in corpus.into_iter().chain(files(&fuzz.join("regressions").join(target.name))) {
            let bytes = std::fs::read(&file).expect("a file that can be read");
            if std::panic::catch_unwind(|| (target.run)(&bytes)).is_err() {
                panic!("{} fails on {}", target.name, file.display());
            }
        }
    }
}

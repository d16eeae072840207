//! Tests that the installed program starts and has the built-in rankers. The package
//! `fivefold-tests` tests the commands, through a binary that differs only in two additional
//! rankers.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::process::Command;

fn stdout(argument: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fivefold")).args(argument).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn it_starts_and_has_the_built_in_rankers() {
    assert_eq!(stdout(&["--version"]), concat!("fivefold ", env!("CARGO_PKG_VERSION"), "\n"));
    let listed = stdout(&["rankers"]);
    let first_words: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    for entry in fivefold::builtin().entries() {
        assert!(first_words.contains(&entry.name), "{}", entry.name);
    }
}

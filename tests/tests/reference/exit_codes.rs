//! `reference/exit-codes.md` is written by hand, and its commands are run. Its codes are those of the program.

use std::collections::BTreeSet;

use crate::harness::{directory, stdout};
use crate::page::book;

#[test]
fn exit_codes() {
    let help = stdout(directory(&[]).path(), "--help");
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = help.split("Exit codes:").nth(1).unwrap();
    let words = told.split(|letter: char| !letter.is_ascii_digit());
    let mut codes: BTreeSet<&str> = words.filter(|word| !word.is_empty()).collect();
    assert!(codes.len() >= 7, "{told}");
    // Of a process of a job that was killed; the help leaves it out.
    codes.insert("137");
    let page = std::fs::read_to_string(book().join("pages/reference/exit-codes.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let shown: BTreeSet<&str> = rows.filter(|cell| cell.chars().all(|letter| letter.is_ascii_digit())).collect();
    assert_eq!(shown, codes);
}

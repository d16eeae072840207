//! `fivefold rbo`: the values of the Python package rbo 0.1.3, and its ties.

use crate::harness::{directory, stderr, stdout};

/// A run of one topic: documents from the first to the last, a letter each.
fn run(letters: &str) -> String {
    let line = |(place, letter): (usize, char)| format!("1 Q0 {letter} {place} {} t\n", 100 - place);
    letters.chars().enumerate().map(line).collect()
}

#[test]
fn pairs_of_runs_have_their_overlap() {
    let (one, other, third) = (run("abcdefg"), run("bacdfge"), run("abcdefg"));
    let folder = directory(&[("one", &one), ("other", &other), ("third", &(third + "2 Q0 a 1 1 t\n"))]);
    let csv = stdout(folder.path(), "rbo A=one B=other C=third --format csv");
    let rows: Vec<Vec<&str>> =
        csv.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["run", "other run", "rbo", "rbo_min", "E", "U", "rbo.v2", "topics"]);
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    // RankingSimilarity(list("abcdefg"), list("bacdfge")).rbo_ext(p=0.9)
    assert!((number(1, 2) - 0.8770365).abs() < 5e-8 && (number(1, 3) - 0.6441755).abs() < 5e-8, "{csv}");
    assert_eq!(rows[2][..3], ["A", "C", "1"], "{csv}");
    assert_eq!(rows[2][6], "1", "{csv}");
    let text = stdout(folder.path(), "rbo A=one C=third --per-topic");
    assert!(text.contains("A, C: 1 topic of only one run is left out"), "{text}");
}

#[test]
fn equal_scores_are_averaged_or_ordered_by_id() {
    let tied = |scores: [u8; 4]| -> String {
        scores.iter().zip("abcd".chars()).map(|(score, letter)| format!("1 Q0 {letter} 1 {score} t\n")).collect()
    };
    let folder = directory(&[("one", &tied([1; 4])), ("other", &tied([1; 4]))]);
    let value = |options: &str| stdout(folder.path(), &format!("rbo one other --format csv {options}"));
    assert!(value("").contains("one,other,0.85975"), "{}", value(""));
    assert!(value("--ties docid").contains("one,other,1,"), "{}", value("--ties docid"));
    assert!(value("--ties docid --depth 2").contains("one,other,1,"));
    assert!(stderr(folder.path(), "rbo one other --p 1", 2).contains("above 0 and below 1"));
    assert!(stderr(folder.path(), "rbo one", 2).contains("2"));
}

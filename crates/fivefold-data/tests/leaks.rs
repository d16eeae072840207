//! Tests of the leak guards on collections: their findings, and no findings on sound data; known
//! findings on the real collections.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fivefold_data::leaks::{Finding, Guard};
use fivefold_data::{Source, open};

fn write(folder: &Path, file: &str, text: &str) {
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(folder: &Path, layout: &str) -> fivefold_data::Collection {
    let source = Source { path: Some(folder.to_owned()), layout: Some(layout.to_owned()), ..Source::default() };
    open(&source, &[]).unwrap()
}

fn leaks(folder: &Path, layout: &str) -> Vec<Finding> {
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let collection = read(folder, layout);
    let found = pool(1).install(|| collection.leaks());
    assert_eq!(pool(3).install(|| collection.leaks()), found);
    found
}

#[test]
fn a_query_may_not_be_learned_from_and_tested_on() {
    for (file, part, guard, line, text) in [
        ("train", "training", Guard::QueryOverlap, 2, "0 qid:9 1:5\n1 qid:8 1:1\n1 qid:7 1:1\n"),
        ("vali", "validation", Guard::ValidationOverlap, 1, "1 qid:8 1:1\n"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for fold in 1..=5 {
            for (role, id) in [("train", 1), ("vali", 2), ("test", 3)] {
                write(folder.path(), &format!("Fold{fold}/{role}.txt"), &format!("1 qid:{id} 1:1\n"));
            }
        }
        assert!(leaks(folder.path(), "fold-dirs").is_empty());
        write(folder.path(), &format!("Fold4/{file}.txt"), text);
        write(
            folder.path(),
            "Fold4/test.txt",
            "0 qid:17 1:1\n# other content, the same query\n0 qid:8 1:2\n0 qid:7 1:2\n",
        );
        let found = leaks(folder.path(), "fold-dirs");
        let [finding] = &found[..] else { panic!("{found:?}") };
        assert_eq!((finding.guard, finding.stops), (guard, true));
        let count = if part == "training" { 2 } else { 1 };
        let places = format!(
            "queries stand in the test part and in the {part} part: {count} in fold 4; the first is `8` of fold 4 ({}:3 and {}:{line})",
            folder.path().join("Fold4/test.txt").display(),
            folder.path().join(format!("Fold4/{file}.txt")).display(),
        );
        assert_eq!(finding.what, places);
    }
}

#[test]
fn learning_from_the_validation_part_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    for fold in 1..=5 {
        for (role, id) in [("train", 1), ("vali", 1), ("test", 3)] {
            write(folder.path(), &format!("Fold{fold}/{role}.txt"), &format!("1 qid:{id} 1:1\n"));
        }
    }
    let found = leaks(folder.path(), "fold-dirs");
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.guard, finding.stops), (Guard::QueryOverlap, false));
    assert!(finding.what.contains("1 in fold 1, 1 in fold 2") && finding.what.contains("early stopping"), "{finding}");
}

#[test]
fn the_same_file_in_two_roles_is_an_overlap() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.txt", "1 qid:1 1:1\n");
    write(folder.path(), "b.txt", "1 qid:2 1:1\n");
    for (files, guard) in
        [(["a.txt", "b.txt", "b.txt"], Guard::ValidationOverlap), (["a.txt", "b.txt", "a.txt"], Guard::QueryOverlap)]
    {
        let source = Source {
            path: Some(folder.path().to_owned()),
            layout: Some("train-test".to_owned()),
            files: files.map(str::to_owned).to_vec(),
            ..Source::default()
        };
        let found = open(&source, &[]).unwrap().leaks();
        assert_eq!(found.iter().map(|f| (f.guard, f.stops)).collect::<Vec<_>>(), [(guard, true)], "{found:?}");
    }
}

/// Parts S1 to S5 of one query each, with `documents` rows of two features. `row` may replace some
/// rows.
fn parts(folder: &Path, documents: usize, row: impl Fn(usize, usize) -> Option<String>) {
    for part in 1..=5 {
        let mut text = String::new();
        for document in 0..documents {
            // The features differ in all parts and documents, and do not depend on the grade.
            let own = || format!("1:{part}.{document} 2:{}", document * part % 7);
            let features = row(part, document).unwrap_or_else(own);
            writeln!(text, "{} qid:{part} {features}", (document + part) % 3).unwrap();
        }
        write(folder, &format!("S{part}.txt"), &text);
    }
}

#[test]
fn more_than_a_tenth_of_equal_vectors_stop_a_run_and_fewer_warn() {
    let shared = |most: usize| {
        let folder = tempfile::tempdir().unwrap();
        // Query 1 has `most` vectors of query 3. Like all other queries, it also has a zero vector,
        // which proves nothing.
        parts(folder.path(), 21, |part, document| match (part, document) {
            (_, 20) => Some("1:0 2:-0".to_owned()),
            (1 | 3, row) if row < most => Some(format!("1:50.{row} 2:-1")),
            _ => None,
        });
        leaks(folder.path(), "letor4")
    };
    assert!(shared(0).is_empty());
    let found = shared(2);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.guard, finding.stops), (Guard::IdenticalVectors, false));
    // Fold 2 tests part 1 and learns from parts 2, 3, 4 and 5; fold 4 tests part 3.
    let expected = "vectors of the test part stand in the training or validation part too: 2 of 20 in fold 2 (10.0 %), 2 of 20 in fold 4 \
                    (10.0 %); the first is of document 1 of query `1` of fold 2, and of query `3`";
    assert_eq!(finding.what, expected);
    let found = shared(3);
    assert!(found[0].stops && found[0].what.contains("3 of 20 in fold 2 (15.0 %)"), "{found:?}");
}

#[test]
fn equal_vectors_within_a_query_or_between_test_parts_alone_are_no_leak() {
    let folder = tempfile::tempdir().unwrap();
    parts(folder.path(), 10, |part, document| (part == 2 && document < 5).then(|| "1:9 2:4".to_owned()));
    assert!(leaks(folder.path(), "letor4").is_empty());
    // With a single fold, only the fold's own test part counts.
    write(folder.path(), "t.txt", "0 qid:1 1:1 2:2\n1 qid:1 1:3 2:2\n");
    write(folder.path(), "u.txt", "0 qid:8 1:7 2:2\n0 qid:9 1:7 2:2\n");
    let source = Source {
        path: Some(folder.path().to_owned()),
        layout: Some("train-test".to_owned()),
        files: vec!["t.txt".to_owned(), "u.txt".to_owned()],
        ..Source::default()
    };
    assert!(open(&source, &[]).unwrap().leaks().is_empty());
}

#[test]
fn a_feature_that_is_the_grade_is_named_by_its_id() {
    for (first, id) in [(1, 3), (0, 2)] {
        let folder = tempfile::tempdir().unwrap();
        parts(folder.path(), 12, |part, document| {
            let grade = (document + part) % 3;
            Some(format!("{first}:{document} {}:{part} {}:{}", first + 1, first + 2, 10 - 3 * grade as i32))
        });
        let source = Source {
            path: Some(folder.path().to_owned()),
            layout: Some("letor4".to_owned()),
            first_feature_id: Some(first),
            ..Source::default()
        };
        let found = open(&source, &[]).unwrap().leaks();
        let feature = found.iter().find(|finding| finding.guard == Guard::LabelFeature).unwrap();
        assert!(feature.stops);
        let expected = format!(
            "feature {id} tells the grade: in all documents it is 10 for grade 0, 7 for grade 1, 4 for grade 2"
        );
        assert_eq!(feature.what, expected);
    }
}

#[test]
fn sorted_rows_are_counted_over_the_test_parts() {
    let folder = tempfile::tempdir().unwrap();
    for part in 1..=5 {
        let grades = if part < 4 { "2 1 1 0 0" } else { "0 2 1 0 1" };
        let rows: String = grades.split(' ').map(|grade| format!("{grade} qid:{part} 1:1\n")).collect();
        write(folder.path(), &format!("S{part}.txt"), &rows);
    }
    let sorted = read(folder.path(), "letor4").sorted_rows();
    assert_eq!((sorted.comparable, sorted.best_first, sorted.by_label()), (5, 3, true));
}

/// Expected findings: for each fold, the number of documents of the test part whose vector is
/// learned from, out of all documents whose values are not all equal. Also the findings that stop a
/// run.
///
/// The counts come from a script that shares no code. The script makes tuples of each line's values
/// as 32-bit floats (Python `struct`), and leaves out tuples of equal values. The script looks up
/// the other tuples among the tuples of other queries in the fold's training and validation files.
#[test]
fn what_the_guards_say_of_real_collections() {
    let Some(data) = std::env::var_os("FIVEFOLD_DATA") else {
        eprintln!("skipped: FIVEFOLD_DATA is not set");
        return;
    };
    let data = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(data);
    let clueweb09 = [(20, 6063), (7, 5308), (10, 5584), (9, 4686), (12, 4990)];
    let mq2007_agg = [(704, 13475), (685, 13822), (743, 14092), (741, 13630), (742, 13636)];
    let mq2008_agg = [(333, 2874), (398, 2933), (463, 3635), (391, 3062), (338, 2707)];
    let none: &[(u32, u32)] = &[];
    for (name, counts, stops) in [
        ("mq2008", none, false),
        ("ohsumed", none, false),
        ("mslr-sample", none, false),
        ("clueweb09", &clueweb09, false),
        ("mq2007-agg", &mq2007_agg, false),
        // Few lists contain a given document, so many documents have the same ranks in them.
        ("mq2008-agg", &mq2008_agg, true),
    ] {
        let source = Source { name: Some(name.to_owned()), ..Source::default() };
        let collection = open(&source, std::slice::from_ref(&data)).unwrap();
        let found = collection.leaks();
        let expected = counts.iter().zip(1..).map(|(&(equal, of), fold)| {
            format!("{equal} of {of} in fold {fold} ({:.1} %)", 100.0 * f64::from(equal) / f64::from(of))
        });
        let expected = expected.collect::<Vec<_>>().join(", ");
        match &found[..] {
            [] => assert!(counts.is_empty(), "{name}"),
            [finding] => {
                assert_eq!((finding.guard, finding.stops), (Guard::IdenticalVectors, stops), "{name}");
                assert!(finding.what.contains(&expected) && !expected.is_empty(), "{name}: {finding}");
            }
            _ => panic!("{name}: {found:?}"),
        }
        assert!(!collection.sorted_rows().by_label(), "{name}");
    }
}

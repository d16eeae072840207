//! Tests with files that change while they are read, and lint of values per query.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_data::lint::{LintOptions, lint};
use fivefold_data::{ReadOptions, read_letor};

/// Whatever happens to the file meanwhile, the reader gives whole values, all of one length, or an
/// error.
#[test]
fn a_file_that_grows_or_shrinks_while_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let line = "1 qid:1 1:0.25\n";
    let text = line.repeat(20_000);
    std::fs::write(&path, &text).unwrap();
    let done = AtomicBool::new(false);
    let (mut whole, mut refused, mut halved) = (0, 0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            while !done.load(Ordering::Relaxed) {
                file.set_len(text.len() as u64 / 2 + 7).unwrap();
                std::thread::yield_now();
                file.set_len(0).unwrap();
                file.write_all(text.as_bytes()).unwrap();
            }
        });
        for _ in 0..200 {
            match read_letor(&path, &ReadOptions::default()) {
                Ok(part) => {
                    whole += 1;
                    let mut rows = part.data.queries().flat_map(|query| query.rows());
                    halved += usize::from(!rows.all(|row| row == [0.25] || row == [0.0]));
                }
                Err(_) => refused += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!((whole + refused, halved), (200, 0));
    // Nobody writes any more, so the file is read. The last writer wrote the whole text.
    assert_eq!(read_letor(&path, &ReadOptions::default()).unwrap().data.documents(), 20_000);
}

#[test]
fn values_per_query_are_linted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values.csv");
    std::fs::write(&path, "query,a,b\n1,0.5,x\n2,,0.25\n3,-1,nan\n1,0.5,0.5\n").unwrap();
    let options = LintOptions { kind: None, most_problems: 10, reading: ReadOptions::default() };
    let report = lint(&[path], &options);
    let listed: Vec<(u64, &str)> =
        report.problems.listed.iter().map(|found| (found.line, found.what.as_str())).collect();
    assert_eq!(
        listed,
        [(2, "value `x` is not a finite number"), (5, "query `1` has a second value of values for `a`"),]
    );
    let values = &report.values[0];
    assert_eq!((values.format, values.queries, values.values, values.undefined, values.gaps), ("csv", 3, 4, 2, 0));
    assert_eq!((&values.systems[..], values.range), (&["a".to_owned(), "b".to_owned()][..], Some([-1.0, 0.5])));
}

/// One wrong value does not change the recognised format of a file.
#[test]
fn values_as_triples_are_linted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("values.txt");
    std::fs::write(&path, "map\tq1\t0.5\nmap\tq2\tx\nmap\tq1\t0.5\nmap\tall\t0.5\n").unwrap();
    let options = LintOptions { kind: None, most_problems: 10, reading: ReadOptions::default() };
    let report = lint(&[path], &options);
    let listed: Vec<(u64, &str)> =
        report.problems.listed.iter().map(|found| (found.line, found.what.as_str())).collect();
    let second = "query `q1` has a second value of map for `values`";
    assert_eq!(listed, [(2, "value `x` is not a finite number"), (3, second)]);
    assert_eq!(report.values[0].format, "trec_eval");
}

//! Tests of lint: all problems with their lines, the facts of each file, the queries and vectors
//! that files share, and known answers on real data.
#![allow(clippy::unwrap_used)] // a test

use std::path::{Path, PathBuf};

use fivefold_data::ReadOptions;
use fivefold_data::lint::{Kind, LintOptions, LintReport, lint};
use tempfile::TempDir;

fn options() -> LintOptions {
    LintOptions { kind: None, most_problems: 100, reading: ReadOptions::default() }
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn report(folder: &Path, names: &[&str], options: &LintOptions) -> LintReport {
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let report = lint(&paths, options);
    assert!(report.not_linted.is_empty(), "{:?}", report.not_linted);
    report
}

fn problems(report: &LintReport) -> Vec<String> {
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    report.problems.listed.iter().map(|p| format!("{}:{}:{} {}", name(&p.file), p.line, p.column, p.what)).collect()
}

/// A query in three files is one query that stands in more than one file, and two problems.
#[test]
fn a_query_in_three_files_counts_once() {
    let files = [("a.txt", "1 qid:1 1:1\n"), ("b.txt", "1 qid:1 1:2\n"), ("c.txt", "1 qid:1 1:3\n")];
    let folder = folder(&files);
    let report = report(folder.path(), &["a.txt", "b.txt", "c.txt"], &options());
    assert_eq!((report.across[0].queries, report.problems.count), (1, 2));
}

#[test]
fn all_problems_of_a_letor_file_are_found_in_order() {
    let text = "2 qid:1 1:0.5 2:1 # a\n\
                x qid:1 1:0.5\n\
                1 qid:1 1:0.5 1:2 # b\n\
                1 qid:1 1:0.5 # a\n\
                0 qid:2 1:1\n\
                # a comment\n\
                0 1:3\n\
                0 qid:1 1:2 # c\n\
                1 qid:2 1:NULL # d\n";
    let folder = folder(&[("x.txt", text)]);
    let report = report(folder.path(), &["x.txt"], &options());
    assert_eq!(
        problems(&report),
        [
            "x.txt:2:1 grade `x` is not a whole number from 0 to 30",
            "x.txt:3:15 feature id 1 stands on the line twice",
            "x.txt:4:0 document `a` stands twice in query `1`",
            "x.txt:5:0 this line has no document id, unlike the first",
            "x.txt:7:3 found `1:3` where `qid:` and the query's id belong",
            "x.txt:8:0 query `1` goes on here, but its lines up to 4 were followed by another query",
            "x.txt:9:0 query `2` goes on here, but its lines up to 5 were followed by another query",
        ]
    );
    // Each remedy counts all problems that it is for, as the reader would name it.
    let remedies = [
        ("a line reads `grade qid:TOKEN id:value ... # comment`", 1),
        ("give each feature of a line once", 1),
        ("remove a line, or give the two documents different ids", 1),
        ("give every document an id (`# docid = X`), or give no document an id", 1),
        ("put the query's lines together, or set regroup = true; different queries need different ids", 2),
    ];
    let mut found = report.problems.remedies.clone();
    found.retain(|(help, _)| !help.contains("group sizes"));
    found.sort_unstable();
    assert_eq!(found, {
        let mut all = remedies;
        all.sort_unstable();
        all
    });
    let few = report_with(folder.path(), 2);
    assert_eq!((few.problems.listed.len(), few.problems.count), (2, 7));
    let part = &report.parts[0];
    assert_eq!((part.documents, part.queries, part.features, part.missing_values), (5, 2, 2, 1));
}

/// A shuffled file of 40 queries was said to have 574 queries of a single grade: each change of the query
/// counted as an end of it.
#[test]
fn rows_of_a_query_that_do_not_stand_together_are_one_query() {
    let rows = [
        "2 qid:1 1:1 # a",
        "0 qid:1 1:2 # b",
        "1 qid:2 1:3 # a",
        "1 qid:2 1:4 # b",
        "0 qid:3 1:5 # a",
        "1 qid:3 1:6 # b",
    ];
    let text = |order: [usize; 6]| order.map(|row| format!("{}\n", rows[row])).concat();
    let linted = |text: &str| {
        let folder = folder(&[("x.txt", text)]);
        report(folder.path(), &["x.txt"], &options())
    };
    let facts = |report: &LintReport| {
        let part = &report.parts[0];
        (part.documents, part.queries, part.single_grade_queries, part.sorted)
    };
    let together = linted(&text([0, 1, 2, 3, 4, 5]));
    assert_eq!((together.problems.count, facts(&together).2), (0, 1));
    // The rows of each query keep their order.
    let apart = linted(&text([0, 2, 4, 1, 3, 5]));
    assert_eq!(facts(&apart), facts(&together));
    assert_eq!(apart.problems.count, 3);

    // A document that stands twice is found, too, if other queries stand between.
    let twice = linted(&format!("{}0 qid:1 1:7 # b\n", text([0, 1, 2, 3, 4, 5])));
    assert_eq!(
        problems(&twice),
        [
            "x.txt:7:0 query `1` goes on here, but its lines up to 2 were followed by another query",
            "x.txt:7:0 document `b` stands twice in query `1`"
        ]
    );
}

fn report_with(folder: &Path, most_problems: usize) -> LintReport {
    report(folder, &["x.txt"], &LintOptions { most_problems, ..options() })
}

#[test]
fn the_facts_of_a_part() {
    let text = "2 qid:1 1:1 2:5 3:1 4:0.5 5:NULL\n\
                1 qid:1 1:2 2:5 3:2 5:NULL\n\
                0 qid:1 1:3 2:5 3:3 4:1 5:7\n\
                0 qid:2 1:4 2:5 3:4 5:1\n\
                0 qid:2 1:NULL 2:NULL 3:NULL 4:NULL 5:NULL\n\
                1 qid:3 1:0 2:5 3:0\n\
                0 qid:3 1:1 2:5 3:1\n\
                1 qid:3 1:1 2:5 3:1\n";
    let folder = folder(&[("x.txt", text)]);
    let report = report(folder.path(), &["x.txt"], &options());
    assert_eq!(report.problems.count, 0, "{:?}", report.problems);
    let part = &report.parts[0];
    assert_eq!(part.grades.clone().into_iter().collect::<Vec<_>>(), [(0, 4), (1, 3), (2, 1)]);
    assert_eq!((part.single_grade_queries, part.sorted.best_first + part.sorted.worst_first), (1, 1));
    // Query 1: 2/3! = 1/3; query 3 with grades 1, 0, 1: 2 * 2/3! = 2/3.
    assert!((part.sorted.by_chance - 1.0).abs() < 1e-12);
    assert_eq!((part.missing_values, part.documents_without_values), (7, 1));
    assert_eq!(part.features_with_missing, [1, 2, 3, 4, 5]);
    assert_eq!(part.duplicate_features, [[1, 3]]);
    assert!(part.constant_features.is_empty());
}

#[test]
fn vectors_and_queries_in_several_parts_are_counted() {
    let train = "1 qid:1 1:1 2:2\n0 qid:1 1:3\n0 qid:2 1:NULL 2:NULL\n";
    let test = "0 qid:3 1:1 2:2\n0 qid:3 1:1 2:2\n0 qid:2 1:NULL 2:NULL\n1 qid:4 1:9\n";
    let files = [("a.txt", train), ("b.txt", test)];
    let parts = report(folder(&files).path(), &["a.txt", "b.txt"], &options());
    let across = &parts.across[0];
    assert_eq!((across.vectors, across.documents, across.all_missing, across.queries), (2, 5, 2, 1));
    assert_eq!(parts.problems.count, 1);
    assert!(problems(&parts)[0].starts_with("b.txt:3:0 query `2` stands in"), "{:?}", problems(&parts));

    // The same files as a fold: only documents of the test part count.
    let mut fold: Vec<(String, &str)> = Vec::new();
    for number in 1..=5 {
        for (name, text) in [("train", train), ("vali", "0 qid:9 1:8\n"), ("test", test)] {
            fold.push((format!("Fold{number}/{name}.txt"), text));
        }
    }
    let fold: Vec<(&str, &str)> = fold.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let folds = report(folder(&fold).path(), &["."], &options());
    assert_eq!((folds.parts.len(), folds.across.len(), folds.problems.count), (15, 5, 5));
    let across = &folds.across[4];
    assert_eq!((across.fold, across.vectors, across.documents, across.all_missing), (Some(5), 2, 3, 1));
}

#[test]
fn other_kinds_are_recognised_and_linted() {
    let qrels = "1 0 a 1\n1 0 b 0\n1 0 a 0\n2 0 a -1\n3 0 a\n";
    let run = "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.75 x\n1 Q0 c 3 0.5 y\n2 Q0 a 1 nan x\n";
    let scores = "1\n2\nx\n2\n";
    let folder = folder(&[("qrels", qrels), ("run", run), ("scores", scores), ("odd", "a b\n"), ("empty", "\n")]);
    let report = report(folder.path(), &["qrels", "run", "scores"], &options());
    assert_eq!(
        problems(&report),
        [
            "qrels:3:0 document `a` of topic `1` stands on line 1 already",
            "qrels:5:0 found 3 fields where there should be 4",
            "run:4:0 score `nan` is not a finite number",
            "scores:3:1 `x` is not a finite number",
        ]
    );
    let found = &report.qrels[0];
    assert_eq!((found.topics, found.documents, found.single_grade_topics, found.topics_without_relevant), (2, 3, 1, 1));
    assert_eq!(found.grades.clone().into_iter().collect::<Vec<_>>(), [(-1, 1), (0, 1), (1, 1)]);
    let found = &report.runs[0];
    assert_eq!((found.topics, found.documents, found.tied_documents, found.ranks_differ), (1, 3, 2, 1));
    assert_eq!((&found.tags[..], found.documents_of_topic), (&["x".to_owned(), "y".to_owned()][..], [3, 3]));
    let found = &report.scores[0];
    assert_eq!((found.scores, found.different, found.range), (3, 2, Some([1.0, 2.0])));
    // A path that cannot be linted hides no report on other paths.
    let names = ["odd", "scores", "empty", "no such file", "run"].map(|name| folder.path().join(name));
    let rest = lint(&names, &options());
    let not_linted: Vec<String> = rest.not_linted.iter().map(ToString::to_string).collect();
    let expected = [
        "odd: the kind of the file is not clear",
        "empty: the kind of the file is not clear",
        "no such file: cannot be read",
    ];
    assert!(not_linted.len() == 3 && (0..3).all(|i| not_linted[i].contains(expected[i])), "{not_linted:?}");
    assert_eq!((rest.scores.len(), rest.runs.len()), (1, 1));
    assert!(rest.scores == report.scores && rest.runs == report.runs);
    let forced = LintOptions { kind: Some(Kind::Scores), ..options() };
    assert_eq!(lint(&[folder.path().join("odd")], &forced).problems.count, 2);
    assert!(lint(&[folder.path().to_owned()], &options()).not_linted[0].to_string().contains("no layout"));
}

/// A table of features is not read as values, unless its kind is given.
#[test]
fn a_table_of_features_is_no_file_of_values() {
    let folder = folder(&[("t.csv", "qid,doc,label,bm25\n1,d1,2,0.5\n1,d2,0,0.1\n")]);
    let path = [folder.path().join("t.csv")];
    let told = lint(&path, &options()).not_linted[0].to_string();
    assert!(told.contains("t.csv: looks like a table of features: it has the columns `qid` and `label`"), "{told}");
    assert!(told.contains("make-letor-from-a-table"), "{told}");
    let as_values = lint(&path, &LintOptions { kind: Some(Kind::Values), ..options() });
    assert_eq!((as_values.values[0].format, as_values.not_linted.len()), ("csv", 0));
}

/// A file of names with a blank line, or with too few names, is a problem of the data beside it.
#[test]
fn names_that_do_not_fit_are_a_problem() {
    let two = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.25 2:3\n";
    for (names, told) in [("\nbm25\nage\n", "features.txt: line 1: a blank line"), ("bm25\n", "1 name for 2 features")]
    {
        let folder = folder(&[("x.txt", two), ("features.txt", names)]);
        let found = problems(&report(folder.path(), &["x.txt"], &options()));
        assert!(found.len() == 1 && found[0].contains(told), "{found:?}");
    }
    let folder = folder(&[("x.txt", two), ("features.txt", "bm25\nage\n")]);
    assert_eq!(report(folder.path(), &["x.txt"], &options()).problems.count, 0);
}

/// Each fault once, in the middle of each format. Everything else is counted.
#[test]
fn all_problems_of_values_are_found_and_the_rest_is_counted() {
    let triples = "map\tq1\t0.5\nmap\tq2\t0.6\nmap\tq3\nmap\tq4\tx\nmap\tq1\t.5\n";
    let turned = "q1 map .5\nq2 map .6\nq3 map\nq4 map x\nq1 map .5\n";
    let csv = "query,a\nq1,.5\nq2,.6\nq3,.1,.2\nq4,x\n# a comment\nq1,.5\n";
    let json = r#"{"map": {"q1": 0.5, "q2": 0.6, "q3": [1], "q4": "x", "q1": 0.5}}"#;
    let second = |system: &str, measure: &str| format!("query `q1` has a second value of {measure} for `{system}`");
    let value = "value `x` is not a finite number".to_owned();
    for (name, text, expected) in [
        (
            "te",
            triples,
            vec![
                (3, "found 2 fields where there should be 3".to_owned()),
                (4, value.clone()),
                (5, second("te", "map")),
            ],
        ),
        (
            "ir",
            turned,
            vec![
                (3, "found 2 fields where there should be 3".to_owned()),
                (4, value.clone()),
                (5, second("ir", "map")),
            ],
        ),
        ("x.csv", csv, vec![(4, "found 3 cells below 2 columns".to_owned()), (5, value), (7, second("a", "x"))]),
        (
            "x.json",
            json,
            vec![
                (0, "map of query `q3` is `[1]`, which is not a number".to_owned()),
                (0, "map of query `q4` is `\"x\"`, which is not a number".to_owned()),
                (0, second("x", "map")),
            ],
        ),
    ] {
        let folder = folder(&[(name, text)]);
        let report = report(folder.path(), &[name], &options());
        let expected: Vec<String> = expected.iter().map(|(line, what)| format!("{name}:{line}:0 {what}")).collect();
        assert_eq!((problems(&report), report.problems.count), (expected, 3), "{name}");
        assert_eq!((report.values[0].queries, report.values[0].values), (2, 2), "{name}");
    }
}

/// The inputs of public reports: dmlc/treelite #98, mosuka/litsea #99, pocoproject/poco #286,
/// dmlc/xgboost #1023.
#[test]
fn what_other_programs_read_otherwise_is_found() {
    let seconds = "0 qid:1 1:1609459201 2:0.5\n1 qid:1 2:0.25 1:1609459261\n1 qid:1 1:1609459200 2:0.50000000001\n";
    let folder = folder(&[
        ("seconds", seconds),
        ("seconds.weight", "1\n1\n"),
        ("odd", "1 qid:1\u{b}1:1\n0 qid:1\u{c}1:0\n0 qid:2\u{a0} 1:1\n1 qid:3 1:1\n"),
        ("msvc", "1 qid:1 1:0.2 2:1.#QNAN 3:0.5\n0 qid:1 1:0.9 2:1.#INF 3:0.1\n"),
        ("qrels", "1 0 a 1\n1\u{b}0 b 0\n"),
        ("run", "1 Q0 a 1 0.5 x\n1 Q0 b\u{a0}c 2 0.25 x\n"),
        ("scores", "1\n2\u{a0}\n"),
    ]);
    let names = ["seconds", "odd", "msvc", "qrels", "run", "scores"];
    let report = report(folder.path(), &names, &options());
    let found: Vec<String> = problems(&report).into_iter().filter(|found| !found.contains("stands in")).collect();
    assert_eq!(
        found,
        [
            "odd:1:8 found the character U+000B (vertical tab)",
            "odd:2:8 found the character U+000C (form feed)",
            "odd:3:8 found the character U+00A0 (no-break space)",
            "msvc:2:17 value `1.#INF` of feature 2 is not a finite number that fits 32 bits",
            "qrels:2:2 found the character U+000B (vertical tab)",
            "run:2:7 found the character U+00A0 (no-break space)",
            "scores:2:2 found the character U+00A0 (no-break space)",
        ]
    );
    let [part, _, msvc] = &report.parts[..] else { panic!() };
    assert_eq!((msvc.missing_values, msvc.features), (1, 3));
    assert_eq!((part.losing_values, part.first_losing), (3, Some((1, 1))));
    assert_eq!((part.unsorted_lines, part.first_unsorted), (1, 2));
    let collapsed: Vec<String> = part.collapsed_features.iter().map(ToString::to_string).collect();
    assert_eq!(
        collapsed,
        [
            "feature 1: 1609459200 and 1609459261 are both stored as 1609459200",
            "feature 2: 0.5 and 0.50000000001 are both stored as 0.5",
        ]
    );
    assert_eq!(part.unused_files.len(), 1);
}

/// The sizes of queries are in a file of their own, so the error names no line of the rows.
#[test]
fn sizes_that_do_not_add_up_are_of_no_line() {
    let rows = "1 1:2\n0 1:1\n".repeat(2000);
    for (sizes, what) in [
        ("4000\n5\n", "the sizes add up to 4005 documents, but the data file has 4000"),
        ("3\n", "the sizes add up to 3 documents, but the data file has more"),
    ] {
        let folder = folder(&[("rt", &rows), ("rt.query", sizes)]);
        let found = problems(&report(folder.path(), &["rt"], &options()));
        assert!(
            found.len() == 1 && found[0].starts_with("rt:0:0 cannot be read: ") && found[0].ends_with(what),
            "{found:?}"
        );
        let error =
            fivefold_data::read_letor(&folder.path().join("rt"), &ReadOptions::default()).unwrap_err().to_string();
        assert!(
            error.contains("rt: cannot be read: ")
                && error.contains("the sizes of the queries must add up to the rows"),
            "{error}"
        );
    }
}

#[test]
fn files_longer_than_a_block_are_whole() {
    let mut text = String::new();
    for row in 0..120_000 {
        let bad = if row % 50_000 == 49_999 { "x" } else { "" };
        text += &format!("{} qid:{} 1:{} 2:{}{bad}\n", row % 2, row / 100, row, row % 7);
    }
    let folder = folder(&[("x.txt", &text)]);
    let report = report(folder.path(), &["x.txt"], &options());
    let lines: Vec<u64> = report.problems.listed.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [50_000, 100_000]);
    assert_eq!((report.parts[0].documents, report.parts[0].queries), (119_998, 1200));
}

fn real_data() -> Option<PathBuf> {
    let data = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if data.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    // Tests run in the folder of this package, but the variable is relative to the workspace's
    // folder.
    data.map(|data| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(data))
}

/// The counts in the data's own description. Its 73 of ClueWeb09 are documents, which share three
/// vectors (counted by a few lines of Python over the text).
#[test]
fn vectors_shared_by_parts_of_real_collections() {
    let Some(data) = real_data() else { return };
    let of = |name: &str| report(&data, &[name], &options());
    let clueweb09 = of("clueweb09");
    let across = &clueweb09.across[0];
    assert_eq!((clueweb09.problems.count, across.documents, across.vectors), (0, 73, 3));
    let agg = of("mq2007-agg");
    assert_eq!(agg.problems.count, 0, "{:?}", agg.problems.listed);
    assert_eq!((agg.across[0].documents, agg.across[0].all_missing), (4583, 968));
    let sum = |count: fn(&fivefold_data::lint::PartReport) -> usize| agg.parts.iter().map(count).sum::<usize>();
    assert_eq!((sum(|part| part.documents), sum(|part| part.queries)), (69_623, 1692));
    assert!(agg.parts.iter().all(|part| part.features == 21 && part.missing_values > 0));
    let mq2008 = of("mq2008");
    // 220 queries have no relevant document. Queries of a single grade are these queries, and
    // queries whose documents are all relevant.
    assert!(mq2008.parts.iter().map(|part| part.single_grade_queries).sum::<usize>() >= 220);
    assert!(mq2008.parts.iter().all(|part| part.document_ids && part.missing_values == 0));
}

/// LightGBM's example: rows without queries, with group sizes beside them.
#[test]
fn group_sizes_of_lightgbm_are_read() {
    let Some(data) = real_data() else { return };
    let folder = data.join("lightgbm-rank");
    for (name, documents, queries) in [("rank.train", 3005, 201), ("rank.test", 768, 50)] {
        let part = fivefold_data::read_letor(&folder.join(name), &ReadOptions::default()).unwrap();
        assert_eq!((part.data.documents(), part.data.len(), part.data.max_grade()), (documents, queries, 4));
        assert!(part.data.width() <= 300);
        assert_eq!(part.data.query(0).id(), format!("{name}:1"));
    }
    let parts = report(&folder, &["rank.train", "rank.test"], &options());
    assert_eq!((parts.problems.count, parts.across[0].queries), (0, 0), "{:?}", parts.problems);
    // The same files as a known collection of one fold.
    let known = fivefold_data::descriptor("lightgbm-rank").unwrap();
    assert!(
        known.verify(&folder).unwrap().iter().all(|(_, checked)| *checked == fivefold_data::descriptor::Checked::Same)
    );
    let source = fivefold_data::Source { name: Some("lightgbm-rank".to_owned()), ..Default::default() };
    let collection = fivefold_data::open(&source, &[data]).unwrap();
    let fold = &collection.folds[0];
    assert_eq!(
        (collection.folds.len(), fold.train.len(), fold.validation.is_none(), fold.test.len()),
        (1, 201, true, 50)
    );
    assert!(collection.remarks.is_empty() && collection.all.width() == 300, "{:?}", collection.remarks);
    assert_eq!(report(&folder, &["."], &options()).across[0].fold, Some(1));
}

#[test]
fn qrels_and_runs_of_real_tracks_are_clean() {
    let Some(data) = real_data() else { return };
    let dl19 = data.join("trec/dl19");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(dl19.join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.push(dl19.join("qrels.txt"));
    let report = lint(&paths, &options());
    assert_eq!((report.problems.count, report.runs.len()), (0, 38), "{:?}", report.problems);
    assert_eq!((report.qrels[0].topics, report.qrels[0].documents), (43, 9260));
    // Topics x 129 systems, without a column of ids.
    let ap = fivefold_data::per_query::read(&data.join("trec/trec8/adhoc8_ap.csv"), &Default::default()).unwrap();
    assert_eq!((ap.measures[0].as_str(), ap.systems.len(), ap.queries.len()), ("adhoc8_ap", 129, 50));
    assert!(ap.values.iter().all(|value| (0.0..=1.0).contains(value)));
    // trec_eval's own output: summary rows are no queries.
    let trec_eval = data.join("trec/trec_eval/test/out.test.aq");
    let values = fivefold_data::per_query::read(&trec_eval, &Default::default()).unwrap();
    assert_eq!(values.queries, ["301", "302", "303"]);
}

//! The reader on whole files: odd inputs, queries over many blocks, missing values, errors, and the
//! way back.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::io::Write as _;
use std::path::Path;

use fivefold_core::dataset::IdTable;
use fivefold_core::{Dataset, DatasetBuilder, Grades};
use fivefold_data::digits::collapsed_remark;
use fivefold_data::hash::data_hash;
use fivefold_data::{Missing, Part, ReadError, ReadErrorKind, ReadOptions, read_letor, write_letor};
use proptest::prelude::*;

fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Part, ReadError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    read_letor(file.path(), options)
}

fn read(text: &str) -> Part {
    read_bytes(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn error(text: &str, options: &ReadOptions) -> String {
    let error = read_bytes(text.as_bytes(), options).unwrap_err();
    error.to_string().replace(&error.file.display().to_string(), "FILE")
}

fn ids(data: &Dataset) -> Vec<String> {
    data.queries().map(|query| query.id().to_owned()).collect()
}

fn rows(data: &Dataset) -> Vec<Vec<f32>> {
    data.queries().flat_map(|query| query.rows().map(<[f32]>::to_vec).collect::<Vec<_>>()).collect()
}

#[test]
fn query_ids_are_tokens_kept_as_written() {
    let qids = ["72048431380967004", "abc", "2020:1", "2021:1", "72048431380967005", "007", "7", "a#b", "ü"];
    let text: String = qids.iter().map(|qid| format!("1 qid:{qid} 1:1\n0 qid:{qid} 1:2\n")).collect();
    let part = read(&text);
    assert_eq!(ids(&part.data), qids);
    assert!(part.data.queries().all(|query| query.len() == 2));
    assert_eq!(part.lines, (0..qids.len() as u64).map(|i| 2 * i + 1).collect::<Vec<_>>());
}

#[test]
fn odd_but_good_inputs_read_alike() {
    let plain = "2 qid:1 1:0.5 2:0 3:-1.5e1 #docid = A inc = 1\n0 qid:1 1:1 #docid = B\n1 qid:2 2:3 # docid = A\n";
    let expected = read(plain).data;
    assert_eq!(rows(&expected), [[0.5, 0.0, -15.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
    assert_eq!((expected.query(0).doc_id(0), expected.query(1).doc_id(0)), (Some("A"), Some("A")));
    let odd = [
        plain.replace('\n', "\r\n"),
        plain.replace(' ', "\t"),
        plain.replace(' ', "  \t "),
        plain.trim_end().to_owned(),
        plain.replace('\n', "\n\n# a comment\n   \n"),
        format!("\u{feff}{plain}"),
        plain.replace("2:0 ", "").replace("-1.5e1", "-15.000"),
        plain.replace("2 qid", " 2.0 qid").replace("0.5", "+5E-1"),
    ];
    for text in odd {
        assert_eq!(data_hash(&read(&text).data), data_hash(&expected), "{text}");
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(plain.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    assert_eq!(data_hash(&read_bytes(&gzip, &ReadOptions::default()).unwrap().data), data_hash(&expected));
    let cut = read_bytes(&gzip[..gzip.len() - 12], &ReadOptions::default()).unwrap_err();
    assert!(matches!(cut.kind, ReadErrorKind::Io(_)), "{cut}");
}

/// The readers of SVMlight take feature ids in any order. The data are the same, and the lines are
/// counted.
#[test]
fn unsorted_ids_are_read_and_counted() {
    let sorted = read("1 qid:1 1:1 2:2 3:3 # a\n0 qid:1 2:5 # b\n");
    let unsorted = read("1 qid:1 3:3 1:1 2:2 # a\n0 qid:1 2:5 # b\n");
    assert_eq!(data_hash(&sorted.data), data_hash(&unsorted.data));
    assert!(sorted.remarks.is_empty());
    let [remark] = &unsorted.remarks[..] else { panic!("{:?}", unsorted.remarks) };
    assert!(remark.starts_with("1 line has feature ids that do not rise along the line (first "), "{remark}");
    assert!(remark.ends_with(":1); all were read"), "{remark}");
}

/// dmlc/treelite #98: times in seconds become equal when they are stored in 32 bits.
#[test]
fn values_that_32_bits_make_equal_are_told_treelite_98() {
    let remarks = |text: &str| -> Vec<String> { collapsed_remark(&read(text).collapsed).into_iter().collect() };
    let [remark] = &remarks("0 qid:1 1:1609459201 2:0.5\n1 qid:1 1:1609459261 2:0.1\n")[..] else { panic!() };
    assert!(
        remark.starts_with(
            "different values of 1 feature are equal once they are stored in 32 bits (feature 1: 1609459201 and 1609459261 \
             are both stored as 1609459200);"
        ),
        "{remark}"
    );
    assert_eq!(remarks("0 qid:1 1:1609459200\n1 qid:1 1:1609459201\n").len(), 1);
    assert_eq!(remarks("0 qid:1 1:1e-60 2:1\n1 qid:1 2:2\n").len(), 1); // becomes 0
    // Numbers as programs write them, with 17 digits or 6: different numbers stay different.
    let mut text = String::new();
    for n in 1..=4000 {
        let x = f64::from(n);
        text += &format!("0 qid:{} 1:{:.17} 2:{:.6} 3:{} 4:{:e}\n", n / 100, 1.0 / x, x.sqrt(), n * 4000, x / 7.0);
    }
    assert_eq!(remarks(&text), [""; 0]);
}

/// dmlc/xgboost #1023, Microsoft/LightGBM #1117: a remark names files beside the data that other
/// programs would read and fivefold does not. Columns in errors are columns of the file.
#[test]
fn files_beside_the_data_are_named_and_columns_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let write = |name: &str, text: &str| std::fs::write(file(name), text).unwrap();
    write("rank.train", "1 1:0.2 2:3\n0 1:0.4\n");
    write("rank.train.query", "2\n");
    let read = || read_letor(&file("rank.train"), &ReadOptions::default());
    assert_eq!(read().unwrap().remarks, [""; 0]);
    for name in ["weight", "init", "position", "group"] {
        write(&format!("rank.train.{name}"), "2\n");
    }
    let remarks = || -> Vec<String> {
        let shown = format!("{}/", folder.path().display());
        read().unwrap().remarks.iter().map(|remark| remark.replace(&shown, "")).collect()
    };
    assert_eq!(
        remarks(),
        [
            "rank.train.weight beside the data: weights of documents are not used",
            "rank.train.init beside the data: initial scores are not used",
            "rank.train.position beside the data: positions of documents are not used",
            "rank.train.group beside the data: group sizes are not used, because the sizes in the file that ends with `.query` are used",
        ]
    );
    write("rank.train", "# head\n1 qid:7 1:0.2\n");
    assert_eq!(
        remarks()[3..],
        [
            "rank.train.query and 1 more beside the data: group sizes are not used, since the rows name their queries (`qid:`)"
        ]
    );
    for (row, column) in [
        ("1 1:0.2 2:x", 11), // the case
        ("  1\t1:0.2 2:x", 13),
        ("x 1:0.2 2:1", 1),
        ("1 1:0.2 # d\u{a0}", 12),
        ("1\u{a0}1:0.2", 2),
    ] {
        write("rank.train", &format!("1 1:2 # c\n{row}\n"));
        let error = read().unwrap_err();
        assert_eq!((error.line, error.column), (2, column), "{error}");
    }
}

#[test]
fn ids_may_count_from_zero_and_widths_may_be_declared() {
    let options = ReadOptions { first_feature_id: 0, ..ReadOptions::default() };
    assert_eq!(rows(&read_bytes(b"0 qid:1 0:5 2:6\n", &options).unwrap().data), [[5.0, 0.0, 6.0]]);
    let options = ReadOptions { features: Some(4), ..ReadOptions::default() };
    assert_eq!(rows(&read_bytes(b"0 qid:1 2:6\n", &options).unwrap().data), [[0.0, 6.0, 0.0, 0.0]]);
}

#[test]
fn missing_values_follow_the_policy() {
    let text = "0 qid:1 1:NULL 2:5 3:NULL\n0 qid:1 1:3 2:nan 3:NULL\n0 qid:1 1:-4 2:7\n0 qid:2 1:9 2:NaN 3:1\n";
    let read = |missing| read_bytes(text.as_bytes(), &ReadOptions { missing, ..ReadOptions::default() });
    let zero = [[0.0, 5.0, 0.0], [3.0, 0.0, 0.0], [-4.0, 7.0, 0.0], [9.0, 0.0, 1.0]];
    assert_eq!(rows(&read(Missing::Zero).unwrap().data), zero);
    // One line leaves out feature 3 of query 1, which is then 0. Feature 2 of query 2 is missing
    // everywhere.
    let minimum = [[-4.0, 5.0, 0.0], [3.0, 5.0, 0.0], [-4.0, 7.0, 0.0], [9.0, 0.0, 1.0]];
    assert_eq!(rows(&read(Missing::QueryMin).unwrap().data), minimum);
    let refused = read(Missing::Error).unwrap_err();
    assert_eq!((refused.line, refused.column), (1, 11));
    let all = "0 qid:1 1:NULL 2:-5\n0 qid:1 1:NULL 2:NULL\n";
    let part =
        read_bytes(all.as_bytes(), &ReadOptions { missing: Missing::QueryMin, ..ReadOptions::default() }).unwrap();
    assert_eq!(rows(&part.data), [[0.0, -5.0], [0.0, -5.0]]);
}

#[test]
fn scattered_queries_are_an_error_or_regrouped() {
    let text = "1 qid:a 1:1\n0 qid:b 1:2\n\n2 qid:a 1:3\n0 qid:c 1:4\n1 qid:b 2:5\n";
    let expected = "FILE:4:7: query `a` goes on here, but its lines 1 to 1 were followed by another query; put the query's \
                    lines together, or set regroup = true; different queries need different ids";
    assert_eq!(error(text, &ReadOptions::default()), expected);
    let options = ReadOptions { regroup: true, ..ReadOptions::default() };
    let part = read_bytes(text.as_bytes(), &options).unwrap();
    assert_eq!(ids(&part.data), ["a", "b", "c"]);
    assert_eq!(rows(&part.data), [[1.0, 0.0], [3.0, 0.0], [2.0, 0.0], [0.0, 5.0], [4.0, 0.0]]);
    assert_eq!(part.lines, [1, 2, 5]);
    // Scores in the order of the lines, one a document: 10 x the value of the document's feature.
    let in_file = vec![10.0, 20.0, 30.0, 40.0, 50.0];
    let in_data = part.in_data_order(in_file.clone());
    assert_eq!(in_data, [10.0, 30.0, 20.0, 50.0, 40.0]);
    assert_eq!(part.in_file_order(in_data), in_file);
    let together = "1 qid:a 1:1\n0 qid:b 1:2\n";
    let regrouped = read_bytes(together.as_bytes(), &options).unwrap();
    assert_eq!(data_hash(&regrouped.data), data_hash(&read(together).data));
    assert_eq!((regrouped.moved, read(together).moved), (None, None));
}

#[test]
fn documents_are_told_apart_by_id() {
    let text = "0 qid:1 1:1 # docid = X\n0 qid:2 1:1 # docid = X\n1 qid:2 1:2 # docid = Y\n0 qid:2 1:3 # docid = X\n";
    let expected = "FILE:4: document `X` of query `2` stands on line 2 already; remove a line, or give the two documents different ids";
    assert_eq!(error(text, &ReadOptions::default()), expected);
    let regrouped = "0 qid:2 1:1 # X\n0 qid:1 1:1 # X\n0 qid:2 1:3 # X\n";
    let options = ReadOptions { regroup: true, ..ReadOptions::default() };
    assert!(error(regrouped, &options).starts_with("FILE:3: document `X` of query `2` stands on line 1 already"));
    let some = "0 qid:1 1:1 # X\n0 qid:1 1:1\n";
    let expected = "FILE:2: this line has no document id, but line 1 has a document id; give every document an id (`# docid = X`), or give no document an id";
    assert_eq!(error(some, &ReadOptions::default()), expected);
    assert!(
        error("0 qid:1 1:1\n0 qid:1 1:1 # X\n", &ReadOptions::default())
            .starts_with("FILE:2: this line has a document id")
    );
}

#[test]
fn errors_say_where_what_and_what_to_do() {
    let grade = "FILE:2:1: grade `-1` is not a whole number from 0 to 30; a line reads `grade qid:TOKEN id:value ... # comment`";
    assert_eq!(error("1 qid:1 1:1\n-1 qid:1 1:1\n", &ReadOptions::default()), grade);
    let value = "FILE:1:11: value `inf` of feature 1 is not a finite number that fits 32 bits; give a decimal number, or NULL \
                 with missing = \"zero\" or \"query-min\"";
    assert_eq!(error("1 qid:1 1:inf\n", &ReadOptions::default()), value);
    assert_eq!(
        error("\n# nothing\n", &ReadOptions::default()),
        "FILE: the file has no document; check the path: is the file LETOR text?"
    );
    let absent = read_letor(Path::new("no such file"), &ReadOptions::default()).unwrap_err();
    assert!(absent.to_string().starts_with("no such file: cannot be read: "), "{absent}");
    let bytes = read_bytes(b"0 qid:\xff 1:1\n", &ReadOptions::default()).unwrap_err();
    assert_eq!((bytes.line, bytes.column), (1, 7));
    let bytes = read_bytes(b"0 qid:1 1:1 #\xff\n", &ReadOptions::default()).unwrap_err();
    assert_eq!((bytes.line, bytes.column), (1, 14));
}

/// Text of several megabytes, so that queries extend over several blocks. Every 7th query has the
/// first feature only.
fn long_text() -> String {
    let mut text = String::new();
    for query in 0..3000 {
        for document in 0..10 {
            text += &format!("{} qid:q{query} 1:{document}", (query + document) % 3);
            if query % 7 > 0 {
                (2..20 + query % 3).for_each(|id| text += &format!(" {id}:{}.5", query * id + document));
            }
            text += &format!(" #docid = D{document}\n");
        }
    }
    text
}

#[test]
fn blocks_and_threads_do_not_show() {
    let text = long_text();
    assert!(text.len() > 5 << 20);
    let read_with = |threads: usize, regroup: bool, text: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| read_bytes(text.as_bytes(), &ReadOptions { regroup, ..ReadOptions::default() }))
    };
    let part = read_with(1, false, &text).unwrap();
    assert_eq!((part.data.len(), part.data.documents(), part.data.width()), (3000, 30_000, 21));
    assert_eq!(part.data.query(2999).row(9)[18], (2999 * 19 + 9) as f32 + 0.5);
    assert_eq!(part.lines[2999], 29_991);
    let hash = data_hash(&part.data);
    assert_eq!(data_hash(&read_with(4, false, &text).unwrap().data), hash);
    assert_eq!(data_hash(&read_with(4, true, &text).unwrap().data), hash);
    // Regrouping deals out the documents in another order, over many blocks. Each document keeps
    // its number in the file.
    let mut dealt: Vec<&str> = text.lines().step_by(2).collect();
    dealt.extend(text.lines().skip(1).step_by(2));
    let scattered = read_with(3, true, &(dealt.join("\n") + "\n")).unwrap();
    let firsts: Vec<f64> = dealt.iter().map(|line| line.split(' ').nth(2).unwrap()[2..].parse().unwrap()).collect();
    let of_data = scattered.data.queries().flat_map(|q| q.rows().map(|row| f64::from(row[0])).collect::<Vec<_>>());
    assert_eq!(scattered.in_data_order(firsts), of_data.collect::<Vec<_>>());
    assert_eq!(scattered.moved.as_ref().map(|numbers| numbers[..3].to_vec()), Some(vec![0, 1, 2]));
    // Of two errors in the file, the first is reported, wherever blocks end.
    let at = text.find("1 qid:q2500 ").unwrap();
    let broken = format!("{}x{}\nx", &text[..at], &text[at..]);
    for threads in [1, 3] {
        let line = text[..at].lines().count() as u64 + 1;
        assert_eq!(read_with(threads, false, &broken).unwrap_err().line, line);
    }
}

/// Queries with ids, grades and features of any kind.
fn any_dataset() -> impl Strategy<Value = Dataset> {
    let value = prop_oneof![
        any::<f32>().prop_filter("finite", |v| v.is_finite()),
        Just(0.0),
        (-1000i32..1000).prop_map(|v| v as f32)
    ];
    let doc_id = "[a-zA-Z0-9.:#-]{1,12}( [a-z]{1,4})?";
    (1usize..6, prop::collection::vec(1usize..5, 1..6), any::<bool>()).prop_flat_map(move |(width, sizes, with_ids)| {
        let documents: usize = sizes.iter().sum();
        let features = prop::collection::vec(value.clone(), documents * width);
        let grades = prop::collection::vec(0u8..=30, documents);
        let names = prop::collection::vec(doc_id, documents);
        (features, grades, names).prop_map(move |(features, grades, names)| {
            let mut query_ids = IdTable::default();
            let mut doc_ids = IdTable::default();
            let mut bounds = vec![0];
            for (number, size) in sizes.iter().enumerate() {
                query_ids.push(&format!("{number}:ü#"));
                bounds.push(bounds[number] + size);
            }
            if with_ids {
                // The number keeps the ids of a query different.
                names.iter().enumerate().for_each(|(number, name)| doc_ids.push(&format!("{number}{name}")));
            }
            let features = std::sync::Arc::new(features);
            let grades = Grades::new(grades, None).unwrap();
            DatasetBuilder { features, width, grades, bounds, query_ids, doc_ids }.build().unwrap()
        })
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(data in any_dataset()) {
        let mut text = Vec::new();
        write_letor(&data, &mut text).unwrap();
        let options = ReadOptions { max_grade: Some(data.max_grade()), ..ReadOptions::default() };
        prop_assert_eq!(data_hash(&read_bytes(&text, &options).unwrap().data), data_hash(&data));
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), missing in prop::sample::select(Missing::ALL.to_vec()), regroup: bool) {
        let options = ReadOptions { missing, regroup, ..ReadOptions::default() };
        let _ = read_bytes(&bytes, &options);
    }

    #[test]
    fn nearly_good_text_never_panics(text in "([0-3] (qid:[a-c])?( [0-9]{1,6}:[-+.0-9eNULnaif]{0,8}){0,4}( ?#[ dociq=x]{0,9})?[\r\n ]{1,2}){0,8}", regroup: bool) {
        let options = ReadOptions { missing: Missing::QueryMin, regroup, ..ReadOptions::default() };
        if let Ok(part) = read_bytes(text.as_bytes(), &options) {
            prop_assert!(part.data.queries().all(|query| query.features().iter().all(|value| value.is_finite())));
        }
    }
}

#[test]
fn ids_that_cannot_be_written_are_refused() {
    let build = |qid: &str, doc: &str, value: f32| {
        let table = |id: &str| {
            let mut table = IdTable::default();
            table.push(id);
            table
        };
        let (features, query_ids, doc_ids) = (std::sync::Arc::new(vec![value]), table(qid), table(doc));
        let grades = Grades::new(vec![0], None).unwrap();
        DatasetBuilder { features, width: 1, grades, bounds: vec![0, 1], query_ids, doc_ids }.build().unwrap()
    };
    for data in [
        build("a b", "x", 0.0),
        build("", "x", 0.0),
        build("a", "x\ny", 0.0),
        build("a", " x", 0.0),
        build("a", "x", f32::NAN),
    ] {
        assert_eq!(write_letor(&data, &mut Vec::new()).unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    }
}

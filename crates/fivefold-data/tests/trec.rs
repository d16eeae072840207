//! Tests of qrels, runs and values per query: the accepted content, the counts, and the refused
//! content.
#![allow(clippy::unwrap_used)] // a test

use std::path::{Path, PathBuf};

use fivefold_base::Assessment;
use fivefold_data::per_query::{self, MissingQuery, PerQueryOptions, Remark, SystemValues};
use fivefold_data::trec::{Duplicates, Joined, Judgement, read_qrels, read_run};
use tempfile::TempDir;

fn file(folder: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The text of an error without the folder.
fn message(error: impl std::fmt::Display, folder: &TempDir) -> String {
    error.to_string().replace(&format!("{}/", folder.path().display()), "")
}

const QRELS: &str = "\u{feff}# judged by hand\r\n2 0 a#1 1\r\n1\t0  b   2\r\n\r\n2 0 c -2\n1 0 #d 0\n";

#[test]
fn qrels_keep_the_order_of_topics_and_all_ids() {
    let folder = TempDir::new().unwrap();
    let qrels = read_qrels(&file(&folder, "qrels", QRELS), Duplicates::Error).unwrap();
    let ids: Vec<&str> = qrels.topics.iter().map(|topic| topic.id.as_str()).collect();
    assert_eq!(ids, ["2", "1"]);
    let grades = |topic: &str| -> Vec<(&str, i32)> {
        qrels.topic(topic).unwrap().judgements.iter().map(|j| (j.document.as_str(), j.grade)).collect()
    };
    assert_eq!(grades("2"), [("a#1", 1), ("c", -2)]);
    assert_eq!(grades("1"), [("b", 2), ("#d", 0)]);
    assert_eq!(qrels.topic("1").unwrap().judgement("#d").map(|j| j.grade), Some(0));
    assert_eq!(qrels.topic("1").unwrap().judgement("a#1"), None);
    assert_eq!(qrels.topics[0].judgements[1].grade(), None);
    assert_eq!(qrels.topics[0].grades(), [1]);
    assert_eq!((qrels.max_grade(), qrels.documents()), (2, 4));
    assert_eq!(qrels.remarks(), ["1 comment line was passed over", "1 grade is negative and counts as not judged"]);
}

#[test]
fn duplicates_are_refused_or_settled_and_counted() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "qrels", "1 0 a 1\n1 0 b 0\n1 0 a 3\n1 0 b 0\n1 0 a 2\n");
    let error = message(read_qrels(&path, Duplicates::Error).unwrap_err(), &folder);
    assert_eq!(
        error,
        "qrels:3: document `a` of topic `1` stands on line 1 already; remove a line, or say which line counts: \
         first, last or highest"
    );
    for (policy, grade) in [(Duplicates::First, 1), (Duplicates::Last, 2), (Duplicates::Highest, 3)] {
        let qrels = read_qrels(&path, policy).unwrap();
        assert_eq!(qrels.topics[0].judgements[0], Judgement { document: "a".into(), grade }, "{policy}");
        assert_eq!((qrels.conflicting, qrels.repeated, qrels.documents()), (2, 1, 2));
    }
    let path = file(&folder, "run", "1 Q0 a 1 0.5 x\n1 Q0 a 2 0.75 x\n1 Q0 a 3 0.25 y junk after the tag\n");
    assert!(message(read_run(&path, Duplicates::Error).unwrap_err(), &folder).starts_with("run:2: document `a`"));
    for (policy, score, rank) in
        [(Duplicates::First, 0.5, 1), (Duplicates::Last, 0.25, 3), (Duplicates::Highest, 0.75, 2)]
    {
        let run = read_run(&path, policy).unwrap();
        let documents = &run.topics[0].documents;
        assert_eq!((documents.len(), documents[0].score, documents[0].rank), (1, score, rank), "{policy}");
        assert_eq!((run.repeated, run.other_tags, run.tag.as_str()), (2, 1, "x"));
    }
}

#[test]
fn ranks_order_nothing_and_contradictions_are_counted() {
    let folder = TempDir::new().unwrap();
    let text = "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.75 x\n2 Q0 a 1 2 x\n2 Q0 b 2 2 x\n2 Q0 c 3 1e-3 x\n";
    let run = read_run(&file(&folder, "run", text), Duplicates::Error).unwrap();
    assert_eq!(run.ranks_differ, 1);
    assert_eq!(run.remarks(), ["1 topic has ranks that contradict the scores; the scores count, as in trec_eval"]);
    assert_eq!(run.topic("2").unwrap().documents[2].score, 1e-3);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let folder = TempDir::new().unwrap();
    let qrels =
        |text: &str| message(read_qrels(&file(&folder, "qrels", text), Duplicates::Error).unwrap_err(), &folder);
    let run = |text: &str| message(read_run(&file(&folder, "run", text), Duplicates::Error).unwrap_err(), &folder);
    assert!(qrels("1 0 a 1\n1 0 b\n").starts_with("qrels:2: found 3 fields where there should be 4;"));
    assert!(qrels("1 0 a 1 x y z\n").starts_with("qrels:1: found 7 fields where there should be 4;"));
    assert!(qrels("1 0 a 1.5\n").starts_with("qrels:1: grade `1.5` is not a whole number;"));
    assert!(qrels("1 0 a 31\n").starts_with("qrels:1: grade 31 of document `a` in topic `1` is above 30;"));
    assert!(qrels("# nothing\n\n").starts_with("qrels: the file has no judgement;"));
    assert!(run("1 Q0 a 1 0.5\n").starts_with("run:1: found 5 fields where there should be 6 or more;"));
    assert!(run("1 Q0 a 1 nan x\n").starts_with("run:1: score `nan` is not a finite number;"));
    assert!(run("1 Q0 a one 1 x\n").starts_with("run:1: rank `one` is not a whole number;"));
    assert!(run("").starts_with("run: the file has no document;"));
    assert!(read_run(Path::new("no such file"), Duplicates::Error).is_err());
    std::fs::write(folder.path().join("bytes"), b"1 0 a 1\n1 0 \xff 1\n").unwrap();
    let error = read_qrels(&folder.path().join("bytes"), Duplicates::Error).unwrap_err().to_string();
    assert!(error.contains("line 2: not UTF-8 text"), "{error}");
}

/// mosuka/litsea #99 for all readers of lines; pocoproject/poco #286 for forms of NaN.
#[test]
fn odd_blanks_and_numbers_of_other_programs() {
    let folder = TempDir::new().unwrap();
    let qrels =
        |text: &str| message(read_qrels(&file(&folder, "qrels", text), Duplicates::Error).unwrap_err(), &folder);
    let run = |text: &str| message(read_run(&file(&folder, "run", text), Duplicates::Error).unwrap_err(), &folder);
    assert!(qrels("1 0 a 1\n1 0 b\u{a0}c 1\n").starts_with("qrels:2:6: found the character U+00A0 (no-break space);"));
    assert!(qrels("1\u{b}0 a 1\n").starts_with("qrels:1:2: found the character U+000B (vertical tab);"));
    assert!(
        qrels("1 0 a 1\n\u{feff}1 0 b 1\n").starts_with("qrels:2:1: found the character U+FEFF (byte order mark);")
    );
    assert!(run("1 Q0 d\u{200b} 1 0.5 t\n").starts_with("run:1:7: found the character U+200B (zero-width space);"));
    assert!(run("1 Q0 a 1 1.#IND t\n").starts_with("run:1: score `1.#IND` is not a finite number;"));
    assert!(read_qrels(&file(&folder, "qrels", "# caf\u{e9}\u{a0}: \u{b}\n1 0 a 1\r\r\n"), Duplicates::Error).is_ok());
    assert!(
        values(&folder, "x.txt", "map q\u{a0}1 0.5\nmap q2 0.25\nmap all 0.5\n")
            .unwrap_err()
            .starts_with("x.txt:1: found the character U+00A0 (no-break space) in column 6;")
    );
    assert!(
        values(&folder, "x.csv", "query,a\nq\u{b}1,.5\n")
            .unwrap_err()
            .starts_with("x.csv:2: the name of a query, `q\\u{b}1`, has the character U+000B (vertical tab);")
    );
    let titles = values(&folder, "x.csv", "query,a b\nprix\u{a0}: 5,.5\nq2,1.#QNAN\n").unwrap();
    assert_eq!((titles.queries[0].as_str(), titles.undefined_count()), ("prix\u{a0}: 5", 1));
}

/// Two columns of the same name are not two values of a query.
#[test]
fn a_column_that_stands_twice_is_named() {
    let folder = TempDir::new().unwrap();
    for (text, expected) in [
        ("query,a,b,a\n1,.1,.2,.3\n", "x.csv:1: column `a` stands twice (columns 2 and 4);"),
        ("# by hand\na,b,b\n.1,.2,.3\n", "x.csv:2: column `b` stands twice (columns 2 and 3);"),
        (
            "dataset,fold,query,documents,ranker,ap,ap\nD,1,q,all,r,.1,.2\n",
            "x.csv:1: column `ap` stands twice (columns 6 and 7);",
        ),
        (
            "measure,query,a,a,queries,undefined\nap,q,.1,.2,1,0\n",
            "x.csv:1: column `a` stands twice (columns 3 and 4);",
        ),
    ] {
        let error = values(&folder, "x.csv", text).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Comments, blank lines and both kinds of line ends count as lines.
#[test]
fn lines_of_tables_are_those_of_the_file() {
    let folder = TempDir::new().unwrap();
    for (text, line) in [
        ("query,a\n1,x\n", 2),
        ("# by hand\n\nquery,a\n# more\n1,.1\n\n2,x\n", 7),
        ("# by hand\r\nquery,a\r\n1,.1\r\n2,x\r\n", 4),
        ("query,a\r\n\r\n1,.1\r\n# more\r\n2,x\r\n", 5),
    ] {
        let error = values(&folder, "x.csv", text).unwrap_err();
        assert!(error.starts_with(&format!("x.csv:{line}: value `x`")), "{text:?}: {error}");
    }
}

#[test]
fn a_run_is_joined_by_topic_and_document() {
    let folder = TempDir::new().unwrap();
    let qrels = read_qrels(&file(&folder, "qrels", QRELS), Duplicates::Error).unwrap();
    let text = "9 Q0 a 1 1 x\n2 Q0 z 1 3 x\n2 Q0 a#1 2 2 x\n2 Q0 c 3 1 x\n";
    let run = read_run(&file(&folder, "run", text), Duplicates::Error).unwrap();
    let joined = Joined::new(&qrels, &run);
    let found = joined.matched;
    assert_eq!((found.missing, found.extra, found.unjudged, found.retrieved), (1, 1, 2, 3));
    let topic = &joined.topics[0];
    assert_eq!((topic.id, &topic.ids()[..]), ("2", &["z", "a#1", "c"][..]));
    assert_eq!(topic.assessments, [Assessment::Unjudged, Assessment::Judged(1), Assessment::Pooled]);
    assert_eq!((topic.scores[0], topic.unjudged, topic.in_run), (3.0, 2, true));
    assert!(!joined.topics[1].in_run && joined.topics[1].documents.is_empty());
    assert_eq!(joined.remarks().len(), 3);
    assert_eq!(Joined::that_share(&qrels, &run).unwrap().matched, found);
    // Ids that are written otherwise fit no topic.
    let other = read_run(&file(&folder, "other", "q2 Q0 a#1 1 1 x\n"), Duplicates::Error).unwrap();
    let told = Joined::that_share(&qrels, &other).unwrap_err().to_string();
    assert!(
        told.contains("other: no topic of the run is in the qrels: the run has `q2` first, the qrels `2`"),
        "{told}"
    );
}

fn values(folder: &TempDir, name: &str, text: &str) -> Result<SystemValues, String> {
    per_query::read(&file(folder, name, text), &PerQueryOptions::default()).map_err(|error| message(error, folder))
}

/// Output of several programs for the same two queries.
#[test]
fn formats_are_recognised_by_content() {
    let folder = TempDir::new().unwrap();
    let trec_eval = "map                   \tq1\t0.5000\nP_10\tq1\t0.1\nmap\tq2\t0.25\nP_10\tq2\t0.2\nrunid\tall\tmine\nmap\tall\t0.375\nP_10\tall\t0.15\n";
    let found = values(&folder, "x.eval", trec_eval).unwrap();
    assert_eq!(
        (&found.measures[..], &found.systems[..], &found.queries[..]),
        (&["map".to_owned(), "P_10".to_owned()][..], &["mine".to_owned()][..], &["q1".to_owned(), "q2".to_owned()][..])
    );
    assert_eq!(found.values, [0.5, 0.25, 0.1, 0.2]);
    assert_eq!(found.remarks, [Remark::Summaries(2)]);
    for (name, text) in [
        ("a.tsv", "q1\tAP\t0.5\nq2\tAP\t0.25\nall\tAP\t0.375\n"),
        ("a.eval", "map q1 0.5\nmap q2 0.25\nmap all 0.375\n"),
        ("a.tsv", "q1\tAP(rel=2)\t0.5\nq2\tAP(rel=2)\t0.25\n"),
        ("a.json", r#"{"map": {"q1": 0.5, "q2": 0.25}}"#),
        ("a.json", r#"{"q1": {"map": 0.5}, "q2": {"map": 0.25}}"#),
        ("a.csv", "query,a\nq1,0.5\nq2,0.25\nALL,0.375\n"),
        ("a.csv", "topic\ta\nq1\t0.5\nq2\t0.25\n"),
        ("a.csv", "dataset,fold,query,documents,ranker,ndcg@10\nD,1,q1,all,a,0.5\nD,2,q2,all,a,0.25\n"),
        ("a.csv", "# title\nmeasure,query,a,queries,undefined\nap,q1,0.5,1,0\nap,q2,0.25,1,0\nap,all,0.375,2,0\n"),
    ] {
        let found = values(&folder, name, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((found.measures.len(), &found.systems[..]), (1, &["a".to_owned()][..]), "{text}");
        assert_eq!(
            (&found.queries[..], &found.values[..]),
            (&["q1".to_owned(), "q2".to_owned()][..], &[0.5, 0.25][..]),
            "{text}"
        );
    }
    // A format that the user names is used.
    let named = PerQueryOptions { system: Some("bm25".to_owned()), ..PerQueryOptions::default() };
    assert_eq!(per_query::read(&folder.path().join("x.eval"), &named).unwrap().systems, ["bm25"]);
    let numbered = values(&folder, "ap.csv", "run1,run2\n0.1,0.2\n0.3,nan\n").unwrap();
    assert_eq!(
        (&numbered.queries[..], &numbered.measures[..]),
        (&["1".to_owned(), "2".to_owned()][..], &["ap".to_owned()][..])
    );
    assert!(numbered.undefined[3] && numbered.undefined_count() == 1);
}

/// Below the head, only a line without a cell for each column is a comment. `fivefold` writes ids
/// that start with `#` in quotes.
#[test]
fn ids_of_queries_may_start_with_a_hash() {
    let folder = TempDir::new().unwrap();
    for text in [
        "query,a,b\n#1,.5,.4\nq2,.3,.6\n",
        "query,a,b\n\"#1\",.5,.4\nq2,.3,.6\n",
        "# by hand\n\nqid\ta\tb\n#1\t.5\t.4\nq2\t.3\t.6\n",
    ] {
        let found = values(&folder, "ap.csv", text).unwrap();
        assert_eq!(
            (&found.queries[..], &found.values[..]),
            (&["#1".to_owned(), "q2".to_owned()][..], &[0.5, 0.3, 0.4, 0.6][..])
        );
        assert!(found.remarks.is_empty(), "{:?}", found.remarks);
    }
    let all = values(&folder, "ap.csv", "query,a\n#1,.5\n#2,.4\n").unwrap();
    assert_eq!(all.queries, ["#1", "#2"]);
    let triples = values(&folder, "a.tsv", "# by hand, not a value\n#1 map .5\n#2 map .4\n");
    assert!(triples.unwrap_err().starts_with("a.tsv:1: found 6 fields where there should be 3;"));
    assert_eq!(values(&folder, "a.tsv", "#1 map .5\n#2 map .4\n").unwrap().queries, ["#1", "#2"]);
    let counted = values(&folder, "ap.csv", "query,a,b\n# until here by hand\nq1,.5,.4\n# the end\n").unwrap();
    assert_eq!(
        counted.remarks.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["2 comments below the names of the columns were passed over"]
    );
    assert_eq!(counted.queries, ["q1"]);
    // A quote that does not end loses no row in silence.
    assert!(values(&folder, "ap.csv", "query,a,b\n# x,\"y\nq1,.5,.4\nq2,.5,.4\n").is_err());
}

/// A variation on trec_eval's outputs: topics have the names of summary rows, and means stand below
/// the values.
#[test]
fn topics_named_as_summaries_are_topics() {
    let folder = TempDir::new().unwrap();
    let eval = "# 4 topics\nmeasure,query,A,B,queries,undefined\nrr,all,1,0.5,1,0\nrr,mean,0.5,1,1,0\nrr,q3,1,0.5,1,0\nrr,q4,1,1,1,0\n\
                rr,all,0.875,0.75,4,0\n";
    let found = values(&folder, "pq.csv", eval).unwrap();
    assert_eq!(found.queries, ["all", "mean", "q3", "q4"]);
    assert_eq!((found.of(0, 0), found.of(0, 1)), (&[1.0, 0.5, 1.0, 1.0][..], &[0.5, 1.0, 0.5, 1.0][..]));
    assert_eq!(found.remarks, [Remark::Summaries(2)]);
    // Two folds, with and without the means of each fold.
    let of_folds = |means: &str| {
        format!(
            "measure,fold,query,fold,queries,undefined\nrr,1,all,.1,1,0\nrr,1,b,.2,1,0\nrr,2,average,.3,1,0\nrr,2,all,.4,1,0\n{means}\
             rr,all,all,.25,4,0\n"
        )
    };
    for means in ["", "rr,1,all,.15,2,0\nrr,2,all,.35,2,0\n"] {
        let found = values(&folder, "pq.csv", &of_folds(means)).unwrap();
        assert_eq!(found.queries, ["1/all", "1/b", "2/average", "2/all"], "{means}");
        assert_eq!((found.values, found.systems), (vec![0.1, 0.2, 0.3, 0.4], vec!["fold".to_owned()]));
    }
    // A column `fold` may belong to a system.
    let system =
        values(&folder, "pq.csv", "measure,query,fold,queries,undefined\nrr,q,.5,1,0\nrr,all,.5,1,0\n").unwrap();
    assert_eq!((&system.systems[..], &system.queries[..]), (&["fold".to_owned()][..], &["q".to_owned()][..]));
    // No row of a results folder is a summary.
    let ours = "dataset,fold,query,documents,ranker,ap\nD,1,all,all,a,.5\nD,1,mean,all,a,.25\n";
    assert_eq!(values(&folder, "per_query.csv", ours).unwrap().queries, ["all", "mean"]);
    // Files of other programs: the last row with the name is the mean. A remark says that the other
    // rows are queries.
    let trec_eval = "map all .5\nmap mean .25\nmap q3 0\nnum_q all 3\nmap all .25\n";
    let found = values(&folder, "x.eval", trec_eval).unwrap();
    assert_eq!(
        (&found.queries[..], found.of(0, 0)),
        (&["all", "mean", "q3"].map(str::to_owned)[..], &[0.5, 0.25, 0.0][..])
    );
    assert_eq!((&found.measures[..], &found.remarks[1]), (&["map".to_owned()][..], &Remark::Summaries(2)));
    assert_eq!(
        found.remarks[0].to_string(),
        "`all` and `mean` are named as a summary row is, but count as queries: the last row `all` of each measure was taken for the summary"
    );
    assert!(values(&folder, "x.csv", "query,a\nall,?\nq,1\nall,1\n").unwrap_err().starts_with("x.csv:2: value `?`"));
}

/// A mean over systems is no system, and a deviation is no query. Both still count as system and
/// query, with a remark.
#[test]
fn names_of_statistics_are_remarked() {
    let folder = TempDir::new().unwrap();
    let said = |text: &str| {
        let found = values(&folder, "ap.csv", text).unwrap();
        found.remarks.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        said("query,a,b,mean\nq1,.5,.4,.45\nMAP,.5,.4,.45\nstd,.1,.1,.1\n"),
        [
            "`MAP` and `std` count as queries; if they are not, remove them",
            "`mean` counts as a system; if it is not, remove it from the file"
        ]
    );
    assert!(said("query,mean\nq1,.5\nq2,.4\n").is_empty());
}

/// Words of programs for an undefined value. C prints `-nan` for 0 / 0.
#[test]
fn words_for_undefined_values() {
    let folder = TempDir::new().unwrap();
    for word in ["nan", "NaN", "-nan", "NA", "null", "None", "undefined", "1.#QNAN", "-1.#IND00"] {
        for text in [
            format!("map q1 0.5\nmap q2 {word}\nmap q3 {word}\nmap all 0.5\n"),
            format!("query,a\nq1,0.5\nq2,{word}\nq3,\n"),
        ] {
            let found = values(&folder, "x", &text).unwrap();
            assert_eq!((found.queries.len(), found.undefined_count()), (3, 2), "{text}");
        }
    }
}

/// wikimedia/ores #177: Python's `json.dumps` writes NaN, which counts as undefined, as in CSV.
#[test]
fn nan_in_json_is_undefined() {
    let folder = TempDir::new().unwrap();
    let found =
        values(&folder, "a.json", r#"{"q1": {"map": NaN, "ndcg": 0.5}, "q\" NaN:2": {"map": 0.2, "ndcg": null}}"#)
            .unwrap();
    assert_eq!((&found.queries[..], found.undefined_count()), (&["q1", "q\" NaN:2"].map(str::to_owned)[..], 2));
    assert!(found.of(0, 0)[0].is_nan() && found.of(0, 0)[1] == 0.2);
    let error = values(&folder, "a.json", r#"{"map": {"q1": -Infinity}}"#).unwrap_err();
    assert!(error.contains("map of query `q1` is `\"-Infinity\"`, which is not a number"), "{error}");
    let error = values(&folder, "a.json", r#"{"map": {"q1": NaN, "q2": }}"#).unwrap_err();
    assert!(error.contains("expected value at line 1"), "{error}");
}

/// Heads that pandas and others give to a column of ids, and a column of ids under another head.
#[test]
fn a_column_that_counts_rows_is_no_system() {
    let folder = TempDir::new().unwrap();
    for head in ["q", "num", "Index", "Unnamed: 0"] {
        let found = values(&folder, "ap.csv", &format!("{head},a\n0,.5\n1,.4\n2,.3\n")).unwrap();
        assert_eq!(
            (&found.queries[..], &found.systems[..]),
            (&["0", "1", "2"].map(str::to_owned)[..], &["a".to_owned()][..])
        );
    }
    let error = values(&folder, "ap.csv", "number,a\n401,.5\n402,.4\n403,.3\n").unwrap_err();
    assert!(
        error.starts_with(
            "ap.csv:1: column `number` counts the rows, as ids of queries do, but is not called `query`; call it"
        ),
        "{error}"
    );
    // Values of a measure may be 0 and 1, and a system may have any name if ids have a column.
    assert_eq!(values(&folder, "p.csv", "a,b\n0,.5\n1,.4\n").unwrap().systems, ["a", "b"]);
    assert_eq!(values(&folder, "p.csv", "query,number\n7,1\n8,2\n9,3\n").unwrap().systems, ["number"]);
}

#[test]
fn what_is_not_clear_is_said_and_can_be_forced() {
    let folder = TempDir::new().unwrap();
    let unclear = |text: &str| values(&folder, "x", text).unwrap_err();
    assert!(unclear("p1\tp2\t0.5\np2\tp1\t0.25\n").contains("which of the first two columns"));
    assert!(unclear("1 2 3 4\n").contains("give the format of the file: trec_eval, ir_measures"));
    assert!(unclear(r#"{"a": {"b": 1}}"#).contains("which level of the JSON"));
    assert!(unclear("").contains("there is no value of a query"));
    assert!(unclear("map\tall\t0.5\n").contains("there is no value of a query"));
    assert!(unclear("query,a\nq1,x\n").starts_with("x:2: value `x` is not a finite number;"));
    assert!(unclear("query,a\nq1,1\nq1,2\n").starts_with("x:3: query `q1` has a second value of x for `a`;"));
    assert!(unclear("query,a\nq1,1,2\n").starts_with("x:2: found 3 cells below 2 columns;"));
    assert!(unclear("map q1 .5\nmap\nmap\n").contains("the first line is `measure query value`, or"));
    assert!(unclear(r#"{"map": {"q1": "x"}}"#).contains("map of query `q1` is `\"x\"`, which is not a number"));
    let forced = |format: &str| {
        let options = PerQueryOptions { format: Some(format.to_owned()), ..PerQueryOptions::default() };
        per_query::read(&folder.path().join("y"), &options)
    };
    file(&folder, "y", "p1\tp2\t0.5\n");
    assert_eq!(forced("trec_eval").unwrap().measures, ["p1"]);
    assert_eq!(forced("ir_measures").unwrap().measures, ["p2"]);
    assert!(forced("trec").unwrap_err().to_string().contains("there is no format `trec`; known: trec_eval"));
}

/// Two files, each with its own measure. Together they have three values of summary rows, three
/// texts and three undefined values.
#[test]
fn what_several_files_leave_out_is_added_up() {
    let folder = TempDir::new().unwrap();
    let one = values(&folder, "one", "rr\tq1\tnan\nmap\tq1\t0.5\nmap\tall\t0.5\nrelstring\tq1\t'10'\n").unwrap();
    let two = "map\tq1\tnan\nbpref\tq1\tnan\nmap\tall\t0.5\nbpref\tall\t0.5\nrelstring\tq1\t'1'\nrelstring\tq2\t'1'\n";
    let joined = SystemValues::join(vec![one, values(&folder, "two", two).unwrap()]).unwrap();
    let said: Vec<String> = joined.remarks.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "3 values are texts and were left out",
            "3 values of summary rows were left out",
            "3 values are undefined",
            "rr is left out: `two` has no value of it",
            "bpref is left out: `one` has no value of it",
        ]
    );
}

#[test]
fn systems_are_joined_by_query_id() {
    let folder = TempDir::new().unwrap();
    let a = values(&folder, "ap.csv", "query,a\nq1,0.1\nq2,0.2\nq3,0.3\n").unwrap();
    let b = values(&folder, "ap.csv", "query,b\nq3,0.6\nq1,nan\n").unwrap();
    let joined = SystemValues::join(vec![a.clone(), b.clone()]).unwrap();
    assert_eq!(joined.of(0, 0), [0.1, 0.2, 0.3]);
    assert!(joined.of(0, 1)[0].is_nan() && joined.of(0, 1)[1].is_nan() && joined.of(0, 1)[2] == 0.6);
    // q1 is undefined for b, which does not count as missing; q2 is missing.
    let error = joined.clone().settle(MissingQuery::Error).unwrap_err().to_string();
    assert!(error.starts_with("system `b` has no value of ap for query `q2` (1 such gap in all);"), "{error}");
    let (zero, settled) = joined.clone().settle(MissingQuery::Zero).unwrap();
    assert_eq!((zero.of(0, 1)[1], zero.undefined_count(), settled.zeroed), (0.0, 1, 1));
    let (dropped, settled) = joined.settle(MissingQuery::Drop).unwrap();
    assert_eq!(
        (&dropped.queries[..], dropped.of(0, 0), settled.dropped),
        (&["q1".to_owned(), "q3".to_owned()][..], &[0.1, 0.3][..], 1)
    );
    assert!(error.contains("`--missing-queries`"), "{error}");
    assert!(SystemValues::join(vec![a.clone(), a.clone()]).unwrap_err().to_string().contains("in two files"));
    let other = values(&folder, "rr.csv", "query,b\nq1,0.5\n").unwrap();
    assert!(
        SystemValues::join(vec![a, other]).unwrap_err().to_string().contains("no measure has values for every system")
    );
}

//! Tests the messages about data that other programs read differently, and about small mistakes of
//! new users.

use std::path::Path;

use crate::harness::{directory, fivefold, json, run, stderr, stdout};

/// The output and the errors of a command, which must end with this exit code.
fn said(folder: &Path, arguments: &str, code: i32) -> String {
    let output = run(folder, arguments);
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    assert_eq!(output.status.code(), Some(code), "{arguments}\n{text}");
    text
}

const EXPERIMENT: &str = r#"
name = "mine"
[[dataset]]
label = "A"
path = "rank.train"
layout = "one-file"
[[ranker]]
label = "First"
kind = "feature"
params = { feature = 1 }
[evaluation]
measures = ["ndcg"]
cutoffs = [5]
[query_sets]
uninformative = 1
ideal = 1
"#;

/// Six queries with times in seconds as features. The second line has falling feature ids.
fn seconds() -> String {
    let row = |n: u64| format!("{} qid:{} 1:{} 2:0.{}\n", n % 2, n / 2, 1_609_459_201 + 30 * n, n + 1);
    let text: String = (0..12).map(row).collect();
    text.replacen("1:1609459231 2:0.2", "2:0.2 1:1609459231", 1)
}

/// dmlc/xgboost #1023: weights beside the data; dmlc/treelite #98: values beyond 32 bits.
#[test]
fn every_command_names_what_it_does_not_use_and_what_becomes_equal() {
    let data = seconds();
    let scores = "1\n".repeat(12);
    let folder = directory(&[
        ("rank.train", &data),
        ("rank.train.weight", "1\n0\n"),
        ("scores", &scores),
        ("mine.toml", EXPERIMENT),
    ]);
    let weights = "rank.train.weight beside the data: weights of documents are not used";
    let unsorted = "1 line has feature ids that do not rise along the line (first rank.train:2); all were read";
    let equal = "different values of 1 feature are equal once they are stored in 32 bits (feature 1: ";
    for (command, told) in [
        ("train --ranker linear --train rank.train -o model.json", &[weights, unsorted, equal][..]),
        ("score --model model.json --data rank.train", &[weights, unsorted, equal]),
        ("eval --data rank.train --scores scores", &[weights, unsorted]),
        ("run mine.toml", &[weights, unsorted, equal]),
    ] {
        let said = said(folder.path(), command, 0);
        assert!(told.iter().all(|line| said.contains(line)), "{command}: {said}");
    }
    let lint = stdout(folder.path(), "lint rank.train");
    for line in [
        weights,
        "feature 1: 1609459201 and 1609459261 are both stored as 1609459200 (",
        "lines whose feature ids do not rise",
        "1, first line 2; these lines are read all the same",
        "12, first line 1, feature 1",
    ] {
        assert!(lint.contains(line), "{line}: {lint}");
    }
}

/// If two options got each other's file, the error names both files.
#[test]
fn files_that_were_exchanged_are_told() {
    let folder = directory(&[
        ("data", "1 qid:a 1:1\n0 qid:a 1:2\n"),
        ("scores", "1\n2\n"),
        ("qrels", "a 0 d1 1\na 0 d2 0\n"),
        ("run", "a Q0 d1 1 0.5 t\na Q0 d2 2 0.25 t\n"),
    ]);
    for (command, told) in [
        ("eval --data scores --scores data", "scores looks like scores (--scores), but LETOR data (--data)"),
        ("eval --data data --scores data", "data looks like LETOR data (--data), but scores (--scores)"),
        ("eval --qrels run --runs qrels", "run looks like a TREC run (--runs or --run), but TREC qrels (--qrels)"),
        ("eval --qrels qrels --runs qrels", "qrels looks like TREC qrels (--qrels), but a TREC run (--runs or --run)"),
        ("explain scores data --query a --measure ndcg", "scores looks like scores (--scores)"),
        ("train --ranker linear --train qrels -o m", "qrels looks like TREC qrels (--qrels), but LETOR data"),
    ] {
        let said = stderr(folder.path(), command, 2).replace('\n', " ");
        assert!(
            said.contains(told) && said.contains("should stand here: were two files exchanged?"),
            "{command}: {said}"
        );
    }
    // A mistake in a file of the right kind is not taken for an exchange of files.
    std::fs::write(folder.path().join("slip"), "1 qid:a 1:1\nx qid:a 1:2\n").unwrap();
    assert!(!stderr(folder.path(), "eval --data slip --scores scores", 2).contains("exchanged"));
}

#[test]
fn unknown_names_come_with_those_that_are_near() {
    let folder = directory(&[
        ("data", "1 qid:10018 1:1\n0 qid:10018 1:2\n1 qid:10032 1:1\n0 qid:77 1:1\n"),
        ("scores", "1\n2\n3\n4\n"),
        ("rank.train", &seconds()),
        ("mine.toml", EXPERIMENT),
    ]);
    let said = stderr(folder.path(), "explain data scores --query 10019 --measure ndcg", 2);
    assert!(
        said.contains("the data have no query `10019`") && said.contains("similar ids: `10018` and `10032`"),
        "{said}"
    );
    let said = stderr(folder.path(), "explain data scores --query thing --measure ndcg", 2);
    assert!(said.contains("the first are `10018`, `10032` and `77`"), "{said}");
    let said = stderr(folder.path(), "run mine.toml --only Last", 2);
    assert!(said.contains("of the data sets A and the rankers First"), "{said}");
}

/// A part of `--only` that matches no job stops the run, although other parts match some.
#[test]
fn a_part_of_only_that_matches_no_job_is_an_error() {
    let folder = directory(&[("rank.train", &seconds()), ("mine.toml", EXPERIMENT)]);
    for command in ["run", "jobs", "run --explain-cache"] {
        let said = stderr(folder.path(), &format!("{command} mine.toml --only First Fisrt A/fold9"), 2);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("no job of the experiment matches `Fisrt` and `A/fold9`"), "{command}: {said}");
        assert!(said.contains("did you mean `First`?"), "{command}: {said}");
    }
    assert!(!folder.path().join("runs/mine/jobs").exists(), "a job was begun");
}

#[test]
fn measures_explains_versions_and_names_near_ones() {
    let folder = directory(&[]);
    let shown = stdout(folder.path(), "measures ndcg.v2@10");
    assert!(shown.starts_with("ndcg: ") && shown.contains("v2: (A-E)/(U-E)"), "{shown}");
    for (name, version) in [("ndcg", None), ("ndcg.v1", Some("v1")), ("ndcg.v2", Some("v2"))] {
        let told = json(folder.path(), &format!("measures {name} --format json"));
        assert_eq!(told["name"], "ndcg");
        assert_eq!(told["version"].as_str().map(|text| &text[..2]), version, "{name}");
    }
    for (name, message) in [
        ("ndgc", "did you mean `ndcg`"),
        ("ndgc.v2@10", "did you mean `ndcg`"),
        ("ndcg.v3", "v3"),
        ("ndcg@0", "@0"),
        ("ndcg(gian=linear)", "gain"),
        ("xyzzy", "xyzzy"),
    ] {
        let said = stderr(folder.path(), &format!("measures {name}"), 2);
        assert!(said.contains(message), "{name}: {said}");
    }
}

/// If a command does not print the form of output that the user asks for, the error says where the
/// form is.
#[test]
fn a_form_that_run_does_not_print_is_taught() {
    let folder = directory(&[("rank.train", &seconds()), ("mine.toml", EXPERIMENT)]);
    for form in ["--format csv", "--format=md", "--csv"] {
        let said = stderr(folder.path(), &format!("run mine.toml {form}"), 2);
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in ["tables as text", "--json", "tables/", "per_query.csv", "fivefold report"] {
            assert!(said.contains(part), "{form}: {said}");
        }
    }
    let said = stderr(folder.path(), "lint rank.train --format csv", 2);
    assert!(said.contains("--json") && !said.contains("tables/"), "{said}");
}

/// The comparison of dialects in the README, on data without document ids.
#[test]
fn data_without_document_ids_are_compared_with_other_ties() {
    let folder = directory(&[("test.txt", "1 qid:1 1:1\n0 qid:1 1:2\n"), ("theirs.txt", "1\n1\n")]);
    let command = "diff letor4 trec_eval --data test.txt --scores theirs.txt";
    let said = stderr(folder.path(), command, 2);
    assert!(said.contains("needs document ids") && said.contains("give --ties average"), "{said}");
    let compared = run(folder.path(), &format!("{command} --ties average"));
    assert!(matches!(compared.status.code(), Some(0 | 1)), "{compared:?}");
}

#[test]
fn a_file_where_a_folder_belongs_and_a_folder_where_a_file_does() {
    let folder = directory(&[("rank.train", &seconds()), ("mine.toml", EXPERIMENT), ("file", "x\n")]);
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for command in ["run mine.toml --out file", "run mine.toml --out file/below", "make --queries 5 --out file"] {
        let said = stderr(folder.path(), command, 2);
        assert!(said.contains("a file stands where a folder is needed"), "{command}: {said}");
    }
    let said = stderr(folder.path(), "train --ranker linear --train rank.train -o folder", 2);
    assert!(said.contains("folder is a folder"), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path().join("file")).unwrap(), "x\n");
}

#[cfg(unix)]
#[test]
fn a_file_of_a_command_that_is_not_listed_is_named() {
    let command = "kind = \"command\"\nparams = { argv = [\"sh\", \"rank.sh\", \"{test}\", \"{scores}\"] }";
    let text = EXPERIMENT.replace("kind = \"feature\"\nparams = { feature = 1 }", command);
    let script = "sed 's/.*/1/' \"$1\" > \"$2\"\n";
    let folder = directory(&[("rank.train", &seconds()), ("mine.toml", &text), ("rank.sh", script)]);
    let told = "First: `rank.sh` of `argv` is a file beside the experiment, but not where the command runs; add files = [\"rank.sh\"]";
    let said_without = said(folder.path(), "run mine.toml", 1);
    assert!(said_without.contains(told), "{said_without}");
    let listed = text.replace("\"{scores}\"] }", "\"{scores}\"], files = [\"./rank.sh\"] }");
    std::fs::write(folder.path().join("mine.toml"), listed).unwrap();
    let listed = said(folder.path(), "run mine.toml", 0);
    assert!(!listed.contains("is a file beside the experiment"), "{listed}");
}

/// Editors on Windows begin a text with a byte order mark. Every reader skips this mark.
#[test]
fn a_byte_order_mark_is_passed_over_by_every_reader() {
    let marked = |text: &str| format!("\u{feff}{text}");
    let files: Vec<(&str, String)> = [
        ("rank.train", "1 1:1\n0 1:2\n"),
        ("rank.train.query", "2\n"),
        ("scores", "1\n2\n"),
        ("qrels", "a 0 d1 1\n"),
        ("run", "a Q0 d1 1 0.5 t\n"),
        ("params.toml", "lambda = 0.5\n"),
        ("a.csv", "query,a,b\nq1,.5,.25\nq2,.1,.2\nq3,.1,.3\n"),
        ("b.json", "{\"map\": {\"q1\": 0.5, \"q2\": 0.25, \"q3\": 0.125}}"),
    ]
    .map(|(name, text)| (name, marked(text)))
    .to_vec();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = directory(&files);
    stdout(folder.path(), "train --ranker linear --params params.toml --train rank.train -o model.json");
    stdout(folder.path(), "eval --data rank.train --scores scores");
    stdout(folder.path(), "eval --qrels qrels --runs run --measures ap");
    stdout(folder.path(), "lint rank.train scores qrels run a.csv b.json");
    std::fs::write(folder.path().join("mine.toml"), marked(EXPERIMENT)).unwrap();
    std::fs::write(folder.path().join("rank.train"), seconds()).unwrap();
    std::fs::remove_file(folder.path().join("rank.train.query")).unwrap();
    let ran = fivefold(folder.path()).args(["run", "mine.toml"]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

//! `reference/json.md`: the keys and types of what `--json` prints, collected from outputs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{directory, run, stdout};
use crate::page::{code, head, same, table};

const EXPERIMENT: &str = r#"
name = "small"
seed = 3
[[dataset]]
label = "A"
synthetic = { shape = "mq2007", queries = 20 }
[[ranker]]
kind = "linear"
[[ranker]]
label = "Trees"
kind = "lambdamart"
params = { trees = 5 }
[evaluation]
cutoffs = [5]
[query_sets]
uninformative = 5
ideal = 5
"#;

/// The outputs that are looked at: a command of the program, the arguments, and in words what it prints.
const OUTPUTS: &[(&str, &str, &str)] = &[
    ("run", "small.toml --out small --json", "An experiment; a study prints the keys of `compare`."),
    ("jobs", "small.toml --out small --json", "A list of jobs."),
    ("status", "sub --json", "The state of a submission."),
    ("report", "small --json", "A list of tables."),
    ("verify", "small --json", "The checks of a results folder."),
    (
        "tune",
        "--ranker linear --try lambda=0.1,1 --measure ndcg@5 --train made/Fold1/train.txt --valid made/Fold1/vali.txt --out t.json --json",
        "The settings with their values on the validation file.",
    ),
    ("importance", "m.json --json", "The features of a model."),
    (
        "eval",
        "--qrels qrels --runs a.run b.run --measures ndcg@3,ap --json",
        "The means of systems, and the values per query.",
    ),
    ("fuse", "a.run b.run --out fused.run --json", "How the runs were combined."),
    ("lint", "made/Fold1/test.txt --json", "Problems and content of each file."),
    ("rankers", "linear --json", "A ranker. Without a name: a list of all."),
    ("measures", "ndcg --json", "A measure. Without a name: a list of all."),
    ("dialects", "letor4 --json", "A dialect. Without a name: a list of all."),
    ("diff", "paper trec_eval --qrels qrels --run a.run --json", "A list of tables."),
    ("explain", "--qrels qrels --run a.run --measure ndcg@3 --query q1 --json", "A list of tables."),
    ("datasets", "mq2008 --json", "A collection. Without a name: a list of all."),
    ("replay", "--json", "A list of tables."),
    (
        "compare",
        "--qrels qrels --runs a.run b.run c.run --json",
        "What a study prints: the names of its tables and files, and its findings.",
    ),
    ("rbo", "a.run b.run --json", "A list of tables."),
    ("lab", "--json", "A list of labs."),
    ("book", "commands --json", "A list of pages. Without a topic: all pages, without their text."),
];

/// Commands that print what another command prints: the one, the other.
const ALIKE: &[(&str, &str)] = &[
    ("correlate", "compare"),
    ("topics", "compare"),
    ("residual", "compare"),
    ("standardise", "compare"),
    ("converge", "compare"),
    ("reproduce", "report"),
];

/// The types that stand at a place, by path.
#[derive(Default)]
struct Shape {
    types: BTreeMap<String, BTreeSet<&'static str>>,
    order: Vec<String>,
}

/// Whether a key is a name from data (a system, a label), not a key of the format.
fn is_name(key: &str) -> bool {
    key.is_empty()
        || !key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit())
        || !key.starts_with(|letter: char| letter.is_ascii_lowercase())
}

impl Shape {
    fn add(&mut self, path: &str, value: &Value) {
        let (kind, inner) = match value {
            Value::Null => ("null", None),
            Value::Bool(_) => ("true or false", None),
            Value::Number(number) if number.is_f64() => ("number", None),
            Value::Number(_) => ("whole number", None),
            Value::String(_) => ("text", None),
            Value::Array(_) => ("list", Some(())),
            Value::Object(_) => ("object", Some(())),
        };
        if !path.is_empty()
            && (inner.is_none()
                || matches!(value, Value::Array(items) if items.is_empty())
                || matches!(value, Value::Object(fields) if fields.is_empty()))
        {
            if !self.types.contains_key(path) {
                self.order.push(path.to_owned());
            }
            self.types.entry(path.to_owned()).or_default().insert(kind);
        }
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.add(&format!("{path}[]"), item)),
            Value::Object(fields) => {
                let by_name = fields.keys().any(|key| is_name(key));
                for (key, value) in fields {
                    let key = if by_name { "NAME" } else { key.as_str() };
                    let point = if path.is_empty() { "" } else { "." };
                    self.add(&format!("{path}{point}{key}"), value);
                }
            }
            _ => {}
        }
    }

    fn table(&self) -> String {
        // A list that was empty somewhere has its items elsewhere.
        let has_more = |path: &str| {
            self.order
                .iter()
                .any(|other| other.starts_with(&format!("{path}[]")) || other.starts_with(&format!("{path}.")))
        };
        let row = |path: &&String| {
            let kinds: Vec<&str> = self.types[*path].iter().copied().filter(|kind| *kind != "null").collect();
            let kinds = match (kinds.as_slice(), self.types[*path].contains("null")) {
                ([], _) => "null".to_owned(),
                (kinds, true) => format!("{}, or null", kinds.join(" or ")),
                (kinds, false) => kinds.join(" or "),
            };
            vec![code(path), kinds]
        };
        let rows: Vec<Vec<String>> = self.order.iter().filter(|path| !has_more(path)).map(|path| row(&path)).collect();
        table(&["path", "type"], &rows)
    }
}

fn prepare(at: &Path) {
    let (mut qrels, mut runs) = (String::new(), vec![String::new(); 3]);
    for topic in 1..=6 {
        for (rank, grade) in [2, 1, 0, 0].iter().enumerate() {
            writeln!(qrels, "q{topic} 0 d{topic}{rank} {grade}").unwrap();
            for (system, run) in runs.iter_mut().enumerate() {
                let score = (rank * (system + 2) + topic * (system + 1)) % 7;
                writeln!(run, "q{topic} Q0 d{topic}{rank} 1 {score}.{rank} s{system}").unwrap();
            }
        }
    }
    fs::write(at.join("qrels"), qrels).unwrap();
    for (name, run) in ["a.run", "b.run", "c.run"].iter().zip(runs) {
        fs::write(at.join(name), run).unwrap();
    }
    fs::write(at.join("small.toml"), EXPERIMENT).unwrap();
    stdout(at, "make --shape mq2007 --queries 20 -o made");
    stdout(at, "train --ranker linear --train made/Fold1/train.txt --out m.json");
    stdout(at, "submit small.toml --engine shell --out sub");
}

#[test]
fn json_shapes() {
    let folder = directory(&[]);
    let at = folder.path();
    prepare(at);
    let intro = "A command with `--json` prints one value. A path such as `rows[].values[]` leads to a value: `[]` stands for \
        each entry of a list, `NAME` for a name from your data. A number is written in full, so that reading it gives the same \
        bits. An undefined value is null. Keys may be added; they are never renamed within a version.";
    let mut text = head("JSON", intro);
    let whole = fivefold::command_line();
    let mut sampled: BTreeSet<&str> = OUTPUTS.iter().map(|(command, ..)| *command).collect();
    sampled.extend(ALIKE.iter().map(|(command, _)| *command));
    let with_json: BTreeSet<&str> = whole
        .get_subcommands()
        .filter(|command| command.get_arguments().any(|argument| argument.get_long() == Some("json")))
        .map(clap::Command::get_name)
        .collect();
    assert_eq!(
        sampled, with_json,
        "the commands of tests/tests/reference/json.rs (left) are not those with --json (right)"
    );
    let (mut tables, mut shapes): (Vec<&str>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    let mut of_tables = Shape::default();
    for (command, arguments, what) in OUTPUTS {
        let output = run(at, &format!("{command} {arguments}"));
        // `diff` ends with 1 where values differ.
        assert!(
            output.status.code().is_some_and(|code| code < 2),
            "{command}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{command}: {error}"));
        if *what == "A list of tables." {
            tables.push(command);
            of_tables.add("", &value);
            continue;
        }
        let mut shape = Shape::default();
        shape.add("", &value);
        let alike: Vec<&str> = ALIKE.iter().filter(|(_, other)| other == command).map(|(one, _)| *one).collect();
        let also =
            if alike.is_empty() { String::new() } else { format!("\n`{}` print the same keys.\n", alike.join("`, `")) };
        shapes.push(((*command).to_owned(), format!("{what}\n{also}\n{}", shape.table())));
    }
    tables.extend(ALIKE.iter().filter(|(_, other)| *other == "report").map(|(one, _)| *one));
    write!(text, "\n## Tables\n\n`{}` print a list of tables.\n\n{}", tables.join("`, `"), of_tables.table()).unwrap();
    for (command, shape) in shapes {
        write!(text, "\n## fivefold {command}\n\n{shape}").unwrap();
    }
    same("reference/json.md", &text);
}

#[test]
fn shapes_by_hand() {
    let mut shape = Shape::default();
    shape.add(
        "",
        &serde_json::json!({ "a": [{ "b": 1 }, { "b": null, "c": [] }], "by": { "BM25": 0.5, "q-1": 1.5 }, "d": [] }),
    );
    let expected = "| path | type |\n| --- | --- |\n| `a[].b` | whole number, or null |\n| `a[].c` | list |\n| `by.NAME` | number |\n| `d` | list |\n";
    assert_eq!(shape.table(), expected);
}

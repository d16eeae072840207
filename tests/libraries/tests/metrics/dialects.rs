//! Compares every dialect with the values of its program, to the decimals that the program prints.
//! The queries are real files, and synthetic queries with ties, near ties, no relevant document,
//! unjudged documents and missing documents. `tests/dialects.py` made `tests/dialects/*.json`.
#![allow(clippy::unwrap_used)] // a test

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{conventions, data, evaluator, read, read_letor};
use fivefold_metrics::conventions::{MissingTopics, RULES};
use fivefold_metrics::{Conventions, DIALECTS, MeasureSpec, Scratch, settle};
use serde::Deserialize;

/// The values of a program.
#[derive(Deserialize)]
struct Fixture {
    tool: String,
    digits: i32,
    made: Values,
    real: BTreeMap<String, Values>,
    #[serde(default)]
    scores: Vec<f64>,
}

/// For each measure, the values of all queries; `None` if the program gave no value.
type Values = BTreeMap<String, Vec<Option<f64>>>;

#[derive(Deserialize)]
struct Query {
    documents: Vec<String>,
    /// `None` if the document was retrieved but not judged.
    grades: Vec<Option<u8>>,
    /// `None` if the document was judged but not retrieved.
    scores: Vec<Option<f64>>,
}

impl Query {
    fn is_complete(&self) -> bool {
        !self.grades.contains(&None) && !self.scores.contains(&None)
    }

    fn is_long_with_ties(&self) -> bool {
        let mut scores = self.scores.clone();
        scores.sort_by(|one, other| one.partial_cmp(other).unwrap());
        scores.len() > 15 && scores.windows(2).any(|pair| pair[0] == pair[1])
    }
}

fn json<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/tests/dialects/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&read(Path::new(&path))).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Our values as the program counts them; `None` if a query is left out.
fn ours(names: &[&str], conventions: &Conventions, max_grade: u8, queries: &[Query]) -> Vec<Vec<Option<f64>>> {
    let evaluator = evaluator(names, conventions, max_grade);
    let mut scratch = Scratch::default();
    let mut values = vec![Vec::new(); names.len()];
    for query in queries {
        let rows = (0..query.documents.len()).filter(|&row| query.scores[row].is_some());
        let rows: Vec<usize> = rows.collect();
        let ids: Vec<&str> = rows.iter().map(|&row| query.documents[row].as_str()).collect();
        let grades: Vec<Option<u8>> = rows.iter().map(|&row| query.grades[row]).collect();
        let scores: Vec<f64> = rows.iter().filter_map(|&row| query.scores[row]).collect();
        let pool: Vec<u8> = query.grades.iter().copied().flatten().collect();
        let judged = evaluator.judge_pool("q", &pool, &grades, Some(&ids)).unwrap();
        let mut out = vec![0.0; names.len()];
        evaluator.evaluate(&judged, &scores, &mut scratch, &mut out).unwrap();
        let left_out = rows.is_empty() && conventions.missing_topics == MissingTopics::Skip;
        for (values, value) in values.iter_mut().zip(out) {
            values.push(if left_out { None } else { settle(value, conventions.undefined) });
        }
    }
    values
}

/// Compares all values of one collection, adds the differences to `differing`, and returns the
/// number of equal values.
fn compare(
    dialect: &str,
    queries: &[Query],
    theirs: &Values,
    max_grade: u8,
    decimals: i32,
    differing: &mut Vec<String>,
) -> usize {
    let names: Vec<&str> = theirs.keys().map(String::as_str).collect();
    let ours = ours(&names, &conventions(dialect), max_grade, queries);
    let tolerance = 0.5001 * 10f64.powi(-decimals) + 1e-12;
    let mut agreed = 0;
    for ((name, theirs), ours) in theirs.iter().zip(ours) {
        assert_eq!(theirs.len(), queries.len(), "{dialect} {name}");
        for (index, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
            let agree = match (theirs, ours) {
                // ranx breaks ties of longer lists by an unstable sort.
                _ if dialect == "ranx" && queries[index].is_long_with_ties() => true,
                // RankLib computes RR in 32-bit floats.
                (Some(theirs), Some(ours)) if dialect == "ranklib" && name.starts_with("rr") => {
                    (*theirs as f32) == (ours as f32)
                }
                (Some(theirs), Some(ours)) => (theirs - ours).abs() <= tolerance,
                // Programs that take no runs did not get these queries.
                (None, _) if !queries[index].is_complete() && !matches!(dialect, "trec_eval" | "gdeval" | "ranx") => {
                    true
                }
                (None, _) if dialect == "sklearn" && queries[index].documents.len() == 1 => true,
                (None, None) => true,
                // ranx does not know a topic without retrieved documents, and leaves nothing out.
                (None, Some(_)) => dialect == "ranx" && queries[index].scores.iter().all(Option::is_none),
                (Some(_), None) => false,
            };
            agreed += usize::from(agree && theirs.is_some());
            if !agree {
                differing.push(format!("{dialect} {name}, query {index}: {ours:?}, not {theirs:?}"));
            }
        }
    }
    agreed
}

#[test]
fn made_queries() {
    let queries: Vec<Query> = json("made");
    let mut differing = Vec::new();
    for dialect in DIALECTS.iter().filter(|dialect| !matches!(dialect.name, "paper" | "letor4" | "ranklib")) {
        let fixture: Fixture = json(dialect.name);
        let agreed = compare(dialect.name, &queries, &fixture.made, 4, fixture.digits, &mut differing);
        assert!(agreed > 50, "{}: {agreed}", fixture.tool);
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// The queries of a LETOR file with a score a document.
fn scored(path: &Path, scores: impl Fn(&crate::common::Query, usize, usize) -> f64) -> Vec<Query> {
    let mut row = 0;
    let query = |query: crate::common::Query| {
        let documents = query.grades.len();
        let of_document = |document| scores(&query, document, row + document);
        let scores = (0..documents).map(of_document).map(Some).collect();
        row += documents;
        let documents = (0..documents).map(|document| format!("d{document}")).collect();
        Query { documents, grades: query.grades.iter().copied().map(Some).collect(), scores }
    };
    read_letor(path).into_iter().map(query).collect()
}

fn numbers(path: &Path) -> Vec<f64> {
    read(path).split_whitespace().map(|number| number.parse().unwrap()).collect()
}

#[test]
fn real_files() {
    let Some(data) = data() else { return };
    let rank_boost = numbers(&data.join("mq2008-systems/RankBoost/Fold1.score"));
    let mq2008 = scored(&data.join("mq2008/S5.txt"), |_, _, row| rank_boost[row]);
    let mslr = scored(&data.join("mslr-sample/S1.txt"), |query, document, _| query.features[document][129]);
    let mut differing = Vec::new();
    for dialect in DIALECTS.iter().filter(|dialect| !matches!(dialect.name, "paper" | "letor4" | "ranklib")) {
        let fixture: Fixture = json(dialect.name);
        let decimals = fixture.digits.min(9);
        for (name, queries, max_grade) in [("mq2008", &mq2008, 2), ("mslr", &mslr, 4)] {
            let agreed = compare(dialect.name, queries, &fixture.real[name], max_grade, decimals, &mut differing);
            assert!(agreed > 50, "{} {name}: {agreed}", fixture.tool);
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Seven measures of RankLib's LambdaMART model on the test part of fold 1.
#[test]
fn ranklib() {
    let Some(data) = data() else { return };
    let fixture: Fixture = json("ranklib");
    let queries = scored(&data.join("mq2008/S5.txt"), |_, _, row| fixture.scores[row]);
    let mut differing = Vec::new();
    let agreed = compare("ranklib", &queries, &fixture.real["mq2008"], 2, fixture.digits, &mut differing);
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert_eq!(agreed, 7 * 156);
}

/// A text in lines of at most 100 columns, the later ones indented. Code between backticks stays on
/// one line.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut lines, mut line, mut word) = (Vec::new(), String::new(), String::new());
    for part in text.split(' ') {
        word += &format!("{}{part}", if word.is_empty() { "" } else { " " });
        if word.matches('`').count() % 2 == 1 {
            continue;
        }
        if line.trim().is_empty() {
            line += &word;
        } else if line.chars().count() + 1 + word.chars().count() <= 100 {
            line += &format!(" {word}");
        } else {
            lines.push(std::mem::replace(&mut line, format!("{indent}{word}")));
        }
        word.clear();
    }
    lines.push(line);
    lines.join("\n")
}

/// The tables of the book's page on dialects, made from the registry.
#[test]
fn the_page_holds_the_rules_in_force() {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head = |cells: Vec<String>| {
        let line = vec!["---".to_owned(); cells.len()];
        row(cells) + &row(line).replace(' ', "")
    };
    let names = || DIALECTS.iter().map(|dialect| dialect.name.to_owned());
    let mut rules = head([String::new()].into_iter().chain(names()).collect());
    for rule in RULES {
        let values: Vec<String> = DIALECTS.iter().map(|dialect| rule.value(&dialect.conventions())).collect();
        rules += &row([format!("`{}`", rule.name)].into_iter().chain(values).collect());
    }
    let mut pages = String::new();
    for dialect in DIALECTS {
        let told = format!("{}. Checked against: {}.", dialect.summary, dialect.source);
        pages += &format!("### {}\n\n{}\n\n", dialect.name, wrapped(&told, ""));
        if !dialect.measures.is_empty() {
            let names = dialect.measures.iter().map(|(theirs, ours)| format!("`{theirs}` is `{ours}`"));
            pages += &format!("{}\n\n", wrapped(&format!("{}.", names.collect::<Vec<_>>().join(", ")), ""));
        }
        dialect.notes.iter().for_each(|note| pages += &format!("{}\n", wrapped(&format!("- {note}"), "  ")));
        let name = dialect.name;
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/dialects/{name}.json"));
        if fixture.exists() {
            let fixture: serde_json::Value = serde_json::from_str(&read(&fixture)).unwrap();
            let tool = fixture["tool"].as_str().unwrap();
            let made = format!(
                "- fixture: `tests/dialects/{name}.json`, values of {tool}, made by `tests/dialects.py {name}`"
            );
            pages += &format!("{}\n", wrapped(&made, "  "));
        }
        pages += "\n";
    }
    let page = read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/pages/reference/dialects.md")));
    assert!(page.contains(&rules), "reference/dialects.md should hold this table:\n\n{rules}");
    assert!(page.contains(pages.trim_end()), "reference/dialects.md should hold these sections:\n\n{pages}");
}

#[test]
fn names_of_measures_are_ours() {
    for (theirs, ours) in DIALECTS.iter().flat_map(|dialect| dialect.measures) {
        let ours = ours.replace("@k", "@10");
        assert!(ours.parse::<MeasureSpec>().is_ok(), "{theirs}: {ours}");
    }
}

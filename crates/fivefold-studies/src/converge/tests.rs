//! Tests the study as a whole: the paper's simulation on a fifth of its sizes, real systems on a small
//! scale, and meaningless settings.

use std::path::PathBuf;

use fivefold_analysis::{Cell, Table};

use super::*;
use crate::{StudyFile, StudyOptions, run};

fn file(text: &str) -> StudyFile {
    StudyFile::parse(&format!("name = \"test\"\nkind = \"converge\"\n{text}")).unwrap()
}

fn findings(text: &str, threads: usize, folders: Vec<PathBuf>) -> Result<Findings, StudyError> {
    run(&file(text), &StudyOptions { threads, folders, ..StudyOptions::default() })
}

fn table<'a>(findings: &'a Findings, id: &str) -> &'a Table {
    findings.tables.iter().find(|table| table.id == id).unwrap()
}

/// The numbers of a row, by the text of its label.
fn row(table: &Table, label: &str) -> Vec<f64> {
    let row = table.rows.iter().find(|row| row[0] == Cell::text(label)).unwrap();
    let number = |cell: &Cell| match cell {
        Cell::Number { value, .. } => *value,
        Cell::Count(count) => *count as f64,
        Cell::PValue(_) | Cell::Text(_) | Cell::Missing(_) => f64::NAN,
    };
    row[table.label_columns..].iter().map(number).collect()
}

/// The mean of a ranker at a number of documents.
fn mean_at(findings: &Findings, chart: &str, ranker: &str, size: f64) -> f64 {
    let chart = findings.charts.iter().find(|c| c.id == chart).unwrap();
    let series = chart.series.iter().find(|series| series.name == ranker).unwrap();
    series.points.iter().find(|point| point.x == size).unwrap().y
}

/// The paper's results: limits, and how close to them, and in which order, the rankers come.
#[test]
fn the_simulation_of_the_paper() {
    // A fifth of the default sizes.
    let found = findings("seed = 7\nstep = 500", 0, Vec::new()).unwrap();
    let summary = table(&found, "convergence-summary");
    for measure in MEASURES {
        let [kind, crossings, ..] = row(summary, measure)[..] else { panic!("no counts of {measure}") };
        let (expected, fits) = match measure {
            "ndcg" => (2.0, true),
            "ndcg(discount=power:0.5)" => (3.0, crossings <= 5.0),
            _ => (1.0, crossings >= 10.0),
        };
        assert!(kind == expected && fits, "{measure}: type {kind}, {crossings} crossings");
    }
    let limits = table(&found, "convergence-limits");
    for angle in Converge::default().angles {
        let angle = angle.to_string();
        // The cells are limit, mean and difference, first of ndcg, then of the square root.
        let cells = row(limits, &angle);
        assert_eq!(cells[0], 1.0);
        assert!(cells[5].abs() < 0.01, "{angle}: the mean is {} beside its limit", cells[5]);
        let rise = [1e3, 2e3, 4e3, 8e3, 16e3].map(|size| mean_at(&found, "convergence-ndcg", &angle, size));
        assert!(rise.windows(2).all(|pair| pair[0] < pair[1]), "{angle}: {rise:?}");
    }
}

const SMALL: &str = "seed = 3\ndocuments = 300\nstep = 50\nfrom = 100\ntrials = 3\nangles = [0, 60, 240]\n\
                     measures = [\"ndcg@10\", \"ap\", \"rr\", \"err\", \"ndcg.v1(discount=power:0.5)\", \"ap.v2\", \"ap.v2@20\", \"p.v2@50\"]";

#[test]
fn any_measure_gives_the_same_for_any_number_of_threads() {
    let one = findings(SMALL, 1, Vec::new()).unwrap();
    let four = findings(SMALL, 4, Vec::new()).unwrap();
    assert_eq!((&one.tables, &one.charts), (&four.tables, &four.charts));
    let other = findings(&SMALL.replace("seed = 3", "seed = 4"), 1, Vec::new()).unwrap();
    assert_ne!(one.tables, other.tables);
    // V2 of a precision over the whole list is undefined at n = 50: 3 rankers, 3 trials.
    let notes = table(&one, "convergence-summary").notes.join("\n");
    assert!(
        notes.contains("undefined values over all sizes, rankers and trials: p.v2@50 9\n")
            || notes.ends_with("p.v2@50 9"),
        "{notes}"
    );
    assert_eq!(table(&one, "convergence-crossings").rows.len(), 3);
}

/// A ranker and the ranker in the opposite direction rank the same documents from opposite ends.
#[test]
fn values_are_those_of_the_documents_drawn() {
    let found = findings(
        "documents = 200\nstep = 200\nfrom = 200\ntrials = 1\nangles = [10]\nmeasures = [\"dcg\"]",
        1,
        Vec::new(),
    );
    let found = found.unwrap();
    let stream = Population::default().draw(200, &[10.0], fivefold_core::Seed::new(0).derive_index("trial", 0));
    let mut order: Vec<usize> = (0..200).collect();
    order.sort_by(|&a, &b| stream.scores[0][b].total_cmp(&stream.scores[0][a]));
    let gain = |document: usize| libm::exp2(f64::from(stream.grades[document])) - 1.0;
    let dcg: f64 =
        (1..=200).zip(&order).map(|(rank, &document)| gain(document) / libm::log2(f64::from(rank + 1))).sum();
    assert!((row(table(&found, "convergence-values"), "10")[0] - dcg).abs() < 1e-10);
}

/// Two queries of 12 and one of 5 documents, and the scores of two systems.
fn letor(folder: &std::path::Path) -> String {
    let documents = [("1", 12), ("2", 12), ("3", 5)].map(|(query, count)| (0..count).map(move |d| (query, d * 7 % 3)));
    let lines = |line: fn(&str, usize) -> String| {
        documents.iter().cloned().flatten().map(|(query, grade)| line(query, grade)).collect::<String>()
    };
    let write = |name: &str, content: String| std::fs::write(folder.join(name), content).unwrap();
    write("data.txt", lines(|query, grade| format!("{grade} qid:{query} 1:1\n")));
    write("good.txt", lines(|_, grade| format!("{grade}\n")));
    write("flat.txt", lines(|_, _| "0.5\n".to_owned()));
    "documents = 12\nstep = 4\nfrom = 4\ntrials = 2\nmeasures = [\"ndcg\", \"ndcg.v2\"]\n\
     [systems]\ndata = \"data.txt\"\nscores = [\"good=good.txt\", \"flat=flat.txt\"]\n"
        .to_owned()
}

#[test]
fn real_systems_are_measured_on_queries_that_are_long_enough() {
    let folder = tempfile::tempdir().unwrap();
    let text = letor(folder.path());
    let found = findings(&text, 2, vec![folder.path().to_owned()]).unwrap();
    let values = table(&found, "convergence-values");
    assert!(
        values.notes[0].starts_with("2 queries with at least 12 documents of 3; 2 random orders"),
        "{:?}",
        values.notes
    );
    // Documents ranked by their grades are in ideal order; a constant score is a random order,
    // whose V2 is 0.
    let (good, flat) = (row(values, "good"), row(values, "flat"));
    assert_eq!([good[0], good[2], flat[2]], [1.0, 1.0, 0.0]);
    assert!(found.tables.iter().all(|table| table.id != "convergence-limits"));
    assert!(!found.inputs.is_empty());
    let error =
        findings(&text.replace("documents = 12", "documents = 16"), 1, vec![folder.path().to_owned()]).unwrap_err();
    assert!(error.to_string().contains("no query has 16 documents; the longest has 12"), "{error}");
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let error = |text: &str| {
        let parsed = StudyFile::parse(&format!("name = \"test\"\nkind = \"converge\"\n{text}"));
        parsed.err().map(|error| format!("{error}")).unwrap_or_default()
    };
    for (text, expected) in [
        ("measures = []", "at least one measure"),
        ("measures = [\"ndgc\"]", "did you mean `ndcg`?"),
        ("step = 0", "`step` must be at least 1, not 0"),
        ("trials = 0", "`trials` must be at least 1, not 0"),
        ("documents = 50", "`documents` must be at least one step (100), not 50"),
        ("from = 30000", "`from` must be at most the number of documents (20000), not 30000"),
        ("angles = []", "at least one angle"),
        ("angles = [1, 2, 1.0]", "`angles` has 1 twice"),
        ("population = { shares = [0.5, 0.5], means = [[0, 0]] }", "has 2 shares for 1 means"),
        ("population = { shares = [0.5, 0.6], means = [[0, 0], [1, 1]] }", "whose sum is 1, not 1.1"),
        ("angles = [1]\nsystems = { results = \"x\" }", "belongs to the simulation"),
        ("documnets = 7", "unknown key `documnets`"),
        ("discounts = [\"power:0\"]", "unknown discount `power:0`"),
    ] {
        let error = error(text);
        assert!(error.contains(expected), "{text}: {error}");
    }
}

//! Corpora for tests, and the real one.

use std::fs;
use std::path::PathBuf;

use fivefold_text::{Column, Corpus, Document, Seed, TextMeasure, TextValues, evaluate};
use serde_json::Value;

pub fn measures(names: &[&str]) -> Vec<TextMeasure> {
    names.iter().map(|name| name.parse().unwrap_or_else(|error| panic!("{name}: {error}"))).collect()
}

/// One document, summarised by as many systems as there are candidates.
pub fn one_document(source: &str, references: &[&str], candidates: Vec<String>) -> Corpus {
    let systems = (0..candidates.len()).map(|system| system.to_string()).collect();
    let document = Document {
        id: "1".to_owned(),
        source: Some(source.to_owned()),
        references: references.iter().map(|&text| text.to_owned()).collect(),
        candidates: candidates.into_iter().map(Some).collect(),
    };
    Corpus { systems, documents: vec![document] }
}

/// All columns of the only summary of a document: A, E, its error, U, V1, V2.
pub fn of_one(measure: &str, source: &str, references: &[&str], candidate: &str) -> [f64; 6] {
    let corpus = one_document(source, references, vec![candidate.to_owned()]);
    let values = evaluate(&corpus, &measures(&[measure]), Seed::new(1)).unwrap();
    Column::ALL.map(|column| values.column(column, 0, 0)[0])
}

#[track_caller]
pub fn assert_close(found: f64, expected: f64, most: f64, what: &str) {
    assert!((found - expected).abs() <= most, "{what}: {found}, expected {expected}");
}

/// The folder of the texts; `None`, with a line, if the variable is unset.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("FIVEFOLD_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: FIVEFOLD_DATA is not set");
    }
    folder.map(|folder| folder.join("text"))
}

/// The systems of SummEval, in the order of the definitions.
pub const SYSTEMS: [&str; 12] = ["M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"];

/// SummEval's texts and the mean ratings of its experts.
pub struct SummEval {
    pub corpus: Corpus,
    /// `[dimension][system][document]`: coherence, consistency, fluency, relevance.
    pub ratings: Vec<Vec<Vec<f64>>>,
}

pub fn summeval() -> Option<SummEval> {
    let folder = data()?.join("summeval/model_output_annotations");
    let read = |system: &str| -> Vec<Value> {
        let text = fs::read_to_string(folder.join(format!("{system}_outputs_annotations.jsonl"))).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let rows = SYSTEMS.map(read);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let document = |place: usize| {
        let first = &rows[0][place];
        assert!(rows.iter().all(|rows| rows[place]["id"] == first["id"]));
        Document {
            id: text(&first["id"]),
            source: Some(text(&first["text"])),
            references: first["references"].as_array().unwrap().iter().map(text).collect(),
            candidates: rows.iter().map(|rows| Some(text(&rows[place]["decoded"]))).collect(),
        }
    };
    let corpus =
        Corpus { systems: SYSTEMS.map(str::to_owned).to_vec(), documents: (0..rows[0].len()).map(document).collect() };
    let rating = |row: &Value, dimension: &str| {
        let experts = row["expert_annotations"].as_array().unwrap();
        experts.iter().map(|expert| expert[dimension].as_f64().unwrap()).sum::<f64>() / experts.len() as f64
    };
    let ratings = ["coherence", "consistency", "fluency", "relevance"]
        .map(|dimension| rows.iter().map(|rows| rows.iter().map(|row| rating(row, dimension)).collect()).collect());
    Some(SummEval { corpus, ratings: ratings.to_vec() })
}

/// The mean over documents of each system.
pub fn system_means(values: &TextValues, column: Column, measure: usize) -> Vec<f64> {
    let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
    (0..values.systems.len()).map(|system| mean(values.column(column, measure, system))).collect()
}

/// Concordant less discordant pairs of two lists.
pub fn concordance(one: &[f64], other: &[f64]) -> i32 {
    let sign = |x: f64, y: f64| i32::from(x > y) - i32::from(x < y);
    let pairs = (0..one.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|(i, j)| sign(one[i], one[j]) * sign(other[i], other[j])).sum()
}

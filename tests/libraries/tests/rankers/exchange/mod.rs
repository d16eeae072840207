//! Models in files of other programs: scores of these programs, files that are written and read
//! back, and broken files.
#![allow(clippy::unwrap_used)]

mod broken;
mod lightgbm;
mod ranklib;
mod round_trip;

use fivefold_core::QueryView;
use fivefold_data::ReadOptions;
use fivefold_data::letor::{Coding, read_letor_coded};
use fivefold_rankers::RANKERS;
use fivefold_rankers::exchange::{Columns, Format, ImportError, Imported};
use fivefold_rankers::export::{Context, Exported, Normalised, Refusal, Target};

/// Reads a text, with the format's usual number of the first feature.
fn read(format: &str, text: &str, features: Option<usize>) -> Result<Imported, ImportError> {
    let format = Format::find(format).unwrap();
    format.read(text, Columns { first: format.first_feature, features })
}

/// The text of a model whose features were not normalised.
fn written(target: &str, model: &Exported, ranker: &str, first: u32) -> String {
    try_written(target, model, ranker, first).unwrap()
}

/// As [`written`], for a model that may be refused.
fn try_written(target: &str, model: &Exported, ranker: &str, first: u32) -> Result<String, Refusal> {
    let features = match model {
        Exported::Trees(model) => model.features(),
        Exported::Linear(model) => model.weights.len(),
    };
    let context = Context { ranker, name: "model", first, features, names: None, missing: "error" };
    let written = Target::find(target).unwrap().write(model, &context, Normalised::No)?;
    Ok(String::from_utf8(written.bytes).unwrap())
}

/// The scores of rows of features, by the ranker that reads the model's JSON.
fn scores(imported: &Imported, rows: &[f32]) -> Vec<f64> {
    let entry = RANKERS.iter().find(|entry| entry.name == imported.ranker).unwrap();
    let model = entry.load(serde_json::to_value(&imported.model).unwrap()).unwrap();
    let documents = rows.len() / imported.features;
    let mut scores = vec![f64::NAN; documents];
    model.score(QueryView::new("q", rows, imported.features, documents), &mut scores);
    scores
}

/// The scores of LETOR text. Every digit counts, and the model decides about missing values.
fn scores_of_text(imported: &Imported, text: &str) -> Vec<f64> {
    let entry = RANKERS.iter().find(|entry| entry.name == imported.ranker).unwrap();
    let model = entry.load(serde_json::to_value(&imported.model).unwrap()).unwrap();
    let codes = model.codes().expect("a model that compares in f64");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.txt");
    std::fs::write(&path, text).unwrap();
    let options = ReadOptions { features: Some(imported.features), ..ReadOptions::default() };
    let data = read_letor_coded(&path, &options, Coding { codes, missing: None }).unwrap().data;
    let mut scores = Vec::new();
    for query in data.queries() {
        let mut own = vec![f64::NAN; query.len()];
        codes.score_codes(query.view(), &mut own);
        scores.extend(own);
    }
    scores
}

/// Numbers of a text.
fn numbers<T: std::str::FromStr>(text: &str) -> Vec<T>
where
    T::Err: std::fmt::Debug,
{
    text.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

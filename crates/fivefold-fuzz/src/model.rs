//! Fuzz target for model files and the normaliser in their header. A file is read or refused. A
//! model that is read scores any data of its width and tells the importance of features. The same
//! model comes back after it is written and read again.

use std::sync::LazyLock;

use fivefold_core::registry::DynModel;
use fivefold_core::{ModelFile, QueryView, Registry};
use fivefold_data::Fitted;
use fivefold_rankers::RANKERS;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| Registry::new(&[RANKERS]));

/// The most features for which documents are made up.
const MOST_MADE_UP: usize = 1000;
const DOCUMENTS: usize = 5;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(file) = ModelFile::parse(text) else { return };
    let again = ModelFile::parse(&file.to_text().unwrap()).unwrap();
    assert_eq!(again, file);
    let _ = serde_json::from_value::<Option<Fitted>>(file.header.normaliser.clone());
    let features = file.header.features;
    if features > MOST_MADE_UP {
        let _ = file.load(&REGISTRY, features);
        return;
    }
    let (ranker, json) = (file.header.ranker.clone(), file.model.clone());
    let Ok(model) = file.load(&REGISTRY, features) else { return };
    let scores = scores(&*model, features);
    let written = model.to_json().unwrap();
    let again = REGISTRY.find(&ranker).unwrap().load(written).unwrap();
    assert_eq!(bits(&scores), bits(&self::scores(&*again, features)), "{json}");
    if let Some(importance) = model.importance() {
        assert!(importance.len() <= features, "{} of {features}", importance.len());
    }
}

/// Values of made-up documents. No value is between 0 and 1e-15, because LightGBM takes such a
/// value for 0.
pub(crate) fn values(features: usize) -> Vec<f32> {
    let value = |place: usize| [0.0, 1.0, -1.5, 0.25, 1e30, 1e-14, 7.0][place * 5 % 7];
    (0..DOCUMENTS * features).map(value).collect()
}

/// The model's scores of made-up documents.
pub(crate) fn scores(model: &dyn DynModel, features: usize) -> Vec<f64> {
    let values = values(features);
    let mut scores = vec![f64::NAN; DOCUMENTS];
    model.score(QueryView::new("q", &values, features, DOCUMENTS), &mut scores);
    scores
}

/// The bits of the scores, for comparing. All NaN have the same bits.
pub(crate) fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| if score.is_nan() { u64::MAX } else { score.to_bits() }).collect()
}

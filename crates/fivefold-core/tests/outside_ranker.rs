//! A ranker as another crate would write it. The ranker is registered, read from TOML, fitted,
//! saved and loaded through public items alone.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use fivefold_core::dataset::IdTable;
use fivefold_core::model_file::FORMAT;
use fivefold_core::{
    Dataset, DatasetBuilder, FitContext, FitError, Grades, Model, ModelFile, ModelFileError, ModelHeader, ParamHelp,
    QueryView, Ranker, Registry, Seed,
};
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

/// Scores by the mean of the features times a factor.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct MeanFeature {
    factor: f64,
}

impl Default for MeanFeature {
    fn default() -> Self {
        MeanFeature { factor: 1.0 }
    }
}

#[derive(Serialize, Deserialize)]
struct MeanModel {
    factor: f64,
}

impl Model for MeanModel {
    fn score(&self, query: QueryView<'_>, out: &mut [f64]) {
        for (score, row) in out.iter_mut().zip(query.rows()) {
            *score = self.factor * row.iter().copied().map(f64::from).sum::<f64>() / row.len() as f64;
        }
    }
}

impl Ranker for MeanFeature {
    const NAME: &'static str = "mean-feature";
    const SUMMARY: &'static str = "mean of the features";
    const PARAMS: &'static [ParamHelp] = &[ParamHelp { name: "factor", help: "multiplies every score" }];
    type Model = MeanModel;

    fn seeded(&self) -> bool {
        false
    }

    fn fit(&self, train: &Dataset, cx: &FitContext<'_>) -> Result<MeanModel, FitError> {
        cx.step(1, 1)?;
        if train.is_empty() {
            return Err(FitError::Data("no query".to_owned()));
        }
        Ok(MeanModel { factor: self.factor })
    }
}

fn data() -> Dataset {
    let mut query_ids = IdTable::default();
    query_ids.push("q");
    DatasetBuilder {
        features: Arc::new(vec![1.0, 3.0, 5.0, 7.0]),
        width: 2,
        grades: Grades::new(vec![0, 1], Some(2)).unwrap(),
        bounds: vec![0, 2],
        query_ids,
        doc_ids: IdTable::default(),
    }
    .build()
    .unwrap()
}

fn scores(model: &dyn fivefold_core::registry::DynModel) -> Vec<f64> {
    let mut out = vec![0.0; 2];
    model.score(data().query(0).view(), &mut out);
    out
}

fn saved(registry: &Registry) -> ModelFile {
    let entry = registry.find("mean-feature").unwrap();
    let ranker = entry.parse(DeTable::parse("factor = 2").unwrap_or_else(|e| panic!("{e}"))).unwrap();
    let model = ranker.fit(&data(), &FitContext::new(Seed::new(1))).unwrap();
    assert_eq!(scores(&*model), [4.0, 12.0]);
    ModelFile {
        header: ModelHeader {
            format: FORMAT.to_owned(),
            ranker: entry.name.to_owned(),
            version: entry.version,
            params: ranker.params(),
            features: 2,
            columns: None,
            missing: "error".to_owned(),
            normaliser: serde_json::Value::Null,
            data: "hash".to_owned(),
        },
        model: model.to_json().unwrap(),
    }
}

#[test]
fn a_saved_model_scores_as_before() {
    let registry = Registry::default().with::<MeanFeature>();
    let file = saved(&registry);
    assert_eq!(file.header.params, serde_json::json!({ "factor": 2.0 }));
    let read = ModelFile::parse(&file.to_text().unwrap()).unwrap();
    assert_eq!(read, file);
    assert_eq!(scores(&*read.load(&registry, 2).unwrap()), [4.0, 12.0]);
}

#[test]
fn a_model_refuses_what_it_does_not_fit() {
    let registry = Registry::default().with::<MeanFeature>();
    let file = saved(&registry);
    let width = file.clone().load(&registry, 3).err().unwrap();
    assert_eq!(width.to_string(), "the model was trained on 2 features a document, but the data have 3");
    assert!(matches!(file.clone().load(&Registry::default(), 2), Err(ModelFileError::Ranker(_))));
    let mut other = file.clone();
    other.header.format = "fivefold-model/2".to_owned();
    assert!(matches!(ModelFile::parse(&other.to_text().unwrap()), Err(ModelFileError::Format(_))));
    assert!(matches!(ModelFile::parse("{}"), Err(ModelFileError::Json(_))));
    let mut broken = file;
    broken.model = serde_json::json!({ "factor": "two" });
    assert!(matches!(broken.load(&registry, 2), Err(ModelFileError::Json(_))));
}

#[test]
fn stored_parameters_make_the_same_ranker() {
    let registry = Registry::default().with::<MeanFeature>();
    let entry = registry.find("mean-feature").unwrap();
    let ranker = entry.restore(&serde_json::json!({ "factor": 3.0 })).unwrap();
    assert_eq!(ranker.params(), serde_json::json!({ "factor": 3.0 }));
    assert!(entry.restore(&serde_json::json!({ "factor": [] })).is_err());
    assert_eq!(registry.nearest("meanfeature"), Some("mean-feature"));
    assert_eq!((entry.params()[0].help.as_str(), entry.seeded()), ("multiplies every score", false));
}

#[test]
#[should_panic(expected = "two rankers are named `mean-feature`")]
fn a_name_is_registered_once() {
    let _ = Registry::default().with::<MeanFeature>().with::<MeanFeature>();
}

#[test]
fn a_cancelled_fit_stops() {
    let flag = std::sync::atomic::AtomicBool::new(true);
    let cx = FitContext::new(Seed::new(1)).with_cancellation(&flag);
    assert!(matches!(MeanFeature::default().fit(&data(), &cx), Err(FitError::Cancelled)));
}

/// Has a parameter more than an earlier version of its crate.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Grown {
    factor: f64,
    shift: f64,
}

impl Ranker for Grown {
    const NAME: &'static str = "grown";
    const PARAMS: &'static [ParamHelp] =
        &[ParamHelp { name: "factor", help: "multiplies" }, ParamHelp { name: "shift", help: "is added" }];
    const ADDED: &'static [&'static str] = &["shift"];
    type Model = MeanModel;

    fn fit(&self, _: &Dataset, _: &FitContext<'_>) -> Result<MeanModel, FitError> {
        Ok(MeanModel { factor: self.factor + self.shift })
    }
}

#[test]
fn an_added_parameter_is_stored_only_where_it_is_not_the_default() {
    let registry = Registry::default().with::<Grown>();
    let entry = registry.find("grown").unwrap();
    let stored = |json: serde_json::Value| entry.restore(&json).unwrap().params();
    // What an earlier version stored stays as it is.
    let earlier = serde_json::json!({ "factor": 0.0 });
    assert_eq!(stored(earlier.clone()), earlier);
    assert_eq!(stored(serde_json::json!({ "factor": 0.0, "shift": 0.0 })), earlier);
    let shifted = serde_json::json!({ "factor": 0.0, "shift": 1.0 });
    assert_eq!(stored(shifted.clone()), shifted);
    // Help and lists show it with its default.
    assert_eq!(entry.added, ["shift"]);
    let parameters = entry.params();
    assert_eq!((parameters[1].name.as_str(), &parameters[1].default), ("shift", &Some(serde_json::json!(0.0))));
}

//! The built-in rankers: parameters, fits, models.

use std::sync::Mutex;
use std::sync::PoisonError;

use fivefold_core::params::ParamError;
use fivefold_core::registry::DynModel;
use fivefold_core::{FitContext, ModelFile, ModelHeader, Progress, RankerEntry, Registry, Seed};
use fivefold_rankers::RANKERS;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use serde_json::Value;
use toml::de::DeTable;

use crate::dataset::Dataset;
use crate::errors::{FitError, config, data};
use crate::work::in_threads;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()?;
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)
}

fn entry(kind: &str) -> PyResult<&'static RankerEntry> {
    RANKERS.iter().find(|entry| entry.name == kind).ok_or_else(|| config(format!("there is no ranker `{kind}`")))
}

/// The text of an error about a parameter: what is wrong, where if the text does not say so, and the
/// remedy.
fn told(error: &ParamError, text: &str) -> String {
    let place = error.span.as_ref().filter(|_| error.param.is_none()).and_then(|span| {
        let line = text.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
        text.get(line..)?.lines().next()
    });
    let place = place.map(|line| format!(" in `{line}`")).unwrap_or_default();
    let remedy = error.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{}{place}{remedy}", error.message)
}

/// Fits a ranker. `params` is a JSON object of parameters that differ from their defaults.
#[pyfunction]
#[pyo3(signature = (kind, params, train, valid, seed, threads))]
fn fit(
    py: Python<'_>,
    kind: &str,
    params: &str,
    train: &Dataset,
    valid: Option<&Dataset>,
    seed: u64,
    threads: usize,
) -> PyResult<(Model, Vec<String>)> {
    let entry = entry(kind)?;
    let params: Value = serde_json::from_str(params).map_err(config)?;
    let text = toml::to_string(&params).map_err(config)?;
    let ranker = entry.parse(DeTable::parse(&text).map_err(config)?).map_err(|error| config(told(&error, &text)))?;
    let notes = Notes::default();
    let fitted = in_threads(py, threads, |stop| {
        let mut context = FitContext::new(Seed::new(seed)).with_cancellation(stop).with_progress(&notes);
        if let Some(valid) = valid {
            context = context.with_validation(&valid.data);
        }
        let fitted = ranker.fit(&train.data, &context);
        fitted.map(|model| (model, fivefold_data::hash::data_hash(&train.data)))
    })?;
    let (model, data) = match fitted {
        Ok(fitted) => fitted,
        Err(fivefold_core::FitError::Cancelled) => return Err(PyKeyboardInterrupt::new_err(())),
        Err(error) => return Err(FitError::new_err(error.to_string())),
    };
    let header = ModelHeader {
        format: fivefold_core::model_file::FORMAT.to_owned(),
        ranker: entry.name.to_owned(),
        version: entry.version,
        params: ranker.params(),
        features: train.data.width(),
        columns: None,
        missing: fivefold_data::ReadOptions::default().missing.name().to_owned(),
        normaliser: serde_json::to_value(fivefold_data::Fitted::default()).map_err(config)?,
        data,
    };
    let notes = notes.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((Model { model, header }, notes))
}

/// The warnings of a fit.
#[derive(Default)]
struct Notes(Mutex<Vec<String>>);

impl Progress for Notes {
    fn step(&self, _: u64, _: u64) {}

    fn warning(&self, text: &str) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.iter().any(|known| known == text) {
            notes.push(text.to_owned());
        }
    }
}

/// A fitted model.
#[pyclass(frozen, module = "fivefold._fivefold")]
struct Model {
    model: Box<dyn DynModel>,
    header: ModelHeader,
}

#[pymethods]
impl Model {
    #[getter]
    fn ranker(&self) -> &str {
        &self.header.ranker
    }

    #[getter]
    fn features(&self) -> usize {
        self.header.features
    }

    /// One importance for each feature. `None` if the model has none.
    #[getter]
    fn importance(&self) -> Option<Vec<f64>> {
        self.model.importance()
    }

    /// The scores of all documents of a data set, in its order.
    fn predict<'py>(&self, py: Python<'py>, dataset: &Dataset, threads: usize) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (found, needed) = (dataset.data.width(), self.header.features);
        if found != needed {
            return Err(data(format!("the model needs {needed} features, and the data have {found}")));
        }
        let scores = in_threads(py, threads, |_| {
            let mut scores = vec![0.0; dataset.data.documents()];
            for (query, own) in dataset.data.queries().zip(dataset.data.bounds().windows(2)) {
                self.model.score(query.view(), &mut scores[own[0]..own[1]]);
            }
            scores
        })?;
        Ok(scores.into_pyarray(py))
    }

    /// The model as the text of a model file of the program.
    fn to_text(&self) -> PyResult<String> {
        let model = self.model.to_json().map_err(data)?;
        ModelFile { header: self.header.clone(), model }.to_text().map_err(data)
    }
}

/// A model from the text of a model file.
#[pyfunction]
fn load(text: &str) -> PyResult<Model> {
    let file = ModelFile::parse(text).map_err(data)?;
    let registry = Registry::new(&[RANKERS]);
    let header = file.header.clone();
    let model = file.load(&registry, header.features).map_err(data)?;
    Ok(Model { model, header })
}

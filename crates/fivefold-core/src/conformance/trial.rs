//! One ranker under its case: how it is made, fitted and compared.

use toml::de::DeTable;

use super::{Case, data};
use crate::registry::{DynModel, DynRanker};
use crate::{Dataset, FitContext, Progress, RankerEntry, Seed};

/// The seed of the usual fit.
pub(super) const SEED: u64 = 7;

/// A ranker, its case, the other rankers of the call, and the model of its case's parameters.
pub(super) struct Trial<'a> {
    pub(super) entry: &'a RankerEntry,
    pub(super) case: &'a Case,
    pub(super) all: &'a [(RankerEntry, Case)],
    pub(super) usual: &'a Result<Fitted, String>,
}

/// A model and its JSON.
pub(super) struct Fitted {
    pub(super) model: Box<dyn DynModel>,
    pub(super) json: String,
}

impl Trial<'_> {
    /// The model that the case's parameters give on [`train`], fitted before anything else was.
    pub(super) fn usual(&self) -> Result<&Fitted, String> {
        self.usual.as_ref().map_err(Clone::clone)
    }

    /// Fits the ranker again, on other data or with another seed.
    pub(super) fn fit(&self, train: &Dataset, seed: u64) -> Result<Fitted, String> {
        fit(self.entry, self.case.params, train, seed)
    }
}

/// The training part, unless a rule says otherwise.
pub(super) fn train() -> Dataset {
    data::signal_in_order(40, 1)
}

/// The validation part.
pub(super) fn validation() -> Dataset {
    data::signal_in_order(20, 2)
}

/// The data on which models are compared.
pub(super) fn test() -> Dataset {
    data::signal_in_order(20, 3)
}

/// A ranker from its parameters as TOML.
pub(super) fn make(entry: &RankerEntry, params: &str) -> Result<Box<dyn DynRanker>, String> {
    let table = DeTable::parse(params).map_err(|error| format!("the case's `{params}` is no TOML: {error}"))?;
    entry.parse(table).map_err(|error| format!("`{params}` is refused: {error}"))
}

/// Fits a ranker on `train`, with the usual validation part.
pub(super) fn fit(entry: &RankerEntry, params: &str, train: &Dataset, seed: u64) -> Result<Fitted, String> {
    fit_beside(entry, params, train, seed, Some(&validation()), &Unheard)
}

/// A receiver that ignores every report.
struct Unheard;

impl Progress for Unheard {
    fn step(&self, _: u64, _: u64) {}
}

/// Fits a ranker on `train`, with the given validation part or without a validation part.
pub(super) fn fit_beside(
    entry: &RankerEntry,
    params: &str,
    train: &Dataset,
    seed: u64,
    validation: Option<&Dataset>,
    progress: &dyn Progress,
) -> Result<Fitted, String> {
    let mut context = FitContext::new(Seed::new(seed)).with_progress(progress);
    if let Some(validation) = validation {
        context = context.with_validation(validation);
    }
    let model = make(entry, params)?.fit(train, &context).map_err(|error| format!("the fit fails: {error}"))?;
    let json = model.to_json().map_err(|error| format!("the model cannot be written as JSON: {error}"))?.to_string();
    Ok(Fitted { model, json })
}

/// [`fit`] on [`train`].
pub(super) fn fit_usual(entry: &RankerEntry, params: &str, seed: u64) -> Result<Fitted, String> {
    fit(entry, params, &train(), seed)
}

/// `params` with another value for parameter `name`.
pub(super) fn with(params: &str, name: &str, value: &str) -> String {
    let kept = params.lines().filter(|line| line.split('=').next().map(str::trim) != Some(name));
    kept.map(|line| format!("{line}\n")).chain([format!("{name} = {value}\n")]).collect()
}

/// The scores of all documents, one list for each query.
pub(super) fn scores(model: &dyn DynModel, data: &Dataset) -> Vec<Vec<f64>> {
    data.queries()
        .map(|query| {
            let mut out = vec![f64::NAN; query.len()];
            model.score(query.view(), &mut out);
            out
        })
        .collect()
}

/// The first document whose two scores are not the same bits: "query q0, document d1: 0.25 and
/// 0.5".
pub(super) fn difference(data: &Dataset, here: &[Vec<f64>], there: &[Vec<f64>]) -> Option<String> {
    data.queries().zip(here.iter().zip(there)).find_map(|(query, (here, there))| {
        let row = (0..query.len()).find(|&row| here[row].to_bits() != there[row].to_bits())?;
        let document = query.doc_id(row).map_or_else(|| format!("in row {row}"), str::to_owned);
        Some(format!("query {}, document {document}: {} and {}", query.id(), here[row], there[row]))
    })
}

/// The first difference of two models, if there is one: in a score on [`test`], else in their JSON.
pub(super) fn models_differ(here: &Fitted, there: &Fitted) -> Option<String> {
    let data = test();
    let scored = difference(&data, &scores(&*here.model, &data), &scores(&*there.model, &data));
    scored.or_else(|| (here.json != there.json).then(|| "the scores agree, but the saved models do not".to_owned()))
}

//! The registries of the crates as one JSON object, from which the Python package makes its
//! docstrings and lists.

use fivefold_core::RankerEntry;
use fivefold_core::params::ParamInfo;
use fivefold_data::trec::Duplicates;
use fivefold_metrics::conventions::RULES;
use fivefold_metrics::dialect::by_dialect;
use fivefold_metrics::{DIALECTS, MEASURES};
use fivefold_rankers::RANKERS;
use pyo3::prelude::*;
use serde::Serialize;
use toml::de::DeTable;

use crate::errors::config;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(registries, module)?)
}

/// Everything that has a name and may be asked for by it.
#[derive(Serialize)]
struct Registries {
    measures: Vec<Entry>,
    dialects: Vec<Entry>,
    conventions: Vec<Parameter>,
    duplicates: Vec<Entry>,
    tests: Vec<Entry>,
    corrections: Vec<Entry>,
    methods: Vec<Entry>,
    normalisers: Vec<Entry>,
    rankers: Vec<Ranker>,
}

/// A name and its meaning.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    summary: &'static str,
    /// The rule for a measure's cutoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    cutoff: Option<&'static str>,
    parameters: Vec<Parameter>,
}

impl Entry {
    fn new(name: &'static str, summary: &'static str) -> Self {
        Entry { name, summary, cutoff: None, parameters: Vec::new() }
    }
}

/// A parameter of a measure or a method, or a convention.
#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    /// In words: it may depend on the dialect.
    default: String,
    values: String,
    help: &'static str,
}

#[derive(Serialize)]
struct Ranker {
    name: &'static str,
    summary: &'static str,
    parameters: Vec<ParamInfo>,
    presets: Vec<Preset>,
}

/// Settings of a ranker that have a name.
#[derive(Serialize)]
struct Preset {
    name: &'static str,
    summary: &'static str,
    /// The values of all parameters.
    values: serde_json::Value,
}

impl Preset {
    fn of(entry: &RankerEntry, (name, summary): (&'static str, &'static str)) -> PyResult<Self> {
        let text = format!("preset = {name:?}");
        let ranker = entry.parse(DeTable::parse(&text).map_err(config)?).map_err(|error| config(error.message))?;
        Ok(Preset { name, summary, values: ranker.params() })
    }
}

/// The registries, as JSON.
#[pyfunction]
fn registries() -> PyResult<String> {
    serde_json::to_string(&Registries::of_crates()?).map_err(config)
}

impl Registries {
    fn of_crates() -> PyResult<Self> {
        let measure = |entry: &fivefold_metrics::MeasureEntry| {
            let parameters = entry.params.iter().map(|param| Parameter {
                name: param.name,
                default: param.defaults(),
                values: param.values.to_owned(),
                help: param.help,
            });
            let cutoff = Some(entry.cutoffs.words());
            Entry { cutoff, parameters: parameters.collect(), ..Entry::new(entry.name, entry.summary) }
        };
        let convention = |rule: &fivefold_metrics::conventions::Rule| Parameter {
            name: rule.name,
            default: by_dialect(|dialect| rule.value(&dialect.conventions())),
            values: String::new(),
            help: rule.help,
        };
        let method = |method: &fivefold_fusion::Method| {
            let parameter = method.parameter.iter().map(|parameter| Parameter {
                name: parameter.name,
                default: parameter.default.to_string(),
                values: format!("{} to {}", parameter.lowest, parameter.highest),
                help: "",
            });
            Entry { parameters: parameter.collect(), ..Entry::new(method.name, method.summary) }
        };
        let ranker = |entry: &RankerEntry| -> PyResult<Ranker> {
            let presets =
                entry.presets().into_iter().map(|preset| Preset::of(entry, preset)).collect::<PyResult<_>>()?;
            Ok(Ranker { name: entry.name, summary: entry.summary, parameters: entry.params(), presets })
        };
        Ok(Registries {
            measures: MEASURES.iter().map(measure).collect(),
            dialects: DIALECTS.iter().map(|dialect| Entry::new(dialect.name, dialect.summary)).collect(),
            conventions: RULES.iter().map(convention).collect(),
            duplicates: Duplicates::ALL.map(|own| Entry::new(own.name(), own.summary())).into(),
            tests: fivefold_stats::TESTS.iter().map(|test| Entry::new(test.name, test.summary)).collect(),
            corrections: fivefold_stats::CORRECTIONS.iter().map(|own| Entry::new(own.name, own.summary)).collect(),
            methods: fivefold_fusion::METHODS.iter().map(method).collect(),
            normalisers: fivefold_fusion::NORMALISERS.iter().map(|own| Entry::new(own.name, own.summary)).collect(),
            rankers: RANKERS.iter().map(ranker).collect::<PyResult<_>>()?,
        })
    }
}

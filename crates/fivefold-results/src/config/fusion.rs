//! `[ranker.params]` of `kind = "fusion"`: a ranker that combines the rankings of other rankers of
//! the experiment, by a method of `fivefold-fusion`.
//!
//! ```toml
//! [[ranker]]
//! label = "Fused"
//! kind = "fusion"
//! params = { of = ["LMART", "RankNet"], method = "comb-sum", normalise = "z-score" }
//! ```
//!
//! Documents of equal score share their ranks. With `weights_by = "ndcg@10"`, the weights of the rankers
//! are learnt on the validation part of each fold.

use std::collections::BTreeMap;

use fivefold_core::params::ParamInfo;
use fivefold_fusion::{Fusion, FusionError, METHODS, NORMALISERS, method, normaliser};
use fivefold_metrics::MeasureSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::Fault;
use super::read::{Section, read};

/// The parameters of `kind = "fusion"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FusionConfig {
    /// The labels of the rankers whose rankings are combined.
    pub of: Vec<String>,
    /// The name of the method.
    #[serde(default = "default_method")]
    pub method: String,
    /// The name of the normaliser of scores, for a method of scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalise: Option<String>,
    /// The constant of `rrf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<f64>,
    /// The persistence of `rbc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phi: Option<f64>,
    /// A weight for each of the rankers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Vec<f64>>,
    /// The measure by which the weights are learnt on validation parts. `None`: they are given, or
    /// all 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_by: Option<MeasureSpec>,
}

/// The name of the weights among the values of a choice.
pub const WEIGHTS: &str = "weights";

/// The weights that a fusion has learnt, in the order of its rankers.
pub fn learnt_weights(setting: &BTreeMap<String, Value>) -> Option<Vec<f64>> {
    serde_json::from_value(setting.get(WEIGHTS)?.clone()).ok()
}

fn default_method() -> String {
    METHODS[0].name.to_owned()
}

impl FusionConfig {
    /// The method with its settings.
    ///
    /// # Errors
    /// If a name is unknown, or if a setting has no effect or is out of range.
    pub fn fusion(&self) -> Result<Fusion, FusionError> {
        let mut fusion = Fusion::new(method(&self.method)?);
        for (name, value) in [("k", self.k), ("phi", self.phi)] {
            if let Some(value) = value {
                fusion = fusion.with_parameter(name, value)?;
            }
        }
        if let Some(name) = &self.normalise {
            fusion = fusion.with_normaliser(normaliser(name)?)?;
        }
        match &self.weights {
            Some(weights) => fusion.with_weights(weights.clone()),
            None => Ok(fusion),
        }
    }

    /// How the weights are learnt, in a sentence without the label of the fusion. `None` if they are
    /// not.
    pub fn learning_words(&self) -> Option<String> {
        let measure = self.weights_by.as_ref()?;
        Some(format!(
            "weights learnt by {measure} on the validation part of each fold; rankers that stop early did so on the same \
             queries, so the values of the weights are optimistic"
        ))
    }

    /// The settings that alter the fused scores, for the key of a job. All defaults are filled in.
    ///
    /// # Errors
    /// As [`fusion`](Self::fusion).
    pub fn settings(&self) -> Result<serde_json::Value, FusionError> {
        let fusion = self.fusion()?;
        Ok(json!({
            "method": fusion.method().name,
            "normalise": fusion.normaliser().map(|normaliser| normaliser.name),
            "parameter": fusion.parameter(),
            "weights": fusion.weights(),
        }))
    }

    pub(super) fn params() -> Vec<ParamInfo> {
        let param = |name: &str, default, help: String| ParamInfo { name: name.to_owned(), default, help };
        let methods: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
        let normalisers: Vec<&str> = NORMALISERS.iter().map(|normaliser| normaliser.name).collect();
        vec![
            param(
                "of",
                None,
                "labels of two or more rankers of this experiment, whose rankings are combined".to_owned(),
            ),
            param("method", Some(json!(default_method())), format!("one of {}", methods.join(", "))),
            param(
                "normalise",
                Some(json!(NORMALISERS[0].name)),
                format!(
                    "for methods of scores (comb-...): one of {}, over the documents of a query",
                    normalisers.join(", ")
                ),
            ),
            param("k", Some(json!(60.0)), "the constant of rrf: 1 / (k + rank)".to_owned()),
            param("phi", Some(json!(0.8)), "the persistence of rbc: (1 - phi) phi^(rank - 1)".to_owned()),
            param(
                "weights",
                Some(json!(null)),
                "a weight for each ranker of `of`, in this order; 0 leaves it out".to_owned(),
            ),
            param(
                "weights_by",
                Some(json!(null)),
                "a measure by which weights are learnt on the validation part of each fold, in place of `weights`"
                    .to_owned(),
            ),
        ]
    }

    pub(super) fn read(params: Section<'_>) -> Result<Self, Fault> {
        let span = params.span_of("of");
        let by_span = params.span_of("weights_by");
        let config: FusionConfig = read(params.into_value())?;
        let fault = |message: String| Err(Fault::new(message, span.clone()));
        if config.of.len() < 2 {
            return fault("a fusion needs two or more rankers in `of`".to_owned());
        }
        if let Some(twice) = config.of.iter().enumerate().find(|(place, label)| config.of[..*place].contains(label)) {
            return fault(format!("`of` names `{}` twice", twice.1));
        }
        if let Some(weights) = config.weights.as_ref().filter(|weights| weights.len() != config.of.len()) {
            return fault(format!(
                "`weights` has {} numbers for the {} rankers of `of`",
                weights.len(),
                config.of.len()
            ));
        }
        if config.weights.is_some() && config.weights_by.is_some() {
            let fault = Fault::new("the weights are given by `weights` and learnt by `weights_by`", by_span);
            return Err(fault.help("leave out one of the two"));
        }
        match config.fusion() {
            Err(error) => fault(error.to_string()),
            Ok(_) => Ok(config),
        }
    }
}

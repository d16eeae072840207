//! `[[ranker]]`: a method with its label, parameters and normaliser.
//!
//! ```toml
//! [[ranker]]
//! label = "Ridge"                                         # the kind when absent
//! kind = "linear"
//! normalise = { method = "z-score", over = "query" }      # the experiment's when absent
//! [ranker.params]                                         # those of the kind
//! lambda = 1.0
//!
//! [[ranker]]
//! label = "AdaRank"
//! kind = "scores"                                         # trained elsewhere: one score a line, a file a fold
//! params = { path = "AdaRank/Fold{fold}.score" }
//! ```

use fivefold_core::Registry;
use fivefold_data::Normaliser;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeTable;

use super::error::Fault;
use super::read::{Section, read};
use crate::names;

/// The kind whose scores are read from files.
pub const SCORES_KIND: &str = "scores";

/// What `kind = "scores"` does, for lists of rankers.
pub const SCORES_SUMMARY: &str =
    "scores of a program that trained elsewhere: one a line, in the order of each fold's test documents";

/// One method of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankerConfig {
    /// The name in tables and files, unlike all others.
    pub label: String,
    /// The registered name, or [`SCORES_KIND`].
    pub kind: String,
    /// Where its scores come from.
    pub method: Method,
    /// What is done to the features before it sees them.
    pub normalise: Normaliser,
}

/// Where scores come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A registered ranker is trained.
    Train {
        /// Its version, a part of the cache key.
        version: u32,
        /// Whether the seed alters its model, at these parameters.
        seeded: bool,
        /// All its parameters, defaults filled in.
        params: serde_json::Value,
    },
    /// Files hold them.
    Scores(ScoreFiles),
}

/// `[ranker.params]` of `kind = "scores"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoreFiles {
    /// Path of the files, with `{fold}` where the fold's number stands and `{dataset}` where the data set's label does.
    /// A relative path is looked for beside the experiment file, then in the folder of `FIVEFOLD_DATA`.
    #[serde(deserialize_with = "pattern")]
    pub path: String,
}

impl ScoreFiles {
    /// The path for one fold.
    pub fn file(&self, dataset: &str, fold: usize) -> String {
        self.path.replace("{fold}", &fold.to_string()).replace("{dataset}", dataset)
    }
}

fn pattern<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let path = String::deserialize(deserializer)?;
    let wrong = if path.contains("{fold}") {
        path.split('{')
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap_or(rest))
            .find(|n| !["fold", "dataset"].contains(n))
    } else {
        return Err(serde::de::Error::custom("`path` must contain `{fold}`, where the number of the fold stands"));
    };
    match wrong {
        Some(name) => {
            Err(serde::de::Error::custom(format!("`path` may contain `{{fold}}` and `{{dataset}}`, not `{{{name}}}`")))
        }
        None => Ok(path),
    }
}

const KEYS: [&str; 4] = ["label", "kind", "normalise", "params"];

impl RankerConfig {
    pub(super) fn read(mut section: Section<'_>, registry: &Registry, default: &Normaliser) -> Result<Self, Fault> {
        let (kind, kind_span): (String, _) = section.require("kind", "this ranker")?;
        let label_span = if section.has("label") { section.span_of("label") } else { kind_span.clone() };
        let label = section.read::<String>("label")?.unwrap_or_else(|| kind.clone());
        names::check(&label).map_err(|reason| Fault::new(format!("the label {reason}"), label_span))?;
        let own_span = section.has("normalise").then(|| section.span_of("normalise"));
        let own: Option<Normaliser> = section.read("normalise")?;
        let params = match section.take("params") {
            Some(value) => Section::new(value, "`params`")?,
            None => Section::of_table(Spanned::new(kind_span.clone(), DeTable::new())),
        };
        section.finish(&KEYS)?;
        if kind == SCORES_KIND {
            if let Some(span) = own_span {
                return Err(Fault::new("`normalise` has no effect on scores that are read from files", span));
            }
            let method = Method::Scores(read(params.into_value())?);
            return Ok(RankerConfig { label, kind, method, normalise: Normaliser::default() });
        }
        let Some(entry) = registry.find(&kind) else {
            let known = registry.entries().iter().map(|entry| entry.name).chain([SCORES_KIND]);
            return Err(Fault::unknown("kind of ranker", &kind, kind_span, known));
        };
        let ranker = entry.parse(params.into_table()).map_err(|error| Fault::from(error).or_at(&kind_span))?;
        let params = ranker.params();
        // The job reads them back from here: a value that JSON cannot hold (infinity) is refused now, not in the run.
        entry.restore(&params).map_err(|error| Fault::from(error).or_at(&kind_span))?;
        let method = Method::Train { version: entry.version, seeded: ranker.seeded(), params };
        Ok(RankerConfig { label, kind, method, normalise: own.unwrap_or(*default) })
    }
}

//! The type of an entry in the list of studies. Files, commands and help use the list.

use fivefold_core::ParamError;
use fivefold_core::params::field_names;
use fivefold_metrics::MeasureSpec;
use serde_json::Value;
use toml::Spanned;
use toml::de::DeTable;

use crate::compare::{Classes, CompareDataset};
use crate::converge::Population;
use crate::file;
use crate::ratings::{PrintedConfig, RatingsConfig};
use crate::standardise::factors::Linear;
use crate::study::{Findings, Study, StudyContext, StudyError};
use crate::systems::{SystemsConfig, TextsConfig};

/// Reads the settings of a study from the keys of its file.
pub type Parse = fn(Spanned<DeTable<'_>>) -> Result<Box<dyn AnyStudy>, ParamError>;

/// Reads the settings of a study from a manifest.
pub type Restore = fn(&Value) -> Result<Box<dyn AnyStudy>, ParamError>;

/// One registered kind of study.
#[derive(Debug, Clone, Copy)]
pub struct StudyEntry {
    /// The word after `kind =`.
    pub kind: &'static str,
    /// The question of the study, in a line.
    pub summary: &'static str,
    /// The keys of the study's settings.
    pub keys: fn() -> &'static [&'static str],
    /// Reads the settings from the keys of an experiment file.
    pub parse: Parse,
    /// Reads the settings from a manifest.
    pub restore: Restore,
}

/// The tables within the settings of studies, by the key or section that holds them, with their keys.
///
/// ```
/// let tables = fivefold_studies::registry::tables();
/// assert!(tables.contains(&("linear", &["a", "b"][..])));
/// ```
pub fn tables() -> Vec<(&'static str, &'static [&'static str])> {
    vec![
        ("[systems]", field_names::<SystemsConfig>()),
        ("[systems.texts]", field_names::<TextsConfig>()),
        ("[[dataset]]", field_names::<CompareDataset>()),
        ("classes", field_names::<Classes>()),
        ("linear", field_names::<Linear>()),
        ("[population]", field_names::<Population>()),
        ("[ratings]", field_names::<RatingsConfig>()),
        ("[[printed]]", field_names::<PrintedConfig>()),
    ]
}

impl StudyEntry {
    /// The entry of a study.
    pub const fn of<S: Study>() -> Self {
        StudyEntry {
            kind: S::KIND,
            summary: S::SUMMARY,
            keys: field_names::<S>,
            parse: |table| Ok(Box::new(file::settings::<S>(table)?)),
            restore: |settings| Ok(Box::new(file::restored::<S>(settings)?)),
        }
    }
}

/// A study of any kind, with its settings.
pub trait AnyStudy: Send + Sync {
    /// Runs the study; see [`Study::run`].
    ///
    /// # Errors
    /// As [`Study::run`].
    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError>;

    /// The measures of fivefold in the study's settings.
    fn measures(&self) -> Vec<MeasureSpec>;

    /// The settings with every default filled in.
    fn settings(&self) -> Value;
}

impl<S: Study> AnyStudy for S {
    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        Study::run(self, cx)
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        Study::measures(self)
    }

    fn settings(&self) -> Value {
        // Settings are plain data with string keys, which JSON always holds.
        serde_json::to_value(self).unwrap_or_default()
    }
}

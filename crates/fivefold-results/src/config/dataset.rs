//! `[[dataset]]`: a collection, its label, and how many of its test queries are evaluated.
//!
//! ```toml
//! [[dataset]]
//! name = "mq2008"           # a known collection (`fivefold datasets`)
//! label = "MQ2008"          # in tables and files; default: the name of the collection
//! queries = 784             # a seeded sample of all folds' test queries; default: all queries
//! uninformative = 1000      # sizes of this data set's query sets, see `query_sets`
//! ideal = 1000
//! allow = ["identical-vectors"]         # leak guards that do not stop the run, see `guards`
//!
//! [[dataset]]
//! path = "my-data"          # beside this file, or in the folder of FIVEFOLD_DATA
//! layout = "letor4"
//!
//! [[dataset]]
//! synthetic = { shape = "mq2007", queries = 300 }    # drawn at random, needs no files
//! ```

use std::ops::Range;
use std::path::Path;

use fivefold_analysis::tables::SetSize;
use fivefold_base::words::counted;
use fivefold_core::params::field_names;
use fivefold_data::leaks::Guard;
use fivefold_data::{Collection, Source};
use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::read::{Section, read};
use super::{ConfigError, Experiment};
use crate::labels;

/// One collection of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DatasetConfig {
    /// The label in tables and files. No two data sets have the same label.
    pub label: String,
    /// Where the collection comes from.
    pub source: Source,
    /// How many test queries are evaluated, drawn from all folds. `None`: all test queries.
    pub queries: Option<usize>,
    /// Size of the uninformative set, if it differs from the experiment's.
    pub uninformative: Option<SetSize>,
    /// Size of the ideal set, if it differs from the experiment's.
    pub ideal: Option<SetSize>,
    /// Leak guards that do not stop the run for this data set.
    #[serde(default)]
    pub allow: Vec<Guard>,
}

pub(super) const KEYS: [&str; 5] = ["label", "queries", "uninformative", "ideal", "allow"];

impl DatasetConfig {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Fault> {
        let known = || KEYS.into_iter().chain(field_names::<Source>().iter().copied());
        if let Some((key, span)) = section.keys().find(|(key, _)| !known().any(|k| k == *key)) {
            return Err(Fault::unknown("key", key, span, known()));
        }
        let label_span = section.span_of("label");
        let label: Option<String> = section.read("label")?;
        let queries_span = section.span_of("queries");
        let queries: Option<usize> = section.read("queries")?;
        if queries == Some(0) {
            return Err(Fault::new("`queries` must be at least 1", queries_span));
        }
        let (uninformative, ideal) = (section.read("uninformative")?, section.read("ideal")?);
        let allow = section.read("allow")?.unwrap_or_default();
        let spans = ["name", "layout", "synthetic"].map(|key| section.span_of(key));
        let path_span = section.span_of("path");
        let source: Source = read(section.into_value())?;
        source.check().map_err(|error| source_fault(&source, &error.to_string(), spans))?;
        let label = match (label, source.name()) {
            (Some(label), _) => label,
            (None, name) if name.trim().is_empty() => {
                let path = source.path.as_deref().unwrap_or_else(|| Path::new("")).display();
                let fault =
                    Fault::new(format!("the data set has no label, and its path `{path}` has no name"), path_span);
                return Err(fault.help("give `label = \"...\"`, the name in tables and files"));
            }
            (None, name) => name,
        };
        labels::check(&label).map_err(|reason| Fault::new(format!("the label {reason}"), label_span))?;
        Ok(DatasetConfig { label, source, queries, uninformative, ideal, allow })
    }

    /// Reads the collection.
    ///
    /// # Errors
    /// The error of the collection, or an error if `queries` exceeds the test queries of the
    /// collection.
    pub fn open(&self, experiment: &Experiment, index: usize) -> Result<Collection, ConfigError> {
        let error = |message: String| experiment.dataset_error(index, &message);
        let cache = experiment.origin.cache.as_ref();
        let collection = fivefold_data::source::open_cached(&self.source, experiment.folders(), cache);
        let collection = collection.map_err(|e| error(e.to_string()))?;
        let available: usize = collection.folds.iter().map(|fold| fold.test.len()).sum();
        match self.queries {
            Some(wanted) if wanted > available => {
                Err(error(format!("`queries = {wanted}`, but the collection has {}", counted(available, "test query"))))
            }
            _ => Ok(collection),
        }
    }
}

/// Underlines the name in the error. If the error names nothing of the entry, underlines the
/// collection's name.
fn source_fault(source: &Source, message: &str, [name, layout, synthetic]: [Range<usize>; 3]) -> Fault {
    let shape = source.synthetic.as_ref().map(|synthetic| &synthetic.shape);
    let quoted = |text: &String| message.contains(&format!("`{text}`")) || message.contains(&format!("\"{text}\""));
    let about = |text: Option<&String>| text.is_some_and(quoted);
    let span = if about(shape) {
        synthetic
    } else if about(source.layout.as_ref()) {
        layout
    } else {
        name
    };
    Fault::with_advice(message, span)
}

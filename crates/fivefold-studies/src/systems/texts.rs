//! Texts of systems, such as summaries, from which text measures are computed.
//!
//! ```toml
//! [systems.texts]
//! candidates = ["outputs/*.jsonl"]           # the texts of systems: JSON lines, or a text a line
//! references = ["references.txt"]            # unless the lines of candidates have them
//! sources = "articles.txt"                   # the same; needed for the expected value
//! measures = ["rouge1", "rouge1.v2", "rougeL(references=max)"]
//! ```
//! A document stands for a query: all that holds of values per query holds of values per document.

use std::path::PathBuf;

use fivefold_base::Version;
use fivefold_base::words::{counted, which};
use fivefold_core::ParamError;
use fivefold_data::per_query::{MissingQuery, SystemValues};
use fivefold_data::texts::{TextFiles, Texts, read_texts};
use fivefold_text::{Column, Corpus, Document, TextCounts, TextMeasure, TextValues, evaluate};
use serde::{Deserialize, Serialize};

use super::config::{expand, inputs};
use super::{Bounds, Content, Systems};
use crate::study::{StudyContext, StudyError, each_once};

/// Texts of systems, and the measures to compute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextsConfig {
    /// Files of candidates: `[NAME=]PATH`, where a `*` stands for the names of systems.
    pub candidates: Vec<String>,
    /// Files of references: each adds one reference to each document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// A file of sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<PathBuf>,
    /// Text measures, with versions and parameters.
    pub measures: Vec<TextMeasure>,
}

/// The measures of texts, if none are asked for.
const DEFAULT_MEASURES: [&str; 3] = ["rouge1", "rouge2", "rougeL"];

impl Default for TextsConfig {
    fn default() -> Self {
        let base = || DEFAULT_MEASURES.iter().filter_map(|name| name.parse::<TextMeasure>().ok());
        let measures = [Version::Original, Version::V1, Version::V2]
            .into_iter()
            .flat_map(|version| base().map(move |measure| measure.with_version(version)));
        TextsConfig { candidates: Vec::new(), references: Vec::new(), sources: None, measures: measures.collect() }
    }
}

impl TextsConfig {
    /// Checks that there are candidates and measures. The error is about the key `systems`.
    ///
    /// # Errors
    /// A missing part, or a measure that stands twice.
    pub fn check(&self) -> Result<(), ParamError> {
        if self.candidates.is_empty() || self.measures.is_empty() {
            let what = if self.candidates.is_empty() { "candidates" } else { "measures" };
            return Err(ParamError::new("systems", format!("has `texts` without `{what}`")));
        }
        each_once("systems", &self.measures)
    }

    /// Reads the texts and computes the measures.
    pub(super) fn read(&self, missing: MissingQuery, cx: &StudyContext<'_>) -> Result<Systems, StudyError> {
        let (candidates, references) = (expand(cx, &self.candidates)?, expand(cx, &self.references)?);
        let sources = self.sources.as_ref().map(|path| expand(cx, &[path.display().to_string()])).transpose()?;
        let sources = sources.unwrap_or_default();
        let files = TextFiles {
            candidates: candidates.iter().map(|file| (file.name.clone(), file.path.clone())).collect(),
            references: references.iter().map(|file| file.path.clone()).collect(),
            sources: sources.first().map(|file| file.path.clone()),
        };
        let corpus = corpus_of(read_texts(&files)?);
        let computed = evaluate(&corpus, &self.measures, cx.seed().derive("texts"))?;
        let (values, _) = values_of(&corpus, &computed).settle(missing)?;
        let mut remarks = conventions_of(&self.measures);
        for (measure, counts) in self.measures.iter().zip(&computed.counts) {
            remarks.extend(in_words(measure, counts));
        }
        remarks.extend(values.remarks.iter().map(ToString::to_string));
        let mut read = inputs(&candidates)?;
        read.extend(inputs(&references)?);
        read.extend(inputs(&sources)?);
        Ok(Systems { inputs: read, remarks, bounds: bounds_of(&computed), ..Systems::of(Content::Values(values)) })
    }
}

fn corpus_of(texts: Texts) -> Corpus {
    let documents = texts.documents.into_iter().map(|document| Document {
        id: document.id,
        source: document.source,
        references: document.references,
        candidates: document.candidates,
    });
    Corpus { systems: texts.systems, documents: documents.collect() }
}

fn values_of(corpus: &Corpus, computed: &TextValues) -> SystemValues {
    let mut values = SystemValues {
        measures: computed.measures.iter().map(ToString::to_string).collect(),
        systems: corpus.systems.clone(),
        queries: computed.documents.clone(),
        ..SystemValues::default()
    };
    for measure in 0..computed.measures.len() {
        for system in 0..corpus.systems.len() {
            let own = computed.of(measure, system);
            // A text that is missing has no value. A value of a text that is there can be undefined.
            let is_there = corpus.documents.iter().map(|document| document.candidates[system].is_some());
            values.undefined.extend(own.iter().zip(is_there).map(|(value, is_there)| value.is_nan() && is_there));
            values.values.extend(own);
        }
    }
    values
}

/// Means of A, E and U of each measure, whatever its version.
fn bounds_of(computed: &TextValues) -> Vec<Bounds> {
    let mut all: Vec<Bounds> = Vec::new();
    for (place, measure) in computed.measures.iter().enumerate() {
        let name = measure.base().to_string();
        if all.iter().all(|known| known.measure != name) {
            let [score, expected, upper] =
                [Column::Score, Column::Expected, Column::Upper].map(|column| computed.mean(column, place));
            let errors = (0..computed.systems.len()).flat_map(|system| {
                computed.column(Column::ExpectedError, place, system).iter().copied().filter(|error| !error.is_nan())
            });
            let expected_error = errors.fold(0.0, f64::max);
            all.push(Bounds { measure: name, score, expected, upper, expected_error });
        }
    }
    all
}

/// The conventions of the measures, a line for each metric with its parameters.
fn conventions_of(measures: &[TextMeasure]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for measure in measures {
        let line = measure.conventions();
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The texts and values of a measure that are out of the ordinary, a line each.
fn in_words(measure: &TextMeasure, counts: &TextCounts) -> Vec<String> {
    let have_no = |count| which(count, "has no unit of the measure", "have no unit of the measure");
    let lines = [
        (counts.empty_candidates, "text", have_no(counts.empty_candidates)),
        (counts.empty_references, "reference", have_no(counts.empty_references)),
        (counts.empty_sources, "source", which(counts.empty_sources, "has no token", "have no token")),
        (counts.undefined_scores, "value", which(counts.undefined_scores, "is undefined", "are undefined")),
        (
            counts.undefined_ue,
            "value",
            which(counts.undefined_ue, "has no V1 and V2: U is not above E", "have no V1 and V2: U is not above E"),
        ),
        (counts.without_expected, "value", which(counts.without_expected, "has no E", "have no E")),
    ];
    let lines = lines.into_iter().filter(|(count, _, _)| *count > 0);
    lines.map(|(count, noun, rest)| format!("{measure}: {} {rest}", counted(count, noun))).collect()
}

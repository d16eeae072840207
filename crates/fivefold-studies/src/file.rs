//! The experiment file of a study.
//!
//! ```toml
//! name = "residual-dl19"       # of the results folder
//! seed = 7                     # 0 when absent
//! kind = "residual"            # which study; without it the file is a learning-to-rank experiment
//! # and the study's own keys
//! ```
//! An unknown key, a wrong type and a value out of range are errors with the place in the file. For
//! a wrong name, the error also gives the nearest name.

use std::ops::Range;

use fivefold_base::renamed::{self, Renamed, new_name};
use fivefold_base::words::nearest;
use fivefold_core::ParamError;
use fivefold_core::params::{field_names, rename_keys, toml_message, unknown_name, with_new_names};
use fivefold_results::config::DESIGN_KINDS;
use fivefold_results::config::old_words::{CONVENTIONS, TOP, measures, table as table_of};
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::STUDIES;
use crate::registry::{AnyStudy, StudyEntry};
use crate::run::StudyManifest;
use crate::study::Study;

/// The keys of every study.
const COMMON: [&str; 3] = ["name", "seed", "kind"];

/// Kinds that have a new name.
const KINDS: &[Renamed] = &[Renamed::new("meta", "compare")];

/// The table of conventions in a study's file.
const CONVENTIONS_KEY: &str = "conventions";

/// A study as its experiment file describes it.
///
/// ```
/// use fivefold_studies::StudyFile;
///
/// let file = StudyFile::parse("name = \"mine\"\nkind = \"converge\"\nseed = 7\ntrials = 2\n")?;
/// assert_eq!((file.name.as_str(), file.kind, file.seed), ("mine", "converge", 7));
/// // A key that is none of the study's is an error.
/// assert!(StudyFile::parse("name = \"mine\"\nkind = \"converge\"\ntrails = 2\n").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StudyFile {
    /// The experiment's name.
    pub name: String,
    /// The seed from which all other seeds are derived.
    pub seed: u64,
    /// The kind of the study.
    pub kind: &'static str,
    /// The study with its settings.
    pub study: Box<dyn AnyStudy>,
    /// The old words in the file, which have new names. A word occurs as often as in the file.
    pub old_words: Vec<&'static Renamed>,
}

impl StudyFile {
    /// A study whose settings do not come from a file.
    pub fn of<S: Study>(name: impl Into<String>, seed: u64, study: S) -> Self {
        StudyFile { name: name.into(), seed, kind: S::KIND, study: Box::new(study), old_words: Vec::new() }
    }

    /// The study that made a results folder.
    ///
    /// # Errors
    /// A kind or settings that this version does not know.
    pub fn restore(manifest: &StudyManifest) -> Result<Self, ParamError> {
        let entry = find(&manifest.kind, 0..0)?;
        let mut settings = with_new_names(&manifest.settings, TOP);
        if let Some(conventions) = settings.get_mut(CONVENTIONS_KEY) {
            *conventions = with_new_names(conventions, CONVENTIONS);
        }
        let study = (entry.restore)(&settings)?;
        let name = manifest.name.clone();
        Ok(StudyFile { name, seed: manifest.seed, kind: entry.kind, study, old_words: Vec::new() })
    }

    /// Whether this text is the experiment file of a study: a learning-to-rank experiment has no
    /// `kind`, or the kind of a [design](DESIGN_KINDS).
    pub fn is_study(text: &str) -> bool {
        let is_design = |kind: &Spanned<DeValue<'_>>| matches!(kind.get_ref(), DeValue::String(kind) if DESIGN_KINDS.contains(&kind.as_ref()));
        DeTable::parse(text).is_ok_and(|table| table.get_ref().get("kind").is_some_and(|kind| !is_design(kind)))
    }

    /// Reads the text of an experiment file.
    ///
    /// # Errors
    /// The first error in the file.
    pub fn parse(text: &str) -> Result<Self, ParamError> {
        let mut table = DeTable::parse(text).map_err(fault)?;
        let mut old = rename_keys(table.get_mut(), TOP)?;
        old.extend(measures(table.get_ref()));
        if let Some(conventions) = table_of(table.get_mut(), CONVENTIONS_KEY) {
            old.extend(rename_keys(conventions, CONVENTIONS)?);
        }
        let start = 0..0;
        let (kind, place) = match table.get_mut().remove("kind") {
            Some(value) => {
                let span = value.span();
                (read::<String>(value)?, span)
            }
            None => return Err(error("the experiment has no `kind`", start, Some(kinds()))),
        };
        let entry = find(&kind, place)?;
        old.extend(renamed::find(KINDS, &kind));
        let name = match table.get_mut().remove("name") {
            Some(value) => read_name(value)?,
            None => return Err(error("the experiment has no `name`", start, Some("add `name = \"...\"`".to_owned()))),
        };
        let seed = table.get_mut().remove("seed").map(read).transpose()?.unwrap_or(0);
        Ok(StudyFile { name, seed, kind: entry.kind, study: (entry.parse)(table)?, old_words: old })
    }
}

fn find(kind: &str, place: Range<usize>) -> Result<&'static StudyEntry, ParamError> {
    let kind = new_name(KINDS, kind);
    STUDIES.iter().find(|entry| entry.kind == kind).ok_or_else(|| {
        let help = match nearest(kind, STUDIES.iter().map(|entry| entry.kind).chain(DESIGN_KINDS)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => kinds(),
        };
        error(format!("unknown kind of study \"{kind}\""), place, Some(help))
    })
}

fn kinds() -> String {
    let all: Vec<String> =
        STUDIES.iter().map(|StudyEntry { kind, summary, .. }| format!("\"{kind}\" ({summary})")).collect();
    format!("kinds of study: {}; of experiments with rankers: {}", all.join(", "), DESIGN_KINDS.join(", "))
}

fn read_name(value: Spanned<DeValue<'_>>) -> Result<String, ParamError> {
    let span = value.span();
    let name: String = read(value)?;
    match name.trim() {
        "" => Err(error("the name is empty", span, None)),
        _ => Ok(name),
    }
}

/// Reads and checks the settings of a study from the keys that are its own.
pub(crate) fn settings<S: Study>(table: Spanned<DeTable<'_>>) -> Result<S, ParamError> {
    let known = field_names::<S>();
    let keys = || table.get_ref().iter();
    if let Some((key, _)) = keys().find(|(key, _)| !known.contains(&key.get_ref().as_ref())) {
        return Err(unknown("key", key.get_ref(), key.span(), known.iter().copied().chain(COMMON)));
    }
    let spans: Vec<(String, Range<usize>)> =
        keys().map(|(key, value)| (key.get_ref().to_string(), value.span())).collect();
    let whole = table.span();
    let study: S = read(Spanned::new(whole, DeValue::Table(table.into_inner())))?;
    study.check().map_err(|mut error| {
        let found = spans.iter().find(|(key, _)| error.param.as_ref() == Some(key));
        error.span = error.span.or_else(|| found.map(|(_, span)| span.clone()));
        error
    })?;
    Ok(study)
}

/// Reads and checks the settings of a study from a manifest.
pub(crate) fn restored<S: Study>(settings: &Value) -> Result<S, ParamError> {
    let study: S = serde_json::from_value(settings.clone())
        .map_err(|e| error(format!("the settings do not fit a study of kind \"{}\": {e}", S::KIND), 0..0, None))?;
    study.check()?;
    Ok(study)
}

fn read<T: DeserializeOwned>(value: Spanned<DeValue<'_>>) -> Result<T, ParamError> {
    let span = value.span();
    T::deserialize(ValueDeserializer::from(value)).map_err(|e| {
        let mut error = fault(e);
        error.span.get_or_insert(span);
        error
    })
}

fn error(message: impl Into<String>, span: Range<usize>, help: Option<String>) -> ParamError {
    ParamError { message: message.into(), param: None, span: Some(span), help }
}

fn unknown<'a>(what: &str, name: &str, span: Range<usize>, known: impl Iterator<Item = &'a str> + Clone) -> ParamError {
    let help = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("possible here: {}", known.collect::<Vec<_>>().join(", ")),
    };
    error(format!("unknown {what} `{name}`"), span, Some(help))
}

fn fault(error: toml::de::Error) -> ParamError {
    match unknown_name(&error) {
        Some((what, name, known)) => unknown(what, name, error.span().unwrap_or(0..0), known),
        None => ParamError { message: toml_message(&error), param: None, span: error.span(), help: None },
    }
}

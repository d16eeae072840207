//! Errors of an experiment file. An error names the fault and underlines its place.

use std::ops::Range;
use std::sync::Arc;

use fivefold_base::words::nearest;
use fivefold_core::ParamError;
use fivefold_core::params::{toml_message, unknown_name};
use miette::{Diagnostic, NamedSource, SourceSpan};

/// An error of an experiment file. Printed, the error shows the line and underlines the fault.
///
/// ```
/// use fivefold_core::Registry;
/// use fivefold_results::Experiment;
///
/// let text = "name = \"mine\"\n[[dataset]]\npaht = \"data\"\n";
/// let error = Experiment::parse("mine.toml", text, Vec::new(), &Registry::new(&[])).unwrap_err();
/// assert!(error.to_string().contains("`paht`"), "{error}");
/// ```
#[derive(Debug, Clone, thiserror::Error, Diagnostic)]
#[error("{message}")]
pub struct ConfigError {
    message: String,
    #[source_code]
    source_code: Arc<NamedSource<String>>,
    #[label("{label}")]
    span: Option<SourceSpan>,
    label: String,
    #[help]
    help: Option<String>,
}

/// A fault and its byte range, before the text of the file is attached.
#[derive(Debug, Clone)]
pub struct Fault {
    message: String,
    label: String,
    span: Option<Range<usize>>,
    help: Option<String>,
}

impl Fault {
    pub fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Fault { message: message.into(), label: "here".to_owned(), span: Some(span), help: None }
    }

    /// A fault from a message of the form "fault; advice".
    pub fn with_advice(message: &str, span: Range<usize>) -> Self {
        match message.split_once("; ") {
            Some((message, help)) => Fault::new(message, span).help(help),
            None => Fault::new(message, span),
        }
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Gives a place to a fault that has no place.
    #[must_use]
    pub fn or_at(mut self, span: &Range<usize>) -> Self {
        self.span.get_or_insert_with(|| span.clone());
        self
    }

    /// A fault for an unknown name. The help suggests the nearest known name, or else lists all
    /// known names.
    pub fn unknown<'a>(
        what: &str,
        name: &str,
        span: Range<usize>,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let candidates: Vec<&str> = candidates.into_iter().collect();
        let fault = Fault::new(format!("unknown {what} `{name}`"), span).label("not known");
        match nearest(name, candidates.iter().copied()) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault.help(format!("possible here: {}", candidates.join(", "))),
        }
    }

    pub fn attach(self, file: &str, text: &str) -> ConfigError {
        let (message, text, span) = match unseen(file, text, self.span.as_ref()) {
            Some(place) => (format!("{place}: {}", self.message), "", None),
            None => (self.message, text, self.span),
        };
        ConfigError {
            message,
            source_code: Arc::new(NamedSource::new(file, text.to_owned()).with_language("toml")),
            span: span.map(SourceSpan::from),
            label: self.label,
            help: self.help,
        }
    }
}

/// The length of the longest line that an error shows.
const LONGEST_SHOWN: usize = 2000;

/// The place of an error in words, `FILE:LINE:COLUMN`, if the place cannot be underlined. A place
/// cannot be underlined if it is unknown, or if its line is too long to show.
pub fn unseen(file: &str, text: &str, span: Option<&Range<usize>>) -> Option<String> {
    let Some(at) = span.map(|span| span.start.min(text.len())) else { return Some(file.to_owned()) };
    let bytes = text.as_bytes();
    let is_end = |&byte: &u8| byte == b'\n';
    let start = bytes[..at].iter().rposition(is_end).map_or(0, |newline| newline + 1);
    let end = bytes[at..].iter().position(is_end).map_or(text.len(), |newline| at + newline);
    let line = 1 + bytes[..start].iter().filter(|byte| is_end(byte)).count();
    (end - start > LONGEST_SHOWN).then(|| format!("{file}:{line}:{}", at - start + 1))
}

impl From<ParamError> for Fault {
    fn from(error: ParamError) -> Self {
        Fault { message: error.message, label: "here".to_owned(), span: error.span, help: error.help }
    }
}

impl From<toml::de::Error> for Fault {
    fn from(error: toml::de::Error) -> Self {
        match unknown_name(&error) {
            Some((what, name, known)) => Fault::unknown(what, name, error.span().unwrap_or(0..0), known),
            None => Fault { message: toml_message(&error), label: "here".to_owned(), span: error.span(), help: None },
        }
    }
}

//! Errors as the user sees them: what is wrong, where (the line of the file, underlined), what to do.

use std::fmt::Display;
use std::io::IsTerminal as _;
use std::ops::Range;
use std::path::Path;

use fivefold_core::ParamError;
use fivefold_core::params::nearest;
use fivefold_data::ReadError;
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Report, ThemeStyles};

/// A mistake in a request, with a line that teaches.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(crate) struct Problem {
    what: String,
    help: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
    text: Option<NamedSource<String>>,
    span: Option<Range<usize>>,
}

impl Diagnostic for Problem {
    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.text.as_ref().map(|text| text as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(Some("here".to_owned()), span))))
    }
}

impl Problem {
    /// A problem in one lowercase fragment.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Problem { what: what.into(), help: None, source: None, text: None, span: None }
    }

    /// A name that is not among those known; suggests the nearest.
    pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        let help = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Problem::new(format!("there is no {kind} `{name}`")).help(help)
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(what: &str, path: &Path, error: std::io::Error) -> Self {
        Problem::new(format!("cannot {what} {}", path.display())).because(error)
    }

    /// A wrong parameter of a ranker, underlined in the `text` that was read from `name`.
    pub(crate) fn param(error: ParamError, name: &str, text: &str) -> Self {
        let text = error.span.is_some().then(|| NamedSource::new(name, text.to_owned()).with_language("toml"));
        Problem { what: error.message, help: error.help, source: None, text, span: error.span }
    }

    /// A text that is no TOML.
    pub(crate) fn toml(error: &toml::de::Error, name: &str, text: &str) -> Self {
        let source = NamedSource::new(name, text.to_owned()).with_language("toml");
        let what = error.message().to_owned();
        Problem { what, help: None, source: None, text: Some(source), span: error.span() }
    }

    /// Adds what to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the error below.
    pub(crate) fn because(mut self, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(error.into());
        self
    }
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let help = error.kind.help();
        let text = error.to_string();
        let what = text.strip_suffix(&format!("; {help}")).unwrap_or(&text);
        Problem::new(what).help(help)
    }
}

/// Any library error as a report, with its chain of causes.
pub(crate) fn report(error: impl std::error::Error + Send + Sync + 'static) -> Report {
    let what = error.to_string();
    match std::error::Error::source(&error) {
        None => Problem::new(what).into(),
        Some(_) => Report::from_err(error),
    }
}

/// Sets how errors are drawn: with colours and box characters on a terminal, in plain ASCII elsewhere. `colour` forces
/// colours on or off; `None`: on a terminal, unless NO_COLOR is set.
pub(crate) fn install(colour: Option<bool>) {
    let fancy = std::io::stderr().is_terminal();
    let colour = colour.unwrap_or(fancy && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()));
    let mut theme = match (fancy, colour) {
        (true, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, true) => GraphicalTheme { styles: ThemeStyles::ansi(), ..GraphicalTheme::none() },
        (false, false) => GraphicalTheme::none(),
    };
    theme.characters.error = "error:".to_owned();
    // A second call (possible only in-process) keeps the first choice.
    let _ = miette::set_hook(Box::new(move |_| {
        // Where lines go to a file, they are left as they are.
        let handler = GraphicalReportHandler::new().with_wrap_lines(fancy).with_links(false);
        Box::new(handler.with_theme(theme.clone()))
    }));
}

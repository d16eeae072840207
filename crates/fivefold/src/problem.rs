//! Errors as the user sees them. An error says what is wrong, shows the place (the underlined line
//! of the file) and tells what to do.

use std::fmt;
use std::io::IsTerminal as _;
use std::path::Path;

use fivefold_base::printable::printable;
use fivefold_base::words::nearest;
use fivefold_core::params::toml_message;
use fivefold_core::{ParamError, Registry};
use fivefold_data::lint::{Kind, looks_like};
use fivefold_data::trec::{TrecError, TrecErrorKind};
use fivefold_data::{ReadError, ReadErrorKind, ScoreError};
use fivefold_metrics::MeasureError;
use fivefold_results::config::unseen;
use fivefold_results::store::advice;
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, NamedSource, Report, ReportHandler, SourceSpan, ThemeStyles,
};

/// A mistake in a request, with advice.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
pub(crate) struct Problem {
    what: String,
    #[help]
    help: Option<String>,
    #[source_code]
    text: Option<NamedSource<String>>,
    #[label("here")]
    span: Option<SourceSpan>,
}

impl Problem {
    /// Makes a problem from one lowercase phrase.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Problem { what: what.into(), help: None, text: None, span: None }
    }

    /// The error for an unknown name. The error suggests the nearest known name.
    pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Self {
        let help = match nearest(name, known.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known: {}", known.collect::<Vec<_>>().join(", ")),
        };
        Problem::new(format!("there is no {kind} `{name}`")).help(help)
    }

    /// The error for a ranker that this build lacks, or whose name is not among the `known` names.
    pub(crate) fn no_ranker<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone, registry: &Registry) -> Self {
        match registry.find_absent(name) {
            Some(absent) => Problem::new(format!("this build has no ranker `{name}`")).help(absent.to_string()),
            None => Problem::unknown("ranker", name, known),
        }
    }

    /// The error for a file that cannot be read or written.
    pub(crate) fn file(what: &str, path: &Path, error: std::io::Error) -> Self {
        Problem::new(format!("cannot {what} {}: {error}{}", path.display(), advice(&error)))
    }

    /// The error for a wrong parameter of a ranker. The error underlines the parameter in the
    /// `text` that was read from `name`.
    pub(crate) fn param(error: ParamError, name: &str, text: &str) -> Self {
        // A value from the command line has no place in a file.
        let place = error.span.as_ref().and_then(|span| unseen(name, text, Some(span)));
        let shown = error.span.filter(|_| place.is_none());
        let what = place.map_or_else(|| error.message.clone(), |place| format!("{place}: {}", error.message));
        let text = shown.is_some().then(|| NamedSource::new(name, text.to_owned()).with_language("toml"));
        Problem { what, help: error.help, text, span: shown.map(SourceSpan::from) }
    }

    /// The error for a text that is not TOML.
    pub(crate) fn toml(error: &toml::de::Error, name: &str, text: &str) -> Self {
        if let Some(place) = unseen(name, text, error.span().as_ref()) {
            return Problem::new(format!("{place}: {}", toml_message(error)));
        }
        let source = NamedSource::new(name, text.to_owned()).with_language("toml");
        let what = toml_message(error);
        Problem { what, help: None, text: Some(source), span: error.span().map(SourceSpan::from) }
    }

    /// Adds advice on how to solve the problem.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<ReadError> for Problem {
    /// Puts options of the command line into the advice, where the library's error names keys of an
    /// experiment file.
    fn from(error: ReadError) -> Self {
        let usual = error.kind.help();
        let help = match error.kind {
            ReadErrorKind::Scattered { .. } => {
                "put the query's lines together, or give --regroup; different queries need different ids"
            }
            ReadErrorKind::Missing { .. } => {
                "give --missing zero (a missing value counts as 0) or --missing query-min (as the least value among \
                    the query's documents); the model keeps the choice"
            }
            ReadErrorKind::BelowFirst { .. } => "if the file counts features from 0, give --first-feature-id 0",
            _ => usual,
        };
        let other = match error.kind {
            ReadErrorKind::Grade { .. } | ReadErrorKind::Qid { .. } | ReadErrorKind::Feature { .. } => {
                of_other_kind(&error.file, Kind::Letor)
            }
            _ => None,
        };
        of_file(&error.to_string(), usual, other.as_deref().unwrap_or(help))
    }
}

impl From<TrecError> for Problem {
    fn from(error: TrecError) -> Self {
        let help = error.kind.help();
        let other = match error.kind {
            TrecErrorKind::Fields { expected: "4", .. } | TrecErrorKind::Grade { .. } => {
                of_other_kind(&error.file, Kind::Qrels)
            }
            TrecErrorKind::Fields { .. } | TrecErrorKind::Rank { .. } | TrecErrorKind::Score { .. } => {
                of_other_kind(&error.file, Kind::Run)
            }
            _ => None,
        };
        of_file(&error.to_string(), help, other.as_deref().unwrap_or(help))
    }
}

impl From<ScoreError> for Problem {
    fn from(error: ScoreError) -> Self {
        let other = match &error {
            ScoreError::Value { file, .. } => of_other_kind(file, Kind::Scores),
            _ => None,
        };
        let text = error.to_string();
        let usual = text.rsplit_once("; ").map_or("", |(_, help)| help);
        of_file(&text, usual, other.as_deref().unwrap_or(usual))
    }
}

/// Returns advice if the file is of another kind than its option asks for. Perhaps the user
/// exchanged two files.
fn of_other_kind(file: &Path, expected: Kind) -> Option<String> {
    let kind = looks_like(file).filter(|&kind| kind != expected)?;
    let describe = |kind: Kind| match kind {
        Kind::Letor => "LETOR data (--data)",
        Kind::Qrels => "TREC qrels (--qrels)",
        Kind::Run => "a TREC run (--runs or --run)",
        Kind::Scores => "scores (--scores)",
        Kind::Values => "values per query",
    };
    Some(format!(
        "{} looks like {}, but {} should stand here: were two files exchanged?",
        file.display(),
        describe(kind),
        describe(expected)
    ))
}

/// Makes a problem from an error text that ends with the `usual` advice. Other advice, `help`,
/// takes its place.
fn of_file(text: &str, usual: &str, help: &str) -> Problem {
    Problem::new(text.strip_suffix(&format!("; {usual}")).unwrap_or(text)).help(help)
}

impl From<MeasureError> for Problem {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::NoDocumentIds { ref ties, .. } => {
                let text = error.to_string();
                let what = text.split("; ").next().unwrap_or(&text);
                Problem::new(what).help(format!(
                    "give --ties average, which needs no ids, in place of `{ties}` (or --ties input: the order of \
                        rows)"
                ))
            }
            MeasureError::Unknown { what, name, help } => Problem::new(format!("unknown {what} `{name}`")).help(help),
            error => Problem::new(error.to_string()),
        }
    }
}

/// Turns any library error into a report. The message of a library error already names its cause.
pub(crate) fn report(error: impl std::error::Error) -> Report {
    Problem::new(error.to_string()).into()
}

/// Whether an error says that a disk is full.
pub(crate) fn is_of_full_disk(report: &Report) -> bool {
    report.to_string().contains(advice(&std::io::ErrorKind::StorageFull.into()))
}

/// Sets how errors are drawn: with colours and box characters on a terminal, in plain ASCII
/// elsewhere. `colour` forces colours on or off. With `None`, there are colours on a terminal
/// unless NO_COLOR is set.
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
        // Lines are wrapped only on a terminal. Messages already name their causes, so the chain of
        // causes is not shown again.
        let handler = GraphicalReportHandler::new().with_wrap_lines(fancy).with_links(false).without_cause_chain();
        Box::new(Harmless { handler: handler.with_theme(theme.clone()), colour })
    }));
}

/// Draws errors. Text that came from files cannot control the terminal.
struct Harmless {
    handler: GraphicalReportHandler,
    colour: bool,
}

impl ReportHandler for Harmless {
    fn debug(&self, error: &dyn Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.handler.render_report(&mut text, error)?;
        if !self.colour {
            return f.write_str(&printable(&text));
        }
        // The handler writes colour codes itself. A colour code from a file can do no more harm
        // than these.
        let mut parts = text.split("\u{1b}[");
        f.write_str(&printable(parts.next().unwrap_or_default()))?;
        parts.try_for_each(|part| {
            let code = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
            let escape = if part[code..].starts_with('m') { "\u{1b}[" } else { "\\u{1b}[" };
            write!(f, "{escape}{}", printable(part))
        })
    }
}

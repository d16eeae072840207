//! Why a lab cannot be written or graded: where, what, and what to do.

use std::io;
use std::path::{Path, PathBuf};

use fivefold_base::words::nearest;

/// An error of this crate.
///
/// ```
/// use fivefold_labs::{Student, lab};
///
/// assert!(lab("7").err().unwrap().to_string().starts_with("there is no lab `7`"));
/// assert!(Student::new("").unwrap_err().to_string().contains("cannot be a student's id"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// No lab has this number or name.
    #[error("there is no lab `{name}`; {help}")]
    Unknown {
        /// The number or name.
        name: String,
        /// The nearest name, or all names.
        help: String,
    },
    /// A text that cannot be an id.
    #[error("`{0}` cannot be a student's id; give 1 to 100 characters that print")]
    Student(String),
    /// The folder of a new lab exists.
    #[error("{} already exists and was not changed; choose another folder", .0.display())]
    Exists(PathBuf),
    /// A file or folder that cannot be read or written.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// "read", "write", "make the folder".
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A file that is not as it should be.
    #[error("{}{}: {what}", file.display(), line.map(|line| format!(":{line}")).unwrap_or_default())]
    File {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: Option<usize>,
        /// What is wrong, and what to do.
        what: String,
    },
    /// A folder that cannot be graded.
    #[error("{0}")]
    Folder(String),
    /// A worksheet and the texts for it do not fit together.
    #[error("worksheet: {0}")]
    Template(String),
    /// Made data that the measures refuse.
    #[error(transparent)]
    Measure(#[from] fivefold_metrics::MeasureError),
    /// Made data that the tests refuse.
    #[error(transparent)]
    Stats(#[from] fivefold_stats::StatsError),
    /// Anything else that stops a lab.
    #[error("{0}")]
    Other(String),
}

impl LabError {
    /// The error for a lab that does not exist.
    pub(crate) fn unknown(name: &str) -> Self {
        let names = crate::LABS.iter().map(|lab| lab.about().name);
        let help = match nearest(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let known: Vec<String> =
                    crate::LABS.iter().map(|lab| format!("{} {}", lab.about().number, lab.about().name)).collect();
                format!("labs: {}. A lab of your own is a folder with expected.toml", known.join(", "))
            }
        };
        LabError::Unknown { name: name.to_owned(), help }
    }

    pub(crate) fn io(what: &'static str, path: &Path, error: io::Error) -> Self {
        LabError::Io { what, path: path.to_owned(), error }
    }

    pub(crate) fn file(file: &Path, line: Option<usize>, what: impl Into<String>) -> Self {
        LabError::File { file: file.to_owned(), line, what: what.into() }
    }

    /// The error for a text that is not TOML of the right shape.
    pub(crate) fn toml(file: &Path, text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        LabError::file(file, line, error.message().trim().replace('\n', " "))
    }
}

/// Reads a text file.
pub(crate) fn read_text(path: &Path) -> Result<String, LabError> {
    let bytes = std::fs::read(path).map_err(|error| LabError::io("read", path, error))?;
    let text =
        String::from_utf8(bytes).map_err(|_| LabError::file(path, None, "is not UTF-8 text; save it as UTF-8"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

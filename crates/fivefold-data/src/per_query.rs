//! Reads values per query that another program computed: a value for each system, measure and
//! query.
//!
//! [`read`] takes these formats: the output of `trec_eval -q` and `ir_measures -q`; ranx's scores
//! and pytrec_eval's results as JSON; a table of queries x systems; and fivefold's own
//! `per_query.csv`, `standardised.csv` and `fivefold eval --per-query --format csv`; and values of any
//! metric with their expected value and upper bound, which come with V1 and V2. The content
//! shows the format ([`FORMATS`]). If it does not, the error says so, and the user can name the
//! format.
//!
//! - Values of one measure and system are joined with others by query id, never by position
//!   ([`SystemValues::join`]).
//! - A summary row (`all`, `amean`, `mean`, `average`) is never a query; such rows are counted. If
//!   several rows have such a name, the last row of each measure is the summary, and the other rows
//!   are queries. Files of fivefold mark their summaries.
//! - A query that one system lacks is an error, is left out for all systems, or counts as 0, as
//!   [`MissingQuery`] says. Such queries are counted.
//! - A value that its program calls undefined (`nan`, an empty field) is not missing. Undefined
//!   values are kept apart and counted.

mod builder;
mod error;
mod feature_table;
mod formats;
mod join;
mod remark;
mod scored;

use std::io::{self, Read as _};
use std::path::Path;

use crate::input::{MOST_TEXT, invalid, too_long};
use crate::packed::open_file;
use crate::text::{UTF8_MARK, refuse_utf16};
pub(crate) use builder::Faults;
pub use error::{PerQueryError, PerQueryErrorKind};
pub(crate) use formats::without_nan;
pub use formats::{FORMATS, Format, LEFT_OUT};
pub use join::{MissingQuery, Settled};
pub use remark::Remark;
pub(crate) use scored::ITEM;

/// Values of several systems under several measures, by query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SystemValues {
    /// Names of the measures, in order of appearance.
    pub measures: Vec<String>,
    /// Names of the systems, in order of appearance.
    pub systems: Vec<String>,
    /// Ids of the queries, in order of appearance.
    pub queries: Vec<String>,
    /// All values, ordered by measure, then system, then query. NaN for a value that is missing or
    /// undefined.
    pub values: Vec<f64>,
    /// Marks the values that their own program calls undefined. A missing value is not marked.
    pub undefined: Vec<bool>,
    /// Remarks on lines that were passed over and gaps that a policy filled, one line each.
    pub remarks: Vec<Remark>,
}

impl SystemValues {
    /// The values of one system under one measure, in the order of the queries. NaN for a value
    /// that is missing or undefined.
    pub fn of(&self, measure: usize, system: usize) -> &[f64] {
        let start = self.start(measure, system);
        &self.values[start..start + self.queries.len()]
    }

    /// Number of values that their own program calls undefined.
    pub fn undefined_count(&self) -> usize {
        self.undefined.iter().filter(|&&undefined| undefined).count()
    }

    fn start(&self, measure: usize, system: usize) -> usize {
        (measure * self.systems.len() + system) * self.queries.len()
    }

    fn is_missing(&self, place: usize) -> bool {
        self.values[place].is_nan() && !self.undefined[place]
    }
}

/// Options for reading a file of values.
#[derive(Debug, Clone, Default)]
pub struct PerQueryOptions {
    /// The name of the format (see [`FORMATS`]); `None` recognises the format by the content.
    pub format: Option<String>,
    /// The system's name, if the file holds one system. `None` takes the name in the file
    /// (trec_eval's `runid`), else the file's name.
    pub system: Option<String>,
    /// The measure's name, if the file does not name the measure. `None` takes the file's name.
    pub measure: Option<String>,
    /// The upper bound of all values, for a file that has expected values but no upper bounds. `None`
    /// says nothing of upper bounds.
    pub upper: Option<f64>,
}

/// Reads a file of values per query, plain or compressed.
///
/// # Errors
/// [`PerQueryError`] names file and line, or lists the known formats.
pub fn read(path: &Path, options: &PerQueryOptions) -> Result<SystemValues, PerQueryError> {
    let (values, faults) = Content::read(path, options.format.as_deref())?.parse(path, options)?;
    match faults.first.into_iter().next() {
        Some((line, kind)) => Err(PerQueryError::new(path, line, kind)),
        None => Ok(values),
    }
}

/// The text of a file of values, and its format.
pub(crate) struct Content {
    pub(crate) format: &'static Format,
    text: String,
}

impl Content {
    /// Reads a file. Without the name of a format, the content shows the format.
    ///
    /// # Errors
    /// If the file cannot be read, or its format is not clear.
    pub(crate) fn read(path: &Path, format: Option<&str>) -> Result<Self, PerQueryError> {
        let failed = |kind| PerQueryError::new(path, 0, kind);
        let mut text = text_of(path).map_err(|error| failed(PerQueryErrorKind::Io(error)))?;
        if text.starts_with(UTF8_MARK) {
            text.drain(..UTF8_MARK.len());
        }
        let format = match format {
            Some(name) => Format::named(name),
            None => formats::recognise(&text),
        };
        Ok(Content { format: format.map_err(failed)?, text })
    }

    /// The values in the text of the file `path`, and its faults. A fault in a single value does
    /// not stop the reading.
    ///
    /// # Errors
    /// As [`read`](super::read), if the reading cannot go on.
    pub(crate) fn parse(
        &self,
        path: &Path,
        options: &PerQueryOptions,
    ) -> Result<(SystemValues, Faults), PerQueryError> {
        let stem = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        // A member of an archive has a name of its own.
        let stem = stem.rsplit_once(".zip:").map_or(stem.as_str(), |(_, member)| member);
        let stem = stem.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(stem);
        let mut builder = builder::Builder::new(&path.display().to_string(), stem, options);
        let parsed = (self.format.parse)(&self.text, &mut builder).and_then(|()| builder.finish());
        parsed.map_err(|(line, kind)| PerQueryError::new(path, line, kind))
    }
}

/// The content of a file, which must be text and not too long.
fn text_of(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    // A plain file tells its length at once; a compressed file shows its length while it is read.
    if path.metadata().is_ok_and(|metadata| metadata.len() > MOST_TEXT) {
        return Err(too_long(MOST_TEXT));
    }
    open_file(path)?.take(MOST_TEXT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_TEXT {
        return Err(too_long(MOST_TEXT));
    }
    refuse_utf16(&bytes)?;
    match memchr::memchr(0, &bytes) {
        Some(_) => Err(invalid("has a NUL byte, so the file is not text")),
        None => String::from_utf8(bytes).map_err(|_| invalid("is not UTF-8 text")),
    }
}

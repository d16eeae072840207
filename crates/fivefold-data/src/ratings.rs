//! Reads ratings by people: a rating of a system's answer to an item, by dimension and rater; and
//! side-by-side preferences.
//!
//! An item is a document that was summarised, or a query. The formats, recognised by their content:
//!
//! ```text
//! item,system,rater,dimension,rating            one row a rating
//! doc1,M8,1,fluency,5
//!
//! item,system,rater,coherence,fluency           one column a dimension
//! doc1,M8,1,2,5
//!
//! {"item": "doc1", "system": "M8", "rater": 1, "dimension": "fluency", "rating": 5}
//! {"id": "doc1", "expert_annotations": [{"coherence": 2, ...}, ...], "turker_annotations": [...]}
//!
//! item,a,b,preferred                            preferences: the name of a system, or `tie`
//! ```
//! - The two forms of a table may be lines of JSON, too. `rater` may be absent if each system has
//!   one rating an item, and `dimension` if there is one.
//! - SummEval's files have one system a file: `model_id`, or else the name that the caller gives.
//!   Of the two groups of raters, the caller chooses one. Raters are numbered within an item.
//! - A rating that is empty, `nan` or `null` is missing. Missing ratings are counted.

mod preferences;
mod rows;

use std::collections::HashMap;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use fivefold_base::words::counted;

use crate::input::{MOST_TEXT, invalid, too_long};
use crate::packed::open_file;
use crate::per_query::without_nan;
use crate::text::{UTF8_MARK, refuse_utf16};
pub use preferences::{Preference, Preferences};

/// The group of raters in files of SummEval that have two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RaterGroup {
    /// `expert_annotations`.
    #[default]
    Expert,
    /// `turker_annotations`.
    Crowd,
}

impl RaterGroup {
    /// All groups.
    pub const ALL: [RaterGroup; 2] = [RaterGroup::Expert, RaterGroup::Crowd];

    /// The name in settings.
    pub fn name(self) -> &'static str {
        match self {
            RaterGroup::Expert => "expert",
            RaterGroup::Crowd => "crowd",
        }
    }

    /// The key in a file of SummEval.
    fn key(self) -> &'static str {
        match self {
            RaterGroup::Expert => "expert_annotations",
            RaterGroup::Crowd => "turker_annotations",
        }
    }
}

/// Options for reading ratings.
#[derive(Debug, Clone, Default)]
pub struct RatingOptions {
    /// The system, if the file holds one system and does not name it. `None` takes the file's name.
    pub system: Option<String>,
    /// The group of raters, if a file has two.
    pub group: RaterGroup,
}

/// Ratings of systems on items.
///
/// ```
/// use fivefold_data::ratings::{RatingOptions, read};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("ratings.csv");
/// std::fs::write(&path, "item,system,rater,fluency\nd1,A,1,4\nd1,A,2,5\nd1,B,1,2\nd1,B,2,nan\n")?;
/// let ratings = read(&path, &RatingOptions::default())?;
/// assert_eq!((ratings.dimensions.as_slice(), ratings.missing), (&["fluency".to_owned()][..], 1));
/// // The mean rating of each system on each item.
/// assert_eq!(ratings.means(0, &["A", "B"], &["d1"]), [4.5, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ratings {
    /// Names of the dimensions, in order of appearance.
    pub dimensions: Vec<String>,
    /// Names of the systems, in order of appearance.
    pub systems: Vec<String>,
    /// Ids of the items, in order of appearance.
    pub items: Vec<String>,
    /// Names of the raters, in order of appearance.
    pub raters: Vec<String>,
    /// The ratings, in order of appearance.
    pub all: Vec<Rating>,
    /// Number of ratings that the files call missing.
    pub missing: usize,
}

/// One rating. Numbers are places in the lists of [`Ratings`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// The dimension.
    pub dimension: usize,
    /// The system.
    pub system: usize,
    /// The item.
    pub item: usize,
    /// The rater.
    pub rater: usize,
    /// The rating, a finite number.
    pub value: f64,
}

impl Ratings {
    /// The mean rating under a dimension, `[system][item]` for these systems and items; NaN without
    /// a rating.
    pub fn means<S: AsRef<str>>(&self, dimension: usize, systems: &[S], items: &[S]) -> Vec<f64> {
        let (of_system, of_item) = (places(&self.systems, systems), places(&self.items, items));
        let (mut sums, mut counts) =
            (vec![0.0; systems.len() * items.len()], vec![0usize; systems.len() * items.len()]);
        for rating in self.all.iter().filter(|rating| rating.dimension == dimension) {
            if let (Some(system), Some(item)) = (of_system[rating.system], of_item[rating.item]) {
                sums[system * items.len() + item] += rating.value;
                counts[system * items.len() + item] += 1;
            }
        }
        sums.iter().zip(counts).map(|(sum, count)| if count == 0 { f64::NAN } else { sum / count as f64 }).collect()
    }

    /// The ratings under a dimension, `[rater][system][item]` over all systems and items of the
    /// ratings; NaN without a rating.
    pub fn by_rater(&self, dimension: usize) -> Vec<f64> {
        let (systems, items) = (self.systems.len(), self.items.len());
        let mut values = vec![f64::NAN; self.raters.len() * systems * items];
        for rating in self.all.iter().filter(|rating| rating.dimension == dimension) {
            values[(rating.rater * systems + rating.system) * items + rating.item] = rating.value;
        }
        values
    }

    /// Joins the ratings of several files.
    ///
    /// # Errors
    /// If two files have a rating of the same dimension, system, item and rater.
    pub fn join(parts: Vec<(PathBuf, Ratings)>) -> Result<Ratings, RatingError> {
        let mut joined = rows::Collected::default();
        for (path, part) in parts {
            for rating in &part.all {
                let names = [
                    part.dimensions[rating.dimension].as_str(),
                    &part.systems[rating.system],
                    &part.items[rating.item],
                    &part.raters[rating.rater],
                ];
                joined.add(names, rating.value).map_err(|message| RatingError::new(&path, 0, message))?;
            }
            joined.missing += part.missing;
        }
        Ok(joined.ratings())
    }
}

/// For each of our names, the place in the list that the caller asks for.
fn places<S: AsRef<str>>(own: &[String], asked: &[S]) -> Vec<Option<usize>> {
    let asked: HashMap<&str, usize> = asked.iter().enumerate().map(|(place, name)| (name.as_ref(), place)).collect();
    own.iter().map(|name| asked.get(name.as_str()).copied()).collect()
}

/// Reads a file of ratings, plain or compressed.
///
/// # Errors
/// [`RatingError`] names file and line.
pub fn read(path: &Path, options: &RatingOptions) -> Result<Ratings, RatingError> {
    let text = text_of(path)?;
    rows::parse(&text, &stem(path), options).map_err(|(line, message)| RatingError::new(path, line, message))
}

/// Reads a file of side-by-side preferences, plain or compressed.
///
/// # Errors
/// [`RatingError`] names file and line.
pub fn read_preferences(path: &Path) -> Result<Preferences, RatingError> {
    let text = text_of(path)?;
    preferences::parse(&text).map_err(|(line, message)| RatingError::new(path, line, message))
}

/// A line and its fault.
type Wrong = (u64, String);

/// A fault in a file of ratings.
#[derive(Debug)]
pub struct RatingError {
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; 0 if the fault is about the whole file.
    pub line: u64,
    /// The fault and the remedy.
    pub message: String,
}

impl RatingError {
    fn new(file: &Path, line: u64, message: impl Into<String>) -> Self {
        RatingError { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for RatingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for RatingError {}

/// The name of a file without its endings.
fn stem(path: &Path) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name).to_owned()
}

/// The content of a file, which must be text and not too long.
fn text_of(path: &Path) -> Result<String, RatingError> {
    let failed = |error: std::io::Error| RatingError::new(path, 0, format!("cannot be read: {error}"));
    let mut bytes = Vec::new();
    open_file(path).map_err(failed)?.take(MOST_TEXT + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_TEXT {
        return Err(failed(too_long(MOST_TEXT)));
    }
    refuse_utf16(&bytes).map_err(failed)?;
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = valid.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
            return Err(RatingError::new(path, line, "is not UTF-8 text; convert the file to UTF-8"));
        }
    };
    if text.contains('\0') {
        return Err(failed(invalid("has a NUL byte, so the file is not text")));
    }
    if text.starts_with(UTF8_MARK) {
        text.drain(..UTF8_MARK.len());
    }
    Ok(text)
}

/// The records of a text with their lines: a table, or lines of JSON as names and texts.
fn records(text: &str) -> Result<Vec<Record>, Wrong> {
    if text.trim_start().starts_with('{') {
        return json_records(text);
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).ok_or((0, EMPTY.to_owned()))?;
    let separator = [b',', b'\t', b';'].into_iter().find(|&byte| first.as_bytes().contains(&byte)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(separator)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut head: Option<Vec<String>> = None;
    let mut records = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| (error.position().map_or(0, csv::Position::line), error.to_string()))?;
        let line = row.position().map_or(0, csv::Position::line);
        let cells: Vec<String> = row.iter().map(str::to_owned).collect();
        match &head {
            None => {
                if let Some(twice) = (1..cells.len()).find(|&at| cells[..at].contains(&cells[at])) {
                    return Err((line, format!("column `{}` stands twice; rename or remove one", cells[twice])));
                }
                head = Some(cells);
            }
            Some(names) if names.len() == cells.len() => {
                let cells = names.iter().cloned().zip(cells).collect();
                records.push(Record { line, cells });
            }
            Some(names) => {
                let found = counted(cells.len(), "cell");
                return Err((line, format!("has {found} below {}; check the line", counted(names.len(), "column"))));
            }
        }
    }
    if records.is_empty() { Err((0, EMPTY.to_owned())) } else { Ok(records) }
}

const EMPTY: &str = "has no ratings; the file needs names of columns and a row for each rating";

/// The cells of a row with the names of their columns.
struct Record {
    line: u64,
    cells: Vec<(String, String)>,
}

impl Record {
    /// Takes out the cell of the first of these names.
    fn take(&mut self, names: &[&str]) -> Option<String> {
        let is_named = |(name, _): &(String, String)| names.iter().any(|own| own.eq_ignore_ascii_case(name));
        let place = self.cells.iter().position(is_named)?;
        Some(self.cells.remove(place).1)
    }
}

fn json_records(text: &str) -> Result<Vec<Record>, Wrong> {
    let mut records = Vec::new();
    for (line, text) in (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty()) {
        let mut cells = Vec::new();
        for (name, value) in object(text, line)? {
            let text = match value {
                serde_json::Value::String(text) => text,
                serde_json::Value::Null => String::new(),
                serde_json::Value::Number(number) => number.to_string(),
                _ => return Err((line, format!("`{name}` is neither a text nor a number"))),
            };
            cells.push((name, text));
        }
        records.push(Record { line, cells });
    }
    Ok(records)
}

/// The object of JSON in a line.
fn object(text: &str, line: u64) -> Result<serde_json::Map<String, serde_json::Value>, Wrong> {
    serde_json::from_str(&without_nan(text))
        .map_err(|error| (line, format!("is no object of JSON: {error}; check the line")))
}

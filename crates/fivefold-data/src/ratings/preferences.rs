//! Side-by-side preferences: which of two systems people prefer on an item.

use super::rows::RATER;
use super::{Record, Wrong, records};
use crate::per_query::ITEM;

/// Words for a tie.
const TIES: [&str; 5] = ["tie", "equal", "same", "both", "="];

/// Preferences, in the order of the file.
///
/// ```
/// use fivefold_data::ratings::read_preferences;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("preferences.csv");
/// std::fs::write(&path, "item,a,b,preferred\nq1,bm25,dense,dense\nq2,bm25,dense,tie\nq3,dense,bm25,\n")?;
/// let found = read_preferences(&path)?;
/// assert_eq!((found.all.len(), found.missing, found.all[0].preferred), (2, 1, Some(1)));
/// assert_eq!(found.all[1].preferred, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preferences {
    /// The preferences.
    pub all: Vec<Preference>,
    /// Number of rows without a preference.
    pub missing: usize,
}

/// One preference.
#[derive(Debug, Clone, PartialEq)]
pub struct Preference {
    /// The item.
    pub item: String,
    /// The two systems.
    pub systems: [String; 2],
    /// The place of the preferred system in `systems`; `None` for a tie.
    pub preferred: Option<usize>,
}

/// Parses a file of preferences.
pub(super) fn parse(text: &str) -> Result<Preferences, Wrong> {
    let mut found = Preferences::default();
    for record in records(text)? {
        let line = record.line;
        match row(record).map_err(|message| (line, message))? {
            Some(preference) => found.all.push(preference),
            None => found.missing += 1,
        }
    }
    if found.all.is_empty() {
        return Err((0, "has no preference; check the column `preferred`".to_owned()));
    }
    Ok(found)
}

fn row(mut record: Record) -> Result<Option<Preference>, String> {
    let names: Vec<String> = record.cells.iter().map(|(name, _)| name.clone()).collect();
    let mut take = |what: &[&str]| {
        let lacks = || format!("there is no column `{}`; the columns are {}", what[0], names.join(", "));
        record.take(what).ok_or_else(lacks)
    };
    let (item, a, b, preferred) = (take(&ITEM)?, take(&["a"])?, take(&["b"])?, take(&["preferred"])?);
    let _ = record.take(&RATER);
    if let Some((name, _)) = record.cells.first() {
        return Err(format!("`{name}` is none of the columns item, a, b, preferred, rater"));
    }
    if a == b {
        return Err(format!("`a` and `b` are both `{a}`; a preference needs two systems"));
    }
    let is = |word: &str| preferred.eq_ignore_ascii_case(word);
    // The name of a system stands above the name of a column.
    let preferred = if preferred == a {
        Some(0)
    } else if preferred == b {
        Some(1)
    } else if TIES.iter().any(|word| is(word)) {
        None
    } else if ["", "nan", "na", "null", "none"].iter().any(|word| is(word)) {
        return Ok(None);
    } else if is("a") || is("b") {
        Some(usize::from(is("b")))
    } else {
        return Err(format!("`preferred` is `{preferred}`, which is neither `{a}` nor `{b}` nor `tie`"));
    };
    Ok(Some(Preference { item, systems: [a, b], preferred }))
}

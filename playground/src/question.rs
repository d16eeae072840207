//! What the page asks.

use fivefold_metrics::{MeasureError, MeasureSpec, Version};
use serde::Deserialize;

/// A list of documents, and what to show of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The documents in the order of the page, which is the order of the file for ties.
    pub documents: Vec<Document>,
    /// The dialect of the table.
    pub dialect: String,
    /// The measure that ties, dialects and the arithmetic are about, without version and cutoff.
    pub measure: String,
    /// Its version.
    pub version: Version,
    /// The cutoff of all measures; `None`: the whole list.
    pub cutoff: Option<usize>,
}

/// A document.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Its id, which no other document has.
    pub id: String,
    /// Its grade; `None`: it was not judged.
    pub grade: Option<u8>,
    /// Its score.
    pub score: f64,
}

impl Question {
    /// A measure at the cutoff of the question. Over the whole list, precision needs a cutoff: the
    /// number of documents.
    ///
    /// # Errors
    /// If there is no such measure, or it does not take the cutoff.
    pub fn spec(&self, measure: &str, version: Version) -> Result<MeasureSpec, MeasureError> {
        let cutoff = match (self.cutoff, measure) {
            (None, "p") => Some(self.documents.len()),
            (cutoff, _) => cutoff,
        };
        let name = cutoff.map_or_else(|| measure.to_owned(), |cutoff| format!("{measure}@{cutoff}"));
        Ok(name.parse::<MeasureSpec>()?.with_version(version))
    }

    /// The measure of the question.
    ///
    /// # Errors
    /// As [`spec`](Self::spec).
    pub fn chosen(&self) -> Result<MeasureSpec, MeasureError> {
        self.spec(&self.measure, self.version)
    }
}

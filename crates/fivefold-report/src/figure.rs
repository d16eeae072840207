//! A finished figure, ready to be written.

use serde::Serialize;

/// A figure of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// File name without ending, e.g. `figure-02-expected-ndcg-mq2008`.
    pub id: String,
    /// What it shows, with the paper's number where it has one.
    pub title: String,
    /// Lines under the figure, part of the drawing too.
    pub notes: Vec<String>,
    /// The drawing.
    #[serde(skip)]
    pub svg: String,
    /// The data behind it.
    #[serde(skip)]
    pub csv: String,
}

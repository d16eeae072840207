//! A finished figure, ready to be written.

use serde::Serialize;

/// A figure of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// File name without ending, e.g. `figure-02-expected-ndcg-mq2008`.
    pub id: String,
    /// The title, with the figure's number in the paper if there is such a figure.
    pub title: String,
    /// The lines under the figure, which are also part of the drawing.
    pub notes: Vec<String>,
    /// The drawing.
    #[serde(skip)]
    pub svg: String,
    /// The numbers behind the drawing.
    #[serde(skip)]
    pub csv: String,
}

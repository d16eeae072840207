//! A finished figure, ready to be written.

use serde::Serialize;

/// A figure of a report.
///
/// ```
/// use fivefold_analysis::Chart;
/// use fivefold_analysis::chart::{Axis, Point, Series, SeriesKind};
/// use fivefold_report::{Figure, chart_figure};
///
/// let series = Series { name: "A".to_owned(), kind: SeriesKind::Points, points: vec![Point::new(10.0, 0.5)] };
/// let (id, title) = ("figure-ndcg".to_owned(), "Mean nDCG".to_owned());
/// let (x, y) = (Axis::linear("cutoff"), Axis::linear("nDCG"));
/// let figure: Figure =
///     chart_figure(&Chart { id, title, x, y, series: vec![series], lines: Vec::new(), notes: Vec::new() })?;
/// // The drawing and the numbers are files of their own; the index of a report has the rest.
/// assert_eq!(serde_json::to_value(&figure)?["title"], "Mean nDCG");
/// assert!(serde_json::to_value(&figure)?.get("svg").is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Figure {
    /// File name without ending, e.g. `figure-02-expected-ndcg-mq2008`.
    pub id: String,
    /// The title, with the figure's number in the paper if there is such a figure.
    pub title: String,
    /// The lines under the figure. In the drawing, they are its description (`<desc>`), which is not
    /// drawn.
    pub notes: Vec<String>,
    /// Whether this is the matrix of the p-values of all pairs, which a page draws as a table.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shows_pairs: bool,
    /// The drawing.
    #[serde(skip)]
    pub svg: String,
    /// The numbers behind the drawing.
    #[serde(skip)]
    pub csv: String,
}

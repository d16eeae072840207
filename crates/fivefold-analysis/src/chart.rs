//! A finished chart, ready to be drawn. A [`Table`](crate::Table) holds numbers to read, and a
//! chart holds numbers to see.
//!
//! A chart says which numbers are shown, never how. The report chooses sizes, colours, dashes and
//! the places of labels.

use serde::{Deserialize, Serialize};

/// One chart of a report.
///
/// ```
/// use fivefold_analysis::Chart;
/// use fivefold_analysis::chart::{Axis, Point, Series, SeriesKind};
///
/// let points = vec![Point::new(5.0, 0.25), Point::new(10.0, 0.5)];
/// let chart = Chart {
///     id: "figure-ndcg".to_owned(),
///     title: "Mean nDCG by cutoff".to_owned(),
///     x: Axis::linear("cutoff"),
///     y: Axis { range: Some((0.0, 1.0)), ..Axis::linear("nDCG") },
///     series: vec![Series { name: "LambdaMART".to_owned(), kind: SeriesKind::Line, points }],
///     lines: Vec::new(),
///     notes: Vec::new(),
/// };
/// assert_eq!(chart.series[0].points[1].y, 0.5);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// File name without ending, e.g. `figure-03-ndcg-at-10`.
    pub id: String,
    /// The title, with the paper's figure number if the paper has this figure.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, in the order in which they are drawn. Names must differ.
    pub series: Vec<Series>,
    /// Horizontal lines to compare with.
    pub lines: Vec<ReferenceLine>,
    /// Lines under the chart: conventions, numbers of trials, queries and undefined values, the
    /// meaning of a band.
    pub notes: Vec<String>,
}

/// One axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// The quantity on the axis, with its unit.
    pub label: String,
    /// How values become places on the axis.
    pub scale: Scale,
    /// Lowest and highest value shown; `None` if the axis is as wide as the data.
    pub range: Option<(f64, f64)>,
    /// The names of the values 1, 2, 3 and so on, on an axis whose values are no numbers. Empty on any
    /// other axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// How an axis maps values to places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear,
    /// Equal ratios are equally far apart; values must be above 0.
    Log,
}

/// Points under one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// How the points are drawn.
    pub kind: SeriesKind,
    /// The points; a line connects them in this order.
    pub points: Vec<Point>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeriesKind {
    /// A line through the points, over an area between the bands' ends.
    Line,
    /// A mark at each point, with a bar from end to end of its band.
    Points,
    /// A bar from 0 to each point, beside the bars of other series.
    Bars,
}

/// One point of a series. All numbers must be finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower and upper end of the range of `y`: a spread over trials, or a confidence interval.
    pub band: Option<(f64, f64)>,
    /// A text beside the point.
    pub label: Option<String>,
}

/// A horizontal line through the whole chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceLine {
    /// The label, which says what the line stands for.
    pub label: String,
    /// The height of the line.
    pub y: f64,
    /// The series whose colour the line takes. A line without a series is grey, and its label
    /// stands beside it.
    pub series: Option<String>,
}

impl Axis {
    /// A linear axis as wide as the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, range: None, names: Vec::new() }
    }

    /// An axis with a place for each name. The place of the first name is 1.
    pub fn named(label: impl Into<String>, names: Vec<String>) -> Self {
        Axis { range: Some((0.5, names.len() as f64 + 0.5)), names, ..Self::linear(label) }
    }

    /// A logarithmic axis as wide as the data.
    pub fn log(label: impl Into<String>) -> Self {
        Axis { scale: Scale::Log, ..Self::linear(label) }
    }
}

impl Point {
    /// A point without band and label.
    pub fn new(x: f64, y: f64) -> Self {
        Point { x, y, band: None, label: None }
    }
}

//! A finished chart, ready to be drawn: what a [`Table`](crate::Table) is for numbers to be read, for numbers to be seen.
//!
//! It says what is shown, never how: sizes, colours, dashes and the places of labels are the report's affair.

use serde::{Deserialize, Serialize};

/// One chart of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// File name without ending, e.g. `figure-03-ndcg-at-10`.
    pub id: String,
    /// What it shows, with the paper's figure number where it has one.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn, in this order. Names must differ.
    pub series: Vec<Series>,
    /// Horizontal lines to compare with.
    pub lines: Vec<ReferenceLine>,
    /// Lines under the chart: conventions, numbers of trials, queries and undefined values, what a band is.
    pub notes: Vec<String>,
}

/// One axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How values become places.
    pub scale: Scale,
    /// Lowest and highest value shown; `None`: as wide as the data.
    pub range: Option<(f64, f64)>,
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

/// Points that belong together under one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// How its points are drawn.
    pub kind: SeriesKind,
    /// Its points; a line connects them in this order.
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
    /// A bar from 0 to each point, side by side with those of other series.
    Bars,
}

/// One point of a series. All numbers must be finite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// Lower and upper end of what `y` may be: a spread over trials, a confidence interval.
    pub band: Option<(f64, f64)>,
    /// A text beside the point.
    pub label: Option<String>,
}

/// A horizontal line through the whole chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceLine {
    /// What it stands for.
    pub label: String,
    /// Its height.
    pub y: f64,
    /// The series that it belongs to, of which it takes the colour; without one it is grey and its label stands beside it.
    pub series: Option<String>,
}

impl Axis {
    /// A linear axis as wide as the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, range: None }
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

//! The look of a series (colour, dash, mark), and the places of its bars.

use fivefold_analysis::chart::{Chart, SeriesKind};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use super::Pixel;
use super::axis::place;
use crate::page::{Area, Drawn};

/// Okabe and Ito's colours. Neighbours in the list are far apart.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];
/// Dash and gap in pixels. `None`: an unbroken line.
const DASHES: [Option<(i32, i32)>; 4] = [None, Some((9, 4)), Some((3, 3)), Some((18, 5))];
const WIDTH: u32 = 2;
/// Half the width of a mark in pixels.
const MARK: i32 = 4;
/// The share of the room between neighbours that bars take.
const FILLED: f64 = 0.9;

/// The look of a series.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) colour: RGBColor,
    dash: Option<(i32, i32)>,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
enum Shape {
    Disc,
    Square,
    Triangle,
    Cross,
}

impl Look {
    /// Returns the looks of series, in order.
    pub(crate) fn all() -> impl Iterator<Item = Look> + Clone {
        const SHAPES: [Shape; 4] = [Shape::Disc, Shape::Square, Shape::Triangle, Shape::Cross];
        let styles = DASHES.into_iter().zip(SHAPES).cycle();
        COLOURS.into_iter().cycle().zip(styles).map(|(colour, (dash, shape))| Look { colour, dash, shape })
    }

    /// Draws a line through the points.
    pub(super) fn line(self, area: &Area<'_>, points: Vec<Pixel>) -> Drawn {
        let style = self.colour.stroke_width(WIDTH);
        match self.dash {
            None => area.draw(&PathElement::new(points, style))?,
            Some((dash, gap)) => area.draw(&DashedPathElement::new(points, dash, gap, style))?,
        }
        Ok(())
    }

    /// Draws a mark at a point.
    pub(crate) fn mark(self, area: &Area<'_>, (x, y): Pixel) -> Drawn {
        let filled = self.colour.filled();
        match self.shape {
            Shape::Disc => area.draw(&Circle::new((x, y), MARK, filled))?,
            Shape::Square => area.draw(&Rectangle::new([(x - MARK, y - MARK), (x + MARK, y + MARK)], filled))?,
            Shape::Triangle => area.draw(&TriangleMarker::new((x, y), MARK + 1, filled))?,
            Shape::Cross => area.draw(&Cross::new((x, y), MARK, self.colour.stroke_width(WIDTH)))?,
        }
        Ok(())
    }
}

/// The smallest distance between two bars of a chart on the horizontal axis. 1 if there is a single
/// bar.
pub(super) fn bar_room(chart: &Chart) -> f64 {
    let bars = chart.series.iter().filter(|series| series.kind == SeriesKind::Bars);
    let mut places = bars.flat_map(|bars| &bars.points).map(|bar| place(chart.x.scale, bar.x)).collect::<Vec<_>>();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let least = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 1.0 }
}

/// The left and right side of a bar of series `index`, relative to the position of its point. Bars
/// of different series stand beside each other.
pub(super) fn bar_sides(chart: &Chart, index: usize) -> (f64, f64) {
    let bars = |series: usize| chart.series[..series].iter().filter(|series| series.kind == SeriesKind::Bars).count();
    let room = bar_room(chart) * FILLED;
    let width = room / bars(chart.series.len()).max(1) as f64;
    let left = bars(index) as f64 * width - room / 2.0;
    (left, left + width)
}

//! Positions and ticks on an axis.
//!
//! A logarithmic axis is a linear axis of decimal logarithms, so the plot itself has linear axes
//! only. Ticks are at 1, 2 or 5 times a power of ten.

use std::ops::Range;

use fivefold_analysis::chart::{Axis, Chart, Scale, SeriesKind};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

use super::marks::bar_room;

/// The number of ticks on an axis, about this number at most.
const TICKS: f64 = 8.0;

/// The position of a value on an axis of this scale.
pub(super) fn place(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => libm::log10(value),
    }
}

/// A drawn axis, from its lowest to its highest position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plotted {
    scale: Scale,
    from: f64,
    to: f64,
    /// Whether the ticks are at 1, 2, 3 and so on, where values have names.
    named: bool,
}

/// Checks of the values on an axis.
pub(super) trait Checked {
    /// Checks that a value can be shown.
    fn check(&self, value: f64) -> Result<(), String>;
    /// Checks that the range is not empty.
    fn check_range(&self) -> Result<(), String>;
}

impl Checked for Axis {
    fn check(&self, value: f64) -> Result<(), String> {
        match self.scale {
            _ if !value.is_finite() => Err(format!("{:?} is {value}", self.label)),
            Scale::Log if value <= 0.0 => Err(format!("{:?} is logarithmic and cannot show {value}", self.label)),
            _ => match self.range {
                Some((from, to)) if value < from || value > to => {
                    Err(format!("{:?} is {value}, outside of {from} to {to}", self.label))
                }
                _ => Ok(()),
            },
        }
    }

    fn check_range(&self) -> Result<(), String> {
        match self.range {
            Some((from, to)) if from >= to => Err(format!("{:?} has the empty range {from} to {to}", self.label)),
            Some((from, to)) => self.check(from).and_then(|()| self.check(to)),
            None => Ok(()),
        }
    }
}

impl Plotted {
    /// The horizontal axis of a chart.
    pub(super) fn x(chart: &Chart) -> Self {
        let points = chart.series.iter().flat_map(|series| &series.points);
        let mut axis = Self::over(&chart.x, points.map(|point| point.x));
        // A bar is wider than its point.
        if chart.x.range.is_none() && chart.series.iter().any(|series| series.kind == SeriesKind::Bars) {
            let half = bar_room(chart) / 2.0;
            axis.from -= half;
            axis.to += half;
        }
        axis
    }

    /// The vertical axis of a chart.
    pub(super) fn y(chart: &Chart) -> Self {
        let points = chart.series.iter().flat_map(|series| &series.points);
        let values = points.flat_map(|point| {
            let (low, high) = point.band.unwrap_or((point.y, point.y));
            [low, point.y, high]
        });
        let bars = chart.series.iter().any(|series| series.kind == SeriesKind::Bars);
        let zero = (bars && chart.y.scale == Scale::Linear).then_some(0.0);
        Self::over(&chart.y, values.chain(chart.lines.iter().map(|line| line.y)).chain(zero))
    }

    /// The range of the axis, or else the range of the values with some space around.
    pub(crate) fn over(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let (scale, named) = (axis.scale, !axis.names.is_empty());
        if let Some((from, to)) = axis.range {
            return Plotted { scale, from: place(scale, from), to: place(scale, to), named };
        }
        let wider = |(from, to): (f64, f64), value: f64| (from.min(value), to.max(value));
        let (from, to) = values.map(|value| place(scale, value)).fold((f64::INFINITY, f64::NEG_INFINITY), wider);
        if from > to {
            return Plotted { scale, from: 0.0, to: 1.0, named };
        }
        let space = if from < to { (to - from) * 0.03 } else { (from.abs() * 0.1).max(0.5) };
        Plotted { scale, from: from - space, to: to + space, named }
    }

    /// The position of a value.
    pub(super) fn place(&self, value: f64) -> f64 {
        place(self.scale, value)
    }

    /// The lowest position.
    pub(super) fn from(&self) -> f64 {
        self.from
    }

    /// The highest position.
    pub(super) fn to(&self) -> f64 {
        self.to
    }

    /// The positions of the ticks.
    fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => {
                let (step, _) = self.step();
                let (first, last) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
                (first..=last).map(|index| index as f64 * step).collect()
            }
            Scale::Log => {
                let few = (self.to - self.from) * 3.0 <= TICKS;
                let factors: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let decades = (self.from.floor() as i32)..=(self.to.ceil() as i32);
                let all = decades.flat_map(|decade| factors.iter().map(move |by| f64::from(decade) + libm::log10(*by)));
                all.filter(|place| (self.from..=self.to).contains(place)).collect()
            }
        }
    }

    /// The most characters of a tick's label.
    pub(super) fn widest(&self) -> usize {
        self.ticks().iter().map(|tick| self.format_ext(tick).chars().count()).max().unwrap_or(0)
    }

    /// The distance between linear ticks, and the number of decimals of their labels.
    fn step(&self) -> (f64, usize) {
        if self.named {
            return (1.0, 0);
        }
        let least = (self.to - self.from) / TICKS;
        let power = libm::log10(least).floor();
        let unit = libm::pow(10.0, power);
        let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * unit >= least).unwrap_or(10.0);
        let decimals = if factor == 10.0 { -power - 1.0 } else { -power };
        (factor * unit, decimals.max(0.0) as usize)
    }
}

impl Ranged for Plotted {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, place: &f64, (first, last): (i32, i32)) -> i32 {
        let share = (place - self.from) / (self.to - self.from);
        first + (f64::from(last - first) * share).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks()
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Plotted {
    fn format_ext(&self, tick: &f64) -> String {
        match self.scale {
            Scale::Linear => format!("{tick:.*}", self.step().1),
            // The logarithm was rounded; its power is not to show it.
            Scale::Log => format!("{:.9e}", libm::pow(10.0, *tick)).parse::<f64>().unwrap_or(*tick).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(scale: Scale, range: (f64, f64)) -> Vec<String> {
        let axis = Axis { scale, range: Some(range), ..Axis::linear("") };
        let plotted = Plotted::over(&axis, std::iter::empty());
        plotted.ticks().iter().map(|tick| plotted.format_ext(tick)).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(
            ticks(Scale::Linear, (0.43, 0.81)),
            ["0.45", "0.50", "0.55", "0.60", "0.65", "0.70", "0.75", "0.80"]
        );
        assert_eq!(ticks(Scale::Linear, (-1.0, 1.0)), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(ticks(Scale::Linear, (0.0, 20_000.0)), ["0", "5000", "10000", "15000", "20000"]);
        assert_eq!(
            ticks(Scale::Linear, (0.0, 0.00079)),
            ["0.0000", "0.0001", "0.0002", "0.0003", "0.0004", "0.0005", "0.0006", "0.0007"]
        );
        assert_eq!(
            ticks(Scale::Log, (90.0, 21_000.0)),
            ["100", "200", "500", "1000", "2000", "5000", "10000", "20000"]
        );
        assert_eq!(ticks(Scale::Log, (1e-6, 1.0)), ["0.000001", "0.00001", "0.0001", "0.001", "0.01", "0.1", "1"]);
    }

    #[test]
    fn names_stand_at_whole_numbers() {
        let axis = Axis::named("normalise", ["none", "z-score", "min-max"].map(str::to_owned).to_vec());
        assert_eq!(Plotted::over(&axis, std::iter::empty()).ticks(), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn what_cannot_be_shown_is_named() {
        let axis = Axis::log("documents");
        assert_eq!(axis.check(0.0).unwrap_err(), "\"documents\" is logarithmic and cannot show 0");
        assert_eq!(axis.check(f64::NAN).unwrap_err(), "\"documents\" is NaN");
        let empty = Axis { range: Some((2.0, 2.0)), ..axis };
        assert_eq!(empty.check_range().unwrap_err(), "\"documents\" has the empty range 2 to 2");
    }
}

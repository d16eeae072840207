//! Charts: correlations by dimension, and the differences to the original with their intervals.

use fivefold_analysis::Chart;
use fivefold_analysis::chart::{Axis, Point, ReferenceLine, Series, SeriesKind};
use fivefold_base::words::counted;
use fivefold_stats::CorrelationLevel;

use super::Ratings;
use super::computed::{Computed, Found};
use super::input::Input;
use super::tables::{level_in_words, main_coefficient};
use crate::study::{Findings, StudyError};

/// Adds the charts of each level.
pub(super) fn add(
    study: &Ratings,
    input: &Input,
    computed: &Computed,
    findings: &mut Findings,
) -> Result<(), StudyError> {
    if input.dimensions.is_empty() {
        return Ok(());
    }
    let coefficient = main_coefficient(study)?;
    for level in study.levels()? {
        let series = |point: &dyn Fn(&Found, f64) -> Option<Point>| -> Vec<Series> {
            let of_measure = |(number, name): (usize, &String)| {
                let place = |dimension: usize| place(dimension, number, input.measures.len());
                let own = |dimension: usize| computed.one(dimension, level, coefficient, number);
                let points = (0..input.dimensions.len()).filter_map(|at| point(own(at)?, place(at))).collect();
                Series { name: name.clone(), kind: SeriesKind::Points, points }
            };
            let all = input.measures.iter().map(|measure| &measure.name).enumerate().map(of_measure);
            all.filter(|series| !series.points.is_empty()).collect()
        };
        let correlations = series(&|found, place| Some(Point::new(place, found.correlated.value?)));
        let differences = series(&|found, place| {
            let (_, _, own) = found.difference.as_ref()?;
            Some(Point { band: own.interval, ..Point::new(place, own.difference?) })
        });
        let zero = |label: &str| vec![ReferenceLine { label: label.to_owned(), y: 0.0, series: None }];
        let chart = |id: &str, title: String, y: String, series: Vec<Series>, lines, first: String| Chart {
            id: format!("{id}-{}", level.name()),
            title,
            x: Axis::named("dimension", input.dimensions.iter().map(|own| own.name.clone()).collect()),
            y: Axis::linear(y),
            series,
            lines,
            notes: std::iter::once(first).chain(input.notes.iter().cloned()).collect(),
        };
        let of_level = match level {
            CorrelationLevel::System => "system level",
            CorrelationLevel::Item => "item level",
            CorrelationLevel::Pooled => "pooled",
        };
        if !correlations.is_empty() {
            let title = format!("Agreement with people, {of_level}");
            let y = coefficient.title().to_owned();
            let first = level_in_words(level).to_owned();
            findings.charts.push(chart("agreement", title, y, correlations, zero("none"), first));
        }
        if !differences.is_empty() {
            let title = format!("Differences to the original measure, {of_level}");
            let y = format!("difference of {}", coefficient.title());
            let draws = counted(study.draws, "bootstrap sample");
            let first = format!("bars: {} % percentile intervals of {draws} of the items", study.confidence());
            findings.charts.push(chart("differences", title, y, differences, zero("no difference"), first));
        }
    }
    Ok(())
}

/// The place of a point on the axis of dimensions: the measures of a dimension stand side by side.
fn place(dimension: usize, measure: usize, measures: usize) -> f64 {
    let width = 0.6;
    let aside = if measures < 2 { 0.0 } else { width * (measure as f64 / (measures - 1) as f64 - 0.5) };
    (dimension + 1) as f64 + aside
}

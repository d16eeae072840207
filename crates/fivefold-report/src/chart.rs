//! Draws charts as SVG, and writes their points as CSV.
//!
//! Series differ in colour and in dash or mark, so they stay apart in grey too. The colours are
//! Okabe and Ito's colour-blind-safe set without its yellow, which is lost on white. Seven colours
//! and four dashes repeat only after 28 series.
//!
//! The legend is to the right. The legend of lines has the order in which the lines end. A plot
//! with labelled points is larger, and each label takes the nearest free place.

pub(crate) mod axis;
mod labels;
pub(crate) mod marks;

use std::collections::BTreeSet;

use fivefold_analysis::chart::{Axis, Chart, Series, SeriesKind};
use plotters::coord::ranged1d::ValueFormatter as _;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::page::{Area, Drawn, FONT, SMALL, SMALL_LINE, TEXT, page, pixel, pixels, style_mesh};
use axis::{Checked as _, Plotted};
use labels::Bounds;
use marks::{Look, bar_sides};

/// A point of the drawing: pixels from the left, pixels from the top.
type Pixel = (i32, i32);

/// Size of a plot in pixels, and size of a plot with more than [`FEW_LABELS`] labelled points.
const PLOT: (u32, u32) = (720, 430);
const LARGE_PLOT: (u32, u32) = (900, 660);
const FEW_LABELS: usize = 12;
/// Pixels of a line of the legend, of the sample before a name, and of the space around the sample.
const LEGEND_LINE: u32 = 20;
const SAMPLE: i32 = 34;
const GAP: i32 = 8;
/// Opacity of a band, and opacity of a band in a chart with more than [`FEW_BANDS`] bands.
const BAND: f64 = 0.10;
const FAINT_BAND: f64 = 0.05;
const FEW_BANDS: usize = 4;
/// Characters of a tick's label that the usual room at the left takes.
const TICK_LETTERS: usize = 5;
const REFERENCE: RGBColor = RGBColor(110, 110, 110);

/// The figure of a chart: its drawing, and its points as CSV.
///
/// ```
/// use fivefold_analysis::Chart;
/// use fivefold_analysis::chart::{Axis, Point, Series, SeriesKind};
/// use fivefold_report::chart_figure;
///
/// let points = vec![Point::new(5.0, 0.25), Point::new(10.0, 0.5)];
/// let chart = Chart {
///     id: "figure-ndcg".to_owned(),
///     title: "Mean nDCG by cutoff".to_owned(),
///     x: Axis::linear("cutoff"),
///     y: Axis::linear("nDCG"),
///     series: vec![Series { name: "LambdaMART".to_owned(), kind: SeriesKind::Line, points }],
///     lines: Vec::new(),
///     notes: Vec::new(),
/// };
/// let figure = chart_figure(&chart)?;
/// assert!(figure.svg.starts_with("<svg") && figure.csv.contains("LambdaMART,10,0.5"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ReportError::Malformed`]
///
/// - for a number that is not finite
/// - for a number outside the range of its axis (a band is cut at the end of a range instead)
/// - for a number of 0 or less on a logarithmic axis
/// - for a band that ends before it begins
/// - for an axis with an empty range
/// - for two series of the same name
/// - for a reference line that belongs to no series
pub fn chart_figure(chart: &Chart) -> Result<Figure, ReportError> {
    let malformed = |message| ReportError::Malformed { id: chart.id.clone(), message };
    check(chart).map_err(malformed)?;
    let mut figure = Figure {
        id: chart.id.clone(),
        title: chart.title.clone(),
        notes: chart.notes.clone(),
        shows_pairs: false,
        svg: String::new(),
        csv: points_csv(chart),
    };
    let plot = if labelled(chart) > FEW_LABELS { LARGE_PLOT } else { PLOT };
    let legend = legend_width(chart);
    let height = plot.1.max(pixels(chart.series.len(), LEGEND_LINE) + 90);
    figure.svg = page(&figure, (plot.0 + legend, height), |body| {
        let (left, right) = body.split_horizontally(plot.0);
        draw_plot(chart, &left)?;
        if legend > 0 { draw_legend(chart, &right) } else { Ok(()) }
    })?;
    Ok(figure)
}

fn check(chart: &Chart) -> Result<(), String> {
    chart.x.check_range()?;
    chart.y.check_range()?;
    let mut names = BTreeSet::new();
    for series in &chart.series {
        if !names.insert(series.name.as_str()) {
            return Err(format!("two series are called {:?}", series.name));
        }
        for (index, point) in series.points.iter().enumerate() {
            let at = |what: String| format!("series {:?}, point {index}: {what}", series.name);
            chart.x.check(point.x).map_err(at)?;
            chart.y.check(point.y).map_err(at)?;
            if let Some((low, high)) = point.band {
                let axis = Axis { range: None, ..chart.y.clone() };
                axis.check(low).and_then(|()| axis.check(high)).map_err(at)?;
                if low > high {
                    return Err(at(format!("the band ends at {high} before it begins at {low}")));
                }
            }
        }
    }
    for line in &chart.lines {
        chart.y.check(line.y).map_err(|what| format!("line {:?}: {what}", line.label))?;
        if let Some(series) = line.series.as_ref().filter(|series| !names.contains(series.as_str())) {
            return Err(format!("line {:?} belongs to no series {series:?}", line.label));
        }
    }
    Ok(())
}

/// The points as CSV, a line for each point. The title, the notes and the reference lines come
/// first, as comments.
fn points_csv(chart: &Chart) -> String {
    let lines = chart.lines.iter().map(|line| {
        let of = line.series.as_ref().map(|series| format!(" of {series}")).unwrap_or_default();
        format!("line {}{of}: {}", line.label, line.y)
    });
    let notes = chart.notes.iter().cloned().chain(lines).collect::<Vec<_>>();
    let mut out = csv::comments(&chart.title, &notes);
    let points = || chart.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
    let bands = points().any(|(_, point)| point.band.is_some());
    let labels = points().any(|(_, point)| point.label.is_some());
    let bands_head = ["low", "high"].iter().filter(|_| bands);
    let labels_head = ["label"].iter().filter(|_| labels);
    let head = ["series", &chart.x.label, &chart.y.label].into_iter().chain(bands_head.copied());
    csv::push_record(&mut out, head.chain(labels_head.copied()).map(csv::text_field));
    for (series, point) in points() {
        let mut fields = vec![csv::text_field(&series.name), place_field(&chart.x, point.x), point.y.to_string()];
        if bands {
            let (low, high) = point.band.map_or_else(Default::default, |(l, h)| (l.to_string(), h.to_string()));
            fields.extend([low, high]);
        }
        if labels {
            fields.push(csv::text_field(point.label.as_deref().unwrap_or_default()));
        }
        csv::push_record(&mut out, fields.into_iter());
    }
    out
}

/// The value on an axis, or its name.
fn place_field(axis: &Axis, value: f64) -> String {
    let name = axis.names.get((value.round() as usize).saturating_sub(1));
    name.map_or_else(|| value.to_string(), |name| csv::text_field(name))
}

/// The number of points with a label.
fn labelled(chart: &Chart) -> usize {
    chart.series.iter().flat_map(|series| &series.points).filter(|point| point.label.is_some()).count()
}

/// The width of the legend in pixels. 0 if the chart has a single series, which the title names.
fn legend_width(chart: &Chart) -> u32 {
    let longest = chart.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
    if chart.series.len() > 1 {
        pixels(longest, SMALL_LINE.1) + SAMPLE.unsigned_abs() + 3 * GAP.unsigned_abs()
    } else {
        0
    }
}

/// Draws axes, series and everything inside the plot on the left part of the page. The right part
/// is for the legend.
fn draw_plot(chart: &Chart, area: &Area<'_>) -> Drawn {
    let (x, y) = (Plotted::x(chart), Plotted::y(chart));
    let mut builder = ChartBuilder::on(area);
    let wider = pixels(y.widest().saturating_sub(TICK_LETTERS), SMALL_LINE.1);
    builder.margin(10).margin_right(20).x_label_area_size(46).y_label_area_size(64 + wider);
    let mut plot = builder.build_cartesian_2d(x, y)?;
    let mut mesh = plot.configure_mesh();
    style_mesh(&mut mesh);
    let name = |tick: &f64| match chart.x.names.get((tick.round() as usize).saturating_sub(1)) {
        Some(name) => name.clone(),
        None => x.format_ext(tick),
    };
    mesh.x_label_formatter(&name).x_desc(&chart.x.label).y_desc(&chart.y.label).draw()?;

    // From here on in pixels of the area, on which everything else is drawn.
    let (left, top) = area.get_base_pixel();
    let (across, down) = plot.plotting_area().get_pixel_range();
    let frame =
        Bounds { left: across.start - left, top: down.start - top, right: across.end - left, bottom: down.end - top };
    let pixel_of = |place: (f64, f64)| {
        let (x, y) = plot.backend_coord(&place);
        ((x - left).clamp(frame.left, frame.right), (y - top).clamp(frame.top, frame.bottom))
    };
    let at = |value: f64, height: f64| pixel_of((x.place(value), y.place(height)));

    let looks = || chart.series.iter().zip(Look::all());
    // Areas first, so that no line is hidden by the spread of another.
    let banded = chart.series.iter().filter(|series| series.points.iter().any(|point| point.band.is_some())).count();
    let shown = if banded > FEW_BANDS { FAINT_BAND } else { BAND };
    for (series, look) in looks().filter(|(series, _)| series.kind == SeriesKind::Line) {
        let bands = || series.points.iter().filter_map(|point| Some((point.x, point.band?)));
        let low = bands().map(|(x, (low, _))| at(x, low));
        let outline = low.chain(bands().rev().map(|(x, (_, high))| at(x, high))).collect::<Vec<_>>();
        if outline.len() > 2 {
            area.draw(&Polygon::new(outline, look.colour.mix(shown)))?;
        }
    }
    for line in &chart.lines {
        let owner = line.series.as_ref().and_then(|name| looks().find(|(series, _)| series.name == *name));
        let colour = owner.map_or(REFERENCE, |(_, look)| look.colour);
        let ends = [x.from(), x.to()].map(|end| pixel_of((end, y.place(line.y))));
        area.draw(&DashedPathElement::new(ends, 2, 3, colour))?;
    }
    for (index, (series, look)) in looks().enumerate() {
        let points = series.points.iter().map(|point| at(point.x, point.y));
        match series.kind {
            SeriesKind::Line => look.line(area, points.collect())?,
            SeriesKind::Points => {
                for (point, mark) in series.points.iter().zip(points) {
                    if let Some((low, high)) = point.band {
                        area.draw(&PathElement::new([at(point.x, low), at(point.x, high)], look.colour.mix(0.5)))?;
                    }
                    look.mark(area, mark)?;
                }
            }
            SeriesKind::Bars => {
                let (from, to) = bar_sides(chart, index);
                for point in &series.points {
                    let corner = |side: f64, height: f64| pixel_of((x.place(point.x) + side, height));
                    let corners = [corner(from, y.place(point.y)), corner(to, y.from().max(0.0))];
                    area.draw(&Rectangle::new(corners, look.colour.filled()))?;
                }
            }
        }
    }
    draw_labels(chart, area, frame, at)
}

/// Draws the labels of points, and of the reference lines that belong to no series.
fn draw_labels(chart: &Chart, area: &Area<'_>, frame: Bounds, at: impl Fn(f64, f64) -> Pixel) -> Drawn {
    let mut taken = Vec::new();
    let style = small();
    let lines = chart.series.iter().filter(|series| series.kind == SeriesKind::Line);
    let drawn: Vec<[Pixel; 2]> = lines
        .flat_map(|series| series.points.windows(2))
        .map(|ends| [at(ends[0].x, ends[0].y), at(ends[1].x, ends[1].y)])
        .collect();
    for line in chart.lines.iter().filter(|line| line.series.is_none()) {
        // The place along the axis does not alter the height.
        let height = at(1.0, line.y).1;
        let place = labels::along(&line.label, height, &drawn, frame, GAP);
        area.draw_text(&line.label, &style.color(&REFERENCE), place)?;
        taken.push(Bounds::of_text(&line.label, place));
    }
    let points = || chart.series.iter().flat_map(|series| &series.points).map(|point| (point, at(point.x, point.y)));
    let marks = points().map(|(_, mark)| mark).collect::<Vec<_>>();
    let texts = points().filter_map(|(point, mark)| Some((point.label.as_deref()?, mark)));
    for label in labels::place(texts, &marks, taken, frame) {
        if let Some(leader) = label.leader {
            area.draw(&PathElement::new(leader, REFERENCE.mix(0.6)))?;
        }
        area.draw_text(label.text, &style, label.at)?;
    }
    Ok(())
}

/// Draws a sample and the name of each series.
fn draw_legend(chart: &Chart, area: &Area<'_>) -> Drawn {
    let mut entries = chart.series.iter().zip(Look::all()).collect::<Vec<_>>();
    if chart.series.iter().all(|series| series.kind == SeriesKind::Line) {
        // From the line that ends highest, as the eye finds them.
        let end = |series: &Series| series.points.last().map_or(f64::NEG_INFINITY, |point| point.y);
        entries.sort_by(|a, b| end(b.0).total_cmp(&end(a.0)));
    }
    for ((series, look), y) in entries.into_iter().zip((pixel(LEGEND_LINE)..).step_by(LEGEND_LINE as usize)) {
        match series.kind {
            SeriesKind::Line => look.line(area, vec![(0, y), (SAMPLE, y)])?,
            SeriesKind::Points => look.mark(area, (SAMPLE / 2, y))?,
            SeriesKind::Bars => area.draw(&Rectangle::new([(0, y - 6), (SAMPLE, y + 6)], look.colour.filled()))?,
        }
        area.draw_text(&series.name, &small(), (SAMPLE + GAP, y))?;
    }
    Ok(())
}

/// The style of small text. A text is placed by the middle of its left edge.
fn small<'a>() -> TextStyle<'a> {
    (FONT, SMALL).into_font().color(&TEXT).pos(Pos::new(HPos::Left, VPos::Center))
}

#[cfg(test)]
mod tests {
    use fivefold_analysis::chart::{Point, ReferenceLine, Scale};

    use super::*;
    use crate::samples;

    fn points(values: &[(f64, f64)]) -> Vec<Point> {
        values.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    /// A chart of a single series.
    fn one(kind: SeriesKind, values: &[(f64, f64)]) -> Chart {
        let series = vec![Series { name: "one".into(), kind, points: points(values) }];
        Chart { series, lines: Vec::new(), ..samples::scatter() }
    }

    /// Attributes of the elements of an SVG in drawing order, read by an independent XML parser.
    fn attributes(svg: &str, element: &str, colour: &str, names: &[&str]) -> Vec<Vec<String>> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let elements = document.descendants().filter(|node| node.has_tag_name(element));
        let drawn = elements.filter(|node| [node.attribute("fill"), node.attribute("stroke")].contains(&Some(colour)));
        drawn.map(|node| names.iter().map(|name| node.attribute(*name).unwrap().to_owned()).collect()).collect()
    }

    /// Places of the discs of the first series.
    fn discs(chart: &Chart) -> Vec<(f64, f64)> {
        let discs = attributes(&chart_figure(chart).unwrap().svg, "circle", "#0072B2", &["cx", "cy"]);
        discs.iter().map(|disc| (disc[0].parse().unwrap(), disc[1].parse().unwrap())).collect()
    }

    #[test]
    fn points_stand_in_proportion() {
        let discs = discs(&one(SeriesKind::Points, &[(0.0, 0.0), (1.0, 4.0), (2.0, 1.0), (4.0, 2.0)]));
        let share = |place: f64, from: f64, to: f64| (place - from) / (to - from);
        for (disc, (x, y)) in discs.iter().zip([(0.0, 0.0), (0.25, 1.0), (0.5, 0.25), (1.0, 0.5)]) {
            assert!((share(disc.0, discs[0].0, discs[3].0) - x).abs() < 0.003, "{discs:?}");
            assert!((share(disc.1, discs[0].1, discs[1].1) - y).abs() < 0.005, "{discs:?}");
        }
    }

    #[test]
    fn equal_ratios_are_equally_far_apart_on_a_logarithmic_axis() {
        let mut chart = one(SeriesKind::Points, &[(1.0, 1.0), (10.0, 2.0), (100.0, 3.0)]);
        chart.x.scale = Scale::Log;
        let discs = discs(&chart);
        assert!((discs[0].0 + discs[2].0 - 2.0 * discs[1].0).abs() <= 1.0, "{discs:?}");
    }

    #[test]
    fn bars_reach_from_zero_to_their_points_and_stand_side_by_side() {
        let mut chart = one(SeriesKind::Bars, &[(0.0, 2.0), (1.0, 4.0)]);
        chart.series.push(Series { name: "two".into(), kind: SeriesKind::Bars, points: points(&[(0.0, 3.0)]) });
        let svg = chart_figure(&chart).unwrap().svg;
        let bars = |colour| {
            let bars = attributes(&svg, "rect", colour, &["x", "y", "width", "height"]);
            bars.into_iter().map(|bar| bar.iter().map(|n| n.parse().unwrap()).collect::<Vec<f64>>()).collect::<Vec<_>>()
        };
        // The last of each colour is the sample in the legend.
        let (one, two) = (bars("#0072B2"), bars("#D55E00"));
        assert_eq!((one.len(), two.len()), (3, 2));
        assert!(
            (one[1][3] / one[0][3] - 2.0).abs() < 0.02 && (two[0][3] / one[0][3] - 1.5).abs() < 0.02,
            "{one:?} {two:?}"
        );
        let foot = |bar: &[f64]| bar[1] + bar[3];
        assert!((foot(&one[0]) - foot(&one[1])).abs() <= 1.0 && (foot(&one[0]) - foot(&two[0])).abs() <= 1.0);
        assert!((one[0][0] + one[0][2] - two[0][0]).abs() <= 1.0, "{one:?} {two:?}");
    }

    #[test]
    fn series_of_one_colour_differ_in_dash() {
        let looks = Look::all().take(28).map(|look| format!("{look:?}")).collect::<BTreeSet<_>>();
        assert_eq!(looks.len(), 28);
    }

    #[test]
    fn the_same_chart_has_the_same_bytes() {
        insta::assert_snapshot!(chart_figure(&samples::curves()).unwrap().csv);
        let figure = chart_figure(&samples::scatter()).unwrap();
        insta::assert_snapshot!(figure.svg);
        insta::assert_snapshot!(figure.csv);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_and_named() {
        let change = |change: fn(&mut Chart)| {
            let mut chart = samples::curves();
            change(&mut chart);
            chart_figure(&chart).unwrap_err().to_string()
        };
        let cases = [
            (change(|c| c.series[1].points[2].y = f64::NAN), "series \"30\", point 2: \"mean nDCG\" is NaN"),
            (change(|c| c.series[0].points[0].x = f64::INFINITY), "point 0: \"documents n\" is inf"),
            (change(|c| c.series[0].points[0].x = 0.0), "\"documents n\" is logarithmic and cannot show 0"),
            (change(|c| c.series[0].points[1].band = Some((0.5, f64::NAN))), "is NaN"),
            (change(|c| c.series[0].points[1].band = Some((0.5, 0.4))), "ends at 0.4 before it begins at 0.5"),
            (change(|c| c.series[1].name = "0".into()), "two series are called \"0\""),
            (change(|c| c.lines[0].y = f64::NEG_INFINITY), "line \"limit\": \"mean nDCG\" is -inf"),
            (change(|c| c.lines[0].series = Some("31".into())), "belongs to no series \"31\""),
            (change(|c| c.y.range = Some((0.0, 0.5))), "outside of 0 to 0.5"),
            (change(|c| c.y.range = Some((1.0, 1.0))), "has the empty range 1 to 1"),
        ];
        for (error, expected) in cases {
            assert!(error.starts_with("figure-03-curves: ") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_chart_without_points_is_an_empty_plot() {
        let none = Chart { series: Vec::new(), lines: Vec::new(), ..samples::scatter() };
        assert!(roxmltree::Document::parse(&chart_figure(&none).unwrap().svg).is_ok());
        let line = ReferenceLine { label: "only".into(), y: 2.0, series: None };
        assert!(chart_figure(&Chart { lines: vec![line], ..none }).unwrap().svg.contains("only"));
    }
}

//! Means with their intervals, a line for each system, over a common scale (a dot plot, after
//! Cleveland 1984).

use fivefold_analysis::chart::Axis;
use fivefold_analysis::diagram::{IntervalSeries, Intervals};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::chart::axis::Plotted;
use crate::chart::marks::Look;
use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::names::Names;
use crate::page::{Area, Drawn, FONT, GRID, SMALL, SMALL_LINE, TEXT, page, pixel, pixels, style_mesh};

/// Pixels of the scale.
const SCALE: u32 = 560;
/// Pixels of a line, and pixels between the marks of a line.
const LINE: u32 = 20;
const APART: u32 = 9;
/// Pixels below the lines for ticks and label, and pixels of a line of the legend.
const BELOW: u32 = 66;
const LEGEND: u32 = 22;
/// The most characters of a name.
const FIT: usize = 40;

/// The figure of means with intervals.
///
/// # Errors
/// [`ReportError::Malformed`] if a number is not finite, or if the number of means is not the
/// number of systems.
pub(crate) fn intervals_figure(intervals: &Intervals) -> Result<Figure, ReportError> {
    let malformed = |message| ReportError::Malformed { id: intervals.id.clone(), message };
    for series in &intervals.series {
        if series.means.len() != intervals.systems.len() {
            let what = format!("{} means of {} systems", series.means.len(), intervals.systems.len());
            return Err(malformed(what));
        }
        if numbers(series).any(|value| !value.is_finite()) {
            return Err(malformed(format!("a number of {:?} is not finite", series.name)));
        }
    }
    let mut figure = Figure {
        id: intervals.id.clone(),
        title: intervals.title.clone(),
        notes: intervals.notes.clone(),
        shows_pairs: false,
        svg: String::new(),
        csv: String::new(),
    };
    figure.csv = means_csv(intervals, &figure);
    let legend = if intervals.series.len() > 1 { pixels(intervals.series.len(), LEGEND) } else { 0 };
    let names = Names::fitted(&intervals.systems, FIT);
    let size = (names_width(&names) + SCALE, legend + pixels(intervals.systems.len(), line(intervals)) + BELOW);
    let svg = page(&figure, size, |area| draw(intervals, &names, legend, area))?;
    figure.svg = names.titled(svg, |system| names.shown(system).to_owned());
    Ok(figure)
}

/// The means as CSV, a line for each system and series, after the title and the notes as comments.
fn means_csv(intervals: &Intervals, figure: &Figure) -> String {
    let mut out = csv::comments(&figure.title, &figure.notes);
    csv::push_record(&mut out, ["series", "system", "mean", "low", "high"].map(str::to_owned).into_iter());
    for series in &intervals.series {
        for (system, (mean, ends)) in intervals.systems.iter().zip(&series.means) {
            let ends = ends.map_or_else(Default::default, |(low, high)| [low.to_string(), high.to_string()]);
            let names = [&series.name, system].map(|name| csv::text_field(name));
            csv::push_record(&mut out, names.into_iter().chain([mean.to_string()]).chain(ends));
        }
    }
    out
}

fn numbers(series: &IntervalSeries) -> impl Iterator<Item = f64> {
    series.means.iter().flat_map(|&(mean, ends)| {
        let (low, high) = ends.unwrap_or((mean, mean));
        [mean, low, high]
    })
}

/// Pixels of a line.
fn line(intervals: &Intervals) -> u32 {
    LINE.max(pixels(intervals.series.len(), APART) + APART)
}

fn names_width(names: &Names<'_>) -> u32 {
    pixels(names.widest(), SMALL_LINE.1 + 1) + 24
}

fn draw(intervals: &Intervals, names: &Names<'_>, legend: u32, area: &Area<'_>) -> Drawn {
    let (above, area) = area.split_vertically(legend);
    let style = (FONT, SMALL).into_font().color(&TEXT);
    let left_of_scale = names_width(names);
    // A series of its own is named by the axis.
    let named = if legend > 0 { intervals.series.as_slice() } else { &[] };
    for ((series, look), row) in named.iter().zip(Look::all()).zip(0..) {
        let y = pixel(LEGEND * row + LEGEND / 2);
        look.mark(&above, (pixel(left_of_scale), y))?;
        let beside = style.pos(Pos::new(HPos::Left, VPos::Center));
        above.draw_text(&series.name, &beside, (pixel(left_of_scale) + 12, y))?;
    }

    let scale = Plotted::over(&Axis::linear(&intervals.axis), intervals.series.iter().flat_map(numbers));
    let mut builder = ChartBuilder::on(&area);
    builder.margin_right(20).x_label_area_size(BELOW - 14).margin_bottom(8).y_label_area_size(left_of_scale);
    let mut plot = builder.build_cartesian_2d(scale, 0.0..1.0)?;
    let mut mesh = plot.configure_mesh();
    style_mesh(&mut mesh);
    mesh.disable_y_mesh().disable_y_axis().x_desc(&intervals.axis).draw()?;

    // From here on in pixels of the area.
    let (left, top) = area.get_base_pixel();
    let (across, down) = plot.plotting_area().get_pixel_range();
    let (height, count) = (f64::from(down.end - down.start), intervals.systems.len().max(1) as f64);
    let middle = |system: usize| down.start - top + ((system as f64 + 0.5) * height / count).round() as i32;
    let x = |value: f64| plot.backend_coord(&(value, 0.0)).0 - left;
    let beside = style.pos(Pos::new(HPos::Right, VPos::Center));
    for system in 0..intervals.systems.len() {
        let y = middle(system);
        area.draw(&PathElement::new([(across.start - left, y), (across.end - left, y)], GRID))?;
        area.draw_text(names.shown(system), &beside, (pixel(left_of_scale) - 8, y))?;
    }
    let series = intervals.series.len();
    for ((of, look), place) in intervals.series.iter().zip(Look::all()).zip(0..) {
        // Around the middle of the line.
        let shift = (f64::from(APART) * (f64::from(place) - (series as f64 - 1.0) / 2.0)).round() as i32;
        for (system, &(mean, ends)) in of.means.iter().enumerate() {
            let y = middle(system) + shift;
            if let Some((low, high)) = ends {
                area.draw(&PathElement::new([(x(low), y), (x(high), y)], look.colour.stroke_width(2)))?;
            }
            look.mark(&area, (x(mean), y))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Intervals {
        Intervals {
            id: "means".to_owned(),
            title: "Systems by ap".to_owned(),
            axis: "mean ap".to_owned(),
            systems: ["bm25 <b>", "other"].map(str::to_owned).to_vec(),
            series: vec![IntervalSeries { name: "ap".to_owned(), means: vec![(0.5, Some((0.4, 0.6))), (0.25, None)] }],
            notes: vec!["a note".to_owned()],
        }
    }

    #[test]
    fn numbers_stand_in_the_csv_and_names_in_the_drawing() {
        let figure = intervals_figure(&sample()).unwrap();
        let expected =
            "# Systems by ap\n# a note\nseries,system,mean,low,high\nap,bm25 <b>,0.5,0.4,0.6\nap,other,0.25,,\n";
        assert_eq!(figure.csv, expected);
        assert!(figure.svg.contains("bm25 &lt;b&gt;") && figure.svg.contains("other"));
        // One mark a mean, whatever the axes are drawn with.
        assert_eq!(figure.svg.matches("<circle").count(), 2);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut short = sample();
        short.series[0].means.pop();
        assert!(intervals_figure(&short).unwrap_err().to_string().contains("1 means of 2 systems"));
        let mut infinite = sample();
        infinite.series[0].means[0].1 = Some((f64::NEG_INFINITY, 1.0));
        assert!(intervals_figure(&infinite).unwrap_err().to_string().contains("not finite"));
    }
}

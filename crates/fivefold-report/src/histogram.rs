//! Histograms as SVG, with the data behind each as CSV: Figures 2 and 3 of Feng & Karmaker (IPM 2023), the distribution of
//! a measure's expected value over queries.
//!
//! Series are drawn side by side in panels of one scale, not over one another: nothing is hidden and no colour has to be
//! told apart. Text stays text and coordinates are whole pixels, so the bytes are the same on every machine.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::csv;
use crate::error::ReportError;
use crate::terminal::wrapped;

/// Counts of values in bins, for one or more series over the same bins.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Histogram {
    /// File name without ending, e.g. `figure-02-expected-ndcg`.
    pub id: String,
    /// What it shows: measure and data set.
    pub title: String,
    /// Title of the horizontal axis: the value that is counted.
    pub x_label: String,
    /// Title of the vertical axis: what is counted.
    pub y_label: String,
    /// The bounds of the bins, ascending: one more than bins. A bin holds its lower bound; the last one also its upper.
    pub edges: Vec<f64>,
    /// One panel each.
    pub series: Vec<Series>,
    /// Lines under the figure: numbers of values and of undefined ones, remarks.
    pub notes: Vec<String>,
}

/// One panel of a histogram.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Series {
    /// What sets this series apart: a data set, a cutoff.
    pub label: String,
    /// Values in each bin.
    pub counts: Vec<u64>,
}

/// The blue of Okabe and Ito's colour-blind-safe set; dark enough to print well in grey.
const BAR: RGBColor = RGBColor(0, 114, 178);
const TEXT: RGBColor = RGBColor(34, 34, 34);
const GRID: RGBColor = RGBColor(224, 224, 224);
const FONT: &str = "sans-serif";

/// Panels in one row of a figure.
const PANELS_A_ROW: usize = 3;
/// Size of the panel of a figure of one series, and of one among several.
const ONE_PANEL: (u32, u32) = (680, 380);
const PANEL: (u32, u32) = (340, 260);
const MARGIN: u32 = 16;
/// Pixels from line to line, and that a character takes on average, rounded up.
const TITLE_LINE: (u32, u32) = (26, 12);
const NOTE_LINE: (u32, u32) = (17, 7);

impl Histogram {
    /// The figure as an SVG document.
    ///
    /// # Errors
    /// [`ReportError::Malformed`] for bounds that are not finite and ascending, or counts that are not one a bin.
    pub fn svg(&self) -> Result<String, ReportError> {
        self.check()?;
        let mut out = String::new();
        self.draw(&mut out).map_err(|error| self.malformed(error.to_string()))?;
        Ok(out)
    }

    /// The counts as CSV, one line a bin, after the title and the notes as comments.
    pub fn csv(&self) -> String {
        let mut out = csv::comments(&self.title, &self.notes);
        let labels = self.series.iter().map(|series| csv::text_field(&series.label));
        csv::push_record(&mut out, ["from".to_owned(), "to".to_owned()].into_iter().chain(labels));
        for (bin, edges) in self.edges.windows(2).enumerate() {
            let counts = self.series.iter().filter_map(|series| series.counts.get(bin)).map(u64::to_string);
            csv::push_record(&mut out, edges.iter().map(f64::to_string).chain(counts));
        }
        out
    }

    fn check(&self) -> Result<(), ReportError> {
        let ascending = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        if self.edges.len() < 2 || !ascending || self.edges.iter().any(|edge| !edge.is_finite()) {
            return Err(self.malformed(format!("bounds of bins must be finite and ascending, found {:?}", self.edges)));
        }
        if self.series.is_empty() {
            return Err(self.malformed("a histogram needs a series".into()));
        }
        let bins = self.edges.len() - 1;
        match self.series.iter().find(|series| series.counts.len() != bins) {
            None => Ok(()),
            Some(Series { label, counts }) => {
                Err(self.malformed(format!("series {label:?} has {} counts for {bins} bins", counts.len())))
            }
        }
    }

    fn malformed(&self, message: String) -> ReportError {
        ReportError::Malformed { id: self.id.clone(), message }
    }

    fn draw(&self, out: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let columns = self.series.len().min(PANELS_A_ROW);
        let rows = self.series.len().div_ceil(columns);
        let panel = if self.series.len() == 1 { ONE_PANEL } else { PANEL };
        let size = |count: usize, pixels: u32| u32::try_from(count).unwrap_or(u32::MAX).saturating_mul(pixels);
        let width = size(columns, panel.0);
        let title = fitted([&self.title], width, TITLE_LINE.1);
        let notes = fitted(&self.notes, width, NOTE_LINE.1);
        let title_height = size(title.len(), TITLE_LINE.0) + MARGIN;
        let panels_height = size(rows, panel.1);
        let height = title_height + panels_height + size(notes.len(), NOTE_LINE.0) + MARGIN;

        let root = SVGBackend::with_string(out, (width, height)).into_drawing_area();
        root.fill(&WHITE)?;
        let (head, below) = root.split_vertically(title_height);
        let (panels, foot) = below.split_vertically(panels_height);
        let centred = Pos::new(HPos::Center, VPos::Top);
        let style = (FONT, 22).into_font().style(FontStyle::Bold).color(&TEXT).pos(centred);
        for (line, y) in title.iter().zip((MARGIN..).step_by(TITLE_LINE.0 as usize)) {
            head.draw_text(line, &style, (pixel(width / 2), pixel(y)))?;
        }
        let top = self.series.iter().flat_map(|series| series.counts.iter().copied()).max().unwrap_or(0);
        for (series, area) in self.series.iter().zip(panels.split_evenly((rows, columns))) {
            self.draw_panel(series, top.max(1), &area)?;
        }
        let style = (FONT, 15).into_font().color(&TEXT);
        for (line, y) in notes.iter().zip((0..).step_by(NOTE_LINE.0 as usize)) {
            foot.draw_text(line, &style, (pixel(MARGIN), y))?;
        }
        root.present()?;
        Ok(())
    }

    fn draw_panel(
        &self,
        series: &Series,
        top: u64,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let (first, last) = (self.edges[0], self.edges[self.edges.len() - 1]);
        let y_end = top as f64 * 1.05;
        let mut builder = ChartBuilder::on(area);
        builder.margin(10).margin_right(20).x_label_area_size(44).y_label_area_size(58);
        if self.series.len() > 1 {
            builder.caption(&series.label, (FONT, 18).into_font().color(&TEXT));
        }
        let mut chart = builder.build_cartesian_2d(first..last, 0.0..y_end)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(TEXT)
            .axis_desc_style((FONT, 17).into_font().color(&TEXT))
            .label_style((FONT, 15).into_font().color(&TEXT))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_labels(6)
            .y_labels(6)
            .y_label_formatter(&|count| if count.fract() == 0.0 { format!("{count}") } else { String::new() })
            .draw()?;
        // One query among thousands is still one pixel high, however the edge of its bar is rounded.
        let least = 1.5 * y_end / f64::from(chart.plotting_area().dim_in_pixel().1);
        for (edges, &count) in self.edges.windows(2).zip(&series.counts).filter(|(_, count)| **count > 0) {
            let corners = [(edges[0], 0.0), (edges[1], (count as f64).max(least))];
            let mut bar = Rectangle::new(corners, BAR.filled());
            bar.set_margin(0, 0, 1, 0);
            chart.draw_series([bar])?;
        }
        Ok(())
    }
}

/// Texts in lines that fit into a figure of `width` pixels.
fn fitted<'a>(texts: impl IntoIterator<Item = &'a String>, width: u32, character: u32) -> Vec<String> {
    let characters = (width.saturating_sub(2 * MARGIN) / character).try_into().unwrap_or(u16::MAX);
    texts.into_iter().flat_map(|text| wrapped(text, "", characters)).collect()
}

fn pixel(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// Heights of the bars of an SVG in drawing order, after a parse by an independent XML reader.
    fn bars(svg: &str) -> Vec<u32> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let rects = document.descendants().filter(|node| node.has_tag_name("rect"));
        let bars = rects.filter(|rect| rect.attribute("fill") == Some("#0072B2"));
        bars.map(|bar| bar.attribute("height").unwrap().parse().unwrap()).collect()
    }

    #[test]
    fn every_count_has_a_bar_of_its_height() {
        let figure = samples::histogram();
        let heights = bars(&figure.svg().unwrap());
        let counts = figure.series.iter().flat_map(|series| &series.counts).filter(|count| **count > 0);
        let counts = counts.collect::<Vec<_>>();
        assert_eq!(heights.len(), counts.len());
        let scale = f64::from(*heights.iter().max().unwrap()) / **counts.iter().max().unwrap() as f64;
        for (height, count) in heights.iter().zip(counts) {
            assert!((f64::from(*height) - *count as f64 * scale).abs() <= 1.0, "{height} for {count}");
        }
    }

    #[test]
    fn a_single_query_among_thousands_can_be_seen() {
        let series = vec![Series { label: "all".into(), counts: vec![30_000, 0, 1] }];
        let figure = Histogram { edges: vec![0.0, 0.25, 0.5, 1.0], series, ..samples::histogram() };
        let heights = bars(&figure.svg().unwrap());
        assert_eq!(heights.len(), 2);
        assert!(heights[1] >= 1);
    }

    #[test]
    fn titles_and_notes_are_text_and_escaped() {
        let svg = samples::histogram().svg().unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let texts = texts.filter_map(|text| text.text()).map(str::trim).collect::<Vec<_>>();
        for text in ["Figure 2: expected nDCG of the queries of mq2007 & co", "expected nDCG", "queries", "cutoff 10"] {
            assert!(texts.contains(&text), "{text} in {texts:?}");
        }
        assert!(texts.iter().any(|text| text.starts_with("1000 queries")));
    }

    #[test]
    fn no_query_at_all_is_an_empty_figure() {
        let series = vec![Series { label: "none".into(), counts: vec![0; 20] }];
        let figure = Histogram { series, notes: Vec::new(), ..samples::histogram() };
        assert!(bars(&figure.svg().unwrap()).is_empty());
    }

    #[test]
    fn the_same_figure_has_the_same_bytes() {
        insta::assert_snapshot!(samples::histogram().svg().unwrap());
        insta::assert_snapshot!(samples::histogram().csv());
    }

    #[test]
    fn bins_and_counts_must_agree() {
        let wrong = [
            Histogram { edges: vec![0.0, 0.0, 1.0], ..samples::histogram() },
            Histogram { edges: vec![0.0, f64::NAN], ..samples::histogram() },
            Histogram { edges: vec![0.0, 1.0], ..samples::histogram() },
            Histogram { series: Vec::new(), ..samples::histogram() },
        ];
        for figure in wrong {
            assert!(matches!(figure.svg(), Err(ReportError::Malformed { .. })));
        }
    }
}

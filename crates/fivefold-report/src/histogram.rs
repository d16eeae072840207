//! Histograms of expected values as SVG, with the counts as CSV: Figures 2 and 3 of Feng & Karmaker
//! (IPM 2023).
//!
//! The expected value E/U of a query is the share of the ideal order's value that a random order of
//! its documents reaches. There is a panel for the mean over the cutoffs, and a panel for each
//! cutoff. The panels stand side by side and have the same scale. So no panel hides another, and no
//! reader has to tell colours apart.

use fivefold_analysis::slug;
use fivefold_analysis::tables::{ExpectedHistogram, Panel};
use fivefold_base::words::counted;
use plotters::prelude::*;

use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::page::{Area, Drawn, FONT, TEXT, page, pixels, style_mesh};

/// The blue of Okabe and Ito's colour-blind-safe set, dark enough to print well in grey.
const BAR: RGBColor = RGBColor(0, 114, 178);

const PANELS_A_ROW: usize = 3;
/// Size in pixels of a panel that stands alone, and of a panel among several.
const ONE_PANEL: (u32, u32) = (680, 380);
const PANEL: (u32, u32) = (340, 260);

/// The figure of a histogram. `conventions` are the lines that say how the values were computed.
///
/// # Errors
/// [`ReportError::Malformed`] for a histogram without bins, or with panels of different bins.
pub(crate) fn expected_figure(histogram: &ExpectedHistogram, conventions: &[String]) -> Result<Figure, ReportError> {
    let ExpectedHistogram { dataset, measure, figure, .. } = histogram;
    let number = figure.map(|number| format!("{number:02}-")).unwrap_or_default();
    let name = figure.map(|number| format!("Figure {number}: ")).unwrap_or_default();
    let mut figure = Figure {
        id: format!("figure-{number}expected-{}-{}", slug(measure), slug(dataset)),
        title: format!("{name}expected {measure} of the queries of {dataset}"),
        notes: std::iter::once(counts_note(histogram)).chain(conventions.iter().cloned()).collect(),
        shows_pairs: false,
        svg: String::new(),
        csv: String::new(),
    };
    let malformed = |message| ReportError::Malformed { id: figure.id.clone(), message };
    let bins = histogram.panels.first().map_or(0, |panel| panel.counts.len());
    if bins == 0 || histogram.panels.iter().any(|panel| panel.counts.len() != bins) {
        return Err(malformed("a histogram needs at least one bin, and the same bins in all panels".into()));
    }
    figure.svg = draw(histogram, &figure)?;
    figure.csv = counts_csv(histogram, &figure);
    Ok(figure)
}

/// The number of counted queries, and the number of queries without a defined value.
fn counts_note(histogram: &ExpectedHistogram) -> String {
    let first = histogram.panels.first().map_or(0, |panel| panel.undefined);
    let counts = if histogram.panels.iter().all(|panel| panel.undefined == first) {
        first.to_string()
    } else {
        let each = histogram.panels.iter().map(|panel| format!("{} ({})", panel.undefined, panel.label));
        each.collect::<Vec<_>>().join(", ")
    };
    format!("{}; queries without an expected value, which are in no bin: {counts}", counted(histogram.queries, "query"))
}

/// The counts as CSV, a line for each bin, after the title and the notes as comments.
fn counts_csv(histogram: &ExpectedHistogram, figure: &Figure) -> String {
    let mut out = csv::comments(&figure.title, &figure.notes);
    let labels = histogram.panels.iter().map(|panel| csv::text_field(&panel.label));
    csv::push_record(&mut out, ["from".to_owned(), "to".to_owned()].into_iter().chain(labels));
    for (bin, edges) in edges(histogram).windows(2).enumerate() {
        let counts = histogram.panels.iter().map(|panel| panel.counts[bin].to_string());
        csv::push_record(&mut out, edges.iter().map(f64::to_string).chain(counts));
    }
    out
}

/// The edges of the bins. There is an edge more than there are bins.
fn edges(histogram: &ExpectedHistogram) -> Vec<f64> {
    let bins = histogram.panels[0].counts.len();
    (0..=bins).map(|edge| edge as f64 / bins as f64).collect()
}

fn draw(histogram: &ExpectedHistogram, figure: &Figure) -> Result<String, ReportError> {
    let panels = &histogram.panels;
    let columns = panels.len().min(PANELS_A_ROW);
    let rows = panels.len().div_ceil(columns);
    let panel_size = if panels.len() == 1 { ONE_PANEL } else { PANEL };
    page(figure, (pixels(columns, panel_size.0), pixels(rows, panel_size.1)), |body| {
        let mut areas = panels.iter().zip(body.split_evenly((rows, columns)));
        areas.try_for_each(|(panel, area)| draw_panel(histogram, panel, &area))
    })
}

fn draw_panel(histogram: &ExpectedHistogram, panel: &Panel, area: &Area<'_>) -> Drawn {
    let highest = histogram.panels.iter().flat_map(|panel| panel.counts.iter().copied()).max().unwrap_or(0);
    let y_end = highest.max(1) as f64 * 1.05;
    let mut builder = ChartBuilder::on(area);
    builder.margin(10).margin_right(20).x_label_area_size(44).y_label_area_size(58);
    builder.caption(&panel.label, (FONT, 18).into_font().color(&TEXT));
    let mut chart = builder.build_cartesian_2d(0.0..1.0, 0.0..y_end)?;
    let mut mesh = chart.configure_mesh();
    style_mesh(&mut mesh);
    mesh.disable_x_mesh()
        .x_desc(format!("expected {} (E/U)", histogram.measure))
        .y_desc("queries")
        .x_labels(6)
        .y_labels(6)
        .y_label_formatter(&|count| if count.fract() == 0.0 { format!("{count}") } else { String::new() })
        .draw()?;
    // One query among thousands is still one pixel high, however the edge of its bar is rounded.
    let least = 1.5 * y_end / f64::from(chart.plotting_area().dim_in_pixel().1);
    let edges = edges(histogram);
    for (edges, &count) in edges.windows(2).zip(&panel.counts).filter(|(_, count)| **count > 0) {
        let mut bar = Rectangle::new([(edges[0], 0.0), (edges[1], (count as f64).max(least))], BAR.filled());
        bar.set_margin(0, 0, 1, 0);
        chart.draw_series([bar])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// Heights of the bars of an SVG in drawing order, read by an independent XML parser.
    fn bars(svg: &str) -> Vec<u32> {
        let document = roxmltree::Document::parse(svg).unwrap();
        let rects = document.descendants().filter(|node| node.has_tag_name("rect"));
        let bars = rects.filter(|rect| rect.attribute("fill") == Some("#0072B2"));
        bars.map(|bar| bar.attribute("height").unwrap().parse().unwrap()).collect()
    }

    fn one_panel(counts: &[u64]) -> ExpectedHistogram {
        let panel = Panel { label: "@5".into(), counts: counts.to_vec(), undefined: 3 };
        ExpectedHistogram { panels: vec![panel], ..samples::histogram() }
    }

    #[test]
    fn every_count_has_a_bar_of_its_height() {
        let histogram = samples::histogram();
        let heights = bars(&expected_figure(&histogram, &[]).unwrap().svg);
        let counts = histogram.panels.iter().flat_map(|panel| &panel.counts).filter(|count| **count > 0);
        let counts = counts.collect::<Vec<_>>();
        assert_eq!(heights.len(), counts.len());
        let scale = f64::from(*heights.iter().max().unwrap()) / **counts.iter().max().unwrap() as f64;
        for (height, count) in heights.iter().zip(counts) {
            assert!((f64::from(*height) - *count as f64 * scale).abs() <= 1.0, "{height} for {count}");
        }
    }

    #[test]
    fn a_single_query_among_thousands_can_be_seen() {
        let heights = bars(&expected_figure(&one_panel(&[30_000, 0, 1, 0]), &[]).unwrap().svg);
        assert_eq!(heights.len(), 2);
        assert!(heights[1] >= 1);
    }

    #[test]
    fn titles_and_notes_are_text_and_escaped() {
        let figure = expected_figure(&samples::histogram(), &["gain <exp2>".into()]).unwrap();
        let document = roxmltree::Document::parse(&figure.svg).unwrap();
        let texts =
            |tag| document.descendants().filter(move |node| node.has_tag_name(tag)).filter_map(|node| node.text());
        let lines = texts("desc").flat_map(str::lines).filter(|line| !line.is_empty()).collect::<Vec<_>>();
        assert_eq!(lines, [&counts_note(&samples::histogram()), "gain <exp2>"]);
        let texts = texts("text").map(str::trim).collect::<Vec<_>>();
        for text in [
            "Figure 2: expected ndcg of the queries of mq2007 & co",
            "expected ndcg (E/U)",
            "queries",
            "mean over cutoffs",
            "@10",
        ] {
            assert!(texts.contains(&text), "{text} in {texts:?}");
        }
    }

    #[test]
    fn no_value_at_all_is_an_empty_figure() {
        assert!(bars(&expected_figure(&one_panel(&[0; 20]), &[]).unwrap().svg).is_empty());
    }

    #[test]
    fn the_same_histogram_has_the_same_bytes() {
        let figure = expected_figure(&samples::histogram(), &["dialect paper: gain exp2".into()]).unwrap();
        assert_eq!(figure.id, "figure-02-expected-ndcg-mq2007-co");
        insta::assert_snapshot!(figure.svg);
        insta::assert_snapshot!(figure.csv);
    }

    #[test]
    fn undefined_values_that_differ_are_told_panel_by_panel() {
        let mut histogram = samples::histogram();
        histogram.panels[1].undefined = 7;
        let note = "1220 queries; queries without an expected value, which are in no bin: 220 (mean over cutoffs), 7 (@5), 220 (@10)";
        assert_eq!(counts_note(&histogram), note);
    }

    #[test]
    fn panels_without_bins_or_of_different_bins_are_refused() {
        let mut uneven = samples::histogram();
        uneven.panels[1].counts.pop();
        let none = ExpectedHistogram { panels: Vec::new(), ..samples::histogram() };
        for histogram in [uneven, one_panel(&[]), none] {
            let error = expected_figure(&histogram, &[]).unwrap_err();
            assert!(error.to_string().starts_with("figure-02-expected-ndcg-mq2007-co: "), "{error}");
        }
    }
}

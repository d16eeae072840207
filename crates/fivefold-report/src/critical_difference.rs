//! Critical-difference diagrams (Demsar, JMLR 7, 2006): methods on a line of average ranks, the best to the left; a bar joins
//! those whose ranks differ by no more than Nemenyi's critical difference.

use fivefold_experiment::tables::Comparison;
use fivefold_experiment::{Evaluation, slug};
use fivefold_stats::{Friedman, cliques, critical_difference};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::page::{Area, Drawn, FONT, SMALL, TEXT, page, pixel, pixels};

const BAR: RGBColor = RGBColor(0, 114, 178);
const WIDTH: u32 = 860;
/// From the sides to the ends of the line of ranks; the names stand there.
const SIDE: i32 = 210;
const LINE: u32 = 24;
/// From the top to the line, and from the line to the first bar.
const ABOVE: i32 = 62;
const BELOW: i32 = 14;
const BARS_APART: usize = 9;

/// The diagram of one measure at its main cutoff; `None` where there are no ranks, and for V1 and V2, which order the methods on
/// each query as the original does.
pub(crate) fn critical_difference_figure(
    evaluation: &Evaluation,
    comparison: &Comparison,
    alpha: f64,
    conventions: &[String],
) -> Option<Result<Figure, ReportError>> {
    let ranks = comparison.ranks.as_ref().filter(|_| !comparison.normalised)?;
    let data = &evaluation.datasets[comparison.dataset];
    let methods = comparison.methods.iter().map(|&method| data.rankers[method].as_str()).collect();
    let measure = comparison.measure_at(comparison.main_cutoff());
    Some(diagram(Diagram { measure, dataset: &data.name, methods, ranks, alpha }, conventions))
}

struct Diagram<'a> {
    measure: String,
    dataset: &'a str,
    methods: Vec<&'a str>,
    ranks: &'a Friedman,
    alpha: f64,
}

fn diagram(diagram: Diagram<'_>, conventions: &[String]) -> Result<Figure, ReportError> {
    let Diagram { measure, dataset, methods, ranks, alpha } = &diagram;
    let id = format!("figure-critical-difference-{}-{}", slug(measure), slug(dataset));
    let malformed =
        |error: fivefold_stats::StatsError| ReportError::Malformed { id: id.clone(), message: error.to_string() };
    let difference = critical_difference(methods.len(), ranks.queries, *alpha).map_err(malformed)?;
    let test = format!(
        "average ranks over {} queries; Nemenyi's critical difference {difference:.3} (level {alpha}); Friedman's chi-square \
         {:.2}, p = {:.2e}, for all methods alike",
        ranks.queries, ranks.chi_square, ranks.chi_square_p
    );
    let mut figure = Figure {
        id: id.clone(),
        title: format!("Critical differences under {measure} on {dataset}"),
        notes: std::iter::once(test).chain(conventions.iter().cloned()).collect(),
        svg: String::new(),
        csv: String::new(),
    };
    let bars = cliques(&ranks.average_ranks, difference);
    figure.csv = ranks_csv(&diagram, &figure, difference, &bars);
    let side = methods.len().div_ceil(2);
    let height = pixels(1, (ABOVE + BELOW) as u32) + pixels(bars.len() * BARS_APART, 1) + pixels(side, LINE) + LINE;
    figure.svg = page(&figure, (WIDTH, height), |area| draw(&diagram, difference, &bars, area))?;
    Ok(figure)
}

/// One line a method, best first; after the title and the notes as comments, one comment a bar.
fn ranks_csv(diagram: &Diagram<'_>, figure: &Figure, difference: f64, bars: &[Vec<usize>]) -> String {
    let bar = |bar: &Vec<usize>| {
        let names: Vec<&str> = bar.iter().map(|&method| diagram.methods[method]).collect();
        format!("not significantly different: {}", names.join(", "))
    };
    let notes: Vec<String> = figure.notes.iter().cloned().chain(bars.iter().map(bar)).collect();
    let mut out = csv::comments(&figure.title, &notes);
    csv::push_record(&mut out, ["method", "average rank", "critical difference"].map(str::to_owned).into_iter());
    for method in best_first(diagram.ranks) {
        let numbers = [diagram.ranks.average_ranks[method], difference].map(|number| number.to_string());
        csv::push_record(&mut out, std::iter::once(csv::text_field(diagram.methods[method])).chain(numbers));
    }
    out
}

fn best_first(ranks: &Friedman) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.average_ranks.len()).collect();
    order.sort_by(|&a, &b| ranks.average_ranks[a].total_cmp(&ranks.average_ranks[b]));
    order
}

fn draw(diagram: &Diagram<'_>, difference: f64, bars: &[Vec<usize>], area: &Area<'_>) -> Drawn {
    let Diagram { methods, ranks, .. } = diagram;
    let (left, right) = (SIDE, pixel(WIDTH) - SIDE);
    let extreme = |pick: fn(f64, f64) -> f64, start: f64| ranks.average_ranks.iter().copied().fold(start, pick);
    let first = extreme(f64::min, f64::INFINITY).floor();
    // Room for the length that the critical difference is drawn as.
    let last = extreme(f64::max, 0.0).max(first + difference).ceil();
    let place = |rank: f64| left + ((rank - first) / (last - first) * f64::from(right - left)).round() as i32;
    let text = |h: HPos, v: VPos| (FONT, SMALL).into_font().color(&TEXT).pos(Pos::new(h, v));
    let line =
        |area: &Area<'_>, points: Vec<(i32, i32)>, style: ShapeStyle| area.draw(&PathElement::new(points, style));
    let thin = TEXT.stroke_width(1);

    // The critical difference as a length, above the line.
    let end = place(first + difference);
    for points in [vec![(left, 16), (end, 16)], vec![(left, 11), (left, 21)], vec![(end, 11), (end, 21)]] {
        line(area, points, TEXT.stroke_width(2))?;
    }
    let label = format!("critical difference {difference:.2}");
    area.draw_text(&label, &text(HPos::Left, VPos::Center), (end + 10, 16))?;

    line(area, vec![(left, ABOVE), (right, ABOVE)], TEXT.stroke_width(2))?;
    // At most a dozen labelled ticks.
    let step = ((last - first) as usize).div_ceil(12);
    for rank in (first as usize..=last as usize).step_by(step) {
        let x = place(rank as f64);
        line(area, vec![(x, ABOVE - 6), (x, ABOVE)], thin)?;
        area.draw_text(&rank.to_string(), &text(HPos::Center, VPos::Bottom), (x, ABOVE - 8))?;
    }

    // Names of the better half to the left, the best one on top; those of the others to the right, the worst one on top.
    let order = best_first(ranks);
    let names_top = ABOVE + BELOW + pixel(pixels(bars.len() * BARS_APART, 1)) + 10;
    let half = methods.len().div_ceil(2);
    for (position, &method) in order.iter().enumerate() {
        let better = position < half;
        let row = if better { position } else { methods.len() - 1 - position };
        let y = names_top + pixel(pixels(row, LINE));
        let x = place(ranks.average_ranks[method]);
        let (edge, anchor) = if better { (left - 8, HPos::Right) } else { (right + 8, HPos::Left) };
        line(area, vec![(x, ABOVE), (x, y), (edge, y)], thin)?;
        let name = format!("{} ({:.2})", shortened(methods[method]), ranks.average_ranks[method]);
        let beside = if better { edge - 6 } else { edge + 6 };
        area.draw_text(&name, &text(anchor, VPos::Center), (beside, y))?;
    }
    for (index, bar) in bars.iter().enumerate() {
        let of = |method: Option<&usize>| method.map_or(1.0, |&method| ranks.average_ranks[method]);
        let y = ABOVE + BELOW + pixel(pixels(index * BARS_APART, 1));
        line(area, vec![(place(of(bar.first())) - 4, y), (place(of(bar.last())) + 4, y)], BAR.stroke_width(5))?;
    }
    Ok(())
}

/// A name that fits beside the line.
fn shortened(name: &str) -> String {
    const FIT: usize = 20;
    if name.chars().count() <= FIT { name.to_owned() } else { name.chars().take(FIT - 1).chain(['…']).collect() }
}

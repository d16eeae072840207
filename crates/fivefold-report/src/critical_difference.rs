//! Critical-difference diagrams (Demsar, JMLR 7, 2006): methods on a line of average ranks, the
//! best to the left. A bar joins methods whose ranks differ by no more than Nemenyi's critical
//! difference.

use fivefold_analysis::diagram::Ranks;
use fivefold_analysis::p_value::p_in_words;
use fivefold_analysis::tables::MethodComparison;
use fivefold_analysis::{Evaluation, slug};
use fivefold_base::words::counted;
use fivefold_stats::{Friedman, cliques, critical_difference};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::csv;
use crate::error::ReportError;
use crate::figure::Figure;
use crate::names::Names;
use crate::page::{Area, Drawn, FONT, SMALL, TEXT, page, pixel, pixels};

const BAR: RGBColor = RGBColor(0, 114, 178);
/// Pixels of the line of ranks.
const RANKS: u32 = 440;
/// Pixels from a side to the line, which hold a name of up to [`SHORT`] characters, and pixels for
/// each further character.
const SIDE: u32 = 210;
const SHORT: usize = 20;
const CHARACTER: u32 = 8;
/// The most characters of a name.
const FIT: usize = 34;
const LINE: u32 = 24;
/// Pixels from the top to the line, and from the line to the first bar.
const ABOVE: i32 = 62;
const BELOW: i32 = 14;
const BARS_APART: usize = 9;

/// The diagram of a measure at its main cutoff. `None` if there are no ranks. Also `None` for V1
/// and V2, because they order the methods on each query as the original measure does.
pub(crate) fn critical_difference_figure(
    evaluation: &Evaluation,
    comparison: &MethodComparison,
    alpha: f64,
    conventions: &[String],
) -> Option<Result<Figure, ReportError>> {
    let ranks = comparison.ranks.as_ref().filter(|_| !comparison.normalised)?;
    Some(of_comparison(evaluation, comparison, ranks, alpha, conventions))
}

fn of_comparison(
    evaluation: &Evaluation,
    comparison: &MethodComparison,
    ranks: &Friedman,
    alpha: f64,
    conventions: &[String],
) -> Result<Figure, ReportError> {
    let data = &evaluation.datasets[comparison.dataset];
    let systems: Vec<String> = comparison.compared.systems.iter().map(|&method| data.rankers[method].clone()).collect();
    let measure = comparison.compared.measure_at(comparison.compared.main_cutoff());
    let id = format!("figure-critical-difference-{}-{}", slug(&measure), slug(&data.name));
    let malformed =
        |error: fivefold_stats::StatsError| ReportError::Malformed { id: id.clone(), message: error.to_string() };
    let difference = critical_difference(systems.len(), ranks.queries, alpha).map_err(malformed)?;
    let test = format!(
        "average ranks over {}; Nemenyi's critical difference {difference:.3} (level {alpha}); Friedman's chi-square \
         {:.2}, {} ({}), for all methods alike",
        counted(ranks.queries, "query"),
        ranks.chi_square,
        p_in_words(ranks.p),
        ranks.method
    );
    ranks_figure(&Ranks {
        title: format!("Critical differences under {measure} on {}", data.name),
        cliques: cliques(&ranks.average_ranks, difference),
        systems,
        average: ranks.average_ranks.clone(),
        critical_difference: difference,
        notes: std::iter::once(test).chain(evaluation.lines_of(&comparison.compared.measure, conventions)).collect(),
        id,
    })
}

/// The diagram of average ranks.
///
/// # Errors
/// [`ReportError::Malformed`] if the number of ranks is not the number of systems.
pub(crate) fn ranks_figure(ranks: &Ranks) -> Result<Figure, ReportError> {
    let mut figure = Figure {
        id: ranks.id.clone(),
        title: ranks.title.clone(),
        notes: ranks.notes.clone(),
        shows_pairs: false,
        svg: String::new(),
        csv: String::new(),
    };
    if ranks.average.len() != ranks.systems.len() {
        let message = format!("{} ranks of {} systems", ranks.average.len(), ranks.systems.len());
        return Err(ReportError::Malformed { id: figure.id, message });
    }
    figure.csv = ranks_csv(ranks, &figure);
    let side = ranks.systems.len().div_ceil(2);
    let height =
        pixels(1, (ABOVE + BELOW) as u32) + pixels(ranks.cliques.len() * BARS_APART, 1) + pixels(side, LINE) + LINE;
    let names = Names::fitted(&ranks.systems, FIT);
    let width = RANKS + 2 * side_of(&names);
    let svg = page(&figure, (width, height), |area| draw(ranks, &names, area))?;
    figure.svg = names.titled(svg, |system| with_rank(ranks, &names, system));
    Ok(figure)
}

/// The ranks as CSV, a line for each method, the best first. The title and the notes come first as
/// comments, with a comment for each bar.
fn ranks_csv(ranks: &Ranks, figure: &Figure) -> String {
    let bar = |bar: &Vec<usize>| {
        let names: Vec<&str> = bar.iter().map(|&system| ranks.systems[system].as_str()).collect();
        format!("not significantly different: {}", names.join(", "))
    };
    let notes: Vec<String> = figure.notes.iter().cloned().chain(ranks.cliques.iter().map(bar)).collect();
    let mut out = csv::comments(&figure.title, &notes);
    csv::push_record(&mut out, ["method", "average rank", "critical difference"].map(str::to_owned).into_iter());
    for system in best_first(ranks) {
        let numbers = [ranks.average[system], ranks.critical_difference].map(|number| number.to_string());
        csv::push_record(&mut out, std::iter::once(csv::text_field(&ranks.systems[system])).chain(numbers));
    }
    out
}

fn best_first(ranks: &Ranks) -> Vec<usize> {
    let mut order: Vec<usize> = (0..ranks.average.len()).collect();
    order.sort_by(|&a, &b| ranks.average[a].total_cmp(&ranks.average[b]));
    order
}

fn draw(ranks: &Ranks, names: &Names<'_>, area: &Area<'_>) -> Drawn {
    let Ranks { systems, average, critical_difference: difference, cliques: bars, .. } = ranks;
    let left = pixel(side_of(names));
    let right = left + pixel(RANKS);
    let extreme = |pick: fn(f64, f64) -> f64, start: f64| average.iter().copied().fold(start, pick);
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
    let step = tick_step(last - first);
    for tick in 0..=((last - first) / step + 1e-9) as u32 {
        let rank = first + f64::from(tick) * step;
        let x = place(rank);
        line(area, vec![(x, ABOVE - 6), (x, ABOVE)], thin)?;
        let label = format!("{rank:.*}", usize::from(step < 1.0));
        area.draw_text(&label, &text(HPos::Center, VPos::Bottom), (x, ABOVE - 8))?;
    }

    // Names of the better half to the left, the best one on top; those of the others to the right,
    // the worst one on top.
    let order = best_first(ranks);
    let names_top = ABOVE + BELOW + pixel(pixels(bars.len() * BARS_APART, 1)) + 10;
    let half = systems.len().div_ceil(2);
    for (position, &system) in order.iter().enumerate() {
        let better = position < half;
        let row = if better { position } else { systems.len() - 1 - position };
        let y = names_top + pixel(pixels(row, LINE));
        let x = place(average[system]);
        let (edge, anchor) = if better { (left - 8, HPos::Right) } else { (right + 8, HPos::Left) };
        line(area, vec![(x, ABOVE), (x, y), (edge, y)], thin)?;
        let beside = if better { edge - 6 } else { edge + 6 };
        area.draw_text(&with_rank(ranks, names, system), &text(anchor, VPos::Center), (beside, y))?;
    }
    for (index, bar) in bars.iter().enumerate() {
        let of = |system: Option<&usize>| system.map_or(1.0, |&system| average[system]);
        let y = ABOVE + BELOW + pixel(pixels(index * BARS_APART, 1));
        line(area, vec![(place(of(bar.first())) - 4, y), (place(of(bar.last())) + 4, y)], BAR.stroke_width(5))?;
    }
    Ok(())
}

/// Pixels that the names take on each side.
fn side_of(names: &Names<'_>) -> u32 {
    SIDE + pixels(names.widest().saturating_sub(SHORT), CHARACTER)
}

/// A name with its average rank.
fn with_rank(ranks: &Ranks, names: &Names<'_>, system: usize) -> String {
    format!("{} ({:.2})", names.shown(system), ranks.average[system])
}

/// The distance of ticks for a range of ranks: at most a dozen ticks.
fn tick_step(ranks: f64) -> f64 {
    const STEPS: [f64; 12] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
    STEPS.into_iter().find(|step| ranks / step <= 11.0).unwrap_or(ranks)
}

//! Learning curves: the mean of each method by the number of training queries, where curves cross, and
//! a power law where one fits.

use fivefold_base::rounding::levels;
use fivefold_stats::matrix::mean_and_deviation;
use fivefold_stats::power_law;

use super::view::{CurveMethod, CurvePlace, Measure, View};
use crate::chart::{Axis, Chart, Point, Scale, Series, SeriesKind};
use crate::ids::slug;
use crate::page::PagePart;
use crate::table::{Cell, Table};
use crate::tables::More;

const DIGITS: u8 = 4;
const CONFIDENCE: f64 = 0.95;

/// The point of a curve: training queries, mean, and deviation over the repeats.
struct CurvePoint {
    queries: f64,
    share: f64,
    mean: f64,
    deviation: Option<f64>,
}

pub(super) fn add(view: &View<'_>, curves: &[CurveMethod], more: &mut More) {
    if curves.is_empty() {
        return;
    }
    let measures = view.measures();
    let name = slug(&view.data.name);
    let mut table = Table::new(
        format!("table-curve-{name}"),
        format!("Learning curves on {}", view.data.name),
        ["measure", "method", "share", "training queries", "mean", "deviation"],
        2,
    );
    let mut laws = Table::new(
        format!("table-power-law-{name}"),
        format!("Power laws of the learning curves on {}", view.data.name),
        ["measure", "method", "limit", "from", "to", "exponent", "at all queries", "fit"],
        2,
    );
    let mut crossings = Table::new(
        format!("table-crossings-{name}"),
        format!("Where learning curves cross on {}", view.data.name),
        ["measure", "ahead before", "ahead after", "training queries", "from", "to"],
        3,
    );
    for measure in &measures {
        let found: Vec<(&CurveMethod, Vec<CurvePoint>)> =
            curves.iter().map(|curve| (curve, points(view, measure, curve))).collect();
        for (curve, points) in &found {
            table.rows.extend(points.iter().map(|point| row(measure, curve, point)));
            laws.rows.push(law(measure, curve, points));
        }
        crossings.rows.extend(crossing_rows(measure, &found));
        more.charts.extend(chart(view, measure, &found));
        more.findings.extend(finding(view, measure, &found));
    }
    table.notes = view.notes(&[
        "training queries: mean over folds; deviation: standard deviation of the means over repeats, each with a \
         sample and a seed of its own; the samples of a repeat are nested, and all methods learn from the same samples",
    ]);
    laws.notes = view.notes(&[
        "mean = limit - scale x queries^(-exponent), by least squares through the means; from, to: 95 % interval of \
         the limit (profile, see `fivefold book designs`)",
    ]);
    crossings.notes = view.notes(&[
        "training queries: where the straight lines between two sizes cross, on a logarithmic axis; from, to: the \
         sizes before and after",
    ]);
    more.tables.extend([table, laws, crossings]);
}

fn points(view: &View<'_>, measure: &Measure<'_>, curve: &CurveMethod) -> Vec<CurvePoint> {
    let point = |place: &CurvePlace| {
        view.name(place.method)?;
        let means = view.means_by_seed(place.method, measure.column);
        let deviation = (means.len() > 1).then(|| mean_and_deviation(&means).1);
        let mean = view.mean(&view.data.all, place.method, measure.column)?;
        let queries = *place.queries.get(view.dataset)?;
        Some(CurvePoint { queries, share: place.share, mean, deviation })
    };
    curve.points.iter().filter_map(point).collect()
}

fn row(measure: &Measure<'_>, curve: &CurveMethod, point: &CurvePoint) -> Vec<Cell> {
    let CurvePoint { queries, share, mean, deviation } = point;
    vec![
        Cell::text(&measure.name),
        Cell::text(&curve.name),
        Cell::number(*share, 3),
        Cell::number(*queries, 1),
        Cell::number(*mean, DIGITS),
        Cell::number_or_na(*deviation, DIGITS),
    ]
}

fn law(measure: &Measure<'_>, curve: &CurveMethod, points: &[CurvePoint]) -> Vec<Cell> {
    let (sizes, values): (Vec<f64>, Vec<f64>) = points.iter().map(|point| (point.queries, point.mean)).unzip();
    let head = vec![Cell::text(&measure.name), Cell::text(&curve.name)];
    let rest = match power_law(&sizes, &values, CONFIDENCE) {
        Ok(law) => {
            let last = sizes.last().map(|&size| law.at(size));
            let [limit, low, high] = [law.limit, law.limit_ends.0, law.limit_ends.1].map(|x| Cell::number(x, DIGITS));
            let at_last = Cell::number_or_na(last, DIGITS);
            vec![limit, low, high, Cell::number(law.exponent, 2), at_last, Cell::text("fits")]
        }
        Err(reason) => {
            let mut cells = vec![Cell::na(); 5];
            cells.push(Cell::text(reason));
            cells
        }
    };
    head.into_iter().chain(rest).collect()
}

/// Where one curve overtakes another.
struct Crossing<'c> {
    before: &'c str,
    after: &'c str,
    queries: f64,
    between: (f64, f64),
}

fn crossings<'c>(one: (&'c str, &[CurvePoint]), other: (&'c str, &[CurvePoint])) -> Vec<Crossing<'c>> {
    let shared: Vec<(f64, f64)> = one
        .1
        .iter()
        .filter_map(|a| {
            let b = other.1.iter().find(|b| b.share == a.share)?;
            // Means that differ by rounding alone are equal.
            let levels = levels(&[a.mean, b.mean]);
            Some((a.queries, if levels[0] == levels[1] { 0.0 } else { a.mean - b.mean }))
        })
        .collect();
    let decided: Vec<(f64, f64)> = shared.into_iter().filter(|(_, ahead)| *ahead != 0.0).collect();
    let mut found = Vec::new();
    for pair in decided.windows(2) {
        let [(from, a), (to, b)] = *pair else { continue };
        if (a > 0.0) != (b > 0.0) {
            let share = a / (a - b);
            let queries = libm::exp(libm::log(from) + share * (libm::log(to) - libm::log(from)));
            let (before, after) = if a > 0.0 { (one.0, other.0) } else { (other.0, one.0) };
            found.push(Crossing { before, after, queries, between: (from, to) });
        }
    }
    found
}

fn all_crossings<'c>(found: &'c [(&'c CurveMethod, Vec<CurvePoint>)]) -> Vec<Crossing<'c>> {
    let mut all = Vec::new();
    for (place, (one, points)) in found.iter().enumerate() {
        for (other, of_other) in &found[place + 1..] {
            all.extend(crossings((&one.name, points), (&other.name, of_other)));
        }
    }
    all
}

fn crossing_rows(measure: &Measure<'_>, found: &[(&CurveMethod, Vec<CurvePoint>)]) -> Vec<Vec<Cell>> {
    let row = |crossing: Crossing<'_>| {
        let Crossing { before, after, queries, between: (from, to) } = crossing;
        let names = [&measure.name, before, after].map(Cell::text);
        names.into_iter().chain([queries, from, to].map(|queries| Cell::number(queries, 1))).collect()
    };
    all_crossings(found).into_iter().map(row).collect()
}

fn finding(view: &View<'_>, measure: &Measure<'_>, found: &[(&CurveMethod, Vec<CurvePoint>)]) -> Option<PagePart> {
    let sentence = |crossing: Crossing<'_>| {
        let Crossing { before, after, queries, between: (from, to) } = crossing;
        format!("{after} overtakes {before} at about {queries:.0} training queries (between {from:.0} and {to:.0}).")
    };
    let mut sentences: Vec<String> = all_crossings(found).into_iter().map(sentence).collect();
    for (curve, points) in found {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        sentences.push(format!(
            "{}: {:.4} with {:.0} training queries, {:.4} with {:.0}.",
            curve.name, first.mean, first.queries, last.mean, last.queries
        ));
    }
    let heading = Some(format!("Learning curves{}, {}", view.on(), measure.name));
    (!sentences.is_empty()).then_some(PagePart { heading, sentences })
}

fn chart(view: &View<'_>, measure: &Measure<'_>, found: &[(&CurveMethod, Vec<CurvePoint>)]) -> Option<Chart> {
    let series: Vec<Series> = found
        .iter()
        .filter(|(_, points)| points.len() > 1)
        .map(|(curve, points)| {
            let point = |point: &CurvePoint| {
                let band = point.deviation.map(|deviation| (point.mean - deviation, point.mean + deviation));
                Point { band, ..Point::new(point.queries, point.mean) }
            };
            let points = points.iter().map(point).collect();
            Series { name: curve.name.clone(), kind: SeriesKind::Line, points }
        })
        .collect();
    (!series.is_empty()).then(|| Chart {
        id: format!("figure-curve-{}-{}", slug(&measure.name), slug(&view.data.name)),
        title: format!("{} on {} by training queries", measure.name, view.data.name),
        x: Axis { scale: Scale::Log, ..Axis::linear("training queries") },
        y: Axis::linear(format!("mean {}", measure.name)),
        series,
        lines: Vec::new(),
        notes: view.notes(&["bands: one standard deviation over repeats to each side"]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(means: &[(f64, f64)]) -> Vec<CurvePoint> {
        let point = |&(share, mean): &(f64, f64)| CurvePoint { queries: share * 100.0, share, mean, deviation: None };
        means.iter().map(point).collect()
    }

    #[test]
    fn curves_cross_where_their_lines_do() {
        let one = curve(&[(0.1, 0.5), (0.4, 0.5), (1.0, 0.5)]);
        let other = curve(&[(0.1, 0.4), (0.4, 0.6), (1.0, 0.7)]);
        let found = crossings(("flat", &one), ("steep", &other));
        assert_eq!(found.len(), 1);
        // Halfway between 10 and 40 on a logarithmic axis is 20.
        assert!((found[0].queries - 20.0).abs() < 1e-9 && found[0].between == (10.0, 40.0));
        assert_eq!((found[0].before, found[0].after), ("flat", "steep"));
        // A tie between is no crossing of its own, and equal curves never cross.
        let touching = curve(&[(0.1, 0.4), (0.4, 0.5), (1.0, 0.4)]);
        assert!(crossings(("flat", &one), ("touching", &touching)).is_empty());
        let through = curve(&[(0.1, 0.4), (0.4, 0.5 + 1e-15), (1.0, 0.6)]);
        assert_eq!(crossings(("flat", &one), ("through", &through)).len(), 1);
        assert!(crossings(("flat", &one), ("flat", &one)).is_empty());
    }
}

//! Charts of a run: every measure by cutoff, and the original value of every query by its expected
//! value.

use fivefold_analysis::chart::{Axis, Chart, Point, Series, SeriesKind};
use fivefold_analysis::compared::SystemMean;
use fivefold_analysis::tables::{CONFIDENCE, MethodComparison, QueryClass, QueryClasses};
use fivefold_analysis::{Evaluation, slug};
use fivefold_base::words::{counted, which};

/// The most points of a scatter, and of all scatters of a page. If there are more queries, an even
/// sample is drawn, and a note says so.
const POINTS: usize = 1500;
const ALL_POINTS: usize = 4500;

/// The charts of a run. Measures have the order of the evaluation.
pub(crate) fn run_charts(
    evaluation: &Evaluation,
    comparisons: &[MethodComparison],
    classes: &[QueryClasses],
    conventions: &[String],
) -> Vec<Chart> {
    let lines = comparisons.iter().filter_map(|comparison| by_cutoff(evaluation, comparison, conventions));
    let scatters: Vec<&QueryClasses> = classes.iter().filter(|classes| !classes.points.is_empty()).collect();
    let most = POINTS.min(ALL_POINTS / scatters.len().max(1));
    lines.chain(scatters.iter().map(|classes| scatter(evaluation, classes, most, conventions))).collect()
}

/// Means with their intervals by cutoff. `None` if there are fewer than two cutoffs.
fn by_cutoff(evaluation: &Evaluation, comparison: &MethodComparison, conventions: &[String]) -> Option<Chart> {
    let data = &evaluation.datasets[comparison.dataset];
    let cutoff = |head: &String| head.strip_prefix('@')?.parse::<f64>().ok();
    let cutoffs: Vec<(usize, f64)> = comparison
        .compared
        .cutoffs
        .iter()
        .enumerate()
        .filter_map(|(place, head)| Some((place, cutoff(head)?)))
        .collect();
    if cutoffs.len() < 2 {
        return None;
    }
    let series = comparison.compared.systems.iter().zip(&comparison.compared.means).map(|(&method, means)| {
        let point = |&(place, x): &(usize, f64)| {
            let SystemMean { mean, ends } = means[place];
            mean.map(|mean| Point { band: ends, ..Point::new(x, mean) })
        };
        let points = cutoffs.iter().filter_map(point).collect();
        Series { name: data.rankers[method].clone(), kind: SeriesKind::Line, points }
    });
    let interval = format!("bands: {:.0} % intervals of the mean over queries (Student's t)", CONFIDENCE * 100.0);
    Some(Chart {
        id: format!("figure-cutoffs-{}-{}", slug(&comparison.compared.measure), slug(&data.name)),
        title: format!("{} on {} by cutoff", comparison.compared.measure, data.name),
        x: Axis::linear("cutoff"),
        y: Axis::linear(format!("mean {}", comparison.compared.measure)),
        series: series.collect(),
        lines: Vec::new(),
        notes: [interval].into_iter().chain(evaluation.lines_of(&comparison.compared.measure, conventions)).collect(),
    })
}

fn scatter(evaluation: &Evaluation, classes: &QueryClasses, most: usize, conventions: &[String]) -> Chart {
    let data = &evaluation.datasets[classes.dataset];
    let all = classes.points.len();
    let keep = all.min(most);
    let drawn: Vec<(usize, f64, f64)> = (0..keep).map(|place| classes.points[place * all / keep]).collect();
    let series = QueryClass::EVERY.iter().map(|&class| Series {
        name: class.name().to_owned(),
        kind: SeriesKind::Points,
        points: drawn
            .iter()
            .filter(|(query, ..)| classes.classes[*query] == class)
            .map(|&(_, expected, real)| Point::new(expected, real))
            .collect(),
    });
    let as_expected = Series {
        name: "as a random order".to_owned(),
        kind: SeriesKind::Line,
        points: vec![Point::new(0.0, 0.0), Point::new(1.0, 1.0)],
    };
    // A measure that is no share (DCG, NERU) has no diagonal either.
    let share = drawn.iter().all(|(_, _, real)| (0.0..=1.0).contains(real));
    let range = share.then_some((0.0, 1.0));
    let mut notes = vec![format!(
        "y: a query's mean {} over methods and cutoffs; x: its mean E/U over cutoffs; {} of {} {} a value",
        classes.family,
        all,
        counted(data.queries.len(), "query"),
        which(all, "has", "have")
    )];
    let unlike = |(query, class): (usize, &QueryClass)| {
        *class != QueryClass::Neither && classes.points.binary_search_by_key(&query, |(query, ..)| *query).is_err()
    };
    let without = classes.classes.iter().enumerate().filter(|place| unlike(*place)).count();
    if without > 0 {
        notes.push(format!(
            "{} without a value {} in the sets of the tables",
            counted(without, "query"),
            which(without, "is", "are")
        ));
    }
    if keep < all {
        notes.push(format!("drawn: an even sample of {}", counted(keep, "query")));
    }
    Chart {
        id: format!("figure-queries-{}-{}", slug(&classes.family), slug(&data.name)),
        title: format!("{} of the queries of {} against the value of a random order", classes.family, data.name),
        x: Axis { range: Some((0.0, 1.0)), ..Axis::linear(format!("expected {} (E/U)", classes.family)) },
        y: Axis { range, ..Axis::linear(format!("mean {} of all methods", classes.family)) },
        series: series.filter(|series| !series.points.is_empty()).chain(share.then_some(as_expected)).collect(),
        lines: Vec::new(),
        notes: notes.into_iter().chain(evaluation.lines_of(&classes.family, conventions)).collect(),
    }
}

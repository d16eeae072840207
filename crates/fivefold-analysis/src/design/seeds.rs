//! Repeats over seeds: mean and deviation of each method, pairs whose difference is smaller than the
//! spread between seeds, and components of variance.

use fivefold_base::words::{counted, which};
use fivefold_stats::matrix::mean_and_deviation;
use fivefold_stats::variance_components;

use super::view::{Measure, View};
use crate::ids::slug;
use crate::page::PagePart;
use crate::table::{Cell, Table};
use crate::tables::More;

const DIGITS: u8 = 4;

/// Pairs that a finding names.
const NAMED: usize = 3;

pub(super) fn add(view: &View<'_>, more: &mut More) {
    let Some(seeds) = view.seeds.filter(|seeds| seeds.repeated.contains(&true)) else { return };
    let count = seeds.values.len();
    let name = slug(&view.data.name);
    let mut means = Table::new(
        format!("table-seeds-{name}"),
        format!("Means of {} on {}", counted(count, "seed"), view.data.name),
        ["measure", "method", "seeds", "mean", "deviation", "lowest", "highest"],
        2,
    );
    let mut pairs = Table::new(
        format!("table-seed-pairs-{name}"),
        format!("Differences of methods and the spread between seeds on {}", view.data.name),
        ["measure", "method", "other method", "difference", "spread between seeds", "p", "smaller than the spread"],
        3,
    );
    let mut parts = Table::new(
        format!("table-variance-{name}"),
        format!("Components of variance on {}", view.data.name),
        ["measure", "methods", "queries", "methods x queries", "seeds", "rest", "deviation between seeds"],
        1,
    );
    let mut small = Vec::new();
    for measure in view.measures() {
        means.rows.extend(rows_of_means(view, &measure));
        let found = rows_of_pairs(view, &measure);
        small.extend(found.1);
        pairs.rows.extend(found.0);
        parts.rows.extend(row_of_components(view, &measure));
    }
    means.notes = view.notes(&[
        "deviation: standard deviation of the means over seeds (divided by one less than their number); a method \
         without random draws has one mean",
    ]);
    pairs.notes = view.notes(&[
        "difference: mean over seeds of the first method less that of the second; spread: standard deviation of the \
         difference of two single runs, the root of the sum of both variances over seeds",
        "p: of the test behind letters, which compares the means over seeds query by query, corrected",
    ]);
    parts.notes = view.notes(&[
        "share of the variance of a value, of a method with one seed on one query: random effects, seeds nested in \
         methods, method of moments (`fivefold book reference/statistics`); a negative component counts as 0",
        "methods that draw nothing, and queries without a value of every method, are left out",
    ]);
    more.tables.extend([means, pairs, parts]);
    // The points of a curve are many, and its bands show the spread.
    more.findings.extend(finding(view, &small).filter(|_| !view.has_curves));
}

fn rows_of_means(view: &View<'_>, measure: &Measure<'_>) -> Vec<Vec<Cell>> {
    let mut rows = Vec::new();
    for method in 0..view.data.rankers.len() {
        let head = [Cell::text(&measure.name), Cell::text(&view.data.rankers[method])];
        let numbers = match view.name(method) {
            None => vec![Cell::missing("FAILED"); 5],
            Some(_) => {
                let means = view.means_by_seed(method, measure.column);
                let deviation = (means.len() > 1).then(|| mean_and_deviation(&means).1);
                let number = |value: Option<f64>| Cell::number_or_na(value, DIGITS);
                let mean = view.mean(&view.data.all, method, measure.column);
                let ends = [f64::min, f64::max].map(|end| means.iter().copied().reduce(end));
                let [lowest, highest] = ends.map(number);
                vec![Cell::count(means.len()), number(mean), number(deviation), lowest, highest]
            }
        };
        rows.push(head.into_iter().chain(numbers).collect());
    }
    rows
}

/// A pair whose difference is smaller than the spread between its seeds.
struct Small {
    measure: String,
    names: [String; 2],
    difference: f64,
    spread: f64,
}

fn rows_of_pairs(view: &View<'_>, measure: &Measure<'_>) -> (Vec<Vec<Cell>>, Vec<Small>) {
    let compared = &measure.comparison.compared;
    let main = compared.main_cutoff();
    let of_method = |&method: &usize| {
        let means = view.means_by_seed(method, measure.column);
        let variance = if means.len() > 1 { mean_and_deviation(&means).1.powi(2) } else { 0.0 };
        Some((view.mean(&view.data.all, method, measure.column)?, variance))
    };
    let found: Vec<Option<(f64, f64)>> = compared.systems.iter().map(of_method).collect();
    let (mut rows, mut small) = (Vec::new(), Vec::new());
    for one in 0..found.len() {
        for other in one + 1..found.len() {
            let (Some((a, var_a)), Some((b, var_b))) = (found[one], found[other]) else { continue };
            let spread = (var_a + var_b).sqrt();
            let names = [one, other].map(|place| view.data.rankers[compared.systems[place]].clone());
            let is_small = (a - b).abs() < spread;
            let p = compared.p(one, other, main).map_or_else(Cell::na, Cell::PValue);
            let said = Cell::text(if is_small { "yes" } else { "no" });
            let head = [Cell::text(&measure.name), Cell::text(&names[0]), Cell::text(&names[1])];
            let numbers = [Cell::number(a - b, DIGITS), Cell::number(spread, DIGITS), p, said];
            rows.push(head.into_iter().chain(numbers).collect());
            if is_small {
                small.push(Small { measure: measure.name.clone(), names, difference: (a - b).abs(), spread });
            }
        }
    }
    (rows, small)
}

/// The sentence that names differences smaller than the spread between seeds. The pairs whose
/// difference is largest come first.
fn finding(view: &View<'_>, small: &[Small]) -> Option<PagePart> {
    if small.is_empty() {
        return None;
    }
    let mut order: Vec<&Small> = small.iter().collect();
    order.sort_by(|one, other| other.difference.total_cmp(&one.difference));
    let each: Vec<String> = order
        .iter()
        .take(NAMED)
        .map(|Small { measure, names: [one, other], difference, spread }| {
            format!("{one} and {other} under {measure} ({difference:.4}, spread {spread:.4})")
        })
        .collect();
    let more = if small.len() > NAMED { format!("; and {} more", small.len() - NAMED) } else { String::new() };
    let on = view.on();
    let pairs = counted(small.len(), "difference");
    let are = which(small.len(), "is", "are");
    let sentence = format!("{pairs}{on} {are} smaller than the spread between seeds: {}{more}.", each.join("; "));
    Some(PagePart { heading: None, sentences: vec![sentence] })
}

fn row_of_components(view: &View<'_>, measure: &Measure<'_>) -> Option<Vec<Cell>> {
    let seeds = view.seeds?;
    let methods: Vec<usize> =
        (0..view.data.rankers.len()).filter(|&method| seeds.repeated[method] && view.name(method).is_some()).collect();
    // `[method][seed][query]`
    let all: Vec<Vec<Vec<Option<f64>>>> = methods
        .iter()
        .map(|&method| seeds.values.iter().map(|all| view.values(all, method, measure.column)).collect())
        .collect();
    let has_all = |query: &usize| all.iter().flatten().all(|values| values[*query].is_some());
    let queries: Vec<usize> = (0..view.data.queries.len()).filter(has_all).collect();
    let kept = |values: &Vec<Option<f64>>| queries.iter().filter_map(|&query| values[query]).collect();
    let values: Vec<Vec<Vec<f64>>> = all.iter().map(|own| own.iter().map(kept).collect()).collect();
    let components = variance_components(&values).ok()?;
    let shares = components.shares().unwrap_or_default();
    let share = |share: Option<f64>| share.map_or_else(Cell::na, |share| Cell::text(format!("{:.1} %", share * 100.0)));
    let cells = shares.map(share);
    let deviation = Cell::number(components.seeds.max(0.0).sqrt(), DIGITS);
    Some([Cell::text(&measure.name)].into_iter().chain(cells).chain([deviation]).collect())
}

//! Ablations: what a method loses without a group of features, and what the group alone gives.

use fivefold_base::words::list_some;
use fivefold_stats::corrections::holm;
use fivefold_stats::paired_t;

use super::view::{AblationMethod, Measure, View};
use crate::ids::slug;
use crate::page::PagePart;
use crate::table::{Cell, Table};
use crate::tables::More;

const DIGITS: u8 = 4;

/// A method with some of the features, compared with the method that sees all.
struct Compared<'a> {
    method: &'a str,
    group: &'a str,
    /// Whether the group is left out, or alone.
    without: bool,
    mean: Option<f64>,
    difference: Option<f64>,
    p: Option<f64>,
}

pub(super) fn add(view: &View<'_>, ablations: &[AblationMethod], more: &mut More) {
    if ablations.is_empty() {
        return;
    }
    let mut table = Table::new(
        format!("table-ablation-{}", slug(&view.data.name)),
        format!("Groups of features left out and alone, on {}", view.data.name),
        ["measure", "method", "features", "mean", "difference to all features", "p (Holm)"],
        3,
    );
    for measure in view.measures() {
        let mut compared: Vec<Compared<'_>> =
            ablations.iter().flat_map(|ablation| compare(view, &measure, ablation)).collect();
        correct(&mut compared);
        for ablation in ablations {
            let mean = view.name(ablation.full).and_then(|_| view.mean(&view.data.all, ablation.full, measure.column));
            let head = [measure.name.as_str(), &ablation.name, "all"].map(Cell::text);
            let numbers = [Cell::number_or_na(mean, DIGITS), Cell::na(), Cell::na()];
            table.rows.push(head.into_iter().chain(numbers).collect());
            table.rows.extend(compared.iter().filter(|own| own.method == ablation.name).map(|own| row(&measure, own)));
        }
        more.findings.extend(finding(view, &measure, &compared));
    }
    table.notes = view.notes(&[
        "difference: mean with these features less mean with all features; p: paired t-test over queries, with Holm's \
         correction over all comparisons of this measure in the table",
        "groups may overlap, so the differences do not add up",
    ]);
    more.tables.push(table);
}

fn compare<'a>(view: &View<'_>, measure: &Measure<'_>, ablation: &'a AblationMethod) -> Vec<Compared<'a>> {
    let values = |method: usize| view.values(&view.data.all, method, measure.column);
    let full = view.name(ablation.full).map(|_| values(ablation.full));
    let of_part = |group: &'a str, without: bool, method: Option<usize>| {
        let method = method?;
        let mut found = Compared { method: &ablation.name, group, without, mean: None, difference: None, p: None };
        if view.name(method).is_some() {
            found.mean = view.mean(&view.data.all, method, measure.column);
            if let Some(full) = &full {
                let pairs = values(method).into_iter().zip(full).filter_map(|(own, full)| Some((own?, (*full)?)));
                let (own, full): (Vec<f64>, Vec<f64>) = pairs.unzip();
                let all = view.mean(&view.data.all, ablation.full, measure.column);
                found.difference = found.mean.zip(all).map(|(own, all)| own - all);
                found.p = paired_t(&own, &full).ok().map(|test| test.p);
            }
        }
        Some(found)
    };
    let parts = ablation.groups.iter().flat_map(|(group, without, only)| {
        [of_part(group, true, *without), of_part(group, false, *only)].into_iter().flatten()
    });
    parts.collect()
}

/// Holm's correction over all comparisons that have a p-value.
fn correct(compared: &mut [Compared<'_>]) {
    let places: Vec<usize> = (0..compared.len()).filter(|&place| compared[place].p.is_some()).collect();
    let p_values: Vec<f64> = places.iter().filter_map(|&place| compared[place].p).collect();
    for (place, p) in places.into_iter().zip(holm(&p_values)) {
        compared[place].p = Some(p);
    }
}

fn row(measure: &Measure<'_>, own: &Compared<'_>) -> Vec<Cell> {
    let features = format!("{} {}", if own.without { "without" } else { "only" }, own.group);
    vec![
        Cell::text(&measure.name),
        Cell::text(own.method),
        Cell::Text(features),
        own.mean.map_or_else(|| Cell::missing("FAILED"), |mean| Cell::number(mean, DIGITS)),
        Cell::number_or_na(own.difference, DIGITS),
        own.p.map_or_else(Cell::na, Cell::PValue),
    ]
}

fn finding(view: &View<'_>, measure: &Measure<'_>, compared: &[Compared<'_>]) -> Option<PagePart> {
    let alpha = view.options.alpha;
    let mut sentences = Vec::new();
    let mut methods: Vec<&str> = compared.iter().map(|own| own.method).collect();
    methods.dedup();
    for method in methods {
        let lost: Vec<String> = compared
            .iter()
            .filter(|own| own.method == method && own.without)
            .filter(|own| own.p.is_some_and(|p| p < alpha) && own.difference.is_some_and(|difference| difference < 0.0))
            .map(|own| format!("{} ({:+.4})", own.group, own.difference.unwrap_or_default()))
            .collect();
        sentences.push(match lost.is_empty() {
            true => format!("{method} loses significantly without no single group."),
            false => format!("{method} loses significantly without {}.", list_some(&lost)),
        });
    }
    let heading = Some(format!("Ablation{}, {}", view.on(), measure.name));
    (!sentences.is_empty()).then_some(PagePart { heading, sentences })
}

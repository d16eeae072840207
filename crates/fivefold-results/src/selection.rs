//! What the selections of features found: the set that each fold chose, the steps that led to it,
//! the test value of the chosen sets against all features, and a chart of the validation values.

use fivefold_analysis::chart::{Axis, Chart, Point, Series, SeriesKind};
use fivefold_analysis::{Cell, Table, slug};
use fivefold_base::words::list;
use fivefold_data::features::Pick;
use fivefold_stats::corrections::holm;

use crate::config::{SelectionConfig, TuneConfig, chosen_features};
use crate::manifest::{JobFacts, Manifest};
use crate::results::Results;
use crate::store::Chosen;
use crate::tuning::{Gain, number};

/// Decimals of a value of a measure.
const DIGITS: u8 = 4;

/// The tables of all selections. Empty if the experiment selects no features.
pub(crate) fn tables(results: &Results) -> Vec<Table> {
    let selections = selections(&results.manifest);
    if selections.is_empty() {
        return Vec::new();
    }
    vec![chosen(&results.manifest, &selections), steps(&results.manifest, &selections), gains(results, &selections)]
}

/// The validation value by the number of features, a chart for each ranker and data set.
pub(crate) fn charts(manifest: &Manifest) -> Vec<Chart> {
    selections(manifest).iter().filter_map(|selection| chart(manifest, selection)).collect()
}

/// The selection of one ranker on one data set.
struct Selection<'m> {
    dataset: usize,
    config: &'m SelectionConfig,
    tune: &'m TuneConfig,
    /// The job of each fold and repeat, with the name of the fold.
    jobs: Vec<(String, &'m JobFacts)>,
}

fn selections(manifest: &Manifest) -> Vec<Selection<'_>> {
    let mut found = Vec::new();
    for dataset in 0..manifest.datasets.len() {
        for config in &manifest.experiment.design.selections {
            let ranker = manifest.experiment.rankers.get(config.selected);
            let Some(tune) = ranker.and_then(|ranker| ranker.tune.as_deref()) else { continue };
            let own = manifest.jobs.iter().filter(|job| (job.dataset, job.ranker) == (dataset, config.selected));
            let jobs = own.map(|job| (job.fold_name(), job)).collect();
            found.push(Selection { dataset, config, tune, jobs });
        }
    }
    found
}

impl Selection<'_> {
    /// The data set, the ranker and the fold, as a row begins.
    fn head(&self, manifest: &Manifest, fold: &str) -> Vec<Cell> {
        let dataset = manifest.datasets[self.dataset].label.clone();
        vec![Cell::Text(dataset), Cell::text(&self.config.name), Cell::text(fold)]
    }

    /// A feature or group with its name.
    fn name(&self, manifest: &Manifest, pick: &Pick) -> String {
        match pick {
            Pick::Number(id) => manifest.datasets[self.dataset].names.label(*id),
            Pick::Text(text) => text.strip_prefix("group:").unwrap_or(text).to_owned(),
        }
    }
}

/// The features that each fold chose.
fn chosen(manifest: &Manifest, selections: &[Selection<'_>]) -> Table {
    let mut rows = Vec::new();
    for selection in selections {
        for (fold, job) in &selection.jobs {
            let rest = match &job.chosen {
                Some(chosen) => {
                    let set = chosen_features(&chosen.setting).unwrap_or_default();
                    let names: Vec<String> = set.iter().map(|pick| selection.name(manifest, pick)).collect();
                    vec![
                        Cell::Text(list(&names)),
                        Cell::Count(set.len() as u64),
                        Cell::text(selection.tune.measure.to_string()),
                        Cell::number(chosen.value, DIGITS),
                        Cell::Count(chosen.settings as u64),
                        Cell::Count(chosen.without_value as u64),
                    ]
                }
                None => {
                    let measure = Cell::text(selection.tune.measure.to_string());
                    vec![Cell::text("FAILED"), Cell::na(), measure, Cell::na(), Cell::na(), Cell::na()]
                }
            };
            rows.push(selection.head(manifest, fold).into_iter().chain(rest).collect());
        }
    }
    let columns = ["data set", "method", "fold", "chosen", "steps", "measure", "value", "sets", "without value"];
    let notes = vec![
        "chosen: in the order in which they entered; value: mean on the validation part, the highest of all sets that \
         were tried, so it is too high as an estimate of quality"
            .to_owned(),
    ];
    Table::new("selection-chosen", "Features that were chosen on validation parts", columns, 3)
        .with_rows(rows)
        .with_notes(notes)
}

/// The order of entry, with the validation value of each step.
fn steps(manifest: &Manifest, selections: &[Selection<'_>]) -> Table {
    let mut rows = Vec::new();
    for selection in selections {
        for (fold, chosen) in selection.jobs.iter().filter_map(|(fold, job)| Some((fold, job.chosen.as_ref()?))) {
            let size = size(chosen);
            for (place, step) in chosen.steps.iter().enumerate() {
                let mut row = selection.head(manifest, fold);
                row.push(Cell::Count(place as u64 + 1));
                row.push(Cell::Text(selection.name(manifest, &step.entered)));
                row.push(Cell::number(step.value, DIGITS));
                row.push(Cell::Count(step.equal as u64));
                row.push(Cell::text(if place < size { "yes" } else { "no" }));
                rows.push(row);
            }
        }
    }
    let columns = ["data set", "method", "fold", "step", "entered", "value", "equal", "chosen"];
    let notes = vec![
        "value: mean on the validation part of the set up to this step; equal: others that give this value too, of which \
         those with the fewest features, and of these the first, entered (`fivefold book reference/features` has the rule)"
            .to_owned(),
    ];
    Table::new("selection-steps", "The order in which features entered", columns, 4).with_rows(rows).with_notes(notes)
}

/// The number of steps up to the chosen set.
fn size(chosen: &Chosen) -> usize {
    chosen_features(&chosen.setting).map_or(0, |set| set.len())
}

/// The chosen sets against all features, on the test parts.
fn gains(results: &Results, selections: &[Selection<'_>]) -> Table {
    let manifest = &results.manifest;
    let found: Vec<(&Selection<'_>, Option<Gain>)> = selections
        .iter()
        .map(|own| {
            let rankers = [own.config.selected, own.config.full];
            (own, Gain::of(results, own.dataset, &own.tune.measure, rankers))
        })
        .collect();
    let tested: Vec<f64> = found.iter().filter_map(|(_, gain)| gain.as_ref()?.p).collect();
    let mut corrected = holm(&tested).into_iter();
    let mut rows = Vec::new();
    for (selection, gain) in &found {
        let sizes: Vec<usize> = selection.jobs.iter().filter_map(|(_, job)| job.chosen.as_ref().map(size)).collect();
        let mean_size = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
        let mut row = selection.head(manifest, "");
        row.pop();
        row.push(Cell::text(
            gain.as_ref().map_or_else(|| selection.tune.measure.to_string(), |gain| gain.measure.clone()),
        ));
        row.push(if sizes.is_empty() { Cell::na() } else { Cell::number(mean_size, 1) });
        match gain {
            Some(gain) => {
                row.extend([gain.means[0], gain.means[1], gain.difference()].map(number));
                row.push(gain.p.and_then(|_| corrected.next()).map_or_else(Cell::na, Cell::PValue));
            }
            None => row.extend([Cell::missing("FAILED"), Cell::na(), Cell::na(), Cell::na()]),
        }
        rows.push(row);
    }
    let columns = ["data set", "method", "measure", "steps", "mean chosen", "mean all", "difference", "p (Holm)"];
    let notes = vec![
        "means over test queries; steps: mean over folds; difference: chosen features less all features; p: paired t-test \
         over queries, with Holm's correction over all rows of the table"
            .to_owned(),
        "the measure is that of the selection, or the first measure of the evaluation if the selection's is not evaluated"
            .to_owned(),
    ];
    Table::new("selection-gain", "Chosen features against all features", columns, 3).with_rows(rows).with_notes(notes)
}

/// The validation value of each fold by the number of steps, and their mean.
fn chart(manifest: &Manifest, selection: &Selection<'_>) -> Option<Chart> {
    let (dataset, method) = (&manifest.datasets[selection.dataset].label, &selection.config.name);
    let folds: Vec<(&String, &Chosen)> =
        selection.jobs.iter().filter_map(|(fold, job)| Some((fold, job.chosen.as_ref()?))).collect();
    let longest = folds.iter().map(|(_, chosen)| chosen.steps.len()).max().filter(|steps| *steps > 1)?;
    let mut points = Vec::new();
    let mut means = Vec::new();
    for step in 0..longest {
        let values: Vec<f64> = folds.iter().filter_map(|(_, own)| Some(own.steps.get(step)?.value)).collect();
        points.extend(values.iter().map(|value| Point::new((step + 1) as f64, *value)));
        if values.len() == folds.len() {
            means.push(Point::new((step + 1) as f64, values.iter().sum::<f64>() / values.len() as f64));
        }
    }
    let series = [
        Series { name: "folds".to_owned(), kind: SeriesKind::Points, points },
        Series { name: "mean over folds".to_owned(), kind: SeriesKind::Line, points: means },
    ];
    Some(Chart {
        id: format!("figure-selection-{}-{}", slug(method), slug(dataset)),
        title: format!("{method} on {dataset}: validation value by steps of the selection"),
        x: Axis::linear("steps"),
        y: Axis::linear(format!("{} on validation parts", selection.tune.measure)),
        series: series.into(),
        lines: Vec::new(),
        notes: vec!["each point: the best set of a fold after so many steps, on the fold's validation part".to_owned()],
    })
}

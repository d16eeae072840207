//! What the searches of a run found: tables of the chosen settings and of what tuning gained, and a
//! chart of the validation values for each parameter.
//!
//! All numbers come from the manifest and the values of the folder. The gain is the difference to a
//! ranker of the experiment that is the tuned ranker with fixed values, with the paper's paired
//! t-test.

use std::collections::BTreeMap;

use fivefold_analysis::chart::{Axis, Chart, Point, Series, SeriesKind};
use fivefold_analysis::evaluation::DatasetValues;
use fivefold_analysis::{Cell, Table, slug};
use fivefold_base::rounding::difference;
use fivefold_base::words::{counted, list, which};
use fivefold_metrics::mean::by_fold;
use fivefold_metrics::{Conventions, MeasureSpec, mean_over_folds, settle};
use fivefold_stats::paired_t;
use serde_json::Value;

use crate::config::{RankerConfig, ScoreSource, Setting, TuneConfig, value_words};
use crate::manifest::{CandidateFacts, Manifest};
use crate::results::Results;

/// Decimals of a value of a measure.
const DIGITS: u8 = 4;

/// The tables of all searches. Empty if no ranker was tuned.
pub(crate) fn tables(results: &Results) -> Vec<Table> {
    let searches = searches(&results.manifest);
    if searches.is_empty() {
        return Vec::new();
    }
    [Some(chosen(&results.manifest, &searches)), gains(results, &searches)].into_iter().flatten().collect()
}

/// The validation value against each parameter, a chart for each parameter with more than one value.
pub(crate) fn charts(manifest: &Manifest) -> Vec<Chart> {
    let charts = searches(manifest).into_iter().flat_map(|search| {
        let names = search.tune.names.clone();
        names.into_iter().filter_map(move |name| chart(manifest, &search, &name)).collect::<Vec<_>>()
    });
    charts.collect()
}

/// The search of one ranker on one data set.
struct Search<'m> {
    dataset: usize,
    ranker: usize,
    tune: &'m TuneConfig,
    /// The values of each setting on the folds where it has one: the fold and the value.
    values: Vec<Vec<(usize, f64)>>,
}

fn searches(manifest: &Manifest) -> Vec<Search<'_>> {
    let rankers = manifest.experiment.rankers.iter().enumerate();
    let tuned: Vec<(usize, &TuneConfig)> = rankers
        .filter_map(|(place, ranker)| Some((place, ranker.tune.as_deref().filter(|tune| tune.forward.is_none())?)))
        .collect();
    let of_dataset = |dataset: usize| {
        tuned.clone().into_iter().map(move |(ranker, tune)| {
            let mut values = vec![Vec::new(); tune.settings.len()];
            let is_own =
                |candidate: &&CandidateFacts| (candidate.job.dataset, candidate.job.ranker) == (dataset, ranker);
            for candidate in manifest.candidates.iter().filter(is_own) {
                let Some(tried) = &candidate.tried else { continue };
                let number = tried.number.unwrap_or(candidate.number);
                values[number].extend(tried.value.map(|value| (candidate.fold, value)));
            }
            Search { dataset, ranker, tune, values }
        })
    };
    (0..manifest.datasets.len()).flat_map(of_dataset).collect()
}

impl Search<'_> {
    /// The settings of the first rung. Without halving, all settings.
    fn first_rung(&self) -> &[Setting] {
        &self.tune.settings[..self.tune.width()]
    }

    /// The mean of a setting over the folds. `None` if it lacks a value on one of them.
    fn mean(&self, number: usize) -> Option<f64> {
        let folds = self.values.iter().map(Vec::len).max().unwrap_or(0);
        let own = &self.values[number];
        let sum: f64 = own.iter().map(|(_, value)| value).sum();
        (folds > 0 && own.len() == folds).then(|| sum / folds as f64)
    }

    /// The parameters that altered no validation value: settings that differ in such a parameter
    /// alone have the same value on each fold.
    fn without_effect(&self) -> Vec<&str> {
        let without = |name: &&String| {
            let mut groups: BTreeMap<String, Vec<&Vec<(usize, f64)>>> = BTreeMap::new();
            for (setting, values) in self.first_rung().iter().zip(&self.values) {
                let mut others = setting.values.clone();
                others.remove(*name);
                groups.entry(serde_json::json!(others).to_string()).or_default().push(values);
            }
            let compared = groups.values().any(|group| group.len() > 1);
            compared
                && groups.values().all(|group| group.iter().all(|values| !values.is_empty() && *values == group[0]))
        };
        self.tune.names.iter().filter(without).map(String::as_str).collect()
    }
}

/// The chosen setting of each fold.
fn chosen(manifest: &Manifest, searches: &[Search<'_>]) -> Table {
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    for search in searches {
        let (dataset, method) = labels(manifest, search);
        let is_own = |job: &&crate::manifest::JobFacts| (job.dataset, job.ranker) == (search.dataset, search.ranker);
        for job in manifest.jobs.iter().filter(is_own) {
            let head = [Cell::text(dataset), Cell::text(method), Cell::text(job.fold_name())];
            let rest = match &job.chosen {
                Some(chosen) => [
                    Cell::text(search.tune.settings[chosen.number].words(&search.tune.names)),
                    Cell::text(search.tune.measure.to_string()),
                    Cell::number(chosen.value, DIGITS),
                    Cell::Count(chosen.settings as u64),
                    Cell::Count(chosen.without_value as u64),
                    Cell::Count(chosen.equal as u64),
                ],
                None => [
                    Cell::text("FAILED"),
                    Cell::text(search.tune.measure.to_string()),
                    Cell::na(),
                    Cell::na(),
                    Cell::na(),
                    Cell::na(),
                ],
            };
            rows.push(head.into_iter().chain(rest).collect());
        }
        let without = search.without_effect();
        if !without.is_empty() {
            let names: Vec<String> = without.iter().map(|name| format!("`{name}`")).collect();
            notes
                .push(format!("{method} on {dataset}: no validation value of this search depends on {}", list(&names)));
        }
    }
    notes.push(
        "value: mean on the validation part, or over the validation parts of all folds; it is the highest of many, so it \
         is too high as an estimate of quality"
            .to_owned(),
    );
    notes.push(
        "equal: settings of the same value; the cheapest was chosen (`fivefold book reference/tuning` has the rule)"
            .to_owned(),
    );
    let columns =
        ["data set", "method", "fold", "chosen setting", "measure", "value", "settings", "without value", "equal"];
    Table::new("tuning-chosen", "Settings that were chosen on validation parts", columns, 5)
        .with_rows(rows)
        .with_notes(notes)
}

fn labels<'m>(manifest: &'m Manifest, search: &Search<'_>) -> (&'m str, &'m str) {
    let experiment = &manifest.experiment;
    (&experiment.datasets[search.dataset].label, &experiment.rankers[search.ranker].label)
}

/// What tuning gained over the same rankers with fixed values. `None` if there are none.
fn gains(results: &Results, searches: &[Search<'_>]) -> Option<Table> {
    let experiment = &results.manifest.experiment;
    let mut rows = Vec::new();
    for search in searches {
        let (dataset, method) = labels(&results.manifest, search);
        let own = &experiment.rankers[search.ranker];
        let plain = experiment.rankers.iter().enumerate().filter(|(_, other)| is_fixed_form(other, own, search.tune));
        for (other, config) in plain {
            let Some(gain) = Gain::of(results, search.dataset, &search.tune.measure, [search.ranker, other]) else {
                continue;
            };
            rows.push(vec![
                Cell::text(dataset),
                Cell::text(method),
                Cell::text(config.label.clone()),
                Cell::text(gain.measure.clone()),
                number(gain.means[0]),
                number(gain.means[1]),
                number(gain.difference()),
                gain.p.map_or_else(Cell::na, |p| Cell::number(p, DIGITS)),
            ]);
        }
    }
    if rows.is_empty() {
        return None;
    }
    let notes = vec![
        format!(
            "means over test queries; gain: tuned less fixed parameters; p: paired two-sided t-test over queries, not \
             corrected for the {} of this table",
            counted(rows.len(), "comparison")
        ),
        "the measure is that of the search, or the first measure of the evaluation if the search's is not evaluated"
            .to_owned(),
    ];
    let columns = ["data set", "tuned", "fixed", "measure", "mean tuned", "mean fixed", "gain", "p"];
    let table = Table::new("tuning-gain", "What tuning gained over fixed parameters", columns, 4);
    Some(table.with_rows(rows).with_notes(notes))
}

/// Two rankers of a run compared on the test queries of a data set.
pub(crate) struct Gain {
    /// The measure of the search, or the first measure of the evaluation.
    pub(crate) measure: String,
    /// The mean of each ranker.
    pub(crate) means: [f64; 2],
    /// The p-value of a paired t-test over queries. `None` if there is no such value.
    pub(crate) p: Option<f64>,
}

impl Gain {
    /// Compares two rankers. `None` if one of them failed.
    pub(crate) fn of(results: &Results, dataset: usize, measure: &MeasureSpec, rankers: [usize; 2]) -> Option<Self> {
        let conventions = &results.manifest.experiment.evaluation.conventions;
        let (data, measures) = (&results.evaluation.datasets[dataset], &results.evaluation.measures);
        if rankers.iter().any(|&ranker| data.failed[ranker]) {
            return None;
        }
        let column = measures.iter().position(|own| own == measure).unwrap_or(0);
        let values = rankers.map(|ranker| values_of(data, measures.len(), ranker, column));
        let counted = |value: f64| settle(value, conventions.undefined).unwrap_or(f64::NAN);
        let pairs = values[0].iter().zip(&values[1]).map(|(one, other)| (counted(*one), counted(*other)));
        let (one, other): (Vec<f64>, Vec<f64>) = pairs.filter(|(one, other)| !(one - other).is_nan()).unzip();
        Some(Gain {
            measure: measures.get(column)?.to_string(),
            means: [0, 1].map(|place| mean(data, &values[place], conventions)),
            p: paired_t(&one, &other).ok().map(|test| test.p),
        })
    }

    /// The first mean less the second.
    pub(crate) fn difference(&self) -> f64 {
        difference(self.means[0], self.means[1])
    }
}

/// Whether a ranker is the tuned ranker with fixed values of the parameters that were searched: of
/// the same kind, with the same other parameters, and learning from the same data.
fn is_fixed_form(other: &RankerConfig, tuned: &RankerConfig, tune: &TuneConfig) -> bool {
    let others = |config: &RankerConfig| match &config.source {
        ScoreSource::Train { params, .. } => {
            let mut params = params.as_object().cloned().unwrap_or_default();
            params.retain(|name, _| !tune.names.contains(name));
            Some(params)
        }
        _ => None,
    };
    let (of_other, of_tuned) = (others(other), others(tuned));
    let same_data = (&other.features, other.train_share) == (&tuned.features, tuned.train_share);
    other.tune.is_none() && other.kind == tuned.kind && same_data && of_other.is_some() && of_other == of_tuned
}

pub(crate) fn number(value: f64) -> Cell {
    if value.is_nan() { Cell::na() } else { Cell::number(value, DIGITS) }
}

/// The values of a ranker in a column, query by query.
fn values_of(data: &DatasetValues, measures: usize, ranker: usize, column: usize) -> Vec<f64> {
    let queries = data.queries.len();
    (0..queries).map(|query| data.all[(ranker * queries + query) * measures + column]).collect()
}

fn mean(data: &DatasetValues, values: &[f64], conventions: &Conventions) -> f64 {
    let folds: Vec<usize> = data.queries.iter().map(|query| query.fold).collect();
    mean_over_folds(&by_fold(&folds, values), conventions.fold_mean, conventions.undefined).value
}

/// The mean over folds of each setting, by the value of one parameter. `None` if the parameter has
/// one value.
fn chart(manifest: &Manifest, search: &Search<'_>, name: &str) -> Option<Chart> {
    let (dataset, method) = labels(manifest, search);
    let mut values: Vec<&Value> = Vec::new();
    for value in search.first_rung().iter().filter_map(|setting| setting.values.get(name)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
    let place = |value: &Value| match &numbers {
        Some(_) => value.as_f64(),
        None => values.iter().position(|other| *other == value).map(|place| (place + 1) as f64),
    };
    let settings = search.first_rung().iter().enumerate();
    let mut points: Vec<Point> = settings
        .filter_map(|(number, setting)| Some(Point::new(place(setting.values.get(name)?)?, search.mean(number)?)))
        .collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x).then(other.y.total_cmp(&one.y)));
    let mut best: Vec<Point> = points.clone();
    best.dedup_by(|next, first| next.x == first.x);
    if best.len() < 2 {
        return None;
    }
    // A search by factors is seen on a logarithmic axis.
    let (low, high) = (best[0].x, best[best.len() - 1].x);
    let x = match numbers.is_some() {
        false => Axis::named(name, values.iter().map(|value| value_words(value)).collect()),
        true if low > 0.0 && high / low >= 20.0 => Axis::log(name),
        true => Axis::linear(name),
    };
    let lacking = search.first_rung().len() - points.len();
    let line = if numbers.is_some() { "; the line joins the best" } else { "" };
    let mut notes = vec![format!(
        "each point: a setting, its mean {} over the validation parts of the folds{line}",
        search.tune.measure
    )];
    if let Some(halving) = &search.tune.halving {
        notes.push(format!("the first rung of the search: {} = {}", halving.over, halving.budgets[0]));
    }
    if lacking > 0 {
        notes.push(format!(
            "{} without a value on each fold {} left out",
            counted(lacking, "setting"),
            which(lacking, "is", "are")
        ));
    }
    let mut series = vec![Series { name: "settings".to_owned(), kind: SeriesKind::Points, points }];
    // Between names there is nothing that a line could show.
    if numbers.is_some() {
        series.push(Series { name: "best at this value".to_owned(), kind: SeriesKind::Line, points: best });
    }
    Some(Chart {
        id: format!("figure-tuning-{}-{}-{}", slug(method), slug(name), slug(dataset)),
        title: format!("{method} on {dataset}: validation value by {name}"),
        x,
        y: Axis::linear(format!("{} on validation parts", search.tune.measure)),
        series,
        lines: Vec::new(),
        notes,
    })
}

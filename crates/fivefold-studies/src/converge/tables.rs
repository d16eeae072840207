//! Tables and charts of the study. The tables hold crossings, values and limits, each pair, and
//! types of discounts. The charts show a curve for each measure, and how many pairs have reached
//! their final order.

use fivefold_analysis::chart::{Axis, Point, ReferenceLine, Series, SeriesKind};
use fivefold_analysis::{Cell, Chart, Table, number_equal, slug};
use fivefold_core::Seed;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec, Scratch, Ties, Version};

use super::Converge;
use super::crossings::{RankerPair, pairs};
use super::curves::{Curves, Spread};
use super::discount::{Classification, DiscountFamily, of_measure};
use super::limit::{Scored, limit};
use crate::residual::utility::Utility;
use crate::study::{Findings, StudyError};

/// Numbers of ranks at which the growth of a discount's sum is shown.
const SHOWN_SUMS: [usize; 2] = [1_000, 1_000_000];
const DIGITS: u8 = 4;

/// The values of a study, with the results for each measure.
pub(super) struct Shown<'a> {
    pub(super) study: &'a Converge,
    pub(super) curves: &'a Curves,
    pub(super) measures: Vec<Measured>,
    /// Notes on all measures.
    notes: Vec<String>,
}

/// The results for one measure.
pub(super) struct Measured {
    pub(super) name: String,
    /// The type of the measure's discount.
    pub(super) verdict: Option<Classification>,
    /// All pairs of rankers.
    pub(super) pairs: Vec<RankerPair>,
    /// The limit for each ranker; `None` if no theorem gives a limit.
    pub(super) limits: Option<Vec<f64>>,
    notes: Vec<String>,
}

impl Measured {
    /// Number of crossings over all pairs.
    pub(super) fn crossings(&self) -> usize {
        self.pairs.iter().map(|pair| pair.crossings).sum()
    }

    /// The pairs with a crossing.
    pub(super) fn crossing(&self) -> impl Iterator<Item = &RankerPair> {
        self.pairs.iter().filter(|pair| pair.crossings > 0)
    }

    /// The size at which any pair changes places for the last time.
    pub(super) fn last_crossing(&self) -> Option<usize> {
        self.crossing().filter_map(|pair| pair.stable_from).max()
    }
}

impl<'a> Shown<'a> {
    /// Finds crossings, types and limits.
    pub(super) fn new(
        study: &'a Converge,
        evaluator: &Evaluator,
        max_grade: u8,
        curves: &'a Curves,
        remarks: &[String],
    ) -> Result<Self, StudyError> {
        let conventions = evaluator.conventions();
        let first = curves.sizes.partition_point(|&size| size < study.from);
        let mut measures = Vec::with_capacity(study.measures.len());
        for (index, spec) in study.measures.iter().enumerate() {
            let verdict = of_measure(spec, conventions, max_grade)?;
            let means: Vec<Vec<f64>> = curves.means(index).iter().map(|means| means[first..].to_vec()).collect();
            let limits = match (&study.systems, verdict.as_ref().and_then(|verdict| verdict.family)) {
                (None, Some(family)) => limits(study, spec, conventions, family)?,
                _ => None,
            };
            let pairs = pairs(&curves.sizes[first..], &means);
            let own = Evaluator::new(std::slice::from_ref(spec), conventions, max_grade, Seed::new(0))?;
            let notes = notes(curves, &own, &curves.undefined[index..=index], remarks);
            measures.push(Measured { name: spec.to_string(), verdict, pairs, limits, notes });
        }
        let notes = notes(curves, evaluator, &curves.undefined, remarks);
        Ok(Shown { study, curves, measures, notes })
    }

    /// Adds all tables and charts.
    pub(super) fn add_to(&self, findings: &mut Findings) {
        findings.tables.extend([self.summary(), self.values()]);
        findings.tables.extend(self.limits());
        findings.tables.extend([
            self.by_pair("convergence-crossings", "Crossings of each pair of rankers", |pair| {
                Cell::count(pair.crossings)
            }),
            self.by_pair("convergence-stable-from", "Documents from which on the order of a pair holds", |pair| {
                match pair.stable_from {
                    Some(size) => Cell::count(size),
                    None => Cell::missing("equal"),
                }
            }),
            self.types(),
        ]);
        findings.charts.extend((0..self.measures.len()).map(|measure| self.curve(measure)));
        findings.charts.push(self.settled());
        findings.page.findings.push(self.in_words());
        number_equal(findings.charts.iter_mut().map(|chart| &mut chart.id));
    }

    fn table(&self, id: &str, title: String, labels: &[&str], columns: Vec<String>, rows: Vec<Vec<Cell>>) -> Table {
        let all = labels.iter().copied().chain(columns.iter().map(String::as_str));
        Table::new(id, title, all, labels.len()).with_rows(rows).with_notes(self.notes.clone())
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.measures.iter().map(|measure| measure.name.clone())
    }

    /// The summary, a row for each measure.
    fn summary(&self) -> Table {
        let row = |(index, measure): (usize, &Measured)| {
            let means: Vec<f64> = self.curves.last(index).map(|spread| spread.mean).collect();
            let end = |best: fn(f64, f64) -> f64| number(means.iter().copied().fold(f64::NAN, best));
            vec![
                Cell::text(&measure.name),
                measure.verdict.as_ref().map_or_else(Cell::na, kind),
                Cell::count(measure.crossings()),
                Cell::count(measure.crossing().count()),
                measure.last_crossing().map_or_else(|| Cell::missing("none"), Cell::count),
                end(f64::min),
                end(f64::max),
            ]
        };
        let columns = ["type", "crossings", "pairs that cross", "last crossing at", "lowest mean", "highest mean"];
        let count = self.measures.first().map_or(0, |measure| measure.pairs.len());
        let title = format!("How often {count} pairs of rankers change places from n = {} on", self.study.from);
        let rows = self.measures.iter().enumerate().map(row).collect();
        let mut table =
            self.table("convergence-summary", title, &["measure"], columns.map(str::to_owned).to_vec(), rows);
        table.notes.insert(0, format!("lowest and highest mean: of the rankers, at n = {}", self.study.documents));
        table.notes.insert(1, "type: see the table of types; n/a: no sum of gain x discount".to_owned());
        table
    }

    /// Means and deviations at the largest size.
    fn values(&self) -> Table {
        let columns = self.names().flat_map(|name| [name.clone(), format!("sd {name}")]).collect();
        let last: Vec<Vec<Spread>> = (0..self.measures.len()).map(|m| self.curves.last(m).collect()).collect();
        let row = |(ranker, name): (usize, &String)| {
            let cells = last.iter().flat_map(|of| [number(of[ranker].mean), number(of[ranker].deviation)]);
            std::iter::once(Cell::text(name)).chain(cells).collect()
        };
        let rows = self.curves.rankers.iter().enumerate().map(row).collect();
        let size = self.curves.sizes.last().copied().unwrap_or(0);
        let title = format!("Mean over trials and its sample standard deviation at n = {size}");
        self.table("convergence-values", title, &["ranker"], columns, rows)
    }

    /// Limits beside the means at the largest size.
    fn limits(&self) -> Option<Table> {
        let measures = self.measures.iter().enumerate();
        let with: Vec<(usize, &Measured, &Vec<f64>)> =
            measures.filter_map(|(index, measure)| Some((index, measure, measure.limits.as_ref()?))).collect();
        if with.is_empty() {
            return None;
        }
        let heads = with.iter().flat_map(|(_, Measured { name, .. }, _)| {
            [format!("limit {name}"), format!("mean {name}"), format!("mean - limit {name}")]
        });
        let row = |(ranker, name): (usize, &String)| {
            let cells = with.iter().flat_map(|(index, _, limits)| {
                let mean = self.curves.last(*index).nth(ranker).map_or(f64::NAN, |spread| spread.mean);
                [limits[ranker], mean, mean - limits[ranker]].map(number)
            });
            std::iter::once(Cell::text(name)).chain(cells).collect()
        };
        let rows = self.curves.rankers.iter().enumerate().map(row).collect();
        let title = format!("Limits, and means at n = {}", self.study.documents);
        let mut table = self.table("convergence-limits", title, &["ranker"], heads.collect(), rows);
        table.notes.insert(
            0,
            "limits: Corollary 11 of He et al. by numerical integration; of logarithmic discounts 1".to_owned(),
        );
        Some(table)
    }

    /// A table with a row for each pair of rankers and a column for each measure.
    fn by_pair(&self, id: &str, title: &str, cell: impl Fn(&RankerPair) -> Cell) -> Table {
        let all = self.measures.first().map_or(&[][..], |measure| &measure.pairs);
        let row = |(index, pair): (usize, &RankerPair)| {
            let names = [pair.rankers.0, pair.rankers.1].map(|ranker| Cell::text(&self.curves.rankers[ranker]));
            let cells = self.measures.iter().map(|measure| cell(&measure.pairs[index]));
            names.into_iter().chain(cells).collect()
        };
        let rows = all.iter().enumerate().map(row).collect();
        let title = format!("{title}, from n = {} on", self.study.from);
        self.table(id, title, &["ranker", "against"], self.names().collect(), rows)
    }

    /// The types of the discounts of the measures, and of the discounts in the settings.
    fn types(&self) -> Table {
        let further = self
            .study
            .discounts
            .iter()
            .map(|&discount| (format!("discount {discount}"), Some(DiscountFamily::of(discount).verdict())));
        let of_measures = self.measures.iter().map(|measure| (measure.name.clone(), measure.verdict.clone()));
        let row = |(name, verdict): (String, Option<Classification>)| {
            let halves = SHOWN_SUMS.map(|ranks| match verdict.as_ref().and_then(|verdict| verdict.family) {
                Some(family) => number(half_share(family, ranks)),
                None => Cell::na(),
            });
            let why = match &verdict {
                Some(verdict) => Cell::text(&verdict.why),
                None => Cell::text("no sum of gain x discount"),
            };
            let type_of = verdict.as_ref().map_or_else(Cell::na, kind);
            [Cell::text(&name), type_of].into_iter().chain(halves).chain([why]).collect()
        };
        let halves = SHOWN_SUMS.map(|ranks| format!("S(n/2)/S(n), n={ranks}"));
        let columns = std::iter::once("type".to_owned()).chain(halves).chain(["why".to_owned()]).collect();
        let rows = of_measures.chain(further).map(row).collect();
        let mut table = self.table("discount-types", "Types of discounts".to_owned(), &["discount of"], columns, rows);
        table.notes = vec![
            "S(n) = D(1) + ... + D(n). Types by the limit of S(cn)/S(n): 1, limit 1, the top decides; 2, limit c, all \
                parts count alike; 3, limit c^(1-a), 0 < a < 1, upper parts count more"
                .to_owned(),
        ];
        table
    }

    /// The curve of each ranker under one measure.
    fn curve(&self, measure: usize) -> Chart {
        let Measured { name, limits, notes: own, .. } = &self.measures[measure];
        let series = self.curves.rankers.iter().zip(&self.curves.curves[measure]);
        let point = |(size, spread): (&usize, &Spread)| {
            let band = Some((spread.mean - spread.deviation, spread.mean + spread.deviation));
            spread.mean.is_finite().then(|| Point { band, ..Point::new(*size as f64, spread.mean) })
        };
        let points = |curve: &[Spread]| self.curves.sizes.iter().zip(curve).filter_map(point).collect();
        let series = series.map(|(ranker, curve)| Series {
            name: ranker.clone(),
            kind: SeriesKind::Line,
            points: points(curve),
        });
        let lines = self.curves.rankers.iter().zip(limits.iter().flatten()).map(|(ranker, &y)| ReferenceLine {
            label: "limit".to_owned(),
            y,
            series: Some(ranker.clone()),
        });
        let mut notes = vec!["bands: one sample standard deviation over trials on both sides of the mean".to_owned()];
        if limits.is_some() {
            notes.push("dotted: the limit of the ranker of that colour".to_owned());
        }
        notes.extend(own.iter().cloned());
        Chart {
            id: format!("convergence-{}", slug(name)),
            title: format!("{name} against the number of documents"),
            x: Axis::log("documents n"),
            y: Axis::linear(format!("mean {name}")),
            series: series.collect(),
            lines: lines.collect(),
            notes,
        }
    }

    /// The number of pairs that have reached their final order, by number of documents.
    fn settled(&self) -> Chart {
        let sizes = || self.curves.sizes.iter().filter(|size| **size >= self.study.from);
        let series = self.measures.iter().map(|measure| {
            let kept = |size: usize| {
                measure.pairs.iter().filter(move |pair| pair.stable_from.is_some_and(|from| from <= size))
            };
            let point = |&size: &usize| Point::new(size as f64, kept(size).count() as f64);
            Series { name: measure.name.clone(), kind: SeriesKind::Line, points: sizes().map(point).collect() }
        });
        let mut series: Vec<Series> = series.collect();
        number_equal(series.iter_mut().map(|series| &mut series.name));
        Chart {
            id: "convergence-settled".to_owned(),
            title: "Pairs of rankers whose order no longer changes".to_owned(),
            x: Axis::log("documents n"),
            y: Axis::linear("pairs"),
            series,
            lines: Vec::new(),
            notes: self.notes.clone(),
        }
    }
}

/// Notes on the measured trials, the conventions of the evaluator, and the number of undefined
/// values.
fn notes(curves: &Curves, evaluator: &Evaluator, undefined: &[usize], remarks: &[String]) -> Vec<String> {
    let mut notes = vec![curves.about.clone()];
    notes.extend(evaluator.describe());
    let names = evaluator.names().iter();
    let undefined: Vec<String> = names
        .zip(undefined)
        .filter(|(_, undefined)| **undefined > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if !undefined.is_empty() {
        notes.push(format!("undefined values over all sizes, rankers and trials: {}", undefined.join(", ")));
    }
    notes.extend_from_slice(remarks);
    notes
}

/// The limit for each ranker of the simulation; `None` if no theorem gives a limit.
fn limits(
    study: &Converge,
    spec: &MeasureSpec,
    conventions: &Conventions,
    family: DiscountFamily,
) -> Result<Option<Vec<f64>>, StudyError> {
    let max_grade = study.population.max_grade();
    if matches!(family, DiscountFamily::Cut(_))
        || spec.version() == Version::Original && !is_share(spec, conventions, max_grade)?
    {
        return Ok(None);
    }
    let utility = Utility::of(&spec.base(), conventions, max_grade, 3)?;
    let gains: Vec<f64> = (0..=max_grade).map(|grade| utility.gain(grade)).collect();
    let of_angle = |&angle: &f64| {
        let means = study.population.score_means(angle);
        limit(family, spec.version(), &Scored { shares: &study.population.shares, means: &means, gains: &gains })
    };
    Ok(study.angles.iter().map(of_angle).collect())
}

/// Whether a measure's value is A/U: the value of an ideal order of several relevant documents
/// is 1.
fn is_share(spec: &MeasureSpec, conventions: &Conventions, max_grade: u8) -> Result<bool, StudyError> {
    let conventions = Conventions { ties: Ties::Input, ..conventions.clone() };
    let evaluator = Evaluator::new(std::slice::from_ref(spec), &conventions, max_grade, Seed::new(0))?;
    let judged = evaluator.judge("ideal", &[max_grade, max_grade, 0], None)?;
    let mut value = [f64::NAN];
    evaluator.evaluate(&judged, &[3.0, 2.0, 1.0], &mut Scratch::default(), &mut value)?;
    Ok((value[0] - 1.0).abs() < 1e-12)
}

/// S(n/2)/S(n).
fn half_share(family: DiscountFamily, ranks: usize) -> f64 {
    let (mut half, mut whole) = (0.0, 0.0);
    for rank in 1..=ranks {
        whole += family.at(rank);
        if rank == ranks / 2 {
            half = whole;
        }
    }
    half / whole
}

fn kind(verdict: &Classification) -> Cell {
    verdict.kind.map_or_else(|| Cell::missing("undecided"), |kind| Cell::Count(kind.number()))
}

fn number(value: f64) -> Cell {
    Cell::number_or(value, DIGITS, "undefined")
}

//! `kind = "topics"`: how many queries a paired t-test needs to find a difference of two systems.
//!
//! ```toml
//! [systems]                          # any source, see `systems`; a results folder gives all its data sets
//! measures = ["ndcg@10", "ap"]       # any measures, or columns of values; absent: as for `compare`
//! differences = [0.01, 0.02, 0.05]   # differences of two means that the test should find
//! alpha = 0.05                       # the level of the test
//! power = 0.8                        # the probability with which the test should find a difference
//! dialect = "paper"                  # the dialect; [conventions] replaces single conventions
//! ```
//! The variance is the sample variance of the per-query differences of a pair of systems. Its mean
//! over all pairs is twice the residual variance of a two-way analysis of variance (system, query).
//! The largest variance of a pair is the careful choice. Queries and power come from the noncentral
//! t distribution ([`queries_needed`]), as in Sakai, "Topic set size design", Information Retrieval
//! Journal 19, 2016. Sakai gives an approximation in closed form; here the number is exact. Cost: a
//! search of about 30 steps for each pair.

use fivefold_analysis::chart::{Axis, Point, ReferenceLine, Series, SeriesKind};
use fivefold_analysis::page::PagePart;
use fivefold_analysis::{Cell, Chart, Table};
use fivefold_base::words::{counted, list, which};
use fivefold_core::ParamError;
use fivefold_metrics::{MeasureSpec, Overrides};
use fivefold_stats::{Moments, paired_t_power, queries_needed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::compare::Compare;
use crate::compare::scores::{self, Column, Scores};
use crate::compare::tables::{id_of, notes_of};
use crate::study::{Findings, Study, StudyContext, StudyError, each_once, facts};
use crate::systems::SystemsConfig;

/// The most rows of the table of pairs.
const SHOWN_PAIRS: usize = 60;
/// Points of a line of the chart.
const POINTS: u32 = 40;

/// The study of queries needed, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Topics {
    /// The source of the systems.
    pub systems: SystemsConfig,
    /// Measures of rankings, or columns of values. If empty: as for the study `compare`.
    pub measures: Vec<String>,
    /// The differences of two means that the test should find.
    pub differences: Vec<f64>,
    /// The level of the test.
    pub alpha: f64,
    /// The probability with which the test should find a difference.
    pub power: f64,
    /// The dialect, whose conventions apply.
    pub dialect: String,
    /// Conventions that replace the dialect's.
    pub conventions: Overrides,
}

impl Default for Topics {
    fn default() -> Self {
        let Compare { systems, measures, differences, alpha, power, dialect, conventions, .. } = Compare::default();
        Topics { systems, measures, differences, alpha, power, dialect, conventions }
    }
}

impl Topics {
    /// The comparison of the same systems, which reads and checks the settings that both share.
    fn as_compare(&self) -> Compare {
        let Topics { systems, measures, differences, alpha, power, dialect, conventions } = self.clone();
        Compare { systems, measures, differences, alpha, power, dialect, conventions, ..Compare::default() }
    }

    /// The fewest queries with which the test finds a difference; `None` if no number is enough.
    fn needed(&self, difference: f64, variance: f64) -> Result<Option<usize>, StudyError> {
        match variance > 0.0 {
            true => Ok(queries_needed(difference, variance.sqrt(), self.alpha, self.power)?),
            // Without a spread, two queries are enough to show any difference.
            false => Ok((difference != 0.0).then_some(2)),
        }
    }

    /// The probability with which the test finds a difference on `queries` queries; `None` for two
    /// systems that are equal on every query.
    fn power(&self, difference: f64, variance: f64, queries: usize) -> Result<Option<f64>, StudyError> {
        match variance > 0.0 {
            true => Ok(Some(paired_t_power(difference / variance.sqrt(), queries, self.alpha)?)),
            false => Ok((difference != 0.0).then_some(1.0)),
        }
    }
}

impl Study for Topics {
    const KIND: &'static str = "topics";
    const SUMMARY: &'static str = "how many queries a paired t-test needs, and its power on the queries at hand";

    fn check(&self) -> Result<(), ParamError> {
        each_once("measures", &self.measures)?;
        each_once("differences", &self.differences)?;
        ParamError::unless(!self.differences.is_empty(), "differences", "[]", "at least one difference")?;
        self.as_compare().check()
    }

    fn measures(&self) -> Vec<MeasureSpec> {
        // Measures of other programs may have names that do not parse; they are left out.
        self.measures.iter().filter_map(|name| name.parse().ok()).collect()
    }

    fn run(&self, cx: &StudyContext<'_>) -> Result<Findings, StudyError> {
        let datasets = scores::read(&self.as_compare(), cx)?;
        let several = datasets.len() > 1;
        let mut findings = Findings::default();
        let mut pairs = Vec::new();
        for (done, dataset) in (0..).zip(&datasets) {
            cx.step(done, datasets.len() as u64)?;
            findings.inputs.extend(dataset.inputs.iter().cloned());
            let columns = dataset.scores.measures.iter().flat_map(|measure| &measure.columns);
            let spreads = columns.map(|column| Spread::of(self, column)).collect::<Result<Vec<_>, _>>()?;
            let shown = Shown { study: self, scores: &dataset.scores, spreads: &spreads, several };
            shown.add(&mut findings)?;
            pairs.extend(shown.pair_rows());
        }
        let head = ["data set", "measure", "first", "second", "difference", "variance", "power", "queries needed"];
        findings.add_csv("pairs.csv", &head.map(str::to_owned), pairs.into_iter());
        Ok(findings)
    }
}

/// The per-query differences of the systems under one measure.
struct Spread {
    measure: String,
    /// Mean over pairs of the variance of differences, and the largest variance.
    variances: [f64; 2],
    pairs: Vec<Pair>,
}

/// Two systems. The system with the higher mean is first.
struct Pair {
    first: usize,
    second: usize,
    difference: f64,
    variance: f64,
    /// The power of the test at the observed difference, on the queries at hand.
    power: Option<f64>,
    /// The queries that the observed difference needs.
    needed: Option<usize>,
}

impl Spread {
    fn of(study: &Topics, column: &Column) -> Result<Self, StudyError> {
        let systems = column.values.len();
        let places: Vec<(usize, usize)> = (0..systems).flat_map(|a| (a + 1..systems).map(move |b| (a, b))).collect();
        let pair = |&(a, b): &(usize, usize)| Pair::of(study, &column.values, a, b);
        let pairs = places.par_iter().map(pair).collect::<Result<Vec<Pair>, StudyError>>()?;
        // One thread adds them, in order, so that the sum has the same bits on any number of threads.
        let mean = pairs.iter().map(|pair| pair.variance).sum::<f64>() / pairs.len() as f64;
        let largest = pairs.iter().map(|pair| pair.variance).fold(0.0, f64::max);
        Ok(Spread { measure: column.name.clone(), variances: [mean, largest], pairs })
    }
}

impl Pair {
    fn of(study: &Topics, values: &[Vec<f64>], a: usize, b: usize) -> Result<Self, StudyError> {
        let moments = Moments::of_differences(&values[a], &values[b]);
        let (difference, variance) = (moments.settled_mean(), moments.variance().unwrap_or(0.0));
        let (first, second) = if difference < 0.0 { (b, a) } else { (a, b) };
        let power = study.power(difference, variance, moments.count)?;
        let needed = study.needed(difference, variance)?;
        Ok(Pair { first, second, difference: difference.abs(), variance, power, needed })
    }
}

/// A data set with its numbers.
struct Shown<'a> {
    study: &'a Topics,
    scores: &'a Scores,
    spreads: &'a [Spread],
    several: bool,
}

impl Shown<'_> {
    fn add(&self, findings: &mut Findings) -> Result<(), StudyError> {
        let Topics { alpha, power, .. } = self.study;
        let queries = self.scores.queries;
        let needed = |difference: f64, variance: f64| {
            Ok(self.study.needed(difference, variance)?.map_or_else(Cell::na, Cell::count))
        };
        let note = format!("with probability {power}, by a paired t-test at level {alpha}");
        findings.tables.push(self.by_difference(
            "queries-needed",
            "Queries needed to find a difference",
            note,
            needed,
        )?);
        let at_hand = |difference: f64, variance: f64| {
            Ok(Cell::number_or_na(self.study.power(difference, variance, queries)?, 3))
        };
        let title = format!("Probability of finding a difference with the {} at hand", counted(queries, "query"));
        let note = format!("by a paired t-test at level {alpha}");
        findings.tables.push(self.by_difference("power", &title, note, at_hand)?);
        findings.tables.push(self.pairs());
        findings.charts.push(self.chart()?);
        let measures: Vec<&str> = self.spreads.iter().map(|spread| spread.measure.as_str()).collect();
        findings.page.facts.push(facts(self.scores.systems.len(), queries, &measures));
        for spread in self.spreads {
            findings.page.findings.push(self.in_words(spread)?);
        }
        Ok(())
    }

    fn named(&self, title: &str) -> String {
        if self.several { format!("{title}: {}", self.scores.label) } else { title.to_owned() }
    }

    fn notes(&self, first: String) -> Vec<String> {
        std::iter::once(first).chain(notes_of(self.scores, self.several)).collect()
    }

    /// A table with a column for each difference, at the mean and at the largest variance.
    fn by_difference(
        &self,
        id: &str,
        title: &str,
        note: String,
        cell: impl Fn(f64, f64) -> Result<Cell, StudyError>,
    ) -> Result<Table, StudyError> {
        let mut rows = Vec::new();
        for spread in self.spreads {
            for (which, variance) in ["mean", "largest"].into_iter().zip(spread.variances) {
                let mut row = vec![Cell::text(&spread.measure), Cell::text(which), Cell::number(variance, 4)];
                for &difference in &self.study.differences {
                    row.push(cell(difference, variance)?);
                }
                rows.push(row);
            }
        }
        let heads = self.study.differences.iter().map(|difference| format!("for {difference}"));
        let columns = ["measure", "of pairs", "variance"].into_iter().map(str::to_owned).chain(heads);
        let what = "variance: of the per-query differences of two systems, over all pairs";
        let table = Table::new(id_of(self.scores, self.several, id), self.named(title), columns, 2);
        Ok(table.with_rows(rows).with_notes(self.notes(format!("{note}; {what}"))))
    }

    /// The table of pairs. The pairs that need the fewest queries are first.
    fn pairs(&self) -> Table {
        let mut all: Vec<(&Spread, &Pair)> =
            self.spreads.iter().flat_map(|spread| spread.pairs.iter().map(move |pair| (spread, pair))).collect();
        all.sort_by_key(|(_, pair)| pair.needed.unwrap_or(usize::MAX));
        let row = |(spread, pair): &(&Spread, &Pair)| {
            vec![
                Cell::text(&spread.measure),
                Cell::text(&self.scores.systems[pair.first]),
                Cell::text(&self.scores.systems[pair.second]),
                Cell::number(pair.difference, 4),
                Cell::number(pair.variance, 4),
                Cell::number_or_na(pair.power, 3),
                pair.needed.map_or_else(Cell::na, Cell::count),
            ]
        };
        let columns = ["measure", "first", "second", "difference", "variance", "power", "queries needed"];
        let id = id_of(self.scores, self.several, "pairs");
        let mut notes = self.notes(
            "power: if the observed difference were the true difference. This power repeats the p-value and is no \
             further evidence; take it to plan other queries"
                .to_owned(),
        );
        if all.len() > SHOWN_PAIRS {
            notes.insert(0, format!("{SHOWN_PAIRS} of {} pairs are shown; pairs.csv has all", all.len()));
        }
        let rows = all.iter().take(SHOWN_PAIRS).map(row).collect();
        Table::new(id, self.named("Pairs of systems"), columns, 3).with_rows(rows).with_notes(notes)
    }

    /// The rows of `pairs.csv`: all pairs, in the order of the systems.
    fn pair_rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        let row = |spread: &Spread, pair: &Pair| {
            let name = |system: usize| self.scores.systems[system].clone();
            let mut row = vec![self.scores.label.clone(), spread.measure.clone(), name(pair.first), name(pair.second)];
            row.extend([pair.difference.to_string(), pair.variance.to_string()]);
            row.push(pair.power.map_or_else(String::new, |power| power.to_string()));
            row.push(pair.needed.map_or_else(String::new, |needed| needed.to_string()));
            row
        };
        self.spreads.iter().flat_map(move |spread| spread.pairs.iter().map(move |pair| row(spread, pair)))
    }

    /// Queries needed by difference, at the mean variance of each measure.
    fn chart(&self) -> Result<Chart, StudyError> {
        let differences = &self.study.differences;
        let least = differences.iter().copied().fold(f64::INFINITY, f64::min) / 2.0;
        let most = differences.iter().copied().fold(0.0, f64::max) * 2.0;
        let step = libm::log(most / least) / f64::from(POINTS - 1);
        let mut series = Vec::new();
        for spread in self.spreads {
            let mut points = Vec::new();
            for place in 0..POINTS {
                let difference = least * libm::exp(step * f64::from(place));
                if let Some(needed) = self.study.needed(difference, spread.variances[0])? {
                    points.push(Point::new(difference, needed as f64));
                }
            }
            series.push(Series { name: spread.measure.clone(), kind: SeriesKind::Line, points });
        }
        let at_hand = self.scores.queries;
        Ok(Chart {
            id: id_of(self.scores, self.several, "queries-by-difference"),
            title: self.named("Queries needed by difference"),
            x: Axis::log("difference of two means"),
            y: Axis::log("queries needed"),
            series,
            lines: vec![ReferenceLine { label: "at hand".to_owned(), y: at_hand as f64, series: None }],
            notes: self.notes("at the mean variance of the pairs of systems".to_owned()),
        })
    }

    fn in_words(&self, spread: &Spread) -> Result<PagePart, StudyError> {
        let Topics { alpha, power, differences, .. } = self.study;
        let (queries, [mean, largest]) = (self.scores.queries, spread.variances);
        let mut each = Vec::new();
        for &difference in differences {
            each.push(match self.study.needed(difference, mean)? {
                Some(needed) => format!("{} to find a difference of {difference}", counted(needed, "query")),
                None => format!("more than 2^30 queries to find a difference of {difference}"),
            });
        }
        let pairs = spread.pairs.len();
        let enough = spread.pairs.iter().filter(|pair| pair.needed.is_some_and(|needed| needed <= queries)).count();
        let sentences = vec![
            format!(
                "The per-query differences of two systems have a variance of {mean:.4} on average over {}, and of {largest:.4} at most.",
                counted(pairs, "pair")
            ),
            format!(
                "At the average variance, a paired t-test at level {alpha} with power {power} needs {}.",
                list(&each)
            ),
            format!(
                "{enough} of {pairs} observed differences {} no more queries than the {queries} at hand.",
                which(enough, "needs", "need")
            ),
        ];
        let heading =
            if self.several { format!("{}: {}", self.scores.label, spread.measure) } else { spread.measure.clone() };
        Ok(PagePart { heading: Some(heading), sentences })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{StudyFile, StudyOptions, run};

    fn spread(values: &[Vec<f64>]) -> Spread {
        let undefined = values.iter().map(|own| vec![false; own.len()]).collect();
        let column = Column { name: "ap".to_owned(), spec: None, values: values.to_vec(), undefined };
        Spread::of(&Topics::default(), &column).unwrap()
    }

    /// statsmodels 0.15.0, in which `TTestPower` is the paired test on differences:
    ///
    /// ```python
    /// from statsmodels.stats.power import TTestPower
    /// test = TTestPower()
    /// for d, v in [(.01, .04), (.02, .04), (.05, .04), (.05, .09), (.2, .01)]:
    ///     n = test.solve_power(effect_size=d / v ** .5, power=.8, alpha=.05)
    ///     print(d, v, n, test.power(d / v ** .5, 50, .05))
    /// ```
    #[test]
    fn queries_and_power_are_those_of_statsmodels() {
        let study = Topics::default();
        for (difference, variance, queries, power) in [
            (0.01, 0.04, 3141.4654741036434, 0.0638784115507377),
            (0.02, 0.04, 786.8089401817925, 0.10662906419444293),
            (0.05, 0.04, 127.51583051555221, 0.4103806417610206),
            (0.05, 0.09, 284.4856822140299, 0.21148122965155222),
            (0.2, 0.01, 4.22071858501904, 1.0),
        ] {
            let found = study.needed(difference, variance).unwrap().unwrap() as f64;
            assert_eq!(found, f64::ceil(queries), "{difference}, {variance}");
            let found = study.power(difference, variance, 50).unwrap().unwrap();
            assert!((found - power).abs() < 1e-8, "{difference}, {variance}: {found} for {power}");
        }
    }

    /// The identity of the module's documentation, by the sums of squares of the analysis.
    #[test]
    fn the_mean_variance_is_twice_the_residual_variance() {
        let values = [vec![0.1, 0.9, 0.4, 0.3], vec![0.5, 0.6, 0.1, 0.2], vec![0.7, 0.8, 0.9, 0.1]];
        let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
        let query = |q: usize| mean(&values.iter().map(|own| own[q]).collect::<Vec<f64>>());
        let all = mean(&values.concat());
        let residual = |own: &Vec<f64>, q: usize| own[q] - mean(own) - query(q) + all;
        let squares: f64 = values.iter().flat_map(|own| (0..4).map(move |q| residual(own, q).powi(2))).sum();
        let [found, largest] = spread(&values).variances;
        assert!((found - 2.0 * squares / (2.0 * 3.0)).abs() < 1e-15, "{found}");
        assert!(largest > found);
    }

    /// By hand: the systems differ by .2, .4, .2 and .4, so by .3 with variance .04 / 3.
    #[test]
    fn a_pair_has_the_better_system_first() {
        let found = spread(&[vec![0.1, 0.2, 0.3, 0.4], vec![0.3, 0.6, 0.5, 0.8]]);
        let pair = &found.pairs[0];
        assert_eq!((pair.first, pair.second), (1, 0));
        assert!((pair.difference - 0.3).abs() < 1e-15 && (pair.variance - 0.04 / 3.0).abs() < 1e-15);
        assert_eq!(pair.needed, queries_needed(0.3, (0.04f64 / 3.0).sqrt(), 0.05, 0.8).unwrap());
    }

    #[test]
    fn systems_without_a_spread_need_two_queries_or_never_differ() {
        let found = spread(&[vec![0.1, 0.2, 0.3], vec![0.1, 0.2, 0.3], vec![0.2, 0.3, 0.4]]);
        let numbers: Vec<_> = found.pairs.iter().map(|pair| (pair.needed, pair.power)).collect();
        assert_eq!(numbers, [(None, None), (Some(2), Some(1.0)), (Some(2), Some(1.0))]);
        assert_eq!(found.variances, [0.0, 0.0]);
    }

    #[test]
    fn one_and_four_threads_find_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let rows: String =
            (0..40).map(|q| format!("{q},.{},.{},.{}\n", q * 37 % 89, q * 53 % 97, q * 71 % 83)).collect();
        std::fs::write(folder.path().join("ap.csv"), format!("query,a,b,c\n{rows}")).unwrap();
        let text = "name = \"s\"\nkind = \"topics\"\n[systems]\nvalues = [\"ap.csv\"]\n";
        let found = |threads: usize| {
            let folders = vec![folder.path().to_owned()];
            let options = StudyOptions { folders, threads, ..StudyOptions::default() };
            let found = run(&StudyFile::parse(text).unwrap(), &options).unwrap();
            (found.tables, found.charts, found.files, found.page)
        };
        assert_eq!(found(1), found(4));
    }

    #[test]
    fn a_mistake_names_its_key() {
        let fault = |key: &str, value: &str| {
            let text = format!("name = \"s\"\nkind = \"topics\"\n{key} = {value}\n[systems]\nvalues = [\"ap.csv\"]\n");
            let error = StudyFile::parse(&text).map(|_| ()).unwrap_err();
            assert_eq!(&text[error.span.clone().unwrap()], value, "{error}");
        };
        for (key, value) in [
            ("differences", "[]"),
            ("differences", "[0.1, 0.1]"),
            ("differences", "[-0.1]"),
            ("alpha", "1.0"),
            ("power", "0.0"),
            ("measures", "[\"ap\", \"ap\"]"),
            ("dialect", "\"papr\""),
        ] {
            fault(key, value);
        }
    }
}

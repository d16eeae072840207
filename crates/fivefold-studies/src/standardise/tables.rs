//! Tables and charts of the study. The tables show distributions before and after, comparability of
//! all forms, and the number of standardising systems needed. Further tables order the systems by
//! the mean of each form, and show how the orders agree. The charts are histograms.

use fivefold_analysis::chart::{Axis, Point, Series, SeriesKind};
use fivefold_analysis::{Cell, Chart, Table, number_equal, slug};
use fivefold_base::words::{counted, which};
use fivefold_stats::kendall_tau_b;
use fivefold_stats::matrix::{Matrix, mean, mean_and_deviation, quantile};

use super::Standardise;
use super::comparability::Comparability;
use super::forms::{Form, LINEAR, MeasureForms, RAW, STANDARDISED};
use super::needed::{SHARES, SystemsNeeded};
use crate::study::{Findings, StudyError};

/// Number of bars of a histogram.
const BINS: usize = 20;

/// The input of all tables.
pub(super) struct Shown<'a> {
    pub(super) study: &'a Standardise,
    pub(super) families: &'a [MeasureForms],
    pub(super) remarks: &'a [String],
}

impl Shown<'_> {
    /// Adds all tables and charts.
    pub(super) fn add(
        &self,
        compared: &[Vec<Comparability>],
        subsets: &[Vec<SystemsNeeded>],
        findings: &mut Findings,
    ) -> Result<(), StudyError> {
        findings.tables.push(self.distribution());
        findings.tables.push(self.queries());
        findings.tables.push(self.comparability(compared));
        findings.tables.extend(self.needed(subsets));
        for family in self.families {
            findings.tables.push(self.systems(family));
            findings.tables.push(self.orders(family)?);
            let shown = |form: &&Form| [RAW, STANDARDISED].contains(&form.name);
            findings.charts.extend(family.forms.iter().filter(shown).map(|form| self.histogram(family, form)));
        }
        // Two measures may have the same id, because ids leave out some characters. Equal ids get
        // numbers.
        number_equal(findings.tables.iter_mut().map(|table| &mut table.id));
        number_equal(findings.charts.iter_mut().map(|chart| &mut chart.id));
        Ok(())
    }

    fn table(&self, id: &str, title: &str, columns: &[&str], labels: usize, rows: Vec<Vec<Cell>>) -> Table {
        Table::new(id, title, columns, labels).with_rows(rows).with_notes(self.notes(self.families))
    }

    /// Notes on these families: conventions, numbers of queries and other remarks.
    fn notes(&self, families: &[MeasureForms]) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        for line in families.iter().flat_map(|family| &family.conventions) {
            if !notes.contains(line) {
                notes.push(line.clone());
            }
        }
        for family in families {
            let without = family.factors.as_ref().map_or(0, |factors| {
                factors.of_queries(&family.queries).iter().filter(|factor| factor.is_none()).count()
            });
            let standardising = family.factors.as_ref().map_or(0, |factors| factors.systems.len());
            notes.push(format!(
                "{}: {} of {} {} a value in every form and {} compared; without factors (all standardising systems equal, \
                 or a value missing): {without}",
                family.measure,
                family.common.len(),
                counted(family.queries.len(), "query"),
                which(family.common.len(), "has", "have"),
                which(family.common.len(), "is", "are"),
            ));
            notes.push(format!(
                "{}: {}; sd: sample, n - 1",
                family.measure,
                counted(standardising, "standardising system")
            ));
            let linear = family.forms.iter().filter(|form| form.name == LINEAR);
            let scores: Vec<f64> = linear.flat_map(|form| form.matrix.select(&family.common).values).collect();
            let cut = scores.iter().filter(|score| **score <= 0.0 || **score >= 1.0).count();
            notes.push(format!(
                "{}: {cut} of {} {} cut to 0 or 1",
                family.measure,
                counted(scores.len(), "linear score"),
                which(cut, "is", "are")
            ));
        }
        let (a, b) = (self.study.linear.a, self.study.linear.b);
        notes.push(format!("standardised: normal distribution function of z; linear: {a} z + {b}, cut to [0, 1]"));
        notes.extend(self.remarks.iter().cloned());
        notes
    }

    fn distribution(&self) -> Table {
        let row = |(family, form): (&MeasureForms, &Form)| {
            let matrix = form.matrix.select(&family.common);
            let mut rising = matrix.values.clone();
            rising.sort_unstable_by(f64::total_cmp);
            let (means, deviations): (Vec<f64>, Vec<f64>) =
                (0..matrix.queries).map(|query| mean_and_deviation(&matrix.query(query))).unzip();
            let (centre, deviation) = mean_and_deviation(&rising);
            let (between, within) = (mean_and_deviation(&means).1, mean(&deviations));
            let quartiles = [0.25, 0.5, 0.75].map(|share| quantile(&rising, share));
            let mut cells = vec![Cell::text(&family.measure), Cell::text(form.name), Cell::count(rising.len())];
            cells.extend(
                quartiles.into_iter().chain([centre, deviation, between, within]).map(|value| Cell::number(value, 3)),
            );
            cells
        };
        let rows = self.forms().map(row).collect();
        let columns =
            ["measure", "form", "scores", "25 %", "median", "75 %", "mean", "sd", "between queries", "within queries"];
        let title = "Distribution of scores";
        let mut table = self.table("distribution", title, &columns, 2, rows);
        table
            .notes
            .push("between queries: sd of the queries' means; within queries: mean of the queries' sds".to_owned());
        table
    }

    /// The easiest, middle and hardest query by raw scores.
    fn queries(&self) -> Table {
        let mut rows = Vec::new();
        for family in self.families {
            let raw = family.raw();
            let mut order = family.common.clone();
            let centre = |query: usize| mean(&raw.query(query));
            order.sort_by(|&a, &b| centre(b).total_cmp(&centre(a)));
            let Some(last) = order.len().checked_sub(1) else { continue };
            for (what, query) in [("easiest", order[0]), ("middle", order[last / 2]), ("hardest", order[last])] {
                let (centre, deviation) = mean_and_deviation(&raw.query(query));
                let mut cells = vec![Cell::text(&family.measure), Cell::text(what), Cell::text(&family.queries[query])];
                cells.extend([Cell::number(centre, 3), Cell::number(deviation, 3)]);
                rows.push(cells);
            }
        }
        let columns = ["measure", "query", "id", "mean", "sd"];
        self.table("queries", "Raw scores of the easiest and the hardest query", &columns, 3, rows)
    }

    fn comparability(&self, compared: &[Vec<Comparability>]) -> Table {
        let row = |((family, form), found): ((&MeasureForms, &Form), &Comparability)| {
            let mut cells = vec![Cell::text(&family.measure), Cell::text(form.name)];
            cells.extend([found.drmse, found.drmse_high].map(|value| Cell::number_or(value, 3, "n/a")));
            cells.extend([found.different, found.different_high].map(|share| Cell::number(100.0 * share, 1)));
            cells
        };
        let rows = self.forms().zip(compared.iter().flatten()).map(row).collect();
        let columns = ["measure", "form", "dRMSE", "97.5 %", "different %", "97.5 %"];
        let title = "Comparability over random halves of the queries";
        let mut table = self.table("comparability", title, &columns, 2, rows);
        let Standardise { partitions, alpha, .. } = self.study;
        table.notes.push(format!("mean and 97.5th percentile over {partitions} partitions, the same for every form"));
        table.notes.push(format!(
            "different: systems that a two-sided two-sample t-test (pooled variances, level {alpha}) finds different from \
             themselves"
        ));
        table
    }

    fn needed(&self, subsets: &[Vec<SystemsNeeded>]) -> Option<Table> {
        let row = |(family, found): (&MeasureForms, &SystemsNeeded)| {
            let mut cells = vec![Cell::text(&family.measure), Cell::count(found.systems)];
            cells.extend(found.reached.map(|tau| Cell::number_or(tau, 3, "n/a")));
            cells.extend([Cell::number(found.without, 1), Cell::count(found.undefined)]);
            cells
        };
        let pairs =
            self.families.iter().zip(subsets).flat_map(|(family, found)| found.iter().map(move |f| (family, f)));
        let rows: Vec<Vec<Cell>> = pairs.map(row).collect();
        let heads = SHARES.map(|share| format!("{} % reach", 100.0 * share));
        let columns = ["measure", "systems", &heads[0], &heads[1], &heads[2], "queries without", "no tau"];
        let title = "Standardising systems needed: tau-b of the order under a subset's factors with the order under all \
                systems' factors";
        let mut table = self.table("needed", title, &columns, 2, rows);
        table.notes.push(format!(
            "{} of each size; all systems are ordered by their mean standardised score; queries without: mean \
             number of queries that a subset leaves without factors",
            counted(self.study.draws, "random subset")
        ));
        (!table.rows.is_empty()).then_some(table)
    }

    fn systems(&self, family: &MeasureForms) -> Table {
        let means: Vec<Vec<f64>> = family.forms.iter().map(|form| common_means(family, &form.matrix)).collect();
        let mut order: Vec<usize> = (0..family.systems.len()).collect();
        order.sort_by(|&a, &b| means[0][b].total_cmp(&means[0][a]));
        let row = |&system: &usize| {
            let mut cells = vec![Cell::text(&family.systems[system])];
            cells.extend(means.iter().map(|means| Cell::number(means[system], 4)));
            cells
        };
        let rows = order.iter().map(row).collect();
        let mut columns = vec!["system"];
        columns.extend(family.forms.iter().map(|form| form.name));
        let title = format!("Systems by the mean of each form of {}", family.measure);
        let table = self.table(&format!("systems-{}", slug(&family.measure)), &title, &columns, 1, rows);
        table.with_notes(self.notes(std::slice::from_ref(family)))
    }

    fn orders(&self, family: &MeasureForms) -> Result<Table, StudyError> {
        let means: Vec<Vec<f64>> = family.forms.iter().map(|form| common_means(family, &form.matrix)).collect();
        let mut rows = Vec::new();
        for (form, own) in family.forms.iter().zip(&means) {
            let mut cells = vec![Cell::text(form.name)];
            for other in &means {
                cells.push(kendall_tau_b(own, other)?.map_or(Cell::na(), |tau| Cell::number(tau, 3)));
            }
            rows.push(cells);
        }
        let mut columns = vec!["order by"];
        columns.extend(family.forms.iter().map(|form| form.name));
        let title = format!("Kendall's tau-b between the orders of systems by the forms of {}", family.measure);
        let table = self.table(&format!("orders-{}", slug(&family.measure)), &title, &columns, 1, rows);
        Ok(table.with_notes(self.notes(std::slice::from_ref(family))))
    }

    fn histogram(&self, family: &MeasureForms, form: &Form) -> Chart {
        let scores = form.matrix.select(&family.common).values;
        let highest = scores.iter().copied().fold(1.0, f64::max);
        let width = highest / BINS as f64;
        let mut counts = [0usize; BINS];
        scores.iter().for_each(|score| counts[((score / width) as usize).min(BINS - 1)] += 1);
        let bar =
            |(bin, &count): (usize, &usize)| Point::new((bin as f64 + 0.5) * width, count as f64 / scores.len() as f64);
        let points = counts.iter().enumerate().map(bar).collect();
        Chart {
            id: format!("distribution-{}-{}", slug(&family.measure), slug(form.name)),
            title: format!("Distribution of {} scores of {}", form.name, family.measure),
            x: Axis::linear(format!("{} {}", form.name, family.measure)),
            y: Axis::linear("share of the scores"),
            series: vec![Series { name: form.name.to_owned(), kind: SeriesKind::Bars, points }],
            lines: Vec::new(),
            notes: self.notes(std::slice::from_ref(family)),
        }
    }

    fn forms(&self) -> impl Iterator<Item = (&MeasureForms, &Form)> {
        self.families.iter().flat_map(|family| family.forms.iter().map(move |form| (family, form)))
    }
}

fn common_means(family: &MeasureForms, matrix: &Matrix) -> Vec<f64> {
    matrix.select(&family.common).means()
}

/// Adds every score of every form, by query and system. An undefined score is an empty field.
pub(super) fn add_scores(families: &[MeasureForms], findings: &mut Findings) {
    let Some(first) = families.first() else { return };
    let forms: Vec<(&MeasureForms, &Form)> =
        families.iter().flat_map(|f| f.forms.iter().map(move |form| (f, form))).collect();
    let mut head = vec!["query".to_owned(), "system".to_owned()];
    head.extend(forms.iter().map(|(family, form)| format!("{} {}", form.name, family.measure)));
    let row = |(query, system): (usize, usize)| {
        let mut row = vec![first.queries[query].clone(), first.systems[system].clone()];
        let values = forms.iter().map(|(_, form)| form.matrix.system(system)[query]);
        row.extend(values.map(|value| if value.is_nan() { String::new() } else { value.to_string() }));
        row
    };
    let systems = first.systems.len();
    let places = (0..first.queries.len()).flat_map(|query| (0..systems).map(move |system| (query, system)));
    findings.add_values("standardised.csv", &head, places.map(row));
}

//! Tables and charts of each measure: residual gain, other measures of novelty, agreement of the
//! orders, the best systems of groups, and scatter charts of the measure against residual gain.

use fivefold_analysis::chart::{Axis, Point, Series, SeriesKind};
use fivefold_analysis::{Cell, Chart, Table, slug};
use fivefold_base::words::counted;
use fivefold_core::Seed;
use fivefold_metrics::{Conventions, Evaluator, MeasureSpec};
use fivefold_stats::kendall_tau_b;

use super::compute::{GainSettings, Gains, Numbers};
use crate::study::{Findings, StudyError};
use crate::systems::RankedSystems;

/// If a name is longer, the points of a chart are labelled with numbers.
const LONGEST_LABEL: usize = 16;
/// If a chart has more points, they are labelled with numbers too, because so many names would
/// cover each other.
const MOST_LABELS: usize = 20;

/// The input of the tables of all measures.
pub(super) struct Shown<'a> {
    pub(super) systems: &'a RankedSystems,
    pub(super) settings: &'a GainSettings<'a>,
    /// Names of the groups.
    pub(super) groups: &'a [String],
    /// Remarks on the input.
    pub(super) remarks: &'a [String],
}

impl Shown<'_> {
    /// Adds the tables and charts of one measure.
    pub(super) fn add(&self, spec: &MeasureSpec, numbers: &Numbers, findings: &mut Findings) -> Result<(), StudyError> {
        let view = View::new(self, spec, numbers)?;
        findings.tables.push(view.residual());
        findings.tables.push(view.beside());
        findings.tables.push(view.orders()?);
        findings.tables.extend(view.best_of_groups());
        findings.charts.extend(numbers.experiments.iter().map(|gains| view.scatter(gains)));
        Ok(())
    }
}

/// The numbers of one measure, ready to be shown.
struct View<'a> {
    shown: &'a Shown<'a>,
    numbers: &'a Numbers,
    measure: String,
    /// Means of the measure.
    means: Vec<f64>,
    /// Systems from the best by the measure to the worst. The place of a system is its number in
    /// tables and charts.
    order: Vec<usize>,
    notes: Vec<String>,
}

impl<'a> View<'a> {
    fn new(shown: &'a Shown<'a>, spec: &MeasureSpec, numbers: &'a Numbers) -> Result<Self, StudyError> {
        let means = numbers.means(&numbers.values);
        let mut order: Vec<usize> = (0..means.len()).collect();
        order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
        let notes = notes(shown, spec, numbers, shown.settings.conventions)?;
        Ok(View { shown, numbers, measure: spec.to_string(), means, order, notes })
    }

    fn name(&self, system: usize) -> &str {
        &self.shown.systems.names[system]
    }

    fn table(&self, what: &str, title: String, columns: Vec<String>, labels: usize, rows: Vec<Vec<Cell>>) -> Table {
        let id = format!("{}-{}", slug(&self.measure), what);
        Table::new(id, title, columns, labels).with_rows(rows).with_notes(self.notes.clone())
    }

    /// A row for each system: its number, name and group, then the mean over queries of each list.
    fn by_system(&self, lists: &[&[f64]]) -> Vec<Vec<Cell>> {
        let columns: Vec<Vec<f64>> = lists.iter().map(|list| self.numbers.means(list)).collect();
        let row = |(place, &system): (usize, &usize)| {
            let mut cells = vec![Cell::count(place + 1), Cell::text(self.name(system))];
            if let Some((group_of, _)) = self.shown.settings.groups {
                cells.push(Cell::Text(self.group(group_of[system])));
            }
            cells.extend(columns.iter().map(|means| Cell::number(means[system], 4)));
            cells
        };
        self.order.iter().enumerate().map(row).collect()
    }

    fn heads(&self) -> Vec<String> {
        let heads: &[&str] =
            if self.shown.settings.groups.is_some() { &["no.", "system", "group"] } else { &["no.", "system"] };
        heads.iter().map(|&head| head.to_owned()).collect()
    }

    /// The beginning of names that defines a group, without the separator at its end.
    fn group(&self, group: usize) -> String {
        let name = &self.shown.groups[group];
        let plain = name.trim_end_matches(['_', '-', '.', ' ']);
        if plain.is_empty() { name.clone() } else { plain.to_owned() }
    }

    fn residual(&self) -> Table {
        let gains = &self.numbers.experiments;
        let mut lists: Vec<&[f64]> = vec![&self.numbers.values];
        lists.extend(gains.iter().map(|gains| gains.residual.as_slice()));
        let labels = self.heads();
        let count = labels.len();
        let mut columns = labels;
        columns.push(self.measure.clone());
        columns.extend(gains.iter().map(|gains| format!("NRG {}", gains.experiment.name)));
        let title = format!("Normalised residual gain (NRG) of {}", self.measure);
        self.table("residual", title, columns, count, self.by_system(&lists))
    }

    fn beside(&self) -> Table {
        let gains = &self.numbers.experiments;
        let mut columns = self.heads();
        let labels = columns.len();
        let mut lists: Vec<&[f64]> = Vec::new();
        if let Some((cutoff, rareness)) = &self.numbers.rareness {
            columns.push(format!("rareness P@{cutoff}"));
            lists.push(rareness);
        }
        for gains in gains {
            columns.push(format!("TaSC {}", gains.experiment.name));
            lists.push(&gains.tasc);
        }
        for gains in gains {
            columns.push(format!("unique {}", gains.experiment.name));
            lists.push(&gains.unique);
        }
        let title = "Rareness-based precision, TaSC and unique contributions".to_owned();
        let mut table = self.table("beside", title, columns, labels, self.by_system(&lists));
        let alpha = self.shown.settings.alpha;
        if self.numbers.rareness.is_some() {
            table.notes.push(format!("rareness: alpha = {alpha}, over all systems ({})", self.order.len()));
        }
        table.notes.push(format!("TaSC: mean of {m} (1 - best {m} of a prior system)", m = self.measure));
        table
            .notes
            .push("unique: relevant documents a query that no prior system has in its part that counts".to_owned());
        table
    }

    /// Kendall's tau of the order of systems under the measure against their order under each other
    /// list.
    fn orders(&self) -> Result<Table, StudyError> {
        let mut rows: Vec<(String, &[f64])> = Vec::new();
        let gains = &self.numbers.experiments;
        let named = |what: &str, gains: &Gains| format!("{what} {}", gains.experiment.name);
        rows.extend(gains.iter().map(|gains| (named("NRG", gains), gains.residual.as_slice())));
        if let Some((cutoff, rareness)) = &self.numbers.rareness {
            rows.push((format!("rareness P@{cutoff}"), rareness));
        }
        rows.extend(gains.iter().map(|gains| (named("TaSC", gains), gains.tasc.as_slice())));
        rows.extend(gains.iter().map(|gains| (named("unique", gains), gains.unique.as_slice())));
        let row = |(name, list): (String, &[f64])| {
            let means = self.numbers.means(list);
            let mut order: Vec<usize> = (0..means.len()).collect();
            order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
            let tau = match kendall_tau_b(&means, &self.means)? {
                Some(tau) => Cell::number(tau, 3),
                None => Cell::missing("all equal"),
            };
            let first = order.first().map_or("", |&system| self.name(system));
            Ok(vec![Cell::Text(name), tau, Cell::text(first)])
        };
        let rows = rows.into_iter().map(row).collect::<Result<Vec<_>, StudyError>>()?;
        let columns = ["order by", "tau-b", "best system"].map(str::to_owned).to_vec();
        let title = format!("Kendall's tau of the systems' order against that by {}", self.measure);
        Ok(self.table("orders", title, columns, 1, rows))
    }

    fn best_of_groups(&self) -> Option<Table> {
        let (group_of, _) = self.shown.settings.groups?;
        let row = |(group, best): (usize, &Option<usize>)| {
            let systems = group_of.iter().filter(|&&own| own == group).count() as u64;
            let (name, mean) = match best {
                Some(best) => (Cell::text(self.name(*best)), Cell::number(self.means[*best], 4)),
                None => (Cell::missing("none"), Cell::na()),
            };
            vec![Cell::Text(self.group(group)), Cell::Count(systems), name, mean]
        };
        let rows = self.numbers.best.iter().enumerate().map(row).collect();
        let columns = vec!["group".to_owned(), "systems".to_owned(), "best".to_owned(), self.measure.clone()];
        let title =
            format!("Best system of each group by {}, with which systems of other groups are compared", self.measure);
        Some(self.table("groups", title, columns, 1, rows))
    }

    fn scatter(&self, gains: &Gains) -> Chart {
        let residual = self.numbers.means(&gains.residual);
        let names = &self.shown.systems.names;
        let by_number = names.len() > MOST_LABELS || names.iter().any(|name| name.chars().count() > LONGEST_LABEL);
        let series_of = |group: Option<usize>| {
            let point = |(place, &system): (usize, &usize)| {
                let own = self.shown.settings.groups.map(|(group_of, _)| group_of[system]);
                let label = if by_number { (place + 1).to_string() } else { self.name(system).to_owned() };
                let point = Point::new(self.means[system], residual[system]);
                (own == group).then_some(Point { label: Some(label), ..point })
            };
            Series {
                name: group.map_or_else(|| "systems".to_owned(), |group| self.group(group)),
                kind: SeriesKind::Points,
                points: self.order.iter().enumerate().filter_map(point).collect(),
            }
        };
        let groups: Vec<Option<usize>> = match self.shown.settings.groups {
            Some((_, groups)) => (0..groups).map(Some).collect(),
            None => vec![None],
        };
        let name = gains.experiment.name;
        let mut notes = self.notes.clone();
        if by_number {
            let id = format!("{}-residual", slug(&self.measure));
            notes.push(format!("a number stands for the system of this number in table {id}"));
        }
        Chart {
            id: format!("{}-scatter-{name}", slug(&self.measure)),
            title: format!("{} against its residual gain, {name}", self.measure),
            x: Axis::linear(self.measure.clone()),
            y: Axis::linear(format!("NRG {name}")),
            series: groups.into_iter().map(series_of).filter(|series| !series.points.is_empty()).collect(),
            lines: Vec::new(),
            notes,
        }
    }
}

fn notes(
    shown: &Shown<'_>,
    spec: &MeasureSpec,
    numbers: &Numbers,
    conventions: &Conventions,
) -> Result<Vec<String>, StudyError> {
    let systems = shown.systems;
    let evaluator = Evaluator::new(std::slice::from_ref(spec), conventions, systems.max_grade, Seed::new(0))?;
    let mut notes: Vec<String> = evaluator.describe();
    // The last line is about ties and undefined values, for which this study has rules of its own.
    notes.pop();
    let ids = systems.queries.iter().any(|query| !query.ids.is_empty());
    let ties = if ids { "by document id, descending" } else { "in file order" };
    let queries = numbers.queries;
    notes.push(format!(
        "{}; of these undefined, which counts as 0: {}; equal scores: {ties}",
        counted(queries, "query"),
        numbers.undefined
    ));
    let exhausted: Vec<String> =
        numbers.experiments.iter().map(|gains| format!("{} {}", gains.experiment.name, gains.exhausted)).collect();
    let cases = queries * systems.names.len();
    notes.push(format!(
        "NRG 0 because nothing was left to gain, of {cases} queries x systems: {}",
        exhausted.join(", ")
    ));
    let unjudged: usize = numbers.unjudged.iter().sum();
    if unjudged > 0 {
        notes.push(format!("documents without a judgement (gain 0) in the parts of rankings that count: {unjudged}"));
    }
    let lacking: usize = systems.lacking().iter().sum();
    if lacking > 0 {
        notes.push(format!("queries x systems missing from a run, which count as 0: {lacking}"));
    }
    notes.extend(shown.remarks.iter().cloned());
    Ok(notes)
}

/// Adds every number by query and system.
pub(super) fn add_per_query(systems: &RankedSystems, all: &[(String, Numbers)], findings: &mut Findings) {
    let mut head = vec!["query".to_owned(), "system".to_owned()];
    let mut lists: Vec<&[f64]> = Vec::new();
    for (measure, numbers) in all {
        head.push(measure.clone());
        lists.push(&numbers.values);
        for gains in &numbers.experiments {
            head.push(format!("NRG {} {measure}", gains.experiment.name));
            lists.push(&gains.residual);
        }
    }
    let queries = systems.queries.len();
    let row = |(query, system): (usize, usize)| {
        let mut row = vec![systems.queries[query].id.clone(), systems.names[system].clone()];
        row.extend(lists.iter().map(|list| list[system * queries + query].to_string()));
        row
    };
    let places = (0..queries).flat_map(|query| (0..systems.names.len()).map(move |system| (query, system)));
    findings.add_values("per_query.csv", &head, places.map(row));
}

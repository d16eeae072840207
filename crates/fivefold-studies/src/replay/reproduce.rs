//! A run of fivefold beside a paper: printed cells beside the run's cells, with the difference, and
//! the paper's conclusions.
//!
//! Data sets and methods of the run and the paper are matched in four ways:
//! - by a mapping that the caller gives;
//! - by label, ignoring capitals;
//! - by a mapping in the published file;
//! - by the kind of ranker, if the run has a single ranker of this kind.
//!
//! If the run has another data set (MQ2008 for MQ2007), cells stand side by side and are not
//! compared, but the conclusions are. The run's cells come from its tables
//! ([`fivefold_analysis::tables`]), so every convention of the run applies.

use std::collections::BTreeMap;

use fivefold_analysis::evaluation::DatasetValues;
use fivefold_analysis::table::{Cell, Table};
use fivefold_analysis::tables::{self, TableOptions, TablesError};
use fivefold_metrics::mean::by_fold;
use fivefold_metrics::mean_over_folds;
use fivefold_results::results::Results;

use super::conclusions::{self, Conclusion};
use super::published::{
    DerivedColumn, DerivedRow, MILLION, PublishedScores, ReplayError, ScoreBlock, Statistic, read_derived,
};
use super::report::number;

/// The reason why a run cannot be put beside a paper.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// The published text cannot be used.
    #[error(transparent)]
    Published(#[from] ReplayError),
    /// The tables of the run cannot be made.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// No data set of the run matches a data set of the paper.
    #[error(
        "no data set of the run ({}) has the name of a data set of the paper ({})", ours.join(", "), theirs.join(", ")
    )]
    NoDataset {
        /// Names of the run's data sets.
        ours: Vec<String>,
        /// Names of the paper's data sets.
        theirs: Vec<String>,
    },
    /// A mapping with an unknown name.
    #[error("the mapping `{ours}={theirs}` names nothing: {what}")]
    Mapping {
        /// Our name.
        ours: String,
        /// The paper's name.
        theirs: String,
        /// The unknown name, and the known names.
        what: String,
    },
}

/// A printed score and the run's score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScorePair {
    /// Number of the printed table.
    pub table: u32,
    /// The data set; `ours (for theirs)` if the names differ.
    pub dataset: String,
    /// The measure with its cutoff.
    pub measure: String,
    /// The paper's name of the method.
    pub method: String,
    /// The printed score.
    pub paper: f64,
    /// The run's score; `None` if the run has no such score.
    pub ours: Option<f64>,
    /// Whether both scores are of the same data set.
    pub comparable: bool,
}

/// A printed derived figure and the run's figure.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedPair {
    /// Number of the printed table.
    pub table: u32,
    /// The statistic.
    pub statistic: Statistic,
    /// The paper's data set, or `A vs B`.
    pub published: String,
    /// The data set; `ours (for theirs)` if the names differ.
    pub dataset: String,
    /// The measure.
    pub measure: String,
    /// The column.
    pub column: DerivedColumn,
    /// The printed figure.
    pub paper: f64,
    /// The run's figure; `None` if the run has no such figure.
    pub ours: Option<f64>,
    /// Whether both figures are of the same data sets.
    pub comparable: bool,
}

/// A run beside a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Reproduction {
    /// Printed scores of methods beside the run's.
    pub scores: Vec<ScorePair>,
    /// Printed figures of derived tables beside the run's.
    pub derived: Vec<DerivedPair>,
    /// The paper's conclusions, tried on the run.
    pub conclusions: Vec<Conclusion>,
    /// Warnings for the reader, a line each.
    pub warnings: Vec<String>,
}

/// Puts a run beside printed scores and derived tables (TOML, in the form of `published/`). `map`
/// gives further pairs of the run's name and the paper's name, of data sets and methods.
///
/// # Errors
/// [`ReproduceError`].
pub fn reproduce(
    results: &Results,
    scores_text: &str,
    derived_text: &str,
    map: &[(String, String)],
) -> Result<Reproduction, ReproduceError> {
    let scores = PublishedScores::read(scores_text)?;
    let derived = read_derived(derived_text)?;
    let options = TableOptions { only: Vec::new(), ..results.table_options() };
    let tables = tables::all(&results.evaluation, &options)?;
    let matched = Matched::new(results, &scores, map)?;
    let ours = Ours { results, options: &options, tables: &tables, matched: &matched };
    let pairs: Vec<ScorePair> = scores.blocks.iter().flat_map(|block| ours.score_pairs(block)).collect();
    let derived: Vec<DerivedPair> = derived.iter().flat_map(|row| ours.derived_pairs(row)).collect();
    let mut conclusions = Vec::new();
    for block in &scores.blocks {
        if let Some(data) = ours.dataset(&block.dataset) {
            conclusions.extend(conclusions::of_order(
                block,
                &ours.methods(block, data),
                &matched.shown(&block.dataset),
            ));
        }
    }
    conclusions.extend(conclusions::of_figures(&derived));
    let warnings = results.stamps().into_iter().chain(matched.warnings).collect();
    Ok(Reproduction { scores: pairs, derived, conclusions, warnings })
}

/// A method of the paper and of the run.
pub(super) struct Method {
    /// The paper's name.
    pub name: String,
    /// The paper's score, the mean over cutoffs.
    pub paper: f64,
    /// The run's score, the mean over cutoffs.
    pub ours: f64,
    /// The run's values per query, each the mean over cutoffs. Undefined values are settled; NaN
    /// marks a query that is left out.
    pub values: Vec<f64>,
}

/// The names of the run that match names of the paper.
struct Matched {
    /// From the paper's name of a data set to the run's name.
    datasets: BTreeMap<String, String>,
    /// From the paper's name of a method to the run's name.
    methods: BTreeMap<String, String>,
    warnings: Vec<String>,
}

impl Matched {
    fn new(results: &Results, scores: &PublishedScores, map: &[(String, String)]) -> Result<Self, ReproduceError> {
        let datasets: Vec<&DatasetValues> = results.evaluation.datasets.iter().collect();
        let our_datasets: Vec<String> = datasets.iter().map(|dataset| dataset.name.clone()).collect();
        let our_methods: Vec<String> = datasets.first().map_or_else(Vec::new, |dataset| dataset.rankers.clone());
        let mut their_datasets: Vec<String> = Vec::new();
        for block in &scores.blocks {
            if !their_datasets.contains(&block.dataset) {
                their_datasets.push(block.dataset.clone());
            }
        }
        let their_methods = scores.blocks.first().map_or_else(Vec::new, |block| block.methods.clone());
        for (ours, theirs) in map {
            let known = |names: &[String], name: &String| names.contains(name);
            let data = known(&our_datasets, ours) && known(&their_datasets, theirs);
            let method = known(&our_methods, ours) && known(&their_methods, theirs);
            if !data && !method {
                let what = format!(
                    "names of the run: {}; names of the paper: {}",
                    [our_datasets.clone(), our_methods].concat().join(", "),
                    [their_datasets, their_methods].concat().join(", ")
                );
                return Err(ReproduceError::Mapping { ours: ours.clone(), theirs: theirs.clone(), what });
            }
        }
        let rankers = &results.manifest.experiment.rankers;
        let only_of_kind = |kind: &String| {
            let mut of_kind = rankers.iter().filter(|ranker| ranker.kind == *kind);
            of_kind.next().filter(|_| of_kind.next().is_none()).map(|ranker| &ranker.label)
        };
        let find = |theirs: &String, ours: &[String]| -> Option<String> {
            let named = map.iter().find(|(own, name)| name == theirs && ours.contains(own)).map(|(own, _)| own);
            let equal = || ours.iter().find(|own| same(own, theirs));
            let in_file = || scores.map.iter().filter(|(_, name)| *name == theirs).map(|(own, _)| own);
            let labelled = || in_file().find(|own| ours.contains(own));
            let of_kind = || in_file().find_map(only_of_kind).filter(|label| ours.contains(label));
            named.or_else(equal).or_else(labelled).or_else(of_kind).cloned()
        };
        let pairs = |theirs: &[String], ours: &[String]| -> BTreeMap<String, String> {
            theirs.iter().filter_map(|name| Some((name.clone(), find(name, ours)?))).collect()
        };
        let (found, methods) = (pairs(&their_datasets, &our_datasets), pairs(&their_methods, &our_methods));
        if found.is_empty() {
            return Err(ReproduceError::NoDataset { ours: our_datasets, theirs: their_datasets });
        }
        let mut warnings = Vec::new();
        for (theirs, ours) in found.iter().filter(|(theirs, ours)| !same(theirs, ours)) {
            warnings.push(format!(
                "{ours} stands for the paper's {theirs}: other queries and documents, so cells are not compared; conclusions are"
            ));
        }
        let without = |what: &str, all: &[String], found: &BTreeMap<String, String>| {
            let lacking: Vec<&str> = all.iter().filter(|name| !found.contains_key(*name)).map(String::as_str).collect();
            (!lacking.is_empty()).then(|| format!("{what} of the paper that the run has not: {}", lacking.join(", ")))
        };
        let renamed: Vec<String> = methods
            .iter()
            .filter(|(theirs, ours)| !same(theirs, ours))
            .map(|(theirs, ours)| format!("{ours} is {theirs}"))
            .collect();
        if !renamed.is_empty() {
            warnings.push(format!("our methods and the paper's: {}", renamed.join(", ")));
        }
        warnings.extend(without("data sets", &their_datasets, &found));
        warnings.extend(without("methods", &their_methods, &methods));
        let more: Vec<&str> =
            our_methods.iter().filter(|own| !methods.values().any(|m| m == *own)).map(String::as_str).collect();
        if !more.is_empty() || methods.len() < their_methods.len() {
            let of = if more.is_empty() { String::new() } else { format!(" ({} only in the run)", more.join(", ")) };
            warnings.push(format!(
                "the methods are not the same{of}: power, conflicts, PAD and swap rates are of each one's own methods"
            ));
        }
        Ok(Matched { datasets: found, methods, warnings })
    }

    /// The name of a data set of the paper, as it is shown.
    fn shown(&self, theirs: &str) -> String {
        let one = |name: &str| match self.datasets.get(name) {
            Some(ours) if !same(ours, name) => format!("{ours} (for {name})"),
            Some(ours) => ours.clone(),
            None => name.to_owned(),
        };
        match theirs.split_once(" vs ") {
            Some((first, second)) => format!("{} vs {}", one(first), one(second)),
            None => one(theirs),
        }
    }

    fn comparable(&self, theirs: &str) -> bool {
        theirs.split(" vs ").all(|name| self.datasets.get(name).is_some_and(|ours| same(ours, name)))
    }
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

struct Ours<'a> {
    results: &'a Results,
    options: &'a TableOptions,
    tables: &'a [Table],
    matched: &'a Matched,
}

impl Ours<'_> {
    /// The run's data set for a data set of the paper.
    fn dataset(&self, theirs: &str) -> Option<&DatasetValues> {
        let ours = self.matched.datasets.get(theirs)?;
        self.results.evaluation.datasets.iter().find(|dataset| dataset.name == *ours)
    }

    /// The run's values of a method under a measure, by query; NaN if undefined. `None` if the
    /// method failed or was not evaluated.
    fn values(&self, data: &DatasetValues, method: &str, measure: &str) -> Option<Vec<f64>> {
        let measures = &self.results.evaluation.measures;
        let label = self.matched.methods.get(method)?;
        let ranker = data.rankers.iter().position(|ranker| ranker == label).filter(|&ranker| !data.failed[ranker])?;
        let column = measures.iter().position(|own| own.to_string() == measure)?;
        let place = |query: usize| (ranker * data.queries.len() + query) * measures.len() + column;
        Some((0..data.queries.len()).map(|query| data.all[place(query)]).collect())
    }

    fn mean(&self, data: &DatasetValues, values: &[f64]) -> Option<f64> {
        let folds: Vec<usize> = data.queries.iter().map(|query| query.fold).collect();
        let conventions = &self.options.conventions;
        let mean = mean_over_folds(&by_fold(&folds, values), conventions.fold_mean, conventions.undefined).value;
        (!mean.is_nan()).then_some(mean)
    }

    fn score_pairs(&self, block: &ScoreBlock) -> Vec<ScorePair> {
        let Some(data) = self.dataset(&block.dataset) else { return Vec::new() };
        let mut pairs = Vec::new();
        for (method, row) in block.methods.iter().zip(&block.scores) {
            for (cutoff, &score) in block.cutoffs.iter().zip(row) {
                let measure = format!("{}@{cutoff}", block.metric);
                let ours = self.values(data, method, &measure).and_then(|values| self.mean(data, &values));
                pairs.push(ScorePair {
                    table: block.table,
                    dataset: self.matched.shown(&block.dataset),
                    measure,
                    method: method.clone(),
                    paper: score as f64 / MILLION,
                    ours,
                    comparable: self.matched.comparable(&block.dataset),
                });
            }
        }
        pairs
    }

    /// The methods that the paper and the run share under a block's measure, at the cutoffs that
    /// they share.
    fn methods(&self, block: &ScoreBlock, data: &DatasetValues) -> Vec<Method> {
        let undefined = self.options.conventions.undefined;
        let mut methods = Vec::new();
        for (name, row) in block.methods.iter().zip(&block.scores) {
            let (mut paper, mut ours, mut cutoffs) = (0.0, 0.0, 0.0);
            let mut values = vec![0.0; data.queries.len()];
            for (cutoff, &score) in block.cutoffs.iter().zip(row) {
                let Some(own) = self.values(data, name, &format!("{}@{cutoff}", block.metric)) else { continue };
                let Some(mean) = self.mean(data, &own) else { continue };
                (paper, ours) = (paper + score as f64 / MILLION, ours + mean);
                cutoffs += 1.0;
                for (sum, value) in values.iter_mut().zip(own) {
                    *sum += fivefold_metrics::settle(value, undefined).unwrap_or(f64::NAN);
                }
            }
            if cutoffs > 0.0 {
                values.iter_mut().for_each(|sum| *sum /= cutoffs);
                methods.push(Method { name: name.clone(), paper: paper / cutoffs, ours: ours / cutoffs, values });
            }
        }
        methods
    }

    fn derived_pairs(&self, row: &DerivedRow) -> Vec<DerivedPair> {
        if row.dataset.split(" vs ").any(|name| !self.matched.datasets.contains_key(name)) {
            return Vec::new();
        }
        let pair = |(column, paper): (DerivedColumn, f64)| DerivedPair {
            table: row.table,
            statistic: row.statistic,
            published: row.dataset.clone(),
            dataset: self.matched.shown(&row.dataset),
            measure: row.metric.clone(),
            column,
            paper,
            ours: self.cell(row, column),
            comparable: self.matched.comparable(&row.dataset),
        };
        row.cells().map(pair).collect()
    }

    /// The run's figure, from its table.
    fn cell(&self, row: &DerivedRow, column: DerivedColumn) -> Option<f64> {
        let base = row.metric.split(".v").next().unwrap_or(&row.metric);
        let what = table_of(row.statistic);
        let table = self.tables.iter().find(|table| table.id.ends_with(&format!("-{base}-{what}")))?;
        let named = |cell: &Cell, name: &str| matches!(cell, Cell::Text(text) if text == name);
        let own = |name: &str| self.matched.datasets.get(name).map(String::as_str).unwrap_or_default().to_owned();
        let cell = if column == DerivedColumn::Value {
            let at = table.columns.iter().position(|head| *head == own(&row.dataset))?;
            table.rows.iter().find(|cells| named(&cells[0], &row.metric))?.get(at)
        } else {
            let at = table.columns.iter().position(|head| head == column.title())?;
            let datasets = match row.dataset.split_once(" vs ") {
                None => vec![own(&row.dataset)],
                // The experiment may name the two data sets in either order, so both orders are
                // tried.
                Some((first, second)) => {
                    let (first, second) = (own(first), own(second));
                    vec![format!("{first} vs {second}"), format!("{second} vs {first}")]
                }
            };
            let is_row = |cells: &&Vec<Cell>| {
                datasets.iter().any(|dataset| named(&cells[0], dataset)) && named(&cells[1], &row.metric)
            };
            table.rows.iter().find(is_row)?.get(at)
        };
        match cell? {
            Cell::Number { value, .. } => Some(*value),
            Cell::Count(count) => Some(*count as f64),
            _ => None,
        }
    }
}

/// The end of the ids of the run's tables of a statistic.
fn table_of(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::KendallTau => "kendall-tau",
        Statistic::Conflicts => "conflicts",
        Statistic::DiscriminativePower => "discriminative-power",
        Statistic::PadPercent => "pad",
        Statistic::SwapRateAcrossDatasets => "swap-data-sets",
        Statistic::SwapRateUninformativeVsIdeal => "swap-uninformative-ideal",
        Statistic::SwapRateBroadVsFocused => "swap-broad-focused",
        Statistic::SwapRateLeftVsRight => "swap-left-right",
    }
}

impl Reproduction {
    /// The conclusions: counts, then every conclusion. With `cells`, also every printed cell beside
    /// the run's cell.
    pub fn tables(&self, cells: bool) -> Vec<Table> {
        let mut tables = conclusions::tables(&self.conclusions);
        if let Some(first) = tables.first_mut() {
            first.notes.extend(self.warnings.iter().cloned());
            first.notes.push(self.closeness());
        }
        if cells {
            tables.extend([self.derived_table(), self.scores_table()]);
        }
        tables
    }

    /// A line on the differences between printed scores and the run's scores.
    fn closeness(&self) -> String {
        let mut differences: Vec<f64> = self
            .scores
            .iter()
            .filter(|pair| pair.comparable)
            .filter_map(|pair| Some((pair.ours? - pair.paper).abs()))
            .collect();
        differences.sort_unstable_by(f64::total_cmp);
        match differences.as_slice() {
            [] => "no score is compared, because no printed score is of a data set of the run".to_owned(),
            all => format!(
                "{} printed scores are compared with scores of the run: absolute difference {:.3} in the median, \
                    {:.3} at most",
                all.len(),
                all[all.len() / 2],
                all[all.len() - 1]
            ),
        }
    }

    fn derived_table(&self) -> Table {
        let row = |pair: &DerivedPair| {
            let shown = |value: Option<f64>| value.map_or_else(Cell::na, |value| number(pair.statistic, value));
            let difference = pair.ours.filter(|_| pair.comparable).map(|ours| ours - pair.paper);
            let difference = Cell::number_or_na(difference, 3);
            vec![
                Cell::text(pair.table.to_string()),
                Cell::text(pair.statistic.title()),
                Cell::text(&pair.dataset),
                Cell::text(&pair.measure),
                Cell::text(pair.column.title()),
                shown(Some(pair.paper)),
                shown(pair.ours),
                difference,
            ]
        };
        let columns = ["table", "statistic", "data set", "measure", "queries", "paper", "ours", "difference"];
        self.cell_table(
            "reproduce-derived",
            "Derived figures beside the paper's",
            &columns,
            self.derived.iter().map(row).collect(),
        )
    }

    fn scores_table(&self) -> Table {
        let digits = |value: Option<f64>| Cell::number_or_na(value, 4);
        let row = |pair: &ScorePair| {
            vec![
                Cell::text(pair.table.to_string()),
                Cell::text(&pair.dataset),
                Cell::text(&pair.measure),
                Cell::text(&pair.method),
                digits(Some(pair.paper)),
                digits(pair.ours),
                digits(pair.ours.filter(|_| pair.comparable).map(|ours| ours - pair.paper)),
            ]
        };
        let columns = ["table", "data set", "measure", "method", "paper", "ours", "difference"];
        self.cell_table(
            "reproduce-scores",
            "Scores beside the paper's",
            &columns,
            self.scores.iter().map(row).collect(),
        )
    }

    fn cell_table(&self, id: &str, title: &str, columns: &[&str], rows: Vec<Vec<Cell>>) -> Table {
        Table::new(id, title, columns, columns.len() - 3).with_rows(rows).with_notes(self.warnings.clone())
    }
}

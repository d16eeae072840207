//! The values of several systems (score files) on the test queries of the folds.

use std::path::{Path, PathBuf};

use fivefold_base::words::{counted, which};
use fivefold_core::Dataset;
use fivefold_data::leaks::{Finding, SortedRows};
use fivefold_data::{Part, ReadOptions, Source, open, read_scores};
use fivefold_experiment::leaks;
use fivefold_metrics::mean::{GEOMETRIC_FLOOR, GeometricMean, geometric_mean, settle};
use fivefold_metrics::{Conventions, Evaluator, FoldMean, Mean, Scratch, StandardErrors, mean_over_folds};

use crate::labels::labelled;
use crate::problem::{self, Problem};
use crate::reading;
use crate::screen::tell;

/// The placeholder for the number of a fold in a path.
const FOLD: &str = "{fold}";

/// The test part of one fold.
pub(in crate::commands) struct TestPart {
    /// The number of the fold; `None` if there is only one file.
    pub(in crate::commands) number: Option<usize>,
    pub(in crate::commands) test: Dataset,
    /// The file of the part, if the part came from one file. A score file follows the order of this
    /// file, also if its lines were regrouped.
    file: Option<Part>,
}

impl TestPart {
    /// Reads a score file, and returns one score for each document of `test`.
    pub(in crate::commands) fn scores(&self, path: &Path) -> miette::Result<Vec<f64>> {
        let scores = read_scores(path, self.test.documents()).map_err(Problem::from)?;
        Ok(match &self.file {
            Some(file) => file.in_data_order(scores),
            None => scores,
        })
    }
}

/// Reads the data of every fold: one file, several (fold 1, 2, ...), or a pattern with `{fold}`.
pub(in crate::commands) fn folds_of_files(
    files: &[String],
    count: usize,
    options: &ReadOptions,
) -> miette::Result<Vec<TestPart>> {
    let paths: Vec<(Option<usize>, String)> = match files {
        [pattern] if pattern.contains(FOLD) => (1..=count).map(|n| (Some(n), path(pattern, Some(n)))).collect(),
        [one] => vec![(None, one.clone())],
        many => (1..).map(Some).zip(many.iter().cloned()).collect(),
    };
    if paths.is_empty() {
        return Err(Problem::new("--folds must be at least 1").into());
    }
    let read = |(number, path): (Option<usize>, String)| {
        let file = reading::read_for_grades(Path::new(&path), options)?;
        Ok(TestPart { number, test: file.data.clone(), file: Some(file) })
    };
    paths.into_iter().map(read).collect()
}

/// The test parts of a known collection.
pub(super) fn folds_of_collection(name: &str, data_dir: Option<PathBuf>) -> miette::Result<Vec<TestPart>> {
    let source = Source { name: Some(name.to_owned()), ..Source::default() };
    let folders: Vec<PathBuf> = data_dir.into_iter().collect();
    let collection = open(&source, &folders).map_err(problem::report)?;
    for remark in &collection.remarks {
        tell(format_args!("note: {name}: {remark}"));
    }
    Ok(collection
        .folds
        .into_iter()
        .map(|fold| TestPart { number: Some(fold.number), test: fold.test, file: None })
        .collect())
}

/// The path of a fold's file.
pub(in crate::commands) fn path(pattern: &str, fold: Option<usize>) -> String {
    fold.map_or_else(|| pattern.to_owned(), |number| pattern.replace(FOLD, &number.to_string()))
}

/// The values of all systems: `[(system * queries + query) * measures + measure]`, NaN if
/// undefined.
pub(super) struct Evaluated {
    pub(super) columns: Columns,
    pub(super) systems: Vec<String>,
    pub(super) queries: Vec<Query>,
    pub(super) values: Vec<f64>,
    /// Whether the means of a system leave a query out: `[system * queries + query]`. The list is
    /// empty if all means use all queries.
    pub(super) left_out: Vec<bool>,
    /// The words for a query and for a document.
    pub(super) words: [&'static str; 2],
    /// Remarks on the data, one line for each.
    pub(super) remarks: Vec<String>,
}

/// The measures of the values, and the conventions in force.
pub(super) struct Columns {
    pub(super) names: Vec<String>,
    pub(super) conventions: Conventions,
    /// Whether means over queries are geometric.
    pub(super) geometric: bool,
    /// Lines that name the conventions, and standard errors.
    pub(super) notes: Vec<String>,
    /// The standard errors of columns with drawn values.
    pub(super) errors: Vec<StandardErrors>,
}

/// The columns of values that the evaluator has given.
impl From<&Evaluator> for Columns {
    fn from(evaluator: &Evaluator) -> Self {
        let (names, conventions) = (evaluator.names().to_vec(), evaluator.conventions().clone());
        let (notes, errors) = (evaluator.describe(), evaluator.standard_errors());
        Columns { names, conventions, geometric: false, notes, errors }
    }
}

/// One evaluated query.
pub(super) struct Query {
    pub(super) fold: Option<usize>,
    pub(super) id: String,
    pub(super) documents: usize,
}

/// Evaluates every system, given as `[LABEL=]FILE`.
pub(super) fn evaluate(evaluator: &Evaluator, folds: &[TestPart], systems: &[String]) -> miette::Result<Evaluated> {
    let many = folds.iter().any(|fold| fold.number.is_some());
    let systems = labelled(systems)?;
    systems.iter().try_for_each(|(_, pattern)| check_folds(pattern, many))?;
    let mut queries = Vec::new();
    let mut judged = Vec::new();
    for fold in folds {
        for query in fold.test.queries() {
            judged.push(evaluator.judge_query(&query).map_err(Problem::from)?);
            queries.push(Query { fold: fold.number, id: query.id().to_owned(), documents: query.len() });
        }
    }
    let measures = evaluator.names().len();
    let mut values = vec![f64::NAN; systems.len() * queries.len() * measures];
    let mut places = values.chunks_exact_mut(measures.max(1));
    let mut scratch = Scratch::default();
    for (_, pattern) in &systems {
        let mut judged = judged.iter();
        for fold in folds {
            let scores = fold.scores(Path::new(&path(pattern, fold.number)))?;
            let mut rest = scores.as_slice();
            for (query, place) in judged.by_ref().take(fold.test.len()).zip(&mut places) {
                let (own, after) = rest.split_at(query.documents());
                evaluator.evaluate(query, own, &mut scratch, place).map_err(Problem::from)?;
                rest = after;
            }
        }
    }
    let systems = systems.into_iter().map(|(label, _)| label).collect();
    let (columns, words) = (Columns::from(evaluator), ["query", "document"]);
    let (left_out, remarks) = (Vec::new(), Vec::new());
    Ok(Evaluated { columns, systems, queries, values, left_out, words, remarks })
}

/// The leak guard for rows that are sorted by grade: equal scores would then rank them well.
pub(super) fn label_sorted_ties(
    evaluator: &Evaluator,
    folds: &[TestPart],
    systems: &[String],
) -> miette::Result<Option<Finding>> {
    let mut sorted = SortedRows::default();
    folds.iter().flat_map(|fold| fold.test.queries()).for_each(|query| sorted.add(query.grades()));
    let systems = labelled(systems)?;
    let scores = systems.iter().flat_map(|(label, pattern)| {
        let of_fold = move |fold: &TestPart| {
            let scores = fold.scores(Path::new(&path(pattern, fold.number)))?;
            Ok((label.clone(), fold.test.clone(), scores))
        };
        folds.iter().map(of_fold)
    });
    leaks::label_sorted_ties(evaluator.conventions(), &sorted, scores)
}

/// Checks that there is a score file for each fold.
pub(in crate::commands) fn check_folds(pattern: &str, many_folds: bool) -> miette::Result<()> {
    let what = match (many_folds, pattern.contains(FOLD)) {
        (true, false) => format!("`{pattern}` is one score file for the data of several folds"),
        (false, true) => format!("`{pattern}` names a score file for each fold, but there is one data file"),
        _ => return Ok(()),
    };
    let help = format!(
        "`{FOLD}` in --scores stands for the fold's number; use `{FOLD}` with several files or with `{FOLD}` \
            in --data"
    );
    Err(Problem::new(what).help(help).into())
}

impl Evaluated {
    /// The numbers of the folds; a single `None` if there is only one file.
    pub(super) fn folds(&self) -> Vec<Option<usize>> {
        let mut folds: Vec<Option<usize>> = self.queries.iter().map(|query| query.fold).collect();
        folds.dedup();
        folds
    }

    /// One value; NaN if undefined.
    pub(super) fn value(&self, system: usize, query: usize, measure: usize) -> f64 {
        self.values[(system * self.queries.len() + query) * self.columns.names.len() + measure]
    }

    /// Whether the means of a system leave a query out.
    pub(super) fn leaves_out(&self, system: usize, query: usize) -> bool {
        self.left_out.get(system * self.queries.len() + query).is_some_and(|&out| out)
    }

    fn geometric(&self, values: &[f64]) -> GeometricMean {
        let policy = self.columns.conventions.undefined;
        let settled: Vec<f64> = values.iter().filter_map(|&value| settle(value, policy)).collect();
        geometric_mean(&settled, GEOMETRIC_FLOOR)
    }

    /// Takes geometric means over queries in place of arithmetic ones.
    pub(super) fn with_geometric_means(mut self) -> Self {
        self.columns.geometric = true;
        let out = |place: usize| self.left_out.get(place / self.columns.names.len()).is_some_and(|&out| out);
        let values: Vec<f64> =
            (0..self.values.len()).filter(|&place| !out(place)).map(|place| self.values[place]).collect();
        let floored = self.geometric(&values).floored;
        let (values, are) = (counted(floored, "value"), which(floored, "is", "are"));
        let what = format!("means over queries: geometric, exp(mean ln max(value, {GEOMETRIC_FLOOR}))");
        let note = format!("{what}; {values} {are} below this floor");
        self.columns.notes.push(note);
        self
    }

    /// The mean over one fold, or over all folds by the rule of the conventions.
    pub(super) fn mean(&self, system: usize, measure: usize, fold: Option<usize>) -> Mean {
        let wanted = self.folds().into_iter().filter(|number| fold.is_none() || *number == fold);
        let of_fold = |number: Option<usize>| -> Vec<f64> {
            let queries = (0..self.queries.len()).filter(|&query| self.queries[query].fold == number);
            let queries = queries.filter(|&query| !self.leaves_out(system, query));
            queries.map(|query| self.value(system, query, measure)).collect()
        };
        let values: Vec<Vec<f64>> = wanted.map(of_fold).collect();
        let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
        let conventions = &self.columns.conventions;
        if self.columns.geometric {
            let all = mean_over_folds(&values, FoldMean::Queries, conventions.undefined);
            return Mean { value: self.geometric(&values.concat()).value, ..all };
        }
        mean_over_folds(&values, conventions.fold_mean, conventions.undefined)
    }
}

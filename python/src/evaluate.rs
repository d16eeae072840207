//! Measures of runs against qrels, and of scores against the grades of a data set.

use std::sync::atomic::{AtomicBool, Ordering};

use fivefold_core::Seed;
use fivefold_data::trec::{Duplicates, Joined, Matched, Qrels, QrelsTopic, Run};
use fivefold_metrics::conventions::Unjudged;
use fivefold_metrics::evaluator::{Pool, Retrieved, RunValues};
use fivefold_metrics::{
    Conventions, Evaluator, Mean, MeasureError, Overrides, Scratch, dialect, mean, settle, spelling,
};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray, PyArray3, PyReadonlyArray1};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::dataset::Dataset;
use crate::dicts::{DictRun, Judged, plain_qrels};
use crate::errors::{config, data};
use crate::trec::{qrels_of, run_of};
use crate::work::in_threads;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Evaluated>()?;
    module.add_function(wrap_pyfunction!(evaluate_runs, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate_scores, module)?)?;
    module.add_function(wrap_pyfunction!(dialects, module)?)?;
    module.add_function(wrap_pyfunction!(measure_names, module)?)
}

/// The values of systems on queries.
#[pyclass(frozen, module = "fivefold._fivefold")]
struct Evaluated {
    /// The names of the measures.
    #[pyo3(get)]
    measures: Vec<String>,
    #[pyo3(get)]
    systems: Vec<String>,
    #[pyo3(get)]
    queries: Vec<String>,
    /// The conventions and remarks, a line each.
    #[pyo3(get)]
    notes: Vec<String>,
    /// `[(system * queries + query) * measures + measure]`, NaN if undefined.
    values: Vec<f64>,
    /// Whether the means of a system leave a query out: `[system * queries + query]`.
    left_out: Vec<bool>,
    conventions: Conventions,
}

#[pymethods]
impl Evaluated {
    /// Systems x queries x measures; NaN where a value is undefined.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let shape = (self.systems.len(), self.queries.len(), self.measures.len());
        Ok(Array3::from_shape_vec(shape, self.values.clone()).map_err(data)?.into_pyarray(py))
    }

    /// Whether the means of a system leave a query out, as rows of systems.
    fn left_out(&self) -> Vec<Vec<bool>> {
        self.left_out.chunks(self.queries.len().max(1)).map(<[bool]>::to_vec).collect()
    }

    /// The mean, the number of queries in it, and the number of queries with an undefined value.
    fn mean(&self, system: usize, measure: usize) -> (f64, usize, usize) {
        let queries = (0..self.queries.len()).filter(|query| !self.left_out[system * self.queries.len() + query]);
        let values: Vec<f64> = queries.map(|query| self.value(system, query, measure)).collect();
        let Mean { value, queries, undefined } = mean(&values, self.conventions.undefined);
        (value, queries, undefined)
    }

    /// The values that count in the mean, by query; `None` for a query that does not count.
    fn counted(&self, system: usize, measure: usize) -> Vec<Option<f64>> {
        let of_query = |query| match self.left_out[system * self.queries.len() + query] {
            true => None,
            false => settle(self.value(system, query, measure), self.conventions.undefined),
        };
        (0..self.queries.len()).map(of_query).collect()
    }
}

impl Evaluated {
    fn value(&self, system: usize, query: usize, measure: usize) -> f64 {
        self.values[(system * self.queries.len() + query) * self.measures.len() + measure]
    }
}

/// The conventions and measures of an evaluation.
struct Asked {
    dialect: &'static fivefold_metrics::Dialect,
    conventions: Conventions,
    specs: Vec<fivefold_metrics::MeasureSpec>,
    notes: Vec<String>,
}

impl Asked {
    /// From the name of a dialect, the conventions that override it as JSON, and measures in any
    /// spelling that the program reads.
    fn new(name: &str, overrides: &str, measures: &[String]) -> PyResult<Self> {
        let dialect = dialect(name).map_err(config)?;
        let overrides: Overrides = serde_json::from_str(overrides).map_err(config)?;
        let conventions = overrides.apply(dialect.conventions());
        let readings = measures.iter().map(|name| spelling::read(name, &conventions));
        let readings = readings.collect::<Result<Vec<_>, MeasureError>>().map_err(config)?;
        let notes = readings.iter().filter_map(|reading| reading.note.clone()).collect();
        let specs = readings.into_iter().map(|reading| reading.spec).collect();
        Ok(Asked { dialect, conventions, specs, notes })
    }

    fn evaluator(&self, max_grade: u8, seed: u64) -> PyResult<Evaluator> {
        Evaluator::new(&self.specs, &self.conventions, max_grade, Seed::new(seed)).map_err(config)
    }

    fn evaluated(self, evaluator: &Evaluator, queries: Vec<String>, found: Vec<OfSystem>) -> Evaluated {
        let mut notes = vec![self.dialect.describe(&self.conventions)];
        notes.extend(evaluator.describe());
        notes.extend(self.notes);
        let mut evaluated = Evaluated {
            measures: evaluator.names().to_vec(),
            systems: Vec::new(),
            queries,
            notes,
            values: Vec::new(),
            left_out: Vec::new(),
            conventions: self.conventions,
        };
        for OfSystem { name, values, left_out, remarks } in found {
            evaluated.notes.extend(remarks.into_iter().map(|remark| format!("{name}: {remark}")));
            evaluated.systems.push(name);
            evaluated.values.extend(values);
            evaluated.left_out.extend(left_out);
        }
        evaluated
    }
}

/// The values of one system.
struct OfSystem {
    name: String,
    values: Vec<f64>,
    left_out: Vec<bool>,
    remarks: Vec<String>,
}

/// Evaluates runs. `qrels` and each run are a path, a dict of dicts, or three columns.
#[pyfunction]
#[pyo3(signature = (qrels, runs, measures, dialect, overrides, max_grade, duplicates, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "the Python package names them")]
fn evaluate_runs(
    qrels: &Bound<'_, PyAny>,
    runs: Vec<(String, Bound<'_, PyAny>)>,
    measures: Vec<String>,
    dialect: &str,
    overrides: &str,
    max_grade: Option<u8>,
    duplicates: &str,
    seed: u64,
    threads: usize,
) -> PyResult<Evaluated> {
    let known = Duplicates::ALL.into_iter().find(|policy| policy.name() == duplicates);
    let names = Duplicates::ALL.map(Duplicates::name).join(", ");
    let duplicates = known.ok_or_else(|| config(format!("duplicates is one of {names}, not `{duplicates}`")))?;
    let mut asked = Asked::new(dialect, overrides, &measures)?;
    let (py, source) = (qrels.py(), qrels);
    let qrels = plain_qrels(source, duplicates)?.map_or_else(|| qrels_of(source, duplicates), Ok)?;
    asked.notes.push(format!("missing topics: {}", asked.conventions.missing_topics));
    asked.notes.extend(qrels.remarks().into_iter().map(|remark| format!("qrels: {remark}")));
    let evaluator = asked.evaluator(max_grade.unwrap_or_else(|| qrels.max_grade()), seed)?;
    let pool = |topic: &QrelsTopic| evaluator.pool(&topic.id, &topic.grades()).map_err(data);
    let pools: Vec<Pool> = qrels.topics.iter().map(pool).collect::<PyResult<_>>()?;
    let judged = Judged::new(&qrels);
    let read = |(name, run): (String, Bound<'_, PyAny>)| match DictRun::take(&run, &judged, &evaluator)? {
        Some(taken) => Ok((AnyRun::Dict(taken), name)),
        None => Ok((AnyRun::Lines(run_of(&name, &run, duplicates)?), name)),
    };
    let against = Against { evaluator: &evaluator, qrels: &qrels, pools: &pools };
    let found: Vec<OfSystem> = match threads {
        // One after the other, each while it is in the processor's cache.
        1 => runs.into_iter().map(|run| against.alone(py, read(run)?)).collect::<PyResult<_>>()?,
        _ => against.all(py, threads, runs.into_iter().map(read).collect::<PyResult<_>>()?)?,
    };
    let queries = qrels.topics.iter().map(|topic| topic.id.clone()).collect();
    Ok(asked.evaluated(&evaluator, queries, found))
}

/// Why there are no values.
enum Stopped {
    Signal,
    Measure(MeasureError),
}

impl From<MeasureError> for Stopped {
    fn from(error: MeasureError) -> Self {
        Stopped::Measure(error)
    }
}

impl From<Stopped> for PyErr {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Signal => PyKeyboardInterrupt::new_err(()),
            Stopped::Measure(error) => data(error),
        }
    }
}

/// A run.
enum AnyRun {
    /// A dict, whose documents have their grades.
    Dict(DictRun),
    /// A file, a table, or a dict that [`DictRun`] does not take.
    Lines(Run),
}

/// What runs are measured by.
struct Against<'a> {
    evaluator: &'a Evaluator,
    qrels: &'a Qrels,
    pools: &'a [Pool],
}

impl Against<'_> {
    /// The values of runs.
    fn all(&self, py: Python<'_>, threads: usize, runs: Vec<(AnyRun, String)>) -> PyResult<Vec<OfSystem>> {
        let found = in_threads(py, threads, |stop| {
            runs.into_par_iter().map(|(run, name)| self.one(&run, name, stop)).collect::<Result<Vec<_>, Stopped>>()
        })?;
        Ok(found?)
    }

    /// The values of one run.
    fn alone(&self, py: Python<'_>, (run, name): (AnyRun, String)) -> PyResult<OfSystem> {
        if matches!(run, AnyRun::Lines(_)) {
            return Ok(in_threads(py, 1, |stop| self.one(&run, name, stop))??);
        }
        // A dict took longer to walk than it takes to measure.
        py.check_signals()?;
        Ok(py.detach(|| self.one(&run, name, &AtomicBool::new(false)))?)
    }

    fn one(&self, run: &AnyRun, name: String, stop: &AtomicBool) -> Result<OfSystem, Stopped> {
        let removed = self.evaluator.conventions().unjudged == Unjudged::Removed;
        let stopped = || stop.load(Ordering::Relaxed);
        let (found, remarks) = match run {
            AnyRun::Dict(run) => {
                let matched = Matched { removed, ..run.matched };
                (run.values(self.evaluator, self.pools, stopped)?.ok_or(Stopped::Signal)?, matched.remarks())
            }
            AnyRun::Lines(run) => {
                let joined = Joined::new(self.qrels, run).with_unjudged_removed(removed);
                let mut found = RunValues::new(self.evaluator);
                for (topic, pool) in joined.topics.iter().zip(self.pools) {
                    if stopped() {
                        return Err(Stopped::Signal);
                    }
                    let (scores, assessments, ids) = (&topic.scores, &topic.assessments, Some(&topic.documents[..]));
                    found.add(pool, Retrieved { scores, assessments, ids, in_run: topic.in_run })?;
                }
                (found, run.remarks().into_iter().chain(joined.remarks()).collect())
            }
        };
        Ok(OfSystem { name, values: found.values().to_vec(), left_out: found.left_out().to_vec(), remarks })
    }
}

/// Evaluates systems by their scores for the documents of a data set, in its order.
#[pyfunction]
#[pyo3(signature = (dataset, scores, measures, dialect, overrides, max_grade, seed, threads))]
#[expect(clippy::too_many_arguments, reason = "the Python package names them")]
fn evaluate_scores(
    py: Python<'_>,
    dataset: &Dataset,
    scores: Vec<(String, PyReadonlyArray1<'_, f64>)>,
    measures: Vec<String>,
    dialect: &str,
    overrides: &str,
    max_grade: Option<u8>,
    seed: u64,
    threads: usize,
) -> PyResult<Evaluated> {
    let asked = Asked::new(dialect, overrides, &measures)?;
    let rows = dataset.data.documents();
    let copied = scores.into_iter().map(|(name, scores)| {
        let scores = scores.as_array().to_vec();
        if scores.len() != rows {
            return Err(data(format!("{name}: {} scores for {rows} documents", scores.len())));
        }
        match scores.iter().position(|score| !score.is_finite()) {
            Some(place) => Err(data(format!("{name}: the score of document {place} (from 0) is {}", scores[place]))),
            None => Ok((name, scores)),
        }
    });
    let systems: Vec<(String, Vec<f64>)> = copied.collect::<PyResult<_>>()?;
    let evaluator = asked.evaluator(max_grade.unwrap_or_else(|| dataset.data.max_grade()), seed)?;
    let found = in_threads(py, threads, |stop| {
        let judged = dataset.data.queries().map(|query| evaluator.judge_query(&query));
        let judged = judged.collect::<Result<Vec<_>, _>>()?;
        let bounds = dataset.data.bounds();
        let of_system = |(name, scores): (String, Vec<f64>)| -> Result<OfSystem, Stopped> {
            let columns = evaluator.names().len();
            let mut values = vec![f64::NAN; judged.len() * columns];
            let mut scratch = Scratch::default();
            for ((query, own), place) in
                judged.iter().zip(bounds.windows(2)).zip(values.chunks_exact_mut(columns.max(1)))
            {
                if stop.load(Ordering::Relaxed) {
                    return Err(Stopped::Signal);
                }
                evaluator.evaluate(query, &scores[own[0]..own[1]], &mut scratch, place)?;
            }
            let left_out = vec![false; judged.len()];
            Ok(OfSystem { name, values, left_out, remarks: Vec::new() })
        };
        systems.into_par_iter().map(of_system).collect::<Result<Vec<_>, Stopped>>()
    })?;
    let queries = dataset.data.queries().map(|query| query.id().to_owned()).collect();
    Ok(asked.evaluated(&evaluator, queries, found?))
}

/// The dialects: name and summary.
#[pyfunction]
fn dialects() -> Vec<(&'static str, &'static str)> {
    fivefold_metrics::DIALECTS.iter().map(|dialect| (dialect.name, dialect.summary)).collect()
}

/// The measures: name and summary.
#[pyfunction]
fn measure_names() -> Vec<(&'static str, &'static str)> {
    fivefold_metrics::MEASURES.iter().map(|measure| (measure.name, measure.summary)).collect()
}
